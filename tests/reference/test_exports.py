"""What is exported and read back moves the same, or is refused by name: all joints, also of users' own classes."""

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.errors import ModelError
from kinetrace.model import Geometry, Mesh
from kinetrace.model import joints as j
from kinetrace.model.files.save.mjcf import mjcf
from own_joints import OWN, arm

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")
to_mj, to_pin = kt.interop.mujoco, kt.interop.pinocchio

KINDS = [
    j.Revolute([0, 1, 2]),
    j.Continuous([1, 0, 0]),
    j.Prismatic([1, 1, 0]),
    j.Helical([0, 0, 1], 0.3),
    j.Helical([1, 2, 0], 0.0),
    j.Screw([0.6, 0, 0.8, 0.1, 0.2, 0.3]),
    j.Screw([0, 0, 0, 0, 1, 0]),
    j.Screw([0, 0, 25.0, 1, 2, 3]),
    j.Cylindrical([1, 2, 2]),
    j.Universal([1, 0, 0], [0, 1, 1]),
    j.Planar([0, 1, 0]),
    j.Spherical(),
    j.Free(),
    *(kind() for kind in OWN),
]
STEP = 1e-5
"""Of the difference that tells velocities in the variables of MJCF, exact to 1e-8 or so."""
FOLLOWING = [joint for joint in KINDS if joint.nq == joint.nv]


def by_json(robot, path):
    robot.save(path / "arm.json")
    return kt.load(path / "arm.json", backend="numpy", check="ignore"), lambda q, v: (q, v)


def by_urdf(robot, path):
    """Chains of hinges and slides have the same variables in the same order."""
    robot.save(path / "arm.urdf")
    return kt.load(path / "arm.urdf", backend="numpy", check="ignore"), lambda q, v: (q, v)


def by_mjcf(robot, path):
    """Where our q is in its variables, a keyframe tells."""
    back = kt.load(mjcf(robot.model)[0], backend="numpy", check="ignore")

    def place(q):
        peer = mujoco.MjModel.from_xml_string(mjcf(replace(robot.model, start=q))[0])
        return to_mj.from_q(back, peer, peer.key_qpos[0])

    def state(q, v):
        ends = [place(robot.integrate(q, s * STEP * v)) for s in (-1, 1)]
        return place(q), back.difference(*ends) / (2 * STEP)

    return back, state


def by_pinocchio(robot, path):
    made = to_pin.to_model(robot)
    back = kt.load(made, backend="numpy", check="ignore")

    def state(q, v):
        at = to_pin.q(robot, made, q)
        return to_pin.from_q(back, made, at), to_pin.from_v(back, made, at, to_pin.v(robot, made, q, v))

    return back, state


EXPORTS = {".json": by_json, ".urdf": by_urdf, ".xml": by_mjcf, "pinocchio": by_pinocchio}
LEAST = {
    ".json": {j.Revolute, j.Free, j.Screw, j.Spherical},
    ".urdf": {j.Revolute, j.Free, j.Helical, j.Universal},
    ".xml": {j.Revolute, j.Free, j.Screw, j.Spherical, OWN[0], OWN[1]},
    "pinocchio": {j.Revolute, j.Free, j.Helical, j.Planar},
}
"""Joints that are not refused."""
FOLLOWERS = {".json": {j.Revolute, j.Screw}, ".urdf": {j.Revolute, j.Helical}, ".xml": {j.Revolute, j.Helical, j.Screw}}
FOLLOWERS["pinocchio"] = {j.Revolute, j.Continuous, j.Prismatic}


def same(model, export, path):
    """Whether the model that comes back moves as this one; an error that names a joint if it cannot."""
    robot = kt.Robot(model, backend="numpy")
    try:
        back, state = EXPORTS[export](robot, path)
    except ModelError as error:
        assert any(name in str(error) for name in ("'own'", "'follower'", type(model.bodies[1].joint).__name__))
        return False
    assert back.dof == robot.dof
    rng = np.random.default_rng(1)
    for _ in range(3):
        q, v = model.random(rng), rng.normal(size=model.nv)
        there, rate = state(q, v)
        np.testing.assert_allclose(back.pose(there, "tool"), robot.pose(q, "tool"), atol=1e-11)
        np.testing.assert_allclose(back.velocity(there, rate, "tool"), robot.velocity(q, v, "tool"), atol=2e-6)
        np.testing.assert_allclose(back.kinetic_energy(there, rate), robot.kinetic_energy(q, v), rtol=2e-6)
        if back.model.closures:
            np.testing.assert_allclose(kt.algorithms.closure_residual(back.model, there), 0, atol=1e-12)
    return True


@pytest.mark.parametrize("export", EXPORTS)
def test_what_comes_back_moves_the_same_or_is_refused_by_name(export, tmp_path):
    kept = {type(joint) for joint in KINDS if same(arm(joint), export, tmp_path)}
    assert kept >= LEAST[export]
    kept = {type(joint) for joint in FOLLOWING if same(arm(joint, mimic=joint), export, tmp_path)}
    assert kept >= FOLLOWERS[export]


