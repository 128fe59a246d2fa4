"""Derivatives of the motion of frames: what they cost, and compiled batches."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms import acceleration_derivatives
from kinetrace.model import WORLD


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
