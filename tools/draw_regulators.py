"""Draw the pictures of docs/regulators.md, docs/time_scaling.md and docs/design.md.

python tools/draw_regulators.py            # into docs/pictures
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

TO = Path(__file__).parents[1] / "docs" / "pictures"
BLUE, RED, GREY = "#1f5fa8", "#c8452b", "#888888"


def pendulum() -> kt.Robot:
    """One metre and one kilogram, upside down at q = 0."""
    b = kt.Builder("pendulum")
    b.link("bob", inertia=kt.lie.inertia.from_mass_com(1.0, [0, 0, 1.0], np.zeros((3, 3))))
    b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob")
    return kt.Robot(b.build())


def region(ax: plt.Axes) -> None:
    """States that come back, and the ellipse that was found."""
    robot = pendulum()
    regulator = kt.motion.lqr(robot, [0.0], effort=4.0)
    found = regulator.region()
    x = np.random.default_rng(0).uniform([-3.14, -8.0], [3.14, 8.0], size=(12000, 2))
    motion = robot.simulate(x[:, :1], x[:, 1:], t=8.0, dt=0.01, controller=regulator, compiled=True, record=800)
    back = np.abs(motion.q[:, -1, 0]) < 0.01
    for which, colour, label in ((back, BLUE, "comes back in 8 s"), (~back, RED, "does not")):
        ax.scatter(*x[which].T, s=2, color=colour, alpha=0.6, label=label, linewidths=0)
    angle = np.linspace(0, 2 * np.pi, 200)
    scales, axes = np.linalg.eigh(regulator.P)
    edge = np.sqrt(found.rho) * (axes / np.sqrt(scales)) @ [np.cos(angle), np.sin(angle)]
    ax.plot(*edge, color="black", linewidth=2, label=rf"$x^T P x \leq {found.rho:.2f}$")
    ax.set(
        xlabel="angle [rad]",
        ylabel="rate [rad/s]",
        title="a pendulum held up by at most 4 N m",
        ylim=(-8, 8),
        xlim=(-3.14, 3.14),
    )
    ax.legend(loc="upper right", markerscale=4, framealpha=0.95)


def tracking(ax: plt.Axes) -> None:
    """Errors along a motion with and without feedback."""
    robot = kt.load("planar2r")

    def sway(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s, c = np.sin(2.0 * t), np.cos(2.0 * t)
        return np.array([np.pi / 2 + 0.5 * s, s]), np.array([c, 2.0 * c]), np.array([-2.0 * s, -4.0 * s])

    tracker = kt.motion.tvlqr(robot, sway, t=3.0, dt=0.01, Q=[100.0, 100.0, 1.0, 1.0])
    x = np.random.default_rng(0).normal(scale=0.1, size=(60, 2))
    start = robot.integrate(tracker.q[0], x), np.broadcast_to(tracker.v[0], (60, 2))
    held = tracker.rollout(*start)
    free, _ = robot.rollout(*start, tracker.tau, 0.01)
    free = np.concatenate([start[0][:, None], free], axis=1)
    for q, colour, label in ((free, RED, "forces of the motion alone"), (held.q, BLUE, "with time-varying LQR")):
        off = np.abs(robot.difference(tracker.q, q)).max(axis=-1)
        ax.semilogy(tracker.t, off.T, color=colour, alpha=0.25, linewidth=0.8)
        ax.plot([], [], color=colour, label=label)
    ax.set(
        xlabel="time [s]", ylabel="largest angle off the motion [rad]", title="an arm swaying upright", ylim=(1e-4, 10)
    )
    ax.legend(loc="lower left")


def profile(left: plt.Axes, right: plt.Axes) -> None:
    """Phase plane and torques of the fastest motion of a Panda along a path."""
    robot = kt.load("panda")
    way = robot.random(4, seed=1)
    found = kt.motion.time_scaling(robot, way, velocity=np.inf, grid=800, dt=0.002)
    left.fill_between(
        found.s, found.most, 1e3, color=GREY, alpha=0.25, linewidth=0, label="no acceleration keeps the limits"
    )
    left.plot(found.s, found.rate, color=BLUE, linewidth=2, label="fastest motion")
    left.set(
        xlabel="place on the path s", ylabel="path velocity [1/s]", xlim=(0, 1), ylim=(0, 1.6 * np.nanmax(found.rate))
    )
    left.legend(loc="upper right")
    left.set_title(f"a Panda through four configurations in {found.duration:.2f} s")
    motion = found.trajectory
    assert motion is not None
    for k in range(7):
        right.plot(motion.t, motion.tau[:, k] / robot.limits.effort[k], label=f"joint {k + 1}", linewidth=1.2)
    right.axhline(1.0, color="black", linewidth=0.8)
    right.axhline(-1.0, color="black", linewidth=0.8)
    right.set(
        xlabel="time [s]",
        ylabel="torque / limit",
        xlim=(0, motion.t[-1]),
        title="one torque is at its limit at any time",
    )
    right.legend(ncols=4, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, 0.93))
    right.set_ylim(-1.15, 1.6)


def lengths(left: plt.Axes, right: plt.Axes) -> None:
    """Isotropy over the ratio of lengths, and holding torques with and without what was designed."""
    robot = kt.load("planar2r")
    ratios = np.linspace(0.6, 2.5, 60)
    for degrees, style in ((105, ":"), (135, "-"), (165, "--")):
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        squares = (ratios + c) ** 2 + s**2 + 1.0  # tr J Jᵀ of the arm with a second link of 1 m; det J = ratio · s
        colour = BLUE if degrees == 135 else GREY
        left.plot(ratios, 2.0 * ratios * s / squares, style, color=colour, label=f"elbow at {degrees}°")
    at = kt.design.isotropy([[0.0, 0.75 * np.pi]], "tip", axes=(3, 5))
    found = kt.design.improve(robot, at, [kt.design.Length("link1", 0.5, 3.0)])
    left.plot(found.x, found.cost, "o", color=RED)
    left.annotate(
        r"found: $\sqrt{2}$",
        (found.x[0], 1.0),
        (1.75, 1.04),
        color=RED,
        va="center",
        arrowprops={"arrowstyle": "-", "color": RED},
    )
    left.set(
        xlabel="length of link 1 / link 2",
        ylabel="isotropy of the tip",
        ylim=(0, 1.1),
        xlim=(0.6, 2.5),
        title="which lengths make a planar arm isotropic",
    )
    left.legend(loc="lower right")
    q = np.stack(np.meshgrid(np.linspace(0.0, np.pi, 15), np.linspace(-2, 2, 15)), axis=-1).reshape(-1, 2)
    springs = [
        kt.design.Effect(name, "joint1", low, high) for name, low, high in (("stiffness", 0, 30), ("rest", 0, 3))
    ]
    chosen = [kt.design.PointMass("link2", [-0.3, 0, 0], 3.0), *springs]
    better = kt.design.improve(robot, kt.design.largest_torque(q, limit=[2.0, 1.0]), chosen)
    line = np.stack([np.linspace(0, np.pi, 100), np.full(100, 0.5)], axis=-1)
    for k, style in ((0, "-"), (1, "--")):
        right.plot(line[:, 0], robot.gravity(line)[:, k], style, color=GREY, label=f"joint {k + 1}, before")
        after = better.robot.inverse_dynamics(line, 0 * line, 0 * line)
        right.plot(line[:, 0], after[:, k], style, color=BLUE, label=f"joint {k + 1}, after")
    right.set(
        xlabel="angle of joint 1 [rad]",
        ylabel="torque that holds still [N m]",
        title="a counterweight and a spring, for the largest torque",
    )
    right.legend()


def main() -> None:
    """Draw all pictures, or those that are named."""
    drawn = {
        "regulators": lambda a, b: (region(a), tracking(b)),
        "time_scaling": profile,
        "design": lengths,
    }
    for name in sys.argv[1:] or drawn:
        figure, axes = plt.subplots(1, 2, figsize=(10, 3.9), layout="constrained")
        drawn[name](*axes)
        figure.savefig(TO / f"{name}.png", dpi=110)
        plt.close(figure)


if __name__ == "__main__":
    main()
