"""Contacts of a finger, B, with an object, A: Rodriguez and Kreutz (1988), Part II, Appendix A.

A is on the object's surface, its axis `normal` pointing out of the object; B is on the fingertip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ...arrays import Array
from ..checks import unit
from .base import Constraint, Together
from .constant import Attitude, Point
from .moving import Spin, Surface

_UP = (0.0, 0.0, 1.0)


@final
@dataclass(frozen=True, eq=False)
class Contact(Constraint):
    """A contact: its constraint, and the normal of the object's surface, in A."""

    inner: Constraint
    normal: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal, "normal of a contact"))

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return self.inner.holonomic

    @property
    def transmits(self) -> tuple[str, ...]:
        return self.inner.transmits

    def residual(self, X: Array) -> Array:
        return self.inner.residual(X)

    def ends(self, X: Array) -> Array:
        return self.inner.ends(X)

    def rows(self, X: Array) -> Array:
        return self.inner.rows(X)

    def rows_rate(self, X: Array, V: Array) -> Array:
        return self.inner.rows_rate(X, V)

    def bias_gradient(self, X: Array, V: Array) -> Array:
        return self.inner.bias_gradient(X, V)


def FrictionlessPoint(normal: Any = _UP) -> Constraint:
    """Contact point that slides on the object's tangent plane: it transmits a force along the normal.

    Parameters
    ----------
    normal : array_like, shape (3,), default (0, 0, 1)
        Normal of the object's surface in A, pointing out of the object; of any length.

    Returns
    -------
    Constraint
        The constraint, with one row.

    Raises
    ------
    ModelError
        If the normal is zero or not finite.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.closures.FrictionlessPoint().transmits
    ('force along the normal',)
    """
    return Contact(Surface(normal), normal)


def HardFinger(normal: Any = _UP) -> Constraint:
    """Contact point with friction: it transmits a force in any direction, and no moment.

    Parameters
    ----------
    normal : array_like, shape (3,), default (0, 0, 1)
        Normal of the object's surface in A, pointing out of the object; it matters for friction cones alone.

    Returns
    -------
    Constraint
        The constraint, with three rows.

    Raises
    ------
    ModelError
        If the normal is zero or not finite.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.closures.HardFinger().transmits
    ('force along x', 'force along y', 'force along z')
    """
    return Contact(Point(), normal)


def SoftFinger(normal: Any = _UP) -> Constraint:
    """Contact patch with friction: it transmits a force in any direction, and a moment about the normal.

    Parameters
    ----------
    normal : array_like, shape (3,), default (0, 0, 1)
        Normal of the object's surface in A, pointing out of the object; of any length.

    Returns
    -------
    Constraint
        The constraint, with four rows.

    Raises
    ------
    ModelError
        If the normal is zero or not finite.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.closures.SoftFinger().transmits
    ('force along x', 'force along y', 'force along z', 'moment about the normal')
    """
    return Contact(Together((Point(), Spin(normal))), normal)


def Rigid() -> Constraint:
    """Firm grasp: it transmits any wrench.

    Returns
    -------
    Constraint
        The constraint, with six rows.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.closures.Rigid().transmits
    ('moment along x', 'moment along y', 'moment along z', 'force along x', 'force along y', 'force along z')
    """
    return Together((Attitude(), Point()))
