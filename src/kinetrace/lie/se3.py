"""Rigid motions, SE(3): poses X_AB (..., 4, 4), twists xi = (omega, v) (..., 6), angular first.

X_AB = [[R_AB, p_AB], [0, 1]] is the pose of frame B in frame A; p_AB points from A's origin to B's, in A.
Every function takes leading batch axes, which broadcast, and arrays of every scalar.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, asarray, block, concatenate, namespace, stack
from ..support.public_names import listing as _listing
from . import so3
from .series import stumpff
from .so3 import rotate, squared_norm, transpose

_LAST = np.array([0.0, 0.0, 0.0, 1.0])


def rotation(X: Array) -> Array:
    """Rotation R of a pose.

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.

    Returns
    -------
    Array, shape (..., 3, 3)
        Rotation matrices.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.rotation(kt.lie.se3.exp(np.array([0, 0, np.pi / 2, 1, 0, 0]))).round(3)
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    return X[..., :3, :3]


def translation(X: Array) -> Array:
    """Translation p of a pose.

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.

    Returns
    -------
    Array, shape (..., 3)
        Positions [m].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.translation(kt.lie.se3.pose(np.eye(3), np.array([1, 2, 3])))
    array([1., 2., 3.])
    """
    return X[..., :3, 3]


def pose(R: Array, p: Array) -> Array:
    """Pose of a rotation and a translation.

    Leading axes broadcast.

    Parameters
    ----------
    R : Array, shape (..., 3, 3)
        Rotation matrices.
    p : Array, shape (..., 3)
        Positions [m].

    Returns
    -------
    Array, shape (..., 4, 4)
        Poses [[R, p], [0, 1]].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.pose(np.eye(3), np.array([1, 2, 3]))
    array([[1., 0., 0., 1.],
           [0., 1., 0., 2.],
           [0., 0., 1., 3.],
           [0., 0., 0., 1.]])
    """
    return _over(asarray(R), asarray(p), _LAST)


def _over(A: Array, b: Array, last: Array) -> Array:
    """[[A, b], [last]]."""
    if A.shape[:-1] == b.shape:
        top = concatenate([A, b[..., None]])
    else:
        top = stack([A[..., :, 0], A[..., :, 1], A[..., :, 2], b])  # which broadcasts
    return concatenate([top, namespace(top).zeros_like(top[..., :1, :]) + last], axis=-2)


def inverse(X: Array) -> Array:
    """Inverse X_BA of X_AB, by transposing R.

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.

    Returns
    -------
    Array, shape (..., 4, 4)
        Poses X_BA.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.inverse(kt.lie.se3.pose(np.eye(3), np.array([1, 2, 3])))
    array([[ 1.,  0.,  0., -1.],
           [ 0.,  1.,  0., -2.],
           [ 0.,  0.,  1., -3.],
           [ 0.,  0.,  0.,  1.]])
    """
    Rt = transpose(rotation(X))
    return pose(Rt, -rotate(Rt, translation(X)))


def hat(xi: Array) -> Array:
    """Element [ξ] = [[[ω], v], [0, 0]] of se(3) of a twist.

    Leading axes broadcast.

    Parameters
    ----------
    xi : Array, shape (..., 6)
        Twists, angular part first [rad, m].

    Returns
    -------
    Array, shape (..., 4, 4)
        Matrices of se(3).

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.hat(np.array([0, 0, 3, 4, 5, 6]))
    array([[ 0, -3,  0,  4],
           [ 3,  0,  0,  5],
           [ 0,  0,  0,  6],
           [ 0,  0,  0,  0]])
    """
    return _over(so3.hat(xi[..., :3]), xi[..., 3:], 0)


def vee(A: Array) -> Array:
    """Twist of an element of se(3); the inverse of `hat`.

    Leading axes broadcast.

    Parameters
    ----------
    A : Array, shape (..., 4, 4)
        Matrices of se(3).

    Returns
    -------
    Array, shape (..., 6)
        Twists, angular part first.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.vee(kt.lie.se3.hat(np.array([1, 2, 3, 4, 5, 6])))
    array([1, 2, 3, 4, 5, 6])
    """
    return concatenate([so3.vee(A[..., :3, :3]), A[..., :3, 3]])


