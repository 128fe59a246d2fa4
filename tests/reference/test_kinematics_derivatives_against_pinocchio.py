"""Every robot against Pinocchio: derivatives of the velocity, acceleration and Jacobian of a frame.

Both libraries differentiate along the same motions q ⊕ ε, so that with v_peer = T v and T constant, derivatives are
those of Pinocchio times T. With LOCAL and WORLD they are of the same things. With LOCAL_WORLD_ALIGNED Pinocchio turns
the derivatives of WORLD into the frame's place: those of a twist about a point that stays where the frame's origin
is now. Ours are of `velocity` and `acceleration`, about the origin as it moves; `about_moving_origin` adds what that
makes. Its kinematic Hessians, LOCAL_WORLD_ALIGNED included, are the derivatives of its Jacobians, as ours are.
"""

import numpy as np
import pytest

from kinetrace import algorithms

from .test_against_pinocchio import ANGULAR_FIRST, IN_PINOCCHIO
from .test_dynamics_against_pinocchio import peer, translate  # noqa: F401

pin = pytest.importorskip("pinocchio")


def about_moving_origin(dV, dA, V, A):
    """Pinocchio's LOCAL_WORLD_ALIGNED derivatives of a twist and its spatial rate → of ours."""
    (dV_q, J), (dA_q, dA_v, _) = dV, dA

    def linear(x):
        return np.vstack([np.zeros((3, x.shape[1])), x])

    def cross(x, y):  # of vectors (3,) and columns (3, n)
        return np.cross(x.T, y.T).T

    w, u, turns, shifts = V[:3], V[3:], J[:3], J[3:]
    dV_q = dV_q - linear(cross(shifts, w))
    dA_q = dA_q + linear(cross(dV_q[:3], u) + cross(w, dV_q[3:]) - cross(shifts, A[:3]))
    return (dV_q, J), (dA_q, dA_v + linear(cross(turns, u) + cross(w, shifts)), J)


def test_robot(case, peer, translate, agree):  # noqa: F811
    if any(joint.kind == "planar" for joint in case.joints):
        pytest.skip("Pinocchio's planar joint has body velocities: T depends on q")
    if not peer.nv:
        pytest.skip("it has no degrees of freedom")
    state = [x[0] for x in case.states()]
    *state_peer, T = translate(*state)
    data = peer.createData()
    pin.computeForwardKinematicsDerivatives(peer, data, *state_peer)
    pin.updateFramePlacements(peer, data)
    for way in IN_PINOCCHIO:
        frame = case.frames[-1]
        theirs = motion_derivatives(peer, data, frame, way, T)
        model, how = case.exact.model, {"frame": frame, "expressed_in": way}
        dV = algorithms.velocity_derivatives(model, *state[:2], **how)
        dA = algorithms.acceleration_derivatives(model, *state, **how)
        for x, y, what in zip((*dV, *dA), theirs, ("V/q", "V/v", "A/q", "A/v", "A/a"), strict=True):
            agree(x, y, f"derivative {what} of {frame}, {way}")
        name, H = jacobian_derivative(peer, data, way, T)
        ours = algorithms.jacobian_derivative(model, state[0], frame=name, expressed_in=way)
        agree(ours, H, f"derivative of the Jacobian of {name}, {way}")


def motion_derivatives(model, data, name, way, T):
    """∂V/∂q, ∂V/∂v, ∂A/∂q, ∂A/∂v, ∂A/∂a of a frame."""
    where = (model, data, model.getFrameId(name, pin.FrameType.BODY), IN_PINOCCHIO[way])
    dV = [ANGULAR_FIRST @ x @ T for x in pin.getFrameVelocityDerivatives(*where)]
    dA = [ANGULAR_FIRST @ x @ T for x in pin.getFrameAccelerationDerivatives(*where)[1:]]
    if way == "aligned":
        V, A = (ANGULAR_FIRST @ f(*where).vector for f in (pin.getFrameVelocity, pin.getFrameAcceleration))
        dV, dA = about_moving_origin(dV, dA, V, A)
    return (*dV, *dA)


def jacobian_derivative(model, data, way, T):
    """The kinematic Hessian of the last joint, and the link that it is of."""
    joint = model.njoints - 1
    pin.computeJointKinematicHessians(model, data)
    H = np.array(pin.getJointKinematicHessian(model, data, joint, IN_PINOCCHIO[way]))
    H = H.ravel().reshape(H.shape, order="F")  # the array says C, and holds Fortran's order
    links = (f for f in model.frames if f.parentJoint == joint and f.type == pin.FrameType.BODY)
    name = next(f.name for f in links if f.placement.isIdentity(0.0))
    return name, np.einsum("ab,bjk,jJ,kK->aJK", ANGULAR_FIRST, H, T, T, optimize=True)
