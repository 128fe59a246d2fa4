"""Contact problems by sweeps over blocks of rows, after Gauss and Seidel: each contact by itself, almost exactly.

With w the velocity of a block without its own impulse, A its block of G and s = |u_T| / |x_T| ≥ 0,

    (A_TT − A_TN A_NT / A_NN + s) x_T = −(w_T − A_TN w_N / A_NN),    x_N = −(w_N + A_NT x_T) / A_NN            (1)

It sticks if s = 0 leads into the cone, else s solves 1/|x_T| = 1/(μ x_N), which is almost linear in s: one step of
Newton's method for each sweep, s being kept from sweep to sweep and from step to step; if x_N is too small for that, s
begins where |A_NT| |x_T| can be no more than 0.7 of −w_N. Where w_N ≥ 0 there is no contact. Whatever is left of the
error, impulses are within their cones. Rows of spinning and rolling are blocks of their own, behind that of their
contact. Sweeps end when no velocity changes any more.

A sweep that changes impulses by f, to x, and by less than the last one did, begins the next one further on,

    y = x + β (x − x⁻),    β = −Δf·D f / Δf·D Δf,    0 ≤ β ≤ 1                                                (2)

with the diagonal D of G and Δf = f − f⁻, after Anderson: where slots share loads, half of the sweeps do.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, abs, iterate, less, maximum, maybe, minimum, sqrt, stack, where
from .. import dense
from .problem import (
    TINY,
    CompliantSum,
    Cone,
    ContactImpulses,
    ContactProblem,
    clipped,
    residual,
    scalar_impulse,
    within_disc,
)

MOST_SWEEPS = 100
LEAST_CHANGE, LEAST_CHANGE_SINGLE = 1e-5, 5e-5
"""Change of velocities in a sweep that ends it [m/s]; in single precision."""
LEAST_COMPLIANCE, LEAST_COMPLIANCE_SINGLE = 1e-11, 1e-6
"""What is added to that of directions, relative to all three of a contact: in some of them joints may not move it."""
FURTHEST = 1.0
"""Largest β."""
LEAST_PRESSURE, LEAST_SLOPE = 0.3, 0.2
"""Parts of x_N without slip, and of the slope of 1/|x_T|, below which Newton's steps are not trusted."""


def solve_by_sweeps(
    problem: ContactProblem, start: Array, slip: Array, least_change: float | None = None
) -> ContactImpulses:
    """The impulses, from some (n,) and slips (k,) near them, as those of the last step.

    Sweeps end at `least_change`, `LEAST_CHANGE` unless given; in single precision at `LEAST_CHANGE_SINGLE`.

    >>> from kinetrace.linalg.contact.problem import DenseCompliance
    >>> from kinetrace.linalg.scalar_sets import ScalarSets
    >>> none, zero = ScalarSets(*np.zeros((3, 0))), np.zeros(3)
    >>> problem = ContactProblem(DenseCompliance(np.eye(3)), np.array([3.0, 0.0, -1.0]), none, (Cone(0, 3, 0.5),))
    >>> found = solve_by_sweeps(problem, zero, np.zeros(1))
    >>> (found.x.round(3) + 0.0).tolist(), float(found.slip[0].round(3))
    ([-0.5, 0.0, 1.0], 5.0)
    """
    blocks = [_Block.of(problem.compliance.entry, cone) for cone in problem.cones]
    double = LEAST_CHANGE if least_change is None else least_change
    least = dense.by_precision(problem.compliance.entry(0, 0), double, LEAST_CHANGE_SINGLE)

    diagonal = stack([problem.compliance.entry(k, k) for k in range(len(problem.g))])

    def sweep(carry: Any) -> Any:
        (begin, last), last_step, (carried, last_carried), s, last_change = carry
        swept, moved, slips = _swept(problem, blocks, begin, carried, s)
        x, carried = stack(swept), _vector(moved, begin)
        step = x - begin
        change = dense.largest([abs(y) for y in diagonal * step])
        ahead = where(less(change, last_change), _ahead(diagonal, step, last_step), 0.0)[()]
        of_x, of_carried = ((y + ahead * (y - z), y) for y, z in ((x, last), (carried, last_carried)))
        return of_x, step, of_carried, _vector(slips, begin), change

    carried, none = problem.compliance.carried(start), 0.0 * start
    begin = (start, start), none, (carried, carried), slip, np.array(1.0)
    (_, x), _, _, slip, _ = iterate(sweep, begin, lambda at: less(at[4], least), MOST_SWEEPS)
    return ContactImpulses(x, slip, residual(problem, x))


