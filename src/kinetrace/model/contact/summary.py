"""Collision shapes of a robot, of types that JSON knows, and what meshes become in contacts."""

from __future__ import annotations

from typing import Any

from ...errors import KinetraceError
from ..body import Geometry
from ..model import Model
from .contacts import ContactRules
from .names import with_names
from .resolve import mesh_fits
from .surface import Surface, acting

Record = dict[str, Any]


def shape_records(model: Model) -> Record:
    """Collision shapes, and the rules of their contacts."""
    rules, shapes = model.contact_rules or ContactRules(), with_names(model.collision_shapes)
    meshes = [shape.name for shape in shapes if shape.kind == "mesh"]
    return {
        "collision_shapes": [_shape(model, shape, meshes) for shape in shapes],
        "contact_pairs": [
            {"name": x.name, "shapes": [x.a, x.b], "friction": float(x.acting_law.friction)} for x in rules.pairs
        ],
        "contact_exclusions": [[x.a, x.b] for x in rules.excludes],
    }


def _shape(model: Model, shape: Geometry, meshes: list[str]) -> Record:
    surface = shape.surface or Surface()
    law = acting(surface.law, surface.acting_dimensions)
    return {
        "name": shape.name,
        "link": shape.frame,
        "kind": shape.kind,
        "size": [float(x) for x in shape.size],
        "pose": shape.placement.tolist(),
        "becomes": _becomes(model, shape.name, meshes) if shape.kind == "mesh" else None,
        "friction": float(law.friction),
        "torsion": float(law.torsion),
        "rolling": float(law.rolling),
        "restitution": float(law.restitution),
        "rigid": law.is_rigid,
        "margin": float(law.margin),
        "group": surface.group,
        "mask": surface.mask,
    }


def _becomes(model: Model, name: str, meshes: list[str]) -> str:
    """What a mesh becomes, or why that is not known."""
    try:
        fit = mesh_fits(model, {**dict.fromkeys(meshes), name: "hull"})[name]
    except KinetraceError as error:
        return str(error)
    return "" if fit is None else fit.text
