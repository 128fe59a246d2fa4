"""Draw the picture of docs/inverse_kinematics.md: solutions of one pose, and what a Panda's hand can reach.

python tools/draw_reach.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import pyplot

import kinetrace as kt

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "inverse_kinematics.png"


def main() -> None:
    """Write the picture."""
    robot, frame = kt.load("panda"), "panda_hand"
    goal = kt.lie.se3.pose(np.diag([1.0, -1.0, -1.0]), np.array([0.45, 0.1, 0.35]))
    found = robot.inverse_kinematics(goal, frame, q0=robot.random(300, seed=3), restarts=0)
    q = found.q[found.success]
    elbow, chosen = robot.pose(q, "panda_link4")[:, :3, 3], [0]
    while len(chosen) < 5:  # each with its elbow as far as possible from those before
        chosen.append(int(np.linalg.norm(elbow[:, None] - elbow[chosen], axis=-1).min(axis=1).argmax()))
    figure = pyplot.figure(figsize=(10.5, 4.6))
    left = figure.add_axes((0.0, 0.0, 0.45, 0.92), projection="3d")
    robot.draw(q[chosen], ax=left, show="frames", frame=frame, ghosts=4, view=(18, -62))
    figure.text(0.225, 0.94, "five configurations with one pose of the hand", ha="center")
    right = figure.add_axes((0.52, 0.12, 0.44, 0.78))
    robot.reachability(frame, 150_000).draw(right, plane="xz", thickness=0.06)
    right.set_title("positions of the hand within 3 cm of the plane y = 0", fontsize="medium")
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
