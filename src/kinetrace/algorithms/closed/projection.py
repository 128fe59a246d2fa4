"""Projection on closed loops: the nearest state that the closures allow, distances measured by kinetic energy.

    q⁺ = q ⊕ −Z λ,    φ(q⁺) = 0              Z = M⁻¹ Kᵀ at q, of the rows that hold positions
    v⁺ = v − Z y,     K v⁺ = r               Z = M⁻¹ Kᵀ at q⁺, of all rows; r is what a drive prescribes

To first order in the distance, q⁺ is the nearest configuration and v⁺ the nearest velocity (Gauss's principle of least
constraint, for the change of a velocity). λ is found by Newton's method with the Delassus matrix K Z of q for its
slope: two or three steps take away all of the residual after a step in time but rounding. From where this does not lead
to closed loops, Z and K Z are computed anew, and long steps are shortened. `derivatives.projection` differentiates it.

What floats keeps its momentum (`rkmk`): projections displace bodies, and would change it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, iterate, less, maximum, where
from ...linalg import dense
from ...model.model import Model
from ..dynamics.mass_matrix import mass_matrix
from ..dynamics.row_responses import DenseResponses
from ..time.rkmk import floating_bodies, with_momenta_of
from .assembly import CLOSED_RESIDUAL, LONGEST_STEP, MASSLESS_FRACTION, size_of
from .closed_dynamics import regularised_factors
from .closure_paths import Drive
from .closures import closure_jacobian, closure_residual, closure_velocity, row_selection
from .independent_velocities import VelocitySplit, position_split, velocity_split

NEWTON_STEPS, STEPS_FROM_AFAR = 16, 30
"""Pairs of steps at most, with Z of the beginning, and with Z of each pair; one suffices after a step in time."""
ROUNDING_RESIDUAL, SINGLE_PRECISION_RESIDUAL = 1e-14, 1e-5
"""Residuals, relative to the size of the robot: one that is rounding, and one that counts as closed in single
precision, as CLOSED_RESIDUAL does in double. Below it the iteration ends when a residual is no longer halved."""
LARGEST_DISPLACEMENT = 1.0
"""Of a projection [rad], and [m] times the size of the robot: what is farther away is another motion."""


class RowResponses(NamedTuple):
    """Selected rows of K (count, nv), and what unit forces along them do: Z = M⁻¹ Kᵀ (nv, count)."""

    selection: Array
    """Rows of the identity (count, rows)."""
    K: Array
    mass: dense.Factors
    """The factors of M."""
    Z: Array
    delassus: dense.Factors
    """The factors of K Z."""


def row_responses(model: Model, q: Array, of: VelocitySplit, drive: Drive) -> RowResponses:
    """Those of a split of rows, at a configuration."""
    K, M = closure_jacobian(model, q, drive=drive), mass_matrix(model, q)
    if model.massless:  # what moves no mass moves before all else
        M = M + MASSLESS_FRACTION * sum(M[k, k] for k in range(model.nv)) * np.eye(model.nv)
    selection = row_selection(model, K, of.candidates, of.rank)
    at = DenseResponses(dense.factor(M), selection @ K)
    return RowResponses(selection, at.K, at.factors, at.accelerations, regularised_factors(at.compliance))


def position_residual(model: Model, q: Array, drive: Drive) -> Array:
    """φ (rows,) of the rows that hold positions, zero for others."""
    return np.array(model.rows_hold_positions, dtype=float) * closure_residual(model, q, drive=drive)


class Iterate(NamedTuple):
    """Carry of Newton's method."""

    x: Array
    """λ of the selected rows (count,), or q (nq,)."""
    residual: Array
    """φ there, of all rows that hold positions; zero for others."""
    left: Array
    """Its largest entry (); zero once it is no longer halved."""


