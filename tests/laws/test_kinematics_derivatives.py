"""Derivatives of the motion of frames are those that complex steps find, on every tree and joint."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms import (
    acceleration,
    acceleration_derivatives,
    jacobian,
    jacobian_derivative,
    pose,
    pose_derivative,
    velocity,
    velocity_derivatives,
)
from kinetrace.model import WORLD

EXPRESSIONS = ("body", "space", "aligned")


@pytest.fixture
def frames(model):
    """A frame at the tip, one in the middle, one at the base (fixed to the world, if the base is)."""
    names = list(model.frames)
    return [names[-1], names[len(names) // 2], names[0]]


@pytest.fixture
def assert_derivatives(model, state, rng, mechanics):
    """Each derivative times a random direction is what a complex step along it finds: the first along q ⊕ ε."""

    def check(found, function, *vectors):
        for k, D in enumerate(found):
            w = rng.normal(size=model.nv)
            ih = 1j * mechanics.step * w
            q = model.integrate(state.q, ih) if k == 0 else state.q
            moved = function(q, *(x + ih if k == i else x for i, x in enumerate(vectors, start=1)))
            assert D.shape == (*moved.shape, model.nv)
            expected = moved.imag / mechanics.step
            size = max(1, np.abs(expected).max())  # sums of terms of order one may vanish
            np.testing.assert_allclose(D @ w, expected, rtol=0, atol=1e-12 * size)

    return check


def test_pose(model, state, frames, assert_derivatives):
    for frame in frames:
        assert_derivatives([pose_derivative(model, state.q, frame=frame)], lambda q, f=frame: pose(model, q, frame=f))


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_jacobian_velocity_and_acceleration(model, state, frames, expressed_in, assert_derivatives, mechanics):
    q, v, a = state.q, state.v, state.a
    for frame in frames:
        how = {"frame": frame, "expressed_in": expressed_in}
        J, dJ = jacobian(model, q, **how), jacobian_derivative(model, q, **how)
        dV, dA = velocity_derivatives(model, q, v, **how), acceleration_derivatives(model, q, v, a, **how)
        assert_derivatives([dJ], lambda q, how=how: jacobian(model, q, **how))
        assert_derivatives(dV, lambda q, v, how=how: velocity(model, q, v, **how), v)
        assert_derivatives(dA, lambda q, v, a, how=how: acceleration(model, q, v, a, **how), v, a)
        mechanics.assert_near(dV[1], J)
        mechanics.assert_near(dA[2], J)
        mechanics.assert_near(np.einsum("ijk,j->ik", dJ, v), dV[0])


def test_joints_that_do_not_move_a_frame_cost_nothing():
    robot = kt.load("quadruped", base="free")
    tip = robot.frame_names[-1]
    count, alone = robot.count("acceleration_derivatives", frame=tip), robot.count("acceleration", frame=tip)
    assert count.mul < 5 * alone.mul  # of 12 joints, 3 move it
    base = next(name for name, frame in kt.load("panda").model.frames.items() if frame.body == WORLD)
    assert kt.load("panda").count("jacobian_derivative", frame=base).mul == 0


def test_compiled_batches(rng):
    robot = kt.load("quadruped", base="free")
    frame, q, (v, a) = robot.frame_names[-1], robot.random(5, seed=1), rng.normal(size=(2, 5, robot.nv))
    out = tuple(np.empty((5, 6, robot.nv)) for _ in range(3))
    found = robot.acceleration_derivatives(q, v, a, frame, expressed_in="aligned", out=out)
    assert all(x is y for x, y in zip(found, out, strict=True))
    for row in zip(q, v, a, *found, strict=True):
        expected = acceleration_derivatives(robot.model, *row[:3], frame=frame, expressed_in="aligned")
        for x, y in zip(row[3:], expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=0, atol=1e-12 * np.abs(y).max())


def test_an_unknown_way_to_express_is_named():
    with pytest.raises(kt.InputError, match=r"expressed_in.*'world'.*aligned"):
        kt.load("planar2r").jacobian_derivative([0, 0], "tip", expressed_in="world")
