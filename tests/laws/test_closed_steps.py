"""Steps in time of a mechanism with a closed loop: stabilised, in quasi-velocities, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt

METHODS = ("semi-implicit", "euler", "rk4")


@pytest.fixture(scope="module")
def robot():
    return kt.load("four_bar")


@pytest.fixture(scope="module")
def state(robot):
    q = robot.assemble()
    return q, robot.velocity_map(q) @ [3.0], np.array([0.5, -0.2, 0.3])


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_of_a_step_are_differences(robot, state, method):
    """In all coordinates, with those that open the loop."""
    dt, h, n = 0.02, 1e-6, robot.nv
    A, B = robot.linearise_step(*state, dt, method=method)
    assert (A.shape, B.shape) == ((2 * n, 2 * n), (2 * n, n))

    def after(x):
        return np.concatenate(robot.step(x[:n], x[n : 2 * n], x[2 * n :], dt, method=method))

    x = np.concatenate(state)
    differences = np.stack([(after(x + h * e) - after(x - h * e)) / (2 * h) for e in np.eye(3 * n)], -1)
    # rounding over the step of the difference
    np.testing.assert_allclose(np.concatenate([A, B], -1), differences, rtol=0, atol=1e-8 * np.abs(differences).max())


def test_a_step_is_stabilised_as_accelerations_are(robot, state):
    q, v, tau = state
    q, dt, given = q + np.array([0.01, -0.02, 0.01]), 0.01, np.array([30.0, 0.7])
    a = robot.forward_dynamics(q, v, tau, stabilisation=given)
    assert np.abs(a - robot.forward_dynamics(q, v, tau)).max() > 1.0
    found = robot.step(q, v, tau, dt, method="euler", stabilisation=given)
    np.testing.assert_allclose(found, [q + dt * v, v + dt * a], rtol=0, atol=1e-12)
    found = robot.step(q, v, tau, dt, stabilisation=given)
    np.testing.assert_allclose(found, [q + dt * (v + dt * a), v + dt * a], rtol=0, atol=1e-12)


def test_stabilisation_closes_a_loop_that_is_open_by_a_little(robot, state):
    q, v, tau = state
    left = {}
    for given in (None, np.array([20.0, 1.0])):
        x = q + np.array([1e-3, -2e-3, 1e-3]), v
        before = np.abs(robot.closure_residual(x[0])).max()
        for _ in range(200):
            x = robot.step(*x, 0 * tau, 0.005, method="rk4", stabilisation=given)
        left[given is None] = np.abs(robot.closure_residual(x[0])).max() / before
    assert left[False] < 1e-4 and left[True] > 0.1


@pytest.mark.parametrize("method, order", [("semi-implicit", 1), ("euler", 1), ("rk4", 4)])
def test_steps_in_quasi_velocities_are_those_in_velocities(robot, state, method, order):
    """To the order of the method: with half the step, 2^order times as near to the motion; the loop stays closed."""
    q, v, tau = state
    exact, off = (q, v), []
    for _ in range(200):
        exact = robot.step(*exact, tau, 5e-4, method="rk4")
    for steps in (20, 40):
        x, nu = q, robot.mass_root_transposed_product(q, v)
        for _ in range(steps):
            x, nu = robot.diagonal_step(x, nu, tau, 0.1 / steps, method=method)
        found = x, robot.mass_root_transposed_solve(x, nu)
        off.append(np.abs(np.stack(found) - exact).max())
        assert np.abs(robot.closure_residual(x)).max() < 2 * off[-1] and off[-1] < (0.3 if order == 1 else 1e-5)
    assert np.log2(off[0] / off[1]) == pytest.approx(order, abs=0.3)
