"""Small dense matrices of any scalar, under the names that `numpy.linalg` has for them.

Arrays of numbers go to NumPy (or JAX) itself. Traced values and mpmath's numbers are worked on entry by entry: rows are
exchanged by `arrays.where`, so that a kernel has no branch and the pivots are the largest whatever the values turn out
to be. The cost grows with n³, and so does the length of the program: these are for matrices of up to about ten rows.

For symmetric positive definite matrices `cholesky` needs no exchange, and half the operations. `solve_box` minimises a
quadratic function between bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Array, abs, less, namespace, sqrt, where
from ..errors import InputError
from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from .box import solve_box

__all__ = ["cholesky", "det", "inv", "norm", "solve", "solve_box"]


def solve(A: Array, b: Array) -> Array:
    """Solution x of A x = b.

    Parameters
    ----------
    A : Array, shape (n, n)
        Matrix of any scalar.
    b : Array, shape (n,) or (n, k)
        Right sides.

    Returns
    -------
    Array, shape (n,) or (n, k)
        Solutions; NaN or infinite where A is singular.

    Raises
    ------
    InputError
        If A is not square, or b has another number of rows.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.linalg.solve(np.array([[0.0, 2.0], [1.0, 1.0]]), np.array([2.0, 3.0]))
    array([2., 1.])
    """
    n = _order(A)
    if _is_numeric(A, b):
        try:
            return namespace(A, b).linalg.solve(A, b)
        except np.linalg.LinAlgError:  # which NumPy raises if a pivot is exactly zero
            return np.full(np.shape(b), np.nan)
    if np.shape(b)[:1] != (n,) or np.ndim(b) > 2:
        raise InputError(f"solve: b must have shape ({n},) or ({n}, k), got {np.shape(b)}")
    right = np.asarray(b, dtype=object).reshape(n, -1)
    rows, _ = _eliminate([[*A[i], *right[i]] for i in range(n)], n)
    x: list[list[Any]] = [[] for _ in range(n)]
    for i in reversed(range(n)):
        for c in range(right.shape[1]):
            known = sum((rows[i][j] * x[j][c] for j in range(i + 1, n)), start=0.0)
            x[i].append((rows[i][n + c] - known) / rows[i][i])
    return np.array(x, dtype=object).reshape(np.shape(b))


def inv(A: Array) -> Array:
    """Inverse of a matrix.

    Parameters
    ----------
    A : Array, shape (n, n)
        Matrix of any scalar.

    Returns
    -------
    Array, shape (n, n)
        The inverse; NaN or infinite where a traced A is singular.

    Raises
    ------
    InputError
        If A is not square.
    numpy.linalg.LinAlgError
        If A is singular, and holds numbers of NumPy.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.linalg.inv(np.array([[0.0, 2.0], [1.0, 0.0]]))
    array([[0. , 1. ],
           [0.5, 0. ]])
    """
    return namespace(A).linalg.inv(A) if _is_numeric(A) else solve(A, np.eye(_order(A)))


def det(A: Array) -> Array:
    """Determinant of a matrix.

    Parameters
    ----------
    A : Array, shape (n, n)
        Matrix of any scalar.

    Returns
    -------
    Array, shape ()
        The determinant.

    Raises
    ------
    InputError
        If A is not square.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> float(kt.linalg.det(np.array([[0.0, 2.0], [1.0, 0.0]])))
    -2.0
    """
    n = _order(A)
    if _is_numeric(A):
        return namespace(A).linalg.det(A)
    rows, value = _eliminate([list(row) for row in A], n)
    for i in range(n):
        value = value * rows[i][i]
    return value


def cholesky(A: Array) -> Array:
    """Lower triangular L with L Lᵀ = A.

    Parameters
    ----------
    A : Array, shape (n, n)
        Symmetric positive definite matrix; its upper triangle is not read.

    Returns
    -------
    Array, shape (n, n)
        The factor L; NaN if a traced A is not positive definite.

    Raises
    ------
    InputError
        If A is not square.
    numpy.linalg.LinAlgError
        If A is not positive definite, and holds numbers of NumPy.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.linalg.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    n = _order(A)
    if _is_numeric(A):
        return namespace(A).linalg.cholesky(A)
    L: list[list[Any]] = []
    for i in range(n):
        L.append([0.0] * n)
        for j in range(i + 1):
            left = A[i][j] - sum((L[i][k] * L[j][k] for k in range(j)), start=0.0)
            L[i][j] = sqrt(left)[()] if i == j else left / L[j][j]
    return np.array(L, dtype=object)


def norm(x: Array) -> Array:
    """Euclidean length of a vector, or Frobenius norm of a matrix.

    Parameters
    ----------
    x : Array, shape (n,) or (n, m)
        Vector or matrix.

    Returns
    -------
    Array, shape ()
        The norm.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> float(kt.linalg.norm(np.array([3.0, 4.0])))
    5.0
    """
    flat = x.reshape(-1)
    return sqrt(flat @ flat)[()]


def _is_numeric(*arrays: Array) -> bool:
    """Whether NumPy or JAX can compute it."""
    return namespace(*arrays) is not np or all(np.asarray(x).dtype != object for x in arrays)


def _order(A: Array) -> int:
    shape = np.shape(A)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise InputError(f"expected a square matrix (n, n), got shape {shape}")
    return int(shape[-1])


def _eliminate(rows: list[list[Any]], n: int) -> tuple[list[list[Any]], Any]:
    """Rows upper triangular in their first n columns (entries below are not valid), and the permutation's sign."""
    rows = [[np.float64(x) if isinstance(x, float | int) else x for x in row] for row in rows]  # 0/0 is NaN then
    sign: Any = 1.0
    for k in range(n):
        for i in range(k + 1, n):  # pivoting: the largest entry of the column to the top
            larger = less(abs(rows[k][k]), abs(rows[i][k]))
            top, low = np.array(rows[k], dtype=object), np.array(rows[i], dtype=object)
            rows[k], rows[i] = list(where(larger, low, top)), list(where(larger, top, low))
            sign = where(larger, -sign, sign)[()]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b if j > k else a for j, (a, b) in enumerate(zip(rows[i], rows[k], strict=True))]
    return rows, sign


if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.linalg")
__dir__ = _listing(__name__)
