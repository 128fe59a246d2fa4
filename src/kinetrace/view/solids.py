"""What a robot looks like, as solids on its bodies: its own shapes, or the capsules of its skeleton."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..model.body import Geometry
from ..model.model import Model
from . import facets
from .skeleton import DARK, STEEL, Color, skeleton

GREY = (0.62, 0.63, 0.66)
"""Of shapes without a colour."""
CELLS = 28
"""Meshes are drawn with a detail of their size divided by this."""


class Solid(NamedTuple):
    """Facets (k, 4, 3) on a body, in its frame; -1 is the world."""

    body: int
    facets: Array
    color: Color


def solids(model: Model, shapes: bool | None = None, *, coarse: bool = True) -> list[Solid]:
    """The solids of a robot: shapes if it has any and `shapes` is not False; else capsules and joints.

    Bodies whose meshes cannot be read are drawn as capsules. If `coarse`, meshes have little detail.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> [x.body for x in solids(model)], [x.body for x in solids(model, shapes=False)]
    ([-1, 0, 0, 1, 1], [0, 1, -1, 0, 1])
    """
    visual = [shape for shape in model.geometry if shape.role == "visual" and shape.frame in model.frames]
    if shapes is False or not visual:
        return _capsules(model, None)
    found, missing = [], set()
    for shape in visual:
        frame, made = model.frames[shape.frame], facets_of(shape, coarse)
        if made is None:
            missing.add(frame.body)
        else:
            r, g, b = (min(1.0, max(0.0, x)) for x in (shape.color or GREY)[:3])
            found.append(Solid(frame.body, facets.placed(made, frame.X_bf @ shape.placement), (r, g, b)))
    return found + (_capsules(model, missing) if missing else [])


def _capsules(model: Model, bodies: set[int] | None) -> list[Solid]:
    """The skeleton as solids, of these bodies or of all."""
    made = skeleton(model)
    found = [Solid(x.body, facets.of_segment(x), made.colors[x.body]) for x in made.segments]
    for x in made.symbols:
        found.append(Solid(x.body, facets.of_symbol(x), STEEL if x.kind in ("ground", "wheel") else DARK))
    return [x for x in found if bodies is None or x.body in bodies]


def facets_of(shape: Geometry, coarse: bool) -> Array | None:
    """The facets of a shape, in its own frame; None for a mesh that cannot be read here."""
    if shape.kind != "mesh":
        return facets.of_shape(shape)
    mesh = mesh_of(shape)
    if mesh is None:
        return None
    vertices, faces = _coarse(*mesh) if coarse else mesh
    corners = vertices[faces]
    return np.concatenate([corners, corners[:, 2:]], axis=1)


def mesh_of(shape: Geometry) -> tuple[Array, Array] | None:
    """The vertices (n, 3) and triangles (k, 3) of a mesh at its scale; None if it cannot be read.

    Files are read by trimesh, if it is installed.
    """
    source: Any = shape.mesh
    scale = np.asarray(shape.size or (1.0, 1.0, 1.0), dtype=float)
    if hasattr(source, "vertices"):  # in memory
        return np.asarray(source.vertices, dtype=float) * scale, np.asarray(source.faces, dtype=int)
    if not source or not Path(source).is_file():
        return None
    try:
        import trimesh

        found: Any = trimesh.load(source, force="mesh")
        return np.asarray(found.vertices, dtype=float) * scale, np.asarray(found.faces, dtype=int)
    except Exception:  # readers of meshes raise whatever they like for damaged files: the body becomes a capsule
        return None


def _coarse(vertices: Array, faces: Array) -> tuple[Array, Array]:
    """The same mesh with vertices of one cell of a grid joined, and without what vanishes by that."""
    if not len(vertices) or not len(faces):
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=int)
    low, size = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    cell = np.floor((vertices - low) / (size / CELLS)).astype(int)
    _, first, place = np.unique(cell, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    total = np.zeros((len(first), 3))
    np.add.at(total, place, vertices)
    joined = total / np.bincount(place)[:, None]
    faces = place[faces]
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return joined, np.unique(faces[distinct], axis=0)
