"""What every constraint answers, and several as one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from ...arrays import Array, concatenate
from ...lie import se3, so3
from ..record import Record

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")


class Constraint(Record, ABC):
    """What every constraint answers; the defaults are those of rows that are constant in B."""

    @property
    @abstractmethod
    def holonomic(self) -> tuple[bool, ...]:
        """For each row, whether it holds a position, and not a velocity alone."""

    @property
    @abstractmethod
    def transmits(self) -> tuple[str, ...]:
        """For each row, what force it transmits, in words."""

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.holonomic)

    @abstractmethod
    def residual(self, X: Array) -> Array:
        """How far it is from holding (m,) [m, rad]; zero in rows that hold velocities alone."""

    @abstractmethod
    def rows(self, X: Array) -> Array:
        """N (m, 6), in B."""

    def rows_rate(self, X: Array, V: Array) -> Array:
        """The rate (m, 6) of N, in B."""
        return np.zeros((self.size, 6))

    def bias(self, X: Array, V: Array) -> Array:
        """Ṅ V (m,)."""
        return self.rows_rate(X, V) @ V

    def bias_gradient(self, X: Array, V: Array) -> Array:
        """The derivative (m, 6) of the bias along X ⊕ ε."""
        return np.zeros((self.size, 6))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


@final
@dataclass(frozen=True, eq=False)
class Together(Constraint):
    """Several constraints between the same frames."""

    parts: tuple[Constraint, ...]

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return tuple(x for part in self.parts for x in part.holonomic)

    @property
    def transmits(self) -> tuple[str, ...]:
        return tuple(x for part in self.parts for x in part.transmits)

    def residual(self, X: Array) -> Array:
        return concatenate([part.residual(X) for part in self.parts])

    def rows(self, X: Array) -> Array:
        return concatenate([part.rows(X) for part in self.parts], axis=0)

    def rows_rate(self, X: Array, V: Array) -> Array:
        return concatenate([part.rows_rate(X, V) for part in self.parts], axis=0)

    def bias(self, X: Array, V: Array) -> Array:
        return concatenate([part.bias(X, V) for part in self.parts])

    def bias_gradient(self, X: Array, V: Array) -> Array:
        return concatenate([part.bias_gradient(X, V) for part in self.parts], axis=0)


def as_seen(X: Array, a: Array) -> Array:
    """A vector (3,) that is fixed to A, in the axes of B."""
    return so3.transpose(se3.rotation(X)) @ a


def offset(X: Array) -> Array:
    """The origin of B seen from that of A, (3,), in the axes of B."""
    return as_seen(X, se3.translation(X))


def across(n: Array) -> Array:
    """Two unit vectors (2, 3) that make a right-handed triad with the unit vector n."""
    n = np.asarray(n, dtype=float)
    e = np.eye(3)[(int(np.argmax(np.abs(n))) + 1) % 3]
    e = e - (e @ n) * n
    e = e / np.linalg.norm(e)
    return np.stack([e, np.cross(n, e)]) + 0.0


def named(prefix: str, directions: Array) -> tuple[str, ...]:
    """Names of rows along directions (k, 3) of B: an axis by its letter."""
    found = []
    for d in np.asarray(directions, dtype=float):
        k = int(np.argmax(np.abs(d)))
        exact = np.count_nonzero(np.abs(d) > 1e-12) == 1
        found.append(f"{prefix} along {'xyz'[k] if exact else np.round(d, 4).tolist()}")
    return tuple(found)
