"""Findings about files: warnings of loading one, missing meshes, and what a URDF file says that its robot no longer
shows, as angles as written, axes left out, links that become one body.

Findings have edits of the file's elements; `apply_edits` reads the robot anew after them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from ...arrays import Array
from ...errors import HarmlessWarning, KinetraceError, ModelError, ModelWarning, PhysicsWarning, name_list
from ...lie import inertia
from ...model import zoo
from ...model.body import WORLD
from ...model.files.load.meshes import package_folders
from ...model.files.load.sources import ReadFrom, source_of
from ...model.files.load.urdf import MOMENTS, from_urdf, moments_of
from ...model.files.load.xacro.macros import checked_arguments, expand_macros, needs_expansion
from ...model.files.load.xml import MAX_FILE_SIZE, Element, first_tag, is_text, parse
from ...model.model import Model
from ...support.files import regular_file
from .finding import Finding, Severity, mass_from
from .units import LinkPart, grams, in_grams, length_of, moments_are_too, turning_bodies

JOINTS_WITH_AXIS = ("revolute", "continuous", "prismatic", "planar")
"""Types of joints that have an axis."""
LIMITED_JOINTS = ("revolute", "prismatic")
"""Types of joints that have a range."""
SWAPPED_LIMITS = "'lower' is above 'upper'"
"""How loading begins to speak of a range that is upside down."""
HARMLESS_KIND, IGNORED_KIND = "irregular file", "ignored in the file"
"""Kinds of findings whose text alone says what they are about."""


def file_of(model: Model) -> Element | None:
    """The outermost element of the URDF that a model was read from, of xacro once it is expanded.

    None if it was read from none, or from a file that now says something else.
    """
    origin = source_of(model)
    root = None if origin is None else _root_element(origin)
    try:
        return root if origin is not None and root is not None and _model_of_elements(root, origin) == model else None
    except (KinetraceError, OSError, ValueError):  # it says something that is no robot
        return None


def _root_element(origin: ReadFrom) -> Element | None:
    """The outermost element of a URDF as it is now; None if there is none."""
    if origin.source in zoo.names() or first_tag(origin.source) != "robot":
        return None
    try:
        path = None if is_text(origin.source) else Path(origin.source).expanduser()
        text = str(origin.source) if path is None else regular_file(path, MAX_FILE_SIZE).decode("utf-8", "replace")
        if origin.xacro_args or needs_expansion(text):
            given = checked_arguments(origin.xacro_args), package_folders(origin.packages)
            return parse(expand_macros(text if path is None else path, *given)[0], path)
        return parse(text if path is None else path)
    except (KinetraceError, OSError, ValueError):  # the file is gone, or no longer what was read
        return None


def findings(root: Element, model: Model) -> Iterator[Finding]:
    """Findings about a file and the robot that was read from it."""
    yield from _without_axis(root)
    yield from _angles(root)
    yield from _upside_down(root)
    yield from _heavy(root, model)


def apply_edits(model: Model) -> tuple[Model, list[Finding]]:
    """The model of the file after all edits of findings, and these findings; itself if there are none."""
    root, origin = file_of(model), source_of(model)
    done = [] if root is None else [finding for finding in findings(root, model) if finding.edit is not None]
    if root is None or origin is None or not done:
        return model, []
    for finding in done:
        if finding.edit is not None:
            finding.edit()
    return _model_of_elements(root, origin), done


def _model_of_elements(root: Element, origin: ReadFrom) -> Model:
    """The model of these elements, read as the file was."""
    made_of = None if root.source.folder is None else Path(root.source.file)
    folders, effects = package_folders(origin.packages), origin.joint_effects
    return origin.again(from_urdf(_text(root), made_of=made_of, packages=folders, joint_effects=effects))


def _text(root: Element) -> str:
    """The elements as XML."""
    text, pending = list[str](), list[Element | str]([root])
    while pending:  # without recursion: files may be deeply nested
        each = pending.pop()
        if isinstance(each, str):
            text.append(each)
            continue
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in each.attributes.items())
        text.append(f"<{each.tag}{attributes}>")
        pending += [f"</{each.tag}>", *reversed(each.children)]
    return "".join(text)


def _without_axis(root: Element) -> Iterator[Finding]:
    """Joints that leave their axis to URDF."""
    joints = [x for x in root.all("joint") if x.attributes.get("type") in JOINTS_WITH_AXIS]
    found = [x for x in joints if not any("xyz" in axis.attributes for axis in x.all("axis"))]
    if found:
        yield Finding(
            "warning",
            "missing axis",
            tuple(map(_name, found)),
            "these joints have no <axis>; URDF takes the x axis of the joint",
            "a joint that was meant to move along or about another axis moves otherwise",
            'write the axis, <axis xyz="1 0 0"/> if it is x',
        )


def _angles(root: Element) -> Iterator[Finding]:
    """Angles of origins in degrees."""
    moving, shapes = list[tuple[str, Element]](), list[tuple[str, Element]]()
    for element in root.children:
        if element.tag == "joint":
            moving += [(_name(element), x) for x in element.all("origin")]
        if element.tag == "link":
            inside = [(child.tag, x) for child in element.children for x in child.all("origin")]
            moving += [(_name(element), x) for tag, x in inside if tag == "inertial"]
            shapes += [(_name(element), x) for tag, x in inside if tag in ("visual", "collision")]
    kinds: tuple[tuple[Severity, list[tuple[str, Element]]], ...] = (("warning", moving), ("note", shapes))
    for severity, origins in kinds:
        found = [(name, x, rpy) for name, x in origins if (rpy := _rpy(x)) is not None and _are_degrees(rpy)]
        for certain in (True, False):
            some = [(name, x, rpy) for name, x, rpy in found if _are_all_degrees(rpy) == certain]
            if some:
                name, x, _ = some[0]
                what = f'line {x.line}: rpy="{x.attributes["rpy"]}" of {name}'
                yield Finding(
                    severity,
                    "rpy in degrees",
                    tuple(dict.fromkeys(name for name, *_ in some)),
                    what + ("" if certain else ", of which some numbers are angles in radians"),
                    "angles are in radians, and none needs more than 2π"
                    + ("" if severity == "warning" else "; shapes do not change the motion"),
                    "multiply by π/180",
                    edit=partial(_to_radians, [x for _, x, _ in some]) if certain else None,
                    done="; ".join(f"{name}: rpy={_in_radians(rpy)}" for name, _, rpy in some) if certain else "",
                )


def _rpy(origin: Element) -> Array | None:
    try:
        return origin.numbers("rpy", 3, (0.0, 0.0, 0.0))
    except ModelError:
        return None


def _are_degrees(rpy: Array) -> bool:
    """Whether some angle is more than a turn, and not some quarters of turns in radians.

    >>> _are_degrees(np.array([0.0, 90.0, 0.0])), _are_degrees(np.array([0.0, 3 * np.pi, 6.2832]))
    (True, False)
    """
    return bool(np.any((np.abs(rpy) > 2 * np.pi + 0.01) & ~_are_of_pi(rpy)))


def _are_all_degrees(rpy: Array) -> bool:
    """Whether no angle is an eighth of a turn, or several, in radians: 1.57 beside 90."""
    return not np.any(_are_of_pi(rpy) & (rpy != 0.0))


def _are_of_pi(rpy: Array) -> Array:
    """Which angles are eighths of turns in radians, to three digits."""
    eighths = np.abs(rpy) / (np.pi / 4)
    return np.asarray((np.abs(eighths - np.round(eighths)) < 2e-3 * eighths) & (np.round(eighths) < 25))


def _in_radians(rpy: Array) -> str:
    return '"' + " ".join(f"{x:.4g}" for x in np.deg2rad(rpy)) + '"'


def _to_radians(origins: list[Element]) -> None:
    for origin in origins:
        origin.attributes["rpy"] = " ".join(repr(float(x)) for x in np.deg2rad(origin.numbers("rpy", 3)))


def _upside_down(root: Element) -> Iterator[Finding]:
    """Ranges whose lower end is above the upper one."""
    found, none = list[tuple[str, Element, float, float]](), list[tuple[str, Element, float, float]]()
    for joint in root.all("joint"):
        limit = next(iter(joint.all("limit")), None) if joint.attributes.get("type") in LIMITED_JOINTS else None
        try:
            lower, upper = (0.0, 0.0) if limit is None else (limit.number(x, 0.0) for x in ("lower", "upper"))
        except ModelError:
            continue
        if limit is not None and lower > upper:
            is_none = joint.attributes["type"] == "prismatic" and lower in (0.0, 1.0) and upper == -1.0
            (none if is_none else found).append((_name(joint), limit, lower, upper))
    if none:
        bullet = ", which Bullet reads as no range"
        why = "URDF has no such rule: other programs refuse the file, or swap the two"
        yield _swapped_range_finding(none, bullet, why, "write the range that the joint has")
    if found:
        why = "such a range is dropped, as it excludes everything: the joint has none"
        done = "; ".join(f"{name}: from {upper:g} to {lower:g}" for name, _, lower, upper in found)
        edit = partial(_swap, [limit for _, limit, *_ in found])
        yield replace(_swapped_range_finding(found, "", why, "swap the two"), edit=edit, done=done)


def _swapped_range_finding(
    ranges: list[tuple[str, Element, float, float]], more: str, why: str, remedy: str
) -> Finding:
    """About the joints of these ranges; `more` is said of the first."""
    name, limit, lower, upper = ranges[0]
    what = f"line {limit.line}: lower {lower:g} is above upper {upper:g} ({name}){more}"
    return Finding("warning", "range upside down", tuple(name for name, *_ in ranges), what, why, remedy)


def _swap(limits: list[Element]) -> None:
    for limit in limits:
        lower, upper = (limit.attributes.get(x, "0") for x in ("lower", "upper"))
        limit.attributes.update(lower=upper, upper=lower)


def _heavy(root: Element, model: Model) -> Iterator[Finding]:
    """Links whose masses are in grams."""
    elements, parts = dict[str, Element](), list[LinkPart]()
    for link in root.all("link"):
        name, J = link.attributes.get("name", ""), _inertia(link)
        mass = None if J is None else mass_from(J)
        if mass is not None and name in model.frames and model.frames[name].body != WORLD:
            elements[name] = link
            parts.append(LinkPart(name, mass))
    turning, length = turning_bodies(model), length_of(model)
    heavy = in_grams(parts, {x.name for x in parts if model.frames[x.name].body in turning}, length)
    if heavy:
        finding, too = grams(heavy, parts, length), [moments_are_too(x) for x in heavy]
        if None in too:
            yield finding
            return
        pairs = [(elements[x.name], bool(both)) for x, both in zip(heavy, too, strict=True)]
        done = [
            f"{x.name!r} weighs {x.mass.mass / 1e3:.4g} kg{', its moments divided by 1000, too' if both else ''}"
            for x, both in zip(heavy, too, strict=True)
        ]
        yield replace(finding, edit=partial(_to_kilograms, pairs), done="; ".join(done))


def _inertia(link: Element) -> Array | None:
    """J (6, 6) about the centre of mass; None if there is none that can be read."""
    try:
        inertial = link.need("inertial")
        mass, moments = inertial.need("mass").number("value"), moments_of(inertial.need("inertia"))
    except ModelError:
        return None
    return inertia.from_mass_com(mass, np.zeros(3), moments)


def _to_kilograms(links: list[tuple[Element, bool]]) -> None:
    for link, both in links:
        for inertial in link.all("inertial"):
            masses, moments = inertial.all("mass"), inertial.all("inertia") if both else []
            for element in [*masses, *moments]:
                for name in [x for x in ("value", *MOMENTS) if x in element.attributes]:
                    element.attributes[name] = repr(element.number(name) / 1e3)


def _name(element: Element) -> str:
    return f"{element.tag} {element.attributes.get('name', '')!r}"


def meshes(model: Model) -> Iterator[Finding]:
    """Files of shapes that cannot be found."""
    files = list(dict.fromkeys(s.mesh for s in model.geometry if isinstance(s.mesh, str)))
    missing = [x for x in files if "://" in x or not os.path.isfile(x)]
    if missing:
        yield Finding(
            "note",
            "missing meshes",
            tuple(missing),
            f"{len(missing)} of {len(files)} mesh files cannot be found, such as {name_list(missing, 1)}",
            "pictures of the robot lack these links; motion does not depend on them",
            "keep the meshes where the file says; for package://, beside the package's folder",
        )


def remarks(said: Sequence[Warning], model: Model) -> Iterator[Finding]:
    """Findings of the warnings that loading a model gave; not of those that an examination finds itself."""
    found = file_of(model) is not None
    for warning in said:
        text = _without_file(str(warning))
        if found and text.startswith(SWAPPED_LIMITS):
            continue
        if isinstance(warning, ModelWarning):
            harmless = isinstance(warning, HarmlessWarning)
            yield Finding(
                "note" if harmless else "warning",
                HARMLESS_KIND if harmless else IGNORED_KIND,
                (),
                text,
                "it cannot change the motion" if harmless else "the robot may move otherwise than the file means",
                _keyword_hint(text) or "correct the file at the given lines",
            )
        elif isinstance(warning, PhysicsWarning):
            yield from _fixed_link(text, model)


def alike(x: Finding, y: Finding) -> bool:
    """Whether two findings, of a file and of one that was written from it, are about the same thing.

    >>> old, new = (Finding("warning", IGNORED_KIND, (), f"line {n}: <axes>", "", "") for n in (3, 7))
    >>> alike(old, new)
    True
    """
    if x.kind != y.kind or x.where or y.where:
        return x.kind == y.kind and not set(x.where).isdisjoint(y.where)
    texts = {re.sub(r"\blines? \d+(, \d+)*", "", each.what) for each in (x, y)}
    return x.kind not in (HARMLESS_KIND, IGNORED_KIND) or len(texts) == 1


def _fixed_link(text: str, model: Model) -> Iterator[Finding]:
    """About a link with an impossible inertia that is part of a possible body, or of the base."""
    found = re.match(r"link '(.*?)': (.*)", text)
    frame = model.frames.get(found[1]) if found else None
    if found is None or frame is None:
        return
    on_base = frame.body == WORLD
    wrong = not on_base and bool(inertia.violations(model.bodies[frame.body].J))
    if wrong and model.bodies[frame.body].name == found[1]:
        return  # said of the body
    carrier = "the base" if on_base else f"body {model.bodies[frame.body].name!r}"
    yield Finding(
        "note",
        "impossible inertia of a part",
        (f"link {found[1]!r}",),
        f"{found[2]}; the link is part of {carrier}",
        "the base does not move"
        if on_base
        else f"the body is {'impossible' if wrong else 'possible, but hardly right'}",
        "correct it in the file",
    )


def unreadable_file(error: ModelError) -> Finding:
    """About a file that cannot be read as a robot at all."""
    return Finding(
        "error",
        "not a robot",
        (error.place,) if error.place else (),
        error.problem,
        "it cannot be loaded, so nothing else was looked at",
        _keyword_hint(error.problem) or "correct the description there",
    )


def _keyword_hint(text: str) -> str:
    """Keyword for loading that helps, if the message is about one; "" otherwise."""
    if "packages={" in text:
        return "say where the package is: --package NAME=FOLDER, in Python kt.load(..., packages={NAME: folder})"
    if "xacro_args={" in text:
        return "give the argument: --xacro-arg NAME=VALUE, in Python kt.load(..., xacro_args={NAME: value})"
    return ""


def _without_file(text: str) -> str:
    """The message without the path before it."""
    head, separator, rest = text.partition(": ")
    is_path = os.sep in head or head.lower().endswith((".urdf", ".xml", ".xacro", ".json")) or head == "XML text"
    return rest if separator and is_path else text