def test_a_pinocchio_model_has_mimic_joints_or_says_why_not():
    """Two followers, one of another kind; where they stand before the joint that they follow, they are refused."""
    b = kt.Builder("gripper")
    J = kt.lie.inertia.from_mass_com(1.0, [0.1, 0.2, 0], np.eye(3))
    for name in ("palm", "left", "right"):
        b.link(name, J)
    b.joint("drive", j.Revolute(), parent="base", child="palm")
    b.joint("slide", j.Prismatic([1, 0, 0]), parent="palm", child="left", mimic=("drive", 0.1, 0.2))
    b.joint("turn", j.Continuous([0, 1, 1]), parent="palm", child="right", mimic=("slide", 2.0, 0.0))
    model = b.build().with_joint_effects("slide", armature=3.0, damping=5.0, friction=7.0)
    made = to_pin.to_model(replace(model, start=np.array([0.4])))
    assert (made.nq, made.nv, made.njoints) == (1, 1, 4)
    assert np.allclose([made.armature, made.damping], [[0.03], [0.05]]) and made.referenceConfigurations["home"] == 0.4
    assert to_pin.to_model(model, mimic=False).nv == 3
    b = kt.Builder("late")
    for name in ("a", "b"):
        b.link(name, J)
    b.joint("first", j.Revolute(), parent="base", child="a", mimic=("second", 1.0, 0.0))
    b.joint("second", j.Revolute(), parent="base", child="b")
    with pytest.raises(ModelError, match=r"joint 'first': it stands before joint 'second'.* mimic=False makes"):
        to_pin.to_model(b.build())


def test_shapes_that_mujoco_cannot_have_are_left_out_by_name(tmp_path):
    """Every other one is read back; a capsule without length is a sphere."""
    eye, square = np.eye(4), Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    flat = tmp_path / "flat.stl"
    triangle = np.zeros(12, dtype="<f4").tobytes()[:12] + np.array([0, 0, 0, 1, 0, 0, 0, 1, 0], dtype="<f4").tobytes()
    flat.write_bytes(bytes(80) + (2).to_bytes(4, "little") + 2 * (triangle + bytes(2)))
    sizes = {
        "box": [(1, 1, 0), (1, 2, 3)],
        "sphere": [(0,), (1,)],
        "cylinder": [(1, 0), (0, 1), (1, 2)],
        "capsule": [(1, 0), (0, 1), (1, 2)],
        "ellipsoid": [(1, 1, 0), (1, 2, 3)],
        "plane": [(0, 0), (1, 2)],
    }
    shapes = [Geometry(kind, size, "base", eye) for kind, each in sizes.items() for size in each]
    shapes += [Geometry("mesh", (1, 1, 1), "base", eye, mesh=mesh) for mesh in (square, str(flat))]
    model = replace(arm(j.Revolute()), geometry=tuple(shapes))
    text, unsaid = mjcf(model)
    back = kt.load(text, check="ignore").model
    assert [x.kind for x in back.geometry] == [
        "box",
        "sphere",
        "cylinder",
        "sphere",
        "capsule",
        "ellipsoid",
        "plane",
        "plane",
    ]
    assert "shapes without thickness, which MuJoCo does not have: 'base'" in unsaid


def test_more_joints_than_a_body_of_mujoco_has_are_several_bodies():
    """Massless links between nine hinges: MuJoCo's bodies have six at most."""
    b, rng = kt.Builder("chain"), np.random.default_rng(0)
    for k in range(9):
        b.link(f"l{k + 1}", kt.lie.inertia.from_mass_com(1.0, rng.normal(size=3), np.eye(3)) if k == 8 else None)
        X = kt.lie.se3.exp(rng.normal(size=6))
        b.joint(f"j{k}", j.Revolute(rng.normal(size=3)), parent=f"l{k}", child=f"l{k + 1}", placement=X)
    model = b.build(check="ignore")
    back = kt.load(mjcf(model)[0], backend="numpy", check="ignore").model
    q = model.random(rng)
    X = kt.algorithms.pose(model, q, frame="l9")
    np.testing.assert_allclose(kt.algorithms.pose(back, q, frame="l9"), X, atol=1e-12)


def test_classes_derived_from_joints_of_the_package_are_refused_by_name(tmp_path):
    """What they are derived from may move otherwise."""

    class Geared(kt.joints.Revolute):
        rotation_axis = None  # by q, it would be

        def placement(self, q):
            return super().placement(2.0 * q)

        def subspace(self, q):
            return 2.0 * super().subspace(2.0 * q)

    b = kt.Builder("geared")
    b.link("arm", inertia=kt.lie.inertia.from_mass_com(1.0, np.array([0.1, 0.2, 0.3]), np.eye(3)))
    b.joint("j", Geared([0, 0, 1]), parent="base", child="arm")
    robot = kt.Robot(b.build())
    for export in (
        lambda: robot.save(tmp_path / "a.urdf"),
        lambda: robot.save(tmp_path / "a.xml"),
        lambda: kt.interop.pinocchio.to_model(robot),
    ):
        with pytest.raises(kt.ModelError, match=r"'j'.* no Geared joints"):
            export()
