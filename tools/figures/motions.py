"""Pictures of motions: docs/regulators.md, docs/time_scaling.md, docs/design.md, docs/trajectory_optimisation.md,
docs/optimal_control.md and docs/diagonal.md.

They need matplotlib, scipy and casadi.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt
from kinetrace.bench import plot
from kinetrace.motion import EffortCost, OptimalControl, StateCost

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLUE, RED, GREY = "#1f5fa8", "#c8452b", "#888888"
HANGING, UPRIGHT = np.array([-np.pi / 2, 0.0]), np.array([np.pi / 2, 0.0])
Q0 = np.array([0.0, 0.6, 0.0, -2.2, 0.0, 2.8, 0.8])
Q1 = np.array([0.3, 0.2, 0.1, -1.9, 0.05, 2.2, 0.8])
STARTS, DURATION = 32, 1.0
METHODS = {"rk4": 2e-3, "semi-implicit": 2e-4}
"""Method → its step [s]."""
FORMS = {"(q, v)": plot.SHADES[1], "(q, ν)": plot.SHADES[0]}


def saved(figure: Any, name: str, dpi: int) -> Path:
    """The file of a figure in docs/pictures."""
    file = DOCS / "pictures" / f"{name}.png"
    figure.savefig(file, dpi=dpi)
    plt.close(figure)
    return file


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


def pair(name: str, draw: Callable[[plt.Axes, plt.Axes], object]) -> Path:
    """Two plots side by side."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.9), layout="constrained")
    draw(*axes)
    return saved(figure, name, 110)


def links(arm: kt.Robot, q: Any) -> Any:
    """Positions (k, 3, 2) of shoulder, elbow and tip in the plane."""
    points = [arm.pose(q, frame)[:, [0, 2], 3] for frame in ("link1", "link2", "tip")]
    return np.stack(points, axis=1)


def stroboscope(arm: kt.Robot, motion: kt.motion.Spline, ax: Any, title: str) -> None:
    """One motion as a stroboscopic drawing."""
    t = np.linspace(motion.begin, motion.end, 25)
    for k, points in enumerate(links(arm, motion(t)[0])):
        shade = plt.colormaps["viridis"](0.9 * k / (len(t) - 1))
        ax.plot(*points.T, "-", color=shade, linewidth=1.6, solid_capstyle="round")
    tip = links(arm, motion(np.linspace(motion.begin, motion.end, 300))[0])[:, 2]
    ax.plot(*tip.T, color="0.6", linewidth=0.8, zorder=0)
    ax.set(title=title, aspect="equal", xlim=(-2.2, 2.2), ylim=(-2.2, 2.2), xlabel="x [m]", ylabel="z [m]")


def swing() -> Path:
    """The two-link arm from hanging to upright: least jerk and least effort."""
    arm, T = kt.load("planar2r"), 2.0
    ends = [-np.pi / 2, 0.0], [np.pi / 2, 0.0]
    jerk = kt.motion.minimum_jerk(arm, *ends, T, velocity=False)
    effort = kt.motion.minimum_effort(arm, *ends, T, position=False, velocity=False)
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.6), layout="constrained")
    for ax, one, name in zip(axes, (jerk, effort), ("least jerk", "least effort"), strict=False):
        motion = one.trajectory(dt=5e-3)
        spent = np.trapezoid(0.5 * (motion.tau**2).sum(axis=1), motion.t)
        stroboscope(arm, one.spline, ax, f"{name}: ½ ∫ |τ|² dt = {spent:.0f} N² m² s")
        colour = "0.6" if one is jerk else "C0"
        axes[2].plot(motion.t, np.linalg.norm(motion.tau, axis=1), color=colour, label=name)
    axes[2].set(xlabel="time [s]", ylabel="|τ| [N m]", ylim=(0, None))
    axes[2].legend(frameon=False)
    return saved(figure, "swing", 150)


def lift() -> Path:
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
    return saved(figure, "panda_lift", 150)


def swing_up(ax: plt.Axes, beside: plt.Axes) -> None:
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


def optimal_control() -> Path:
    """A swing-up with one motor, and the convergence of iLQR and DDP."""
    figure, (arm, torque, errors) = plt.subplots(
        1, 3, figsize=(10.5, 3.8), layout="constrained", width_ratios=(2.6, 3.4, 4.0)
    )
    swing_up(arm, torque)
    convergence(errors)
    return saved(figure, "optimal_control", 100)


def falling_robots() -> dict[str, tuple[kt.Robot, float]]:
    """Name → robot and the size of its velocities at the start."""
    floating = kt.load("ur5e", base="free", gravity=(0.0, 0.0, 0.0), joint_effects=False)
    return {
        "chain: panda": (kt.load("panda", joint_effects=False), 0.0),
        "tree: 7 joints, 13 dof": (kt.random_tree(7, 3), 0.0),
        "free-floating arm: ur5e": (floating, 1.0),
    }


def energy_errors(robot: kt.Robot, size: float, form: str, method: str) -> np.ndarray[Any, Any]:
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


def energy_figure() -> Any:
    """Draw one row per method, one column per robot."""
    figure = plot._figure(10.5, 5.6)
    axes = figure.subplots(len(METHODS), 3, sharex=True, sharey="row")
    for column, (name, (robot, size)) in enumerate(falling_robots().items()):
        for ax, (method, dt) in zip(axes[:, column], METHODS.items(), strict=True):
            for form, color in FORMS.items():
                found = energy_errors(robot, size, form, method)
                ax.plot(dt * np.arange(1, len(found) + 1), found, color=color, label=form, linewidth=1.4)
                print(f"{name}, {method}, {form}: {found[-1]:.1e}")
            ax.set_yscale("log")
            if ax is axes[0, column]:
                ax.set_title(name, loc="left", fontsize=10.5, fontweight="bold")
            if column == 0:
                ax.set_ylabel(f"{method}, {1e3 * dt:g} ms")
            plot._plain_axes(ax, "both")
        axes[-1, column].set_xlabel("time [s]")
    axes[0, 0].legend(loc="lower right")
    figure.suptitle("Error of the energy, relative to the kinetic energy: standard and diagonal form", fontsize=13)
    return figure


def diagonal() -> list[Path]:
    """The energy error in (q, v) and in (q, ν), by the same methods.

    A chain and a tree that fall from rest, and an arm that floats without gravity; 32 random starts each, no other
    forces. The error is the median of |E(t) − E(0)|, relative to the largest kinetic energy so far.
    """
    files = [DOCS / f"diagonal{suffix}" for suffix in plot.SUFFIXES]
    with plot._style_context():
        figure = energy_figure()
        for file in files:
            plot._save(figure, str(file))
    return files


FIGURES: dict[str, Callable[[], object]] = {
    "regulators": lambda: pair("regulators", lambda a, b: (region(a), tracking(b))),
    "time_scaling": lambda: pair("time_scaling", profile),
    "design": lambda: pair("design", lengths),
    "swing": swing,
    "panda_lift": lift,
    "optimal_control": optimal_control,
    "diagonal": diagonal,
}
"""Picture → what draws it, and returns its file or files."""


def draw(name: str) -> object:
    """Draw the picture of a name."""
    return FIGURES[name]()
