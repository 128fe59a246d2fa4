"""Contacts with friction, stops and dry friction of joints and closed loops, by Newton's method for velocities.

    W (v − v₀) = f + Kᵀ x + Cᵀ λ,    u = K v + b,    C v = c,    x and u as `laws` says                    (1)

W is not inverted, and K W⁻¹ Kᵀ not formed. By the projections (1) of `laws` x is a function of v, with a
weight r and a centre c, and v the root of

    F(v) = W (v − v₀) − f − Kᵀ x(K v),    F' = W + Kᵀ B K,    B = −∂x/∂u                                       (2)

which has the zeros of W if contacts are with the world, else those of the graph of contacts. Where x(u) solves (2), it
is the next centre: impulses come nearer to the law each time, and the faster the smaller r (the method of multipliers).
So r decreases from a hundredth of the compliance of a row while that goes well, and increases if not.

Friction grows with pressure, so that B is not symmetric. Near a solution this makes the method quadratic; where it does
not come nearer, friction is bounded by the pressure of the centre instead. Then (2) is the gradient of a convex
function, along which a search goes downhill. The impulses of the last step are the first centre: of what rests, they
are those of this step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import (
    Array,
    abs,
    concatenate,
    hold,
    iterate,
    less,
    maximum,
    minimum,
    sqrt,
    stack,
    where,
    with_derivatives,
)
from .. import dense, sparse
from ..scalar_sets import ScalarSets
from ..unsymmetric import factor as lu_factor
from ..unsymmetric import solve as lu_solve
from .laws import TINY, ConeLaws, ContactLaws, Slopes, law_residual, row_compliances

MOST_ITERATIONS = 60
ROUNDING, ROUNDING_SINGLE = 1e-8, 1e-5
"""Momenta that are left, as velocities, relative to the largest; in single precision."""
TERMS = 1e-4
"""What counts of impulses, as velocities, beside velocities: the rounding of their sums; all in single precision."""
LAW, LAW_SINGLE = 1e-7, 1e-4
"""Distance of velocities from those that obey the law, relative to the largest; in single precision."""
PATIENCE = 1.15
"""By how much these grow in an iteration: 4 times in 10, 270 times in 40, where masses or rounding leave no more."""
FIRST_WEIGHT, LARGEST_WEIGHT = 0.01, 1.0
SMALLEST_WEIGHT, SMALLEST_SINGLE = 1e-6, 1e-2
"""Weights r, relative to the compliances of rows; in single precision."""
DECREASE, INCREASE = 0.3, 4.0
"""Factors of weights."""
ACCEPTED, GOOD = 0.1, 1e-3
"""Slopes at the end of a step, relative to the beginning: of steps that go well, and of those that decrease weights."""
SEARCHES = 3
"""Points on the way of a step that are tried."""
DERIVATIVE_WEIGHT, DERIVATIVE_SINGLE = 1e-8, 1e-4
"""Weights with which derivatives are taken: their errors, relative to themselves."""


class Closures(NamedTuple):
    """Rows of velocity that are known: C v = c."""

    C: Array
    """(m, nv), independent."""
    c: Array
    """(m,)"""

    def multipliers(self, inertia: Array, rates: Array) -> Array:
        """Impulses (m,) that change C v by these rates (m,), for a diagonal inertia (nv,)."""
        return dense.solve(dense.factor(sparse.product(self.C, (self.C / inertia).T)), rates)


class ConeSolution(NamedTuple):
    """A solution."""

    v: Array
    """(nv,) velocities after the step."""
    x: Array
    """(rows,) impulses."""
    slip: Array
    """(n,) speed of slip for an impulse of friction of one: 0 where contacts stick, or do not touch."""
    residual: Array
    """() the largest error, as a velocity."""


def solve_by_newton(
    W: Array,
    K: Array,
    v: Array,
    cones: ConeLaws,
    sets: ScalarSets | None = None,
    closures: Closures | None = None,
    start: Array | None = None,
    push: Array | None = None,
    drift: Array | None = None,
) -> ConeSolution:
    """Velocities after a step, of velocities v (nv,) before, or of those without impulses.

    W (nv, nv) is the inertia, K (rows, nv) has the rows of contacts, one after the other, and then those of joints,
    `push` (nv,) are the impulses f of all other forces, zero if v are velocities after them. `start` (rows,) are
    impulses near the solution, as those of the last step. `drift` (rows,) are velocities of
    surfaces that move by themselves: u = K v + drift.

    >>> cones = ConeLaws(np.array([0.5]), np.zeros(1), np.zeros(1))
    >>> found = solve_by_newton(np.eye(3), np.eye(3), np.array([3.0, 0.0, -1.0]), cones)
    >>> (found.v.round(6) + 0.0).tolist(), found.x.round(6).tolist()
    ([2.5, 0.0, 0.0], [-0.5, 0.0, 1.0])
    """
    laws, f = ContactLaws.of(cones, sets), 0.0 * v if push is None else push
    moving = np.zeros(len(K)) if drift is None else drift
    at = _Problem(W, K, laws, row_compliances(W, K, cones), closures, v, f, moving)
    first = at.begin(0.0 * (K @ v) if start is None else start)
    end = at.in_cones(iterate(at.improved, first, at.is_solved, MOST_ITERATIONS))
    v, x = at.with_derivatives(end)
    u = at.along(v)
    residual = maximum(law_residual(laws, u, x, at.compliance), at.size(end.rest))[()]
    return ConeSolution(v, x, _slips(laws, u, x), residual)


def _slips(laws: ContactLaws, u: Array, x: Array) -> Array:
    """|u_T| / |x_T| of contacts, zero where x_T is."""
    (u0, u1, *_), (x0, x1, *_) = laws.columns(u)[0], laws.columns(x)[0]
    friction = sqrt(x0 * x0 + x1 * x1)
    touches = less(0.0, friction)
    return where(touches, sqrt(u0 * u0 + u1 * u1) / where(touches, friction, 1.0), 0.0)


class _Iterate(NamedTuple):
    """Carry of the method."""

    v: Array
    u: Array
    """K v."""
    momentum: Array
    """W (v − v₀) − f."""
    centre: Array
    x: Array
    """Impulses for this centre."""
    rest: Array
    """(2)."""
    weight: Any
    """r relative to compliances."""
    coupled: Any
    """1 where friction grows with pressure, 0 where it is bounded by that of the centre."""
    next_weight: Any
    is_next: Any
    """1 where x is the next centre, else 0."""
    patience: Any
    """Factor of tolerances."""


class _Problem(NamedTuple):
    """The problem."""

    W: Array
    K: Array
    laws: ContactLaws
    compliance: Array
    """(rows,) about the diagonal of K W⁻¹ Kᵀ."""
    closures: Closures | None
    before: Array
    """(nv,) v₀."""
    push: Array
    """(nv,) f."""
    drift: Array
    """(rows,)"""

    def along(self, v: Array) -> Array:
        """u (rows,)."""
        return self.K @ v + self.drift

    @property
    def inertia(self) -> Array:
        """The diagonal of W."""
        return stack([self.W[j, j] for j in range(len(self.W))])

    def begin(self, centre: Array) -> _Iterate:
        """The velocities before, with loops closed."""
        v, momentum, zero = self.before, -self.push, 0.0 * self.before[0]
        if self.closures is not None:
            C, c = self.closures
            change = (self.closures.multipliers(self.inertia, c - C @ v) @ C) / self.inertia
            v, momentum = v + change, momentum + self.W @ change
        u, weight = self.along(v), FIRST_WEIGHT + zero
        x = self._impulses(u, centre, weight, 1.0 + zero)
        return _Iterate(v, u, momentum, centre, x, momentum - x @ self.K, weight, 1.0 + zero, weight, zero, 1.0 + zero)

    def _impulses(self, u: Array, centre: Array, weight: Any, coupled: Any) -> Array:
        return self.laws.impulses(u, centre, weight * self.compliance, self._pressure(u, centre, weight, coupled))

    def _pressure(self, u: Array, centre: Array, weight: Any, coupled: Any) -> Array:
        """Normal impulses (n,) that bound friction."""
        own = self.laws.normal(u, centre, weight * self.compliance)
        return where(less(0.5, coupled), own, maximum(self.laws.columns(centre)[0][2], 0.0))

    def scale(self) -> Array:
        """The size of velocities ()."""
        return dense.largest_entry(self.before) + dense.largest_entry(self.push / self.inertia)

    def is_solved(self, at: _Iterate) -> Array:
        """Whether (2) is rounding, and velocities are near those of the law."""
        scale = at.patience * self.scale()
        rounding = dense.by_precision(1.0 + scale, ROUNDING, ROUNDING_SINGLE)
        of_law = dense.by_precision(1.0 + scale, LAW, LAW_SINGLE)
        terms = dense.by_precision(1.0 + scale, TERMS, 1.0) * dense.largest_entry(self.compliance * at.x)
        solved = where(less(self.size(at.rest), rounding * (scale + terms) + TINY), 1.0, 0.0)[()]
        beside = dense.largest_entry(at.weight * self.compliance * (at.x - at.centre))
        return less(0.5, where(less(beside, of_law * scale + TINY), solved, 0.0)[()])

    def size(self, rest: Array) -> Array:
        """Momenta (nv,) as a velocity (), without what closed loops take."""
        if self.closures is not None:
            C = self.closures.C
            rest = rest - self.closures.multipliers(self.inertia, C @ (rest / self.inertia)) @ C
        return dense.largest_entry(rest / self.inertia)

    def slope_matrix(self, slopes: Slopes) -> Array:
        """F' (nv, nv)."""
        rows, of_joints = self.laws.columns(self.K)
        normal = slopes.normal[:, None] * rows[2]
        beside, left, right = rows[2], [of_joints], [slopes.scalar[:, None] * of_joints]
        for first, a, b, d, *pushes in slopes.discs:
            p, q = rows[first], rows[first + 1]
            left += [p, q]
            right += [a[:, None] * p + b[:, None] * q, b[:, None] * p + d[:, None] * q]
            beside = beside + pushes[0][:, None] * p + pushes[1][:, None] * q
        if slopes.spin is not None:
            left, right = [*left, rows[3]], [*right, slopes.spin[0][:, None] * rows[3]]
            beside = beside + slopes.spin[1][:, None] * rows[3]
        P, Q = concatenate(left, axis=0), concatenate(right, axis=0)
        nv = len(self.W)
        lower = [
            concatenate([sparse.product(P.T[i : i + 1], Q[:, : i + 1])[0], np.zeros(nv - i - 1)]) for i in range(nv)
        ]
        return dense.symmetric(self.W + stack(lower, axis=0)) + sparse.product(beside.T, normal)

    def direction(self, rest: Array, slopes: Slopes) -> tuple[Array, Array]:
        """The step of Newton's method, along which loops stay closed, and what is left without their impulses."""
        factors = lu_factor(self.slope_matrix(slopes))
        free = lu_solve(factors, -rest)
        if self.closures is None:
            return free, rest
        C = self.closures.C
        of_loops = lu_solve(factors, C.T)
        multipliers = lu_solve(lu_factor(sparse.product(C, of_loops)), C @ free)
        return free - of_loops @ multipliers, rest + multipliers @ C

    def improved(self, last: _Iterate) -> _Iterate:
        """The next centre and weight, and a step."""
        weight, coupled = last.next_weight, last.coupled
        centre, r = where(less(0.5, last.is_next), last.x, last.centre), weight * self.compliance
        pressure = self._pressure(last.u, centre, weight, coupled)
        begin_x, slopes = self.laws.impulses_and_slopes(last.u, centre, r, pressure, coupled)
        rest = last.momentum - begin_x @ self.K
        dv, rest = self.direction(rest, slopes)
        du, change = self.K @ dv, self.W @ dv
        begin, along = rest @ dv, change @ dv

        def slope(t: Any) -> Any:
            return begin + t * along - (self._impulses(last.u + t * du, centre, weight, coupled) - begin_x) @ du

        end = slope(1.0)
        accepted = less(abs(end), ACCEPTED * abs(begin))
        part = where(accepted, 1.0, _root(slope, begin, end))[()]
        v, u, momentum = last.v + part * dv, last.u + part * du, last.momentum + part * change
        x = self._impulses(u, centre, weight, coupled)
        smallest = dense.by_precision(1.0 + abs(weight), SMALLEST_WEIGHT, SMALLEST_SINGLE)
        decreased = where(less(abs(end), GOOD * abs(begin)), maximum(DECREASE * weight, smallest), weight)
        after = where(accepted, decreased, minimum(INCREASE * weight, LARGEST_WEIGHT))[()]
        is_next = where(accepted, 1.0, 0.0)[()]
        patience, left = PATIENCE * last.patience, momentum - x @ self.K
        return _Iterate(v, u, momentum, centre, x, left, weight, is_next, after, is_next, patience)

    def in_cones(self, end: _Iterate) -> _Iterate:
        """Impulses of friction bounded by the pressure there is, whatever is left of the error."""
        x = self._impulses(end.u, end.centre, end.weight, 1.0)
        return end._replace(x=x, rest=end.momentum - x @ self.K)

    def with_derivatives(self, end: _Iterate) -> tuple[Array, Array]:
        """Velocities and impulses with the derivatives of a solution of (2), for small weights.

        A centre has these impulses at these velocities for any weights, by (1) of `laws`.
        """

        def impulses(v: Array) -> Array:
            r = hold(self._small_weights(end))
            centre = hold(end.x + end.weight * self.compliance * (end.centre - end.x) / r)
            return self.laws.impulses(self.along(v), centre, r)

        def solved() -> Array:
            C, c = (np.zeros((0, len(self.W))), np.zeros(0)) if self.closures is None else self.closures
            inertia = hold(self.inertia)
            rates = C @ (end.rest / inertia)
            multipliers = rates if self.closures is None else self.closures.multipliers(inertia, rates)

            def step(at: tuple[Array, Array]) -> tuple[Array, Array]:
                v, multipliers = at
                rest = self.W @ (v - self.before) - self.push - impulses(v) @ self.K - multipliers @ C
                return v - rest / inertia, multipliers + c - C @ v

            return iterate(step, (end.v, multipliers), lambda at: 1.0, 1)[0]

        v = with_derivatives(end.v, solved)
        return v, with_derivatives(end.x, lambda: impulses(v))

    def _small_weights(self, end: _Iterate) -> Array:
        """Weights r (rows,) that change slopes by a small part only.

        A slope is 1/r of what is held, 1/(r + R) of soft normals, and |x_T|/|u_T|, less r, of what slips.
        """
        part = dense.by_precision(1.0 + 0.0 * end.weight, DERIVATIVE_WEIGHT, DERIVATIVE_SINGLE)
        (r, of_joints), (x, _) = self.laws.columns(part * self.compliance), self.laws.columns(end.x)
        obeying = self.laws.columns(end.u + end.weight * self.compliance * (end.x - end.centre))[0]
        r[2] = maximum(r[2] - self.laws.cones.softness, part * r[2])
        for k in (0, 4)[: 1 if self.laws.cones.rolling is None else 2]:
            speed, friction = (sqrt(y[k] * y[k] + y[k + 1] * y[k + 1] + TINY) for y in (obeying, x))
            slips = less(part * self.scale(), speed)
            r[k] = r[k + 1] = where(slips, minimum(r[k], part * speed / friction), r[k])
        return self.laws.joined(r, of_joints)


def _root(slope: Any, begin: Any, end: Any) -> Any:
    """Where a slope, negative at 0, vanishes on the way to 1, or near 1 if it does not."""
    low, high, of_low, of_high, t = 0.0, 1.0, begin, end, 1.0
    for _ in range(SEARCHES):
        t = low + (high - low) * minimum(maximum(of_low / (of_low - of_high - TINY), 0.1), 0.9)[()]
        found = slope(t)
        falls = less(found, 0.0)
        low, of_low = where(falls, t, low)[()], where(falls, found, of_low)[()]
        high, of_high = where(falls, high, t)[()], where(falls, of_high, found)[()]
    return t
