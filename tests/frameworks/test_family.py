"""Families: a kernel with those of its derivatives, as functions of plain arrays."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.frameworks.family import Family
from kinetrace.frameworks.methods import RobotMethods

rng = np.random.default_rng(0)


class OnNumPy(RobotMethods):
    framework = "NumPy"

    def _evaluate(self, kernel, arrays):
        return Family.of(kernel).kernel(*arrays)


@pytest.fixture(scope="module")
def robot():
    made = kt.random_tree(4, seed=1, base="free")
    assert made.nq > made.nv + 1  # a ball joint among them
    return made


def along(f, xs, steps, h=1e-6):
    """The derivative of a function of arrays along steps of all of them, by differences."""
    ahead, back = (f(*(x + s * d for x, d in zip(xs, steps, strict=True))) for s in (h, -h))
    return (ahead - back) / (2 * h)


def test_derivatives_to_second_order_are_those_along_all_entries(robot):
    family = Family.of(robot.kernel("inverse_dynamics"))
    q = robot.random(seed=2)
    q[3:7] *= 1.7  # of any length
    xs = (q, *rng.normal(size=(2, robot.nv)))
    steps = [rng.normal(size=x.shape) for x in xs]
    weight = rng.normal(size=robot.nv)
    slope = along(family.kernel, xs, steps)
    np.testing.assert_allclose(family.pushforward((0, 1, 2)).kernel(*xs, *steps), slope, rtol=1e-7, atol=1e-6)
    pulled = family.pullback((0, 1, 2))
    found = pulled.kernel(*xs, weight)
    assert sum(np.vdot(g, d) for g, d in zip(found, steps, strict=True)) == pytest.approx(weight @ slope, rel=1e-7)
    second = pulled.pushforward((0, 3))
    step = rng.normal(size=robot.nv)
    exact = second.kernel(*xs, weight, steps[0], step)
    near = along(lambda q, w: np.concatenate(pulled.kernel(q, *xs[1:], w)), (q, weight), (steps[0], step))
    np.testing.assert_allclose(np.concatenate(exact), near, rtol=1e-6, atol=1e-5)
    assert pulled.linear == {3} and second.linear == {4, 5} and family.pullback((0, 1, 2)) is pulled


def test_methods_take_choices_wrenches_and_parameters(robot):
    arm, q, v = OnNumPy(robot), robot.random(3, seed=4), rng.normal(size=(3, robot.nv))
    tip = robot.frame_names[-1]
    wrench = {tip: rng.normal(size=(3, 6))}
    np.testing.assert_allclose(
        arm.inverse_dynamics(q, v, v, wrench=wrench), robot.inverse_dynamics(q, v, v, wrench=wrench), atol=1e-11
    )
    np.testing.assert_allclose(arm.pose(q, frame=tip), robot.pose(q, frame=tip), atol=1e-14)
    inertial = 1.1 * robot.parameters("inertial")
    heavy = robot.with_parameters(inertial=inertial)
    np.testing.assert_allclose(arm.mass_matrix(q, inertial=inertial), heavy.mass_matrix(q), atol=1e-11)
    np.testing.assert_allclose(arm.gravity(q, gravity=[0, 0, -1.62]), robot.gravity(q) * (1.62 / 9.81), atol=1e-11)


def test_wrong_use_is_named(robot):
    arm = OnNumPy(robot)
    with pytest.raises(AttributeError, match=r"no method 'simulate' of a robot; robot.simulate runs on NumPy"):
        arm.simulate(1)
    with pytest.raises(AttributeError, match=r"did you mean 'mass_matrix'"):
        arm.mass_matrx([0.0])
    with pytest.raises(kt.InputError, match="compile it without compact"):
        Family.of(robot.kernel("mass_matrix", compact=True))
    with pytest.raises(kt.InputError, match=r"take one of kt.compile"):
        Family.of(kt.Kernel(robot.kernel("gravity").program))
