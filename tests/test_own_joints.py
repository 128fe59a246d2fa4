"""Joints of users' own classes, with any number of velocities, in whatever lists joints and their variables."""

import json
import math

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import se3, so3
from kinetrace.model.configurations import q_parts, q_units, v_parts, v_units
from kinetrace.simulation.metadata import names_of
from kinetrace.view.live import sliders
from own_joints import OWN, arm


@pytest.fixture(scope="module", params=OWN, ids=lambda kind: kind.__name__)
def robot(request):
    return kt.Robot(arm(request.param()), backend="numpy")


def test_texts_and_pictures(robot):
    own = robot.model.bodies[1].joint
    assert f"own ({type(own).__name__.lower()}" in str(robot.info())
    assert json.loads(json.dumps(dict(robot.info())))["joints"][1]["units"] == q_units(own)
    assert "own" in robot._repr_html_() and robot.motor_names == ("hinge", "own")
    assert "arm" in str(robot.doctor())
    pytest.importorskip("matplotlib").use("Agg")
    robot.draw(robot.random(seed=1))
    robot.plot("mass_matrix")


def test_the_laws_of_mechanics_are_checked(robot):
    """By the method of the robot, since no command knows such joints."""
    found = robot.verify(states=2, seed=3)
    assert found.holds and found and not found.wrong and 0.0 < found.worst < 1e-9
    assert str(found) == repr(found) and f"arm, 2 random states: all {found.computed} identities hold" in str(found)
    assert len(found) == found.computed + sum(map(len, found.skipped.values()))


def test_a_joint_that_is_wrong_somewhere_is_found():
    """Beyond the configurations at which joints are looked at when a robot is built; and arguments are checked."""

    class Slipping(kt.joints.Joint):
        nq = nv = 1

        def placement(self, q):
            R = kt.lie.so3.exp(kt.arrays.stack([0.0, 0.0, q[0]]))
            return kt.lie.se3.pose(R, kt.arrays.stack([0.0, 0.0, 0.1 * q[0]]))

        def subspace(self, q):
            return kt.arrays.stack([0.0, 0.0, 1.0, 0.0, 0.0, kt.arrays.where(q[0] > 2.0, 0.2, 0.1)]).reshape(6, 1)

    b = kt.Builder("thread")
    b.link("nut", mass=2.0, inertia=[0.005, 0.005, 0.01])
    b.joint("turn", Slipping(), parent="base", child="nut")
    robot = kt.Robot(b.build(), backend="numpy")
    found = robot.verify()
    assert not found.holds and not found and found.wrong[0].identity.name == "velocity_is_the_rate_of_the_pose"
    assert f"WRONG: {len(found.wrong)} of {found.computed} identities fail\nWRONG: velocity_is_the_rate" in str(found)
    assert robot.verify(tolerance=1e3).holds
    for wrong in ({"states": 0}, {"states": 1.5}, {"seed": -1}, {"tolerance": 0.0}):
        with pytest.raises(kt.InputError, match=f"{next(iter(wrong))} must be"):
            robot.verify(**wrong)


def test_every_variable_has_a_name_and_a_unit(robot, tmp_path):
    joint, names = robot.model.bodies[1].joint, names_of(robot.model)
    for parts, units, n in ((q_parts(joint), q_units(joint), joint.nq), (v_parts(joint), v_units(joint), joint.nv)):
        assert len(parts) == len(set(parts)) == len(units) == n
    assert len(set(names.q)) == len(names.q_units) == robot.nq and len(set(names.v)) == len(names.v_units) == robot.nv
    labels = [x.label for x in sliders(robot.model)]
    assert len(set(labels)) == len(labels)
    if robot.model.massless:  # of eight velocities
        robot = robot.with_joint_effects("own", armature=0.1)
    motion = robot.simulate(robot.random(seed=1), np.zeros(robot.nv), t=0.002, dt=0.001)
    for suffix in (".csv", ".npz"):
        motion.save(tmp_path / f"motion{suffix}")
        assert np.allclose(kt.Trajectory.load(tmp_path / f"motion{suffix}").q, motion.q)


def test_quaternions_are_found_where_they_stand():
    """Units follow the quaternion of a joint, not its place behind a position."""
    circle, boom = OWN[-2](), OWN[-1]()
    assert q_units(boom) == ["1", "1", "1", "1", "m"] and v_parts(boom) == ["ωx", "ωy", "ωz", "vx"]
    assert q_units(circle) == ["1", "1"]
    assert q_units(kt.joints.Free()) == [*"mmm", *"1111"] and v_parts(kt.joints.Planar()) == ["x", "y", "∠"]


