"""What functions of two shapes take and return, and the mathematics that they share.

A function (a, b) → touches knows the kinds of its shapes, never their values: sizes and poses are numbers or symbols,
and where they are numbers, their products are. Nothing branches: each case is computed, and `where` chooses. Roots and
divisions are of numbers above zero wherever that leads nowhere, so that neither values nor derivatives are NaN.

    gap = n · (x_a − x_b),    point = (x_a + x_b) / 2                                                           (1)

with x_a, x_b the nearest points of the surfaces, or the deepest where they overlap, and n from b to a.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....arrays import Array, less, sqrt, stack, where

TINY = 1e-30
"""Square of a length [m²] that counts as zero: its root is far below rounding, its reciprocal a number of float32."""
UP = np.array([0.0, 0.0, 1.0])
SIDEWAYS = np.array([0.36, 0.48, 0.8])
"""Direction in a body, along which the first of several corners is taken; along no line of symmetry."""


class Placed(NamedTuple):
    """A shape where it is."""

    kind: str
    """"sphere", "capsule", "box", "cylinder", "ellipsoid", "plane", "points" or "heights"."""
    size: Array
    """As in `Geometry`: (1,) radius of a sphere; (2,) radius and length along z, of a capsule without its caps, or of a
    cylinder; (3,) lengths of a box; (3,) half axes of an ellipsoid; (0,) of a plane, its normal being z; (n, 3)
    vertices of convex "points"; (nx, ny) "heights" over a grid along x and y, the first at the lower ends [m]."""
    X: Array
    """(4, 4) pose in the world."""
    lengths: Array = ()
    """(2,) lengths along x and y of the grid of heights, which its frame is in the middle of [m]."""

    @property
    def axes(self) -> Array:
        """(3, 3) axes of the shape, as columns in the world."""
        return self.X[:3, :3]

    @property
    def center(self) -> Array:
        """(3,) origin of the shape in the world."""
        return self.X[:3, 3]

    def inside(self, x: Array) -> Array:
        """A point (3,) of the world in coordinates of the shape."""
        return self.axes.T @ (x - self.center)


class Touch(NamedTuple):
    """One slot of a pair of shapes; one that has no place is about as far away as they are large."""

    gap: Array
    """() distance of the surfaces along the normal, negative if they overlap [m]."""
    point: Array
    """(3,) in the world, midway between the surfaces."""
    normal: Array
    """(3,) in the world, of length 1, from b to a: it pushes a."""

    @property
    def turned(self) -> Touch:
        """The same with a and b exchanged."""
        return Touch(self.gap, self.point, -self.normal)


Narrow: TypeAlias = Callable[[Placed, Placed], list[Touch]]
Pairs: TypeAlias = dict[tuple[str, str], tuple[Narrow, int]]
"""(kind of a, kind of b) → function of two shapes, and the number of touches that it returns."""
Nearest: TypeAlias = dict[tuple[str, str], Callable[[Placed, Placed], Touch]]
"""(kind of a, kind of b) → function of two shapes that returns the touch of their nearest or deepest points."""


def axes_of(normal: Array) -> Array:
    """Rows (tangent, tangent, normal), a right-handed frame (3, 3) without a singularity; the identity for z.

    Duff et al., Building an Orthonormal Basis, Revisited, JCGT 6(1), 2017.

    >>> axes_of(np.array([0.0, 0.0, 1.0])).tolist() == np.eye(3).tolist()
    True
    """
    x, y, z = normal
    side = where(less(z, 0.0), -1.0, 1.0)[()]
    a = -1.0 / (side + z)
    b = x * y * a
    first = stack([1.0 + side * x * x * a, side * b, -side * x])
    second = stack([b, side + y * y * a, -y])
    return stack([first, second, normal], axis=0)


def length_and_direction(x: Array, otherwise: Array = UP) -> tuple[Any, Array]:
    """|x| and x / |x|; the component along another direction, and that, where x vanishes."""
    square = x @ x
    vanishes = less(square, TINY)
    length = sqrt(where(vanishes, 1.0, square))[()]
    return where(vanishes, x @ otherwise, length)[()], where(vanishes, otherwise, (1.0 / length) * x)


def chosen(condition: Any, a: Touch, b: Touch) -> Touch:
    """The first of two touches where a condition holds, else the second."""
    return Touch(*(where(condition, x, y)[()] for x, y in zip(a, b, strict=True)))


def of_ball(center: Array, radius: Any, gap: Any, normal: Array) -> Touch:
    """The touch of a ball a."""
    return Touch(gap, center - (radius + 0.5 * gap) * normal, normal)


def ends_of(shape: Placed) -> tuple[Array, Array]:
    """The centres (3,) of the ends of a capsule or cylinder, that of +z first."""
    half = 0.5 * shape.size[1] * shape.axes[:, 2]
    return shape.center + half, shape.center - half


def between_spheres(a: Array, radius_a: Any, b: Array, radius_b: Any, otherwise: Array = UP) -> Touch:
    """The touch of two spheres by their centres (3,)."""
    distance, normal = length_and_direction(a - b, otherwise)
    gap = distance - radius_a - radius_b
    return Touch(gap, b + (radius_b + 0.5 * gap) * normal, normal)
