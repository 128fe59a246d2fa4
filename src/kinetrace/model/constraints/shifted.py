"""A constraint at another point of A and B."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ...arrays import Array
from ...lie import Ad_inv, se3
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
