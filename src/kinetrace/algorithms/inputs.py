"""What acts on a robot besides its joints, now and a little later.

Bases and closures that are driven move with twists V + t V̇ in their own frames, so that their poses change by

    exp(t V + t²/2 V̇ + t³/12 [V, V̇]) + O(t⁵)        (the series of Magnus)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, concatenate, stack
from ..lie import ad, se3, so3
from ..model.model import Model
from .closure_paths import Drive, displacement
from .external import FrameWrenches
from .inverse_dynamics import inverse_dynamics


class ExternalInputs(NamedTuple):
    """What acts on the robot besides its joints: a moving base, wrenches by frame names, closures that are driven."""

    base_velocity: Array | None
    base_acceleration: Array | None
    wrench: FrameWrenches | None
    drive: Drive = None

    @property
    def on_tree(self) -> dict[str, Any]:
        """What `inverse_dynamics` takes."""
        return {"base_velocity": self.base_velocity, "base_acceleration": self.base_acceleration, "wrench": self.wrench}

    def bias(self, model: Model, q: Array, v: Array) -> Array:
        """The joint forces that keep v̇ = 0."""
        return inverse_dynamics(model, q, v, np.zeros(model.nv), **self.on_tree)

    def later(self, model: Model, t: Array) -> ExternalInputs:
        """The same after the time t () of constant V̇ and constant wrenches; gravity turns as seen from the base."""
        if type(t) is float and t == 0.0:
            return self
        drive = self.driven(model, t)
        if self.base_velocity is None and self.base_acceleration is None:
            return self._replace(drive=drive)
        V, R = self.moved(t)
        turned = concatenate([np.zeros(3), model.gravity - model.gravity @ R])
        dV = turned if self.base_acceleration is None else self.base_acceleration + turned
        return ExternalInputs(V, dV, self.wrench, drive)

    def driven(self, model: Model, t: Array) -> Drive:
        """The drive after the time t."""
        return {name: _driven_on(model, name, x, t) for name, x in (self.drive or {}).items()} or None

    def moved(self, t: Array) -> tuple[Array, Array]:
        """The twist (6,) of the base after the time t, and its rotation (3, 3) since."""
        V, dV = (np.zeros(6) if x is None else x for x in (self.base_velocity, self.base_acceleration))
        return V + t * dV, so3.exp(_course(V, dV, t)[:3])


def _course(V: Array, dV: Array, t: Array) -> Array:
    """The logarithm (6,) of the change of the pose in the time t."""
    return t * V + t * t / 2.0 * dV + t * t * t / 12.0 * ad(V, dV)


def _driven_on(model: Model, name: str, given: Array, t: Array) -> Array:
    """The prescribed motion (3, k) of a closure, after the time t."""
    x, V, dV = given
    if model.closures[list(model.closure_slices).index(name)].terms:  # a coupling's offset and its rates
        return stack([x + t * V + t * t / 2.0 * dV, V + t * dV, dV], axis=0)
    X = displacement(x) @ se3.exp(_course(V, dV, t))
    return stack([concatenate([so3.log(se3.rotation(X)), se3.translation(X)]), V + t * dV, dV], axis=0)
