"""All that acts on a robot during a step in time, and the accelerations that follow."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays import Array
from ..derivative import jacobian
from ..model.model import Model
from .explicit import System
from .external import wrench_forces
from .forward_dynamics import forward_dynamics
from .inputs import ExternalInputs


class Feedback(NamedTuple):
    """How the joint forces of a law change with the state: T_q, along q ⊕ ε, and T_v (nv, nv)."""

    by_q: Array
    by_v: Array


class Pushed(NamedTuple):
    """Joint forces Σ J_fᵀ F_f (nv,) of wrenches that are functions of the state, and how they change with it."""

    tau: Array
    slopes: Feedback


class Acting(NamedTuple):
    """Joint forces (nv,) at the beginning of a step, other inputs then, and stabilisation of closures."""

    tau: Array
    given: ExternalInputs
    stabilisation: Array | None = None
    feedback: Feedback | None = None
    """How the joint forces change during the step, for methods that can use it; without it they are constant."""

    @classmethod
    def of(cls, parts: tuple[Any, ...]) -> Acting:
        """The same from plain tuples, as functions under differentiation receive them."""
        return cls(parts[0], ExternalInputs(*parts[1]), parts[2])

    def predicted(self, h: Array, v: Array) -> Array:
        """Joint forces (nv,) after the time h at constant velocity v (nv,)."""
        return self.tau if self.feedback is None else self.tau + h * (self.feedback.by_q @ v)

    def during(self, h: Array, v: Array, after: Array) -> Array:
        """Joint forces (nv,) of a step of the time h, which changes the velocity from v (nv,) to another one."""
        return self.tau if self.feedback is None else self.predicted(h, after) + self.feedback.by_v @ (after - v)

    def acceleration(self, model: Model, q: Array, v: Array, t: Array) -> Array:
        """v̇ (nv,) at the time t since the step began."""
        now = self.given.at(model, t, q, v)._asdict()
        return forward_dynamics(model, q, v, self.tau, stabilisation=self.stabilisation, **now)

    def pushed(self, model: Model, q: Array, v: Array, t: Array) -> Pushed | None:
        """The joint forces of wrenches at the time t since the step began; None if they are constant in their frames.

        Methods that use derivatives take them for the wrenches, of which `constant` has none then.
        """
        if not callable(self.given.wrench):
            return None

        def forces(model: Model, q: Array, v: Array) -> Array:
            return wrench_forces(model, q, self.given.wrenches(t, q, v) or {})

        slopes = jacobian(forces, wrt=("q", "v"))(model, q, v)
        return Pushed(forces(model, q, v), Feedback(*slopes))

    def constant(self, model: Model, t: Array) -> ExternalInputs:
        """What acts at the time t since the step began, but for wrenches that are functions of the state."""
        now = self.given.later(model, t)
        return now._replace(wrench=None) if callable(now.wrench) else now

    def system(self, model: Model) -> System:
        """The robot in its own velocities."""
        return System(model.integrate, model.bracket, lambda q, v, t: self.acceleration(model, q, v, t))
