"""Geometric paths: q(s) = q₀ ⊕ θ(s), with w and w' of the velocities v = w ṡ and accelerations a = w s̈ + w' ṡ².

For coordinates w = θ' and w' = θ''. On manifolds w is the velocity of q₀ ⊕ θ along θ', and w' its derivative along the
path: both by exact derivatives of ⊕.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.displacement import displaced
from ...errors import InputError
from ...robot import Robot
from ...simulate import Trajectory
from ...simulate.inputs import finite, state_of
from ...support.optional import needed
from ..feedback.linear import Float, check_closed
from ..feedback.tracker import rows_of


class Points(NamedTuple):
    """Configurations (n, nq) of a path, and w, w' (n, nv)."""

    q: Float
    w: Float
    dw: Float


Path = Callable[[Float], Points]
"""Function of s (n,) from 0 to 1."""


def path_of(robot: Robot, path: Any, span: Any) -> Path:
    """The path of a function, a trajectory or waypoints."""
    if isinstance(path, Trajectory):
        if path.q.ndim != 2:
            raise InputError(f"one motion at a time: take motion.lane(...) of the batch {path.q.shape[:-2]}")
        return _through(robot, path.q, "not-a-knot")
    if callable(path):
        return _function(robot, path, span)
    if span is not None:
        raise InputError("span is the interval of a function; waypoints have none")
    points, _ = state_of(robot, path, np.zeros(robot.nv))
    if points.ndim != 2:
        raise InputError(f"waypoints must have shape (n, {robot.nq}), got {points.shape}")
    return _through(robot, points, "natural")


def _function(robot: Robot, path: Callable[[Any], Any], span: Any) -> Path:
    """A function of a parameter that returns (q, q', q'')."""
    ends = finite("span", (0.0, 1.0) if span is None else span, 2)
    if ends.shape != (2,) or not ends[1] > ends[0]:
        raise InputError(f"span must be two numbers, the second larger, got {span!r}")
    length = float(ends[1] - ends[0])

    def at(s: Float) -> Points:
        q, w, dw = rows_of(robot, path, ends[0] + length * s)
        return Points(q, length * w, length**2 * dw)

    found = at(np.linspace(0.0, 1.0, 5))
    check_closed(robot, found.q, found.w, "the path")
    return at


def _through(robot: Robot, points: Float, ends: str) -> Path:
    """A cubic spline through configurations, by the length between them."""
    if robot.model.closures:
        raise InputError("between waypoints the loops of a closed chain would open: give a function (q, q', q'')")
    steps = np.asarray(robot.difference(points[:-1], points[1:]))
    lengths = np.linalg.norm(steps, axis=-1)
    apart = np.concatenate([[True], lengths > 1e-9 * max(lengths.max(initial=0.0), 1e-9)])
    points = points[apart]
    if len(points) < 2:
        raise InputError("a path needs two waypoints that differ")
    theta = np.asarray(robot.difference(points[0], points))
    across, lengths = np.diff(theta, axis=0), lengths[apart[1:]]
    if (np.linalg.norm(across, axis=-1) > 2.5 * lengths + 1e-9).any():
        raise InputError("the path turns a ball or free joint by more than half a turn from its beginning: divide it")
    places = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
    interpolate = needed("scipy.interpolate", "a path through waypoints", "motion")
    enough = len(points) > 3 or (len(points) > 2 and ends == "natural")
    curve = (
        interpolate.CubicSpline(places, theta, bc_type=ends)
        if enough
        else interpolate.make_interp_spline(places, theta, k=len(points) - 1)
    )
    start, rates = points[0], dict.fromkeys(("theta", "theta_1", "theta_2"), robot.nv)
    moved = robot.kernel(displaced, shapes=rates)

    def at(s: Float) -> Points:
        x, dx, ddx = (np.asarray(curve(s, k)) for k in range(3))
        return Points(*map(np.asarray, moved(start, x, dx, ddx)))

    return at
