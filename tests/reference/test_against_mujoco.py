"""Every robot that MuJoCo takes against it: inverse dynamics, and poses and Jacobians of links.

MuJoCo reads URDF, without its shapes here, but refuses massless moving bodies and impossible inertias. A free joint's
velocity is linear in the world, then angular in the body.
"""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import kinetrace as kt

mujoco = pytest.importorskip("mujoco")

# MuJoCo's own world is called so; a link of this name would vanish in it.
WORLD = "world"
RENAMED = "link called world"
TURNED_OFF = ("CONSTRAINT", "SPRING", "DAMPER", "ACTUATION")


def same(q, v):
    return q, np.eye(1), np.zeros(1)


def free(q, v):
    R = kt.lie.so3.from_quaternion(q[3:])
    T = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
    return q, T, np.r_[R @ np.cross(v[:3], v[3:]), np.zeros(3)]


CONVENTIONS = {"revolute": same, "prismatic": same, "continuous": same, "floating": free}


def build(urdf, base):
    """ValueError if MuJoCo refuses."""
    robot = ET.parse(urdf).getroot()
    for link in robot.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    for element in robot.iter():
        for key in ("name", "link"):
            if element.tag in ("link", "parent", "child") and element.get(key) == WORLD:
                element.set(key, RENAMED)
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", fusestatic="false")
    spec = mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode"))
    if base == "free" and (root := spec.worldbody.first_body()) is not None:
        root.add_freejoint(name="floating_base")
    model = spec.compile()
    for name in TURNED_OFF:
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
    return model


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to a file in the working directory."""
    monkeypatch.chdir(tmp_path)


def test_robot(urdf, base, case, translation, agree):
    kinds = {joint.kind for joint in case.joints if joint.name != "floating_base"}
    if kinds - {"revolute", "prismatic", "continuous"}:
        pytest.skip("MuJoCo's URDF has no planar joints, and floating ones at the root only")
    try:
        model = build(urdf, base)
    except ValueError as error:
        pytest.skip(f"MuJoCo refuses it: {' '.join(str(error).split())}")
    data, robot, exact = mujoco.MjData(model), case.robot, case.exact

    def places(joint):
        j = model.joint(joint)
        return int(j.qposadr[0]), int(j.dofadr[0])

    translate = translation(robot, case.joints, CONVENTIONS, places, model.nq, model.nv)
    q, v, a = case.states()
    tau, tau_exact = robot.inverse_dynamics(q, v, a), exact.inverse_dynamics(q, v, a)
    poses = [exact.pose(q, name) for name in case.frames]
    jacobians = [exact.jacobian(q, name, expressed_in="aligned") for name in case.frames]

    for k in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:], T = translate(q[k], v[k], a[k])
        mujoco.mj_inverse(model, data)
        tau_peer = T.T @ data.qfrc_inverse
        agree(tau[k], tau_peer, "compiled inverse dynamics")
        agree(tau_exact[k], tau_peer, "inverse dynamics")
        for name, X, J in zip(case.frames, poses, jacobians, strict=True):
            body = model.body(RENAMED if name == WORLD else name).id
            X_peer, J_peer = np.eye(4), np.zeros((6, model.nv))
            X_peer[:3, :3], X_peer[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
            mujoco.mj_jacBody(model, data, J_peer[3:], J_peer[:3], body)
            agree(X[k], X_peer, f"pose of {name}")
            agree(J[k], J_peer @ T, f"Jacobian of {name}")


def loads(urdf):
    try:
        return bool(build(urdf, "fixed"))
    except ValueError:
        return False


def test_none_is_missing(urdfs):
    """No robot that MuJoCo takes can drop out of the test above unseen."""
    taken = {name for name, urdf in urdfs.items() if loads(urdf)}
    assert len(taken) >= 54
    assert {f"kinetrace/{name}" for name in kt.robot_names(closed=False)} <= taken
