"""URDF, the Unified Robot Description Format: text → builder.

    X_pc = X_pj · placement(q)       the child link's frame is the moved joint frame; <origin> is X_pj
    J    = change_frame(X_lc, J_c)   <inertia> is about the centre of mass, in the axes of its <origin>

Bodies, joints, limits and mimics become the model; shapes are kept for viewers. Tags that are not URDF's
(gazebo, transmission, ros2_control …) are ignored, and so are joint damping and friction.

Files in use break the format's rules. What may change the motion is refused. What cannot (shapes, colours), and
what has one sensible reading (limits, elements given twice alike), is read as far as it goes, with a `ModelWarning`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import numpy as np

from ...arrays import Array
from ...errors import LONGEST_NAME, ModelError, printable, shortened, unknown
from ...lie import inertia, se3, so3
from ..body import Geometry, Limits
from ..builder import Builder
from ..checks import direction
from ..joints import Continuous, Fixed, Free, Joint, Planar, Prismatic, Revolute
from .xml import Element, is_macro, parse

Color = tuple[float, float, float, float]

_WITH_AXIS: dict[str, Callable[[Array], Joint]] = {
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "planar": Planar,
}
_WITHOUT_AXIS: dict[str, Callable[[], Joint]] = {"fixed": Fixed, "floating": Free}

_UNEXPANDED = "a macro that is not expanded; run `xacro` on the original file first"
_MOVING = ("link", "joint", "inertial")
_OTHERS = ("visual", "collision", "gazebo", "transmission", "ros2_control", "sensor")

_ELEMENTS = {
    "robot": ("link", "joint", "material", "transmission", "gazebo"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "calibration", "safety_controller"),
    "inertial": ("origin", "mass", "inertia"),
}
"""What URDF has inside an element. Extensions are common; what is spelt like one of these is not meant as one."""
_ATTRIBUTES = {
    "origin": ("xyz", "rpy", "quat_xyzw"),
    "axis": ("xyz",),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "mimic": ("joint", "multiplier", "offset"),
    "parent": ("link",),
    "child": ("link",),
}
"""The attributes of elements that nobody extends."""
_LIMITS = {"min": "lower", "max": "upper", **{name: name for name in ("lower", "upper", "effort", "velocity")}}
"""What the attributes of a limit, which are often extended, may be misspellings of → the right name."""
_ALIKE = 0.75
"""How alike two tags are (`difflib`) of which one is taken for the other's misspelling."""
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
    What is odd about the file is said when the model is built: see `Builder.build` for `check`.

    >>> text = "<robot name='r'><link name='a'/><link name='b'/>"
    >>> text += "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>"
    >>> list(from_urdf(text).build().frames)
    ['a', 'b']
    """
    robot = parse(source)
    where = robot.source
    _check_root(robot)
    _check_macros(robot)
    _check_spelling(robot)
    links, joints = _by_name(robot, "link"), _by_name(robot, "joint")
    default = "robot" if where.folder is None else Path(where.file).stem
    builder = Builder(robot.attributes.get("name") or default, where.file)
    for name, link in links.items():
        builder.link(name, _inertia(link))
    for joint in joints.values():
        _add_joint(builder, joint, links, joints)
    materials = _materials(robot)
    for link in links.values():
        _add_shapes(builder, link, materials)
    for message, harmless in where.remarks():
        builder.remark(message, harmless=harmless)
    return builder


def _check_root(robot: Element) -> None:
    if robot.tag == "mujoco":
        raise robot.error("this is MJCF, MuJoCo's format, which is not supported; convert it to URDF")
    if robot.tag != "robot":
        raise robot.error("not a URDF file: its outermost element must be <robot>")


def _check_macros(robot: Element) -> None:
    """Macros that were not expanded are an error where they may hold what moves; others are passed over.

    Beside joints that move, what is left over at the top is a sensor's or the like, and URDF's readers ignore it; a
    file without such joints has them in its macros.
    """
    moves = any(joint.attributes.get("type", "fixed") != "fixed" for joint in robot.all("joint"))
    for child in robot.children:
        macros = [x for x in _within(child) if x.tag.startswith("xacro:")]
        if child.tag in ("link", "joint") and macros:
            raise macros[0].error(_UNEXPANDED)
        if child.tag.startswith("xacro:"):
            if not moves or child.tag == "xacro:macro" or any(x.tag in _MOVING for x in _within(child)):
                raise child.error(_UNEXPANDED)
            child.remark("a macro that is not expanded is passed over: what it stands for is missing", harmless=False)


def _check_spelling(robot: Element) -> None:
    """Remark on what is spelt like URDF's own and is not, which would change the robot by being passed over."""
    for element in _within(robot):
        for child in element.children:
            known = _ELEMENTS.get(element.tag, (child.tag,))
            near = None if child.tag in known else _nearest(child.tag, known)
            if near is not None:
                child.remark(f"no element of URDF's, passed over; did you mean <{near}>?", harmless=False)
        for name in element.attributes:
            advice = _misspelt(element, name)
            if advice:
                kind = f"no attribute of <{element.tag}>, passed over; {advice}"
                element.remark(kind, harmless=False, detail=repr(printable(shortened(name, LONGEST_NAME))))


