"""`kinetrace diff` and `robot.difference_to`: what differs is named with its numbers, and nothing else is."""

import dataclasses
import json

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.analysis.compare import differences
from kinetrace.cli import main
from kinetrace.lie import inertia, se3, so3
from kinetrace.model.contact import ContactRules


@pytest.fixture(scope="module")
def pair():
    """An arm with a mimic joint, and what edits make of it."""
    b = kt.Builder("arm")
    J = inertia.from_mass_com(2.0, [0.0, 0.0, 0.1], np.diag([0.02, 0.03, 0.04]))
    b.joint("a", kt.joints.Revolute([0, 1, 0]), parent="base", child="one", limits=kt.Limits(-1, 1, 3, 9))
    b.joint(
        "b",
        kt.joints.Universal([1, 0, 0], [0, 1, 0]),
        parent="one",
        child="two",
        placement=se3.pose(np.eye(3), [0, 0, 0.3]),
    )
    b.joint("c", kt.joints.Prismatic([0, 0, 1]), parent="two", child="left")
    b.joint("d", kt.joints.Prismatic([0, 0, 1]), parent="two", child="right", mimic=("c", -1.0, 0.0))
    for name in ("one", "two", "left", "right"):
        b.link(name, J)
    b.frame("tool", "right", se3.pose(np.eye(3), [0.1, 0.0, 0.0]))
    return kt.Robot(b.build())


def body(robot, i, **changes):
    """The robot with another body."""
    bodies = list(robot.model.bodies)
    bodies[i] = dataclasses.replace(bodies[i], **changes)
    return kt.Robot(dataclasses.replace(robot.model, bodies=tuple(bodies)))


def turned(X, shift, angle):
    return X @ se3.pose(so3.exp(np.array([0.0, 0.0, angle])), np.array(shift))


def edits(robot):
    """Words of the difference → the robot that has it, and whether it moves in the same way."""
    x = robot.model.bodies
    J = inertia.from_mass_com(2.0, [0.0, 0.005, 0.1], np.diag([0.02, 0.03, 0.04]))
    return {
        "robot: name 'arm' → 'other'": (robot.renamed("other"), True),
        "robot: gravity (0, 0, -9.81) → (0, 0, -1.62) m/s²": (robot.with_parameters(gravity=[0, 0, -1.62]), False),
        "joint 'a': renamed 'z'": (robot.renamed(joints={"a": "z"}), True),
        "link 'one': renamed 'first'": (robot.renamed(frames={"one": "first"}), True),
        "joint 'a': placed 5 mm and 2° elsewhere": (
            body(robot, 0, X_pj=turned(x[0].X_pj, [0.003, 0.004, 0], np.deg2rad(2))),
            False,
        ),
        "joint 'a': axis turned by 90°": (body(robot, 0, joint=kt.joints.Revolute([1, 0, 0])), False),
        "joint 'a': revolute → continuous": (body(robot, 0, joint=kt.joints.Continuous([0, 1, 0])), True),
        "joint 'a': upper limit 1 → 0.5 rad": (body(robot, 0, limits=kt.Limits(-1, 0.5, 3, 9)), True),
        "joint 'a': effort limit 9 N m → no limit": (body(robot, 0, limits=kt.Limits(-1, 1, 3, np.inf)), True),
        "joint 'a': damping 0 → 0.5": (robot.with_joint_effects("a", damping=0.5), False),
        "link 'two': mass 2 → 2.5 kg (+0.5 kg, +25 %)": (robot.with_payload(0.5, "two", com=[0, 0, 0.1]), False),
        "link 'left': centre of mass 5 mm elsewhere": (body(robot, 2, J=J), False),
        "link 'left': principal moments of inertia (0.02, 0.03, 0.04) → (0.04, 0.06, 0.08) kg m²": (
            body(robot, 2, J=inertia.from_mass_com(2.0, [0.0, 0.0, 0.1], 2 * np.diag([0.02, 0.03, 0.04]))),
            False,
        ),
        "joint 'd': mimics -1 · c → -2 · c": (
            body(robot, 3, mimic=dataclasses.replace(x[3].mimic, ratio=-2.0)),
            False,
        ),
        "frame 'tool': only in the first robot": (robot.renamed(frames={"tool": "gripper"}), True),
        "frame 'eye': only in the second robot, on 'two'": (robot.with_frame("eye", "two"), True),
        "robot: motors only in the first robot: b": (robot.with_motors("a", "c"), True),
        "joint 'b': only in the first robot: universal": (robot.locked({"b": [0.0, 0.0]}), None),
        "closure 'c-a': only in the second robot": (
            robot.with_closures(kt.closures.gear("a", "c", 2.0, name="c-a")),
            False,
        ),
        "robot: other link frames": (robot.with_link_frames("center_of_mass"), True),
    }


