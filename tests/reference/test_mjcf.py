"""MJCF as kinetrace loads and saves it, beside MuJoCo: small models with every element, and the errors.

`tools/check_mjcf.py` has the comparison, and does the same for folders of files.
"""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.errors import HarmlessWarning
from kinetrace.model import Mesh
from kinetrace.model.files.save.mjcf import mjcf

mujoco = pytest.importorskip("mujoco")

_FILE = Path(__file__).parents[2] / "tools" / "check_mjcf.py"
_SPEC = importlib.util.spec_from_file_location("check_mjcf", _FILE)
tool = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(tool)

EXACT = 1e-12

MODEL = """<mujoco model="every element">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0.3 -0.2 -9"/>
  <asset>
    <mesh name="tetrahedron" vertex="0 0 0  .1 0 0  0 .1 0  0 0 .1" face="0 2 1  0 1 3  0 3 2  1 2 3"/>
    <hfield name="hills" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 1 0"/>
    <material name="red" rgba="1 0 0 1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/> <camera name="view" pos="1 0 0"/>
    <geom name="floor" type="plane" size="0 0 .1"/> <geom name="ground" type="hfield" hfield="hills"/>
    <site name="origin" pos=".1 .2 .3" euler=".1 .2 .3"/>
    <body name="free" pos="1 2 3" euler=".3 .2 .1">
      <freejoint/> <geom type="ellipsoid" size=".1 .2 .3" pos=".1 0 0" material="red"/>
      <site name="free" pos=".1 0 0"/>
      <body pos=".1 .2 .3" euler="1 2 3">
        <joint name="hinge" axis="1 2 3" pos=".1 -.2 .3" ref=".4" armature=".2" damping=".3" stiffness="2"
               springref=".5" range="-1 2" frictionloss=".1" actuatorfrcrange="-3 3"/>
        <inertial pos=".1 .2 .1" mass="2" fullinertia="1 1.1 1.2 .1 .2 .05"/>
        <geom type="mesh" mesh="tetrahedron" rgba="0 1 0 .5" contype="0" conaffinity="0"/>
        <body name="welded" pos="0 0 1" quat="1 1 0 0">
          <geom type="capsule" size=".05 .1" group="3"/> <site name="tip" pos="0 0 .1"/>
        </body>
      </body>
      <body name="ball" pos="0 .3 0" euler="0 .4 0">
        <joint name="ball" type="ball" pos="0 0 .2" damping=".2" stiffness="3"/> <geom type="box" size=".1 .2 .3"/>
      </body>
    </body>
    <body name="several" pos="0 0 1">
      <joint name="x" type="slide" axis="1 0 0" ref=".2" stiffness="5" springref=".1"/>
      <joint axis="0 1 0" pos="0 0 .1"/>
      <joint type="slide" axis="0 1 1" ref="-.1"/> <geom type="cylinder" size=".1 .2" pos=".2 0 .1"/>
      <body name="last" pos="0 0 .4"> <joint name="z" axis="0 0 1"/> <geom size=".1" pos=".1 0 0"/> </body>
    </body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="x" coef="1"/><joint joint="z" coef="-2"/></fixed></tendon>
  <actuator>
    <motor joint="hinge" gear="2" ctrlrange="-5 5"/> <position name="servo" joint="x" kp="10" forcerange="-7 4"/>
    <motor name="pull" tendon="both"/>
  </actuator>
  <keyframe><key name="first" qpos="7 7 7 1 0 0 0 1 1 0 0 0 1 1 1 1"/><key name="home"/></keyframe>
</mujoco>"""

NAMES = ("floating_base", "hinge", "ball", "x", "several_joint2", "several_joint3", "z")


def loaded(text, **options):
    """The robot, interpreted, and MuJoCo's model of the same text."""
    return kt.load(text, backend="numpy", **options), mujoco.MjModel.from_xml_string(text)


def check(robot, model, tolerance=EXACT):
    found = tool.compared(robot, model)
    assert max(found.values()) < tolerance, found


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to a file in the working directory."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def every():
    return loaded(MODEL)  # without a warning: nothing that changes the motion is left out


