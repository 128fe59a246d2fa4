"""Energies and momenta as conserved quantities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinetrace.algorithms import (
    bias,
    center_of_mass,
    centroidal_momentum_matrix,
    gravity,
    inverse_dynamics,
    kinetic_energy,
    momentum,
    momentum_rate,
    potential_energy,
)
from kinetrace.lie import inertia
from kinetrace.model import random_tree


def mass_matrix(model, q):
    zero = np.zeros(model.nv)
    rest = inverse_dynamics(model, q, zero, zero)
    return np.stack([inverse_dynamics(model, q, zero, e) - rest for e in np.eye(model.nv)], axis=-1)


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
