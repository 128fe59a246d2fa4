"""Pictures of docs/control, one per page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import kinetrace as kt

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "control"
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


HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
"""A configuration of the Panda."""
SIZE = np.array([0.4, 0.3, -0.4, 0.3, 0.3, -0.3, 0.5])
HAND = "panda_hand"


def swing(t: Any) -> tuple[Any, Any, Any]:
    """A motion of the Panda about home."""
    return HOME + SIZE * kt.arrays.sin(2 * t), 2 * SIZE * kt.arrays.cos(2 * t), -4 * SIZE * kt.arrays.sin(2 * t)


def placed(times: Any) -> Any:
    """Where it is at these times."""
    return HOME + SIZE * np.sin(2 * times)[:, None]


def panda() -> kt.Robot:
    """The Panda."""
    return kt.load("panda")


def gravity_compensation() -> Figure:
    """A Panda that is pushed for half a second, and then left alone, with and without damping."""
    robot, push = panda(), {HAND: [0, 0, 0, 20.0, 0, 0]}
    figure, (left, right) = axes_of(2)
    for damping, colour in ((0.0, RED), (4.0, BLUE)):
        made = kt.control.gravity_compensation(robot, damping)
        pushed = robot.simulate(HOME, np.zeros(7), t=0.5, dt=1e-3, controller=made, wrench=push)
        free = robot.simulate(pushed.q[-1], pushed.v[-1], t=1.5, dt=1e-3, controller=made)
        t, q = np.r_[pushed.t, 0.5 + free.t], np.r_[pushed.q, free.q]
        energy = np.r_[pushed.kinetic_energy(), free.kinetic_energy()]
        moved = np.linalg.norm(robot.pose(q, HAND)[:, :3, 3] - robot.pose(HOME, HAND)[:3, 3], axis=-1)
        left.plot(t, 100 * moved, color=colour, label=f"D = {damping:g} N m s/rad")
        right.plot(t, energy, color=colour)
    for ax in (left, right):
        ax.axvspan(0, 0.5, color=FAINT, alpha=0.5, linewidth=0)
    left.text(0.25, 0.45, "pushed\nby 20 N", ha="center", va="bottom", fontsize=9, transform=left.get_xaxis_transform())
    left.set(xlabel="time [s]", ylabel="distance of the hand [cm]", xlim=(0, 2), ylim=(0, None))
    right.set(xlabel="time [s]", ylabel="kinetic energy V [J]", xlim=(0, 2), ylim=(0, None))
    left.legend(loc="upper left")
    return figure


def pd() -> Figure:
    """Joint angles, and the Lyapunov function, of a Panda that goes to a configuration."""
    robot = kt.load("panda")
    goal = np.array([0.4, -0.5, 0.3, -1.8, 0.2, 1.6, 0.8])
    inertia = robot.mass_matrix(goal).diagonal()
    made = kt.control.pd(robot, goal, stiffness=64 * inertia, damping=16 * inertia)
    motion = robot.simulate(robot.home(), np.zeros(7), t=2.5, dt=1e-3, controller=made)
    figure, (left, right) = axes_of(2)
    for k, angle in enumerate((motion.q - goal).T):
        left.plot(motion.t, angle, color=plt.cm.viridis(k / 7), label=f"{k + 1}")
    left.legend(ncols=2, fontsize=8, title="joint", title_fontsize=8)
    left.set(xlabel="time [s]", ylabel="q − q_d [rad]", xlim=(0, 2.5))
    right.semilogy(motion.t, made.stored(motion.t, motion.q, motion.v), color=BLUE, label="V")
    right.semilogy(motion.t, motion.kinetic_energy(), color=AMBER, label="kinetic part")
    right.set(xlabel="time [s]", ylabel="stored energy [J]", xlim=(0, 2.5), ylim=(1e-6, None))
    right.legend()
    return figure


def computed_torque() -> Figure:
    """Tracking errors of a Panda along a fast motion, with an exact model and without its payload."""
    robot = kt.load("panda")
    loaded = robot.with_payload(1.0, HAND, com=[0, 0, 0.1])
    made = kt.control.computed_torque(robot, swing, position_gain=100.0, velocity_gain=20.0)
    figure, axes = axes_of(2)
    for ax, plant, told in zip(axes, (robot, loaded), ("exact model", "1 kg that the model lacks"), strict=True):
        motion = plant.simulate(HOME + 0.1, 2 * SIZE, t=3.0, dt=1e-3, controller=made)
        error = placed(motion.t) - motion.q
        for k, angle in enumerate(error.T):
            ax.plot(motion.t, 1e3 * angle, color=plt.cm.viridis(k / 7), label=f"{k + 1}")
        ax.set(xlabel="time [s]", ylabel="q_d − q [mrad]", title=told, xlim=(0, 3))
    t = np.linspace(0, 1.5, 40)
    axes[0].plot(t, -100 * (1 + 10 * t) * np.exp(-10 * t), "o", color=RED, markersize=3, label="linear law")
    axes[0].legend(ncols=2, fontsize=8, title="joint", title_fontsize=8)
    return figure


def joint_impedance() -> Figure:
    """A Panda along a motion that is pushed for 0.3 s."""
    robot = kt.load("panda")
    inertia = robot.mass_matrix(HOME).diagonal()
    made = kt.control.joint_impedance(robot, swing, stiffness=100 * inertia, damping=12 * inertia)
    push, q, v, rows = {HAND: [0, 0, 0, 40.0, 0, 0]}, HOME + 0.1, np.zeros(7), []
    for begin, end, wrench in ((0.0, 1.0, None), (1.0, 1.3, push), (1.3, 3.0, None)):
        late = kt.control.joint_impedance(
            robot, lambda t, begin=begin: swing(t + begin), stiffness=100 * inertia, damping=12 * inertia
        )
        part = robot.simulate(q, v, t=end - begin, dt=1e-3, controller=late, wrench=wrench)
        rows.append((part.t + begin, part.q, part.v))
        q, v = part.q[-1], part.v[-1]
    t, q, v = (np.concatenate([x[k] for x in rows]) for k in range(3))
    figure, (left, right) = axes_of(2)
    left.plot(t, placed(t)[:, 1], color=INK, linestyle="--", linewidth=1, label="reference")
    left.plot(t, q[:, 1], color=BLUE, label="joint 2")
    left.set(xlabel="time [s]", ylabel="angle [rad]", xlim=(0, 3))
    left.legend()
    right.semilogy(t, made.stored(t, q, v), color=BLUE)
    right.set(xlabel="time [s]", ylabel="V [J]", xlim=(0, 3), ylim=(1e-7, None))
    for ax in (left, right):
        ax.axvspan(1.0, 1.3, color=RED, alpha=0.15, linewidth=0)
    right.text(1.15, 2e-7, "pushed by 40 N", ha="center", color=RED, fontsize=9)
    return figure


def operational_space() -> Figure:
    """The hand of a Panda on its way to a goal, and forces of a two-link arm across its singular configuration."""
    robot = kt.load("panda")
    goal = robot.pose(HOME, HAND)
    goal[:3, 3] += [0.1, 0.2, -0.1]
    made = kt.control.operational_space(
        robot, HAND, goal, 100.0, 20.0, posture=HOME, posture_gain=25.0, posture_damping=10.0
    )
    motion = robot.simulate(HOME, np.zeros(7), t=1.0, dt=1e-3, controller=made)
    figure, (left, right) = axes_of(2)
    error = 1e3 * (robot.pose(motion.q, HAND)[:, :3, 3] - goal[:3, 3])
    for x, name, colour in zip(error.T, "xyz", (RED, GREEN, BLUE), strict=True):
        left.plot(motion.t, x, color=colour, label=name)
        left.plot(motion.t[::50], x[0] * ((1 + 10 * motion.t) * np.exp(-10 * motion.t))[::50], "o", ms=3, color=INK)
    left.plot([], [], "o", ms=3, color=INK, label="mass on a spring")
    left.set(xlabel="time [s]", ylabel="position error of the hand [mm]", title="Panda", xlim=(0, 1))
    left.legend(fontsize=9)
    arm, elbow = kt.load("planar2r"), np.linspace(-0.5, 0.5, 2001)
    q = np.stack([np.full_like(elbow, 0.3), elbow], axis=-1)
    for inertia, colour in ((1e9, RED), (20.0, BLUE), (5.0, GREEN)):
        task = kt.control.operational_space(
            arm, "tip", [1.5, 0.0, -0.5], 36.0, 12.0, axes=(3, 5), largest_inertia=inertia
        )
        tau = task(0.0, q, np.zeros(2))[:, 1]
        name = "not bounded" if inertia > 1e6 else f"largest inertia {inertia:g} kg"
        right.plot(elbow, np.where(np.abs(tau) < 400, tau, np.nan), color=colour, label=name)
    right.set(xlabel="elbow angle [rad]; 0 is singular", ylabel="torque of the elbow [N m]", ylim=(-250, 250))
    right.set(title="two links", xlim=(-0.5, 0.5))
    right.legend(fontsize=9)
    return figure


def cartesian_impedance() -> Figure:
    """A hand that is soft along its z axis and stiff along the others, under a push of 10 N."""
    robot = panda()
    goal = robot.pose(HOME, HAND)
    soft = kt.control.cartesian_impedance(robot, HAND, goal, [30, 30, 30, 1000, 1000, 100], [5, 5, 5, 90, 90, 40])
    figure, axes = axes_of(2)
    for axis, (ax, name) in enumerate(zip(axes, ("x (1000 N/m)", "z (100 N/m)"), strict=True)):
        f = np.zeros(6)
        f[3 + 2 * axis] = 10.0
        pushed = robot.simulate(HOME, np.zeros(7), t=2.0, dt=1e-3, controller=soft, wrench={HAND: f})
        back = robot.simulate(pushed.q[-1], pushed.v[-1], t=2.0, dt=1e-3, controller=soft)
        q = np.r_[pushed.q, back.q]
        t = np.r_[pushed.t, 2.0 + back.t]
        moved = 1e3 * (np.linalg.inv(goal) @ robot.pose(q, HAND))[:, :3, 3]
        for x, letter, colour in zip(moved.T, "xyz", (RED, GREEN, BLUE), strict=True):
            ax.plot(t, x, color=colour, label=letter)
        ax.axvspan(0, 2, color=FAINT, alpha=0.5, linewidth=0)
        ax.set(xlabel="time [s]", ylabel="the hand gives way [mm]", title=f"10 N along {name}", xlim=(0, 4))
        ax.set(ylim=(-15, 115))
    axes[0].legend()
    return figure


def friction_compensation() -> Figure:
    """Errors along a sine with and without compensation, and the oscillation of over-compensation."""
    robot = kt.load("planar2r").with_joint_effects(damping=0.5, friction=2.0)
    plain, s = robot.without_joint_effects(), np.array([0.5, -0.3])

    def sine(t: Any) -> tuple[Any, Any, Any]:
        return s * kt.arrays.sin(t), s * kt.arrays.cos(t), -s * kt.arrays.sin(t)

    track = kt.control.joint_impedance(plain, sine, stiffness=40.0, damping=8.0)
    figure, (left, right) = axes_of(2)
    for fraction, colour in ((0.0, RED), (0.5, AMBER), (0.9, BLUE)):
        more = kt.control.friction_compensation(plain, viscous=0.5, coulomb=2.0, width=0.05, fraction=fraction)
        motion = robot.simulate([0.0, 0.0], s, t=10.0, dt=1e-3, controller=track + more)
        error = 1e3 * (s * np.sin(motion.t)[:, None] - motion.q)[:, 1]
        left.plot(motion.t, error, color=colour, label=f"s = {fraction:g}")
    left.set(xlabel="time [s]", ylabel="error of joint 2 [mrad]", title="a sine, with friction", xlim=(0, 10))
    left.set(ylim=(-65, 90))
    left.legend(ncols=3)
    hold = kt.control.pd(plain, [0.0, 0.0], stiffness=40.0, damping=2.0)
    for coulomb, colour, name in ((1.8, BLUE, "90 % of the friction"), (2.6, RED, "130 %")):
        more = kt.control.friction_compensation(plain, coulomb=coulomb, width=0.02)
        motion = robot.simulate([0.1, 0.05], [0.0, 0.0], t=4.0, dt=1e-3, controller=hold + more)
        right.plot(motion.t, 1e3 * motion.q[:, 1], color=colour, label=name)
    right.set(xlabel="time [s]", ylabel="joint 2 [mrad]", title="held at zero", xlim=(0, 4))
    right.set(ylim=(-50, 80))
    right.legend()
    return figure


def passivity_based() -> Figure:
    """s, errors and the Lyapunov function of a Panda that begins off its motion."""
    robot = kt.load("panda")
    inertia = robot.mass_matrix(HOME).diagonal()
    made = kt.control.passivity_based(robot, swing, rates=6.0, damping=30 * inertia)
    motion = robot.simulate(HOME + 0.2, np.zeros(7), t=1.5, dt=1e-4, controller=made, record=10)
    error = placed(motion.t) - motion.q
    s = 2 * SIZE * np.cos(2 * motion.t)[:, None] - motion.v + 6.0 * error
    figure, (left, right) = axes_of(2)
    left.semilogy(motion.t, np.linalg.norm(s, axis=1), color=AMBER, label="|s| [rad/s]")
    left.semilogy(motion.t, np.linalg.norm(error, axis=1), color=BLUE, label="|q_d − q| [rad]")
    left.semilogy(motion.t, 0.35 * np.exp(-6 * motion.t), color=INK, linestyle="--", linewidth=1, label="e^(−6t)")
    left.set(xlabel="time [s]", ylabel="errors", xlim=(0, 1.5), ylim=(1e-4, 5))
    left.legend()
    right.semilogy(motion.t, made.stored(motion.t, motion.q, motion.v), color=BLUE)
    right.set(xlabel="time [s]", ylabel="V = ½ sᵀ M s [J]", xlim=(0, 1.5), ylim=(1e-9, None))
    return figure


def adaptive() -> Figure:
    """Errors of two robots whose models have half the masses, with and without adaptation."""
    figure, axes = axes_of(2)
    for ax, name, gamma in zip(axes, ("panda", "puma560"), (100.0, 100.0), strict=True):
        robot = kt.load(name, joint_effects=False)
        home = HOME if name == "panda" else np.array([0.0, -0.6, 2.4, 0.0, 0.8, 0.0])
        size = SIZE[: robot.nv]
        wrong = robot.with_parameters(inertial=0.5 * robot.parameters("inertial"))
        damping = 30 * robot.mass_matrix(home).diagonal()

        def about(t: Any, home: Any = home, size: Any = size) -> tuple[Any, Any, Any]:
            sin, cos = kt.arrays.sin(2 * t), kt.arrays.cos(2 * t)
            return home + size * sin, 2 * size * cos, -4 * size * sin

        made = kt.control.adaptive(wrong, about, 8.0, damping, gamma)
        bodies = kt.control.adaptive(wrong, about, 8.0, damping, gamma, parameters="bodies")
        cases = {
            "half the masses": (made.with_parameters(adaptation=1e-9), RED),
            "base parameters adapted": (made, BLUE),
            "bodies adapted": (bodies, GREEN),
            "exact model": (kt.control.passivity_based(robot, about, 8.0, damping), INK),
        }
        for told, (controller, colour) in cases.items():
            motion = robot.simulate(home, 2 * size, t=6.0, dt=1e-3, controller=controller)
            error = 1e3 * np.abs(motion.q - home - size * np.sin(2 * motion.t)[:, None]).max(axis=1)
            ax.semilogy(motion.t, np.maximum(error, 1e-3), color=colour, linewidth=1.2, label=told)
        ax.set(xlabel="time [s]", title={"panda": "Panda", "puma560": "PUMA 560"}[name], xlim=(0, 6), ylim=(1e-2, 1e3))
    axes[0].set(ylabel="largest error of a joint [mrad]")
    axes[0].legend(fontsize=8, ncols=2, loc="upper center")
    return figure


def quasivelocity() -> Figure:
    """Energies of two hundred arms under two kinds of damping, and their |σ| along a motion."""
    robot, arms, k = kt.load("panda"), 200, 2.0
    q, v = robot.random(arms, seed=1), np.random.default_rng(0).normal(size=(arms, 7))
    figure, axes = axes_of(3)
    joints = kt.control.gravity_compensation(robot, 0.5)
    for ax, made, told in zip(
        axes,
        (joints, kt.control.quasivelocity_damping(robot, k)),
        ("damped in the joints: energy", "damped in ν: energy"),
        strict=False,
    ):
        motion = robot.simulate(q, v, t=0.5, dt=2e-4, controller=made, record=25)
        T = motion.kinetic_energy()
        ax.semilogy(motion.t, (T / T[:, :1]).T, color=BLUE, alpha=0.15, linewidth=0.8)
        ax.set(xlabel="time [s]", title=told, ylim=(0.02, 1.2), xlim=(0, 0.5))
    made = kt.control.quasivelocity_tracking(robot, swing, 5.0, k)
    motion = robot.simulate(q, v, t=0.5, dt=2e-4, controller=made, record=25)
    V = made.stored(motion.t, motion.q, motion.v)
    axes[2].semilogy(motion.t, (V / V[:, :1]).T, color=BLUE, alpha=0.15, linewidth=0.8)
    axes[2].set(xlabel="time [s]", title="tracking: |σ|²", ylim=(0.02, 1.2), xlim=(0, 0.5))
    for ax in axes[1:]:
        ax.semilogy(
            motion.t,
            np.exp(-2 * k * motion.t),
            color=RED,
            linestyle="--",
            linewidth=1.5,
            label=f"e^(−2kt), k = {k:g}/s",
        )
        ax.legend()
    axes[0].set(ylabel="relative to the beginning")
    return figure


def momentum_observer() -> Figure:
    """Residuals of a moving Panda whose hand is pushed by 10 N, with noise of encoders."""
    robot, dt, push_at, steps = kt.load("panda"), 1e-3, 300, 380
    inertia = robot.mass_matrix(HOME).diagonal()
    law = kt.control.passivity_based(robot, swing, 8.0, 30 * inertia)
    made = kt.control.observed(law, kt.control.momentum_observer(robot, 150.0, order=2))
    count = 2 * np.pi / 2**20

    def run(force: float, seed: int) -> Any:
        rng, residuals = np.random.default_rng(seed), []
        q, v, state, before, smooth = HOME, 2 * SIZE, None, HOME, 2 * SIZE
        for k in range(steps):
            seen = count * np.round((q + 0.5 * count * rng.normal(size=7)) / count)
            if k:
                smooth = smooth + (1 - np.exp(-2 * np.pi * 200.0 * dt)) * ((seen - before) / dt - smooth)
            before = seen
            tau, state = made(k * dt, seen, smooth, state)
            residuals.append(state["observer"]["residual"])
            f = robot.pose(q, HAND)[:3, :3].T @ [0, force * (k >= push_at), 0]
            q, v = robot.step(q, v, tau, dt, wrench={HAND: np.r_[np.zeros(3), f]}, method="rkmk2")
        return np.array(residuals)

    threshold = 3.0 * np.abs(run(0.0, 1)[50:]).max(axis=0)
    r, t = run(10.0, 2), dt * np.arange(steps)
    found = kt.control.collision_time(t, r, threshold)
    figure, axes = axes_of(2)
    for k, x in enumerate((r / threshold).T):
        for ax in axes:
            ax.plot(1e3 * t, x, color=plt.cm.tab10(k), linewidth=1.2, label=f"{k + 1}")
    for ax in axes:
        ax.axvline(1e3 * push_at * dt, color=RED, linewidth=1, linestyle="--")
        ax.axhspan(-1, 1, color=FAINT, alpha=0.5, linewidth=0)
        ax.set(xlabel="time [ms]")
    axes[0].set(ylabel="residual / threshold", ylim=(-8, 8), xlim=(0, steps))
    axes[0].text(1e3 * push_at * dt - 4, 7, "10 N", color=RED, ha="right", va="top")
    axes[0].legend(ncols=4, fontsize=8, title="joint", title_fontsize=8, loc="lower left")
    axes[1].axvline(1e3 * found, color=INK, linewidth=1, linestyle=":")
    axes[1].text(1e3 * found + 0.4, -3.6, f"found after {1e3 * found - push_at:.0f} ms", fontsize=9)
    axes[1].set(xlim=(push_at - 10, push_at + 20), ylim=(-4, 4))
    return figure


def disturbance_compensation() -> Figure:
    """A two-link arm with an unknown load, and the Lyapunov function under a constant disturbance."""
    robot, goal, d = kt.load("planar2r"), np.array([0.5, 0.5]), np.array([4.0, -2.0])
    loaded = robot.with_payload(0.5, "tip")
    pd = kt.control.pd(robot, goal, stiffness=50.0, damping=20.0)
    observer = kt.control.momentum_observer(robot, 20.0)
    helped = kt.control.observed(pd, observer, compensate=True, disturbance=d)
    figure, (left, right) = axes_of(2)
    for made, colour, told in ((pd, RED, "PD"), (helped, BLUE, "compensated")):
        motion = loaded.simulate([0.0, 0.0], [0.0, 0.0], t=4.0, dt=2e-3, controller=made)
        for x, style in zip(motion.q.T, ("-", "--"), strict=True):
            left.plot(motion.t, x, color=colour, linestyle=style, label=f"{told}, joint {1 if style == '-' else 2}")
    left.axhline(0.5, color=INK, linewidth=0.8)
    left.set(xlabel="time [s]", ylabel="joint angles [rad]", title="0.5 kg that the model lacks", xlim=(0, 4))
    left.legend()

    def pushed(model: Any, t: Any, q: Any, v: Any, state: Any, **own: Any) -> Any:
        tau, after = helped.law(model, t, q, v, state, **own)
        return tau + d, after  # the observer is not told of d

    both = kt.control.Controller(robot, pushed, "pushed", helped.initial_state, helped.parameters)
    motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=4.0, dt=1e-3, controller=both)
    V = helped.stored(motion.t, motion.q, motion.v, motion.states)
    right.semilogy(motion.t, V, color=BLUE)
    right.set(xlabel="time [s]", ylabel="V [J]", title="a constant disturbance", xlim=(0, 4))
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "adaptive": adaptive,
    "cartesian_impedance": cartesian_impedance,
    "computed_torque": computed_torque,
    "disturbance_compensation": disturbance_compensation,
    "friction_compensation": friction_compensation,
    "gravity_compensation": gravity_compensation,
    "joint_impedance": joint_impedance,
    "momentum_observer": momentum_observer,
    "operational_space": operational_space,
    "passivity_based": passivity_based,
    "pd": pd,
    "quasivelocity": quasivelocity,
}
"""One picture per page of docs/control, by its name."""


def draw(name: str) -> Path:
    """Draw the picture of a page."""
    with plt.rc_context(LOOK):
        figure = FIGURES[name]()
        figure.savefig(FOLDER / f"{name}.png")
        plt.close(figure)
    return FOLDER / f"{name}.png"
