"""The step of a search for the largest of a concave function that is the least of few pieces, in two variables.

    max over u (2,) of   min_i (z_i + q_i·u) − ½ uᵀ M u                                                          (1)

Of at most four pieces up to three hold with equality at the solution. All such sets are tried: with M = L Lᵀ and
x_i = L⁻¹ q_i, the solution of a set is y = Lᵀ u = Σ λ_i x_i, where these pieces are equal.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

from .....arrays import Array, less, maximum, minimum, sqrt, stack, where
from .....linalg.dense import by_precision

OUTSIDE = 1e-9
"""Weights that are as much below zero count as zero."""
LEAST_PIVOT = 1e-14
"""The least of a pivot, relative to the diagonal: of what is zero but for rounding."""
THIN, THIN_SINGLE = 1e-24, 1e-10
"""Square of the sine of an angle of a triangle of three x_i that counts as none; in single precision."""


class Highest(NamedTuple):
    """The solution."""

    u: tuple[Any, Any]
    value: Any
    """(1) there."""
    weights: list[Any]
    """Of the pieces, zero where they do not hold."""
    spare: Array
    """1 for the piece that is needed least, 0 for the others."""


def highest(z: list[Any], q: list[tuple[Any, Any]], M: tuple[Any, Any, Any]) -> Highest:
    """The solution of (1) for up to four pieces and M = (M_11, M_12, M_22)."""
    l11 = sqrt(M[0])[()]
    l21 = M[1] / l11
    l22 = sqrt(maximum(M[2] - l21 * l21, LEAST_PIVOT * M[2]))[()]
    r11, r22 = 1.0 / l11, 1.0 / l22
    x = []
    for q1, q2 in q:
        first = q1 * r11
        x.append((first, (q2 - l21 * first) * r22))
    y, value, weights = _best(z, x, by_precision(M[0], THIN, THIN_SINGLE)[()])
    u2 = y[1] * r22
    u = ((y[0] - l21 * u2) * r11, u2)
    above = [z_i + x_i[0] * y[0] + x_i[1] * y[1] - value for z_i, x_i in zip(z, x, strict=True)]
    unused = [where(less(0.0, w * w), -1.0, h)[()] for w, h in zip(weights, above, strict=True)]
    return Highest(u, value, weights, _largest(unused))


def _largest(xs: list[Any]) -> Array:
    """1 for the largest of some numbers, the last of equal ones; 0 for the others."""
    flags, largest = [1.0] + [0.0] * (len(xs) - 1), xs[0]
    for k in range(1, len(xs)):
        is_smaller = less(xs[k], largest)
        largest = _if(is_smaller, largest, xs[k])
        flags = [_if(is_smaller, flag, 1.0 if j == k else 0.0) for j, flag in enumerate(flags)]
    return stack(flags)


def _best(z: list[Any], x: list[tuple[Any, Any]], thin: Any) -> tuple[tuple[Any, Any], Any, list[Any]]:
    """y, the value and the weights of the best set."""
    n = len(z)
    found: tuple[tuple[Any, Any], Any, list[Any]] | None = None
    for size in range(1, min(n, 3) + 1):
        for chosen in combinations(range(n), size):
            y, own = _equal([z[i] for i in chosen], [x[i] for i in chosen], thin)
            heights = [z_i + x_i[0] * y[0] + x_i[1] * y[1] for z_i, x_i in zip(z, x, strict=True)]
            least = _least(heights)
            value: Any = least - (heights[chosen[0]] - least) - 0.5 * (y[0] * y[0] + y[1] * y[1])
            if size > 1:
                value = where(less(_least(own), -OUTSIDE), -1e30, value)[()]
            weights: list[Any] = [0.0] * n
            for i, w in zip(chosen, own, strict=True):
                weights[i] = w
            if found is None:
                found = (y, value, weights)
                continue
            is_better = less(found[1], value)
            found = (
                (_if(is_better, y[0], found[0][0]), _if(is_better, y[1], found[0][1])),
                _if(is_better, value, found[1]),
                [a if a is b else _if(is_better, a, b) for a, b in zip(weights, found[2], strict=True)],
            )
    assert found is not None
    return found


def _equal(z: list[Any], x: list[tuple[Any, Any]], thin: Any) -> tuple[tuple[Any, Any], list[Any]]:
    """The stationary point of pieces that are equal there, and their weights; −1 if there are fewer than they seem."""
    if len(z) == 1:
        return x[0], [1.0]
    edges = [(b[0] - x[0][0], b[1] - x[0][1]) for b in x[1:]]
    rises = [z[k + 1] - z[0] for k in range(len(edges))]
    if len(z) == 2:
        (e1, e2), (x1, x2) = edges[0], x[0]
        square = e1 * e1 + e2 * e2
        is_line = less(0.0, square)
        r = _if(is_line, 1.0 / _if(is_line, square, 1.0), 0.0)
        along, across = r * rises[0], r * (e1 * x2 - e2 * x1)
        s = -along - r * (e1 * x1 + e2 * x2)
        return (-along * e1 - across * e2, across * e1 - along * e2), [_if(is_line, 1.0 - s, -1.0), s]
    (a1, a2), (b1, b2) = edges
    area = a1 * b2 - a2 * b1
    is_triangle = less(thin * (a1 * a1 + a2 * a2) * (b1 * b1 + b2 * b2), area * area)
    r = _if(is_triangle, 1.0 / _if(is_triangle, area, 1.0), 0.0)
    y = ((rises[1] * a2 - rises[0] * b2) * r, (rises[0] * b1 - rises[1] * a1) * r)
    c1, c2 = y[0] - x[0][0], y[1] - x[0][1]
    s, t = (c1 * b2 - c2 * b1) * r, (a1 * c2 - a2 * c1) * r
    return y, [_if(is_triangle, 1.0 - s - t, -1.0), s, t]


def _least(xs: list[Any]) -> Any:
    least = xs[0]
    for x in xs[1:]:
        least = minimum(least, x)[()]
    return least


def _if(condition: Any, a: Any, b: Any) -> Any:
    return where(condition, a, b)[()]
