"""Joints with two and three degrees of freedom whose velocities are rates of coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from ...arrays import Array, is_concrete, less, sqrt, stack, where
from ...errors import ModelError
from ...lie import se3, so3
from ..checks import unit
from ..constraints import Angle, Constraint, OnAxis, OnPlane, Parallel, Point, Together
from .base import EYE, ZERO, Axial, Joint, Snap, columns, farthest


@final
class Cylindrical(Axial):
    """Rotation by q[0] [rad] about an axis, and translation by q[1] [m] along it.

    Parameters
    ----------
    axis : array_like, shape (3,), or str, default (0, 0, 1)
        Axis in the joint's frame, of any length, or its name, such as "x" or "-z".

    Raises
    ------
    ModelError
        If the axis is zero or not finite.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Cylindrical().placement(np.array([0.5, 0.2])).round(3)
    array([[ 0.878, -0.479,  0.   ,  0.   ],
           [ 0.479,  0.878,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  1.   ,  0.2  ],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])
    """

    nq = nv = 2

    def travel(self, lower: Array, upper: Array) -> float:
        return farthest(lower[1:], upper[1:])

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.axis_angle(self.axis, q[0]), self.axis * q[1])

    def subspace(self, q: Array) -> Array:
        return columns((self.axis, ZERO), (ZERO, self.axis))

    def closing(self) -> Constraint:
        return Together((Parallel(self.axis), OnAxis(self.axis)))


@final
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """Rotation by q[0] about a first axis, then by q[1] about a second one, which moves with the first [rad].

    Parameters
    ----------
    first : array_like, shape (3,), or str, default (1, 0, 0)
        First axis in the joint's frame, of any length, or its name.
    second : array_like, shape (3,), or str, default (0, 1, 0)
        Second axis at q = 0, in the joint's frame, or its name.

    Raises
    ------
    ModelError
        If the axes are parallel, or one is zero.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Universal().subspace(np.array([0.0, 0.5])).round(3)
    array([[0.878, 0.   ],
           [0.   , 1.   ],
           [0.479, 0.   ],
           [0.   , 0.   ],
           [0.   , 0.   ],
           [0.   , 0.   ]])
    """

    first: Array = field(default=(1.0, 0.0, 0.0))
    second: Array = field(default=(0.0, 1.0, 0.0))

    nq = nv = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit(self.first, "first axis of a Universal joint"))
        object.__setattr__(self, "second", unit(self.second, "second axis of a Universal joint"))
        axes_known = is_concrete(self.first) and is_concrete(self.second)
        if axes_known and np.linalg.norm(np.cross(self.first, self.second)) < 1e-9:
            raise ModelError("the two axes of a Universal joint must not be parallel")

    def snapped(self, snap: Snap) -> Joint:
        return replace(self, first=snap(self.first), second=snap(self.second))

    def travel(self, lower: Array, upper: Array) -> float:
        return 0.0

    def placement(self, q: Array) -> Array:
        R = so3.axis_angle(self.first, q[0]) @ so3.axis_angle(self.second, q[1])
        return se3.pose(R, ZERO)

    def _carried(self, q: Array) -> Array:
        """The first axis in the moved frame."""
        return so3.axis_angle(self.second, -q[1]) @ self.first

    def subspace(self, q: Array) -> Array:
        return columns((self._carried(q), ZERO), (self.second, ZERO))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return columns((so3.cross(self._carried(q), self.second) * v[1], ZERO), (ZERO, ZERO))

    def bias_gradient(self, q: Array, v: Array) -> Array:
        rate = so3.cross(self._carried(q), self.second)
        return columns((ZERO, ZERO), (so3.cross(rate, self.second) * (v[0] * v[1]), ZERO))

    def closing(self) -> Constraint:
        return Together((Point(), Angle(self.first, self.second)))


@final
@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """Translation by q[0], q[1] [m] in a plane, then rotation by q[2] [rad] about its normal; v is q̇.

    The in-plane axes complete the normal to a right-handed triad (x, y, normal): for the normal z they are x and y, for
    x they are y and z, for y they are z and x.

    Parameters
    ----------
    normal : array_like, shape (3,), or str, default (0, 0, 1)
        Normal of the plane in the joint's frame, of any length.

    Raises
    ------
    ModelError
        If the normal is zero or not finite.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Planar().placement(np.array([0.1, 0.2, 0.5])).round(3)
    array([[ 0.878, -0.479,  0.   ,  0.1  ],
           [ 0.479,  0.878,  0.   ,  0.2  ],
           [ 0.   ,  0.   ,  1.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])
    """

    normal: Array = field(default=(0.0, 0.0, 1.0))

    nq = nv = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal, "normal of a Planar joint"))

    @property
    def commuting_translation(self) -> Array | None:
        return self.normal

    def snapped(self, snap: Snap) -> Joint:
        return replace(self, normal=snap(self.normal))

    def _plane(self) -> Array:
        """The in-plane axes as columns (3, 2)."""
        n = self.normal
        xx, yy, zz = n * n
        x, y, z = EYE
        # Start from the coordinate axis that follows the one nearest to the normal.
        seed = where(less(where(less(xx, yy), yy, xx), zz), x, where(less(xx, yy), z, y))
        x = seed - (seed @ n) * n
        x = x / sqrt(x @ x)
        return stack([x, so3.cross(n, x)], axis=-1)

    def travel(self, lower: Array, upper: Array) -> float:
        return farthest(lower[:2], upper[:2])

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.axis_angle(self.normal, q[2]), self._plane() @ q[:2])

    def subspace(self, q: Array) -> Array:
        x, y = (so3.axis_angle(self.normal, -q[2]) @ self._plane()).T
        return columns((ZERO, x), (ZERO, y), (self.normal, ZERO))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        x, y = (so3.axis_angle(self.normal, -q[2]) @ self._plane()).T
        turned = [so3.cross(axis, self.normal) * v[2] for axis in (x, y)]
        return columns((ZERO, turned[0]), (ZERO, turned[1]), (ZERO, ZERO))

    def bias_gradient(self, q: Array, v: Array) -> Array:
        x, y = (so3.axis_angle(self.normal, -q[2]) @ self._plane()).T
        return columns((ZERO, ZERO), (ZERO, ZERO), (ZERO, -(x * v[0] + y * v[1]) * v[2]))

    def closing(self) -> Constraint:
        return Together((Parallel(self.normal), OnPlane(self.normal)))
