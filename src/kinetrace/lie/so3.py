"""Rotations, SO(3): matrices R_AB (..., 3, 3), rotation vectors w (..., 3), quaternions (w, x, y, z).

R_AB turns the coordinates of a vector from frame B to frame A. Every function takes leading batch axes, which
broadcast, and arrays of every scalar.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, asarray, concatenate, cos, less, matrix, namespace, sin, sqrt, stack, where
from ..support.public_names import listing as _listing
from .series import angle_over_sine, stumpff

_EYE = np.eye(3)


def _entries(a: Array) -> list[Array]:
    """The entries along the last axis; of one vector of NumPy's doubles Python's numbers, which are quicker."""
    if isinstance(a, np.ndarray) and a.ndim == 1 and a.dtype.char in "dD":
        return a.tolist()
    return [a[..., i] for i in range(a.shape[-1])]


def squared_norm(w: Array) -> Array:
    """Squared norm w · w, keeping the last axis.

    Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Vectors.

    Returns
    -------
    Array, shape (..., 1)
        Squared norms.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.squared_norm(np.array([1, 2, 3]))
    array([14])
    """
    x, y, z = w[..., 0:1], w[..., 1:2], w[..., 2:3]
    return x * x + y * y + z * z


def rotate(R: Array, w: Array) -> Array:
    """Product R w, for batches of both.

    Leading axes broadcast.

    Parameters
    ----------
    R : Array, shape (..., 3, 3)
        Rotation matrices.
    w : Array, shape (..., 3)
        Vectors.

    Returns
    -------
    Array, shape (..., 3)
        Rotated vectors.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> R = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    >>> kt.lie.so3.rotate(R, np.array([[1, 0, 0], [0, 1, 0]]))
    array([[ 0,  1,  0],
           [-1,  0,  0]])
    """
    return (R @ w[..., None])[..., 0]


def transpose(R: Array) -> Array:
    """Transpose of each matrix, which is the inverse of a rotation.

    Leading axes broadcast.

    Parameters
    ----------
    R : Array, shape (..., m, n)
        Matrices.

    Returns
    -------
    Array, shape (..., n, m)
        Transposed matrices.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.transpose(np.array([[1, 2, 3], [4, 5, 6]]))
    array([[1, 4],
           [2, 5],
           [3, 6]])
    """
    return R.swapaxes(-1, -2)


def hat(w: Array) -> Array:
    """Skew matrix [w] with [w] b = w × b.

    Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Vectors.

    Returns
    -------
    Array, shape (..., 3, 3)
        Skew matrices.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.hat(np.array([1, 2, 3]))
    array([[ 0, -3,  2],
           [ 3,  0, -1],
           [-2,  1,  0]])
    """
    x, y, z = _entries(w)
    o = 0.0 if isinstance(x, float | complex) else namespace(w).zeros_like(w[..., 0])
    return matrix([[o, -z, y], [z, o, -x], [-y, x, o]])


def vee(W: Array) -> Array:
    """Vector w of a skew matrix [w]; the inverse of `hat`.

    Leading axes broadcast.

    Parameters
    ----------
    W : Array, shape (..., 3, 3)
        Skew matrices, of which the lower entries are read.

    Returns
    -------
    Array, shape (..., 3)
        Vectors.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.vee(np.array([[0, -3, 2], [3, 0, -1], [-2, 1, 0]]))
    array([1, 2, 3])
    """
    return stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]])


def cross(a: Array, b: Array) -> Array:
    """Cross product a × b, the Lie bracket of so(3).

    Leading axes broadcast.

    Parameters
    ----------
    a : Array, shape (..., 3)
        First vectors.
    b : Array, shape (..., 3)
        Second vectors.

    Returns
    -------
    Array, shape (..., 3)
        Products.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0, 0, 1])
    """
    a0, a1, a2 = _entries(a)
    if isinstance(a0, float | complex) and isinstance(b, np.ndarray) and b.ndim > 1 and b.dtype.char in "dD":
        return b @ matrix([[0.0, a2, -a1], [-a2, 0.0, a0], [a1, -a0, 0.0]])  # many numbers at once
    b0, b1, b2 = _entries(b)
    return stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def second_rate(w: Array, dw: Array) -> Array:
    """Matrix U = Rᵀ R̈ = [ẇ] + [w]² of an angular velocity and its rate, in the body's axes.

    A point r of a turning body accelerates by U r relative to the body's origin. Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Angular velocities in the body's axes [rad/s].
    dw : Array, shape (..., 3)
        Their rates [rad/s²].

    Returns
    -------
    Array, shape (..., 3, 3)
        U [1/s²].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.second_rate(np.array([0, 0, 2]), np.array([0, 0, 1]))
    array([[-4, -1,  0],
           [ 1, -4,  0],
           [ 0,  0,  0]])
    """
    W = hat(w)
    return hat(dw) + W @ W


def exp(w: Array) -> Array:
    """Rotation by |w| radians about w; Park et al. (1995) eq. (16).

    Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Rotation vectors [rad].

    Returns
    -------
    Array, shape (..., 3, 3)
        Rotation matrices.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.exp(np.array([0, 0, np.pi / 2])).round(3)
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    w = asarray(w)
    _, c1, c2 = stumpff(squared_norm(w)[..., None], 2)
    W = hat(w)
    return _EYE + c1 * W + c2 * (W @ W)


