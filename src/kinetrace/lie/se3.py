"""Rigid motions, SE(3): poses X_AB (..., 4, 4), twists xi = (omega, v) (..., 6), angular first.

X_AB = [[R_AB, p_AB], [0, 1]] is the pose of frame B in frame A; p_AB points from A's origin to B's, in A.
Every function takes leading batch axes, which broadcast, and arrays of every scalar.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, asarray, block, concatenate, namespace, stack
from . import so3
from .series import stumpff
from .so3 import rotate, squared_norm, transpose

_LAST = np.array([0.0, 0.0, 0.0, 1.0])


def rotation(X: Array) -> Array:
    """R of a pose: (..., 4, 4) -> (..., 3, 3).

    >>> rotation(np.eye(4)).shape
    (3, 3)
    """
    return X[..., :3, :3]


def translation(X: Array) -> Array:
    """p of a pose: (..., 4, 4) -> (..., 3).

    >>> translation(np.eye(4)).tolist()
    [0.0, 0.0, 0.0]
    """
    return X[..., :3, 3]


def pose(R: Array, p: Array) -> Array:
    """The pose with this rotation and translation: (..., 3, 3), (..., 3) -> (..., 4, 4).

    >>> pose(np.eye(3), np.array([1, 2, 3]))[..., 3].tolist()
    [1.0, 2.0, 3.0, 1.0]
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
    """X_BA of X_AB, by transposing R: (..., 4, 4) -> (..., 4, 4).

    >>> inverse(pose(np.eye(3), np.array([1, 2, 3])))[..., 3].tolist()
    [-1.0, -2.0, -3.0, 1.0]
    """
    Rt = transpose(rotation(X))
    return pose(Rt, -rotate(Rt, translation(X)))


def hat(xi: Array) -> Array:
    """[xi] = [[[omega], v], [0, 0]], an element of se(3): (..., 6) -> (..., 4, 4).

    >>> hat(np.array([0, 0, 3, 4, 5, 6])).tolist()
    [[0, -3, 0, 4], [3, 0, 0, 5], [0, 0, 0, 6], [0, 0, 0, 0]]
    """
    return _over(so3.hat(xi[..., :3]), xi[..., 3:], 0)


def vee(A: Array) -> Array:
    """The twist of an element of se(3): (..., 4, 4) -> (..., 6).

    >>> vee(hat(np.arange(6))).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    return concatenate([so3.vee(A[..., :3, :3]), A[..., :3, 3]])


def exp(xi: Array) -> Array:
    """The motion along the screw xi for unit time: (..., 6) -> (..., 4, 4); Park et al. (1995) eqs. (15-17).

    >>> np.round(exp(np.array([0, 0, np.pi, 0, 1, 0]))[..., :3, 3] * np.pi, 12).tolist()
    [-2.0, 0.0, 0.0]
    """
    xi = asarray(xi)
    w, v = xi[..., :3], xi[..., 3:]
    return pose(so3.exp(w), rotate(so3.left_jacobian(w), v))


def log(X: Array) -> Array:
    """The twist of smallest angle, |omega| <= pi, whose exp is X: (..., 4, 4) -> (..., 6).

    >>> xi = np.array([0.1, 0.2, 0.3, 4, 5, 6])
    >>> np.allclose(log(exp(xi)), xi)
    True
    """
    w = so3.log(rotation(X))
    return concatenate([w, rotate(so3.left_jacobian_inverse(w), translation(X))])


def left_jacobian(xi: Array) -> Array:
    """J with d exp(xi) = [J dxi] exp(xi): (..., 6) -> (..., 6, 6), [[J_w, 0], [Q, J_w]].

    >>> left_jacobian(np.zeros(6)).tolist() == np.eye(6).tolist()
    True
    """
    J, Q = so3.left_jacobian(xi[..., :3]), _coupling(xi)
    return block([[J, 0 * J], [Q, J]])


def right_jacobian(xi: Array) -> Array:
    """J with d exp(xi) = exp(xi) [J dxi]: (..., 6) -> (..., 6, 6).

    >>> right_jacobian(np.array([0, 0, 0, 0, 0, 2.0]))[3].tolist()
    [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    """
    return left_jacobian(-xi)


def left_jacobian_inverse(xi: Array) -> Array:
    """The inverse of `left_jacobian(xi)`, for |omega| < 2 pi: (..., 6) -> (..., 6, 6).

    >>> xi = np.array([0.1, 0.2, 0.3, 4, 5, 6])
    >>> np.allclose(left_jacobian_inverse(xi) @ left_jacobian(xi), np.eye(6))
    True
    """
    J, Q = so3.left_jacobian_inverse(xi[..., :3]), _coupling(xi)
    return block([[J, 0 * J], [-J @ Q @ J, J]])


def right_jacobian_inverse(xi: Array) -> Array:
    """The inverse of `right_jacobian(xi)`, for |omega| < 2 pi: (..., 6) -> (..., 6, 6).

    >>> xi = np.array([0.1, 0.2, 0.3, 4, 5, 6])
    >>> np.allclose(right_jacobian_inverse(xi) @ right_jacobian(xi), np.eye(6))
    True
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
