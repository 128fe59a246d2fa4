"""Mass centre and rotational inertia of solids of uniform density."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..robot.types import Float
from ..support.optional import require_package


def uniform_inertia(kind: str, size: Float, mass: float) -> tuple[Float, Float]:
    """Centre of mass (3,) and inertia about it (3, 3) of a shape, in its frame; of the first lane.

    >>> uniform_inertia("sphere", np.array([0.1]), 5.0)[1].diagonal()
    array([0.02, 0.02, 0.02])
    """
    if kind == "points":
        return _of_hull(size, mass)
    of_one = size.reshape(-1, size.shape[-1])[0]
    return np.zeros(3), mass * np.diag(_MOMENTS[kind](*of_one))


def _box(x: float, y: float, z: float) -> tuple[float, float, float]:
    return (y * y + z * z) / 12.0, (x * x + z * z) / 12.0, (x * x + y * y) / 12.0


def _sphere(r: float) -> tuple[float, float, float]:
    return (0.4 * r * r,) * 3


def _cylinder(r: float, length: float) -> tuple[float, float, float]:
    across = r * r / 4.0 + length * length / 12.0
    return across, across, r * r / 2.0


def _capsule(r: float, length: float) -> tuple[float, float, float]:
    """Of a cylinder and two half balls, whose centres of mass are 3 r / 8 beyond its ends."""
    ball = 4.0 * r / 3.0 / (length + 4.0 * r / 3.0)
    across, _, along = _cylinder(r, length)
    of_balls = 0.4 * r * r + length * length / 4.0 + 0.375 * r * length
    across = (1.0 - ball) * across + ball * of_balls
    return across, across, (1.0 - ball) * along + ball * 0.4 * r * r


def _ellipsoid(a: float, b: float, c: float) -> tuple[float, float, float]:
    return (b * b + c * c) / 5.0, (a * a + c * c) / 5.0, (a * a + b * b) / 5.0


_MOMENTS: dict[str, Callable[..., tuple[float, float, float]]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "ellipsoid": _ellipsoid,
}
"""Kind → moments about the axes for a mass of one."""


def _of_hull(points: Float, mass: float) -> tuple[Float, Float]:
    """Sum over tetrahedra of the triangles of the hull and a point inside."""
    spatial = require_package("scipy.spatial", "the inertia of a hull")
    inside = points.mean(axis=0)
    corners = points[spatial.ConvexHull(points).simplices] - inside
    volumes = np.abs(np.linalg.det(corners)) / 6.0
    centers = corners.sum(axis=1) / 4.0
    total = volumes.sum()
    com = volumes @ centers / total
    second = np.einsum("t,tki,tkj->ij", volumes, corners, corners) / 20.0
    second += np.einsum("t,ti,tj->ij", volumes, 4.0 * centers, 4.0 * centers) / 20.0
    second = second / total - np.outer(com, com)
    return inside + com, mass * (np.trace(second) * np.eye(3) - second)