def log(R: Array) -> Array:
    """Shortest rotation vector of R, |w| ≤ π.

    Exact near 0 and near π; at π itself either of the two signs. Leading axes broadcast.

    Parameters
    ----------
    R : Array, shape (..., 3, 3)
        Rotation matrices.

    Returns
    -------
    Array, shape (..., 3)
        Rotation vectors [rad].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.log(np.diag([-1.0, -1.0, 1.0])).round(3)
    array([0.   , 0.   , 3.142])
    """
    return quaternion_log(to_quaternion(R))


def left_jacobian(w: Array) -> Array:
    """Left Jacobian J: d exp(w) = [J dw] exp(w).

    Eq. (17) of Park et al. (1995) is J v. Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Rotation vectors [rad].

    Returns
    -------
    Array, shape (..., 3, 3)
        J.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.left_jacobian(np.array([0, 0, np.pi])).round(3)
    array([[ 0.   , -0.637,  0.   ],
           [ 0.637,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  1.   ]])
    """
    _, _, c2, c3 = stumpff(squared_norm(w)[..., None], 3)
    W = hat(w)
    return _EYE + c2 * W + c3 * (W @ W)


def right_jacobian(w: Array) -> Array:
    """Right Jacobian J: d exp(w) = exp(w) [J dw].

    Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Rotation vectors [rad].

    Returns
    -------
    Array, shape (..., 3, 3)
        J.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.right_jacobian(np.array([0, 0, np.pi])).round(3)
    array([[ 0.   ,  0.637,  0.   ],
           [-0.637,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  1.   ]])
    """
    return left_jacobian(-w)


def left_jacobian_inverse(w: Array) -> Array:
    """Inverse of `left_jacobian(w)`, for |w| < 2π.

    Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Rotation vectors [rad].

    Returns
    -------
    Array, shape (..., 3, 3)
        J⁻¹.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.left_jacobian_inverse(np.array([0, 0, np.pi])).round(3)
    array([[ 0.   ,  1.571,  0.   ],
           [-1.571,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  1.   ]])
    """
    _, _, c2, c3, c4 = stumpff(squared_norm(w)[..., None], 4)
    W = hat(w)
    return _EYE - W / 2 + (c3 - 2 * c4) / (2 * c2) * (W @ W)


def right_jacobian_inverse(w: Array) -> Array:
    """Inverse of `right_jacobian(w)`, for |w| < 2π.

    Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Rotation vectors [rad].

    Returns
    -------
    Array, shape (..., 3, 3)
        J⁻¹.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.right_jacobian_inverse(np.array([0, 0, np.pi])).round(3)
    array([[ 0.   , -1.571,  0.   ],
           [ 1.571,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  1.   ]])
    """
    return left_jacobian_inverse(-w)


