"""Mass matrix, its factors and operational space: what is not true of every robot."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.model import Model


def frame_of(model: Model) -> str:
    return list(model.frames)[-1]


def test_the_mass_matrix_is_sparse_where_the_tree_branches():
    robot = kt.load("quadruped")
    program = robot.kernel(alg.mass_matrix).program
    constant = sum(program.nodes[i] == ("const", 0.0) for i in program.results[0])
    assert constant == 12 * 12 - 4 * 3 * 3


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


@pytest.mark.parametrize("name", ["panda", "ur5e", "puma560"])
def test_operational_space(name, mechanics):
    model, rng = kt.load(name).model, np.random.default_rng(3)
    q, v, tau = np.linspace(0.4, 1.3, model.nv), *rng.normal(size=(2, model.nv))  # away from singular poses
    where = {"frame": frame_of(model)}
    J, M = alg.jacobian(model, q, **where), alg.mass_matrix(model, q)
    Lambda = alg.operational_inertia(model, q, **where)
    J_bar = alg.dynamically_consistent_inverse(model, q, **where)
    mechanics.assert_near(Lambda @ J @ np.linalg.solve(M, J.T), np.eye(6), 1e-10)
    mechanics.assert_near(J @ J_bar, np.eye(6), 1e-10)
    # A torque that J̄ᵀ does not see does not move the frame.
    inner = tau - J.T @ (J_bar.T @ tau)
    pushed = J @ np.linalg.solve(M, tau)
    mechanics.assert_near(pushed + J @ np.linalg.solve(M, inner), pushed, 1e-10)
    # Pushed by μ alone, the frame keeps its velocity.
    mu = alg.operational_bias(model, q, v, **where)
    a = alg.forward_dynamics(model, q, v, np.zeros(model.nv), wrench={where["frame"]: mu})
    mechanics.assert_near(J @ a, -alg.acceleration(model, q, v, np.zeros(model.nv), **where), 1e-10)


@pytest.mark.parametrize("model", ["tree0 fixed", "tree4 free", "humanoid"], indirect=True)
def test_link_frames_at_centers_of_mass_change_nothing(model, state, mechanics):
    moved, name = model.with_frames("center_of_mass"), frame_of(model)
    for function, arguments in (
        (alg.inverse_dynamics, (state.q, state.v, state.a)),
        (alg.forward_dynamics, (state.q, state.v, state.a)),
        (alg.mass_matrix, (state.q,)),
    ):
        mechanics.assert_near(function(moved, *arguments), function(model, *arguments), 1e-10)
    for function, arguments in ((alg.pose, (state.q,)), (alg.jacobian, (state.q,)), (alg.velocity, (state.q, state.v))):
        mechanics.assert_near(function(moved, *arguments, frame=name), function(model, *arguments, frame=name), 1e-11)
    for body in moved.bodies:
        np.testing.assert_allclose(kt.lie.inertia.center_of_mass(body.J), 0, atol=1e-12)
