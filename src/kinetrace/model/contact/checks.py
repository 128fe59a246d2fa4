"""Collision shapes that no contact can have: without extent, not finite, of an unknown kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import ModelError, unknown_name_error, value_text
from .contacts import ContactRules, ContactShape

if TYPE_CHECKING:
    from ..body import Geometry
    from ..model import Model


class _Size(NamedTuple):
    """What the numbers of a kind are, and how many of them must not be zero."""

    numbers: tuple[str, ...]
    positive: int


SIZES = {
    "sphere": _Size(("radius",), 1),
    "capsule": _Size(("radius", "length"), 1),
    "cylinder": _Size(("radius", "length"), 2),
    "box": _Size(("length along x", "length along y", "length along z"), 3),
    "ellipsoid": _Size(("half axis along x", "half axis along y", "half axis along z"), 3),
    "plane": _Size(("length along x", "length along y"), 0),
    "heights": _Size(("length along x", "length along y", "thickness below zero"), 2),
    "mesh": _Size(("scale along x", "scale along y", "scale along z"), 3),
}
"""Kinds of shapes that count in contacts, and their sizes."""
FLAT = 1e-9
"""Thickness of a set of points relative to its length, below which it lies in a plane."""


def check_shape(shape: Geometry) -> None:
    """An error that names the shape and its link, unless contacts can have it."""
    what = f"collision shape {shape.name!r} on link {shape.frame!r}" if shape.name else f"a shape on {shape.frame!r}"
    if shape.kind not in SIZES:
        raise ModelError(f"{what}: {unknown_name_error('kind', shape.kind, SIZES)}")
    names, positive = SIZES[shape.kind]
    size = np.asarray(shape.size if shape.size or shape.kind != "mesh" else (1.0, 1.0, 1.0), dtype=float)
    if size.shape != (len(names),) or not np.all(np.isfinite(size)):
        told = f"a {shape.kind} has {', '.join(names)}"
        raise ModelError(f"{what}: {told}, all finite; got {value_text(tuple(shape.size))}")
    for k, (name, x) in enumerate(zip(names, np.abs(size) if shape.kind == "mesh" else size, strict=True)):
        if x < 0.0 or (k < positive and x == 0.0):
            told = "positive" if k < positive else "not negative"
            raise ModelError(f"{what}: the {name} of a {shape.kind} must be {told}, got {size[k]:g}")
    _check_data(shape, what)


def _check_data(shape: Geometry, what: str) -> None:
    """An error unless a mesh or a height field has its points."""
    if shape.kind == "mesh" and not isinstance(shape.mesh, str):
        if shape.mesh is None:
            raise ModelError(f"{what}: a mesh needs a file or a kinetrace.model.Mesh")
        check_volume(np.asarray(shape.mesh.vertices, dtype=float), what)
    if shape.kind == "heights":
        grid = shape.heights
        if grid is None or np.ndim(grid) != 2 or min(np.shape(grid)) < 2:
            got = "none" if grid is None else str(np.shape(grid))
            raise ModelError(f"{what}: heights must be a grid (nx, ny) of at least 2 by 2 numbers, got {got}")
        if not np.all(np.isfinite(np.asarray(grid, dtype=float))):
            raise ModelError(f"{what}: heights must be finite")


def check_contact_shape(shape: ContactShape) -> None:
    """An error that names a shape for contact which cannot be one; sizes that are traced have a shape alone."""
    what, size = f"contact shape {shape.name!r}", np.asarray(shape.size)
    kinds = [*(kind for kind in SIZES if kind != "mesh"), "points"]
    if shape.kind not in kinds:
        raise ModelError(f"{what}: {unknown_name_error('kind', shape.kind, kinds)}")
    if is_concrete(shape.size) and not np.all(np.isfinite(size.astype(float))):
        raise ModelError(f"{what}: its size must be finite, got {value_text(size.tolist())}")
    if shape.kind == "points":
        if size.ndim != 2 or size.shape[1] != 3:
            raise ModelError(f"{what}: points must have shape (n, 3), got {size.shape}")
        check_volume(size, what)
    elif shape.kind == "heights":
        if size.ndim != 2 or min(size.shape) < 2 or shape.lengths is None or np.shape(shape.lengths) != (2,):
            raise ModelError(f"{what}: heights are a grid of at least 2 by 2 numbers, and lengths (2,) along x and y")
    elif shape.kind != "plane":
        names, positive = SIZES[shape.kind]
        if size.shape != (len(names),):
            raise ModelError(f"{what}: a {shape.kind} has {', '.join(names)}; got an array {size.shape}")
        if is_concrete(shape.size) and not (np.all(size >= 0.0) and np.all(size[:positive] > 0.0)):
            raise ModelError(f"{what}: the size of a {shape.kind} must be positive, got {size.tolist()}")


def check_volume(points: Array, what: str) -> None:
    """An error if all points lie in a plane, so that their hull has no volume."""
    if len(points) < 4:
        raise ModelError(f"{what}: a hull needs at least 4 points, got {len(points)}")
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if not spread[2] > FLAT * spread[0]:
        raise ModelError(f"{what}: its {len(points)} points lie in a plane: their hull has no volume")


def check_rules(model: Model, rules: ContactRules) -> None:
    """An error if a rule names a shape or link that the model does not have."""
    shapes = {shape.name: shape for shape in model.collision_shapes}
    for rule in rules.pairs:
        for name in (rule.a, rule.b):
            if name not in shapes:
                raise ModelError(f"contact pair: {unknown_name_error('collision shape', name, shapes)}")
        if rule.a == rule.b:
            raise ModelError(f"contact pair: shape {rule.a!r} does not touch itself")
    for exclusion in rules.excludes:
        for name in (exclusion.a, exclusion.b):
            if name not in model.frames and name != "world":
                raise ModelError(f"contact exclusion: {unknown_name_error('link', name, model.frames)}")
