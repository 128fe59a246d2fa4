"""Singular values by plane rotations, triangular solves and Gram–Schmidt, over any scalar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np

from ..arrays import Array, abs, concatenate, iterate, less, maximum, namespace, sqrt, stack, where

JACOBI_SWEEPS = 6
"""Turns of every pair of rows: enough for ten of them to be orthogonal to rounding."""
LOOP_FROM_TERMS = 500
"""Terms of products of rows from which these are made orthogonal in a loop."""
LEAST_DIVISOR = 1e-300
"""Added to divisors, so that quotients of zeros are not NaN."""


def singular_values(A: Array, looped: bool = False) -> Array:
    """Singular values of A (m, n), in no particular order; the fewer of m and n.

    A kernel has the sweeps as a loop if they are `looped`: a sixth of the code, without derivatives.

    >>> sorted(singular_values(np.array([[3.0, 0.0], [4.0, 5.0]])).round(6).tolist())
    [2.236068, 6.708204]
    """
    if namespace(A) is not np or np.asarray(A).dtype != object:
        return namespace(A).linalg.svd(A, compute_uv=False)
    rows = list(A if A.shape[0] <= A.shape[1] else A.T)
    if looped:
        rows = iterate(_sweep, rows, lambda rows: less(1.0, 0.0 * rows[0][0]), JACOBI_SWEEPS)
    else:
        for _ in range(JACOBI_SWEEPS):
            rows = _sweep(rows)
    return stack([sqrt(row @ row) for row in rows])


def _sweep(rows: list[Array]) -> list[Array]:
    """Rows after one turn of every pair."""
    rows = list(rows)
    for i, j in combinations(range(len(rows)), 2):
        rows[i], rows[j] = _rotate(rows[i], rows[j])
    return rows


def _rotate(x: Array, y: Array) -> tuple[Array, Array]:
    """Two rows, turned in their plane until they are orthogonal."""
    product, excess = x @ y, y @ y - x @ x
    twice = 2.0 * product
    size = abs(excess) + sqrt(excess * excess + twice * twice + LEAST_DIVISOR)
    t = where(less(excess, 0.0), -twice, twice) / (size + LEAST_DIVISOR)
    c = 1.0 / sqrt(1.0 + t * t)
    return c * (x - t * y), c * (y + t * x)


def lower_solve(L: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """x (n) with L x = b, for a lower triangular L (n, n); entries of b may be rows of several right sides.

    >>> lower_solve([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0])
    [1.0, 2.0]
    """
    x: list[Any] = []
    for i in range(len(b)):
        x.append((b[i] - sum((L[i][k] * x[k] for k in range(i)), start=0.0 * b[i])) / L[i][i])
    return x


def upper_solve(R: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """x (n) with R x = b, for an upper triangular R (n, n).

    >>> upper_solve([[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0])
    [1.0, 2.0]
    """
    x: list[Any] = [0.0] * len(b)
    for i in reversed(range(len(b))):
        x[i] = (b[i] - sum((R[i][k] * x[k] for k in range(i + 1, len(b))), start=0.0 * b[i])) / R[i][i]
    return x


def gram_schmidt(
    vectors: Sequence[Array],
    count: int,
    unit: Callable[[int, Array], Array],
    pivot: Callable[[int, list[Array]], None] | None = None,
) -> tuple[list[Array], list[list[Any]], list[Array]]:
    """Modified Gram–Schmidt on the first `count` vectors: Q, products R[j][k] of Q_j with vectors k > j, and the rest.

    `unit` makes a vector Q_j of what is left of vector j; before, `pivot` may exchange it with one beyond. The rest are
    the vectors beyond the first `count`, without their components along Q.

    >>> import numpy as np
    >>> Q, R, rest = gram_schmidt([np.array([2.0, 0.0]), np.array([3.0, 4.0])], 1, lambda j, x: x / np.sqrt(x @ x))
    >>> float(R[0][1]), rest[0].tolist()
    (3.0, [0.0, 4.0])
    """
    left, Q, R = list(vectors), list[Array](), list[list[Any]]()
    for j in range(count):
        if pivot is not None:
            pivot(j, left)
        Q.append(unit(j, left[j]))
        R.append([0.0] * len(left))
        for k in range(j + 1, len(left)):
            R[j][k] = Q[j] @ left[k]
            left[k] = left[k] - R[j][k] * Q[j]
    return Q, R, left[count:]


def least_norm_solution(A: Array, b: Array, weakest: float = 1e-9) -> Array:
    """x (n,) of least norm with A x = b (m,), without directions in which A (m, n) is weak.

    Of numbers, these are singular values below `weakest`, relative to the largest, and |A x − b| is least; of traced
    values, they are rows of which no more is left beside those before them (Gram and Schmidt).

    >>> least_norm_solution(np.array([[3.0, 4.0], [6.0, 8.0]]), np.array([5.0, 10.0])).round(3).tolist()
    [0.6, 0.8]
    """
    if (xp := namespace(A, b)) is not np:
        return xp.linalg.pinv(A, rtol=weakest) @ b
    if np.dtype(object) not in (A.dtype, b.dtype):
        return np.linalg.pinv(A, rcond=weakest) @ b
    n, rows = A.shape[1], [concatenate([A[k], b[k : k + 1]]) for k in range(len(b)) if _has_entries(A[k])]
    least = weakest * weakest * reduce(maximum, (row[:n] @ row[:n] for row in rows), 0.0)

    def take_first(carry: tuple[list[Array], Array]) -> tuple[list[Array], Array]:
        (first, *rest), x = carry
        square = first[:n] @ first[:n]
        is_strong = less(least, square)
        unit = first[:n] * where(is_strong, 1.0 / where(is_strong, square, 1.0), 0.0)
        return [row - (unit @ row[:n]) * first for row in rest], x + first[n] * unit

    def turn(carry: tuple[list[Array], Array]) -> tuple[list[Array], Array]:
        rest, x = take_first(carry)
        return [*rest, np.zeros(n + 1)], x

    found = rows, np.zeros(n)
    if len(rows) ** 2 * n > LOOP_FROM_TERMS:  # a straight line would be long to read in a page, and to compile
        return iterate(turn, found, lambda carry: less(1.0, 0.0 * carry[1][0]), len(rows))[1]
    for _ in rows:
        found = take_first(found)
    return found[1]


def _has_entries(row: Array) -> bool:
    """Whether a row is not zero for all inputs."""
    return any(getattr(x, "value", x) != 0.0 for x in row)
