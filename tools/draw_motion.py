"""Draw the pictures of docs/trajectory_optimisation.md: a swing of two links, and the torques of a Panda's lift.

python tools/draw_motion.py            needs matplotlib, scipy and casadi
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
Q0 = np.array([0.0, 0.6, 0.0, -2.2, 0.0, 2.8, 0.8])
Q1 = np.array([0.3, 0.2, 0.1, -1.9, 0.05, 2.2, 0.8])


def links(arm: kt.Robot, q: Any) -> Any:
    """Positions (k, 3, 2) of shoulder, elbow and tip in the plane."""
    points = [arm.pose(q, frame)[:, [0, 2], 3] for frame in ("link1", "link2", "tip")]
    return np.stack(points, axis=1)


def swing(arm: kt.Robot, motion: kt.motion.Spline, ax: Any, title: str) -> None:
    """One motion as a stroboscopic drawing."""
    t = np.linspace(motion.begin, motion.end, 25)
    for k, points in enumerate(links(arm, motion(t)[0])):
        shade = plt.colormaps["viridis"](0.9 * k / (len(t) - 1))
        ax.plot(*points.T, "-", color=shade, linewidth=1.6, solid_capstyle="round")
    tip = links(arm, motion(np.linspace(motion.begin, motion.end, 300))[0])[:, 2]
    ax.plot(*tip.T, color="0.6", linewidth=0.8, zorder=0)
    ax.set(title=title, aspect="equal", xlim=(-2.2, 2.2), ylim=(-2.2, 2.2), xlabel="x [m]", ylabel="z [m]")


def draw_swing() -> None:
    """The two-link arm from hanging to upright: least jerk and least effort."""
    arm, T = kt.load("planar2r"), 2.0
    ends = [-np.pi / 2, 0.0], [np.pi / 2, 0.0]
    jerk = kt.motion.minimum_jerk(arm, *ends, T, velocity=False)
    effort = kt.motion.minimum_effort(arm, *ends, T, position=False, velocity=False)
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.6), layout="constrained")
    for ax, one, name in zip(axes, (jerk, effort), ("least jerk", "least effort"), strict=False):
        motion = one.trajectory(dt=5e-3)
        spent = np.trapezoid(0.5 * (motion.tau**2).sum(axis=1), motion.t)
        swing(arm, one.spline, ax, f"{name}: ½ ∫ |τ|² dt = {spent:.0f} N² m² s")
        colour = "0.6" if one is jerk else "C0"
        axes[2].plot(motion.t, np.linalg.norm(motion.tau, axis=1), color=colour, label=name)
    axes[2].set(xlabel="time [s]", ylabel="|τ| [N m]", ylim=(0, None))
    axes[2].legend(frameon=False)
    figure.savefig(PICTURES / "swing.png", dpi=150)


def draw_lift() -> None:
    """The joint forces of a Panda that lifts 2 kg, before and after."""
    panda = kt.load("panda").with_joint_effects(armature=0.3).with_payload(2.0, "panda_hand", com=[0, 0, 0.05])
    both = {
        "least jerk": kt.motion.minimum_jerk(panda, Q0, Q1, 0.5),
        "least effort": kt.motion.minimum_effort(panda, Q0, Q1, 0.5, intervals=8),
    }
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.2), sharey=True, layout="constrained")
    for ax, (name, one) in zip(axes, both.items(), strict=True):
        motion = one.trajectory(dt=2e-3)
        spent = np.trapezoid(0.5 * (motion.tau**2).sum(axis=1), motion.t)
        for k in range(7):
            ax.plot(motion.t, motion.tau[:, k], label=f"joint {k + 1}")
        ax.set(title=f"{name}: ½ ∫ |τ|² dt = {spent:.0f} N² m² s", xlabel="time [s]")
    axes[0].set_ylabel("τ [N m]")
    axes[1].legend(frameon=False, ncols=2, fontsize="small")
    figure.savefig(PICTURES / "panda_lift.png", dpi=150)


if __name__ == "__main__":
    draw_swing()
    draw_lift()
