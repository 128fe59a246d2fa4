"""Projection on closed loops: the nearest state that the closures allow, distances measured by kinetic energy.

    q⁺ = q ⊕ −Z λ,    φ(q⁺) = 0              Z = M⁻¹ Kᵀ at q, of the rows that hold positions
    v⁺ = v − Z y,     K v⁺ = r               Z = M⁻¹ Kᵀ at q⁺, of all rows; r is what a drive prescribes

To first order in the distance, q⁺ is the nearest configuration and v⁺ the nearest velocity (Gauss's principle of least
constraint, for the change of a velocity). λ is found by Newton's method with the Delassus matrix K Z of q, two steps of
which take away all of the residual after a step in time but rounding. Else the same begins anew from there, in steps
that are shortened where they are long. `derivatives.projection` has the derivatives.

What floats keeps its momentum (`rkmk`): projections displace bodies, and would change it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, iterate, less, maximum, where
from ...linalg import dense
from ...model.model import Model
from ..dynamics.mass_matrix import mass_matrix
from ..time.rkmk import floating_bodies, with_momenta_of
from .assembly import CLOSED_RESIDUAL, LONGEST_STEP, MASSLESS_FRACTION, size_of
from .closed_dynamics import regularised_factors
from .closure_paths import Drive
from .closures import closure_jacobian, closure_residual, closure_velocity, row_selection
from .independent_velocities import VelocitySplit, position_split, velocity_split

NEWTON_STEPS = 30
"""Linearisations at most; one suffices after a step in time."""
ROUNDING_RESIDUAL, SINGLE_PRECISION_RESIDUAL = 1e-14, 1e-5
"""Residuals, relative to the size of the robot: one that is rounding, and one that counts as closed in single
precision, as CLOSED_RESIDUAL does in double. Below it the iteration ends when a residual is no longer halved."""
LARGEST_DISPLACEMENT = 1.0
"""Of a projection [rad], and [m] times the size of the robot: what is farther away is another motion."""


class Approach(NamedTuple):
    """Carry of Newton's method."""

    q: Array
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


def position_residual(model: Model, q: Array, drive: Drive) -> Array:
    """φ (rows,) of the rows that hold positions, zero for others."""
    return np.array(model.rows_hold_positions, dtype=float) * closure_residual(model, q, drive=drive)


def closed_configuration(model: Model, q: Array, drive: Drive = None) -> Array:
    """The nearest configuration (nq,) with closed loops, to first order in the distance; NaN if none is found."""
    of, size = position_split(model), size_of(model)
    residual = position_residual(model, q, drive)
    scale = 1.0 + _largest(residual)
    is_double = less(scale, scale + 1e-10 * scale)
    closed = size * where(is_double, CLOSED_RESIDUAL, SINGLE_PRECISION_RESIDUAL)

    def step(x: Approach) -> Approach:
        at = row_responses(model, x.q, of, drive)
        delta = at.Z @ dense.solve(at.delassus, at.selection @ x.residual)
        delta = delta * (LONGEST_STEP / maximum(_largest(delta), LONGEST_STEP))
        there = model.integrate(x.q, -delta)
        residual = position_residual(model, there, drive)
        further = model.integrate(x.q, -(delta + at.Z @ dense.solve(at.delassus, at.selection @ residual)))
        residual_further = position_residual(model, further, drive)
        better = less(_largest(residual_further), _largest(residual))
        residual = where(better, residual_further, residual)
        left = _largest(residual)
        unless_stalled = where(less(x.left, 2.0 * left), 0.0, left)
        return Approach(where(better, further, there), residual, where(less(left, closed), unless_stalled, left))

    begin = Approach(q, residual, _largest(residual))
    found = iterate(step, begin, lambda x: less(x.left, ROUNDING_RESIDUAL * size), NEWTON_STEPS)
    near = less(_largest(model.difference(q, found.q)), LARGEST_DISPLACEMENT * size)
    return where(less(_largest(found.residual), where(near, closed, 0.0)), found.q, math.nan)


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
