"""Where a line enters a box, a cylinder or a hull."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

from .....arrays import Array, abs, less, maximum, minimum, sqrt, where
from .....linalg.dense import by_precision
from .....linalg.hulls import hull_normals
from ..touch import TINY, Placed

SLOWEST = 1e-12
"""Component of a direction that counts as zero where it divides."""
LARGER, LARGER_SINGLE = 1e-12, 1e-5
"""Part by which shapes count as larger, so that points on their edges are on them; in single precision."""
FAR = 1e6
"""Beyond all shapes [m]."""


class Crossing(NamedTuple):
    """What a line has in common with a shape."""

    enter: Any
    """Where it enters, by the length from its point [m]."""
    leave: Any

    @property
    def exists(self) -> Any:
        """1 if it meets the shape, else 0."""
        return where(less(self.leave, self.enter), 0.0, 1.0)[()]


def crossing(shape: Placed, x: Array, direction: Array, is_larger: bool = False) -> Crossing:
    """Of a line through x (3,) of the world along a unit vector; with the surface, if the shape counts as larger."""
    at, along = shape.inside(x), shape.axes.T @ direction
    part = by_precision(1.0 + at @ at, LARGER, LARGER_SINGLE)[()] if is_larger else 0.0
    if shape.kind == "points":
        middle = sum(list(shape.size)) / len(shape.size)
        vertices = shape.size - middle
        normals = hull_normals(vertices)
        heights = [max(n @ x for x in vertices) for n in normals]
        return _common(
            [_half(n @ (at - middle), n @ along, h * (1.0 + part)) for n, h in zip(normals, heights, strict=True)]
        )
    half = 0.5 * shape.size * (1.0 + part)
    if shape.kind == "box":
        return _common([_slab(at[k], along[k], half[k]) for k in range(3)])
    return _common([_slab(at[2], along[2], half[1]), _round(at[:2], along[:2], 2.0 * half[0])])


def _common(parts: list[Crossing]) -> Crossing:
    """What parts of a line have in common; nothing if there are none."""
    if not parts:
        return Crossing(1.0, 0.0)
    return Crossing(reduce(maximum, [x.enter for x in parts])[()], reduce(minimum, [x.leave for x in parts])[()])


def _slab(x: Any, speed: Any, half: Any) -> Crossing:
    """|x + s speed| ≤ half."""
    slow = _divisor(speed)
    middle, reach = -x / slow, abs(half / slow)
    return Crossing(middle - reach, middle + reach)


def _half(x: Any, speed: Any, height: Any) -> Crossing:
    """x + s speed ≤ height."""
    slow = _divisor(speed)
    s, inward = (height - x) / slow, less(slow, 0.0)
    return Crossing(where(inward, s, -FAR)[()], where(inward, FAR, s)[()])


def _round(x: Array, speed: Array, radius: Any) -> Crossing:
    """|x + s speed| ≤ radius, for two components."""
    square = speed @ speed + SLOWEST * SLOWEST
    middle = -(x @ speed) / square
    nearest = x + middle * speed
    rest = radius * radius - nearest @ nearest
    reach = sqrt(maximum(rest, TINY) / square)[()]
    reach = where(less(rest, 0.0), -reach, reach)[()]
    return Crossing(middle - reach, middle + reach)


def _divisor(speed: Any) -> Any:
    return where(less(abs(speed), SLOWEST), SLOWEST, speed)[()]
