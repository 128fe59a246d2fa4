"""The points of a shape that are lowest along a normal: where it touches a plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ....arrays import Array, less, maximum, minimum, sqrt, stack, where
from ....linalg import dense
from .faces import lowest_face
from .spanning import spanning
from .touch import SIDEWAYS, Placed, ends_of, length_and_direction

UPRIGHT = 2e-4
"""Tilt of a cylinder [rad] below which its lowest points go over to places on the rims that do not change with the last
bits of its axis; they are too high there, by 0.4 of it times the radius at most."""
THIRD = math.sqrt(0.75)
"""Sine of 120°, whose cosine is −½."""
LEVEL = 1e-4
"""Difference in height of vertices, relative to the size, below which they are all as low: else what lies on a face of
many vertices would rock from the lowest one to the next."""


class Low(NamedTuple):
    """One of the lowest points of a shape."""

    x: Array
    """(3,) in the world."""
    radius: Any = 0.0
    """Of the ball of which it is the centre."""
    apart: Any = 0.0
    """What is added to its height if the shape has no further low point [m]."""


def of_sphere(a: Placed, normal: Array) -> list[Low]:
    """The ball."""
    return [Low(a.center, a.size[0])]


def of_capsule(a: Placed, normal: Array) -> list[Low]:
    """The balls at both ends."""
    return [Low(end, a.size[0]) for end in ends_of(a)]


def of_box(a: Placed, normal: Array) -> list[Low]:
    """The corners of the face that looks down most, in an order that turning about the normal does not change."""
    face = lowest_face(0.5 * a.size * a.axes, a.axes.T @ normal)
    middle = a.center + face.center
    return [Low(middle + s * face.first + t * face.second) for s in (-1.0, 1.0) for t in (-1.0, 1.0)]


def of_cylinder(a: Placed, normal: Array) -> list[Low]:
    """The lowest points of both rims, that at +z first, and two more at ±120° on the rim that is lower.

    Of a cylinder that stands, the lowest points do not turn with the last bits of its axis.
    """
    x, y, z = a.axes.T @ normal
    square = x * x + y * y
    upright = UPRIGHT * maximum(UPRIGHT * UPRIGHT - square, 0.0)[()]
    along = stack([upright - x * square, -y * square])
    _, (cosine, sine) = length_and_direction(along, np.array([1.0, 0.0]))
    outward = a.size[0] * (cosine * a.axes[:, 0] + sine * a.axes[:, 1])
    across = (THIRD * a.size[0]) * (cosine * a.axes[:, 1] - sine * a.axes[:, 0])
    upper, lower = ends_of(a)
    back = where(less(z, 0.0), upper, lower) - 0.5 * outward
    return [Low(x) for x in (upper + outward, lower + outward, back + across, back - across)]


def lowest_of_cylinder(a: Placed, normal: Array) -> Array:
    """The lowest point (3,), exact to rounding."""
    x, y, z = a.axes.T @ normal
    _, (cosine, sine) = length_and_direction(stack([-x, -y]), np.array([1.0, 0.0]))
    upper, lower = ends_of(a)
    return where(less(z, 0.0), upper, lower) + a.size[0] * (cosine * a.axes[:, 0] + sine * a.axes[:, 1])


def of_ellipsoid(a: Placed, normal: Array) -> list[Low]:
    """The point −A² n / |A n|, A having the half axes."""
    scaled = a.size * (a.axes.T @ normal)
    return [Low(a.center - a.axes @ (a.size * scaled * (1.0 / sqrt(scaled @ scaled)[()])))]


def lowest_of_points(a: Placed, normal: Array) -> Array:
    """The lowest vertex (3,)."""
    up = a.axes.T @ normal
    return a.center + a.axes @ reduce(lambda x, y: where(less(up @ y, up @ x), y, x), list(a.size))


def of_points(a: Placed, normal: Array) -> list[Low]:
    """Four vertices that span the lowest face, and the lowest vertex, if it is none of them."""
    up, vertices = a.axes.T @ normal, list(a.size)
    heights = [up @ x for x in vertices]
    low, last = heights[0], vertices[0]
    for height, x in zip(heights[1:], vertices[1:], strict=True):
        lower = less(height, low)
        low, last = where(lower, height, low)[()], where(lower, x, last)
    size = 2.0 * sqrt(dense.largest([x @ x for x in vertices]))[()]
    four = spanning(vertices, [height - low for height in heights], up, SIDEWAYS, size)
    least = reduce(minimum, [up @ x for x, _ in four])
    lowest = [*four, (last, less(LEVEL * size, least - low))]
    return [Low(a.center + a.axes @ x, 0.0, where(exists, 0.0, size)[()]) for x, exists in lowest]


LOWEST: dict[str, tuple[Callable[[Placed, Array], list[Low]], int]] = {
    "sphere": (of_sphere, 1),
    "capsule": (of_capsule, 2),
    "box": (of_box, 4),
    "cylinder": (of_cylinder, 4),
    "ellipsoid": (of_ellipsoid, 1),
    "points": (of_points, 5),
}
"""Kind of a shape → function of it and of a normal (3,), and the number of points that it returns."""
