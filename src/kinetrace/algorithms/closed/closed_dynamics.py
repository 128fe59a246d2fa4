"""Forward dynamics of closed chains: accelerations, and the forces that closures transmit.

    M v̇ + c + g = τ + Kᵀ λ,     K v̇ = −γ           γ = K̇ v + 2 ζ ω K v + ω² φ

With M = N Ω Nᵀ and Z = N⁻¹ Kᵀ (`row_responses`), ε = N⁻¹ (τ − c − g), the Delassus matrix K M⁻¹ Kᵀ, the compliance of
the closures (Rodriguez and Kreutz's J M⁻¹ Jᵀ), is Zᵀ Ω⁻¹ Z, and

    λ = −(Zᵀ Ω⁻¹ Z)⁻¹ (Zᵀ Ω⁻¹ ε + γ),     v̇ = N⁻ᵀ Ω⁻¹ (ε + Z λ)

In quasi-velocities ν = Wᵀ v, W = N Ω^½, closures are linear with Z = W⁻¹ Kᵀ, Zᵀ ν = 0, and the closed motion is the
free one projected orthogonally: ν̇ = (1 − Z Z⁺) ν̇_free − Z⁺ᵀ γ, Gauss's principle of least constraint.

    "sweeps"       Z by one sweep inward over the tree's factors, without K, then closure by closure: O(n) for each row
    "factors"      the same with the factors of M as a matrix: for short chains
    "quasi"        the projection, by an orthogonal factorisation of Z: the condition of K M^-½, not its square
    "dense"        the whole system of v̇ and λ at once, rows exchanged: the reference; M may be singular
    "independent"  the equations of `independent_velocities`, in independent velocities; M may be singular

Zᵀ Ω⁻¹ Z is eliminated closure by closure, in an order that is chosen from the graph of loops
(`linalg.row_elimination`): of arms that hold an object, the six velocities of the object are all that one closure
leaves to the next.

ω and ζ are those of Baumgarte's stabilisation, zero unless given. Rows that follow from others are left out where that
is known of the model (`closures.row_selection`). Where rows become dependent at one configuration alone, the diagonal
of the Delassus matrix is increased by 1e-15 of itself, and a row whose pivot is not positive transmits nothing; one
step of refinement, of the residual K v̇ + γ itself, makes up for both. At a distance δ from such a configuration all
methods have a relative error of about 1e-16/δ, "sweeps" and "factors" from δ = 1e-6 on (6e-8) one that grows with
1/δ⁴ (4e-4 at 1e-7); at the configuration itself all but "dense" and "independent" are exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, block, concatenate, less, sqrt, stack, where
from ...errors import lookup
from ...linalg import dense, solve
from ...linalg.decompositions import gram_schmidt, lower_solve, upper_solve
from ...linalg.row_elimination import DIAGONAL_INCREASE
from ...model import Model
from ..dynamics.articulated_body import articulate
from ..dynamics.external_inputs import ExternalInputs
from ..dynamics.mass_matrix import mass_factors, mass_matrix
from ..dynamics.row_responses import DenseResponses, SweepResponses
from ..sweeps.tree import outward
from .closure_factors import solve_multipliers
from .closure_paths import Drive, coupled_forces, unit_wrenches
from .closures import (
    closure_bias,
    closure_jacobian,
    closure_residual,
    closure_velocity,
    row_selection,
    selected_by_closures,
)
from .independent_velocities import reduced_acceleration

DEPENDENT_PIVOT = 1e-12
"""Increase of a diagonal, relative to its mean, for a solution of least norm."""

Result = tuple[Array, Array]
"""v̇ (nv,), and λ of the selected rows."""


class ClosureRows(NamedTuple):
    """The condition K v̇ = −γ of closures on accelerations, in the selected rows."""

    K: Array
    gamma: Array
    selection: Array
    """Rows of the identity (count, rows)."""
    by_closures: list[range]
    """Their places among the selected ones, closure by closure."""


def closure_rows(model: Model, q: Array, v: Array, drive: Drive, stabilisation: Array | None) -> ClosureRows:
    """The rows at a state."""
    gamma = closure_bias(model, q, v, drive=drive)
    if stabilisation is not None:
        omega, zeta = stabilisation
        rate, error = closure_velocity(model, q, v, drive=drive), closure_residual(model, q, drive=drive)
        gamma = gamma + 2.0 * zeta * omega * rate + omega * omega * error
    K = closure_jacobian(model, q, drive=drive)
    chosen = row_selection(model, K)
    return ClosureRows(chosen @ K, chosen @ gamma, chosen, selected_by_closures(model))


def least_solution(A: Array, b: Array) -> Array:
    """x (n,) with A x = b, of least norm, for a symmetric A (n, n) ≥ 0 that may be singular where b allows it."""
    mean = sum(A[k, k] for k in range(len(b))) / max(len(b), 1)
    factors = dense.factor(A + DEPENDENT_PIVOT * mean * np.eye(len(b)), semidefinite=True)
    x = dense.solve(factors, b)
    return x + dense.solve(factors, b - A @ x)


def _by_factors(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, rows: ClosureRows) -> Result:
    forces = (tau - given.bias(model, q, v))[None, :]
    at = DenseResponses(mass_factors(model, q), concatenate([rows.K, forces], axis=0))
    return solve_multipliers(at, rows.gamma, rows.by_closures)


def _by_sweeps(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, rows: ClosureRows) -> Result:
    links = articulate(model, q)
    forces = (tau - given.bias(model, q, v))[:, None]
    coupled = concatenate([model.gather(coupled_forces(model)) @ rows.selection.T, forces], axis=1)
    unit, none = unit_wrenches(model, q, given.drive), np.zeros((1, 6))
    wrenches = [concatenate([rows.selection @ F, none], axis=0) for F in unit]
    return solve_multipliers(SweepResponses(model, links, wrenches, coupled), rows.gamma, rows.by_closures)


def _by_projection(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, rows: ClosureRows) -> Result:
    f, m = mass_factors(model, q), len(rows.K)
    columns = concatenate([rows.K.T, (tau - given.bias(model, q, v))[:, None]])
    Z_and_free = dense.root_solve(f, columns).T  # ε is a further column
    lengths: list[Any] = []

    def unit(j: int, z: Array) -> Array:
        lengths.append(sqrt(_regularised_square(z @ z, DEPENDENT_PIVOT**2 * (rows.K[j] @ rows.K[j])))[()])
        return z / lengths[j]

    Q, R, (nu,) = gram_schmidt(list(Z_and_free), m, unit)  # Z = Q R, and ν̇ = (1 − Q Qᵀ) ε
    R = [[lengths[j] if k == j else R[j][k] for k in range(m + 1)] for j in range(m)]
    s = lower_solve([[R[k][j] for k in range(m)] for j in range(m)], -rows.gamma)  # Rᵀ s = −γ
    for Q_j, s_j in zip(Q, s, strict=True):
        nu = nu + s_j * Q_j
    force = upper_solve(R, [s[j] - R[j][m] for j in range(m)])  # Z λ = Q (s − Qᵀ ε)
    return dense.root_transposed_solve(f, nu), stack(force) if force else np.zeros(0)


def _regularised_square(square: Any, small: Any) -> Any:
    """A squared length (scalar); where it is far below `small`, increased so much that its reciprocal vanishes."""
    small = where(less(0.0, small), small, 1.0)
    return square + small * (small / (square + DIAGONAL_INCREASE * small))


def _at_once(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, rows: ClosureRows) -> Result:
    m = len(rows.gamma)
    system = block([[mass_matrix(model, q), -rows.K.T], [rows.K, np.zeros((m, m))]])
    x = solve(system, concatenate([tau - given.bias(model, q, v), -rows.gamma]))
    return x[: model.nv], x[model.nv :]


def _independent(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, rows: ClosureRows) -> Result:
    M, forces = mass_matrix(model, q), tau - given.bias(model, q, v)
    a = reduced_acceleration(model, M, forces, rows.K, rows.gamma)
    return a, least_solution(rows.K @ rows.K.T, rows.K @ (M @ a - forces))


CLOSED_METHODS: dict[str, Callable[..., Result]] = {
    "sweeps": _by_sweeps,
    "factors": _by_factors,
    "quasi": _by_projection,
    "dense": _at_once,
    "independent": _independent,
}


def depth_in_velocities(model: Model) -> int:
    """The most degrees of freedom between a body and the world."""
    return max(outward(model, lambda body, so_far: so_far + body.joint.nv, 0), default=0)


def closed_method(model: Model) -> str:
    """The default: M's factors if no body has more than eight degrees of freedom before it, or with mimic joints."""
    if model.massless:
        return "independent"
    return "factors" if model.coupled_joints or depth_in_velocities(model) <= 8 else "sweeps"


def closed_motion(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, method: str | None) -> Result:
    """v̇ (nv,) and λ of the selected rows."""
    solved = lookup("method", closed_method(model) if method is None else method, CLOSED_METHODS)
    return solved(model, q, v, tau, given, closure_rows(model, q, v, given.drive, given.stabilisation))
