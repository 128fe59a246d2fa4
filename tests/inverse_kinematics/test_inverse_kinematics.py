"""Inverse kinematics: poses are recovered, limits and loops are kept, and what cannot be reached is named."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.tasks.pose_errors import residuals
from kinetrace.algorithms.tasks.task_rows import tasks_of


@pytest.fixture(scope="module")
def panda():
    return kt.load("panda")


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def tree():
    """A free base with two arms, one with a ball joint."""
    b = kt.Builder("tree")
    inertia = kt.lie.inertia.from_mass_com(1.0, [0, 0, 0], 0.1 * np.eye(3))
    b.link("body", inertia=inertia)
    b.joint("base", kt.joints.Free(), parent="world", child="body")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        first = kt.joints.Spherical() if side == "left" else kt.joints.Revolute([0, 0, 1])
        for name, joint, parent, p in (
            ("shoulder", first, "body", [0, 0.2 * sign, 0.1]),
            ("slide", kt.joints.Prismatic([1, 0, 0]), f"{side}_shoulder", [0.3, 0, 0]),
        ):
            b.link(f"{side}_{name}", inertia=inertia)
            pose = kt.lie.se3.pose(np.eye(3), np.array(p))
            limits = None if name == "shoulder" else kt.Limits(-0.1, 0.2, np.inf, np.inf)
            b.joint(f"{side}_{name}", joint, parent=parent, child=f"{side}_{name}", placement=pose, limits=limits)
    return kt.Robot(b.build())


def distances(X, goal):
    """Distance and angle, by another formula than the library's."""
    R, S = X[..., :3, :3], goal[..., :3, :3]
    angle = 2 * np.arcsin(np.clip(np.linalg.norm(R - S, axis=(-2, -1)) / np.sqrt(8), 0, 1))
    return np.linalg.norm(X[..., :3, 3] - goal[..., :3, 3], axis=-1), angle


def test_reachable_poses_are_recovered_within_limits_and_alike_in_every_batch(panda):
    goals = panda.pose(panda.random(400, seed=1), "panda_hand")
    found = panda.inverse_kinematics(goals.reshape(20, 20, 4, 4), "panda_hand")
    assert found.q.shape == (20, 20, 7) and found.success.shape == (20, 20) and found.residual.shape == (20, 20, 1, 2)
    assert found.success.all() and np.all(found.status == "converged")
    q = found.q.reshape(-1, 7)
    position, angle = distances(panda.pose(q, "panda_hand"), goals)
    assert position.max() <= 1.1e-6 and angle.max() <= 1.1e-6
    assert np.all((q >= panda.limits.lower) & (q <= panda.limits.upper))
    starts = found.starts.reshape(-1)
    assert starts.max() > 3
    for k in (0, int(starts.argmax())):
        assert np.array_equal(panda.inverse_kinematics(goals[k], "panda_hand").q, q[k])
    half = panda.inverse_kinematics(goals[200:], "panda_hand", threads=2)
    assert np.array_equal(half.q, q[200:]) and np.array_equal(half.starts, starts[200:])


def test_an_arm_with_two_links_has_the_two_solutions_of_the_law_of_cosines(arm):
    x, z = 1.1, 0.7
    elbow = np.arccos((x * x + z * z - 2) / 2)
    for sign in (1.0, -1.0):
        found = arm.inverse_kinematics([x, 0.0, z], "tip", q0=[0.3, 0.5 * sign], tolerance=1e-12)
        shoulder = np.arctan2(z, x) - sign * elbow / 2
        assert found.success and np.allclose(np.arctan2(np.sin(found.q), np.cos(found.q)), [shoulder, sign * elbow])


def test_what_cannot_be_reached_is_named(arm):
    found = arm.inverse_kinematics([[1.0, 0.0, 0.5], [2.5, 0.0, 0.0], [0.8, 0.3, 0.2]], "tip", restarts=5)
    assert found.status.tolist() == ["converged", "unreachable", "stalled"]
    assert found.success.tolist() == [True, False, False]
    assert np.allclose(found.residual[:, 0, 0], [0.0, 0.5, 0.3], atol=1e-6)  # the nearest there is
    assert "1 of 3 solved, 1 'unreachable', 1 'stalled'" in repr(found)
    assert repr(found[0]).startswith("InverseKinematics(success")
    for k, target in enumerate(([1.0, 0.0, 0.5], [2.5, 0.0, 0.0], [0.8, 0.3, 0.2])):
        alone = arm.inverse_kinematics(target, "tip", restarts=5)
        assert np.array_equal(alone.q, found.q[k]) and (alone.status, alone.starts) == (
            found.status[k],
            found.starts[k],
        )

    b = kt.Builder("limited")
    b.link("link", inertia=kt.lie.inertia.from_mass_com(1.0, [0.5, 0, 0], np.zeros((3, 3))))
    limits = kt.Limits(-0.5, 0.5, 1.0, 1.0)
    b.joint("hinge", kt.joints.Revolute([0, 0, 1]), parent="world", child="link", limits=limits)
    hinge = kt.Robot(b.build(), threads=1).with_frame("tip", "link", [1.0, 0, 0])
    goal = [np.cos(1.0), np.sin(1.0), 0.0]
    found = hinge.inverse_kinematics(goal, "tip", restarts=2)
    assert found.status == "limits" and found.q == 0.5
    assert hinge.inverse_kinematics(goal, "tip", restarts=2, limits=False).q.round(6) == 1.0


