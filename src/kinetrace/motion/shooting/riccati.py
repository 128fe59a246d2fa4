"""One Newton step of optimal control: the backward sweep of differential dynamic programming, in plain array code.

With x = (δq, δv), δq along q ⊕ δq, u the forces of the motors and V a quadratic model of the cost that is left,

    x⁺ = A x + B u + gap,       Q(x, u) = cost(x, u) + V⁺(x⁺),       V(x) = min_u Q(x, u)

from the last state to the first. The minimiser is u = k + K x. `gap` is what a step of the present motion misses its
next state by (multiple shooting). Within bounds, k is the minimiser of a quadratic program, and forces that it holds at
a bound have no feedback (Tassa, Mansard and Todorov 2014). μ |u|²/2 is added to the cost, which limits steps.

    iLQR    the dynamics are linear:  Q has the second derivatives of the cost only
    DDP     and (∂²/∂(x, u)²) pᵀ f is added, with p = ∂V⁺ at the next state

Where every velocity has a motor and nothing but forces acts, the same policy takes fewer operations in accelerations. A
step of "semi-implicit" is linear in the acceleration: w = v + h a, q⁺ = q + h w, and joint forces follow from it,
δτ = T_q δq + T_v δv + M δa (`inverse_dynamics_derivatives`). So Q is minimised with respect to δa, one to one with δτ:
the derivatives of forward dynamics, and the products of V⁺ with them, are not needed. With W the Hessian of V⁺ by
(δq, w), p_w its gradient by w and L the Hessian of the cost,

    Q_aa = Mᵀ L_ττ M + h² W_ww        Q_aq = Mᵀ (L_ττ T_q + L_τq) + h W_wq        Q_av = Mᵀ (L_ττ T_v + L_τv) + h W_ww

and K_τ = (T_q, T_v) + M K_a. The second derivatives of the dynamics are those of −(h M⁻¹ p_w)ᵀ τ(q, v, a).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...algorithms import (
    forward_dynamics_derivatives,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    linearise_step,
    step,
)
from ...algorithms.constraints.joint_rows import has_solved_effects
from ...algorithms.derivatives.tangent_space import in_tangent
from ...algorithms.kinematics.displacement import has_coordinates
from ...arrays import Array, abs, block, concatenate
from ...engine.derivative import hessian, jacobian
from ...linalg import dense
from ...linalg.box import all_positive, stationary_point
from ...linalg.sparse import is_known_zero, product
from ...model.model import Model


class Quadratic(NamedTuple):
    """A quadratic function of (x, u): its gradient and its Hessian, of which the lower triangles are valid."""

    gx: Array
    gu: Array
    xx: Array
    ux: Array
    uu: Array


class Policy(NamedTuple):
    """The minimiser u = k + K x, what is left as a function of x, and what was found on the way."""

    k: Array
    K: Array
    g: Array
    H: Array
    """Its lower triangle is valid."""
    slope: Array
    """gᵤᵀ k: the derivative of the cost along the step, for this step in time."""
    gradient: Array
    """Largest entry of gᵤ, of forces that are not held at a bound."""
    solved: Array
    """1 if the Hessian is positive definite along the free forces, else 0."""
    stiffness: Array
    """Largest entry of the diagonal of the Hessian by forces, or about that."""


def minimised(f: Quadratic, mu: Array, bounds: tuple[Array, Array] | None) -> Policy:
    """The minimiser of f + μ |u|²/2 with respect to u."""
    n = len(f.gu)
    H = f.uu + mu * np.eye(n)
    if bounds is None:
        factors, free = dense.factor(H), np.ones(n)
        found = dense.solve(factors, concatenate([f.gu[:, None], f.ux]))
        k, K = -found[:, 0], -found[:, 1:]
        solved = all_positive(factors.D)
    else:
        found = stationary_point(H, f.gu, *bounds)
        k, free, solved = found.x, found.free, found.is_stationary * found.is_definite
        held = dense.symmetric(H) * free[:, None] * free[None, :] + np.eye(n) * (1.0 - free)
        K = -dense.solve(dense.factor(held, semidefinite=True), free[:, None] * f.ux)
    left = f.xx + lower_product(f.ux.T, K)
    gradient = dense.largest(abs(f.gu) * free)
    return Policy(k, K, f.gx + k @ f.ux, left, f.gu @ k, gradient, solved, dense.largest(abs(np.diagonal(f.uu))))


def pulled_back(model: Model, q: Array, v: Array, tau: Array, p: Array, P: Array, dt: float, how: Any) -> Array:
    """Gradient and Hessian (3 nv,), (3 nv, 3 nv) by (δq, δv, δτ) of pᵀ x⁺ + ½ x⁺ᵀ P x⁺."""
    if how.method == "semi-implicit" and how.stabilisation is None and follows_velocity(model):
        return _after_velocity(model, q, v, tau, p, P, dt)
    A, B = linearise_step(model, q, v, tau, dt, **how.keywords)
    F = concatenate([A, B])
    return p @ F, lower_product(F.T, dense.product(P, F))


def moves_by_forces(model: Model) -> bool:
    """Whether nothing but forces acts in a "semi-implicit" step: no loops, dry friction or hard stops."""
    return not (model.closures or has_solved_effects(model))


def follows_velocity(model: Model) -> bool:
    """Whether such a step is a function of the next velocity: no axes turn."""
    return moves_by_forces(model) and not any(body.joint.axes_turn for body in model.bodies)


def _after_velocity(model: Model, q: Array, v: Array, tau: Array, p: Array, P: Array, dt: float) -> tuple[Array, Array]:
    """The same where x⁺ follows from the next velocity w: δq⁺ = E δq + F w, w = Cq δq + Cv δv + Cτ δτ."""
    n = model.nv
    a_q, a_v, a_tau = forward_dynamics_derivatives(model, q, v, tau)
    E, F = _moved_derivatives(model, q, v, tau, dt)
    Pqq, Pqv, Pvv = P[:n, :n], P[:n, n:], P[n:, n:]
    FP = product(F.T, Pqq)
    qq, wq = product(product(E.T, Pqq), E), product(FP + Pqv.T, E)
    FPv = product(F.T, Pqv)
    ww = product(FP, F) + FPv + FPv.T + Pvv
    C = concatenate([dt * a_q, np.eye(n) + dt * a_v, dt * a_tau])
    G = dense.product(ww, C)
    G = concatenate([G[:, :n] + wq, G[:, n:]])
    H = lower_product(C.T, G)
    top = H[:n, :n] + qq + lower_product(wq.T, C[:, :n])
    H = concatenate([concatenate([top, H[:n, n:]]), H[n:]], axis=0)
    pq, pw = product(p[None, :n], E)[0], product(p[None, :n], F)[0] + p[n:]
    g = pw @ C
    return concatenate([g[:n] + pq, g[n:]]), H


def _moved_derivatives(model: Model, q: Array, v: Array, tau: Array, dt: float) -> tuple[Array, Array]:
    """E and F: the derivatives of q ⊕ dt w by q and w, along their manifold; w is the next velocity."""
    n = model.nv
    if has_coordinates(model):
        return np.eye(n), dt * np.eye(n)
    _, w = step(model, q, v, tau, dt)
    by_q, by_w = jacobian(Model.integrate, wrt=("q", "v"))(model, q, dt * w)
    after = model.integrate(q, dt * w)
    return in_tangent(model, after, by_q), dt * in_tangent(model, after, by_w)


def curvature(model: Model, q: Array, v: Array, tau: Array, p: Array, dt: float, how: Any) -> Array:
    """(3 nv, 3 nv): second derivatives of pᵀ (x⁺ ⊖ its value here) by (δq, δv, δτ).

    Of closed chains it is that of the step before the projection, an approximation that affects convergence alone.
    """
    given = {**how.keywords, "project": False}
    after = step(model, q, v, tau, dt, **given)[0]

    def left(model: Model, q: Array, v: Array, tau: Array, p: Array, after: Array) -> Array:
        q, v = step(model, q, v, tau, dt, **given)
        return p[: model.nv] @ model.difference(after, q) + p[model.nv :] @ v

    return hessian(left, wrt=("q", "v", "tau"))(model, q, v, tau, p, after)


def lower_product(A: Array, B: Array) -> Array:
    """A B (n, k), known to be symmetric in its first columns: entries above the diagonal are copies.

    >>> lower_product(np.array([[1.0, 2.0]]).T, np.array([[1.0, 2.0]])).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    if np.dtype(object) not in (A.dtype, B.dtype):
        return A @ B
    n, rows = len(A), dense.PRODUCT_TILE[0]
    parts = [dense.product(A[i : i + rows], B[:, : min(i + rows, n)]) for i in range(0, n, rows)]
    found = np.full((n, n), 0.0, dtype=object)
    for i, part in zip(range(0, n, rows), parts, strict=True):
        found[i : i + len(part), : part.shape[1]] = part
    return dense.symmetric(found)


