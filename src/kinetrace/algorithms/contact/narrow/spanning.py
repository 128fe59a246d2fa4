"""Four of many points, which span what a body lies on.

The first is the farthest in a direction, the second the farthest from that, the others those that are farthest from
their line on either side. All of them have to be low: the lower, the better. As they are chosen by where they are, the
slots of a body keep their places while it lies still.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....arrays import Array, less, maximum, sqrt, where
from ....lie import so3
from ....linalg import dense
from .touch import TINY

STEEP = 20.0
"""Reciprocal of the slope below which points are all as low."""
CLOSE = 1e-6
"""Difference of lengths or areas that counts as none, relative to those of a body."""
FAR = 1e30
"""Beyond all lengths and areas."""


def spanning(
    points: Sequence[Array], heights: Sequence[Any], up: Array, direction: Array, size: Any
) -> list[tuple[Array, Any]]:
    """Four of some points, each with 1 if it is not one of those before, else 0.

    Heights are above the lowest point, along `up`, about which they are in order; `size` is a length of the body.
    """
    climbs, square = [STEEP * height for height in heights], size * size
    forward = [direction @ x - climb for x, climb in zip(points, climbs, strict=True)]
    first = _best(points, forward, CLOSE * size)
    ways = [x - first for x in points]
    lengths = [way @ way for way in ways]
    ahead = [_if(less(CLOSE * square, y), y - climb * climb) for y, climb in zip(lengths, climbs, strict=True)]
    second = _best(points, ahead, CLOSE * square)
    found = [(first, 1.0), (second, less(CLOSE * square, dense.largest(lengths)))]
    across = so3.cross(up, second - first)
    width, left = sqrt(maximum(across @ across, TINY))[()], [across @ way for way in ways]
    for sides in (left, [-side for side in left]):
        aside = [_if(less(CLOSE * square, y), y - width * climb) for y, climb in zip(sides, climbs, strict=True)]
        found.append((_best(points, aside, CLOSE * square), less(CLOSE * square, dense.largest(sides))))
    return found


def _if(condition: Any, score: Any) -> Any:
    return where(condition, score, -FAR)[()]


def _best(points: Sequence[Array], scores: Sequence[Any], margin: Any) -> Array:
    """The point with the largest score, the first of equal ones."""
    best, most = points[0], scores[0]
    for x, score in zip(points[1:], scores[1:], strict=True):
        better = less(most + margin, score)
        best, most = where(better, x, best), where(better, score, most)[()]
    return best
