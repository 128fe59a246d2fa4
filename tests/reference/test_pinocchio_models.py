"""`pinocchio.Model`s of every joint, loaded: the same dynamics, and states that convert."""

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.errors import InputError, ModelError, ModelWarning
from kinetrace.interop import pinocchio as to_pin

from ..model.test_saving import tree
from .test_against_pinocchio import translated

pin = pytest.importorskip("pinocchio")

AXIS = np.array([0, 0.6, 0.8])
CONTINUOUS = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">
<parent link="a"/><child link="b"/><axis xyz="0 0.6 0.8"/></joint></robot>"""
PAIR = """<robot name="pair"><link name="a"/>
<link name="b">{0}</link><link name="c">{0}</link><link name="d">{0}</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="0.3" friction="0.2"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 0.6 0.8"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="j" multiplier="-2" offset="0.3"/></joint>
<joint name="l" type="revolute"><parent link="c"/><child link="d"/><axis xyz="1 0 0"/><origin xyz="0.1 0.2 0.3"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="j" multiplier="0.5"/></joint></robot>""".format(
    '<inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>'
    '<inertia ixx="1" ixy="0" ixz="0.1" iyy="1" iyz="0" izz="1"/></inertial>'
)


def every_joint():
    """One of each of Pinocchio's joints, in a tree."""
    pin.seed(1)
    composite = pin.JointModelComposite()
    composite.addJoint(pin.JointModelRY())
    composite.addJoint(pin.JointModelPX(), pin.SE3.Random())
    composite.addJoint(pin.JointModelSphericalZYX(), pin.SE3.Random())
    kinds = [pin.JointModelFreeFlyer(), composite, pin.JointModelSpherical(), pin.JointModelSphericalZYX()]
    kinds += [pin.JointModelTranslation(), pin.JointModelPlanar(), pin.JointModelUniversal(np.eye(3)[0], AXIS)]
    kinds += [getattr(pin, f"JointModel{kind}{x}")() for kind in ("R", "RUB", "P") for x in "XYZ"]
    kinds += [getattr(pin, f"JointModelH{x}")(0.2) for x in "XYZ"]
    kinds += [pin.JointModelRevoluteUnaligned(AXIS), pin.JointModelPrismaticUnaligned(AXIS)]
    kinds += [pin.JointModelHelicalUnaligned(AXIS, -0.3), pin.buildModelFromXML(CONTINUOUS).joints[1]]
    model, rng = pin.Model(), np.random.default_rng(0)
    model.name = "every"
    model.gravity.linear = np.array([0.1, 0.2, -3.0])
    for k, kind in enumerate(kinds):
        parent = int(rng.integers(max(0, model.njoints - 3), model.njoints))
        i = model.addJoint(parent, kind, pin.SE3.Random(), f"joint{k}")
        model.appendBodyToJoint(i, pin.Inertia.Random(), pin.SE3.Identity())
        model.addFrame(pin.Frame(f"link{k}", i, 0, pin.SE3.Identity(), pin.FrameType.BODY))
        model.addFrame(pin.Frame(f"tool{k}", i, 0, pin.SE3.Random(), pin.FrameType.OP_FRAME))
    return model


def compared(robot, model, armature=0.0):
    """Joint forces and the pose of the last frame."""
    ours, data, rng = robot.model, model.createData(), np.random.default_rng(2)
    q = np.array([ours.integrate(ours.neutral(), rng.uniform(-2, 2, ours.nv)) for _ in range(3)])
    v, a = rng.normal(size=(2, 3, ours.nv))
    for k, (q_p, v_p, a_p, T) in enumerate(zip(*translated(robot, model, q, v, a), strict=True)):
        tau = kt.algorithms.inverse_dynamics(ours, q[k], v[k], a[k])
        peer = T.T @ pin.rnea(model, data, q_p, v_p, a_p)
        np.testing.assert_allclose(tau, peer, rtol=0, atol=1e-12 * np.abs(peer).max())
        pin.framesForwardKinematics(model, data, q_p)
        for frame in model.frames:
            if frame.name in ours.frames:
                X = data.oMf[model.getFrameId(frame.name)].homogeneous
                np.testing.assert_allclose(kt.algorithms.pose(ours, q[k], frame=frame.name), X, atol=1e-12)


def test_every_joint():
    model = every_joint()
    robot = kt.load(model, backend="numpy", check="ignore")
    assert robot.nv == model.nv and robot.name == "every" and {"link3", "tool7"} <= set(robot.frame_names)
    np.testing.assert_array_equal(robot.model.gravity, model.gravity.linear)
    compared(robot, model)


