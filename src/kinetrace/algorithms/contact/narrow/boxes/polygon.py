"""What a face of one box and the opposite face of the other have in common, seen along the normal of the first.

The first face is a rectangle |x| ≤ r_x, |y| ≤ r_y, the second one a parallelogram c + α u + β v, |α|, |β| ≤ 1, with
heights z above the first. Corners of their intersection, at most eight, are corners of either and crossings of their
edges: the ends of what the rectangle leaves of the edges of the second one, and the corners of the rectangle that are
in the second one. Four of them are kept, which span it: the farthest in a direction, the farthest from that one, and
those farthest from the line of these two on either side. As they are chosen by where they are, and not by how deep,
slots keep their places while boxes rest.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

from .....arrays import Array, abs, less, maximum, minimum, stack, where
from .....linalg.dense import by_precision

TOLERANCE, TOLERANCE_SINGLE = 1e-12, 1e-5
"""Part of its size by which a face counts as larger, so that faces with common edges have common corners."""
SLOWEST = 1e-15
"""Component of an edge that counts as zero where it divides [m]."""
NARROWEST = 1e-9
"""Square of a distance from a line, relative to its length, that counts as zero."""


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


def common_corners(faces: Faces, direction: Array, turn: Any) -> tuple[list[Corner], Corner]:
    """Four corners, and the lowest of all; the first is along a direction (2,), the third on a side, `turn` = ±1."""
    candidates = _candidates(faces)
    some = reduce(lambda x, y: where(y[3], y, x), candidates, stack([*faces.center, 0.0]))
    points = [where(each[3], each[:3], some[:3]) for each in candidates]
    first = reduce(lambda x, y: where(less(direction @ x[:2], direction @ y[:2]), y, x), points)
    from_first = [x[:2] - first[:2] for x in points]
    second, length = _best(points, [d @ d for d in from_first], 0.0)
    (x, y), least = second[:2] - first[:2], NARROWEST * length
    sides = [turn * (x * d[1] - y * d[0]) for d in from_first]
    third, left = _best(points, sides, least)
    fourth, right = _best(points, [-side for side in sides], least)
    exist = [1.0, less(0.0, length), less(least, left), less(least, right)]
    ends = zip([first, second, third, fourth], exist, strict=True)
    lowest = reduce(lambda x, y: where(less(y[2], x[2]), y, x), points)
    return [Corner(x, where(some[3], e, 0.0)[()]) for x, e in ends], Corner(lowest, some[3])


def _best(points: list[Array], scores: list[Any], least: Any) -> tuple[Array, Any]:
    """The point with the largest score, and that; the first one where none is above the least one."""
    score, found = least, points[0]
    for point, each in zip(points, scores, strict=True):
        better = less(score, each)
        score, found = where(better, each, score)[()], where(better, point, found)
    return found, score


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