def test_every_element_against_mujoco(every):
    robot, model = every
    check(robot, model)
    assert robot.joint_names == NAMES and robot.name == "every element"
    qpos = model.qpos0.copy()
    assert np.array_equal(robot.home(), qpos)  # that of the keyframe "home", which says no other
    assert np.array_equal(kt.interop.mujoco.from_q(robot, model, qpos), qpos)  # q is qpos, with references


def test_joints_have_the_limits_effects_and_motors_of_the_file(every):
    robot, _ = every
    assert robot.model.gravity.tolist() == [0.3, -0.2, -9.0]
    assert kt.load(MODEL, gravity=(0, 0, -1), check="ignore").model.gravity.tolist() == [0, 0, -1]
    assert robot.motor_names == ("hinge", "x", "z")
    limits = {body.joint_name: body.limits for body in robot.model.bodies}
    assert (limits["hinge"].lower, limits["hinge"].upper, limits["hinge"].effort) == (-1, 2, 3)
    assert limits["x"].effort == np.inf and limits["z"].effort == np.inf  # the tendon's motor has no bound
    effects = next(body.effects for body in robot.model.bodies if body.joint_name == "hinge")
    values = effects.armature, effects.damping, effects.friction, effects.stiffness, effects.rest
    assert [float(x[0]) for x in values] == [0.2, 0.3, 0.1, 2.0, 0.5]
    plain = kt.load(MODEL, joint_effects=False, check="ignore")
    assert all(body.effects is None for body in plain.model.bodies)


def test_shapes_in_a_group_for_contacts_are_not_visual():
    """As in models that show one group and let another touch; marks of the same group change nothing."""
    text = """<mujoco><worldbody><body><joint/><geom type="box" size=".1 .1 .1" group="0"/>
      <geom type="sphere" size=".1" group="1" contype="0" conaffinity="0" mass="0"/>
      <body><joint/><geom type="capsule" size=".1 .1"/><geom size=".2" contype="0" conaffinity="0" mass="0"/></body>
      </body></worldbody></mujoco>"""
    found = [(shape.kind, shape.role) for shape in kt.load(text, check="ignore").model.geometry]
    assert found == [
        *(("box", "collision"), ("sphere", "visual")),
        *(("capsule", "visual"), ("capsule", "collision"), ("sphere", "visual")),
    ]


def test_shapes(every):
    shapes = {(shape.kind, shape.role): shape for shape in every[0].model.geometry}
    assert shapes["plane", "visual"].size == (0, 0)
    assert shapes["ellipsoid", "visual"].size == (0.1, 0.2, 0.3)
    assert shapes["ellipsoid", "collision"].color == (1, 0, 0, 1)
    assert shapes["box", "visual"].size == (0.2, 0.4, 0.6)
    assert shapes["cylinder", "visual"].size == (0.1, 0.4)
    assert shapes["capsule", "collision"].size == (0.05, 0.2)
    assert shapes["heights", "collision"].name == "ground" and shapes["heights", "visual"].grid is not None
    assert not {("capsule", "visual"), ("mesh", "collision")} & shapes.keys()
    mesh = shapes["mesh", "visual"]
    points = mesh.mesh.vertices @ mesh.placement[:3, :3].T + mesh.placement[:3, 3]
    assert np.allclose(points, np.vstack([np.zeros(3), 0.1 * np.eye(3)]), atol=1e-7)  # in single precision
    assert mesh.mesh.faces.shape == (4, 3) and mesh.color == (0, 1, 0, 0.5)
    with pytest.raises(kt.ModelError, match="indices of the 3 vertices"):
        Mesh(np.zeros((3, 3)), [[0, 1, 3]])


