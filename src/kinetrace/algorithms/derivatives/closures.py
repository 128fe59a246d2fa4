"""Derivatives of the rows of closures: of accelerations r = K a + K̇ v, along q ⊕ ε and v, and of the forces Kᵀ λ.

From A to B the joints between two frames are a chain: first those that carry A, in reverse, then those that carry B.
With s_i the screws that joint i gives to B, in B, V_p and V̇_p the motion before the joint, V_i behind it, as in
`derivatives.kinematics` for an observer who moves with B,

    R_i      = [V_p − V, s_i] + ∂S v                V̇_i = V̇_p + s_i a + R_i v
    ∂V/∂q_i  = [V_p, s_i] + ∂S v
    ∂V̇/∂q_i = [V_p, R_i] + [V̇_p, s_i] + ∂S a + ∂(Ṡ v) + [V_i − V, ∂S v]
    ∂V̇/∂v_i = ∂V/∂q_i + ṡ_i,                       ṡ_i = Ṡ_i − [V − V_i, s_i]

∂S and Ṡ being in B as well; ṡ_i is the rate of s_i for that observer, who sees the body with the joint's axes move with
V_i − V. A reversed joint has the screws −S and, seen from the other side, ∂S + [S, S]; its axes are those of the body
before it, so that V_p stands for V_i in ṡ_i, and −Ṡ for Ṡ. Rows N(X) and their bias change with X too, along the
twist s. A wrench f = Nᵀ λ that B feels acts on A's body as −f, which is fixed to B and not to that body:

    ∂(Kᵀ λ) = ∂|_{wrenches fixed to their bodies} + J_relᵀ ∂f/∂X J_rel + J_Aᵀ ad*_{J_rel} f

with J_rel = J_B − Ad_{X⁻¹} J_A, whose columns are the s_i, and J_A the Jacobian of A's body, at B and in B.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, stack
from ...lie import Ad_inv, ad, ad_dual
from ...model import WORLD, Body, Model
from ..closed.closure_paths import ClosureState, pose_in_parent, relative_columns, relative_twist
from ..sweeps.tree import toward_base


class ChainJoint(NamedTuple):
    """A joint of the chain from A to B; rows are its velocities, six-vectors in B."""

    body: Body
    s: Array
    own: Any
    """u → ∂S u (k, 6), along every direction of the joint."""
    own_bias: Array
    """The same of Ṡ v."""
    rate: Array
    """sign · Ṡ (k, 6)."""
    reversed: bool


def chain(at: ClosureState, qs: list[Array], vs: list[Array]) -> list[ChainJoint]:
    """The joints from A to B."""
    a = [_chain_joint(body, X, qs, vs, True) for body, X in zip(*at.toward_a, strict=True)]
    b = [_chain_joint(body, X, qs, vs, False) for body, X in zip(*at.toward_b, strict=True)]
    return a + b[::-1]


def _chain_joint(body: Body, X_iB: Array, qs: list[Array], vs: list[Array], backward: bool) -> ChainJoint:
    q, v, sign = qs[body.index], vs[body.index], -1.0 if backward else 1.0
    S, bias = body.subspace(q), body.bias(q, v)
    along = [body.subspace_rate(q, e) for e in np.eye(body.joint.nv)]

    def carried(x: Array) -> Array:
        return sign * Ad_inv(X_iB, x)

    def own(u: Array) -> Array:
        seen = ad(S.T, S @ u) if backward else 0.0
        return carried(stack([dS @ u for dS in along], axis=0) + seen)

    own_bias = body.bias_gradient(q, v).T + (ad(S.T, bias) if backward else 0.0)
    return ChainJoint(body, carried(S.T), own, carried(own_bias), carried(body.subspace_rate(q, v).T), backward)


class RelativeMotionGradient(NamedTuple):
    """How the motion of B relative to A changes along the velocities of one joint (k, 6)."""

    V_q: Array
    dV_q: Array
    dV_v: Array


def relative_motion_gradients(
    at: ClosureState, links: list[ChainJoint], qs: list[Array], vs: list[Array], accelerations: list[Array]
) -> Any:
    """Body → change, for the joints of the chain; and the relative acceleration (6,)."""
    V, (V_A, dV_A) = relative_twist(at, qs, vs).V, at.drive
    V_p, dV_p = -V_A, ad(V, V_A) - dV_A
    gradients: dict[int, RelativeMotionGradient] = {}
    for link in links:
        v, a = vs[link.body.index], accelerations[link.body.index]
        own = link.own(v)
        R = ad(V_p - V, link.s) + own
        V_i = V_p + v @ link.s
        V_q = ad(V_p, link.s) + own
        dV_q = ad(V_p, R) + ad(dV_p, link.s) + link.own(a) + link.own_bias + ad(V_i - V, own)
        s_rate = link.rate - ad(V - (V_p if link.reversed else V_i), link.s)
        gradients[link.body.index] = RelativeMotionGradient(V_q, dV_q, V_q + s_rate)
        V_p, dV_p = V_i, dV_p + a @ link.s + v @ R
    return gradients, V, dV_p


def closure_row_derivatives(
    model: Model, at: ClosureState, qs: list[Array], vs: list[Array], accelerations: list[Array]
) -> tuple[Array, Array, Array]:
    """∂r/∂q and ∂r/∂v (m, nv) of one closure, and ∂(K v)/∂q."""
    links = chain(at, qs, vs)
    gradients, V, dV = relative_motion_gradients(at, links, qs, vs, accelerations)
    constraint, X = at.closure.constraint, at.X
    N, along = constraint.rows(X), [constraint.rows_rate(X, e) for e in np.eye(6)]
    turned = stack([dN @ dV for dN in along])  # (m, 6): of N V̇, by X
    by_turn = stack([dN @ V for dN in along])
    by_twist = constraint.rows_rate(X, V) + by_turn
    by_pose = turned + constraint.bias_gradient(X, V)
    zero = [np.zeros((body.joint.nv, len(N))) for body in model.bodies]
    along_q, along_v, velocity_along_q = list(zero), list(zero), list(zero)
    for link in links:
        i, (V_q, dV_q, dV_v) = link.body.index, gradients[link.body.index]
        along_q[i] = dV_q @ N.T + V_q @ by_twist.T + link.s @ by_pose.T
        along_v[i] = dV_v @ N.T + link.s @ by_twist.T
        velocity_along_q[i] = V_q @ N.T + link.s @ by_turn.T
    return model.gather(along_q).T, model.gather(along_v).T, model.gather(velocity_along_q).T


def force_derivative(model: Model, at: ClosureState, qs: list[Array], force: Array) -> Array:
    """∂(Kᵀ λ)/∂q (nv, nv) of one closure, beyond that of wrenches that are fixed to their bodies."""
    constraint = at.closure.constraint
    f = force @ constraint.rows(at.X)
    D = stack([force @ constraint.rows_rate(at.X, e) for e in np.eye(6)])  # ∂f/∂X
    turned = stack([ad_dual(e, f) for e in np.eye(6)])
    carrying = [np.zeros((body.joint.nv, 6)) for body in model.bodies]
    for i, X_iB in toward_base(model, at.closure.a.body, pose_in_parent, at.X_aB, qs).items():
        if i != WORLD:
            carrying[i] = Ad_inv(X_iB, model.bodies[i].subspace(qs[i]).T)
    J_rel, J_A = model.gather(relative_columns(model, at, qs)).T, model.gather(carrying).T
    return (J_rel.T @ D + J_A.T @ turned) @ J_rel


Pair = tuple[Array, Array]
