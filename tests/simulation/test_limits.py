"""Warnings about limits: of the first state, while a motion runs, and at its end; and which joint left first."""

import json
import warnings

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.cli import main
from kinetrace.simulation import limit_checks

DEGREES = np.array([0.0, -45.0, 0.0, -135.0, 0.0, 90.0, 45.0])
WAYS = [{}, {"compiled": True}, {"method": "DOP853"}]


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


def said(call, category=kt.SimulationWarning):
    """What a call returns, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    assert all(issubclass(x.category, category) for x in caught)
    return result, [str(x.message) for x in caught]


@pytest.mark.parametrize("given", WAYS, ids=str)
def test_limits_that_a_motion_passes_are_told_at_its_end(arm, given):
    """The double pendulum swings through, and is thrown: which joints, by how much and when is what the rows say."""
    motion, texts = said(lambda: arm.simulate([1.0, 0.5], [2.0, 12.0], t=2.0, dt=1e-2, **given), kt.LimitWarning)
    (text,) = texts
    found = {(x.quantity, x.joint): x for x in motion.beyond_limits()}
    assert text.startswith("the motion passes limits: position of ") and ("velocity", "joint2") in found
    for (quantity, joint), x in found.items():
        values = {"position": motion.q, "velocity": motion.v, "force": motion.tau}[quantity]
        values, limit = values[:, motion.names.v.index(joint)], np.pi if quantity == "position" else 10.0
        beyond = np.abs(values) - limit
        assert x.by == beyond.max() and x.t == motion.t[np.argmax(beyond)] and abs(x.limit) == limit
        assert x.since <= x.t and x.lanes == 1
        assert f"{joint!r} by {x.by:.3g} {x.unit} at t = {x.t:g} s (from {x.since:g} s on)" in text
    _, quiet = said(lambda: arm.simulate([0.1, 0.0], [0.0, 0.0], t=0.2, dt=1e-2, **given))
    assert quiet == []


def test_forces_beyond_limits_are_told_and_what_only_reaches_a_limit_is_not(arm):
    for tau, told in (([100.0, 0.0], False), ([150.0, 0.0], True)):
        motion, texts = said(lambda tau=tau: arm.simulate([0.0, 0.0], [0.0, 0.0], t=0.002, dt=0.001, tau=tau))
        assert [x.quantity for x in motion.beyond_limits()] == ["force"] * told
        assert [("force of 'joint1' by 50 N m" in text) for text in texts] == [True] * told
    assert (
        said(lambda: arm.simulate([np.pi, -np.pi], [0.0, 0.0], t=0.02, dt=0.01, tau=arm.gravity([np.pi, -np.pi])))[1]
        == []
    )


@pytest.mark.parametrize("make", ["simulate", "rollout"])
def test_a_start_in_degrees_is_said_to_be_one_and_given_in_radians(make):
    robot, zero = kt.load("panda"), np.zeros(7)

    def run(q):
        if make == "simulate":
            return robot.simulate(q, zero, t=0.002, dt=0.001)
        return robot.rollout(q, zero, np.zeros((2, 7)), 0.001)

    text = said(lambda: run(DEGREES), kt.LimitWarning)[1][0]
    assert text.startswith("the first state is beyond limits: 'panda_joint2' is at -45 rad, its limit is -1.763")
    numbers = text.partition("q in radians is [")[2].partition("]")[0]
    np.testing.assert_allclose([float(x) for x in numbers.split(", ")], np.deg2rad(DEGREES), rtol=1e-3)
    _, plain = said(lambda: run(zero))  # zero is beyond, but no degrees
    assert [("degrees" in x, "'panda_joint4' is at 0 rad" in x) for x in plain] == [(False, True)] * (
        make == "simulate"
    )
    assert said(lambda: run(np.deg2rad(DEGREES)))[1] == []
    text = said(lambda: robot.simulate(robot.home(), [0, 60, 0, 0, 0, 0, 0], t=0.001, dt=0.001))[1][0]
    assert "v in radians is [0, 1.047, 0, 0, 0, 0, 0]" in text


def test_of_a_batch_one_line_counts_the_lanes(arm):
    q = np.zeros((3, 40, 2))
    q[1, :5, 0], q[2, 7, 1] = 3.3, -4.0
    motion, (start, end) = said(lambda: arm.simulate(q, [0.0, 14.0], t=0.05, dt=0.01), kt.LimitWarning)
    assert "'joint1' is at 3.3 rad" in start and "(5 of 120 lanes)" in start and "lane (2, 7) (1 of 120 lanes)" in start
    assert "velocity of 'joint2'" in end and "(120 of 120 lanes)" in end and "position" not in end
    assert [x.lanes for x in motion.beyond_limits()] == [5, 1, 120] and motion.beyond_limits()[1].lane == (2, 7)


def test_what_was_told_of_the_start_is_told_again_if_it_is_twice_as_far(arm):
    """Also where further lanes are beyond at the end."""
    q = np.array([[3.3, 0.0], [3.0, 0.0]])
    for speed, told in ((3.0, 0), (9.0, 1)):
        v = np.array([[0.0, 0.0], [speed, 0.0]])
        motion, (start, *end) = said(lambda v=v: arm.simulate(q, v, t=0.1, dt=0.01), kt.LimitWarning)
        assert "(1 of 2 lanes)" in start and [x.lanes for x in motion.beyond_limits() if x.joint == "joint1"] == [2]
        assert len(end) == told


def test_joints_without_limits_pass_none():
    """Continuous joints, free bases, limits of zero; soft stops may be compressed."""
    b = kt.Builder("spinner")
    b.link("bob", inertia=np.eye(6))
    b.joint(
        "hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob", limits=kt.Limits(-np.inf, np.inf, 0.0, 0.0)
    )
    robot = kt.Robot(b.build(check="ignore"))
    motion, texts = said(lambda: robot.simulate([400.0], [300.0], t=0.01, dt=0.001, tau=[5.0]))
    assert texts == [] and motion.beyond_limits() == ()
    flying = kt.load("quadruped", base="free")
    v = np.r_[np.full(6, 100.0), np.zeros(flying.nv - 6)]
    assert not [x for x in said(lambda: flying.simulate(flying.home(), v, t=1e-3, dt=1e-3))[1] if "'base" in x]
    stopped = kt.load("planar2r").with_joint_effects(stop_stiffness=1e4, stop_damping=10.0)
    motion, texts = said(lambda: stopped.simulate([3.1, 0.0], [0.3, 0.0], t=0.4, dt=1e-3))
    assert motion.q[:, 0].max() > np.pi + 1e-3 and texts == []


@pytest.mark.parametrize("lanes", [(), (4,)])
@pytest.mark.parametrize("in_kernel", [False, True])
def test_a_velocity_of_ten_times_its_limit_is_told_while_the_motion_runs(arm, in_kernel, lanes):
    """Of the joint, lane and time where it does so first; a warning that is an error ends the run there."""
    steps = []

    def push(t, q, v):
        steps.append(t)
        return 30.0 * v

    q, v = np.zeros((*lanes, 2)), np.broadcast_to([0.1, -1.0], (*lanes, 2)).copy()
    one = (2,) if lanes else ()
    v[one] *= 1.5
    run = lambda: arm.simulate(q, v, t=3.0, dt=1e-3, controller=push, compiled=in_kernel)  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kinetrace.simulation.recorder.CHUNK_SECONDS", 0.0)
        motion, texts = said(run)
        fast = np.abs(motion.v) > 100.0
        row = int(np.argmax(fast.any(axis=(*range(fast.ndim - 2), -1))))
        joint = motion.names.v[int(np.argmax(np.abs(motion.v[(*one, row)])))]
        (text,) = [x for x in texts if "10 times its velocity limit 10" in x]
        assert text.startswith(f"{joint!r} moves at ") and f"at t = {motion.t[row]:g} s" in text
        assert ("lane 2" in text) == bool(lanes)
        steps.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("error", kt.SimulationWarning)
            warnings.simplefilter("ignore", kt.LimitWarning)
            with pytest.raises(kt.SimulationWarning, match="10 times"):
                run()
    assert in_kernel or steps[-1] < motion.t[row] + 0.1


@pytest.mark.parametrize("in_kernel", [False, True])
@pytest.mark.parametrize("stiff", [1, 2, 5])
def test_the_joint_that_left_first_is_named_when_numbers_are_lost(stiff, in_kernel):
    """The gains of one joint are far too high for the step; all joints follow it, and are lost in the same step."""
    robot = kt.load("ur5e")
    gains = np.where(np.arange(6) == stiff, 3.0, 0.02) * robot.mass_matrix(robot.home()).diagonal() / 1e-3

    def law(t, q, v):
        return -gains * v

    motion, texts = said(
        lambda: robot.simulate(
            robot.home(), np.full(6, 0.01), 5.0, 1e-3, controller=law, compiled=in_kernel, method="rkmk4"
        )
    )
    times = np.abs(motion.v) / robot.limits.velocity
    name = motion.names.v[int(np.argmax(times[np.argmax(times.max(axis=1) > 10)]))]
    (failure,) = motion.failures
    assert failure.joint == name != motion.names.v[0] and not failure.by_controller
    (text,) = [x for x in texts if "no longer finite" in x]
    assert f"joint {name!r} left first" in text


@pytest.mark.parametrize("in_kernel", [False, True])
def test_a_joint_that_had_not_left_is_not_said_to_have(arm, in_kernel):
    """A force so large that all is lost in the first step, from rest."""
    motion, texts = said(lambda: arm.simulate([0.0, 0.0], [0.0, 0.0], 0.1, 0.01, tau=[0.0, 1e308], compiled=in_kernel))
    (failure,) = motion.failures
    assert failure.joint == "joint2" and not failure.by_controller
    assert any("no longer finite after step 0 (t = 0 s), joint 'joint2': " in x for x in texts)


def test_motions_of_the_command(capsys):
    """The line at the end, the joints of the table, and the numbers as data; the exit code stays 0."""
    assert main(["simulate", "planar2r", "--q", "0,180", "--time", "0.01", "--dt", "0.005"]) == 0
    found = capsys.readouterr()
    assert "warning: the first state is beyond limits: 'joint2' is at 180 rad" in found.err
    assert "look like degrees: q in radians is [0, 3.142]" in found.err and "beyond limits by" in found.out
    assert main(["simulate", "planar2r", "--time", "0.01", "--dt", "0.005", "--q", "0,0", "--v", "0,14", "--json"]) == 0
    found = capsys.readouterr()
    (x,) = json.loads(found.out)["beyond_limits"]
    assert x["joint"] == "joint2" and x["quantity"] == "velocity" and x["by"] >= 4.0
    assert "warning: the motion passes limits: velocity of 'joint2' by 4" in found.err
    assert main(["simulate", "planar2r", "--time", "0.01", "--dt", "0.005"]) == 0
    found = capsys.readouterr()
    assert found.err == "" and "beyond" not in found.out


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (64, 2), (100, 7), (3, 2, 129, 4), (900, 300, 2)])
def test_extremes_are_those_of_numpy(shape):
    x = np.random.default_rng(0).normal(size=shape)
    np.testing.assert_array_equal(limit_checks._extremes(x), [x.max(axis=-2), x.min(axis=-2)])
