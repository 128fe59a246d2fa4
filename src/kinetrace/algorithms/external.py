"""External wrenches: from named frames to the bodies that carry them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..lie import Ad_inv_dual
from ..model.model import WORLD, Model


def body_wrenches(model: Model, wrench: Mapping[str, Array] | None) -> list[Array]:
    """The wrench (6,) on each body, in the body's frame, of wrenches exerted on frames, in those frames."""
    total: list[Array] = [np.zeros(6)] * len(model.bodies)
    for name, F_f in (wrench or {}).items():
        frame = model.frame(name)
        if frame.body != WORLD:
            total[frame.body] = total[frame.body] + Ad_inv_dual(frame.X_bf, F_f)
    return total