def _misspelt(element: Element, name: str) -> str:
    """What an attribute should have been; empty if it is one, or may be an extension."""
    valid = _ATTRIBUTES.get(element.tag, (name,))
    if name not in valid and ":" not in name:  # else another vocabulary's
        return f"valid: {', '.join(valid)}"
    if element.tag == "limit" and name not in _LIMITS.values():
        near = _nearest(name, _LIMITS)
        if near is not None and _LIMITS[near] not in element.attributes:
            return f"did you mean {_LIMITS[near]!r}?"
    return ""


def _nearest(name: str, valid: Collection[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name.lower(), valid, n=1, cutoff=_ALIKE)), None)


def _within(element: Element) -> Iterator[Element]:
    """The element and all inside it, but for shapes and what is for other programs."""
    pending = [element]
    while pending:
        element = pending.pop()
        yield element
        pending += [child for child in reversed(element.children) if child.tag not in _OTHERS]


def _by_name(robot: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = element.text("name")
        if is_macro(name):
            raise element.error("a macro in its name is not expanded; run `xacro` on the original file first")
        if name in found:
            raise element.error(f"this name is already taken by the <{tag}> at line {found[name].line}")
        found[name] = element
    return found


def _origin(element: Element, *, harmless: bool = False) -> Array:
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


def _inertia(link: Element) -> Array | None:
    """J (6, 6) about and in the link frame."""
    inertial = link.find("inertial")
    if inertial is None:
        return None
    try:
        mass, moments = inertial.need("mass").number("value"), inertial.need("inertia")
        xx, yy, zz = (moments.number(i) for i in ("ixx", "iyy", "izz"))
        xy, xz, yz = (moments.number(i, 0.0) for i in ("ixy", "ixz", "iyz"))
        X_lc = _origin(inertial)
    except ModelError as error:
        error.problem += f" (in link {link.text('name')!r})"
        error.problem += "" if inertial.all("mass") else "; a massless link has no <inertial>"
        raise
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
        X_pj, limits = _origin(joint), _limits(joint, kind)
        mimic = None if isinstance(kind, Fixed) else _mimic(joint, joints)
    except ModelError as error:
        if error.place != joint.place:  # which names the joint
            error.problem += f" (in joint {joint.text('name')!r})"
        raise
    builder.joint(joint.text("name"), kind, parent=ends[0], child=ends[1], placement=X_pj, limits=limits, mimic=mimic)


def _kind(joint: Element) -> Joint:
    name = joint.text("type")
    if name in _WITHOUT_AXIS:
        return _WITHOUT_AXIS[name]()
    if name not in _WITH_AXIS:
        raise joint.error(f"unknown type {name!r}. Valid: {', '.join(sorted([*_WITH_AXIS, *_WITHOUT_AXIS]))}")
    element = joint.find("axis")
    default = (1.0, 0.0, 0.0)
    axis = np.array(default) if element is None else element.numbers("xyz", 3, default, bounded=False)
    try:
        return _WITH_AXIS[name](axis)
    except ModelError as error:
        raise (element or joint).error(error.problem) from None


def _limits(joint: Element, kind: Joint) -> Limits:
    """The joint's <limit>; bounds that make no sense are dropped."""
    limit = joint.find("limit", first=True)
    if limit is None:
        return Limits.none(kind)

    def bound(name: str, missing: float, unread: float) -> float:
        try:
            return limit.number(name, missing, bounded=False)
        except ModelError as error:
            joint.remark("a limit that cannot be read is dropped", harmless=False, detail=error.detail)
            return unread

    velocity, effort = (bound(name, np.inf, np.inf) for name in ("velocity", "effort"))
    lower, upper = -np.inf, np.inf
    if kind.nq == 1 and not isinstance(kind, Continuous):
        lower, upper = bound("lower", 0.0, lower), bound("upper", 0.0, upper)
        if lower > upper:
            detail = f"lower {lower:g}, upper {upper:g}"
            joint.remark("'lower' is above 'upper', both are dropped", harmless=False, detail=detail)
            lower, upper = -np.inf, np.inf
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


def _add_shapes(builder: Builder, link: Element, materials: dict[str, Color]) -> None:
    """What viewers show of a link: errors in it do not change how the robot moves."""
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
                        size, X_ls = _size(shape), _origin(element, harmless=True)
                        mesh = _mesh(shape) if shape.tag == "mesh" else None
                    except ModelError as error:
                        _leave_out("a shape", error, shape)
                        continue
                    builder.geometry(Geometry(shape.tag, size, link.text("name"), X_ls, role, mesh, color))


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


def _mesh(shape: Element) -> str:
    """The mesh's file, which is looked for beside the robot's."""
    filename, folder = shape.text("filename"), shape.source.folder
    return filename if folder is None or "://" in filename else str(folder / filename)
