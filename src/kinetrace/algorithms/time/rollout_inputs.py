"""External inputs along a rollout: given once, or in rows, one per step, or carried from step to step.

    RolloutInputs    for many steps, of which each has its `StepInputs`
    CarriedInputs    those of them that change from step to step

A step begins with the base in the axes of the world. The next one begins with the base as it is then, so gravity is
carried along in the base's axes, and with it all that changes at the given rates:

    g⁺ = g R,      V⁺ = V + h V̇,      R = exp(h ω + …)

Wrenches are constant, or functions of the time and the state.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, tree_leaves
from ...model.model import Model
from ..dynamics.external_inputs import ExternalInputs
from .step_inputs import StepInputs, WrenchFunction


class CarriedInputs(NamedTuple):
    """The inputs that have changed by the beginning of a step."""

    external: ExternalInputs
    """Those that go on by themselves; None where nothing changes, or rows are given."""
    gravity: Array | None
    """(3,) in the axes of a base that moves."""


class StepRow(NamedTuple):
    """The inputs that are given for each step, and when it begins, if a function asks for that."""

    external: ExternalInputs
    begin: Array | None


class RolloutInputs(NamedTuple):
    """Inputs of many steps besides joint forces."""

    external: ExternalInputs
    """At the first step; those in `ROWS` may have rows, one per step."""
    wrench_function: WrenchFunction | None = None
    """Wrenches that are functions of the state, besides the others."""
    times: Array | None = None
    """When each step begins (t,), for these functions."""

    @property
    def by_rows(self) -> StepRow:
        """The inputs of each step, in rows for all of them."""
        given = {name: x for name, x in self.external._asdict().items() if has_rows(name, x)}
        return StepRow(ExternalInputs(**given), None if self.wrench_function is None else self.times)

    def initial(self, model: Model) -> CarriedInputs:
        """The carried inputs at the beginning."""
        given, by_rows = self.external, self.by_rows.external
        drive = given.drive if by_rows.drive is None else None
        if not given.moves_base:
            return CarriedInputs(ExternalInputs(drive=drive), None)
        V = np.zeros(6) if given.base_velocity is None else given.base_velocity
        return CarriedInputs(
            ExternalInputs(base_velocity=None if by_rows.base_velocity is not None else V, drive=drive), model.gravity
        )

    def at(self, carried: CarriedInputs, row: StepRow) -> ExternalInputs:
        """The external inputs at the beginning of a step."""
        return row.external.or_else(carried.external).or_else(self.external)

    def step_inputs(self, model: Model, carried: CarriedInputs, row: StepRow, tau: Array) -> StepInputs:
        """All inputs of a step under joint forces (nv,)."""
        external, wrench_function, begin = self.at(carried, row), self.wrench_function, row.begin
        if wrench_function is None:
            return StepInputs(tau, external)
        return StepInputs(tau, external, lambda t, q, v: wrench_function(model, begin + t, q, v))

    def model_of_step(self, model: Model, carried: CarriedInputs) -> Model:
        """The model with gravity in the base's axes."""
        return model if carried.gravity is None else replace(model, gravity=carried.gravity)

    def carried_after(self, model: Model, carried: CarriedInputs, row: StepRow, dt: Array) -> CarriedInputs:
        """The carried inputs after a step that begins with these."""
        now, gravity = self.at(carried, row), carried.gravity
        after = now._replace(drive=now.drive_after(model, dt))
        if gravity is not None:
            V, R = now.base_after(dt)
            after, gravity = after._replace(base_velocity=V), gravity @ R
        kept = zip(after, carried.external, strict=True)
        return CarriedInputs(ExternalInputs(*(None if x is None else new for new, x in kept)), gravity)


ROWS = {"base_velocity": 1, "base_acceleration": 1, "drive": 2}
"""Inputs that may have a row for each step → axes of one row."""


def has_rows(name: str, x: Any) -> bool:
    """Whether an input has a row for each step."""
    return name in ROWS and any(len(leaf.shape) > ROWS[name] for leaf in tree_leaves(x))
