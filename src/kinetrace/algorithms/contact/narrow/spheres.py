"""Touches of a sphere with spheres, capsules and boxes."""

from __future__ import annotations

from typing import Any

from ....arrays import Array, abs, clip, less, sqrt, stack, where
from .faces import Largest
from .touch import TINY, Pairs, Placed, Touch, between_spheres, of_ball


def sphere_sphere(a: Placed, b: Placed) -> list[Touch]:
    """One touch."""
    return [between_spheres(a.center, a.size[0], b.center, b.size[0])]


def sphere_capsule(a: Placed, b: Placed) -> list[Touch]:
    """One touch, with the sphere of the capsule that is nearest."""
    axis, half = b.axes[:, 2], 0.5 * b.size[1]
    along = clip(axis @ (a.center - b.center), -half, half)[()]
    return [between_spheres(a.center, a.size[0], b.center + along * axis, b.size[0], b.axes[:, 0])]


def sphere_box(a: Placed, b: Placed) -> list[Touch]:
    """One touch; of a centre in the box, with the face that is nearest."""
    distance, normal = distance_to_box(b.inside(a.center), 0.5 * b.size)
    return [of_ball(a.center, a.size[0], distance - a.size[0], b.axes @ normal)]


def distance_to_box(x: Array, half: Array) -> tuple[Any, Array]:
    """Distance of a point (3,) from a box with half lengths (3,), negative inside, and its gradient (3,)."""
    outside = x - clip(x, -half, half)
    square = outside @ outside
    within = less(square, TINY)
    distance = sqrt(where(within, 1.0, square))[()]
    depths = abs(x) - half
    nearest = Largest.of(depths)
    face = stack([where(each, where(less(x[k], 0.0), -1.0, 1.0), 0.0)[()] for k, each in enumerate(nearest.flags)])
    return where(within, nearest.among(depths), distance)[()], where(within, face, (1.0 / distance) * outside)


PAIRS: Pairs = {
    ("sphere", "sphere"): (sphere_sphere, 1),
    ("sphere", "capsule"): (sphere_capsule, 1),
    ("sphere", "box"): (sphere_box, 1),
}
