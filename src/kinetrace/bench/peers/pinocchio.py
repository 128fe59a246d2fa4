"""Pinocchio: its Python functions in a loop, and its parallel ones where it has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ModelError
from ...interop import pinocchio as interop
from ...interop.pinocchio_model import joint_tree
from ...model import Closure, Model
from ...model.constraints import Contact, Point, Rigid
from ...support.threads import cores
from ..measure import Run
from ..tasks import BenchStates, BenchTask, Subject
from . import LOOP_STATES, Peer, Unsupported

LOOP_COLUMN, PARALLEL_COLUMN = "Pinocchio loop", "Pinocchio parallel"

_FUNCTIONS = {
    "inverse_dynamics": "rnea",
    "forward_dynamics": "aba",
    "mass_matrix": "crba",
    "coriolis_matrix": "computeCoriolisMatrix",
    "jacobian": "computeFrameJacobian",
    "inverse_dynamics_derivatives": "computeRNEADerivatives",
    "forward_dynamics_derivatives": "computeABADerivatives",
}
_CLOSED_FUNCTIONS = {
    "forward_dynamics": "constraintDynamics",
    "forward_dynamics_derivatives": "constraintDynamics, computeConstraintDynamicsDerivatives",
}
"""The same of robots with closed loops."""
_RATE_TASKS = ("coriolis_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")
"""Tasks that need the rates at which axes turn in their bodies; for universal joints Pinocchio leaves them out."""
_PARALLEL_FUNCTIONS = {"inverse_dynamics": "rneaInParallel", "forward_dynamics": "abaInParallel"}


class PinocchioPeer(Peer):
    """One robot in Pinocchio, which reads the same file.

    Its six-vectors are linear first, and its quaternions (x, y, z, w); what is left is the order of the joints.
    """

    name, module, package = "Pinocchio", "pinocchio", "pin"

    def __init__(self, subject: Subject) -> None:
        import pinocchio as pin

        robot, self.pin = subject.robot, pin
        self.model, at = self._read(subject) if subject.path else self._convert(subject)
        if (self.model.nq, self.model.nv) != (robot.nq, robot.nv):
            raise Unsupported("its variables are not ours (continuous or mimic joints)")
        self.model.armature[:] = 0.0  # JOINT_EFFECTS: what else a file has, its functions leave out
        self.data, self.pool = self.model.createData(), pin.ModelPool(self.model, cores())
        self.frame = self.model.getFrameId(subject.frame, pin.FrameType.BODY) if subject.path else None
        self.q_order = interop.q(robot, self.model, np.arange(robot.nq)).astype(int)
        self.v_order = interop.v(robot, self.model, robot.neutral(), np.arange(robot.nv)).astype(int)
        self.closed = bool(robot.model.closures)
        if self.closed:
            self.closures = constraints(pin, self.model, robot.model, at)
            self.settings = pin.ProximalSettings(1e-12, 1e-12, 1)
            self.closure_data = pin.StdVec_RigidConstraintData()
            for closure in self.closures:
                self.closure_data.append(closure.createData())
            pin.initConstraintDynamics(self.model, self.data, self.closures, self.closure_data)

    def _read(self, subject: Subject) -> tuple[Any, dict[int, Any]]:
        root = (self.pin.JointModelFreeFlyer(), "floating_base") if subject.base == "free" else ()
        try:
            return self.pin.buildModelFromUrdf(str(subject.path), *root), {}
        except ValueError as error:
            raise Unsupported(f"refuses the file: {' '.join(str(error).split())}") from None

    def _convert(self, subject: Subject) -> tuple[Any, dict[int, Any]]:
        try:
            return joint_tree(self.pin, subject.robot.model)
        except ModelError as error:
            raise Unsupported(str(error)) from None

    def _function(self, task: BenchTask) -> tuple[str, Any]:
        """Pinocchio's name of the task, and a function of (model, data, the state...)."""
        if task.name in _RATE_TASKS and any(joint.shortname() == "JointModelUniversal" for joint in self.model.joints):
            raise Unsupported("with universal joints, its results are not those of differences of its own rnea")
        if task.name == "forward_dynamics_derivatives" and self.closed and self._has_balls():
            raise Unsupported("where closed balls come apart, its accelerations are others, and so are derivatives")
        name = _FUNCTIONS[task.name]
        if not self.closed or task.name not in _CLOSED_FUNCTIONS:
            return name, getattr(self.pin, name)
        return _CLOSED_FUNCTIONS[task.name], getattr(self, "_" + task.name)

    def _has_balls(self) -> bool:
        return any(closure.type == self.pin.ContactType.CONTACT_3D for closure in self.closures)

    def _forward_dynamics(self, model: Any, data: Any, q: Any, v: Any, tau: Any) -> Any:
        return self.pin.constraintDynamics(model, data, q, v, tau, self.closures, self.closure_data, self.settings)

    def _forward_dynamics_derivatives(self, model: Any, data: Any, q: Any, v: Any, tau: Any) -> Any:
        self._forward_dynamics(model, data, q, v, tau)
        self.pin.computeConstraintDynamicsDerivatives(model, data, self.closures, self.closure_data, self.settings)
        return data.ddq_dq, data.ddq_dv

    def _inputs(self, task: BenchTask, states: BenchStates) -> list[Any]:
        """Arrays (batch, n) in its order."""
        orders = [self.q_order if name == "q" else self.v_order for name in task.arguments]
        return [x[:, order] for x, order in zip(states.of(task), orders, strict=True)]

    def _further(self, task: BenchTask) -> tuple[Any, ...]:
        """The arguments after the state."""
        if not task.about_a_frame:
            return ()
        if self.frame is None:
            raise Unsupported("the frames of closed robots")
        return self.frame, self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def results(self, task: BenchTask, states: BenchStates) -> tuple[Any, ...]:
        """State by state, with its own function; of derivatives the two that are not symmetric."""
        (_, function), back = self._function(task), np.argsort(self.v_order)
        rows: list[Any] = []
        for x in zip(*self._inputs(task, states), strict=True):
            y = function(self.model, self.data, *map(np.ascontiguousarray, x), *self._further(task))
            if task.name == "mass_matrix":
                y = np.triu(y) + np.triu(y, 1).T
            rows.append([np.array(part) for part in (y[:2] if isinstance(y, tuple) else (y,))])
        parts = [np.array(part) for part in zip(*rows, strict=True)]
        if task.about_a_frame:
            return (np.roll(parts[0], 3, axis=1)[..., back],)
        return tuple(part[:, back][..., back] if part.ndim == 3 else part[:, back] for part in parts)

    def one_call(self, task: BenchTask, states: BenchStates) -> dict[str, Run]:
        """`pin.rnea(model, data, q, v, a)` and its like."""
        xs = [x[0].copy() for x in self._inputs(task, states.first(1))]
        further = self._further(task)
        names = {f"x{k}": x for k, x in enumerate((*xs, *further))}
        name, function = self._function(task)
        code = f"f(model, data, {', '.join(names)})"
        known = {"f": function, "model": self.model, "data": self.data}
        return {LOOP_COLUMN: Run(f"pin.{name}", code, {**known, **names}, 1)}

    def batch(self, task: BenchTask, states: BenchStates, threads: int) -> dict[str, Run]:
        """A loop in Python on one thread; the parallel function, which wants (n, batch) in Fortran order, on any."""
        runs = {}
        if task.name in _PARALLEL_FUNCTIONS and not self.closed:
            function = _PARALLEL_FUNCTIONS[task.name]
            xs = {f"x{k}": np.asfortranarray(x.T) for k, x in enumerate(self._inputs(task, states))}
            known = {"f": getattr(self.pin, function), "pool": self.pool, "out": np.empty_like(xs["x1"], order="F")}
            code = f"f({threads}, pool, {', '.join(xs)}, out)"
            runs[PARALLEL_COLUMN] = Run(f"pin.{function}", code, {**known, **xs}, len(states))
        if threads == 1:
            few = states.first(LOOP_STATES)
            rows = [tuple(map(np.array, x)) for x in zip(*self._inputs(task, few), strict=True)]
            (name, function), further = self._function(task), self._further(task)
            known = {"f": function, "model": self.model, "data": self.data, "rows": rows}
            code = f"for x in rows: f(model, data, *x{', *further' if further else ''})"
            runs[LOOP_COLUMN] = Run(f"pin.{name}", code, {**known, "further": further}, len(rows))
        return runs


def constraints(pin: Any, made: Any, model: Model, at: dict[int, tuple[int, Any]]) -> Any:
    """Its constraint models of our closures."""
    models = pin.StdVec_RigidConstraintModel()
    for closure in model.closures:
        sides = [(at[f.body][0], pin.SE3(at[f.body][1] @ f.X_bf)) for f in closure.frames]
        (a, X_a), (b, X_b) = sides
        models.append(pin.RigidConstraintModel(_type(pin, closure), made, b, X_b, a, X_a, pin.ReferenceFrame.LOCAL))
    return models


def _type(pin: Any, closure: Closure) -> Any:
    constraint = closure.constraint.inner if isinstance(closure.constraint, Contact) else closure.constraint
    if closure.terms or constraint not in (Point(), Rigid()):
        raise Unsupported("loops that are closed by other than balls and welds")
    return pin.ContactType.CONTACT_3D if constraint == Point() else pin.ContactType.CONTACT_6D
