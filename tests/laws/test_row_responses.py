"""Responses to forces along any rows, of wrenches and joint forces, against M⁻¹ as a matrix."""

import numpy as np
import pytest

from kinetrace import algorithms as alg
from kinetrace.algorithms.dynamics.articulated_body import articulate
from kinetrace.algorithms.dynamics.mass_matrix import mass_factors
from kinetrace.algorithms.dynamics.row_responses import DenseResponses, SweepResponses
from kinetrace.lie import Pose
from kinetrace.linalg import dense
from kinetrace.model import WORLD

from .systems import tree


@pytest.mark.parametrize("way", ["sweeps", "factors"])
@pytest.mark.parametrize("mimics", [False, True])
@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_wrenches_and_joint_forces(seed, base, mimics, way):
    model, rng, k = tree(seed, base, mimics), np.random.default_rng(seed), 4
    q = model.integrate(model.neutral(), rng.normal(size=model.nv))
    wrenches = [np.zeros((k, 6))] * len(model.bodies)
    forces = rng.normal(size=(model.nv, k)) * (rng.random((model.nv, k)) < 0.3)
    K = forces.T
    for name, frame in model.frames.items():
        if frame.body != WORLD:
            F = rng.normal(size=(k, 6))
            wrenches[frame.body] = wrenches[frame.body] + Pose(frame.X_bf).Ad_inv_dual(F)
            K = K + F @ alg.jacobian(model, q, frame=name)
    made = {
        "sweeps": lambda: SweepResponses(model, articulate(model, q), wrenches, forces),
        "factors": lambda: DenseResponses(mass_factors(model, q), K),
    }
    at = made[way]()
    tau, force, A = rng.normal(size=model.nv), rng.normal(size=k), np.diag(rng.uniform(1.0, 2.0, k))
    M = alg.mass_matrix(model, q)
    a, Y = np.linalg.solve(M, tau), np.linalg.solve(M, K.T)
    assert_near(at.compliance, K @ Y)
    assert_near(at.Z.T @ at.D_inv_Z, K @ Y)
    assert_near(at.by_forces(tau), K @ a)
    assert_near(at.inverse(dense.factor(A)), Y @ np.linalg.inv(A))
    assert_near(at.smooth(at.D_inv_Z @ force), Y @ force)


def assert_near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
