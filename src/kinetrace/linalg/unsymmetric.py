"""Systems that are no longer symmetric, but nearly: A = U L, from the last row to the first, without exchanges of rows.

In this order the factors of a matrix with the zeros of a tree have no others, as in `dense`. For the matrices of
Newton's method for friction, which are symmetric and positive definite but for the slope of friction by pressure.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays import Array, reciprocal, stack
from .sparse import is_known_zero


class UnsymmetricFactors(NamedTuple):
    """Columns of U above its unit diagonal, rows of L below its diagonal, and the reciprocals of that."""

    U: list[list[tuple[int, Any]]]
    """Of each column, its rows and entries."""
    L: list[list[tuple[int, Any]]]
    """Of each row, its columns and entries."""
    reciprocal: list[Any]


def factor(A: Array) -> UnsymmetricFactors:
    """The factors of A (n, n); NaN or infinite if a pivot is zero.

    >>> import numpy as np
    >>> factor(np.array([[2.0, 1.0], [2.0, 4.0]])).L
    [[], [(0, np.float64(2.0))]]
    """
    n = len(A)
    rows = [{j: A[i, j] for j in range(n) if not is_known_zero(A[i, j])} for i in range(n)]
    U, L, inverse = list[list[tuple[int, Any]]](), list[list[tuple[int, Any]]](), list[Any]()
    for k in reversed(range(n)):
        pivot = rows[k]
        over, left = reciprocal(pivot[k]), [(j, x) for j, x in sorted(pivot.items()) if j < k]
        above = [(i, rows[i][k] * over) for i in range(k) if k in rows[i]]
        for i, scale in above:
            for j, x in left:
                rows[i][j] = rows[i][j] - scale * x if j in rows[i] else -(scale * x)
        U.append(above)
        L.append(left)
        inverse.append(over)
    return UnsymmetricFactors(U[::-1], L[::-1], inverse[::-1])


def solve(f: UnsymmetricFactors, b: Array) -> Array:
    """A⁻¹ b for b (n,) or (n, k).

    >>> import numpy as np
    >>> solve(factor(np.array([[2.0, 1.0], [2.0, 4.0]])), np.array([3.0, 6.0])).tolist()
    [1.0, 1.0]
    """
    y = [b[i] for i in range(len(b))]
    for k in reversed(range(len(y))):
        for i, x in f.U[k]:
            y[i] = y[i] - x * y[k]
    for k in range(len(y)):
        for j, x in f.L[k]:
            y[k] = y[k] - x * y[j]
        y[k] = y[k] * f.reciprocal[k]
    return stack(y, axis=0)
