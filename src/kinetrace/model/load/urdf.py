"""URDF, the Unified Robot Description Format: text → builder.

    X_pc = X_pj · placement(q)       the child link's frame is the moved joint frame; <origin> is X_pj
    J    = change_frame(X_lc, J_c)   <inertia> is about the centre of mass, in the axes of its <origin>

Bodies, joints, limits and mimics become the model; shapes are kept for viewers. Tags that are not URDF's
(gazebo, transmission, ros2_control …) are ignored, and so are joint damping and friction.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...arrays import Array
from ...errors import ModelError, unknown
from ...lie import inertia, se3, so3
from ..builder import Builder
from ..joints import Continuous, Fixed, Free, Joint, Planar, Prismatic, Revolute
from ..model import Geometry, Limits
from .xml import Element, is_text, parse

Color = tuple[float, float, float, float]

_WITH_AXIS: dict[str, Callable[[Array], Joint]] = {
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "planar": Planar,
}
_WITHOUT_AXIS: dict[str, Callable[[], Joint]] = {"fixed": Fixed, "floating": Free}

_SIZES = {
    "box": (("size", 3),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
    "sphere": (("radius", 1),),
}
"""Shape → its attributes, which make up `Geometry.size`; a mesh's size is its scale along x, y, z."""


def from_urdf(source: str | os.PathLike[str]) -> Builder:
    """A builder from a URDF file, or from URDF text (a string that starts with "<").

    Axes are scaled to unit length. A `floating` joint becomes `Free`, a `planar` one `Planar` with the axis
    as its normal. A link without <inertial> is massless, a joint without <limit> unlimited; in a <limit>,
    missing bounds are 0, as URDF says. Mesh files are looked for beside the URDF file unless they are URLs.

    >>> text = "<robot name='r'><link name='a'/><link name='b'/>"
    >>> text += "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>"
    >>> list(from_urdf(text).build().frames)
    ['a', 'b']
    """
    robot = parse(source)
    _check_root(robot)
    folder = None if is_text(source) else Path(source).resolve().parent
    links, joints = _by_name(robot, "link"), _by_name(robot, "joint")
    builder = Builder(robot.attributes.get("name") or ("robot" if folder is None else Path(source).stem))
    for name, link in links.items():
        builder.link(name, _inertia(link))
    for joint in joints.values():
        _add_joint(builder, joint, links, joints)
    materials = _materials(robot)
    for link in links.values():
        _add_shapes(builder, link, materials, folder)
    return builder


def _check_root(robot: Element) -> None:
    if robot.tag == "mujoco":
        raise robot.error("this is MJCF, MuJoCo's format, which is not supported; convert it to URDF")
    if robot.tag != "robot":
        raise robot.error("not a URDF file: its outermost element must be <robot>")
    macro = next((child for child in robot.children if child.tag.startswith("xacro:")), None)
    if macro is not None:
        raise macro.error("unexpanded macro; run `xacro` on the file first")


