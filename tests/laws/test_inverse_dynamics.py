"""Inverse dynamics obeys mechanics: energies are computed from poses alone, without the library's sweeps."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from kinetrace.algorithms import inverse_dynamics, jacobian
from kinetrace.lie import inertia, so3
from kinetrace.model import load_model, random_tree
from kinetrace.model.zoo import names as robot_names

many_digits = np.vectorize(mpmath.mpf, otypes=[object])


def kinetic_energy(model, twists):
    return sum(V @ (b.J @ V) for b, V in zip(model.bodies, twists, strict=True)) / 2


def potential_energy(model, poses):
    """-Σ m g·c over the bodies, c the centre of mass in the world."""
    energy = 0
    for b, X in zip(model.bodies, poses, strict=True):
        first_moment = so3.vee(b.J[:3, 3:])
        energy = energy - model.gravity @ (inertia.mass(b.J) * X[:3, 3] + X[:3, :3] @ first_moment)
    return energy


def mass_matrix(model, q):
    zero = np.zeros(model.nv)
    rest = inverse_dynamics(model, q, zero, zero)
    return np.stack([inverse_dynamics(model, q, zero, e) - rest for e in np.eye(model.nv)], axis=-1)


def some_wrenches(model, rng):
    names = sorted(model.frames)
    return {name: rng.normal(size=6) for name in (names[0], names[-1], "tip") if name in names}


def test_power_of_all_forces_is_the_rate_of_energy(model, state, rng, mechanics):
    """τ·v + Σ F_f·V_f = dE/dt, the energy differentiated twice with 50-digit numbers.

    Central differences with h = 1e-13 are good to 26 digits; what is left is float64 in the dynamics.
    """
    q, v, a = state.q, state.v, state.a
    wrenches = some_wrenches(model, rng)
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -13
        q50, v50, a50 = model.normalise(many_digits(q)), many_digits(v), many_digits(a)

        def rate(function, *line):
            before, after = (function(*(move(s * h) for move in line)) for s in (-1, 1))
            return [(y - x) / (2 * h) for x, y in zip(before, after, strict=True)]

        def energy(q, v):
            poses = mechanics.body_poses(model, q)
            moving = rate(lambda q: mechanics.body_poses(model, q), lambda t: model.integrate(q, t * v))
            twists = [mechanics.twist(X, dX) for X, dX in zip(poses, moving, strict=True)]
            return [kinetic_energy(model, twists) + potential_energy(model, poses)]

        (power,) = rate(energy, lambda t: model.integrate(q50, t * v50), lambda t: v50 + t * a50)
    tau = inverse_dynamics(model, q, v, a, wrench=wrenches)
    work = 0.0
    for frame, F in wrenches.items():
        X = mechanics.frame_pose(model, model.integrate(q, 1j * mechanics.step * v), frame)
        work += F @ mechanics.twist(X.real, X.imag / mechanics.step)
    # The sum of τ_i v_i cancels: its terms set the scale.
    scale = float(np.abs(tau * v).sum()) + abs(float(power))
    assert abs(tau @ v + work - float(power)) < 1e-12 * scale


def test_gravity_torque_is_the_gradient_of_the_potential(model, state, mechanics):
    zero = np.zeros(model.nv)
    h = mechanics.step
    gradient = [
        potential_energy(model, mechanics.body_poses(model, model.integrate(state.q, 1j * h * e))).imag / h
        for e in np.eye(model.nv)
    ]
    mechanics.assert_near(inverse_dynamics(model, state.q, zero, zero), gradient)


def test_mass_matrix_is_symmetric_positive_definite_and_gives_the_kinetic_energy(model, state, rng, mechanics):
    M = mass_matrix(model, state.q)
    mechanics.assert_near(M, M.T)
    assert np.linalg.eigvalsh((M + M.T) / 2).min() > 0
    for v in (state.v, rng.normal(size=model.nv)):
        energy = kinetic_energy(model, mechanics.body_twists(model, state.q, v))
        assert v @ M @ v / 2 == pytest.approx(energy, rel=1e-12)


def test_forces_are_affine_in_the_acceleration(model, state, rng, mechanics):
    q, v = state.q, state.v
    a, b = rng.normal(size=(2, model.nv))
    bias = inverse_dynamics(model, q, v, np.zeros(model.nv))
    total = inverse_dynamics(model, q, v, 2 * a - 3 * b)
    parts = [inverse_dynamics(model, q, v, x) - bias for x in (a, b)]
    mechanics.assert_near(total - bias, 2 * parts[0] - 3 * parts[1])


def test_velocity_forces_are_quadratic(model, state, mechanics):
    q, v, zero = state.q, state.v, np.zeros(model.nv)
    gravity = inverse_dynamics(model, q, zero, zero)
    once, thrice, back = (inverse_dynamics(model, q, s * v, zero) - gravity for s in (1, 3, -1))
    mechanics.assert_near(thrice, 9 * once)
    mechanics.assert_near(back, once)


def test_an_external_wrench_takes_off_its_transposed_jacobian(model, state, rng, mechanics):
    q, v, a = state.q, state.v, state.a
    wrenches = some_wrenches(model, rng)
    change = inverse_dynamics(model, q, v, a, wrench=wrenches) - inverse_dynamics(model, q, v, a)
    expected = -sum(jacobian(model, q, frame=name).T @ F for name, F in wrenches.items())
    mechanics.assert_near(change, expected)


def test_gravity_is_a_base_that_accelerates_upward(model, state, mechanics):
    q, v, a = state.q, state.v, state.a
    weightless = replace(model, gravity=np.zeros(3))
    lift = np.concatenate([np.zeros(3), -model.gravity])
    mechanics.assert_near(
        inverse_dynamics(weightless, q, v, a, base_acceleration=lift), inverse_dynamics(model, q, v, a)
    )


def test_spatial_and_classical_accelerations_give_the_same_forces(model, state, rng, mechanics):
    """On a base that moves, under wrenches on links and tips, with every joint, mimics and a free base."""
    V_0, dV_0 = rng.normal(size=(2, 6))
    for given in ({}, {"base_velocity": V_0, "base_acceleration": dV_0, "wrench": some_wrenches(model, rng)}):
        classical, spatial = (
            inverse_dynamics(model, state.q, state.v, state.a, method=method, **given)
            for method in ("classical", "spatial")
        )
        mechanics.assert_near(spatial, classical)


@pytest.mark.parametrize("name", robot_names(closed=False))
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_spatial_and_classical_accelerations_agree_on_bundled_robots(name, base, rng, mechanics):
    model = load_model(name, base=base)
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    mechanics.assert_near(inverse_dynamics(model, q, v, a, method="spatial"), inverse_dynamics(model, q, v, a))


@pytest.mark.parametrize("seed", range(4))
def test_a_given_motion_of_the_base_is_that_of_a_free_joint(seed, rng, mechanics):
    builder = random_tree(9, seed)
    free, fixed = builder.build("free"), builder.build()
    base = free.random(rng)[free.joint_slices("floating_base")[0]]
    q, v, a = fixed.random(rng), rng.normal(size=fixed.nv), rng.normal(size=fixed.nv)
    V_0, dV_0, F = rng.normal(size=(3, 6))
    joined = [np.concatenate(pair) for pair in ((base, q), (V_0, v), (dV_0, a))]
    turned = replace(fixed, gravity=so3.from_quaternion(base[3:]).T @ free.gravity)  # g in the base's axes
    given = {"base_velocity": V_0, "base_acceleration": dV_0, "wrench": {"tip": F}}
    mechanics.assert_near(
        inverse_dynamics(turned, q, v, a, **given), inverse_dynamics(free, *joined, wrench={"tip": F})[6:]
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_mimic_joint_returns_its_force_to_its_source(seed, rng, mechanics):
    model = random_tree(10, seed).build()
    assert any(b.mimic for b in model.bodies)
    independent = replace(model, bodies=tuple(replace(b, mimic=None) for b in model.bodies))
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    apart = [np.concatenate(f(x)) for f, x in ((model.split_q, q), (model.split_v, v), (model.split_v, a))]
    tau = inverse_dynamics(independent, *apart)
    expected = np.zeros(model.nv)
    for b in model.bodies:
        own = tau[independent.joint_slices(b.joint_name)[1]]
        source = model.bodies[b.mimic.source] if b.mimic else b
        expected[model.joint_slices(source.joint_name)[1]] += own * (b.mimic.ratio if b.mimic else 1.0)
    mechanics.assert_near(inverse_dynamics(model, q, v, a), expected)
