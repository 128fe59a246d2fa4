"""Dynamics as felt at a frame: the operational space.

    compliance        Λ⁻¹ = J M⁻¹ Jᵀ      the acceleration of the frame by a wrench on it
    inertia           Λ                   the wrench for an acceleration of the frame
    inverse           J̄ = M⁻¹ Jᵀ Λ        the generalised inverse of J with the least kinetic energy
    bias              μ = Λ (J M⁻¹ (c + g) − J̇ v)

The compliance needs neither M nor J: with the factors of M (Rodriguez and Kreutz (4.16), Identity 5.1) it is
B ψᵀ Hᵀ D⁻¹ H ψ Bᵀ, one sweep outward,

    Y_i = (I − S_i G_i) Ad_{X⁻¹} Y_p Ad_{X⁻¹}ᵀ (I − S_i G_i)ᵀ + S_i Ω_i⁻¹ S_iᵀ

With closures M⁻¹ is P = G (GᵀMG)⁻¹ Gᵀ, the accelerations that they allow, and the bias has the accelerations −T γ that
they ask for, T as in `closed_derivatives`:

    bias              μ = Λ (J P (c + g) + J T γ − J̇ v)

A frame that cannot move in some direction has a singular compliance, and no inertia: NaN or infinity.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..lie import Pose
from ..linalg import dense
from ..model import WORLD, Model, elimination_tree
from ..model.elimination import Placement, TreeBody
from .closed_derivatives import closed_inverse
from .closure_selection import selection
from .closures import closure_jacobian
from .declaration import algorithm
from .factorisation import Articulated, articulate
from .forward_dynamics import forward_dynamics
from .inverse_dynamics import inverse_dynamics
from .jacobian import jacobian
from .kinematics import acceleration
from .mass_matrix import mass_factors
from .sweep import outward


def mobilised(model: Model, q: Array, forces: Array) -> Array:
    """Accelerations (nv, k) by joint forces (nv, k): M⁻¹ of them, P with closures."""
    if not model.closures:
        return dense.solve(mass_factors(model, q), forces)
    K = closure_jacobian(model, q)
    return closed_inverse(model, q, selection(model, K) @ K)[0] @ forces


def link_compliance(body: TreeBody, Y_p: Array, at: Articulated) -> Array:
    """J_i M⁻¹ J_iᵀ of a body, in its frame, from its parent's."""
    Y = _both_sides(at.X, Y_p)
    free = np.eye(len(Y)) - at.S @ at.G
    return free @ Y @ free.T + at.S @ dense.solve(at.factors, at.S.T)


def _both_sides(X: Placement, Y: Array) -> Array:
    """Ad_{X⁻¹} Y Ad_{X⁻¹}ᵀ."""
    return X.Ad_inv(X.Ad_inv(Y.T).T)


@algorithm()
def operational_compliance(model: Model, q: Array, *, frame: str) -> Array:
    """J M⁻¹ Jᵀ (6, 6) of a frame, in its own axes: its acceleration by a wrench on it; O(n) without closures.

    >>> import numpy as np, kinetrace as kt
    >>> kt.algorithms.operational_compliance(kt.load("panda").model, np.zeros(7), frame="panda_hand").shape
    (6, 6)
    """
    if model.closures:
        J = jacobian(model, q, frame=frame)
        return J @ mobilised(model, q, J.T)
    F, tree = model.frame(frame), elimination_tree(model)
    links = outward(tree, link_compliance, np.zeros((tree.width, tree.width)), articulate(model, q))
    Y = np.zeros((6, 6)) if F.body == WORLD else tree.without_shared(links)[F.body]
    return _both_sides(Pose(F.X_bf), Y)


@algorithm()
def operational_inertia(model: Model, q: Array, *, frame: str) -> Array:
    """Λ = (J M⁻¹ Jᵀ)⁻¹ (6, 6) of a frame, in its own axes.

    >>> import numpy as np, kinetrace as kt
    >>> q = np.linspace(0.1, 0.7, 7)
    >>> kt.algorithms.operational_inertia(kt.load("panda").model, q, frame="panda_hand").shape
    (6, 6)
    """
    return dense.solve(dense.factor(operational_compliance(model, q, frame=frame)), np.eye(6))


@algorithm()
def dynamically_consistent_inverse(model: Model, q: Array, *, frame: str) -> Array:
    """J̄ = M⁻¹ Jᵀ Λ (nv, 6): J J̄ = 1, and torques in the null space of J̄ᵀ do not accelerate the frame.

    >>> import numpy as np, kinetrace as kt
    >>> q = np.linspace(0.1, 0.7, 7)
    >>> kt.algorithms.dynamically_consistent_inverse(kt.load("panda").model, q, frame="panda_hand").shape
    (7, 6)
    """
    J = jacobian(model, q, frame=frame)
    MJ = mobilised(model, q, J.T)
    return dense.solve(dense.factor(J @ MJ), MJ.T).T


@algorithm()
def operational_bias(model: Model, q: Array, v: Array, *, frame: str) -> Array:
    """μ (6,): the wrench on the frame, in it, that keeps it from accelerating while the joints carry no force.

    >>> import numpy as np, kinetrace as kt
    >>> q = np.linspace(0.1, 0.7, 7)
    >>> kt.algorithms.operational_bias(kt.load("panda").model, q, q, frame="panda_hand").shape
    (6,)
    """
    still, J = np.zeros(model.nv), jacobian(model, q, frame=frame)
    MJ = mobilised(model, q, J.T)
    if model.closures:
        push = -acceleration(model, q, v, forward_dynamics(model, q, v, still), frame=frame)
    else:
        push = MJ.T @ inverse_dynamics(model, q, v, still) - acceleration(model, q, v, still, frame=frame)
    return dense.solve(dense.factor(J @ MJ), push)
