"""Robots that are built: masses, placements and axes in every form, what `build` takes, mistakes of the first hour."""

import pickle

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import inertia, se3
from kinetrace.model import joints

Y = joints.Revolute("y")


def arm(**options):
    """Two links, whose second one carries a tip."""
    b = kt.Builder("arm")
    b.link("base")
    for name, parent, at in (("upper", "base", 0.0), ("lower", "upper", 0.5)):
        b.link(name, mass=1.0, com=[0, 0, 0.25], inertia=[0.02, 0.02, 0.001])
        b.joint(f"{name}_joint", Y, parent=parent, child=name, placement=[0, 0, at])
    b.frame("tip", "lower", [0, 0, 0.5])
    return b


def test_forms_of_an_inertia_agree():
    I, c = np.diag([0.3, 0.2, 0.4]), np.array([1, 0, -2])
    given = [
        {"mass": 2, "com": [1, 0, -2], "inertia": [0.3, 0.2, 0.4]},
        {"mass": 2.0, "com": tuple(c), "inertia": I},
        {"inertia": inertia.from_mass_com(2.0, c, I)},
    ]
    made = []
    for words in given:
        b = kt.Builder("x")
        b.link("x", **words)
        made.append(b.build("free").bodies[0].J)
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[0], made[2])
    b = kt.Builder("x")
    b.link("x", mass=1.0)
    with pytest.warns(kt.PhysicsWarning):
        model = b.build("free")
    np.testing.assert_array_equal(model.bodies[0].J, np.diag([0, 0, 0, 1.0, 1, 1]))


def test_axes_by_name():
    for kind in (joints.Revolute, joints.Continuous, joints.Prismatic, joints.Helical, joints.Cylindrical):
        for k, name in enumerate("xyz"):
            for sign, word in ((1, name), (1, f"+{name}"), (-1, f"-{name}"), (-1, f"-{name.upper()}")):
                assert kind(word) == kind(sign * np.eye(3)[k] + 0.0)
    assert joints.Universal("x", "-y") == joints.Universal([1, 0, 0], [0, -1, 0])
    assert joints.Planar("y") == joints.Planar([0, 1, 0])
    assert kt.closures.HardFinger("-z") == kt.closures.HardFinger([0, 0, -1])
    for word in ("w", "xy", "", "yaw", "--x"):
        with pytest.raises(
            kt.ModelError, match="axis of a Revolute joint must be 3 numbers or one of 'x', 'y', 'z', '-x'"
        ):
            joints.Revolute(word)


def test_a_position_is_a_placement():
    shift, X = [0.1, 0, 0.3], se3.pose(np.eye(3), [0.1, 0, 0.3])
    models = []
    for at in (shift, X):
        b = arm()
        b.link("hand", mass=1.0, inertia=[0.1, 0.1, 0.1])
        b.joint("wrist", Y, parent="lower", child="hand", placement=at, child_placement=at)
        b.frame("camera", "hand", at)
        b.close("hand", "world", kt.closures.FrictionlessPoint(), placement_a=at, placement_b=at)
        models.append(b.build())
    assert models[0] == models[1]


def test_what_closed_robots_need():
    b = kt.Builder("four_bar")
    for name, parent, at, length in (
        ("crank", "base", 0, 0.2),
        ("coupler", "crank", 0.2, 0.5),
        ("rocker", "base", 0.6, 0.4),
    ):
        b.link(name, mass=1.0, com=[length / 2, 0, 0], inertia=[0.001, 0.01, 0.01])
        b.joint(name, joints.Revolute("-y"), parent=parent, child=name, placement=[at, 0, 0])
    b.close("coupler", "rocker", Y, placement_a=[0.5, 0, 0], placement_b=[0.4, 0, 0])
    home = {"crank": 1.0, "coupler": -0.6, "rocker": 1.4}
    model = b.build(home=home, motors=["crank"], independent="rocker")
    assert pickle.loads(pickle.dumps(model)) == model and model.wanted_independent == (2,)
    robot = kt.Robot(model, backend="numpy")
    assert robot.independent == (2,) and robot.motor_names == ("crank",) and robot.model.wanted_independent is None
    robot.check(robot.home())
    assert np.abs(robot.home() - [1.0, -0.6, 1.4]).max() < 0.3
    assert kt.Robot(b.build(guess=home, motors=["crank"], independent="rocker"), backend="numpy") == robot
    again = robot.with_closures(independent=["crank"])
    assert again.independent == (0,) and kt.load(model, backend="numpy") == robot
    flying = kt.Robot(b.build("free", home=home, independent=["crank"]), backend="numpy")
    assert flying.independent == (0, 1, 2, 3, 4, 5, 6)
    for words, told in (
        ({"independent": ["crnk"]}, "unknown joint 'crnk'; did you mean 'crank'"),
        ({"independent": ["crank", "rocker"]}, "has 1 degrees of freedom, got 2 velocities"),
        ({"motors": ["crnk"]}, "unknown joint 'crnk'; did you mean 'crank'"),
        ({"home": {"crnk": 1.0}}, "unknown joint 'crnk'; did you mean 'crank'"),
        ({"guess": home, "home": home}, "they are closed from home, which is given too"),
        ({"guess": [1.0]}, r"guess must be one configuration of shape \(3,\)"),
    ):
        with pytest.raises(kt.InputError, match=told):
            kt.Robot(b.build(**words), backend="numpy")


