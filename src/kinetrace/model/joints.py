"""Joints: one class each.

A joint answers three questions from its own variables, in its own frame, and algorithms ask nothing else:

    placement(q)   (4, 4)   pose of the moved frame in the joint's frame
    subspace(q)    (6, nv)  S: columns span the twists V = S v that the joint allows, in the moved frame
    subspace_rate  (6, nv)  Sdot, at the velocity v; with it, bias(q, v) = Sdot v is the acceleration left when vdot = 0

and `bias_gradient`, how that changes with q. Because its variables may live on a manifold, there are more questions
about them: `neutral`, `integrate` (q ⊕ v), `difference` (the v with q0 ⊕ v = q1), `normalise`; `tangent` (how fast q
changes) and `bracket` (whether the order of two small motions matters). Variables may be of any scalar.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias, final

import numpy as np

from ..arrays import Array, block, concatenate, known, less, sqrt, stack, where
from ..errors import ModelError
from ..lie import ad, se3, so3
from .checks import LARGEST, frozen, number, numbers, sane, unit
from .record import Record, field_names


def _columns(*angular_linear: tuple[Array, Array]) -> Array:
    """A (6, k) matrix from k pairs (angular, linear)."""
    return stack([concatenate(pair) for pair in angular_linear], axis=-1)


Snap: TypeAlias = Callable[[Array], Array]
"""A function that rounds near-trivial constants; see `rounding.snap`."""

_ZERO = np.zeros(3)
_EYE = np.eye(3)


class Joint(Record, ABC):
    """What every joint answers; the defaults are those of coordinates in a vector space."""

    nq: ClassVar[int]
    """Number of configuration variables."""
    nv: ClassVar[int]
    """Number of velocity variables: the degrees of freedom."""

    @property
    def slide(self) -> Array | None:
        """A direction (3,) along which shifts pass the joint: before or after its motion is the same."""
        return None

    @property
    def spin(self) -> Array | None:
        """The axis (3,), if the joint turns about it by q and does nothing else."""
        return None

    @property
    def has_constant_subspace(self) -> bool:
        """Whether S is the same for all q."""
        return type(self).subspace_rate is Joint.subspace_rate

    def along_z(self) -> Joint | None:
        """The same joint about the z axis, if it has one axis and commutes with turns about and shifts along it."""
        return None

    @abstractmethod
    def placement(self, q: Array) -> Array:
        """Pose (4, 4) of the moved frame in the joint's frame."""

    @abstractmethod
    def subspace(self, q: Array) -> Array:
        """S (6, nv), in the moved frame."""

    def subspace_rate(self, q: Array, v: Array) -> Array:
        """Sdot (6, nv), in the moved frame."""
        return np.zeros((6, self.nv))

    def bias(self, q: Array, v: Array) -> Array:
        """Sdot v (6,), in the moved frame."""
        return self.subspace_rate(q, v) @ v

    def bias_gradient(self, q: Array, v: Array) -> Array:
        """The derivative (6, nv) of the bias along q ⊕ ε, in the moved frame."""
        return np.zeros((6, self.nv))

    def tangent(self, q: Array) -> Array:
        """The derivative (nq, nv) of q ⊕ ε at ε = 0: qdot = tangent(q) v."""
        return np.eye(self.nv)

    def bracket(self, u: Array, w: Array) -> Array:
        """[u, w] (..., nv) of velocities (..., nv): zero where they are rates of coordinates."""
        return 0 * u

    def neutral(self) -> Array:
        """The configuration that places the moved frame on the joint's frame."""
        return np.zeros(self.nq)

    def integrate(self, q: Array, v: Array) -> Array:
        """q ⊕ v: the configuration reached at unit time with constant v."""
        return q + v

    def difference(self, q0: Array, q1: Array) -> Array:
        """q1 ⊖ q0: the v with q0 ⊕ v = q1."""
        return q1 - q0

    def normalise(self, q: Array) -> Array:
        """The nearest valid configuration."""
        return q

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        """Configurations (*shape, nq) uniform between the limits; a variable without any is within [-pi, pi]."""
        lower, upper = limits
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * math.pi, -math.pi))
        high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2 * math.pi, math.pi))
        return rng.uniform(low, high, (*shape, self.nq))

    def snapped(self, snap: Snap) -> Joint:
        """The same joint with `snap` applied to its axes."""
        return self


