"""Time between the calls of a law with a state, which keeps the time of its last call: no sampling rate is assumed."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, less, where

NEVER = np.array(-1e9)
"""Time of the last call of a law that has not been called [s]."""


def elapsed(t: Array, before: Array) -> Array:
    """Time since the last call [s]; zero at the first call, and if the clock was set back.

    >>> elapsed(0.25, np.array(0.24)).round(3), elapsed(0.0, NEVER)
    (np.float64(0.01), array(0.))
    """
    gone = t - before
    return where(less(0.0, gone), where(less(0.5 * NEVER, before), gone, 0.0 * gone), 0.0 * gone)
