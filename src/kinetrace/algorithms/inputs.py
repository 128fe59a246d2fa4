"""What acts on a robot besides its joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..model.model import Model
from .closure_paths import Drive
from .inverse_dynamics import inverse_dynamics


class ExternalInputs(NamedTuple):
    """What acts on the robot besides its joints: a moving base, wrenches by frame names, closures that are driven."""

    base_velocity: Array | None
    base_acceleration: Array | None
    wrench: Mapping[str, Array] | None
    drive: Drive = None

    @property
    def on_tree(self) -> dict[str, Any]:
        """What `inverse_dynamics` takes."""
        return {"base_velocity": self.base_velocity, "base_acceleration": self.base_acceleration, "wrench": self.wrench}

    def bias(self, model: Model, q: Array, v: Array) -> Array:
        """The joint forces that keep v̇ = 0."""
        return inverse_dynamics(model, q, v, np.zeros(model.nv), **self.on_tree)
