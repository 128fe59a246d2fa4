"""Joints with one degree of freedom, or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import ModelError
from ...lie import se3, so3
from ..checks import LARGEST, number, numbers, sane
from ..constraints import Attitude, Constraint, Helix, OnAxis, OnPlane, Parallel, Rigid, Shifted, Together
from ..record import read_only
from .base import EYE, ZERO, Axial, Joint, Snap, columns


@final
class Fixed(Joint):
    """No motion; when a model is built, the child link becomes part of the parent's body.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.joints.Fixed().nv
    0
    """

    nq = nv = 0

    @property
    def rotates(self) -> bool:
        return False

    def placement(self, q: Array) -> Array:
        return np.eye(4)

    def subspace(self, q: Array) -> Array:
        return np.zeros((6, 0))

    def closing(self) -> Constraint:
        return Rigid()


class _Turning(Axial):
    """Rotation by q about the axis."""

    nq = nv = 1

    @property
    def rotation_axis(self) -> Array | None:
        return self.axis

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.axis_angle(self.axis, q[0]), ZERO)

    def subspace(self, q: Array) -> Array:
        return columns((self.axis, ZERO))

    def closing(self) -> Constraint:
        return Together((Parallel(self.axis), OnAxis(self.axis), OnPlane(self.axis)))


@final
class Revolute(_Turning):
    """Rotation by q [rad] about an axis.

    Parameters
    ----------
    axis : array_like, shape (3,), default (0, 0, 1)
        Axis in the joint's frame, of any length.

    Raises
    ------
    ModelError
        If the axis is zero or not finite.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Revolute([0, 1, 0]).placement(np.array([0.5])).round(3)
    array([[ 0.878,  0.   ,  0.479,  0.   ],
           [ 0.   ,  1.   ,  0.   ,  0.   ],
           [-0.479,  0.   ,  0.878,  0.   ],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])
    """


@final
class Continuous(_Turning):
    """Rotation by q [rad] about an axis, without limits.

    Parameters
    ----------
    axis : array_like, shape (3,), default (0, 0, 1)
        Axis in the joint's frame, of any length.

    Raises
    ------
    ModelError
        If the axis is zero or not finite.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.joints.Continuous([0, 2, 0]).axis
    array([0., 1., 0.])
    """


@final
class Prismatic(Axial):
    """Translation by q [m] along an axis.

    Parameters
    ----------
    axis : array_like, shape (3,), default (0, 0, 1)
        Axis in the joint's frame, of any length.

    Raises
    ------
    ModelError
        If the axis is zero or not finite.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Prismatic([0, 0, 1]).placement(np.array([0.5]))
    array([[1. , 0. , 0. , 0. ],
           [0. , 1. , 0. , 0. ],
           [0. , 0. , 1. , 0.5],
           [0. , 0. , 0. , 1. ]])
    """

    nq = nv = 1

    @property
    def rotates(self) -> bool:
        return False

    def placement(self, q: Array) -> Array:
        return se3.pose(EYE, self.axis * q[0])

    def subspace(self, q: Array) -> Array:
        return columns((ZERO, self.axis))

    def closing(self) -> Constraint:
        return Together((Attitude(), OnAxis(self.axis)))


@final
@dataclass(frozen=True, eq=False)
class Helical(Axial):
    """Screw motion: rotation by q [rad] about an axis, with translation pitch · q along it.

    Parameters
    ----------
    axis : array_like, shape (3,), default (0, 0, 1)
        Axis in the joint's frame, of any length.
    pitch : float, default 0.0
        Translation per rotation [m/rad].

    Raises
    ------
    ModelError
        If the axis is zero, or a number is not finite.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Helical([0, 0, 1], pitch=0.1).placement(np.array([0.5])).round(3)
    array([[ 0.878, -0.479,  0.   ,  0.   ],
           [ 0.479,  0.878,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  1.   ,  0.05 ],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])
    """

    pitch: float = 0.0

    nq = nv = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", number(self.pitch, "pitch of a Helical joint"))

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.axis_angle(self.axis, q[0]), self.axis * (self.pitch * q[0]))

    def subspace(self, q: Array) -> Array:
        return columns((self.axis, self.pitch * self.axis))

    def closing(self) -> Constraint:
        return Together((Parallel(self.axis), OnAxis(self.axis), Helix(self.axis, self.pitch)))


@final
@dataclass(frozen=True, eq=False)
class Screw(Joint):
    """Motion exp(S q) along any screw.

    q is in units of S: radians if |ω| = 1, metres if ω = 0 and |v| = 1.

    Parameters
    ----------
    S : array_like, shape (6,), default (0, 0, 1, 0, 0, 0)
        Screw (ω, v) in the joint's frame, angular first; not necessarily of unit length.

    Raises
    ------
    ModelError
        If S is zero or not finite.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Screw([0, 0, 1, 0, -0.4, 0]).placement(np.array([0.5])).round(3)
    array([[ 0.878, -0.479,  0.   ,  0.049],
           [ 0.479,  0.878,  0.   , -0.192],
           [ 0.   ,  0.   ,  1.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])
    """

    S: Array = field(default=(0.0, 0.0, 1.0, 0.0, 0.0, 0.0))

    nq = nv = 1

    def __post_init__(self) -> None:
        S = numbers(self.S, "S of a Screw joint")
        if S.shape != (6,):
            raise ModelError(f"S of a Screw joint must be 6 numbers, got shape {S.shape}")
        if is_concrete(S) and not (sane(S) and np.any(S)):
            raise ModelError(f"S of a Screw joint must be finite, at most {LARGEST:g} and not zero, got {S.tolist()}")
        object.__setattr__(self, "S", read_only(S))

    def snapped(self, snap: Snap) -> Joint:
        if not is_concrete(self.S):
            return self
        length = np.linalg.norm(self.S[:3] if np.any(self.S[:3]) else self.S[3:])  # the scale of rounding
        unit = self.S / length
        rounded = snap(unit)
        return Screw(np.where(rounded == unit, self.S, length * rounded))

    def placement(self, q: Array) -> Array:
        if not self._turns_nearby:
            return se3.exp(self.S * q[0])
        # The same about the point of the axis nearest to the origin: no series, and coordinate axes stay recognisable.
        rate = np.linalg.norm(self.S[:3])
        axis, v = self.S[:3] / rate, self.S[3:] / rate
        R, point = so3.axis_angle(axis, rate * q[0]), np.cross(axis, v)
        return se3.pose(R, point - R @ point + axis * ((axis @ v) * rate * q[0]))

    @property
    def _turns_nearby(self) -> bool:
        """Whether S is known to have an axis, less than 10 m away: farther ones cost digits."""
        return is_concrete(self.S) and bool(np.linalg.norm(self.S[3:]) < 10.0 * np.linalg.norm(self.S[:3]))

    def subspace(self, q: Array) -> Array:
        return self.S[:, None]

    def closing(self) -> Constraint:
        w, v = self.S[:3], self.S[3:]
        if not np.any(w):
            return Prismatic(v).closing()
        at = se3.pose(EYE, np.cross(w, v) / (w @ w))
        return Shifted(Helical(w, (w @ v) / (w @ w)).closing(), at)
