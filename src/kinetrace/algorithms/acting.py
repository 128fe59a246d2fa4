"""All that acts on a robot during a step in time, and the accelerations that follow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..derivative import jacobian
from ..linalg import dense
from ..linalg.sparse import tree_solve
from ..model.model import Model
from .explicit import System
from .external import FrameWrenches, wrench_forces
from .forward_dynamics import forward_dynamics
from .inputs import ExternalInputs


class Feedback(NamedTuple):
    """How joint forces change with the state: T_q, along q ⊕ ε, and T_v (nv, nv)."""

    by_q: Array
    by_v: Array


class LinearForces(NamedTuple):
    """Joint forces τ (nv,) at a state, and how they change with it: T_q, along q ⊕ ε, and T_v (nv, nv)."""

    tau: Array
    by_q: Array
    by_v: Array


class Acting(NamedTuple):
    """Joint forces (nv,) at the beginning of a step, other inputs then, and stabilisation of closures."""

    tau: Array
    given: ExternalInputs
    stabilisation: Array | None = None
    wrenches_of: Callable[[Array, Array, Array], FrameWrenches] | None = None
    """Further wrenches, a function of the time since the step began, q (nq,) and v (nv,)."""
    feedback: Feedback | None = None
    """How the joint forces change during the step, for methods that can use it; without it they are constant."""

    @classmethod
    def of(cls, parts: tuple[Any, ...]) -> Acting:
        """The same from plain tuples, as functions under differentiation receive them."""
        return cls(parts[0], ExternalInputs(*parts[1]), *parts[2:4])

    def predicted(self, h: Array, v: Array) -> Array:
        """Joint forces (nv,) after the time h at constant velocity v (nv,)."""
        return self.tau if self.feedback is None else self.tau + h * (self.feedback.by_q @ v)

    def during(self, h: Array, v: Array, after: Array) -> Array:
        """Joint forces (nv,) of a step of the time h, which changes the velocity from v (nv,) to another one."""
        return self.tau if self.feedback is None else self.predicted(h, after) + self.feedback.by_v @ (after - v)

    def at(self, model: Model, q: Array, v: Array, t: Array) -> ExternalInputs:
        """What acts at the time t since the step began, with all wrenches at the state q, v."""
        now = self.given.later(model, t)
        if self.wrenches_of is None:
            return now
        return now._replace(wrench={**(now.wrench or {}), **self.wrenches_of(t, q, v)})

    def acceleration(self, model: Model, q: Array, v: Array, t: Array) -> Array:
        """v̇ (nv,) at the time t since the step began."""
        now = self.at(model, q, v, t)._asdict()
        return forward_dynamics(model, q, v, self.tau, stabilisation=self.stabilisation, **now)

    def outer_forces(self, model: Model, q: Array, v: Array, t: Array) -> LinearForces:
        """Σ J_fᵀ F_f of the wrenches that are functions of the state, at the time t since the step began; or zeros."""
        wrenches_of = self.wrenches_of
        if wrenches_of is None:
            return LinearForces(np.zeros(model.nv), *np.zeros((2, model.nv, model.nv)))

        def forces(model: Model, q: Array, v: Array) -> Array:
            return wrench_forces(model, q, wrenches_of(t, q, v))

        return LinearForces(forces(model, q, v), *jacobian(forces, wrt=("q", "v"))(model, q, v))

    def linearised(self, model: Model, q: Array, v: Array, t: Array) -> LinearForces:
        """The same, and how they and the joint forces together change with the state."""
        tau, T_q, T_v = self.outer_forces(model, q, v, t)
        by_q, by_v = self.feedback or (0.0, 0.0)
        return LinearForces(tau, by_q + T_q, by_v + T_v)

    def solver(self, W: Array) -> Callable[[Array], Array]:
        """b (nv,) → W⁻¹ b, W (nv, nv) being M and slopes of forces: symmetric, unless wrenches depend on the state."""
        return partial(dense.solve, dense.factor(W)) if self.wrenches_of is None else partial(tree_solve, W)

    def system(self, model: Model) -> System:
        """The robot in its own velocities."""
        return System(model.integrate, model.bracket, lambda q, v, t: self.acceleration(model, q, v, t))
