"""Triangular systems, and the orthogonalisation of Gram and Schmidt, of any scalar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..arrays import Array


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
