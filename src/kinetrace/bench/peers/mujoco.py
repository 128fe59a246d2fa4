"""MuJoCo: its functions in a loop in Python, which also sets the state; there, they need it in `MjData`.

Loops over time are its own (`mujoco_rollout`).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np

from ...lie import so3
from ..measure import Run
from ..tasks import Rollout, States, Subject, Task
from . import LOOP, Peer, Unsupported
from .mujoco_rollout import COLUMN as ROLLED
from .mujoco_rollout import Rolled

COLUMN = "MuJoCo loop"

_POSITIONS = "d.qpos[:] = x[0]; "
_MOTION = "d.qpos[:] = x[0]; d.qvel[:] = x[1]; "
_CODE = {
    "inverse_dynamics": _MOTION + "d.qacc[:] = x[2]; m.mj_inverse(model, d)",
    "forward_dynamics": _MOTION + "d.qfrc_applied[:] = x[2]; m.mj_forward(model, d)",
    "mass_matrix": _POSITIONS + "m.mj_kinematics(model, d); m.mj_comPos(model, d); crb(model, d); full(M)",
    "jacobian": _POSITIONS + "m.mj_kinematics(model, d); m.mj_comPos(model, d); m.mj_jacBody(model, d, J, R, body)",
}
_CALLED = {
    "inverse_dynamics": "mj_inverse",
    "forward_dynamics": "mj_forward",
    "mass_matrix": "mj_fullM",
    "jacobian": "mj_jacBody",
}
_OFF = ("CONSTRAINT", "SPRING", "DAMPER", "ACTUATION")
"""What is no part of the equations compared."""


class Adapter(Peer):
    """One robot in MuJoCo, which reads the same file, here without its shapes.

    A free joint's velocity is linear in the world, then angular in the body: v_mujoco = T(q) v.
    """

    name, module, package = "MuJoCo", "mujoco", "mujoco"
    rolls_out = True

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
        for name in _OFF:
            self.model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
        self.data = mujoco.MjData(self.model)
        joints = [(name, self.model.joint(name)) for name in subject.robot.joint_names]
        places = [(subject.robot.q_slice(name), int(j.qposadr[0])) for name, j in joints]
        self.q_order = self._order([(x, range(subject.robot.nq)[x], at) for x, at in places])
        places = [(subject.robot.v_slice(name), int(j.dofadr[0])) for name, j in joints]
        self.v_order = self._order([(x, range(subject.robot.nv)[x], at) for x, at in places])

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

    @staticmethod
    def _order(places: list[tuple[slice, range, int]]) -> list[int]:
        """Where its variables stand among ours."""
        return [i for _, own, _ in sorted(places, key=lambda x: x[2]) for i in own]

    def _translated(self, states: States) -> tuple[list[Any], Any]:
        """Its q, v, a and forces (batch, n), and T (batch, nv, nv) from our velocities to its."""
        T = np.broadcast_to(np.eye(self.model.nv)[self.v_order], (len(states), self.model.nv, self.model.nv)).copy()
        drift = np.zeros_like(states.v)
        if self.subject.base == "free":
            own, R = self.subject.robot.v_slice("floating_base"), so3.from_quaternion(states.q[:, 3:7])
            T[:, :6, own] = 0
            T[:, :3, own.start + 3 : own.stop] = R
            T[:, 3:6, own.start : own.start + 3] = np.eye(3)
            w, u = states.v[:, own][:, :3], states.v[:, own][:, 3:]
            drift[:, :3] = np.einsum("bij,bj->bi", R, np.cross(w, u))
        v, a = np.einsum("bij,bj->bi", T, states.v), np.einsum("bij,bj->bi", T, states.a) + drift
        tau = np.linalg.solve(np.swapaxes(T, 1, 2), states.tau[..., None])[..., 0]
        return [states.q[:, self.q_order], v, a, tau], T

    def _rows(self, task: Task, states: States) -> tuple[list[tuple[Any, ...]], Any]:
        """What the code of a task takes, state by state."""
        if task.name not in _CODE:
            raise Unsupported("has finite differences only" if "derivatives" in task.name else "has no such function")
        arrays, T = self._translated(states)
        chosen = dict(zip(("q", "v", "a", "tau"), arrays, strict=True))
        return list(zip(*(chosen[name] for name in task.arguments), strict=True)), T

    def _names(self, task: Task) -> dict[str, Any]:
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

    def results(self, task: Task, states: States) -> tuple[Any, ...]:
        """State by state, or all steps of all states."""
        if isinstance(task, Rollout):
            return self._steps(task, states)
        rows, T = self._rows(task, states)
        names, found = self._names(task), []
        for x, T_k, v in zip(rows, T, states.v, strict=True):
            exec(_CODE[task.name], {**names, "x": x})
            if task.name == "inverse_dynamics":
                found.append(T_k.T @ self.data.qfrc_inverse)
            elif task.name == "mass_matrix":
                found.append(T_k.T @ names["M"] @ T_k)
            elif task.name == "jacobian":
                found.append(np.roll(names["both"], 3, axis=0) @ T_k)
            else:
                found.append(np.linalg.solve(T_k, self.data.qacc - self._drift(T_k, v)))
        return (np.array(found),)

    def _rolled(self, task: Rollout, states: States) -> tuple[Rolled, tuple[Any, Any, Any]]:
        """Its model, and where and under which forces it starts."""
        q, v = self._translated(states)[0][:2]
        tau = self.subject.inputs(task, states)["tau"]  # zeros, in any order
        return Rolled(self.mujoco, self.model, task, self.subject.base == "free"), (q, v, tau)

    def _steps(self, task: Rollout, states: States) -> tuple[Any, Any]:
        """q and v (batch, steps, n) in our order."""
        rolled, start = self._rolled(task, states)
        q, v = rolled.states(*start)
        own = q[..., np.argsort(self.q_order)]
        zero = np.zeros((len(states) * v.shape[1], v.shape[2]))
        T = self._translated(States(own.reshape(-1, own.shape[-1]), zero, zero, zero))[1]
        return own, np.linalg.solve(T, v.reshape(*zero.shape, 1)).reshape(v.shape)

    def _drift(self, T: Any, v: Any) -> Any:
        """The part of its acceleration that is ours for a = 0."""
        drift = np.zeros(self.model.nv)
        if self.subject.base == "free":
            own = self.subject.robot.v_slice("floating_base")
            w, u = v[own][:3], v[own][3:]
            drift[:3] = T[:3, own.start + 3 : own.stop] @ np.cross(w, u)
        return drift

    def one_call(self, task: Task, states: States) -> dict[str, Run]:
        """Setting the state, and the call."""
        if isinstance(task, Rollout):
            return self.batch(task, states.first(1), 1)
        rows, _ = self._rows(task, states.first(1))
        return {COLUMN: Run(_CALLED[task.name], _CODE[task.name], {**self._names(task), "x": rows[0]}, 1)}

    def batch(self, task: Task, states: States, threads: int) -> dict[str, Run]:
        """The same for every state; loops over time on any number of threads."""
        if isinstance(task, Rollout):
            rolled, start = self._rolled(task, states)
            return {ROLLED: rolled.run(*start, threads)}
        if threads != 1:
            return {}
        rows, _ = self._rows(task, states.first(LOOP))
        code = f"for x in rows: {_CODE[task.name]}"
        return {COLUMN: Run(_CALLED[task.name], code, {**self._names(task), "rows": rows}, len(rows))}