def _ahead(diagonal: Array, step: Array, last: Array) -> Any:
    """β of (2)."""
    change = step - last
    weighted = diagonal * change
    return minimum(maximum(-(weighted @ step) / (weighted @ change + TINY), 0.0), FURTHEST)[()]


def _vector(x: list[Any], like: Array) -> Array:
    return stack(x) if x else like[:0]


def _swept(
    problem: ContactProblem, blocks: list[_Block], before: Array, carried: Array, s: Array
) -> tuple[list[Any], list[Any], list[Any]]:
    """All rows once."""
    n = len(problem.g)
    total = problem.compliance.sum_from([before[k] for k in range(n)], [carried[k] for k in range(len(carried))])
    slips = [s[k] for k in range(len(blocks))]
    for k in range(problem.scalars):
        t = problem.g[k] + total.without(k, range(k, k + 1))
        total.change(k, scalar_impulse(problem, k, t))
    for near, together in groupby(range(len(blocks)), lambda i: _Asked(blocks[i].cone.near)):
        members = list(together)
        if near.condition is None:
            _visit(problem, blocks, members, total, slips)
        else:
            _visit_if_near(problem, blocks, members, total, slips, near.condition)
    return total.x, total.carried, slips


class _Asked:
    """A condition, equal to itself."""

    def __init__(self, condition: Any) -> None:
        self.condition = condition

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.condition is other.condition

    __hash__ = object.__hash__


def _visit_if_near(
    problem: ContactProblem,
    blocks: list[_Block],
    members: list[int],
    total: CompliantSum,
    slips: list[Any],
    near: Any,
) -> None:
    """Blocks that machine code leaves out where they are far."""
    rows = [k for i in members for k in blocks[i].cone.places]
    places = problem.compliance.touched(rows)

    def visited() -> tuple[Array, Array, Array]:
        own = problem.compliance.sum_from(list(total.x), list(total.carried))
        after = list(slips)
        _visit(problem, blocks, members, own, after)
        return state(own, after)

    def state(of: CompliantSum, slips: list[Any]) -> tuple[Array, Array, Array]:
        parts = [of.x[k] for k in rows], [slips[i] for i in members], [of.carried[j] for j in places]
        x, slip, carried = (_vector(part, problem.g) for part in parts)
        return x, slip, carried

    x, slip, carried = maybe(near, visited, state(total, slips))
    for values, of, into in ((x, rows, total.x), (slip, members, slips), (carried, places, total.carried)):
        for k, place in enumerate(of):
            into[place] = values[k]


def _visit(
    problem: ContactProblem, blocks: list[_Block], members: list[int], total: CompliantSum, slips: list[Any]
) -> None:
    """Each block with the others held."""
    G = problem.compliance.entry

    def without(k: int, own: range) -> Any:
        return problem.g[k] + total.without(k, own)

    for i in members:
        cone = blocks[i].cone
        own = range(cone.first, cone.normal + 1)
        found, slips[i] = blocks[i].improved([without(k, own) for k in own], slips[i])
        for k, y in zip(own, found, strict=True):
            total.change(k, y)
        pressure = total.x[cone.normal]
        if cone.rows > 3:
            k = cone.first + 3
            total.change(k, clipped(-without(k, range(k, k + 1)) / G(k, k), cone.torsion * pressure))
        if cone.rows > 4:
            a, b = cone.places[4:]
            e, x = 0.5 * (G(a, a) + G(b, b)), total.x
            u = [without(k, range(0)) for k in (a, b)]
            rolled = within_disc(x[a] - u[0] / e, x[b] - u[1] / e, cone.rolling * pressure)
            for k, y in zip((a, b), rolled, strict=True):
                total.change(k, y)


