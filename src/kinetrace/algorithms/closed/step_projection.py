"""Projection of the state after a step in time on closed loops: the nearest that they allow, by kinetic energy.

    q⁺ = q ⊕ −Z λ,    φ(q⁺) = 0              Z = M⁻¹ Kᵀ at q₀; for λ, of the rows that hold positions
    v⁺ = v − Z y,     K⁺ v⁺ = r              K⁺ at q⁺, of all rows; r is what a drive prescribes

`step`, rollouts and simulations use it where loops are nearly closed, after each step: it costs about one solution with
matrices that the step has at hand. `loop_closing` closes loops from anywhere, at any price, and has what users call.

To first order in the distance, q⁺ is the nearest configuration and v⁺ the nearest velocity (Gauss's principle of least
constraint, for the change of a velocity). q₀ is q, or where a step in time has evaluated the dynamics last: they have
factored M and the Delassus matrix K Z there already. λ and y are found by Newton's method with K Z for its slope, a
step of λ and then one of y at the new configuration; one or two of these suffice after steps of "rk4" and "rkmk4",
whose last stage is near q⁺. From where this does not lead to closed loops, Z and K Z are computed anew, and long steps
are shortened. Derivatives are those of the equations (`projection`); `derivatives.projection` has them by hand.

Joints at hard stops, and those that dry friction holds, stay where they are: the state moves along the other velocities
alone, which is the same as rows of the identity beside K, with residuals of zero. A joint that would be moved past its
stop is put on it, and held too; if loops have no way to close then, it is held alone. At dead points, loops are closed
and a stop is passed a little.

What floats keeps its momentum (`floating_momentum`): projections displace bodies, and would change it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate, iterate, less, maximum, where, with_derivatives
from ...linalg import dense
from ...linalg.newton import Iterate, Newton
from ...model.model import Model
from ..constraints.joint_rows import JointRows
from ..dynamics.floating_momentum import floating_bodies, with_momenta_of
from .closure_paths import Drive
from .closures import size_of
from .loop_closing import LONGEST_STEP
from .projection import ClosureConditions, ClosurePoint, solution

NEWTON_STEPS, STEPS_FROM_AFAR, ROUNDS_OF_STOPS = 32, 60, 4
"""Steps at most, with Z at q₀, and with Z of each; one or two suffice after a step in time. How often joints that would
pass their stops are looked for."""
LARGEST_DISPLACEMENT = 1.0
"""Of a projection [rad], and [m] times the size of the robot: what is farther away is another motion."""
AT_STOP, AT_STOP_SINGLE = 1e-12, 1e-6
"""Distance of a joint from its stop [rad, m] that is rounding."""


class Found(NamedTuple):
    """A state (nq,), (nv,), and how far its loops are from closed."""

    q: Array
    v: Array
    residual: Array
    is_open: Array
    """1 unless loops are closed there, else 0."""


def _near(of: ClosureConditions, q: Array, v: Array, point: ClosurePoint, held: Array | None = None) -> Found:
    """The closed state along Z of a point, or the state itself if that leads to none."""
    model, n, m = of.model, of.model.nv, of.model.closure_rows
    by_place, by_velocity = of.rows_of_positions(point, held), of.rows_of_velocities(point, held)

    def along_Z(x: Array, left: Array) -> Array:
        delta = x[:n] - by_place.closing(of.beyond_rounding(left[:m]))
        speeds = of.speeds(model.integrate(q, delta), x[n:])
        return concatenate([delta, x[n:] - by_velocity.closing(of.speed * of.beyond_rounding(speeds))])

    newton = Newton(lambda x: of.residual(model.integrate(q, x[:n]), x[n:]), of.tight, of.rounding)
    opening = concatenate([of.opening(q), np.zeros(m)])
    found = newton.solve(Iterate(concatenate([np.zeros(n), v]), opening, np.array(math.inf)), along_Z, NEWTON_STEPS)
    is_closed, moved = less(dense.largest_entry(found.residual), of.tight), model.integrate(q, found.x[:n])
    x = where(is_closed, concatenate([moved, found.x[n:]]), concatenate([q, v]))
    residual = where(is_closed, found.residual, opening)
    return Found(x[: model.nq], x[model.nq :], residual, where(is_closed, 0.0, 1.0))


def _far(of: ClosureConditions, begin: Found) -> Found:
    """The closed state by steps along Z of each, from a state whose loops are open."""
    model, nq, m = of.model, of.model.nq, of.model.closure_rows

    def along_new_Z(x: Array, left: Array) -> Array:
        at = ClosurePoint(x[:nq], of.drive)
        delta = of.rows_of_positions(at).closing(left[:m])
        w = of.rows_of_velocities(at).closing(of.speed * left[m:])
        shorter = LONGEST_STEP / maximum(dense.largest_entry(delta), LONGEST_STEP)
        return concatenate([model.integrate(x[:nq], -delta * shorter), x[nq:] - w])

    newton = Newton(lambda x: of.residual(x[:nq], x[nq:]), of.closed, of.rounding)
    left = where(less(0.5, begin.is_open), math.inf, 0.0)
    found = newton.solve(Iterate(concatenate(begin[:2]), begin.residual, left), along_new_Z, STEPS_FROM_AFAR)
    is_open = where(less(dense.largest_entry(found.residual), of.closed), 0.0, 1.0)
    return Found(found.x[:nq], found.x[nq:], found.residual, is_open)


class Round(NamedTuple):
    """Carry of the search for joints that must be held at stops."""

    held: Array
    """1 for velocities that are held, else 0 (nv,)."""
    begin: Array
    """The configuration (nq,) to project."""
    found: Found
    passed: Array
    """The same for those that passed their stops last (nv,)."""
    goes_on: Array
    """1 if other joints must be held, else 0."""


def joints_at_stops(model: Model, rows: JointRows, q: Array) -> Array:
    """1 for velocities (nv,) of joints that are at hard stops, else 0."""
    return rows.at_stops(q, model.nv, dense.by_precision(1.0 + dense.largest_entry(q), AT_STOP, AT_STOP_SINGLE))


def held_joints(model: Model, rows: JointRows, q: Array, v: Array) -> Array:
    """1 for velocities (nv,) of joints that are at hard stops at q, or that dry friction holds, else 0."""
    return maximum(joints_at_stops(model, rows, q), rows.sticking(v))


def _near_with_rows(of: ClosureConditions, rows: JointRows, q: Array, v: Array, point: ClosurePoint) -> Found:
    """The closed state along Z with joints held that stick, are at their stops, or would pass them."""
    sticking = rows.sticking(v)

    def search(last: Round) -> Round:
        begin = rows.on_stops(last.begin, last.held)
        found = _near(of, begin, v, point, maximum(last.held, sticking))
        passed = rows.at_stops(found.q, of.model.nv, 0.0)
        fails = less(0.5, found.is_open)
        held = where(fails, last.passed, maximum(last.held, passed))
        others = dense.largest_entry(held - last.held)
        return Round(held, begin, found, where(fails, last.passed, passed), others)

    nothing = Found(q, v, np.zeros(2 * of.model.closure_rows), np.array(1.0))
    first = Round(joints_at_stops(of.model, rows, q), q, nothing, np.zeros(of.model.nv), np.array(1.0))
    return iterate(search, first, lambda last: less(last.goes_on, 0.5), ROUNDS_OF_STOPS).found


def nearest_state(
    model: Model,
    q: Array,
    v: Array,
    drive: Drive = None,
    point: ClosurePoint | None = None,
    rows: JointRows | None = None,
) -> tuple[Array, Array]:
    """The nearest state (nq,), (nv,) with closed loops, to first order in the distance; NaN if none is found.

    Joints are held that `rows` of dry friction and hard stops hold; none, unless they are given.
    """
    of, at = ClosureConditions.near(model, q, v, drive), ClosurePoint(q, drive) if point is None else point
    near = _near_with_rows(of, rows, q, v, at) if rows else _near(of, q, v, at)
    found = _far(of, near)
    moved = dense.largest_entry(model.difference(q, found.q))
    is_lost = where(less(moved, LARGEST_DISPLACEMENT * size_of(model)), found.is_open, 1.0)
    x = where(less(is_lost, 0.5), concatenate(found[:2]), math.nan)
    end = x[: model.nq], x[model.nq :]

    def as_solution() -> tuple[Array, Array]:
        if not rows:
            return solution(of, (q, v), end, at, at)
        begin = rows.on_stops(q, joints_at_stops(model, rows, end[0]))
        return solution(of, (begin, v), end, at, at, held_joints(model, rows, end[0], v))

    return with_derivatives(end, as_solution)


def closed_state(
    model: Model,
    q: Array,
    v: Array,
    drive: Drive = None,
    point: ClosurePoint | None = None,
    rows: JointRows | None = None,
) -> tuple[Array, Array]:
    """The `nearest_state` (nq,), (nv,), in which what floats has kept its momentum."""
    closed, u = nearest_state(model, q, v, drive, point, rows)
    return closed, with_momenta_of(model, q, v, closed, u) if floating_bodies(model) else u
