"""Limits of joints, by velocities."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..model.model import Model


def coordinate_limits(model: Model, kept: bool) -> tuple[Array, Array]:
    """Bounds (nv,) of each velocity's coordinate, infinite where there is none."""
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for body in model.independent_joints:
        sq, sv = model.slices[body.index]
        if kept and body.joint.has_coordinates:
            lower[sv], upper[sv] = model.bounds.lower[sq], model.bounds.upper[sq]
            if (lower[sv] > upper[sv]).any():
                raise InputError(f"joint {body.name!r} has no position within its limits and those of its mimic joints")
    return lower, upper
