"""Derivatives of the projection on closed loops.

With δ = Z λ, w = v⁺ − v = −Z y and ∂(M x − Kᵀ λ)/∂q = F(q, x, λ), the equations of `closed.step_projection` are, and
change by,

    M δ − Kᵀ λ = 0,      φ(q ⊕ −δ) = 0          M dδ − Kᵀ dλ = −F(q₀, δ, λ) dq₀,      K⁺ (A dq − B dδ) = 0
    M w + Kᵀ y = 0,      K⁺ v⁺ = r              M dw + Kᵀ dy = −F(q₀, w, −y) dq₀,     K⁺ dv⁺ = −∂(K v⁺ − r)/∂q⁺ dq⁺

M and K being those of q₀, A and B the derivatives of q ⊕ δ at −δ. The projections 1 − B Z (K⁺ B Z)⁻¹ K⁺ and
1 − Z (K⁺ Z)⁻¹ K⁺ solve them. They hold where Z of q₀ led to closed loops, as after steps in time of usual length.

Of joints that the projection holds, at hard stops or by dry friction, q⁺ does not change, and v⁺ changes as v does: K,
M and F are those of the other velocities.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array, block, concatenate
from ...engine.derivative import jacobian
from ...linalg import dense, solve
from ...linalg.sparse import product
from ...model.model import Model
from ..closed.closure_factors import SelectedRows, selected_rows
from ..closed.closure_paths import Drive, closure_states
from ..closed.closures import closure_jacobian
from ..closed.independent_velocities import position_split, velocity_split
from ..closed.projection import ClosurePoint
from ..closed.step_projection import held_joints, nearest_state
from ..constraints.joint_rows import JointRows
from ..dynamics.external_inputs import ExternalInputs
from ..dynamics.floating_momentum import floating_bodies, with_momenta_of
from .closed_chains import closure_derivatives, tree_force_derivatives
from .tangent_space import in_tangent


def inertia_force_derivative(model: Model, point: ClosurePoint, x: Array, at: SelectedRows) -> Array:
    """M⁻¹ ∂(M x − Kᵀ λ)/∂q (nv, nv), for x = Z λ."""
    inert, rest = replace(model.without_passive_forces, gravity=np.zeros(3)), np.zeros(model.nv)
    given, states = ExternalInputs(drive=point.drive), closure_states(model, point.q, point.drive)
    force = at.factors.multipliers(at.K @ x)
    F, _ = tree_force_derivatives(inert, states, point.q, rest, x, given, at.selection.T @ force)
    return dense.solve(at.factors.mass, F if at.held is None else F * (1.0 - at.held)[:, None])


def closed_state_derivatives(
    model: Model,
    q: Array,
    v: Array,
    drive: Drive = None,
    point: ClosurePoint | None = None,
    rows: JointRows | None = None,
) -> Array:
    """∂(q⁺, v⁺)/∂(q, v, q₀) (2 nv, 3 nv) of `closed_state`, along q ⊕ ε and q⁺ ⊕ ε."""
    point, n = ClosurePoint(q, drive) if point is None else point, model.nv
    q_end, u = nearest_state(model, q, v, drive, point, rows)
    held = held_joints(model, rows, q_end, v) if rows else None
    dq = closed_configuration_derivatives(model, q, q_end, drive, point, held)
    at = selected_rows(model, point.q, velocity_split(model), point.drive, held)
    states = closure_states(model, q_end, drive)
    allowed, T = _projector(at.selection @ closure_jacobian(model, q_end, drive=drive), at.Z)
    rows_change = at.selection @ closure_derivatives(model, states, q_end, u, np.zeros(n))[2]
    moved = block([[np.zeros((n, n)), np.eye(n), -inertia_force_derivative(model, point, u - v, at)]])
    du = product(allowed, moved) - product(T @ rows_change, dq)
    if floating_bodies(model):
        du = momentum_derivatives(model, (q, v, q_end, u), dq, du)
    return concatenate([dq, du], axis=0)


def closed_configuration_derivatives(
    model: Model, q: Array, q_end: Array, drive: Drive, point: ClosurePoint, held: Array | None = None
) -> Array:
    """∂q⁺/∂(q, v, q₀) (nv, 3 nv), with velocities held as in `selected_rows`."""
    at, delta = selected_rows(model, point.q, position_split(model), point.drive, held), -model.difference(q, q_end)
    A, B = (in_tangent(model, q_end, D) for D in jacobian(Model.integrate, wrt=("q", "v"))(model, q, -delta))
    if held is not None:
        delta, A = delta * (1.0 - held), A * (1.0 - held)
    moved = block([[A, np.zeros(A.shape), product(B, inertia_force_derivative(model, point, delta, at))]])
    return product(_projector(at.selection @ closure_jacobian(model, q_end, drive=drive), B @ at.Z)[0], moved)


def _projector(K: Array, Z: Array) -> tuple[Array, Array]:
    """1 − T K (nv, nv), and T = Z (K Z)⁻¹ (nv, rows)."""
    T = solve((K @ Z).T, Z.T).T
    return np.eye(len(Z)) - T @ K, T


def momentum_derivatives(model: Model, states: tuple[Array, Array, Array, Array], dq: Array, du: Array) -> Array:
    """∂/∂(q, v, q₀) (nv, 3 nv) of the velocity with the momentum of q and v, from those of q⁺ and u without it."""
    q, v, q_end, u = states
    own = np.eye(2 * model.nv, 3 * model.nv)

    def of_begin(model: Model, q: Array, v: Array, u: Array) -> Array:
        return with_momenta_of(model, q, v, q_end, u)

    def of_end(model: Model, q: Array) -> Array:
        return with_momenta_of(model, states[0], v, q, u)

    by_q, by_v, by_u = jacobian(of_begin, wrt=("q", "v", "u"))(model, q, v, u)
    by_end = jacobian(of_end, wrt="q")(model, q_end)
    return product(by_q, own[: model.nv]) + product(by_v, own[model.nv :]) + product(by_end, dq) + product(by_u, du)
