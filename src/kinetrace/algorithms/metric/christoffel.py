"""The derivative of the mass matrix, and the Christoffel symbols of the metric that it is.

For the particles m at x that the robot is made of, and in coordinates whose rates are v,

    M_jk = Σ m ∂_j x · ∂_k x        Γ_ijk = Σ m ∂_i ∂_j x · ∂_k x        ∂_i M_jk = Γ_ijk + Γ_ikj

with Park, Bobrow and Ploen's order of indices (1995) (52): Σ_ij Γ_ijk v_i v_j is the k-th Coriolis force. A joint i
before joint c turns what c moves, ∂_i ∂_c x = ω_i × ∂_c x, which is their Proposition 1 (53). So a joint c has one
vector for each joint k at or before it,

    Λ_ck = Σ m ∂_c x × ∂_k x = Kᵀ ω_k + p × v_k        (ω_k, v_k) = s_k, the screw of joint k
    p = m v_c + ω_c × h,   K = [(½ tr I) ω_c − I ω_c] − I [ω_c] − [h] [v_c]        I, h, m of all that c carries

and all symbols whose deepest joint is c are W_c(k, i) = ω_i · Λ_ck, where (55)–(57) have sums of brackets: for i, k at
or before c

    Γ_cik = Γ_ick = W_c(k, i)        Γ_ikc = Γ_kic = −W_c(k, i) for i at or before k

while they vanish unless i, j, k lie on one path from the base. In a joint with several degrees of freedom, S may depend
on q, and v be no rate of coordinates (quaternions). Then Γ_ijk = <∇_{E_i} E_j, E_k> for the fields E_i of unit v_i: a
pair i, j of one joint has in addition <∂_i S_j + [S_i, S_j], s_k> for k at or before it, <∂_i S_j, s_k> for k beyond
it, and Γ_ijk − Γ_jik = <[E_i, E_j], E_k>. It is `coriolis_matrix(form="christoffel")`: C_kj = Σ_i Γ_ijk v_i.

Six-vectors of a body are in its own frame, angular part first. The cost is O(depth²) per joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate, stack, where
from ...engine.derivative import jacobian
from ...errors import lookup
from ...lie import Pose, ad
from ...lie.inertia import from_parameters, to_parameters
from ...lie.so3 import cross, hat
from ...linalg import dense
from ...linalg.sparse import product
from ...model import Body, Model
from ..dynamics.mass_matrix import mass_factors
from ..registry.choices import ChristoffelKind
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward


class PathScrews(NamedTuple):
    """The screws of all joints at or before a body, in its frame."""

    X: Pose
    """X_pi."""
    S: Array
    """(k, 6) of its own joint."""
    T: Array
    """(N, 6) of all joints of the robot, zero unless at or before this."""


def path_screws(body: Body, parent: PathScrews, q: Array, own: Array) -> PathScrews:
    """A body's screws from its parent's; `own` (k, N) selects those of its joint."""
    X, S = body.placement(q), body.subspace(q).T
    return PathScrews(X, S, X.Ad_inv(parent.T) + own.T @ S)


def christoffel_products(pi: Array, s: Array, T: Array) -> Array:
    """Λ (N, 3) of a screw and each of T, for the body with these ten parameters."""
    m, h, I = pi[0], pi[1:4], from_parameters(pi)[:3, :3]
    w, v = s[:3], s[3:]
    K = hat((I[0, 0] + I[1, 1] + I[2, 2]) / 2 * w - I @ w) - I @ hat(w) - hat(h) @ hat(v)
    return T[:, :3] @ K + cross(m * v + cross(w, h), T[:, 3:])


def connection(
    body: Body, beyond: tuple[Array, Array], at: PathScrews, q: Array, own: Array
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """W_c (k, N, N) of a joint, and the additional terms (k, k, N) of its own pairs.

    Carried inward: the inertia of all bodies beyond, as ten parameters, and the momenta (N, 6) of their joints' screws.
    """
    X, S, T = at
    pi = to_parameters(body.J) + beyond[0]
    J, e = from_parameters(pi), np.eye(len(S))
    W = [product(christoffel_products(pi, s, T), T[:, :3].T) for s in S]
    P = beyond[1] + own.T @ (S @ J)
    before = (T - own.T @ S) @ J
    pairs = [
        body.subspace_rate(q, e_i).T @ (P + before).T + ad(s_i, S) @ (T @ J).T for e_i, s_i in zip(e, S, strict=True)
    ]
    own_terms = (stack(W, axis=0), stack(pairs, axis=0))
    return own_terms, (X.change_frame_parameters(pi), X.Ad_inv_dual(P))


def _symbols(model: Model, q: Array) -> Array:
    """Γ (nv, nv, nv), of the first kind."""
    if not model.bodies:
        return np.zeros((0, 0, 0))
    sizes = [body.joint.nv for body in model.bodies]
    ends, qs = np.cumsum([0, *sizes]), model.split_q(q)
    N = int(ends[-1])
    own = [np.eye(N)[a:b] for a, b in pairwise(ends)]
    paths = outward(model, path_screws, PathScrews(Pose(), None, np.zeros((N, 6))), qs, own)
    joints = inward(model, connection, (np.zeros(10), np.zeros((N, 6))), paths, qs, own)
    W = concatenate([w for w, _ in joints], axis=0)
    extra = own_pairs([pairs for _, pairs in joints])
    i, j, k = np.ix_(
        *[np.repeat(np.arange(len(sizes)), sizes)] * 3
    )  # bodies: on a path, the deeper has the larger number
    deepest_k = -where(j >= i, W.transpose(2, 1, 0), W.transpose(1, 2, 0))
    deepest_j = where((j > i) & (j >= k), W.transpose(2, 0, 1), deepest_k)
    Gamma = where((i >= j) & (i >= k), W.transpose(0, 2, 1), deepest_j) + extra
    for _ in range(3):  # terms of mimic joints are added to those of their sources, index by index
        Gamma = model.gather([Gamma[a:b] for a, b in pairwise(ends)]).transpose(1, 2, 0)
    return Gamma


def own_pairs(pairs: Sequence[Array]) -> Array:
    """Terms of pairs of one joint's velocities, (k, k, m) per joint, as (N, N, m): block-diagonal."""
    N, start, rows = sum(len(block) for block in pairs), 0, []
    for block in pairs:
        k, _, m = block.shape
        rows.append(concatenate([np.zeros((k, start, m)), block, np.zeros((k, N - start - k, m))], axis=1))
        start += k
    return concatenate(rows, axis=0)


