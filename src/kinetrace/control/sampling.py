"""When laws and references are sampled: the time between calls, and multiples of a period."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, floor, less, maximum, where

NEVER = np.array(-1e9)
"""Time of the last call of a law that has not been called [s]."""


def elapsed(t: Array, before: Array) -> Array:
    """Time since the last call [s]; zero at the first call, and if the clock was set back.

    The state of a law keeps the time of its last call: no sampling rate is assumed.

    >>> elapsed(0.25, np.array(0.24)).round(3), elapsed(0.0, NEVER)
    (np.float64(0.01), array(0.))
    """
    gone = t - before
    return where(less(0.0, gone), where(less(0.5 * NEVER, before), gone, 0.0 * gone), 0.0 * gone)


def rounded_up(t: Array, period: float) -> Array:
    """The time, a millionth of the period and a few roundings later: a multiple but for rounding counts as one."""
    return t + (1e-6 * period + 4e-16 * maximum(t, -t)[()])


def latest(t: Array, period: float) -> Array:
    """The latest multiple of the period [s].

    >>> latest(0.27, 0.1), latest(0.3 - 1e-12, 0.1)
    (np.float64(0.2), np.float64(0.30000000000000004))
    """
    return period * floor(np.asarray(rounded_up(t, period)) / period)[()]
