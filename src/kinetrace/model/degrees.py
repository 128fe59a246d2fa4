"""Angles that were perhaps given in degrees: far beyond the limits in radians, and within them in degrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array
from .variables import q_units

if TYPE_CHECKING:
    from .model import Model

FAR = 2.0
"""Multiple of the larger limit from which a position that is within the limits as degrees looks like degrees."""
ENTRIES = 12
"""Entries of a state that a message gives."""


def in_radians(
    x: Array, k: int, lower: Array, upper: Array, units: Sequence[str], *, times: float = FAR, what: str = "q"
) -> str:
    """What entries x (n,) are in radians, if entry k looks like degrees; empty if it does not.

    `lower` and `upper` (n,) are limits, of which numbers that look like degrees are beyond some `times`.

    >>> in_radians(np.array([90.0, 45.0]), 0, np.full(2, -2.0), np.full(2, 2.0), ["rad", "rad"])
    'the numbers look like degrees: q in radians is [1.571, 0.7854] (np.deg2rad)'
    """
    limits = np.array([lower[k], upper[k]])
    far = times * np.abs(limits[np.isfinite(limits)]).max(initial=0.0)
    angle = np.deg2rad(x[k])
    if not (units[k].startswith("rad") and abs(x[k]) > far and lower[k] <= angle <= upper[k]):
        return ""
    right = np.where([unit.startswith("rad") for unit in units], np.deg2rad(x), x)
    if len(x) == 1 or not np.all((lower <= right) & (right <= upper)):
        return f"{x[k]:.6g} looks like degrees: in radians it is {angle:.4g}"
    numbers = ", ".join(f"{y:.4g}" for y in right[:ENTRIES]) + ", …" * (len(right) > ENTRIES)
    return f"the numbers look like degrees: {what} in radians is [{numbers}] (np.deg2rad)"


def degrees_hint(model: Model, q: Array, what: str = "q", *, alone: bool = False) -> str:
    """The same of the first of configurations (..., nq) that is beyond limits; `alone`, of the entry without others.

    >>> import kinetrace as kt
    >>> degrees_hint(kt.load("panda").model, np.array([0.0, -45.0, 0.0, -135.0, 0.0, 90.0, 45.0]))
    'the numbers look like degrees: q in radians is [0, -0.7854, 0, -2.356, 0, 1.571, 0.7854] (np.deg2rad)'
    """
    lower, upper, _ = model.bounds
    beyond = np.argwhere((q < lower) | (q > upper))
    if not len(beyond):
        return ""
    lane = tuple(int(i) for i in beyond[0][:-1])
    units = [unit for body in model.independent_joints for unit in q_units(body.joint)]
    name = f"{what}[{', '.join(map(str, lane))}]" if lane else what
    entries = np.flatnonzero((q[lane] < lower) | (q[lane] > upper)).tolist()
    for k in entries:
        at = slice(k, k + 1) if alone else slice(None)
        hint = in_radians(q[lane][at], 0 if alone else k, lower[at], upper[at], units[at], what=name)
        if hint:
            return hint
    return ""
