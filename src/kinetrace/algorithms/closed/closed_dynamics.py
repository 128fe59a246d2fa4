"""Forward dynamics of closed chains: accelerations, and the forces that closures transmit.

    M v̇ + c + g = τ + Kᵀ λ,     K v̇ = −γ           γ = K̇ v + 2 ζ ω K v + ω² φ

With M = N Ω Nᵀ (`articulated_body`) and Z = N⁻¹ Kᵀ, ε = N⁻¹ (τ − c − g), the Delassus matrix K M⁻¹ Kᵀ, the compliance
of the closures (Rodriguez and Kreutz's J M⁻¹ Jᵀ), is Zᵀ Ω⁻¹ Z, and

    λ = −(Zᵀ Ω⁻¹ Z)⁻¹ (Zᵀ Ω⁻¹ ε + γ),     v̇ = N⁻ᵀ Ω⁻¹ (ε + Z λ)

In quasi-velocities ν = Wᵀ v, W = N Ω^½, closures are linear with Z = W⁻¹ Kᵀ, Zᵀ ν = 0, and the closed motion is the
free one projected orthogonally: ν̇ = (1 − Z Z⁺) ν̇_free − Z⁺ᵀ γ, Gauss's principle of least constraint.

    "sweeps"       Z by one sweep inward over the tree's factors, without K, and a small system for λ: O(n) for each row
    "factors"      the same with the factors of M as a matrix: for short chains
    "quasi"        the projection, by an orthogonal factorisation of Z: the condition of K M^-½, not its square
    "dense"        the whole system of v̇ and λ at once, rows exchanged: the reference; M may be singular
    "independent"  the equations of `independent_velocities`, in independent velocities; M may be singular

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
from ...model import Model, elimination_tree
from ...model.elimination import TreeBody
from ..dynamics.articulated_body import Articulated, articulate, smoother
from ..dynamics.mass_matrix import mass_factors, mass_matrix
from ..sweeps.tree import inward, outward
from ..time.external_inputs import ExternalInputs
from .closure_paths import Drive, coupled_forces, unit_wrenches
from .closures import closure_bias, closure_jacobian, closure_residual, closure_velocity, row_selection
from .independent_velocities import reduced_acceleration

Pair = tuple[Array, Array]


def closure_innovation(body: TreeBody, z_beyond: Array, at: Articulated, y: Array, f: Array) -> tuple[Pair, Array]:
    """N⁻¹ y (nv_i, k) of a joint, and Ω⁻¹ of it; for the parent, the wrenches z (k, 6)."""
    z = z_beyond + f
    e = y - at.S.T @ z.T  # (4.15)
    Omega_inv_Z = dense.solve(at.factors, e)
    return (e, Omega_inv_Z), at.X.Ad_inv_dual(z + (at.U @ Omega_inv_Z).T)


def filter_columns(
    model: Model, q: Array, links: list[Articulated], forces: Array, chosen: Array, drive: Drive
) -> Pair:
    """N⁻¹ (Kᵀ, y) (nv, count + 1) and Ω⁻¹ of it, of the rows chosen (count, rows), and for joint forces y (nv,)."""
    tree, y = elimination_tree(model), model.gather(coupled_forces(model)) @ chosen.T
    wrenches = [concatenate([-(chosen @ F), np.zeros((1, 6))], axis=0) for F in unit_wrenches(model, q, drive)]
    columns = tree.split_v(concatenate([y, forces[:, None]]))
    nothing = np.zeros((len(chosen) + 1, tree.width))
    joints = inward(tree, closure_innovation, nothing, links, columns, tree.with_shared(wrenches))
    Z, Omega_inv_Z = (tree.gather([x[k] for x in joints]) for k in range(2))
    return Z, Omega_inv_Z


DIAGONAL_INCREASE = 1e-15
"""Increase of the diagonal of a Delassus matrix, relative to itself."""
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


def closure_rows(model: Model, q: Array, v: Array, drive: Drive, stabilisation: Array | None) -> ClosureRows:
    """The rows at a state."""
    gamma = closure_bias(model, q, v, drive=drive)
    if stabilisation is not None:
        omega, zeta = stabilisation
        rate, error = closure_velocity(model, q, v, drive=drive), closure_residual(model, q, drive=drive)
        gamma = gamma + 2.0 * zeta * omega * rate + omega * omega * error
    K = closure_jacobian(model, q, drive=drive)
    chosen = row_selection(model, K)
    return ClosureRows(chosen @ K, chosen @ gamma, chosen)


def regularised_factors(A: Array) -> dense.Factors:
    """The factors of a symmetric A (n, n) ≥ 0, its diagonal increased by DIAGONAL_INCREASE of itself."""
    return dense.factor(A + DIAGONAL_INCREASE * (A * np.eye(len(A))), semidefinite=True)


def least_solution(A: Array, b: Array) -> Array:
    """x (n,) with A x = b, of least norm, for a symmetric A (n, n) ≥ 0 that may be singular where b allows it."""
    mean = sum(A[k, k] for k in range(len(b))) / max(len(b), 1)
    factors = dense.factor(A + DEPENDENT_PIVOT * mean * np.eye(len(b)), semidefinite=True)
    x = dense.solve(factors, b)
    return x + dense.solve(factors, b - A @ x)


def _solve_multipliers(Z: Array, Omega_inv_Z: Array, rows: ClosureRows) -> Result:
    """Ω⁻¹ (ε + Z λ) and λ, from Z with ε for its last column, and Ω⁻¹ of both."""
    delassus, Zt, Omega_inv = Z[:, :-1].T @ Omega_inv_Z, Z[:, :-1].T, Omega_inv_Z[:, :-1]
    factors = regularised_factors(delassus[:, :-1])
    force = dense.solve(factors, -(delassus[:, -1] + rows.gamma))
    x = Omega_inv @ force + Omega_inv_Z[:, -1]
    more = dense.solve(factors, -(Zt @ x + rows.gamma))  # refinement, of the residual of the motion itself
    return x + Omega_inv @ more, force + more


def _by_factors(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, rows: ClosureRows) -> Result:
    f = mass_factors(model, q)
    Z = dense.unit_solve(f, _with_column(rows.K, tau - given.bias(model, q, v)))
    x, force = _solve_multipliers(Z, dense.pivot_solve(f, Z), rows)
    return dense.unit_transposed_solve(f, x), force


def _by_sweeps(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, rows: ClosureRows) -> Result:
    links = articulate(model, q)
    x, force = _solve_multipliers(
        *filter_columns(model, q, links, tau - given.bias(model, q, v), rows.selection, given.drive), rows
    )
    tree = elimination_tree(model)
    nothing = np.zeros(tree.width)
    states = outward(tree, smoother, (nothing, None), links, tree.split_v(x), [nothing] * len(links))
    return tree.gather([a for _, a in states]), force


def _by_projection(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, rows: ClosureRows) -> Result:
    f, m = mass_factors(model, q), len(rows.K)
    Z_and_free = dense.root_solve(f, _with_column(rows.K, tau - given.bias(model, q, v))).T  # ε is a further column
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


def _with_column(K: Array, forces: Array) -> Array:
    """Kᵀ and one more column (nv, rows + 1)."""
    return concatenate([K.T, forces[:, None]])


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


def closed_motion(
    model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs, method: str | None, stabilisation: Array | None
) -> Result:
    """v̇ (nv,) and λ of the selected rows."""
    solved = lookup("method", closed_method(model) if method is None else method, CLOSED_METHODS)
    return solved(model, q, v, tau, given, closure_rows(model, q, v, given.drive, stabilisation))
