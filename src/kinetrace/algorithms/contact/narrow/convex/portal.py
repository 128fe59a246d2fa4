"""The triangle of the surface of a difference of convex shapes through which the line of their centres leaves it.

The Minkowski portal of Snethen (Game Programming Gems 7, 2008), without its search for a first one: that is a triangle
as small as rounding around the centre. As long as the surface is beyond the triangle, its farthest point along the
triangle's normal divides it into three, of which the line passes through one. Of shapes with corners it ends on a face
of the difference, of round ones as soon as it is known on which side the other centre is.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .....arrays import Array, iterate, less, stack, where
from .....linalg.dense import by_precision
from ..touch import axes_of, length_and_direction
from .shapes import Gap

MOST_PORTALS = 40
SEED, SEED_SINGLE = 1e-9, 1e-4
"""Size of the first triangle, relative to the shapes."""
CLOSED, CLOSED_SINGLE = 1e-12, 1e-5
"""Height of the surface above the triangle, relative to the shapes, that ends the search; in single precision."""
ROUND, UNDECIDED, UNDECIDED_SINGLE = 1e-2, 1e-6, 1e-4
"""The same of round shapes; as long as the centre may be on either side."""
UPPER = math.sqrt(0.75)
"""Sine of 120°."""


class Portal(NamedTuple):
    """Carry of the search."""

    corners: Array
    """(3, 3) of the triangle, from the centre of the difference."""
    pairs: Array
    """(3, 2, 3) the points of a and b that they came from."""
    n: Array
    """(3,) normal of the triangle, to its inside."""
    pair: Array
    """(2, 3) the nearest points along it."""
    beyond: Any
    """How far the surface is beyond the triangle, relative to the shapes."""
    is_decided: Any
    """1 if it is known on which side of the surface the shapes are, else 0."""


def portal(gap: Gap) -> Portal:
    """The triangle, whose normal has g > 0 if shapes are apart."""
    distance, along = length_and_direction(gap.between)
    first = gap.pair(along)
    size = gap.reach(along, first)
    seed = by_precision(size, SEED, SEED_SINGLE)[()]
    frame = (seed * size) * axes_of(-along)[:2]
    t, s = frame[0], UPPER * frame[1]
    corners = stack([t, s - 0.5 * t, -s - 0.5 * t], axis=0)

    def step(at: Portal) -> Portal:
        v, pairs = list(at.corners), list(at.pairs)
        inward = -_cross(v[1] - v[0], v[2] - v[0]) / (seed * size * size)
        n = length_and_direction(inward, at.n)[1]
        pair = gap.pair(n)
        w = pair[0] - pair[1] - gap.bulge(n).gradient
        side = _cross(along, w)
        s = [x @ side for x in v]
        is_second = _neither_below(s[2], -s[1])
        is_third = _neither_below(s[1], -s[0]) * (1.0 - is_second)
        chosen = [is_second, 1.0 - is_second - is_third, is_third]
        apart, within = less(0.0, n @ (w + gap.between)), less(n @ (v[0] + gap.between), 0.0)
        return Portal(
            stack([where(less(0.5, flag), w, x) for flag, x in zip(chosen, v, strict=True)], axis=0),
            stack([where(less(0.5, flag), pair, x) for flag, x in zip(chosen, pairs, strict=True)], axis=0),
            n,
            pair,
            n @ (v[0] - w) / size,
            where(apart, 1.0, where(within, 1.0, 0.0))[()],
        )

    closed = by_precision(size, CLOSED, CLOSED_SINGLE)
    undecided = by_precision(size, UNDECIDED, UNDECIDED_SINGLE)

    def ends(at: Portal) -> Array:
        return less(at.beyond, where(less(0.5, at.is_decided), ROUND, undecided) if gap.is_round else closed)

    zero = 0.0 * distance
    begin = Portal(corners, stack([first, first, first], axis=0), along, first, zero + 1.0, zero)
    return iterate(step, begin, ends, MOST_PORTALS)


def _neither_below(x: Any, y: Any) -> Any:
    """1 if neither is below zero, else 0."""
    return where(less(x, 0.0), 0.0, where(less(y, 0.0), 0.0, 1.0))[()]


def _cross(a: Array, b: Array) -> Array:
    return stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
