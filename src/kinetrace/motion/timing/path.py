"""Geometric paths: q(s) = q₀ ⊕ θ(s), with w and w' of the velocities v = w ṡ and accelerations a = w s̈ + w' ṡ².

For coordinates w = θ' and w' = θ''. On manifolds w is the velocity of q₀ ⊕ θ along θ', and w' its derivative along the
path: both by exact derivatives of ⊕.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.kinematics.displacement import displace
from ...errors import InputError
from ...robot import Robot
from ...robot.common import check_loops, state_of
from ...simulation import Trajectory
from ...support.conversion import finite
from ...support.optional import require_package
from ..arguments import Float
from ..splines.reference import motion_of, reference_motion
from ..splines.spline import CHECKS_PER_INTERVAL, Spline, check_turns

MOTION_ROWS = 401
"""Configurations of a motion that its path passes."""
SHORTEST_INTERVAL = 1e-6
"""Part of the path between points of the grid: the first ṡ² is twice this times s̈, and toppra rounds ṡ² to 1e-8."""


class Points(NamedTuple):
    """Configurations (n, nq) of a path, and w, w' (n, nv)."""

    q: Float
    w: Float
    dw: Float


Path = Callable[[Float], Points]
"""Function of s (n,) from 0 to 1."""


def path_of(robot: Robot, path: Any, span: Any) -> Path:
    """The path of waypoints, a motion or a function."""
    x = reference_motion(path)
    if isinstance(x, Trajectory) and span is None:
        motion_of(robot, x, "path", closed=False)
        return _through(robot, x.q, "not-a-knot")
    if isinstance(x, Trajectory | Spline):
        motion = motion_of(robot, x, "path", closed=False)
        ends = _span(span, (motion.begin, motion.end))
        return _through(robot, motion.rows(np.linspace(*ends, MOTION_ROWS))[0], "not-a-knot")
    if callable(x):
        return _function(robot, x, _span(span, (0.0, 1.0)))
    if span is not None:
        raise InputError("span is the interval of a function or a motion; waypoints have none")
    points, _ = state_of(robot, x, np.zeros(robot.nv))
    if points.ndim != 2 or len(points) < 2:
        raise InputError(f"waypoints must have shape (n, {robot.nq}), two or more, got {points.shape}")
    return _through(robot, points, "natural")


def _span(span: Any, usual: Any) -> tuple[float, float]:
    ends = finite("span", usual if span is None else span, 2)
    if ends.shape != (2,) or not ends[1] > ends[0]:
        raise InputError(f"span must be two numbers, the second larger, got {span!r}")
    return float(ends[0]), float(ends[1])


def _function(robot: Robot, path: Callable[[Any], Any], ends: tuple[float, float]) -> Path:
    """A function of a parameter that returns (q, q', q'')."""
    motion, length = motion_of(robot, path, "path", at=ends[0]), ends[1] - ends[0]

    def at(s: Float) -> Points:
        q, w, dw = motion.rows(ends[0] + length * s)
        return Points(q, length * w, length**2 * dw)

    found = at(np.linspace(0.0, 1.0, 5))
    check_loops(robot, found.q, found.w, "the path")
    return at


def _through(robot: Robot, points: Float, ends: str) -> Path:
    """A cubic spline through configurations, by the length between them."""
    steps = np.asarray(robot.difference(points[:-1], points[1:]))
    lengths = np.linalg.norm(steps, axis=-1)
    apart = np.concatenate([[True], lengths > 1e-9 * max(lengths.max(initial=0.0), 1e-9)])
    points = points[apart]
    if len(points) < 2:
        raise InputError("a path needs two waypoints that differ")
    theta = np.asarray(robot.difference(points[0], points))
    lengths = lengths[apart[1:]]
    check_turns(robot, points, "the path")
    places = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
    interpolate = require_package("scipy.interpolate", "a path through waypoints", "timing")
    enough = len(points) > 3 or (len(points) > 2 and ends == "natural")
    curve = (
        interpolate.CubicSpline(places, theta, bc_type=ends)
        if enough
        else interpolate.make_interp_spline(places, theta, k=len(points) - 1)
    )
    start, rates = points[0], dict.fromkeys(("theta", "theta_1", "theta_2"), robot.nv)
    moved = robot.kernel(displace, shapes=rates)

    def at(s: Float) -> Points:
        x, dx, ddx = (np.asarray(curve(s, k)) for k in range(3))
        return Points(*map(np.asarray, moved(start, x, dx, ddx)))

    found = at(np.linspace(0.0, 1.0, CHECKS_PER_INTERVAL * (len(points) - 1) + 1))
    check_loops(robot, found.q, found.w, "the path through these configurations", "give more of them, or a function")
    return at


def grid_places(n: int) -> Float:
    """Points (n + 1,) of a grid on the path, dense at its ends, where the robot is slow.

    They are those of a half circle, as long as no interval is shorter than `SHORTEST_INTERVAL`; then equal intervals
    are mixed in.

    >>> grid_places(4).round(3).tolist(), float(np.diff(grid_places(100_000)).min().round(8))
    ([0.0, 0.146, 0.5, 0.854, 1.0], 1e-06)
    """
    if n * SHORTEST_INTERVAL > 1.0:
        raise InputError(f"grid may be at most {1.0 / SHORTEST_INTERVAL:,.0f}, got {n:,}")
    even = np.linspace(0.0, 1.0, n + 1)
    half_circle = (1.0 - np.cos(np.pi * even)) / 2.0
    short = np.sin(np.pi / (2 * n)) ** 2
    part = max(0.0, (SHORTEST_INTERVAL - short) / (1.0 / n - short))
    return (1.0 - part) * half_circle + part * even if part else half_circle


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
    constraint = require_package("toppra.constraint", "time_scaling", "timing")
    algorithm = require_package("toppra.algorithm", "time_scaling", "timing")
    interpolator = require_package("toppra.interpolator", "time_scaling", "timing")
    m = rows.a.shape[1]

    class Straight(interpolator.AbstractGeometricPath):  # type: ignore[misc, name-defined]
        """Interface of paths in toppra; its forces are computed here."""

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
