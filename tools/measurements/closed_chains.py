"""Forward dynamics with closed loops by each method, and near a singular configuration: docs/closed_chains.md."""

from __future__ import annotations

import time

import mpmath  # type: ignore[import-untyped]
import numpy as np

import kinetrace as kt
from kinetrace.algorithms.registry.choices import ForwardMethod
from kinetrace.bench.tasks import BenchStates, Subject
from kinetrace.lie import inertia, se3, so3

ROBOTS = ("four_bar", "bicycle", "three_fingers_ball", "stewart", "delta", "two_pandas_beam", "free_two_arms")
METHODS: tuple[ForwardMethod, ...] = ("factors", "sweeps", "quasi", "independent")
BATCH, LOOPS = 1024, 20


def states_of(robot: kt.Robot) -> BenchStates:
    """As `kinetrace bench` has them."""
    return Subject(robot, None, "fixed").states(BATCH)


def best_times(robot: kt.Robot, repeats: int) -> dict[ForwardMethod, float]:
    """Processor time per state by method, on one thread, in nanoseconds."""
    states, best = states_of(robot), dict.fromkeys(METHODS, float("inf"))
    given, out = (states.q, states.v, states.tau), np.zeros((BATCH, robot.nv))
    for method in METHODS:
        robot.forward_dynamics(*given, method=method, out=out, threads=1)
    for _ in range(repeats):
        for method in METHODS:
            begin = time.process_time()
            for _ in range(LOOPS):
                robot.forward_dynamics(*given, method=method, out=out, threads=1)
            best[method] = min(best[method], time.process_time() - begin)
    return {method: 1e9 * x / LOOPS / BATCH for method, x in best.items()}


def default_method(robot: kt.Robot) -> ForwardMethod:
    """The method whose operations are those of the default, and its results."""
    states = states_of(robot)
    given = states.q[:4], states.v[:4], states.tau[:4]
    expected = robot.forward_dynamics(*given)
    counts = robot.count("forward_dynamics").flops
    found = [x for x in METHODS if robot.count("forward_dynamics", method=x).flops == counts]
    (same,) = [x for x in found if np.array_equal(robot.forward_dynamics(*given, method=x), expected)]
    return same


def times(quick: bool) -> str:
    """The table, and how much longer the default takes than the best method, at most."""
    rows, longest = (
        ["| | " + " | ".join(f"`{x}`" for x in METHODS) + " | operations of the default |", "|---" * 6 + "|"],
        1.0,
    )
    for name in ROBOTS[:1] if quick else ROBOTS:
        robot = kt.load(name, joint_effects=False)
        found, default = best_times(robot, 2 if quick else 30), default_method(robot)
        longest = max(longest, found[default] / min(found.values()))
        cells = [f"{found[x]:.0f} ns" for x in METHODS]
        rows.append(f'| `{name}` | {" | ".join(cells)} | {robot.count("forward_dynamics").flops} (`"{default}"`) |')
    return "\n".join([*rows, "", f"the default takes at most {longest:.2f} times as long as the best method"])


def parallelogram() -> kt.Robot:
    """Its links are in line at zero; the axes of the hinge that closes it are in no line with them."""
    b = kt.Builder("parallelogram")
    turn = so3.exp(np.array([0.0, 0.7, 0.0]))

    def shift(x: float) -> np.ndarray:
        return se3.pose(np.eye(3), np.array([x, 0.0, 0.0]))

    for link, parent, x, length in (("crank", "base", 0, 1), ("coupler", "crank", 1, 2), ("rocker", "base", 2, 1)):
        moments = length**3 / 12 * np.diag([0.01, 1, 1])
        b.link(link, inertia.from_mass_com(length, [length / 2, 0, 0], moments))
        b.joint(link, kt.joints.Revolute([0, 1, 0]), parent=parent, child=link, placement=shift(x))
    places = [se3.pose(turn, np.array([x, 0.0, 0.0])) for x in (2.0, 1.0)]
    b.close("coupler", "rocker", kt.joints.Revolute([0, 1, 0]), placement_a=places[0], placement_b=places[1])
    return kt.Robot(b.build())


def singular(quick: bool) -> dict[str, float]:
    """Relative errors of accelerations near a singular configuration, beside 60 digits: "factors 1e-06"."""
    robot, result = parallelogram(), dict[str, float]()
    v, tau = np.array([1.0, -1.0, 1.0]), np.array([1.0, -0.3, 0.4])
    for distance in (1e-6,) if quick else (1e-6, 1e-7):
        q = distance * v
        with mpmath.workdps(60):
            given = (np.array([mpmath.mpf(float(x)) for x in y]) for y in (q, v, tau))
            exact = kt.algorithms.forward_dynamics(robot.model, *given, method="independent")
        exact = np.array([float(x) for x in exact])
        methods: tuple[ForwardMethod, ...] = (*METHODS, "dense")
        for method in methods:
            off = np.abs(robot.forward_dynamics(q, v, tau, method=method) - exact).max()
            result[f"{method} {distance:g}"] = off / np.abs(exact).max()
    return result
