"""Joints with one degree of freedom, or none."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import final

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import ModelError
from ...lie import se3, so3
from ..checks import MAX_NUMBER, number, numbers, sane
from ..constraints import Attitude, Constraint, Helix, OnAxis, OnPlane, Parallel, Rigid, Shifted, Together
from ..record import read_only
from .base import EYE, ZERO, Axial, Joint, Snap, columns, farthest


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

    def travel(self, lower: Array, upper: Array) -> float:
        return 0.0

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

    def travel(self, lower: Array, upper: Array) -> float:
        return 0.0

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
    axis : array_like, shape (3,), or str, default (0, 0, 1)
        Axis in the joint's frame, of any length, or its name, such as "x" or "-z".

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
    axis : array_like, shape (3,), or str, default (0, 0, 1)
        Axis in the joint's frame, of any length, or its name, such as "x" or "-z".

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
    axis : array_like, shape (3,), or str, default (0, 0, 1)
        Axis in the joint's frame, of any length, or its name, such as "x" or "-z".

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

    def travel(self, lower: Array, upper: Array) -> float:
        return farthest(lower, upper)

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
    axis : array_like, shape (3,), or str, default (0, 0, 1)
        Axis in the joint's frame, of any length, or its name, such as "x" or "-z".
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

    def travel(self, lower: Array, upper: Array) -> float:
        return farthest(lower, upper, self.pitch)

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
            raise ModelError(
                f"S of a Screw joint must be finite, at most {MAX_NUMBER:g} and not zero, got {S.tolist()}"
            )
        object.__setattr__(self, "S", read_only(S))

    def snapped(self, snap: Snap) -> Joint:
        if not is_concrete(self.S):
            return self
        unit = self.S / self.rate  # the scale of rounding
        rounded = snap(unit)
        return Screw(np.where(rounded == unit, self.S, self.rate * rounded))

    def travel(self, lower: Array, upper: Array) -> float:
        if not self.turns:
            return farthest(lower, upper, self.rate)
        chord = 2.0 * math.sin(min(farthest(lower, upper, self.rate), math.pi) / 2.0)
        return math.hypot(chord * np.linalg.norm(self.point), farthest(lower, upper, self.pitch * self.rate))

    def placement(self, q: Array) -> Array:
        if not self._turns_nearby:
            return se3.exp(self.S * q[0])
        # The same about the point of the axis nearest to the origin: no series, and coordinate axes stay recognisable.
        axis, rate, point = self.axis, self.rate, self.point
        R = so3.axis_angle(axis, rate * q[0])
        return se3.pose(R, point - R @ point + axis * (self.pitch * rate * q[0]))

    @property
    def turns(self) -> bool:
        """Whether it turns; otherwise it slides only."""
        return bool(np.any(self.S[:3]))

    @property
    def rate(self) -> float:
        """Angle per unit of q, or the distance if it slides only [rad, m]."""
        return float(np.linalg.norm(self.S[:3] if self.turns else self.S[3:]))

    @property
    def axis(self) -> Array:
        """Unit vector (3,) about or along which it moves."""
        return (self.S[:3] if self.turns else self.S[3:]) / self.rate

    @property
    def point(self) -> Array:
        """Point (3,) of the axis that is nearest to the origin [m]; the origin if it slides only."""
        return np.cross(self.axis, self.S[3:] / self.rate) if self.turns else np.zeros(3)

    @property
    def pitch(self) -> float:
        """Distance per angle [m/rad]; infinite if it slides only."""
        return float(self.axis @ (self.S[3:] / self.rate)) if self.turns else np.inf

    @property
    def _turns_nearby(self) -> bool:
        """Whether S is known to have an axis, less than 10 m away: farther ones cost digits."""
        return is_concrete(self.S) and bool(np.linalg.norm(self.S[3:]) < 10.0 * np.linalg.norm(self.S[:3]))

    def subspace(self, q: Array) -> Array:
        return self.S[:, None]

    def closing(self) -> Constraint:
        if not self.turns:
            return Prismatic(self.S[3:]).closing()
        return Shifted(Helical(self.S[:3], self.pitch).closing(), se3.pose(EYE, self.point))
