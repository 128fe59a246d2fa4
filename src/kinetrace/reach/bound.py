"""How far a frame can be from the base at most: the lengths between joints, laid in a line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import WORLD, Body, Model
from ..model.joints import Prismatic
from .protocol import Float


class Bound(NamedTuple):
    """A ball that a frame does not leave."""

    origin: Float
    reach: float
    """Its radius [m]; infinite if there is no bound."""


UNBOUNDED = Bound(np.zeros(3), np.inf)


def farthest(model: Model, frame: str) -> Bound:
    """The ball about the first joint that the lengths of links allow; joints that move freely have no bound.

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
    return Bound(np.array(bodies[0].X_pj[:3, 3]), sum(links) + sum(map(travel, bodies)))


def travel(body: Body) -> float:
    """How far a joint moves its frame's origin [m]: not at all if it only turns."""
    if isinstance(body.joint, Prismatic):
        return float(np.max(np.abs([body.limits.lower, body.limits.upper])))
    rng = np.random.default_rng(0)
    samples = [body.joint.random(rng, (-np.ones(body.joint.nq), np.ones(body.joint.nq)), ()) for _ in range(3)]
    moves = any(np.any(np.asarray(body.joint.placement(q) @ np.eye(4))[:3, 3]) for q in samples)
    return np.inf if moves else 0.0
