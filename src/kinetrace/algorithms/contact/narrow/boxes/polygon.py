"""What a face of one box and the opposite face of the other have in common, seen along the normal of the first.

The first face is a rectangle |x| ≤ r_x, |y| ≤ r_y, the second one a parallelogram c + α u + β v, |α|, |β| ≤ 1 with heights
z above the first. Corners of their intersection, at most eight, are corners of either and crossings of their edges: all
ends of edges of the second one in the rectangle, and all corners of the rectangle in the second one. Four of them are
kept, which span it: the farthest in a direction, the farthest from that one, and those farthest from the line of these
two on either side. As they are chosen by where they are, and not by how deep, slots keep their places while boxes rest.
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
    center: Array
    """(3,) of the parallelogram; z is its height."""
    u: Array
    v: Array


class Corner(NamedTuple):
    """A corner of what they have in common."""

    x: Array
    """(3,)."""
    exists: Any


def common_corners(faces: Faces, direction: Array, turn: Any) -> list[Corner]:
    """Four corners, the first one along a direction (2,); `turn` = ±1 tells on which side the third one is."""
    candidates = _candidates(faces)
    some = reduce(lambda x, y: where(y[2], y, x), candidates)
    points = [where(each[2], each[:2], some[:2]) for each in candidates]
    first = reduce(lambda x, y: where(less(direction @ x, direction @ y), y, x), points)
    from_first = [x - first for x in points]
    second, length = _best(from_first, [d @ d for d in from_first], 0.0)
    across = turn * stack([-second[1], second[0]])
    sides, least = [across @ d for d in from_first], NARROWEST * length
    third, left = _best(from_first, sides, least)
    fourth, right = _best(from_first, [-side for side in sides], least)
    exist = [some[2], less(0.0, length), less(least, left), less(least, right)]
    height = _height(faces)
    ends = [first, first + second, first + third, first + fourth]
    return [Corner(stack([*x, height(x)]), where(some[2], e, 0.0)[()]) for x, e in zip(ends, exist, strict=True)]


def _best(points: list[Array], scores: list[Any], least: Any) -> tuple[Array, Any]:
    """The point with the largest score, and that; zero where none is above the least one."""
    score, found = least, 0.0 * points[0]
    for point, each in zip(points, scores, strict=True):
        better = less(score, each)
        score, found = where(better, each, score)[()], where(better, point, found)
    return found, score


def _candidates(faces: Faces) -> list[Array]:
    """Points (x, y) of the common boundary, each with 1 if it exists, else 0."""
    (c, _), (u, _), (v, _) = ((x[:2], x[2]) for x in (faces.center, faces.u, faces.v))
    larger = 1.0 + by_precision(abs(c[0]) + faces.rectangle[0], TOLERANCE, TOLERANCE_SINGLE)[()]
    rectangle = stack([faces.rectangle[0] * larger, faces.rectangle[1] * larger])
    found = []
    for along, base in ((u, v), (v, u)):
        slow = where(less(abs(along), SLOWEST), SLOWEST, along)
        both = 1.0 / (slow[0] * slow[1])
        per = both * slow[::-1]
        reach = abs(rectangle * per)
        for start in (c - base, c + base):
            middle = -start * per
            low, high = middle - reach, middle + reach
            begin = maximum(maximum(low[0], low[1]), -1.0)[()]
            end = minimum(minimum(high[0], high[1]), 1.0)[()]
            exists = where(less(end, begin), 0.0, 1.0)[()]
            found += [stack([*(start + at * along), exists]) for at in (begin, end)]
    per = 1.0 / (u[0] * v[1] - u[1] * v[0])
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            corner = stack([x * faces.rectangle[0], y * faces.rectangle[1]])
            d = per * (corner - c)
            alpha, beta = d[0] * v[1] - d[1] * v[0], d[1] * u[0] - d[0] * u[1]
            found.append(stack([*corner, where(less(maximum(abs(alpha), abs(beta)), larger), 1.0, 0.0)[()]]))
    return found


def _height(faces: Faces) -> Any:
    """Height of the parallelogram above a point (2,)."""
    (cx, cy, cz), (ux, uy, uz), (vx, vy, vz) = faces.center, faces.u, faces.v
    per = 1.0 / (ux * vy - uy * vx)
    slope_x, slope_y = per * (uz * vy - vz * uy), per * (vz * ux - uz * vx)
    return lambda x: cz + slope_x * (x[0] - cx) + slope_y * (x[1] - cy)
