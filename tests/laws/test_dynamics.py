"""Mass matrix and its factors: what is not true of every robot."""

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


@pytest.mark.parametrize("model", ["tree0 fixed", "tree4 free", "humanoid"], indirect=True)
def test_link_frames_at_centers_of_mass_change_nothing(model, state, mechanics):
    moved, name = model.with_link_frames("center_of_mass"), frame_of(model)
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
