"""One step of a rollout: an integrator, the inputs that go on, and the projection on closed loops."""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Array
from ...errors import lookup
from ...model.model import Model
from ..closed.projection import closed_state
from ..registry.choices import StepMethod
from .external_inputs import CarriedInputs, RolloutInputs, StepInputs, StepRow
from .integrators import METHODS

Carry = tuple[Array, Array, CarriedInputs]
"""q, v, and the inputs that change from step to step."""


class StepRule(NamedTuple):
    """How a rollout steps."""

    model: Model
    dt: Array
    method: StepMethod
    inputs: RolloutInputs
    project: bool
    """Whether states are projected on closed loops after each step."""

    def after(self, state: Carry, row: StepRow, of_step: StepInputs) -> Carry:
        """The state and what is carried after a step."""
        q, v, carried = state
        model = self.inputs.model_of_step(self.model, carried)
        q, v = lookup("method", self.method, METHODS)(model, q, v, self.dt, of_step)
        carried = self.inputs.carried_after(self.model, carried, row, self.dt)
        if self.project and model.closures:
            q, v = closed_state(model, q, v, carried.drive)
        return q, v, carried
