"""Motions of least effort beside independent methods: costs, iterations and times, in one run.

Two links: Hermite–Simpson collocation of equations written by hand (CasADi, IPOPT). A Panda that lifts 2 kg: global
polynomials, Gauss's quadrature and Pinocchio's dynamics, solved as a least-squares problem (SciPy). Both are those of
tests/motion/test_optimal_motion.py, on finer meshes.

    python benchmarks/minimum_effort.py --repeat 3        needs casadi, scipy and pin
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import kinetrace as kt

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "motion"))
from test_optimal_motion import NO_LIMITS, least_effort_by_polynomials, least_effort_of_two_rods

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


def panda() -> tuple[kt.Robot, Any]:
    """The arm with its payload, here and in Pinocchio, where the payload is added by hand."""
    arm = kt.load("panda").with_joint_effects(armature=0.3)
    model = kt.interop.pinocchio.to_model(arm)
    hand = model.frames[model.getFrameId("panda_hand")]
    load = hand.placement.act(pin.Inertia(2.0, np.array([0, 0, 0.05]), np.zeros((3, 3))))
    model.inertias[hand.parentJoint] = model.inertias[hand.parentJoint] + load
    return arm.with_payload(2.0, "panda_hand", com=[0, 0, 0.05]), model


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="how often each is timed")
    repeat = parser.parse_args().repeat
    arm, (robot, model) = kt.load("planar2r"), panda()
    tasks: dict[str, tuple[Callable[[], Any], Callable[[], float]]] = {
        "two links, hanging to level": (
            lambda: kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, intervals=32, **NO_LIMITS),
            lambda: least_effort_of_two_rods(HANGING, [0.0, 0.5], 1.0, 160),
        ),
        "two links, level to upright": (
            lambda: kt.motion.minimum_effort(arm, [0.0, 0.0], [np.pi / 2, 0.0], 1.0, intervals=32, **NO_LIMITS),
            lambda: least_effort_of_two_rods([0.0, 0.0], [np.pi / 2, 0.0], 1.0, 160),
        ),
        "Panda lifts 2 kg": (
            lambda: kt.motion.minimum_effort(robot, *LIFT, 0.5, intervals=12, **NO_LIMITS),
            lambda: least_effort_by_polynomials(pin, model, *LIFT, 0.5, 10, 26),
        ),
    }
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
