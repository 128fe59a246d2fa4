"""Geoms of a model of MuJoCo → shapes of a builder, for viewers and for contacts.

MuJoCo shows the groups 0 to 2 and lets bodies touch where `contype` or `conaffinity` is not zero, or a pair names the
geom. So a geom of these groups is visual, one that may touch is for collisions, and many are both. Where a body has
shown geoms that touch nothing, those of its other groups that may touch are for collisions alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .....arrays import Array
from .....errors import ModelError
from ....body import Geometry, Mesh
from ....build.builder import Builder
from ....contact.names import COLLISION, unique_name
from ....record import read_only
from .contacts import add_rules, surface_of
from .names import MjcfNames, Unused, given_names
from .tree import pose_of

_PLANE, _HFIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(8)
_FIRST_HIDDEN_GROUP = 3
"""Groups below this are shown."""
_GREY = (0.5, 0.5, 0.5, 1.0)
"""Colour of a geom that has none of its own."""


@dataclass(frozen=True)
class _Part:
    """What a geom is made of."""

    kind: str
    size: tuple[float, ...]
    mesh: Mesh | None = None
    heights: Array | None = None


def add_shapes(builder: Builder, model: Any, names: MjcfNames, unused: Unused) -> None:
    """All geoms, and the rules of their contacts; those of no known kind are named."""
    own, meshes = given_names(model, "geom", model.ngeom), dict[int, Mesh]()
    for k, name in enumerate(given_names(model, "skin", model.nskin)):
        unused.remark("skins", name or f"skin{k}", harmless=True)
    paired = np.isin(np.arange(model.ngeom), [model.pair_geom1, model.pair_geom2])
    touching = ((model.geom_contype | model.geom_conaffinity) != 0) | paired
    seen = model.geom_group < _FIRST_HIDDEN_GROUP
    groups = set(zip(model.geom_bodyid[seen & ~touching], model.geom_group[seen & ~touching], strict=True))
    dressed, taken, called = {body for body, _ in groups}, {name for name in own if name}, dict[int, str]()
    for g in range(model.ngeom):
        part = _part(model, g, meshes)
        if part is None:
            unused.remark("shapes that are distance fields", own[g] or f"geom{g}", harmless=True)
            continue
        X = pose_of(model.geom_pos[g], model.geom_quat[g])
        body, group = model.geom_bodyid[g], model.geom_group[g]
        link, color = names.bodies[body], _color(model, g)
        shape = Geometry(part.kind, part.size, link, X, "visual", part.mesh, color, heights=part.heights)
        if seen[g] and not (touching[g] and body in dressed and (body, group) not in groups):
            builder.geometry(shape)
        if touching[g]:
            name = own[g] or unique_name(link, taken)
            try:
                surface = surface_of(model, g, name, unused)
                builder.geometry(replace(shape, role=COLLISION, name=name, surface=surface))
                called[g] = name
            except ModelError as error:
                unused.remark(f"shapes that cannot touch ({error.problem})", name, harmless=True)
    add_rules(builder, model, names, called, unused)


def _part(model: Any, g: int, meshes: dict[int, Mesh]) -> _Part | None:
    """Kind, size and points of a geom; None if there is no such shape. MuJoCo has half lengths."""
    kind, (a, b, c) = int(model.geom_type[g]), (float(x) for x in model.geom_size[g])
    simple = {
        _PLANE: ("plane", (2 * a, 2 * b)),
        _SPHERE: ("sphere", (a,)),
        _CAPSULE: ("capsule", (a, 2 * b)),
        _ELLIPSOID: ("ellipsoid", (a, b, c)),
        _CYLINDER: ("cylinder", (a, 2 * b)),
        _BOX: ("box", (2 * a, 2 * b, 2 * c)),
    }
    if kind in simple:
        return _Part(*simple[kind])
    k = int(model.geom_dataid[g])
    if kind == _HFIELD:
        first, rows, columns = (int(x[k]) for x in (model.hfield_adr, model.hfield_nrow, model.hfield_ncol))
        x, y, top, base = (float(e) for e in model.hfield_size[k])
        grid = np.asarray(model.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns)
        return _Part("heights", (2 * x, 2 * y, base), heights=read_only(top * grid.T))
    if kind != _MESH:
        return None
    if k not in meshes:
        first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
        begin, faces = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
        meshes[k] = Mesh(model.mesh_vert[first : first + count], model.mesh_face[begin : begin + faces])
    return _Part("mesh", (1.0, 1.0, 1.0), meshes[k])


def _color(model: Any, g: int) -> tuple[float, float, float, float]:
    """Its own colour, else that of its material."""
    own, material = model.geom_rgba[g], int(model.geom_matid[g])
    rgba = model.mat_rgba[material] if material >= 0 and np.allclose(own, _GREY) else own
    r, g_, b, a = (round(float(x), 6) for x in rgba)  # of single precision
    return r, g_, b, a
