"""The factors of a closed robot's equations: of M, and of the Delassus matrix K M⁻¹ Kᵀ of its closures.

    M = N D Nᵀ,    Z = N⁻¹ Kᵀ,    K M⁻¹ Kᵀ = Zᵀ D⁻¹ Z

The Delassus matrix is eliminated closure by closure, in the order that the graph of loops asks for
(`linalg.row_elimination`): what arms that hold an object have in common are the six velocities of the object. This is
Part II of Rodriguez and Kreutz for any robot, and for closures of any number of rows.

Of selected rows at a configuration, Z (K M⁻¹ Kᵀ)⁻¹ φ with Z = M⁻¹ Kᵀ is the motion that makes up for φ. Velocities may
be held: K and M are then those of the others, and Z is zero in the rows of the held ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, stack
from ...lie.inertia import symmetric
from ...linalg import dense
from ...linalg.row_elimination import RowFactors, factor_rows, solution_and_sum, solve_rows
from ...linalg.sparse import product
from ...model.model import Model
from ..dynamics.mass_matrix import kinetic_metric
from ..dynamics.row_responses import DenseResponses, FactoredResponses
from .closure_paths import Drive
from .closures import closure_jacobian, row_selection, selected_by_closures
from .independent_velocities import VelocitySplit


class ClosureFactors(NamedTuple):
    """Those of M (nv, nv), and of K M⁻¹ Kᵀ for some rows K (count, nv)."""

    responses: DenseResponses
    delassus: RowFactors

    @property
    def mass(self) -> dense.Factors:
        """Those of M."""
        return self.responses.factors

    def response(self, force: Array) -> Array:
        """M⁻¹ Kᵀ λ (nv, ...) of λ (count, ...)."""
        return self.responses.smooth(self.responses.D_inv_Z @ force)

    def multipliers(self, b: Array) -> Array:
        """(K M⁻¹ Kᵀ)⁻¹ b of b (count, ...)."""
        return solve_rows(self.delassus, b)

    def inverses(self) -> tuple[Array, Array]:
        """P = M⁻¹ − T K M⁻¹ (nv, nv) and T = M⁻¹ Kᵀ (K M⁻¹ Kᵀ)⁻¹ (nv, count)."""
        Y = self.responses.accelerations
        T = self.multipliers(Y.T).T
        return symmetric(dense.upper_inverse(self.mass) - product(T, Y.T)), T


def closure_factors(mass: dense.Factors, K: Array, by_closures: list[range]) -> ClosureFactors:
    """Those of selected rows K, which are `selected_by_closures`."""
    at = DenseResponses(mass, K)
    return ClosureFactors(at, factor_rows(at.Z, at.over, by_closures))


def solve_multipliers(at: FactoredResponses, gamma: Array, by_closures: list[range]) -> tuple[Array, Array]:
    """v̇ = N⁻ᵀ D⁻¹ (ε + Z λ) and λ with K v̇ = −γ, of rows K and of joint forces as one more row.

    The rows of a closure are eliminated together.
    """
    Z, free = at.Z[:, :-1], at.over * at.Z[:, -1]
    factors = factor_rows(Z, at.over, by_closures)

    def corrected(x: Array) -> tuple[Array, Array]:
        """With the forces that take away the residual of the motion x."""
        force, pushed = solution_and_sum(factors, -(Z.T @ x + gamma))
        each = [x[k] + at.over[k] * pushed[k] if k in pushed else x[k] for k in range(len(x))]
        return stack(each) if each else x, force

    x, force = corrected(free)
    refined, more = corrected(x)
    return at.smooth(refined), force + more


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
