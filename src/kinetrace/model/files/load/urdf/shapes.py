"""Poses in URDF, and shapes of links for viewers and contacts: errors in these do not change the motion.

Names of collision shapes need not differ in URDF: further ones of the same name get a number, "name.2".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .....arrays import Array
from .....errors import ModelError
from .....lie import se3, so3
from ....body import Geometry
from ....build.builder import Builder
from ....checks import direction
from ....contact.names import COLLISION, unique_name
from ..meshes import MeshFinder
from ..xml import Element


def origin_of(element: Element, *, harmless: bool = False) -> Array:
    """The pose (4, 4) that an element's <origin> gives; identity without one."""
    origin = element.find("origin", first=harmless, harmless=harmless)
    if origin is None:
        return np.eye(4)
    p = origin.numbers("xyz", 3, (0.0, 0.0, 0.0))
    if "quat_xyzw" not in origin.attributes:
        return se3.pose(so3.from_rpy(origin.numbers("rpy", 3, (0.0, 0.0, 0.0))), p)
    if "rpy" in origin.attributes:
        raise origin.error("give either 'rpy' or 'quat_xyzw', not both")
    quaternion = np.roll(origin.numbers("quat_xyzw", 4, bounded=False), 1)
    try:
        return se3.pose(so3.from_quaternion(direction(quaternion, "attribute 'quat_xyzw'")), p)
    except ModelError as error:
        raise origin.error(error.problem) from None


Color = tuple[float, float, float, float]
_SIZES = {
    "box": (("size", 3),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
    "sphere": (("radius", 1),),
}
"""Shape → its attributes, which make up `Geometry.size`; a mesh's size is its scale along x, y, z."""


def materials_of(robot: Element) -> dict[str, Color]:
    """Material name → colour, from the whole file: a material defined in one link may be used in another."""
    everywhere = [m for link in robot.all("link") for visual in link.all("visual") for m in visual.all("material")]
    colors: dict[str, Color] = {}
    for material in [*robot.all("material"), *everywhere]:
        color = _color(material)
        if color is not None:
            colors.setdefault(material.attributes.get("name", ""), color)
    return colors


def _color(material: Element) -> Color | None:
    """Its colour, opaque if it does not say; None if it has none that can be read."""
    try:
        color = material.find("color", first=True, harmless=True)
        if color is None:
            return None
        rgba = color.numbers("rgba", None).tolist()
        if len(rgba) == 3:
            color.remark("'rgba' of three numbers, taken for opaque", harmless=True)
            rgba.append(1.0)
        if len(rgba) != 4:
            raise color.error(f"attribute 'rgba' must be 4 numbers, got {len(rgba)}")
    except ModelError as error:
        _leave_out("a colour", error, material)
        return None
    r, g, b, a = rgba
    return r, g, b, a


def _leave_out(what: str, error: ModelError, element: Element) -> None:
    element.source.remark(f"{what} that cannot be read is left out", error.detail, harmless=True)


def add_shapes(builder: Builder, link: Element, materials: dict[str, Color], find: MeshFinder, taken: set[str]) -> None:
    """The shapes of a link, in the colours of their materials; `taken` are the names of shapes that touch so far."""
    for role in ("visual", "collision"):
        for element in link.all(role):
            material = element.find("material", first=True, harmless=True)
            color = None
            if material is not None:
                color = _color(material) or materials.get(material.attributes.get("name", ""))
            geometry = element.find("geometry", first=True, harmless=True)
            for shape in geometry.children if geometry is not None else ():
                if shape.tag == "mesh" or shape.tag in _SIZES:
                    try:
                        size, X_ls = _size(shape), origin_of(element, harmless=True)
                        mesh = find(shape.text("filename"), shape.place) if shape.tag == "mesh" else None
                        made = Geometry(shape.tag, size, link.text("name"), X_ls, role, mesh, color)
                        name = element.attributes.get("name", "") if role == COLLISION else ""
                        builder.geometry(replace(made, name=name and unique_name(name, taken)))
                    except ModelError as error:
                        _leave_out("a shape", error, shape)


def _size(shape: Element) -> tuple[float, ...]:
    """`Geometry.size`."""
    if shape.tag != "mesh":
        return tuple(float(x) for attribute in _SIZES[shape.tag] for x in shape.numbers(*attribute))
    scale = shape.numbers("scale", None, (1.0, 1.0, 1.0))
    if len(scale) == 1:
        shape.remark("'scale' of one number, taken along x, y and z", harmless=True)
        scale = np.repeat(scale, 3)
    if len(scale) < 3:
        raise shape.error(f"attribute 'scale' must be 3 numbers, got {len(scale)}")
    if len(scale) > 3:
        shape.remark("'scale' of more than three numbers, the first three are taken", harmless=True)
    x, y, z = scale[:3].tolist()
    return x, y, z
