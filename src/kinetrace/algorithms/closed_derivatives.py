"""Derivatives of the dynamics of closed chains, through the system that v̇ and λ solve.

    [M  −Kᵀ] [δv̇]     [∂(τ_tree(q, v, v̇) − Kᵀ λ)]   [1]
    [K    0 ] [δλ ] = −[∂(K v̇ + K̇ v)           ] + [0] δτ

at the v̇ and λ of the motion: the first row is that of inverse dynamics under the closures' wrenches, the second is in
`closure_derivatives`. The system's inverse has the blocks P and T,

    δv̇ = P (δτ − ∂τ) − T ∂r,     T = M⁻¹ Kᵀ (K M⁻¹ Kᵀ)⁻¹,   P = M⁻¹ − T K M⁻¹ = G (GᵀMG)⁻¹ Gᵀ

The last form is that of `reduced`, for an M that has no inverse; then T = (1 − P M) E, with K E = 1.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, concatenate
from ..lie.inertia import symmetric
from ..linalg import dense
from ..model.model import Model
from .closed_dynamics import closed_motion, raised
from .closure_derivatives import asked_derivatives, force_derivative
from .closure_paths import Between, between
from .closure_selection import selection
from .closure_sweeps import unit_wrenches
from .closures import closure_jacobian
from .external import body_wrenches
from .external_inputs import ExternalInputs
from .mass_matrix import mass_factors, mass_matrix
from .reduced import dependent_solve, embedding, velocities
from .tree_derivatives import tree_derivatives

Pair = tuple[Array, Array]


def asked_along(model: Model, at: list[Between], q: Array, v: Array, a: Array) -> list[Array]:
    """∂(K a + K̇ v)/∂q and ∂v, and ∂(K v)/∂q, each (rows, nv)."""
    qs, vs, as_ = model.split_q(q), model.split_v(v), model.split_v(a)
    each = [asked_derivatives(model, x, qs, vs, as_) for x in at]
    none = np.zeros((0, model.nv))
    return [concatenate([none, *(x[k] for x in each)], axis=0) for k in range(3)]


def forces_along(
    model: Model, at: list[Between], q: Array, v: Array, a: Array, given: ExternalInputs, force: Array
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
        M, of = mass_matrix(model, q), velocities(model)
        G, E = embedding(model, of, K), dependent_solve(model, of, K, np.eye(len(K)))
        P = symmetric(G @ dense.solve(dense.factor(G.T @ M @ G), G.T))
        return P, E - P @ (M @ E)
    f = mass_factors(model, q)
    Y = dense.solve(f, K.T)
    compliance = symmetric(K @ Y)
    T = dense.solve(raised(compliance), Y.T).T
    return symmetric(dense.upper_inverse(f) - T @ Y.T), T


def closed_derivatives(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs) -> tuple[Array, ...]:
    """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ (nv, nv) of forward dynamics with closures."""
    at, K = between(model, q, given.drive), closure_jacobian(model, q, drive=given.drive)
    chosen = selection(model, K)
    a, force = closed_motion(model, q, v, tau, given, None, None)
    forces = forces_along(model, at, q, v, a, given, chosen.T @ force)
    asked = [chosen @ x for x in asked_along(model, at, q, v, a)[:2]]
    P, T = closed_inverse(model, q, chosen @ K)
    inverse = -concatenate([P, T])
    dq, dv = (dense.product(inverse, concatenate(each, axis=0)) for each in zip(forces, asked, strict=True))
    return dq, dv, P
