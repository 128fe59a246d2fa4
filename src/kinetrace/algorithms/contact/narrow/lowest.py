"""The points of a shape that are lowest along a normal: where it touches a plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ....arrays import Array, less, maximum, minimum, sqrt, stack, where
from ....lie import so3
from ....linalg import dense
from .faces import lowest_face
from .touch import SIDEWAYS, TINY, Placed, ends_of, length_and_direction

UPRIGHT = 2e-4
"""Tilt of a cylinder [rad] below which its lowest points go over to places on the rims that do not change with the last
bits of its axis; they are too high there, by 0.4 of it times the radius at most."""
THIRD = math.sqrt(0.75)
"""Sine of 120°, whose cosine is −½."""
STEEP = 20.0
"""Reciprocal of the slope below which vertices are all as low."""
LEVEL = 1e-4
"""Difference in height of vertices, relative to the size, below which they are all as low: else what lies on a face of
many vertices would rock from the lowest one to the next."""
CLOSE = 1e-6
"""Difference of lengths or areas that counts as none, relative to those of the shape."""
FAR = 1e30
"""Beyond all lengths and areas."""


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
    """Four vertices that span the lowest face, and the lowest vertex, if it is none of them.

    The first is the farthest in a direction of the body, the second the farthest from that, the others those that are
    farthest from their line on either side. All of them have to be low: the lower, the better.
    """
    up, vertices = a.axes.T @ normal, list(a.size)
    heights = [up @ x for x in vertices]
    low, last = heights[0], vertices[0]
    for height, x in zip(heights[1:], vertices[1:], strict=True):
        lower = less(height, low)
        low, last = where(lower, height, low)[()], where(lower, x, last)
    square = 4.0 * dense.largest([x @ x for x in vertices])
    size = sqrt(square)[()]
    climbs = [STEEP * (height - low) for height in heights]
    first = _best(vertices, [SIDEWAYS @ x - climb for x, climb in zip(vertices, climbs, strict=True)], CLOSE * size)
    ways = [x - first for x in vertices]
    lengths = [way @ way for way in ways]
    ahead = [_if(less(CLOSE * square, y), y - climb * climb) for y, climb in zip(lengths, climbs, strict=True)]
    second = _best(vertices, ahead, CLOSE * square)
    across = so3.cross(up, second - first)
    sides, width = [across @ way for way in ways], sqrt(maximum(across @ across, TINY))[()]
    last_two = []
    for side in (sides, [-y for y in sides]):
        aside = [_if(less(CLOSE * square, y), y - width * climb) for y, climb in zip(side, climbs, strict=True)]
        last_two.append((_best(vertices, aside, CLOSE * square), dense.largest(side)))
    (third, left), (fourth, right) = last_two
    four = [first, second, third, fourth]
    least = reduce(minimum, [up @ x for x in four])
    exist = [less(CLOSE * square, y) for y in (dense.largest(lengths), left, right)]
    apart = [0.0, *(where(each, 0.0, size)[()] for each in (*exist, less(LEVEL * size, least - low)))]
    places = [a.center + a.axes @ x for x in (*four, last)]
    return [Low(x, 0.0, each) for x, each in zip(places, apart, strict=True)]


def _if(condition: Any, score: Any) -> Any:
    return where(condition, score, -FAR)[()]


def _best(vertices: list[Array], scores: list[Any], margin: Any) -> Array:
    """The vertex with the largest score, the first of equal ones."""
    best, most = vertices[0], scores[0]
    for x, score in zip(vertices[1:], scores[1:], strict=True):
        better = less(most + margin, score)
        best, most = where(better, x, best), where(better, score, most)[()]
    return best


LOWEST: dict[str, tuple[Callable[[Placed, Array], list[Low]], int]] = {
    "sphere": (of_sphere, 1),
    "capsule": (of_capsule, 2),
    "box": (of_box, 4),
    "cylinder": (of_cylinder, 4),
    "ellipsoid": (of_ellipsoid, 1),
    "points": (of_points, 5),
}
"""Kind of a shape → function of it and of a normal (3,), and the number of points that it returns."""
