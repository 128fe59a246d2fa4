"""Convex hulls of points, and hulls of few of them that stand close to all.

Points are chosen by their support in directions that are well apart, then one by one where a point is the farthest
outside. Two convex bodies A ⊂ B are apart by the largest distance of a point of B from A (Hausdorff's).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...support.optional import require_package


class Hull(NamedTuple):
    """The convex hull of points."""

    points: Array
    """(n, 3) its corners."""
    faces: Array
    """(m, 3) triangles, by the places of their corners."""
    planes: Array
    """(m, 4) half spaces x · n + d ≤ 0."""
    volume: float


def hull_of(points: Array) -> Hull:
    """The convex hull of points (n, 3), which do not lie in a plane.

    >>> cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    >>> hull = hull_of(np.vstack([cube, [[0.5, 0.5, 0.5]]]))
    >>> hull.points.shape, round(hull.volume, 12)
    ((8, 3), 1.0)
    """
    spatial: Any = require_package("scipy.spatial", "the convex hull of a mesh", "collision")
    found = spatial.ConvexHull(np.asarray(points, dtype=float))
    corners = np.sort(found.vertices)
    place = np.zeros(len(points), dtype=int)
    place[corners] = np.arange(len(corners))
    return Hull(found.points[corners], place[found.simplices], found.equations, float(found.volume))


@cache
def directions(count: int) -> Array:
    """Unit vectors (count, 3) that are well apart: a spiral from pole to pole."""
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


_FIRST = np.array([*np.eye(3), *-np.eye(3)])
"""Directions whose support points are chosen first."""


def few_points(hull: Hull, most: int) -> tuple[Array, float]:
    """At most so many corners of a hull, and how far the hull of these is from it [m]; all of them if they are few."""
    if len(hull.points) <= most:
        return hull.points, 0.0
    spread = np.vstack([_FIRST, directions(max(most // 3, 2))])
    chosen = list(dict.fromkeys(np.argmax(hull.points @ spread.T, axis=0).tolist()))[:most]
    while not _has_volume(hull.points[chosen]):
        chosen = _with_farthest(hull.points, chosen)[-most:]
    inner = hull_of(hull.points[chosen])
    while len(chosen) < most:
        outside = (hull.points @ inner.planes[:, :3].T + inner.planes[:, 3]).max(axis=1)
        outside[chosen] = 0.0
        chosen.append(int(np.argmax(outside)))
        inner = hull_of(hull.points[chosen])
    return hull.points[sorted(chosen)], float(distances_outside(hull.points, inner).max())


def _has_volume(points: Array) -> bool:
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return len(points) > 3 and bool(spread[2] > 1e-6 * spread[0])


def _with_farthest(points: Array, chosen: list[int]) -> list[int]:
    """With the point that is farthest from the plane, line or point of those that are chosen."""
    center = points[chosen].mean(axis=0)
    _, spread, axes = np.linalg.svd(points[chosen] - center)
    flat = axes[spread[:3] > 1e-6 * spread[0]] if len(chosen) > 1 else np.zeros((0, 3))
    rest = (points - center) - (points - center) @ flat.T @ flat
    return [*chosen, int(np.argmax(np.linalg.norm(rest, axis=1)))]


_AT_ONCE = 256
"""Points whose distances are computed together."""


def distances_outside(points: Array, hull: Hull) -> Array:
    """Distances (n,) of points from a hull; 0 of those inside."""
    found = np.zeros(len(points))
    (outside,) = np.nonzero((points @ hull.planes[:, :3].T + hull.planes[:, 3]).max(axis=1) > 0.0)
    for some in np.split(outside, range(_AT_ONCE, len(outside), _AT_ONCE)):
        found[some] = _from_triangles(points[some], hull.points[hull.faces])
    return found


def _from_triangles(points: Array, corners: Array) -> Array:
    """The distances (n,) of points from the nearest of triangles (m, 3, 3)."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    height = np.einsum("nmj,mj->nm", points[:, None] - a, normal) / np.where(length > 0.0, length, 1.0)
    within, nearest = np.ones(height.shape, dtype=bool), np.full(height.shape, np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        edge, to = end - start, points[:, None] - start
        within &= np.einsum("nmj,mj->nm", to, np.cross(normal, edge)) >= 0.0
        along = np.einsum("nmj,mj->nm", to, edge) / np.maximum(np.einsum("mj,mj->m", edge, edge), 1e-300)
        nearest = np.minimum(nearest, np.linalg.norm(to - np.clip(along, 0.0, 1.0)[..., None] * edge, axis=2))
    return np.where(within, np.abs(height), nearest).min(axis=1)
