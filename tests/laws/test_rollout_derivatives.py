"""Derivatives of whole rollouts: against 50 digits, JAX, and each other."""

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms import rollout_derivatives, step
from kinetrace.arrays import concatenate, scan

DT, STEPS = 0.02, 4


def last(model, q, v, tau, dt, *, method):
    """The last state of a rollout."""
    return scan(lambda state, u: (step(model, *state, u, dt, method=method), None), (q, v), tau)[0]


def joined(model, q, v, tau, dt, *, method):
    """The same as one array."""
    return concatenate(last(model, q, v, tau, dt, method=method))


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


@pytest.mark.parametrize(("base", "method"), [("free", "semi-implicit"), ("fixed", "rk4")])
def test_by_inertial_parameters_in_fifty_digits(floating, base, method):
    """Forward, and in reverse with a batch of weights: the same rows."""
    robot = floating if base == "free" else kt.load("planar2r")
    q, v, tau = start(robot)
    rows, shapes = np.eye(robot.nq + robot.nv), {"tau": ("t", robot.nv)}
    found = kt.compile(kt.vjp(joined, wrt="inertial"), robot, shapes=shapes, method=method)(q, v, tau, DT, rows)
    if base == "fixed":
        forward = kt.compile(kt.jacobian(joined, wrt="inertial"), robot, shapes=shapes, method=method)
        np.testing.assert_allclose(forward(q, v, tau, DT), found, rtol=1e-10, atol=1e-12)
    pi = robot.parameters("inertial")
    direction = np.random.default_rng(3).normal(size=pi.shape)
    with mpmath.workdps(50):
        h, dt = mpmath.mpf(10) ** -20, mpmath.mpf(DT)
        ends = [
            joined(
                robot.model.with_parameters(inertial=exact(pi) + sign * h * exact(direction), check="ignore"),
                *(exact(q), exact(v), exact(tau), dt),
                method=method,
            )
            for sign in (1, -1)
        ]
        wanted = ((ends[0] - ends[1]) / (2 * h)).astype(float)
    np.testing.assert_allclose(np.einsum("ibp,bp->i", found, direction), wanted, rtol=1e-9, atol=1e-11)


def test_jax_differentiates_the_same_source(jax):
    """Along a random direction of the first state, all forces and all inertial parameters."""
    robot, method = kt.load("planar2r"), "semi-implicit"
    q, v, tau = start(robot)
    by_state, by_tau = robot.rollout_derivatives(q, v, tau, DT, method=method)
    pull = kt.compile(kt.vjp(joined, wrt="inertial"), robot, shapes={"tau": ("t", 2)}, method=method)
    by_inertial = pull(q, v, tau, DT, np.eye(4))

    def end(q, v, tau, pi):
        return joined(robot.model.with_parameters(inertial=pi, check="ignore"), q, v, tau, DT, method=method)

    at = tuple(jax.numpy.asarray(x) for x in (q, v, tau, robot.parameters("inertial")))
    rng = np.random.default_rng(5)
    along = [rng.normal(size=x.shape) for x in at]
    _, wanted = jax.jit(lambda *x: jax.jvp(end, at, x))(*along)
    parts = by_state @ np.concatenate(along[:2]), np.einsum("tij,tj->i", by_tau, along[2])
    found = sum(parts) + np.einsum("ibp,bp->i", by_inertial, along[3])
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-11)


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
