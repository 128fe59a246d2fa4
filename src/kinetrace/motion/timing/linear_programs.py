"""The linear programs of time scaling: largest path velocities at each point, and TOPP-RA by the package toppra."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

import numpy as np

from ...support.optional import needed
from ..limits import Float


def largest_rates(a: Float, b: Float, c: Float) -> Float:
    """Largest √x (n,) with |a u + b x + c| ≤ 1 in all rows (n, m) for some u; NaN where there is none.

    Each row bounds u from both sides by lines in x; a lower and an upper line leave x below or above where they meet.
    """
    turns = np.abs(a) > 1e-12 * np.maximum(np.abs(a).max(axis=1, keepdims=True), 1e-300)
    sign, size = np.sign(a), np.where(turns, np.abs(a), 1.0)
    upper = (1.0 - sign * c) / size, -sign * b / size  # u ≤ upper[0] + upper[1] x
    lower = -(1.0 + sign * c) / size, -sign * b / size
    slope = (lower[1][:, :, None] - upper[1][:, None, :]).reshape(len(a), -1)
    room = (upper[0][:, None, :] - lower[0][:, :, None]).reshape(len(a), -1)  # slope x ≤ room
    both = (turns[:, :, None] & turns[:, None, :]).reshape(len(a), -1)
    alone = np.where(turns, 0.0, b)
    slope = np.concatenate([np.where(both, slope, 0.0), alone, -alone], axis=1)
    room = np.concatenate(
        [np.where(both, room, np.inf), *(np.where(turns, np.inf, 1.0 + s * c) for s in (-1, 1))], axis=1
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = room / slope
    tiny = np.abs(slope) <= 1e-13 * np.maximum(np.abs(slope).max(axis=1, keepdims=True), 1e-300)
    most = np.min(np.where((slope > 0.0) & ~tiny, ends, np.inf), axis=1)
    least = np.max(np.where((slope < 0.0) & ~tiny, ends, 0.0), axis=1)
    never = np.any(tiny & (room < 0.0), axis=1) | (most < least - 1e-9 * np.abs(most))
    return np.sqrt(np.where(never | (most < 0.0), np.nan, most))


class LimitRows(NamedTuple):
    """Limits |a s̈ + b ṡ² + c| ≤ 1 (n, m), and ṡ ≤ fastest (n,)."""

    a: Float
    b: Float
    c: Float
    fastest: Float


def rates_by_toppra(s: Float, rows: LimitRows) -> tuple[Float | None, Float]:
    """ṡ (n,) by toppra, or None, and the interval (n, 2) of ṡ² from which the end can be reached, NaN where none is."""
    constraint = needed("toppra.constraint", "time_scaling", "timing")
    algorithm = needed("toppra.algorithm", "time_scaling", "timing")
    interpolator = needed("toppra.interpolator", "time_scaling", "timing")
    m = rows.a.shape[1]

    class Straight(interpolator.AbstractGeometricPath):  # type: ignore[misc, name-defined]
        """What toppra asks of a path; its forces are computed here."""

        dof, path_interval = 1, np.array([0.0, 1.0])

    class Linear(constraint.LinearConstraint):  # type: ignore[misc, name-defined]
        """All limits, at both ends of each interval."""

        _format_string = ""

        def __init__(self) -> None:
            super().__init__()
            self.identical, self.dof = True, 1
            self.set_discretization_type(constraint.DiscretizationType.Interpolation)

        def compute_constraint_params(self, path: Any, gridpoints: Float) -> tuple[Any, ...]:
            bound = np.minimum(rows.fastest**2, 1e4)
            F, g = np.concatenate([np.eye(m), -np.eye(m)]), np.ones(2 * m)
            turn = constraint.canlinear_colloc_to_interpolate
            both = turn(rows.a, rows.b, rows.c, F, g, None, None, s, identical=True)
            return (*both[:5], None, np.stack([np.zeros(len(bound)), bound], axis=1))

    quiet = logging.getLogger("toppra")
    level = quiet.level
    quiet.setLevel(logging.CRITICAL)
    try:
        solver = algorithm.TOPPRA([Linear()], Straight(), gridpoints=s, solver_wrapper="seidel")
        _, rates, _, controllable = solver.compute_parameterization(0.0, 0.0, return_data=True)
    finally:
        quiet.setLevel(level)
    return rates, controllable