def axis_angle(axis: Array, angle: Array) -> Array:
    """Rotation by an angle about a unit axis.

    P + cos (1 − P) + sin [axis] with P = axis axisᵀ, so that a coordinate axis leaves a planar rotation only. Leading
    axes broadcast.

    Parameters
    ----------
    axis : Array, shape (..., 3)
        Unit vectors.
    angle : Array, shape (...)
        Angles [rad].

    Returns
    -------
    Array, shape (..., 3, 3)
        Rotation matrices.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.axis_angle(np.array([0, 0, 1]), np.pi / 2).round(3)
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    axis, angle = asarray(axis), asarray(angle)
    P = axis[..., :, None] * axis[..., None, :]
    return P + cos(angle)[..., None, None] * (_EYE - P) + sin(angle)[..., None, None] * hat(axis)


def from_rpy(rpy: Array) -> Array:
    """Rotation Rz(yaw) Ry(pitch) Rx(roll) of URDF's roll, pitch and yaw.

    Leading axes broadcast.

    Parameters
    ----------
    rpy : Array, shape (..., 3)
        Roll, pitch, yaw [rad].

    Returns
    -------
    Array, shape (..., 3, 3)
        Rotation matrices.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.from_rpy(np.array([0, 0, np.pi / 2])).round(3) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    rpy = asarray(rpy)
    (cx, cy, cz), (sx, sy, sz) = _entries(cos(rpy)), _entries(sin(rpy))
    return matrix(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ],
    )


def from_quaternion(q: Array) -> Array:
    """Rotation of a unit quaternion: a polynomial, without normalisation.

    Leading axes broadcast.

    Parameters
    ----------
    q : Array, shape (..., 4)
        Unit quaternions, w first.

    Returns
    -------
    Array, shape (..., 3, 3)
        Rotation matrices.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.from_quaternion(np.array([0, 0, 0, 1]))
    array([[-1,  0,  0],
           [ 0, -1,  0],
           [ 0,  0,  1]])
    """
    w, x, y, z = _entries(asarray(q))
    x2, y2, z2 = 2 * x, 2 * y, 2 * z
    return matrix(
        [
            [1 - (y2 * y + z2 * z), x2 * y - z2 * w, x2 * z + y2 * w],
            [x2 * y + z2 * w, 1 - (x2 * x + z2 * z), y2 * z - x2 * w],
            [x2 * z - y2 * w, y2 * z + x2 * w, 1 - (x2 * x + y2 * y)],
        ],
    )


def to_quaternion(R: Array) -> Array:
    """Unit quaternion of R with w ≥ 0.

    R gives the matrix K = 4 q qᵀ; each of its rows is a multiple of q, and the row of the largest |q_i| is normalised
    (Shepperd 1978). Leading axes broadcast.

    Parameters
    ----------
    R : Array, shape (..., 3, 3)
        Rotation matrices.

    Returns
    -------
    Array, shape (..., 4)
        Unit quaternions, w first.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.to_quaternion(np.diag([1.0, -1.0, -1.0]))
    array([0., 1., 0., 0.])
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
    """Quaternion of R(p) R(q).

    Leading axes broadcast.

    Parameters
    ----------
    p : Array, shape (..., 4)
        Left quaternions, w first.
    q : Array, shape (..., 4)
        Right quaternions, w first.

    Returns
    -------
    Array, shape (..., 4)
        Products, w first.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.quaternion_multiply(np.array([0, 1, 0, 0]), np.array([0, 0, 1, 0]))
    array([0, 0, 0, 1])
    """
    a, b, c, d = _entries(p)
    w, x, y, z = _entries(q)
    return stack(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ]
    )


def quaternion_exp(w: Array) -> Array:
    """Unit quaternion of the rotation by |w| radians about w.

    Leading axes broadcast.

    Parameters
    ----------
    w : Array, shape (..., 3)
        Rotation vectors [rad].

    Returns
    -------
    Array, shape (..., 4)
        Unit quaternions, w first.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.quaternion_exp(np.array([0, 0, np.pi / 2])).round(3)
    array([0.707, 0.   , 0.   , 0.707])
    """
    c0, c1 = stumpff(squared_norm(w) / 4, 1)
    return concatenate([c0, c1 * w / 2])


def quaternion_log(q: Array) -> Array:
    """Shortest rotation vector of a quaternion, the same for q and −q.

    Leading axes broadcast.

    Parameters
    ----------
    q : Array, shape (..., 4)
        Quaternions, w first; of any length whose square is a finite number.

    Returns
    -------
    Array, shape (..., 3)
        Rotation vectors [rad].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.so3.quaternion_log(np.array([0.0, 1.0, 0.0, 0.0])).round(3)
    array([3.142, 0.   , 0.   ])
    """
    q = _upper(q)
    w, v = q[..., 0:1], q[..., 1:]
    return 2 * angle_over_sine(w, squared_norm(v)) * v


__dir__ = _listing(__name__)
