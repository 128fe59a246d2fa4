"""What acts from outside: wrenches on named frames, gravity, a moving base."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array, concatenate
from ..lie import Ad_inv_dual
from ..model import WORLD, Model


def body_wrenches(model: Model, wrench: Mapping[str, Array] | None) -> list[Array]:
    """The wrench (6,) on each body, in the body's frame, of wrenches exerted on frames, in those frames."""
    total: list[Array] = [np.zeros(6)] * len(model.bodies)
    for name, F_f in (wrench or {}).items():
        frame = model.frame(name)
        if frame.body != WORLD:
            total[frame.body] = total[frame.body] + Ad_inv_dual(frame.X_bf, F_f)
    return total


def gravity_as_base_acceleration(model: Model, base_acceleration: Array | None) -> Array:
    """The acceleration (6,) of the base, with gravity as an acceleration by −g."""
    dV_0 = concatenate([np.zeros(3), -model.gravity])
    return dV_0 if base_acceleration is None else dV_0 + base_acceleration
