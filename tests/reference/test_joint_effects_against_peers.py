"""Damping, armature and springs against MuJoCo; armature, and a file's damping, against Pinocchio."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import zoo

NAMES = ("panda", "ur5e", "humanoid")
STATES = 4


def given(robot, seed=0):
    """Random effects of every joint, by their names as parameters."""
    rng, n = np.random.default_rng(seed), robot.parameters("armature").size
    names = ("armature", "damping", "stiffness", "rest")
    return {name: rng.uniform(0.1, 2.0, n) for name in names}


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_against_mujoco(name, tmp_path, monkeypatch):
    """Without contacts; MuJoCo's integrators take damping implicitly, but its accelerations are those of the state."""
    mujoco = pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes its warnings
    robot = kt.load(name)
    effects = given(robot)
    robot = robot.with_parameters(**effects)
    tree = ET.parse(zoo.path(name)).getroot()
    for link in tree.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    ET.SubElement(ET.SubElement(tree, "mujoco"), "compiler", fusestatic="false")
    spec = mujoco.MjSpec.from_string(ET.tostring(tree, encoding="unicode"))
    model = spec.compile()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    for k, joint in enumerate(robot.joint_names):
        at = model.joint(joint)
        model.dof_armature[at.dofadr[0]] = effects["armature"][k]
        model.dof_damping[at.dofadr[0]] = effects["damping"][k]
        model.jnt_stiffness[at.id] = effects["stiffness"][k]
        model.qpos_spring[at.qposadr[0]] = effects["rest"][k]
    order = [int(model.joint(joint).dofadr[0]) for joint in robot.joint_names]
    data, rng = mujoco.MjData(model), np.random.default_rng(1)
    for q, v, tau in rng.normal(size=(STATES, 3, robot.nv)):
        data.qpos[order], data.qvel[order], data.qfrc_applied[order] = q, v, tau
        mujoco.mj_forward(model, data)
        a = data.qacc[order]
        scale = np.abs(robot.mass_matrix(q)) @ np.abs(a) + np.abs(robot.bias(q, v))
        left = robot.mass_matrix(q) @ (robot.forward_dynamics(q, v, tau) - a)
        assert np.abs(left).max() < 1e-11 * scale.max()
        np.testing.assert_allclose(robot.passive_forces(q, v), -data.qfrc_passive[order], rtol=0, atol=1e-12)
        energy = robot.potential_energy(q) - kt.load(name).potential_energy(q)
        springs = effects["stiffness"] * (q - effects["rest"]) ** 2 / 2
        np.testing.assert_allclose(energy, springs.sum(), rtol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_armature_against_pinocchio(name):
    pin = pytest.importorskip("pinocchio")
    robot = kt.load(name, joint_effects=False)
    effects = {"armature": given(robot)["armature"]}
    robot = robot.with_parameters(**effects)
    model = pin.buildModelFromUrdf(str(zoo.path(name)))
    at = [model.joints[model.getJointId(joint)] for joint in robot.joint_names]
    assert all(joint.nq == 1 for joint in at)
    order = [joint.idx_v for joint in at]
    armature = np.zeros(model.nv)
    armature[order] = effects["armature"]
    model.armature = armature
    data, rng = model.createData(), np.random.default_rng(2)
    for x in rng.normal(size=(STATES, 3, robot.nv)):
        q, v, a = np.zeros((3, model.nv))
        q[order], v[order], a[order] = x
        tau = pin.rnea(model, data, q, v, a)[order]
        np.testing.assert_allclose(robot.inverse_dynamics(*x), tau, rtol=0, atol=1e-12 * np.abs(tau).max())
        M = pin.crba(model, data, q)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
        np.testing.assert_allclose(robot.mass_matrix(x[0]), M, rtol=0, atol=1e-13 * np.abs(M).max())
        pushed = np.zeros(model.nv)
        pushed[order] = x[2]
        left = M @ (robot.forward_dynamics(*x) - pin.aba(model, data, q, v, pushed)[order])
        assert np.abs(left).max() < 1e-11 * (np.abs(M).max() + np.abs(tau).max())


def test_a_files_damping_and_friction_are_those_that_pinocchio_reads(urdfs):
    """Of every file that has some: numbers by joint, and what they add to inverse dynamics."""
    pin, compared = pytest.importorskip("pinocchio"), 0
    for urdf in urdfs.values():
        if "<dynamics" not in urdf.read_text(encoding="utf-8"):
            continue
        robot = kt.load(urdf, check="ignore", backend="numpy")
        bodies = [b for b in robot.model.bodies if b.effects is not None and b.mimic is None and b.joint.nv == 1]
        if not bodies:
            continue
        try:
            model = pin.buildModelFromUrdf(str(urdf))
        except ValueError:
            continue
        for body in bodies:
            k = model.joints[model.getJointId(body.joint_name)].idx_v
            friction = model.friction if hasattr(model, "friction") else model.upperDryFrictionLimit
            assert body.effects.damping[0] == model.damping[k]
            assert body.effects.friction[0] == friction[k]
            compared += 1
    if len(urdfs) > 10:  # with example-robot-data
        assert compared > 100