def slider(**limits):
    """A slide along x, and a frame at its end."""
    b = kt.Builder("slider")
    b.link("link", inertia=kt.lie.inertia.from_mass_com(1.0, [0, 0, 0], 0.1 * np.eye(3)))
    b.joint("slide", kt.joints.Prismatic([1, 0, 0]), parent="world", child="link", **limits)
    return kt.Robot(b.build()).with_frame("tip", "link", [0, 0, 0])


def test_unreachable_is_proven_for_the_limits_that_are_kept():
    robot = slider(limits=kt.Limits(-0.1, 0.1, 1.0, 1.0))
    goal = [0.5, 0.02, 0.0]
    kept, free = (robot.inverse_kinematics(goal, "tip", restarts=2, limits=limits) for limits in (True, False))
    assert kept.status == "unreachable" and np.isclose(kept.q[0], 0.1)
    assert free.status == "stalled" and np.isclose(free.q[0], 0.5) and np.isclose(free.residual[0, 0], 0.02)
    with pytest.raises(kt.InputError, match="hold: joint 'slide' is held beyond its limits"):
        robot.inverse_kinematics(goal, "tip", [0.2], hold="slide")  # it would have to move to its limit
    assert robot.inverse_kinematics(goal, "tip", [0.2], hold="slide", limits=False).q == 0.2
    assert type(free.success) is bool and type(free.status) is str and type(free.iterations) is int


@pytest.mark.parametrize(
    "joint",
    [
        kt.joints.Revolute([1, 0, 0]),
        kt.joints.Prismatic([1, 2, 0]),
        kt.joints.Helical([0, 1, 1], pitch=0.3),
        kt.joints.Screw([0.2, 0, 1, 0.5, -0.4, 0.1]),
        kt.joints.Screw([0, 0, 0, 2, 0, 0]),
        kt.joints.Cylindrical([0, 1, 0]),
        kt.joints.Universal(),
        kt.joints.Planar([0, 1, 1]),
        kt.joints.Spherical(),
    ],
    ids=lambda joint: type(joint).__name__,
)
def test_joints_travel_no_farther_than_they_say(joint):
    lower, upper = np.full(joint.nq, -0.7), np.full(joint.nq, 0.4)
    rng = np.random.default_rng(0)
    q = [*(joint.random(rng, (lower, upper)) for _ in range(50)), joint.normalise(lower)]
    moved = max(np.linalg.norm(np.asarray(joint.placement(x))[:3, 3]) for x in q)
    bound = joint.travel(lower, upper)
    assert moved <= bound + 1e-12 and bound <= moved + 1e-12
    assert joint.travel(np.full(joint.nq, -np.inf), np.full(joint.nq, np.inf)) in (0.0, np.inf)
    assert kt.joints.Free().travel(-np.ones(7), np.ones(7)) == np.inf


def test_steps_are_as_many_as_are_allowed(arm):
    near, far = arm.pose([[0.3, 0.9], [0.8, 1.6]], "tip")[:, :3, 3]
    for steps in (1, 5, 30):
        found = arm.inverse_kinematics([near, far, [2.5, 0.0, 0.0]], "tip", q0=[0.2, 1.0], iterations=steps, restarts=0)
        assert np.all(found.iterations <= 3 * steps) and found.iterations[2] == 3 * steps
    short = arm.inverse_kinematics(far, "tip", q0=[0.2, 1.0], iterations=1, restarts=0)
    assert short.status == "iterations" and not short.success and "iterations" in short.message


def test_a_preference_that_is_not_met_is_named():
    robot = kt.random_chain(5, seed=4)
    rest = robot.random(seed=3)
    goal = robot.pose(robot.integrate(rest, 0.4 * np.ones(5)), "tip")[:3, 3]
    few, many = (robot.inverse_kinematics(goal, "tip", rest=rest, iterations=n, limits=False) for n in (6, 48))
    assert few.success and few.status == "preference" and few.iterations == 6 and "rest" in few.message
    assert many.status == "converged" and np.linalg.norm(many.q - rest) < np.linalg.norm(few.q - rest) + 1e-4
    assert "preference" in repr(few)