def _raised(model: Model, q: Array) -> Array:
    """Γ of the second kind: its last index raised."""
    Gamma, n = _symbols(model, q), model.nv
    if n == 0:
        return Gamma
    M = mass_factors(model, q)
    return dense.solve(M, Gamma.reshape(n * n, n).T).T.reshape(n, n, n)


_CHRISTOFFEL_KINDS = {"1": _symbols, "2": _raised}

INSTEAD_FOR_LOOPS = (
    "configurations in loops are a surface in those of the joints, with a geometry of its own; geodesic stays on it, "
    "reduced_mass_matrix and reduced_coriolis_matrix are its metric and connection, "
    "robot.without_closures(robot.closure_names) is the tree"
)
"""Alternatives for robots with closed loops, for messages."""


@algorithm(instead_for_loops=INSTEAD_FOR_LOOPS, returns="(nv, nv, nv) Γ_ijk or Γ^k_ij at [i, j, k].")
def christoffel(model: Model, q: Array, *, kind: ChristoffelKind = 1) -> Array:
    """Christoffel symbols of the mass matrix, of the first or second kind.

    First kind: [i, j, k] is Γ_ijk, and Σ_ij Γ_ijk v_i v_j the force that keeps v̇_k = 0 without gravity. Second kind:
    [i, j, k] is Γ^k_ij = Σ_h (M⁻¹)_kh Γ_ijh, and v̇_k = −Σ_ij Γ^k_ij v_i v_j is the motion without forces. Both are
    symmetric in i and j except for quaternion joints, where Γ_ijk − Γ_jik = <[E_i, E_j], E_k>.

    >>> Gamma = kt.algorithms.christoffel(kt.load("planar2r").model, np.ones(2))
    >>> Gamma[..., 0].round(3)
    array([[ 0.   , -0.421],
           [-0.421, -0.421]])
    >>> np.einsum("ijk,i,j->k", Gamma, np.ones(2), np.ones(2)).round(3)  # C v
    array([-1.262,  0.421])
    """
    return lookup("kind of Christoffel symbols", str(kind), _CHRISTOFFEL_KINDS)(model, q)


@algorithm(returns="(nv, nv, nv) ∂M: entry [i, j, k] is the derivative of M_ij along q ⊕ ε e_k.")
def mass_matrix_derivative(model: Model, q: Array) -> Array:
    """Derivative of the mass matrix along q ⊕ ε.

    >>> kt.algorithms.mass_matrix_derivative(kt.load("planar2r").model, np.ones(2))[..., 1].round(3)
    array([[-0.841, -0.421],
           [-0.421,  0.   ]])
    """
    Gamma = _symbols(model, q)
    return Gamma.transpose(1, 2, 0) + Gamma.transpose(2, 1, 0)


@algorithm(
    most_nv=24,
    beyond="kt.jvp(kt.algorithms.christoffel) gives one direction, without a limit",
    instead_for_loops=INSTEAD_FOR_LOOPS,
    returns=(
        "(nv, nv, nv, nv) ∂Γ: entry [i, j, k, l] is the derivative of that of `christoffel` at [i, j, k]\n"
        "along q ⊕ ε e_l."
    ),
)
def christoffel_derivative(model: Model, q: Array, *, kind: ChristoffelKind = 1) -> Array:
    """Derivative of the Christoffel symbols along q ⊕ ε.

    >>> kt.algorithms.christoffel_derivative(kt.load("planar2r").model, np.ones(2))[1, 1, 0].round(3)
    array([ 0.  , -0.27])
    """
    return jacobian(christoffel, wrt="q")(model, q, kind=kind)
