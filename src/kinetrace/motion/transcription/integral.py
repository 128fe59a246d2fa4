"""The cost of a motion: the integral itself, not the sum over the few instants that a search takes for it.

A spline with few intervals can be bent so that a sum over Gauss points is below the integral, and a search for the
least sum does that. So intervals are halved until the integral changes by less than 10⁻⁹ of itself, or into 64 parts;
how much it changed last is how far it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...robot import Robot
from ...splines.bspline import basis
from ...splines.spline import Spline
from .instant import Derivatives, Instant, Nodes
from .program import gauss

POINTS, FINEST, ACCURATE = 6, 64, 1e-9
"""Gauss points of a part, largest number of parts of an interval, and relative change at which halving ends."""


def integral(robot: Robot, cost: Callable[..., Any], spline: Spline) -> tuple[float, float]:
    """∫ cost dt of a function of one instant along a spline, and its last change when intervals were halved."""
    value = Derivatives(robot, Instant(cost, times_T=True), free_time=False).value
    begin, T = spline.begin, spline.duration
    knots = (spline.knots - begin) / T
    parts, found, change = 1, 0.0, np.inf
    while change > ACCURATE * abs(found) and parts <= FINEST:
        s, weights = gauss(np.unique(knots), POINTS, parts)
        rates = tuple(basis(knots, spline.degree, s, order) @ spline.coefficients for order in range(4))
        before, found = found, float(weights @ value(Nodes(spline.start, rates, np.asarray(T), s))[:, 0])
        parts, change = 2 * parts, abs(found - before) if parts > 1 else np.inf
    return found, change
