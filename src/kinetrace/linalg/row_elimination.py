"""Systems Zᵀ D⁻¹ Z of rows of constraints, eliminated block by block: the cost is that of their graph.

Columns of Z (n, m) are rows of constraints on variables with masses D, diagonal. A block of rows has variables of its
own, and some that it shares with others, like those of an object that many arms hold. Blocks are measurements that a
Kalman filter takes one after the other, of variables with the covariance P = D⁻¹ at the beginning:

    S = Zᵀ P Z = Lᵀ D_S L,    Y = L⁻ᵀ Zᵀ P,    P ← P − Yᵀ D_S⁻¹ Y

for the Z of a stage, one block or a few together. Of P, only what later stages have is needed: of arms that hold one
object the six variables of the object, so that every arm costs the same. That an arm adds a mass to the object, the
inverse of its own compliance, comes to the same; but here pivots are those of Zᵀ D⁻¹ Z as a whole, which are good where
an arm is stretched, and for arms with so few joints that they cannot follow the object.

The order is chosen from the graph, which variables have entries in which rows, so that it costs least; blocks that
share much are taken together, at last all in one, the factorisation of Zᵀ D⁻¹ Z itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, indices, map_rows, stack
from . import dense
from .elimination_order import Places, Stage, elimination_order
from .sparse import is_known_zero

DIAGONAL_INCREASE = 1e-15
"""Increase of the diagonal of a system, relative to itself."""
Entries = dict[int, dict[int, Any]]
"""Of P, those that are not known to be zero, by their places."""


class StageFactors(NamedTuple):
    """What a stage of the elimination leaves."""

    stage: Stage
    Z: Array
    """Its entries (places, rows)."""
    S: dense.Factors
    D_inv_Y: Array
    """D_S⁻¹ Y (rows, shared)."""


RowFactors = list[StageFactors]
"""The factors of Zᵀ D⁻¹ Z, in the order of elimination."""


def regularised_factors(A: Array) -> dense.Factors:
    """The factors of a symmetric A (n, n) ≥ 0, its diagonal increased by DIAGONAL_INCREASE of itself."""
    return dense.factor(A + DIAGONAL_INCREASE * (A * np.eye(len(A))), semidefinite=True)


def factor_rows(Z: Array, over: Array, blocks: Iterable[Sequence[int]]) -> RowFactors:
    """Those of Zᵀ D⁻¹ Z (m, m), of Z (n, m) and D⁻¹ (n,); `blocks` are rows that stay together.

    >>> Z, over = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]), np.array([1.0, 0.5, 2.0])
    >>> solve_rows(factor_rows(Z, over, [[0], [1]]), np.array([7.0, 12.5])).round(9).tolist()
    [1.0, 1.0]
    """
    P, found = Entries(), RowFactors()
    for stage in elimination_order(_patterns(Z), blocks):
        P = {**{i: {i: over[i]} for i in stage.places}, **P}
        at = Z[np.ix_(stage.places, stage.rows)]
        S = regularised_factors(at.T @ (_entries(P, stage.places, stage.places) @ at))
        Y = dense.unit_solve(S, (_entries(P, stage.shared, stage.places) @ at).T)
        found.append(StageFactors(stage, at, S, dense.pivot_solve(S, Y)))
        P = _less(P, stage.shared, dense.symmetric(Y.T @ found[-1].D_inv_Y))
    return found


def _patterns(Z: Array) -> list[Places]:
    """For each column of Z, the rows with entries that are not known to be zero."""
    return [frozenset(i for i, x in enumerate(column) if not is_known_zero(x)) for column in Z.T]


def _entries(P: Entries, rows: Sequence[int], columns: Sequence[int]) -> Array:
    """These of a matrix (rows, columns)."""
    each = [stack([P[i].get(j, 0.0) for j in columns]) for i in rows]
    return stack(each, axis=0) if each and len(columns) else np.zeros((len(rows), len(columns)))


def _less(P: Entries, shared: Sequence[int], change: Array) -> Entries:
    """P less a change (shared, shared)."""
    after = {i: dict(row) for i, row in P.items()}
    for a, i in enumerate(shared):
        for b, j in enumerate(shared):
            after[i][j] = P[i].get(j, 0.0) - change[a, b]
    return after


Values = dict[int, Array]
"""Of variables, by their places: those that are not there are zero."""


def solve_rows(f: RowFactors, b: Array) -> Array:
    """(Zᵀ D⁻¹ Z)⁻¹ b for b (m,) or (m, k)."""
    if b.ndim > 1 and b.dtype == object and b.size > dense.LOOP_FROM_ENTRIES:
        return map_rows(lambda column: solve_rows(f, column), b.T).T
    return solution_and_sum(f, b)[0]


def solution_and_sum(f: RowFactors, b: Array) -> tuple[Array, Values]:
    """A solution λ of b (m,) or (m, k), and Z λ."""
    found, y, x, z = dict[int, Array](), list[Array](), Values(), Values()
    for (rows, places, shared), Z, S, D_inv_Y in f:
        e = dense.unit_solve(S, b[indices(rows)] - _product(Z.T, places, x))
        y.append(dense.pivot_solve(S, e))
        x = _plus(x, shared, D_inv_Y.T, e)
    for ((rows, places, shared), Z, S, D_inv_Y), y_g in zip(reversed(f), reversed(y), strict=True):
        part = dense.unit_transposed_solve(S, y_g - _product(D_inv_Y, shared, z))
        found.update(zip(rows, part, strict=True))
        z = _plus(z, places, Z, part)
    return stack([found[k] for k in range(len(b))], axis=0) if len(b) else b, z


def _product(A: Array, places: Sequence[int], x: Values) -> Array:
    """A x, of the entries of x at these places."""
    known = [k for k, i in enumerate(places) if i in x]
    return A[:, indices(known)] @ stack([x[places[k]] for k in known], axis=0) if known else 0.0


def _plus(x: Values, places: Sequence[int], A: Array, y: Array) -> Values:
    """x with A y added to the entries at these places."""
    more = A @ y if places else ()
    return {**x, **{i: x[i] + more[k] if i in x else more[k] for k, i in enumerate(places)}}