CLOSED = """<mujoco><worldbody>
  <body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .2" size=".01"/>
    <body name="coupler" pos="0 0 .2"><joint name="b" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 .5 0 .1" size=".01"/>
      <site name="end" pos=".5 0 .1" euler="0 0 30"/></body></body>
  <body name="rocker" pos=".5 0 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .3" size=".01"/>
    <site name="top" pos="0 0 .3"/></body>
  <body name="e"><joint name="e" ref=".3"/><geom size=".1" pos=".1 0 0"/></body>
  <body name="f"><joint name="f" type="slide" ref="-.2"/><geom size=".1"/></body>
  <body name="g"><joint name="g"/><geom size=".1" pos=".1 0 0"/></body>
  <body name="h" pos="1 0 0" euler="10 20 30"><freejoint name="h"/><geom size=".1"/></body>
  <body name="i" pos="1 0 1"><joint name="i" type="ball"/><geom size=".1" pos="0 0 .1"/></body>
  <body name="hand" mocap="true" pos="0 0 2"/>
</worldbody>
<tendon><fixed name="t"><joint joint="e" coef="1"/><joint joint="g" coef="2"/></fixed>
  <spatial name="s"><site site="end"/><site site="top"/></spatial></tendon>
<equality>
  {loop}
  <joint name="gear" joint1="e" joint2="f" polycoef=".1 2 0 0 0"/>
  <tendon name="sum" tendon1="t" polycoef=".2 0 0 0 0"/>
  <weld name="weld" body1="h" body2="i" relpose=".1 .2 .3 1 .1 .2 .3" anchor=".1 0 0"/>
  <joint name="curve" joint1="g" joint2="c" polycoef="0 1 .5 0 0"/>
  <connect name="string" body1="hand" body2="i" anchor="0 0 0"/>
  <joint name="off" joint1="g" active="false"/>
  <tendon name="rope" tendon1="s"/>
</equality></mujoco>"""


@pytest.mark.parametrize(
    "loop",
    [
        '<connect name="loop" body1="coupler" body2="rocker" anchor=".5 0 .1"/>',
        '<connect name="loop" site1="end" site2="top"/>',
    ],
)
def test_equality_constraints_are_closures(loop):
    with pytest.warns(kt.ModelWarning) as said:
        robot, model = loaded(CLOSED.format(loop=loop))
    text = "\n".join(str(warning.message) for warning in said)
    assert robot.closure_names == ("loop", "gear", "sum", "weld")
    for kind, name in (("polynomials", "curve"), ("mocap", "string"), ("switched off", "off"), ("points", "rope")):
        assert any(kind in line and f"'{name}'" in line for line in text.splitlines()), (kind, name)
    check(robot, model, 1e-9)
    q = robot.model.assembly.q
    data = mujoco.MjData(model)
    data.qpos[:] = kt.interop.mujoco.q(robot, model, q)
    tool.leave_out(model, data, robot.closure_names)
    mujoco.mj_forward(model, data)
    held = data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert held.sum() == 3 + 1 + 1 + 6 and np.abs(data.efc_pos[: data.nefc][held]).max() < 1e-9


UNUSED = """<mujoco><option density="1.2"/><worldbody>
  <body name="a" gravcomp="1">
    <joint name="j" type="ball" armature="1" range="0 1" limited="true"/><geom size=".1"/></body>
  <body name="b" pos="1 0 0"><joint name="k" type="free" stiffness="2"/><geom size=".1"/><site name="s"/></body>
  <body name="c" pos="2 0 0"><joint name="l"/><geom size=".1" pos=".1 0 0"/><site name="r"/></body>
</worldbody>
<tendon><spatial name="spring" stiffness="3" range="0 1" limited="true"><site site="s"/><site site="r"/></spatial>
</tendon>
<actuator><general name="wind" site="s"/></actuator>
<sensor><jointpos joint="l"/></sensor></mujoco>"""


