"""Motions of least effort beside independent methods: costs, iterations and times, in one run.

Two links: Hermite–Simpson collocation of equations written by hand (CasADi, IPOPT). A Panda that lifts 2 kg: global
polynomials, Gauss's quadrature and Pinocchio's dynamics, solved as a least-squares problem (SciPy). Both are those of
tests/motion/test_optimal_motion.py, on finer meshes.

    python benchmarks/minimum_effort.py --repeat 3
    python benchmarks/minimum_effort.py --quick           on coarse meshes, once

needs casadi, scipy, mpmath and pytest, and pin for the Panda.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import shared

import kinetrace as kt

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "motion"))
for name in ("casadi", "scipy", "mpmath", "pytest"):
    shared.needed(name)
tests = import_module("test_optimal_motion")  # an error in it is one of this script

HANGING = np.array([-np.pi / 2, 0.0])
LIFT = np.array([0.0, 0.6, 0.0, -2.2, 0.0, 2.8, 0.8]), np.array([0.3, 0.2, 0.1, -1.9, 0.05, 2.2, 0.8])


def timed(function: Callable[[], Any], repeat: int) -> tuple[Any, list[float]]:
    """A result, and the times of several calls; the first, which compiles, is not among them."""
    found, times = function(), []
    for _ in range(repeat):
        begin = time.perf_counter()
        found = function()
        times.append(time.perf_counter() - begin)
    return found, times


def panda(pin: Any) -> tuple[kt.Robot, Any]:
    """The arm with its payload, here and in Pinocchio, where the payload is added by hand."""
    arm = shared.load("panda").with_joint_effects(armature=0.3)
    model = kt.interop.pinocchio.to_model(arm)
    hand = model.frames[model.getFrameId("panda_hand")]
    load = hand.placement.act(pin.Inertia(2.0, np.array([0, 0, 0.05]), np.zeros((3, 3))))
    model.inertias[hand.parentJoint] = model.inertias[hand.parentJoint] + load
    return arm.with_payload(2.0, "panda_hand", com=[0, 0, 0.05]), model


def main() -> None:
    """Print the table."""
    parser = shared.parser(__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="how often each is timed")
    parser.add_argument("--intervals", type=int, default=32, help="of the motions of two links")
    parser.add_argument("--panda", type=int, default=12, help="intervals of the motion of the Panda")
    parser.add_argument("--others", type=int, default=160, help="intervals of the collocation beside them")
    effects = "rotors of 0.3 kg m² of the Panda, in both libraries"
    given = shared.options(parser, effects, repeat=1, intervals=8, panda=3, others=20)
    arm, pin, repeat = shared.load("planar2r"), shared.package("pinocchio"), given.repeat
    settings = {"intervals": given.intervals, **tests.NO_LIMITS}
    tasks: dict[str, tuple[Callable[[], Any], Callable[[], float]]] = {
        "two links, hanging to level": (
            lambda: kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, **settings),
            lambda: tests.least_effort_of_two_rods(HANGING, [0.0, 0.5], 1.0, given.others),
        ),
        "two links, level to upright": (
            lambda: kt.motion.minimum_effort(arm, [0.0, 0.0], [np.pi / 2, 0.0], 1.0, **settings),
            lambda: tests.least_effort_of_two_rods([0.0, 0.0], [np.pi / 2, 0.0], 1.0, given.others),
        ),
    }
    if pin is not None:
        robot, model = panda(pin)
        few, many = (3, 10) if given.quick else (10, 26)
        tasks["Panda lifts 2 kg"] = (
            lambda: kt.motion.minimum_effort(robot, *LIFT, 0.5, intervals=given.panda, **tests.NO_LIMITS),
            lambda: tests.least_effort_by_polynomials(pin, model, *LIFT, 0.5, few, many),
        )
    titles = f"{'task':30} {'cost':>11} {'other':>11} {'relative':>9} {'KKT':>8} {'steps':>5}"
    print(f"{titles} {'best, spread [s]':>18} {'other [s]':>9} {'ratio':>6}")
    for name, (ours, other) in tasks.items():
        found, times = timed(ours, repeat)
        cost, others = timed(other, repeat)
        off, best = found.cost / cost - 1, min(times)
        spread = f"{best:.3f} ± {max(times) - best:.3f}"
        print(
            f"{name:30} {found.cost:11.5f} {cost:11.5f} {off:9.1e} {max(found.residual):8.1e} {found.iterations:5d} "
            f"{spread:>18} {min(others):9.3f} {min(others) / best:6.1f}"
        )


if __name__ == "__main__":
    main()
