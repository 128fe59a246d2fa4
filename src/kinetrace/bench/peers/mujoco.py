"""MuJoCo: its functions in a loop in Python, which also sets the state; there, they need it in `MjData`.

Loops over time are its own (`MujocoRollout`).
"""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np

from ...interop import mujoco as convert
from ..ground import SETTLED
from ..measure import Run
from ..tasks import DT, BenchStates, BenchTask, GroundRollout, Rollout, Subject
from . import LOOP_STATES, Peer, Unsupported
from .mujoco_ground import CONTACT_SETTINGS, ONE_ITERATION, ground_model

LOOP_COLUMN = "MuJoCo loop"

_POSITIONS = "d.qpos[:] = x[0]; "
_MOTION = "d.qpos[:] = x[0]; d.qvel[:] = x[1]; "
_TASK_CODE = {
    "inverse_dynamics": _MOTION + "d.qacc[:] = x[2]; m.mj_inverse(model, d)",
    "forward_dynamics": _MOTION + "d.qfrc_applied[:] = x[2]; m.mj_forward(model, d)",
    "mass_matrix": _POSITIONS + "m.mj_kinematics(model, d); m.mj_comPos(model, d); crb(model, d); full(M)",
    "jacobian": _POSITIONS + "m.mj_kinematics(model, d); m.mj_comPos(model, d); m.mj_jacBody(model, d, J, R, body)",
}
_TASK_FUNCTIONS = {
    "inverse_dynamics": "mj_inverse",
    "forward_dynamics": "mj_forward",
    "mass_matrix": "mj_fullM",
    "jacobian": "mj_jacBody",
}
_DISABLED_FLAGS = ("CONSTRAINT", "SPRING", "DAMPER", "ACTUATION")
"""Flags of effects that are no part of the equations compared."""


