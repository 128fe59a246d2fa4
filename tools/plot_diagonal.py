"""Draw docs/diagonal.png and .svg: the energy error in (q, v) and in (q, ν), by the same methods.

A chain and a tree that fall from rest, and an arm that floats without gravity; 32 random starts each, no other forces.
The error is the median of |E(t) − E(0)|, relative to the largest kinetic energy so far.

    python tools/plot_diagonal.py            needs matplotlib
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import kinetrace as kt
from kinetrace.bench import plot

DOCS = Path(__file__).parents[1] / "docs"
STARTS, DURATION = 32, 1.0
METHODS = {"rk4": 2e-3, "semi-implicit": 2e-4}
"""Method → its step [s]."""
FORMS = {"(q, v)": plot.SHADES[1], "(q, ν)": plot.SHADES[0]}


def robots() -> dict[str, tuple[kt.Robot, float]]:
    """Name → robot and the size of its velocities at the start."""
    floating = kt.load("ur5e", base="free", gravity=(0.0, 0.0, 0.0), joint_effects=False)
    return {
        "chain: panda": (kt.load("panda", joint_effects=False), 0.0),
        "tree: 7 joints, 13 dof": (kt.random_tree(7, 3), 0.0),
        "free-floating arm: ur5e": (floating, 1.0),
    }


def errors(robot: kt.Robot, size: float, form: str, method: str) -> np.ndarray[Any, Any]:
    """Median over the starts of the relative energy error, over time."""
    dt, rng = METHODS[method], np.random.default_rng(0)
    q, v = robot.random(STARTS, seed=1), size * rng.normal(size=(STARTS, robot.nv))
    tau, diagonal = np.zeros(robot.nv), form == "(q, ν)"
    u = robot.mass_root_transposed_product(q, v) if diagonal else v
    step = robot.diagonal_step if diagonal else robot.step
    kinetic, total = [], []
    for _ in range(round(DURATION / dt) + 1):
        kinetic.append((u**2).sum(-1) / 2 if diagonal else robot.kinetic_energy(q, u))
        total.append(kinetic[-1] + robot.potential_energy(q))
        q, u = step(q, u, tau, dt, method=method)
    scale = np.maximum.accumulate(kinetic)
    return np.median(np.abs(np.array(total) - total[0])[1:] / scale[1:], axis=-1)


def drawn() -> Any:
    """Draw one row per method, one column per robot."""
    figure = plot._figure(10.5, 5.6)
    axes = figure.subplots(len(METHODS), 3, sharex=True, sharey="row")
    for column, (name, (robot, size)) in enumerate(robots().items()):
        for ax, (method, dt) in zip(axes[:, column], METHODS.items(), strict=True):
            for form, color in FORMS.items():
                found = errors(robot, size, form, method)
                ax.plot(dt * np.arange(1, len(found) + 1), found, color=color, label=form, linewidth=1.4)
                print(f"{name}, {method}, {form}: {found[-1]:.1e}")
            ax.set_yscale("log")
            if ax is axes[0, column]:
                ax.set_title(name, loc="left", fontsize=10.5, fontweight="bold")
            if column == 0:
                ax.set_ylabel(f"{method}, {1e3 * dt:g} ms")
            plot._quiet(ax, "both")
        axes[-1, column].set_xlabel("time [s]")
    axes[0, 0].legend(loc="lower right")
    figure.suptitle("Error of the energy, relative to the kinetic energy: standard and diagonal form", fontsize=13)
    return figure


if __name__ == "__main__":
    with plot._look():
        figure = drawn()
        for suffix in plot.SUFFIXES:
            plot._save(figure, str(DOCS / f"diagonal{suffix}"))
