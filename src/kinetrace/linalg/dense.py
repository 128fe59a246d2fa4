"""Symmetric positive definite systems over any scalar: M = Lᵀ D L, from the last row to the first.

In this order the factor of a tree's mass matrix has a zero wherever the matrix has one, so a traced factorisation costs
only what the tree needs. The same functions serve the small blocks of joints with several degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, abs, concatenate, less, map_rows, maximum, reciprocal, sqrt, stack, where

RHS_ROWS, RHS_COLUMNS = 2, 4
"""Of right sides, those that are substituted together: the intermediate values of a trace then fit the registers."""
LOOP_FROM_ENTRIES = 1000
"""Entries of right sides from which they are solved for in loops: a straight line would take minutes to compile."""
LOOP_FROM_INVERSE_ENTRIES = 3000
"""Entries of an inverse from which it is computed in loops: straight-line code computes half of it only, and up to 54
rows that saves more than a loop does."""
LOOP_FROM_TERMS = 20_000
"""Terms of a product from which its rows are computed in a loop."""
PRODUCT_TILE = 3, 4
"""Rows and columns of a product that are summed up together, for the same reason."""


class Factors(NamedTuple):
    """L below its unit diagonal, as rows, and the reciprocals and values of D."""

    L: list[list[Any]]
    reciprocal: list[Any]
    D: list[Any]


def factor(M: Array, semidefinite: bool = False) -> Factors:
    """The factors of M (n, n); its upper triangle is not read. NaN if a pivot is identically zero.

    If M is `semidefinite`, a pivot that is not positive counts as infinite: `solve` gives zero there.

    >>> import numpy as np
    >>> factor(np.array([[2.0, 1.0], [1.0, 4.0]])).D
    [np.float64(1.75), np.float64(4.0)]
    """
    n = M.shape[-1]
    A = [[M[i, j] for j in range(i + 1)] for i in range(n)]
    L: list[list[Any]] = [[] for _ in range(n)]
    inverse: list[Any] = [None] * n
    for k in reversed(range(n)):
        inverse[k] = _reciprocal_if_positive(A[k][k]) if semidefinite else reciprocal(A[k][k])
        L[k] = [A[k][i] * inverse[k] for i in range(k)]
        for i in range(k):
            A[i] = [A[i][j] - L[k][i] * A[k][j] for j in range(i + 1)]
    return Factors(L, inverse, [A[k][k] for k in range(n)])


def _reciprocal_if_positive(x: Any) -> Any:
    positive = less(0.0, x)
    return where(positive, reciprocal(where(positive, x, 1.0)[()]), 0.0)[()]


def _transposed_inverse(f: Factors, b: Array) -> list[Any]:
    """L⁻ᵀ b, by rows."""
    n = len(f.D)
    y = [b[i] for i in range(n)]
    for first in reversed(range(0, n, RHS_ROWS)):
        rows = range(first, min(first + RHS_ROWS, n))
        for i in reversed(range(first, n)):
            for j in range(first, min(i, rows.stop)):
                y[j] = y[j] - f.L[i][j] * y[i]
    return y


def _inverse(f: Factors, y: list[Any]) -> Array:
    """L⁻¹ y, by rows."""
    for first in range(0, len(y), RHS_ROWS):
        rows = range(first, min(first + RHS_ROWS, len(y)))
        for j in range(rows.stop):
            for i in range(max(first, j + 1), rows.stop):
                y[i] = y[i] - f.L[i][j] * y[j]
    return stack(y, axis=0)


def solve(f: Factors, b: Array) -> Array:
    """M⁻¹ b for b (n,) or (n, k).

    >>> import numpy as np
    >>> solve(factor(np.array([[2.0, 1.0], [1.0, 4.0]])), np.array([3.0, 5.0])).tolist()
    [1.0, 1.0]
    """
    if not f.D:
        return b
    if b.ndim > 1 and b.shape[1] > RHS_COLUMNS and b.dtype == object:
        if len(f.D) * b.shape[1] > LOOP_FROM_ENTRIES:
            return _solve_in_turn(f, b)
        return concatenate([solve(f, b[:, k : k + RHS_COLUMNS]) for k in range(0, b.shape[1], RHS_COLUMNS)])
    return _inverse(f, [x * r for x, r in zip(_transposed_inverse(f, b), f.reciprocal, strict=True)])


def inverse_form(f: Factors, b: Array) -> Array:
    """bᵀ M⁻¹ b (k, k) for b (n, k), by half of a solution; only its upper triangle need be used.

    >>> import numpy as np
    >>> inverse_form(factor(np.array([[2.0, 1.0], [1.0, 4.0]])), np.array([[3.0], [5.0]])).tolist()
    [[8.0]]
    """
    if not f.D:
        return np.zeros((b.shape[1], b.shape[1]))
    y = unit_solve(f, b)
    return pivot_solve(f, y).T @ y


def _solve_in_turn(f: Factors, b: Array, upper: bool = False) -> Array:
    """`solve` for many right sides: those that have their zeros in common, one after the other, in a loop.

    With `upper`, zeros below the diagonal wherever no column of a loop needs the entries.
    """
    n, found = len(f.D), dict[int, Array]()
    for rows, columns in _alike(f, b):
        end = (max(columns) + 1 if upper else n) if rows else 0
        solved = _solve_alike(f, b, rows, columns, end) if rows else np.zeros((len(columns), 0))
        padded = concatenate([solved, np.zeros((len(columns), n - end))]) if end < n else solved
        found.update(zip(columns, padded, strict=True))
    return stack([found[k] for k in range(b.shape[1])])


def _solve_alike(f: Factors, b: Array, rows: Sequence[int], columns: Sequence[int], end: int) -> Array:
    """Rows of M⁻¹ b before `end`, for these columns, which are zero except in these rows: (columns, end)."""
    return map_rows(lambda x: solve(f, _among_zeros(x, rows, len(f.D)))[:end], b[np.ix_(rows, columns)].T)


def upper_inverse(f: Factors) -> Array:
    """M⁻¹ (n, n) at and above its diagonal; entries below are not valid.

    >>> import numpy as np
    >>> np.triu(upper_inverse(factor(np.array([[2.0, 1.0], [1.0, 1.0]])))).tolist()
    [[1.0, -1.0], [0.0, 2.0]]
    """
    n, traced = len(f.D), next((x for x in f.D if hasattr(x, "value")), None)
    if n * n <= LOOP_FROM_INVERSE_ENTRIES or traced is None:
        return solve(f, np.eye(n))
    return _solve_in_turn(f, np.eye(n) + 0.0 * traced, upper=True)  # constants of the trace, for its loops


def _among_zeros(x: Array, rows: Sequence[int], n: int) -> Array:
    """x (k,) as these entries of a vector (n,)."""
    of = dict(zip(rows, x, strict=True))
    return stack([of.get(i, 0.0) for i in range(n)])


def _alike(f: Factors, b: Array) -> list[tuple[tuple[int, ...], list[int]]]:
    """Right sides by the nonzero rows of L⁻ᵀ b: a set joins the smallest superset that is at most about half larger.

    In a tree's mass matrix these rows are branches: the derivatives by the joints of a leg have those of the leg and of
    all before it.
    """
    groups = dict[frozenset[int], list[int]]()
    reached = [_rows_reached(f, _places(b[:, k])) for k in range(b.shape[1])]
    for k in sorted(range(b.shape[1]), key=lambda k: -len(reached[k])):
        own = reached[k]
        around = [rows for rows in groups if own <= rows and len(rows) <= 1.5 * len(own) + RHS_COLUMNS]
        groups.setdefault(min(around, key=len, default=own), []).append(k)
    return [(tuple(sorted(rows)), columns) for rows, columns in groups.items()]


def _rows_reached(f: Factors, rows: Iterable[int]) -> frozenset[int]:
    """Rows, and those that elimination fills from them."""
    found, pending = set[int](), list(rows)
    while pending:
        i = pending.pop()
        if i not in found:
            found.add(i)
            pending += _places(f.L[i])
    return frozenset(found)


def _places(x: Iterable[Any]) -> list[int]:
    """The places of entries that are not zero for all inputs."""
    return [k for k, entry in enumerate(x) if getattr(entry, "value", entry) != 0.0]


def solve_all(f: Factors, *sides: Array) -> list[Array]:
    """M⁻¹ b for several b (n, k): if there are many right sides, in one loop for all.

    >>> import numpy as np
    >>> [x.tolist() for x in solve_all(factor(np.array([[2.0]])), np.array([[4.0]]), np.array([[6.0, 8.0]]))]
    [[[2.0]], [[3.0, 4.0]]]
    """
    if len(f.D) * max(b.shape[1] for b in sides) <= LOOP_FROM_ENTRIES:
        return [solve(f, b) for b in sides]
    ends = np.cumsum([0, *(b.shape[1] for b in sides)])
    found = solve(f, concatenate(sides))
    return [found[:, a:b] for a, b in pairwise(ends)]


def product(A: Array, B: Array) -> Array:
    """A B (n, k) of A (n, m) and B (m, k), in tiles.

    >>> import numpy as np
    >>> product(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    if np.dtype(object) not in (A.dtype, B.dtype):
        return A @ B
    (n, m), k = A.shape, B.shape[1]
    if n > 1 and n * m * k > LOOP_FROM_TERMS:
        return map_rows(lambda row: product(row[None], B)[0], A)
    found: list[list[Any]] = [[0.0] * k for _ in range(n)]
    for top in range(0, n, PRODUCT_TILE[0]):
        for left in range(0, k, PRODUCT_TILE[1]):
            rows, columns = range(top, min(top + PRODUCT_TILE[0], n)), range(left, min(left + PRODUCT_TILE[1], k))
            for inner in range(m):
                for i in rows:
                    for j in columns:
                        found[i][j] = found[i][j] + A[i, inner] * B[inner, j]
    return stack([stack(row) for row in found], axis=0) if n and k else np.zeros((n, k))


def symmetric(A: Array) -> Array:
    """The symmetric matrix (n, n) of a lower triangle.

    >>> import numpy as np
    >>> symmetric(np.array([[1.0, 9.0], [2.0, 3.0]])).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    rows, columns = np.indices(A.shape)
    return A[np.maximum(rows, columns), np.minimum(rows, columns)]


def largest(x: Iterable[Any]) -> Array:
    """The largest of some scalars, one at least.

    >>> float(largest(np.array([1.0, 3.0, 2.0])))
    3.0
    """
    return reduce(maximum, x)


def largest_entry(x: Array) -> Array:
    """The largest |entry| () of x (n,); zero if there is none.

    >>> import numpy as np
    >>> float(largest_entry(np.array([1.0, -3.0])))
    3.0
    """
    return largest([np.zeros(()), *abs(x)])


def by_precision(x: Array, double: float, single: float) -> Array:
    """One of two numbers: what a number x > 0 is computed in, double or single precision.

    >>> import numpy as np
    >>> [by_precision(np.ones(1, dtype), 1e-12, 1e-5).tolist() for dtype in ("float64", "float32")]
    [[1e-12], [1e-05]]
    """
    return where(less(x, x + 1e-10 * x), double, single)


def unit_solve(f: Factors, b: Array) -> Array:
    """N⁻¹ b for the unit triangular N = Lᵀ of M = N D Nᵀ, and b (n,) or (n, k).

    >>> import numpy as np
    >>> unit_solve(factor(np.array([[2.0, 1.0], [1.0, 4.0]])), np.array([3.0, 4.0])).tolist()
    [2.0, 4.0]
    """
    return stack(_transposed_inverse(f, b), axis=0) if f.D else b


def unit_transposed_solve(f: Factors, b: Array) -> Array:
    """N⁻ᵀ b for the unit triangular N = Lᵀ of M = N D Nᵀ, and b (n,) or (n, k).

    >>> import numpy as np
    >>> unit_transposed_solve(factor(np.array([[2.0, 1.0], [1.0, 4.0]])), np.array([4.0, 3.0])).tolist()
    [4.0, 2.0]
    """
    return _inverse(f, [b[i] for i in range(len(f.D))]) if f.D else b


def pivot_solve(f: Factors, b: Array) -> Array:
    """D⁻¹ b for the D of M = N D Nᵀ, and b (n,) or (n, k).

    >>> import numpy as np
    >>> pivot_solve(factor(np.array([[4.0]])), np.array([2.0])).tolist()
    [0.5]
    """
    return stack([x * r for x, r in zip(b, f.reciprocal, strict=True)], axis=0) if f.D else b


def unit(f: Factors) -> Factors:
    """The factors with ones for D: those of Lᵀ L, of which Lᵀ is the root.

    >>> import numpy as np
    >>> unit(factor(np.array([[4.0]]))).D
    [1.0]
    """
    ones = [1.0] * len(f.D)
    return Factors(f.L, ones, ones)


def root_product(f: Factors, x: Array) -> Array:
    """W x for the square root W = Lᵀ D^½ of M = W Wᵀ, and x (n,) or (n, k).

    >>> import numpy as np
    >>> root_product(factor(np.array([[4.0]])), np.array([1.0])).tolist()
    [2.0]
    """
    y = [sqrt(d) * x[i] for i, d in enumerate(f.D)]
    return stack([sum((f.L[k][i] * y[k] for k in range(i + 1, len(y))), start=y[i]) for i in range(len(y))], axis=0)


def root_transposed_product(f: Factors, x: Array) -> Array:
    """Wᵀ x for the square root W = Lᵀ D^½.

    >>> import numpy as np
    >>> root_transposed_product(factor(np.array([[4.0]])), np.array([1.0])).tolist()
    [2.0]
    """
    n = len(f.D)
    y = [sum((f.L[i][j] * x[j] for j in range(i)), start=x[i]) for i in range(n)]
    return stack([sqrt(d) * y_i for d, y_i in zip(f.D, y, strict=True)], axis=0)


def root_solve(f: Factors, b: Array) -> Array:
    """W⁻¹ b for the square root W = Lᵀ D^½, and b (n,) or (n, k).

    >>> import numpy as np
    >>> root_solve(factor(np.array([[4.0]])), np.array([2.0])).tolist()
    [1.0]
    """
    return stack([x * sqrt(r) for x, r in zip(_transposed_inverse(f, b), f.reciprocal, strict=True)], axis=0)


def root_transposed_solve(f: Factors, b: Array) -> Array:
    """W⁻ᵀ b for the square root W = Lᵀ D^½.

    >>> import numpy as np
    >>> root_transposed_solve(factor(np.array([[4.0]])), np.array([2.0])).tolist()
    [1.0]
    """
    return _inverse(f, [b[i] * sqrt(r) for i, r in enumerate(f.reciprocal)])


def root_rate(f: Factors, dM: Array) -> Array:
    """W⁻¹ dW (n, n) of the root W = Lᵀ D^½ of M = W Wᵀ, for a symmetric change dM (n, n) of M: upper triangular.

    Since dM = dW Wᵀ + W dWᵀ, it is the upper half of W⁻¹ dM W⁻ᵀ.

    >>> import numpy as np
    >>> root_rate(factor(np.array([[4.0]])), np.array([[2.0]])).tolist()
    [[0.25]]
    """
    K = dM
    for _ in range(2):
        K = stack(_transposed_inverse(f, K), axis=0).T
    r = f.reciprocal
    half = [
        [K[i, j] * (sqrt(r[i]) * sqrt(r[j]) if i < j else r[i] / 2 if i == j else 0.0) for j in range(len(r))]
        for i in range(len(r))
    ]
    return stack([stack(row) for row in half], axis=-2)
