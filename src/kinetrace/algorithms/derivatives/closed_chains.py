"""Derivatives of the dynamics of closed chains: of accelerations, and of motor forces.

1. Forward dynamics, through the system that v̇ and λ solve:

    [M  −Kᵀ] [δv̇]     [∂(τ_tree(q, v, v̇) − Kᵀ λ)]   [1]
    [K    0 ] [δλ ] = −[∂(K v̇ + K̇ v)           ] + [0] δτ

at the v̇ and λ of the motion: the first row is that of inverse dynamics under the closures' wrenches, the second is in
`derivatives.closures`. The system's inverse has the blocks P and T,

    δv̇ = P (δτ − ∂τ) − T ∂r,     T = M⁻¹ Kᵀ (K M⁻¹ Kᵀ)⁻¹,   P = M⁻¹ − T K M⁻¹ = G (GᵀMG)⁻¹ Gᵀ

The last form is that of `independent_velocities`, for an M that has no inverse; then T = (1 − P M) E, with K E = 1.

2. Motor forces of least norm. τ is the solution of min ½ τᵀ W τ under B τ + Kᵀ λ = h, with multipliers μ = G y of that
condition:

    W τ = Bᵀ μ,   K μ = 0,   B τ + Kᵀ λ = h

so that a small change gives, with ∂h that of inverse dynamics under the closures' wrenches, see 1,

    δμ = G δy + H,   K H = −∂(K μ),   (Gᵀ B W⁻¹ Bᵀ G) δy = Gᵀ (∂h − B W⁻¹ Bᵀ H),   δτ = W⁻¹ Bᵀ δμ
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...arrays import Array, concatenate
from ...lie.inertia import symmetric
from ...linalg import dense
from ...linalg.row_elimination import regularised_factors
from ...linalg.sparse import product
from ...model import Model
from ..closed.closed_dynamics import closed_motion, least_solution
from ..closed.closure_factors import closure_factors
from ..closed.closure_paths import ClosureState, closure_states, unit_wrenches
from ..closed.closures import closure_jacobian, row_selection, selected_by_closures
from ..closed.independent_velocities import dependent_solve, embedding, velocity_split
from ..closed.motor_forces import motor_forces
from ..dynamics.external_inputs import ExternalInputs
from ..dynamics.external_wrenches import body_wrenches
from ..dynamics.inverse_dynamics import inverse_dynamics
from ..dynamics.mass_matrix import mass_factors, mass_matrix
from ..registry.declaration import algorithm
from .closures import closure_row_derivatives, force_derivative
from .tree import tree_derivatives

Pair = tuple[Array, Array]


def closure_derivatives(model: Model, at: list[ClosureState], q: Array, v: Array, a: Array) -> list[Array]:
    """∂(K a + K̇ v)/∂q and ∂v, and ∂(K v)/∂q, each (rows, nv)."""
    qs, vs, as_ = model.split_q(q), model.split_v(v), model.split_v(a)
    each = [closure_row_derivatives(model, x, qs, vs, as_) for x in at]
    none = np.zeros((0, model.nv))
    return [concatenate([none, *(x[k] for x in each)], axis=0) for k in range(3)]


def tree_force_derivatives(
    model: Model, at: list[ClosureState], q: Array, v: Array, a: Array, given: ExternalInputs, force: Array
) -> Pair:
    """∂(τ_tree − Kᵀ λ)/∂q and ∂v (nv, nv)."""
    wrenches = [
        F + force @ unit
        for F, unit in zip(body_wrenches(model, given.wrench), unit_wrenches(model, q, given.drive), strict=True)
    ]
    dq, dv = tree_derivatives(model, q, v, a, wrenches, given.base_velocity, given.base_acceleration)
    qs = model.split_q(q)
    for x, rows in zip(at, model.closure_slices.values(), strict=True):
        dq = dq - force_derivative(model, x, qs, force[rows])
    return dq, dv


def closed_inverse(model: Model, q: Array, K: Array) -> Pair:
    """P (nv, nv) and T (nv, rows)."""
    if model.massless:
        M, of = mass_matrix(model, q), velocity_split(model)
        G, E = embedding(model, of, K), dependent_solve(model, of, K, np.eye(len(K)))
        P = symmetric(G @ dense.solve(dense.factor(G.T @ M @ G), G.T))
        return P, E - P @ (M @ E)
    return closure_factors(mass_factors(model, q), K, selected_by_closures(model)).inverses()


def closed_derivatives(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs) -> tuple[Array, ...]:
    """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ (nv, nv) of forward dynamics with closures."""
    at, K = closure_states(model, q, given.drive), closure_jacobian(model, q, drive=given.drive)
    chosen = row_selection(model, K)
    a, force = closed_motion(model, q, v, tau, given, None)
    forces = tree_force_derivatives(model, at, q, v, a, given, chosen.T @ force)
    rows = [chosen @ x for x in closure_derivatives(model, at, q, v, a)[:2]]
    P, T = closed_inverse(model, q, chosen @ K)
    inverse = -concatenate([P, T])
    dq, dv = (dense.product(inverse, concatenate(each, axis=0)) for each in zip(forces, rows, strict=True))
    return dq, dv, P


@algorithm(
    about_closures=True,
    returns={"dq": "(nv, nv) ∂τ/∂q, along q ⊕ ε.", "dv": "(nv, nv) ∂τ/∂v.", "da": "(nv, nv) ∂τ/∂a."},
)
def motor_forces_derivatives(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    *,
    tau_weight: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
) -> tuple[Array, Array, Array]:
    """Derivatives of `motor_forces` of least norm by q, v and a; rows are those of τ.

    >>> four_bar, z = kt.load("four_bar").with_motors("crank"), np.zeros(3)
    >>> dtau_dq, _, dtau_da = kt.algorithms.motor_forces_derivatives(four_bar.model, four_bar.assemble(), z, z)
    >>> dtau_dq.round(3)
    array([[-0.645,  0.194, -1.68 ],
           [ 0.   ,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ]])
    """
    _, force = motor_forces(model, q, v, a, tau_weight=tau_weight, wrench=wrench)
    K, of, at = closure_jacobian(model, q), velocity_split(model), closure_states(model, q)
    chosen = row_selection(model, K)
    K = chosen @ K
    G, given = embedding(model, of, K), ExternalInputs(wrench=wrench)
    dq, dv = tree_force_derivatives(model, at, q, v, a, given, force)
    pick = np.eye(model.nv) * np.isin(np.arange(model.nv), model.driven)
    ease = pick if tau_weight is None else pick * (1.0 / tau_weight)
    S = product(product(G.T, ease), G)
    h = dq, dv, mass_matrix(model, q)
    mu = G @ least_solution(S, G.T @ inverse_dynamics(model, q, v, a, wrench=wrench))
    H = dependent_solve(model, of, K, -(chosen @ closure_derivatives(model, at, q, mu, np.zeros(model.nv))[2]))
    factors = regularised_factors(S)
    given_by_q = product(ease, H)
    by_q, by_v, by_a = (
        product(ease, product(G, dense.solve(factors, product(G.T, x)))) for x in (h[0] - given_by_q, *h[1:])
    )
    return by_q + given_by_q, by_v, by_a
