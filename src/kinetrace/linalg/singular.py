"""Singular values of small matrices over any scalar: rows are turned in pairs until all are orthogonal (Hestenes 1958).

Turns converge quadratically, and small singular values are as accurate as large ones. The code is straight-line, so
that derivatives are those of the values, wherever these differ, unless they are not needed.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..arrays import Array, abs, iterate, less, namespace, sqrt, stack, where

JACOBI_SWEEPS = 6
"""Turns of every pair of rows: enough for ten of them to be orthogonal to rounding."""
LEAST_DIVISOR = 1e-300
"""What keeps quotients of zeros from being NaN."""


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
