"""The configuration manifold: joint by joint, each on the variables of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array, concatenate, stack
from .couplings import check_q

if TYPE_CHECKING:
    from .model import Model


def neutral(model: Model) -> Array:
    """The configuration (nq,) with every joint at its zero."""
    return _each(model, lambda b: b.joint.neutral(), ())


def random(model: Model, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> Array:
    """Configurations (*shape, nq) within the joint limits."""
    if not model.independent_joints:
        return np.zeros((*shape, 0))
    return _each(model, lambda b: b.joint.random(rng, (b.limits.lower, b.limits.upper), shape), ())


def integrate(model: Model, q: Array, v: Array) -> Array:
    """q ⊕ v (nq,): where the velocity v leads in unit time; quaternions stay on their sphere."""
    return _each(model, lambda b, q, v: b.joint.integrate(q, v), (q,), (v,))


def difference(model: Model, q0: Array, q1: Array) -> Array:
    """q1 ⊖ q0 (nv,): the velocity that leads from q0 to q1 in unit time."""
    return _each(model, lambda b, q0, q1: b.joint.difference(q0, q1), (q0, q1))


def tangent(model: Model, q: Array) -> Array:
    """The derivative (nq, nv) of q ⊕ ε at ε = 0: qdot = tangent(q) v."""
    check_q(model, q)
    columns = []
    for e in np.eye(model.nv):
        columns.append(_each(model, lambda b, q, v: b.joint.tangent(q) @ v, (q,), (e,)))
    return stack(columns) if columns else np.zeros((0, 0))


def bracket(model: Model, u: Array, w: Array) -> Array:
    """[u, w] (nv,), the bracket of the motions that keep the velocities u and w: zero but for quaternions."""
    return _each(model, lambda b, u, w: b.joint.bracket(u, w), (), (u, w))


def coadjoint(model: Model, v: Array, p: Array) -> Array:
    """ad_vᵀ p (nv,) of momenta p (nv,), the dual of the bracket: zero but for quaternions."""
    return _each(model, lambda b, v, p: b.joint.coadjoint(v, p), (), (v, p))


def dexp_dual(model: Model, theta: Array, p: Array) -> Array:
    """dexp_θᵀ p (nv,) of momenta p (nv,): p but for quaternions."""
    return _each(model, lambda b, theta, p: b.joint.dexp_dual(theta, p), (), (theta, p))


def dexp_inv_dual(model: Model, theta: Array, p: Array) -> Array:
    """The inverse of p ↦ dexp_θᵀ p (nv,)."""
    return _each(model, lambda b, theta, p: b.joint.dexp_inv_dual(theta, p), (), (theta, p))


def normalise(model: Model, q: Array) -> Array:
    """q (nq,) with every quaternion scaled to unit length."""
    return _each(model, lambda b, q: b.joint.normalise(q), (q,))


def _each(model: Model, function: Callable[..., Array], qs: Sequence[Array], vs: Sequence[Array] = ()) -> Array:
    """Apply a joint's method to every joint's own variables, and join the results."""
    parts = [
        function(body, *(q[sq] for q in qs), *(v[sv] for v in vs))
        for body in model.independent_joints
        for sq, sv in [model.slices[body.index]]
    ]
    return concatenate(parts) if parts else np.zeros(0)
