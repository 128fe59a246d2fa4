"""Linear dynamics against complex steps of the motion itself, and the order of the steps in time."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.derivatives.linearisation import linearised_step
from kinetrace.algorithms.dynamics.external_inputs import ExternalInputs
from kinetrace.algorithms.time.integrators import state_after
from kinetrace.algorithms.time.methods import METHODS
from kinetrace.algorithms.time.runge_kutta import EXPLICIT
from kinetrace.algorithms.time.state import State
from kinetrace.algorithms.time.step_inputs import Feedback, StepInputs
from kinetrace.arrays import concatenate
from kinetrace.model import random_tree

STEP, DT = 1e-40, 0.02


@pytest.fixture(params=["arm", "free"])
def case(request, rng):
    """A model, a state, and forces that keep its accelerations moderate."""
    model = kt.load("ur5e").model if request.param == "arm" else random_tree(5, 3).build("free")
    q, (v, a) = model.random(rng), rng.normal(size=(2, model.nv))
    return model, q, v, algorithms.inverse_dynamics(model, q, v, a)


@pytest.mark.parametrize("method", EXPLICIT)
def test_of_a_step(case, method, rng):
    of_a_step(*case, method, rng)


@pytest.mark.parametrize("method", ["rkmk2", "rkmk4", "rosenbrock", "implicit"])
def test_of_a_step_through_its_graph(method, rng):
    model = random_tree(1, 3).build("free")
    q, (v, a) = model.random(rng), rng.normal(size=(2, model.nv))
    of_a_step(model, q, v, algorithms.inverse_dynamics(model, q, v, a), method, rng)


def test_of_a_variational_step():
    """Newton's method knows no complex steps: differences."""
    robot, h, dt = kt.load("planar2r"), 1e-6, 0.02
    x = np.array([0.4, -0.3, 1.0, 2.0, 3.0, -1.0])
    A, B = robot.linearise_step(x[:2], x[2:4], x[4:], dt, method="variational")
    moved = x + h * np.stack([np.eye(6), -np.eye(6)])
    after = np.concatenate(robot.step(moved[..., :2], moved[..., 2:4], moved[..., 4:], dt, method="variational"), -1)
    expected = (after[0] - after[1]).T / (2 * h)
    np.testing.assert_allclose(np.concatenate([A, B], -1), expected, rtol=0, atol=1e-8)  # rounding over the step


def test_of_a_variational_step_on_a_free_base(rng):
    """By the implicit function theorem, along q⁺ ⊕ ε."""
    model, h = random_tree(1, 3).build("free"), 1e-6
    q, (v, a), n = model.random(rng), rng.normal(size=(2, model.nv)), model.nv
    x, tau = rng.normal(size=3 * n), algorithms.inverse_dynamics(model, q, v, a)
    A, B = algorithms.linearise_step(model, q, v, tau, DT, method="variational")
    ends = []
    for s in (-h, h):
        at = model.integrate(q, s * x[:n]), v + s * x[n : 2 * n], tau + s * x[2 * n :]
        ends.append(algorithms.step(model, *at, DT, method="variational"))
    (q0, v0), (q1, v1) = ends
    expected = np.concatenate([model.difference(q0, q1), v1 - v0]) / (2 * h)
    # rounding over the step of the difference
    np.testing.assert_allclose(A @ x[: 2 * n] + B @ x[2 * n :], expected, rtol=0, atol=1e-7)


def of_a_step(model, q, v, tau, method, rng):
    A, B = algorithms.linearise_step(model, q, v, tau, DT, method=method)
    x, u = rng.normal(size=2 * model.nv), rng.normal(size=model.nv)
    dq, dv = 1j * STEP * x[: model.nv], 1j * STEP * x[model.nv :]
    moved = algorithms.step(model, model.integrate(q, dq), v + dv, tau + 1j * STEP * u, DT, method=method)
    after, _ = algorithms.step(model, q, v, tau, DT, method=method)
    expected = np.concatenate([model.difference(after + 0j, moved[0]).imag, moved[1].imag]) / STEP
    np.testing.assert_allclose(A @ x + B @ u, expected, atol=1e-12 * np.abs(expected).max())


def test_continuous_is_the_limit_of_discrete(case):
    model, q, v, tau = case
    A, B = algorithms.linearise(model, q, v, tau)
    for h, tol in ((1e-4, 1e-2), (1e-6, 1e-4)):
        A_h, B_h = algorithms.linearise_step(model, q, v, tau, h, method="rk4")
        scale = max(np.abs(A).max(), np.abs(B).max())
        np.testing.assert_allclose((A_h - np.eye(2 * model.nv)) / h, A, atol=tol * scale)
        np.testing.assert_allclose(B_h / h, B, atol=tol * scale)


def test_second_derivatives(rng):
    model = random_tree(6, 3).build("free")
    q, (v, a, w) = model.random(rng), rng.normal(size=(3, model.nv))
    qq, vq, vv, aq = algorithms.inverse_dynamics_second_derivatives(model, q, v, a)
    along_q = algorithms.inverse_dynamics_derivatives(model, model.integrate(q, 1j * STEP * w), v, a)
    along_v = algorithms.inverse_dynamics_derivatives(model, q, v + 1j * STEP * w, a)
    for found, moved in ((qq, along_q[0]), (vq, along_q[1]), (vv, along_v[1]), (aq, along_q[2])):
        expected = moved.imag / STEP
        np.testing.assert_allclose(found @ w, expected, atol=1e-12 * np.abs(expected).max())
    directions = np.eye(model.nv)
    brackets = np.array([[model.bracket(e, f) for f in directions] for e in directions])
    dq = algorithms.inverse_dynamics_derivatives(model, q, v, a)[0]
    order = np.swapaxes(qq, 1, 2) - qq  # what it changes to differentiate along j first
    np.testing.assert_allclose(order, np.einsum("km,ijm->kij", dq, brackets), atol=1e-11 * np.abs(qq).max())


@pytest.mark.parametrize("method", METHODS)
def test_steps_with_wrenches_of_the_state_and_feedback(method):
    """Derivatives are differences, whichever inputs a method can use."""
    model, n, h = kt.load("planar2r").model, 2, 1e-6
    q, v, tau = np.array([0.3, -0.4]), np.array([1.0, 0.5]), np.array([0.1, 0.2])
    feedback = Feedback(-5.0 * np.eye(2), 0.1 - 2.0 * np.eye(2))

    def wrenches(t, q, v):
        return {"tip": concatenate([np.zeros(3), -3.0 * v[:1] * q[1:], t * np.ones(1), 2.0 * q[:1]])}

    def given(tau):
        return StepInputs(tau, ExternalInputs(), wrenches, feedback)

    def after(e):
        state = State(q + e[:n], v + e[n : 2 * n])
        return np.concatenate(state_after(model, state, 0.01, method, given(tau + e[2 * n :]), False)[:2])

    wanted = np.stack([(after(h * e) - after(-h * e)) / (2 * h) for e in np.eye(3 * n)], axis=-1)
    found = np.concatenate(linearised_step(model, State(q, v), 0.01, method, given(tau), False), axis=-1)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8)
