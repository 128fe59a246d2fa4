"""Worlds: what they are made of, which shapes may touch in them, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import inertia
from kinetrace.model import Geometry
from kinetrace.model.contact import ContactRules, Exclusion, PairRule
from kinetrace.worlds.scene import bound_scene

w = kt.worlds


def hopper(**surfaces: w.Surface) -> kt.Robot:
    """A trunk that floats, with two legs whose shanks carry a ball each, and a head without a shape."""
    b = kt.Builder("hopper")
    b.link("trunk", inertia=inertia.from_mass_com(4.0, np.zeros(3), 0.05 * np.eye(3)))
    b.geometry(Geometry("box", (0.4, 0.2, 0.1), "trunk", np.eye(4), "collision", surface=surfaces.get("trunk")))
    for side, y in (("left", 0.15), ("right", -0.15)):
        b.link(f"{side}_shank", inertia=inertia.from_mass_com(0.5, [0, 0, -0.1], 0.002 * np.eye(3)))
        b.joint(
            f"{side}_hip", kt.joints.Revolute([0, 1, 0]), parent="trunk", child=f"{side}_shank", placement=[0, y, 0]
        )
        b.joint(
            f"{side}_ankle", kt.joints.Fixed(), parent=f"{side}_shank", child=f"{side}_foot", placement=[0, 0, -0.3]
        )
        for name, kind, size, z in (("shank", "capsule", (0.02, 0.2), -0.15), ("foot", "sphere", (0.03,), 0.0)):
            link, X = f"{side}_{name}", np.eye(4)
            X[2, 3] = z
            b.geometry(Geometry(kind, size, link, X, "collision", surface=surfaces.get(link)))
    b.joint("neck", kt.joints.Revolute([0, 0, 1]), parent="trunk", child="head", placement=[0, 0, 0.1])
    b.link("head", inertia=inertia.from_mass_com(0.3, np.zeros(3), 0.001 * np.eye(3)))
    return kt.Robot(b.build(base="free", check="ignore"))


def pairs_of(robot: kt.Robot, *chosen: object, **world: object) -> set[str]:
    """The names of the pairs of a world."""
    made = kt.World(**{**({"pairs": list(chosen)} if chosen else {}), **world})
    return {x.name for x in robot.with_world(made).model.contacts.pairs}


FEET = {"left_foot-ground", "right_foot-ground"}
ALL = FEET | {"trunk-ground", "left_shank-ground", "right_shank-ground"}


def test_pairs_follow_their_rules():
    robot, crate = hopper(), {"crate": w.Box([0.2, 0.2, 0.2], mass=1.0, pose=[1, 0, 0.1])}
    wall = {"wall": w.Box([0.1, 2, 1], pose=[2, 0, 0.5])}
    assert pairs_of(robot, "feet") == FEET
    assert pairs_of(robot) == pairs_of(robot, "world") == ALL
    assert pairs_of(robot, "feet", objects={**crate, **wall}) == {
        *FEET,
        *(f"{side}_foot-{name}" for side in ("left", "right") for name in ("crate", "wall")),
        *("crate-ground", "crate-wall"),
    }
    assert pairs_of(robot, ("left_foot", "wall"), objects=wall) == {"left_foot-wall"}
    assert pairs_of(robot, ("robot", "wall"), objects=wall) == {x.replace("ground", "wall") for x in ALL}
    # the foot is fixed to its shank, a hip is a joint; what is left are the two legs
    between = {f"left_{a}-right_{b}" for a in ("shank", "foot") for b in ("shank", "foot")}
    assert pairs_of(robot, "self") == between
    assert pairs_of(robot, "all") == ALL | between
    lying = robot.with_home({"left_hip": 1.2}).with_home({"floating_base": [0, 0, 1, 1, 0, 0, 0]})
    assert pairs_of(lying, "feet") == FEET  # by where they are on their legs, not by where these are


def test_shapes_that_overlap_at_home_do_so_always():
    b = kt.Builder("arm")
    b.geometry(Geometry("sphere", (0.2,), "base", np.eye(4), "collision"))
    for k, (parent, reach) in enumerate([("base", 0.1), ("link1", 0.1), ("link2", 1.0)], 1):
        X = np.eye(4)
        X[0, 3] = reach
        b.joint(f"joint{k}", kt.joints.Revolute([0, 0, 1]), parent=parent, child=f"link{k}", placement=X)
        b.link(f"link{k}", inertia=np.eye(6))
        b.geometry(Geometry("sphere", (0.2,), f"link{k}", np.eye(4), "collision"))
    robot = kt.Robot(b.build(check="ignore"))
    assert pairs_of(robot, "all", ground=None) == {"link3-base", "link1-link3"}
    assert pairs_of(robot, "world") == {"link2-ground", "link3-ground"}  # link1 is in the ground, wherever it turns
    assert pairs_of(robot, ("link2", "base"), ground=None) == {"link2-base"}  # as it was asked for


def test_rules_of_files_hold():
    """Groups and masks for all rules, exclusions too; pairs of the file have laws of their own."""
    robot = hopper(trunk=w.Surface(group=2, mask=2), left_foot=w.Surface(w.ContactLaw(0.4)))
    rules = ContactRules((PairRule("trunk", "left_foot", w.ContactLaw(0.9)),), (Exclusion("right_foot", "world"),))
    robot = kt.Robot(replace(robot.model, contact_rules=rules))
    assert pairs_of(robot, "world") == ALL - {"trunk-ground", "right_foot-ground"} | {"trunk-left_foot"}
    assert "left_shank-right_foot" in pairs_of(robot, "rules")
    friction = {x.name: float(x.law.friction) for x in robot.with_world(kt.World()).model.contacts.pairs}
    assert friction == {
        **dict.fromkeys(("left_shank-ground", "right_shank-ground"), 1.0),
        **{"left_foot-ground": 0.4, "trunk-left_foot": 0.9},
    }


def test_laws_are_those_of_surfaces_unless_the_world_says_more():
    robot = hopper(left_foot=w.Surface(w.ContactLaw(0.4, restitution=0.2)))

    def law(name: str, **world: object) -> w.ContactLaw:
        model = robot.with_world(kt.World(pairs="feet", **world)).model
        return next(x.law for x in model.contacts.pairs if x.name == name)

    assert float(law("left_foot-ground").friction) == 0.4  # of the ground nothing is said
    assert float(law("left_foot-ground", ground=w.Plane(friction=0.7)).friction) == 0.7
    assert float(law("left_foot-ground", friction={"left_foot": 0.1, "right_foot": 0.2}).friction) == 0.1
    assert float(law("right_foot-ground", friction={("ground", "robot"): 0.3}).friction) == 0.3
    assert float(law("right_foot-ground", restitution=0.5).restitution) == 0.5
    both = law("left_foot-ground", laws={"left_foot-ground": w.ContactLaw(stiffness=1e4, damping=10.0)}, friction=0.6)
    assert (float(both.stiffness), float(both.friction), float(both.restitution)) == (1e4, 0.6, 0.0)


def test_worlds_are_values():
    """Equal if their content is, in and out of files, to the bit."""
    objects = {
        "crate": w.Box([0.2, 0.2, 0.1], mass=1.0, pose=np.array([[1, 0, 0.1], [0, 1, 0.1]]), friction=0.4),
        "hill": w.Heights(np.arange(12.0).reshape(3, 4) / 7.0, [2.0, 3.0], surface=w.Surface(group=2)),
        "hull": w.Hull(np.random.default_rng(0).normal(size=(9, 3)), mass=0.3, velocity=[0, 0, 0, 1, 0, 0]),
        "pill": w.Capsule(0.1, 0.3, color=(1, 0, 0, 1)),
        "arm": w.OtherRobot(kt.load("planar2r"), q=[0.1, 0.2], pose=[3, 0, 0]),
    }
    friction = {"crate": np.array([0.3, 0.1 + 0.2]), ("arm", "ground"): 0.2}
    world = kt.World(w.Plane([0.1, 0, 1], 0.3), objects, ["feet", ("arm", "crate")], friction, solver="newton")
    again = kt.World.from_json(world.to_json())
    assert again == world and hash(again) == hash(world) and repr(again) == repr(world)
    assert not any(x.flags.writeable for x in (w.Sphere(1.0).radius, w.Capsule(1.0, [1.0, 2.0]).length))
    assert kt.World() == kt.World(ground=True) != kt.World(friction=0.5) != kt.World(friction=0.6)
    for there, damaged, told in (
        ('"Box"', '"Bxo"', r"object 'crate': \"is\" must be one of 'Box', .*, got 'Bxo'"),
        ('"is": "Box", ', "", r"object 'crate': \"is\" must be .*, got None"),
        ('"radius"', '"radios"', "unknown field of object 'pill' 'radios'; did you mean 'radius'"),
        ('"radius": 0.1, ', "", "object 'pill' has no 'radius', which a Capsule needs"),
        ('{"group"', '{"groop"', "unknown field of surface of object 'hill' 'groop'; did you mean 'group'"),
        ('"friction": [[', '"friction": [["crate"], [', "friction must be lists of a name, a name and a value, got"),
        ('"solver"', '"slover"', "unknown field of world 'slover'; did you mean 'solver'"),
        ('"version": 1', '"version": 9', "version must be 1, got 9"),
        ('"kinetrace.world"', "3", 'one that World.save wrote begins with {"format": "kinetrace.world"'),
        ("{", "[", "JSONDecodeError: "),
    ):
        assert there in world.to_json()
        with pytest.raises(kt.InputError, match=f"the text holds no world: .*{told}"):
            kt.World.from_json(world.to_json().replace(there, damaged, 1))


def test_solids_have_the_inertia_of_uniform_density():
    """Of hulls with the corners of a box, and of capsules that are nearly balls or rods."""
    lengths = np.array([0.2, 0.3, 0.4])
    corners = np.array(np.meshgrid(*np.stack([-lengths, lengths]).T / 2.0)).reshape(3, -1).T
    box = w.Box(lengths, mass=2.0).spatial_inertia
    assert np.allclose(w.Hull(corners, mass=2.0).spatial_inertia, box, rtol=0, atol=1e-15)
    ball = w.Sphere(0.1, mass=2.0).spatial_inertia
    assert np.allclose(w.Capsule(0.1, 1e-12, mass=2.0).spatial_inertia, ball, rtol=0, atol=1e-12)
    assert np.allclose(w.Ellipsoid([0.1] * 3, mass=2.0).spatial_inertia, ball, rtol=0, atol=1e-16)
    rod = w.Cylinder(1e-6, 1.0, mass=2.0).spatial_inertia
    assert np.allclose(w.Capsule(1e-6, 1.0, mass=2.0).spatial_inertia, rod, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: w.Box([1, 1, 0]), r"Box: its size must be positive, got \[1, 1, 0\]"),
        (lambda: w.Sphere(np.nan), "Sphere: radius must be finite"),
        (lambda: w.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), "at least four that are not in a plane"),
        (lambda: w.Box([1, 1, 1], friction=-0.1), "Box: contact: friction must be finite and not negative"),
        (lambda: w.Box([1, 1, 1], mass=0.0), "Box: mass must be a number above zero, or None of what is fixed"),
        (lambda: w.Box([1, 1, 1], velocity=np.zeros(6)), "velocity is of objects with a mass"),
        (lambda: w.Box([1, 1, 1], pose=[0, 0, 0, 0.5, 0, 0, 0]), "quaternion .* must have length 1, got"),
        (lambda: w.Sphere([0.1, 0.2], mass=1.0), r"Sphere: only fixed objects have a size for each lane.*\(2, 1\)"),
        (lambda: w.Sphere(0.1, friction=[0.1, 0.2]), r"Sphere: friction must be one number.*World\(friction=...\)"),
        (lambda: w.Sphere(0.1, surface=w.Surface(w.ContactLaw(rolling=[0, 1]))), "surface: rolling must be one number"),
        (lambda: kt.World(laws=w.ContactLaw([0.1, 0.5])), r"laws: friction must be one .*\(2,\); friction per lane is"),
        (lambda: kt.World(laws={"a": w.ContactLaw(stiffness=[1, 2])}), r"laws\['a'\]: stiffness must be one number"),
        (lambda: w.Sphere(0.1, mass=1.0, inertia=-np.eye(3)), "Sphere: inertia: .*negative principal moment"),
        (lambda: w.Sphere(0.1, mass=1.0, inertia=np.diag([1, 1, 3])), "break the triangle inequality: 1 \\+ 1 < 3"),
        (lambda: w.Sphere(0.1, mass=1.0, inertia=np.zeros((3, 3))), "Sphere: inertia: it must not be zero"),
        (lambda: w.Sphere(0.1, mass=1.0, inertia=np.triu(np.ones((3, 3)))), "Sphere: inertia must be symmetric"),
        (lambda: w.Sphere(0.1, mass=1.0, inertia=np.zeros((2, 3, 3))), r"inertia must have shape \(3, 3\), got \(2, 3"),
        (lambda: w.Sphere(0.1, mass=1.0, inertia=[1, 1, 1]), r"inertia must have shape \(3, 3\), got \(3,\)"),
        (lambda: w.Hull(np.zeros((2, 4, 3))), r"Hull: points must have shape \(k, 3\)"),
        (lambda: w.Plane(pose=[0, 0, 1]), "Plane: it takes a normal and a height instead of a pose"),
        (lambda: w.Plane([0, 0, 0]), "its normal must not be zero"),
        (lambda: w.Heights(np.zeros((1, 5)), [1, 1]), "at least 2 × 2 heights"),
        (lambda: kt.World(friction=[0.5, -0.5]), "friction must not be negative, got -0.5"),
        (lambda: kt.World(pairs="fett"), "unknown pairs 'fett'; did you mean 'feet'"),
        (lambda: kt.World(pairs=[]), r"pairs is empty, .*: give 'world', 'feet', .*, or pairs of names"),
        (lambda: kt.World(meshes="foo"), "meshes: 'foo' is none of 'hull', 'points'"),
        (lambda: kt.World(meshes={"a": 3}), "meshes: 3 is none of 'hull', 'points'"),
        (lambda: kt.World(objects={"a": kt.load("planar2r")}), r"OtherRobot\(robot, pose=...\) places a robot"),
        (lambda: kt.World(ground=w.Box([1, 1, 1], mass=1.0)), "ground must be 'flat', None, or a fixed object"),
        (lambda: kt.World(restitution=1.5), "restitution must be a number from 0 to 1"),
        (lambda: kt.World(solver="fast"), "unknown solver 'fast'"),
    ],
)
def test_what_no_world_can_have_is_named(make, told):
    with pytest.raises(kt.InputError, match=told):
        make()


@pytest.mark.parametrize(
    ("world", "told"),
    [
        ({"ground": None}, "no shapes may touch: the world has neither ground nor objects"),
        ({"pairs": [("left_foot", "grond")]}, "unknown name in pairs 'grond'; did you mean 'ground'"),
        ({"pairs": [("head", "ground")]}, "link 'head' has no collision shapes; these links have: trunk, left_shank"),
        ({"pairs": [("left_foot", "left_shank")]}, "'left_foot' and 'left_shank' cannot touch: both are on one body"),
        ({"pairs": [("ground", "slope")], "objects": {"slope": w.Plane()}}, "both are fixed to the world"),
        ({"friction": {"left_fot": 0.5}}, "unknown name in friction 'left_fot'; did you mean 'left_foot'"),
        ({"objects": {"trunk": w.Sphere(1.0)}}, "the robot has joints or frames of the names 'trunk'"),
    ],
)
def test_what_a_robot_cannot_meet_is_named(world, told):
    with pytest.raises(kt.InputError, match=told):
        hopper().with_world(kt.World(**world))


def test_other_refusals_name_the_remedy(monkeypatch):
    robot, z = kt.load("planar2r"), np.zeros(2)
    with pytest.raises(kt.InputError, match=r"'planar2r' has no collision shapes. They are <collision> of URDF"):
        robot.with_world(kt.World())
    world = kt.World(objects={"ball": w.Sphere(0.1, mass=1.0, pose=[2, 0, 1])})
    for method in ("rk4", "variational", "DOP853"):
        with pytest.raises(kt.InputError, match=f"'{method}' cannot step in a world.*'semi-implicit' and 'implicit'"):
            robot.simulate(z, z, 0.1, 0.01, world=world, method=method)
    with pytest.raises(kt.InputError, match=r"events .* cannot step in a world, .*: .* motion\.contacts\.touches"):
        robot.simulate(z, z, 0.1, 0.01, world=world, events=lambda t, q, v: q[0])
    with pytest.raises(kt.InputError, match="the world rests with the base"):
        robot.simulate(z, z, 0.1, 0.01, world=world, base_velocity=np.zeros(6))
    with pytest.raises(kt.InputError, match="is in a world already"):
        robot.with_world(world).with_world(world)
    with pytest.raises(kt.InputError, match=r"world must be a kt\.World, got 3"):
        robot.simulate(z, z, 0.1, 0.01, world=3)
    monkeypatch.setattr("kinetrace.worlds.checks.MOST_SLOTS", 3)
    with pytest.raises(kt.InputError, match=r"4 slots, more than 3 that compile: choose fewer, as pairs='feet'"):
        balls = {f"ball{k}": w.Sphere(0.1, mass=1.0, pose=[k, 0, 1]) for k in range(3)}
        robot.with_world(kt.World(objects=balls, pairs=[("ball0", "ball1"), *((x, "ground") for x in balls), "self"]))


def test_a_structure_has_one_robot():
    """Numbers that are inputs of steps change none of it: poses and sizes of what is fixed, friction, the ground."""
    robot = hopper()

    def scene(x: float, **more: object) -> object:
        wall = w.Box([0.1, 2.0 + x, 1.0], pose=[2.0 + x, 0, 0.5])
        return bound_scene(robot, kt.World(w.Plane([x, 0, 1], x), {"wall": wall}, "feet", 0.5 + x, **more))

    a, b = scene(0.1), scene(0.2)
    assert a.robot is b.robot is not scene(0.1, solver="newton").robot
    assert set(a.contact) == {"ground.pose", "wall.pose", "wall.size", "friction"}
