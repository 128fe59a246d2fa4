"""Draw the pictures of docs/control.

    python tools/draw_control.py          # all, into docs/control
    python tools/draw_control.py pd       # some

Needs matplotlib.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np

import kinetrace as kt

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "control"
INK, FAINT = "#1f2328", "#d0d7de"
RED, BLUE, GREEN, AMBER, VIOLET = "#d1242f", "#0969da", "#1a7f37", "#bf8700", "#8250df"
LOOK = {
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": "#6e7781",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.dpi": 110,
}


def axes_of(columns: int, height: float = 3.0) -> tuple[Figure, list[plt.Axes]]:
    """A figure of the width of a page with a row of plots."""
    figure, axes = plt.subplots(1, columns, figsize=(9.0, height), layout="constrained", squeeze=False)
    return figure, list(axes[0])


def pd() -> Figure:
    """Joint angles, and the Lyapunov function, of a Panda that goes to a configuration."""
    robot = kt.load("panda")
    goal = np.array([0.4, -0.5, 0.3, -1.8, 0.2, 1.6, 0.8])
    controller = kt.control.pd(robot, goal, stiffness=100.0, damping=20.0)
    motion = robot.simulate(robot.home(), np.zeros(7), t=3.0, dt=1e-3, controller=controller)
    figure, (left, right) = axes_of(2)
    left.plot(motion.t, motion.q - goal)
    left.set(xlabel="time [s]", ylabel="error [rad]")
    right.semilogy(motion.t, controller.stored(motion.t, motion.q, motion.v), color=BLUE)
    right.set(xlabel="time [s]", ylabel="V [J]")
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "pd": pd,
}
"""One picture per page of docs/control, by its name."""


def main(names: list[str]) -> None:
    """Draw these, or all."""
    for name in names or PICTURES:
        with plt.rc_context(LOOK):
            figure = PICTURES[name]()
            figure.savefig(FOLDER / f"{name}.png")
            plt.close(figure)
        print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
