"""What acts from step to step besides joint forces: a base that moves on, closures that are driven on.

A step begins with the base in the axes of the world. What follows it begins with the base as it is then, so gravity is
carried along in the base's axes, and with it all that changes at the given rates:

    g⁺ = g R,      V⁺ = V + h V̇,      R = exp(h ω + …)        (`inputs`)

Wrenches are constant, or functions of the time and the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..model.model import Model
from .acting import Acting
from .closure_paths import Drive
from .external import FrameWrenches
from .inputs import ExternalInputs

WrenchFunction = Callable[[Model, Array, Array, Array], FrameWrenches]
"""(model, t, q, v) → wrenches (6,) by frame names."""


class Now(NamedTuple):
    """What has changed by the beginning of a step; None where nothing changes, or rows are given."""

    base_velocity: Array | None
    drive: Drive
    gravity: Array | None


class Row(NamedTuple):
    """What is given for a step, or for all of them in rows: twist of the base, its rate, and when it begins."""

    base_velocity: Array | None
    base_acceleration: Array | None
    t: Array | None


class Surroundings(NamedTuple):
    """What `step` takes besides joint forces, at the first step; a base's motion may be rows (t, 6), one per step."""

    base_velocity: Array | None
    base_acceleration: Array | None
    wrench: FrameWrenches | None
    drive: Drive
    stabilisation: Array | None
    wrench_function: WrenchFunction | None = None
    """Wrenches that are functions of the state, besides the others."""
    times: Array | None = None
    """When each step begins (t,), for these functions."""

    @property
    def rows(self) -> Row:
        """What is given for each step."""
        V, dV = (x if is_rows(x) else None for x in self[:2])
        return Row(V, dV, None if self.wrench_function is None else self.times)

    def first(self, model: Model) -> Now:
        """The surroundings at the beginning."""
        if self.base_velocity is None and self.base_acceleration is None:
            return Now(None, self.drive, None)
        V = np.zeros(6) if self.base_velocity is None else self.base_velocity
        return Now(None if is_rows(V) else V, self.drive, model.gravity)

    def given(self, model: Model, now: Now, row: Row) -> ExternalInputs:
        """What acts at the beginning of a step, with its rows."""
        V, dV, _ = row
        steady = None if is_rows(self.base_acceleration) else self.base_acceleration
        return ExternalInputs(
            now.base_velocity if V is None else V, steady if dV is None else dV, self.wrench, now.drive
        )

    def acting(self, model: Model, now: Now, row: Row, tau: Array) -> Acting:
        """All that acts during a step under joint forces (nv,)."""
        given, of_state = self.given(model, now, row), self.wrench_function
        if of_state is None:
            return Acting(tau, given, self.stabilisation)
        return Acting(tau, given, self.stabilisation, lambda t, q, v: of_state(model, row.t + t, q, v))

    def seen(self, model: Model, now: Now) -> Model:
        """The model with gravity in the base's axes."""
        return model if now.gravity is None else replace(model, gravity=now.gravity)

    def at(self, model: Model, now: Now, row: Row) -> tuple[Model, dict[str, Any]]:
        """The model with gravity in the base's axes, and the keywords of `step`."""
        return self.seen(model, now), {**self.given(model, now, row)._asdict(), "stabilisation": self.stabilisation}

    def later(self, model: Model, now: Now, row: Row, dt: Array) -> Now:
        """The surroundings after a step that begins in these."""
        given = self.given(model, now, row)
        drive = given.driven(model, dt)
        if now.gravity is None:
            return Now(None, drive, None)
        moved, R = given.moved(dt)
        return Now(None if now.base_velocity is None else moved, drive, now.gravity @ R)


def is_rows(x: Any) -> bool:
    """Whether an array has a row for each step."""
    return x is not None and len(x.shape) > 1
