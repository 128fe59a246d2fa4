"""Spheres fixed to frames of a robot, and how far they are from the floor, from obstacles and from each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms import pose
from ..arrays import Array, sqrt, stack
from ..errors import InputError, unknown
from ..model import Model
from ..support.plain import Sphere, plain_reals, plain_spheres


@dataclass(frozen=True)
class Ball:
    """A sphere that a frame carries."""

    frame: str
    radius: float
    center: tuple[float, float, float]


@dataclass(frozen=True)
class Surroundings:
    """Spheres of the robot, what they must stay clear of, and which of them of each other."""

    balls: tuple[Ball, ...] = ()
    floor: float | None = None
    obstacles: tuple[Sphere, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    moving: tuple[int, ...] = ()
    """Spheres that are not fixed to the world."""

    @property
    def count(self) -> int:
        """Number of clearances."""
        return len(self.moving) * ((self.floor is not None) + len(self.obstacles)) + len(self.pairs)


def surroundings(model: Model, spheres: Mapping[str, Any] | None, floor: float | None, obstacles: Any) -> Surroundings:
    """Spheres and obstacles, checked; see `exciting_motion`."""
    if spheres is not None and not isinstance(spheres, Mapping):
        raise InputError(f"spheres must map frames to radii, as {{'hand': 0.1}}; got {type(spheres).__name__}")
    balls = []
    for frame, value in (spheres or {}).items():
        if frame not in model.frames:
            raise unknown("frame", frame, list(model.frames), " of spheres")
        several = isinstance(value, list)
        for one in value if several else [value]:
            radius, center = one if isinstance(one, tuple) and len(one) == 2 else (one, (0.0, 0.0, 0.0))
            balls.append(Ball(frame, *_ball(f"spheres[{frame!r}]", radius, center)))
    stones = plain_spheres("obstacles", obstacles)
    if floor is not None and not (isinstance(floor, int | float) and np.isfinite(floor)):
        raise InputError(f"floor must be a height, got {floor!r}")
    if not balls and (stones or floor is not None):
        raise InputError("floor and obstacles are for spheres: give some, as spheres={'hand': 0.1}")
    height = None if floor is None else float(floor)
    moving = tuple(k for k, ball in enumerate(balls) if model.frames[ball.frame].body >= 0)
    return Surroundings(tuple(balls), height, stones, _pairs(model, balls), moving)


def _ball(what: str, radius: Any, center: Any) -> tuple[float, tuple[float, float, float]]:
    r, c = plain_reals(what, radius), plain_reals(what, center)
    if r.shape != () or c.shape != (3,) or not (r > 0 and np.isfinite(r) and np.isfinite(c).all()):
        raise InputError(f"{what} must be a radius > 0 and a centre (3,), got {radius!r}, {center!r}")
    return float(r), (float(c[0]), float(c[1]), float(c[2]))


def _pairs(model: Model, balls: Sequence[Ball]) -> tuple[tuple[int, int], ...]:
    """Spheres on bodies that are neither the same nor neighbours: neighbours touch in their joint."""
    bodies = [model.frames[ball.frame].body for ball in balls]
    parent = {body.index: body.parent for body in model.bodies}
    return tuple(
        (i, j)
        for i in range(len(balls))
        for j in range(i + 1, len(balls))
        if bodies[i] != bodies[j] and parent.get(bodies[i]) != bodies[j] and parent.get(bodies[j]) != bodies[i]
    )


def clearances(model: Model, q: Array, *, around: Surroundings) -> Array:
    """Signed distances (count,) [m]: to the floor, to obstacles, of pairs of spheres."""
    points = [pose(model, q, frame=ball.frame, point=np.array(ball.center))[:3, 3] for ball in around.balls]
    found = []
    for ball, p in ((around.balls[k], points[k]) for k in around.moving):
        if around.floor is not None:
            found.append(p[2] - around.floor - ball.radius)
        found += [_distance(p, np.array(centre)) - ball.radius - radius for *centre, radius in around.obstacles]
    for i, j in around.pairs:
        found.append(_distance(points[i], points[j]) - around.balls[i].radius - around.balls[j].radius)
    return stack(found)


def _distance(a: Array, b: Array) -> Array:
    return sqrt((a - b) @ (a - b) + 1e-12)  # its derivative is finite where both are the same
