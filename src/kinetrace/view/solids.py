"""Solids of a robot: facets on its bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..errors import ModelWarning, install, warn
from ..model.body import Mesh
from ..model.files.load.mesh_files import mesh_file, read_mesh, usable
from ..model.model import Model
from . import facets
from .shapes import Shape, map_shapes, own_shapes
from .skeleton import Color

DEFAULT_COLOR = (0.62, 0.63, 0.66)
"""Colour of shapes without one."""
MIN_CELLS, MAX_CELLS = 12, 28
"""Meshes are drawn with a detail of their size divided by this: by the first if there are many."""
MESH_CELLS = 90.0
"""Number of these parts times the square root of the number of meshes, between both bounds."""
CLOSED_AREA = 0.01
"""The areas of a closed surface, as vectors, add up to less than this part of their lengths."""


class Solid(NamedTuple):
    """Facets (k, 4, 3) on a body, in its frame; -1 is the world."""

    body: int
    facets: Array
    normals: Array
    """(k, 3) by which facets are lit."""
    color: Color
    is_closed: bool = True
    """Whether facets whose normals point away from the eye are not seen."""
    is_convex: bool = True
    is_ground: bool = False
    """Whether it is the height field of a world."""


def solids(model: Model, shapes: bool | None = None, *, coarse: bool = True) -> list[Solid]:
    """The solids of a robot: shapes if it has any and `shapes` is not False; else capsules and joints.

    Bodies whose meshes cannot be read are drawn as capsules. If `coarse`, meshes have little detail.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> [x.body for x in solids(model)], [x.body for x in solids(model, shapes=False)]
    ([-1, 0, 0, 1, 1], [0, 1, -1, 0, 1])
    """
    meshes = [shape.mesh for shape in own_shapes(model, "visual") if shape.kind == "mesh"]
    cells = int(np.clip(MESH_CELLS / np.sqrt(max(len(meshes), 1)), MIN_CELLS, MAX_CELLS)) if coarse else None
    files = [mesh for mesh in meshes if isinstance(mesh, str)]
    if shapes is not False and files and not _has_trimesh():
        said = f"{len(set(files))} mesh files are not drawn, but simpler shapes, since trimesh is missing"
        warn(f"{said}: {install('plot', 'trimesh')}", ModelWarning)
    return map_shapes(model, lambda shape: _solid(shape, cells), shapes is not False)


def _has_trimesh() -> bool:
    try:
        import trimesh  # noqa: F401
    except ImportError:
        return False
    return True


def _solid(shape: Shape, cells: int | None) -> Solid | None:
    """A shape on its body; None if it cannot be made."""
    is_ground = shape.placed == "ground"
    surface = _surface(shape, None if is_ground else cells)
    if surface is None:
        return None
    r, g, b = (min(1.0, max(0.0, x)) for x in (shape.color or DEFAULT_COLOR)[:3])
    lit = surface.normals @ shape.pose[:3, :3].T
    faces = facets.place(surface.facets, shape.pose)
    return Solid(shape.body, faces, lit, (r, g, b), surface.is_closed, shape.kind != "mesh", is_ground)


class _Surface(NamedTuple):
    """Facets (k, 4, 3) with normals (k, 3)."""

    facets: Array
    normals: Array
    is_closed: bool


def _surface(shape: Shape, cells: int | None) -> _Surface | None:
    """A shape in its own frame; None for a mesh that cannot be read here."""
    if shape.kind == "mesh":
        mesh = _mesh_of(shape)
        return None if mesh is None else _mesh(*mesh, cells)
    quads = facets.of_shape(shape.kind, shape.size)
    return None if quads is None else _Surface(quads, facets.normals(quads), True)


def _mesh_of(shape: Shape) -> tuple[Array, Array] | None:
    """The vertices (n, 3) and triangles (k, 3) of a mesh at its scale; None if it cannot be read.

    Files are read by trimesh, if it is installed.
    """
    scale = np.asarray(shape.size or (1.0, 1.0, 1.0), dtype=float)
    if isinstance(shape.mesh, Mesh):
        arrays = np.asarray(shape.mesh.vertices, dtype=float), np.asarray(shape.mesh.faces, dtype=int)
    elif shape.mesh is None:
        return None
    else:
        try:
            path = mesh_file(shape.mesh)
        except (OSError, ValueError):
            return None  # said when the robot was loaded
        try:
            arrays = read_mesh(path)
        except ImportError:
            return None
        except Exception:  # readers of meshes raise whatever they like for damaged files: the body becomes a capsule
            arrays = np.zeros((0, 3)), np.zeros((0, 3), dtype=int)
    vertices, faces = usable(*arrays)
    if not len(faces):
        source = repr(shape.mesh) if isinstance(shape.mesh, str) else "in memory"
        warn(f"the mesh {source} has no triangles that can be drawn: it is left out", ModelWarning)
        return None
    return vertices * scale, faces if np.prod(scale) > 0 else faces[:, ::-1]


def _mesh(vertices: Array, faces: Array, cells: int | None) -> _Surface:
    """Facets of a mesh; if wanted, with the vertices in each cell of a grid joined, and lit by their mean normals."""
    if not len(vertices) or not len(faces):
        return _Surface(np.zeros((0, 4, 3)), np.zeros((0, 3)), True)
    area = np.cross(vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]])
    is_closed = bool(np.linalg.norm(area.sum(axis=0)) < CLOSED_AREA * np.linalg.norm(area, axis=1).sum())
    if cells is None:
        return _Surface(_quadrangles(vertices, faces), _units(area), is_closed)
    low, size = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    cell = np.floor((vertices - low) / (size / cells)).astype(int)
    _, place = np.unique(cell @ [1, cells + 1, (cells + 1) ** 2], return_inverse=True)
    place = place.reshape(-1)
    joined = np.stack([np.bincount(place, x) for x in vertices.T], axis=1) / np.bincount(place)[:, None]
    faces = place[faces]
    bent = np.zeros((len(joined), 3))
    for k in range(3):
        bent += np.stack([np.bincount(faces[:, k], x, len(joined)) for x in area.T], axis=1)
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    n = len(joined)
    ordered = np.sort(faces, axis=1) @ [1, n, n * n]
    _, first = np.unique(np.where(distinct, ordered, -1), return_index=True)
    kept = faces[first][distinct[first]]
    return _Surface(_quadrangles(joined, kept), _units(bent[kept].sum(axis=1)), is_closed)


def _quadrangles(vertices: Array, faces: Array) -> Array:
    """Triangles as facets."""
    corners = vertices[faces]
    return np.concatenate([corners, corners[:, 2:]], axis=1)


def _units(x: Array) -> Array:
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return np.divide(x, length, out=np.zeros_like(x), where=length > 0)
