"""Newton's method with a slope that somebody else knows, from a point where a residual is small.

    x ← step(x, residual(x))

It ends when the residual is rounding, or when it is closed and a step halves it no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ..arrays import Array, iterate, less, where
from .dense import largest_entry


class Iterate(NamedTuple):
    """Carry of Newton's method."""

    x: Array
    residual: Array
    """What shall vanish there."""
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
            left, bound = largest_entry(residual), where(less(at.left, self.closed), at.left, math.inf)
            is_better = less(left, bound)
            return Iterate(
                where(is_better, x, at.x),
                where(is_better, residual, at.residual),
                where(less(2.0 * left, bound), left, 0.0),
            )

        return iterate(after, begin, lambda at: less(at.left, self.rounding), most)
