"""Articulated bodies: the mass matrix in invertible factors, the innovations factorisation.

    M = N Ω Nᵀ,  M⁻¹ = N⁻ᵀ Ω⁻¹ N⁻¹,  N = I + SᵀGᵀΠ

Ploen and Park (1999), (40) and Propositions 1 and 2; Rodriguez and Kreutz (1988), (4.4)–(4.16), where Ω is D and N is
I + HΦL: a Kalman filter (inward) and smoother (outward) over the bodies. With joints of several degrees of freedom Ω
is block diagonal. These are passes 2 and 3 of the articulated-body algorithm (ABA), with P, Ω, ν and z for
Featherstone's Iᴬ, D, D⁻¹u and pᴬ; pass 1, the bias of the bodies, is in `forward_dynamics`. Each function is O(n) and
forms no matrix. Velocities that mimic joints share are eliminated in the same sweeps, beside the twists:
`model.elimination`. `mass_root` has products with the factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...lie.inertia import symmetric
from ...linalg import dense
from ...model import EliminationTree, Model, elimination_tree
from ...model.elimination import Placement, TreeBody
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward


class Articulated(NamedTuple):
    """A body with everything beyond its joint free to move."""

    P: Array
    """Articulated inertia (6, 6), in the body's frame."""
    U: Array
    """P S (6, nv)."""
    Omega: Array
    """Sᵀ P S (nv, nv), Rodriguez and Kreutz's D, with the joint's armature."""
    factors: dense.Factors
    """Of Omega."""
    G: Array
    """Gain Ω⁻¹ Sᵀ P (nv, 6): Ploen and Park's Φ; Rodriguez and Kreutz's G is its transpose."""
    P_plus: Array
    """P − P S Ω⁻¹ Sᵀ P: the inertia that acts on the parent through the joint."""
    X: Placement
    S: Array


def articulated_body(body: TreeBody, P_beyond: Array, q: Array) -> tuple[Articulated, Array]:
    """The Riccati recursion, tips → base."""
    X, S = body.placement(q), body.subspace(q)
    P = body.J + P_beyond  # (40); (4.5)
    U = P @ S
    Omega = S.T @ U + body.armature  # (4.6)
    factors = dense.factor(Omega)
    G = dense.solve(factors, U.T)
    P_plus = body.zero_joint_directions(symmetric(P - U @ G))
    return Articulated(P, U, Omega, factors, G, P_plus, X, S), X.change_frame(P_plus)


def articulate(model: Model, q: Array) -> list[Articulated]:
    """All bodies' articulated inertias and gains, in the elimination tree."""
    tree = elimination_tree(model)
    return inward(tree, articulated_body, beyond_tips(tree), tree.split_q(q))


def beyond_tips(tree: EliminationTree) -> Array:
    """The articulated inertia beyond the last bodies: zero, or NaN if M is singular at every configuration."""
    return np.full((tree.width, tree.width), np.nan if tree.model.massless else 0.0)


def innovation(body: TreeBody, z_beyond: Array, at: Articulated, y: Array, f: Array, c: Array) -> tuple[Array, Array]:
    """The filter: ν = Ω⁻¹ ε from a joint's force y, given all beyond it and the wrench f that the body
    needs at v̇ = 0, less those that act on it: Featherstone's p.

    c is the acceleration that the joint adds by itself, to its body and all beyond.
    """
    z = z_beyond + f  # (5.16)
    nu = dense.solve(at.factors, y - at.S.T @ z)  # (4.20); Ploen and Park (63)–(65)
    return nu, at.X.Ad_inv_dual(z + at.U @ nu + at.P_plus @ c)


def articulated_innovation(
    body: TreeBody, beyond: tuple[Array, Array], q: Array, y: Array, f: Array, c: Array
) -> tuple[tuple[Articulated, Array], tuple[Array, Array]]:
    """Articulated inertia and filter of a body at once: less is kept between sweeps."""
    at, P = articulated_body(body, beyond[0], q)
    nu, z = innovation(body, beyond[1], at, y, f, c)
    return (at, nu), (P, z)


def smoother(body: TreeBody, parent: tuple[Array, Array], at: Articulated, nu: Array, c: Array) -> tuple[Array, Array]:
    """The smoother: a body's acceleration λ and its joint's, from the parent's; c is added by the joint itself."""
    carried = at.X.Ad_inv(parent[0]) + c
    x = nu - at.G @ carried  # (4.22); Ploen and Park (67)–(68)
    return carried + at.S @ x, x


def filter_and_smooth(model: Model, q: Array, tau: Array, f: Sequence[Array], c: Sequence[Array], base: Array) -> Array:
    """v̇ (nv,) from joint forces; f and c (6,) of bodies are as in `innovation`, the base's acceleration is (6,)."""
    tree = elimination_tree(model)
    f, c, nothing = tree.with_shared(f), tree.with_shared(c), (beyond_tips(tree), np.zeros(tree.width))
    bodies = inward(tree, articulated_innovation, nothing, tree.split_q(q), tree.split_v(tau), f, c)
    states = outward(tree, smoother, (tree.extended(base), None), [at for at, _ in bodies], [nu for _, nu in bodies], c)
    return tree.gather([x for _, x in states])


@algorithm(keeps_forces=(), returns="(nv,) Accelerations [rad/s², m/s²].")
def solve_mass(model: Model, q: Array, tau: Array) -> Array:
    """Product M⁻¹ τ in O(n), without forming M.

    >>> model = kt.load("planar2r").model
    >>> x = kt.algorithms.solve_mass(model, np.zeros(2), np.ones(2))
    >>> x.round(3)
    array([-2.571,  9.429])
    >>> (kt.algorithms.mass_matrix(model, np.zeros(2)) @ x).round(12)
    array([1., 1.])
    """
    none = [np.zeros(6)] * len(model.bodies)
    return filter_and_smooth(model, q, tau, none, none, np.zeros(6))
