"""The nearest points of two convex shapes, or the deepest ones where they overlap.

    gap = n·(x_a − x_b),     x_a = Σ λ_i a_i − ∇κ_a,   x_b = Σ λ_i b_i + ∇κ_b,     x_a − x_b = gap n             (1)

The normal n is found for shapes that count as constants, and so are the pairs (a_i, b_i) that hold it. One step of
Newton's method from there, by the optimality conditions, leaves n and λ where they are and has their derivatives. Those
of the gap are n·(v_a − v_b) at the nearest points, whatever those of n and λ.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

from .....arrays import Array, hold, less, minimum, sqrt, stack, where
from .....linalg.dense import by_precision
from ..touch import TINY, Pairs, Placed, Touch
from .ascent import Ascent, Model, ascend, pieces_at
from .overlap import start
from .pieces import Highest, highest
from .portal import portal
from .shapes import Bulge, Convex, Gap

CLOSE, CLOSE_SINGLE = 1e-9, 1e-4
"""Rise of g in the end, relative to the sizes, from which the last step is not made."""


STIFF = 1e3
"""σ, relative to the shapes and the differences of the q_i."""
STIFF_AT_KINK = 1e6
"""M where n is the normal of a disc, relative to the same: there only pairs that are nearest along n hold it."""
SINGULAR = 1e-12
"""Determinant of M, relative to the square of its trace, that is not positive."""
LEAST_WEIGHT = 1e-10
"""Weight from which a pair holds the normal."""


class Nearest(NamedTuple):
    """The nearest points of two shapes without their balls."""

    n: Array
    """(3,) from b to a."""
    of_a: Array
    """(3,) in the world."""
    of_b: Array


def widest(a: Placed, b: Placed) -> Ascent:
    """The normal along which shapes are farthest apart, without derivatives."""
    gap = Gap.of(*(Placed(x.kind, hold(x.size), hold(x.X)) for x in (a, b)))
    begin = start(gap, portal(gap))
    return hold(ascend(gap, begin.n, begin.pairs))


def nearest(gap: Gap, at: Ascent) -> Nearest:
    """The nearest points by the normal and the pairs that were found, with derivatives."""
    pairs = [stack([_again(shape, x) for shape, x in zip(gap.shapes, pair, strict=True)], axis=0) for pair in at.pairs]
    n = at.n
    for shape in gap.shapes:
        if shape.is_flat:
            cap = shape.R[:, 2]
            is_cap = less(0.0, Bulge.of([shape], at.n).kink)
            n = where(is_cap, where(less(cap @ at.n, 0.0), -cap, cap), n)
    zero = 0.0 * at.g
    again = Ascent(n, stack(pairs, axis=0), at.g, zero, zero, zero, zero)
    model = Model.at(gap, again)
    solution = _newton(gap, again, model)
    is_close = less(at.rise, by_precision(at.g * at.g + 1.0, CLOSE, CLOSE_SINGLE))
    n = where(is_close, model.normal(n, solution), n)
    weights = solution.weights
    bulges = [Bulge.of([shape], n) for shape in gap.shapes]
    x, y = (sum(w * pair[k] for w, pair in zip(weights, pairs, strict=True)) for k in range(2))
    x, y = gap.a.center + x - bulges[0].gradient, gap.b.center + y + bulges[1].gradient
    x = x - _within(x - y, n, bulges[0].kink)
    return Nearest(n, x, y + _within(x - y, n, bulges[1].kink))


def _newton(gap: Gap, at: Ascent, model: Model) -> Highest:
    """The solution with M as it is, which is positive where the pairs do not hold the normal.

    Where they do, along differences of their q_i, M is made positive: there u does not depend on it, and the weights
    by λ_i = λ'_i − 2 σ w_i Σ_j w_j (q_i − q_j)·u, with λ' those of M + σ Σ_ij w_i w_j (q_i − q_j) (q_i − q_j)ᵀ.
    """
    curved = gap.bulge(at.n)
    held = [where(less(LEAST_WEIGHT, w), 1.0, 0.0)[()] for w in hold(model.solutions[0].weights)]
    z, q = pieces_at(gap, at, model.tangents, curved)
    T, pairs = model.tangents, list(combinations(range(len(q)), 2))
    edges = [(q[i][0] - q[j][0], q[i][1] - q[j][1], held[i] * held[j]) for i, j in pairs]
    s11, s12, s22 = (2.0 * sum(w * x[k] * x[m] for *x, w in edges) for k, m in ((0, 0), (0, 1), (1, 1)))
    size = sqrt(gap.between @ gap.between + TINY)[()] + gap.reach(at.n, at.pairs[0])
    spread = s11 + s22
    is_kink, is_held = less(0.0, curved.kink), less(TINY, spread)
    stiff = where(is_held, STIFF * size / where(is_held, spread, 1.0)[()], 0.0)[()]
    stiff = where(is_kink, 0.0, stiff)[()]
    H = T @ curved.hessian @ T.T
    M = (H[0, 0] + at.g + stiff * s11, H[0, 1] + stiff * s12, H[1, 1] + at.g + stiff * s22)
    area, trace = M[0] * M[2] - M[1] * M[1], M[0] + M[2]
    is_positive = where(less(SINGULAR * trace * trace, area), where(less(0.0, trace), 1.0, 0.0), 0.0)
    is_positive = where(is_kink, 0.0, is_positive)[()]
    other = where(is_kink, STIFF_AT_KINK, 1.0)[()] * size
    exact = highest(z, q, tuple(where(is_positive, x, y)[()] for x, y in zip(M, (other, 0.0, other), strict=True)))
    moves = [edge[0] * exact.u[0] + edge[1] * exact.u[1] for edge in edges]
    weights = list(exact.weights)
    for (i, j), move, (*_, w) in zip(pairs, moves, edges, strict=True):
        change = 2.0 * stiff * w * move
        weights[i], weights[j] = weights[i] - change, weights[j] + change
    rough, is_exact = model.solutions[0], where(is_kink, 1.0, is_positive)[()]
    return Highest(
        tuple(where(is_exact, x, y)[()] for x, y in zip(exact.u, rough.u, strict=True)),
        exact.value,
        [where(is_exact, x, y)[()] for x, y in zip(weights, rough.weights, strict=True)],
        exact.spare,
    )


def _again(shape: Convex, x: Array) -> Array:
    """A point of a shape that was found, with derivatives."""
    return shape.R @ shape.same(hold(shape.R.T @ x))


def _within(x: Array, n: Array, radius: Any) -> Array:
    """The part of x across n, not longer than a radius."""
    across = x - n * (n @ x)
    length = sqrt(across @ across + TINY)[()]
    return minimum(1.0, radius / length)[()] * across


def nearest_touch(a: Placed, b: Placed) -> Touch:
    """The nearest points of two shapes, or the deepest."""
    gap = Gap.of(a, b)
    at = nearest(gap, widest(a, b))
    distance = at.n @ (at.of_a - at.of_b) - gap.a.radius - gap.b.radius
    point = 0.5 * (at.of_a + at.of_b + (gap.b.radius - gap.a.radius) * at.n)
    return Touch(distance, point, at.n)


def one_touch(a: Placed, b: Placed) -> list[Touch]:
    """One slot for them."""
    return [nearest_touch(a, b)]


KINDS = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "points")
PAIRS: Pairs = {
    (a, b): (one_touch, 1)
    for k, b in enumerate(KINDS)
    for a in KINDS[: k + 1]
    if b == "ellipsoid" or (b in ("cylinder", "points") and a in ("sphere", "ellipsoid"))
}
