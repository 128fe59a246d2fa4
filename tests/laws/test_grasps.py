"""Forces of contacts within their cones of friction: they hold the motion, and are the least that do."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.closed.closure_paths import closure_states
from kinetrace.lie import se3
from kinetrace.lie.inertia import from_mass_com

X, Y, Z = np.eye(3)
MASS, HALF, g = 1.5, 0.1, 9.81
WEIGHT = MASS * g


def box_in_hands(**normals) -> kt.Robot:
    """A box, and for each name a finger on three sliders that touches the face with that normal, out of the box."""
    b = kt.Builder("box in hands")
    b.link("box", from_mass_com(MASS, [0, 0, 0], 0.01 * np.eye(3)))
    b.joint("box motion", kt.joints.Free(), parent="base", child="box")
    for name, (contact, normal) in normals.items():
        parent = "base"
        for axis, along in zip("xyz", (X, Y, Z), strict=True):
            link = name if axis == "z" else f"{name} {axis}"
            b.link(link, from_mass_com(0.2, [0, 0, 0], 1e-4 * np.eye(3)))
            b.joint(f"{name} slider {axis}", kt.joints.Prismatic(along), parent=parent, child=link)
            parent = link
        face = se3.pose(np.eye(3), HALF * np.array(normal))
        b.close("box", name, contact(normal), name=name, placement_a=face)
    return kt.Robot(b.build(gravity=(0, 0, -g)), backend="numpy")


def on_fingers(robot, q, force):
    """For each contact, the force on the finger along the normal out of the object, across it, and the moment."""
    for at in closure_states(robot.model, q):
        wrench = force[robot.model.closure_slices[at.closure.name]] @ at.closure.constraint.rows(at.X)
        normal = se3.rotation(at.X).T @ at.closure.constraint.normal
        along = wrench[3:] @ normal
        yield along, np.linalg.norm(wrench[3:] - along * normal), wrench[:3] @ normal


def holds(robot, q, v, a, tau, force):
    left = robot.inverse_dynamics(q, v, a) - tau - robot.closure_jacobian(q).T @ force
    assert np.abs(left).max() < 1e-7 * max(1.0, np.abs(tau).max())  # of a cone program, solved to 1e-10
    driven = [robot.v_slice(name) for name in robot.motor_names]
    assert np.count_nonzero(np.concatenate([tau[x] for x in driven])) == np.count_nonzero(tau)


FRICTION = (0.8, 0.01)


def in_motion(robot):
    """q, v, a with all loops closed."""
    rng, q = np.random.default_rng(1), robot.assemble()
    v = 0.3 * robot.velocity_map(q) @ rng.normal(size=robot.dof)
    return q, v, robot.closed_acceleration(q, v, rng.normal(size=robot.dof))


@pytest.fixture(scope="module")
def ball():
    return kt.load("three_fingers_ball", backend="numpy")


@pytest.mark.parametrize("least", ["forces", "torques"])
def test_soft_fingers_stay_within_their_cones_and_the_cost_grows_toward_all_others_that_do(ball, least):
    rng, (mu, radius) = np.random.default_rng(0), FRICTION
    friction, (q, v, a) = dict.fromkeys(ball.closure_names, FRICTION), in_motion(ball)
    tau, force = ball.grasp_forces(q, v, a, friction, least=least)
    holds(ball, q, v, a, tau, force)

    for n, t, m in on_fingers(ball, q, force):
        assert np.hypot(t / mu, m / radius) < n + 1e-7
    slope = force if least == "forces" else -ball.closure_jacobian(q) @ tau
    other = "torques" if least == "forces" else "forces"
    for factors in (np.ones(3), *rng.uniform(0.9, 1.0, (4, 3))):  # forces within narrower cones are within these, too
        narrow = {name: (mu * k, radius) for name, k in zip(friction, factors, strict=True)}
        away = ball.grasp_forces(q, v, a, narrow, least=other)[1] - force
        assert np.linalg.norm(away) > 1e-3 and slope @ away > -1e-6 * np.linalg.norm(slope)


def test_least_torques_are_less_than_those_of_least_forces(ball):
    friction = dict.fromkeys(ball.closure_names, FRICTION)
    found = {x: ball.grasp_forces(*in_motion(ball), friction, least=x) for x in ("forces", "torques")}
    assert np.linalg.norm(found["torques"][0]) < 0.999 * np.linalg.norm(found["forces"][0])
    assert np.linalg.norm(found["forces"][1]) < 0.999 * np.linalg.norm(found["torques"][1])


def test_two_hard_fingers_squeeze_as_much_as_friction_needs():
    """Each carries half of the weight, at the edge of its cone: f_n = m g / (2 μ)."""
    robot = box_in_hands(left=(kt.closures.HardFinger, -X), right=(kt.closures.HardFinger, X))
    q, rest = robot.assemble(), np.zeros(robot.nv)
    for mu in (0.3, 1.0):
        tau, force = robot.grasp_forces(q, rest, rest, {"left": mu, "right": mu})
        holds(robot, q, rest, rest, tau, force)
        for along, across, _ in on_fingers(robot, q, force):
            assert (along, across) == pytest.approx((WEIGHT / 2 / mu, WEIGHT / 2), rel=1e-6)


def test_a_point_without_friction_carries_the_weight_from_below():
    robot = box_in_hands(below=(kt.closures.FrictionlessPoint, -Z))
    q, rest = robot.assemble(), np.zeros(robot.nv)
    tau, force = robot.grasp_forces(np.stack([q, q]), rest, rest, {"below": None})
    assert (tau.shape, force.shape) == ((2, robot.nv), (2, 1))
    np.testing.assert_allclose(np.abs(force), WEIGHT, rtol=1e-8)
    holds(robot, q, rest, rest, tau[1], force[1])


@pytest.mark.parametrize(
    "normals, friction",
    [
        ({"above": (kt.closures.FrictionlessPoint, Z)}, {"above": None}),
        ({"left": (kt.closures.HardFinger, -X)}, {"left": 5.0}),
    ],
    ids=["it would have to pull", "nobody pushes back"],
)
def test_a_grasp_that_cannot_hold_is_an_error(normals, friction):
    robot = box_in_hands(**normals)
    q, rest = robot.assemble(), np.zeros(robot.nv)
    (name,) = normals
    with pytest.raises(kt.ModelError, match=f"no forces of the contacts '{name}' within their friction hold this"):
        robot.grasp_forces(q, rest, rest, friction)


@pytest.mark.parametrize(
    "friction, message",
    [
        ({"finger": (0.8, 0.01)}, "unknown closure 'finger'"),
        ({"{0}": 0.8}, r"must be \(coefficient, radius of the patch \[m\]\), got 0.8"),
        ({"{0}": (-0.8, 0.01)}, r"must be \(coefficient, radius"),
        ({"{0}": None}, r"must be \(coefficient, radius of the patch \[m\]\), got None"),
    ],
)
def test_frictions_that_cannot_be(ball, friction, message):
    given = {name.format(ball.closure_names[0]): x for name, x in friction.items()}
    rest = np.zeros(ball.nv)
    with pytest.raises(kt.InputError, match=message):
        ball.grasp_forces(ball.assemble(), rest, rest, given)


def test_only_contacts_have_friction():
    robot = kt.load("four_bar", backend="numpy")
    with pytest.raises(kt.InputError, match="'coupler-rocker': it is not a contact"):
        robot.grasp_forces(robot.assemble(), np.zeros(3), np.zeros(3), {"coupler-rocker": 0.5})


@pytest.mark.parametrize("contact", ["HardFinger", "SoftFinger", "FrictionlessPoint"])
def test_forces_in_the_axes_of_contacts(contact):
    """The same as those of the wrenches on the fingers, for one state and for many; the rest of λ does not matter."""
    kind = getattr(kt.closures, contact)
    robot = box_in_hands(left=(kind, -X), right=(kind, [0.6, 0.8, 0.0]))
    q = robot.assemble(robot.integrate(robot.assemble(), 0.3 * np.random.default_rng(0).normal(size=(3, robot.nv))))
    force = np.random.default_rng(1).normal(size=(3, robot.model.closure_rows))
    found = robot.contact_forces(q, force)
    assert tuple(found) == ("left", "right") and len(robot.closure_row_names) == robot.model.closure_rows
    for k in range(3):
        one = robot.contact_forces(q[k], force[k])
        for name, (along, across, moment) in zip(found, on_fingers(robot, q[k], force[k]), strict=True):
            np.testing.assert_array_equal(one[name], found[name][k])
            wanted = [along, across, moment] if contact == "SoftFinger" else [along, across]
            got = [one[name][0], np.linalg.norm(one[name][1:3]), *one[name][3:]]
            np.testing.assert_allclose(got, wanted, atol=1e-12)
    with pytest.raises(kt.InputError, match="force must have shape"):
        robot.contact_forces(q, force[:, 1:])
    with pytest.raises(kt.InputError, match="has no contacts"):
        kt.load("planar2r").contact_forces([0, 0], [])


def test_names_of_closure_rows():
    names = kt.load("three_fingers_ball").closure_row_names
    assert names[:4] == tuple(
        f"finger1_contact: {x}" for x in ("force along x", "force along y", "force along z", "moment about the normal")
    )
    for name in kt.robot_names(closed=True):
        robot = kt.load(name)
        assert len(robot.closure_row_names) == robot.model.closure_rows
    geared = kt.load("planar2r").with_closures(kt.closures.gear("joint1", "joint2", 2.0))
    assert len(geared.closure_row_names) == 1
