"""Saved robots: JSON gives the same model to the bit, URDF the same motion; damaged files are refused."""

import json
import math

import numpy as np
import pytest

import kinetrace as kt
import saved_models
from fuzzing import generator
from kinetrace.errors import InputError, ModelError
from kinetrace.model import Builder, Geometry, JointEffects, Limits, load_model
from kinetrace.model import joints as j
from kinetrace.model.files.load.json_file import read_json
from kinetrace.model.files.save import json_text, urdf_text
from kinetrace.model.files.schema import CONSTRAINTS, FAMILIES, JOINTS, RECORDS, choices, fields_of, items

EYE = np.eye(4)


def every(*kinds: j.Joint, seed: int = 0) -> Builder:
    """A tree with these joints, random placements and inertias, frames, shapes, limits and effects."""
    rng = np.random.default_rng(seed)
    b = Builder("every <joint> & 'quote'")
    for k, joint in enumerate(kinds):
        A = rng.normal(size=(4, 4))
        b.link(f"link {k}", kt.lie.inertia.from_pseudo_inertia(A @ A.T))
        X = [kt.lie.se3.exp(rng.normal(size=6)) for _ in range(2)]
        parent = f"link {max(k - 1 - k % 2, 0)}" if k else "root"
        limits = None
        if joint.nq == joint.nv == 1:
            limits = Limits(-1.5, [2.0, math.inf][k % 2], 3.0, [math.inf, 4.0][k % 2])
        effects = JointEffects(damping=0.1, friction=0.2) if k % 2 else None
        name = f"joint {k}"
        b.joint(
            name,
            joint,
            parent=parent,
            child=f"link {k}",
            placement=X[0],
            child_placement=X[1],
            limits=limits,
            effects=effects,
        )
        b.frame(f"tool {k}", f"link {k}", X[0])
    b.geometry(Geometry("box", (0.1, 0.2, 0.3), "root", EYE, color=(0.1, 0.2, 0.3, 1.0)))
    b.geometry(Geometry("mesh", (1.0, 1.0, 1.0), "link 0", X[0], "collision", "a & b.stl"))
    return b


def tree() -> Builder:
    """All joints that URDF can say, and mimics."""
    kinds = [j.Revolute([0, 1, 2]), j.Continuous([1, 0, 0]), j.Prismatic([1, 1, 0]), j.Helical([0, 0, 1], 0.3)]
    kinds += [j.Screw([0.6, 0, 0.8, 0.1, 0.2, 0.3]), j.Screw([0, 0, 0, 0, 1, 0]), j.Cylindrical([1, 2, 2])]
    kinds += [j.Universal([1, 0, 0], [0, 1, 1]), j.Planar([0, 1, 0]), j.Planar(), j.Free()]
    b = every(*kinds)
    J = kt.lie.inertia.from_mass_com(1.0, [0.1, 0, 0], np.eye(3))
    for k, (joint, leader) in enumerate([(j.Helical([1, 0, 0], 0.1), "joint 0"), (j.Cylindrical(), "joint 7")]):
        b.link(f"follower {k}", J)
        b.joint(f"mimic {k}", joint, parent="link 2", child=f"follower {k}", mimic=(leader, -0.5, 0.2))
    return b


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    return model.integrate(model.neutral(), rng.uniform(-1, 1, model.nv)), rng.normal(size=model.nv)


@pytest.mark.parametrize("name", kt.robot_names())
def test_json_holds_every_bit(name):
    robot = kt.load(name, base="free" if name == "quadruped" else "fixed", backend="numpy")
    text = json_text(robot.model)
    back = read_json(text)
    assert back == robot.model and hash(back) == hash(robot.model) and json_text(back) == text
    json.loads(text, parse_constant=pytest.fail)
    assert not any(x.flags.writeable for body in back.bodies for x in (body.X_pj, body.J, body.limits.lower))


def test_json_holds_joints_closures_effects_and_odd_numbers(tmp_path):
    b = every(*(kind() for name, kind in sorted(JOINTS.items()) if name != "Fixed"))
    frames = "tool 0", "tool 1"
    for k, constraint in enumerate(
        [kt.closures.Rod(0.5), kt.closures.Rolling(0.3), kt.closures.SoftFinger([0, 1, 1]), j.Universal(), j.Screw()]
    ):
        b.close(*frames, constraint, name=f"closure {k}")
    b.couple({"joint 0": 1.0, ("joint 1", 1): -0.1}, 0.3)
    model = b.build(check="ignore", gravity=(1e-320, -0.0, -9.81))
    effects = {"armature": 0.1, "stiffness": 1 / 3, "stop_stiffness": 1e5}
    model = model.with_joint_effects("joint 0", **effects).with_motors("joint 1")
    assert read_json(json_text(model)) == model
    (tmp_path / "x.json").write_text(json_text(model), "utf-8")
    assert load_model(tmp_path / "x.json", check="ignore") == load_model(json_text(model), check="ignore") == model


def test_the_schema_knows_all_fields():
    known = {"str", "int", "float", "bool", "Array", *RECORDS, *FAMILIES}
    for kind in (*RECORDS.values(), *JOINTS.values(), *CONSTRAINTS.values()):
        for field in fields_of(kind):
            assert {items(field.kind)} & known or set(choices(field.kind)) <= known, (kind, field)


