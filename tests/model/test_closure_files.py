"""Closures from files: every field is read, scikit-robot's layout too, and what is wrong is named."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import zoo
from kinetrace.model.files.load import read_closures

HINGE = {"frame_a": "link2", "frame_b": "world", "joint": "revolute", "axis": [0, 1, 0]}
AT_THE_TIP = {"xyz": [1, 0, 0], "rpy": [0, 0, 0]}
REACHED = {"xyz": [1.2, 0, 0.5], "rpy": [0, 0, 0.5]}


def loop(joint, **fields):
    return {"name": "it", "frame_a": "link2", "frame_b": "world", "joint": joint, **fields}


EVERY_KIND = {
    "fixed": ({}, kt.joints.Fixed()),
    "revolute": ({"axis": [0, 1, 0]}, kt.joints.Revolute([0, 1, 0])),
    "prismatic": ({"axis": [0, 3, 4]}, kt.joints.Prismatic([0, 3, 4])),
    "helical": ({"axis": [0, 0, 1], "pitch": 0.1}, kt.joints.Helical([0, 0, 1], 0.1)),
    "screw": ({"screw": [0, 0, 1, 0.1, 0, 0]}, kt.joints.Screw([0, 0, 1, 0.1, 0, 0])),
    "cylindrical": ({"axis": [1, 0, 0]}, kt.joints.Cylindrical([1, 0, 0])),
    "universal": ({"first": [0, 0, 1], "second": [1, 0, 0]}, kt.joints.Universal([0, 0, 1], [1, 0, 0])),
    "planar": ({"normal": [0, 1, 0]}, kt.joints.Planar([0, 1, 0])),
    "spherical": ({}, kt.joints.Spherical()),
    "rod": ({"length": 0.7}, kt.closures.Rod(0.7)),
    "rolling": ({"radius": 0.3, "axle": [0, 1, 0]}, kt.closures.Rolling(0.3, [0, 1, 0])),
    "rows": ({"rows": ["vx", "wz"], "holds_position": False}, kt.closures.Rows(np.eye(6)[[3, 2]], False)),
    "frictionless_point": ({"normal": [1, 0, 0]}, kt.closures.FrictionlessPoint([1, 0, 0])),
    "hard_finger": ({"normal": [1, 0, 0]}, kt.closures.HardFinger([1, 0, 0])),
    "soft_finger": ({"normal": [1, 0, 0]}, kt.closures.SoftFinger([1, 0, 0])),
    "rigid": ({}, kt.closures.Rigid()),
}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_is_what_python_would_make(kind):
    fields, joint = EVERY_KIND[kind]
    entry = loop(kind, **fields, placement_a=AT_THE_TIP, placement_b=REACHED)
    (found,) = read_closures([entry]).closures
    model = kt.load("planar2r").model
    X_b = kt.lie.se3.pose(kt.lie.so3.from_rpy(np.array([0, 0, 0.5])), np.array([1.2, 0, 0.5]))
    X_a = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0, 0]))
    assert found.of(model) == kt.closures.Loop("link2", "world", joint, "it", X_a, X_b).of(model)


def test_no_kind_is_forgotten():
    from kinetrace.model.files.load.closure_file import _CLOSURE_JOINTS

    assert set(EVERY_KIND) == set(_CLOSURE_JOINTS)


def test_rows_may_be_a_matrix():
    (found,) = read_closures([loop("rows", rows=[[0, 0, 0, 1, 0, 2]])]).closures
    assert found.joint == kt.closures.Rows([[0, 0, 0, 1, 0, 2]])


def test_couplings_and_gears():
    model = kt.load("planar2r").model
    entries = [
        {"name": "sum", "coupling": {"joint1": 1, "joint2": 2.5}, "offset": 0.1},
        {
            "name": "same",
            "coupling": [{"joint": "joint1", "factor": 1}, {"joint": "joint2", "variable": 0, "factor": 2.5}],
        },
        {"name": "gear", "gear": {"driver": "joint1", "driven": "joint2", "ratio": -3}, "offset": 0.2},
    ]
    expected = [
        kt.closures.Coupling({"joint1": 1.0, "joint2": 2.5}, 0.1, "sum"),
        kt.closures.Coupling({"joint1": 1.0, ("joint2", 0): 2.5}, 0.0, "same"),
        kt.closures.gear("joint1", "joint2", -3.0, offset=0.2, name="gear"),
    ]
    assert [x.of(model) for x in read_closures(entries).closures] == [x.of(model) for x in expected]


FILE = {
    "closures": [{**HINGE, "placement_a": AT_THE_TIP, "placement_b": {"xyz": [1.5, 0, 0.5]}}],
    "guess": {"joint1": 0.8, "joint2": [-1.0]},
    "motors": ["joint1"],
}
YAML = """
closures:
  - frame_a: link2
    frame_b: world
    joint: revolute
    axis: [0, 1, 0]
    placement_a: {xyz: [1, 0, 0], rpy: [0, 0, 0]}
    placement_b: {xyz: [1.5, 0, 0.5]}
