"""Projection on closed loops: the nearest state that the closures allow, distances measured by kinetic energy.

    q⁺ = q ⊕ −Z λ,    φ(q⁺) = 0              Z = M⁻¹ Kᵀ at q, of the rows that hold positions
    v⁺ = v − Z y,     K v⁺ = r               Z = M⁻¹ Kᵀ at q⁺, of all rows; r is what a drive prescribes

To first order in the distance, q⁺ is the nearest configuration and v⁺ the nearest velocity (Gauss's principle of least
constraint, for the change of a velocity). λ is found by Newton's method with the Delassus matrix K Z of q, each step of
which takes away all of the residual but a fraction of its own size: two steps after a step in time, none if the loops
are closed. `derivatives.projection` has the derivatives.

What floats keeps its momentum (`rkmk`): projections displace bodies, and would change it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, iterate, less, where
from ...linalg import dense
from ...model.model import Model
from ..dynamics.mass_matrix import mass_matrix
from ..time.rkmk import floating_bodies, with_momenta_of
from .assembly import MASSLESS_FRACTION, size_of
from .closed_dynamics import regularised_factors
from .closure_paths import Drive
from .closures import closure_jacobian, closure_residual, closure_velocity, row_selection
from .independent_velocities import VelocitySplit, position_split, velocity_split

MOST_STEPS = 30
"""Steps of Newton's method; two or three suffice after a step in time."""
CLOSED_TO, STALLED_BELOW = 1e-14, 1e-5
"""Residuals, relative to the size of the robot: one that is rounding, and one below which the iteration ends when it is
no longer halved, as at the rounding of single precision."""


class Multipliers(NamedTuple):
    """Carry of Newton's method."""

    force: Array
    """λ of the selected rows."""
    residual: Array
    """φ there, of all rows that hold positions; zero for others."""
    left: Array
    """Its largest entry (); zero once it is no longer halved."""


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
    selection, mass = row_selection(model, K, of.candidates, of.rank), dense.factor(M)
    K = selection @ K
    Z = dense.solve(mass, K.T)
    return RowResponses(selection, K, mass, Z, regularised_factors(K @ Z))


def multipliers(model: Model, q: Array, at: RowResponses, drive: Drive) -> Array:
    """λ by Newton's method; NaN if it finds none."""
    size = size_of(model)

    def step(x: Multipliers) -> Multipliers:
        force = x.force + dense.solve(at.delassus, at.selection @ x.residual)
        residual = position_residual(model, displaced(model, q, at.Z @ force), drive)
        left = _largest(residual)
        unless_stalled = where(less(x.left, 2.0 * left), 0.0, left)
        return Multipliers(force, residual, where(less(left, STALLED_BELOW * size), unless_stalled, left))

    begin = position_residual(model, q, drive)
    first = Multipliers(np.zeros(at.Z.shape[1]), begin, _largest(begin))
    found = iterate(step, first, lambda x: less(x.left, CLOSED_TO * size), MOST_STEPS)
    return where(less(_largest(found.residual), STALLED_BELOW * size), found.force, math.nan)


def position_residual(model: Model, q: Array, drive: Drive) -> Array:
    """φ (rows,) of the rows that hold positions, zero for others."""
    return np.array(model.rows_hold_positions, dtype=float) * closure_residual(model, q, drive=drive)


def displaced(model: Model, q: Array, by: Array) -> Array:
    """q ⊕ −δ."""
    return model.integrate(q, -by)


class ClosedState(NamedTuple):
    """The nearest state with closed loops, and what it took: displacements and the multipliers of the selected rows."""

    q: Array
    v: Array
    at_begin: RowResponses
    force: Array
    """λ of the rows that hold positions."""
    at_end: RowResponses
    impulse: Array
    """y of all rows."""


def nearest_closed(model: Model, q: Array, v: Array, drive: Drive = None) -> ClosedState:
    """The nearest state with closed loops; NaN if none is found."""
    begin = row_responses(model, q, position_split(model), drive)
    force = multipliers(model, q, begin, drive)
    closed = displaced(model, q, begin.Z @ force)
    end = row_responses(model, closed, velocity_split(model), drive)
    impulse = np.zeros(end.Z.shape[1])
    for _ in range(2):  # the second is a refinement, where rows are nearly dependent
        lack = end.selection @ closure_velocity(model, closed, v - end.Z @ impulse, drive=drive)
        impulse = impulse + dense.solve(end.delassus, lack)
    return ClosedState(closed, v - end.Z @ impulse, begin, force, end, impulse)


def closed_state(model: Model, q: Array, v: Array, drive: Drive = None) -> tuple[Array, Array]:
    """The nearest state (nq,), (nv,) with closed loops, in which what floats has kept its momentum."""
    found = nearest_closed(model, q, v, drive)
    return found.q, with_momenta_of(model, q, v, found.q, found.v) if floating_bodies(model) else found.v


def _largest(x: Array) -> Array:
    return dense.largest([np.zeros(()), *abs(x)])