def test_a_preference_never_loses_a_target(panda):
    goals = panda.pose(panda.random(20000, seed=77), "panda_hand")
    rest = panda.random(seed=3)
    found = panda.inverse_kinematics(goals, "panda_hand", rest=rest)
    assert found.success.all() and found.residual.max() <= 1e-6
    assert np.all((found.q >= panda.limits.lower) & (found.q <= panda.limits.upper))
    plain = panda.inverse_kinematics(goals, "panda_hand")
    nearer = np.linalg.norm(found.q - rest, axis=-1) < np.linalg.norm(plain.q - rest, axis=-1)
    assert nearer.mean() > 0.8
    for name in ("q0", "rest"):
        with pytest.raises(kt.InputError, match=f"{name}: joint 'panda_joint.' is .* beyond its limits.*deg2rad"):
            panda.inverse_kinematics(goals[0], "panda_hand", **{name: np.rad2deg(panda.home())})


def test_joints_without_weight_do_not_matter_to_a_preference():
    robot = kt.random_chain(5, seed=4)
    rest = robot.random(seed=3)
    goal = robot.pose(robot.integrate(rest, 0.4 * np.ones(5)), "tip")[:3, 3]
    found = robot.inverse_kinematics(goal, "tip", rest=rest, rest_weight=[0, 0, 1, 0, 0], limits=False)
    assert found.success and abs(found.q[2] - rest[2]) < 1e-3  # four joints do what three rows ask
    one = found[()]
    assert one.success is True and one.status == found.status and np.array_equal(one.q, found.q)


def test_limits_of_mimic_joints_hold_too():
    b = kt.Builder("mimic")
    for name, parent in (("first", "world"), ("second", "first")):
        b.link(name, inertia=kt.lie.inertia.from_mass_com(1.0, [0.5, 0, 0], np.zeros((3, 3))))
        follows = {} if name == "first" else {"mimic": ("first", 2.0, 0.0), "limits": kt.Limits(-0.6, 0.6, 1.0, 1.0)}
        X = kt.lie.se3.pose(np.eye(3), np.array([float(name == "second"), 0, 0]))
        b.joint(name, kt.joints.Revolute([0, 0, 1]), parent=parent, child=name, placement=X, **follows)
    robot = kt.Robot(b.build()).with_frame("tip", "second", [1.0, 0, 0])
    goals = robot.pose([[0.29], [0.4]], "tip")[:, :3, 3]
    found = robot.inverse_kinematics(goals, "tip", restarts=3)
    assert found.status.tolist() == ["converged", "limits"]
    assert np.allclose(found.q, [[0.29], [0.3]])


def test_frames_of_a_tree_on_a_free_base_reach_goals_together(tree):
    q = tree.random(8, seed=2)
    targets = {"left_slide": tree.pose(q, "left_slide"), "right_slide": tree.pose(q, "right_slide")[:, :3, 3]}
    found = tree.inverse_kinematics(targets, weights={"left_slide": 2.0})
    assert found.success.all() and np.allclose(np.linalg.norm(found.q[:, 3:7], axis=-1), 1.0)
    for name, goal in targets.items():
        X = tree.pose(found.q, name)
        assert np.abs(X - goal).max() < 3e-6 if goal.ndim == 3 else np.abs(X[:, :3, 3] - goal).max() < 3e-6
    held = tree.inverse_kinematics(targets["left_slide"][:, :3, 3], "left_slide", q0=q, hold=["base", "right_slide"])
    assert held.success.all() and np.array_equal(held.q[:, :7], tree.normalise(q)[:, :7])
    assert np.array_equal(held.q[:, -1], q[:, -1])


def test_loops_are_closed_whether_a_goal_is_reached_or_not():
    robot = kt.load("four_bar")
    q = robot.assemble(robot.random(6, seed=1))
    goals = robot.pose(q[np.isfinite(q).all(axis=-1)], "coupler")
    found = robot.inverse_kinematics(goals, "coupler")
    assert found.success.all() and np.abs(robot.closure_residual(found.q)).max() < 1e-10
    goals[:, :3, 3] += [0.0, 0.05, 0.0]  # out of the plane
    found = robot.inverse_kinematics(goals, "coupler", restarts=2)
    assert not found.success.any() and set(found.status) == {"unreachable"}  # farther than the crank is long
    assert np.abs(robot.closure_residual(found.q)).max() < 1e-9
    assert np.allclose(found.residual[:, 0, 0], 0.05, rtol=0.02)


