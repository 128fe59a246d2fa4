"""Derivatives of inverse dynamics, analytic, in O(n · depth) sweeps.

A small motion ε of joint i, q ⊕ ε, or of its velocity, v + ε, changes the motion of every body beyond by

    δV_b = η,   δV̇_b = α + ad_η V_b,      η and α carried from body to body by Ad_{X⁻¹} alone

so that all these bodies act as one: δ(J V̇ − ad*_V J V) = J α + 2B η, J and B summed over them as in `coriolis_matrix`
(form "christoffel"). With V and V̇ here those of the parent, carried to the body, and S of the joint:

    along q    η = ad_V S,    α = ad_V̇ S + ad_V η         Park et al. (53): a bracket is the derivative of Ad
    along v    η = S,         α = ad_V S + ad_{V_i} S

and terms of Ṡ where S depends on q. Then, for j at or before k, with F the wrench that joint k passes on,

    ∂τ_j/∂k = S_jᵀ (J α_k + 2B η_k − ad*_{S_k} F),   ∂τ_k/∂j = S_kᵀ (J α_j + 2B η_j)

where the last term of the first belongs to q alone and to j before k. A direction may be a sum of these, and of S in α,
which is the one along a: implicit steps of time h need only h² ∂τ/∂q + h ∂τ/∂v + M.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ...arrays import Array, stack
from ...lie import ad, ad_dual
from ...model import Body, Model
from ..dynamics.coriolis import BODY_CORIOLIS_FORMS, Pair
from ..dynamics.coriolis_matrix import composite_coriolis
from ..dynamics.external_wrenches import gravity_as_base_acceleration
from ..dynamics.momentum import body_wrench
from ..kinematics.forward_kinematics import Velocity, link_acceleration, link_velocities
from ..sweeps.subtree_rows import JointVelocities, SubtreeRows, joint_velocities, map_subtree, matrix_of_rows
from ..sweeps.tree import inward, outward


class Variation(NamedTuple):
    """How a joint's own variables change the motion of all that it carries; rows are degrees of freedom."""

    V: Array
    dV: Array
    """The body's motion itself."""
    eta_q: Array
    alpha_q: Array
    alpha_v: Array
    """(nv, 6); η along v is S."""
    dS: Array
    """(nv, 6, nv): dS[k] is S's own change along q_k."""


class Direction(NamedTuple):
    """A change of a joint's variables; rows are degrees of freedom."""

    eta: Array
    alpha: Array
    """(nv, 6)."""
    of_q: Array
    """The part () of it that is along q."""


Directions = Callable[[Array, Variation], tuple[Direction, ...]]
"""S (nv, 6) and the variation of a joint → the directions of derivatives."""


def along_q_and_v(S: Array, by: Variation) -> tuple[Direction, ...]:
    """q, and v."""
    return Direction(by.eta_q, by.alpha_q, 1.0), Direction(S, by.alpha_v, 0.0)


def along_step(S: Array, by: Variation, h: Array) -> tuple[Direction, ...]:
    """h² along q, h along v and 1 along a: how all three change with the acceleration of an implicit step."""
    hh = h * h
    return (Direction(hh * by.eta_q + h * S, hh * by.alpha_q + h * by.alpha_v + S, hh),)


def variation(body: Body, parent: Variation, at: Velocity, dV: Array, q: Array, v: Array, a: Array) -> Variation:
    """η and α of a joint, in the body's frame."""
    S, V_p, dV_p = at.S.T, at.X.Ad_inv(parent.V), at.X.Ad_inv(parent.dV)
    dS = stack([body.subspace_rate(q, e) for e in np.eye(body.joint.nv)], axis=0)
    s, turned = dS @ v, ad(V_p, S)
    own = dS @ a + body.bias_gradient(q, v).T - ad(s, V_p) - ad(s, at.V)
    alpha_q = ad(dV_p, S) + ad(V_p, turned) + own
    alpha_v = turned + ad(at.V, S) + s + body.subspace_rate(q, v).T
    return Variation(at.V, dV, turned + s, alpha_q, alpha_v, dS)


def joint_wrench(body: Body, F_children: Array, at: Velocity, dV: Array, F_ext: Array) -> Pair:
    """The wrench F through a joint."""
    F = F_children + body_wrench(body.J, at.V, dV) - F_ext
    return F, at.X.Ad_inv_dual(F)


