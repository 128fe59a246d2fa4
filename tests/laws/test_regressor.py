"""Regressors: each gives, times the bodies' parameters, what the recursion for that quantity gives."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.regressor import parameter_names
from kinetrace.lie import inertia
from kinetrace.model import joints as j
from kinetrace.model import random_chain


def parameters(model):
    return np.concatenate([inertia.to_parameters(body.J) for body in model.bodies])


def test_joint_forces(model, state, mechanics):
    tau = algorithms.inverse_dynamics(model, state.q, state.v, state.a)
    mechanics.assert_near(algorithms.regressor(model, state.q, state.v, state.a) @ parameters(model), tau)


def test_energies_and_momentum(model, state, mechanics):
    q, v, pi = state.q, state.v, parameters(model)
    energies = algorithms.kinetic_energy(model, q, v), algorithms.potential_energy(model, q)
    mechanics.assert_near(algorithms.energy_regressor(model, q, v) @ pi, energies)
    mechanics.assert_near(algorithms.momentum_regressor(model, q, v) @ pi, algorithms.momentum(model, q, v))


@pytest.mark.parametrize("form", ["newton", "skew", "christoffel"])
def test_forces_of_adaptive_control(model, state, form, rng, mechanics):
    """M a + C(q, v) u + g of Slotine and Li, whose velocity u is not v."""
    q, v, a, u = state.q, state.v, state.a, rng.normal(size=model.nv)
    product = algorithms.coriolis_product(model, q, v, u, form=form)
    expected = algorithms.mass_matrix(model, q) @ a + product + algorithms.gravity(model, q)
    mechanics.assert_near(algorithms.coriolis_regressor(model, q, v, u, a, form=form) @ parameters(model), expected)


def test_every_form_has_the_same_forces_of_motion(model, state, mechanics):
    """Parameter by parameter, not only for the sum of all."""
    q, v, a = state.q, state.v, state.a
    Y = algorithms.regressor(model, q, v, a)
    for form in ("newton", "skew", "christoffel"):
        mechanics.assert_near(algorithms.coriolis_regressor(model, q, v, v, a, form=form), Y)


def test_power_is_the_rate_of_energy_for_every_parameter(model, state, mechanics):
    """vᵀ Y = d/dt (kinetic + potential), by a complex step along the motion."""
    q, v, a, h = state.q, state.v, state.a, mechanics.step
    moved = algorithms.energy_regressor(model, model.integrate(q, 1j * h * v), v + 1j * h * a)
    mechanics.assert_near(v @ algorithms.regressor(model, q, v, a), moved.imag.sum(axis=0) / h, 1e-11)


def test_columns_of_joints():
    kinds = [j.Spherical(), j.Revolute([0, 0, 1]), j.Prismatic([1, 0, 0])]
    model = random_chain(3, 2, kinds).build()
    q, v, a = model.neutral(), np.array([1.0, -2, 0, 3, -4]), np.arange(5.0)
    Y = algorithms.regressor(model, q, v, a, friction=True, rotor=True)
    np.testing.assert_array_equal(Y[:, :30], algorithms.regressor(model, q, v, a))
    viscous, coulomb, rotor = np.split(Y[:, 30:], 3, axis=1)
    np.testing.assert_array_equal(viscous, np.diag(v))
    np.testing.assert_array_equal(coulomb, np.diag([1, -1, 0, 1, -1]))
    np.testing.assert_array_equal(rotor, np.diag(a))
    names = parameter_names(model, friction=True, rotor=True)
    assert len(names) == Y.shape[1]
    assert names[:2] + names[10:11] == ("link1.m", "link1.hx", "link2.m")
    assert names[30:34] == ("joint1[0].viscous", "joint1[1].viscous", "joint1[2].viscous", "joint2.viscous")
    assert (names[35], names[-1]) == ("joint1[0].coulomb", "joint3.rotor")


def test_what_a_joint_does_not_carry_costs_it_nothing(model, state):
    Y = algorithms.regressor(model, state.q, state.v, state.a).reshape(model.nv, -1, 10)
    for b in model.bodies:
        carriers = {model.bodies[i].mimic.source if model.bodies[i].mimic else i for i in model.ancestors(b.index)}
        for c in model.independent_joints:
            if c.index not in carriers:
                assert not Y[model.joint_slices(c.joint_name)[1], b.index].any()


def test_a_robot_without_joints():
    builder = kt.Builder("stone")
    builder.link("stone", np.eye(6))
    model, none = builder.build(), np.zeros(0)
    assert algorithms.regressor(model, none, none, none).shape == (0, 0)
    assert algorithms.energy_regressor(model, none, none).shape == (2, 0)
