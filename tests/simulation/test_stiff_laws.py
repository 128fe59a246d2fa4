"""Laws that react faster than steps can follow: what is chosen, what is said before the run, and where it ends."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import SimulationWarning
from kinetrace.support.functions import only_computes

ARMS = ("panda", "ur5e", "puma560")


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("bare", [False, True], ids=["with effects", "bare"])
def test_pd_holds_every_bundled_arm(name, bare):
    """Textbook gains at 1 and 2 ms, from 0.1 rad off: settled to 1 mrad after 2 s.

    With 60/12 the slowest motion takes longer in two cases, however it is integrated: 10 mrad are left of a bare UR5e,
    which has no damping of its own, and 1.06 of the Puma.
    """
    slow = {("ur5e", True): 0.011, ("puma560", False): 1.1e-3}.get((name, bare), 1e-3)
    robot = kt.load(name).without_joint_effects() if bare else kt.load(name)
    goal = robot.home()
    for stiffness, damping in ((60.0, 12.0), (100.0, 20.0), (400.0, 40.0), (1000.0, 60.0)):
        law = kt.control.pd(robot, goal, stiffness, damping)
        for dt in (1e-3, 2e-3):
            motion = robot.simulate(goal + 0.1, np.zeros(robot.nv), t=2.0, dt=dt, controller=law)
            left = np.abs(motion.q[-1] - goal).max()
            assert left < (slow if stiffness == 60.0 else 1e-3), (stiffness, damping, dt, left)
            assert np.abs(motion.v).max() < 3.0


def test_a_batch_is_as_stiff_as_its_stiffest_lane():
    robot = kt.load("planar2r")
    goal = np.array([0.3, 0.4])
    law = kt.control.pd(robot, goal, 10.0, 1.0)
    gains = np.array([1.0, 1e4])[:, None] * np.ones(2)
    start, rest = np.zeros((2, 2)), np.zeros((2, 2))
    soft = robot.simulate(start, rest, t=0.1, dt=0.01, controller=law)
    stiff = robot.simulate(start, rest, t=2.0, dt=0.01, controller=law, parameters={"damping": gains})
    assert (soft.method, stiff.method) == ("rkmk4", "implicit") and np.isfinite(stiff.q).all()
    many = np.ones((100, 2))
    many[37] = 1e4  # a lane that is not among those that are evenly spread
    odd = robot.simulate(np.zeros((100, 2)), np.zeros(2), t=0.05, dt=0.01, controller=law, parameters={"damping": many})
    assert odd.method == "implicit"
    single = robot.simulate(start[0], rest[0], t=2.0, dt=0.01, controller=law, parameters={"damping": gains[1]})
    np.testing.assert_allclose(single.q, stiff.q[1], rtol=0, atol=1e-12)


def test_steps_that_are_too_long_are_told_before_the_run():
    robot = kt.load("planar2r")
    law = kt.control.pd(robot, np.zeros(2), 1.0, 100.0)
    with pytest.warns(SimulationWarning, match=r"too long for the controller at joint 'joint2': with method 'rkmk4'"):
        robot.simulate([0.0, 0.0], [0.0, 0.0], t=1e-2, dt=0.01, controller=law, method="rkmk4")
    with pytest.warns(SimulationWarning, match=r"too long for the controller.*compiled=True"):
        robot.simulate([0.0, 0.0], [0.0, 0.0], t=1e-2, dt=0.01, controller=lambda t, q, v: -100.0 * v)
    damped = robot.with_joint_effects(damping=100.0)
    with pytest.warns(SimulationWarning, match=r"too long for springs and dampers.*with method 'rk4'"):
        damped.simulate([0.0, 0.0], [0.0, 0.0], t=1e-2, dt=0.01, method="rk4")
    for method in ("implicit", "rosenbrock"):
        damped.simulate([0.0, 0.0], [0.0, 0.0], t=1e-2, dt=0.01, method=method)
    # the step that the message gives is short enough, and not much shorter than needed
    with pytest.warns(SimulationWarning, match=r"dt <= (\S+),") as told:
        robot.simulate([0.0, 0.0], [0.0, 0.0], t=1e-2, dt=0.01, controller=law, method="rkmk4")
    dt = float(str(told[0].message).split("dt <= ")[1].split(",")[0])
    calm = robot.simulate([0.0, 0.0], [0.1, 0.1], t=200 * dt, dt=0.95 * dt, controller=law, method="rkmk4")
    assert np.abs(calm.v).max() < 1.0
    with pytest.warns(SimulationWarning):
        wild = robot.simulate([0.0, 0.0], [0.1, 0.1], t=300 * dt, dt=1.1 * dt, controller=law, method="rkmk4")
    assert np.abs(wild.v).max() > 100.0


def test_laws_that_are_sampled_are_held():
    """That is what they are for: to see what the period does."""
    robot = kt.load("planar2r")
    slow = kt.control.sampled(kt.control.pd(robot, np.zeros(2), 50.0, 10.0), 0.02)
    start, rest = [0.1, 0.1], np.zeros(2)
    with pytest.warns(SimulationWarning, match=r"a period of 20 ms is too long .* a period <= 0\.0"):
        held = robot.simulate(start, rest, t=0.05, dt=1e-3, controller=slow)
    assert held.method == "rkmk4" and np.ptp(held.tau[:20], axis=0).max() == 0.0
    with pytest.warns(SimulationWarning, match="a period of 20 ms is too long"):
        again = robot.simulate(start, rest, t=0.05, dt=1e-3, controller=slow, method="implicit")
    assert np.ptp(again.tau[:20], axis=0).max() == 0.0


def test_functions_that_may_do_more_than_compute_are_not_called_before_the_run():
    robot, times, gain = kt.load("planar2r"), [], np.array([1e3, 1e3])
    count = 0

    def logged(t, q, v):
        times.append(t)
        return -gain * v * 0.0

    def counted(t, q, v):
        nonlocal count
        count += 1
        return 0.0 * v

    robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.05, dt=0.01, controller=logged)
    robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.05, dt=0.01, controller=counted)
    assert times == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04]) and count == 5
    assert not only_computes(logged) and not only_computes(counted) and not only_computes(print)
    draw = np.random.default_rng(0)
    assert not only_computes(lambda t, q, v: draw.normal(size=2))
    assert not only_computes(lambda t, q, v: print(t) or v)
    assert only_computes(lambda t, q, v: robot.gravity(q) - gain * v)

    def inherited(t, q, v, log=times):
        log.append(t)
        return 0.0 * v

    def aliased(t, q, v):
        same = gain
        same += 1.0
        return -same * v

    assert not any(map(only_computes, (inherited, aliased)))
    assert not only_computes(lambda t, q, v: gain.fill(1.0) or -v)
    assert not only_computes(lambda t, q, v: np.multiply(gain, v, out=gain))
    assert not only_computes(lambda t, q, v: np.copyto(gain, v) or -v)


@pytest.mark.parametrize("method", ["euler", "semi-implicit", "rkmk2", "rk4", "rkmk4"])
@pytest.mark.parametrize("held", [True, False], ids=["law", "joints"])
def test_what_is_told_of_springs_and_dampers_is_what_happens(method, held):
    """One mass without gravity, springs k = h² K/M and dampers d = h D/M: warned of if and only if motion grows."""
    b = kt.Builder("mass")
    b.link("mass", inertia=kt.lie.inertia.from_mass_com(1.0, np.zeros(3), np.eye(3)))
    b.joint("slide", kt.joints.Prismatic([1, 0, 0]), parent="base", child="mass")
    bare, h, wrong = kt.Robot(b.build()), 0.01, []
    for k in (0.0, 0.5, 1.5, 2.5, 3.5, 6.0):
        for d in (0.0, 0.3, 0.9, 1.5, 1.9, 2.2, 3.0):
            if held:
                law = kt.control.pd(bare, [0.0], k / h**2, d / h)
                robot, given = bare, {"controller": law}
            else:
                robot, given = bare.with_joint_effects(stiffness=k / h**2, damping=d / h), {}
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                motion = robot.simulate([1e-3], [1e-1], t=400 * h, dt=h, method=method, **given)
            size = np.abs(motion.q) + h * np.abs(motion.v)
            grows = size[-50:].max() > 10 * size[:50].max() or bool(motion.failures)
            if any("too long" in str(x.message) for x in told) != grows:
                wrong.append((k, d, grows))
    assert not wrong


def test_saturated_laws_are_looked_at_as_if_they_had_no_limits():
    """They may begin at their limits, where their slopes are zero."""
    robot = kt.load("panda").without_joint_effects()
    home, z = robot.home(), np.zeros(7)
    law = kt.control.saturated(kt.control.pd(robot, home, 1000.0, 60.0))
    motion = robot.simulate(home + 0.1, z, t=0.3, dt=1e-3, controller=law)
    true = robot.simulate(home + 0.1, z, t=0.3, dt=1e-5, controller=law, method="rkmk4", record=1000)
    assert motion.method == "implicit" and np.abs(motion.q[-1] - true.q[-1]).max() < 1e-3


@pytest.mark.parametrize("method", ["implicit", "variational"])
def test_robots_without_joints_have_steps(method):
    b = kt.Builder("rock")
    b.link("rock", inertia=kt.lie.inertia.from_mass_com(1.0, np.zeros(3), np.eye(3)))
    nothing = np.zeros(0)
    q, v = kt.Robot(b.build()).step(nothing, nothing, nothing, 1e-3, method=method)
    assert q.shape == v.shape == (0,)
