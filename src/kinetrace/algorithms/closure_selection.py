"""The rows of closures that count: as many as are independent at almost all configurations.

If none follow from others, these are all. Else the best of them are chosen at every configuration, since no choice is
good everywhere: rows are made orthogonal one after the other, the longest that is left first (Gram and Schmidt).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, less, sqrt, stack, where
from ..model.model import Model


def selection(model: Model, K: Array, candidates: Sequence[int] | None = None, count: int | None = None) -> Array:
    """E (count, rows), rows of the identity: E K are the selected rows of K (rows, nv).

    `candidates` and their `count` are those of all closures, unless given.
    """
    rows = model.candidate_rows if candidates is None else candidates
    count = len(model.independent_rows) if count is None else count
    E = [np.eye(model.closure_rows)[k] for k in rows]
    if len(rows) > count:
        E = longest_first([_unit(K[k]) for k in rows], E, count)
    return stack(E[:count], axis=0) if count else np.zeros((0, model.closure_rows))


def longest_first(left: list[Array], names: list[Array], count: int) -> list[Array]:
    """The names of rows, reordered: the first `count` are as independent as possible."""
    for k in range(count):
        for i in range(k + 1, len(left)):
            longer = less(left[k] @ left[k] * (1.0 + 1e-9), left[i] @ left[i])
            left[k], left[i] = where(longer, left[i], left[k]), where(longer, left[k], left[i])
            names[k], names[i] = where(longer, names[i], names[k]), where(longer, names[k], names[i])
        along = _unit(left[k])
        left = [*left[: k + 1], *(x - (x @ along) * along for x in left[k + 1 :])]
    return names


def _unit(x: Array) -> Array:
    """A vector of length 1, or zero."""
    square = x @ x
    some = less(0.0, square)
    return x * where(some, 1.0 / sqrt(where(some, square, 1.0)[()])[()], 0.0)[()]
