"""Nearest points of a segment and a line or a box, and how far they overlap.

A segment is c + t d, |t| ≤ l, with |d| = 1. Of a box with half lengths h, everything is in its coordinates.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

from ....arrays import Array, abs, clip, less, maximum, minimum, stack, where
from ....lie import so3
from .axes import Apart, farthest, rounding
from .faces import Largest
from .touch import TINY

PARALLEL = 1e-15
"""Component of a direction across planes below which it is parallel to them."""
FAR = 1e30


class Segment(NamedTuple):
    """A segment."""

    center: Array
    axis: Array
    """(3,) of length 1."""
    half: Any
    """Half of its length [m]."""

    def at(self, t: Any) -> Array:
        """A point (3,)."""
        return self.center + t * self.axis


class Deepest(NamedTuple):
    """How a segment overlaps a box."""

    distance: Any
    """Largest distance along a direction; negative if they overlap."""
    normal: Array
    """(3,) that direction, away from the box."""
    at: Any
    """Where the segment is deepest."""


def lines(a: Segment, b: Segment) -> tuple[Any, Any]:
    """Where the line of a is nearest to that of b, and the square of the sine between them.

    With the product w of the axes, (a.center + t a.axis − b.center) × b.axis has no part along it. So that is right to
    rounding for lines that are almost parallel, too; for parallel ones t is zero.
    """
    product = so3.cross(a.axis, b.axis)
    square = product @ product
    parallel = less(square, TINY)
    moment = so3.cross(b.center - a.center, b.axis)
    return where(parallel, 0.0, moment @ product / where(parallel, 1.0, square))[()], square


def within_slabs(segment: Segment, half: Array) -> tuple[Array, Array]:
    """Where a segment enters and leaves |x| ≤ h, for each coordinate (3,); at one of its ends, if it does not."""
    crossing = less(PARALLEL, abs(segment.axis))
    per = 1.0 / where(crossing, segment.axis, 1.0)
    middle, reach = -segment.center * per, abs(half * per)
    enters, leaves = (clip(t, -segment.half, segment.half) for t in (middle - reach, middle + reach))
    within = where(less(abs(segment.center), half), segment.half, -segment.half)
    return where(crossing, enters, -segment.half), where(crossing, leaves, within)


def nearest_to_box(segment: Segment, half: Array, slabs: tuple[Array, Array]) -> Any:
    """Where a segment is nearest to a box; anywhere in the box, if it goes through.

    Half the slope of the squared distance, d · (x − clip(x)), grows with t and is linear between the ends of slabs: the
    last of these with a slope ≤ 0 and the first with one ≥ 0 are found, and the zero between them.
    """
    ends = [-segment.half, segment.half, *slabs[0], *slabs[1]]
    slopes = [segment.axis @ (x - clip(x, -half, half)) for x in map(segment.at, ends)]
    before = [where(less(0.0, slope), -segment.half, t) for t, slope in zip(ends, slopes, strict=True)]
    after = [where(less(slope, 0.0), segment.half, t) for t, slope in zip(ends, slopes, strict=True)]
    low, high = reduce(maximum, before)[()], reduce(minimum, after)[()]
    fall = reduce(maximum, [where(less(0.0, slope), -FAR, slope) for slope in slopes])[()]
    rise = reduce(minimum, [where(less(slope, 0.0), FAR, slope) for slope in slopes])[()]
    level = less(rise - fall, TINY)
    part = where(level, 0.0, fall / where(level, 1.0, fall - rise)[()])[()]
    return low + part * (high - low)


def deepest_in_box(segment: Segment, half: Array) -> Deepest:
    """How a segment overlaps a box: by the normals of its faces, and the products of its edges and the axis."""
    side = where(less(segment.center, 0.0), -1.0, 1.0)
    distances = side * segment.center - half - segment.half * abs(segment.axis)
    face = Largest.of(distances)
    by_face = face.among(distances)
    end = where(less(face.among(side * segment.axis), 0.0), segment.half, -segment.half)
    edge = farthest([_product(k, segment, half) for k in range(3)])
    per = edge.per_length
    by_edge = edge.value * per
    edges = less(by_face + rounding(by_face, half.sum()), by_edge)
    normal = where(edges, per * edge.rest[:3], side * stack(face.flags))
    return Deepest(where(edges, by_edge, by_face)[()], normal, where(edges, edge.rest[3] * per * per, end)[()])


def _product(k: int, segment: Segment, half: Array) -> Apart:
    """Along the product of an axis of a box and that of a segment; with the direction, and t times its square."""
    i, j = (k + 1) % 3, (k + 2) % 3
    c, (x, y) = segment.center, (segment.axis[i], segment.axis[j])
    offset = c[j] * x - c[i] * y
    back = less(offset, 0.0)
    value = abs(offset) - half[i] * abs(y) - half[j] * abs(x)
    direction = [where(back, y, -y)[()], where(back, -x, x)[()]]
    corner = [where(less(n, 0.0), -half[m], half[m])[()] for n, m in zip(direction, (i, j), strict=True)]
    at = (corner[0] - c[i]) * x + (corner[1] - c[j]) * y
    along = [0.0, 0.0, 0.0]
    along[i], along[j] = direction
    return Apart.along(value, x * x + y * y, [*along, at])
