"""Limits of joints, by velocities."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..model.model import Model
from ..robot import Robot

FAR = 1.0
"""How far [rad, m] a joint may be beyond its limits in any case, where more than their distance is a mistake."""

ROUNDED = 1e-9
"""How far [rad, m] a joint that is held may be beyond its limits, where it is put."""


def check_moves(robot: Robot) -> None:
    """An error if no joint can move."""
    if not robot.nv:
        raise InputError("the robot has no joint that moves; robot.pose tells where its frames are")


def check_near(model: Model, q: Array, name: str, lower: Array, upper: Array) -> None:
    """An error if a joint of q (..., nq) is farther beyond its limits than these are apart: numbers in degrees, say."""
    for body in model.independent_joints:
        sq, sv = model.slices[body.index]
        if body.joint.has_coordinates and q.size:
            low, high = lower[sv], upper[sv]
            beyond = np.maximum(low - q[..., sq], q[..., sq] - high).reshape(-1, len(low)).max(axis=0)
            far = beyond > np.maximum(high - low, FAR)
            if far.any():
                k = int(far.argmax())
                told = f"joint {body.joint_name!r} is {beyond[k]:.3g} beyond its limits, {low[k]:.3g} to {high[k]:.3g}"
                raise InputError(f"{name}: {told}; angles are in rad (np.deg2rad), or give limits=False")


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


def check_held(model: Model, q: Array, held: Array, lower: Array, upper: Array) -> None:
    """An error if q (..., nq) has a joint that is held (nv,) beyond its limits."""
    for body in model.independent_joints:
        sq, sv = model.slices[body.index]
        if held[sv].all() and body.joint.has_coordinates:
            beyond = np.maximum(lower[sv] - q[..., sq], q[..., sq] - upper[sv]).max(initial=0.0)
            if beyond > ROUNDED:
                told = f"hold: joint {body.joint_name!r} is held beyond its limits, by {beyond:.3g}"
                raise InputError(f"{told}; start within them, or give limits=False")
