"""Impulses that keep rows of velocity in their sets: dry friction, stops, equalities, solved together and exactly.

    u = G x + g,    −x_k ∈ ∂φ_k(u_k),    φ_k(u) = f_k |u| on lower_k ≤ u ≤ upper_k, infinite elsewhere

u (n,) are the rows' velocities after a step, x (n,) their impulses, g the velocities without them, G = K W⁻¹ Kᵀ their
compliance. A set is three numbers, so that one row of velocity has one monotone law, and G is regular on trees:

    u = 0               lower = upper = 0           f = 0
    u ≥ a               lower = a                   f = 0
    |x| ≤ f, and −x = f sign(u) if u moves          f > 0, no bounds
    a joint with both   lower, upper and f

With t = u − G_kk x, the velocity of a row were its own impulse zero, a row by itself has the solution

    u = clip(t − clip(t, −G_kk f, G_kk f), lower, upper),    x = (u − t) / G_kk                                (1)

It is *held* (at zero, or at a bound: u is known) or *slips* (x = ∓f is known, or zero). With all rows held or slipping,
what is not known follows from a linear system,

    G_hh x_h = u_h − g_h − G_hs x_s                                                                            (2)

x minimises the dual objective, which has kinks at x_k = ∓f_k, where rows slip, and is smooth between them:

    ½ xᵀ G x + gᵀ x + Σ φ_k*(−x_k),    φ_k*(−x) = max −x u − f |u| over u = lower, upper and the nearest to 0   (3)

Each iteration takes rows between kinks as held there, and rows at a kink as (1) says, and solves (2). If that is no
solution, it goes along (2), no row past a kink, as far as (3) is smallest, and then improves all rows by (1), one after
the other: the projected Newton steps of `box`, with Gauss and Seidel's sweeps for the projection. Once the regions of a
solution are found, (2) is exact; regions of the last step are mostly those of this one, and then (2) is all. Impulses
are NaN if the iterations come to no solution.

Without redundant rows G is positive definite, and x is unique; with them u is, and x is one solution of many, near the
least. Then (2) may have no solution, as more rows are held than can be, and its least squares are far away; so are
solutions of systems in bad condition. Steps of Levenberg and Marquardt are tried beside it. Derivatives are those of
(2) with the regions as they are.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, abs, hold, iterate, less, maximum, minimum, stack, where, with_derivatives
from . import dense

MOST_ITERATIONS, MOST_REDUNDANT = 60, 300
"""Of regular and of redundant rows."""
ROUNDING, ROUNDING_SINGLE = 1e-12, 1e-4
"""Error of (1), relative to the terms of a row, that counts as zero; in single precision."""
ACCEPTED, ACCEPTED_SINGLE = 1e-3, 1e-2
"""The same of what is no solution, but near one, when the iterations end: of many redundant rows that hardly slip."""
STEP_LENGTHS = (0.6, 0.2)
"""Parts of the way to the solution of (2) that are tried: any will do, a long one and a short one."""
FAR = 1e30
"""Impulse beyond all others."""
UNMOVED = 1e-12
"""Compliance below which a row cannot move, relative to the largest."""
REDUNDANT_SHIFT, REDUNDANT_PASSES = 1e-5, 5
"""Increase of the diagonal where rows may be redundant, relative to itself, and solutions with it, which undo it: each
takes away all but 1e-5 of the error, to rounding."""
SHIFTS_OF_LEVENBERG, SHIFTS_OF_REDUNDANT = (1e-2,), (1e-1, 1e-3)
"""The same of steps toward (2), where that is far away. Of 1,000 random G with conditions of up to 1e6 all are solved,
without these steps 979. Of two arms with a beam, 14 rows in 8 velocities, the longest of 120 problems took 5
iterations, before 181; of a delta robot, 15 rows in 3, 95 % take at most 117, before more than 400."""


class ScalarSets(NamedTuple):
    """Sets of n rows of velocity; dry friction is symmetric, as much in one direction as in the other."""

    lower: Array
    """(n,) of the velocity; minus infinity where there is none."""
    upper: Array
    """(n,); infinity where there is none."""
    friction: Array
    """(n,) the most impulse of dry friction."""


class Regions(NamedTuple):
    """Where rows are in their sets: 1 or 0 for each, all 0 where they slip or are free."""

    lower: Array
    upper: Array
    still: Array
    """Held at zero by dry friction."""

    @property
    def held(self) -> Array:
        """1 for rows whose velocity is known."""
        return self.lower + self.upper + self.still


class RowImpulses(NamedTuple):
    """A solution."""

    x: Array
    """(n,) impulses [N m s, N s]."""
    u: Array
    """(n,) velocities of the rows, those of held rows exact."""
    at: Regions


def solve_scalar_sets(
    G: Array, g: Array, sets: ScalarSets, start: Array | None = None, redundant: bool = False
) -> RowImpulses:
    """Impulses (n,) of rows with the compliance G (n, n) and the velocities g (n,) without them.

    `start` are impulses near the solution, as those of the last step; it does not change the result. With `redundant`,
    rows may depend on each other.

    >>> sets = ScalarSets(np.array([-np.inf, 0.0]), np.array([np.inf, np.inf]), np.array([1.0, 0.0]))
    >>> found = solve_scalar_sets(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, -3.0]), sets)
    >>> found.x.round(3), found.u.round(3)
    (array([-1.,  2.]), array([1., 0.]))
    """
    n = len(g)
    if n == 0:
        return RowImpulses(g, g, Regions(g, g, g))
    D = stack([G[k, k] for k in range(n)])
    scale = dense.largest(D)
    moves = where(less(UNMOVED * scale, D), 1.0, 0.0)
    rounding = dense.by_precision(scale, ROUNDING, ROUNDING_SINGLE)

    rows = _Rows(G, g, sets, D, moves, redundant)

    def attempt(x: Array) -> _Attempt:
        candidate = rows.linear(rows.regions_at(x), x, x)
        solved = where(less(rows.worst(candidate, rounding), 0.0), 1.0, 0.0)[()]
        return _Attempt(where(less(0.5, solved), candidate, x), candidate, solved)

    def step(last: _Attempt) -> _Attempt:
        at, shifts = rows.regions_at(last.x), SHIFTS_OF_REDUNDANT if redundant else SHIFTS_OF_LEVENBERG
        ends = [last.candidate, *(rows.shifted(at, last.x, last.x, shift, 1) for shift in shifts)]
        nearest = rows.best([last.x, *(y for end in ends for y in rows.paths(at, last.x, end))])
        return attempt(rows.swept(nearest))

    first = attempt(rows.within(0.0 * g if start is None else start))
    most = MOST_REDUNDANT if redundant else MOST_ITERATIONS
    x = iterate(step, first, lambda last: less(0.5, last.solved), most).x
    accepted = dense.by_precision(scale, ACCEPTED, ACCEPTED_SINGLE)
    x = where(less(rows.worst(x, accepted), 0.0), x, math.nan)
    at = rows.regions(rows.without_own(x))
    x = with_derivatives(x, lambda: rows.linear(at, x, hold(x) if redundant else 0.0 * x))
    u = where(less(0.5, at.held), rows.target(at), g + G @ x)
    return RowImpulses(x, u, at)


class _Attempt(NamedTuple):
    """Carry of the search."""

    x: Array
    """Impulses (n,): the solution, if they are."""
    candidate: Array
    """Those by (2)."""
    solved: Array
    """1 or 0."""


class _Rows(NamedTuple):
    """The problem."""

    G: Array
    g: Array
    sets: ScalarSets
    D: Array
    """The diagonal of G."""
    moves: Array
    """1 for rows that can move, else 0."""
    redundant: bool

    def without_own(self, x: Array) -> Array:
        """t of (1): the velocity of each row, were its own impulse zero."""
        return self.g + self.G @ x - self.D * x

    def slid(self, t: Array) -> Array:
        """The velocity (1) without bounds."""
        most = self.D * self.sets.friction
        return t - maximum(minimum(t, most), -most)

    def regions(self, t: Array) -> Regions:
        """Where (1) is, of each row by itself."""
        slid = self.slid(t)
        lower = where(less(self.sets.lower, slid), 0.0, 1.0)
        upper = where(less(slid, self.sets.upper), 0.0, 1.0) * (1.0 - lower)
        still = where(less(abs(t), self.D * self.sets.friction), 1.0, 0.0) * (1.0 - lower) * (1.0 - upper)
        return Regions(lower, upper, still)

    def regions_at(self, x: Array) -> Regions:
        """Regions of impulses: of those at a kink as (1) says."""
        f, (to_lower, to_upper) = self.sets.friction, self.kinks()
        by_law = self.regions(self.without_own(x))
        lower, upper = where(less(to_lower, x), 1.0, 0.0), where(less(x, to_upper), 1.0, 0.0)
        still = where(less(-f, x), where(less(x, f), 1.0, 0.0), 0.0) * (1.0 - lower) * (1.0 - upper)
        between = less(0.5, lower + upper + still)
        return Regions(*(where(between, a, b) for a, b in zip((lower, upper, still), by_law, strict=True)))

    def kinks(self) -> tuple[Array, Array]:
        """Impulses above which a row is at its lower bound, and below which it is at its upper one."""
        f = self.sets.friction
        return where(less(self.sets.lower, 0.0), f, -f), where(less(0.0, self.sets.upper), -f, f)

    def target(self, at: Regions) -> Array:
        """The velocities of held rows; zero for others."""
        zero = 0.0 * at.still
        return where(less(0.5, at.lower), self.sets.lower, where(less(0.5, at.upper), self.sets.upper, zero))

    def linear(self, at: Regions, x: Array, start: Array) -> Array:
        """The impulses by (2), near those of `start`; rows slip in the direction that they have under x."""
        if self.redundant:
            return self.shifted(at, x, start, REDUNDANT_SHIFT, REDUNDANT_PASSES)
        return self.shifted(at, x, start, 0.0, 1)

    def shifted(self, at: Regions, x: Array, start: Array, shift: float, passes: int) -> Array:
        """Solutions of (2), each from the last, with an increase of the diagonal relative to itself."""
        t, held, f, n = self.without_own(x), at.held * self.moves, self.sets.friction, len(x)
        slip = where(less(0.0, t), -f, where(less(t, 0.0), f, 0.0))
        x = where(less(0.5, held), start, slip * self.moves)
        masked = self.G * held[:, None] * held[None, :] * (1.0 + shift * np.eye(n))
        factors = dense.factor(masked + np.eye(n) * (1.0 - held), semidefinite=self.redundant)
        for _ in range(passes):
            x = x + dense.solve(factors, held * (self.target(at) - self.g - self.G @ x))
        return x

    def worst(self, x: Array, tolerance: Array) -> Array:
        """The largest error of (1) beyond a tolerance, which is relative to the terms of a row."""
        error, terms = self.errors(x)
        return dense.largest(error - tolerance * terms)

    def errors(self, x: Array) -> tuple[Array, Array]:
        """The errors (n,) of (1), and the sums of the magnitudes of their terms."""
        t, (_, lower, upper) = self.without_own(x), self._bounds()
        u = minimum(maximum(self.slid(t), self.sets.lower), self.sets.upper)
        terms = abs(self.g) + abs(self.G) @ abs(x) + abs(lower) + abs(upper) + self.D * self.sets.friction + 1e-300
        return self.moves * abs(u - (t + self.D * x)), terms

    def within(self, x: Array) -> Array:
        """The nearest impulses with a finite objective."""
        f = self.sets.friction
        x = where(less(-np.inf, self.sets.lower), x, minimum(x, f))
        return where(less(self.sets.upper, np.inf), x, maximum(x, -f))

    def paths(self, at: Regions, begin: Array, end: Array) -> list[Array]:
        """Impulses on the way from some to others, for the search.

        - As far as all rows together can go before one leaves its region.
        - Each row as far as it can itself.
        - Parts of the way, whatever regions rows are in then.
        """
        f, (to_lower, to_upper) = self.sets.friction, self.kinks()
        least = where(less(0.5, at.lower), to_lower, where(less(0.5, at.upper), -np.inf, -f))
        most = where(less(0.5, at.upper), to_upper, where(less(0.5, at.lower), np.inf, f))
        step = end - begin
        room = where(less(0.0, step), most - begin, where(less(step, 0.0), begin - least, FAR))
        room = where(less(0.0, room), where(less(room, FAR), room, FAR), FAR)
        length = room / (abs(step) + 1.0 / FAR)
        shortest = minimum(-dense.largest(-length), 1.0)
        inside = [minimum(maximum(begin + s * step, least), most) for s in (shortest, 1.0)]
        return [*inside, *(self.within(begin + s * step) for s in STEP_LENGTHS)]

    def best(self, candidates: list[Array]) -> Array:
        """Those with the smallest objective (3)."""
        found, least = candidates[0], self.objective(candidates[0])
        for x in candidates[1:]:
            value = self.objective(x)
            better = less(value, least)
            found, least = where(better, x, found), where(better, value, least)
        return found

    def _bounds(self) -> tuple[Array, Array, Array]:
        """The velocity nearest to zero, and the bounds, or that where there is none."""
        least = minimum(maximum(0.0 * self.g, self.sets.lower), self.sets.upper)
        lower, upper = self.sets.lower, self.sets.upper
        return least, where(less(-np.inf, lower), lower, least), where(less(upper, np.inf), upper, least)

    def objective(self, x: Array) -> Array:
        """(3) where it is finite."""
        conjugate = reduce(maximum, (-x * u - self.sets.friction * abs(u) for u in self._bounds()))
        return 0.5 * (x @ (self.G @ x)) + self.g @ x + conjugate @ np.ones(len(x))

    def swept(self, x: Array) -> Array:
        """(1) for one row after the other."""
        each: list[Any] = [x[k] for k in range(len(x))]
        for k in range(len(each)):
            own = [y[k : k + 1] for y in (self.D, *self.sets)]
            t = self.g[k] + sum((self.G[k, j] * each[j] for j in range(len(each)) if j != k), start=0.0)
            row = _Rows(own[0][:, None], own[0], ScalarSets(*own[1:]), own[0], self.moves[k : k + 1], False)
            each[k] = row.alone(stack([t]))[0]
        return stack(each)

    def alone(self, t: Array) -> Array:
        """The impulses (1)."""
        at, f = self.regions(t), self.sets.friction
        slip = where(less(0.0, t), -f, where(less(t, 0.0), f, 0.0))
        compliance = where(less(0.5, self.moves), self.D, 1.0)
        return self.moves * where(less(0.5, at.held), (self.target(at) - t) / compliance, slip)
