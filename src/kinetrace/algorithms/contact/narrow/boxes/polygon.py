"""What a face of one box and the opposite face of the other have in common, seen along the normal of the first.

The first face is a rectangle |x| ≤ r_x, |y| ≤ r_y, the second one a parallelogram c + α u + β v, |α|, |β| ≤ 1, with
heights z above the first. Corners of their intersection, at most eight, are corners of either and crossings of their
edges: the ends of what the rectangle leaves of the edges of the second one, and the corners of the rectangle that are
in the second one. Four of them that span it are kept.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

from .....arrays import Array, abs, less, maximum, minimum, stack, where
from .....linalg.dense import by_precision
from ..spanning import spanning

TOLERANCE, TOLERANCE_SINGLE = 1e-12, 1e-5
"""Part of its size by which a face counts as larger, so that faces with common edges have common corners."""
SLOWEST = 1e-15
"""Component of an edge that counts as zero where it divides [m]."""


class Faces(NamedTuple):
    """Two faces; three components are those along x, y and z."""

    rectangle: tuple[Any, Any]
    """Half lengths along x and y."""
    center: Array
    """(3,) of the parallelogram; z is its height."""
    u: Array
    v: Array


class Corner(NamedTuple):
    """A corner of what they have in common."""

    x: Array
    """(3,)."""
    exists: Any


def common_corners(faces: Faces, direction: Array, turn: Any, size: Any) -> tuple[list[Corner], Corner]:
    """Four corners, and the lowest of all; the first is along a direction (2,), the third on a side, `turn` = ±1."""
    points, some = _all_corners(faces)
    lowest = reduce(_lower, points)
    heights, up = [x[2] - lowest[2] for x in points], stack([0.0, 0.0, turn])
    four = spanning(points, heights, up, stack([*direction, 0.0]), size)
    return [Corner(x, where(some, exists, 0.0)[()]) for x, exists in four], Corner(lowest, some)


def lowest_corner(faces: Faces) -> Corner:
    """The lowest corner."""
    points, some = _all_corners(faces)
    return Corner(reduce(_lower, points), some)


def _lower(x: Array, y: Array) -> Array:
    return where(less(y[2], x[2]), y, x)


def _all_corners(faces: Faces) -> tuple[list[Array], Any]:
    """All candidates, in the place of those that do not exist another one; and 1 if there is one, else 0."""
    candidates = _candidates(faces)
    some = reduce(lambda x, y: where(y[3], y, x), candidates, stack([*faces.center, 0.0]))
    return [where(each[3], each[:3], some[:3]) for each in candidates], some[3]


def _candidates(faces: Faces) -> list[Array]:
    """Points (x, y, z) of the common boundary, each with 1 if it exists, else 0."""
    (width, depth), c, u, v = faces
    larger = 1.0 + by_precision(abs(c[0]) + width, TOLERANCE, TOLERANCE_SINGLE)[()]
    rectangle = stack([width * larger, depth * larger])
    found = []
    for along, base in ((u, v), (v, u)):
        slow = where(less(abs(along[:2]), SLOWEST), SLOWEST, along[:2])
        both = 1.0 / (slow[0] * slow[1])
        per = both * slow[::-1]
        reach = abs(rectangle * per)
        for start in (c - base, c + base):
            middle = -start[:2] * per
            low, high = middle - reach, middle + reach
            begin = maximum(maximum(low[0], low[1]), -1.0)[()]
            end = minimum(minimum(high[0], high[1]), 1.0)[()]
            exists = where(less(end, begin), 0.0, 1.0)[()]
            found += [stack([*(start + at * along), exists]) for at in (begin, end)]
    per = 1.0 / (u[0] * v[1] - u[1] * v[0])
    for x in (-width, width):
        for y in (-depth, depth):
            right, up = per * (x - c[0]), per * (y - c[1])
            alpha, beta = right * v[1] - up * v[0], up * u[0] - right * u[1]
            exists = where(less(maximum(abs(alpha), abs(beta)), larger), 1.0, 0.0)[()]
            found.append(stack([x, y, c[2] + alpha * u[2] + beta * v[2], exists]))
    return found
