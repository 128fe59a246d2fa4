"""The smallest balls, boxes and capsules around points, and how far they stand off the hull of these.

The ball is exact. Boxes lie along an edge on a face of the hull, which the smallest one does on two faces at least;
axes of capsules are tried among those of the box, of the spread of the points and of their frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...lie import se3
from .hulls import Hull, directions

_WITHIN = 1e-12
"""Relative distance by which points may be outside of a ball."""
_SAMPLES = 20_000
"""Directions in which distances of bodies are looked at."""
_MOST_FRAMES = 400


class Fit(NamedTuple):
    """A shape around points: its size as of `Geometry`, pose (4, 4), and how far it stands off their hull at most."""

    kind: str
    size: Array
    X: Array
    error: float


def ball(points: Array) -> tuple[Array, float]:
    """Centre and radius of the smallest ball around points (n, d) of any dimension.

    >>> center, radius = ball(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]]))
    >>> center, radius
    (array([1., 0.]), 1.0)
    """
    support = [int(np.argmax(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
    center, radius = points[support[0]], 0.0
    while True:
        far = np.linalg.norm(points - center, axis=1)
        k = int(np.argmax(far))
        if far[k] <= radius * (1.0 + _WITHIN) or k in support:
            return center, max(radius, float(far[k]))
        center, radius, support = _ball_of_few(points, [*support, k])


def _ball_of_few(points: Array, among: list[int]) -> tuple[Array, float, list[int]]:
    """The smallest ball around a few points, and those on it."""
    best: tuple[Array, float, list[int]] | None = None
    for count in range(2, min(len(among), points.shape[1] + 1) + 1):
        for chosen in combinations(among, count):
            first, others = points[chosen[0]], points[list(chosen[1:])]
            A = others - points[chosen[0]]
            offset = np.linalg.lstsq(A, 0.5 * np.einsum("ij,ij->i", A, A), rcond=None)[0]
            center, radius = first + offset, float(np.linalg.norm(offset))
            far = np.linalg.norm(points[among] - center, axis=1).max()
            if far <= radius * (1.0 + 10 * _WITHIN) and (best is None or radius < best[1]):
                best = center, radius, list(chosen)
    assert best is not None
    return best


def sphere_around(hull: Hull) -> Fit:
    """The smallest sphere."""
    center, radius = ball(hull.points)
    return _fit("sphere", np.array([radius]), se3.pose(np.eye(3), center), hull)


def box_around(hull: Hull) -> Fit:
    """The smallest box along an edge on a face."""
    best = np.inf, np.eye(3)
    for R in _frames(hull):
        volume = float(np.prod(np.ptp(hull.points @ R, axis=0)))
        if volume < best[0] * (1.0 - 1e-9):
            best = volume, R
    R = best[1]
    low, high = (hull.points @ R).min(axis=0), (hull.points @ R).max(axis=0)
    return _fit("box", high - low, se3.pose(R, R @ (low + high) / 2), hull)


def capsule_around(hull: Hull) -> Fit:
    """The smallest capsule of those whose axes are tried."""
    box = box_around(hull)
    _, _, spread = np.linalg.svd(hull.points - hull.points.mean(axis=0), full_matrices=False)
    best: tuple[float, float, float, Array] | None = None
    for axis in (*np.eye(3), *box.X[:3, :3].T, *spread):
        R = _upright(axis)
        local = hull.points @ R
        center, radius = ball(local[:, :2])
        reach = np.sqrt(np.maximum(radius**2 - np.sum((local[:, :2] - center) ** 2, axis=1), 0.0))
        low, high = float((local[:, 2] + reach).min()), float((local[:, 2] - reach).max())
        length = max(high - low, 0.0)
        volume = np.pi * radius**2 * (length + 4.0 / 3.0 * radius)
        if best is None or volume < best[0] * (1.0 - 1e-9):
            middle = R @ np.array([*center, (low + high) / 2])
            best = volume, radius, length, se3.pose(R, middle)
    assert best is not None
    return _fit("capsule", np.array([best[1], best[2]]), best[3], hull)


def _upright(axis: Array) -> Array:
    """A rotation whose third column is the unit vector; the identity for z."""
    helper = np.eye(3)[0 if abs(axis[0]) < 0.9 else 1]
    y = np.cross(axis, helper)
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, axis), y, axis], axis=1)


def _frames(hull: Hull) -> Iterator[Array]:
    """Rotations whose axes boxes are tried along."""
    yield np.eye(3)
    corners = hull.points[hull.faces]
    size = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    largest = np.argsort(-size, kind="stable")[:_MOST_FRAMES]
    for k in largest:
        normal = hull.planes[k, :3]
        for a, b in ((0, 1), (1, 2), (2, 0)):
            edge = corners[k, b] - corners[k, a]
            length = float(np.linalg.norm(edge))
            if length > 0.0:
                x = edge / length
                yield np.stack([x, np.cross(normal, x), normal], axis=1)


def _fit(kind: str, size: Array, X: Array, hull: Hull) -> Fit:
    """The fit, and its distance from the hull by both supports in many directions."""
    u = np.vstack([directions(_SAMPLES), hull.planes[:, :3]])
    inner = np.concatenate([(hull.points @ part.T).max(axis=0) for part in np.array_split(u, 20)])
    local = u @ X[:3, :3]
    reach = {
        "sphere": lambda: size[0] * np.ones(len(u)),
        "box": lambda: np.abs(local) @ size / 2,
        "capsule": lambda: size[0] + np.abs(local[:, 2]) * size[1] / 2,
    }[kind]()
    return Fit(kind, size, X, float(np.max(u @ X[:3, 3] + reach - inner)))