def test_what_does_not_move_has_no_motor():
    class Glued(kt.joints.Joint):
        nq = nv = 0
        placement, subspace = kt.joints.Fixed().placement, kt.joints.Fixed().subspace

    assert not kt.joints.Fixed().has_motor and not Glued().has_motor and not kt.joints.Free().has_motor
    assert all(joint.has_motor for joint in (kt.joints.Revolute(), kt.joints.Spherical(), OWN[0]()))
    b = kt.Builder("glued")
    for name in ("a", "b"):
        b.link(name, kt.lie.inertia.from_mass_com(1.0, [0.1, 0, 0], np.eye(3)))
    b.joint("hinge", kt.joints.Revolute(), parent="base", child="a")
    b.joint("glue", Glued(), parent="a", child="b")
    robot = kt.Robot(b.build(), backend="numpy")
    assert robot.motor_names == ("hinge",) and robot.nv == 1
    assert "glue" in str(robot.info()) and "glue" in robot._repr_html_()


OF_UNIVERSAL = kt.joints.Universal()


def _in_axes_of_the_joint(q):
    return kt.lie.Ad(OF_UNIVERSAL.placement(q), OF_UNIVERSAL.subspace(q).T).T


def _turned(x):
    return kt.lie.se3.pose(np.eye(3), np.array([x, 0.0, 0.0]))


class Universal(kt.joints.Joint):
    """As kt.joints.Universal; what is overridden may be wrong."""

    nq = nv = 2
    placement, subspace = kt.joints.Universal().placement, kt.joints.Universal().subspace


WRONG = {
    "subspace": lambda self, q: 1.0001 * kt.joints.Universal().subspace(q),
    "subspace_rate": lambda self, q, v: np.zeros((6, 2)),
    "bias": lambda self, q, v: np.zeros(6),
    "bias_gradient": lambda self, q, v: np.zeros((6, 2)),
    "placement": lambda self, q: 1.001 * kt.joints.Universal().placement(q),
    "difference": lambda self, q0, q1: 0.5 * (q1 - q0),
}


@pytest.mark.parametrize("name", WRONG)
def test_methods_that_contradict_each_other_are_refused(name):
    wrong = type("Wrong", (Universal,), {name: WRONG[name], "__module__": __name__})
    b = kt.Builder("arm")
    with pytest.raises(kt.ModelError, match=rf"joint 'u': Wrong\.(\w+\(.*)?{name}\(.*is off by"):
        b.joint("u", wrong(), parent="base", child="tip")
    b.joint("v", Universal(), parent="base", child="tip")


class Ball(kt.joints.Joint):
    """A spherical joint without what says how rotations follow each other."""

    nq, nv, quaternion = 4, 3, slice(0, 4)
    placement, subspace = kt.joints.Spherical().placement, kt.joints.Spherical().subspace
    integrate, difference = kt.joints.Spherical().integrate, kt.joints.Spherical().difference
    tangent, neutral, random = (
        kt.joints.Spherical().tangent,
        kt.joints.Spherical().neutral,
        kt.joints.Spherical().random,
    )


def test_quaternions_without_a_bracket_are_refused():
    with pytest.raises(kt.ModelError, match=r"joint 'b': Ball\.\w+\(.*is off by"):
        kt.Builder("arm").joint("b", Ball(), parent="base", child="tip")


def test_joints_are_checked_within_their_limits():
    class Toggle(kt.joints.Joint):
        nq = nv = 1

        def placement(self, q):
            return kt.lie.se3.pose(np.eye(3), kt.arrays.stack([kt.arrays.sqrt(1.0 - 4.0 * q[0] * q[0]), 0.0, 0.0]))

        def subspace(self, q):
            slope = -4.0 * q[0] / kt.arrays.sqrt(1.0 - 4.0 * q[0] * q[0])
            return kt.arrays.stack([[0.0], [0.0], [0.0], [slope], [0.0], [0.0]], axis=0)

    class Root(kt.joints.Joint):
        nq = nv = 1

        def placement(self, q):
            return kt.lie.se3.pose(np.eye(3), kt.arrays.stack([kt.arrays.sqrt(q[0]), 0.0, 0.0]))

    def declare(joint, *limits):
        given = {"limits": kt.Limits(*(np.array([x]) for x in (*limits, 1.0, 1.0)))} if limits else {}
        kt.Builder("slider").joint("t", joint, parent="base", child="block", **given)

    declare(Toggle(), -0.3, 0.3)
    declare(Root(), 0.1, 3.0)  # the neutral configuration is beyond these
    for joint, *limits, why in (
        (Toggle(), r"Toggle\.placement\(q\) is not finite at q = \[.*\]: give limits= within which it is"),
        (Root(), r"Root\.placement\(q\) has no finite derivative at q = \[0\.0\]: give limits="),
        (Root(), 0.0, 3.0, r"no finite derivative at q = \[0\.0\]"),
        (Root(), -0.4, 3.0, r"Root\.placement\(q\) "),
    ):
        with pytest.raises(kt.ModelError, match=why):
            declare(joint, *limits)


