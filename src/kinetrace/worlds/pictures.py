"""Objects of worlds as shapes for viewers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from ..model.body import Geometry, Mesh
from ..robot.types import Float
from .objects import Heights, Shape
from .values import first_lane

PICTURED = ("box", "sphere", "capsule", "cylinder", "ellipsoid", "plane")
"""Kinds of shapes whose sizes are those of `Geometry`."""
FLATNESS = 1e-9
"""By how much a point may be outside of a face, relative to the size of the hull."""


def pictures(name: str, x: Shape) -> list[Geometry]:
    """The shapes for viewers of an object in the first lane, in the frame of its name."""
    if isinstance(x, Heights):
        lengths = np.asarray(x.lengths, dtype=float).tolist()
        heights = first_lane(x.size, 2)
        return [Geometry("heights", (*lengths, 0.0), name, np.eye(4), heights=heights, color=x.color, name=name)]
    if x.kind == "points":
        mesh = Mesh(x.size, hull_triangles(x.size))
        return [Geometry("mesh", (1.0, 1.0, 1.0), name, np.eye(4), mesh=mesh, color=x.color, name=name)]
    if x.kind not in PICTURED:
        return []
    size = (0.0, 0.0) if x.kind == "plane" else tuple(first_lane(x.size, 1).tolist())
    return [Geometry(x.kind, size, name, np.eye(4), color=x.color, name=name)]


def hull_triangles(points: Float) -> npt.NDArray[np.intp]:
    """Triangles (k, 3) of the convex hull of points (n, 3) by their places, counterclockwise seen from outside.

    Point by point: the faces that one sees give way to triangles from their outline to the point.

    >>> hull_triangles(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])).tolist()
    [[2, 1, 0], [0, 1, 3], [3, 2, 0], [1, 2, 3]]
    """
    first, tolerance = _tetrahedron(points), FLATNESS * float(np.ptp(points, axis=0).max())
    middle = points[first].mean(axis=0)
    faces = [_outward(points, list(x), middle) for x in combinations(first, 3)]
    for k in (k for k in range(len(points)) if k not in first):
        a, b, c = (points[np.array(faces)[:, i]] for i in range(3))
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1)
        seen = np.einsum("ij,ij->i", normals, points[k] - a) > tolerance * lengths
        gone = [face for face, is_seen in zip(faces, seen, strict=True) if is_seen]
        edges = {edge for x, y, z in gone for edge in ((x, y), (y, z), (z, x))}
        outline = sorted(edge for edge in edges if edge[::-1] not in edges)
        faces = [face for face, is_seen in zip(faces, seen, strict=True) if not is_seen]
        faces += [[*edge, k] for edge in outline]
    return np.array(faces, dtype=np.intp)


def _tetrahedron(points: Float) -> list[int]:
    """Four points that are far from each other."""
    i = int(np.argmin(points[:, 0]))
    away = points - points[i]
    j = int(np.argmax(np.linalg.norm(away, axis=1)))
    beside = np.cross(away, away[j])
    k = int(np.argmax(np.linalg.norm(beside, axis=1)))
    return [i, j, k, int(np.argmax(np.abs(away @ beside[k])))]


def _outward(points: Float, face: list[int], inside: Float) -> list[int]:
    a, b, c = points[face]
    return face if np.cross(b - a, c - a) @ (a - inside) > 0.0 else face[::-1]
