"""Joints with two and three degrees of freedom whose velocities are rates of coordinates.

Joints with a quaternion among their variables: their velocities are not rates of coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from ...arrays import Array, block, concatenate, is_concrete, less, sqrt, stack, where
from ...errors import ModelError
from ...lie import ad, ad_dual, se3, so3
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

    # The defaults give the same with more operations if axes are in general position: 292 mul in ∂τ/∂q, 261 so.
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

    # As in `Universal`: 306 mul by default, 256 so.
    def subspace_rate(self, q: Array, v: Array) -> Array:
        x, y = (so3.axis_angle(self.normal, -q[2]) @ self._plane()).T
        turned = [so3.cross(axis, self.normal) * v[2] for axis in (x, y)]
        return columns((ZERO, turned[0]), (ZERO, turned[1]), (ZERO, ZERO))

    def bias_gradient(self, q: Array, v: Array) -> Array:
        x, y = (so3.axis_angle(self.normal, -q[2]) @ self._plane()).T
        return columns((ZERO, ZERO), (ZERO, ZERO), (ZERO, -(x * v[0] + y * v[1]) * v[2]))

    def closing(self) -> Constraint:
        return Together((Parallel(self.normal), OnPlane(self.normal)))


def _quaternion_tangent(q: Array) -> Array:
    """The rates (4, 3) of a quaternion for unit body angular velocities."""
    return stack([so3.quaternion_multiply(q, concatenate([np.zeros(1), e])) / 2 for e in EYE], axis=-1)


def _unit_quaternion(q: Array) -> Array:
    return q / sqrt((q * q).sum(axis=-1, keepdims=True))


def _normalised(q: Array) -> Array:
    """A quaternion of any length, scaled to length 1: first by its largest entry, whose square may overflow."""
    size = where(less(q, 0), -q, q)
    largest = size[..., :1]
    for i in (1, 2, 3):
        largest = where(less(largest, size[..., i : i + 1]), size[..., i : i + 1], largest)
    return _unit_quaternion(q / largest)


_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


@final
class Spherical(Joint):
    """Any rotation: q is a unit quaternion (w, x, y, z), v the body angular velocity [rad/s].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Spherical().placement(np.array([0.0, 1.0, 0.0, 0.0]))[:3, :3].diagonal()
    array([ 1., -1., -1.])
    """

    nq, nv = 4, 3
    quaternion = slice(0, 4)

    def travel(self, lower: Array, upper: Array) -> float:
        return 0.0

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.from_quaternion(q), ZERO)

    def subspace(self, q: Array) -> Array:
        return np.eye(6, 3)

    def tangent(self, q: Array) -> Array:
        return _quaternion_tangent(q)

    def bracket(self, u: Array, w: Array) -> Array:
        return so3.cross(u, w)

    def coadjoint(self, v: Array, p: Array) -> Array:
        return so3.cross(p, v)

    def dexp(self, theta: Array, w: Array) -> Array:
        return so3.left_jacobian(theta) @ w

    def dexp_inv(self, theta: Array, w: Array) -> Array:
        return so3.left_jacobian_inverse(theta) @ w

    def dexp_dual(self, theta: Array, p: Array) -> Array:
        return p @ so3.left_jacobian(theta)

    def dexp_inv_dual(self, theta: Array, p: Array) -> Array:
        return p @ so3.left_jacobian_inverse(theta)

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, v: Array) -> Array:
        return so3.quaternion_multiply(q, so3.quaternion_exp(v))

    def difference(self, q0: Array, q1: Array) -> Array:
        return so3.quaternion_log(so3.quaternion_multiply(q0 * _CONJUGATE, q1))

    def difference_gradient(self, q0: Array, q1: Array) -> Array:
        return so3.right_jacobian_inverse(self.difference(q0, q1))

    def normalise(self, q: Array) -> Array:
        return _normalised(q)

    def closing(self) -> Constraint:
        return Point()

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        return _unit_quaternion(rng.normal(size=(*shape, 4)))


@final
class Free(Joint):
    """Any motion: q is a position [m] and a unit quaternion (w, x, y, z), v the body twist (ω, v).

    The position (x, y, z) is that of the moved frame's origin in the joint's frame; the twist is in the moved frame
    [rad/s, m/s].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Free().placement(np.array([0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0]))
    array([[1. , 0. , 0. , 0.1],
           [0. , 1. , 0. , 0.2],
           [0. , 0. , 1. , 0.3],
           [0. , 0. , 0. , 1. ]])
    """

    nq, nv = 7, 6
    quaternion = slice(3, 7)
    has_motor = False
    is_free = True

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.from_quaternion(q[3:]), q[:3])

    def subspace(self, q: Array) -> Array:
        return np.eye(6)

    def tangent(self, q: Array) -> Array:
        R = so3.from_quaternion(q[3:])
        return block([[np.zeros((3, 3)), R], [_quaternion_tangent(q[3:]), np.zeros((4, 3))]])

    def bracket(self, u: Array, w: Array) -> Array:
        return ad(u, w)

    def coadjoint(self, v: Array, p: Array) -> Array:
        return ad_dual(v, p)

    def dexp(self, theta: Array, w: Array) -> Array:
        return se3.left_jacobian(theta) @ w

    def dexp_inv(self, theta: Array, w: Array) -> Array:
        return se3.left_jacobian_inverse(theta) @ w

    def dexp_dual(self, theta: Array, p: Array) -> Array:
        return p @ se3.left_jacobian(theta)

    def dexp_inv_dual(self, theta: Array, p: Array) -> Array:
        return p @ se3.left_jacobian_inverse(theta)

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, v: Array) -> Array:
        p = q[:3] + so3.from_quaternion(q[3:]) @ (so3.left_jacobian(v[:3]) @ v[3:])
        return concatenate([p, so3.quaternion_multiply(q[3:], so3.quaternion_exp(v[:3]))])

    def axis_rate(self, v: Array) -> Array:
        return concatenate([np.zeros(3), so3.cross(v[:3], v[3:])])

    def advance(self, q: Array, v: Array) -> Array:
        p = q[:3] + so3.from_quaternion(q[3:]) @ v[3:]
        return concatenate([p, so3.quaternion_multiply(q[3:], so3.quaternion_exp(v[:3]))])

    def turn_axes(self, theta: Array, v: Array) -> Array:
        return concatenate([v[:3], so3.from_quaternion(so3.quaternion_exp(theta[:3])).T @ v[3:]])

    def difference(self, q0: Array, q1: Array) -> Array:
        w = so3.quaternion_log(so3.quaternion_multiply(q0[3:] * _CONJUGATE, q1[3:]))
        p = so3.from_quaternion(q0[3:] * _CONJUGATE) @ (q1[:3] - q0[:3])
        return concatenate([w, so3.left_jacobian_inverse(w) @ p])

    def difference_gradient(self, q0: Array, q1: Array) -> Array:
        return se3.right_jacobian_inverse(self.difference(q0, q1))

    def normalise(self, q: Array) -> Array:
        return concatenate([q[:3], _normalised(q[3:])])

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        turn = _unit_quaternion(rng.normal(size=(*shape, 4)))
        return concatenate([rng.uniform(-1.0, 1.0, (*shape, 3)), turn])

    def closing(self) -> Constraint:
        raise ModelError("a Free joint holds nothing, and closes no loop")