def test_what_is_not_used_is_named_once():
    with pytest.warns(kt.ModelWarning) as said:
        robot = kt.load(UNUSED, backend="numpy")
    lines = [str(warning.message).removeprefix("XML text: ") for warning in said]
    assert sorted(lines) == [
        "not part of the model: actuators that act on no joint: 'wind'",
        "not used: armature of ball and free joints: 'j'",
        "not used: stiffness of free joints: 'k'",
        "not used: stiffness of tendons: 'spring'",
        "not used: stops at limits of tendons: 'spring'",
        "not used: stops at ranges of ball joints: 'j'",
    ]
    assert robot.motor_names == ()
    check(robot, tool.supported(mujoco.MjModel.from_xml_string(UNUSED)))
    with pytest.raises(kt.ModelError, match="not used: stops at ranges"):
        kt.load(UNUSED, check="error")


def test_ranges_of_ball_joints_are_harmless_where_no_stops_act():
    """As joint effects are stops: else the motion differs from MuJoCo's, which passes the range by little."""
    text = """<mujoco><compiler angle="radian"/>{}<worldbody><body name="a"><joint name="j" type="ball" range="0 .5"
      limited="true"/><geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>"""
    with pytest.warns(kt.ModelWarning, match="not used: stops at ranges of ball joints: 'j'") as said:
        robot = kt.load(text.format(""), backend="numpy")
    assert [x.category for x in said] == [kt.ModelWarning]
    model = mujoco.MjModel.from_xml_string(text.format(""))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=150)
    free = robot.simulate(robot.home(), np.zeros(3), t=0.3, dt=model.opt.timestep).q[-1]
    assert 2 * np.arccos(data.qpos[0]) < 0.6 < 1.0 < 2 * np.arccos(free[0])
    with pytest.warns(HarmlessWarning, match="not part of the model: ranges of ball joints: 'j'"):
        kt.load(text.format(""), joint_effects=False, backend="numpy")
    kt.load(text.format('<option><flag limit="disable"/></option>'), backend="numpy")  # there are none: no warning


FIXED = """<mujoco><worldbody>{}
  <body name="a"><geom size=".1"/><body name="b"><joint/><geom size=".1"/></body></body>
</worldbody></mujoco>"""


def test_base():
    assert kt.load(FIXED.format("")).joint_names == ("b_joint",)
    freed = kt.load(FIXED.format(""), base="free")
    assert freed.joint_names == ("floating_base", "b_joint") and freed.frame_names[0] == "world"
    with pytest.raises(kt.ModelError, match="'c', 'a' are all fixed to it"):
        kt.load(FIXED.format('<body name="c"/>'), base="free")
    own = FIXED.format('<body name="c"><freejoint/><geom size=".1"/></body>')
    assert kt.load(own, base="free").model == kt.load(own).model


START = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="a" pos="1 2 3"><freejoint/><geom size=".1"/>
    <body name="b"><joint name="b" range="1 3"/><geom size=".1" pos=".1 0 0"/></body>
    <body name="c"><joint name="c" ref="2"/><geom size=".1" pos=".1 0 0"/></body></body>
