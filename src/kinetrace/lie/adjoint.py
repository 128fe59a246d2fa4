"""The adjoint actions of SE(3) and se(3) on twists V = (omega, v) and wrenches F = (m, f), and their duals.

Park et al. (1995) eqs. (1)-(11). With X = X_AB:

    V_A = Ad(X, V_B)             V_B = Ad_inv(X, V_A)
    F_B = Ad_dual(X, F_A)        F_A = Ad_inv_dual(X, F_B)

Each rotates two 3-vectors and takes one cross product; no 6 x 6 matrix is formed. `Pose` has the same for a product of
poses.
"""

from __future__ import annotations

from ..arrays import Array, block, concatenate
from .se3 import rotation, translation
from .so3 import cross, hat, rotate, transpose


def Ad(X: Array, V: Array) -> Array:
    """Ad_X V: V_A of V_B, X = X_AB: (..., 4, 4), (..., 6) -> (..., 6); eq. (2).

    >>> import numpy as np
    >>> X_AB = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> Ad(X_AB, np.array([0, 0, 1, 0, 0, 0])).tolist()
    [0, 0, 1, 0, -1, 0]
    """
    R, p = rotation(X), translation(X)
    omega = rotate(R, V[..., :3])
    return concatenate([omega, rotate(R, V[..., 3:]) + cross(p, omega)])


def Ad_inv(X: Array, V: Array) -> Array:
    """Ad_X^-1 V: V_B of V_A, X = X_AB: (..., 4, 4), (..., 6) -> (..., 6); X is not inverted.

    >>> import numpy as np
    >>> X_AB = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> Ad_inv(X_AB, np.array([0, 0, 1, 0, -1, 0])).tolist()
    [0, 0, 1, 0, 0, 0]
    """
    Rt, p = transpose(rotation(X)), translation(X)
    omega = V[..., :3]
    return concatenate([rotate(Rt, omega), rotate(Rt, V[..., 3:] - cross(p, omega))])


def Ad_dual(X: Array, F: Array) -> Array:
    """Ad_X^T F: F_B of F_A, X = X_AB: (..., 4, 4), (..., 6) -> (..., 6); eq. (11).

    >>> import numpy as np
    >>> X_AB = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> Ad_dual(X_AB, np.array([0, 0, 1, 0, 1, 0])).tolist()
    [0, 0, 0, 0, 1, 0]
    """
    Rt, p = transpose(rotation(X)), translation(X)
    f = F[..., 3:]
    return concatenate([rotate(Rt, F[..., :3] - cross(p, f)), rotate(Rt, f)])


def Ad_inv_dual(X: Array, F: Array) -> Array:
    """Ad_{X^-1}^T F: F_A of F_B, X = X_AB: (..., 4, 4), (..., 6) -> (..., 6); X is not inverted.

    >>> import numpy as np
    >>> X_AB = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> Ad_inv_dual(X_AB, np.array([0, 0, 0, 0, 1, 0])).tolist()
    [0, 0, 1, 0, 1, 0]
    """
    R, p = rotation(X), translation(X)
    f = rotate(R, F[..., 3:])
    return concatenate([rotate(R, F[..., :3]) + cross(p, f), f])


def ad(V: Array, W: Array) -> Array:
    """ad_V W = [V, W], the Lie bracket of se(3): (..., 6), (..., 6) -> (..., 6); eqs. (1), (5).

    >>> import numpy as np
    >>> ad(np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 0, 0])).tolist()
    [0, 0, 0, 0, 1, 0]
    """
    omega, v = V[..., :3], V[..., 3:]
    return concatenate([cross(omega, W[..., :3]), cross(omega, W[..., 3:]) + cross(v, W[..., :3])])


def ad_dual(V: Array, F: Array) -> Array:
    """ad_V^T F: (..., 6), (..., 6) -> (..., 6); eq. (7). A body's momentum changes by -ad_dual(V, J V).

    >>> import numpy as np
    >>> ad_dual(np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 0, 0])).tolist()
    [0, 0, 0, 0, -1, 0]
    """
    m, f = F[..., :3], F[..., 3:]
    return concatenate([cross(m, V[..., :3]) + cross(f, V[..., 3:]), cross(f, V[..., :3])])


def Ad_matrix(X: Array) -> Array:
    """The matrix of V -> Ad(X, V): (..., 4, 4) -> (..., 6, 6); eq. (3).

    >>> import numpy as np
    >>> Ad_matrix(np.eye(4)).tolist() == np.eye(6).tolist()
    True
    """
    R = rotation(X)
    return block([[R, 0 * R], [hat(translation(X)) @ R, R]])


def ad_matrix(V: Array) -> Array:
    """The matrix of W -> ad(V, W): (..., 6) -> (..., 6, 6); eq. (6).

    >>> import numpy as np
    >>> ad_matrix(np.arange(6)).shape
    (6, 6)
    """
    W = hat(V[..., :3])
    return block([[W, 0 * W], [hat(V[..., 3:]), W]])
