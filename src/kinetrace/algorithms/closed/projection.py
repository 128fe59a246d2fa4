"""Projection of states on closed loops: what loops demand of a state, and the nearest that meets it, from anywhere.

    φ(q ⊕ −Z λ) = 0,    K⁺ (v − Z y) = r,    Z = M⁻¹ Kᵀ at a point near the state

A search finds λ and y: `project` by `loop_closing`, steps in time by `step_projection`. Derivatives of any order are
those of these equations, by the implicit function theorem: the solution is the fixed point of Newton's steps,

    λ ← λ + (K Z)⁻¹ φ,    y ← y + (K Z)⁻¹ (K⁺ (v − Z y) − r)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate, hold, iterate, less, where, with_derivatives
from ...linalg import dense
from ...model.model import Model
from ..dynamics.mass_matrix import kinetic_metric
from ..registry.declaration import algorithm
from .closure_factors import SelectedRows, selected_rows
from .closure_paths import Drive
from .closures import closure_jacobian, closure_residual, closure_velocity, size_of
from .independent_velocities import position_split, velocity_split
from .loop_closing import CLOSED_RESIDUAL, Closing, closing_configuration, least_motion

ROUNDING_RESIDUAL, TIGHT_RESIDUAL, SINGLE_PRECISION_RESIDUAL = 1e-14, 1e-13, 1e-5
"""Residuals, relative to the size of the robot. The first is rounding. The second counts as closed with Z at q₀: below
it, the iteration ends when it halves the residual no more. The third counts as closed in single precision, relative to
the largest coordinate too."""


class ClosurePoint(NamedTuple):
    """Where Z is computed."""

    q: Array
    drive: Drive


class ClosureConditions(NamedTuple):
    """What shall vanish at a state with closed loops: φ of the rows that hold positions, and K v − r of all."""

    model: Model
    drive: Drive
    speed: Array
    """By which velocities are divided."""
    closed: Array
    """The residual that counts as zero far from q₀."""
    tight: Array
    """The same near q₀."""

    @classmethod
    def near(cls, model: Model, q: Array, v: Array, drive: Drive) -> ClosureConditions:
        """For states near one."""
        size, speed = size_of(model), 1.0 + dense.largest_entry(v)
        single = SINGLE_PRECISION_RESIDUAL * (1.0 + dense.largest_entry(q))
        closed, tight = (size * dense.by_precision(speed, x, single) for x in (CLOSED_RESIDUAL, TIGHT_RESIDUAL))
        return cls(model, drive, speed, closed, tight)

    def opening(self, q: Array) -> Array:
        """φ of the rows that hold positions, zero for others (rows,)."""
        holds = np.array(self.model.rows_hold_positions, dtype=float)
        return holds * closure_residual(self.model, q, drive=self.drive)

    def speeds(self, q: Array, v: Array) -> Array:
        """K v − r (rows,), relative to the speed."""
        return closure_velocity(self.model, q, v, drive=self.drive) / self.speed

    def residual(self, q: Array, v: Array) -> Array:
        """Both (2 rows,)."""
        return concatenate([self.opening(q), self.speeds(q, v)])

    def rows_of_positions(self, at: ClosurePoint, held: Array | None = None) -> SelectedRows:
        """The rows that hold positions, at a point."""
        return selected_rows(self.model, at.q, position_split(self.model), at.drive, held)

    def rows_of_velocities(self, at: ClosurePoint, held: Array | None = None) -> SelectedRows:
        """All rows, at a point."""
        return selected_rows(self.model, at.q, velocity_split(self.model), at.drive, held)

    def beyond_rounding(self, residual: Array) -> Array:
        """A residual, or zero if it is rounding: what is closed stays where it is."""
        return where(less(self.rounding, dense.largest_entry(residual)), residual, 0.0)

    @property
    def rounding(self) -> float:
        """The residual that is rounding."""
        return ROUNDING_RESIDUAL * size_of(self.model)


def solution(
    of: ClosureConditions,
    begin: tuple[Array, Array],
    end: tuple[Array, Array],
    point: ClosurePoint,
    point_of_velocities: ClosurePoint | None = None,
    held: Array | None = None,
) -> tuple[Array, Array]:
    """A closed state, found from another by any steps, as the solution of its equations by λ and y: for derivatives.

    Z of λ is that of a point, Z of y that of another one, or of the closed configuration if None. What is not along
    them, where the way was long, counts as constant.
    """
    model, (q, v) = of.model, begin

    def along(rows: SelectedRows, x: Array, residual: Callable[[Array], Array]) -> Array:
        force = hold(-rows.factors.multipliers(rows.K @ x))
        rest = hold(x + rows.factors.response(force))

        def change(force: Array) -> Array:
            return rest - rows.factors.response(force)

        def newton(force: Array) -> Array:
            return force + rows.factors.multipliers(rows.selection @ residual(change(force)))

        return change(iterate(newton, force, lambda _: 1.0, most=1))

    by_place = of.rows_of_positions(point, held)
    delta = along(by_place, model.difference(q, end[0]), lambda delta: of.opening(model.integrate(q, delta)))
    q_end = model.integrate(q, delta)
    by_velocity = of.rows_of_velocities(point_of_velocities or ClosurePoint(q_end, of.drive), held)
    return q_end, v + along(by_velocity, end[1] - v, lambda w: of.speed * of.speeds(q_end, v + w))


def nearest_configuration(model: Model, q: Array, *, drive: Drive = None) -> Array:
    """The nearest configuration (nq,) with closed loops, by kinetic energy; NaN if none is found."""
    found, left = closing_configuration(model, q, Closing(drive, kinetic_metric(model, q), limits=False))
    return where(less(left, CLOSED_RESIDUAL), found, math.nan)


@algorithm(
    about_closures=True,
    returns={
        "q": "(nq,) The nearest configuration with closed loops, to first order in the distance; NaN if none is found.",
        "v": "(nv,) The nearest velocity that the closures allow there [rad/s, m/s].",
    },
)
def project(model: Model, q: Array, v: Array, *, drive: Drive = None) -> tuple[Array, Array]:
    """Nearest state with closed loops, distances measured by kinetic energy.

    Joint limits are ignored, and rows may be dependent. Derivatives are those of the nearest state to first order in
    the distance: exact where the loops are closed at q.

    >>> model = kt.load("four_bar").model
    >>> q, v = kt.algorithms.project(model, np.array([0.5, -0.2, 0.3]), np.array([1.0, 0.0, 0.0]))
    >>> bool(abs(kt.algorithms.closure_residual(model, q)).max() < 1e-12)
    True
    """
    closed = nearest_configuration(model, q, drive=drive)
    K, metric = closure_jacobian(model, closed, drive=drive), kinetic_metric(model, closed)

    def nearer(v: Array) -> Array:
        return v - least_motion(metric, K, closure_velocity(model, closed, v, drive=drive))

    # the second is a refinement, where joints move hardly any mass
    end = closed, iterate(nearer, v, lambda v: less(1.0, 0.0 * dense.largest_entry(v)), 2)
    conditions = ClosureConditions.near(model, q, v, drive)
    return with_derivatives(end, lambda: solution(conditions, (q, v), end, ClosurePoint(q, drive)))
