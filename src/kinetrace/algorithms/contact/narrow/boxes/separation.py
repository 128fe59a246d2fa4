"""How far two boxes are apart along the normals of their faces and the products of their edges, and their corners.

Everything is in coordinates of box a, whose half lengths are h. Of boxes that overlap, the best of these directions is
the exact one. Of boxes that do not, either it is, or the nearest points are a corner and something.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import Any, NamedTuple

from .....arrays import Array, abs, clip, concatenate, less, stack, where
from ..axes import Apart, farthest
from ..segments import Segment, lines
from ..touch import Placed


class Boxes(NamedTuple):
    """Two boxes."""

    h: Array
    """(3,) half lengths of a."""
    g: Array
    """(3,) half lengths of b."""
    R: Array
    """(3, 3) axes of b, as columns."""
    t: Array
    """(3,) centre of b."""
    u: Array
    """(3,) the same along the axes of b."""

    @classmethod
    def of(cls, a: Placed, b: Placed) -> Boxes:
        """Of two shapes."""
        R, t = a.axes.T @ b.axes, a.inside(b.center)
        return cls(0.5 * a.size, 0.5 * b.size, R, t, R.T @ t)

    @property
    def across_faces(self) -> tuple[Array, Array]:
        """How far they are apart along the axes of a (3,), and along those of b."""
        size = abs(self.R)
        return abs(self.t) - self.h - size @ self.g, abs(self.u) - self.g - size.T @ self.h


class Edges(NamedTuple):
    """The edges of two boxes along whose product they are farthest apart."""

    distance: Any
    normal: Array
    """(3,) from b to a."""
    a: Array
    """(3,) the point of the edge of a that is nearest to that of b."""
    b: Array


class Corner(NamedTuple):
    """A corner of a box, and the point of the other box that is nearest to it."""

    square: Any
    """Of their distance."""
    corner: Array
    other: Array


def nearest_edges(boxes: Boxes) -> Edges:
    """The edges of two boxes along whose product they are farthest apart."""
    best = farthest([_product(boxes, i, j) for i in range(3) for j in range(3)])
    per, direction, first, second = best.per_length, best.rest[:3], best.rest[3:6], best.rest[6:]
    toward = boxes.R.T @ direction
    of_a = [where(less(n, 0.0), -h, h)[()] for n, h in zip(direction, boxes.h, strict=True)]
    of_b = [where(less(n, 0.0), g, -g)[()] for n, g in zip(toward, boxes.g, strict=True)]
    a = Segment(stack([where(e, 0.0, x)[()] for e, x in zip(first, of_a, strict=True)]), first, first @ boxes.h)
    center = boxes.t + boxes.R @ stack([where(e, 0.0, x)[()] for e, x in zip(second, of_b, strict=True)])
    b = Segment(center, boxes.R @ second, second @ boxes.g)
    s, _ = lines(a, b)
    cosine, offset = first @ b.axis, a.center - b.center
    t = clip(cosine * clip(s, -a.half, a.half) + b.axis @ offset, -b.half, b.half)[()]
    s = clip(cosine * t - first @ offset, -a.half, a.half)[()]
    return Edges(best.value * per, -per * direction, a.at(s), b.at(t))


def _product(boxes: Boxes, i: int, j: int) -> Apart:
    """Along the product of edges i of a and j of b; with the direction from a to b, and which edges they are."""
    k, l, m, n = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    R, x, y = boxes.R, boxes.R[k, j], boxes.R[l, j]
    offset = boxes.t[l] * x - boxes.t[k] * y
    of_a = boxes.h[k] * abs(y) + boxes.h[l] * abs(x)
    of_b = boxes.g[m] * abs(x * R[l, m] - y * R[k, m]) + boxes.g[n] * abs(x * R[l, n] - y * R[k, n])
    back, along = less(offset, 0.0), [0.0, 0.0, 0.0]
    along[k], along[l] = where(back, y, -y)[()], where(back, -x, x)[()]
    which = [float(p == i) for p in range(3)] + [float(p == j) for p in range(3)]
    return Apart.along(abs(offset) - of_a - of_b, x * x + y * y, [*along, *which])


def nearest_corner(center: Array, half_edges: Array, half: Array) -> Corner:
    """The corner of a box that is nearest to another one, in coordinates of that, whose half lengths (3,) are given."""
    found = []
    for p, q, r in product((-1.0, 1.0), repeat=3):
        corner = center + p * half_edges[:, 0] + q * half_edges[:, 1] + r * half_edges[:, 2]
        outside = corner - clip(corner, -half, half)
        found.append(concatenate([stack([outside @ outside]), corner, outside]))
    best = reduce(lambda x, y: where(less(y[0], x[0]), y, x), found)
    return Corner(best[0], best[1:4], best[1:4] - best[4:])
