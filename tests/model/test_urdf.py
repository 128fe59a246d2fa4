"""URDF files: what is read, and that it is read right."""

import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from kinetrace import interop
from kinetrace.errors import InputError, ModelError, ModelWarning, PhysicsWarning
from kinetrace.lie import inertia, se3, so3
from kinetrace.model import Builder, Model, from_urdf, joints, load_model, zoo

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(*parts: str) -> str:
    return '<robot name="r">\n' + "\n".join(parts) + "\n</robot>"


def links(*names: str) -> str:
    return "".join(f'<link name="{name}">{INERTIAL}</link>' for name in names)


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def one_joint(kind: str, inside: str = "", base: str = "fixed") -> Model:
    return from_urdf(robot(links("a", "b"), joint("j", "a", "b", kind, inside))).build(base)


@pytest.mark.parametrize(
    ("kind", "cls"),
    [
        ("revolute", joints.Revolute),
        ("continuous", joints.Continuous),
        ("prismatic", joints.Prismatic),
        ("planar", joints.Planar),
        ("floating", joints.Free),
    ],
)
def test_joint_types(kind, cls):
    assert type(one_joint(kind).bodies[0].joint) is cls


def test_axis_is_x_by_default_and_scaled_to_unit_length():
    assert one_joint("revolute").bodies[0].joint.axis.tolist() == [1, 0, 0]
    axis = one_joint("revolute", '<axis xyz="0 3 4"/>').bodies[0].joint.axis
    np.testing.assert_allclose(axis, [0, 0.6, 0.8])


def test_origin_places_the_joint(poses):
    model = one_joint("prismatic", '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/>')
    R = so3.from_rpy(np.array([0.1, 0.2, 0.3]))
    X_b = poses(model, np.array([0.5]))["b"]
    np.testing.assert_allclose(X_b, se3.pose(R, np.array([1, 2, 3]) + 0.5 * R[:, 2]), atol=1e-15)


