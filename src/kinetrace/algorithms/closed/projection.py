"""Projection on closed loops: the nearest state that the closures allow, distances measured by kinetic energy.

    q⁺ = q ⊕ −Z λ,    φ(q⁺) = 0              Z = M⁻¹ Kᵀ at q₀; for λ, of the rows that hold positions
    v⁺ = v − Z y,     K⁺ v⁺ = r              K⁺ at q⁺, of all rows; r is what a drive prescribes

To first order in the distance, q⁺ is the nearest configuration and v⁺ the nearest velocity (Gauss's principle of least
constraint, for the change of a velocity). q₀ is q, or where a step in time has evaluated the dynamics last: they have
factored M and the Delassus matrix K Z there already. λ and y are found together by Newton's method with K Z for its
slope, which takes one or two steps after those of "rk4" and "rkmk4": their last stage is near q⁺. From where this does
not lead to closed loops, Z and K Z are computed anew, and long steps are shortened. `derivatives.projection`
differentiates it.

What floats keeps its momentum (`rkmk`): projections displace bodies, and would change it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, concatenate, iterate, less, maximum, where
from ...linalg import dense
from ...model.model import Model
from ..dynamics.mass_matrix import kinetic_metric
from ..time.rkmk import floating_bodies, with_momenta_of
from .closure_factors import ClosureFactors, closure_factors
from .closure_paths import Drive
from .closures import closure_jacobian, closure_residual, closure_velocity, row_selection, selected_groups, size_of
from .independent_velocities import VelocitySplit, position_split, velocity_split
from .loop_closing import CLOSED_RESIDUAL, LONGEST_STEP

NEWTON_STEPS, STEPS_FROM_AFAR = 32, 60
"""Steps at most, with Z at q₀, and with Z of each; one or two suffice after a step in time."""
ROUNDING_RESIDUAL, TIGHT_RESIDUAL, SINGLE_PRECISION_RESIDUAL = 1e-14, 1e-13, 1e-5
"""Residuals, relative to the size of the robot: one that is rounding; one that counts as closed with Z at
q₀, below which the iteration ends when it is no longer halved; and one that does in single precision, relative
to the largest coordinate too."""
LARGEST_DISPLACEMENT = 1.0
"""Of a projection [rad], and [m] times the size of the robot: what is farther away is another motion."""


class RowResponses(NamedTuple):
    """Selected rows of K (count, nv) at a configuration, and what forces along them do."""

    selection: Array
    """Rows of the identity (count, rows)."""
    K: Array
    factors: ClosureFactors

    @property
    def Z(self) -> Array:
        """M⁻¹ Kᵀ (nv, count)."""
        return self.factors.response(np.eye(len(self.K)))

    def closing(self, residual: Array) -> Array:
        """The motion Z (K Z)⁻¹ φ (nv,), which makes up for a residual φ (rows,)."""
        return self.factors.response(self.factors.multipliers(self.selection @ residual))


def row_responses(model: Model, q: Array, of: VelocitySplit, drive: Drive) -> RowResponses:
    """Those of a split of rows, at a configuration."""
    K = closure_jacobian(model, q, drive=drive)
    selection = row_selection(model, K, of.candidates)
    K = selection @ K
    groups = selected_groups(model, of.candidates)
    return RowResponses(selection, K, closure_factors(kinetic_metric(model, q), K, groups))


class ClosurePoint(NamedTuple):
    """Where Z is computed."""

    q: Array
    drive: Drive


class Iterate(NamedTuple):
    """Carry of Newton's method."""

    x: Array
    """A displacement (nv,) or configuration (nq,), and a velocity (nv,)."""
    residual: Array
    """What shall vanish there (2 rows,)."""
    left: Array
    """Its largest entry (); zero once it is no longer halved."""


