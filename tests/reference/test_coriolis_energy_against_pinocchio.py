"""Every robot against Pinocchio: Coriolis matrices, gravity, energies, centre of mass and momenta.

Pinocchio's Coriolis matrix is the form "christoffel", also with a free base.
"""

import numpy as np
import pytest

from kinetrace import algorithms

from .test_against_pinocchio import ANGULAR_FIRST
from .test_dynamics_against_pinocchio import peer, translate  # noqa: F401

pin = pytest.importorskip("pinocchio")


def test_robot(case, peer, translate, agree):  # noqa: F811
    model, data = case.exact.model, peer.createData()
    if not model.nv:
        pytest.skip("it has no joints")
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