guess: {joint1: 0.8, joint2: [-1.0]}
motors: [joint1]
"""


def test_json_yaml_and_what_they_hold_give_the_same_robot(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "loops.json").write_text(json.dumps(FILE))
    (tmp_path / "loops.yaml").write_text(YAML)
    sources = (FILE, tmp_path / "loops.json", str(tmp_path / "loops.yaml"))
    robots = [kt.load("planar2r", closures=source) for source in sources]
    assert robots[0].model == robots[1].model == robots[2].model
    robot = robots[0]
    assert (robot.closure_names, robot.motor_names, robot.dof) == (("link2-world",), ("joint1",), 0)
    np.testing.assert_allclose(robot.pose(robot.assemble(), "tip")[:3, 3], [1.5, 0, 0.5], atol=1e-12)


def test_a_guess_in_degrees_is_told():
    """Beyond limits, or of more than a turn where there are none; in files, as in Python."""
    with pytest.warns(kt.ModelWarning, match=r"guess of closures: .* look like degrees: guess in radians is \[1\.0"):
        _four_bar({"crank": 60, "coupler": -30, "rocker": 80})
    four_bar = _four_bar({"crank": 1.0, "coupler": -0.5, "rocker": 1.4})  # no warning
    with pytest.warns(
        kt.SimulationWarning, match=r"loops are open at the beginning: .*look like degrees: q in radians"
    ):
        four_bar.simulate(np.rad2deg(four_bar.assemble()), np.zeros(3), t=0.01, dt=0.01)


def _four_bar(guess):
    b = kt.Builder("four_bar")
    parts = (("crank", "base", 0, 0.2), ("coupler", "crank", 0.2, 0.5), ("rocker", "base", 0.6, 0.4))
    for name, parent, at, length in parts:
        b.link(f"{name}_link", mass=length, com=[length / 2, 0, 0], inertia=[0.1, 0.1, 0.1])
        parent = parent if parent == "base" else f"{parent}_link"
        b.joint(name, kt.joints.Revolute("-y"), parent=parent, child=f"{name}_link", placement=[at, 0, 0])
    ends = {"frame_a": "coupler_link", "frame_b": "rocker_link", "joint": "revolute", "axis": [0, 1, 0]}
    placed = {"placement_a": {"xyz": [0.5, 0, 0]}, "placement_b": {"xyz": [0.4, 0, 0]}}
    return kt.load(b, closures={"closures": [{**ends, **placed}], "guess": guess}, backend="numpy")


def test_the_guess_chooses_the_way_to_assemble():
    for guess in (0.8, -0.8):
        q = kt.load("planar2r", closures={**FILE, "guess": {"joint1": guess, "joint2": -2 * guess}}).assemble()
        assert np.sign(q[1]) == -np.sign(guess)


def test_descriptions_may_stand_in_the_list():
    slot = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint([0, 0, 1]))
    assert kt.load("planar2r", closures=[slot]).dof == 1


def test_closures_of_a_bundled_mechanism_are_added_to():
    robot = kt.load("five_bar", closures=[{"gear": {"driver": "left_motor", "driven": "right_motor", "ratio": 1}}])
    assert (robot.closure_names, robot.dof) == (("tips", "right_motor-left_motor"), 1)


def test_a_free_base_keeps_what_is_independent():
    robot = kt.load("four_bar", base="free")
    assert (robot.dof, robot.independent) == (7, (0, 1, 2, 3, 4, 5, 6))


def test_scikit_robots_layout_is_the_same_hinge():
    """Point and axis are in the root link's frame with all joints at zero, where the cut hinge is closed."""
    tree = kt.load("four_bar").model
    b = kt.Builder("parallelogram")
    for link, parent, x, z in (("left", "ground", 0, 0), ("top", "left", 0, 1), ("right", "ground", 2, 0)):
        b.link(link, kt.lie.inertia.from_mass_com(1.0, [0, 0, 0.5], 0.1 * np.eye(3)))
        X = kt.lie.se3.pose(np.eye(3), np.array([x, 0.0, z]))
        b.joint(f"{link}_joint", kt.joints.Revolute([0, 1, 0]), parent=parent, child=link, placement=X)
    file = {
        "closures": [{"link_a": "top", "link_b": "right", "point": [2, 0, 1], "axis": [0, 1, 0]}],
        "dependent": ["right_joint", "top_joint"],
        "independent": ["left_joint"],
    }
    found = read_closures(file)
    b.add_closures(*found.closures)
    robot = kt.Robot(b.build())
    assert tree.closures and robot.dof == 1 and found.independent == ("left_joint",)
    q = robot.assemble([0.3, -0.2, 0.2])
    np.testing.assert_allclose(robot.closure_residual(robot.neutral()), 0.0, atol=1e-15)
    top, right = robot.pose(q, "top"), robot.pose(q, "right")
    np.testing.assert_allclose(top @ [2, 0, 0, 1], right @ [0, 0, 1, 1], atol=1e-12)
    np.testing.assert_allclose([q[1], q[2]], [-q[0], q[0]], atol=1e-9)


