"""Derivatives of the projection on closed loops.

With δ = Z λ, w = v⁺ − v and ∂(M x − Kᵀ λ)/∂q = F(q, x, λ), the equations of `closed.projection` are, and change by,

    M δ − Kᵀ λ = 0,      φ(q ⊕ −δ) = 0          M dδ − Kᵀ dλ = −F(q, δ, λ) dq,          K⁺ (A dq − B dδ) = 0
    M w + Kᵀ y = 0,      K v⁺ = r     at q⁺     M dw + Kᵀ dy = −F(q⁺, w, −y) dq⁺,       K dv⁺ = −∂(K v⁺ − r)/∂q dq⁺

They hold where Z of the beginning led to closed loops, as after steps in time of usual length.
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
from ..closed.independent_velocities import position_split
from ..closed.projection import RowResponses, allowed_velocity, closed_configuration, row_responses
from ..time.external_inputs import ExternalInputs
from ..time.rkmk import floating_bodies, with_momenta_of
from .closed_chains import closure_derivatives, tree_force_derivatives
from .tangent_space import in_tangent


def inertia_force_derivative(model: Model, q: Array, x: Array, at: RowResponses, force: Array, drive: Drive) -> Array:
    """M⁻¹ ∂(M x − Kᵀ λ)/∂q (nv, nv), for λ of the selected rows."""
    inert, rest = replace(model.without_passive_forces, gravity=np.zeros(3)), np.zeros(model.nv)
    given, states = ExternalInputs(drive=drive), closure_states(model, q, drive)
    F, _ = tree_force_derivatives(inert, states, q, rest, x, given, at.selection.T @ force)
    return dense.solve(at.mass, F)


def closed_state_derivative(model: Model, q: Array, v: Array, drive: Drive = None) -> Array:
    """∂(q⁺, v⁺)/∂(q, v) (2 nv, 2 nv) of `closed_state`, along q ⊕ ε and q⁺ ⊕ ε."""
    dq = closed_configuration_derivative(model, q, q_end := closed_configuration(model, q, drive), drive)
    n, (u, impulse, end), states = (
        model.nv,
        allowed_velocity(model, q_end, v, drive),
        closure_states(model, q_end, drive),
    )
    T = dense.solve(end.delassus, end.Z.T).T
    rows_change = end.selection @ closure_derivatives(model, states, q_end, u, np.zeros(n))[2]
    pushed = inertia_force_derivative(model, q_end, u - v, end, -impulse, drive)
    allowed = np.eye(n) - T @ end.K
    dv_dq = -product(product(allowed, pushed) + T @ rows_change, dq)
    if floating_bodies(model):
        return block([[dq, np.zeros((n, n))], with_momentum_derivatives(model, q, v, q_end, u, dq, dv_dq, allowed)])
    return block([[dq, np.zeros((n, n))], [dv_dq, allowed]])


def closed_configuration_derivative(model: Model, q: Array, q_end: Array, drive: Drive) -> Array:
    """∂q⁺/∂q (nv, nv), of a projection that needed one linearisation."""
    begin, delta = row_responses(model, q, position_split(model), drive), -model.difference(q, q_end)
    force = dense.solve(begin.delassus, begin.K @ delta)
    A, B = (in_tangent(model, q_end, D) for D in jacobian(Model.integrate, wrt=("q", "v"))(model, q, -delta))
    free = A + product(B, inertia_force_derivative(model, q, delta, begin, force, drive))
    K, BZ = begin.selection @ closure_jacobian(model, q_end, drive=drive), B @ begin.Z
    return free - BZ @ solve(K @ BZ, product(K, free))


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
