"""The momentum of trees that float: whose base is a free joint between the world and a body, with nothing else to it.

    h = Σ Ad*_{X⁻¹} J V         of all that a joint carries, in the frame of its body
    v ← v + (SᵀJᶜS)⁻¹ Sᵀ (h − p)   the joint's velocity that belongs to another momentum than p

Steps in time and projections on closed loops keep it (`time.rkmk`, `closed.step_projection`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...arrays import Array, concatenate
from ...lie import Ad_dual, Ad_inv_dual, inertia
from ...linalg import dense
from ...model import WORLD, Model
from ..kinematics.forward_kinematics import link_velocities
from ..sweeps.tree import inward
from .external_wrenches import carried_wrench
from .momentum import composite_inertia


def floating_bodies(model: Model) -> list[int]:
    """The bodies with six degrees of freedom to the world whose trees nothing else connects to it."""
    trees = {body.index: min(model.ancestors(body.index)) for body in model.bodies}
    trees[WORLD] = WORLD
    attached = {term.body for closure in model.closures for term in closure.terms}
    for ends in ({trees[frame.body] for frame in closure.frames} for closure in model.closures if not closure.terms):
        attached |= ends if len(ends) > 1 else set()
    sources = {body.mimic.source for body in model.bodies if body.mimic is not None}
    return [
        body.index
        for body in model.independent_joints
        if body.parent == WORLD and body.joint.is_free and body.index not in attached | sources
    ]


def with_joint_velocities(model: Model, v: Array, parts: Mapping[int, Array]) -> Array:
    """v (nv,) with other entries for the joints of some bodies."""
    pieces, begin = [], 0
    for index, part in sorted(parts.items()):
        here = model.slices[index][1]
        pieces += [v[begin : here.start], part]
        begin = here.stop
    return concatenate([*pieces, v[begin:]])


def momenta(model: Model, q: Array, v: Array) -> list[Array]:
    """The momentum of what each joint carries, in the body's frame."""
    velocities = link_velocities(model, q, v)
    carried = [body.J @ at.V for body, at in zip(model.bodies, velocities, strict=True)]
    return inward(model, carried_wrench, np.zeros(6), model.split_q(q), carried)


def with_momenta(model: Model, q: Array, v: Array, h: Mapping[int, Array]) -> Array:
    """v (nv,) with velocities of some bodies on the world such that their trees have the momenta h (6,), in them."""
    qs, p = model.split_q(q), momenta(model, q, v)
    composites, corrected = inward(model, composite_inertia, np.zeros(10), qs), {}
    for i, h_i in h.items():
        S, J = model.bodies[i].subspace(qs[i]), inertia.from_parameters(composites[i][0])
        lack = S.T @ (h_i - p[i])
        corrected[i] = v[model.slices[i][1]] + dense.solve(dense.factor(S.T @ J @ S), lack)
    return with_joint_velocities(model, v, corrected)


def with_momenta_of(model: Model, q0: Array, v: Array, q1: Array, u: Array) -> Array:
    """The velocity at q1 at which floating trees have the momentum of q0 and v; other joints move with u (nv,).

    Projections on closed loops do not keep it, as they displace bodies.
    """
    roots, p, wanted = floating_bodies(model), momenta(model, q0, v), {}
    for i in roots:
        X0, X1 = (model.bodies[i].placement(model.split_q(q)[i]).matrix for q in (q0, q1))
        wanted[i] = Ad_dual(X1, Ad_inv_dual(X0, p[i]))
    return with_momenta(model, q1, u, wanted)
