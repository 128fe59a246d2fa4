"""Convex shapes as sums of a hull of points, an ellipsoid and a ball, and how far two of them are apart along a normal.

    A = conv{s_i} ⊕ R D Ball ⊕ r Ball          D = diag(half axes), of which a disc has one that is zero

A sphere is a point and a ball, a capsule a segment and a ball, a cylinder a segment and a disc. Along a unit normal n
two shapes a and b are apart by g(n) − r_a − r_b,

    g(n) = min_i n·p_i − κ(n),      κ(n) = |D_a R_aᵀ n| + |D_b R_bᵀ n|                                          (1)

with p_i = s_a − s_b for all pairs of their points. The signed distance is the largest of it, at any distance: what is
round without corners has no part in the search, and the smooth rest κ is the same for all points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .....arrays import Array, less, sqrt, stack, where
from .....linalg.dense import by_precision
from .....linalg.hulls import hull_normals
from ..touch import TINY, Placed
from .corners import FACES, box, ends, farthest, nearest, origin

FLAT, FLAT_SINGLE = 1e-9, 3e-6
"""Angle between a normal and that of a disc [rad] that counts as none."""
STEEP = 1e12
"""What a disc is taken for where n is its normal: κ has a kink there, which `Bulge.kink` describes."""


class Convex(NamedTuple):
    """A shape."""

    R: Array
    """(3, 3) its axes in the world."""
    center: Array
    """(3,) a point inside, in the world."""
    corner: Callable[[Array], Array]
    """Direction (3,) in its axes → the farthest of its points (3,), from `center`, in its axes."""
    same: Callable[[Array], Array]
    """One of these points → that point, with its derivatives by sizes."""
    half_axes: Sequence[Any] = ()
    """Of the ellipsoid (3) or of the disc (2), or none."""
    radius: Any = 0.0
    """Of the ball."""
    faces: Array = FACES[:0]
    """(m, 3) numbers: outward normals, in its axes, that touches often have."""

    @property
    def is_flat(self) -> bool:
        """Whether it has a disc, whose normal is its third axis."""
        return len(self.half_axes) == 2

    def farthest(self, direction: Array) -> Array:
        """The farthest of its points (3,), from `center`, in the axes of the world."""
        return self.R @ self.corner(self.R.T @ direction)


class Bulge(NamedTuple):
    """κ at a normal: its value, gradient (3,), second derivatives (3, 3), and an upper bound of these at any distance.

    Where n is the normal of discs, κ(n + u) has a part `kink` |u|, of which the derivatives here know nothing.
    """

    value: Any
    gradient: Array
    hessian: Array
    bound: Array
    kink: Any

    @classmethod
    def of(cls, shapes: Sequence[Convex], n: Array) -> Bulge:
        """κ (1) of some shapes; |y| ≤ (|x| + |y|²/|x|) / 2 gives the bound."""
        value: Any = 0.0
        kink: Any = 0.0
        gradient, hessian, bound = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
        for shape in shapes:
            if not shape.half_axes:
                continue
            columns = [shape.R[:, k] * d for k, d in enumerate(shape.half_axes)]
            along = [x @ n for x in columns]
            length = sqrt(sum(y * y for y in along) + TINY)[()]
            value = value + length
            if shape.is_flat:
                radius = shape.half_axes[0]
                is_normal = less(length, by_precision(length, FLAT, FLAT_SINGLE) * radius)
                kink = kink + where(is_normal, radius, 0.0)[()]
                length = where(is_normal, STEEP * radius, length)[()]
            own = sum(x * y for x, y in zip(columns, along, strict=True)) / length
            most = sum(x[:, None] * x for x in columns) / length
            gradient, bound = gradient + own, bound + most
            hessian = hessian + most - own[:, None] * own / length
        return cls(value, gradient, hessian, bound, kink)


class Gap(NamedTuple):
    """Two shapes, and the vector from the centre of b to that of a."""

    a: Convex
    b: Convex
    between: Array

    @classmethod
    def of(cls, a: Placed, b: Placed) -> Gap:
        """Of shapes where they are."""
        x, y = convex(a), convex(b)
        return cls(x, y, x.center - y.center)

    @property
    def shapes(self) -> tuple[Convex, Convex]:
        """Both."""
        return self.a, self.b

    @property
    def is_round(self) -> bool:
        """Whether κ is not zero."""
        return any(shape.half_axes for shape in self.shapes)

    def bulge(self, n: Array) -> Bulge:
        """κ."""
        return Bulge.of(self.shapes, n)

    def pair(self, n: Array) -> Array:
        """The points (2, 3) of a and b, from their centres, that are nearest along n."""
        return stack([self.a.farthest(-n), self.b.farthest(n)], axis=0)

    def width(self, n: Array, pair: Array) -> Any:
        """g (1), if the pair is the nearest."""
        return n @ (self.between + pair[0] - pair[1]) - self.bulge(n).value

    def reach(self, n: Array, pair: Array) -> Any:
        """A length as large as the shapes."""
        return sqrt(sum((pair * pair).flat) + TINY)[()] + self.bulge(n).value


def convex(shape: Placed) -> Convex:
    """A shape where it is."""
    kind, size, R, center = shape.kind, shape.size, shape.axes, shape.center
    if kind == "sphere":
        return Convex(R, center, origin, origin, radius=size[0])
    if kind == "capsule":
        both = ends(0.5 * size[1])
        return Convex(R, center, both, both, radius=size[0])
    if kind == "box":
        corners = box(0.5 * size)
        return Convex(R, center, corners, corners, faces=FACES)
    if kind == "cylinder":
        both = ends(0.5 * size[1])
        return Convex(R, center, both, both, [size[0], size[0]], faces=FACES[4:])
    if kind == "ellipsoid":
        return Convex(R, center, origin, origin, [size[0], size[1], size[2]], faces=FACES)
    middle = sum(list(size)) / len(size)
    vertices = size - middle
    return Convex(R, center + R @ middle, farthest(vertices), nearest(vertices), faces=hull_normals(vertices))
