"""Inverse dynamics in 50 digits, where energies are computed from poses alone, and on bases that move."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from kinetrace.algorithms import inverse_dynamics
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


def some_wrenches(model, rng):
    names = sorted(model.frames)
    return {name: rng.normal(size=6) for name in (names[0], names[-1], "tip") if name in names}


def test_power_of_all_forces_is_the_rate_of_energy(model, state, rng, mechanics):
    """τ·v + Σ F_f·V_f = dE/dt of the bodies, the energy differentiated twice with 50-digit numbers.

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
    tau = inverse_dynamics(model.without_joint_effects(), q, v, a, wrench=wrenches)
    work = 0.0
    for frame, F in wrenches.items():
        X = mechanics.frame_pose(model, model.integrate(q, 1j * mechanics.step * v), frame)
        work += F @ mechanics.twist(X.real, X.imag / mechanics.step)
    # The sum of τ_i v_i cancels: its terms set the scale.
    scale = float(np.abs(tau * v).sum()) + abs(float(power))
    assert abs(tau @ v + work - float(power)) < 1e-12 * scale


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
