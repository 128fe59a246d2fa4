"""Pictures of docs/identification.md: an exciting motion, the report, and how well pivots are identified.

The picture of the report needs Chromium, as pictures of the viewer do.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import kinetrace as kt
from kinetrace.view import capture

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SPHERES = {"panda_hand": 0.12, "panda_link4": 0.1, "panda_link2": 0.1, "panda_link0": 0.15}
OBSTACLE = ((0.5, 0.0, 0.5), 0.2)
MOTIONS: dict[str, dict[str, Any]] = {
    "panda": {"spheres": SPHERES, "floor": 0.0, "obstacles": [OBSTACLE], "acceleration": 10.0, "starts": 3},
    "puma560": {"starts": 2},
}
"""Robot → how its exciting motion is found."""


def true_robot(robot: kt.Robot) -> kt.Robot:
    """The Panda with a payload, and friction in its joints."""
    loaded = robot.with_payload(1.2, "panda_hand", com=[0.02, -0.01, 0.1], inertia=3e-3 * np.eye(3))
    return loaded.with_joint_effects(damping=0.4, friction=0.5)


def measured(true: kt.Robot, motion: kt.identify.ExcitingMotion, seed: int) -> kt.identify.Log:
    """A log of two periods with noise: 0.1 N m and 20 µrad."""
    rng, t = np.random.default_rng(seed), np.arange(0, 2 * motion.period, 0.002)
    q, v, a = motion(t)
    tau = true.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=v.shape)
    return kt.identify.Log(t, q + 2e-5 * rng.normal(size=q.shape), tau)


def exciting(robot: kt.Robot) -> kt.identify.ExcitingMotion:
    """Draw the exciting motion: forces and positions, and the way of the hand."""
    motion = kt.identify.exciting_motion(robot, **MOTIONS["panda"])
    rows = motion.trajectory(robot, 0.02)
    figure = plt.figure(figsize=(10, 4.4), layout="constrained")
    left = figure.add_subplot(1, 2, 1)
    for k, name in enumerate(robot.joint_names):
        left.plot(rows.t, rows.v[:, k] / robot.limits.velocity[k], label=name.removeprefix("panda_"), linewidth=1.2)
    left.axhspan(0.95, 1.0, color="#d1242f", alpha=0.12)
    left.axhspan(-1.0, -0.95, color="#d1242f", alpha=0.12)
    left.set(xlabel="t [s]", ylabel="velocity / limit", title=f"condition {motion.condition:.1f}", ylim=(-1.02, 1.02))
    left.legend(ncols=7, fontsize=6.5, loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False, columnspacing=1)
    left.margins(x=0)
    right = figure.add_subplot(1, 2, 2, projection="3d")
    robot.draw(rows.q, show="trail", frame="panda_hand", ghosts=4, ax=right)
    u, w = np.mgrid[0 : 2 * np.pi : 24j, 0 : np.pi : 12j]
    ball = np.array(OBSTACLE[0])[:, None, None] + OBSTACLE[1] * np.array(
        [np.cos(u) * np.sin(w), np.sin(u) * np.sin(w), np.cos(w)]
    )
    right.plot_surface(*ball, color="#d1242f", alpha=0.25, linewidth=0)
    right.set_title("the way of the hand, around an obstacle", fontsize=10)
    figure.savefig(PICTURES / "identification_motion.png", dpi=110)
    return motion


def report(robot: kt.Robot, log: kt.identify.Log, other: kt.identify.Log) -> kt.identify.Identification:
    """Draw the report as a browser shows it."""
    found = kt.identify.identify(robot, log, validation=other)
    with tempfile.TemporaryDirectory() as folder, capture.browser() as browser:
        page = Path(folder) / "report.html"
        found.report(page)
        shown = browser.new_page(viewport={"width": 1000, "height": 1785})
        shown.goto(page.as_uri())
        shown.screenshot(path=str(PICTURES / "identification_report.png"))
    return found


def pivots(robots: dict[str, tuple[kt.Robot, kt.identify.Identification]]) -> None:
    """Draw relative standard errors of pivots over configurations, and deviations of drawn base parameters."""
    figure, axes = plt.subplots(1, len(robots), figsize=(9.5, 3.4), layout="constrained", sharey=True)
    for at, (name, (robot, found)) in zip(axes, robots.items(), strict=True):
        q = robot.random(1000, seed=0)
        errors = kt.identify.pivot_errors(found, q)
        at.violinplot(np.log10(100 * errors.relative), showextrema=False, showmedians=True, widths=0.8)
        drawn = monte_carlo(found, q[:200])
        expected = errors.errors[:200]
        print(name, "median relative error [%]:", np.median(100 * errors.relative, axis=0).round(2))
        print(name, "drawn / first order:", np.median(drawn / expected, axis=0).round(3))
        drawn = np.median(100 * drawn / errors.pivots[:200], axis=0)
        at.plot(np.arange(1, robot.nv + 1), np.log10(drawn), "k+", label="drawn, median")
        at.set(title=name, xlabel="joint k", xticks=range(1, robot.nv + 1))
        at.grid(alpha=0.3)
    ticks = [-2, -1, 0, 1]
    axes[0].set(ylabel="standard error of D(k) [%]", yticks=ticks, yticklabels=[f"{10.0**x:g}" for x in ticks])
    axes[0].legend(fontsize=8, frameon=False)
    figure.savefig(PICTURES / "identification_pivots.png", dpi=110)


def monte_carlo(found: kt.identify.Identification, q: np.ndarray) -> np.ndarray:
    """Deviations (n, nv) of pivots of base parameters that are drawn from their covariance."""
    fit, n = found.fit, found.robot.nv
    rng = np.random.default_rng(0)
    draws = rng.multivariate_normal(np.zeros(fit.base.count), fit.covariance, size=500)
    change = draws @ np.linalg.pinv(fit.base.regrouping).T[:, : 10 * n]
    kernel = kt.compile(kt.algorithms.mass_pivots, found.robot, inputs=("inertial",))
    return kernel(q[:, None], fit.pi + change.reshape(-1, n, 10)).std(axis=1)


def everything() -> list[Path]:
    """Draw all, of one log."""
    robot = kt.load("panda", joint_effects=False)
    true, motion = true_robot(robot), exciting(robot)
    other = kt.identify.exciting_motion(robot, period=13.0, criterion="condition", starts=1, iterations=15, seed=9)
    found = report(robot, measured(true, motion, 0), measured(true, other, 1))
    print(found)
    puma = kt.load("puma560", joint_effects=False)
    moved = puma.with_joint_effects(damping=0.4, friction=0.5)
    log = measured(moved, kt.identify.exciting_motion(puma, **MOTIONS["puma560"]), 2)
    pivots({"panda": (robot, found), "puma560": (puma, kt.identify.identify(puma, log))})
    return [PICTURES / f"identification_{name}.png" for name in ("motion", "report", "pivots")]


FIGURES = {"identification": everything}


def draw(name: str) -> list[Path]:
    """Draw the pictures."""
    return FIGURES[name]()
