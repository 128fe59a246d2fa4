"""Faces of convex hulls of few points."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..arrays import Array, is_concrete

SAME = 1e-9
"""Normals that differ less are of one face; distance of vertices from it, relative to the hull, that counts as none."""


def hull_normals(vertices: Array) -> Array:
    """(m, 3) outward normals of the faces of a hull of vertices (n, 3) around the origin; none unless they are numbers.

    >>> hull_normals(np.kron(np.eye(3), [[1.0], [-1.0]])).shape
    (8, 3)
    """
    if not is_concrete(vertices) or len(vertices) < 4:
        return np.zeros((0, 3))
    i, j, k = np.array(list(combinations(range(len(vertices)), 3))).T
    across = np.cross(vertices[j] - vertices[i], vertices[k] - vertices[i])
    lengths, size = np.linalg.norm(across, axis=1), np.abs(vertices).max()
    is_plane = lengths > SAME * size * size
    normals = across[is_plane] / lengths[is_plane, None]
    heights = np.einsum("ti,ti->t", normals, vertices[i[is_plane]])
    normals = normals * np.where(heights < 0.0, -1.0, 1.0)[:, None]
    outer = normals[(normals @ vertices.T).max(axis=1) <= np.abs(heights) + SAME * size]
    _, places = np.unique((outer / SAME).round(), axis=0, return_index=True)
    return outer[places]
