"""The curvature of configuration space, with the mass matrix as its metric.

Park, Bobrow and Ploen's (1995) (66), with their order of indices and <·, ·> = M,

    R_ijkl = ∂_k Γ_jli − ∂_l Γ_jki + Σ_r (Γ_ilr Γ^r_jk − Γ_ikr Γ^r_jl) = <R(E_k, E_l) E_j, E_i>

needs derivatives of the Christoffel symbols. There is a way without. The robot's particles live in flat space, in which
its configurations are a surface, as (65) says. Gauss's equation has the curvature in the accelerations normal to it,

    R_ijkl = <II_ik, II_jl> − <II_il, II_jk>        <II_ij, II_kl> = Σ m ẍ_ij · ẍ_kl − Σ_rs Γ_ijr (M⁻¹)_rs Γ_kls

where ẍ_ij = ∂_i ∂_j x. Those of all particles of a body are one matrix, and the body's pseudo-inertia P does the sum:

    ẍ_ij = Z_ij (x, 1),   Z_ij = ŝ_i ŝ_j + (∂_i S_j)^ for i at or before j        Σ m ẍ · ẍ' = tr(Z P Z'ᵀ)

ŝ_i (4, 4) is joint i's screw, and P that of all that the deepest joint carries, in the frame of the tree's first body.
With quaternion joints E_i are the fields of unit v_i, and no brackets of them appear: II is the same in both orders.

A plane of velocities u, v is cheaper: with motions along u and v as sweeps, O(n) and one factorisation of M.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate, less, stack, where
from ...lie import Ad, se3
from ...lie.inertia import change_frame_parameters, from_parameters, pseudo_inertia, symmetric, to_parameters
from ...linalg import dense
from ...model import WORLD, Body, Model
from ..dynamics.coriolis import carried_twist, coriolis_product, motions
from ..dynamics.mass_matrix import mass_factors, mass_matrix
from ..kinematics.forward_kinematics import link_pose
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward
from .christoffel import INSTEAD_FOR_LOOPS, christoffel, own_pairs

PARALLEL = 1e-12
"""The squared sine of the angle of two velocities below which they count as parallel: it is mere rounding."""


class JointInRoot(NamedTuple):
    """A body and its joint, from the tree's first body."""

    X: Array
    S: Array
    """(k, 6)."""
    dS: Array
    """(k, k, 6): [i, j] is ∂_i S_j."""


def joint_in_root(body: Body, parent: JointInRoot, q: Array) -> JointInRoot:
    """A body's pose and screws in the frame of the tree's first body, on whose pose no result depends."""
    X = np.eye(4) if body.parent == WORLD else link_pose(body, parent.X, q)
    rates = [Ad(X, body.subspace_rate(q, e).T) for e in np.eye(body.joint.nv)]
    return JointInRoot(X, Ad(X, body.subspace(q).T), stack(rates, axis=0))


def composite_pseudo_inertia(body: Body, beyond: Array, at: JointInRoot) -> tuple[Array, Array]:
    """The pseudo-inertia (4, 4) of all that a joint carries; its ten parameters for the parent."""
    pi = beyond + change_frame_parameters(at.X, to_parameters(body.J))
    return pseudo_inertia(from_parameters(pi)), pi


def ingredients(model: Model, q: Array) -> tuple[Array, ...]:
    """Screws (N, 6) and their ∂_i S_j (N, N, 6), P (bodies, 4, 4); Γ of the first kind, and M."""
    at = outward(model, joint_in_root, JointInRoot(None, None, None), model.split_q(q))
    P = inward(model, composite_pseudo_inertia, np.zeros(10), at)
    screws, rates = concatenate([a.S for a in at], axis=0), own_pairs([a.dS for a in at])
    return screws, rates, stack(P, axis=0), christoffel(model, q), mass_matrix(model, q)


