"""Mass matrix, its factors, and forward dynamics: identities on trees with every joint."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.lie import se3
from kinetrace.model import Model

METHODS = (None, "FD1", "FD3", "FD4", "solve")


@pytest.fixture
def still(either, rng):
    return either.random(rng), *rng.normal(size=(3, either.nv))


def frame_of(model: Model) -> str:
    return list(model.frames)[-1]


def from_columns(model: Model, q):
    """M by inverse dynamics, column by column."""
    zero = np.zeros(model.nv)
    g = alg.inverse_dynamics(model, q, zero, zero)
    return np.array([alg.inverse_dynamics(model, q, zero, e) - g for e in np.eye(model.nv)]).T


def test_the_mass_matrix_is_the_derivative_of_forces(model, state, mechanics):
    M = alg.mass_matrix(model, state.q)
    mechanics.assert_near(M, from_columns(model, state.q))
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0


def test_three_ways_to_the_mass_matrix(either, still, mechanics):
    M = alg.mass_matrix(either, still[0])
    for method in ("jacobians", "factors"):
        mechanics.assert_near(alg.mass_matrix(either, still[0], method=method), M)


def test_the_mass_matrix_is_sparse_where_the_tree_branches():
    robot = kt.load("quadruped")
    program = robot.kernel(alg.mass_matrix).program
    constant = sum(program.nodes[i] == ("const", 0.0) for i in program.results[0])
    assert constant == 12 * 12 - 4 * 3 * 3


def residual(model, q, a, expected):
    """An error of accelerations as forces: so that the condition of M, 1e6 on some robots, does not count."""
    return alg.mass_matrix(model, q) @ (a - expected)


@pytest.mark.parametrize("base", ["at rest", "moving"])
@pytest.mark.parametrize("method", METHODS)
def test_forward_dynamics_undoes_inverse_dynamics(either, still, rng, mechanics, method, base):
    q, v, a, _ = still
    given = {"wrench": {name: rng.normal(size=6) for name in list(either.frames)[-2:]}}
    if base == "moving":
        given |= {"base_velocity": rng.normal(size=6), "base_acceleration": rng.normal(size=6)}
    tau = alg.inverse_dynamics(either, q, v, a, **given)
    found = alg.forward_dynamics(either, q, v, tau, method=method, **given)
    mechanics.assert_near(tau + residual(either, q, found, a), tau, 1e-11)


def test_forces_accelerate_frames(either, still, mechanics):
    q, v, _, tau = still
    a = alg.forward_dynamics(either, q, v, tau, method="FD4")
    for way in ("body", "space", "aligned"):
        where = {"frame": frame_of(either), "expressed_in": way}
        expected = alg.acceleration(either, q, v, a, **where)
        mechanics.assert_near(alg.forward_acceleration(either, q, v, tau, **where), expected, 1e-10)


def test_factors_of_the_mass_matrix(either, still, mechanics):
    q, x, y, _ = still
    M = alg.mass_matrix(either, q)
    W = np.array([alg.mass_root_product(either, q, e) for e in np.eye(either.nv)]).T
    mechanics.assert_near(W @ W.T, M)
    mechanics.assert_near(M @ alg.solve_mass(either, q, y), y, 1e-10)
    mechanics.assert_near(W @ alg.mass_root_solve(either, q, y), y, 1e-10)
    mechanics.assert_near(W.T @ alg.mass_root_transposed_solve(either, q, x), x, 1e-10)
    pivots = alg.mass_pivots(either, q)
    assert pivots.min() > 0
    mechanics.assert_near(np.log(pivots).sum(), np.linalg.slogdet(M)[1])


def test_draws_have_the_covariance_of_the_mass_matrix():
    robot, rng = kt.load("ur5e"), np.random.default_rng(0)
    q, x = robot.random(seed=0), rng.normal(size=(200_000, 6))
    M = robot.mass_matrix(q)
    for function, covariance in (
        (alg.mass_root_product, M),
        (alg.mass_root_transposed_solve, np.linalg.inv(M)),
    ):
        draws = robot.kernel(function)(q, x)
        scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
        # Of N draws an entry of the correlation matrix is off by about N^-½ = 0.002.
        np.testing.assert_allclose(np.cov(draws.T) / scale, covariance / scale, atol=0.012)


@pytest.mark.parametrize("frames", ["random", "center_of_mass"])
def test_link_frames_do_not_matter(model, state, rng, mechanics, frames):
    if frames == "random":
        frames = [se3.exp(rng.normal(size=6)) for _ in model.bodies]
    moved, name = model.with_link_frames(frames), frame_of(model)
    for function, arguments in (
        (alg.inverse_dynamics, (state.q, state.v, state.a)),
        (alg.forward_dynamics, (state.q, state.v, state.a)),
        (alg.mass_matrix, (state.q,)),
    ):
        mechanics.assert_near(function(moved, *arguments), function(model, *arguments), 1e-10)
    for function, arguments in ((alg.pose, (state.q,)), (alg.jacobian, (state.q,)), (alg.velocity, (state.q, state.v))):
        mechanics.assert_near(function(moved, *arguments, frame=name), function(model, *arguments, frame=name), 1e-11)
    if isinstance(frames, str):
        for body in moved.bodies:
            np.testing.assert_allclose(kt.lie.inertia.center_of_mass(body.J), 0, atol=1e-12)
