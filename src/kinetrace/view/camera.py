"""Where drawings are seen from."""

from __future__ import annotations

import numpy as np

from ..arrays import Array

THIN, FRONT, ASIDE = 0.3, (12.0, -75.0), (18.0, -55.0)
"""Robots that are thinner than this along y, of their other sizes, are seen from the front; others from aside."""


def angles(extent: Array) -> tuple[float, float]:
    """Elevation and azimuth [degrees] from which to look at something of this size (3,).

    >>> angles(np.array([1.0, 0.1, 1.0])), angles(np.array([1.0, 1.0, 1.0]))
    ((12.0, -75.0), (18.0, -55.0))
    """
    return FRONT if extent[1] < THIN * min(extent[0], extent[2]) else ASIDE


def directions(elevation: float, azimuth: float) -> Array:
    """Rows (3, 3): to the right of the picture, upward, and toward the eye, in the world.

    >>> directions(0.0, -90.0).round(12) + 0.0
    array([[ 1.,  0.,  0.],
           [ 0.,  0.,  1.],
           [ 0., -1.,  0.]])
    """
    e, a = np.radians(elevation), np.radians(azimuth)
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return np.stack([right, np.cross(toward, right), toward])
