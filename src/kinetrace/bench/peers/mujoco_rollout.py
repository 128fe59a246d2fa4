"""MuJoCo over time: `mujoco.rollout`, with contacts, constraints and damping off, by the same integrator and step."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ..measure import Run
from ..tasks import DT, Rollout
from . import Unsupported

COLUMN = "MuJoCo rollout"
_INTEGRATORS = {"semi-implicit": "EULER", "rk4": "RK4"}


class Rolled:
    """A model of it, to be stepped by the method of a task, from (batch, nq) and (batch, nv) in its order."""

    def __init__(self, mujoco: Any, model: Any, task: Rollout, free: bool) -> None:
        from mujoco.rollout import Rollout as Pool

        if free and task.method == "semi-implicit":
            raise Unsupported(
                "its Euler moves a free base by the velocity in the world, ours by the twist: other steps"
            )
        self.mujoco, self.model, self.pool = mujoco, copy.copy(model), Pool
        self.model.opt.timestep = DT
        self.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{_INTEGRATORS[task.method]}")

    def initial(self, q: Any, v: Any) -> Any:
        """Its state vectors (batch, n): the time, positions, velocities, and whatever else there is."""
        kind, data = self.mujoco.mjtState.mjSTATE_FULLPHYSICS, self.mujoco.MjData(self.model)
        found = np.zeros((len(q), self.mujoco.mj_stateSize(self.model, kind)))
        for x, data.qpos[:], data.qvel[:] in zip(found, q, v, strict=True):
            self.mujoco.mj_getState(self.model, data, x, kind)
        return found

    def run(self, q: Any, v: Any, tau: Any, threads: int) -> Run:
        """A call under forces (batch, steps, nv), with room for its results."""
        initial, (batch, steps, _) = self.initial(q, v), tau.shape
        out = np.zeros((batch, steps, initial.shape[1]))
        pool = self.pool(nthread=threads if threads > 1 else 0)  # none but the caller's
        spec = int(self.mujoco.mjtState.mjSTATE_QFRC_APPLIED)
        data = [self.mujoco.MjData(self.model) for _ in range(threads)]
        names = {"f": pool.rollout, "model": self.model, "data": data, "x": initial, "tau": tau, "out": out}
        code = f"f(model, data, x, tau, control_spec={spec}, state=out)"
        return Run("mujoco.rollout", code, names, batch * steps)

    def states(self, q: Any, v: Any, tau: Any) -> tuple[Any, Any]:
        """Positions and velocities (batch, steps, n) after each step."""
        run = self.run(q, v, tau, 1)
        run.timer().timeit(1)
        found, nq, nv = run.names["out"], self.model.nq, self.model.nv
        return found[..., 1 : 1 + nq], found[..., 1 + nq : 1 + nq + nv]
