"""Every robot against Pinocchio: inverse dynamics, and the motion of frames.

Pinocchio's six-vectors are linear first, its quaternions (x, y, z, w), a continuous joint's q is (cos, sin).
"""

import numpy as np
import pytest

from kinetrace.interop import pinocchio as to_pin

pin = pytest.importorskip("pinocchio")

IN_PINOCCHIO = {
    "body": pin.ReferenceFrame.LOCAL,
    "space": pin.ReferenceFrame.WORLD,
    "aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}
ANGULAR_FIRST = np.roll(np.eye(6), 3, axis=0)
"""Swaps the halves of a six-vector."""


def translated(robot, model, q, v, a):
    """Pinocchio's q, v and a, and T; and that they come back."""
    at = robot, model, q
    q_p, v_p, a_p = to_pin.q(*at), to_pin.v(*at, v), to_pin.a(*at, v, a)
    there = robot, model, q_p
    np.testing.assert_allclose(to_pin.q(robot, model, to_pin.from_q(*there)), q_p, rtol=0, atol=1e-14)
    np.testing.assert_allclose(to_pin.from_v(*there, v_p), v, rtol=0, atol=1e-14)
    np.testing.assert_allclose(to_pin.from_a(*there, v_p, a_p), a, rtol=0, atol=1e-13)
    np.testing.assert_allclose(to_pin.from_tau(*there, to_pin.tau(*at, a)), a, rtol=0, atol=1e-14)
    return q_p, v_p, a_p, to_pin.velocity_map(*at)


def build(urdf, base):
    arguments = (pin.JointModelFreeFlyer(), "floating_base") if base == "free" else ()
    return pin.buildModelFromUrdf(str(urdf), *arguments)


def compare(case, model, agree):
    robot, exact, data = case.robot, case.exact, model.createData()
    frame_ids = [model.getFrameId(name, pin.FrameType.BODY) for name in case.frames]
    assert max(frame_ids) < model.nframes
    q, v, a = case.states()
    F = case.rng.normal(size=(len(case.frames), len(q), 6))
    by = robot if robot.joint_names[:1] == ("floating_base",) else exact  # compiled on free bases: twice would be twice
    tau, tau_exact = by.inverse_dynamics(q, v, a), exact.inverse_dynamics(q, v, a)
    tau_pushed = exact.inverse_dynamics(q, v, a, wrench=dict(zip(case.frames, F, strict=True)))
    J = by.jacobian(q, case.frames[-1], expressed_in="aligned")
    motions = [frame_motion(exact, q, v, a, name) for name in case.frames]

    for k, (q_p, v_p, a_p, T) in enumerate(zip(*translated(robot, model, q, v, a), strict=True)):
        pushes = [pin.Force.Zero() for _ in model.joints]
        for i, F_i in zip(frame_ids, F[:, k], strict=True):
            frame = model.frames[i]
            pushes[frame.parentJoint] += frame.placement.act(pin.Force(ANGULAR_FIRST @ F_i))
        tau_peer = T.T @ pin.rnea(model, data, q_p, v_p, a_p)
        agree(tau[k], tau_peer, "compiled inverse dynamics")
        agree(tau_exact[k], tau_peer, "inverse dynamics")
        pushed = pin.rnea(model, data, q_p, v_p, a_p, pushes)
        agree(tau_pushed[k], T.T @ pushed, "inverse dynamics with wrenches")
        pin.forwardKinematics(model, data, q_p, v_p, a_p)
        pin.computeJointJacobians(model, data, q_p)
        pin.updateFramePlacements(model, data)
        for name, i, motion in zip(case.frames, frame_ids, motions, strict=True):
            theirs = pinocchio_frame_motion(model, data, i, T)
            for what, expected in theirs.items():
                agree(motion[what][k], expected, f"{what} of {name}")
        agree(J[k], theirs["Jacobian", "aligned"], f"compiled Jacobian of {case.frames[-1]}")


def frame_motion(robot, q, v, a, name):
    found = {"pose": robot.pose(q, name)}
    for way in IN_PINOCCHIO:
        found["Jacobian", way] = robot.jacobian(q, name, expressed_in=way)
        found["velocity", way] = robot.velocity(q, v, name, expressed_in=way)
        found["acceleration", way] = robot.acceleration(q, v, a, name, expressed_in=way)
    return found


def pinocchio_frame_motion(model, data, i, T):
    found = {"pose": data.oMf[i].homogeneous}
    for way, frame in IN_PINOCCHIO.items():
        # The rate of the aligned velocity is what Pinocchio calls classical.
        acceleration = pin.getFrameClassicalAcceleration if way == "aligned" else pin.getFrameAcceleration
        # Without joints Pinocchio's Jacobian is a segmentation fault.
        J = pin.getFrameJacobian(model, data, i, frame) if model.nv else np.zeros((6, 0))
        found["Jacobian", way] = ANGULAR_FIRST @ J @ T
        found["velocity", way] = ANGULAR_FIRST @ pin.getFrameVelocity(model, data, i, frame).vector
        found["acceleration", way] = ANGULAR_FIRST @ acceleration(model, data, i, frame).vector
    return found


def test_robot(urdf, base, case, agree):
    try:
        model = build(urdf, base)
    except ValueError as error:
        pytest.skip(f"Pinocchio cannot load it: {error}")
    compare(case, model, agree)


def loads(urdf):
    try:
        return bool(build(urdf, "fixed"))
    except ValueError:
        return False


def test_none_is_missing(urdfs):
    """No robot that Pinocchio reads can drop out of the test above unseen."""
    assert sum(loads(urdf) for urdf in urdfs.values()) >= 75