def test_each_edit_is_told_in_words_and_numbers(pair):
    for words, (other, same) in edits(pair).items():
        found = pair.difference_to(other)
        assert any(str(x).startswith(words) for x in found), (words, str(found))
        assert found and found.same_motion is same, words
        if not words.startswith(("frame 'tool'", "joint 'b'", "closure", "link 'left'", "robot: motors")):
            assert all(x.name == found[0].name for x in found), str(found)
        assert found.verdict in str(found) and "what differs" in found._repr_html_()
        json.dumps(found.as_json(), allow_nan=False)


@pytest.mark.parametrize("name", kt.robot_names())
def test_a_robot_is_the_same_as_itself_in_any_link_frames_and_in_json(name, tmp_path):
    robot = kt.load(name)
    robot.save(tmp_path / "robot.json")
    same = robot.difference_to(kt.load(tmp_path / "robot.json"))
    assert not same and len(same) == 0 and same.same_motion and same.verdict == "the same"
    rng = np.random.default_rng(0)
    frames = [se3.pose(so3.exp(rng.normal(size=3)), rng.normal(size=3)) for _ in robot.model.bodies]
    moved = robot.difference_to(robot.with_link_frames(frames))
    if not any(isinstance(x.joint, kt.joints.Free) for x in robot.model.bodies):
        assert moved.same_motion and [str(x)[:25] for x in moved] == ["robot: other link frames,"]


def car(axis=(0, 1, 0), tool="wheel"):
    """A chassis on a hinge, with a balanced wheel."""
    b = kt.Builder("car")
    b.joint("steer", kt.joints.Revolute([1, 0, 0]), parent="base", child="chassis")
    place = se3.pose(np.eye(3), [0.0, -0.2, 0.1])
    b.joint("right", kt.joints.Continuous(axis), parent="chassis", child="wheel", placement=place)
    b.link("chassis", inertia.from_mass_com(5.0, [0.05, 0.0, 0.1], np.diag([0.1, 0.12, 0.1])))
    b.link("wheel", inertia.from_mass_com(1.0, np.zeros(3), np.diag([0.01, 0.02, 0.01])))
    b.frame("tool", tool, np.eye(4))
    return kt.Robot(b.build(), backend="numpy")


def test_a_balanced_wheel_that_turns_the_other_way_moves_in_another_way():
    """Forces and masses in the world are the same, the wheel's displacement is not."""
    found = car().difference_to(car((0, -1, 0)))
    assert found.same_motion is False and found.as_json()["force_error"] < 1e-12
    assert "link 'wheel' moves otherwise" in found.verdict and "reversed" in str(found[0])
    found = car().difference_to(car(tool="chassis"))
    assert found.same_motion is False and "frame 'tool' moves otherwise" in found.verdict
    rng = np.random.default_rng(1)
    frames = [se3.pose(so3.exp(rng.normal(size=3)), rng.normal(size=3)) for _ in range(2)]
    assert car().difference_to(car().with_link_frames(frames)).same_motion


def in_water(robot, density=1000.0, **changes):
    """The robot in water, which meets the link that its second joint carries."""
    body = robot.model.bodies[1]
    effects = {"link": body.name, "placement": np.eye(4), "mass": 1.0, "box": [0.1, 0.2, 0.3], **changes}
    bodies = list(robot.model.bodies)
    bodies[1] = dataclasses.replace(body, link_effects=(kt.model.LinkEffects(**effects),))
    fluid = kt.model.Fluid(density)
    return kt.Robot(dataclasses.replace(robot.model, bodies=tuple(bodies), fluid=fluid), backend="numpy")


def test_what_acts_on_links_is_compared(pair):
    robot = in_water(pair)
    assert not robot.difference_to(in_water(pair)) and robot.difference_to(in_water(pair)).same_motion
    for words, other in {
        "robot: density of the fluid 1000 → 900 kg/m³": in_water(pair, 900.0),
        "link 'two': gravity compensation 0 → 1": in_water(pair, gravity_compensation=1.0),
        "link 'two': box that the fluid meets (0.1, 0.2, 0.3) → (0.1, 0.2, 0.4) m": in_water(pair, box=[0.1, 0.2, 0.4]),
        "link 'two': box that the fluid meets is turned": in_water(pair, box=[0.3, 0.2, 0.1]),
        "link 'two': what acts on it is 50 mm elsewhere": in_water(pair, placement=turned(np.eye(4), [0.05, 0, 0], 0)),
    }.items():
        found = robot.difference_to(other)
        assert [str(x) for x in found] == [words] and found.same_motion is False, str(found)
    assert "link 'two': only in the second robot: what acts on it" in map(str, pair.difference_to(robot))
    same = in_water(pair, box=[0.1, 0.3, 0.2], placement=se3.pose(so3.exp(np.array([np.pi / 2, 0, 0])), np.zeros(3)))
    assert not robot.difference_to(same)  # the same box, its sides in another order
    framed = robot.difference_to(robot.with_link_frames("center_of_mass"))
    assert framed.same_motion and [x.of_frames for x in framed] == [True]


