"""How far a frame can be from the base at most: the lengths between joints, laid in a line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import WORLD, Body, Model
from ..robot.types import Float


class Bound(NamedTuple):
    """A ball that a frame does not leave."""

    origin: Float
    reach: float
    """Its radius [m]; infinite if there is no bound."""


UNBOUNDED = Bound(np.zeros(3), np.inf)


def farthest(model: Model, frame: str, kept: bool = True) -> Bound:
    """The ball about the first joint that the lengths of links allow, and the limits of joints if they are kept.

    >>> import kinetrace as kt
    >>> farthest(kt.load("planar2r").model, "tip").reach
    2.0
    """
    F = model.frame(frame)
    path = sorted(model.ancestors(F.body))
    if F.body == WORLD or not path:
        return Bound(np.array(F.X_bf[:3, 3]), 0.0)
    ends = [*(model.bodies[k].X_pj for k in path[1:]), F.X_bf]
    bodies = [model.bodies[k] for k in path]
    links = [float(np.linalg.norm((b.X_ji @ end)[:3, 3])) for b, end in zip(bodies, ends, strict=True)]
    joints = [body.joint.travel(*between(model, body, kept)) for body in bodies]
    return Bound(np.array(bodies[0].X_pj[:3, 3]), sum(links) + sum(joints))


def between(model: Model, body: Body, kept: bool) -> tuple[Float, Float]:
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
