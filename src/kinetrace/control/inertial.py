"""Inertial parameters as a space with a metric: how far bodies are from each other, whatever the units.

    P = Σ_k π_k E_k                                 the pseudo-inertia (4, 4) of a body, π its ten parameters
    D(P ‖ P̂) = log (det P̂ / det P) + tr P̂⁻¹ P − 4      Bregman's divergence of −log det
    ½ tr (P⁻¹ dP)²                                  its second-order part: the natural metric

Lee, Kwon and Park (2018). A covector c, such as the derivative of a power by π, is the symmetric matrix S with
tr (S E_k) = c_k; its gradient in the metric is P S P.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, log, maximum, sqrt, stack
from ..lie import inertia
from ..linalg import det, inv
from ..robot import Robot
from .controller import Float

BASIS = inertia.pseudo_inertia(inertia.from_parameters(np.eye(10)))
"""E_k (10, 4, 4)."""
DUAL = np.tensordot(np.linalg.inv(np.einsum("iab,jab->ij", BASIS, BASIS)), BASIS, 1)
"""Symmetric matrices (10, 4, 4) with tr (DUAL_j E_k) = δ_jk."""
LONGEST = 0.25
"""Length of a step of a body, in the metric, that is not exceeded."""
TINY = 1e-24
MULTIPLE = 4.0
"""Largest mass, and second moments, of an estimated body, in those of all bodies of the robot together."""
SHARE = 0.1
"""Share of a body of the robot's mean size that is added to each where the metric is taken."""


def combined(c: Array, matrices: Float) -> Array:
    """Σ_k c_k matrices_k."""
    return stack([stack([c @ matrices[:, i, j] for j in range(4)]) for i in range(4)], axis=0)


def parameters_of(P: Array) -> Array:
    """π (10,) of a pseudo-inertia."""
    return inertia.to_parameters(inertia.from_pseudo_inertia(P))


def natural_gain(robot: Robot) -> Float:
    """Inverse (10 nb, 10 nb) of the natural metric at the robot's own bodies, each a little enlarged."""
    P = inertia.pseudo_inertia(inertia.from_parameters(robot.parameters("inertial")))
    mass = max(float(P[:, 3, 3].mean()), 1e-9)
    size = max(float(np.trace(P[:, :3, :3], axis1=1, axis2=2).mean()) / mass, 1e-6)
    P = P + SHARE * mass * np.diag([size / 3, size / 3, size / 3, 1.0])
    whole = np.zeros((10 * len(P), 10 * len(P)))
    for k, body in enumerate(P):
        columns = [parameters_of(body @ S @ body) for S in DUAL]
        whole[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = np.stack(columns, axis=1)
    return whole


def strict_bodies(robot: Robot) -> Float:
    """The robot's bodies (nb, 10), with eigenvalues of the pseudo-inertias raised above zero."""
    values, vectors = np.linalg.eigh(inertia.pseudo_inertia(inertia.from_parameters(robot.parameters("inertial"))))
    values = np.maximum(values, np.maximum(1e-6 * values.max(axis=-1, keepdims=True), 1e-12))
    P = (vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return np.asarray(inertia.to_parameters(inertia.from_pseudo_inertia(P)))


def largest_body(robot: Robot) -> Float:
    """Largest diagonal (4,) of the pseudo-inertia of a body: a multiple of all bodies of the robot together."""
    P = inertia.pseudo_inertia(inertia.from_parameters(robot.parameters("inertial")))
    second = max(float(np.trace(P[:, :3, :3], axis1=1, axis2=2).sum()), 1e-9)
    return MULTIPLE * np.array([second, second, second, max(float(P[:, 3, 3].sum()), 1e-9)])


def natural_step(pi: Array, c: Array, size: Array, largest: Float) -> Array:
    """Bodies (nb, 10) after a step of Ṗ = P S P over the time `size`, with S of the covectors c (nb, 10).

    With X = ½ size S P this is P (1 + X + ½X²)², which is positive definite for every size and equal to the exponential
    to the second order. Steps are shortened to less than `LONGEST`, and bodies kept within `largest` (4,).
    """
    return stack([_stepped(body, row, size, largest) for body, row in zip(pi, c, strict=True)], axis=0)


def _stepped(pi: Array, c: Array, size: Array, largest: Float) -> Array:
    P = combined(pi, BASIS)
    A = combined(c, DUAL) @ P
    X = (0.5 * size) / (1.0 + size / LONGEST * sqrt((A * A.T).sum() + TINY)) * A
    root = np.eye(4) + X + 0.5 * (X @ X)
    P = P @ root @ root
    for k, most in enumerate(largest):
        P = _within(P, k, most)
    return parameters_of(P)


def _within(P: Array, k: int, most: float) -> Array:
    """The nearest body, in Bregman's divergence D(· ‖ P), whose entry P_kk is at most so large.

    P⁻¹ + λ e_k e_kᵀ is its inverse. By Pythagoras' theorem of divergences it is nearer to all bodies within the bound
    than P is, so that V does not rise.
    """
    now = maximum(P[k, k], most)
    return P - ((now - most) / (now * now)) * (P[:, k, None] * P[k, None, :])


def gradient_products(pi: Array, covectors: Sequence[Array]) -> Array:
    """Σ tr (S_i P S_j P) over the bodies pi (nb, 10): the products (n, n) of n covectors (nb, 10)."""
    n = len(covectors)
    P = [combined(body, BASIS) for body in pi]
    A = [[combined(row, DUAL) @ body for row, body in zip(c, P, strict=True)] for c in covectors]
    rows = [[sum((a * b.T).sum() for a, b in zip(A[i], A[j], strict=True)) for j in range(i + 1)] for i in range(n)]
    return stack([stack([rows[max(i, j)][min(i, j)] for j in range(n)]) for i in range(n)], axis=0)


def divergence(pi: Array, estimate: Array) -> Array:
    """Σ D(P ‖ P̂) of bodies (nb, 10)."""
    total = np.zeros(())
    for body, other in zip(pi, estimate, strict=True):
        A = inv(combined(other, BASIS)) @ combined(body, BASIS)
        total = total + (A[0, 0] + A[1, 1] + A[2, 2] + A[3, 3]) - log(det(A)) - 4.0
    return total
