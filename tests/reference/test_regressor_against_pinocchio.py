"""Every robot against Pinocchio: the regressors of joint forces and energies.

Pinocchio orders a body's parameters (m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz), and its bodies by itself.
"""

import pytest

from kinetrace import algorithms

from .test_dynamics_against_pinocchio import peer, translate  # noqa: F401

pin = pytest.importorskip("pinocchio")

OURS = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
"""Where Pinocchio has each of our ten parameters."""


def test_robot(case, peer, translate, agree):  # noqa: F811
    model, data = case.exact.model, peer.createData()
    if not model.nv:
        pytest.skip("it has no joints")
    q, v, a = (x[0] for x in case.states())
    q_p, v_p, a_p, T = translate(q, v, a)
    columns = [10 * (peer.getJointId(body.joint_name) - 1) + i for body in model.bodies for i in OURS]
    assert len(columns) == 10 * (peer.njoints - 1)

    Y = T.T @ pin.computeJointTorqueRegressor(peer, data, q_p, v_p, a_p)
    agree(algorithms.regressor(model, q, v, a), Y[:, columns], "regressor")
    kinetic, potential = algorithms.energy_regressor(model, q, v)
    agree(kinetic, pin.computeKineticEnergyRegressor(peer, data, q_p, v_p)[columns], "kinetic energy")
    agree(potential, pin.computePotentialEnergyRegressor(peer, data, q_p)[columns], "potential energy")
