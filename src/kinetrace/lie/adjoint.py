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
    """Change of frame of a twist, V_A = Ad_X V_B; Park et al. (1995) eq. (2).

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.
    V : Array, shape (..., 6)
        Twists V_B, angular part first.

    Returns
    -------
    Array, shape (..., 6)
        Twists V_A.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> X_AB = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> kt.lie.Ad(X_AB, np.array([0, 0, 1, 0, 0, 0]))
    array([ 0.,  0.,  1.,  0., -1.,  0.])
    """
    R, p = rotation(X), translation(X)
    omega = rotate(R, V[..., :3])
    return concatenate([omega, rotate(R, V[..., 3:]) + cross(p, omega)])


def Ad_inv(X: Array, V: Array) -> Array:
    """Inverse change of frame of a twist, V_B = Ad_X⁻¹ V_A; X is not inverted.

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.
    V : Array, shape (..., 6)
        Twists V_A, angular part first.

    Returns
    -------
    Array, shape (..., 6)
        Twists V_B.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> X_AB = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> kt.lie.Ad_inv(X_AB, np.array([0, 0, 1, 0, -1, 0]))
    array([0., 0., 1., 0., 0., 0.])
    """
    Rt, p = transpose(rotation(X)), translation(X)
    omega = V[..., :3]
    return concatenate([rotate(Rt, omega), rotate(Rt, V[..., 3:] - cross(p, omega))])


def Ad_dual(X: Array, F: Array) -> Array:
    """Change of frame of a wrench, F_B = Ad_Xᵀ F_A; Park et al. (1995) eq. (11).

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.
    F : Array, shape (..., 6)
        Wrenches F_A, moments first.

    Returns
    -------
    Array, shape (..., 6)
        Wrenches F_B.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> X_AB = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> kt.lie.Ad_dual(X_AB, np.array([0, 0, 1, 0, 1, 0]))
    array([0., 0., 0., 0., 1., 0.])
    """
    Rt, p = transpose(rotation(X)), translation(X)
    f = F[..., 3:]
    return concatenate([rotate(Rt, F[..., :3] - cross(p, f)), rotate(Rt, f)])


def Ad_inv_dual(X: Array, F: Array) -> Array:
    """Inverse change of frame of a wrench, F_A = Ad_{X⁻¹}ᵀ F_B; X is not inverted.

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.
    F : Array, shape (..., 6)
        Wrenches F_B, moments first.

    Returns
    -------
    Array, shape (..., 6)
        Wrenches F_A.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> X_AB = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> kt.lie.Ad_inv_dual(X_AB, np.array([0, 0, 0, 0, 1, 0]))
    array([0., 0., 1., 0., 1., 0.])
    """
    R, p = rotation(X), translation(X)
    f = rotate(R, F[..., 3:])
    return concatenate([rotate(R, F[..., :3]) + cross(p, f), f])


def ad(V: Array, W: Array) -> Array:
    """Lie bracket of se(3), ad_V W = [V, W]; Park et al. (1995) eqs. (1), (5).

    Leading axes broadcast.

    Parameters
    ----------
    V : Array, shape (..., 6)
        First twists, angular part first.
    W : Array, shape (..., 6)
        Second twists, angular part first.

    Returns
    -------
    Array, shape (..., 6)
        Brackets.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.ad(np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 0, 0]))
    array([0, 0, 0, 0, 1, 0])
    """
    omega, v = V[..., :3], V[..., 3:]
    return concatenate([cross(omega, W[..., :3]), cross(omega, W[..., 3:]) + cross(v, W[..., :3])])


def ad_dual(V: Array, F: Array) -> Array:
    """Dual of the bracket, ad_Vᵀ F; Park et al. (1995) eq. (7).

    Newton and Euler's equations of a body are F = J V̇ − ad_Vᵀ J V. Leading axes broadcast.

    Parameters
    ----------
    V : Array, shape (..., 6)
        Twists, angular part first.
    F : Array, shape (..., 6)
        Wrenches, moments first.

    Returns
    -------
    Array, shape (..., 6)
        Wrenches, moments first.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.ad_dual(np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 0, 0]))
    array([ 0,  0,  0,  0, -1,  0])
    """
    m, f = F[..., :3], F[..., 3:]
    return concatenate([cross(m, V[..., :3]) + cross(f, V[..., 3:]), cross(f, V[..., :3])])


def Ad_matrix(X: Array) -> Array:
    """Matrix of V → Ad(X, V); Park et al. (1995) eq. (3).

    Leading axes broadcast.

    Parameters
    ----------
    X : Array, shape (..., 4, 4)
        Poses X_AB.

    Returns
    -------
    Array, shape (..., 6, 6)
        Matrices [[R, 0], [[p] R, R]].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> X_AB = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> kt.lie.Ad_matrix(X_AB)[3:] + 0.0
    array([[ 0.,  0.,  0.,  1.,  0.,  0.],
           [ 0.,  0., -1.,  0.,  1.,  0.],
           [ 0.,  1.,  0.,  0.,  0.,  1.]])
    """
    R = rotation(X)
    return block([[R, 0 * R], [hat(translation(X)) @ R, R]])


def ad_matrix(V: Array) -> Array:
    """Matrix of W → ad(V, W); Park et al. (1995) eq. (6).

    Leading axes broadcast.

    Parameters
    ----------
    V : Array, shape (..., 6)
        Twists, angular part first.

    Returns
    -------
    Array, shape (..., 6, 6)
        Matrices [[[ω], 0], [[v], [ω]]].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.ad_matrix(np.array([1, 2, 3, 4, 5, 6]))
    array([[ 0, -3,  2,  0,  0,  0],
           [ 3,  0, -1,  0,  0,  0],
           [-2,  1,  0,  0,  0,  0],
           [ 0, -6,  5,  0, -3,  2],
           [ 6,  0, -4,  3,  0, -1],
           [-5,  4,  0, -2,  1,  0]])
    """
    W = hat(V[..., :3])
    return block([[W, 0 * W], [hat(V[..., 3:]), W]])