BAD = {
    "closure 'it': unknown joint 'hinge'.* Valid: .*revolute": loop("hinge"),
    "closure 'it': unknown joint 'revolut'; did you mean 'revolute'": loop("revolut"),
    "closure 'it': needs axis; fields are": loop("revolute"),
    "closure 'it': unknown field 'axes'; did you mean 'axis'": loop("revolute", axes=[0, 0, 1]),
    "closure 'it': axis must be a list of 3 numbers, got": loop("revolute", axis=[0, 1]),
    "closure 'it': axis must be a finite number, got '1e-3'; YAML takes": loop("revolute", axis=[0, "1e-3", 1]),
    "closure 'it': axis must be a finite number, got nan": loop("revolute", axis=[0, float("nan"), 1]),
    "closure 'it': axis must be a finite number, got True": loop("revolute", axis=[0, True, 1]),
    "closure 'it': axis of a Revolute joint must be a finite and non-zero": loop("revolute", axis=[0, 0, 0]),
    "closure 'it': length of Rod must be positive": loop("rod", length=-1),
    "closure 'it': pitch must be a finite number": loop("helical", axis=[0, 0, 1], pitch=None),
    "closure 'it': rows must be named wx, wy": loop("rows", rows=["vx", "up"]),
    "closure 'it': each of rows must be a list of 6 numbers": loop("rows", rows=[[1, 2]]),
    "closure 'it': holds_position must be true or false": loop("rows", rows=["vx"], holds_position=1),
    "closure 'it': placement_a: unknown field 'pos'": loop("fixed", placement_a={"pos": [0, 0, 0]}),
    "closure 'it': placement_b: rpy must be a list of 3 numbers": loop("fixed", placement_b={"rpy": 0.5}),
    "closure 'it': placement_b: expected fields with values, got": loop("fixed", placement_b=[0, 0, 1]),
    "closure 'it': needs frame_a; fields are": {"name": "it", "frame_b": "world", "joint": "fixed"},
    "closure 'it': frame_b must be a name, got 3": {**loop("fixed"), "frame_b": 3},
    "closure number 1: name must be a name, got 7": {**loop("fixed"), "name": 7},
    "closure number 1: needs one of joint, coupling, gear, point, got 'frame_a'": {"frame_a": "link2"},
    "closure number 1: needs one of .*, got 'joint', 'gear'": {"joint": "fixed", "gear": {}},
    "closure number 1: expected fields with values, got 'weld'": "weld",
    "closure number 1: expected names of fields, got True": {True: 1},
    "closure number 1: gear: needs ratio": {"gear": {"driver": "a", "driven": "b"}},
    "closure number 1: ratio must be a finite number, got 'fast'": {
        "gear": {"driver": "a", "driven": "b", "ratio": "fast"}
    },
    "closure number 1: coupling: variable of 'a' must be": {"coupling": [{"joint": "a", "variable": -1, "factor": 1}]},
    "closure number 1: coupling: expected a list, got 3": {"coupling": 3},
    "closure number 1: needs point": {"link_a": "a", "link_b": "b", "point": [0, 0, 0]},
}
BAD["closure number 1: needs axis"] = BAD.pop("closure number 1: needs point")


