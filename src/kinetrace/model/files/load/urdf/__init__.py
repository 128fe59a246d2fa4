"""URDF, the Unified Robot Description Format: text → builder.

    X_pc = X_pj · placement(q)       the child link's frame is the moved joint frame; <origin> is X_pj
    J    = change_frame(X_lc, J_c)   <inertia> is about the centre of mass, in the axes of its <origin>

Bodies, joints, limits and mimics become the model; shapes are kept for viewers. Tags that are not URDF's
(gazebo, transmission, ros2_control …) are ignored. <dynamics damping friction> is what `joint_effects` has of it.

Files in use break the format's rules. What may change the motion is refused. What cannot (shapes, colours), and
what has one sensible reading (limits, elements given twice, masses without moments), is read as far as possible, with
a `ModelWarning`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .....arrays import Array
from .....errors import ModelError, unknown_name_error
from .....lie import inertia
from ....body import Limits
from ....build.builder import Builder
from ....effects.joint_effects import JointEffects
from ....joints import Continuous, Fixed, Free, Joint, Planar, Prismatic, Revolute
from ..meshes import MeshFinder
from ..xml import Element, is_macro, parse
from .shapes import add_shapes, materials_of, origin_of
from .spelling import check_macros, check_root, check_spelling

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
"""Attributes of <inertia>; those of the diagonal must be there."""
_WITH_AXIS: dict[str, Callable[[Array], Joint]] = {
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "planar": Planar,
}
_WITHOUT_AXIS: dict[str, Callable[[], Joint]] = {"fixed": Fixed, "floating": Free}


def from_urdf(
    source: str | os.PathLike[str],
    *,
    joint_effects: bool = True,
    packages: Mapping[str, Path] | None = None,
    made_of: Path | None = None,
    effects: Callable[[str, Limits], JointEffects | None] | None = None,
) -> Builder:
    """A builder from a URDF file, or from URDF text (a string that starts with "<").

    Axes are scaled to unit length. A `floating` joint becomes `Free`, a `planar` one `Planar` with the axis
    as its normal. A link without <inertial> is massless, a joint without <limit> unlimited; in a <limit>,
    missing bounds are 0, as URDF says. Mesh files are looked for as `meshes` says; `packages` are the folders of
    packages by name. `made_of` is the file that a text comes from.
    With `joint_effects=False`, damping and friction of joints are left out. `effects` are those of joints without
    <dynamics>, by name and limits, as those of bundled robots: URDF has no rotors.
    What is odd about the file is said when the model is built: see `Builder.build` for `check`.

    >>> text = "<robot name='r'><link name='a'/><link name='b'/>"
    >>> text += "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>"
    >>> list(from_urdf(text).build().frames)
    ['a', 'b']
    """
    robot = parse(source, made_of)
    where = robot.source
    check_root(robot)
    check_macros(robot)
    check_spelling(robot)
    links, joints = _by_name(robot, "link"), _by_name(robot, "joint")
    default = "robot" if where.folder is None else Path(where.file).stem
    builder = Builder(robot.attributes.get("name") or default, where.file)
    for name, link in links.items():
        builder.link(name, _inertia(link))
    for joint in joints.values():
        _add_joint(builder, joint, links, joints, (effects or _no_effects) if joint_effects else None)
    materials, find = materials_of(robot), MeshFinder(where.folder, packages or {})
    taken = set[str]()
    for link in links.values():
        add_shapes(builder, link, materials, find, taken)
    if find.remark():
        builder.remark(find.remark(), harmless=True)
    for message, harmless in where.remarks():
        builder.remark(message, harmless=harmless)
    return builder


def _by_name(robot: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = element.text("name")
        if is_macro(name):
            raise element.error("a macro in its name is not expanded; load the xacro file itself")
        if name in found:
            raise element.error(f"this name is already taken by the <{tag}> at line {found[name].line}")
        found[name] = element
    return found


def _inertia(link: Element) -> Array | None:
    """J (6, 6) about and in the link frame; None if the link has no mass."""
    inertial = link.find("inertial", first=True)
    if inertial is None:
        return None
    where = f"in link {link.text('name')!r}"
    if _has_only_density(inertial, where):
        return None
    try:
        mass, moments = inertial.need("mass").number("value"), inertial.find("inertia")
        I_c = np.zeros((3, 3)) if moments is None else moments_of(moments)
        X_lc = origin_of(inertial)
    except ModelError as error:
        error.problem += f" ({where})"
        error.problem += "" if inertial.all("mass") else "; a massless link has no <inertial>"
        raise
    if moments is None:
        kind = "<mass> without <inertia>, taken for a point mass at the <origin> of <inertial>"
        inertial.remark(kind, harmless=mass == 0.0, detail=where)
    return inertia.change_frame(X_lc, inertia.from_mass_com(mass, np.zeros(3), I_c))


def _has_only_density(inertial: Element, where: str) -> bool:
    """Whether there is a <density>, which is not used, and no mass; what is said of it depends on that."""
    density, mass = inertial.all("density"), inertial.all("mass")
    if density and mass:
        density[0].remark("<density> beside <mass> is not used", harmless=True, detail=where)
    elif density:
        density[0].remark("<density> without <mass> is ignored: the link has no mass", harmless=False, detail=where)
    return bool(density) and not mass


def moments_of(element: Element) -> Array:
    """I (3, 3) about the centre of mass, of an <inertia>."""
    xx, yy, zz = (element.number(i) for i in MOMENTS[:3])
    xy, xz, yz = (element.number(i, 0.0) for i in MOMENTS[3:])
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _add_joint(
    builder: Builder,
    joint: Element,
    links: dict[str, Element],
    joints: dict[str, Element],
    others: Callable[[str, Limits], JointEffects | None] | None,
) -> None:
    try:
        kind, ends = _kind(joint), []
        for tag in ("parent", "child"):
            end = joint.need(tag)
            if end.text("link") not in links:
                raise end.error(str(unknown_name_error("link", end.text("link"), links)))
            ends.append(end.text("link"))
        X_pj, limits = origin_of(joint), _limits(joint, kind)
        mimic = None if isinstance(kind, Fixed) else _mimic(joint, joints)
        effects = None
        if others is not None and not isinstance(kind, Fixed):
            effects = _effects(joint) or others(joint.text("name"), limits)
    except ModelError as error:
        if error.place != joint.place:  # which names the joint
            error.problem += f" (in joint {joint.text('name')!r})"
        raise
    builder.joint(
        joint.text("name"),
        kind,
        parent=ends[0],
        child=ends[1],
        placement=X_pj,
        limits=limits,
        mimic=mimic,
        effects=effects,
    )


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


def _effects(joint: Element) -> JointEffects | None:
    """The joint's <dynamics>: viscous damping and Coulomb friction; numbers that make no sense are dropped."""
    dynamics = joint.find("dynamics", first=True)
    if dynamics is None:
        return None
    found: dict[str, Any] = {}
    for name in ("damping", "friction"):
        try:
            x = dynamics.number(name, 0.0)
        except ModelError as error:
            joint.remark("damping or friction that cannot be read is dropped", harmless=False, detail=error.detail)
            continue
        if x < 0.0:
            detail = f"{name} {x:g}"
            joint.remark("damping or friction that is negative is dropped", harmless=False, detail=detail)
        elif x > 0.0:
            found[name] = x
    return JointEffects(**found) if found else None


def _no_effects(joint: str, limits: Limits) -> None:
    return None


def _mimic(joint: Element, joints: dict[str, Element]) -> tuple[str, float, float] | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    name = mimic.text("joint")
    if name not in joints:
        raise mimic.error(str(unknown_name_error("joint", name, joints)))
    return name, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
