"""Runge–Kutta methods of Munthe-Kaas, of order two and four, which keep the momentum of trees that float.

They are Runge–Kutta methods for (θ, v) with q = q₀ ⊕ θ, see `runge_kutta`: "rkmk2" is the midpoint rule, "rkmk4" the
classical method. For each free joint between the world and a body, the momentum h of all bodies that it carries is a
further variable, in the frame that the body has when the step begins, which stays where it is:

    h = Ad*_{Y⁻¹} Σ J V,      ḣ = (Σ m c × g, Σ m g) + Σ Ad*_{Y_f⁻¹} F_f + Ad*_{Y⁻¹} S⁻ᵀ τ,      Y = exp θ

τ being the joint's own force less its `passive_forces`.

At the end of the step, that joint gets the velocity that belongs to h: (SᵀJᶜS)⁻¹ Sᵀ (Ad*_Y h − p) is added to its own,
where Jᶜ is the composite inertia, and p the momentum before that. Forces that joints and closures transmit inside the
tree do not change h, and do not occur in ḣ. So the momentum about any point of the world is kept to rounding if nothing
acts from outside, and otherwise changes by the impulse of what acts. Without h, the order of the method would limit it.

Without such joints, on a base that is moved, or if closures hold on to something else too, "rkmk4" is "rk4".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate
from ...lie import Ad_dual, Ad_inv_dual, se3, so3
from ...linalg import solve
from ...model import Model
from ..dynamics.external_wrenches import body_wrenches, carried_wrench
from ..dynamics.floating_momentum import floating_bodies, momenta, with_momenta
from ..dynamics.momentum import carried_mass
from ..sweeps.tree import inward
from .runge_kutta import EquationsOfMotion, StepEnd, equations_of_motion, midpoint, rk4, step_acceleration
from .step_inputs import StepInputs


class MovedConfiguration(NamedTuple):
    """A configuration q (nq,), θ (nv,) away from where the step began."""

    q: Array
    theta: Array


def relative_pose(model: Model, body: int, theta: Array) -> Array:
    """Y (4, 4), the pose of a body relative to where it was."""
    own = model.bodies[body]
    rest = own.joint.neutral()
    moved = own.joint.integrate(rest, theta[model.slices[body][1]])
    return se3.inverse(own.placement(rest).matrix) @ own.placement(moved).matrix


def momentum_rates(
    model: Model, at: MovedConfiguration, v: Array, t: Array, inputs: StepInputs, gravity: Mapping[int, Array]
) -> list[Array]:
    """ḣ (6,) of each floating tree, for gravity (3,) in the axes of its body at the beginning of the step."""
    qs, F = model.split_q(at.q), body_wrenches(model, inputs.external_at(model, at.q, v, t).wrench)
    tau = inputs.tau - model.passive_forces(at.q, v)
    masses, wrenches = inward(model, carried_mass, np.zeros(4), qs), inward(model, carried_wrench, np.zeros(6), qs, F)
    rates = []
    for i, g in gravity.items():
        Y, S = relative_pose(model, i, at.theta), model.bodies[i].subspace(qs[i])
        mass = Y @ masses[i][0]
        weight = concatenate([so3.cross(mass[:3], g), mass[3] * g])
        rates.append(weight + Ad_inv_dual(Y, wrenches[i] + solve(S.T, tau[model.slices[i][1]])))
    return rates


def _step_with_momenta(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs, order: int) -> StepEnd:
    roots, rule = floating_bodies(model), midpoint if order == 2 else rk4
    if inputs.external.moves_base or not roots:
        return rule(equations_of_motion(model, inputs), q, v, dt)
    n, qs, begun = model.nv, model.split_q(q), momenta(model, q, v)
    gravity = {i: model.gravity @ se3.rotation(model.bodies[i].placement(qs[i]).matrix) for i in roots}

    def integrate(at: MovedConfiguration, theta: Array) -> MovedConfiguration:
        return MovedConfiguration(model.integrate(at.q, theta), theta)

    def velocity(at: MovedConfiguration, u: Array) -> Array:
        return u[:n]

    def rate(at: MovedConfiguration, u: Array, t: Array) -> Array:
        v = u[:n]
        return concatenate(
            [step_acceleration(model, at.q, v, t, inputs), *momentum_rates(model, at, v, t, inputs, gravity)]
        )

    system = EquationsOfMotion(integrate, model.bracket, rate, velocity)
    at, u, last = rule(system, MovedConfiguration(q, np.zeros(n)), concatenate([v, *(begun[i] for i in roots)]), dt)
    h = {i: Ad_dual(relative_pose(model, i, at.theta), u[n + 6 * k : n + 6 * k + 6]) for k, i in enumerate(roots)}
    return StepEnd(at.q, with_momenta(model, at.q, u[:n], h), last._replace(q=last.q.q))


def rkmk2(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> StepEnd:
    """q and v after the time dt, by the midpoint rule."""
    return _step_with_momenta(model, q, v, dt, inputs, 2)


def rkmk4(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> StepEnd:
    """q and v after the time dt, by the classical method of order four."""
    return _step_with_momenta(model, q, v, dt, inputs, 4)
