"""Limits of joints, by velocities, and how far a frame can be from the base at most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..model import WORLD, Body, Model
from ..robot import Robot
from ..robot.types import Float

BEYOND_LIMITS = 1.0
"""How far [rad, m] a joint may be beyond its limits in any case, where more than their distance is a mistake."""

HELD_BEYOND_LIMITS = 1e-9
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
            far = beyond > np.maximum(high - low, BEYOND_LIMITS)
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
            if beyond > HELD_BEYOND_LIMITS:
                told = f"hold: joint {body.joint_name!r} is held beyond its limits, by {beyond:.3g}"
                raise InputError(f"{told}; start within them, or give limits=False")


class ReachBall(NamedTuple):
    """A ball that a frame does not leave."""

    origin: Float
    reach: float
    """Its radius [m]; infinite if there is no bound."""


UNBOUNDED_BALL = ReachBall(np.zeros(3), np.inf)


def reach_ball(model: Model, frame: str, kept: bool = True) -> ReachBall:
    """The ball about the first joint that the lengths of links allow, and the limits of joints if they are kept.

    >>> import kinetrace as kt
    >>> reach_ball(kt.load("planar2r").model, "tip").reach
    2.0
    """
    F = model.frame(frame)
    path = sorted(model.ancestors(F.body))
    if F.body == WORLD or not path:
        return ReachBall(np.array(F.X_bf[:3, 3]), 0.0)
    ends = [*(model.bodies[k].X_pj for k in path[1:]), F.X_bf]
    bodies = [model.bodies[k] for k in path]
    links = [float(np.linalg.norm((b.X_ji @ end)[:3, 3])) for b, end in zip(bodies, ends, strict=True)]
    joints = [body.joint.travel(*joint_bounds(model, body, kept)) for body in bodies]
    return ReachBall(np.array(bodies[0].X_pj[:3, 3]), sum(links) + sum(joints))


def joint_bounds(model: Model, body: Body, kept: bool) -> tuple[Float, Float]:
    """Bounds (nq_i,) of a joint's variables, those of a mimic joint by the joint that it follows."""
    first = body.index if body.mimic is None else body.mimic.source
    lower, upper = (x[model.slices[first][0]] for x in (model.bounds.lower, model.bounds.upper))
    if not kept:
        lower, upper = np.full_like(lower, -np.inf), np.full_like(upper, np.inf)
    if body.mimic is None:
        return lower, upper
    ratio, offset = body.mimic.ratio, body.mimic.offset
    ends = [ratio * x + offset if ratio else np.full_like(x, offset) for x in (lower, upper)]
    return np.minimum(*ends), np.maximum(*ends)