def triangle(H: Array) -> Array:
    """The lower triangle as a row."""
    return H[np.tril_indices(H.shape[0])]


def from_triangle(row: Array, n: int) -> Array:
    """The symmetric matrix (n, n) of a row."""
    at = np.zeros((n, n), dtype=int)
    at[np.tril_indices(n)] = np.arange(len(row))
    return row[np.maximum(at, at.T)]


def has_acceleration_form(model: Model) -> bool:
    """Whether every velocity has a motor and is the rate of its own variable, and nothing but forces acts."""
    return has_coordinates(model) and moves_by_forces(model) and len(model.driven) == model.nv


def minimised_by_acceleration(
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
        k=M @ k,
        K=S[:, x] + dense.product(M, K),
        g=gx + k @ ax,
        H=xx + lower_product(ax.T, K),
        slope=ga @ k,
        gradient=dense.largest(abs(g[a] + back)),
        solved=all_positive(factors.D),
        stiffness=dense.largest(abs(np.diagonal(aa)) / np.diagonal(M) ** 2),
    )


def _is_full(R: Array) -> bool:
    """Whether a matrix has entries off its diagonal."""
    n = len(R)
    return any(not is_known_zero(R[i, j]) for i in range(n) for j in range(n) if i != j)


def _work(model: Model, q: Array, v: Array, a: Array, weight: Array) -> Array:
    return weight @ inverse_dynamics(model, q, v, a)
