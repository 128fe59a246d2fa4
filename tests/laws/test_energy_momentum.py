"""Energies and momenta: against poses and twists alone, and as conserved quantities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinetrace.algorithms import (
    bias,
    center_of_mass,
    centroidal_momentum,
    centroidal_momentum_matrix,
    gravity,
    inverse_dynamics,
    kinetic_energy,
    momentum,
    momentum_rate,
    potential_energy,
)
from kinetrace.lie import Ad_inv_dual, inertia, so3
from kinetrace.model import random_tree


def mass_matrix(model, q):
    zero = np.zeros(model.nv)
    rest = inverse_dynamics(model, q, zero, zero)
    return np.stack([inverse_dynamics(model, q, zero, e) - rest for e in np.eye(model.nv)], axis=-1)


def along(model, state, mechanics):
    """The state an imaginary step later in the motion (v, a)."""
    step = 1j * mechanics.step
    return model.integrate(state.q, step * state.v), state.v + step * state.a


def first_moment(model, q, mechanics):
    """Σ m p over the bodies."""
    poses = zip(model.bodies, mechanics.body_poses(model, q), strict=True)
    return sum(inertia.mass(b.J) * X[:3, 3] + X[:3, :3] @ so3.vee(b.J[:3, 3:]) for b, X in poses)


def test_kinetic_energy_is_that_of_the_bodies_and_half_v_M_v(model, state, mechanics):
    T = kinetic_energy(model, state.q, state.v)
    twists = mechanics.body_twists(model, state.q, state.v)
    assert pytest.approx(sum(V @ b.J @ V for b, V in zip(model.bodies, twists, strict=True)) / 2, rel=1e-12) == T
    assert pytest.approx(state.v @ mass_matrix(model, state.q) @ state.v / 2, rel=1e-12) == T


def test_potential_energy_is_that_of_the_bodies(model, state, mechanics):
    h = first_moment(model, state.q, mechanics)
    mechanics.assert_near(potential_energy(model, state.q), -model.gravity @ h)
    mechanics.assert_near(center_of_mass(model, state.q), h / sum(inertia.mass(b.J) for b in model.bodies))


def test_gravity_is_the_gradient_of_the_potential_energy(model, state, mechanics):
    h, zero = mechanics.step, np.zeros(model.nv)
    gradient = [potential_energy(model, model.integrate(state.q, 1j * h * e)).imag / h for e in np.eye(model.nv)]
    mechanics.assert_near(gravity(model, state.q), gradient)
    mechanics.assert_near(gravity(model, state.q), inverse_dynamics(model, state.q, zero, zero))


def test_power_is_the_rate_of_energy(model, state, mechanics):
    q, v = along(model, state, mechanics)
    rate = (kinetic_energy(model, q, v) + potential_energy(model, q)).imag / mechanics.step
    tau = inverse_dynamics(model, state.q, state.v, state.a)
    assert abs(tau @ state.v - rate) < 1e-12 * np.abs(tau * state.v).sum()  # the sum cancels: its terms set the scale


def test_momentum_is_that_of_the_bodies(model, state, mechanics):
    q, v = state.q, state.v
    poses, twists = mechanics.body_poses(model, q), mechanics.body_twists(model, q, v)
    expected = sum(Ad_inv_dual(X, b.J @ V) for b, X, V in zip(model.bodies, poses, twists, strict=True))
    mechanics.assert_near(momentum(model, q, v), expected)
    c = center_of_mass(model, q)
    about_center = np.concatenate([expected[:3] - np.cross(c, expected[3:]), expected[3:]])
    mechanics.assert_near(centroidal_momentum(model, q, v), about_center)
    A = centroidal_momentum_matrix(model, q)
    assert A.shape == (6, model.nv)
    mechanics.assert_near(A @ v, about_center)


def test_linear_momentum_is_mass_times_the_velocity_of_the_center(model, state, mechanics):
    q, _ = along(model, state, mechanics)
    mass = sum(inertia.mass(b.J) for b in model.bodies)
    speed = center_of_mass(model, q).imag / mechanics.step
    mechanics.assert_near(centroidal_momentum(model, state.q, state.v)[3:], mass * speed)


def test_momentum_rate_is_the_derivative(model, state, mechanics):
    rate = centroidal_momentum(model, *along(model, state, mechanics)).imag / mechanics.step
    mechanics.assert_near(momentum_rate(model, state.q, state.v, state.a), rate)


@pytest.mark.parametrize("seed", range(4))
def test_a_floating_tree_keeps_its_momentum_and_falls_with_its_weight(seed, rng, mechanics):
    """Without joint forces, M a = −c; what is left cancels from the terms' size, that of M⁻¹."""
    tree = random_tree(8, seed).build("free")
    q, v = tree.random(rng), rng.normal(size=tree.nv)
    for model in (tree, replace(tree, gravity=np.zeros(3))):
        a = np.linalg.solve(mass_matrix(model, q), -bias(model, q, v))
        weight = np.concatenate([np.zeros(3), sum(inertia.mass(b.J) for b in model.bodies) * model.gravity])
        scale = 1e-11 * np.abs(centroidal_momentum_matrix(model, q) * a).sum()
        np.testing.assert_allclose(momentum_rate(model, q, v, a), weight, rtol=0, atol=scale)
    h = mechanics.step
    rate = momentum(model, model.integrate(q, 1j * h * v), v + 1j * h * a).imag / h
    np.testing.assert_allclose(rate, 0, atol=scale)


def test_a_robot_without_joints_has_no_energy():
    model = random_tree(3, 1).build()
    nothing = replace(model, bodies=(), frames={})
    zero = np.zeros(0)
    assert kinetic_energy(nothing, zero, zero) == potential_energy(nothing, zero) == 0
    assert gravity(nothing, zero).shape == (0,)
    assert centroidal_momentum_matrix(nothing, zero).shape == (6, 0)
    assert not momentum(nothing, zero, zero).any() and not center_of_mass(nothing, zero).any()
