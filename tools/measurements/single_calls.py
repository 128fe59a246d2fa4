"""Single calls, pickles, operations and first calls: docs/running.md, docs/editing.md, docs/derivatives.md."""

from __future__ import annotations

import pickle
import timeit
from functools import partial

import numpy as np
from compilation import FUNCTIONS, first_call

import kinetrace as kt
from kinetrace.arrays import Array

_HUMANOID = 'robot = kt.load("humanoid", base="free", joint_effects=False)'


def calls(quick: bool) -> dict[str, float]:
    """The size of a kernel that is sent to another process, and what checks add to a call on one state."""
    repeats = 3 if quick else 15
    humanoid, panda = kt.load("humanoid", base="free"), kt.load("panda")
    q, v = panda.home(), np.zeros(7)
    best = [
        min(timeit.repeat(partial(robot.inverse_dynamics, q, v, v), number=2000, repeat=repeats)) / 2000
        for robot in (panda, panda.checked())
    ]
    return {"pickle": len(pickle.dumps(humanoid.kernel("inverse_dynamics"))), "checks": best[1] - best[0]}


def operations(quick: bool) -> dict[str, float]:
    """Of the effort of docs/derivatives.md and its gradient; of derivatives of the humanoid."""

    def effort(model: kt.Model, q: Array, v: Array, a: Array) -> Array:
        tau = kt.algorithms.inverse_dynamics(model, q, v, a)
        return 0.5 * (tau @ tau)

    panda, humanoid = kt.load("panda"), kt.load("humanoid", base="free", joint_effects=False)
    return {
        "effort": panda.count(effort).flops,
        "gradient": panda.count(kt.jacobian(effort, wrt=("q", "v", "a"))).flops,
        **{name: humanoid.count(name).flops for name in FUNCTIONS if name.endswith("derivatives") and not quick},
    }


def derivatives(quick: bool) -> dict[str, float]:
    """Seconds, and memory at the peak, of a first result on the humanoid: "…", "… cached", "… memory"."""
    result = dict[str, float]()
    for name in ("inverse_dynamics_derivatives",) if quick else FUNCTIONS:
        if name.endswith("derivatives"):
            for when, (seconds, _, memory) in first_call(_HUMANOID, FUNCTIONS[name]).items():
                result |= {name + when: seconds, f"{name}{when} memory": memory}
    return result
