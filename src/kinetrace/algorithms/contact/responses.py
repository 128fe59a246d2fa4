"""What impulses along rows K (n, nv) do to the velocities after a step.

    v⁺ = v* + W⁻¹ Kᵀ x,    W v* = W v + p                                                                      (1)

p are the impulses of all that acts but the rows, W is M, and what resists within the step. Without loops W = N D Nᵀ and

    Z = N⁻¹ Kᵀ,    G = Zᵀ D⁻¹ Z,    K v* = K v + Zᵀ D⁻¹ N⁻¹ p,    v⁺ = v + N⁻ᵀ D⁻¹ (N⁻¹ p + Z x)                (2)

Loops that are closed in v stay closed: W⁻¹ is followed by what their own impulses take away. Of many rows G is no
matrix but the velocities of what moves by itself, part by part of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, stack
from ...linalg import dense, sparse
from ...linalg.contact.problem import Compliance, DenseCompliance, SparseCompliance, SparseRow
from ..closed.closure_factors import SelectedRows
from ..dynamics.row_responses import DenseResponses

DENSE_UP_TO_ROWS = 48
"""Rows up to which their compliance is a matrix; beyond, sweeps carry velocities."""


class StepInertia(NamedTuple):
    """A step without rows."""

    W: Array
    """(nv, nv)"""
    v: Array
    """(nv,)"""
    push: Array | None
    """p (nv,); None: v is v*."""
    loops: SelectedRows | None = None
    """Rows of closed loops."""


class RowMotion(NamedTuple):
    """Rows in a step."""

    compliance: Callable[[Sequence[Any]], Compliance]
    """Softness of each row → K W⁻¹ Kᵀ with it on the diagonal."""
    diagonal: Sequence[Any]
    """That of K W⁻¹ Kᵀ."""
    along: Array
    """K v* (n,)."""
    after: Callable[[Array], Array]
    """Impulses (n,) → v⁺ (nv,)."""


def row_motion(of: StepInertia, K: Array) -> RowMotion:
    """What impulses along rows change."""
    if of.loops is not None:
        return _of_loops(of, of.loops, K)
    return _of_tree(of, K) if len(K) <= DENSE_UP_TO_ROWS else _of_parts(of, K)


def _of_tree(of: StepInertia, K: Array) -> RowMotion:
    at = DenseResponses(dense.factor(of.W), K)
    if of.push is None:
        return _by_matrix(at.compliance, K @ of.v, lambda x: of.v + at.smooth(at.D_inv_Z @ x))
    y = dense.unit_solve(at.factors, of.push)
    along = K @ of.v + at.D_inv_Z.T @ y
    return _by_matrix(at.compliance, along, lambda x: of.v + at.smooth(at.over * y + at.D_inv_Z @ x))  # (2)


def _of_loops(of: StepInertia, loops: SelectedRows, K: Array) -> RowMotion:
    factors = loops.factors
    free = dense.solve(factors.mass, K.T)
    Z = free - factors.response(factors.multipliers(loops.K @ free))
    return _by_matrix(K @ Z, K @ of.v, lambda x: of.v + Z @ x)  # (1)


def _by_matrix(G: Array, along: Array, after: Callable[[Array], Array]) -> RowMotion:
    diagonal = [G[k, k] for k in range(len(along))]
    return RowMotion(lambda softness: DenseCompliance(G + np.eye(len(along)) * stack(softness)), diagonal, along, after)


def _of_parts(of: StepInertia, K: Array) -> RowMotion:
    """(2) part by part, of what moves by itself: rows of Z have the zeros of K but on the way to the base."""
    parts = sparse.independent_parts(of.W)
    factors = [dense.factor(of.W[np.ix_(part, part)]) for part in parts]

    def by_parts(solve: Callable[[dense.Factors, Array], Array], x: SparseRow) -> dict[int, Any]:
        found = dict[int, Any]()
        for part, f in zip(parts, factors, strict=True):
            if not x.keys().isdisjoint(part):
                found.update(zip(part, solve(f, stack([x.get(k, 0.0) for k in part])), strict=True))
        return {k: y for k, y in found.items() if not sparse.is_known_zero(y)}

    Z = [by_parts(dense.unit_solve, row) for row in sparse.rows(K)]
    over = by_parts(dense.pivot_solve, dict.fromkeys(range(len(of.v)), 1.0))
    plain = SparseCompliance(Z, [{k: z * over[k] for k, z in row.items()} for row in Z], [0.0] * len(Z), len(of.v))
    pushed = {} if of.push is None else by_parts(dense.unit_solve, dict(enumerate(of.push)))
    free = stack([over[k] * pushed[k] if k in pushed else 0.0 for k in range(len(of.v))])

    def after(x: Array) -> Array:
        change = by_parts(dense.unit_transposed_solve, dict(enumerate(free + plain.carried(x))))
        return of.v + stack([change.get(k, 0.0) for k in range(len(of.v))])

    return RowMotion(
        lambda softness: plain._replace(softness=softness),
        [plain.entry(k, k) for k in range(len(Z))],
        K @ of.v + stack([sum((z * free[k] for k, z in row.items()), start=0.0) for row in Z]),
        after,
    )