def test_origin_as_quaternion():
    model = one_joint("fixed", '<origin quat_xyzw="0 0 2 2"/>')
    np.testing.assert_allclose(model.frames["b"].X_bf[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_inertia_is_moved_and_turned_to_the_link_frame():
    inside = (
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.1" iyz="0.3" izz="1.2"/></inertial>'
    )
    text = robot(links("a"), f'<link name="b">{inside}</link>', joint("j", "a", "b"))
    J = from_urdf(text).build().bodies[0].J
    R, c = so3.from_rpy(np.array([0.4, 0.5, 0.6])), np.array([0.1, 0.2, 0.3])
    I_c = np.array([[1, 0.1, 0.2], [0.1, 1.1, 0.3], [0.2, 0.3, 1.2]])
    np.testing.assert_allclose(J, inertia.from_mass_com(2.0, c, R @ I_c @ R.T), atol=1e-15)


def test_fixed_links_become_frames_and_their_inertia_is_carried():
    text = robot(links("a", "b", "c"), joint("j", "a", "b"), joint("k", "b", "c", "fixed", '<origin xyz="0 0 1"/>'))
    model = from_urdf(text).build()
    assert [body.name for body in model.bodies] == ["b"] and model.frames["c"].body == 0
    np.testing.assert_allclose(inertia.mass(model.bodies[0].J), 2.0)
    np.testing.assert_allclose(inertia.center_of_mass(model.bodies[0].J), [0, 0, 0.5])


def test_limits():
    limits = one_joint("revolute", '<limit lower="-1" upper="2" effort="3" velocity="4"/>').bodies[0].limits
    assert [x.tolist() for x in (limits.lower, limits.upper, limits.velocity, limits.effort)] == [
        [-1],
        [2],
        [4],
        [3],
    ]
    limits = one_joint("revolute").bodies[0].limits
    assert limits.lower.tolist() == [-np.inf] and limits.effort.tolist() == [np.inf]
    limits = one_joint("prismatic", '<limit effort="3" velocity="inf"/>').bodies[0].limits
    assert limits.lower.tolist() == limits.upper.tolist() == [0]
    limits = one_joint("continuous", '<limit lower="0" upper="0" effort="3" velocity="4"/>').bodies[0].limits
    assert limits.upper.tolist() == [np.inf] and limits.velocity.tolist() == [4]


def test_mimic(poses):
    follow = '<axis xyz="0 0 1"/><mimic joint="j" multiplier="-2" offset="0.1"/>'
    text = robot(
        links("a", "b", "c"),
        joint("k", "a", "c", "revolute", follow),
        joint("j", "a", "b", inside='<axis xyz="0 0 1"/>'),
    )
    model = from_urdf(text).build()
    assert (model.nq, model.nv, model.joint_names) == (1, 1, ("j",))
    R = poses(model, np.array([0.3]))["c"][:3, :3]
    np.testing.assert_allclose(R, so3.axis_angle(np.array([0, 0, 1]), -0.5), atol=1e-15)
    default = from_urdf(text.replace(' multiplier="-2" offset="0.1"', "")).build().bodies[0].mimic
    assert (default.ratio, default.offset) == (1.0, 0.0)


def test_free_base():
    model = one_joint("revolute", base="free")
    assert (model.nq, model.nv) == (8, 7) and model.bodies[0].name == "a"


def test_unknown_tags_are_ignored():
    extra = '<gazebo reference="a"><x y="1"/></gazebo><transmission name="t"/><ros2_control/><sensor:x/>'
    model = from_urdf(robot(extra, links("a", "b"), joint("j", "a", "b"))).build()
    assert model.nv == 1


SHAPES = """
<material name="red"><color rgba="1 0 0 1"/></material>
<link name="a">
  <visual><origin xyz="1 0 0"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
  <visual><geometry><cylinder radius="1" length="2"/></geometry><material name="blue"/></visual>
  <visual>
    <geometry><sphere radius="1"/></geometry>
    <material name="blue"><color rgba="0 0 1 0.5"/></material>
  </visual>
  <collision><geometry><capsule radius="1" length="2"/></geometry></collision>
  <collision><geometry><mesh filename="m/a.stl" scale="1 1 2"/></geometry></collision>
  <visual><geometry><mesh filename="package://p/b.dae"/></geometry><material name="nowhere"/></visual>
</link>"""


def test_shapes_are_kept_for_viewers(tmp_path):
    file = tmp_path / "shapes.urdf"
    file.write_text(robot(SHAPES))
    with pytest.warns(ModelWarning, match="2 mesh files are not found"):
        shapes = {shape.kind + shape.role: shape for shape in load_model(file).geometry}
    box = shapes["boxvisual"]
    assert (box.size, box.frame, box.color) == ((1, 2, 3), "a", (1, 0, 0, 1))
    np.testing.assert_array_equal(box.placement[:3, 3], [1, 0, 0])
    assert shapes["cylindervisual"].size == (1, 2) and shapes["cylindervisual"].color == (0, 0, 1, 0.5)
    assert shapes["spherevisual"].size == (1,) and shapes["spherevisual"].color == (0, 0, 1, 0.5)
    assert shapes["capsulecollision"].size == (1, 2) and shapes["capsulecollision"].color is None
    assert shapes["meshcollision"].mesh == str(tmp_path.resolve() / "m/a.stl")
    assert shapes["meshcollision"].size == (1, 1, 2)
    assert shapes["meshvisual"].mesh == "package://p/b.dae" and shapes["meshvisual"].color is None


def test_sources(tmp_path, monkeypatch):
    text = '<?xml version="1.0"?>\n' + robot(links("a"))
    for name, encoding in (("a.urdf", "utf-8"), ("b.urdf", "utf-8-sig"), ("c.xml", "utf-16")):
        (tmp_path / name).write_bytes(text.encode(encoding))
        assert load_model(tmp_path / name).name == load_model(str(tmp_path / name)).name == "r"
    assert load_model("\ufeff \n" + text).name == "r"
    assert load_model('<robot><link name="a"/></robot>').name == "robot"
    (tmp_path / "nameless.urdf").write_text('<robot><link name="a"/></robot>')
    assert load_model(tmp_path / "nameless.urdf").name == "nameless"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text(text)
    assert load_model("plain").name == "r"


def test_gravity_is_the_models():
    assert load_model(robot(links("a"))).gravity.tolist() == [0, 0, -9.81]
    assert load_model(robot(links("a")), gravity=[0, 0, 0]).gravity.tolist() == [0, 0, 0]
    for bad in ([0, 0], [0, 0, np.nan], "down", 9.81):
        with pytest.raises(ModelError, match="gravity"):
            load_model(robot(links("a")), gravity=bad)


def test_unknown_robot_lists_the_bundled_ones():
    with pytest.raises(InputError, match=r"did you mean 'panda'\? .*puma560.*\.urdf"):
        load_model("pandda")
    with pytest.raises(InputError, match="panda"):
        zoo.path("pandda")


def test_missing_files_and_wrong_types(tmp_path):
    for source in ("nowhere.urdf", "some/where", tmp_path / "x.urdf", tmp_path, "bad\0.urdf"):
        with pytest.raises(InputError, match="cannot read"):
            load_model(source)
    for source in (None, 3, b"<robot/>"):
        with pytest.raises(InputError, match="path or XML text"):
            load_model(source)


@pytest.mark.parametrize("name", zoo.names(closed=False))
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_bundled_robots_load_and_are_physical(name, base):
    model = load_model(name, base=base, check="error")
    assert model.nv > 0 and model.name


def example_robot_data() -> list[Path]:
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        files = []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".urdf")


# A mimic of a joint that does not exist; a file without links.
MALFORMED = {"alex_psyonic_hands.urdf": "index_q1", "ur3.urdf": "no links"}


@pytest.mark.alternates(2, "file")
@pytest.mark.parametrize("file", example_robot_data(), ids=lambda f: f.stem)
def test_example_robot_data_as_pinocchio_reads_it(file, poses):
    pin = pytest.importorskip("pinocchio")
    if file.name in MALFORMED:
        with pytest.raises(ModelError, match=MALFORMED[file.name]):
            load_model(file)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicsWarning)  # real files do have impossible inertias
        warnings.filterwarnings("ignore", ".*romeo_laas_small.* mesh files are not found", ModelWarning)
        model = load_model(file, snap_constants=False)
    theirs = pin.buildModelFromUrdf(str(file))  # mimics are ordinary joints: theirs are set from ours
    data, rng = theirs.createData(), np.random.default_rng(0)
    q = model.integrate(model.neutral(), rng.uniform(-1, 1, model.nv))
    for body in model.bodies:
        J = theirs.inertias[theirs.getJointId(body.joint_name)].matrix()
        J = np.block([[J[3:, 3:], J[3:, :3]], [J[:3, 3:], J[:3, :3]]])
        np.testing.assert_allclose(body.J, J, atol=1e-12 * max(1, abs(J).max()))
    pin.framesForwardKinematics(theirs, data, interop.pinocchio.q(model, theirs, q))
    for name, X in poses(model, q).items():
        np.testing.assert_allclose(X, data.oMf[theirs.getFrameId(name, pin.BODY)].homogeneous, atol=1e-12)


