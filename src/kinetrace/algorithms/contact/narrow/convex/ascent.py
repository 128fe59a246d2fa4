"""The normal along which two convex shapes are farthest apart, from one that is near.

    max over |n| = 1 of   g(n) = min_i n·p_i − κ(n)                                                              (1)

Apart, shapes have one such normal with g > 0, and g is their distance; overlapping, several local ones. Of the points
p_i four are kept. In the plane of tangents u of n, the largest of

    min_i (z_i + q_i·u) − ½ uᵀ M u,    z_i = n·p_i − κ,  q_i = p_i − ∇κ,  M = ∇²κ + g 1                           (2)

is found exactly (`pieces`). That is Newton's step, exact where faces and edges meet. If g is no larger there, the
nearest points along the trial take the place of a pair that (2) did not need, and M is made larger. Of round shapes,
∇²κ is replaced by its bound for a second trial, which rises whenever all points are known that it needs; ways between
the two are taken until Newton's step is the better one. Where a disc is normal to n, g has a kink: that normal is a
trial of its own, and (2) is left by its slope, |Σ λ_i q_i| less the radius.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .....arrays import Array, iterate, less, maximum, minimum, sqrt, stack, where
from .....linalg.dense import by_precision
from ..touch import TINY, axes_of
from .pieces import Highest, highest
from .shapes import Bulge, Gap

MOST_STEPS = 60
RISE, RISE_SINGLE = 1e-14, 1e-6
"""By how much g may be larger in the end, relative to the shapes and their distance; in single precision."""
SOFTEST, SOFTEST_SINGLE = 1e-9, 1e-5
"""The least of M, relative to the same, of shapes that are apart."""
SOFTEST_INSIDE = 1e-4
"""The same of shapes that overlap; it does not matter in directions in which faces and edges hold n."""
LESS_SHIFT, MORE_SHIFT, FIRST_SHIFT = 0.1, 2.0, 1e-3
"""Factors of what is added to M, after steps that rise and others, and what it begins with."""
LESS_SLOW, MORE_SLOW, FIRST_SLOW, SLOWEST = 0.1, 4.0, 1e-2, 0.5
"""The same of the way from Newton's step to the second one, and its end."""


class Trial(NamedTuple):
    """A normal, and the nearest points along it."""

    n: Array
    pair: Array
    g: Any

    @classmethod
    def at(cls, gap: Gap, n: Array) -> Trial:
        """A normal."""
        pair = gap.pair(n)
        return cls(n, pair, gap.width(n, pair))

    def better(self, other: Trial, bound: Any) -> Trial:
        """The other if its g is larger than its own and than a bound."""
        is_better = less(maximum(self.g, bound)[()], other.g)
        return Trial(
            where(is_better, other.n, self.n),
            where(is_better, other.pair, self.pair),
            where(is_better, other.g, self.g)[()],
        )


class Ascent(NamedTuple):
    """Carry of the search."""

    n: Array
    pairs: Array
    """(4, 2, 3) points of a and b."""
    g: Any
    rise: Any
    """By how much g may be larger, relative to the sizes."""
    shift: Any
    """What is added to M, relative to the sizes."""
    slowness: Any
    """0 for Newton's step."""
    steps: Any
    """How many there were."""