def exp(xi: Array) -> Array:
    """Motion along the screw ξ for unit time; Park et al. (1995) eqs. (15)–(17).

    Leading axes broadcast.

    Parameters
    ----------
    xi : Array, shape (..., 6)
        Twists, angular part first [rad, m].

    Returns
    -------
    Array, shape (..., 4, 4)
        Poses.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.exp(np.array([0, 0, np.pi / 2, 1, 0, 0])).round(3)
    array([[ 0.   , -1.   ,  0.   ,  0.637],
           [ 1.   ,  0.   ,  0.   ,  0.637],
           [ 0.   ,  0.   ,  1.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])
    """
    xi = asarray(xi)
    w, v = xi[..., :3], xi[..., 3:]
    return pose(so3.exp(w), rotate(so3.left_jacobian(w), v))


def log(X: Array) -> Array:
    """Twist of smallest angle, |ω| ≤ π, whose exponential is X.

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.

    Returns
    -------
    Array, shape (..., 6)
        Twists, angular part first [rad, m].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.log(kt.lie.se3.exp(np.array([0.1, 0.2, 0.3, 4, 5, 6]))).round(3)
    array([0.1, 0.2, 0.3, 4. , 5. , 6. ])
    """
    w = so3.log(rotation(X))
    return concatenate([w, rotate(so3.left_jacobian_inverse(w), translation(X))])


def left_jacobian(xi: Array) -> Array:
    """Left Jacobian J = [[J_ω, 0], [Q, J_ω]]: d exp(ξ) = [J dξ] exp(ξ).

    Leading axes broadcast.

    Parameters
    ----------
    xi : Array, shape (..., 6)
        Twists, angular part first [rad, m].

    Returns
    -------
    Array, shape (..., 6, 6)
        J.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.left_jacobian(np.array([0, 0, 0, 0, 0, 2.0]))[3]
    array([ 0., -1.,  0.,  1.,  0.,  0.])
    """
    J, Q = so3.left_jacobian(xi[..., :3]), _coupling(xi)
    return block([[J, 0 * J], [Q, J]])


def right_jacobian(xi: Array) -> Array:
    """Right Jacobian J: d exp(ξ) = exp(ξ) [J dξ].

    Leading axes broadcast.

    Parameters
    ----------
    xi : Array, shape (..., 6)
        Twists, angular part first [rad, m].

    Returns
    -------
    Array, shape (..., 6, 6)
        J.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.right_jacobian(np.array([0, 0, 0, 0, 0, 2.0]))[3]
    array([0., 1., 0., 1., 0., 0.])
    """
    return left_jacobian(-xi)


def left_jacobian_inverse(xi: Array) -> Array:
    """Inverse of `left_jacobian(xi)`, for |ω| < 2π.

    Leading axes broadcast.

    Parameters
    ----------
    xi : Array, shape (..., 6)
        Twists, angular part first [rad, m].

    Returns
    -------
    Array, shape (..., 6, 6)
        J⁻¹.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.left_jacobian_inverse(np.array([0, 0, 0, 0, 0, 2.0]))[3]
    array([0., 1., 0., 1., 0., 0.])
    """
    J, Q = so3.left_jacobian_inverse(xi[..., :3]), _coupling(xi)
    return block([[J, 0 * J], [-J @ Q @ J, J]])


def right_jacobian_inverse(xi: Array) -> Array:
    """Inverse of `right_jacobian(xi)`, for |ω| < 2π.

    Leading axes broadcast.

    Parameters
    ----------
    xi : Array, shape (..., 6)
        Twists, angular part first [rad, m].

    Returns
    -------
    Array, shape (..., 6, 6)
        J⁻¹.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.se3.right_jacobian_inverse(np.array([0, 0, 0, 0, 0, 2.0]))[3]
    array([ 0., -1.,  0.,  1.,  0.,  0.])
    """
    return left_jacobian_inverse(-xi)


def _coupling(xi: Array) -> Array:
    """Q, the derivative of J_w along v: sum of [w]^i [v] [w]^j / (i + j + 2)! (Barfoot and Furgale 2014)."""
    w, v = xi[..., :3], xi[..., 3:]
    W, V = so3.hat(w), so3.hat(v)
    _, _, _, c3, c4, c5 = stumpff(squared_norm(w)[..., None], 5)
    WV, VW = W @ V, V @ W
    WVW = WV @ W
    return V / 2 + c3 * (WV + VW + WVW) + c4 * (W @ WV + VW @ W - 3 * WVW) + (c4 - 3 * c5) / 2 * (WVW @ W + W @ WVW)


__dir__ = _listing(__name__)