</worldbody><keyframe>{}</keyframe></mujoco>"""


def test_home_is_a_keyframe_or_the_reference():
    """Unit quaternions, within the limits; what the reference says nothing about is in the middle of its limits."""
    first, home = '<key qpos="0 0 0 1 0 0 0 2 5"/>', '<key name="home" qpos="0 0 9 0 3 0 4 4 5"/>'
    for keys, start, q in (
        ("", [1, 2, 3, 1, 0, 0, 0, 2, 2], None),
        (first, [0, 0, 0, 1, 0, 0, 0, 2, 5], None),
        (home, [0, 0, 9, 0, 0.6, 0, 0.8, 4, 5], [0, 0, 9, 0, 0.6, 0, 0.8, 3, 5]),
    ):
        robot = kt.load(START.format(keys), backend="numpy", check="error")  # nothing to say
        assert np.allclose(robot.model.start, start, rtol=EXACT) and np.allclose(robot.home(), q or start, rtol=EXACT)
    both = kt.load(START.format(first + home), backend="numpy")
    assert both.home()[2] == 9 and [*both.keyframes] == ["key0", "home"]
    standing = FIXED.format("").replace('name="a"', 'name="a" pos="0 0 2" quat="0 1 0 0"')
    freed, fixed = kt.load(standing, base="free", backend="numpy"), kt.load(standing, backend="numpy")
    assert fixed.model.start is None and np.allclose(freed.pose(freed.home(), "b"), fixed.pose([0.0], "b"), rtol=EXACT)


def test_files(tmp_path, monkeypatch):
    (tmp_path / "part.xml").write_text(
        '<mujocoinclude><body name="b"><joint name="j"/><geom size=".1"/></body></mujocoinclude>'
    )
    (tmp_path / "arm.xml").write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    assert kt.load(tmp_path / "arm.xml").joint_names == ("j",) and kt.load(str(tmp_path / "arm.xml")).name == "arm"
    (tmp_path / "below" / "meshes").mkdir(parents=True)
    (tmp_path / "below" / "meshes" / "m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "below" / "a.xml").write_text('<mujocoinclude><mesh file="m.obj"/></mujocoinclude>')
    head = '<mujoco><compiler meshdir="meshes"/><asset><include file="a.xml"/></asset>'
    body = '<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    (tmp_path / "below" / "b.xml").write_text(head + body)
    assert kt.load("below/b.xml").model.geometry[0].mesh.faces.shape == (4, 3)  # by a relative path
    for name, text, message in (
        ("part.xml", None, "load the file that includes it"),
        ("odd.xml", "<mujoco><wheel/></mujoco>", "MuJoCo refuses it: .*wheel"),
        ("lost.xml", '<mujoco><worldbody><include file="no.xml"/></worldbody></mujoco>', "no.xml"),
    ):
        if text is not None:
            (tmp_path / name).write_text(text)
        with pytest.raises(kt.ModelError, match=message) as caught:
            kt.load(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(kt.InputError, match=r"pip install 'kinetrace\[mujoco\]'"):
        kt.load("<mujoco/>")


def test_a_missing_mesh_is_left_out_unless_it_has_mass():
    shape = '<geom type="mesh" mesh="m"/><geom size=".1" mass="0"/>'
    mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    text = '<mujoco><asset><mesh name="m" file="no.stl"/><texture name="t" type="2d" file="no.png"/></asset>'
    text += f'<worldbody><body name="b"><joint/>{mass}{shape}</body></worldbody></mujoco>'
    with pytest.warns(kt.ModelWarning, match=r"files are missing are left out: 'no\.stl'$"):
        robot = kt.load(text)
    assert {shape.kind for shape in robot.model.geometry} == {"sphere"}
    with pytest.raises(kt.ModelError, match=r"'no\.stl' is missing, and the inertia of body 'b' needs it"):
        kt.load(text.replace(mass, ""))


def test_a_constraint_that_contradicts_another_is_left_out():
    text = FIXED.format("").replace("<joint/>", '<joint name="j"/>')
    both = '<equality><joint name="x" joint1="j" polycoef=".5"/><joint name="y" joint1="j" polycoef=".6"/></equality>'
    text = text.replace("</mujoco>", f"{both}</mujoco>")
    with pytest.warns(kt.ModelWarning) as said:
        robot = kt.load(text, backend="numpy")
    assert any("cannot all hold" in str(w.message) and "'y' of 'j' by 0.1" in str(w.message) for w in said)
    assert robot.closure_names == ("x",)


def test_a_compiled_model_and_the_models_of_the_package():
    robot = kt.load(mujoco.MjModel.from_xml_string(MODEL), check="ignore")
    assert robot.model == kt.load(MODEL, check="ignore").model
    files = sorted(Path(mujoco.__file__).parent.rglob("*.xml"))
    for file in files:
        found = tool.row(file)
        assert found.found and not found.wrong(1e-9), (file, found)


ORDERED = """<mujoco><worldbody>
  <body name="b"><joint name="second" axis="0 1 0"/><geom size=".1" pos=".1 0 0"/></body>
  <body name="c" pos="0 0 1">
    <joint name="third_1" axis="1 0 0"/><joint name="third_2" axis="0 1 0"/><geom size=".1"/></body>
  <body name="d" pos="0 1 0"><joint name="fourth" axis="0 1 0"/><geom size=".1" pos="0 0 .1"/></body>
  <body name="a"><freejoint name="root"/><geom type="box" size=".1 .2 .3" pos=".1 .2 .3"/></body>