def _by_name(robot: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = element.text("name")
        if name in found:
            raise element.error(f"this name is already taken by the <{tag}> at line {found[name].line}")
        found[name] = element
    return found


def _origin(element: Element) -> Array:
    """The pose (4, 4) that an element's <origin> gives; identity without one."""
    origin = element.find("origin")
    if origin is None:
        return np.eye(4)
    p = origin.numbers("xyz", 3, (0.0, 0.0, 0.0))
    if "quat_xyzw" not in origin.attributes:
        return se3.pose(so3.from_rpy(origin.numbers("rpy", 3, (0.0, 0.0, 0.0))), p)
    if "rpy" in origin.attributes:
        raise origin.error("give either 'rpy' or 'quat_xyzw', not both")
    quaternion = np.roll(origin.numbers("quat_xyzw", 4), 1)
    length = float(np.linalg.norm(quaternion))
    if length < 1e-9:
        raise origin.error("attribute 'quat_xyzw' must not be zero")
    return se3.pose(so3.from_quaternion(quaternion / length), p)


def _inertia(link: Element) -> Array | None:
    """J (6, 6) about and in the link frame."""
    inertial = link.find("inertial")
    if inertial is None:
        return None
    try:
        mass, moments = inertial.need("mass").number("value"), inertial.need("inertia")
        xx, xy, xz, yy, yz, zz = (moments.number(i) for i in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        X_lc = _origin(inertial)
    except ModelError as error:
        raise ModelError(f"{error} (in link {link.text('name')!r})") from None
    I_c = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return inertia.change_frame(X_lc, inertia.from_mass_com(mass, np.zeros(3), I_c))


def _add_joint(builder: Builder, joint: Element, links: dict[str, Element], joints: dict[str, Element]) -> None:
    try:
        kind, ends = _kind(joint), []
        for tag in ("parent", "child"):
            end = joint.need(tag)
            if end.text("link") not in links:
                raise end.error(str(unknown("link", end.text("link"), links)))
            ends.append(end.text("link"))
        X_pj, limits, mimic = _origin(joint), _limits(joint, kind), _mimic(joint, joints)
    except ModelError as error:
        name = joint.text("name")
        raise (
            error if f'<joint name="{name}">' in str(error) else ModelError(f"{error} (in joint {name!r})")
        ) from None
    builder.joint(joint.text("name"), kind, parent=ends[0], child=ends[1], placement=X_pj, limits=limits, mimic=mimic)


def _kind(joint: Element) -> Joint:
    name = joint.text("type")
    if name in _WITHOUT_AXIS:
        return _WITHOUT_AXIS[name]()
    if name not in _WITH_AXIS:
        raise joint.error(f"unknown type {name!r}. Valid: {', '.join(sorted([*_WITH_AXIS, *_WITHOUT_AXIS]))}")
    element = joint.find("axis")
    axis = np.array([1.0, 0.0, 0.0]) if element is None else element.numbers("xyz", 3)
    try:
        return _WITH_AXIS[name](axis)
    except ModelError as error:
        raise (element or joint).error(str(error)) from None


def _limits(joint: Element, kind: Joint) -> Limits:
    limit = joint.find("limit")
    if limit is None:
        return Limits.none(kind)
    unlimited = kind.nq != 1 or isinstance(kind, Continuous)
    bounds = (-np.inf, np.inf) if unlimited else (0.0, 0.0)
    lower, upper = (limit.number(*x, finite=False) for x in zip(("lower", "upper"), bounds, strict=True))
    if lower > upper:
        raise limit.error(f"'lower' must not be above 'upper', got {lower:g} and {upper:g}")
    if unlimited:
        lower, upper = bounds
    velocity, effort = (limit.number(x, np.inf, finite=False) for x in ("velocity", "effort"))
    q, v = np.ones(kind.nq), np.ones(kind.nv)
    return Limits(lower * q, upper * q, velocity * v, effort * v)


def _mimic(joint: Element, joints: dict[str, Element]) -> tuple[str, float, float] | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    name = mimic.text("joint")
    if name not in joints:
        raise mimic.error(str(unknown("joint", name, joints)))
    return name, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)


def _materials(robot: Element) -> dict[str, Color]:
    """Material name → colour, from the whole file: a material defined in one link may be used in another."""
    everywhere = [m for link in robot.all("link") for visual in link.all("visual") for m in visual.all("material")]
    colors: dict[str, Color] = {}
    for material in [*robot.all("material"), *everywhere]:
        color = _color(material)
        if color is not None:
            colors.setdefault(material.attributes.get("name", ""), color)
    return colors


def _color(material: Element) -> Color | None:
    color = material.find("color")
    if color is None:
        return None
    r, g, b, a = color.numbers("rgba", 4).tolist()
    return r, g, b, a


def _add_shapes(builder: Builder, link: Element, materials: dict[str, Color], folder: Path | None) -> None:
    for role in ("visual", "collision"):
        for element in link.all(role):
            geometry, material = element.find("geometry"), element.find("material")
            color = None
            if material is not None:
                color = _color(material) or materials.get(material.attributes.get("name", ""))
            for shape in geometry.children if geometry is not None else ():
                if shape.tag in _SIZES:
                    size = np.concatenate([shape.numbers(*x) for x in _SIZES[shape.tag]])
                    mesh = None
                elif shape.tag == "mesh":
                    size, mesh = (
                        shape.numbers("scale", 3, (1.0, 1.0, 1.0)),
                        _mesh(shape.text("filename"), folder),
                    )
                else:
                    continue
                frame, X_ls = link.text("name"), _origin(element)
                builder.geometry(Geometry(shape.tag, tuple(size.tolist()), frame, X_ls, role, mesh, color))


def _mesh(filename: str, folder: Path | None) -> str:
    return filename if folder is None or "://" in filename else str(folder / filename)
