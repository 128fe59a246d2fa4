"""The ground below a robot as facets, for drawings: a part of a plane or of a height field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...model.model import Model
from .. import facets
from ..solids import Solid
from .shown import ground_pose

LIGHT_CELL, DARK_CELL, HILL = (0.99, 0.99, 1.0), (0.93, 0.95, 0.97), (0.87, 0.9, 0.83)
"""Colours of the two kinds of cells of planes, and of height fields."""
CELLS = 6
"""Number of cells of a plane from the middle to its edge, about."""


class Ground(NamedTuple):
    """Facets (k, 4, 3) in the world, with normals and colours (k, 3)."""

    facets: Array
    normals: Array
    colors: Array


def ground_below(model: Model, solids: Sequence[Solid], middle: Array, radius: float) -> Ground | None:
    """The ground within a radius of a point in the world; None if there is none."""
    parts = [_near(solid, middle, radius) for solid in solids if solid.is_ground]
    pose = ground_pose(model)
    if pose is not None:
        parts.append(_plane(pose, middle, radius))
    if not parts:
        return None
    return Ground(*(np.concatenate(x) for x in zip(*parts, strict=True)))


def _near(solid: Solid, middle: Array, radius: float) -> Ground:
    away = np.abs(solid.facets.mean(axis=1) - middle)
    near = (away[:, :2] < radius).all(axis=1)
    return Ground(solid.facets[near], solid.normals[near], np.tile(HILL, (int(near.sum()), 1)))


def _plane(pose: Array, middle: Array, radius: float) -> Ground:
    """Cells like those of a chessboard, whose edges stay where they are when the middle moves."""
    exact = radius / CELLS
    power = 10.0 ** np.floor(np.log10(exact))
    cell = power * max(x for x in (1.0, 2.0, 5.0) if x * power <= exact * (1.0 + 1e-9))
    x, y = (pose[:3, :3].T @ (middle - pose[:3, 3]))[:2]
    i, j = (np.arange(np.floor((at - radius) / cell), np.ceil((at + radius) / cell)) for at in (x, y))
    i, j = (k.ravel() for k in np.meshgrid(i, j, indexing="ij"))
    corners = [np.stack([(i + a) * cell, (j + b) * cell, 0.0 * i], axis=1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    light = ((i + j) % 2 == 0)[:, None]
    faces = facets.place(np.stack(corners, axis=1), pose)
    return Ground(faces, np.tile(pose[:3, 2], (len(faces), 1)), np.where(light, LIGHT_CELL, DARK_CELL))
