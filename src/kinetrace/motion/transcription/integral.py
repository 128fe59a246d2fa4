"""The cost of a motion: the integral itself, not the sum over the few instants that a search takes for it.

A spline with few intervals can be bent so that a sum over Gauss points is below the integral, and a search for the
least sum does that. So intervals are halved until the integral stays.
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


def integral(robot: Robot, cost: Callable[..., Any], spline: Spline) -> float:
    """∫ cost dt of a function of one instant along a spline."""
    value = Derivatives(robot, Instant(cost, times_T=True), free_time=False).value
    begin, T = spline.begin, spline.duration
    knots = (spline.knots - begin) / T
    parts, before, found = 1, np.inf, 0.0
    while parts <= FINEST:
        s, weights = gauss(np.unique(knots), POINTS, parts)
        rates = tuple(basis(knots, spline.degree, s, order) @ spline.coefficients for order in range(4))
        found = float(weights @ value(Nodes(spline.start, rates, np.asarray(T), s))[:, 0])
        if not abs(found - before) > ACCURATE * abs(found):
            break
        parts, before = 2 * parts, found
    return found
