"""Find the largest time step at which each controller still does what it states, for the Panda: docs/control/index.md.

    python tools/control_rates.py              # all controllers
    python tools/control_rates.py pd           # some
    python tools/control_rates.py --quick      # one, with few steps

Gains belong to a frequency ω: K = ω², D = 2 ω per unit of inertia, critically damped. For each ω and step, sixteen
motions of two seconds begin at random states; forces are held during a step, as a digital controller holds them. A step
passes if the storage function never grows by more than 1 % of what it began with, and falls below 1 % of it if the law
states that it goes to zero. Another kind of inertia (rotors) changes the rows of laws whose gains are joint forces.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import kinetrace as kt

OMEGAS = (5.0, 10.0, 20.0, 50.0)
STEPS = (0.1e-3, 0.2e-3, 0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 100e-3, 200e-3)
"""Time steps [s] that are tried."""
STARTS, DURATION = 16, 2.0
HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
HAND = "panda_hand"


class Case(NamedTuple):
    """A controller, and its parameters for a frequency."""

    make: Callable[[kt.Robot], kt.control.Controller]
    gains: Callable[[kt.Robot, float], dict[str, Any]]
    settles: bool = True
    spread: float = 1.0
    """How far off the motions begin, of 0.2 rad and 0.3 rad/s."""


def inertias(robot: kt.Robot) -> Any:
    """What each joint moves at home, (7,)."""
    return robot.mass_matrix(HOME).diagonal()


def of_inertias(robot: kt.Robot, w: float) -> dict[str, Any]:
    """Gains in proportion to the inertia of each joint."""
    return {"stiffness": w**2 * inertias(robot), "damping": 2 * w * inertias(robot)}


def alike(robot: kt.Robot, w: float) -> dict[str, Any]:
    """The same gains for all joints: those of an inertia of 1 kg m²."""
    return {"stiffness": np.full(7, w**2), "damping": np.full(7, 2 * w)}


def accelerations(rows: int) -> Callable[[kt.Robot, float], dict[str, Any]]:
    """Gains of accelerations."""
    return lambda robot, w: {"position_gain": np.full(rows, w**2), "velocity_gain": np.full(rows, 2 * w)}


def of_hand(robot: kt.Robot, w: float) -> dict[str, Any]:
    """Gains in proportion to the inertia of the hand at home."""
    inertia = robot.operational_inertia(HOME, HAND)
    return {"stiffness": w**2 * inertia, "damping": 2 * w * inertia}


def swing(t: Any) -> tuple[Any, Any, Any]:
    """A motion about home."""
    s = np.array([0.3, 0.2, -0.3, 0.3, 0.2, -0.3, 0.4])
    return HOME + s * kt.arrays.sin(2 * t), 2 * s * kt.arrays.cos(2 * t), -4 * s * kt.arrays.sin(2 * t)


def reach(robot: kt.Robot) -> Any:
    """A pose of the hand near home."""
    return robot.pose(HOME + 0.1, HAND)


def sliding(robot: kt.Robot, w: float) -> dict[str, Any]:
    """Rates of errors, and damping in proportion to the inertia of each joint."""
    return {"rates": np.full(7, w), "damping": w * inertias(robot)}


def half(robot: kt.Robot) -> kt.Robot:
    """The robot with half of all masses."""
    return robot.with_parameters(inertial=0.5 * robot.parameters("inertial"))


def compensated(robot: kt.Robot) -> kt.control.Controller:
    """Passivity-based control with an observer whose estimate is subtracted; there is nothing to find."""
    law, observer = kt.control.passivity_based(robot, swing, 1.0, 1.0), kt.control.momentum_observer(robot, 1.0)
    return kt.control.observed(law, observer, compensate=True, disturbance=np.zeros(7))


CASES = {
    "gravity_compensation": Case(
        lambda r: kt.control.gravity_compensation(r, 1.0), lambda r, w: {"damping": of_inertias(r, w)["damping"]}, False
    ),
    "pd": Case(lambda r: kt.control.pd(r, HOME, 1.0, 1.0), of_inertias),
    "pd, one gain for all joints": Case(lambda r: kt.control.pd(r, HOME, 1.0, 1.0), alike, False),
    "computed_torque": Case(lambda r: kt.control.computed_torque(r, swing, 1.0, 1.0), accelerations(7)),
    "joint_impedance": Case(lambda r: kt.control.joint_impedance(r, swing, 1.0, 1.0), of_inertias),
    "operational_space": Case(
        lambda r: kt.control.operational_space(r, HAND, reach(r), 1.0, 1.0, posture=HOME, posture_gain=5.0),
        accelerations(6),
    ),
    "cartesian_impedance": Case(
        lambda r: kt.control.cartesian_impedance(r, HAND, reach(r), np.ones(6), np.ones(6)), of_hand, False
    ),
    "passivity_based": Case(lambda r: kt.control.passivity_based(r, swing, 1.0, 1.0), sliding),
    "passivity_based, compensated": Case(
        compensated, lambda r, w: {**sliding(r, w), "bandwidth": np.full(7, w)}, False
    ),
    "adaptive, half the masses": Case(
        lambda r: kt.control.adaptive(half(r), swing, 1.0, 1.0, 10.0, truth=r), sliding, False, 0.1
    ),
    "adaptive, from 0.2 rad": Case(
        lambda r: kt.control.adaptive(half(r), swing, 1.0, 1.0, 10.0, truth=r), sliding, False
    ),
    "quasivelocity_damping": Case(
        lambda r: kt.control.quasivelocity_damping(r, 1.0), lambda r, w: {"damping": np.full(7, w)}
    ),
    "quasivelocity_tracking": Case(
        lambda r: kt.control.quasivelocity_tracking(r, swing, 1.0, 1.0),
        lambda r, w: {"rates": np.full(7, w), "damping": np.full(7, w)},
    ),
}


def passes(robot: kt.Robot, made: kt.control.Controller, case: Case, dt: float) -> list[bool]:
    """Whether the step passes, for each frequency."""
    rng = np.random.default_rng(0)
    q, v = (case.spread * rng.uniform(-x, x, (STARTS, 7)) for x in (0.2, 0.3))
    q = HOME + q
    each = [case.gains(robot, w) for w in OMEGAS]
    given = {name: np.stack([x[name] for x in each])[:, None] for name in each[0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.SimulationWarning)
        motion = robot.simulate(q, v, t=DURATION, dt=dt, controller=made, parameters=given, method="rkmk4")
    if motion.failures and len(motion.t) < 2:
        return [False] * len(OMEGAS)
    spread = {name: np.expand_dims(x, 2) for name, x in given.items()}
    with np.errstate(all="ignore"):
        V = made.stored(motion.t, motion.q, motion.v, motion.states, **spread)  # (frequencies, starts, rows)
        grows = np.diff(V, axis=-1).max(axis=-1) / V[..., 0]
        left = V[..., -1] / V[..., 0]
    w = np.array(OMEGAS)[:, None]
    settled = left < np.maximum(0.01, (1 + w * DURATION) ** 2 * np.exp(-2 * w * DURATION) * 10)
    good = np.isfinite(V).all(axis=-1) & (grows < 0.01) & (settled | (not case.settles))
    return list(good.all(axis=-1))


def largest_steps(robot: kt.Robot, case: Case, steps: Sequence[float]) -> list[float]:
    """The largest step that passes, and all smaller ones do too, for each frequency [s]; 0 if there is none."""
    made, best, going = case.make(robot), [0.0] * len(OMEGAS), [True] * len(OMEGAS)
    for dt in steps:
        going = [a and b for a, b in zip(going, passes(robot, made, case, dt), strict=True)]
        best = [dt if a else b for a, b in zip(going, best, strict=True)]
        if not any(going):
            break
    return best


def main() -> None:
    """Print a table of steps [ms]."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="controller", help=", ".join(CASES))
    parser.add_argument("--quick", action="store_true", help="one controller with few steps")
    args = parser.parse_args()
    panda = kt.load("panda", joint_effects=False)
    robots = {"bodies alone": panda, "rotors of 0.1 kg m²": panda.with_joint_effects(armature=0.1)}
    print("| controller, longest step [ms] | robot | " + " | ".join(f"ω = {w:g} rad/s" for w in OMEGAS) + " |")
    print("|---|---|" + "---|" * len(OMEGAS))
    for name in args.names or (["pd"] if args.quick else CASES):
        law, _, kind = name.partition(", ")
        for told, robot in robots.items():
            found = largest_steps(robot, CASES[name], STEPS[-5:] if args.quick else STEPS)
            cells = [f"{1e3 * x:g}" if x else "below 0.1" for x in found]
            print(f"| `{law}`{kind and ', '}{kind} | {told} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