@pytest.mark.parametrize("message", BAD)
def test_what_is_wrong_with_a_closure_is_named(message):
    with pytest.raises(kt.ModelError, match=message):
        read_closures([BAD[message]])


def test_what_is_wrong_with_a_robot_is_named():
    cases = {
        "closure 'it': unknown frame 'link9'; did you mean": {**loop("fixed"), "frame_a": "link9"},
        "closure 'it': 'tip' and 'link2' are both fixed to body 'link2'": {
            **loop("fixed"),
            "frame_a": "tip",
            "frame_b": "link2",
        },
        "unknown joint 'elbow'": {"gear": {"driver": "joint1", "driven": "elbow", "ratio": 1}},
        "closure 'it' stays open by": loop("spherical", placement_b={"xyz": [5, 0, 0]}),
    }
    for message, entry in cases.items():
        with pytest.raises(kt.ModelError, match=message):
            kt.load("planar2r", closures=[entry])
    for message, more in {
        "unknown joint 'joint9'": {"guess": {"joint9": 1}},
        "guess: joint 'joint1' has 1 variables, got 2": {"guess": {"joint1": [1, 2]}},
        "motor|unknown joint 'joint9'": {"motors": ["joint9"]},
        "independent: 'planar2r' has 0 degrees of freedom, got 1": {"independent": ["joint1"]},
        "independent: expected names of joints, or": {"independent": [["joint1", -1]]},
        "independent: joint 'joint1' has no velocity 1; they are 0 to 0": {"independent": [["joint1", 1]]},
        "guess: expected fields with values": {"guess": [1, 2]},
        "a closure file: unknown field 'closure'; did you mean 'closures'": {"closure": []},
    }.items():
        with pytest.raises((kt.ModelError, kt.InputError), match=message):
            kt.load("planar2r", closures={**FILE, **more})
    with pytest.raises(kt.ModelError, match="a closure file: needs closures"):
        read_closures({})
    with pytest.raises(kt.ModelError, match="a closure file: expected fields with values, got 3"):
        read_closures(3)


def test_files_that_are_none(tmp_path):
    def fails(name, content, message):
        (tmp_path / name).write_bytes(content)
        with pytest.raises((kt.ModelError, kt.InputError), match=message):
            kt.load("planar2r", closures=tmp_path / name)

    fails("a.json", b"{", r"a\.json: .*line 1")
    fails("b.json", b'{"closures": [], "closures": []}', r"b\.json: field 'closures' is given twice")
    fails("c.json", b"[" * 100_000, r"c\.json: is nested too deeply")
    fails("d.json", b"\xff{}", r"d\.json: is not UTF-8")
    fails("e.json", b" " * 1_000_001, r"e\.json: is larger than")
    fails("f.toml", b"", r"ends in \.json, \.yaml, \.yml")
    fails("g.json", json.dumps([loop("hinge")]).encode(), r"g\.json, closure 'it': unknown joint")
    with pytest.raises(kt.InputError, match=r"cannot read .*nowhere\.json"):
        kt.load("planar2r", closures=tmp_path / "nowhere.json")


ODD = (None, True, 0, -1, 1e400, np.nan, "", "x", "world", [], [0], [0, 0, 0], {}, {"a": 1}, 10**400, b"x", object())


def places(x, so_far=()):
    """Ways to everything inside of lists and dictionaries."""
    for key, value in x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ():
        yield (*so_far, key)
        yield from places(value, (*so_far, key))


@pytest.mark.parametrize("name", ["four_bar", "bicycle", "three_fingers_ball"])
def test_whatever_is_wrong_is_an_error_of_ours(name):
    """A thing of the file exchanged for an odd one, or left out: it is read, or refused by name."""
    text, rng = zoo.closures_path(name).read_text(encoding="utf-8"), np.random.default_rng(0)
    tree, refused = replace(kt.load(name).model, closures=(), assembly=None), 0
    ways = list(places(json.loads(text)))
    for _ in range(300):
        content = json.loads(text)
        *way, last = ways[rng.integers(len(ways))]
        inside = content
        for key in way:
            inside = inside[key]
        if rng.random() < 0.2:
            del inside[last]
        else:
            inside[last] = ODD[rng.integers(len(ODD))]
        try:
            found = read_closures(content)
            found.starts(tree.with_closures(*found.closures))
        except kt.KinetraceError as error:
            refused += bool(str(error))
    assert 150 < refused < 300


