"""Content that is not URDF in a URDF file: other formats, macros, misspelt names."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .....errors import LONGEST_NAME, nearest, printable, shorten
from ..xml import Element

_UNEXPANDED = "a macro that is not expanded; load the xacro file itself"
_MOVING = ("link", "joint", "inertial")
_OTHERS = ("visual", "collision", "gazebo", "transmission", "ros2_control", "sensor")

_ELEMENTS = {
    "robot": ("link", "joint", "material", "transmission", "gazebo"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "calibration", "safety_controller"),
    "inertial": ("origin", "mass", "inertia"),
}
"""Children of elements in URDF. Extensions are common; names that are spelt like one of these are not meant as one."""
_ATTRIBUTES = {
    "origin": ("xyz", "rpy", "quat_xyzw"),
    "axis": ("xyz",),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "mimic": ("joint", "multiplier", "offset"),
    "parent": ("link",),
    "child": ("link",),
}
"""The attributes of elements that have no extensions."""
_EXTENDED = {
    "limit": {"min": "lower", "max": "upper", **{x: x for x in ("lower", "upper", "effort", "velocity")}},
    "dynamics": {x: x for x in ("damping", "friction")},
}
"""Elements that are often extended: what their attributes may be misspellings of → the right name."""
_UNUSED = ("armature", "stiffness", "spring_stiffness", "rotor_inertia", "friction_loss", "frictionloss", "gear_ratio")
"""Unused attributes of a joint's dynamics that would change the motion: `Robot.with_joint_effects` takes them."""
_SPELLING_SIMILARITY = 0.75
"""How alike two tags are (`difflib`) of which one is taken for the other's misspelling."""


def check_root(robot: Element) -> None:
    """An error if the file is of another format."""
    if robot.tag in _FORMATS:
        raise robot.error(f"this is {_FORMATS[robot.tag]}")
    if robot.tag != "robot":
        raise robot.error("not a URDF file: its outermost element must be <robot>")
    if robot.children and all(child.tag in _SEMANTIC for child in robot.children):
        raise robot.error("this is SRDF, which adds groups and states to a robot: load the URDF file that it is about")


_FORMATS = {
    **dict.fromkeys(("mujoco", "mujocoinclude"), "MJCF, MuJoCo's format: kt.load reads it"),
    **dict.fromkeys(("sdf", "gazebo"), "SDF, Gazebo's format, which is not supported; convert it to URDF"),
    "COLLADA": "COLLADA, a mesh: load the URDF file that names it",
    **dict.fromkeys(("html", "HTML"), "a web page, not the file itself: download the raw file"),
}
"""Outermost element → the format, and what to do."""
_SEMANTIC = ("group", "group_state", "end_effector", "virtual_joint", "disable_collisions", "passive_joint")


def check_macros(robot: Element) -> None:
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
            child.remark("a macro that is not expanded is ignored: what it stands for is missing", harmless=False)


def check_spelling(robot: Element) -> None:
    """Remark on what is spelt like URDF's own and is not, which would change the robot by being passed over."""
    for element in _within(robot):
        for child in element.children:
            known = _ELEMENTS.get(element.tag, (child.tag,))
            near = None if child.tag in known else _nearest(child.tag, known)
            if near is not None:
                child.remark(f"not an element of URDF, ignored; did you mean <{near}>?", harmless=False)
        for name in element.attributes:
            if element.tag == "dynamics" and name in _UNUSED and element.attributes[name].strip(" 0.+-"):
                used = "of <dynamics>, damping and friction are used"
                element.remark(f"{used}, and nothing else", harmless=False, detail=repr(name))
            advice = _misspelt(element, name)
            if advice:
                kind = f"not an attribute of <{element.tag}>, ignored; {advice}"
                element.remark(kind, harmless=False, detail=repr(printable(shorten(name, LONGEST_NAME))))


def _misspelt(element: Element, name: str) -> str:
    """Name that an attribute should have had; empty if it has one, or may be an extension."""
    valid = _ATTRIBUTES.get(element.tag, (name,))
    if name not in valid and ":" not in name:  # else another vocabulary's
        return f"valid: {', '.join(valid)}"
    meant = _EXTENDED.get(element.tag, {})
    if name not in meant.values():
        near = _nearest(name, meant)
        if near is not None and meant[near] not in element.attributes:
            return f"did you mean {meant[near]!r}?"
    return ""


def _nearest(name: str, valid: Collection[str]) -> str | None:
    return next(iter(nearest(name.lower(), valid, cutoff=_SPELLING_SIMILARITY)), None)


def _within(element: Element) -> Iterator[Element]:
    """The element and all inside it, but for shapes and what is for other programs."""
    pending = [element]
    while pending:
        element = pending.pop()
        yield element
        pending += [child for child in reversed(element.children) if child.tag not in _OTHERS]