class Newton(NamedTuple):
    """Newton's method for a residual of x."""

    residual: Callable[[Array], Array]
    """x → what shall vanish."""
    closed: Array
    """The residual that counts as zero."""
    rounding: float
    """The residual that is rounding."""

    def solve(self, begin: Iterate, step: Callable[[Array, Array], Array], most: int) -> Iterate:
        """A solution near x, by steps (x, residual) → x; of those whose residuals are closed, the best."""

        def after(at: Iterate) -> Iterate:
            x = step(at.x, at.residual)
            residual = self.residual(x)
            left, bound = _largest(residual), where(less(at.left, self.closed), at.left, math.inf)
            is_better = less(left, bound)
            return Iterate(
                where(is_better, x, at.x),
                where(is_better, residual, at.residual),
                where(less(2.0 * left, bound), left, 0.0),
            )

        return iterate(after, begin, lambda at: less(at.left, self.rounding), most)


def nearest_state(
    model: Model, q: Array, v: Array, drive: Drive = None, point: ClosurePoint | None = None
) -> tuple[Array, Array]:
    """The nearest state (nq,), (nv,) with closed loops, to first order in the distance; NaN if none is found."""
    n, nq, rows, size, speed = model.nv, model.nq, model.closure_rows, size_of(model), 1.0 + _largest(v)
    splits, at_q, holds = (
        (position_split(model), velocity_split(model)),
        ClosurePoint(q, drive),
        model.rows_hold_positions,
    )

    def residual(q: Array, v: Array) -> Array:
        opening = np.array(holds, dtype=float) * closure_residual(model, q, drive=drive)
        return concatenate([opening, closure_velocity(model, q, v, drive=drive) / speed])

    def closing(at: ClosurePoint) -> Callable[[Array], tuple[Array, Array]]:
        by_place, by_velocity = (row_responses(model, at.q, of, at.drive) for of in splits)
        return lambda x: (by_place.closing(x[:rows]), by_velocity.closing(speed * x[rows:]))

    by_Z = closing(at_q if point is None else point)

    def along_Z(x: Array, left: Array) -> Array:
        return x - concatenate(by_Z(left))

    def along_new_Z(x: Array, left: Array) -> Array:
        delta, w = closing(ClosurePoint(x[:nq], drive))(left)
        q = model.integrate(x[:nq], -delta * (LONGEST_STEP / maximum(_largest(delta), LONGEST_STEP)))
        return concatenate([q, x[nq:] - w])

    opening = residual(q, v)
    is_double = less(speed, speed * (1.0 + 1e-10))
    single = SINGLE_PRECISION_RESIDUAL * (1.0 + _largest(q))
    closed, tight = (size * where(is_double, x, single) for x in (CLOSED_RESIDUAL, TIGHT_RESIDUAL))
    near = Newton(lambda x: residual(model.integrate(q, x[:n]), x[n:]), tight, ROUNDING_RESIDUAL * size)
    first = Iterate(concatenate([np.zeros(n), v]), opening, _largest(opening))
    found = near.solve(first, along_Z, NEWTON_STEPS)
    is_near, moved = less(_largest(found.residual), tight), model.integrate(q, found.x[:n])
    last = where(is_near, found.residual, opening)
    far = near._replace(residual=lambda x: residual(x[:nq], x[nq:]), closed=closed)
    second = Iterate(
        where(is_near, concatenate([moved, found.x[n:]]), concatenate([q, v])),
        last,
        where(is_near, 0.0, _largest(last)),
    )
    found = far.solve(second, along_new_Z, STEPS_FROM_AFAR)
    is_nearby = less(_largest(model.difference(q, found.x[:nq])), LARGEST_DISPLACEMENT * size)
    x = where(less(_largest(found.residual), where(is_nearby, closed, 0.0)), found.x, math.nan)
    return x[:nq], x[nq:]


def closed_state(
    model: Model, q: Array, v: Array, drive: Drive = None, point: ClosurePoint | None = None
) -> tuple[Array, Array]:
    """The nearest state (nq,), (nv,) with closed loops, in which what floats has kept its momentum."""
    closed, u = nearest_state(model, q, v, drive, point)
    return closed, with_momenta_of(model, q, v, closed, u) if floating_bodies(model) else u


def _largest(x: Array) -> Array:
    return dense.largest([np.zeros(()), *abs(x)])
