"""Derivatives of inverse and forward dynamics: compiled batches, and robots with nothing to move."""

import numpy as np

import kinetrace as kt
from kinetrace.algorithms import forward_dynamics_derivatives, inverse_dynamics_derivatives


def last(model):
    return next(name for name, frame in model.frames.items() if frame.body == len(model.bodies) - 1)


def test_compiled_batches_with_wrenches(rng):
    robot = kt.load("quadruped", base="free")
    q, (v, a), F = robot.random(5, seed=1), rng.normal(size=(2, 5, robot.nv)), rng.normal(size=(5, 6))
    frame = last(robot.model)
    for method, function in (
        (robot.inverse_dynamics_derivatives, inverse_dynamics_derivatives),
        (robot.forward_dynamics_derivatives, forward_dynamics_derivatives),
    ):
        out = tuple(np.empty((5, robot.nv, robot.nv)) for _ in range(3))
        found = method(q, v, a, wrench={frame: F}, out=out)
        for k in range(5):
            expected = function(robot.model, q[k], v[k], a[k], wrench={frame: F[k]})
            for x, y in zip(found, expected, strict=True):
                np.testing.assert_allclose(x[k], y, rtol=1e-9, atol=1e-10 * np.abs(y).max())
        assert all(x is y for x, y in zip(found, out, strict=True))


def test_no_wrench_is_a_wrench_on_nothing():
    robot, x = kt.load("planar2r", backend="numpy"), np.ones(2)
    for method in (robot.inverse_dynamics_derivatives, robot.forward_dynamics, robot.linearise):
        np.testing.assert_array_equal(method(x, x, x, wrench={})[0], method(x, x, x)[0])


def test_robots_without_joints_and_without_mass():
    """Nothing moves: everything is empty. A joint that moves no mass: not a number."""
    stone = kt.Robot(kt.random_chain(0).model, backend="numpy")
    none = np.zeros((3, 0))
    assert [x.shape for x in stone.forward_dynamics_derivatives(none, none, none)] == [(3, 0, 0)] * 3
    assert [x.shape for x in stone.linearise(none, none, none)] == [(3, 0, 0)] * 2
    for method in ("euler", "semi-implicit", "rk4"):
        assert [x.shape for x in stone.linearise_step(none, none, none, 0.1, method=method)] == [(3, 0, 0)] * 2
    arm, x = kt.load("planar2r", backend="numpy"), np.ones(2)
    light = arm.with_parameters(inertial=arm.parameters("inertial") * [[1], [0]], check="ignore")
    assert np.isnan(light.forward_dynamics(x, x, x)).all()
