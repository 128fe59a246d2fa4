"""Block matrices over the bodies of a tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ...errors import InputError, ModelError
from ...model import WORLD, Body, Model
from ..sweeps.tree import outward


def at(i: int) -> slice:
    """The six rows of body i.

    >>> at(2)
    slice(12, 18, None)
    """
    return slice(6 * i, 6 * i + 6)


def diagonal(blocks: Sequence[Array]) -> Array:
    """The block-diagonal matrix of these blocks, of any shapes.

    >>> diagonal([np.ones((1, 2)), np.full((1, 1), 2.0)]).tolist()
    [[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    """
    rows, columns = np.cumsum([(0, 0), *(b.shape for b in blocks)], axis=0).T.tolist()
    D = np.zeros((rows[-1], columns[-1]))
    for k, b in enumerate(blocks):
        D[rows[k] : rows[k + 1], columns[k] : columns[k + 1]] = b
    return D


def from_parents(model: Model, carry: Sequence[Array]) -> Array:
    """The matrix (6n, 6n) with carry_i (6, 6) in block (i, parent of i): strictly lower triangular, nilpotent."""
    n = len(model.bodies)
    Gamma = np.zeros((6 * n, 6 * n))
    for body, X in zip(model.bodies, carry, strict=True):
        if body.parent != WORLD:
            Gamma[at(body.index), at(body.parent)] = X
    return Gamma


def from_ancestors(model: Model, carry: Sequence[Array]) -> Array:
    """(I − Γ)⁻¹, Γ = `from_parents`: in block (i, j) the product of the carries from j to i, if j carries i."""
    n = len(model.bodies)

    def row(body: Body, parent: Array, X: Array) -> Array:
        own = np.zeros((6, 6 * n))
        own[:, at(body.index)] = np.eye(6)
        return own + X @ parent

    return np.reshape(outward(model, row, np.zeros((6, 6 * n)), carry), (6 * n, 6 * n))


def across(body: Body, J_hat: Array, S: Array) -> Array:
    """Ĵ − Ĵ S (Sᵀ Ĵ S)⁻¹ Sᵀ Ĵ (6, 6): an articulated inertia across its joint, which moves freely."""
    U = J_hat @ S
    try:
        return J_hat - U @ np.linalg.solve(S.T @ U, U.T)
    except np.linalg.LinAlgError:
        raise ModelError(f"joint {body.joint_name!r} moves no mass: the mass matrix has no inverse") from None


def upper_root(D: Array) -> Array:
    """The upper triangular W (n, n) with positive diagonal and D = W Wᵀ.

    >>> upper_root(np.array([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return np.linalg.cholesky(D[::-1, ::-1])[::-1, ::-1]


def upper_root_rate(W: Array, dD: Array) -> Array:
    """The rate of `upper_root` (n, n) when D = W Wᵀ changes by dD.

    >>> upper_root_rate(np.array([[2.0]]), np.array([[1.0]])).tolist()
    [[0.25]]
    """
    half = np.triu(np.linalg.solve(W, np.linalg.solve(W, dD).T))
    return W @ (half - np.diag(np.diag(half)) / 2)


def coupling(model: Model, bodies: Sequence[Body]) -> Array:
    """The matrix (k, nv) from v to the velocities of all joints of these bodies, in their order, mimic joints included.

    The identity for the model's own bodies if there is no mimic joint.
    """
    parts = model.split_v(np.eye(model.nv))
    return np.concatenate([np.zeros((0, model.nv)), *(parts[body.index] for body in bodies)])


def state(model: Model, q: Array, v: Array | None) -> tuple[Array, Array]:
    """q and v as arrays of float of the right shapes; v is zero if it is None."""
    q, v = np.asarray(q), np.zeros(model.nv) if v is None else np.asarray(v)
    for name, x in (("q", q), ("v", v)):
        if x.dtype.kind not in "biuf":
            raise InputError(f"{name} must be an array of real numbers, got dtype {x.dtype}")
    model.split_q(q)
    if v.shape != (model.nv,):
        raise InputError(f"v must have shape ({model.nv},), got {v.shape}")
    return q.astype(float), v.astype(float)