class _Block(NamedTuple):
    """What of a contact does not change from sweep to sweep."""

    cone: Cone
    reciprocal: Any
    """1 / A_NN."""
    coupling: tuple[Any, Any] = (0.0, 0.0)
    """A_NT / A_NN."""
    A: tuple[Any, Any, Any] = (0.0, 0.0, 0.0)
    """Compliance of the tangents along a normal that does not move: entries 00, 10, 11."""

    @classmethod
    def of(cls, G: Callable[[int, int], Any], cone: Cone) -> _Block:
        n = cone.normal
        if cone.rows == 1:
            return cls(cone, 1.0 / G(n, n))
        a, b = cone.places[:2]
        size = G(a, a) + G(b, b) + G(n, n)
        least = size * dense.by_precision(size, LEAST_COMPLIANCE, LEAST_COMPLIANCE_SINGLE)
        over = 1.0 / (G(n, n) + least)
        h0, h1 = G(n, a) * over, G(n, b) * over
        p, r = G(a, a) + least - G(n, a) * h0, G(b, b) + least - G(n, b) * h1
        return cls(cone, over, (h0, h1), (p, G(b, a) - G(n, b) * h0, r))

    def improved(self, w: list[Any], s: Any) -> tuple[list[Any], Any]:
        """Impulses for velocities w without them, and s after a step of Newton's method."""
        if self.cone.rows == 1:
            return [maximum(-w[0] * self.reciprocal, 0.0)[()]], s
        w0, w1, wn = w
        (h0, h1), (p, q, r) = self.coupling, self.A
        b0, b1, alone = w0 - h0 * wn, w1 - h1 * wn, -wn * self.reciprocal
        low = LEAST_PRESSURE * maximum(alone, 0.0)[()] + TINY

        def at(s: Any) -> tuple[Any, ...]:
            P, R = p + s, r + s
            e = 1.0 / (P * R - q * q)
            x0, x1 = (q * b1 - R * b0) * e, (q * b0 - P * b1) * e
            return P, R, e, x0, x1, alone - h0 * x0 - h1 * x1

        P, R, e, x0, x1, pressure = at(s)
        y0, y1 = (q * x1 - R * x0) * e, (q * x0 - P * x1) * e  # ∂x_T/∂s
        square = x0 * x0 + x1 * x1 + TINY
        size, most = sqrt(square)[()], self.cone.friction * maximum(pressure, low)[()]
        falls, grows = -(x0 * y0 + x1 * y1), -(h0 * y0 + h1 * y1) * self.cone.friction * size
        slope = maximum(falls * most * most + grows * square, LEAST_SLOPE * falls * most * most + TINY)[()]
        newton = maximum(s + (size - most) * square * most / slope, 0.0)[()]
        pressing = (abs(h0) + abs(h1)) * (abs(b0) + abs(b1)) / ((1.0 - LEAST_PRESSURE) * maximum(alone, 0.0)[()] + TINY)
        s = where(less(pressure, low), pressing, newton)[()]
        *_, x0, x1, pressure = at(s)
        pressure = maximum(pressure, 0.0)[()]
        inside = minimum(self.cone.friction * pressure / sqrt(x0 * x0 + x1 * x1 + TINY)[()], 1.0)[()]
        touches = less(wn, 0.0)
        found = [where(touches, y, 0.0)[()] for y in (x0 * inside, x1 * inside, pressure)]
        return found, where(touches, s, 0.0)[()]
