"""Derivatives of the forces of motors in closed chains, of least norm.

τ is the solution of min ½ τᵀ W τ under B τ + Kᵀ λ = h, with multipliers μ = G y of that condition:

    W τ = Bᵀ μ,   K μ = 0,   B τ + Kᵀ λ = h

so that a small change gives, with ∂h that of inverse dynamics under the closures' wrenches, see `closed_derivatives`,

    δμ = G δy + H,   K H = −∂(K μ),   (Gᵀ B W⁻¹ Bᵀ G) δy = Gᵀ (∂h − B W⁻¹ Bᵀ H),   δτ = W⁻¹ Bᵀ δμ
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..linalg import dense
from ..linalg.sparse import product
from ..model.model import Model
from .closed_derivatives import asked_along, forces_along
from .closed_dynamics import least_solution, raised
from .closure_paths import between
from .closure_selection import selection
from .closures import closure_jacobian
from .declaration import algorithm
from .external_inputs import ExternalInputs
from .inverse_dynamics import inverse_dynamics
from .mass_matrix import mass_matrix
from .motors import motor_forces
from .reduced import dependent_solve, embedding, velocities


@algorithm(about_closures=True)
def motor_forces_derivatives(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    *,
    tau_weight: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
) -> tuple[Array, Array, Array]:
    """Derivatives of `motor_forces` of least norm by q, v and a; rows are those of τ.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    v : Array, shape (nv,)
        Velocity [rad/s, m/s].
    a : Array, shape (nv,)
        Acceleration, the rate of v [rad/s², m/s²].
    tau_weight : Array, shape (nv,), optional
        Weights of the squared joint forces; ones unless given.
    wrench : mapping of str to Array, shape (6,), optional
        Wrenches [N m, N] of the environment by frame name, each in the axes of its frame and about its origin.

    Returns
    -------
    dtau_dq : Array, shape (nv, nv)
        ∂τ/∂q, along q ⊕ ε.
    dtau_dv : Array, shape (nv, nv)
        ∂τ/∂v.
    dtau_da : Array, shape (nv, nv)
        ∂τ/∂a.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> four_bar, z = kt.load("four_bar").with_motors("crank"), np.zeros(3)
    >>> dtau_dq, _, dtau_da = kt.algorithms.motor_forces_derivatives(four_bar.model, four_bar.assemble(), z, z)
    >>> dtau_dq.round(3)
    array([[-0.645,  0.194, -1.68 ],
           [ 0.   ,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ]])
    """
    _, force = motor_forces(model, q, v, a, tau_weight=tau_weight, wrench=wrench)
    K, of, at = closure_jacobian(model, q), velocities(model), between(model, q)
    chosen = selection(model, K)
    K = chosen @ K
    G, given = embedding(model, of, K), ExternalInputs(None, None, wrench)
    dq, dv = forces_along(model, at, q, v, a, given, force)
    pick = np.eye(model.nv) * np.isin(np.arange(model.nv), model.driven)
    ease = pick if tau_weight is None else pick * (1.0 / tau_weight)
    S = product(product(G.T, ease), G)
    h = dq, dv, mass_matrix(model, q)
    mu = G @ least_solution(S, G.T @ inverse_dynamics(model, q, v, a, wrench=wrench))
    H = dependent_solve(model, of, K, -(chosen @ asked_along(model, at, q, mu, np.zeros(model.nv))[2]))
    factors = raised(S)
    given_by_q = product(ease, H)
    by_q, by_v, by_a = (
        product(ease, product(G, dense.solve(factors, product(G.T, x)))) for x in (h[0] - given_by_q, *h[1:])
    )
    return by_q + given_by_q, by_v, by_a
