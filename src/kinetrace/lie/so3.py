"""Rotations, SO(3): matrices R_AB (..., 3, 3), rotation vectors w (..., 3), quaternions (w, x, y, z).

R_AB turns the coordinates of a vector from frame B to frame A. Every function takes leading batch axes, which
broadcast, and arrays of every scalar.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, asarray, concatenate, cos, less, matrix, namespace, sin, sqrt, stack, where
from .series import angle_over_sine, stumpff

_EYE = np.eye(3)


def _split(a: Array) -> list[Array]:
    """The entries along the last axis; of one vector of NumPy's doubles Python's numbers, which are quicker."""
    if isinstance(a, np.ndarray) and a.ndim == 1 and a.dtype.char in "dD":
        return a.tolist()
    return [a[..., i] for i in range(a.shape[-1])]


def squared_norm(w: Array) -> Array:
    """w . w, keeping the last axis: (..., 3) -> (..., 1).

    >>> squared_norm(np.array([1, 2, 3])).tolist()
    [14]
    """
    x, y, z = w[..., 0:1], w[..., 1:2], w[..., 2:3]
    return x * x + y * y + z * z


def rotate(R: Array, w: Array) -> Array:
    """R w for batches of both: (..., 3, 3), (..., 3) -> (..., 3).

    >>> rotate(np.eye(3), np.ones((2, 3))).shape
    (2, 3)
    """
    return (R @ w[..., None])[..., 0]


def transpose(R: Array) -> Array:
    """The transpose of each matrix, which is the inverse of a rotation.

    >>> transpose(np.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """
    return R.swapaxes(-1, -2)


def hat(w: Array) -> Array:
    """[w], the skew matrix with [w] b = w x b: (..., 3) -> (..., 3, 3).

    >>> hat(np.array([1, 2, 3])).tolist()
    [[0, -3, 2], [3, 0, -1], [-2, 1, 0]]
    """
    x, y, z = _split(w)
    o = 0.0 if isinstance(x, float | complex) else namespace(w).zeros_like(w[..., 0])
    return matrix([[o, -z, y], [z, o, -x], [-y, x, o]])


def vee(W: Array) -> Array:
    """The vector w of a skew matrix [w]: (..., 3, 3) -> (..., 3); reads the lower entries.

    >>> vee(hat(np.array([1, 2, 3]))).tolist()
    [1, 2, 3]
    """
    return stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]])


def cross(a: Array, b: Array) -> Array:
    """a x b, the Lie bracket of so(3): (..., 3), (..., 3) -> (..., 3).

    >>> cross(np.array([1, 0, 0]), np.array([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    a0, a1, a2 = _split(a)
    if isinstance(a0, float | complex) and isinstance(b, np.ndarray) and b.ndim > 1 and b.dtype.char in "dD":
        return b @ matrix([[0.0, a2, -a1], [-a2, 0.0, a0], [a1, -a0, 0.0]])  # many numbers at once
    b0, b1, b2 = _split(b)
    return stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def second_rate(w: Array, dw: Array) -> Array:
    """U = R^T Rddot = [dw] + [w]^2 of body angular velocity and its rate: (..., 3), (..., 3) -> (..., 3, 3).

    A point r of a turning body accelerates by U r beside the body's origin.

    >>> second_rate(np.array([0, 0, 2]), np.array([0, 0, 1])).tolist()
    [[-4, -1, 0], [1, -4, 0], [0, 0, 0]]
    """
    W = hat(w)
    return hat(dw) + W @ W


def exp(w: Array) -> Array:
    """The rotation by |w| radians about w: (..., 3) -> (..., 3, 3); Park et al. (1995) eq. (16).

    >>> np.round(exp(np.array([0, 0, np.pi / 2])) @ np.array([1, 0, 0]), 12).tolist()
    [0.0, 1.0, 0.0]
    """
    w = asarray(w)
    _, c1, c2 = stumpff(squared_norm(w)[..., None], 2)
    W = hat(w)
    return _EYE + c1 * W + c2 * (W @ W)


def log(R: Array) -> Array:
    """The shortest rotation vector of R, |w| <= pi: (..., 3, 3) -> (..., 3).

    Exact near 0 and near pi; at pi itself either of the two signs.

    >>> log(np.diag([-1.0, -1.0, 1.0])).tolist() == [0, 0, np.pi]
    True
    """
    return quaternion_log(to_quaternion(R))


def left_jacobian(w: Array) -> Array:
    """J with d exp(w) = [J dw] exp(w): (..., 3) -> (..., 3, 3); eq. (17) of Park et al. (1995) is J v.

    >>> left_jacobian(np.zeros(3)).tolist() == np.eye(3).tolist()
    True
    """
    _, _, c2, c3 = stumpff(squared_norm(w)[..., None], 3)
    W = hat(w)
    return _EYE + c2 * W + c3 * (W @ W)


def right_jacobian(w: Array) -> Array:
    """J with d exp(w) = exp(w) [J dw]: (..., 3) -> (..., 3, 3).

    >>> w = np.array([0.1, 0.2, 0.3])
    >>> np.allclose(exp(w) @ right_jacobian(w), left_jacobian(w))
    True
    """
    return left_jacobian(-w)


def left_jacobian_inverse(w: Array) -> Array:
    """The inverse of `left_jacobian(w)`, for |w| < 2 pi: (..., 3) -> (..., 3, 3).

    >>> w = np.array([0.1, 0.2, 0.3])
    >>> np.allclose(left_jacobian_inverse(w) @ left_jacobian(w), np.eye(3))
    True
    """
    _, _, c2, c3, c4 = stumpff(squared_norm(w)[..., None], 4)
    W = hat(w)
    return _EYE - W / 2 + (c3 - 2 * c4) / (2 * c2) * (W @ W)


def right_jacobian_inverse(w: Array) -> Array:
    """The inverse of `right_jacobian(w)`, for |w| < 2 pi: (..., 3) -> (..., 3, 3).

    >>> w = np.array([0.1, 0.2, 0.3])
    >>> np.allclose(right_jacobian_inverse(w) @ right_jacobian(w), np.eye(3))
    True
    """
    return left_jacobian_inverse(-w)


def axis_angle(axis: Array, angle: Array) -> Array:
    """The rotation by `angle` about a unit `axis`: (..., 3), (...) -> (..., 3, 3).

    P + cos (1 - P) + sin [axis] with P = axis axis^T, so that a coordinate axis leaves a planar turn only.

    >>> axis_angle(np.array([0, 0, 1]), 0.0).tolist() == np.eye(3).tolist()
    True
    """
    axis, angle = asarray(axis), asarray(angle)
    P = axis[..., :, None] * axis[..., None, :]
    return P + cos(angle)[..., None, None] * (_EYE - P) + sin(angle)[..., None, None] * hat(axis)


def from_rpy(rpy: Array) -> Array:
    """URDF's roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll): (..., 3) -> (..., 3, 3).

    >>> np.round(from_rpy(np.array([0, 0, np.pi / 2])) @ np.array([1, 0, 0]), 12).tolist()
    [0.0, 1.0, 0.0]
    """
    rpy = asarray(rpy)
    (cx, cy, cz), (sx, sy, sz) = _split(cos(rpy)), _split(sin(rpy))
    return matrix(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ],
    )


def from_quaternion(q: Array) -> Array:
    """The rotation of a unit quaternion; a polynomial, nothing is normalised: (..., 4) -> (..., 3, 3).

    >>> from_quaternion(np.array([0, 0, 0, 1])).tolist()
    [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]
    """
    w, x, y, z = _split(asarray(q))
    x2, y2, z2 = 2 * x, 2 * y, 2 * z
    return matrix(
        [
            [1 - (y2 * y + z2 * z), x2 * y - z2 * w, x2 * z + y2 * w],
            [x2 * y + z2 * w, 1 - (x2 * x + z2 * z), y2 * z - x2 * w],
            [x2 * z - y2 * w, y2 * z + x2 * w, 1 - (x2 * x + y2 * y)],
        ],
    )


def to_quaternion(R: Array) -> Array:
    """The unit quaternion of R with w >= 0: (..., 3, 3) -> (..., 4).

    R gives the matrix K = 4 q q^T; each of its rows is q times a number. Take the row of the largest |q_i|
    (Shepperd 1978).

    >>> to_quaternion(np.diag([1.0, -1.0, -1.0])).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, xz, yz = R[..., 1, 0] + R[..., 0, 1], R[..., 0, 2] + R[..., 2, 0], R[..., 2, 1] + R[..., 1, 2]
    rows = (
        stack([1 + xx + yy + zz, wx, wy, wz]),
        stack([wx, 1 + xx - yy - zz, xy, xz]),
        stack([wy, xy, 1 - xx + yy - zz, yz]),
        stack([wz, xz, yz, 1 - xx - yy + zz]),
    )
    row, square = rows[0], rows[0][..., 0:1]
    for i in (1, 2, 3):
        larger = less(square, rows[i][..., i : i + 1])
        row, square = where(larger, rows[i], row), where(larger, rows[i][..., i : i + 1], square)
    return _upper(row / (2 * sqrt(square)))


def _upper(q: Array) -> Array:
    """q or -q, whichever has w >= 0."""
    return where(less(q[..., 0:1], 0), -q, q)


def quaternion_multiply(p: Array, q: Array) -> Array:
    """The quaternion of R(p) R(q): (..., 4), (..., 4) -> (..., 4).

    >>> quaternion_multiply(np.array([0, 1, 0, 0]), np.array([0, 0, 1, 0])).tolist()
    [0, 0, 0, 1]
    """
    a, b, c, d = _split(p)
    w, x, y, z = _split(q)
    return stack(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ]
    )


def quaternion_exp(w: Array) -> Array:
    """The unit quaternion of the rotation by |w| radians about w: (..., 3) -> (..., 4).

    >>> quaternion_exp(np.zeros(3)).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    c0, c1 = stumpff(squared_norm(w) / 4, 1)
    return concatenate([c0, c1 * w / 2])


def quaternion_log(q: Array) -> Array:
    """The shortest rotation vector of q, the same for q and -q: (..., 4) -> (..., 3); |q| does not matter,
    as long as its square is a number.

    >>> quaternion_log(np.array([0.0, 1.0, 0.0, 0.0])).tolist() == [np.pi, 0, 0]
    True
    """
    q = _upper(q)
    w, v = q[..., 0:1], q[..., 1:]
    return 2 * angle_over_sine(w, squared_norm(v)) * v
