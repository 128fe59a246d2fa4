"""Vectors with their derivatives along two motions of a frame, and along both: enough for a rate and its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ...arrays import Array, sqrt
from ...lie import so3


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


def carried(m: Array, V: Array, W: Array) -> Jet:
    """A vector m (3,) in the axes of B that is fixed to A, as B moves by W and then by V (6,), in B."""
    w = so3.cross(m, W[:3])
    return Jet(m, so3.cross(m, V[:3]), w, so3.cross(w, V[:3]))


def shifted(r: Array, V: Array, W: Array) -> Jet:
    """The origin of B seen from a point r (3,) of A, in the axes of B, likewise."""
    v, w = so3.cross(r, V[:3]) + V[3:], so3.cross(r, W[:3]) + W[3:]
    return Jet(r, v, w, so3.cross(w, V[:3]))