@dataclass(frozen=True, eq=False)
class _Axial(Joint):
    """A joint described by one axis, a unit vector in the joint's frame."""

    axis: Array = field(default=(0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis, f"axis of a {type(self).__name__} joint"))

    @property
    def slide(self) -> Array | None:
        return self.axis

    def along_z(self) -> Joint | None:
        return replace(self, axis=_EYE[2])

    def snapped(self, snap: Snap) -> Joint:
        return _replace_axes(self, snap)


def _replace_axes(joint: _Axial | Universal | Planar, snap: Snap) -> Joint:
    each = {name: getattr(joint, name) for name in field_names(type(joint))}
    return replace(joint, **{name: snap(x) for name, x in each.items() if isinstance(x, np.ndarray)})


@final
class Fixed(Joint):
    """No motion; folded into the parent body when a model is built."""

    nq = nv = 0

    def placement(self, q: Array) -> Array:
        return np.eye(4)

    def subspace(self, q: Array) -> Array:
        return np.zeros((6, 0))


class _Turning(_Axial):
    """Rotation by q about the axis."""

    nq = nv = 1

    @property
    def spin(self) -> Array | None:
        return self.axis

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.axis_angle(self.axis, q[0]), _ZERO)

    def subspace(self, q: Array) -> Array:
        return _columns((self.axis, _ZERO))


@final
class Revolute(_Turning):
    """Rotation by q [rad] about an axis."""


@final
class Continuous(_Turning):
    """Rotation by q [rad] about an axis, without limits."""


@final
class Prismatic(_Axial):
    """Translation by q [m] along an axis."""

    nq = nv = 1

    def placement(self, q: Array) -> Array:
        return se3.pose(_EYE, self.axis * q[0])

    def subspace(self, q: Array) -> Array:
        return _columns((_ZERO, self.axis))


@final
@dataclass(frozen=True, eq=False)
class Helical(_Axial):
    """A screw: rotation by q [rad] about an axis with translation `pitch` [m/rad] times q along it."""

    pitch: float = 0.0

    nq = nv = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", number(self.pitch, "pitch of a Helical joint"))

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.axis_angle(self.axis, q[0]), self.axis * (self.pitch * q[0]))

    def subspace(self, q: Array) -> Array:
        return _columns((self.axis, self.pitch * self.axis))


@final
@dataclass(frozen=True, eq=False)
class Screw(Joint):
    """Motion exp(S q) along any screw S = (ω, v), angular first, in the joint's frame; S need not be of unit length.

    q is in units of S: radians if |ω| = 1, metres if ω = 0 and |v| = 1.
    """

    S: Array = field(default=(0.0, 0.0, 1.0, 0.0, 0.0, 0.0))

    nq = nv = 1

    def __post_init__(self) -> None:
        S = numbers(self.S, "S of a Screw joint")
        if S.shape != (6,):
            raise ModelError(f"S of a Screw joint must be 6 numbers, got shape {S.shape}")
        if known(S) and not (sane(S) and np.any(S)):
            raise ModelError(f"S of a Screw joint must be finite, at most {LARGEST:g} and not zero, got {S.tolist()}")
        object.__setattr__(self, "S", frozen(S))

    def snapped(self, snap: Snap) -> Joint:
        if not known(self.S):
            return self
        length = np.linalg.norm(self.S[:3] if np.any(self.S[:3]) else self.S[3:])  # what is near 0 depends on it
        unit = self.S / length
        rounded = snap(unit)
        return Screw(np.where(rounded == unit, self.S, length * rounded))

    def placement(self, q: Array) -> Array:
        if not self._turns_nearby:
            return se3.exp(self.S * q[0])
        # The same about the point of the axis that is nearest to the origin: no series, and a coordinate axis shows.
        rate = np.linalg.norm(self.S[:3])
        axis, v = self.S[:3] / rate, self.S[3:] / rate
        R, point = so3.axis_angle(axis, rate * q[0]), np.cross(axis, v)
        return se3.pose(R, point - R @ point + axis * ((axis @ v) * rate * q[0]))

    @property
    def _turns_nearby(self) -> bool:
        """Whether S is known to have an axis, less than 10 m away: farther ones cost digits."""
        return known(self.S) and bool(np.linalg.norm(self.S[3:]) < 10.0 * np.linalg.norm(self.S[:3]))

    def subspace(self, q: Array) -> Array:
        return self.S[:, None]


