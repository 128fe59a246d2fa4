"""Rounding of near-trivial constants to 0 and ±1, which cost no multiplication: one rule, with one bound.

    A constant is 0, 1 or −1 if it differs from it by less than 1e-14 of the numbers that it was computed from.

Entries of rotations and unit axes are computed from ones, and the rule for poses and axes is that (`snap`). Moments of
inertia and shifts have the size of what they were added up from (`cleared`). So only what double arithmetic leaves of
trivial numbers is rounded: cos(π/2) = 6e-17, or what a chain of fixed joints makes of a right angle. A right angle that
a file writes with twelve digits is another number, 5e-12 away. Joint forces feel that as 5e-12; the inverse of the mass
matrix magnifies it, in the accelerations of real arms to 4e-9.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array, is_concrete
from ..errors import InputError

ROUNDING = 1e-14
"""Relative distance to 0, 1 or -1 within which a constant is rounded."""
ACCUMULATED = 10 * ROUNDING
"""The same after many changes of frames, whose errors add up: for `optimise`."""
COARSEST = 1e-6
"""The largest such distance that may be asked for."""


def bound_of(snap_constants: Any) -> float:
    """The distance that `snap_constants` stands for: True the default, False none, a number itself.

    >>> bound_of(True), bound_of(False), bound_of(1e-10)
    (1e-14, 0.0, 1e-10)
    """
    if isinstance(snap_constants, bool | np.bool_):
        return ROUNDING if snap_constants else 0.0
    if isinstance(snap_constants, int | float) and 0 <= snap_constants <= COARSEST:
        return float(snap_constants)
    raise InputError(f"snap_constants must be True, False or a number from 0 to {COARSEST:g}, got {snap_constants!r}")


def snap(x: Array, bound: float = ROUNDING) -> Array:
    """Entries of a pose or axis within `bound` of 0 and ±1 rounded to them; unchanged if not concrete.

    The rotation of a pose (4, 4) is left alone if rounding would make it less of a rotation.

    >>> snap(np.array([6e-17, 1e-12, 1 - 2e-16, 0.5])).tolist()
    [0.0, 1e-12, 1.0, 0.5]
    """
    if not is_concrete(x):
        return x
    nearest = np.clip(np.round(x), -1.0, 1.0)
    snapped = np.where(np.abs(x - nearest) < bound, nearest, x)
    if x.shape == (4, 4) and np.abs(snapped[:3, :3] @ snapped[:3, :3].T - np.eye(3)).max() > ROUNDING:
        snapped[:3, :3] = x[:3, :3]
    return snapped


def cleared(x: Array, size: Array, bound: float = ROUNDING) -> Array:
    """x with zeros for rounding errors of cancelled numbers of that size; unchanged if not concrete.

    >>> cleared(np.array([1e-17, 1e-12, 3.0]), 3.0).tolist()
    [0.0, 1e-12, 3.0]
    """
    return np.where(np.abs(x) <= bound * size, 0.0, x) if is_concrete(x) and is_concrete(size) else x
