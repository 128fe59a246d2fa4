"""Where a robot starts, as its source has it: home, edits, files, other libraries."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.engine.compilation import trace_cache


def tree(seed=0, base="free"):
    """A random tree with joints of every kind and a start within its limits, interpreted."""
    robot = kt.random_tree(9, seed, base=base, backend="numpy")
    return with_start(robot, robot.random(seed=seed))


def with_start(robot, q):
    return kt.Robot(replace(robot.model, start=q), backend="numpy")


def at_home(robot):
    """Joint → where it is at home."""
    q = robot.home()
    return {name: q[robot.q_slice(name)].tolist() for name in robot.joint_names}


def test_home_is_the_start_within_the_limits():
    b = kt.Builder("arm")
    for name, parent, child, joint in (
        ("base", "floor", "plate", kt.joints.Free()),
        ("a", "plate", "arm", kt.joints.Revolute([0, 1, 0])),
        ("b", "arm", "hand", kt.joints.Revolute([0, 1, 0])),
        ("c", "hand", "tip", kt.joints.Prismatic([0, 1, 0])),
    ):
        b.link(child, np.eye(6))
        limits = kt.Limits([-0.5], [1.0], [1.0], [1.0]) if name in "ab" else None
        b.joint(name, joint, parent=parent, child=child, limits=limits)
    assert b.build().start is None
    b.start({"base": [1, 2, 3, 0, 3, 0, 4], "a": 0.3, "b": [7.0]})
    robot = kt.Robot(b.build())
    assert robot.model.start.tolist() == [1, 2, 3, 0, 0.6, 0, 0.8, 0.3, 7, 0]
    assert robot.home().tolist() == [1, 2, 3, 0, 0.6, 0, 0.8, 0.3, 1, 0]
    robot.check(robot.home())
    robot.home()[:] = 0.0  # a copy
    assert robot.home()[0] == 1.0
    for values, message in (
        ({"d": 1.0}, "joint 'd'"),
        ({"a": [1.0, 2.0]}, "start: joint 'a' must be a number, got shape"),
        ({"base": [0.0] * 7}, "start: joint 'base' has the quaternion 0"),
        ({"a": np.nan}, "start: joint 'a' is nan"),
    ):
        wrong = b.copy()
        wrong.start(values)
        with pytest.raises(kt.InputError, match=message):
            wrong.build()
    with pytest.raises(kt.InputError, match="start: expected joints and values"):
        b.start([1.0])


def test_edits_keep_where_joints_start():
    robot, other = tree(0), tree(1)
    before, names = at_home(robot), robot.joint_names
    locked = robot.locked({name: before[name] for name in names[1:4]})
    assert at_home(locked) == {name: q for name, q in before.items() if name in locked.joint_names}
    for frame in robot.frame_names:  # nothing moves
        np.testing.assert_allclose(locked.pose(locked.home(), frame), robot.pose(robot.home(), frame), atol=1e-12)
    followed = {body.mimic.source for body in robot.model.bodies if body.mimic is not None}
    parents = {body.parent for body in robot.model.bodies}
    leaf = next(b for b in robot.model.independent_joints if b.index not in followed | parents)
    cut = robot.without_bodies(leaf.name)
    assert at_home(cut) == {name: q for name, q in before.items() if name != leaf.joint_name}
    for same in (
        robot.with_frame("x", robot.frame_names[0]),
        robot.with_payload(1.0, leaf.name),
        robot.with_link_frames("center_of_mass"),
        robot.with_joint_effects(damping=0.1),
        pickle.loads(pickle.dumps(robot)),
    ):
        assert at_home(same) == before
    new = {name: f"left_{name}" for name in names}
    assert at_home(robot.renamed(prefix="left_")) == {new[name]: q for name, q in before.items()}
    both = robot.joined(other, leaf.name, prefix="b_")
    theirs = {f"b_{name}": q for name, q in at_home(other).items()}
    assert at_home(both) == {name: q for name, q in (before | theirs).items() if name in both.joint_names}
    assert both.nq == robot.nq + other.nq - 7
    plain = kt.load("panda", backend="numpy")
    assert at_home(plain.joined(other, "panda_hand")) == at_home(plain) | {
        name: q for name, q in at_home(other).items() if name != other.joint_names[0]
    }


def test_programs_do_not_depend_on_the_start_and_equality_does():
    robot = tree()
    moved = with_start(robot, robot.random(seed=5))
    assert robot != moved and robot == with_start(moved, robot.model.start)
    assert trace_cache.digest(robot.model) == trace_cache.digest(moved.model)
    assert trace_cache.digest(robot.model) == trace_cache.digest(replace(robot.model, start=None))
    received = [pickle.loads(pickle.dumps(x)) for x in (robot, moved)]
    assert received == [robot, moved]


def test_files_keep_the_start(tmp_path):
    robot = tree()
    robot.save(tmp_path / "x.json")
    assert kt.load(tmp_path / "x.json").model == robot.model
    q = robot.model.start
    for wrong in (q[1:], 2 * q):  # quaternions of length 2
        with_start(robot, wrong).save(tmp_path / "wrong.json")
        with pytest.raises(kt.ModelError, match=r"model\.start"):
            kt.load(tmp_path / "wrong.json")
    arm = with_start(kt.load("planar2r"), np.ones(2))
    assert "where joints start" in arm.save(tmp_path / "arm.urdf")


def test_closed_robots_are_at_home_with_closed_loops_near_their_start():
    robot = kt.load("four_bar", backend="numpy")
    assert np.array_equal(robot.home(), robot.assemble())
    robot.check(robot.home())
    goal = robot.assemble(robot.home() + np.array([0.4, 0.0, 0.0]), hold=["crank"])
    bare = replace(robot.model, assembly=None, start=goal + 1e-3)
    closed = kt.Robot(bare, backend="numpy")
    closed.check(closed.home())
    assert np.abs(closed.home() - goal).max() < 5e-3
    elsewhere = kt.Robot(replace(bare, start=None), backend="numpy").home()
    assert np.abs(elsewhere - goal).max() > 0.1
    hopeless = kt.Robot(replace(bare, start=np.array([np.pi / 2, np.pi, 0.0])), backend="numpy")
    hopeless.check(hopeless.home())