@final
class Cylindrical(_Axial):
    """Rotation q[0] [rad] about and translation q[1] [m] along one axis."""

    nq = nv = 2

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.axis_angle(self.axis, q[0]), self.axis * q[1])

    def subspace(self, q: Array) -> Array:
        return _columns((self.axis, _ZERO), (_ZERO, self.axis))


@final
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """Rotation q[0] about the first axis, then q[1] about the second, which the first carries along."""

    first: Array = field(default=(1.0, 0.0, 0.0))
    second: Array = field(default=(0.0, 1.0, 0.0))

    nq = nv = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit(self.first, "first axis of a Universal joint"))
        object.__setattr__(self, "second", unit(self.second, "second axis of a Universal joint"))
        axes_known = known(self.first) and known(self.second)
        if axes_known and np.linalg.norm(np.cross(self.first, self.second)) < 1e-9:
            raise ModelError("the two axes of a Universal joint must not be parallel")

    def snapped(self, snap: Snap) -> Joint:
        return _replace_axes(self, snap)

    def placement(self, q: Array) -> Array:
        R = so3.axis_angle(self.first, q[0]) @ so3.axis_angle(self.second, q[1])
        return se3.pose(R, _ZERO)

    def _carried(self, q: Array) -> Array:
        """The first axis in the moved frame."""
        return so3.axis_angle(self.second, -q[1]) @ self.first

    def subspace(self, q: Array) -> Array:
        return _columns((self._carried(q), _ZERO), (self.second, _ZERO))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return _columns((so3.cross(self._carried(q), self.second) * v[1], _ZERO), (_ZERO, _ZERO))

    def bias_gradient(self, q: Array, v: Array) -> Array:
        rate = so3.cross(self._carried(q), self.second)
        return _columns((_ZERO, _ZERO), (so3.cross(rate, self.second) * (v[0] * v[1]), _ZERO))


@final
@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """Translation q[0], q[1] [m] in a plane, then rotation q[2] [rad] about its normal; v is qdot.

    The in-plane axes complete the normal to a right-handed triad (x, y, normal): for the normal z they are x and
    y, for x they are y and z, for y they are z and x.
    """

    normal: Array = field(default=(0.0, 0.0, 1.0))

    nq = nv = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal, "normal of a Planar joint"))

    @property
    def slide(self) -> Array | None:
        return self.normal

    def snapped(self, snap: Snap) -> Joint:
        return _replace_axes(self, snap)

    def _plane(self) -> Array:
        """The in-plane axes as columns (3, 2)."""
        n = self.normal
        xx, yy, zz = n * n
        x, y, z = _EYE
        # Start from the coordinate axis that follows the one nearest to the normal.
        seed = where(less(where(less(xx, yy), yy, xx), zz), x, where(less(xx, yy), z, y))
        x = seed - (seed @ n) * n
        x = x / sqrt(x @ x)
        return stack([x, so3.cross(n, x)], axis=-1)

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.axis_angle(self.normal, q[2]), self._plane() @ q[:2])

    def subspace(self, q: Array) -> Array:
        x, y = (so3.axis_angle(self.normal, -q[2]) @ self._plane()).T
        return _columns((_ZERO, x), (_ZERO, y), (self.normal, _ZERO))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        x, y = (so3.axis_angle(self.normal, -q[2]) @ self._plane()).T
        turned = [so3.cross(axis, self.normal) * v[2] for axis in (x, y)]
        return _columns((_ZERO, turned[0]), (_ZERO, turned[1]), (_ZERO, _ZERO))

    def bias_gradient(self, q: Array, v: Array) -> Array:
        x, y = (so3.axis_angle(self.normal, -q[2]) @ self._plane()).T
        return _columns((_ZERO, _ZERO), (_ZERO, _ZERO), (_ZERO, -(x * v[0] + y * v[1]) * v[2]))