def test_a_motion_that_differs_is_never_no_difference(pair, monkeypatch):
    other = in_water(pair)
    monkeypatch.setattr("kinetrace.analysis.compare.changes", lambda *_: iter(()))
    found = pair.difference_to(other)
    assert [str(x).partition(",")[0] for x in found] == ["robot: what is not listed here"]
    assert found.same_motion is False and "another motion" in str(found)
    rough = pair.difference_to(other, tolerance=1e6)
    assert not rough and rough.same_motion is False and "another motion" in str(rough)


def test_every_field_is_compared(pair):
    """Another value of a field of a model or a body is told, unless it is named as left out."""
    x, model, other = pair.model.bodies[0], pair.model, in_water(pair).model
    shape = kt.model.Geometry("sphere", (0.1,), "one", np.eye(4))
    gear = pair.with_closures(kt.closures.gear("a", "c", 2.0)).model
    of_model = {
        **{"name": "other", "bodies": other.bodies, "frames": {**model.frames, "eye": model.frames["tool"]}},
        **{"gravity": np.ones(3), "geometry": (shape,), "closures": gear.closures, "motors": ("a",)},
        **{"resting": np.eye(6), "start": np.array([0.1, 0.2, 0.3, 0.4]), "fluid": other.fluid},
        **{"actuators": (kt.Actuator.motor("a"),), "keyframes": model.with_keyframe("up", pair.home()).keyframes},
        "contact_rules": ContactRules(neighbours=True),
    }
    of_body = {
        **{"name": "other", "joint_name": "z", "joint": kt.joints.Prismatic([0, 1, 0]), "J": 2.0 * x.J},
        **{"X_pj": turned(x.X_pj, [0.1, 0, 0], 0.1), "X_ji": turned(x.X_ji, [0.1, 0, 0], 0.1)},
        **{"limits": kt.Limits(-2, 2, 3, 9), "effects": kt.JointEffects(damping=1.0)},
        **{"link_effects": other.bodies[1].link_effects, "mimic": None, "parent": 0},
    }
    names = [{field.name for field in dataclasses.fields(record)} for record in (model, x)]
    assert names == [{*of_model, "assembly", "contacts", "wanted_independent"}, {*of_body, "index"}]
    for name, value in of_model.items():
        assert differences(model, dataclasses.replace(model, **{name: value})), name
    for name, value in of_body.items():
        at = {"mimic": 3, "parent": 2}.get(name, 0)
        assert differences(model, body(pair, at, **{name: value}).model), name


def test_tolerance_order_and_base():
    robot = kt.load("panda")
    heavier = robot.with_payload(1e-6, "panda_hand")
    assert robot.difference_to(heavier) and not robot.difference_to(heavier, tolerance=1e-4)
    with pytest.raises(kt.InputError, match="tolerance must be a positive number"):
        robot.difference_to(heavier, tolerance=0.0)
    with pytest.raises(kt.InputError, match="expected a Robot"):
        robot.difference_to("panda")
    dog, free = kt.load("quadruped"), kt.load("quadruped", base="free")
    assert str(dog.difference_to(free)[0]) == "robot: base fixed → free"
    legs = ("FL", "FR")
    b = {order: kt.Builder("legs") for order in (legs, legs[::-1])}
    for order, builder in b.items():
        for leg in order:
            builder.link(leg, inertia.from_mass_com(1.0, [0, 0, -0.1], 0.01 * np.eye(3)))
            builder.joint(f"{leg}_hip", kt.joints.Revolute([0, 1, 0]), parent="body", child=leg)
    found = differences(*(builder.build() for builder in b.values()))
    assert [str(x) for x in found] == ["robot: order of joints in q and v: FL_hip, FR_hip → FR_hip, FL_hip"]
    assert found.same_motion


def test_command(capsys, tmp_path):
    """Exit codes are those of diff; --motion asks for the motion alone."""
    robot = kt.load("planar2r")
    robot.save(tmp_path / "a.urdf")
    robot.with_payload(0.5, "tip").save(tmp_path / "b.urdf")
    a, b = str(tmp_path / "a.urdf"), str(tmp_path / "b.urdf")
    assert main(["diff", a, a]) == 0 and "no difference" in capsys.readouterr().out
    assert main(["diff", a, b]) == 1
    text = capsys.readouterr().out
    assert "link 'link2': mass 1 → 1.5 kg (+0.5 kg, +50 %)" in text and "another motion" in text
    assert main(["diff", a, b, "--quiet"]) == 1 and "mass 1" not in capsys.readouterr().out
    assert main(["diff", a, "planar2r", "--motion"]) == 0
    capsys.readouterr()
    assert main(["diff", a, b, "--json", "--tolerance", "1e-6"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == [a, b] and told["same_motion"] is False and told["differences"][0]["after"] == 1.5
    assert main(["diff", a, str(tmp_path / "none.urdf")]) == 2 and "cannot read" in capsys.readouterr().err