</worldbody></mujoco>"""


def test_conversions_by_name_in_another_order_and_in_batches():
    """Bodies in another order, a free joint under another name, one joint that is two there, a mimic joint."""
    model, rng, convert = mujoco.MjModel.from_xml_string(ORDERED), np.random.default_rng(0), kt.interop.mujoco
    J, b = {x.name: x.J for x in kt.load(ORDERED).model.bodies}, kt.Builder("r")
    b.link("world")
    for name, link, joint, p in (
        ("first", "a", kt.joints.Free(), [0, 0, 0]),
        ("second", "b", kt.joints.Revolute([0, 1, 0]), [0, 0, 0]),
        ("third", "c", kt.joints.Universal([1, 0, 0], [0, 1, 0]), [0, 0, 1]),
        ("fourth", "d", kt.joints.Revolute([0, 1, 0]), [0, 1, 0]),
    ):
        X = kt.lie.se3.pose(np.eye(3), np.array(p, dtype=float))
        mimic = ("second", -2.0, 0.1) if name == "fourth" else None
        b.link(link, J[link])
        b.joint(name, joint, parent="world", child=link, placement=X, mimic=mimic)
    robot = kt.Robot(b.build(), backend="numpy")
    q, (v, a) = robot.random((2, 3), seed=1), rng.normal(size=(2, 2, 3, robot.nv))
    qpos, qvel = convert.q(robot, model, q), convert.v(robot, model, q, v)
    qacc, tau = convert.a(robot, model, q, v, a), convert.tau(robot, model, q, a)
    assert np.allclose(convert.from_q(robot, model, qpos), q)
    assert np.allclose(convert.from_v(robot, model, qpos, qvel), v)
    assert np.allclose(convert.from_a(robot, model, qpos, qvel, qacc), a)
    assert np.allclose(convert.from_tau(robot, model, qpos, tau), a)
    assert np.allclose((tau * qvel).sum(-1), (a * v).sum(-1))  # the same power
    astray = qpos.copy()
    astray[..., model.joint("fourth").qposadr] += 0.1
    with pytest.warns(kt.ModelWarning, match="qpos: joint 'fourth', which mimics another in the robot, is not where"):
        assert np.allclose(convert.from_v(robot, model, astray, qvel), v)
    data, T = mujoco.MjData(model), convert.velocity_map(robot, model, q)
    for k in np.ndindex(2, 3):
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos[k], qvel[k], qacc[k]
        mujoco.mj_inverse(model, data)
        inverse = convert.from_tau(robot, model, qpos[k], data.qfrc_inverse)
        assert np.allclose(robot.inverse_dynamics(q[k], v[k], a[k]), inverse, rtol=EXACT, atol=EXACT)
        M = T[k].T @ tool.full_mass_matrix(model, data) @ T[k]
        assert np.allclose(robot.mass_matrix(q[k]), M, rtol=EXACT, atol=EXACT)
    with pytest.raises(
        kt.InputError,
        match=r"robot 'r' has no joint 'b_joint'; the mujoco.MjModel has no joint 'first', 'second', 'third'",
    ):
        convert.q(robot, mujoco.MjModel.from_xml_string(FIXED.format("")), q)
    with pytest.raises(kt.InputError, match=r"must be a mujoco\.MjModel"):
        convert.q(robot, robot, q)
    with pytest.raises(kt.InputError, match=r"leading axes do not fit: \(2, \d+\) of qpos, \(3, \d+\) of qvel"):
        convert.from_v(robot, model, np.zeros((2, model.nq)), np.zeros((3, model.nv)))
    with pytest.raises(kt.InputError, match="robot must be a kinetrace Robot or Model, got str"):
        convert.q("robot", model, q)


def saved(model):
    text, unsaid = mjcf(model)
    return kt.load(text, backend="numpy", check="ignore").model, mujoco.MjModel.from_xml_string(text), unsaid


def assert_same_motion(model, other, frames):
    q, rng = model.random(np.random.default_rng(0)), np.random.default_rng(1)
    v = rng.normal(size=model.nv)
    for f in (kt.algorithms.mass_matrix, lambda m, x: kt.algorithms.bias(m, x, v)):
        assert np.allclose(f(other, q), f(model, q), rtol=EXACT, atol=EXACT)
    for frame in frames:
        X = kt.algorithms.pose(model, q, frame=frame)
        assert np.allclose(kt.algorithms.pose(other, q, frame=frame), X, rtol=EXACT, atol=EXACT)


def test_saving_every_element(every):
    model = every[0].model
    other, peer, unsaid = saved(model)
    assert_same_motion(model, other, [name for name in model.frames if ":" not in name])
    assert other.joint_names == model.joint_names and other.motor_names == model.motor_names
    assert {(s.kind, s.role, s.size) for s in other.geometry} == {(s.kind, s.role, s.size) for s in model.geometry}
    assert unsaid == []
    check(kt.Robot(other, backend="numpy"), peer)


def test_saving_joints_of_every_kind():
    """A planar, universal or cylindrical joint is several; axes of a ball's body may differ from those of the joint."""
    b, rng = kt.Builder("all"), np.random.default_rng(3)
    joints = kt.joints.Planar([1, 1, 0]), kt.joints.Universal(), kt.joints.Cylindrical([0, 1, 1]), kt.joints.Spherical()
    joints += kt.joints.Prismatic([1, 2, 0]), kt.joints.Screw([0, 0, 1, 0.3, 0, 0]), kt.joints.Continuous([0, 1, 0])
    for k, joint in enumerate(joints):
        X, Y = (kt.lie.se3.exp(rng.normal(size=6)) for _ in range(2))
        b.link(f"l{k + 1}", kt.lie.inertia.from_mass_com(1.0 + k, rng.normal(size=3), np.diag([1.0, 1.2, 1.3])))
        b.joint(f"j{k}", joint, parent=f"l{k}", child=f"l{k + 1}", placement=X, child_placement=Y)
    model = b.build()
    other, _, unsaid = saved(model)
    assert_same_motion(model, other, model.frames)
    assert unsaid == []


