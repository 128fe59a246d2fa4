"""Denavit–Hartenberg tables and products of exponentials against the matrix products that define them."""

from functools import reduce

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.errors import KinetraceError
from kinetrace.lie import Ad, Ad_inv, inertia, se3
from kinetrace.model import from_dh, from_screws, joints
from kinetrace.model.zoo.random import random_inertia, random_pose

KINEMATIC = {"check": "ignore"}  # arms without masses


def Rx(a):
    return np.array([[1, 0, 0, 0], [0, np.cos(a), -np.sin(a), 0], [0, np.sin(a), np.cos(a), 0], [0, 0, 0, 1]])


def Rz(a):
    return np.array([[np.cos(a), -np.sin(a), 0, 0], [np.sin(a), np.cos(a), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def T(x, y, z):
    return np.array([[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1.0]])


def dh_product(table, kinds, q, convention):
    X = [np.eye(4)]
    for (a, alpha, d, theta), kind, x in zip(table, kinds, q, strict=True):
        theta, d = (theta + x, d) if kind == "R" else (theta, d + x)
        if convention == "modified":
            X.append(X[-1] @ Rx(alpha) @ T(a, 0, 0) @ Rz(theta) @ T(0, 0, d))
        else:
            X.append(X[-1] @ Rz(theta) @ T(0, 0, d) @ T(a, 0, 0) @ Rx(alpha))
    return X[1:]


@pytest.mark.parametrize("convention", ["modified", "standard"])
@pytest.mark.parametrize("seed", range(3))
def test_dh_is_the_product_of_its_rows(convention, seed, poses):
    rng = np.random.default_rng(seed)
    table, kinds, tip = rng.uniform(-1, 1, (6, 4)), "RRPRPR", random_pose(rng)
    model = from_dh(table, kinds=kinds, convention=convention, tip=tip).build(**KINEMATIC)
    q = rng.uniform(-2, 2, 6)
    X, expected = poses(model, q), dh_product(table, kinds, q, convention)
    for i in range(6):
        np.testing.assert_allclose(X[f"link{i + 1}"], expected[i], atol=1e-13)
    np.testing.assert_allclose(X["tip"], expected[-1] @ tip, atol=1e-13)


def test_modified_dh_keeps_the_axis_on_z_and_one_turn_a_joint():
    model = from_dh([(0.3, 0.7, 0.2, 0)] * 3).build(**KINEMATIC)
    for body in model.bodies:
        assert body.subspace(np.zeros(1))[:, 0].tolist() == [0, 0, 1, 0, 0, 0]
        assert np.array_equal(body.X_ji, np.eye(4))
        assert np.count_nonzero(body.X_pj[:3, :3]) == 5


def test_dh_names_and_inertias():
    J = random_inertia(np.random.default_rng(0))
    model = from_dh(np.ones((2, 4)), inertias=[None, J], name="arm").build()
    assert model.name == "arm" and model.joint_names == ("joint1", "joint2")
    assert list(model.frames) == ["base", "link1", "link2", "tip"]
    np.testing.assert_array_equal(model.bodies[1].J, J)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ([(0, 0, 0)], {}, r"shape \(n, 4\)"),
        ([], {}, r"shape \(n, 4\)"),
        ([(0, 0, 0, 0), (0, 0)], {}, "four numbers"),
        ([("a", 0, 0, 0)], {}, "four numbers"),
        ([(0, 0, 0, 0), (0, np.nan, 0, 0)], {}, "row 2: alpha must be finite"),
        ([(0, 0, 0, 0)], {"convention": "craig"}, "modified, standard"),
        ([(0, 0, 0, 0)], {"kinds": "RR"}, "1 letters"),
        ([(0, 0, 0, 0)], {"kinds": "X"}, "'R' or 'P'"),
        ([(0, 0, 0, 0)], {"inertias": []}, "one per joint, 1, got 0"),
        ([(0, 0, 0, 0)], {"inertias": [np.eye(3)]}, r"'link1'.*\(6, 6\)"),
        ([(0, 0, 0, 0)], {"tip": np.eye(3)}, r"'tip'.*\(4, 4\)"),
    ],
)
def test_bad_tables(table, options, message):
    with pytest.raises(KinetraceError, match=message):
        from_dh(table, **options)


def random_screw(rng, kind):
    axis, point = rng.normal(size=3), rng.uniform(-1, 1, 3)
    axis /= np.linalg.norm(axis)
    if kind == "P":
        return np.concatenate([np.zeros(3), axis])
    return np.concatenate([axis, -np.cross(axis, point) + (0.2 * axis if kind == "H" else 0)])


@pytest.fixture
def arm():
    """One arm in the three forms: P and M_i, A and B and M."""
    rng = np.random.default_rng(1)
    P = np.array([random_screw(rng, kind) for kind in "RHPRRP"])
    Ms = np.array([random_pose(rng) for _ in P])
    before = [reduce(np.matmul, Ms[:i], np.eye(4)) for i in range(len(P) + 1)]
    A = np.array([Ad(X, S) for X, S in zip(before, P, strict=False)])
    return P, Ms, A, Ad_inv(before[-1], A), before[-1], rng.uniform(-2, 2, len(P))


def test_park1995_eq12_link_form(arm, poses):
    P, Ms, *_, q = arm
    X = poses(from_screws(P, Ms, form="link").build(**KINEMATIC), q)
    f = np.eye(4)
    for i in range(len(P)):
        f = f @ se3.exp(P[i] * q[i]) @ Ms[i]
        np.testing.assert_allclose(X[f"link{i + 1}"], f, atol=1e-13)
    np.testing.assert_allclose(X["tip"], f, atol=1e-13)


def test_park1995_eq13_space_form(arm, poses):
    _, _, A, _, M, q = arm
    X = poses(from_screws(A, M, form="space").build(**KINEMATIC), q)
    exponentials = [se3.exp(a * x) for a, x in zip(A, q, strict=True)]
    np.testing.assert_allclose(X["tip"], reduce(np.matmul, exponentials) @ M, atol=1e-12)
    np.testing.assert_allclose(X["link3"], reduce(np.matmul, exponentials[:3]), atol=1e-12)


def test_park1995_eq14_body_form(arm, poses):
    *_, B, M, q = arm
    X = poses(from_screws(B, M, form="body").build(**KINEMATIC), q)
    expected = reduce(np.matmul, [se3.exp(b * x) for b, x in zip(B, q, strict=True)], M)
    np.testing.assert_allclose(X["tip"], expected, atol=1e-12)


def test_park1995_eq23_joint_form(arm, poses):
    """M_i e^{S_i q_i}, with S_i in the link that joint i moves; the same as (12) with P_i = Ad(M_i) S_i."""
    P, Ms, *_, q = arm
    S = np.array([Ad_inv(M, p) for M, p in zip(Ms, P, strict=True)])
    model = from_screws(S, Ms, form="joint").build(**KINEMATIC)
    X, f = poses(model, q), np.eye(4)
    for i in range(len(S)):
        f = f @ Ms[i] @ se3.exp(S[i] * q[i])
        np.testing.assert_allclose(X[f"link{i + 1}"], f, atol=1e-13)
    np.testing.assert_allclose(poses(from_screws(P, Ms, form="link").build(**KINEMATIC), q)["tip"], f, atol=1e-12)


def test_check_tells_forms_apart(arm):
    """Each form builds where its own pose is given; with the pose of another it names that one."""
    P, Ms, A, _, M, q = arm
    screws = {"link": (P, Ms), "joint": (P, Ms), "space": (A, M), "body": (A, M)}
    f = {form: kt.from_screws(S, X, form=form, check="ignore", backend="numpy") for form, (S, X) in screws.items()}
    tip = {form: robot.pose(q, "tip") for form, robot in f.items()}
    other = {"link": "joint", "joint": "link", "space": "body", "body": "space"}
    for form, (S, X) in screws.items():
        built = kt.from_screws(S, X, form=form, check=(q, tip[form].round(4)))
        assert built.model == f[form].model
        with pytest.raises(kt.ModelError, match=f"form='{other[form]}' fits"):
            kt.from_screws(S, X, form=form, check=(q, tip[other[form]]))
        with pytest.raises(kt.ModelError, match=r"not \(v, ω\)"):
            kt.from_screws(np.roll(S, 3, axis=1), X, form=form, check=(q, tip[form]))
        with pytest.raises(kt.ModelError, match="no other form fits"):
            kt.from_screws(S, X, form=form, check=(q, np.eye(4)))
        with pytest.warns(kt.ModelWarning, match=f"form '{other[form]}' has the tip there too"):
            kt.from_screws(S, X, form=form, check=(0 * q, M))
    for wrong in ((q,), (q[:2], M), (q, M[:3])):
        with pytest.raises(kt.InputError, match="check is"):
            kt.from_screws(A, M, check=wrong)


def test_screws_of_a_robot_are_of_the_joint_form():
    panda = kt.load("panda", backend="numpy")
    S, M, q = panda.parameters("screws"), panda.parameters("placements"), panda.random(seed=0)
    tip = panda.pose(q, "panda_link7")
    arm = kt.from_screws(S, M, form="joint", check=(q, tip), backend="numpy")
    np.testing.assert_allclose(arm.pose(q, "tip"), tip, atol=1e-14)
    with pytest.raises(kt.ModelError, match=r"tip 1\.28 away .* form='joint' fits"):
        kt.from_screws(S, M, form="link", check=(q, tip))


def test_three_forms_of_one_arm_agree(arm, poses):
    P, Ms, A, B, M, q = arm
    models = [
        from_screws(S, X, form=form).build(**KINEMATIC)
        for S, X, form in ((P, Ms, "link"), (A, M, "space"), (B, M, "body"))
    ]
    link, space, body = (poses(model, q)["tip"] for model in models)
    np.testing.assert_allclose(space, link, atol=1e-12)
    np.testing.assert_allclose(body, link, atol=1e-12)
    kinds = [
        joints.Revolute,
        joints.Helical,
        joints.Prismatic,
        joints.Revolute,
        joints.Revolute,
        joints.Prismatic,
    ]
    assert [[type(b.joint) for b in model.bodies] for model in models] == [kinds] * 3


def test_inertias_of_space_form_are_in_the_base_frame_at_zero(arm, poses):
    """The same bodies, described in tip frames ("link") and in the base frame at q = 0 ("space")."""
    P, Ms, A, _, M, q = arm
    rng = np.random.default_rng(2)
    in_link = [random_inertia(rng) for _ in P]
    X_0 = poses(from_screws(P, Ms, form="link").build(**KINEMATIC), 0 * q)
    in_base = [inertia.change_frame(X_0[f"link{i + 1}"], J) for i, J in enumerate(in_link)]
    link = from_screws(P, Ms, form="link", inertias=in_link).build()
    space = from_screws(A, M, form="space", inertias=in_base).build()
    for i in range(len(P)):
        in_world = [inertia.change_frame(poses(model, q)[f"link{i + 1}"], model.bodies[i].J) for model in (link, space)]
        np.testing.assert_allclose(in_world[0], in_world[1], atol=1e-11)


Z = [0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("screws", "M", "options", "message"),
    [
        ([Z, [0] * 6], np.eye(4), {}, "screw 2 is zero"),
        ([[0, 0, np.nan, 0, 0, 0]], np.eye(4), {}, "screw 1 must be finite"),
        ([[0, 0, 1e200, 0, 0, 0]], np.eye(4), {}, "screw 1 must be finite"),
        ([Z[:5]], np.eye(4), {}, r"shape \(n, 6\)"),
        ([["a"] * 6], np.eye(4), {}, "six numbers"),
        ([Z], np.eye(3), {}, r"M must be a pose of shape \(4, 4\)"),
        ([Z], 2 * np.eye(4), {}, "M is not a rigid motion"),
        ([Z], np.eye(4), {"form": "link"}, r"\(1, 4, 4\), got \(4, 4\)"),
        ([Z], [2 * np.eye(4)], {"form": "link"}, "M_1 is not a rigid motion"),
        ([Z], np.eye(4), {"form": "tip"}, "body, joint, link, space"),
        ([Z], np.eye(4), {"inertias": [None, None]}, "one per joint, 1, got 2"),
    ],
)
def test_bad_screws(screws, M, options, message):
    with pytest.raises(KinetraceError, match=message):
        from_screws(screws, M, **options)


def test_nearly_unit_screws_are_made_exact():
    screw = np.array(Z) * (1 + 1e-8)
    model = from_screws([screw], np.eye(4)).build(snap_constants=False, **KINEMATIC)
    assert model.bodies[0].joint.axis.tolist() == [0, 0, 1]


@pytest.mark.parametrize("lengths", [[2, 0.5, 3, 1, 1e-3, 7], [1e5, 1, 1 + 1e-5, 1e-8, 1, 1]])
def test_screws_of_any_length_move_by_their_exponential(arm, poses, lengths):
    P, Ms, A, B, M, q = arm
    for S, X, form in ((P, Ms, "link"), (A, M, "space"), (B, M, "body")):
        model = from_screws(np.array(lengths)[:, None] * S, X, form=form).build(**KINEMATIC)
        expected = poses(from_screws(S, X, form=form).build(**KINEMATIC), q)
        np.testing.assert_allclose(poses(model, q / lengths)["tip"], expected["tip"], atol=1e-12)


def test_the_three_links_of_modern_robotics():
    """Lynch and Park (2017), chapter 8, InverseDynamics of their software: the first screw has |omega| = sqrt(2)."""
    screws = [[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]]
    turn = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    M01, M12, M23, M34 = (
        T(0, 0, 0.089159),
        se3.pose(turn, np.array([0.28, 0.13585, 0])),
        T(0, -0.1197, 0.395),
        T(0, 0, 0.14225),
    )
    bodies = [
        np.diag([0.010267, 0.010267, 0.00666, 3.7, 3.7, 3.7]),
        np.diag([0.22689, 0.22689, 0.0151074, 8.393, 8.393, 8.393]),
        np.diag([0.0494433, 0.0494433, 0.004095, 2.275, 2.275, 2.275]),
    ]
    at_zero = [M01, M01 @ M12, M01 @ M12 @ M23]
    inertias = [inertia.change_frame(X, J) for X, J in zip(at_zero, bodies, strict=True)]
    arm = kt.from_screws(screws, at_zero[2] @ M34, inertias=inertias, gravity=[0, 0, -9.8])
    pushed = {"tip": -np.ones(6)}  # their tip force is what the tip exerts
    tau = arm.inverse_dynamics([0.1, 0.1, 0.1], [0.1, 0.2, 0.3], [2, 1.5, 1], wrench=pushed)
    np.testing.assert_allclose(tau, [74.696161552874514, -33.067660158514578, -3.2305731379014242], rtol=1e-13)


@pytest.mark.parametrize("snap_constants", [True, False])
def test_constants_are_rounded_as_asked(snap_constants):
    nearly = np.pi / 2 + 4e-15
    for robot in (
        kt.from_dh([(0, nearly, 0, 0)], snap_constants=snap_constants, **KINEMATIC),
        kt.from_screws([Z], [Rx(nearly)], form="link", snap_constants=snap_constants, **KINEMATIC),
    ):
        entries = {abs(x) for X in (robot.model.bodies[0].X_pj, robot.model.bodies[0].X_ji) for x in X.flat}
        assert (entries == {0.0, 1.0}) == snap_constants
