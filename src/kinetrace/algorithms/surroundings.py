"""What acts from step to step besides joint forces: a base that moves on, closures that are driven on.

A step begins with the base in the axes of the world. What follows it begins with the base as it is then, so gravity is
carried along in the base's axes, and with it all that changes at the given rates:

    g⁺ = g R,      V⁺ = V + h V̇,      R = exp(h ω + …)        (`inputs`)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..model.model import Model
from .closure_paths import Drive
from .inputs import ExternalInputs


class Now(NamedTuple):
    """What has changed by the beginning of a step; None where nothing changes, or rows are given."""

    base_velocity: Array | None
    drive: Drive
    gravity: Array | None


class Surroundings(NamedTuple):
    """What `step` takes besides joint forces, at the first step; a base's motion may be rows (t, 6), one per step."""

    base_velocity: Array | None
    base_acceleration: Array | None
    wrench: Mapping[str, Array] | None
    drive: Drive
    stabilisation: Array | None

    @property
    def rows(self) -> tuple[Array | None, Array | None]:
        """What is given for each step: base velocities and accelerations."""
        V, dV = (x if is_rows(x) else None for x in self[:2])
        return V, dV

    def first(self, model: Model) -> Now:
        """The surroundings at the beginning."""
        if self.base_velocity is None and self.base_acceleration is None:
            return Now(None, self.drive, None)
        V = np.zeros(6) if self.base_velocity is None else self.base_velocity
        return Now(None if is_rows(V) else V, self.drive, model.gravity)

    def given(self, now: Now, V: Array | None, dV: Array | None) -> ExternalInputs:
        """What acts at the beginning of a step, with its rows."""
        steady = None if is_rows(self.base_acceleration) else self.base_acceleration
        return ExternalInputs(
            now.base_velocity if V is None else V, steady if dV is None else dV, self.wrench, now.drive
        )

    def at(self, model: Model, now: Now, V: Array | None, dV: Array | None) -> tuple[Model, dict[str, Any]]:
        """The model with gravity in the base's axes, and the keywords of `step`."""
        seen = model if now.gravity is None else replace(model, gravity=now.gravity)
        return seen, {**self.given(now, V, dV)._asdict(), "stabilisation": self.stabilisation}

    def later(self, model: Model, now: Now, V: Array | None, dV: Array | None, dt: Array) -> Now:
        """The surroundings after a step that begins in these."""
        given = self.given(now, V, dV)
        drive = given.driven(model, dt)
        if now.gravity is None:
            return Now(None, drive, None)
        moved, R = given.moved(dt)
        return Now(None if now.base_velocity is None else moved, drive, now.gravity @ R)


def is_rows(x: Any) -> bool:
    """Whether an array has a row for each step."""
    return x is not None and len(x.shape) > 1