def test_a_preference_is_met_as_far_as_the_task_leaves_it_free():
    robot = kt.random_chain(5, seed=4)
    tip = "tip"
    rest = robot.random(seed=3)
    goals = robot.pose(robot.integrate(rest, 0.4 * np.ones(5)), tip)[:3, 3]
    weight = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    found = robot.inverse_kinematics(goals, tip, rest=rest, rest_weight=weight, limits=False)
    assert found.success and found.status == "converged"
    J = robot.jacobian(found.q, tip)[3:]
    gradient = weight * (found.q - rest)  # it is in the span of the rows of J where the distance is least
    assert np.linalg.norm(gradient - J.T @ np.linalg.lstsq(J.T, gradient)[0]) < 1e-5 * np.linalg.norm(gradient)


@pytest.mark.parametrize("expressed_in", ["body", "aligned"])
def test_jacobians_of_rows_of_the_error_are_exact(tree, expressed_in):
    model, q = tree.model, tree.random(seed=5)
    goals, rng = np.stack([tree.pose(tree.random(seed=6), "left_slide")]), np.random.default_rng(0)
    direction = rng.normal(size=tree.nv)

    def rows(h, axes):
        tasks = tasks_of(model, "left_slide", axes)
        return residuals(model, model.integrate(q, h * direction), goals, tasks, expressed_in, np.ones(4))

    for axes in ((0, 2, 4), (1, 3, 5)):
        ahead, back = (rows(h, axes)[0] for h in (1e-6, -1e-6))
        assert np.allclose((ahead - back) / 2e-6, -rows(0.0, axes)[1] @ direction, atol=1e-8)
    e, J, _ = rows(0.0, "pose")  # of all rows the gradient of the square is exact
    ahead, back = (rows(h, "pose")[0] for h in (1e-6, -1e-6))
    assert np.isclose((ahead @ ahead - back @ back) / 4e-6, -e @ J @ direction, atol=1e-8)


def test_partial_rows_leave_the_others_free(panda):
    X = panda.pose(panda.random(20, seed=8), "panda_hand")
    found = panda.inverse_kinematics(X, "panda_hand", axes=(0, 1, 3, 4, 5))  # the hand may turn about its own axis
    at = panda.pose(found.q, "panda_hand")
    assert found.success.all() and np.allclose(at[:, :3, 2:], X[:, :3, 2:], atol=2e-6)
    assert np.abs(at[:, :3, 0] - X[:, :3, 0]).max() > 0.1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"target": np.full((2, 3), np.nan)}, r"target\[0\] of frame 'tip' .* finite"),
        ({"target": 2 * np.eye(4)}, "last row"),
        ({"target": np.diag([2.0, 1, 1, 1])}, "not orthonormal"),
        ({"target": np.diag([-1.0, 1, 1, 1])}, "reflection"),
        ({"target": np.zeros((5, 2))}, "must be poses"),
        ({"target": np.eye(3)}, 'ambiguous.*axes="orientation"'),
        ({"target": (np.zeros(3), np.array([1.0, 0, 0, 0]))}, r"kt.lie.se3.pose\(R, p\)"),
        ({"target": (np.eye(3), np.zeros(3))}, r"kt.lie.se3.pose\(R, p\)"),
        ({"axes": "z"}, "Valid: .*orientation"),
        ({"axes": "pose"}, "must be poses .* since rows of rotation"),
        ({"axes": "orientation"}, "or rotations"),
        ({"frame": "tp"}, "did you mean 'tip'"),
        ({"axes": "pos"}, "position"),
        ({"axes": (7,)}, "rows from 0 to 5"),
        ({"q0": [0.0]}, r"q0 must have shape \(..., 2\)"),
        ({"q0": [0.0, np.inf]}, "q0 must be finite"),
        ({"q0": np.zeros((3, 2)), "target": np.zeros((2, 3))}, "do not broadcast"),
        ({"weights": -1.0}, "positive"),
        ({"tolerance": 0.0}, "tolerance must be"),
        ({"restarts": -1}, "restarts must be a whole number"),
        ({"expressed_in": "space"}, "expressed_in"),
        ({"rest_weight": [1.0, 1.0]}, "without rest"),
        ({"rest": np.zeros(2), "rest_weight": [0.0, 0.0]}, "not all zero"),
        ({"hold": "elbow"}, "elbow"),
        ({"target": {"tip": np.zeros(3)}}, "leave frame out"),
    ],
)
def test_wrong_arguments_are_named(arm, change, told):
    arguments = {"target": np.array([1.0, 0.0, 0.5]), "frame": "tip", **change}
    with pytest.raises(kt.InputError, match=told):
        arm.inverse_kinematics(arguments.pop("target"), arguments.pop("frame"), **arguments)
