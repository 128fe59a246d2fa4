"""Semi-implicit steps of a robot with a free base are MuJoCo's Euler: both move it in axes that do not turn."""

import numpy as np
import pytest

import kinetrace as kt

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_semi_implicit_steps_are_those_of_mujoco(name, tmp_path):
    robot, steps, dt = kt.load(name, base="free", joint_effects=False), 100, 1e-3
    robot.save(tmp_path / "robot.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    model.opt.timestep, model.opt.integrator = dt, mujoco.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    data, q = mujoco.MjData(model), robot.random(seed=1)
    v = np.random.default_rng(0).normal(size=robot.nv)
    R = kt.lie.so3.from_quaternion(q[3:7])
    data.qpos[:], data.qvel[:] = q, np.concatenate([R @ v[3:6], v[:3], v[6:]])
    Q, _ = robot.rollout(q, v, np.zeros((steps, robot.nv)), dt, method="semi-implicit")
    for _ in range(steps):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(Q[-1], data.qpos, rtol=0, atol=1e-10)