def derivative_entries(
    body: Body,
    beyond: tuple[SubtreeRows, ...],
    at: Velocity,
    by: Variation,
    carried: Pair,
    F: Array,
    joint: JointVelocities,
    directions: Directions,
) -> tuple[tuple[list[SubtreeRows], list[SubtreeRows]], tuple[SubtreeRows, ...]]:
    """A joint's rows of ∂τ for itself and the joints beyond, transposed, and columns for those beyond; per direction.

    As in CRBA, F_d, for each direction d, P and R (k, 6) of every velocity beyond are carried inward: J α + 2B η, J S
    and 2Bᵀ S.
    """
    (J, Bt), S = carried, at.S.T
    along = directions(S, by)
    own_F, k = [d.alpha @ J + d.eta @ Bt for d in along], len(along)

    def carry(*wrenches: Array) -> tuple[Array, ...]:
        return tuple(at.X.Ad_inv_dual(x) for x in wrenches)

    def entries_and_carried(*F_P_R: Array) -> tuple[Array, ...]:
        *F_d, P, R = F_P_R
        columns = [(d.alpha @ P.T + d.eta @ R.T).T for d in along]  # ∂τ_k/∂j
        rows = [(S @ x.T).T for x in F_d]  # ∂τ_j/∂k
        return (*rows, *columns, *carry(*F_P_R))

    mapped = map_subtree(entries_and_carried, *beyond)
    turned = [x - d.of_q * ad_dual(S, F) for x, d in zip(own_F, along, strict=True)]
    own = map_subtree(carry, *map(joint.rows, (*turned, S @ J, S @ Bt.T)))
    own_rows = [(S @ x.T).T + d.of_q * (F @ by.dS) for x, d in zip(own_F, along, strict=True)]
    rows = [x + y for x, y in zip(mapped[:k], map(joint.rows, own_rows), strict=True)]
    return (rows, list(mapped[k : 2 * k])), tuple(x + y for x, y in zip(mapped[2 * k :], own, strict=True))


class TreeDerivatives(NamedTuple):
    """Derivatives of τ along directions, without those of the joints' own effects, and τ itself without these."""

    along: list[Array]
    """(nv, nv)."""
    tau: Array
    """(nv,)."""


def derivatives_along(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    wrenches: list[Array],
    base_velocity: Array | None,
    base_acceleration: Array | None,
    directions: Directions,
    count: int,
) -> TreeDerivatives:
    """The derivatives along `count` directions, under wrenches (6,) on all bodies, in their frames."""
    qs, vs, as_ = model.split_q(q), model.split_v(v), model.split_v(a)
    velocities = link_velocities(model, q, v, base_velocity)
    dV_0 = gravity_as_base_acceleration(model, base_acceleration)
    accelerations = outward(model, link_acceleration, dV_0, velocities, as_)
    V_0 = np.zeros(6) if base_velocity is None else base_velocity
    base = Variation(V_0, dV_0, *[None] * 4)
    variations = outward(model, variation, base, velocities, accelerations, qs, vs, as_)
    twice = [at._replace(V=at.V + at.V) for at in velocities]
    nothing = (np.zeros(10), np.zeros((3, 3)), np.zeros(3))
    carried = inward(model, partial(composite_coriolis, form=BODY_CORIOLIS_FORMS["christoffel"]), nothing, twice)
    F = inward(model, joint_wrench, np.zeros(6), velocities, accelerations, wrenches)
    of_joints = velocities, variations, carried, F, joint_velocities(model)
    step = partial(derivative_entries, directions=directions)
    entries = inward(model, step, (SubtreeRows.empty(model),) * (count + 2), *of_joints)
    rows = [matrix_of_rows(model, [rows[k] for rows, _ in entries]) for k in range(count)]
    columns = [matrix_of_rows(model, [columns[k] for _, columns in entries]) for k in range(count)]
    tau = model.gather([at.S.T @ F_i for at, F_i in zip(velocities, F, strict=True)])
    return TreeDerivatives([x + y.T for x, y in zip(rows, columns, strict=True)], tau)


def tree_derivatives(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    wrenches: list[Array],
    base_velocity: Array | None,
    base_acceleration: Array | None,
) -> tuple[Array, Array]:
    """∂τ/∂q and ∂τ/∂v (nv, nv), under wrenches (6,) on all bodies, in their frames."""
    given = wrenches, base_velocity, base_acceleration
    dq, dv = derivatives_along(model, q, v, a, *given, directions=along_q_and_v, count=2).along
    passive_q, passive_v = model.passive_derivatives(q, v)
    return dq + passive_q, dv + passive_v
