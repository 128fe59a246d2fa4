"""Runge–Kutta methods of Munthe-Kaas, of order two and four, which keep the momentum of what floats.

They are Runge–Kutta methods for (θ, v) with q = q₀ ⊕ θ, see `explicit`: "rkmk2" is the midpoint rule, "rkmk4" the
classical method. For each joint of six degrees of freedom between the world and a body, the momentum h of all that it
carries, in the world's axes about the world's origin, is a further variable,

    h = Ad*_{X⁻¹} (Jᶜ S v + p),      ḣ = (Σ m c × g, Σ m g) + Σ Ad*_{X_f⁻¹} F_f + Ad*_{X⁻¹} S⁻ᵀ τ

with the composite inertia Jᶜ, and p the momentum when that joint rests; at the end of the step, that joint's velocity
is the one that h has, v = (SᵀJᶜS)⁻¹ Sᵀ (Ad*_X h − p). What joints and closures within it transmit does not change h,
and does not occur in ḣ; so h is kept to rounding if nothing acts from outside, and else changes by the impulse of what
acts. Without h, it would be kept to the order of the method only.

Without such joints, on a base that is moved, or if closures hold on to something else too, "rkmk4" is "rk4".
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array, concatenate
from ..lie import inertia, so3
from ..linalg import dense, solve
from ..model import WORLD, Body, Model
from .acting import Acting
from .explicit import Pair, System, midpoint, rk4
from .external import body_wrenches
from .kinematics import link_velocities
from .momentum import carried_mass, carried_momentum, composite_inertia
from .sweep import inward


def floating(model: Model) -> list[int]:
    """The bodies that hang on the world by all six degrees of freedom, and by nothing else."""
    trees = {body.index: min(model.ancestors(body.index)) for body in model.bodies}
    trees[WORLD] = WORLD
    held = {term.body for closure in model.closures for term in closure.terms}
    for ends in ({trees[frame.body] for frame in closure.frames} for closure in model.closures if not closure.terms):
        held |= ends if len(ends) > 1 else set()
    sources = {body.mimic.source for body in model.bodies if body.mimic is not None}
    return [
        body.index
        for body in model.independent_joints
        if body.parent == WORLD and body.joint.nv == 6 and body.index not in held | sources
    ]


def replaced(model: Model, v: Array, parts: Mapping[int, Array]) -> Array:
    """v (nv,) with other entries for the joints of some bodies."""
    pieces, begin = [], 0
    for index, part in sorted(parts.items()):
        here = model.slices[index][1]
        pieces += [v[begin : here.start], part]
        begin = here.stop
    return concatenate([*pieces, v[begin:]])


def carried_wrench(body: Body, F_children: Array, q: Array, F: Array) -> tuple[Array, Array]:
    """The wrench on all that a joint carries, in the parent's frame."""
    passed = body.placement(q).Ad_inv_dual(F_children + F)
    return passed, passed


def momenta(model: Model, q: Array, v: Array) -> list[Array]:
    """The momentum of what each joint carries, in the parent's frame."""
    return inward(model, carried_momentum, np.zeros(6), link_velocities(model, q, v))


def with_momenta(model: Model, q: Array, v: Array, h: Mapping[int, Array]) -> Array:
    """v (nv,) with velocities of some bodies on the world such that what they carry has the momenta h (6,)."""
    qs, resting = model.split_q(q), replaced(model, v, {i: np.zeros(6) for i in h})
    p, composites = momenta(model, q, resting), inward(model, composite_inertia, np.zeros(10), qs)
    found = {}
    for i, h_i in h.items():
        X, S = model.bodies[i].placement(qs[i]), model.bodies[i].subspace(qs[i])
        J = inertia.from_parameters(composites[i][0])
        found[i] = dense.solve(dense.factor(S.T @ J @ S), S.T @ X.Ad_dual(h_i - p[i]))
    return replaced(model, v, found)


def momentum_rates(model: Model, roots: list[int], q: Array, acting: Acting) -> list[Array]:
    """ḣ (6,) of each tree that floats."""
    qs, F = model.split_q(q), body_wrenches(model, acting.given.wrench)
    points, wrenches = inward(model, carried_mass, np.zeros(4), qs), inward(model, carried_wrench, np.zeros(6), qs, F)
    found = []
    for i in roots:
        X, S, point = model.bodies[i].placement(qs[i]), model.bodies[i].subspace(qs[i]), points[i][1]
        weight = concatenate([so3.cross(point[:3], model.gravity), point[3] * model.gravity])
        found.append(weight + wrenches[i] + X.Ad_inv_dual(solve(S.T, acting.tau[model.slices[i][1]])))
    return found


def _stepped(model: Model, q: Array, v: Array, dt: Array, acting: Acting, order: int) -> Pair:
    roots, rule = floating(model), midpoint if order == 2 else rk4
    moved = acting.given.base_velocity is not None or acting.given.base_acceleration is not None
    if moved or not roots:
        return rule(acting.system(model), q, v, dt)

    n, h = model.nv, momenta(model, q, v)

    def velocity(q: Array, u: Array) -> Array:
        return u[:n]

    def rate(q: Array, u: Array, t: Array) -> Array:
        return concatenate([acting.acceleration(model, q, u[:n], t), *momentum_rates(model, roots, q, acting)])

    u = concatenate([v, *(h[i] for i in roots)])
    q, u = rule(System(model.integrate, model.bracket, rate, velocity), q, u, dt)
    return q, with_momenta(model, q, u[:n], {i: u[n + 6 * k : n + 6 * k + 6] for k, i in enumerate(roots)})


def rkmk2(model: Model, q: Array, v: Array, dt: Array, acting: Acting) -> Pair:
    """q and v after the time dt, by the midpoint rule."""
    return _stepped(model, q, v, dt, acting, 2)


def rkmk4(model: Model, q: Array, v: Array, dt: Array, acting: Acting) -> Pair:
    """q and v after the time dt, by the classical method of order four."""
    return _stepped(model, q, v, dt, acting, 4)
