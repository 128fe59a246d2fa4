"""All that acts on a robot during a step in time, and the accelerations that follow."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays import Array
from ..model.model import Model
from .explicit import System
from .forward_dynamics import forward_dynamics
from .inputs import ExternalInputs


class Acting(NamedTuple):
    """Joint forces (nv,), constant during the step, other inputs at its beginning, and stabilisation of closures."""

    tau: Array
    given: ExternalInputs
    stabilisation: Array | None = None

    @classmethod
    def of(cls, parts: tuple[Any, ...]) -> Acting:
        """The same from plain tuples, as functions under differentiation receive them."""
        return cls(parts[0], ExternalInputs(*parts[1]), parts[2])

    def acceleration(self, model: Model, q: Array, v: Array, t: Array) -> Array:
        """v̇ (nv,) at the time t since the step began."""
        now = self.given.later(model, t)._asdict()
        return forward_dynamics(model, q, v, self.tau, stabilisation=self.stabilisation, **now)

    def system(self, model: Model) -> System:
        """The robot in its own velocities."""
        return System(model.integrate, model.bracket, lambda q, v, t: self.acceleration(model, q, v, t))