class MujocoPeer(Peer):
    """One robot in MuJoCo, which reads the same file, here without its shapes."""

    name, module, package = "MuJoCo", "mujoco", "mujoco"
    rolls_out = touches = True

    def __init__(self, subject: Subject) -> None:
        import mujoco

        self.mujoco, self.subject = mujoco, subject
        if subject.path is None:
            raise Unsupported("its closures are soft: other accelerations")
        try:
            self.model = self._model(subject)
        except ValueError as error:
            raise Unsupported(f"refuses the file: {' '.join(str(error).split())}") from None
        if (self.model.nq, self.model.nv) != (subject.robot.nq, subject.robot.nv):
            raise Unsupported("its variables are not ours (mimic joints)")
        self.model.dof_armature[:] = 0.0  # JOINT_EFFECTS, as far as no flag turns them off
        for name in _DISABLED_FLAGS:
            self.model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
        self.data = mujoco.MjData(self.model)

    def _model(self, subject: Subject) -> Any:
        robot = ET.parse(str(subject.path)).getroot()
        for link in robot.findall("link"):
            for shape in [*link.findall("visual"), *link.findall("collision")]:
                link.remove(shape)
        ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", fusestatic="false")
        spec = self.mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode"))
        if subject.base == "free":
            spec.worldbody.first_body().add_freejoint(name="floating_base")
        return spec.compile()

    def _convert(self, states: BenchStates) -> tuple[list[Any], Any]:
        """Its q, v, a and forces (batch, n), and T (batch, nv, nv) from our velocities to its."""
        both, q, v = (self.subject.robot, self.model), states.q, states.v
        found = [convert.q(*both, q), convert.v(*both, q, v), convert.a(*both, q, v, states.a)]
        return [*found, convert.tau(*both, q, states.tau)], convert.velocity_map(*both, q)

    def _rows(self, task: BenchTask, states: BenchStates) -> tuple[list[tuple[Any, ...]], Any]:
        """Arguments of the code of a task, state by state."""
        if task.name not in _TASK_CODE:
            raise Unsupported("has finite differences only" if "derivatives" in task.name else "has no such function")
        arrays, T = self._convert(states)
        chosen = dict(zip(("q", "v", "a", "tau"), arrays, strict=True))
        return list(zip(*(chosen[name] for name in task.arguments), strict=True)), T

    def _names(self, task: BenchTask) -> dict[str, Any]:
        m, model, data = self.mujoco, self.model, self.data
        names = {"m": m, "model": model, "d": data, "M": np.zeros((model.nv, model.nv))}
        names["crb"] = getattr(m, "mj_makeM", None) or m.mj_crb  # with the inertia of rotors, where the two are apart
        if hasattr(data, "qM"):  # MuJoCo 3 takes the sparse matrix, MuJoCo 4 the data
            names["full"] = lambda M: m.mj_fullM(model, M, data.qM)
        else:
            names["full"] = lambda M: m.mj_fullM(model, data, M)
        J = np.zeros((6, model.nv))
        body = m.mj_name2id(model, m.mjtObj.mjOBJ_BODY, self.subject.frame) if task.about_a_frame else 0
        if body < 0:
            raise Unsupported(f"has no frame {self.subject.frame!r}")
        return {**names, "both": J, "J": J[:3], "R": J[3:], "body": body}

    def results(self, task: BenchTask, states: BenchStates) -> tuple[Any, ...]:
        """State by state, or all steps of all states."""
        if isinstance(task, Rollout):
            return self._steps(task, states)
        rows, T = self._rows(task, states)
        names, found = self._names(task), []
        for x, T_k in zip(rows, T, strict=True):
            exec(_TASK_CODE[task.name], {**names, "x": x})
            if task.name == "inverse_dynamics":
                found.append(T_k.T @ self.data.qfrc_inverse)
            elif task.name == "mass_matrix":
                found.append(T_k.T @ names["M"] @ T_k)
            elif task.name == "jacobian":
                found.append(np.roll(names["both"], 3, axis=0) @ T_k)
            else:
                found.append(convert.from_a(self.subject.robot, self.model, x[0], x[1], self.data.qacc))
        return (np.array(found),)

    def _roll_out(self, task: Rollout, states: BenchStates) -> tuple[MujocoRollout, tuple[Any, Any, Any]]:
        """Its model, and where and under which forces, or controls, it starts."""
        if isinstance(task, GroundRollout):
            return self._on_ground(task, states, ONE_ITERATION)
        q, v = self._convert(states)[0][:2]
        tau = self.subject.inputs(task, states)["tau"]  # zeros, in any order
        return MujocoRollout(self.mujoco, self.model, DT, task.method, "QFRC_APPLIED"), (q, v, tau)

    def _on_ground(self, task: Rollout, states: BenchStates, name: str) -> tuple[MujocoRollout, tuple[Any, Any, Any]]:
        """The same of a robot on its feet, by one of the settings."""
        stance, xs = self.subject.stance, self.subject.inputs(task, states)
        robot = stance.robot(self.subject.robot)
        model = ground_model(self.mujoco, robot, CONTACT_SETTINGS[name])
        q, v = convert.q(robot, model, xs["q"]), convert.v(robot, model, xs["q"], xs["v"])
        return MujocoRollout(self.mujoco, model, xs["dt"], task.method, "CTRL"), (q, v, xs["control"])

    def _steps(self, task: Rollout, states: BenchStates) -> tuple[Any, Any]:
        """q and v (batch, steps, n) in our order."""
        rolled, start = self._roll_out(task, states)
        q, v = rolled.states(*start)
        both = self.subject.robot, rolled.model
        return convert.from_q(*both, q), convert.from_v(*both, q, v)

    def one_call(self, task: BenchTask, states: BenchStates) -> dict[str, Run]:
        """Setting the state, and the call."""
        if isinstance(task, Rollout):
            return self.batch(task, states.first(1), 1)
        rows, _ = self._rows(task, states.first(1))
        return {
            LOOP_COLUMN: Run(_TASK_FUNCTIONS[task.name], _TASK_CODE[task.name], {**self._names(task), "x": rows[0]}, 1)
        }

    def batch(self, task: BenchTask, states: BenchStates, threads: int) -> dict[str, Run]:
        """The same for every state; loops over time on any number of threads."""
        if isinstance(task, GroundRollout):
            runs = {}
            for column, name in GROUND_COLUMNS.items():
                rolled, (q, v, control) = self._on_ground(task, states, name)
                q, v = rolled.settled(q, v, control)
                runs[column] = replace(rolled.run(q, v, control, threads), function=f"mujoco.rollout, {name}")
            return runs
        if isinstance(task, Rollout):
            rolled, start = self._roll_out(task, states)
            return {ROLLOUT_COLUMN: rolled.run(*start, threads)}
        if threads != 1:
            return {}
        rows, _ = self._rows(task, states.first(LOOP_STATES))
        code = f"for x in rows: {_TASK_CODE[task.name]}"
        return {LOOP_COLUMN: Run(_TASK_FUNCTIONS[task.name], code, {**self._names(task), "rows": rows}, len(rows))}


