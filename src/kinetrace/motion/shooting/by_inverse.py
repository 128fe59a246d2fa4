"""The step of `riccati` in accelerations: the same policy for fewer operations, where every velocity has a motor.

A step of "semi-implicit" is linear in the acceleration: w = v + h a, q⁺ = q + h w, and joint forces follow from it,
δτ = T_q δq + T_v δv + M δa (`inverse_dynamics_derivatives`). So Q is minimised with respect to δa, one to one with δτ:
the derivatives of forward dynamics, and the products of V⁺ with them, are not needed. With W the Hessian of V⁺ by
(δq, w), p_w its gradient by w and L the Hessian of the cost,

    Q_aa = Mᵀ L_ττ M + h² W_ww        Q_aq = Mᵀ (L_ττ T_q + L_τq) + h W_wq        Q_av = Mᵀ (L_ττ T_v + L_τv) + h W_ww

and K_τ = (T_q, T_v) + M K_a. The second derivatives of the dynamics are those of −(h M⁻¹ p_w)ᵀ τ(q, v, a).
"""

from __future__ import annotations

import numpy as np

from ...algorithms import inverse_dynamics, inverse_dynamics_derivatives
from ...algorithms.displacement import has_coordinates
from ...arrays import Array, abs, block, concatenate
from ...derivative import hessian
from ...linalg import dense
from ...linalg.box import all_positive
from ...linalg.sparse import is_known_zero, product
from ...model.model import Model
from .riccati import Policy, lower_product


def applies(model: Model) -> bool:
    """Whether every velocity has a motor and is the rate of its own variable, and nothing closes loops."""
    return has_coordinates(model) and not model.closures and len(model.driven) == model.nv


def minimised_by_inverse(
    model: Model,
    state: tuple[Array, Array, Array],
    left: tuple[Array, Array],
    cost: tuple[Array, Array],
    dt: float,
    mu: Array,
    bend: Array | None,
) -> Policy:
    """The policy at a state (q, v, a), with the gradient and the Hessian of V⁺ and of the cost by (q, v, τ)."""
    n, (p, P), (g, L) = model.nv, left, cost
    q, v, a = (slice(k * n, (k + 1) * n) for k in range(3))
    x = slice(0, 2 * n)
    Tq, Tv, M = inverse_dynamics_derivatives(model, *state)
    S, of_M = concatenate([Tq, Tv, M]), dense.factor(M)
    wq = dt * P[q, q] + P[v, q]
    ww = dt * (wq + P[q, v]) + P[v, v]
    pw = dt * p[q] + p[v]
    back = dt * dense.solve(of_M, pw)  # derivative of V⁺ by τ
    RS = dense.product(L[a, a] + mu * np.eye(n), S) if _is_full(L[a, a]) else product(L[a, a] + mu * np.eye(n), S)
    H = lower_product(S.T, RS + concatenate([L[a, x], np.zeros((n, n))]))
    H = H + block([[P[q, q], wq.T, dt * wq.T], [wq, ww, dt * ww], [dt * wq, dt * ww, dt * dt * ww]])
    if bend is not None:
        H = H + bend * hessian(_work, wrt=("q", "v", "a"))(model, *state, -back)
    xx = H[x, x] + L[x, x] + product(L[x, a], S[:, x])
    gx, ga = concatenate([g[q] + p[q], g[v] + pw]) + g[a] @ S[:, x], g[a] @ M + dt * pw
    ax, aa = H[a, x], H[a, a]
    factors = dense.factor(aa)
    found = dense.solve(factors, concatenate([ga[:, None], ax]))
    k, K = -found[:, 0], -found[:, 1:]
    return Policy(
        M @ k,
        S[:, x] + dense.product(M, K),
        gx + k @ ax,
        xx + lower_product(ax.T, K),
        ga @ k,
        dense.largest(abs(g[a] + back)),
        all_positive(factors.D),
        dense.largest(abs(np.diagonal(aa)) / np.diagonal(M) ** 2),
    )


def _is_full(R: Array) -> bool:
    """Whether a matrix has entries off its diagonal."""
    n = len(R)
    return any(not is_known_zero(R[i, j]) for i in range(n) for j in range(n) if i != j)


def _work(model: Model, q: Array, v: Array, a: Array, weight: Array) -> Array:
    return weight @ inverse_dynamics(model, q, v, a)
