"""Directions along which two convex shapes may be apart, and the best of them.

Any direction tells how far they are apart at least. Where shapes overlap, the best of all is one of the normals of the
faces of their Minkowski difference, which for boxes and segments are their own normals and the products of their edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from ....arrays import Array, abs, concatenate, less, sqrt, stack, where
from ....linalg.dense import by_precision
from .touch import TINY

ROUNDING, ROUNDING_SINGLE = 3e-14, 1e-5


class Apart(NamedTuple):
    """How far shapes are apart along a direction that is not of length 1: value / √square."""

    value: Any
    """The distance times the length of the direction, negative if they overlap."""
    square: Any
    """Square of that length."""
    rest: Array
    """(k,) what else belongs to the direction."""

    @classmethod
    def along(cls, value: Any, square: Any, rest: Sequence[Any]) -> Apart:
        """Along a direction that may vanish; then it is worse than any other."""
        vanishes = less(square, TINY)
        return cls(where(vanishes, -1.0, value)[()], where(vanishes, TINY, square)[()], stack(rest))

    @property
    def per_length(self) -> Any:
        """1 / √square."""
        return 1.0 / sqrt(self.square)[()]


def farthest(directions: Sequence[Apart]) -> Apart:
    """The direction along which shapes are farthest apart, or overlap least, without roots and quotients."""
    return reduce(_farther, directions)


def _farther(a: Apart, b: Apart) -> Apart:
    more = less(a.value * abs(a.value) * b.square, b.value * abs(b.value) * a.square)
    x, y = (concatenate([stack([each.value, each.square]), each.rest]) for each in (a, b))
    best = where(more, y, x)
    return Apart(best[0], best[1], best[2:])


def rounding(distance: Any, size: Any) -> Any:
    """A difference of distances that counts as zero, of shapes of some size."""
    scale = abs(distance) + size
    return by_precision(scale, ROUNDING, ROUNDING_SINGLE)[()] * scale