def test_yaml_that_means_harm(tmp_path):
    pytest.importorskip("yaml")

    def fails(name, text, message):
        (tmp_path / name).write_text(text)
        with pytest.raises(kt.ModelError, match=message):
            kt.load("planar2r", closures=tmp_path / name)

    fails(
        "code.yaml",
        "closures: !!python/object/apply:os.getcwd []",
        r"code\.yaml: tag '!!python/\S+' is not one of .*!!map",
    )
    for k, text in enumerate(("a: <<", "[<<]", "<<", "{? &m << : {b: 1}, c: *m}")):
        fails(f"merge{k}.yaml", text, r"merge\d\.yaml: << merges mappings as the key")
    nines = (f"{y}: &{y} [{', '.join(['*' + x] * 9)}]\n" for x, y in zip("abcdefgh", "bcdefghi", strict=True))
    bomb = "a: &a [1]\n" + "".join(nines)
    fails("bomb.yaml", bomb + "closures: *i\n", r"bomb\.yaml: expands to more than 100000 values")
    deep = bomb.replace("\n", ", ").removesuffix(", ")
    fails("inner.yaml", f"closures: [{{{deep}, joint: *i}}]", r"inner\.yaml: expands to more than")
    merges = "{x: 1}"
    for k in range(22):
        merges = f"{{<<: [&m{k} {merges}, *m{k}]}}"
    fails("merges.yaml", merges, r"merges\.yaml: expands to more than")
    gear = "{gear: {driver: joint1, driven: joint2, ratio: %s}}"
    for k, number in enumerate(
        ("0x" + "f" * 9000, "0b" + "1" * 90_000, "1" + ":59" * 60_000, "1" + ":59" * 9000 + ".5")
    ):
        fails(f"{k}.yaml", f"closures: [{gear % number}]", rf"{k}\.yaml: .* has more than 1000 characters")
    fails("long.yaml", f"closures: [{gear % ('0x' + 'f' * 900)}]", "ratio must be a finite number")
    for kind, value in (("int", ""), ("bool", "x"), ("float", "x")):
        fails(f"{kind}.yaml", f"closures: [!!{kind} '{value}']", f"is no value of the kind '{kind}'")
    fails("time.yaml", "closures: [!!timestamp x]", "expected fields with values, got 'x'")
    fails("itself.yaml", "closures: &c [*c]", "alias 'c' stands for nothing that ends before it")
    rows = "[" + "[0, 0, 0, 0, 0, 1], " * 5000 + "]"
    fails("rows.yaml", f"closures: [&a {{frame_a: tip, joint: rows, rows: {rows}}}{', *a' * 9}]", "expands to more")
    fails("tabs.yaml", "closures:\n\t- a", r"tabs\.yaml: while scanning")


def test_aliases_and_merge_keys_of_yaml(tmp_path):
    pytest.importorskip("yaml")
    text = "closures: [{coupling: &c {joint1: 1, joint2: 2}}]\nguess: {<<: *c, joint2: -0.5}\n"
    (tmp_path / "a.yaml").write_text(text)
    found = read_closures(tmp_path / "a.yaml")
    assert found.guess == {"joint1": (1.0,), "joint2": (-0.5,)} and found.closures[0].factors["joint2"] == 2


def test_without_pyyaml_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "loops.yaml").write_text(YAML)
    with pytest.raises(kt.InputError, match=r"pip install pyyaml \(the extra 'yaml'"):
        kt.load("planar2r", closures=tmp_path / "loops.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("closures: []\nclosures: []\n", "field 'closures' is given twice"),
        ("closures:\n - {gear: {driver: a, driven: b, ratio: 2}, offset: 1, offset: 5}\n", "'offset' is given twice"),
        ("? [1, 2]\n: 3\n", "name of a field must be text"),
    ],
)
def test_fields_of_yaml_are_given_once(tmp_path, text, message):
    pytest.importorskip("yaml")
    file = tmp_path / "loops.yaml"
    file.write_text(text)
    with pytest.raises(kt.ModelError, match=message):
        read_closures(file)
