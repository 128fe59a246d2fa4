"""Every robot against Pinocchio: computeRNEADerivatives and computeABADerivatives.

Both libraries differentiate along the same motions q ⊕ ε, so that with v_peer = T v and T constant, the derivatives
are Tᵀ (·) T. Derivatives of accelerations are compared as the forces they stand for, see
`test_dynamics_against_pinocchio`.
"""

import numpy as np
import pytest

from kinetrace import algorithms

from .test_dynamics_against_pinocchio import is_definite, peer, small, translate  # noqa: F401

pin = pytest.importorskip("pinocchio")


def whole(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def test_derivatives(case, peer, translate, agree, small):  # noqa: F811
    if any(joint.kind == "planar" for joint in case.joints):
        pytest.skip("Pinocchio's planar joint has body velocities: T depends on q")
    if not peer.nv:
        pytest.skip("it has no degrees of freedom")
    data, model, (q, v, a) = peer.createData(), case.exact.model, (x[0] for x in case.states())
    q_p, v_p, a_p, T = translate(q, v, a)
    dq, dv, M_p = (x.copy() for x in pin.computeRNEADerivatives(peer, data, q_p, v_p, a_p))
    M = T.T @ whole(M_p) @ T
    ours = algorithms.inverse_dynamics_derivatives(model, q, v, a)
    for x, y, what in zip(ours, (T.T @ dq @ T, T.T @ dv @ T, M), "qva", strict=True):
        agree(x, y, f"inverse dynamics, with respect to {what}")

    if model.coupled_joints or not is_definite(M):
        return  # Pinocchio takes mimic joints as independent
    tau_p, back = pin.rnea(peer, data, q_p, v_p, a_p), np.linalg.inv(T)
    dq, dv, inverse = pin.computeABADerivatives(peer, data, q_p, v_p, tau_p)
    ours = algorithms.forward_dynamics_derivatives(model, q, v, T.T @ tau_p)
    theirs = back @ dq @ T, back @ dv @ T, back @ whole(inverse) @ back.T
    for x, y, what in zip(ours, theirs, ("q", "v", "tau"), strict=True):
        small(M @ (x - y), np.linalg.norm(M) * np.linalg.norm(y), f"forward dynamics, with respect to {what}")
