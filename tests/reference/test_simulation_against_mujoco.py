"""Motions without contacts against MuJoCo's, of the same method and step: its integrators "Euler" and "RK4".

MuJoCo's RK4 takes damping as a force, as `rk4` does. Its Euler takes it implicitly, which `semi-implicit` does not:
they are the same only if that is turned off.
"""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import so3
from kinetrace.model import zoo

from .test_against_mujoco import build, elsewhere  # noqa: F401 - a fixture that takes effect by its name

mujoco = pytest.importorskip("mujoco")

STEPS, DT = 200, 1e-3


def peer(name, integrator):
    """MuJoCo's model of a bundled arm, without contacts, limits and damping of joints by the integrator."""
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
@pytest.mark.filterwarnings("ignore:.* more than 10 times its velocity limit")  # nothing damps it
def test_the_same_motion(name, method, integrator):
    robot = kt.load(name)
    try:
        model = peer(name, getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))
    except (ValueError, AttributeError) as error:
        pytest.skip(f"this MuJoCo does not read it so: {error}")
    if model.nv != robot.nv:
        pytest.skip("other joints there")
    model.dof_armature[:], model.dof_damping[:] = robot.parameters("armature"), robot.parameters("damping")
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


EFFECTS = {"armature": 0.2, "damping": 0.3, "stiffness": 5.0, "rest": 0.5}
"""What joints do by themselves, at most."""


def passive(name, base):
    """A bundled robot whose joints have rotors, dampers and springs, MuJoCo's model, and where their q and v are."""
    rng, robot = np.random.default_rng(5), kt.load(name, base=base)
    effects = {x: rng.uniform(0.1, 1.0, robot.parameters(x).shape) * most for x, most in EFFECTS.items()}
    robot, model = robot.with_parameters(**effects), build(zoo.path(name), base)
    joints = [model.joint(body.joint_name) for body in robot.model.bodies if body.joint.has_coordinates]
    places, dofs = ([int(getattr(joint, x)[0]) for joint in joints] for x in ("qposadr", "dofadr"))
    model.dof_armature[dofs], model.dof_damping[dofs] = effects["armature"], effects["damping"]
    model.jnt_stiffness[[joint.id for joint in joints]], model.qpos_spring[places] = (
        effects["stiffness"],
        effects["rest"],
    )
    model.opt.disableflags, model.opt.timestep = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT), DT
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return robot, model, places, dofs


def moved(model, places, dofs, q, v, tau):
    """States by MuJoCo, q and v (STEPS, ·) as kinetrace has them: a base's velocity in its own axes, angular first."""
    data, base = mujoco.MjData(model), len(v) - len(dofs)
    data.qpos[places], data.qvel[dofs], data.qfrc_applied[dofs] = q[-len(dofs) :], v[base:], tau[base:]
    if base:
        data.qpos[:7], data.qvel[:6] = q[:7], np.r_[so3.from_quaternion(q[3:7]) @ v[3:6], v[:3]]
    qs, vs = [], []
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        first = [data.qvel[3:6], so3.from_quaternion(data.qpos[3:7]).T @ data.qvel[:3]] if base else []
        qs.append(np.concatenate([data.qpos[: 7 if base else 0], data.qpos[places]]))
        vs.append(np.concatenate([*first, data.qvel[dofs]]))
    return np.array(qs), np.array(vs)


def start(robot, joints):
    """A state, and forces on the last so many velocities: none on a base."""
    rng, n = np.random.default_rng(6), robot.nv
    v, tau = rng.normal(size=(2, n))
    return robot.random(seed=6), v, tau * (np.arange(n) >= n - joints)


def apart(robot, motion, theirs):
    """How far rows of states are from another's, at most."""
    return max(np.abs(robot.difference(motion.q[1:], theirs[0])).max(), np.abs(motion.v[1:] - theirs[1]).max())


@pytest.mark.parametrize(("name", "root"), [("panda", "fixed"), ("quadruped", "free")])
def test_rotors_dampers_and_springs_by_rk4(name, root):
    """The same motion as MuJoCo's, and both as near to the exact one as steps of this length are."""
    robot, model, *at = passive(name, root)
    q, v, tau = start(robot, len(at[0]))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    theirs = moved(model, *at, q, v, tau)
    motion = robot.simulate(q, v, STEPS * DT, DT, tau=tau, method="rk4")
    assert apart(robot, motion, theirs) < 1e-9
    exact = robot.simulate(q, v, STEPS * DT, DT, tau=tau, method="DOP853", rtol=1e-12, atol=1e-12)
    off = apart(robot, exact, theirs)
    assert off < 1e-8 and apart(robot, exact, (motion.q[1:], motion.v[1:])) == pytest.approx(off, rel=1e-2)
    assert np.abs(robot.model.passive_forces(q, v)).max() > 1


def test_dampers_by_euler():
    """MuJoCo's Euler solves (M + h d)(v⁺ − v) = h M v̇; without that, it is `semi-implicit`."""
    robot, model, *at = passive("panda", "fixed")
    q, v, tau = start(robot, robot.nv)
    M, a = robot.mass_matrix(q), robot.forward_dynamics(q, v, tau)
    implicit = v + DT * np.linalg.solve(M + DT * np.diag(model.dof_damping), M @ a)
    np.testing.assert_allclose(moved(model, *at, q, v, tau)[1][0], implicit, rtol=0, atol=1e-11)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    motion = robot.simulate(q, v, STEPS * DT, DT, tau=tau, method="semi-implicit")
    assert apart(robot, motion, moved(model, *at, q, v, tau)) < 1e-9
