"""Every robot against Pinocchio: Coriolis matrices, gravity, energies, centre of mass and momenta.

Pinocchio's Coriolis matrix is the form "christoffel", also with a free base.
"""

import numpy as np
import pytest

from kinetrace import algorithms

pin = pytest.importorskip("pinocchio")

ANGULAR_FIRST = np.roll(np.eye(6), 3, axis=0)
"""Swaps the halves of a six-vector."""


def same(q, v):
    return q, np.eye(1), np.zeros(1)


def circle(q, v):
    return np.array([np.cos(q[0]), np.sin(q[0])]), np.eye(1), np.zeros(1)


def free(q, v):
    return np.r_[q[:3], q[4:], q[3]], ANGULAR_FIRST, np.zeros(6)


def planar(q, v):
    """Pinocchio's v is the body's twist in the plane, kinetrace's the rate of q."""
    c, s = np.cos(q[2]), np.sin(q[2])
    T = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    drift = T @ v
    return np.array([q[0], q[1], c, s]), T, v[2] * np.array([drift[1], -drift[0], 0])


CONVENTIONS = {"revolute": same, "prismatic": same, "continuous": circle, "floating": free, "planar": planar}


def build(urdf, base):
    arguments = (pin.JointModelFreeFlyer(), "floating_base") if base == "free" else ()
    return pin.buildModelFromUrdf(str(urdf), *arguments)


def test_robot(urdf, base, case, translation, agree):
    try:
        peer = build(urdf, base)
    except ValueError as error:
        pytest.skip(f"Pinocchio cannot load it: {error}")
    model, data = case.exact.model, peer.createData()
    if not model.nv:
        pytest.skip("it has no joints")

    def places(joint):
        j = peer.joints[peer.getJointId(joint)]
        return j.idx_q, j.idx_v

    translate = translation(case.robot, case.joints, CONVENTIONS, places, peer.nq, peer.nv)
    q, v, a = (x[0] for x in case.states())
    q_p, v_p, a_p, T = translate(q, v, a)
    drift = translate(q, v, 0 * a)[2]
    M = pin.crba(peer, data, q_p)
    M = np.triu(M) + np.triu(M, 1).T

    agree(algorithms.bias(model, q, v), T.T @ (pin.nonLinearEffects(peer, data, q_p, v_p) + M @ drift), "bias")
    agree(algorithms.gravity(model, q), T.T @ pin.computeGeneralizedGravity(peer, data, q_p), "gravity")
    C_p, C = (
        pin.computeCoriolisMatrix(peer, data, q_p, v_p),
        algorithms.coriolis_matrix(model, q, v, form="christoffel"),
    )
    agree(C @ v, T.T @ (C_p @ v_p + M @ drift), "Coriolis force")
    if not drift.any():  # else T changes in time, and Ṫ enters
        agree(C, T.T @ C_p @ T, "Coriolis matrix")
        agree(algorithms.mass_matrix_rate(model, q, v), T.T @ (C_p + C_p.T) @ T, "rate of the mass matrix")

    agree(algorithms.kinetic_energy(model, q, v), pin.computeKineticEnergy(peer, data, q_p, v_p), "kinetic energy")
    # With a fixed base Pinocchio counts the bodies that are fixed to the world neither: they have no joint.
    agree(algorithms.potential_energy(model, q), pin.computePotentialEnergy(peer, data, q_p), "potential energy")

    pin.dccrba(peer, data, q_p, v_p)
    agree(algorithms.centroidal_momentum_matrix(model, q), ANGULAR_FIRST @ data.Ag @ T, "centroidal momentum matrix")
    agree(algorithms.centroidal_momentum(model, q, v), ANGULAR_FIRST @ data.hg.vector, "centroidal momentum")
    rate = ANGULAR_FIRST @ (data.Ag @ a_p + data.dAg @ v_p)
    agree(algorithms.momentum_rate(model, q, v, a), rate, "rate of momentum")
    agree(algorithms.center_of_mass(model, q), pin.centerOfMass(peer, data, q_p), "center of mass")
