"""Draw the picture of docs/optimal_control.md: a swing-up with one motor, and the convergence of iLQR and DDP.

    python tools/draw_optimal_control.py

Needs matplotlib.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

import kinetrace as kt
from kinetrace.motion import EffortCost, OptimalControl, StateCost

matplotlib.use("Agg")

from matplotlib import pyplot as plt

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "optimal_control.png"
HANGING, UPRIGHT = np.array([-np.pi / 2, 0.0]), np.array([np.pi / 2, 0.0])


def swing(ax: plt.Axes, beside: plt.Axes) -> None:
    """The arm at every third step, and the torque of its motor."""
    robot = kt.load("planar2r").with_motors("joint1")
    running, final = [StateCost(0.5, 0.05), EffortCost(0.005)], StateCost(300.0, 30.0)
    control = OptimalControl(robot, running, final, steps=60, dt=0.04, effort=20.0)
    found = control.solve(HANGING, np.zeros(2), parameters={"goal": UPRIGHT}, iterations=300)
    points = [np.zeros((61, 2))]
    points += [robot.pose(found.q, frame)[:, [0, 2], 3] for frame in ("link2", "tip")]
    colours = plt.cm.viridis(np.linspace(0, 1, 61))
    for k in range(0, 61, 3):
        ax.plot(*np.array([p[k] for p in points]).T, color=colours[k], lw=1.6, alpha=0.8)
    ax.plot(*points[2].T, color="0.4", lw=0.8, ls=":")
    ax.plot(0, 0, "ko", ms=4)
    ax.set_aspect("equal")
    ax.set_title("a motor in the shoulder")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("z [m]")
    t = 0.04 * np.arange(60)
    beside.step(t, found.tau[:, 0], where="post", color="tab:blue")
    for limit in (-20, 20):
        beside.axhline(limit, color="0.6", lw=0.8, ls="--")
    beside.set_xlabel("t [s]")
    beside.set_ylabel("torque [N m]")
    beside.set_title("its torque, and the limits")


def convergence(ax: plt.Axes) -> None:
    """The distance from the least cost after each step."""
    robot = kt.load("planar2r")
    costs = EffortCost(0.1), StateCost(10.0, 1.0)
    given = {"parameters": {"goal": [0.5, 0.5]}, "tolerance": 1e-15}
    for name, second_order, colour in (("iLQR", False, "tab:orange"), ("DDP", True, "tab:blue")):
        control = OptimalControl(robot, *costs, 20, 0.05, second_order=second_order)
        least = control.solve([0.0, 0.0], [0.0, 0.0], **given, iterations=200).cost
        values = [control.solve([0.0, 0.0], [0.0, 0.0], **given, iterations=k).cost - least for k in range(46)]
        shown = [max(float(x), 1e-15) if x > 1e-15 else np.nan for x in values]
        ax.semilogy(shown, "o-", ms=3, color=colour, label=name)
    ax.set_xlabel("iteration")
    ax.set_ylabel("cost − least cost")
    ax.set_title("convergence, two motors")
    ax.legend()


def main() -> None:
    """Draw it."""
    figure, (arm, torque, errors) = plt.subplots(
        1, 3, figsize=(10.5, 3.8), layout="constrained", width_ratios=(2.6, 3.4, 4.0)
    )
    swing(arm, torque)
    convergence(errors)
    figure.savefig(PICTURE, dpi=100)
    print(PICTURE)


if __name__ == "__main__":
    main()
