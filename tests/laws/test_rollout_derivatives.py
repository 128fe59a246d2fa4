"""Derivatives of whole rollouts: against 50 digits, JAX, and each other."""

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms import rollout, rollout_derivatives, step
from kinetrace.arrays import scan

DT, STEPS = 0.02, 4


def last(model, q, v, tau, dt, *, method):
    """The last state of a rollout."""
    return scan(lambda state, u: (step(model, *state, u, dt, method=method), None), (q, v), tau)[0]


def start(robot):
    rng = np.random.default_rng(0)
    return robot.random(seed=1), rng.normal(size=robot.nv), rng.normal(size=(STEPS, robot.nv))


def exact(x):
    return np.vectorize(mpmath.mpf, otypes=[object])(x)


@pytest.fixture(scope="module")
def floating():
    return kt.load("planar2r", base="free")


@pytest.mark.parametrize(("base", "method"), [("free", "semi-implicit"), ("fixed", "rk4"), ("fixed", "rkmk4")])
def test_by_states_and_forces_in_fifty_digits(floating, base, method):
    robot = floating if base == "free" else kt.load("planar2r")
    q, v, tau = start(robot)
    by_state, by_tau = robot.rollout_derivatives(q, v, tau, DT, method=method)
    model, n, rng = robot.model, robot.nv, np.random.default_rng(2)
    with mpmath.workdps(50):
        h, dt = mpmath.mpf(10) ** -20, mpmath.mpf(DT)
        there = last(model, exact(q), exact(v), exact(tau), dt, method=method)
        for direction in rng.normal(size=(2, 2 * n + tau.size)):
            ends = []
            for sign in (1, -1):
                d = sign * h * exact(direction)
                at = (
                    model.integrate(exact(q), d[:n]),
                    exact(v) + d[n : 2 * n],
                    exact(tau) + d[2 * n :].reshape(tau.shape),
                )
                q_end, v_end = last(model, *at, dt, method=method)
                ends.append(np.concatenate([model.difference(there[0], q_end), v_end]))
            wanted = ((ends[0] - ends[1]) / (2 * h)).astype(float)
            found = by_state @ direction[: 2 * n] + np.einsum(
                "tij,tj->i", by_tau, direction[2 * n :].reshape(tau.shape)
            )
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-11)


def test_by_inertial_parameters_in_fifty_digits():
    robot = kt.load("planar2r")
    q, v, tau = start(robot)
    derived, shapes = kt.jacobian(last, wrt="inertial"), {"tau": ("t", robot.nv)}
    found = kt.compile(derived, robot, shapes=shapes, method="rk4")(q, v, tau, DT)
    pi, direction = robot.parameters("inertial"), np.random.default_rng(3).normal(size=(2, 10))
    with mpmath.workdps(50):
        h, dt = mpmath.mpf(10) ** -20, mpmath.mpf(DT)
        ends = [
            last(
                robot.model.with_parameters(inertial=exact(pi) + sign * h * exact(direction), check="ignore"),
                *(exact(q), exact(v), exact(tau), dt),
                method="rk4",
            )
            for sign in (1, -1)
        ]
        for x, a, b in zip(found, *ends, strict=True):
            wanted = ((a - b) / (2 * h)).astype(float)
            np.testing.assert_allclose(np.einsum("ibp,bp->i", x, direction), wanted, rtol=1e-9, atol=1e-11)


def test_jax_differentiates_the_same_source(jax):
    robot = kt.load("planar2r")
    q, v, tau = start(robot)
    by_state, by_tau = robot.rollout_derivatives(q, v, tau, DT, method="semi-implicit")

    def end(q, v, tau):
        qs, vs = rollout(robot.model, q, v, tau, DT, method="semi-implicit")
        return jax.numpy.concatenate([qs[-1], vs[-1]])

    by_q, by_v, by_forces = jax.jit(jax.jacobian(end, argnums=(0, 1, 2)))(*map(jax.numpy.asarray, (q, v, tau)))
    np.testing.assert_allclose(by_state, np.hstack([by_q, by_v]), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(np.moveaxis(by_tau, 0, 1), by_forces, rtol=1e-10, atol=1e-12)


def test_the_adjoint_is_the_derivative_through_the_loop(floating):
    """Two ways: `linearise_step` carried back, and the derivative of the traced loop."""
    robot, (q, v, tau) = floating, start(floating)
    by_state, by_tau = robot.rollout_derivatives(q, v, tau, DT, method="semi-implicit")
    derived = kt.jacobian(last, wrt=("v", "tau"))
    found = kt.compile(derived, robot, shapes={"tau": ("t", robot.nv)}, method="semi-implicit")(q, v, tau, DT)
    n = robot.nv
    np.testing.assert_allclose(found[2], by_state[n:, n:], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found[3], by_tau[:, n:], rtol=1e-9, atol=1e-11)
    single = rollout_derivatives(robot.model, q, v, tau, DT, method="semi-implicit")
    np.testing.assert_allclose(single[0], by_state, rtol=1e-11, atol=1e-12)
