"""The points of a shape that are lowest along a normal: where it touches a plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ....arrays import Array, less, sqrt, stack, where
from ....linalg import dense
from .faces import lowest_face
from .touch import Placed, ends_of, length_and_direction

UPRIGHT = 1e-6
"""Tilt of a cylinder [rad] below which its lowest points do not turn around it; their error is half of it times the
radius."""
THIRD = math.sqrt(0.75)
"""Sine of 120°, whose cosine is −½."""
LEVEL = 1e-8
"""Difference in height of vertices [m] that counts as none, so that the lowest ones keep their places at rest."""
STEEP = 20.0
"""Reciprocal of the slope of a face below which all its vertices are taken as lowest."""
CLOSER = 1.0 + 1e-6
"""Ratio of two scores, of vertices, that counts as 1."""


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
    _, (cosine, sine) = length_and_direction(stack([UPRIGHT - x, -y]), np.array([1.0, 0.0]))
    outward = a.size[0] * (cosine * a.axes[:, 0] + sine * a.axes[:, 1])
    across = (THIRD * a.size[0]) * (cosine * a.axes[:, 1] - sine * a.axes[:, 0])
    upper, lower = ends_of(a)
    back = where(less(z, 0.0), upper, lower) - 0.5 * outward
    return [Low(x) for x in (upper + outward, lower + outward, back + across, back - across)]


def of_ellipsoid(a: Placed, normal: Array) -> list[Low]:
    """The point −A² n / |A n|, A having the half axes."""
    scaled = a.size * (a.axes.T @ normal)
    return [Low(a.center - a.axes @ (a.size * scaled * (1.0 / sqrt(scaled @ scaled)[()])))]


def of_points(a: Placed, normal: Array) -> list[Low]:
    """Four vertices: the lowest, the farthest from it, and those farthest from their line on either side.

    The lower a vertex is than the way to it is long, the better. Which ones are as low as others does not change with
    the last bits of the pose.
    """
    up, vertices = a.axes.T @ normal, list(a.size)
    heights = [up @ x for x in vertices]
    low, first = heights[0], vertices[0]
    for height, x in zip(heights[1:], vertices[1:], strict=True):
        lower = less(height, low - LEVEL)
        low, first = where(lower, height, low)[()], where(lower, x, first)
    ways = [x - first for x in vertices]
    lengths = [way @ way for way in ways]
    climbs = [STEEP * (height - low) for height in heights]
    sums = [length + climb * climb for length, climb in zip(lengths, climbs, strict=True)]
    second, far = _best(vertices, [length * length for length in lengths], sums)
    way = second - first
    across = stack([up[1] * way[2] - up[2] * way[1], up[2] * way[0] - up[0] * way[2], up[0] * way[1] - up[1] * way[0]])
    sides = [(across @ way) * length for way, length in zip(ways, lengths, strict=True)]
    third, left = _best(vertices, sides, sums)
    fourth, right = _best(vertices, [-side for side in sides], sums)
    size = 2.0 * sqrt(dense.largest([x @ x for x in vertices]))[()]
    apart = [0.0, *(where(each, 0.0, size)[()] for each in (far, left, right))]
    places = [a.center + a.axes @ x for x in (first, second, third, fourth)]
    return [Low(x, 0.0, each) for x, each in zip(places, apart, strict=True)]


def _best(vertices: list[Array], scores: list[Any], sums: list[Any]) -> tuple[Array, Any]:
    """The vertex with the largest score / sum above zero, and whether there is one."""
    best, score, total, some = vertices[0], 0.0, 1.0, 0.0
    for x, each, its in zip(vertices, scores, sums, strict=True):
        better = less(CLOSER * score * its, each * total)
        best, some = where(better, x, best), where(better, 1.0, some)[()]
        score, total = where(better, each, score)[()], where(better, its, total)[()]
    return best, some


LOWEST: dict[str, tuple[Callable[[Placed, Array], list[Low]], int]] = {
    "sphere": (of_sphere, 1),
    "capsule": (of_capsule, 2),
    "box": (of_box, 4),
    "cylinder": (of_cylinder, 4),
    "ellipsoid": (of_ellipsoid, 1),
    "points": (of_points, 4),
}
"""Kind of a shape → function of it and of a normal (3,), and the number of points that it returns."""