def test_effects_of_a_screw_in_other_units():
    """q of the file is in radians: what joints do by themselves is the same motion."""
    b = kt.Builder("screw")
    b.link("b", kt.lie.inertia.from_mass_com(1.0, np.ones(3), np.eye(3)))
    b.joint("s", kt.joints.Screw([0, 0, 2, 0, 0, 0]), parent="a", child="b")
    model = b.build().with_joint_effects(armature=0.1, damping=0.2, friction=0.3, stiffness=0.4)
    other, _, unsaid = saved(model)
    q, v, a = (np.array([x]) for x in (0.3, 0.5, 0.7))
    ours, theirs = (
        kt.algorithms.inverse_dynamics(m, *x) for m, x in ((model, (q, v, a)), (other, (2 * q, 2 * v, 2 * a)))
    )
    assert np.allclose(ours, 2 * theirs, rtol=1e-3) and "units of screws" in unsaid[0]  # friction is smoothed by v


def test_the_start_is_saved_as_a_keyframe(tmp_path):
    """Also where the order of bodies is not by depth, and mimic joints, screws and joints of several variables."""
    robot, other = (kt.random_tree(n, seed=3, backend="numpy") for n in (9, 4))
    model = robot.joined(other, robot.model.bodies[2].name, prefix="other_").model
    q = model.random(np.random.default_rng(0))
    peer = mujoco.MjModel.from_xml_string(mjcf(replace(model, start=q))[0])
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    mujoco.mj_kinematics(peer, data)
    for body in model.bodies:
        found = mujoco.mj_name2id(peer, mujoco.mjtObj.mjOBJ_BODY, body.name)
        X = kt.algorithms.pose(model, q, frame=body.name)
        assert found < 0 or np.allclose(X[:3, 3], data.xpos[found], rtol=EXACT, atol=EXACT)
    four_bar = kt.load("four_bar")
    back = kt.load(mjcf(four_bar.model)[0], backend="numpy", check="ignore")
    assert np.allclose(back.home(), four_bar.home(), atol=1e-9)  # closed anew, from there