def test_damaged_json_is_refused_or_still_a_model():
    """A few of the fuzzer's files; `make fuzz` tries many more."""
    rng = generator(0, 0)
    assert 0 < sum(saved_models.check(saved_models.mutant(rng)) for _ in range(100)) < 50


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda m: m["bodies"][1].update(parent=1),
            r"model.bodies\[1\].parent: must be a body before it, or -1, got 1",
        ),
        (lambda m: m["bodies"][0]["X_pj"][0].__setitem__(0, 2.0), r"bodies\[0\].X_pj: .* not a rigid motion"),
        (
            lambda m: m["bodies"][0]["joint"].update(axis=[0.0, 0.0, 2.0]),
            r"bodies\[0\].joint.axis: would be changed to",
        ),
        (
            lambda m: m["bodies"][0]["joint"].update({"is": "os.system"}),
            'must be an object with "is", one of Continuous',
        ),
        (lambda m: m["bodies"][0].update(color=1), r"bodies\[0\]: a Body has no 'color'"),
        (lambda m: m["bodies"][0].pop("J"), r"bodies\[0\]: lacks 'J'"),
        (lambda m: m["gravity"].append(0.0), r"model.gravity: must have shape \(3,\), got \(4,\)"),
        (lambda m: m["bodies"][0]["limits"].update(lower=["nan"]), r"limits.lower: must be a number, got 'nan'"),
        (lambda m: m["bodies"][0]["J"][0].__setitem__(3, 1.0), r"J: must be the spatial inertia"),
        (lambda m: m["frames"].append(m["frames"][0]), "model.frames: a name is used twice"),
    ],
)
def test_errors_in_json_say_where(change, said):
    content = json.loads(json_text(load_model("planar2r")))
    change(content["model"])
    with pytest.raises(ModelError, match=said):
        load_model(json.dumps(content))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: malformed JSON"),
        ("{}", "holds no model"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
        ('{"format": "kinetrace.model", "version": 99}', "has version 99; this kinetrace reads 1 to 1"),
        ('{"a": ' + "9" * 5000 + "}", "malformed JSON"),
    ],
)
def test_malformed_json(text, said, tmp_path):
    with pytest.raises(ModelError, match=said):
        load_model(text)
    file = tmp_path / "x.json"
    file.write_text(text, "utf-8")
    with pytest.raises(ModelError, match=r"x.json"):
        load_model(file)
    with pytest.raises(InputError, match=r"cannot read 'no.json'"):
        load_model("no.json")


def test_urdf_moves_in_the_same_way():
    model = tree().build(check="ignore")
    text, unsaid = urdf_text(model)
    assert unsaid == []
    back = load_model(text, check="ignore")
    assert (back.nq, back.nv, back.name) == (model.nq, model.nv, model.name)
    q, v = state(model)
    for function, arguments in (("mass_matrix", (q,)), ("inverse_dynamics", (q, v, v))):
        ours, theirs = (getattr(kt.algorithms, function)(m, *arguments) for m in (model, back))
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-12 * np.abs(ours).max())
    for name in model.frames:
        X = [kt.algorithms.pose(m, q, frame=name) for m in (model, back)]
        np.testing.assert_allclose(*X, atol=1e-13)
    for name in ("lower", "upper", "velocity", "effort"):
        np.testing.assert_array_equal(getattr(back.limits, name), getattr(model.limits, name))
    assert [shape.kind for shape in back.geometry] == ["box", "mesh"]
    assert back.geometry[1].mesh == "a & b.stl" and back.geometry[0].color == (0.1, 0.2, 0.3, 1.0)


def test_urdf_names_what_it_cannot_say(tmp_path):
    robot = kt.load("four_bar", backend="numpy").with_joint_effects("crank", armature=0.1, stiffness=1.0)
    robot = robot.with_parameters(gravity=[0, 0, -1.62])
    everything = r"URDF cannot say how 'four_bar' moves: closures, .*; armature: .*; stiffness: .*; gravity .*\. A"
    with pytest.raises(ModelError, match=everything):
        robot.save(tmp_path / "bar.urdf")
    said = robot.save(tmp_path / "bar.urdf", lossy=True)
    assert [x.split()[0].strip(",:") for x in said] == ["closures", "armature", "stiffness", "gravity", "motors"]
    free = kt.load("quadruped", base="free", backend="numpy", joint_effects=False)
    assert free.save(tmp_path / "dog.urdf") == (
        "the free base, for which the file is loaded with base='free': 'floating_base'",
        "where joints start",
    )
    assert load_model(tmp_path / "dog.urdf", base="free").nv == free.nv
    ball = kt.Robot(every(j.Spherical(), j.Screw([0, 0, 2, 0, 0, 0])).build(check="ignore"), backend="numpy")
    with pytest.raises(ModelError, match=r"ball joints, written as .*: 'joint 0'; screws of .*: 'joint 1'\. A \.json"):
        ball.save(tmp_path / "ball.urdf")
    assert not (tmp_path / "ball.urdf").exists()
    assert len(ball.save(tmp_path / "ball.urdf", lossy=True)) == 2
    assert load_model(tmp_path / "ball.urdf", check="ignore").nv == 4


def test_files_are_written_whole_and_by_their_suffix(tmp_path):
    robot = kt.load("planar2r", backend="numpy")
    assert robot.save(tmp_path / "a.JSON") == () and kt.load(tmp_path / "a.JSON").model == robot.model
    assert [x.name for x in tmp_path.iterdir()] == ["a.JSON"]
    with pytest.raises(InputError, match=r"unknown format '.sdf'; .* Files end in: .json, .urdf, .xml"):
        robot.save("arm.sdf")
    with pytest.raises(InputError, match=r"cannot write .*No such file or directory"):
        robot.save(tmp_path / "no" / "a.json")
    with pytest.raises(InputError, match="path must be the path of a file, got None"):
        robot.save(None)