def gauss(model: Model, screws: Array, rates: Array, P: Array, Gamma: Array, raised: Array) -> Array:
    """R (..., nv, nv, nv, nv) from the `ingredients`, and Γ^k_ij as [i, j, k] for M; with any batch axes."""
    bodies, n = range(len(model.bodies)), model.nv
    owner = np.repeat(bodies, [body.joint.nv for body in model.bodies])
    i, j = np.triu_indices(len(owner))
    s = se3.hat(screws)
    Z = (s[..., i, :, :] @ s[..., j, :, :] + se3.hat(rates[..., i, j, :]))[..., :3, :]
    ZP = Z @ P[..., owner[j], :, :]
    H = Z.reshape(*Z.shape[:-2], 12) @ ZP.reshape(*ZP.shape[:-2], 12).swapaxes(-1, -2)
    before = np.array([[b in model.ancestors(c) for c in bodies] for b in bodies])
    path = before[owner[i], owner[j]]
    carried = before[owner[j][:, None], owner[j]] & path[:, None] & path  # [ij, kl]: all on one path, l the deepest
    H = where(carried, H, where(carried.T, H.swapaxes(-1, -2), np.zeros(carried.shape)))
    N, couplings = len(owner), concatenate(model.split_v(np.eye(n)), axis=0)
    first, last = np.minimum.outer(*[np.arange(N)] * 2), np.maximum.outer(*[np.arange(N)] * 2)
    pair = (first * (2 * N - 1 - first) // 2 + last).reshape(-1)  # the place of ij in the triangle
    H = H[..., pair, :][..., pair].reshape(*H.shape[:-2], N, N, N, N)
    if model.coupled_joints:
        axes = (*range(H.ndim - 4), *(H.ndim - k for k in (1, 4, 3, 2)))
        for _ in range(4):
            H = (H @ couplings).transpose(axes)
    upper = np.triu(np.ones((n, n), dtype=bool))[:, :, None]  # ẍ_ij for i ≤ j: not the same in both orders
    down, up = (where(upper, x, x.swapaxes(-2, -3)).reshape(*x.shape[:-3], n * n, n) for x in (Gamma, raised))
    II = H - symmetric(down @ up.swapaxes(-1, -2)).reshape(H.shape)
    return II.swapaxes(-2, -3) - II.swapaxes(-2, -3).swapaxes(-1, -2)


@algorithm(
    most_nv=12,
    beyond="Robot.riemann does not trace it and has no limit; sectional_curvature is cheap for all robots",
    instead_for_loops=INSTEAD_FOR_LOOPS,
    returns="(nv, nv, nv, nv) R_ijkl at [i, j, k, l].",
)
def riemann(model: Model, q: Array) -> Array:
    """Curvature tensor of the inertia metric, R_ijkl = <R(E_k, E_l) E_j, E_i>; Park et al. (66).

    >>> kt.algorithms.riemann(kt.load("planar2r").model, np.ones(2))[0, 1].round(3)
    array([[ 0.   ,  0.141],
           [-0.141,  0.   ]])
    """
    if not model.bodies:
        return np.zeros((0, 0, 0, 0))
    screws, rates, P, Gamma, M = ingredients(model, q)
    raised = dense.solve(dense.factor(M), Gamma.reshape(-1, model.nv).T).T.reshape(Gamma.shape)
    return gauss(model, screws, rates, P, Gamma, raised)


@algorithm(
    most_nv=12,
    beyond="Robot.ricci does not trace it and has no limit; sectional_curvature is cheap for all robots",
    instead_for_loops=INSTEAD_FOR_LOOPS,
    returns="(nv, nv) Ric_jl at [j, l].",
)
def ricci(model: Model, q: Array) -> Array:
    """Ricci's tensor of the inertia metric, Ric_jl = Σ_ik (M⁻¹)_ik R_ijkl.

    For a unit velocity u, uᵀ Ric u is the sum of the sectional curvatures of u with all directions normal to it.

    >>> kt.algorithms.ricci(kt.load("planar2r").model, np.ones(2)).round(3)
    array([[0.84 , 0.23 ],
           [0.23 , 0.127]])
    """
    n, R = model.nv, riemann(model, q)
    if n == 0:
        return np.zeros((0, 0))
    mixed = dense.solve(mass_factors(model, q), R.reshape(n, n**3)).reshape(R.shape)
    return sum(mixed[k, :, k] for k in range(n))


@algorithm(
    most_nv=12,
    beyond="Robot.scalar_curvature does not trace it and has no limit; sectional_curvature is cheap for all robots",
    instead_for_loops=INSTEAD_FOR_LOOPS,
    returns="() Curvature; of two degrees of freedom twice the Gaussian one.",
)
def scalar_curvature(model: Model, q: Array) -> Array:
    """Scalar curvature of the inertia metric: the trace Σ (M⁻¹)_jl Ric_jl of Ricci's tensor.

    >>> float(kt.algorithms.scalar_curvature(kt.load("planar2r").model, np.ones(2)).round(3))
    0.761
    """
    if model.nv == 0:
        return np.zeros(())
    mixed = dense.solve(mass_factors(model, q), ricci(model, q))
    return sum(mixed[k, k] for k in range(model.nv))


@algorithm(
    instead_for_loops=INSTEAD_FOR_LOOPS,
    arguments={"u": "First velocity [rad/s, m/s].", "v": "Second velocity [rad/s, m/s]."},
    returns="() Curvature, in 1/(kg m²) for angles; NaN if u and v are parallel.",
)
def sectional_curvature(model: Model, q: Array, u: Array, v: Array) -> Array:
    """Sectional curvature of the inertia metric in the plane that two velocities span.

    Two motions without forces, from one configuration along u and along v, separate faster than in flat space where it
    is negative, and more slowly where it is positive.

    >>> model = kt.load("planar2r").model
    >>> u, v = np.eye(2)
    >>> float(kt.algorithms.sectional_curvature(model, np.ones(2), u, v).round(3))
    0.381
    """
    M = mass_matrix(model, q)
    most = (u @ M @ u) * (v @ M @ v)
    area = most - (u @ M @ v) * (u @ M @ v)
    return plane_curvature(model, q, u, v)[0] / where(less(PARALLEL * most, area), area, np.nan)


def plane_curvature(model: Model, q: Array, u: Array, v: Array) -> Array:
    """<R(u, v) v, u>, and (Σ m ẍ_uu²) (Σ m ẍ_vv²), whose root is the scale of its rounding errors: (2,)."""
    planes = ((u, u), (v, v), (u, v))
    uu, vv, uv = (_second_displacement(model, q, a, b) for a, b in planes)
    forces = stack([coriolis_product(model, q, a, b) for a, b in planes])
    inner = forces.T @ dense.solve(mass_factors(model, q), forces)
    products = [_product(model, a, b) for a, b in ((uu, vv), (uv, uv), (uu, uu), (vv, vv))]
    return stack([(products[0] - inner[0, 1]) - (products[1] - inner[2, 2]), products[2] * products[3]])


def _second_displacement(model: Model, q: Array, u: Array, w: Array) -> list[Array]:
    """X⁻¹ ∂_u ∂_w X (3, 4) of every body: the field w, moved along u."""
    (velocities, rates), at_rest = motions(model, q, u), (np.zeros(6), np.zeros(6))
    twists = outward(model, carried_twist, at_rest, velocities, rates, model.split_v(u), model.split_v(w))
    return [(se3.hat(at.V) @ se3.hat(W) + se3.hat(dW))[:3] for at, (W, dW) in zip(velocities, twists, strict=True)]


def _product(model: Model, a: list[Array], b: list[Array]) -> Array:
    """Σ m ẍ_a · ẍ_b."""
    return sum((Z @ pseudo_inertia(body.J) * Y).sum() for body, Z, Y in zip(model.bodies, a, b, strict=True))
