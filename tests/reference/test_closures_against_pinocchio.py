"""Closed chains against Pinocchio, where it has the closure: balls and welds.

Its constraint dynamics keep state from call to call, so that every one has data of its own. Six-vectors are linear
first there, quaternions (x, y, z, w).
"""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.bench.peers.pinocchio import constraints
from kinetrace.interop.pinocchio_model import joint_tree

pin = pytest.importorskip("pinocchio")

SWAP = np.r_[3:6, 0:3]
ROBOTS = ("two_pandas_beam", "stewart", "free_two_arms")


class Theirs:
    """The same robot; where its variables stand among ours."""

    def __init__(self, robot: kt.Robot) -> None:
        self.model, at = joint_tree(pin, robot.model)
        self.closures = constraints(pin, self.model, robot.model, at)
        self.q, self.v = np.zeros(robot.nq, dtype=int), np.zeros(robot.nv, dtype=int)
        for name in robot.joint_names:
            joint = self.model.joints[self.model.getJointId(name)]
            q, v = np.arange(robot.nq)[robot.q_slice(name)], np.arange(robot.nv)[robot.v_slice(name)]
            if len(q) == 7:
                q, v = q[[0, 1, 2, 4, 5, 6, 3]], v[SWAP]
            self.q[joint.idx_q : joint.idx_q + joint.nq] = q
            self.v[joint.idx_v : joint.idx_v + joint.nv] = v

    def dynamics(self, q, v, tau):
        """v̇ in our order, the wrench on each frame b, and ∂v̇/∂q and ∂v̇/∂v."""
        data, settings = self.model.createData(), pin.ProximalSettings(1e-14, 1e-14, 10)
        held = pin.StdVec_RigidConstraintData()
        for closure in self.closures:
            held.append(closure.createData())
        pin.initConstraintDynamics(self.model, data, self.closures, held)
        state = q[self.q], v[self.v], tau[self.v]
        pin.constraintDynamics(self.model, data, *state, self.closures, held, settings)
        a, forces = data.ddq.copy(), [x.contact_force.vector[SWAP] for x in held]
        pin.computeConstraintDynamicsDerivatives(self.model, data, self.closures, held, settings)
        back = np.argsort(self.v)
        return a[back], np.array(forces), data.ddq_dq[np.ix_(back, back)], data.ddq_dv[np.ix_(back, back)]


@pytest.mark.parametrize("name", ROBOTS)
def test_closed_dynamics(name):
    robot, rng = kt.load(name, backend="numpy", joint_effects=False), np.random.default_rng(0)
    theirs = Theirs(robot)
    q = robot.assemble(robot.integrate(robot.assemble(), 0.1 * rng.normal(size=robot.nv)))
    G = robot.velocity_map(q)
    v, tau = G @ rng.normal(size=robot.dof), rng.normal(size=robot.nv)
    a, forces, by_q, by_v = theirs.dynamics(q, v, tau)

    def near(ours, expected):
        assert np.abs(ours - expected).max() < 1e-9 * np.abs(expected).max()  # their proximal solver

    near(robot.forward_dynamics(q, v, tau), a)
    near(robot.closure_wrenches(q, v, tau), forces)
    ours_by_q, ours_by_v, _ = robot.forward_dynamics_derivatives(q, v, tau)
    if name != "stewart":  # theirs of universal joints are wrong by some percent, ours are those of differences
        near(ours_by_v @ G, by_v @ G)
        near(ours_by_q @ G, by_q @ G)
