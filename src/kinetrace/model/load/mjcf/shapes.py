"""Geoms → shapes for viewers.

MuJoCo shows the groups 0 to 2 and lets bodies touch where `contype` or `conaffinity` is not zero. So a geom of these
groups is visual, one that may touch is for collisions, and many are both. Where a body has shown geoms that touch
nothing, those of its other groups that may touch are for collisions alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...body import Geometry, Mesh
from ...builder import Builder
from .names import Names, given
from .tree import placed
from .unused import Unused

_PLANE, _HFIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(8)
_SHOWN = 3
"""Groups below this are shown."""
_GREY = (0.5, 0.5, 0.5, 1.0)
"""Colour of a geom that has none of its own."""


def add_shapes(builder: Builder, model: Any, names: Names, unused: Unused) -> None:
    """All geoms; those of no known kind are named."""
    own, meshes = given(model, "geom", model.ngeom), dict[int, Mesh]()
    for k, name in enumerate(given(model, "skin", model.nskin)):
        unused.remark("skins", name or f"skin{k}", harmless=True)
    touching, seen = (model.geom_contype | model.geom_conaffinity) != 0, model.geom_group < _SHOWN
    groups = set(zip(model.geom_bodyid[seen & ~touching], model.geom_group[seen & ~touching], strict=True))
    dressed = {body for body, _ in groups}
    for g in range(model.ngeom):
        found = _shape(model, g, meshes)
        if found is None:
            unused.remark("shapes that are height fields or distance fields", own[g] or f"geom{g}", harmless=True)
            continue
        kind, size, mesh = found
        X = placed(model.geom_pos[g], model.geom_quat[g])
        body, group = model.geom_bodyid[g], model.geom_group[g]
        link, color = names.bodies[body], _color(model, g)
        is_hidden = touching[g] and body in dressed and (body, group) not in groups
        for role, chosen in (("visual", seen[g] and not is_hidden), ("collision", touching[g])):
            if chosen:
                builder.geometry(Geometry(kind, size, link, X, role, mesh, color))


def _shape(model: Any, g: int, meshes: dict[int, Mesh]) -> tuple[str, tuple[float, ...], Mesh | None] | None:
    """Kind, size and mesh of a geom; None if there is no such shape. MuJoCo has half lengths."""
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
        return *simple[kind], None
    if kind != _MESH:
        return None
    k = int(model.geom_dataid[g])
    if k not in meshes:
        first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
        begin, faces = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
        meshes[k] = Mesh(model.mesh_vert[first : first + count], model.mesh_face[begin : begin + faces])
    return "mesh", (1.0, 1.0, 1.0), meshes[k]


def _color(model: Any, g: int) -> tuple[float, float, float, float]:
    """Its own colour, else that of its material."""
    own, material = model.geom_rgba[g], int(model.geom_matid[g])
    rgba = model.mat_rgba[material] if material >= 0 and np.allclose(own, _GREY) else own
    r, g_, b, a = (round(float(x), 6) for x in rgba)  # of single precision
    return r, g_, b, a
