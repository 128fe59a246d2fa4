"""Surfaces of shapes and rules of contacts as attributes and elements of MJCF, without what is MuJoCo's default."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from .....arrays import Array
from ....body import WORLD
from ....checks import is_present
from ....closures import WORLD_NAME
from ....contact.contacts import ContactRules, Exclusion
from ....contact.surface import ContactLaw, Surface, dimensions_of
from ....model import Model
from ..losses import Unsaid
from .elements import MjcfElement
from .joints import text

_USUAL = (1.0, 0.005, 0.0001)
"""Friction of a geom that does not say its own."""


def surface_text(surface: Surface | None, shape: str, unsaid: Unsaid) -> dict[str, str]:
    """The attributes of a geom's surface."""
    if surface is None:
        return {}
    numbers = (
        *(("contype", surface.group, 1), ("conaffinity", surface.mask, 1), ("priority", surface.priority, 0)),
        ("condim", surface.acting_dimensions, 3),
    )
    found = {name: str(x) for name, x, usual in numbers if x != usual}
    friction = _friction(surface.law)
    if friction != _USUAL:
        found["friction"] = text(np.array(friction))
    if surface.velocity is not None and np.any(surface.velocity):
        found["surfacevel"] = text(np.roll(surface.velocity, 3))
    return found | _softness(surface.law, surface.impedance, shape, unsaid)


def _friction(law: ContactLaw) -> tuple[float, float, float]:
    return float(law.friction), float(law.torsion), float(law.rolling)


def _softness(law: ContactLaw, impedance: Array | None, name: str, unsaid: Unsaid) -> dict[str, str]:
    """How surfaces yield; a stiffness has no counterpart, since MuJoCo's is that of a mass of 1 kg."""
    found = {}
    if is_present(law.restitution):
        unsaid.add("restitution of surfaces", name)
    if law.stiffness is not None:
        unsaid.add("stiffness and damping of surfaces, rigid there", name)
    if law.time_constant is not None:
        found["solref"] = text(np.array([float(law.time_constant), float(law.damping_ratio)]))
    if impedance is not None:
        found["solimp"] = text(impedance)
    if is_present(law.margin):
        found["margin"] = text(law.margin)
    return found


def rules_elements(
    model: Model, shapes: Collection[str], body_name: Callable[[str], str], unsaid: Unsaid
) -> list[MjcfElement]:
    """The elements of <contact>; `shapes` are the names of all geoms that are written."""
    rules = ContactRules() if model.contact_rules is None else model.contact_rules
    found = []
    for rule in rules.pairs:
        if rule.a not in shapes or rule.b not in shapes:
            unsaid.add("contact pairs of shapes that are not written", rule.name or f"{rule.a}, {rule.b}")
            continue
        mu, torsion, rolling = _friction(rule.law)
        dimensions = dimensions_of(rule.law) if rule.dimensions is None else rule.dimensions
        own = {"name": rule.name} if rule.name else {}
        own |= {"geom1": rule.a, "geom2": rule.b, "condim": str(dimensions)}
        own["friction"] = text(np.array([mu, mu, torsion, rolling, rolling]))
        # MuJoCo's defaults, which a pair would else take from its shapes
        usual = {"solref": "0.02 1", "solimp": "0.9 0.95 0.001 0.5 2", "margin": "0"}
        found.append(MjcfElement("pair", own | usual | _softness(rule.law, rule.impedance, own["geom1"], unsaid)))
    return found + [x for rule in rules.excludes if (x := _exclude(model, rule, body_name, unsaid)) is not None]


def _exclude(model: Model, rule: Exclusion, body_name: Callable[[str], str], unsaid: Unsaid) -> MjcfElement | None:
    """Two bodies that do not touch: links that are fixed to each other are one body there."""
    bodies, names = list[int](), list[str]()
    for link in (rule.a, rule.b):
        frame = model.frames.get(link)
        index = WORLD if frame is None else frame.body
        bodies.append(index)
        names.append(WORLD_NAME if index == WORLD else body_name(model.bodies[index].name))
        others = {shape.frame for shape in model.collision_shapes if model.frames[shape.frame].body == index} - {link}
        if others:
            unsaid.add("exclusions of links that are parts of bodies, which are of all of the body there", link)
    if bodies[0] == bodies[1]:
        return None
    own = {"name": rule.name} if rule.name else {}
    return MjcfElement("exclude", {**own, "body1": names[0], "body2": names[1]})
