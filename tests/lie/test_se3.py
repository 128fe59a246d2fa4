from __future__ import annotations

import mpmath
import numpy as np
from numpy.testing import assert_allclose

from kinetrace.lie import se3, so3


def close(a, b, tol=1e-14):
    assert_allclose(a, b, rtol=0, atol=tol)


def twists(vectors, rng, angle, shape):
    return np.concatenate([vectors(angle, shape), rng.normal(size=(*shape, 3))], axis=-1)


def test_exp_is_the_matrix_exponential(angle, vectors, rng):
    for xi in twists(vectors, rng, angle, (4,)):
        with mpmath.workdps(50):
            expected = np.array(mpmath.expm(mpmath.matrix(se3.hat(xi).tolist())).tolist(), dtype=float)
        close(se3.exp(xi), expected.reshape(4, 4), 4e-15)


def test_log_inverts_exp(angle, vectors, rng, batch):
    xi = twists(vectors, rng, angle, batch)
    X = se3.exp(xi)
    assert X.shape == (*batch, 4, 4)
    close(se3.exp(se3.log(X)), X, 2e-14)
    if angle < np.pi:
        close(se3.log(X), xi, 2e-14)


def test_group_axioms(angle, vectors, rng, batch):
    a, b = twists(vectors, rng, angle, batch), twists(vectors, rng, 1.0, batch)
    X, Y = se3.exp(a), se3.exp(b)
    eye = np.broadcast_to(np.eye(4), X.shape)
    close(X @ se3.inverse(X), eye)
    close(se3.exp(-a), se3.inverse(X))
    close(se3.inverse(X @ Y), se3.inverse(Y) @ se3.inverse(X))
    close(se3.vee(se3.hat(a)), a, 0)
    close(se3.pose(se3.rotation(X), se3.translation(X)), X, 0)


def test_jacobians_are_the_derivatives_of_exp(angle, vectors, rng):
    xi, h = twists(vectors, rng, angle, (6,)), 1e-30
    X = se3.exp(xi)
    left, right = se3.left_jacobian(xi), se3.right_jacobian(xi)
    for k in range(6):
        dX = se3.exp(xi + 1j * h * np.eye(6)[k]).imag / h
        close(se3.hat(left[..., :, k]), dX @ se3.inverse(X), 2e-14)
        close(se3.hat(right[..., :, k]), se3.inverse(X) @ dX, 2e-14)
    eye = np.broadcast_to(np.eye(6), left.shape)
    close(se3.left_jacobian_inverse(xi) @ left, eye, 3e-14)
    close(se3.right_jacobian_inverse(xi) @ right, eye, 3e-14)


def test_pose_broadcasts(rng):
    assert se3.pose(np.eye(3), rng.normal(size=(4, 3))).shape == (4, 4, 4)
    assert se3.pose(so3.exp(rng.normal(size=(5, 1, 3))), rng.normal(size=(4, 3))).shape == (5, 4, 4, 4)
