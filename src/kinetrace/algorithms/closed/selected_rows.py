"""Selected rows of the closures' Jacobian K at a configuration, and how velocities respond to forces along them.

    Z = M⁻¹ Kᵀ,    K Z the Delassus matrix,    Z (K Z)⁻¹ φ the motion that makes up for φ

Velocities may be held: K and M are then those of the others, and Z is zero in the rows of the held ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...model.model import Model
from ..dynamics.mass_matrix import kinetic_metric
from .closure_factors import ClosureFactors, closure_factors
from .closure_paths import Drive
from .closures import closure_jacobian, row_selection, selected_by_closures
from .independent_velocities import VelocitySplit


class SelectedRows(NamedTuple):
    """Selected rows of K (count, nv) at a configuration, and what forces along them do."""

    selection: Array
    """Rows of the identity (count, rows)."""
    K: Array
    """Zero in the columns of held velocities."""
    factors: ClosureFactors
    held: Array | None
    """1 for velocities (nv,) that are held, 0 for others; none is, if None."""

    @property
    def Z(self) -> Array:
        """M⁻¹ Kᵀ (nv, count)."""
        return self.factors.response(np.eye(len(self.K)))

    def closing(self, residual: Array) -> Array:
        """The motion Z (K Z)⁻¹ φ (nv,), which makes up for a residual φ (rows,)."""
        return self.factors.response(self.factors.multipliers(self.selection @ residual))


def selected_rows(
    model: Model,
    q: Array,
    of: VelocitySplit,
    drive: Drive,
    held: Array | None = None,
    added: Array | None = None,
) -> SelectedRows:
    """Those of a split of rows, at a configuration; `held` (nv,) is 1 for velocities that are held, else 0.

    `added` (nv, nv) is added to M.
    """
    K = closure_jacobian(model, q, drive=drive)
    if held is not None:
        K = K * (1.0 - held)
    selection = row_selection(model, K, of.candidates)
    K = selection @ K
    by_closures = selected_by_closures(model, of.candidates)
    factors = closure_factors(kinetic_metric(model, q, held, added), K, by_closures)
    return SelectedRows(selection, K, factors, held)
