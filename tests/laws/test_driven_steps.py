"""Steps in time under wrenches, on a base that moves, and with closures that are driven."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.dynamics.external_inputs import ExternalInputs
from kinetrace.lie import so3

STEP = 1e-40


@pytest.fixture(scope="module")
def arm():
    """A tree with every joint, a state, and what acts on it."""
    robot, rng = kt.Robot(kt.random_tree(4, seed=5).model), np.random.default_rng(2)
    q, (v, a), (V, dV, F) = robot.random(seed=1), rng.normal(size=(2, robot.nv)), rng.normal(size=(3, 6))
    given = {"base_velocity": V, "base_acceleration": dV, "wrench": {robot.frame_names[-1]: F}}
    return robot, q, v, robot.inverse_dynamics(q, v, a, **given), given


def motion(robot, q, v, tau, given, t):
    """The motion after t, on a base whose rotation is integrated too and turns gravity."""
    model, n = robot.model, robot.nv
    kernel = kt.compile(algorithms.forward_dynamics, robot, inputs=("gravity",), shapes=shapes_of(given))

    def rate(s, x):
        q, v, R = x[: model.nq], x[model.nq : -9], x[-9:].reshape(3, 3)
        V = given["base_velocity"] + s * given["base_acceleration"]
        now = [V, given["base_acceleration"], *given["wrench"].values()]
        a = kernel(q, v, tau, *now, model.gravity @ R)
        return np.concatenate([model.tangent(q) @ v, a, (R @ so3.hat(V[:3])).ravel()])

    start = np.concatenate([q, v, np.eye(3).ravel()])
    end = solve_ivp(rate, (0, t), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return np.concatenate([model.normalise(end[: model.nq]), end[model.nq : model.nq + n]])


def shapes_of(given):
    return {"base_velocity": (6,), "base_acceleration": (6,), "wrench": dict.fromkeys(given["wrench"], (6,))}


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("semi-implicit", 1), ("rk4", 4)])
def test_a_step_on_a_moving_base_has_the_order_of_the_method(arm, method, order):
    robot, *state, given = arm
    errors = []
    for h in (0.02, 0.01):
        found = np.concatenate(robot.step(*state, h, method=method, **given))
        errors.append(np.abs(found - motion(robot, *state, given, h)).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order + 1, abs=0.25)


@pytest.mark.parametrize("method", ["euler", "semi-implicit", "rk4"])
def test_derivatives_of_a_step_on_a_moving_base(arm, method, rng):
    robot, q, v, tau, given = arm
    model, n, dt = robot.model, robot.nv, 0.02
    A, B = algorithms.linearise_step(model, q, v, tau, dt, method=method, **given)
    x, u = rng.normal(size=2 * n), rng.normal(size=n)
    at = model.integrate(q, 1j * STEP * x[:n]), v + 1j * STEP * x[n:], tau + 1j * STEP * u
    moved = algorithms.step(model, *at, dt, method=method, **given)
    after, _ = algorithms.step(model, q, v, tau, dt, method=method, **given)
    expected = np.concatenate([model.difference(after + 0j, moved[0]).imag, moved[1].imag]) / STEP
    np.testing.assert_allclose(A @ x + B @ u, expected, atol=1e-12 * np.abs(expected).max())
    compiled = robot.linearise_step(q, v, tau, dt, method=method, **given)
    np.testing.assert_allclose(np.hstack(compiled), np.hstack([A, B]), atol=1e-11 * np.abs(A).max())


@pytest.fixture(scope="module")
def driven():
    """A four-bar whose last hinge is carried about, in its plane, and a motion that follows."""
    robot = kt.load("four_bar")
    q, (name,) = robot.assemble(), robot.closure_names
    drive = np.zeros((3, 6))
    plane = [np.argmax(np.abs(robot.model.bodies[0].joint.subspace(np.zeros(1))[:3, 0]))]
    others = [3 + k for k in range(3) if k not in plane]
    drive[1:, plane + others] = [[0.7, 0.3, -0.5], [2.0, -1.0, 3.0]]
    K, asked = robot.closure_jacobian(q), robot.closure_velocity(q, np.zeros(3), drive={name: drive})
    v = robot.velocity_map(q) @ [2.0] - np.linalg.lstsq(K, asked, rcond=None)[0]
    assert np.abs(robot.closure_velocity(q, v, drive={name: drive})).max() < 1e-12
    return robot, q, v, np.array([0.5, -0.2, 0.3]), {name: drive}


def test_a_driven_closure_stays_closed_to_the_order_of_the_method(driven):
    """At the drive of the end of the step, positions and velocities alike."""
    robot, *state, drive = driven
    open_by = []
    for h in (0.02, 0.01):
        q, v = robot.step(*state, h, method="rk4", drive=drive)
        end = ExternalInputs(drive=drive).after(robot.model, h).drive
        left = robot.closure_residual(q, drive=end), robot.closure_velocity(q, v, drive=end)
        open_by.append(np.abs(left).max())
    assert open_by[0] < 1e-7 and np.log2(open_by[0] / open_by[1]) > 4.7


def test_the_drive_goes_on_as_its_twist_says(driven):
    """The pose of the end of the step, against an integration of the twist."""
    robot, *_, drive = driven
    (_, V, dV), h = next(iter(drive.values())), 0.05

    def rate(t, X):
        return (X.reshape(4, 4) @ kt.lie.se3.hat(V + t * dV)).ravel()

    X = solve_ivp(rate, (0, h), np.eye(4).ravel(), method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1].reshape(4, 4)
    end = ExternalInputs(drive=drive).after(robot.model, h).drive
    found = next(iter(end.values()))
    expected = np.concatenate([so3.log(X[:3, :3]), X[:3, 3]])
    np.testing.assert_allclose(found[0], expected, rtol=0, atol=h**5)
    np.testing.assert_allclose(found[1:], [V + h * dV, dV], rtol=0, atol=1e-15)


def test_derivatives_of_a_step_with_a_driven_closure(driven):
    robot, *state, drive = driven
    dt, h, n = 0.02, 1e-6, robot.nv
    A, B = robot.linearise_step(*state, dt, method="rk4", drive=drive)

    def after(x):
        return np.concatenate(robot.step(x[:n], x[n : 2 * n], x[2 * n :], dt, method="rk4", drive=drive))

    x = np.concatenate(state)
    differences = np.stack([(after(x + h * e) - after(x - h * e)) / (2 * h) for e in np.eye(3 * n)], -1)
    # rounding over the step of the difference
    np.testing.assert_allclose(np.concatenate([A, B], -1), differences, rtol=0, atol=1e-8 * np.abs(differences).max())


def test_a_driven_coupling_goes_on_with_its_rates():
    """Offsets of a gear that is driven: what the joints keep after the step is that of the end."""
    gear = kt.closures.Coupling({"joint1": 1.0, "joint2": -2.0})
    robot = kt.load("planar2r").with_closures(gear)
    q, (name,) = robot.assemble(), robot.closure_names
    drive = {name: np.array([[0.0], [0.6], [-1.5]])}
    v = -np.linalg.pinv(robot.closure_jacobian(q)) @ robot.closure_velocity(q, np.zeros(2), drive=drive)
    h = 0.1
    q, v = robot.step(q, v, np.zeros(2), h, method="rk4", drive=drive)
    end = {name: np.array([[0.6 * h - 1.5 * h * h / 2], [0.6 - 1.5 * h], [-1.5]])}
    assert np.abs(robot.closure_residual(q, drive=end)).max() < 1e-12
    assert np.abs(robot.closure_velocity(q, v, drive=end)).max() < 1e-12
