"""Every robot against Pinocchio: the mass matrix (crba), its inverse (computeMinverse) and forward dynamics (aba).

Accelerations are compared as the forces they stand for. Two good solvers agree on a = M⁻¹ b to about cond(M) ε only,
and cond(M) reaches 5e6 on these robots; what each owes is a small residual: M (a − a_peer) against the forces, and
M (X − X_peer) against ‖M‖ ‖X‖ for the inverse X. These residuals do not grow with cond(M).

Pinocchio's aba takes mimic joints as independent, so robots with couplings are compared through rnea alone: our
accelerations must give back the forces, and our inverse of M is compared with that of their coupled M.
"""

from functools import partial

import numpy as np
import pytest

from kinetrace.algorithms.dynamics.forward_dynamics import default_method
from kinetrace.model import zoo

from .test_against_pinocchio import build, translated

pin = pytest.importorskip("pinocchio")

RESIDUAL = 1e-12
"""Measured: 2.4e-15 at most."""
ROUNDING = 1e-14
"""Absolute: at rest without gravity all forces are zero but for rounding."""
LARGE = 20
"""Degrees of freedom from which one method alone is compiled, and others run on floats."""
DEFINITE = 1e-13
"""Least eigenvalue of a mass matrix, relative to its greatest, above which it counts as positive definite."""


@pytest.fixture
def peer(urdf, base, case):
    try:
        return build(urdf, base)
    except ValueError as error:
        pytest.skip(f"Pinocchio cannot load it: {error}")


@pytest.fixture
def translate(case, peer):
    return partial(translated, case.robot, peer)


def is_bundled(urdf):
    return urdf.parent == zoo.path("panda").parent


@pytest.fixture
def small(record_property):
    """Assert that a residual is small beside what it is a difference of, and record the largest of a test."""
    worst = 0.0

    def check(residual, size, what):
        nonlocal worst
        error = np.linalg.norm(residual)
        assert error <= RESIDUAL * size + ROUNDING, f"{what}: {error:.1e}, of {size:.1e}"
        worst = max(worst, float(error / size) if error > ROUNDING else 0.0)

    yield check
    record_property("residual", worst)


def crba(peer, data, q):
    """The whole matrix: crba fills its upper triangle. Without joints there is none."""
    if not peer.nv:
        return np.zeros((0, 0))
    M = np.triu(pin.crba(peer, data, q))
    return M + np.triu(M, 1).T


def minverse(peer, data, q):
    X = np.triu(pin.computeMinverse(peer, data, q))
    return X + np.triu(X, 1).T


def test_mass_matrix(urdf, case, peer, translate, agree):
    data, (q, v, a) = peer.createData(), case.states()
    M = case.exact.mass_matrix(q)
    M_compiled = case.robot.mass_matrix(q) if is_bundled(urdf) else None
    for k in range(len(q)):
        q_p, _, _, T = translate(q[k], v[k], a[k])
        expected = T.T @ crba(peer, data, q_p) @ T
        agree(M[k], expected, "mass matrix")
        if M_compiled is not None:
            agree(M_compiled[k], expected, "compiled mass matrix")


def test_forward_dynamics(urdf, case, on_floats, peer, translate, small):
    data, (q, v, a) = peer.createData(), case.states()
    robot = case.robot if is_bundled(urdf) else on_floats
    other = robot if robot.nv < LARGE else on_floats
    coupled = any(body.mimic is not None for body in robot.model.bodies)
    skip_without_inverse(case, peer, translate, (q, v, a))
    tau = case.exact.inverse_dynamics(q, v, a)
    found = {default_method(robot.model): robot.forward_dynamics(q, v, tau)}
    if "FD4" not in found:
        found["FD4"] = other.forward_dynamics(q, v, tau, method="FD4")
    u = case.rng.normal(size=v.shape)
    solved = other.solve_mass(q, u)

    for k in range(len(q)):
        q_p, v_p, _, T = translate(q[k], v[k], a[k])
        size = np.linalg.norm(tau[k])
        for method, accelerations in found.items():
            _, _, a_p, _ = translate(q[k], v[k], accelerations[k])
            given_back = T.T @ pin.rnea(peer, data, q_p, v_p, a_p)
            small(given_back - tau[k], size, f"forces of the accelerations by {method}")
            if not coupled:
                theirs = pin.aba(peer, data, q_p, v_p, np.linalg.solve(T.T, tau[k]))
                small(T.T @ crba(peer, data, q_p) @ (a_p - theirs), size, f"accelerations by {method}")
        M = T.T @ crba(peer, data, q_p) @ T
        theirs = np.linalg.inv(M) if coupled else np.linalg.inv(T) @ minverse(peer, data, q_p) @ np.linalg.inv(T).T
        size = np.linalg.norm(M) * np.linalg.norm(theirs) * np.linalg.norm(u[k]) / np.sqrt(len(M))
        small(M @ (solved[k] - theirs @ u[k]), size, "inverse, times a random vector")


def skip_without_inverse(case, peer, translate, states):
    """Massless links at the tips make M singular, impossible inertias make it indefinite: for Pinocchio as for us."""
    if not case.robot.nv:
        pytest.skip("it has no degrees of freedom")
    data = peer.createData()
    for q, v, a in zip(*states, strict=True):
        q_p, _, _, T = translate(q, v, a)
        if not is_definite(T.T @ crba(peer, data, q_p) @ T):
            pytest.skip("its mass matrix is not positive definite")


def is_definite(M):
    eigenvalues = np.linalg.eigvalsh(M)
    return eigenvalues[0] > DEFINITE * eigenvalues[-1]
