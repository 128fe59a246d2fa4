"""Rows of closures as columns of a filter: N⁻¹ Kᵀ by one sweep over the tree, without K.

A closure that transmits λ = 1 in one row exerts a wrench on each of its two bodies, or forces on coupled joints. The
whitening filter of M = N Ω Nᵀ, Rodriguez and Kreutz (4.15), takes all of these at once: a column is zero until the
sweep reaches one of the bodies.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, concatenate
from ..lie import Ad_inv_dual
from ..linalg import dense
from ..model import WORLD, Model, elimination_tree
from ..model.elimination import TreeBody
from .closure_paths import Drive, between
from .factorisation import Articulated
from .sweep import inward

Pair = tuple[Array, Array]


def closure_innovation(body: TreeBody, z_beyond: Array, at: Articulated, y: Array, f: Array) -> tuple[Pair, Array]:
    """N⁻¹ y (nv_i, k) of a joint, and Ω⁻¹ of it; for the parent, the wrenches z (k, 6)."""
    z = z_beyond + f
    e = y - at.S.T @ z.T  # (4.15)
    weighed = dense.solve(at.factors, e)
    return (e, weighed), at.X.Ad_inv_dual(z + (at.U @ weighed).T)


def unit_wrenches(model: Model, q: Array, drive: Drive) -> list[Array]:
    """For every body, the wrenches (rows, 6) on it, in its frame, if each row transmits one unit."""
    total = [np.zeros((model.closure_rows, 6)) for _ in model.bodies]
    for at, rows in zip(between(model, q, drive), model.closure_slices.values(), strict=True):
        own, N = np.eye(model.closure_rows)[:, rows], at.closure.constraint.rows(at.X)
        for frame, X_iB, sign in ((at.closure.a, at.X_aB, -1.0), (at.closure.b, at.closure.b.X_bf, 1.0)):
            if frame.body != WORLD:
                total[frame.body] = total[frame.body] + sign * (own @ Ad_inv_dual(X_iB, N))
    return total


def coupled_forces(model: Model) -> list[Array]:
    """For every body, the forces (nv_i, rows) on its joint, if each row transmits one unit."""
    total = [np.zeros((body.joint.nv, model.closure_rows)) for body in model.bodies]
    for closure, rows in zip(model.closures, model.closure_slices.values(), strict=True):
        for term in closure.terms:
            total[term.body] = total[term.body] + term.factors.T @ np.eye(model.closure_rows)[rows]
    return total


def filtered_columns(
    model: Model, q: Array, links: list[Articulated], forces: Array, chosen: Array, drive: Drive
) -> Pair:
    """N⁻¹ (Kᵀ, y) (nv, count + 1) and Ω⁻¹ of it, of the rows chosen (count, rows), and for joint forces y (nv,)."""
    tree, y = elimination_tree(model), model.gather(coupled_forces(model)) @ chosen.T
    wrenches = [concatenate([-(chosen @ F), np.zeros((1, 6))], axis=0) for F in unit_wrenches(model, q, drive)]
    columns = tree.split_v(concatenate([y, forces[:, None]]))
    nothing = np.zeros((len(chosen) + 1, tree.width))
    found = inward(tree, closure_innovation, nothing, links, columns, tree.with_shared(wrenches))
    Z, weighed = (tree.gather([x[k] for x in found]) for k in range(2))
    return Z, weighed
