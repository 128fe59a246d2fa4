"""Rigid-body inertias J (..., 6, 6): kinetic energy V^T J V / 2, momentum J V, for V = (omega, v).

    J = [[I, [h]], [-[h], m 1]]        h = m c, I about the frame's ORIGIN        Park et al. (1995) eq. (21)

in kg, kg m, kg m^2. The ten parameters (..., 10), in which J is linear, are in this order:

    (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)

The inertia of several bodies moving as one is the sum of theirs, all in one frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from ..arrays import Array, asarray, block, concatenate, constants, exp, less, log, matrix, sqrt, stack, where
from ..errors import InputError
from ..support.public_names import listing as _listing
from .se3 import rotation, translation
from .so3 import cross, hat, rotate, second_rate, transpose, vee

_EYE = np.eye(3)


def symmetric(A: Array) -> Array:
    """Symmetric matrix with the upper triangle of A; its lower triangle is not used.

    Leading axes broadcast.

    Parameters
    ----------
    A : Array, shape (..., n, n)
        Matrices.

    Returns
    -------
    Array, shape (..., n, n)
        Symmetric matrices.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.symmetric(np.array([[1, 2], [0, 3]]))
    array([[1, 2],
           [2, 3]])
    """
    return where(_upper(A.shape[-1]), A, transpose(A))


@cache
def _upper(n: int) -> Array:
    return np.triu(np.ones((n, n), dtype=bool))


def _triangle(A: Array) -> Array:
    """(xx, xy, xz, yy, yz, zz): (..., 3, 3) -> (..., 6)."""
    return concatenate([A[..., 0, :], A[..., 1, 1:], A[..., 2, 2:]])


def _from_triangle(a: Array) -> Array:
    """The inverse of `_triangle`: (..., 6) -> (..., 3, 3)."""
    xx, xy, xz, yy, yz, zz = (a[..., i] for i in range(6))
    return matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def turned(R: Array, A: Array) -> Array:
    """Product R A Rᵀ: a matrix in turned axes.

    Traced, it takes half the operations if R is known to turn about a coordinate axis: with c and s the cosine and
    sine, the block [[a, b], [d, e]] of the plane changes by t = s² (a − e) + c s (b + d) on the diagonal, and by u = c
    s (a − e) − s² (b + d) off it. Leading axes broadcast.

    Parameters
    ----------
    R : Array, shape (..., 3, 3)
        Rotation matrices.
    A : Array, shape (..., 3, 3)
        Matrices.

    Returns
    -------
    Array, shape (..., 3, 3)
        R A Rᵀ.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.turned(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.diag([1, 2, 3]))
    array([[2, 0, 0],
           [0, 1, 0],
           [0, 0, 3]])
    """
    k = _turning_axis(R)
    if k is None:
        return R @ A @ transpose(R)
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = R[i, i], R[j, i]
    ss, cs = s * s, c * s
    difference, total = A[i, i] - A[j, j], A[i, j] + A[j, i]
    t, u = ss * difference + cs * total, cs * difference - ss * total
    if A[i, j] is A[j, i]:  # symmetric: both terms are equal
        t, u = ss * difference + (2 * cs) * A[i, j], cs * difference - (2 * ss) * A[i, j]
    entries = {
        (i, i): A[i, i] - t,
        (j, j): A[j, j] + t,
        (i, j): A[i, j] + u,
        (j, i): A[j, i] + u,
        (k, k): A[k, k],
        (i, k): c * A[i, k] - s * A[j, k],
        (j, k): s * A[i, k] + c * A[j, k],
        (k, i): c * A[k, i] - s * A[k, j],
        (k, j): s * A[k, i] + c * A[k, j],
    }
    return matrix([[entries[m, n] for n in range(3)] for m in range(3)])


def _turning_axis(R: Array) -> int | None:
    """The coordinate axis of R, by an angle that is no multiple of π/2, if that is certain for all inputs."""
    C = constants(R)
    if C.ndim != 2:
        return None
    for k in range(3):
        if C[k, k] == 1.0:
            i, j = (k + 1) % 3, (k + 2) % 3
            edge = [C[k, i], C[k, j], C[i, k], C[j, k]]
            if edge == [0.0] * 4 and C[i, i] not in (0.0, 1.0, -1.0):
                return k
    return None


def from_parameters(pi: Array) -> Array:
    """Inertia of the ten parameters.

    Leading axes broadcast.

    Parameters
    ----------
    pi : Array, shape (..., 10)
        Parameters (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) [kg, kg m, kg m²].

    Returns
    -------
    Array, shape (..., 6, 6)
        Inertias J = [[I, [h]], [−[h], m 1]].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.from_parameters([2, 0, 0, 1, 4, 0, 0, 4, 0, 3])[:3] + 0.0
    array([[ 4.,  0.,  0.,  0., -1.,  0.],
           [ 0.,  4.,  0.,  1.,  0.,  0.],
           [ 0.,  0.,  3.,  0.,  0.,  0.]])
    """
    pi = asarray(pi)
    H = hat(pi[..., 1:4])
    return block([[_from_triangle(pi[..., 4:]), H], [-H, pi[..., 0:1, None] * _EYE]])


def to_parameters(J: Array) -> Array:
    """Ten parameters of an inertia.

    Leading axes broadcast.

    Parameters
    ----------
    J : Array, shape (..., 6, 6)
        Inertias, angular part first [kg m², kg m, kg].

    Returns
    -------
    Array, shape (..., 10)
        Parameters (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) [kg, kg m, kg m²].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> J = kt.lie.inertia.from_mass_com(2.0, np.array([0, 0, 1]), np.eye(3))
    >>> kt.lie.inertia.to_parameters(J) + 0.0
    array([2., 0., 0., 2., 3., 0., 0., 3., 0., 1.])
    """
    return concatenate([J[..., 5, 5:], vee(J[..., :3, 3:]), _triangle(J[..., :3, :3])])


def from_mass_com(mass: Array, com: Array, I_com: Array) -> Array:
    """Inertia of a mass, its centre and the rotational inertia about this; Park et al. (1995) eq. (21).

    Leading axes broadcast.

    Parameters
    ----------
    mass : Array, shape (...)
        Masses [kg].
    com : Array, shape (..., 3)
        Centres of mass in the frame [m].
    I_com : Array, shape (..., 3, 3)
        Rotational inertias about the centres, in the axes of the frame [kg m²].

    Returns
    -------
    Array, shape (..., 6, 6)
        Inertias about the frame's origin.

    Raises
    ------
    InputError
        If `com` or `I_com` has another shape.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.from_mass_com(2.0, [0, 0, 1], np.eye(3))[:3] + 0.0
    array([[ 3.,  0.,  0.,  0., -2.,  0.],
           [ 0.,  3.,  0.,  2.,  0.,  0.],
           [ 0.,  0.,  1.,  0.,  0.,  0.]])
    """
    com, I_com = asarray(com), asarray(I_com)
    if np.shape(com)[-1:] != (3,) or np.shape(I_com)[-2:] != (3, 3):
        shapes = f"got {np.shape(com)} and {np.shape(I_com)}"
        raise InputError(
            f"com must have shape (..., 3) and I_com (..., 3, 3); {shapes}. np.diag makes a matrix of moments"
        )
    m, c = stack([asarray(mass)]), hat(com)
    h = m * com
    I = I_com - m[..., None] * (c @ c)
    entries = [m[..., 0], h[..., 0], h[..., 1], h[..., 2]]
    return from_parameters(stack(entries + [I[..., i, j] for i in range(3) for j in range(i, 3)]))


def to_mass_com(J: Array) -> tuple[Array, Array, Array]:
    """Mass of a body, its centre, and the rotational inertia about this: the inverse of `from_mass_com`.

    Leading axes broadcast.

    Parameters
    ----------
    J : Array, shape (..., 6, 6)
        Inertias, angular part first [kg m², kg m, kg].

    Returns
    -------
    mass : Array, shape (...)
        Masses [kg].
    com : Array, shape (..., 3)
        Centres of mass in the frame [m]; the origin if the body is massless.
    I_com : Array, shape (..., 3, 3)
        Rotational inertias about the centres, in the axes of the frame [kg m²].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> J = kt.lie.inertia.from_mass_com(2.0, np.array([0, 0, 1]), np.diag([3, 4, 5]))
    >>> mass, com, I_com = kt.lie.inertia.to_mass_com(J)
    >>> float(mass), com + 0.0, np.diag(I_com)
    (2.0, array([0., 0., 1.]), array([3., 4., 5.]))
    """
    m, com = mass(J), center_of_mass(J)
    c = hat(com)
    return m, com, symmetric(J[..., :3, :3] + stack([m])[..., None] * (c @ c))


def mass(J: Array) -> Array:
    """Mass of a body.

    Leading axes broadcast.

    Parameters
    ----------
    J : Array, shape (..., 6, 6)
        Inertias, angular part first [kg m², kg m, kg].

    Returns
    -------
    Array, shape (...)
        Masses [kg].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> J = kt.lie.inertia.from_mass_com(2.0, np.array([0, 0, 1]), np.eye(3))
    >>> float(kt.lie.inertia.mass(J))
    2.0
    """
    return J[..., 5, 5]


def center_of_mass(J: Array) -> Array:
    """Centre of mass of a body, in the frame of its inertia.

    Leading axes broadcast.

    Parameters
    ----------
    J : Array, shape (..., 6, 6)
        Inertias, angular part first [kg m², kg m, kg].

    Returns
    -------
    Array, shape (..., 3)
        Positions [m]; the origin if the body is massless.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> J = kt.lie.inertia.from_mass_com(2.0, np.array([0, 0, 1]), np.eye(3))
    >>> kt.lie.inertia.center_of_mass(J) + 0.0
    array([0., 0., 1.])
    """
    return center(vee(J[..., :3, 3:]), J[..., 5, 5:])


def center(h: Array, m: Array) -> Array:
    """Centre of mass h / m of a first moment and a mass.

    Leading axes broadcast.

    Parameters
    ----------
    h : Array, shape (..., 3)
        First moments [kg m].
    m : Array, shape (..., 1)
        Masses [kg].

    Returns
    -------
    Array, shape (..., 3)
        Positions [m]; the origin if there is no mass.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.center(np.array([2, 0, 4]), np.array([2]))
    array([1., 0., 2.])
    """
    heavy = less(0, m * m)
    return where(heavy, h, 0) / where(heavy, m, 1)


def change_frame(X_AB: Array, J_B: Array) -> Array:
    """Inertia in another frame, J_A = Ad_{X⁻¹}ᵀ J_B Ad_{X⁻¹}.

    Holds for every symmetric J, articulated inertias included. Leading axes broadcast.

    Parameters
    ----------
    X_AB : Array, shape (..., 4, 4)
        Poses of frame B in frame A.
    J_B : Array, shape (..., 6, 6)
        Inertias in frame B.

    Returns
    -------
    Array, shape (..., 6, 6)
        Inertias in frame A.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> X = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> J = kt.lie.inertia.from_mass_com(2.0, np.zeros(3), np.zeros((3, 3)))
    >>> kt.lie.inertia.to_parameters(kt.lie.inertia.change_frame(X, J)) + 0.0
    array([2., 2., 0., 0., 0., 0., 0., 2., 0., 2.])
    """
    R, P = rotation(X_AB), hat(translation(X_AB))
    A, B, C = (turned(R, D) for D in (symmetric(J_B[..., :3, :3]), J_B[..., :3, 3:], symmetric(J_B[..., 3:, 3:])))
    C = symmetric(C)
    H = B + P @ C
    Ht = transpose(H)
    return block([[symmetric(A - B @ P + P @ Ht), H], [Ht, C]])


def change_frame_parameters(X_AB: Array, pi_B: Array) -> Array:
    """Ten parameters in another frame: `change_frame` in fewer operations.

    Leading axes broadcast.

    Parameters
    ----------
    X_AB : Array, shape (..., 4, 4)
        Poses of frame B in frame A.
    pi_B : Array, shape (..., 10)
        Parameters in frame B.

    Returns
    -------
    Array, shape (..., 10)
        Parameters in frame A.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> X = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> kt.lie.inertia.change_frame_parameters(X, np.array([2, 0, 0, 0, 0, 0, 0, 0, 0, 0])) + 0.0
    array([2., 2., 0., 0., 0., 0., 0., 2., 0., 2.])
    """
    R, p = rotation(X_AB), translation(X_AB)
    m, h = pi_B[..., 0:1], rotate(R, pi_B[..., 1:4])
    h_A = h + m * p
    I = turned(R, _from_triangle(pi_B[..., 4:])) - hat(p) @ hat(h) - hat(h_A) @ hat(p)
    return concatenate([m + 0 * h[..., 0:1], h_A, _triangle(I)])


def pseudo_inertia(J: Array) -> Array:
    """Pseudo-inertia: the integral of (r, 1) (r, 1)ᵀ over the mass, r from the frame's origin.

    A body is physically possible if and only if this matrix is positive semidefinite (Wensing et al. 2018). Leading
    axes broadcast.

    Parameters
    ----------
    J : Array, shape (..., 6, 6)
        Inertias, angular part first [kg m², kg m, kg].

    Returns
    -------
    Array, shape (..., 4, 4)
        Pseudo-inertias [[Σ, h], [hᵀ, m]].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.pseudo_inertia(kt.lie.inertia.from_mass_com(2.0, np.array([0, 0, 3]), np.zeros((3, 3)))) + 0.0
    array([[ 0.,  0.,  0.,  0.],
           [ 0.,  0.,  0.,  0.],
           [ 0.,  0., 18.,  6.],
           [ 0.,  0.,  6.,  2.]])
    """
    I, h = J[..., :3, :3], vee(J[..., :3, 3:])[..., None]
    return block([[_trace(I) / 2 * _EYE - I, h], [transpose(h), J[..., 5:, 5:]]])


def from_pseudo_inertia(P: Array) -> Array:
    """Inertia of a pseudo-inertia; the inverse of `pseudo_inertia`.

    Leading axes broadcast.

    Parameters
    ----------
    P : Array, shape (..., 4, 4)
        Pseudo-inertias [[Σ, h], [hᵀ, m]].

    Returns
    -------
    Array, shape (..., 6, 6)
        Inertias.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.to_parameters(kt.lie.inertia.from_pseudo_inertia(np.eye(4)))
    array([1., 0., 0., 0., 2., 0., 0., 2., 0., 2.])
    """
    S = P[..., :3, :3]
    return from_parameters(concatenate([P[..., 3, 3:], P[..., :3, 3], _triangle(_trace(S) * _EYE - S)]))


def newton_euler(P: Array, w: Array, dw: Array, a: Array, balanced: Sequence[bool] = (False,) * 3) -> Array:
    """Wrench that moves a body, about its origin, by Newton and Euler's equations.

    The body turns with w and its rate dw, its origin accelerates by a; its point r accelerates by a + U r, where U is
    `so3.second_rate(w, dw)`, so with P = [[Σ, h], [hᵀ, m]]

        f = m a + U h,    n = ∫ r × (a + U r) dm = h × a + vee(U Σ − Σ Uᵀ)

    Leading axes broadcast.

    Parameters
    ----------
    P : Array, shape (..., 4, 4)
        Pseudo-inertias [[Σ, h], [hᵀ, m]].
    w : Array, shape (..., 3)
        Angular velocities in the body's axes [rad/s].
    dw : Array, shape (..., 3)
        Their rates [rad/s²].
    a : Array, shape (..., 3)
        Accelerations of the origin in the body's axes [m/s²].
    balanced : sequence of bool, default (False, False, False)
        For each axis, whether the diagonal entries of Σ along the two others are equal or opposite, as those of a body
        that is symmetric about it: that saves a product.

    Returns
    -------
    Array, shape (..., 6)
        Wrenches, moments first [N m, N].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> P = kt.lie.inertia.pseudo_inertia(kt.lie.inertia.from_mass_com(2.0, np.array([1, 0, 0]), np.zeros((3, 3))))
    >>> kt.lie.inertia.newton_euler(P, np.array([0, 0, 3]), np.zeros(3), np.zeros(3)) + 0.0
    array([  0.,   0.,   0., -18.,   0.,   0.])
    """
    h, m = P[..., :3, 3], P[..., 3:, 3]
    U = second_rate(w, dw)
    xx, xy, xz, yy, yz, zz = (P[..., i, j] for i in range(3) for j in range(i, 3))
    w0, w1, w2 = (w[..., i] * w[..., i] for i in range(3))
    n = stack(
        [
            xy * U[..., 2, 0] - xz * U[..., 1, 0] + _difference(yy, zz, w, dw, U, 0, balanced) + yz * (w2 - w1),
            yz * U[..., 0, 1] - xy * U[..., 2, 1] + _difference(zz, xx, w, dw, U, 1, balanced) + xz * (w0 - w2),
            xz * U[..., 1, 2] - yz * U[..., 0, 2] + _difference(xx, yy, w, dw, U, 2, balanced) + xy * (w1 - w0),
        ]
    )
    return concatenate([n + cross(h, a), m * a + rotate(U, h)])


def _difference(a: Array, b: Array, w: Array, dw: Array, U: Array, k: int, balanced: Sequence[bool]) -> Array:
    """a U_ji - b U_ij = (a - b) w_i w_j + (a + b) dw_k; one term vanishes if |a| = |b|."""
    i, j = (k + 1) % 3, (k + 2) % 3
    if balanced[k]:
        return (a + b) * dw[..., k] + (a - b) * (w[..., i] * w[..., j])
    return a * U[..., j, i] - b * U[..., i, j]


def from_log_cholesky(theta: Array) -> Array:
    """Ten parameters of a physical body, from any ten numbers.

    θ = (α, d1, d2, d3, s12, s23, s13, t1, t2, t3) of Rucker and Wensing (2022): the pseudo-inertia is U Uᵀ with

        U = exp(α) [[exp(d1), s12, s13, t1], [0, exp(d2), s23, t2], [0, 0, exp(d3), t3], [0, 0, 0, 1]]

    so the mass is exp(2α), the centre of mass t, and the body has extent in all directions. Leading axes broadcast.

    Parameters
    ----------
    theta : Array, shape (..., 10)
        Log-Cholesky coordinates.

    Returns
    -------
    Array, shape (..., 10)
        Parameters (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) [kg, kg m, kg m²].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.from_log_cholesky(np.zeros(10))
    array([1., 0., 0., 0., 2., 0., 0., 2., 0., 2.])
    """
    theta = asarray(theta)
    (s12, s23, s13), t = (theta[..., i] for i in (4, 5, 6)), theta[..., 7:10]
    e1, e2, e3 = (exp(theta[..., i]) for i in (1, 2, 3))
    zero, m = 0 * e1, exp(2 * theta[..., 0:1])
    U = matrix([[e1, s12, s13], [zero, e2, s23], [zero, zero, e3]])
    second = U @ transpose(U) + t[..., :, None] * t[..., None, :]
    return concatenate([m, m * t, m * _triangle(_trace(second) * _EYE - second)])


def to_log_cholesky(pi: Array) -> Array:
    """Log-Cholesky coordinates of a body; the inverse of `from_log_cholesky`.

    Leading axes broadcast.

    Parameters
    ----------
    pi : Array, shape (..., 10)
        Parameters of bodies with mass and extent in all directions [kg, kg m, kg m²].

    Returns
    -------
    Array, shape (..., 10)
        Log-Cholesky coordinates.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.to_log_cholesky(np.array([4.0, 0, 0, 4, 12, 0, 0, 12, 0, 8])).round(3) + 0.0
    array([0.693, 0.   , 0.   , 0.   , 0.   , 0.   , 0.   , 0.   , 0.   ,
           1.   ])
    """
    P = pseudo_inertia(from_parameters(pi))
    m = P[..., 3, 3]
    t = P[..., :3, 3] / m[..., None]
    A = P[..., :3, :3] / m[..., None, None] - t[..., :, None] * t[..., None, :]  # second moments about the centre
    e3 = sqrt(A[..., 2, 2])
    s23, s13 = A[..., 1, 2] / e3, A[..., 0, 2] / e3
    e2 = sqrt(A[..., 1, 1] - s23 * s23)
    s12 = (A[..., 0, 1] - s13 * s23) / e2
    e1 = sqrt(A[..., 0, 0] - s12 * s12 - s13 * s13)
    entries = [log(m) / 2, log(e1), log(e2), log(e3), s12, s23, s13]
    return concatenate([stack(entries), t])


def with_extent(J: Array) -> Array:
    """Inertias of bodies with mass and extent in all directions, as `to_log_cholesky` needs them.

    The eigenvalues of the pseudo-inertias are raised to 1e-8 of the largest, at least 1e-12; bodies that are beyond
    that stay as they are, up to rounding. Plain numbers only.

    Parameters
    ----------
    J : ndarray, shape (..., 6, 6)
        Inertias, of massless or thin bodies too.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Inertias whose pseudo-inertia is positive definite.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> J = kt.lie.inertia.from_mass_com(2.0, np.zeros(3), np.zeros((3, 3)))
    >>> float(kt.lie.inertia.with_extent(J)[0, 0].round(12))
    4e-08
    """
    values, vectors = np.linalg.eigh(pseudo_inertia(J))
    least = np.maximum(1e-8 * values.max(axis=-1, keepdims=True), 1e-12)
    P = (vectors * np.maximum(values, least)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return from_pseudo_inertia(P)


def _trace(A: Array) -> Array:
    """The trace, keeping both axes: (..., 3, 3) -> (..., 1, 1)."""
    return A[..., 0:1, 0:1] + A[..., 1:2, 1:2] + A[..., 2:3, 2:3]


def violations(J: Array, tol: float = 1e-9) -> list[str]:
    """Reasons why no physical body has this inertia.

    Parameters
    ----------
    J : array_like, shape (6, 6)
        One inertia.
    tol : float, default 1e-9
        Tolerance relative to the largest entry of I about the origin, from which I at the centre is computed.

    Returns
    -------
    list of str
        The reasons; empty if a body could have it.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.lie.inertia.violations(kt.lie.inertia.from_mass_com(1.0, np.zeros(3), np.diag([1.0, 2.0, 4.0])))
    ['principal moments 1, 2, 4 about the centre of mass break the triangle inequality: 1 + 2 < 4']
    """
    J = np.asarray(J, dtype=float)
    if not np.isfinite(J).all():
        return [f"{np.count_nonzero(~np.isfinite(J))} of its numbers are not finite"]
    found = []
    off = float(abs(J - from_parameters(to_parameters(J))).max())
    if off > tol * abs(J).max():
        found.append(f"not of the form [[I, [h]], [-[h], m 1]] with symmetric I: off by {off:.6g}")
    m, I, c = float(J[5, 5]), J[:3, :3], center_of_mass(J)
    h = float(np.linalg.norm(vee(J[:3, 3:])))
    scale = float(abs(I).max())
    if m < 0:
        found.append(f"mass {m:.6g} is negative")
    if m == 0 and h > 0:
        found.append(f"massless, but with first moment of mass {h:.6g}")
    if m == 0 and scale > 0:
        found.append(f"massless, but with rotational inertia up to {scale:.6g}")
    a, b, d = (float(x) for x in np.linalg.eigvalsh(symmetric(I + m * hat(c) @ hat(c))))
    if a < -tol * scale:
        found.append(f"rotational inertia about the centre of mass has a negative principal moment: {a:.6g}")
    elif a + b - d < -tol * scale:
        moments = f"principal moments {a:.6g}, {b:.6g}, {d:.6g} about the centre of mass"
        found.append(f"{moments} break the triangle inequality: {a:.6g} + {b:.6g} < {d:.6g}")
    return found


__dir__ = _listing(__name__)