def test_home_of_a_built_robot():
    b = arm()
    b.start({"upper_joint": 0.3, "lower_joint": 0.4})
    assert kt.Robot(b.build(home={"lower_joint": 0.5}), backend="numpy").home().tolist() == [0.3, 0.5]
    assert kt.Robot(b.build(home=[0.1, 0.2]), backend="numpy").home().tolist() == [0.1, 0.2]
    b.start({"floating_base": [0, 0, 1, 1, 0, 0, 0]})  # for a base that floats
    assert b.build().start.tolist() == [0.3, 0.4]
    assert b.build("free", check="ignore").start.tolist() == [0, 0, 1, 1, 0, 0, 0, 0.3, 0.4]


MISTAKES = {
    "no links": (lambda b: kt.Builder("r").build(), "Builder.link and Builder.joint declare them"),
    "parent misspelt": (
        lambda b: b.joint("j", Y, parent="lowr", child="hand"),
        "The parent of joint 'j' is not declared: unknown link 'lowr'; did you mean 'lower'",
    ),
    "child misspelt": (
        lambda b: [b.link("hand", mass=1), b.joint("j", Y, parent="lower", child="hnd")],
        "The child of joint 'j' is not declared: unknown link 'hnd'; did you mean 'hand'",
    ),
    "two roots": (
        lambda b: b.link("other", mass=1),
        "'base', 'other' all have no parent; each but one, the root, must",
    ),
    "a cycle": (lambda b: b.joint("j", Y, parent="lower", child="base"), "form a cycle .* closed by Builder.close"),
    "two parents": (
        lambda b: b.joint("j", Y, parent="base", child="lower"),
        "not a tree. A loop is closed by Builder.close",
    ),
    "moments without mass": (lambda b: b.link("x", inertia=[1, 1, 1]), "need the mass, too, mass=..."),
    "centre without mass": (lambda b: b.link("x", com=[0, 0, 1]), "a centre of mass needs the mass, too: mass=..."),
    "mass by place": (lambda b: b.link("x", 1.0), "a mass is given by name"),
    "both": (
        lambda b: b.link("x", np.eye(6), mass=1),
        "has its mass and centre of mass in it: leave out mass and com",
    ),
    "six moments": (lambda b: b.link("x", [1, 0, 0, 1, 0, 1], mass=1), r"it is \[\[ixx, ixy, ixz\]"),
    "asymmetric": (lambda b: b.link("x", [[1, 1, 0], [0, 1, 0], [0, 0, 1]], mass=1), "inertia must be symmetric"),
    "com of two": (lambda b: b.link("x", mass=1, com=[0, 1]), r"com must be 3 numbers, .* got shape \(2,\)"),
    "com of nan": (lambda b: b.link("x", mass=1, com=[0, 0, np.nan]), "com must be finite numbers"),
    "mass of text": (lambda b: b.link("x", mass="1 kg"), "mass must be a real number, got '1 kg'"),
    "a keyword": (lambda b: b.link("x", masss=1), "unknown keyword of link 'masss'; did you mean 'mass'"),
    "origin": (lambda b: b.joint("j", Y, parent="lower", child="x", origin=[0] * 3), "did you mean 'placement'"),
    "rpy": (lambda b: b.joint("j", Y, parent="lower", child="x", placement=[0] * 6), "so3.from_rpy"),
    "a rotation": (lambda b: b.frame("f", "lower", np.eye(3)), r"se3.pose\(R, \[x, y, z\]\)"),
    "a class": (
        lambda b: b.joint("j", joints.Revolute, parent="lower", child="x"),
        r"got the class; write Revolute\(...\)",
    ),
    "a frame on a joint": (lambda b: b.frame("f", "lower_joint"), "Joint 'lower_joint' moves the link 'lower'"),
    "a loop on a joint": (lambda b: b.close("lower_joint", "world", Y), "Joint 'lower_joint' moves the frame 'lower'"),
    "a mimic": (
        lambda b: b.joint("j", Y, parent="lower", child="x", mimic=("lower_jont", 1, 0)),
        "did you mean 'lower_joint'",
    ),
    "independent of a tree": (
        lambda b: b.build(independent=["lower_joint"]),
        "has no closures; all its velocities are",
    ),
    "a shape": (lambda b: b.geometry("box"), "geometry: expected a shape such as kinetrace.model.Geometry"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_of_the_first_hour(name):
    make, told = MISTAKES[name]
    builder = arm()
    with pytest.raises(kt.KinetraceError, match=told):
        make(builder)
        builder.build(check="ignore")


def test_a_builder_is_no_robot():
    with pytest.raises(
        AttributeError, match=r"a builder has no 'gravity'; .*kt.Robot\(builder.build\(\)\) makes a robot"
    ):
        arm().gravity([0.0, 0.0])
    with pytest.raises(AttributeError, match=r"did you mean builder\.joint"):
        arm().joints("a")
    assert pickle.loads(pickle.dumps(arm())).build() == arm().copy().build()


def test_limits_without_speeds_and_forces_have_no_bounds_there():
    for joint in (kt.joints.Revolute("y"), kt.joints.Universal(), kt.joints.Planar()):
        b = kt.Builder("arm")
        b.link("arm", mass=1.0, inertia=[0.1, 0.1, 0.1])
        b.joint("j", joint, parent="base", child="arm", limits=kt.Limits(-np.ones(joint.nq), np.ones(joint.nq)))
        limits = b.build().bodies[0].limits
        assert limits.upper.tolist() == [1.0] * joint.nq
        assert limits.velocity.tolist() == limits.effort.tolist() == [np.inf] * joint.nv
    with pytest.raises(kt.ModelError, match=r"limits.velocity must have shape \(3,\), got \(1,\)"):
        kt.Builder("b").joint("j", joint, parent="a", child="b", limits=kt.Limits([-1] * 3, [1] * 3, velocity=2.0))
