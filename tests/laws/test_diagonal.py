"""The equations of motion in quasi-velocities: against M's own triangular factor, and against the standard form."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.linalg import dense
from kinetrace.model import load_model, random_chain


@pytest.fixture
def motion(either, rng):
    """q, v and τ."""
    return either.random(rng), *rng.normal(size=(2, either.nv))


def factor(model, q):
    """W of M = W Wᵀ: the one that is upper triangular, from the matrix and without sweeps."""
    return dense.root_product(dense.factor(alg.mass_matrix(model, q)), np.eye(model.nv))


def moving_factor(model, q, v, step):
    """W, and its rate by a complex step."""
    W = factor(model, model.integrate(q, 1j * step * v))
    return W.real, W.imag / step


def test_the_factor_is_that_of_the_mass_matrix(either, motion, mechanics):
    (q, v, u), model = motion, either
    W = factor(model, q)
    mechanics.assert_near(alg.mass_root_product(model, q, u), W @ u)
    mechanics.assert_near(alg.mass_root_transposed_product(model, q, v), W.T @ v)
    mechanics.assert_near(W @ alg.mass_root_solve(model, q, u), u, 1e-10)
    mechanics.assert_near(W.T @ alg.mass_root_transposed_solve(model, q, v), v, 1e-10)
    if model.coupled_joints or all(body.joint.nv == 1 for body in model.bodies):  # then Ω is diagonal
        root = np.diag(W)
        mechanics.assert_near(alg.mass_root_transposed_product(model, q, v, normalised=False), W.T @ v / root)
        mechanics.assert_near(alg.mass_root_product(model, q, u, normalised=False), W @ (u / root))


def test_unnormalised_factors_undo_each_other(either, motion, mechanics):
    (q, v, u), model = motion, either
    force = alg.mass_root_product(model, q, u, normalised=False)
    mechanics.assert_near(alg.mass_root_solve(model, q, force, normalised=False), u, 1e-10)
    xi = alg.mass_root_transposed_product(model, q, v, normalised=False)
    mechanics.assert_near(alg.mass_root_transposed_solve(model, q, xi, normalised=False), v, 1e-10)
    mechanics.assert_near(force @ v, u @ xi)


def test_kinetic_energy_is_half_the_square(either, motion, mechanics):
    q, v, _ = motion
    nu = alg.mass_root_transposed_product(either, q, v)
    mechanics.assert_near(nu @ nu / 2, alg.kinetic_energy(either, q, v))


def test_coriolis_forces_by_the_rate_of_the_factor(either, motion, mechanics):
    """C = W⁻¹ c − Ẇᵀ v: nothing of it from the sweeps of `quasivelocity`."""
    (q, v, _), model = motion, either
    W, dW = moving_factor(model, q, v, mechanics.step)
    nu, c = W.T @ v, alg.bias(model, q, v) - alg.gravity(model, q)
    C = alg.diagonal_coriolis(model, q, nu)
    mechanics.assert_near(W @ (C + dW.T @ v), c, 1e-11)
    assert abs(nu @ C) < 1e-14 * np.linalg.norm(nu) * np.linalg.norm(C)


def test_the_motion_is_that_of_the_standard_form(either, motion, rng, mechanics):
    (q, v, tau), model = motion, either
    wrench = {name: rng.normal(size=6) for name in list(model.frames)[-2:]}
    W, dW = moving_factor(model, q, v, mechanics.step)
    a = alg.forward_dynamics(model, q, v, tau, wrench=wrench)
    found, rate = alg.diagonal_dynamics(model, q, W.T @ v, tau, wrench=wrench)
    mechanics.assert_near(W.T @ found, W.T @ v)
    mechanics.assert_near(rate, W.T @ a + dW.T @ v, 1e-10)


def test_unnormalised_motion(either, motion, rng, mechanics):
    """ξ̇ by a complex step along the motion of the standard form."""
    (q, v, tau), model, h = motion, either, mechanics.step
    a = alg.forward_dynamics(model, q, v, tau)
    moved = alg.mass_root_transposed_product(model, model.integrate(q, 1j * h * v), v + 1j * h * a, normalised=False)
    found, rate = alg.diagonal_dynamics(model, q, moved.real, tau, normalised=False)
    mechanics.assert_near(alg.mass_matrix(model, q) @ found, alg.mass_matrix(model, q) @ v, 1e-10)
    mechanics.assert_near(rate, moved.imag / h, 1e-9)


def test_power_of_forces_is_all_that_changes_the_energy(either, motion, rng, mechanics):
    """ν · ν̇ = v · (τ − g + Jᵀ F)."""
    (q, v, tau), model = motion, either
    frame, F = list(model.frames)[-1], rng.normal(size=6)
    nu = alg.mass_root_transposed_product(model, q, v)
    _, rate = alg.diagonal_dynamics(model, q, nu, tau, wrench={frame: F})
    power = v @ (tau - alg.gravity(model, q)) + alg.velocity(model, q, v, frame=frame) @ F
    mechanics.assert_near(nu @ rate, power, 1e-10)


def test_no_work_to_fifty_digits():
    """On a robot whose axes and turns are exact numbers."""
    model, rng = load_model("quadruped", base="free"), np.random.default_rng(2)
    with mpmath.workdps(50):
        exact = np.vectorize(mpmath.mpf, otypes=[object])
        q, nu = model.normalise(exact(model.random(rng))), exact(rng.normal(size=model.nv))
        C = alg.diagonal_coriolis(model, q, nu)
        assert abs(nu @ C) < mpmath.mpf(10) ** -47
        assert max(abs(C)) > 1
    mine = alg.diagonal_coriolis(model, q.astype(float), nu.astype(float))
    np.testing.assert_allclose(mine, C.astype(float), rtol=0, atol=1e-11 * np.abs(mine).max())


def test_screws_that_pick_coordinates_for_once_still_move(mechanics):
    model = random_chain(4, 1, [kt.joints.Planar(), kt.joints.Universal()]).build()
    q, v = model.neutral(), np.linspace(-1, 1, model.nv)
    W, dW = moving_factor(model, q, v, mechanics.step)
    c = alg.bias(model, q, v) - alg.gravity(model, q)
    mechanics.assert_near(W @ (alg.diagonal_coriolis(model, q, W.T @ v) + dW.T @ v), c, 1e-11)


def test_damping_of_quasi_velocities_takes_energy_at_a_chosen_rate(either, motion, mechanics):
    """ε = −k ν: Ṫ = −2 k T, whatever the robot does; and with C cancelled, ν̇_i = −k_i ν_i."""
    (q, v, _), model = motion, either
    nu, g = alg.mass_root_transposed_product(model, q, v), alg.gravity(model, q)
    _, rate = alg.diagonal_dynamics(model, q, nu, g - alg.mass_root_product(model, q, 0.7 * nu))
    mechanics.assert_near(nu @ rate, -1.4 * alg.kinetic_energy(model, q, v), 1e-10)
    gains = np.linspace(0.1, 2.0, model.nv)
    epsilon = alg.diagonal_coriolis(model, q, nu) - gains * nu
    _, rate = alg.diagonal_dynamics(model, q, nu, g + alg.mass_root_product(model, q, epsilon))
    mechanics.assert_near(rate, -gains * nu, 1e-9)


ROBOTS = {
    "chain": lambda: kt.load("panda", backend="numpy"),
    "tree": lambda: kt.random_tree(6, 5, backend="numpy"),
    "free-floating arm": lambda: kt.load("ur5e", base="free", gravity=(0.0, 0.0, 0.0), backend="numpy"),
}


def simulated(robot, q, v, tau, method, steps, duration=0.1):
    """q and v at the end, in (q, v) and in (q, ν)."""
    p, nu, dt = q, robot.mass_root_transposed_product(q, v), duration / steps
    for _ in range(steps):
        q, v = robot.step(q, v, tau, dt, method=method)
        p, nu = robot.diagonal_step(p, nu, tau, dt, method=method)
    return q, v, p, robot.mass_root_transposed_solve(p, nu)


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("semi-implicit", 1)])
@pytest.mark.parametrize("name", ROBOTS)
def test_both_forms_simulate_the_same_to_the_order_of_the_method(name, method, order):
    robot, rng = ROBOTS[name](), np.random.default_rng(1)
    q, v, tau = robot.random(seed=2), *(0.3 * rng.normal(size=(2, robot.nv)))
    gaps, steps = [], np.array([4, 8, 16])
    for count in steps:
        q1, v1, q2, v2 = simulated(robot, q, v, tau, method, count)
        gaps.append(np.linalg.norm(np.concatenate([robot.difference(q1, q2), v2 - v1])))
    slopes = -np.diff(np.log(gaps)) / np.diff(np.log(steps))
    assert slopes.min() > order - 0.4, (gaps, slopes)