def _quaternion_tangent(q: Array) -> Array:
    """The rates (4, 3) of a quaternion for unit body angular velocities."""
    return stack([so3.quaternion_multiply(q, concatenate([np.zeros(1), e])) / 2 for e in _EYE], axis=-1)


def _unit_quaternion(q: Array) -> Array:
    return q / sqrt((q * q).sum(axis=-1, keepdims=True))


def _normalised(q: Array) -> Array:
    """A quaternion of any length, scaled to length 1: first by its largest entry, whose square may overflow."""
    size = where(less(q, 0), -q, q)
    largest = size[..., :1]
    for i in (1, 2, 3):
        largest = where(less(largest, size[..., i : i + 1]), size[..., i : i + 1], largest)
    return _unit_quaternion(q / largest)


@final
class Spherical(Joint):
    """Any rotation: q is a unit quaternion (w, x, y, z), v the body angular velocity [rad/s]."""

    nq, nv = 4, 3

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.from_quaternion(q), _ZERO)

    def subspace(self, q: Array) -> Array:
        return np.eye(6, 3)

    def tangent(self, q: Array) -> Array:
        return _quaternion_tangent(q)

    def bracket(self, u: Array, w: Array) -> Array:
        return so3.cross(u, w)

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, v: Array) -> Array:
        return so3.quaternion_multiply(q, so3.quaternion_exp(v))

    def difference(self, q0: Array, q1: Array) -> Array:
        return so3.quaternion_log(so3.quaternion_multiply(q0 * _CONJUGATE, q1))

    def normalise(self, q: Array) -> Array:
        return _normalised(q)

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        return _unit_quaternion(rng.normal(size=(*shape, 4)))


_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


@final
class Free(Joint):
    """Any motion: q is the position (x, y, z) [m], then a unit quaternion (w, x, y, z); v the body twist (ω, v)."""

    nq, nv = 7, 6

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.from_quaternion(q[3:]), q[:3])

    def subspace(self, q: Array) -> Array:
        return np.eye(6)

    def tangent(self, q: Array) -> Array:
        R = so3.from_quaternion(q[3:])
        return block([[np.zeros((3, 3)), R], [_quaternion_tangent(q[3:]), np.zeros((4, 3))]])

    def bracket(self, u: Array, w: Array) -> Array:
        return ad(u, w)

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, v: Array) -> Array:
        p = q[:3] + so3.from_quaternion(q[3:]) @ (so3.left_jacobian(v[:3]) @ v[3:])
        return concatenate([p, so3.quaternion_multiply(q[3:], so3.quaternion_exp(v[:3]))])

    def difference(self, q0: Array, q1: Array) -> Array:
        w = so3.quaternion_log(so3.quaternion_multiply(q0[3:] * _CONJUGATE, q1[3:]))
        p = so3.from_quaternion(q0[3:] * _CONJUGATE) @ (q1[:3] - q0[:3])
        return concatenate([w, so3.left_jacobian_inverse(w) @ p])

    def normalise(self, q: Array) -> Array:
        return concatenate([q[:3], _normalised(q[3:])])

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        turn = _unit_quaternion(rng.normal(size=(*shape, 4)))
        return concatenate([rng.uniform(-1.0, 1.0, (*shape, 3)), turn])
