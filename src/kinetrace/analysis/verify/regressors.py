"""Identities of regressors: each gives, times the bodies' parameters, what the recursion for that quantity gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ... import algorithms as alg
from ...algorithms.registry.choices import CoriolisForm
from ...arrays import Array
from ...lie import inertia
from ...model import Body, JointEffects, Limits, Model
from ...model.effects.joint_effects import per_velocity
from .state import CORIOLIS_FORMS, State, identity, largest, relative, worst


def _parameters(s: State) -> Array:
    return np.concatenate([inertia.to_parameters(body.J) for body in s.model.bodies])


def with_every_effect(s: State) -> Model:
    """The same robot whose joints do all that they can do by themselves; those with coordinates are at their stops."""
    sizes = s.model.split_v(np.diag(s.M) * (1.0 + np.abs(s.u)))

    def effective(body: Body, size: Array, q: Array) -> Body:
        given = {"damping": size, "friction": 2 * size, "friction_width": 0.3 * (1.0 + size / (1.0 + size))}
        if not body.joint.has_coordinates:
            return replace(body, effects=JointEffects(**given).of(body.joint, body.joint_name))
        given |= {"armature": size, "stiffness": 3 * size, "stop_stiffness": 4 * size, "stop_damping": 5 * size}
        limits = Limits(q - 1.0, q - 0.005, body.limits.velocity, body.limits.effort)
        return replace(body, effects=JointEffects(**given).of(body.joint, body.joint_name), limits=limits)

    each = zip(s.model.bodies, sizes, s.model.split_q(s.q), strict=True)
    return replace(s.model, bodies=tuple(effective(body, np.abs(size), q) for body, size, q in each))


def parameters_and_rest(model: Model, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """Parameters (p,) of bodies and joints, and the forces (nv,) of what joints do that these do not tell."""
    linear = ("damping", "friction", "armature")
    bodies = [inertia.to_parameters(body.J) for body in model.bodies]
    own = [body.joint_name for body in model.independent_joints if body.joint.nv]
    rest = model.with_joint_effects(own, **dict.fromkeys(linear, 0.0))
    p = np.concatenate([*bodies, *(per_velocity(model, name) for name in linear)])
    return p, alg.passive_forces(rest, q, v) + rest.armature @ a


def _rotors(s: State, a: Array) -> Array:
    """The forces of rotors, of which the bodies' parameters know nothing."""
    return s.model.armature @ a


@identity("regressors")
def regressor_gives_the_forces(s: State) -> float:
    """Y π = τ [Atkeson et al. 1986]"""
    Y, pi = alg.regressor(s.model, s.q, s.v, s.a), _parameters(s)
    return relative(Y @ pi, s.tau - s.passive - _rotors(s, s.a), np.abs(Y) @ np.abs(pi), s.tau)


@identity("regressors")
def regressor_gives_the_forces_of_joint_effects(s: State) -> float:
    """Y p = τ, less springs, stops, mimics [Atkeson et al. 1986]"""
    model, at = with_every_effect(s), (s.q, s.v, s.a)
    Y, (p, rest) = alg.regressor(model, *at, friction=True, rotor=True), parameters_and_rest(model, *at)
    tau = alg.inverse_dynamics(model, *at)
    return relative(Y @ p, tau - rest, np.abs(Y) @ np.abs(p), tau, rest)


@identity("regressors")
def regressor_has_what_joints_carry(s: State) -> float:
    """Y_ib = 0 if no joint i carries body b [Atkeson et al. 1986]"""
    model = s.model
    Y = alg.regressor(model, s.q, s.v, s.a).reshape(model.nv, -1, 10)
    beyond = 0.0
    for b in model.bodies:
        above = [model.bodies[i] for i in model.ancestors(b.index)]
        carriers = {body.index if body.mimic is None else body.mimic.source for body in above}
        others = [model.slices[c.index][1] for c in model.independent_joints if c.index not in carriers]
        beyond = worst([beyond, *(largest(Y[rows, b.index]) for rows in others)])
    return beyond


@identity("regressors")
def energy_and_momentum_regressors(s: State) -> float:
    """(T, U) and h, linear in π [Gautier, Khalil 1988]"""
    pi, springs = _parameters(s), s.model.stored_energy(s.q)
    E, h = alg.energy_regressor(s.model, s.q, s.v), alg.momentum_regressor(s.model, s.q, s.v)
    T = alg.kinetic_energy(s.model, s.q, s.v) - s.v @ _rotors(s, s.v) / 2
    U = alg.potential_energy(s.model, s.q) - springs
    terms = np.abs(E) @ np.abs(pi), np.abs(h) @ np.abs(pi)
    energies = [relative(x @ pi, y, size, springs) for x, y, size in zip(E, (T, U), terms[0], strict=True)]
    return worst([*energies, relative(h @ pi, alg.momentum(s.model, s.q, s.v), terms[1])])


@identity("regressors")
def coriolis_regressor_gives_the_forces(s: State) -> float:
    """Y π = M a + C(q, v) u + g, every form [Slotine & Li 1987]"""
    pi, g = _parameters(s), alg.gravity(s.model, s.q)
    pushed = s.M @ s.a - _rotors(s, s.a) + g

    def residual(form: CoriolisForm) -> float:
        Y = alg.coriolis_regressor(s.model, s.q, s.v, s.u, s.a, form=form)
        expected = pushed + alg.coriolis_product(s.model, s.q, s.v, s.u, form=form)
        return relative(Y @ pi, expected, np.abs(Y) @ np.abs(pi), s.M * s.a, s.inertial)

    return worst(map(residual, CORIOLIS_FORMS))


@identity("regressors")
def coriolis_regressor_of_the_motion_itself(s: State) -> float:
    """Y(q, v, v, a) = Y(q, v, a), every form [Slotine & Li 1987]"""
    Y = alg.regressor(s.model, s.q, s.v, s.a)
    found = (alg.coriolis_regressor(s.model, s.q, s.v, s.v, s.a, form=form) for form in CORIOLIS_FORMS)
    return worst(relative(x, Y) for x in found)


@identity("regressors")
def power_of_every_parameter(s: State) -> float:
    """v·Y = d/dt of the energies' regressors [Newton]"""
    Y, rate = (
        alg.regressor(s.model, s.q, s.v, s.a),
        s.rate(lambda q, v: alg.energy_regressor(s.model, q, v)),
    )
    return relative(s.v @ Y, rate.sum(axis=0), np.abs(s.v) @ np.abs(Y), rate)