def test_long_chains_do_not_recurse():
    n = 3000
    builder = Builder("long")
    for i in range(n):
        builder.link(f"{i + 1}", np.eye(6))
        builder.joint(f"j{i}", joints.Revolute([0, 0, 1]), parent=f"{i}", child=f"{i + 1}")
    assert builder.build().nv == n


def test_damping_and_friction_are_used():
    inside = '<axis xyz="0 0 1"/><dynamics damping="0.5" friction="0.2"/>'
    text = robot(links("a", "b"), joint("j", "a", "b", "continuous", inside))
    model, plain = load_model(text), load_model(text, joint_effects=False)
    effects = model.bodies[0].effects
    assert (effects.damping.tolist(), effects.friction.tolist()) == ([0.5], [0.2])
    assert plain.bodies[0].effects is None and model.without_joint_effects() == plain
    v = np.array([2.0])
    np.testing.assert_allclose(model.passive_forces(np.zeros(1), v), 1.0 + 0.4 / np.hypot(2.0, 0.01), rtol=1e-15)


@pytest.mark.parametrize("inside", ["", "<dynamics/>", '<dynamics damping="0" friction="0.0"/>'])
def test_no_damping_is_no_effect(inside):
    assert one_joint("continuous", inside).bodies[0].effects is None


@pytest.mark.parametrize("given", ['damping="-1"', 'friction="-0.5"', 'damping="much"', 'friction="nan"'])
def test_damping_that_makes_no_sense_is_dropped(given):
    with pytest.warns(ModelWarning, match=r"damping or friction that (is negative|cannot be read) is dropped"):
        model = one_joint("continuous", f"<dynamics {given}/>")
    assert model.bodies[0].effects is None


def test_dynamics_of_joints_of_several_velocities():
    model = one_joint("planar", '<dynamics damping="2"/>')
    assert model.bodies[0].effects.damping.tolist() == [2.0, 2.0, 2.0]
    assert one_joint("floating", '<dynamics friction="2"/>').bodies[0].effects.friction.tolist() == [2.0] * 6


@pytest.mark.parametrize("attribute, message", [("dampng", "did you mean 'damping'"), ("armature", "and nothing else")])
def test_dynamics_that_are_not_used_are_named(attribute, message):
    text = f"""<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/><dynamics {attribute}="0.3"/></joint>
        </robot>"""
    with pytest.warns(ModelWarning, match=message):
        from_urdf(text).build()
