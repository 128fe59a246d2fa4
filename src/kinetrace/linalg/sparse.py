"""Matrices with many zeros, products and systems: of traced ones, only what is not known to be zero is visited."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Array, reciprocal, stack
from . import dense


def product(A: Array, B: Array) -> Array:
    """A @ B of two matrices of any scalar.

    >>> product(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    if not (isinstance(A, np.ndarray) and isinstance(B, np.ndarray) and (A.dtype == object or B.dtype == object)):
        return A @ B
    rows = [(i, known) for i, row in enumerate(A.astype(object)) if (known := _entries(row))]
    columns = [(j, known) for j, column in enumerate(B.T.astype(object)) if (known := _entries(column))]
    result = np.full((len(A), B.shape[1]), 0.0, dtype=object)
    for i, row in rows:
        for j, column in columns:
            for k, x in row.items():
                if k in column:  # terms are added as they come, as NumPy does
                    result[i, j] += x * column[k]
    return result


def tree_solve(A: Array, b: Array) -> Array:
    """A⁻¹ b for b (n,) or (n, k), eliminated from the last row to the first, which keeps the zeros of a tree.

    No rows are exchanged: this is for matrices near a mass matrix, whose symmetric part is positive definite.

    >>> tree_solve(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 5.0])).tolist()
    [1.0, 1.0]
    """
    n, rows, right = len(b), [list(row) for row in A], list(b)
    for k in reversed(range(n)):
        over = reciprocal(rows[k][k])
        for i in range(k):
            factor = rows[i][k] * over
            rows[i] = [x - factor * y for x, y in zip(rows[i][:k], rows[k], strict=False)]
            right[i] = right[i] - factor * right[k]
    x: list[Any] = []
    for k in range(n):
        known = sum((a * y for a, y in zip(rows[k], x, strict=False)), start=0.0)
        x.append((right[k] - known) * reciprocal(rows[k][k]))
    return stack(x, axis=0) if n else b


def tree_solver(A: Array, symmetric: bool) -> Callable[[Array], Array]:
    """b → A⁻¹ b for matrices of `tree_solve`; symmetric ones are factored once.

    >>> tree_solver(np.array([[2.0, 0.0], [0.0, 4.0]]), symmetric=True)(np.array([2.0, 4.0])).tolist()
    [1.0, 1.0]
    """
    return partial(dense.solve, dense.factor(A)) if symmetric else partial(tree_solve, A)


class SparsityPattern:
    """Where a matrix has entries that are not known to be zero: what loops need carry of it.

    >>> at = SparsityPattern(np.array([[1.0, 0.0], [0.0, 2.0]], dtype=object))
    >>> at.packed(np.array([[3.0, 0.0], [0.0, 4.0]], dtype=object)).tolist()
    [3.0, 4.0]
    >>> at.dense(np.array([5.0, 6.0], dtype=object)).tolist()
    [[5.0, 0.0], [0.0, 6.0]]
    """

    def __init__(self, A: Array) -> None:
        traced = isinstance(A, np.ndarray) and A.dtype == object
        self.shape = A.shape
        self.places = [k for k, x in enumerate(A.reshape(-1)) if not (traced and is_known_zero(x))]

    def packed(self, A: Array) -> Array:
        """These entries of a matrix, in a row."""
        return A.reshape(-1)[np.array(self.places, dtype=int)]

    def dense(self, x: Array) -> Array:
        """The matrix of these entries, and zeros."""
        if len(self.places) == np.prod(self.shape):
            return x.reshape(self.shape)
        found = np.full(int(np.prod(self.shape)), 0.0, dtype=object)
        found[self.places] = x
        return found.reshape(self.shape)


def independent_parts(A: Array) -> list[tuple[int, ...]]:
    """Places of a symmetric matrix that have entries in common: its blocks, if rows are put in another order.

    >>> independent_parts(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 0.0, 4.0]]))
    [(0, 2), (1,)]
    """
    left, parts = {k: set(_entries(row)) for k, row in enumerate(A)}, []
    while left:
        found, pending = set[int](), [next(iter(left))]
        while pending:
            k = pending.pop()
            if k in left:
                found.add(k)
                pending += left.pop(k)
        parts.append(tuple(sorted(found)))
    return parts


def rows(A: Array) -> list[dict[int, Any]]:
    """The entries of each row that are not known to be zero, by their places.

    >>> rows(np.array([[1.0, 0.0], [0.0, 2.0]]))
    [{0: np.float64(1.0)}, {1: np.float64(2.0)}]
    """
    return [_entries(row) for row in A]


def _entries(row: Iterable[Any]) -> dict[int, Any]:
    """The entries that are not known to be zero, by their places."""
    return {k: x for k, x in enumerate(row) if not is_known_zero(x)}


def is_known_zero(x: Any) -> bool:
    """Whether a scalar is zero as a float, or as a constant of a trace.

    >>> is_known_zero(0.0), is_known_zero(np.float64(1.0))
    (True, False)
    """
    value = x if isinstance(x, float) else getattr(x, "value", None)
    return bool(isinstance(value, float) and value == 0.0)
