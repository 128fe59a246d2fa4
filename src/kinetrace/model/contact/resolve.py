"""Collision shapes of a model as shapes for contact: where they are on bodies, and what becomes of meshes.

    "hull"       the convex hull, of at most 32 points
    "points"     the hull of 8 points
    "sphere", "box", "capsule"     the smallest around the mesh
    "pieces"     the hulls of convex parts, by coacd
    "capsules"   a capsule around each of these parts
    None         nothing

A mesh without faces is a set of points. The same mesh gives the same shapes, always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from ...arrays import Array
from ...errors import InputError, MissingPackageError, ModelError, unknown_name_error, value_text
from ...support.optional import require_package
from ..body import Geometry, Mesh
from ..files.load.mesh_files import mesh_file, read_mesh, usable
from ..model import Model
from .checks import check_shape, check_volume
from .contacts import ContactShape
from .enclosing import Fit, box_around, capsule_around, sphere_around
from .hulls import Hull, few_points, hull_of
from .names import with_names

MeshChoice = Literal["hull", "points", "sphere", "box", "capsule", "pieces", "capsules"]
"""What a mesh becomes."""
MOST_POINTS, FEW_POINTS = 32, 8
"""Points of a hull, and of its support alone."""
_CONCAVITY = 0.05
"""How concave parts may be that coacd makes."""


@dataclass(frozen=True)
class MeshFit:
    """What a mesh became."""

    choice: MeshChoice
    fits: tuple[Fit, ...]
    """Shapes in the frame of the mesh; of the kind "points", the size is their corners (n, 3)."""
    corners: int
    """Of the convex hull of the mesh."""
    filled: float | None
    """Volume of the mesh relative to that of its hull; None if the mesh is not closed."""

    @property
    def error(self) -> float:
        """How far the shapes stand off the hulls of what they are made from, at most [m]."""
        return max(fit.error for fit in self.fits)

    @property
    def text(self) -> str:
        """What it became, for people."""
        kinds = [f"hull of {len(fit.size)} points" if fit.kind == "points" else fit.kind for fit in self.fits]
        what = kinds[0] if len(kinds) == 1 else f"{len(kinds)} parts: {', '.join(dict.fromkeys(kinds))}"
        told = f"{what}, {1e3 * self.error:.2g} mm off its hull of {self.corners}" if self.error else what
        is_hollow = self.filled is not None and self.filled < 0.9 and len(self.fits) == 1
        return f"{told}; it fills {100 * self.filled:.0f} % of its hull" if is_hollow and self.filled else told


def contact_shapes(model: Model, meshes: Any = "hull") -> tuple[ContactShape, ...]:
    """All collision shapes, on the bodies that carry them.

    `meshes` is what meshes become: a choice for all, or a mapping of names of shapes to choices; others are "hull".

    >>> import kinetrace as kt
    >>> [x.kind for x in contact_shapes(kt.load("quadruped").model) if "FL_" in x.name]
    ['cylinder', 'cylinder', 'cylinder', 'box', 'cylinder', 'cylinder', 'sphere']
    """
    found = list[ContactShape]()
    fits = mesh_fits(model, meshes)
    for shape in with_names(model.collision_shapes):
        check_shape(shape)
        frame = model.frames[shape.frame]
        X = frame.X_bf @ np.asarray(shape.placement)
        if shape.kind != "mesh":
            found.append(_on(shape, shape.name, shape.kind, *_numbers(shape), frame.body, X))
            continue
        made = fits[shape.name]
        parts = () if made is None else made.fits
        for k, fit in enumerate(parts):
            name = shape.name if len(parts) == 1 else f"{shape.name}:{k + 1}"
            found.append(_on(shape, name, fit.kind, fit.size, None, frame.body, X @ fit.X))
    return tuple(found)


def _on(shape: Geometry, name: str, kind: str, size: Array, lengths: Array | None, body: int, X: Array) -> ContactShape:
    velocity = None if shape.surface is None else shape.surface.velocity
    return ContactShape(name, kind, size, body, X, lengths, velocity, shape.frame)


def _numbers(shape: Geometry) -> tuple[Array, Array | None]:
    """Size and lengths of a shape for contact."""
    size = np.array(shape.size, dtype=float)
    return (size, None) if shape.heights is None else (np.array(shape.heights, dtype=float), size[:2])


def mesh_fits(model: Model, meshes: Any = "hull") -> dict[str, MeshFit | None]:
    """What each collision mesh becomes, by the names of shapes; None of those that are left out."""
    shapes = {shape.name: shape for shape in with_names(model.collision_shapes)}
    if isinstance(meshes, Mapping):
        for name in meshes:
            if name not in shapes or shapes[name].kind != "mesh":
                valid = [x.name for x in shapes.values() if x.kind == "mesh"]
                raise unknown_name_error("collision mesh", name, valid)
    found = dict[str, MeshFit | None]()
    for name, shape in shapes.items():
        if shape.kind == "mesh":
            choice = meshes.get(name, "hull") if isinstance(meshes, Mapping) else meshes
            check_choice(choice)
            found[name] = None if choice is None else _fit_of(shape, choice)
    return found


def check_choice(choice: Any) -> None:
    """An error unless meshes can become this."""
    if choice is not None and not (isinstance(choice, str) and choice in get_args(MeshChoice)):
        choices = ", ".join(map(repr, get_args(MeshChoice)))
        raise InputError(f"meshes: {value_text(choice)} is none of {choices}, or None to leave a mesh out")


def _fit_of(shape: Geometry, choice: MeshChoice) -> MeshFit:
    """What a mesh becomes; an error that names it if it cannot be read, or has no volume."""
    what, scale = f"collision shape {shape.name!r} on link {shape.frame!r}", tuple(shape.size) or (1.0, 1.0, 1.0)
    if isinstance(shape.mesh, Mesh):
        return _fitted(shape.mesh, scale, choice, what)
    if shape.mesh is None:
        raise ModelError(f"{what}: a mesh needs a file or a kinetrace.model.Mesh")
    try:
        vertices, faces = usable(*read_mesh(mesh_file(shape.mesh)))
        mesh = Mesh(vertices, faces)
    except MissingPackageError:
        raise
    except Exception as error:  # readers of meshes raise whatever they like for damaged files
        reason = getattr(error, "strerror", None) or error
        hint = f"meshes={{{shape.name!r}: None}} leaves it out"
        raise ModelError(f"{what}: the mesh {shape.mesh!r} cannot be read: {reason}; {hint}") from None
    return _fitted(mesh, scale, choice, what)


@lru_cache(maxsize=256)
def _fitted(mesh: Mesh, scale: tuple[float, ...], choice: MeshChoice, what: str) -> MeshFit:
    """What a mesh in memory becomes."""
    points = np.asarray(mesh.vertices, dtype=float) * np.asarray(scale)
    check_volume(points, what)
    hull = hull_of(points)
    volume = _volume(points, mesh.faces)
    filled = None if volume is None else min(abs(volume) / hull.volume, 1.0)
    hulls = [hull]
    if choice in ("pieces", "capsules"):
        hulls = [hull_of(part) for part in _convex_parts(points, mesh.faces, what)]
    return MeshFit(choice, tuple(_MAKERS[choice](each) for each in hulls), len(hull.points), filled)


def _volume(points: Array, faces: Array) -> float | None:
    """The volume inside triangles; None if they are not closed."""
    corners = points[faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = float(np.linalg.norm(area, axis=1).sum())
    if not total > 0.0 or float(np.linalg.norm(area.sum(axis=0))) > 1e-3 * total:
        return None
    return float(np.einsum("ij,ij->", corners[:, 0] - points.mean(axis=0), area)) / 6.0


def _convex_parts(points: Array, faces: Array, what: str) -> list[Array]:
    """Points of the convex parts of a mesh."""
    coacd: Any = require_package("coacd", f"{what}: convex parts of its mesh", "collision")
    if not len(faces):
        raise ModelError(f"{what}: convex parts need a mesh with faces")
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(points, np.asarray(faces, dtype=int)), threshold=_CONCAVITY, seed=0)
    return [np.asarray(vertices, dtype=float) for vertices, _ in parts]


def _points(most: int) -> Callable[[Hull], Fit]:
    def made(hull: Hull) -> Fit:
        points, error = few_points(hull, most)
        return Fit("points", points, np.eye(4), error)

    return made


_MAKERS: dict[str, Callable[[Hull], Fit]] = {
    "hull": _points(MOST_POINTS),
    "points": _points(FEW_POINTS),
    "sphere": sphere_around,
    "box": box_around,
    "capsule": capsule_around,
    "pieces": _points(MOST_POINTS),
    "capsules": capsule_around,
}
"""Choice → what becomes of a hull, of the mesh or of each of its parts."""
