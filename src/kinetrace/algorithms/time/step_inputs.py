"""Inputs of one step in time: joint forces and `ExternalInputs`, and wrenches that are functions of the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...engine.derivative import jacobian
from ...model.model import Model
from ..dynamics.external_inputs import ExternalInputs
from ..dynamics.external_wrenches import FrameWrenches, wrench_forces

WrenchFunction = Callable[[Model, Array, Array, Array], FrameWrenches]
"""(model, t, q, v) → wrenches (6,) by frame names."""


class Feedback(NamedTuple):
    """How joint forces change with the state: T_q, along q ⊕ ε, and T_v (nv, nv)."""

    by_q: Array
    by_v: Array


class StepInputs(NamedTuple):
    """Joint forces (nv,) at the beginning of a step, and external inputs then."""

    tau: Array
    external: ExternalInputs
    wrench_function: Callable[[Array, Array, Array], FrameWrenches] | None = None
    """Further wrenches, a function of the time since the step began, q (nq,) and v (nv,)."""
    feedback: Feedback | None = None
    """How the joint forces change during the step, for methods that can use it; without it they are constant."""

    @classmethod
    def from_tuple(cls, fields: tuple[Any, ...]) -> StepInputs:
        """The same from plain tuples, as functions under differentiation receive them."""
        tau, external, wrench_function, feedback = fields
        feedback = feedback if feedback is None else Feedback._make(feedback)
        return cls(tau, ExternalInputs._make(external), wrench_function, feedback)

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
