"""Times of steps and of compilation in docs/simulation.md."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from compilation import ROBOTS, first_call

import kinetrace as kt
from kinetrace.arrays import Array


def per_step(run: Callable[[int], Any], steps: int, repeats: int) -> float:
    """Processor time of a step: what twice as many take longer, so that the checks of a run do not count."""
    run(steps)
    best = {n: float("inf") for n in (steps, 2 * steps)}
    for _ in range(repeats):
        for n in best:
            begin = time.process_time()
            run(n)
            best[n] = min(best[n], time.process_time() - begin)
    return (best[2 * steps] - best[steps]) / steps


def stepping(robot: kt.Robot, q: Array, v: Array, dt: float, **given: Any) -> Callable[[int], Any]:
    """A simulation of n steps by a kernel, of which the last state alone is kept."""
    return lambda n: robot.simulate(q, v, n * dt, dt, compiled=True, record=n, **given)


def steps(quick: bool) -> dict[str, float]:
    """Of the Panda under PD, ("panda implicit × rkmk4" are ratios), and of the variational method."""
    n, repeats = (1000, 1) if quick else (100_000, 5)
    bare = kt.load("panda").without_joint_effects()
    home, rest = bare.home(), np.zeros(7)
    law = kt.control.pd(bare, home, stiffness=60.0, damping=12.0)
    result = dict[str, float]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # explicit methods diverge under this law
        for method in ("implicit", "rkmk4", "semi-implicit"):
            # In short steps, which all methods can take, over a tenth of a second.
            run = stepping(bare, home + 0.1, rest, 1e-6, controller=law, method=method)
            result[f"panda {method}"] = per_step(run, n, repeats)
        for other in ("rkmk4", "semi-implicit"):
            result[f"panda implicit × {other}"] = result["panda implicit"] / result[f"panda {other}"]
        for name in () if quick else ("quadruped", "humanoid"):
            robot = kt.load(name, base="free", joint_effects=False)
            v = 2.0 * np.random.default_rng(1).normal(size=robot.nv)
            run = stepping(robot, robot.random(seed=1), v, 1e-3, method="variational")
            result[f"{name} variational"] = per_step(run, 2500, 4 * repeats)
    return result


_END = """
from kinetrace.arrays import concatenate, scan
def end(model, q, v, tau, dt):
    (q, v), _ = scan(lambda x, tau: (kt.algorithms.step(model, *x, tau, dt, method="rkmk4"), None), (q, v), tau)
    return concatenate([q, v])
"""
_ROLLOUT = 'robot.rollout_derivatives(q, z, np.zeros((5, robot.nv)), dt=1e-3, method="{}")'
_SHAPES = 'robot, shapes={"tau": ("t", robot.nv)}'
_FREE = 'robot = kt.load("quadruped", base="free", joint_effects=False)'
_STEP = 'robot.step(q, z, z, 1e-3, method="variational")'
_WEIGHTS = "(q, z, np.zeros((3, robot.nv)), 1e-2, np.zeros(robot.nq + robot.nv))"
_VJP = f'kt.compile(kt.vjp(end, wrt="inertial"), {_SHAPES}){_WEIGHTS}'
COMPILED = {
    **{
        f"{robot} {method}": (made, _ROLLOUT.format(method))
        for robot, made in (("panda", ROBOTS["panda"]), ("quadruped", _FREE))
        for method in ("rkmk4", "semi-implicit")
    },
    "panda vjp": (ROBOTS["panda"] + _END, _VJP),
    "quadruped vjp": (_FREE + _END, _VJP),
    "panda jacobian": (
        ROBOTS["panda"] + _END,
        f'kt.compile(kt.jacobian(end, wrt="inertial"), {_SHAPES})(q, z, np.zeros((3, robot.nv)), 1e-2)',
    ),
    "quadruped variational": (_FREE, _STEP),
    "humanoid variational": (_FREE.replace("quadruped", "humanoid"), _STEP),
}
"""Name → what is made before, and what is timed."""


def first_calls(quick: bool) -> dict[str, float]:
    """Processor time of first calls that take long to compile."""
    names = ["panda semi-implicit"] if quick else list(COMPILED)
    return {name: first_call(*COMPILED[name])[""][1] for name in names}
