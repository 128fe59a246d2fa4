"""Constraints whose rows in B change as B moves in A.

Each defines its rows once, on jets: vectors with their derivatives along two motions of a frame, and along both. Rates
and gradients follow.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from ...arrays import Array, concatenate, is_concrete, sqrt, stack
from ...errors import ModelError
from ...lie import se3, so3
from ..checks import number, unit
from .base import Constraint, in_axes_of_b, offset


@final
@dataclass(frozen=True)
class Jet:
    """x, its derivatives along V and along W, and the second one, first along W and then along V."""

    x: Array
    v: Array = 0.0
    w: Array = 0.0
    vw: Array = 0.0

    __array_ufunc__ = None  # array * jet is computed by the jet

    def __add__(self, other: Any) -> Jet:
        o = _jet(other)
        return Jet(self.x + o.x, self.v + o.v, self.w + o.w, self.vw + o.vw)

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.x, -self.v, -self.w, -self.vw)

    def __sub__(self, other: Any) -> Jet:
        return self + -_jet(other)

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    def __mul__(self, other: Any) -> Jet:
        return _product(lambda a, b: a * b, self, _jet(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Jet) -> Jet:
        r = 1.0 / other.x
        slope, curve = -r * r, 2.0 * r * r * r
        return self * Jet(r, slope * other.v, slope * other.w, curve * other.v * other.w + slope * other.vw)

    def root(self) -> Jet:
        """The square root."""
        s = sqrt(self.x)[()]
        slope = 0.5 / s
        return Jet(s, slope * self.v, slope * self.w, slope * self.vw - 0.25 * self.v * self.w / (self.x * s))


def _jet(x: Any) -> Jet:
    return x if isinstance(x, Jet) else Jet(x)


def _product(multiply: Any, a: Jet, b: Jet) -> Jet:
    def times(x: Any, y: Any) -> Any:
        return 0.0 if _is_none(x) or _is_none(y) else multiply(x, y)

    v, w = times(a.v, b.x) + times(a.x, b.v), times(a.w, b.x) + times(a.x, b.w)
    return Jet(times(a.x, b.x), v, w, times(a.vw, b.x) + times(a.v, b.w) + times(a.w, b.v) + times(a.x, b.vw))


def _is_none(x: Any) -> bool:
    return isinstance(x, float) and x == 0.0


def cross(a: Any, b: Any) -> Jet:
    """a × b of vectors (3,)."""
    return _product(so3.cross, _jet(a), _jet(b))


def dot(a: Any, b: Any) -> Jet:
    """a · b of vectors (3,)."""
    return _product(lambda x, y: x @ y, _jet(a), _jet(b))


def rotating_vector(m: Array, V: Array, W: Array) -> Jet:
    """A vector m (3,) in the axes of B that is fixed to A, as B moves by W and then by V (6,), in B."""
    w = so3.cross(m, W[:3])
    return Jet(m, so3.cross(m, V[:3]), w, so3.cross(w, V[:3]))


def shifted_origin(r: Array, V: Array, W: Array) -> Jet:
    """The origin of B seen from a point r (3,) of A, in the axes of B, likewise."""
    v, w = so3.cross(r, V[:3]) + V[3:], so3.cross(r, W[:3]) + W[3:]
    return Jet(r, v, w, so3.cross(w, V[:3]))


Pair = tuple[Any, Any]
"""A row: the factors of ω and of v."""


class _Moving(Constraint):
    """Rows that depend on X."""

    @abstractmethod
    def _rows(self, X: Array, V: Array, W: Array) -> list[Pair]:
        """The rows as pairs of jets along V and W."""

    def _part(self, X: Array, V: Array, W: Array, part: str) -> Array:
        def of(x: Any) -> Array:
            value = getattr(x, part) if isinstance(x, Jet) else x if part == "x" else 0.0
            return value + np.zeros(3)

        return stack([concatenate([of(a), of(b)]) for a, b in self._rows(X, V, W)], axis=0)

    def rows(self, X: Array) -> Array:
        return self._part(X, np.zeros(6), np.zeros(6), "x")

    def rows_rate(self, X: Array, V: Array) -> Array:
        return self._part(X, V, np.zeros(6), "v")

    def bias_gradient(self, X: Array, V: Array) -> Array:
        return stack([self._part(X, V, W, "vw") @ V for W in np.eye(6)])


@final
@dataclass(frozen=True, eq=False)
class Angle(_Moving):
    """The angle between an axis of A and one of B is that of A = B: the rotational row of a universal joint."""

    first: Array
    second: Array

    holonomic = (True,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit(self.first, "first axis of Angle"))
        object.__setattr__(self, "second", unit(self.second, "second axis of Angle"))
        if np.linalg.norm(np.cross(self.first, self.second)) < 1e-9:
            raise ModelError("the two axes of Angle must not be parallel")

    @property
    def transmits(self) -> tuple[str, ...]:
        return ("moment normal to both axes",)

    def residual(self, X: Array) -> Array:
        return stack([self.second @ in_axes_of_b(X, self.first) - self.first @ self.second])

    def _rows(self, X: Array, V: Array, W: Array) -> list[Pair]:
        return [(cross(self.second, rotating_vector(in_axes_of_b(X, self.first), V, W)), 0.0)]


@final
@dataclass(frozen=True, eq=False)
class Rod(_Moving):
    """Constant distance of the origins of A and B: a massless rod between two ball joints.

    The residual is (|p|² − l²) / 2l, with p the offset of the origins.

    Parameters
    ----------
    length : float
        Length l [m].

    Raises
    ------
    ModelError
        If the length is not positive.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.closures.Rod(0.5).residual(kt.lie.se3.pose(np.eye(3), np.array([0.0, 0.0, 0.6]))).round(3)
    array([0.11])
    """

    length: float

    holonomic = (True,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", number(self.length, "length of Rod"))
        if is_concrete(self.length) and self.length <= 0.0:
            raise ModelError(f"length of Rod must be positive, got {self.length}; kinetrace.joints.Spherical has none")

    @property
    def transmits(self) -> tuple[str, ...]:
        return ("force along the rod, positive if it pushes",)

    def residual(self, X: Array) -> Array:
        p = se3.translation(X)
        return stack([(p @ p - self.length**2) / (2.0 * self.length)])

    def ends(self, X: Array) -> Array:
        return stack([np.zeros(3), se3.translation(X)], axis=0)

    def _rows(self, X: Array, V: Array, W: Array) -> list[Pair]:
        return [(0.0, shifted_origin(offset(X), V, W) * (1.0 / self.length))]


@dataclass(frozen=True, eq=False)
class _Normal(_Moving):
    """A constraint about a direction of A."""

    normal: Array = field(default=(0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal, f"normal of {type(self).__name__}"))


@final
class Surface(_Normal):
    """The origin of B is in the plane through the origin of A with that normal, in A; B may turn."""

    holonomic = (True,)

    @property
    def transmits(self) -> tuple[str, ...]:
        return ("force along the normal",)

    def residual(self, X: Array) -> Array:
        return stack([self.normal @ se3.translation(X)])

    def _rows(self, X: Array, V: Array, W: Array) -> list[Pair]:
        return [(0.0, rotating_vector(in_axes_of_b(X, self.normal), V, W))]


@final
class Spin(_Normal):
    """B does not spin about the normal of A: a velocity constraint, which holds no attitude."""

    holonomic = (False,)

    @property
    def transmits(self) -> tuple[str, ...]:
        return ("moment about the normal",)

    def residual(self, X: Array) -> Array:
        return np.zeros(1)

    def _rows(self, X: Array, V: Array, W: Array) -> list[Pair]:
        return [(rotating_vector(in_axes_of_b(X, self.normal), V, W), 0.0)]


@final
@dataclass(frozen=True, eq=False)
class Rolling(_Moving):
    """Wheel, B, that rolls on a plane, A, without slipping: a thin disc.

    The plane goes through the origin of A, the axle through that of B. With m the normal in B, b the axle, c = m · b
    and s = |b × m| (1 if the wheel is upright), the contact is at −r (m − c b)/s, and its velocities along the wheel,
    across it and along the normal are

        (b × m)/s · v − r b · ω,   (b − c m)/s · v + r (b × m) · ω,   m · v + (r c/s) (b × m) · ω

    The last row constrains the height n · p − r s; the others constrain velocities alone.

    Parameters
    ----------
    radius : float
        Radius r [m].
    axle : array_like, shape (3,), default (0, 1, 0)
        Direction of the axle in B, of any length.
    normal : array_like, shape (3,), default (0, 0, 1)
        Normal n of the plane in A, of any length.

    Raises
    ------
    ModelError
        If the radius is not positive, or a vector is zero.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.closures.Rolling(0.3).residual(kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.35]))).round(3)
    array([0.  , 0.  , 0.05])
    """

    radius: float
    axle: Array = field(default=(0.0, 1.0, 0.0))
    normal: Array = field(default=(0.0, 0.0, 1.0))

    holonomic = (False, False, True)
    transmits = ("friction along the wheel", "friction across the wheel", "force along the normal")

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", number(self.radius, "radius of Rolling"))
        if is_concrete(self.radius) and self.radius <= 0.0:
            raise ModelError(f"radius of Rolling must be positive, got {self.radius}")
        object.__setattr__(self, "axle", unit(self.axle, "axle of Rolling"))
        object.__setattr__(self, "normal", unit(self.normal, "normal of Rolling"))

    def residual(self, X: Array) -> Array:
        c = self.axle @ in_axes_of_b(X, self.normal)
        height = self.normal @ se3.translation(X) - self.radius * sqrt(1.0 - c * c)[()]
        return stack([0.0, 0.0, height])

    def ends(self, X: Array) -> Array:
        b, m = self.axle, in_axes_of_b(X, self.normal)
        c = m @ b
        contact = se3.translation(X) - se3.rotation(X) @ ((m - c * b) * (self.radius / sqrt(1.0 - c * c)[()]))
        return stack([contact - self.normal * (self.normal @ contact), contact], axis=0)

    def _rows(self, X: Array, V: Array, W: Array) -> list[Pair]:
        b, r, m = self.axle, self.radius, rotating_vector(in_axes_of_b(X, self.normal), V, W)
        c, t = dot(b, m), cross(b, m)
        s = (1.0 - c * c).root()
        return [(-r * b, t / s), (r * t, (b - c * m) / s), (r * (c / s) * t, m)]