def test_a_branch_on_a_variable_is_refused_where_the_joint_is_declared():
    """On floats and dual numbers it runs; what is compiled later cannot hold both ways."""

    def branch(self, q):
        return kt.lie.se3.pose(np.eye(3), kt.arrays.stack([q[0] if q[0] > 0 else 2.0 * q[0], 0.0, 0.0]))

    def folded(self, q0, q1):
        return q1 - q0 if q1[0] > q0[0] else -(q0 - q1)

    for name, method, said in (("placement", branch, "q"), ("difference", folded, "q, q")):
        kind = type("Fold", (kt.joints.Joint,), {"nq": 1, "nv": 1, "placement": kt.joints.Prismatic().placement})
        kind = type("Fold", (kind,), {name: method, "__module__": __name__})
        with pytest.raises(kt.ModelError, match=rf"Fold\.{name}\({said}\) raises TracedError: .*where for if"):
            kt.Builder("slider").joint("t", kind(), parent="base", child="block")


def test_a_joint_with_texts_is_looked_at():
    """Whether fields are numbers or not."""
    wrong = type("Wrong", (Universal,), {"subspace": WRONG["subspace"], "__module__": __name__})()
    wrong.label, wrong.other, wrong.law = "text", None, np.sin
    with pytest.raises(kt.ModelError, match=r"Wrong\.placement\(q\) or subspace\(q\) is off by"):
        kt.Builder("arm").joint("u", wrong, parent="base", child="tip")


def test_the_variables_of_a_manifold_are_told():
    class Misread(kt.joints.Joint):
        manifold = (2, kt.joints.Free())

        def placement(self, q):
            return kt.lie.se3.pose(kt.lie.so3.from_quaternion(q[2:6]), q[6:])

    told = r"By its manifold, q\[0:2\] are coordinates, q\[2:9\] are position x, y, z and quaternion w, x, y, z"
    with pytest.raises(kt.ModelError, match=rf"Misread\.placement\(q\) is off by .* it must be a pose, .*{told}"):
        kt.Builder("arm").joint("u", Misread(), parent="base", child="tip")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("subspace", lambda self, q: np.zeros(6), r"subspace\(q\) must have shape \(6, 2\)"),
        ("placement", lambda self, q: np.eye(3), r"placement\(q\) must have shape \(4, 4\)"),
        ("placement", lambda self, q: None, r"placement\(q\) "),
        ("placement", lambda self, q: np.full((4, 4), np.nan), "placement.q. is not finite at"),
        ("placement", lambda self, q: kt.joints.Universal().placement(q) @ np.diag([1, 1, -1, 1]), "off by"),
        ("placement", lambda self, q: _turned(math.cos(q[0])), r"placement\(q\) raises TypeError.*kt\.arrays\.cos"),
        ("subspace", lambda self, q: math.cos(q[0]) * OF_UNIVERSAL.subspace(q), r"subspace\(q\) raises TypeError"),
        ("subspace", lambda self, q: OF_UNIVERSAL.subspace(q)[[3, 4, 5, 0, 1, 2]], r"p.*\. Column 0 is .* linear rows"),
        (
            "subspace",
            lambda self, q: _in_axes_of_the_joint(q),
            r"p.*\. Column [01] is .* axes of the joint's frame, not",
        ),
    ],
)
def test_results_of_the_wrong_kind_name_joint_and_method(name, value, why):
    wrong = type("Wrong", (Universal,), {name: value, "__module__": __name__})
    with pytest.raises(kt.ModelError, match=rf"joint 'u': Wrong\.{why}" if why[0] in "sp" else why):
        kt.Builder("arm").joint("u", wrong(), parent="base", child="tip")


class Pose(kt.joints.Joint):
    """Any motion, by three coordinates and three angles."""

    nq = nv = 6

    def placement(self, q):
        return se3.pose(so3.from_rpy(q[3:]), q[:3])


class Parts(kt.joints.Joint):
    """Any motion, by three coordinates and a unit quaternion."""

    manifold = (3, kt.joints.Spherical())

    def placement(self, q):
        return se3.pose(so3.from_quaternion(q[3:]), q[:3])


@pytest.mark.parametrize("kind", [Pose, Parts])
def test_six_velocities_are_no_twist(kind):
    """All methods move what flies by a joint of one's own as `Free` does."""

    def flying(joint):
        b = kt.Builder("drone")
        b.link("hull", mass=2.0, com=[0.1, 0.0, 0.05], inertia=[0.05, 0.06, 0.04])
        b.joint("fly", joint, parent="world", child="hull")
        return kt.Robot(b.build())

    own, free = flying(kind()), flying(kt.joints.Free())
    q, v = own.neutral(), np.array([0.3, -0.2, 2.0, 0.5, 0.4, 1.0])
    twist = own.model.bodies[0].joint.subspace(q) @ v
    wanted = free.simulate(free.neutral(), twist, t=0.5, dt=1e-3)
    for method in ("rkmk4", "rk4"):
        found = own.simulate(q, v, t=0.5, dt=1e-3, method=method)
        np.testing.assert_allclose(own.pose(found.q, "hull"), free.pose(wanted.q, "hull"), rtol=0, atol=1e-9)  # order 4