class Model(NamedTuple):
    """The solutions of (2)."""

    tangents: Array
    """(2, 3)"""
    solutions: list[Highest]
    """Newton's, and the one with the bound."""
    part: Any
    """Of the steps, what a kink leaves."""
    value: Any
    """What g may reach at most."""

    @classmethod
    def at(cls, gap: Gap, at: Ascent) -> Model:
        """Around a normal."""
        T, curved = axes_of(at.n)[:2], gap.bulge(at.n)
        z, q = pieces_at(gap, at, T, curved)
        size = sqrt(gap.between @ gap.between + TINY)[()] + curved.value
        soft = where(less(at.g, 0.0), SOFTEST_INSIDE, by_precision(size, SOFTEST, SOFTEST_SINGLE))[()]
        shift, least = at.shift * size, where(less(0.0, curved.kink), 1.0, soft)[()] * size
        above = maximum(at.g, least)[()] + shift
        if not gap.is_round:
            solution = highest(z, q, (above, 0.0, above))
            return cls(T, [solution], 1.0, solution.value)
        H, B = (T @ x @ T.T for x in (curved.hessian, curved.bound))
        newton = highest(z, q, _positive(H + at.slowness * (B - H), at.g + shift, least))
        bounded = highest(z, q, (B[0, 0] + above, B[0, 1], B[1, 1] + above))
        pull = [sum(w * x[k] for w, x in zip(newton.weights, q, strict=True)) for k in range(2)]
        slope = sqrt(pull[0] * pull[0] + pull[1] * pull[1] + TINY)[()]
        part = maximum(1.0 - curved.kink / slope, 0.0)[()]
        level = sum(w * x for w, x in zip(newton.weights, z, strict=True))
        value = where(less(0.0, curved.kink), level + part * slope, newton.value)[()]
        return cls(T, [newton, bounded], part, value)

    def normal(self, n: Array, solution: Highest) -> Array:
        """n after a step, of at most 45°."""
        u1, u2 = (self.part * x for x in solution.u)
        length = 1.0 / sqrt(maximum(u1 * u1 + u2 * u2, 1.0))[()]
        m = n + (u1 * length) * self.tangents[0] + (u2 * length) * self.tangents[1]
        return (1.0 / sqrt(m @ m)[()]) * m


def pieces_at(gap: Gap, at: Ascent, T: Array, curved: Bulge) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """z and q of (2)."""
    points = [gap.between + pair[0] - pair[1] for pair in at.pairs]
    across = [p - curved.gradient for p in points]
    return [at.n @ p - curved.value for p in points], [(T[0] @ x, T[1] @ x) for x in across]


def _positive(H: Array, g: Any, least: Any) -> tuple[Any, Any, Any]:
    """H + g 1 with eigenvalues of at least some number: its entries 11, 12 and 22."""
    half, other = 0.5 * (H[0, 0] + H[1, 1]), 0.5 * (H[0, 0] - H[1, 1])
    spread = sqrt(other * other + H[0, 1] * H[0, 1] + TINY)[()]
    large, small = maximum(half + spread + g, least)[()], maximum(half - spread + g, least)[()]
    mean, part = 0.5 * (large + small), 0.5 * (large - small) / spread
    return mean + part * other, part * H[0, 1], mean - part * other


def ascend(gap: Gap, n: Array, pairs: Array, most: int = MOST_STEPS) -> Ascent:
    """The local maximum of g near n, from pairs (3, 2, 3) of points."""
    first = Trial.at(gap, n)
    size = sqrt(gap.between @ gap.between + TINY)[()] + gap.reach(n, first.pair)
    caps = [shape.R[:, 2] for shape in gap.shapes if shape.is_flat]

    def step(at: Ascent) -> Ascent:
        model = Model.at(gap, at)
        trials = [Trial.at(gap, model.normal(at.n, solution)) for solution in model.solutions]
        best, is_newton = trials[-1], 0.0
        spare = model.solutions[-1].spare
        if gap.is_round:
            is_newton = where(less(maximum(best.g, at.g)[()], trials[0].g), 1.0, 0.0)[()]
            best = best.better(trials[0], at.g)
            spare = where(less(0.5, is_newton), model.solutions[0].spare, spare)
        for cap in caps:
            best = best.better(Trial.at(gap, where(less(cap @ at.n, 0.0), -cap, cap)), at.g)
        rises = less(at.g, best.g)
        slower = minimum(SLOWEST, MORE_SLOW * at.slowness + FIRST_SLOW)
        return Ascent(
            where(rises, best.n, at.n),
            stack([where(less(0.5, flag), best.pair, x) for flag, x in zip(spare, at.pairs, strict=True)], axis=0),
            where(rises, best.g, at.g)[()],
            (model.value - at.g) / size,
            where(rises, LESS_SHIFT * at.shift, MORE_SHIFT * at.shift + FIRST_SHIFT)[()],
            where(less(0.5, is_newton), LESS_SLOW * at.slowness, slower)[()],
            at.steps + 1.0,
        )

    zero = 0.0 * size
    begin = Ascent(n, stack([*pairs, first.pair], axis=0), first.g, zero + 1.0, zero, zero, zero)
    rounding = by_precision(size, RISE, RISE_SINGLE)
    return iterate(step, begin, lambda at: less(at.rise, rounding), most)
