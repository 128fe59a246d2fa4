"""Velocities and accelerations are derivatives of poses: by complex step along q ⊕ εv."""

from __future__ import annotations

import numpy as np
import pytest

from kinetrace.algorithms import acceleration, jacobian, pose, velocity

EXPRESSIONS = ("body", "space", "aligned")


@pytest.fixture
def frames(model):
    """A frame at the tip, one in the middle, one at the base (fixed to the world, if the base is)."""
    names = list(model.frames)
    return [names[-1], names[len(names) // 2], names[0]]


def twist_of(X, dX, expressed_in):
    """The twist of a pose with rate dX, from its definition."""
    R, p = X[:3, :3], X[:3, 3]
    skew = dX[:3, :3] @ R.T  # [ω] in the world
    w = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    at_origin = dX[:3, 3]
    if expressed_in == "body":
        return np.concatenate([R.T @ w, R.T @ at_origin])
    return np.concatenate([w, at_origin - (np.cross(w, p) if expressed_in == "space" else 0)])


def test_pose_is_the_product_along_the_path(model, state, frames, mechanics):
    for frame in frames:
        X = pose(model, state.q, frame=frame)
        mechanics.assert_near(X, mechanics.frame_pose(model, state.q, frame), 1e-14)


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_velocity_is_the_rate_of_the_pose(model, state, frames, expressed_in, mechanics):
    moved = model.integrate(state.q, 1j * mechanics.step * state.v)
    for frame in frames:
        X = pose(model, moved, frame=frame)
        expected = twist_of(X.real, X.imag / mechanics.step, expressed_in)
        V = velocity(model, state.q, state.v, frame=frame, expressed_in=expressed_in)
        mechanics.assert_near(V, expected)
        J = jacobian(model, state.q, frame=frame, expressed_in=expressed_in)
        assert J.shape == (6, model.nv)
        mechanics.assert_near(J @ state.v, V)


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_acceleration_is_the_rate_of_the_velocity(model, state, frames, expressed_in, mechanics):
    ih = 1j * mechanics.step
    q, v = model.integrate(state.q, ih * state.v), state.v + ih * state.a
    for frame in frames:
        V = velocity(model, q, v, frame=frame, expressed_in=expressed_in)
        A = acceleration(model, state.q, state.v, state.a, frame=frame, expressed_in=expressed_in)
        mechanics.assert_near(A, V.imag / mechanics.step)


def test_integrate_and_difference_undo_each_other(model, state, rng, mechanics):
    q, v = state.q, state.v / np.abs(state.v).max()  # turns of less than pi
    mechanics.assert_near(model.difference(q, model.integrate(q, v)), v)
    target = model.random(rng)
    reached = model.integrate(q, model.difference(q, target))
    for X, Y in zip(mechanics.body_poses(model, reached), mechanics.body_poses(model, target), strict=True):
        mechanics.assert_near(X, Y)  # a quaternion and its negative are one rotation
    assert np.abs(model.difference(q, q)).max() < 1e-15


def test_integrate_stays_on_the_manifold_and_follows_one_flow(model, state, mechanics):
    q, v = state.q, state.v
    halves = model.integrate(model.integrate(q, v / 2), v / 2)
    mechanics.assert_near(halves, model.integrate(q, v))
    mechanics.assert_near(halves, model.normalise(halves), 1e-14)
