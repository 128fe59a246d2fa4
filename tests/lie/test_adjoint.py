from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kinetrace.lie import Ad, Ad_dual, Ad_inv, Ad_inv_dual, Ad_matrix, Pose, ad, ad_dual, ad_matrix, inertia, se3


def close(a, b, tol=2e-13):
    assert_allclose(a, b, rtol=0, atol=tol)


def dot(a, b):
    return (a * b).sum(-1)


@pytest.fixture
def motion(rng, batch):
    """X, Y, V, W, F with batch axes that broadcast: poses unbatched, or batched like the vectors."""
    V, W, F = rng.normal(size=(3, *batch, 6))
    X, Y = se3.exp(rng.normal(size=6)), se3.exp(rng.normal(size=(*batch, 6)))
    return X, Y, V, W, F


def test_ad_is_conjugation_and_the_bracket(motion):
    X, Y, V, W, _ = motion
    close(Ad(X, V), se3.vee(X @ se3.hat(V) @ se3.inverse(X)))
    close(ad(V, W), se3.vee(se3.hat(V) @ se3.hat(W) - se3.hat(W) @ se3.hat(V)))
    close(Ad(Y, ad(V, W)), ad(Ad(Y, V), Ad(Y, W)))


def test_actions_are_their_matrices(motion):
    _, Y, V, W, F = motion
    A, a = Ad_matrix(Y), ad_matrix(V)
    At, Ai = np.swapaxes(A, -1, -2), np.linalg.inv(A)
    for got, matrix, x in [
        (Ad(Y, V), A, V),
        (Ad_inv(Y, V), Ai, V),
        (Ad_dual(Y, F), At, F),
        (Ad_inv_dual(Y, F), np.swapaxes(Ai, -1, -2), F),
        (ad(V, W), a, W),
        (ad_dual(V, F), np.swapaxes(a, -1, -2), F),
    ]:
        close(got, (matrix @ x[..., None])[..., 0])


def test_homomorphism_and_duality(motion):
    X, Y, V, W, F = motion
    close(Ad(X @ Y, V), Ad(X, Ad(Y, V)))
    close(Ad_matrix(X @ Y), Ad_matrix(X) @ Ad_matrix(Y))
    close(Ad_inv(Y, Ad(Y, V)), V)
    close(Ad_inv(Y, V), Ad(se3.inverse(Y), V))
    close(Ad_inv_dual(Y, Ad_dual(Y, F)), F)
    close(dot(Ad(Y, V), F), dot(V, Ad_dual(Y, F)))
    close(dot(Ad_inv(Y, V), F), dot(V, Ad_inv_dual(Y, F)))
    close(dot(ad(V, W), F), dot(W, ad_dual(V, F)))


def test_jacobi_identity(motion):
    X, _, V, W, _ = motion
    U = Ad(X, W) + 1
    close(ad(U, ad(V, W)) + ad(V, ad(W, U)) + ad(W, ad(U, V)), np.zeros(V.shape))
    close(ad(V, V), np.zeros(V.shape), 0)


def test_ad_is_the_derivative_of_Ad(motion):
    _, _, V, W, _ = motion
    close(Ad(se3.exp(1e-30j * V), W).imag / 1e-30, ad(V, W))


def test_a_pose_acts_as_its_matrix(motion, rng):
    X, Y, V, _, F = motion
    Z = se3.exp(rng.normal(size=6))
    for action, x in [(Ad, V), (Ad_inv, V), (Ad_dual, F), (Ad_inv_dual, F)]:
        product, one, none = (getattr(pose, action.__name__)(x) for pose in (Pose(X, Y, Z), Pose(X), Pose()))
        close(product, action(X @ Y @ Z, x))
        close(one, action(X, x), 0)
        close(none, x, 0)
    J = inertia.from_mass_com(2.0, V[..., :3], np.diag([1.0, 2.0, 2.5]))
    moved, pi = inertia.change_frame(X @ Y @ Z, J), inertia.to_parameters(J)
    close(Pose(X, Y, Z).change_frame(J), moved, 1e-11)  # entries up to 100
    close(Pose(X, Y, Z).change_frame_parameters(pi), inertia.to_parameters(moved), 1e-11)


def test_poses_compose_with_each_other_and_with_arrays(rng):
    A, B, C = se3.exp(rng.normal(size=(3, 6)))
    point = np.append(rng.normal(size=3), 1.0)
    assert isinstance(Pose(A) @ Pose(B, C), Pose)
    close(Pose().matrix, np.eye(4), 0)
    for product in ((Pose(A) @ Pose(B, C)).matrix, A @ Pose(B, C), Pose(A, B) @ C):
        assert isinstance(product, np.ndarray)
        close(product, A @ B @ C)
    close(Pose(A, B) @ point, A @ B @ point)


def test_wrench_of_a_force_at_a_point(rng):
    # A pure force f at B's origin has moment p x f about A's: Park et al. (1995) eqs. (9)-(11).
    X_AB, f_B = se3.exp(rng.normal(size=6)), rng.normal(size=3)
    f_A = X_AB[:3, :3] @ f_B
    close(Ad_inv_dual(X_AB, np.r_[0, 0, 0, f_B]), np.r_[np.cross(X_AB[:3, 3], f_A), f_A])
