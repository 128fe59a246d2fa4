from __future__ import annotations

import hypothesis.extra.numpy as hnp
import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from kinetrace.lie import so3

coordinates = st.floats(-4, 4, allow_subnormal=False)
rotation_vectors = hnp.arrays(float, 3, elements=coordinates)


def close(a, b, tol=2e-15):
    assert_allclose(a, b, rtol=0, atol=tol)


def test_exp_is_the_matrix_exponential(angle, vectors):
    w = vectors(angle, (4,))
    for one in w:
        with mpmath.workdps(50):
            expected = np.array(mpmath.expm(mpmath.matrix(so3.hat(one).tolist())).tolist(), dtype=float)
        close(so3.exp(one), expected.reshape(3, 3))


def test_exp_is_a_rotation(angle, vectors, batch):
    R = so3.exp(vectors(angle, batch))
    assert R.shape == (*batch, 3, 3)
    close(R @ so3.transpose(R), np.broadcast_to(np.eye(3), R.shape))
    close(np.linalg.det(R), np.ones(batch))


def test_log_inverts_exp(angle, vectors, batch):
    w = vectors(angle, batch)
    again = so3.log(so3.exp(w))
    assert again.shape == w.shape
    if angle == np.pi:  # w and -w are the same rotation
        again = np.where((again * w).sum(-1, keepdims=True) < 0, -again, again)
    close(again, w, 1e-14)
    if 0 < angle < 1e-3:  # also relatively, far below the rounding of 1
        close(again / angle, w / angle, 1e-14)


def test_log_of_half_turns_exactly():
    for axis in [
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (0, 0.6, 0.8),
        (-0.6, 0, 0.8),
        (0.6, -0.8, 0),
        (2 / 3, -1 / 3, 2 / 3),
    ]:
        a = np.array(axis, dtype=float)
        w = so3.log(2 * np.outer(a, a) - np.eye(3))
        close(np.abs(w @ a), np.pi, 1e-14)
        close(np.cross(w, a), np.zeros(3), 1e-14)


@settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])  # whatever else runs
@given(rotation_vectors, rotation_vectors, rotation_vectors)
def test_group_axioms(a, b, c):
    A, B, C = so3.exp(a), so3.exp(b), so3.exp(c)
    close((A @ B) @ C, A @ (B @ C))
    close(so3.exp(-a) @ A, np.eye(3))
    close(so3.exp(so3.log(A @ B)), A @ B, 1e-14)
    close(A @ so3.hat(b) @ A.T, so3.hat(so3.rotate(A, b)), 1e-13)
    # The quaternions are the same group, twice.
    p, q = so3.quaternion_exp(a), so3.quaternion_exp(b)
    close(so3.from_quaternion(so3.quaternion_multiply(p, q)), A @ B, 1e-14)
    close(so3.exp(so3.quaternion_log(p)), A, 1e-14)


def test_quaternions(angle, vectors, batch):
    w = vectors(angle, batch)
    q = so3.quaternion_exp(w)
    close((q * q).sum(-1), np.ones(batch))
    close(so3.from_quaternion(q), so3.exp(w))
    again = so3.to_quaternion(so3.exp(w))
    assert (again[..., 0] >= 0).all()
    close(np.abs((again * q).sum(-1)), np.ones(batch))
    if angle < np.pi:
        close(so3.quaternion_log(q), w)
        close(so3.quaternion_log(-2 * q), w)


def test_to_quaternion_where_each_component_is_largest(rng):
    q = rng.normal(size=(200, 4))
    q = q / np.linalg.norm(q, axis=-1, keepdims=True) * np.sign(q[:, :1])
    assert set(np.abs(q).argmax(-1)) == {0, 1, 2, 3}
    close(so3.to_quaternion(so3.from_quaternion(q)), q)


def test_jacobians_are_the_derivatives_of_exp(angle, vectors):
    w, h = vectors(angle, (6,)), 1e-30
    R = so3.exp(w)
    left, right = so3.left_jacobian(w), so3.right_jacobian(w)
    for k in range(3):
        dR = so3.exp(w + 1j * h * np.eye(3)[k]).imag / h
        close(so3.hat(left[..., :, k]), dR @ so3.transpose(R), 1e-14)
        close(so3.hat(right[..., :, k]), so3.transpose(R) @ dR, 1e-14)
    eye = np.broadcast_to(np.eye(3), left.shape)
    close(so3.left_jacobian_inverse(w) @ left, eye, 1e-14)
    close(so3.right_jacobian_inverse(w) @ right, eye, 1e-14)


def test_log_has_complex_steps_up_to_pi(vectors):
    # log(exp([e]) R) = log R + J_left(log R)^-1 e
    for angle in (0.0, 1e-5, 0.2, 0.3, 2.0, 3.0, np.pi - 1e-6):
        w = vectors(angle, (6,))
        J = so3.left_jacobian_inverse(w)
        for k in range(3):
            step = so3.exp(1e-30j * np.eye(3)[k])
            close(so3.log(step @ so3.exp(w)).imag / 1e-30, J[..., :, k], 1e-13)


def test_axis_angle_is_exp_of_angle_times_axis(angle, vectors, batch):
    axis = vectors(1.0, batch)
    close(so3.axis_angle(axis, np.full(batch, angle)), so3.exp(angle * axis))


def test_rpy_is_urdf_s(rng):
    scipy = pytest.importorskip("scipy.spatial.transform")
    rpy = rng.uniform(-3, 3, size=(7, 3))
    close(so3.from_rpy(rpy), scipy.Rotation.from_euler("xyz", rpy).as_matrix())


def test_batches_broadcast(rng):
    a, b = rng.normal(size=(4, 1, 3)), rng.normal(size=(5, 3))
    close(so3.cross(a, b), np.cross(a, b))
    assert so3.rotate(so3.exp(a), b).shape == (4, 5, 3)
    assert so3.axis_angle(np.array([0, 0, 1.0]), a[..., 0]).shape == (4, 1, 3, 3)
    close(so3.vee(so3.hat(a)), a, 0)