ROLLOUT_COLUMN = "MuJoCo rollout"
GROUND_COLUMNS = {ROLLOUT_COLUMN: ONE_ITERATION, "MuJoCo CG": "CG, pyramidal cone, 2 iterations"}
"""Of robots on the ground: column → settings, the second the fastest that we found."""
_MUJOCO_INTEGRATORS = {"semi-implicit": "EULER", "rk4": "RK4"}


class MujocoRollout:
    """A model of it, to be stepped by a method of ours, from (batch, nq) and (batch, nv) in its order.

    What acts in each step, "QFRC_APPLIED" or "CTRL", is a name of its `mjtState`.
    """

    def __init__(self, mujoco: Any, model: Any, dt: float, method: str, acts: str) -> None:
        from mujoco.rollout import Rollout as Pool

        self.mujoco, self.model, self.pool = mujoco, copy.copy(model), Pool
        self.acts = int(getattr(mujoco.mjtState, f"mjSTATE_{acts}"))
        self.model.opt.timestep = dt
        self.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{_MUJOCO_INTEGRATORS[method]}")

    def settled(self, q: Any, v: Any, control: Any) -> tuple[Any, Any]:
        """Positions and velocities after a while: its ground gives way where ours does not."""
        still = np.repeat(control[:, :1], SETTLED, axis=1)
        return tuple(x[:, -1].copy() for x in self.states(q, v, still))

    def initial(self, q: Any, v: Any) -> Any:
        """Its state vectors (batch, n): the time, positions, velocities, and whatever else there is."""
        kind, data = self.mujoco.mjtState.mjSTATE_FULLPHYSICS, self.mujoco.MjData(self.model)
        vectors = np.zeros((len(q), self.mujoco.mj_stateSize(self.model, kind)))
        for x, data.qpos[:], data.qvel[:] in zip(vectors, q, v, strict=True):
            self.mujoco.mj_getState(self.model, data, x, kind)
        return vectors

    def run(self, q: Any, v: Any, tau: Any, threads: int) -> Run:
        """A call under forces (batch, steps, nv), with room for its results."""
        initial, (batch, steps, _) = self.initial(q, v), tau.shape
        out = np.zeros((batch, steps, initial.shape[1]))
        pool = self.pool(nthread=threads if threads > 1 else 0)  # none but the caller's
        data = [self.mujoco.MjData(self.model) for _ in range(threads)]
        names = {"f": pool.rollout, "model": self.model, "data": data, "x": initial, "tau": tau, "out": out}
        code = f"f(model, data, x, tau, control_spec={self.acts}, state=out)"
        return Run("mujoco.rollout", code, names, batch * steps)

    def states(self, q: Any, v: Any, tau: Any) -> tuple[Any, Any]:
        """Positions and velocities (batch, steps, n) after each step."""
        run = self.run(q, v, tau, 1)
        run.timer().timeit(1)
        vectors, nq, nv = run.names["out"], self.model.nq, self.model.nv
        return vectors[..., 1 : 1 + nq], vectors[..., 1 + nq : 1 + nq + nv]