def test_saving_closures_and_what_cannot_be_said():
    four_bar = kt.load("four_bar").model
    other, _, unsaid = saved(four_bar)
    assert_same_motion(four_bar, other, four_bar.frames)
    assert len(other.closures) == 2 and unsaid == [
        "hinges that close loops, written as two points that coincide: 'coupler-rocker'"
    ]
    robot = kt.Robot(other, backend="numpy")
    assert robot.dof == 1
    tree = kt.random_tree(9, seed=0).model.with_joint_effects("joint4", friction=1.0, friction_width=0.1)
    with pytest.raises(kt.ModelError, match=r"MJCF cannot say how .* moves: widths of friction: 'joint4'\. A \.json"):
        mjcf(tree)
    text = " ".join(mjcf(tree, lossy=True)[1])
    for word in ("free joints", "screws", "mimic joints", "limits of velocities", "widths of friction"):
        assert word in text
    with pytest.raises(kt.ModelError, match=r"MJCF cannot say how 'bicycle' moves: closures .*'rear_contact'"):
        mjcf(kt.load("bicycle").model)
    assert "rear_contact" in mjcf(kt.load("bicycle").model, lossy=True)[1][0]


def test_friction_loss_and_ranges_are_dry_friction_and_hard_stops(tmp_path):
    """As constraints are in MuJoCo; both ways, and not if others are asked for."""
    text = """<mujoco><compiler angle="radian"/><worldbody><body name="b">
      <joint name="j" axis="0 1 0" range="-1 0.5" limited="true" frictionloss="0.3"/> <geom size=".1" pos="0 0 -.3"/>
      <body name="c"> <joint name="k"/> <geom size=".1" pos=".1 0 0"/> </body> </body></worldbody></mujoco>"""
    robot = kt.load(text)
    j, k = (body.effects for body in robot.model.bodies)
    assert (j.friction_law, j.stop_law, float(j.friction[0])) == ("dry", "hard", 0.3)
    assert k is None
    motion = robot.simulate([0.4, 0.0], [3.0, 0.0], t=1.0, dt=1e-3)
    assert motion.method == "semi-implicit"
    assert motion.q[:, 0].max() == 0.5
    robot.save(tmp_path / "again.xml")
    assert kt.load(tmp_path / "again.xml").model.bodies[0].effects == j
    other = kt.load(text, friction_law="smooth", stop_law="soft").model.bodies[0].effects
    assert (other.friction_law, other.stop_law) == ("smooth", "soft")
    with pytest.raises(kt.ModelError, match="restitution of hard stops: 'j'"):
        robot.with_joint_effects("j", restitution=0.5).save(tmp_path / "no.xml")


def test_what_limits_of_joints_lose_and_numbers_that_are_none_are_named(tmp_path):
    limit = 'axis="0 1 0" range="-1 0.5" limited="true"'
    text = f"""<mujoco><worldbody><body>
      <joint name="j" {limit} margin="0.1" solreflimit="0.05 1" frictionloss="0.3"/> <geom size=".1" pos="0 0 -.3"/>
    </body></worldbody></mujoco>"""
    with pytest.warns(kt.ModelWarning, match=r"solreflimit of joints.*'j'.*margin of joints: 'j'"):
        kt.load(text)
    (tmp_path / "odd.xml").write_text(text.replace('"0.3"', '"nan"'))
    with pytest.raises(kt.ModelError, match=r"odd\.xml.*joint 'j': .*friction must be finite"):
        kt.load(tmp_path / "odd.xml")