class Newton(NamedTuple):
    """Newton's method for φ = 0, from a residual φ (rows,) at the beginning."""

    residual: Callable[[Array], Array]
    """x → φ."""
    closed: Array
    """The residual that counts as closed."""
    rounding: float
    """The residual that is rounding."""

    def solve(
        self, begin: Iterate, linearise: Callable[[Array], Callable[[Array, Array], Array]], most: int
    ) -> Iterate:
        """A solution near x, by `linearise`: x → (y, φ at y) → y after a step with the slope at x."""

        def step(at: Iterate) -> Iterate:
            after = linearise(at.x)
            one = after(at.x, at.residual)
            residual = self.residual(one)
            two = after(one, residual)
            residual_two = self.residual(two)
            better = less(_largest(residual_two), _largest(residual))
            residual = where(better, residual_two, residual)
            left = _largest(residual)
            unless_stalled = where(less(at.left, 2.0 * left), 0.0, left)
            return Iterate(where(better, two, one), residual, where(less(left, self.closed), unless_stalled, left))

        return iterate(step, begin, lambda at: less(at.left, self.rounding), most)


def closed_configuration(model: Model, q: Array, drive: Drive = None) -> Array:
    """The nearest configuration (nq,) with closed loops, to first order in the distance; NaN if none is found."""
    of, size, residual = position_split(model), size_of(model), position_residual(model, q, drive)
    scale = 1.0 + _largest(residual)
    is_double = less(scale, scale + 1e-10 * scale)
    closed = size * where(is_double, CLOSED_RESIDUAL, SINGLE_PRECISION_RESIDUAL)
    begin = row_responses(model, q, of, drive)

    def displaced(force: Array) -> Array:
        return model.integrate(q, -(begin.Z @ force))

    def along_Z(_: Array) -> Callable[[Array, Array], Array]:
        return lambda force, residual: force + dense.solve(begin.delassus, begin.selection @ residual)

    def along_new_Z(q: Array) -> Callable[[Array, Array], Array]:
        at = row_responses(model, q, of, drive)

        def after(q: Array, residual: Array) -> Array:
            delta = at.Z @ dense.solve(at.delassus, at.selection @ residual)
            return model.integrate(q, -delta * (LONGEST_STEP / maximum(_largest(delta), LONGEST_STEP)))

        return after

    near = Newton(lambda force: position_residual(model, displaced(force), drive), closed, ROUNDING_RESIDUAL * size)
    force = near.solve(Iterate(np.zeros(begin.Z.shape[1]), residual, _largest(residual)), along_Z, NEWTON_STEPS)
    is_near = less(_largest(force.residual), closed)
    far = near._replace(residual=lambda q: position_residual(model, q, drive))
    first = where(is_near, displaced(force.x), q)
    rest = where(is_near, force.residual, residual)
    found = far.solve(Iterate(first, rest, where(is_near, 0.0, _largest(rest))), along_new_Z, STEPS_FROM_AFAR)
    nearby = less(_largest(model.difference(q, found.x)), LARGEST_DISPLACEMENT * size)
    return where(less(_largest(found.residual), where(nearby, closed, 0.0)), found.x, math.nan)


class AllowedVelocity(NamedTuple):
    """The nearest velocity that closures allow, v⁺ = v − Z y."""

    v: Array
    impulse: Array
    """y of the selected rows."""
    at: RowResponses


def allowed_velocity(model: Model, q: Array, v: Array, drive: Drive = None) -> AllowedVelocity:
    """That of a closed configuration."""
    at = row_responses(model, q, velocity_split(model), drive)
    impulse = np.zeros(at.Z.shape[1])
    for _ in range(2):  # the second is a refinement, where rows are nearly dependent
        lack = at.selection @ closure_velocity(model, q, v - at.Z @ impulse, drive=drive)
        impulse = impulse + dense.solve(at.delassus, lack)
    return AllowedVelocity(v - at.Z @ impulse, impulse, at)


def closed_state(model: Model, q: Array, v: Array, drive: Drive = None) -> tuple[Array, Array]:
    """The nearest state (nq,), (nv,) with closed loops, in which what floats has kept its momentum."""
    closed = closed_configuration(model, q, drive)
    u = allowed_velocity(model, closed, v, drive).v
    return closed, with_momenta_of(model, q, v, closed, u) if floating_bodies(model) else u


def _largest(x: Array) -> Array:
    return dense.largest([np.zeros(()), *abs(x)])
