"""A constraint at another point of A and B, and combinations of the rows of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ...lie import Ad_inv, se3
from ..checks import numbers, sane
from ..record import read_only
from .base import Constraint


@final
@dataclass(frozen=True, eq=False)
class Shifted(Constraint):
    """A constraint between the frames that are at the pose `at` (4, 4) in A and in B."""

    inner: Constraint
    at: Array

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return self.inner.holonomic

    @property
    def transmits(self) -> tuple[str, ...]:
        return self.inner.transmits

    def _there(self, X: Array) -> Array:
        return se3.inverse(self.at) @ X @ self.at

    def _rows_here(self, N: Array) -> Array:
        """Rows (m, 6) for twists in B, from those at the shifted frame: N Ad_{T⁻¹}."""
        return N @ Ad_inv(self.at, np.eye(6)).T

    def residual(self, X: Array) -> Array:
        return self.inner.residual(self._there(X))

    def ends(self, X: Array) -> Array:
        return self.inner.ends(self._there(X)) @ se3.rotation(self.at).T + se3.translation(self.at)

    def rows(self, X: Array) -> Array:
        return self._rows_here(self.inner.rows(self._there(X)))

    def rows_rate(self, X: Array, V: Array) -> Array:
        return self._rows_here(self.inner.rows_rate(self._there(X), Ad_inv(self.at, V)))

    def bias_gradient(self, X: Array, V: Array) -> Array:
        return self._rows_here(self.inner.bias_gradient(self._there(X), Ad_inv(self.at, V)))


@final
@dataclass(frozen=True, eq=False)
class Combined(Constraint):
    """Linear combinations of the rows of a constraint, without those that follow from other closures.

    `factors` (k, m) are constant: in a planar loop, the row of a ball joint along the normal of the plane follows from
    the hinges, and two combinations of the three rows remain.
    """

    inner: Constraint
    factors: Array

    def __post_init__(self) -> None:
        C = np.atleast_2d(numbers(self.factors, "factors of Combined"))
        if C.ndim != 2 or not len(C) or C.shape[1] != self.inner.size:
            raise ModelError(f"factors of Combined must have shape (k, {self.inner.size}), got {C.shape}")
        if not sane(C) or not all(self.inner.holonomic):
            raise ModelError("factors of Combined must be finite, and its rows constrain positions")
        object.__setattr__(self, "factors", read_only(C))

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (True,) * len(self.factors)

    @property
    def transmits(self) -> tuple[str, ...]:
        said = self.inner.transmits
        return tuple(said[int(np.argmax(row))] if _is_one(row) else f"{row.tolist()} of {said}" for row in self.factors)

    def residual(self, X: Array) -> Array:
        return self.factors @ self.inner.residual(X)

    def ends(self, X: Array) -> Array:
        return self.inner.ends(X)

    def rows(self, X: Array) -> Array:
        return self.factors @ self.inner.rows(X)

    def rows_rate(self, X: Array, V: Array) -> Array:
        return self.factors @ self.inner.rows_rate(X, V)

    def bias(self, X: Array, V: Array) -> Array:
        return self.factors @ self.inner.bias(X, V)

    def bias_gradient(self, X: Array, V: Array) -> Array:
        return self.factors @ self.inner.bias_gradient(X, V)


def _is_one(row: Array) -> bool:
    """Whether a combination is one row as it is."""
    return int(np.count_nonzero(row)) == 1 and float(np.max(row)) == 1.0