def test_mimics_limits_and_effects():
    """With mimic joints that have no variables there, and as independent joints."""
    for mimic in (False, True):
        model = pin.buildModelFromXML(PAIR, mimic)
        robot = kt.load(PAIR, backend="numpy", joint_effects=False)
        compared(robot, model)
        loaded = kt.load(model, backend="numpy", check="error")
        assert loaded.nv == (1 if mimic else 3)
        body = loaded.model.bodies[0]
        assert body.effects.damping == 0.3 and body.effects.friction == 0.2 and body.limits.upper == 1
        compared(kt.load(model, backend="numpy", joint_effects=False), model)
    q = to_pin.q(robot, pin.buildModelFromXML(PAIR), [0.1])
    with pytest.warns(
        ModelWarning, match=r"q_pin: joint 'k', which mimics another in the robot, is not where it belongs"
    ):
        assert to_pin.from_q(robot, pin.buildModelFromXML(PAIR), q + np.array([0, 0.5, 0])) == [0.1]


def test_armature_counts_and_a_rotor_alone_does_not():
    model = pin.buildModelFromXML(PAIR)
    model.rotorInertia = np.array([1e-4, 0, 0])
    model.rotorGearRatio = np.array([100.0, 0, 0])
    with pytest.warns(ModelWarning, match="rotorInertia of 'j' is not used"):
        assert kt.load(model, backend="numpy").model.bodies[0].effects.armature == 0
    model.armature = np.array([1.0, 0, 0.5])
    model.damping = model.friction = np.zeros(3)
    if hasattr(model, "upperDryFrictionLimit"):
        model.upperDryFrictionLimit = np.zeros(3)
    compared(kt.load(model, backend="numpy", check="error"), model)


def test_what_does_not_fit_is_named():
    robot, model = kt.load("planar2r", backend="numpy"), pin.buildModelFromXML(PAIR)
    with pytest.raises(
        InputError,
        match=r"robot 'planar2r' has no joint 'j', 'k', 'l'; the pinocchio.Model has no joint 'joint1', 'joint2'",
    ):
        to_pin.q(robot, model, [0.0, 0.0])
    with pytest.raises(InputError, match=r"model must be a pinocchio.Model, got str"):
        to_pin.q(robot, "model", [0.0, 0.0])
    pair = kt.load(PAIR, backend="numpy", joint_effects=False)
    with pytest.raises(InputError, match=r"q must hold real numbers in the shape \(..., 1\), got \(2,\)"):
        to_pin.v(pair, model, [0.0, 0.0], [1.0])
    with pytest.raises(InputError, match="leading axes do not fit"):
        to_pin.v(pair, model, np.zeros((2, 1)), np.zeros((3, 1)))
    assert to_pin.a(pair, model, np.zeros((2, 1, 1)), np.zeros((3, 1)), np.zeros(1)).shape == (2, 3, 3)
    other = pin.Model()
    other.addJoint(0, pin.JointModelEllipsoid(1, 2, 3), pin.SE3.Identity(), "egg")
    with pytest.raises(ModelError, match="joint 'egg': there is no joint here for Pinocchio's Ellipsoid"):
        kt.load(other)


def test_to_model_has_the_same_motion():
    """Of every joint that both have, with mimics, limits and effects; and it comes back."""
    model = tree().build(check="ignore", gravity=(0.1, 0.2, -3.0)).with_joint_effects("joint 2", armature=0.4)
    made = to_pin.to_model(model, mimic=False)  # those of several variables, it has not
    assert made.name == model.name and set(model.frames) <= {frame.name for frame in made.frames}
    plain = model.without_joint_effects().with_joint_effects("joint 2", armature=0.4)  # rnea has the armature alone
    compared(kt.Robot(plain, backend="numpy"), made)
    assert not len(made.referenceConfigurations)
    q = model.random(np.random.default_rng(0))
    made = to_pin.to_model(replace(model, start=q), mimic=False)
    back = kt.load(made, backend="numpy", check="ignore").model
    ours = kt.Robot(model, backend="numpy")
    assert np.allclose(made.referenceConfigurations["home"], to_pin.q(ours, made, q), rtol=1e-12)
    assert np.allclose(to_pin.q(back, made, back.start), to_pin.q(ours, made, q), rtol=1e-12, atol=1e-12)
    made.referenceConfigurations["a"] = 0.0 * to_pin.q(ours, made, q)
    assert np.array_equal(kt.load(made, backend="numpy", check="ignore").model.start, back.start)
    first = back.bodies[0]
    assert first.limits.upper == model.bodies[0].limits.upper and first.limits.velocity == 3.0
    assert back.bodies[1].effects.damping == 0.1 and back.bodies[1].effects.friction == 0.2
    with pytest.warns(ModelWarning, match="does not hold closures 'coupler-rocker'"):
        to_pin.to_model(kt.load("four_bar", backend="numpy"))
    with pytest.warns(ModelWarning, match="does not hold hard stops of 'panda_joint1', "):
        to_pin.to_model(kt.load("panda", stop_law="hard", backend="numpy"))
    screw = kt.Builder("screw")
    screw.joint("s", kt.joints.Screw([0, 0, 2, 0, 0, 0]), parent="a", child="b")
    with pytest.raises(ModelError, match="joint 's': this screw moves by 2 rad per unit of q"):
        to_pin.to_model(screw.build(check="ignore"))
