"""Derivatives of the projection on closed loops.

With δ = Z λ, w = v⁺ − v and ∂(M x − Kᵀ λ)/∂q = F(q, x, λ), the equations of `closed.projection` are, and change by,

    M δ − Kᵀ λ = 0,      φ(q ⊕ −δ) = 0          M dδ − Kᵀ dλ = −F(q, δ, λ) dq,          K⁺ (A dq − B dδ) = 0
    M w + Kᵀ y = 0,      K v⁺ = r     at q⁺     M dw + Kᵀ dy = −F(q⁺, w, −y) dq⁺,       K dv⁺ = −∂(K v⁺ − r)/∂q dq⁺

A and B being the derivatives of q ⊕ δ at −δ. The projections 1 − B Z (K⁺ B Z)⁻¹ K⁺ and 1 − Z (K Z)⁻¹ K solve them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array, block
from ...engine.derivative import jacobian
from ...linalg import dense, solve
from ...linalg.sparse import product
from ...model.model import Model
from ..closed.closure_paths import Drive, closure_states
from ..closed.closures import closure_jacobian
from ..closed.projection import RowResponses, displaced, nearest_closed
from ..time.external_inputs import ExternalInputs
from ..time.rkmk import floating_bodies, with_momenta_of
from .closed_chains import closure_derivatives, tree_force_derivatives
from .tangent_space import in_tangent


def inertia_force_derivative(model: Model, q: Array, x: Array, at: RowResponses, force: Array, drive: Drive) -> Array:
    """M⁻¹ ∂(M x − Kᵀ λ)/∂q (nv, nv), for λ of the selected rows."""
    weightless, rest = replace(model, gravity=np.zeros(3)), np.zeros(model.nv)
    given, states = ExternalInputs(None, None, None, drive), closure_states(model, q, drive)
    F, _ = tree_force_derivatives(weightless, states, q, rest, x, given, at.selection.T @ force)
    return dense.solve(at.mass, F)


def closed_state_derivative(model: Model, q: Array, v: Array, drive: Drive = None) -> Array:
    """∂(q⁺, v⁺)/∂(q, v) (2 nv, 2 nv) of `closed_state`, along q ⊕ ε and q⁺ ⊕ ε."""
    x, n = nearest_closed(model, q, v, drive), model.nv
    delta = x.at_begin.Z @ x.force
    A, minus_B = (in_tangent(model, x.q, D) for D in jacobian(displaced, wrt=("q", "by"))(model, q, delta))
    moved = A - product(minus_B, inertia_force_derivative(model, q, delta, x.at_begin, x.force, drive))
    K, BZ = x.at_begin.selection @ closure_jacobian(model, x.q, drive=drive), minus_B @ x.at_begin.Z
    dq = moved - BZ @ solve(K @ BZ, product(K, moved))
    end, states = x.at_end, closure_states(model, x.q, drive)
    T = dense.solve(end.delassus, end.Z.T).T
    turned = end.selection @ closure_derivatives(model, states, x.q, x.v, np.zeros(n))[2]
    pushed = inertia_force_derivative(model, x.q, x.v - v, end, -x.impulse, drive)
    allowed = np.eye(n) - T @ end.K
    dv_dq = -product(product(allowed, pushed) + T @ turned, dq)
    if floating_bodies(model):
        return block([[dq, np.zeros((n, n))], with_momentum_derivatives(model, q, v, x.q, x.v, dq, dv_dq, allowed)])
    return block([[dq, np.zeros((n, n))], [dv_dq, allowed]])


def with_momentum_derivatives(
    model: Model, q: Array, v: Array, q_end: Array, u: Array, dq: Array, du_dq: Array, du_dv: Array
) -> list[Array]:
    """∂/∂q and ∂/∂v (nv, nv) of the velocity with the momentum of q and v, where u is the one without."""

    def of_begin(model: Model, q: Array, v: Array, u: Array) -> Array:
        return with_momenta_of(model, q, v, q_end, u)

    def of_end(model: Model, q: Array) -> Array:
        return with_momenta_of(model, q_begin, v, q, u)

    q_begin = q
    by_q, by_v, by_u = jacobian(of_begin, wrt=("q", "v", "u"))(model, q, v, u)
    by_end = jacobian(of_end, wrt="q")(model, q_end)
    return [by_q + product(by_end, dq) + product(by_u, du_dq), by_v + product(by_u, du_dv)]
