"""Closing loops in kernels: projections are nearest, with drives per state; assemblies hold what they shall hold."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.closed.assembly import FloatClosures, assemble
from kinetrace.algorithms.closed.loop_closing import Closing, closing_configuration, near_configuration
from kinetrace.algorithms.dynamics.mass_matrix import kinetic_metric
from kinetrace.linalg.decompositions import least_norm_solution

from .systems import KINDS, analysed_robot

NAMES = [*kt.robot_names(closed=True), *KINDS]


def robot_of(name):
    return kt.load(name) if name in kt.robot_names() else analysed_robot(name)


@pytest.mark.parametrize("shape, rank", [((4, 6), 4), ((5, 6), 3), ((12, 18), 12), ((14, 18), 9)])
def test_solutions_of_least_norm_are_those_of_the_pseudoinverse(shape, rank):
    """Straight and as a loop, with rows that follow from others."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
    b = A @ rng.normal(size=shape[1])

    def solved(model, A, b):
        return least_norm_solution(A, b)

    kernel = kt.load("planar2r").kernel(solved, shapes={"A": shape, "b": shape[:1]})
    np.testing.assert_allclose(kernel(A, b), np.linalg.pinv(A, rcond=1e-9) @ b, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_kernels_and_numbers_close_loops_in_the_same_way(name):
    """A kernel's rows are made orthogonal one by one, where numbers have singular values."""
    robot, rng = robot_of(name), np.random.default_rng(5)
    model, home = robot.model, robot.assemble()
    q = np.array([model.integrate(home, off * rng.normal(size=robot.nv)) for off in (1e-9, 1e-4, 0.02)])
    v = rng.normal(size=(3, robot.nv))
    closed, u = robot.project(q, v)
    np.testing.assert_array_equal(closed, robot.project(q))
    expected = [closing_configuration(model, x, Closing(metric=kinetic_metric(model, x), limits=False))[0] for x in q]
    np.testing.assert_allclose(closed, expected, rtol=0, atol=1e-11)
    assert np.abs(robot.closure_velocity(closed, u)).max(initial=0.0) < 1e-11
    for at, before, after in zip(closed, v, u, strict=True):  # along M⁻¹ Kᵀ: the nearest
        K, push = robot.closure_jacobian(at), robot.mass_matrix(at) @ (before - after)
        np.testing.assert_allclose(K.T @ np.linalg.lstsq(K.T, push, rcond=1e-9)[0], push, rtol=0, atol=1e-8)
    near = robot.assemble(q)
    found, left = assemble(FloatClosures(model), q)
    assert (left < 1e-10).all()
    np.testing.assert_allclose(near, found, rtol=0, atol=1e-11)


def test_held_joints_stay_and_limits_hold():
    robot = kt.load("two_pandas_beam")
    guesses = robot.random(40, seed=2)
    found = robot.assemble(guesses, hold=["left_panda_joint1"])
    closed = np.isfinite(found).all(axis=-1)
    assert closed.sum() > 20
    np.testing.assert_allclose(robot.closure_residual(found[closed]), 0.0, atol=1e-9)
    place = robot.q_slice("left_panda_joint1")
    np.testing.assert_allclose(found[closed][:, place], guesses[closed][:, place], rtol=0, atol=1e-15)
    lower, upper = robot.limits.lower, robot.limits.upper
    assert (found[closed] >= lower).all() and (found[closed] <= upper).all()


def test_drives_may_differ_from_state_to_state():
    robot = kt.load("four_bar")
    q, v, drive = robot.assemble(), np.array([0.1, 0.2, 0.3]), np.zeros((4, 3, 6))
    drive[:, 0, 3], drive[:, 1, 5] = np.linspace(-0.02, 0.02, 4), 0.1
    name = robot.closure_names[0]
    closed, u = robot.project(np.tile(q, (4, 1)), np.tile(v, (4, 1)), drive={name: drive})
    for k in range(4):
        alone = robot.project(q, v, drive={name: drive[k]})
        np.testing.assert_array_equal(closed[k], alone[0])
        np.testing.assert_array_equal(u[k], alone[1])
        np.testing.assert_allclose(robot.closure_residual(alone[0], drive={name: drive[k]}), 0.0, atol=1e-14)
        np.testing.assert_allclose(robot.closure_velocity(*alone, drive={name: drive[k]}), 0.0, atol=1e-13)


def test_states_that_do_not_close_are_nan_among_many_and_an_error_alone():
    robot = kt.load("four_bar")
    far = np.zeros((2, 3, 6))
    far[1, 0, 3] = 10.0
    name, q = robot.closure_names[0], np.tile(robot.assemble(), (2, 1))
    for closed in (robot.assemble(q, drive={name: far}), robot.project(q, drive={name: far})):
        assert np.isfinite(closed[0]).all() and np.isnan(closed[1]).all()
    for call in (robot.assemble, robot.project):
        with pytest.raises(kt.ModelError, match=name):
            call(q[1], drive={name: far[1]})
    q, left = near_configuration(robot.model, np.full(3, np.nan), np.zeros(3))
    assert not left < 1e-10


def test_project_is_an_algorithm():
    robot = kt.load("four_bar")
    q, v = robot.assemble() + np.array([0.01, -0.02, 0.0]), np.ones(3)
    expected = robot.project(q, v)
    for found in (robot.kernel("project")(q, v), algorithms.project(robot.model, q, v)):
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=0, atol=1e-14)
