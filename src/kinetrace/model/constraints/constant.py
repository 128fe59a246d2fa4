"""Constraints whose rows are constant in B."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from ...arrays import Array, atan2, concatenate, cos, less, sin, stack, where
from ...errors import ModelError
from ...lie import se3, so3
from ...support.attributes import cached_property
from ..checks import number, numbers, sane, unit
from ..record import read_only
from .base import TWIST, Constraint, across, in_axes_of_b, offset, row_names

_EYE = np.eye(3)


@final
class Point(Constraint):
    """The origins of A and B are one point: a ball joint."""

    holonomic = (True,) * 3

    @property
    def transmits(self) -> tuple[str, ...]:
        return row_names("force", _EYE)

    def residual(self, X: Array) -> Array:
        return offset(X)

    def rows(self, X: Array) -> Array:
        return np.eye(6)[3:]


@final
class Attitude(Constraint):
    """A and B have the same axes."""

    holonomic = (True,) * 3

    @property
    def transmits(self) -> tuple[str, ...]:
        return row_names("moment", _EYE)

    def residual(self, X: Array) -> Array:
        return so3.log(se3.rotation(X))

    def rows(self, X: Array) -> Array:
        return np.eye(6)[:3]


@dataclass(frozen=True, eq=False)
class _Axial(Constraint):
    """A constraint about an axis, a unit vector in A and in B."""

    axis: Array = field(default=(0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis, f"axis of {type(self).__name__}"))

    @cached_property
    def across(self) -> Array:
        """Two directions (2, 3) normal to the axis."""
        return read_only(across(self.axis))


@final
class Parallel(_Axial):
    """The axis has the same direction in A and in B."""

    holonomic = (True,) * 2

    @property
    def transmits(self) -> tuple[str, ...]:
        return row_names("moment", self.across)

    def residual(self, X: Array) -> Array:
        m = in_axes_of_b(X, self.axis)
        c = 1 + m @ self.axis
        opposite = less(c, 1e-12)  # half a turn, about any axis
        turn = concatenate([stack([where(opposite, 0.0, c)]), where(opposite, self.across[0], so3.cross(m, self.axis))])
        return self.across @ so3.quaternion_log(turn)

    def rows(self, X: Array) -> Array:
        return concatenate([self.across, np.zeros((2, 3))])


@final
class OnAxis(_Axial):
    """The origin of B is on the axis through the origin of A."""

    holonomic = (True,) * 2

    @property
    def transmits(self) -> tuple[str, ...]:
        return row_names("force", self.across)

    def residual(self, X: Array) -> Array:
        p = se3.translation(X)
        return self.across @ in_axes_of_b(X, p - self.axis * (self.axis @ p))

    def rows(self, X: Array) -> Array:
        return concatenate([np.zeros((2, 3)), self.across])


@final
class OnPlane(_Axial):
    """The origin of B is in the plane through the origin of A that is normal to the axis."""

    holonomic = (True,)

    @property
    def transmits(self) -> tuple[str, ...]:
        return row_names("force", self.axis[None])

    def residual(self, X: Array) -> Array:
        return stack([self.axis @ se3.translation(X)])

    def rows(self, X: Array) -> Array:
        return concatenate([np.zeros(3), self.axis])[None]


@final
@dataclass(frozen=True, eq=False)
class Helix(_Axial):
    """B moves along the axis by `pitch` [m/rad] times its turn about it; modulo whole turns.

    A pose does not tell turns apart: a closure that is a whole number of turns off counts as closed. Where the number
    of turns matters, couple the joints that have it (`closures.Coupling`).
    """

    pitch: float = 0.0

    holonomic = (True,)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", number(self.pitch, "pitch of Helix"))

    @property
    def transmits(self) -> tuple[str, ...]:
        return (row_names("force and -pitch times as much moment", self.axis[None])[0],)

    def residual(self, X: Array) -> Array:
        along = self.axis @ se3.translation(X)
        if self.pitch == 0.0:
            return stack([along])
        e, f = self.across
        turned = se3.rotation(X) @ e
        angle = along / self.pitch
        c, s = e @ turned, f @ turned
        return stack([self.pitch * atan2(sin(angle) * c - cos(angle) * s, cos(angle) * c + sin(angle) * s)])

    def rows(self, X: Array) -> Array:
        return concatenate([-self.pitch * self.axis, self.axis])[None]


@final
@dataclass(frozen=True, eq=False)
class Rows(Constraint):
    """Any rows on the twist of B relative to A.

    If they constrain positions, the residual is the rows times (rotation vector, offset of the origin), both in B:
    choose rows whose free motions are those of a joint. At finite rotations of B, the rates of the residuals are linear
    combinations of the rows times the twist: they vanish together, but an open loop closes in fewer iterations by a
    joint of `kinetrace.joints`.

    Parameters
    ----------
    matrix : array_like, shape (m, 6)
        Rows, in B, angular columns first.
    holds_position : bool, default True
        Whether the rows constrain positions, and not velocities alone.

    Raises
    ------
    ModelError
        If the shape does not fit, or a row is zero or not finite.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.closures.Rows([[0, 0, 0, 0, 0, 1]]).transmits
    ('force z',)
    """

    matrix: Array
    holds_position: bool = True

    def __post_init__(self) -> None:
        N = np.atleast_2d(numbers(self.matrix, "matrix of Rows"))
        if N.ndim != 2 or N.shape[1] != 6 or not len(N):
            raise ModelError(f"matrix of Rows must have shape (m, 6), got {N.shape}")
        if not sane(N) or not np.all(np.any(N, axis=1)):
            raise ModelError("matrix of Rows must be finite, and no row zero")
        object.__setattr__(self, "matrix", read_only(N))
        object.__setattr__(self, "holds_position", bool(self.holds_position))

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (self.holds_position,) * len(self.matrix)

    @property
    def transmits(self) -> tuple[str, ...]:
        words = ("moment x", "moment y", "moment z", "force x", "force y", "force z")
        return tuple(
            words[int(np.argmax(np.abs(row)))] if np.count_nonzero(row) == 1 else f"wrench {row.tolist()}"
            for row in self.matrix
        )

    def residual(self, X: Array) -> Array:
        if not self.holds_position:
            return np.zeros(self.size)
        return self.matrix @ concatenate([so3.log(se3.rotation(X)), offset(X)])

    def rows(self, X: Array) -> Array:
        return self.matrix


def rows_by_name(names: tuple[str, ...]) -> Rows:
    """Rows by the names of what they hold: wx, wy, wz, vx, vy, vz.

    >>> rows_by_name(("vz",)).matrix.tolist()
    [[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]
    """
    wrong = [name for name in names if name not in TWIST]
    if wrong or not names:
        raise ModelError(f"rows must be named {', '.join(TWIST)}, got {list(names)}")
    return Rows(np.eye(6)[[TWIST.index(name) for name in names]])


@final
@dataclass(frozen=True, eq=False)
class Nothing(Constraint):
    """Rows that do not depend on the motion of frames."""

    count: int = 1

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (True,) * self.count

    @property
    def transmits(self) -> tuple[str, ...]:
        return ("joint forces in the ratio of the factors",) * self.count

    def residual(self, X: Array) -> Array:
        return np.zeros(self.count)

    def rows(self, X: Array) -> Array:
        return np.zeros((self.count, 6))
