"""Spheres that a call is given, in either form that they are written in."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, shown
from .plain import plain_list, plain_reals

Sphere = tuple[float, float, float, float]
"""Centre x, y, z and radius [m]."""
_WANTED = "spheres (x, y, z, radius) or (centre, radius)"


def plain_spheres(name: str, x: Any) -> tuple[Sphere, ...]:
    """Spheres of a sequence or an array (n, 4), each (x, y, z, radius) or a pair (centre, radius); radii may be zero.

    >>> plain_spheres("obstacles", [(1, 2, 3, 0.5), ([0, 0, 1], 0.25)])
    ((1.0, 2.0, 3.0, 0.5), (0.0, 0.0, 1.0, 0.25))
    """
    return tuple(_sphere(f"{name}[{k}]", one) for k, one in enumerate(plain_list(name, x, _WANTED)))


def _sphere(name: str, x: Any) -> Sphere:
    pair = isinstance(x, tuple | list) and len(x) == 2
    center, radius = (plain_reals(name, part) for part in x) if pair else np.split(plain_reals(name, x).ravel(), [3])
    if center.shape != (3,) or radius.size != 1 or not np.isfinite([*center, radius.item()]).all() or radius.item() < 0:
        raise InputError(f"{name} must be one of {_WANTED}, finite, got {shown(x)}")
    a, b, c = center.tolist()
    return a, b, c, radius.item()
