"""Motions without contacts against MuJoCo's, of the same method and step: its integrators "Euler" and "RK4"."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import zoo

from .test_against_mujoco import elsewhere  # noqa: F401 - a fixture that takes effect by its name

mujoco = pytest.importorskip("mujoco")

STEPS, DT = 200, 1e-3


def peer(name, integrator):
    """MuJoCo's model of a bundled arm, without contacts, limits and damping of its own."""
    spec = mujoco.MjSpec.from_file(str(zoo.path(name)))
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    for joint in spec.joints:
        joint.limited = False
        joint.actfrclimited = False
    spec.option.timestep, spec.option.integrator = DT, integrator
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    return spec.compile()


@pytest.mark.parametrize(("method", "integrator"), [("semi-implicit", "EULER"), ("rk4", "RK4")])
@pytest.mark.parametrize("name", ["panda", "ur5e"])
def test_the_same_motion(name, method, integrator):
    robot = kt.load(name)
    try:
        model = peer(name, getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))
    except (ValueError, AttributeError) as error:
        pytest.skip(f"this MuJoCo does not read it so: {error}")
    if model.nv != robot.nv:
        pytest.skip("other joints there")
    data, rng = mujoco.MjData(model), np.random.default_rng(3)
    q, v, tau = robot.random(seed=3), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
    theirs = []
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        theirs.append(np.concatenate([data.qpos, data.qvel]))
    motion = robot.simulate(q, v, STEPS * DT, DT, tau=tau, method=method)
    ours = np.concatenate([motion.q, motion.v], axis=-1)[1:]
    scale = np.abs(ours).max()
    assert np.abs(ours - theirs).max() < 1e-9 * scale  # 200 steps of rounding, which the motion amplifies
    assert scale > 1
