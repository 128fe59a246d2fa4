"""Planar joints in Pinocchio: velocities turn with the body, and the axis in URDF is ignored."""

import numpy as np
import pytest

import kinetrace as kt

pin = pytest.importorskip("pinocchio")
URDF = """<robot name="r"><link name="base"/><link name="l"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="planar"><parent link="base"/><child link="l"/><axis xyz="{}"/></joint></robot>"""


def test_armature_that_pinocchio_cannot_hold_is_named():
    b = kt.Builder("p")
    b.link("l", inertia=kt.lie.inertia.from_mass_com(1.0, [0.1, 0, 0], np.eye(3) * 0.1))
    effects = kt.JointEffects(armature=[0.7, 0.7, 0.2])
    b.joint("slide", kt.joints.Planar(), parent="base", child="l", effects=effects)
    robot = kt.Robot(b.build(), backend="numpy")
    with pytest.warns(kt.ModelWarning, match="armature along the plane of 'slide'"):
        model = kt.interop.pinocchio.to_model(robot)
    assert np.array_equal(model.armature, [0.0, 0.0, 0.2])
    turned = kt.load(model, backend="numpy")
    q, v, a = np.array([0.3, 0.2, 0.5]), np.array([1.0, 2.0, 3.0]), np.array([0.4, -1.0, 0.2])
    P = kt.interop.pinocchio
    theirs = pin.rnea(
        model, model.createData(), P.q(robot, model, q), P.v(robot, model, q, v), P.a(robot, model, q, v, a)
    )
    ours = kt.algorithms.inverse_dynamics(turned.model, q, v, a)
    assert np.allclose(P.tau(turned, model, q, ours), theirs, atol=1e-12)
    model.armature = np.array([0.7, 0.7, 0.2])
    with pytest.warns(kt.ModelWarning, match="'slide': armature along the plane is left out"):
        kt.load(model, backend="numpy")


def test_a_plane_that_pinocchio_ignores_is_an_error():
    for axis, same in (("0 0 1", True), ("1 0 0", False)):
        text = URDF.format(axis)
        robot, model = kt.load(text, backend="numpy"), pin.buildModelFromXML(text)
        if same:
            assert kt.interop.pinocchio.q(robot, model, [0.1, 0.2, 0.0]).shape == (4,)
            continue
        with pytest.raises(kt.InputError, match="planar joint 'slide' moves in another plane"):
            kt.interop.pinocchio.q(robot, model, [0.1, 0.2, 0.0])
