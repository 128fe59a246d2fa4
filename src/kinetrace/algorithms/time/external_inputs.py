"""External inputs of the dynamics: a moving base, wrenches on frames, driven closures; at a time, or over steps.

    ExternalInputs   at one instant, and how they go on; what `forward_dynamics` takes
    StepInputs       with the joint forces of one step in time, and wrenches that are functions of the state
    RolloutInputs    for many steps; CarriedInputs are those of them that change from step to step

Bases and closures that are driven move with twists V + t V̇ in their own frames, so that their poses change by

    exp(t V + t²/2 V̇ + t³/12 [V, V̇]) + O(t⁵)        (the series of Magnus)

A step begins with the base in the axes of the world. The next one begins with the base as it is then, so gravity is
carried along in the base's axes, and with it all that changes at the given rates:

    g⁺ = g R,      V⁺ = V + h V̇,      R = exp(h ω + …)

Wrenches are constant, or functions of the time and the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, stack
from ...engine.derivative import jacobian
from ...lie import ad, se3, so3
from ...linalg import dense
from ...linalg.sparse import tree_solve
from ...model.model import Model
from ..closed.closure_paths import Drive, displacement
from ..dynamics.external_wrenches import FrameWrenches, wrench_forces
from ..dynamics.inverse_dynamics import inverse_dynamics

WrenchFunction = Callable[[Model, Array, Array, Array], FrameWrenches]
"""(model, t, q, v) → wrenches (6,) by frame names."""


class ExternalInputs(NamedTuple):
    """Inputs besides joint forces: a moving base, wrenches by frame names, closures that are driven."""

    base_velocity: Array | None
    base_acceleration: Array | None
    wrench: FrameWrenches | None
    drive: Drive = None

    @property
    def of_tree(self) -> dict[str, Any]:
        """The keywords of `inverse_dynamics`: all but the drive."""
        return {"base_velocity": self.base_velocity, "base_acceleration": self.base_acceleration, "wrench": self.wrench}

    def bias(self, model: Model, q: Array, v: Array) -> Array:
        """The joint forces that keep v̇ = 0."""
        return inverse_dynamics(model, q, v, np.zeros(model.nv), **self.of_tree)

    def after(self, model: Model, t: Array) -> ExternalInputs:
        """The inputs after the time t () of constant V̇ and constant wrenches; gravity turns as seen from the base."""
        if type(t) is float and t == 0.0:
            return self
        drive = self.drive_after(model, t)
        if self.base_velocity is None and self.base_acceleration is None:
            return self._replace(drive=drive)
        V, R = self.base_after(t)
        turned = concatenate([np.zeros(3), model.gravity - model.gravity @ R])
        dV = turned if self.base_acceleration is None else self.base_acceleration + turned
        return ExternalInputs(V, dV, self.wrench, drive)

    def drive_after(self, model: Model, t: Array) -> Drive:
        """The drive after the time t."""
        return {name: _closure_drive_after(model, name, x, t) for name, x in (self.drive or {}).items()} or None

    def base_after(self, t: Array) -> tuple[Array, Array]:
        """The twist (6,) of the base after the time t, and its rotation (3, 3) since."""
        V, dV = (np.zeros(6) if x is None else x for x in (self.base_velocity, self.base_acceleration))
        return V + t * dV, so3.exp(_log_of_motion(V, dV, t)[:3])


def _log_of_motion(V: Array, dV: Array, t: Array) -> Array:
    """The logarithm (6,) of the change of the pose in the time t."""
    return t * V + t * t / 2.0 * dV + t * t * t / 12.0 * ad(V, dV)


def _closure_drive_after(model: Model, name: str, motion: Array, t: Array) -> Array:
    """The prescribed motion (3, k) of a closure, after the time t."""
    x, V, dV = motion
    if model.closures[list(model.closure_slices).index(name)].terms:  # a coupling's offset and its rates
        return stack([x + t * V + t * t / 2.0 * dV, V + t * dV, dV], axis=0)
    X = displacement(x) @ se3.exp(_log_of_motion(V, dV, t))
    return stack([concatenate([so3.log(se3.rotation(X)), se3.translation(X)]), V + t * dV, dV], axis=0)


class Feedback(NamedTuple):
    """How joint forces change with the state: T_q, along q ⊕ ε, and T_v (nv, nv)."""

    by_q: Array
    by_v: Array


class StepInputs(NamedTuple):
    """Joint forces (nv,) at the beginning of a step, external inputs then, and stabilisation of closures."""

    tau: Array
    external: ExternalInputs
    stabilisation: Array | None = None
    wrench_function: Callable[[Array, Array, Array], FrameWrenches] | None = None
    """Further wrenches, a function of the time since the step began, q (nq,) and v (nv,)."""
    feedback: Feedback | None = None
    """How the joint forces change during the step, for methods that can use it; without it they are constant."""

    @classmethod
    def from_tuple(cls, fields: tuple[Any, ...]) -> StepInputs:
        """The same from plain tuples, as functions under differentiation receive them."""
        return cls(fields[0], ExternalInputs(*fields[1]), *fields[2:4])

    def forces_after(self, h: Array, v: Array) -> Array:
        """Joint forces (nv,) after the time h at constant velocity v (nv,)."""
        return self.tau if self.feedback is None else self.tau + h * (self.feedback.by_q @ v)

    def forces_during(self, h: Array, v: Array, v_after: Array) -> Array:
        """Joint forces (nv,) of a step of the time h, which changes the velocity from v (nv,) to another one."""
        return self.tau if self.feedback is None else self.forces_after(h, v_after) + self.feedback.by_v @ (v_after - v)

    def external_at(self, model: Model, q: Array, v: Array, t: Array) -> ExternalInputs:
        """The external inputs at the time t since the step began, with all wrenches at the state q, v."""
        external = self.external.after(model, t)
        if self.wrench_function is None:
            return external
        return external._replace(wrench={**(external.wrench or {}), **self.wrench_function(t, q, v)})

    def state_wrench_forces(self, model: Model, q: Array, v: Array, t: Array) -> tuple[Array, Array, Array]:
        """Σ J_fᵀ F_f (nv,) of the wrenches that are functions of the state, T_q and T_v (nv, nv) of them; or zeros."""
        wrench_function = self.wrench_function
        if wrench_function is None:
            return np.zeros(model.nv), *np.zeros((2, model.nv, model.nv))

        def forces(model: Model, q: Array, v: Array) -> Array:
            return wrench_forces(model, q, wrench_function(t, q, v))

        return forces(model, q, v), *jacobian(forces, wrt=("q", "v"))(model, q, v)

    def with_feedback(self, model: Model, q: Array, v: Array, t: Array) -> tuple[Array, Array, Array]:
        """The `state_wrench_forces`, and T_q and T_v of them and of the joint forces together."""
        forces, T_q, T_v = self.state_wrench_forces(model, q, v, t)
        by_q, by_v = self.feedback or (0.0, 0.0)
        return forces, by_q + T_q, by_v + T_v

    def solver(self, W: Array) -> Callable[[Array], Array]:
        """b (nv,) → W⁻¹ b, W (nv, nv) being M and slopes of forces: symmetric, unless wrenches depend on the state."""
        return partial(dense.solve, dense.factor(W)) if self.wrench_function is None else partial(tree_solve, W)


class CarriedInputs(NamedTuple):
    """The inputs that have changed by the beginning of a step; None where nothing changes, or rows are given."""

    base_velocity: Array | None
    drive: Drive
    gravity: Array | None


StepRow = tuple[Array | None, Array | None, Array | None]
"""The inputs that are given for each step: twist of the base, its rate, and when it begins."""


class RolloutInputs(NamedTuple):
    """Keywords of `step` besides joint forces, at the first step; a base's motion may be rows (t, 6), one per step."""

    base_velocity: Array | None = None
    base_acceleration: Array | None = None
    wrench: FrameWrenches | None = None
    drive: Drive = None
    stabilisation: Array | None = None
    wrench_function: WrenchFunction | None = None
    """Wrenches that are functions of the state, besides the others."""
    times: Array | None = None
    """When each step begins (t,), for these functions."""

    @property
    def rows(self) -> StepRow:
        """The inputs of each step, in rows for all of them."""
        V, dV = (x if has_rows(x) else None for x in self[:2])
        return V, dV, None if self.wrench_function is None else self.times

    def initial(self, model: Model) -> CarriedInputs:
        """The carried inputs at the beginning."""
        if self.base_velocity is None and self.base_acceleration is None:
            return CarriedInputs(None, self.drive, None)
        V = np.zeros(6) if self.base_velocity is None else self.base_velocity
        return CarriedInputs(None if has_rows(V) else V, self.drive, model.gravity)

    def external(self, carried: CarriedInputs, row: StepRow) -> ExternalInputs:
        """The external inputs at the beginning of a step."""
        V, dV = carried.base_velocity if row[0] is None else row[0], row[1]
        steady = None if has_rows(self.base_acceleration) else self.base_acceleration
        return ExternalInputs(V, steady if dV is None else dV, self.wrench, carried.drive)

    def step_inputs(self, model: Model, carried: CarriedInputs, row: StepRow, tau: Array) -> StepInputs:
        """All inputs of a step under joint forces (nv,)."""
        external, wrench_function, begin = self.external(carried, row), self.wrench_function, row[2]
        if wrench_function is None:
            return StepInputs(tau, external, self.stabilisation)
        return StepInputs(tau, external, self.stabilisation, lambda t, q, v: wrench_function(model, begin + t, q, v))

    def model_of_step(self, model: Model, carried: CarriedInputs) -> Model:
        """The model with gravity in the base's axes."""
        return model if carried.gravity is None else replace(model, gravity=carried.gravity)

    def carried_after(self, model: Model, carried: CarriedInputs, row: StepRow, dt: Array) -> CarriedInputs:
        """The carried inputs after a step that begins with these."""
        external = self.external(carried, row)
        drive = external.drive_after(model, dt)
        if carried.gravity is None:
            return CarriedInputs(None, drive, None)
        V, R = external.base_after(dt)
        return CarriedInputs(None if carried.base_velocity is None else V, drive, carried.gravity @ R)


def has_rows(x: Any) -> bool:
    """Whether an array has a row for each step."""
    return x is not None and len(x.shape) > 1
