"""Surfaces of geoms, pairs and exclusions of MuJoCo → surfaces of shapes, and rules of contacts.

MuJoCo's contacts are springs with dampers on the mass that they feel, blended by an impedance d, at most d_max,

    k = d / (d_max T ζ)²,  b = 2 / (d_max T)        solref = (T, ζ)
    k = d K / d_max²,      b = B / d_max            solref = (−K, −B)

so that T = 2 / B, ζ = B / (2 √K) say the same. Its default, (0.02, 1), is what files have that say nothing of it: here
such surfaces are rigid. So are those with one number positive and the other not, in whose place MuJoCo takes its
default, and springs that are too stiff for any step. The impedance is kept for saving, and has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .....arrays import Array
from ....build.builder import Builder
from ....contact.contacts import ContactRules, Exclusion, PairRule
from ....contact.surface import SHORTEST, STIFFEST, ContactLaw, Surface
from .names import MjcfNames, Unused, given_names, is_off, is_on, value

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)
"""MuJoCo's defaults."""
_LONGEST = 1e6
"""Time constant [s] of springs without a damper, which would be infinite."""


def surface_of(model: Any, g: int, name: str, unused: Unused) -> Surface:
    """The surface of a geom."""
    own = {name: getattr(model, f"geom_{name}")[g] for name in ("friction", "solref", "solimp", "margin")}
    if is_on(model, "OVERRIDE"):
        own = {name: getattr(model.opt, f"o_{name}") for name in own}
        own["friction"] = own["friction"][[0, 2, 3]]
    slip, torsion, rolling = own["friction"]
    moving = value(model, "geom_surfacevel", g, np.zeros(6))
    return Surface(
        _law(slip, torsion, rolling, own, name, unused),
        group=int(model.geom_contype[g]),
        mask=int(model.geom_conaffinity[g]),
        priority=int(model.geom_priority[g]),
        velocity=np.roll(moving, 3) if np.any(moving) else None,
        dimensions=int(model.geom_condim[g]),
        impedance=_impedance(own["solimp"]),
    )


def add_rules(builder: Builder, model: Any, names: MjcfNames, shapes: Mapping[int, str], unused: Unused) -> None:
    """Pairs and exclusions, and whether neighbours touch; `shapes` are the names of geoms that may."""
    given, pairs = given_names(model, "pair", model.npair), list[PairRule]()
    for k, name in enumerate(given):
        a, b = (shapes.get(int(x[k])) for x in (model.pair_geom1, model.pair_geom2))
        if a is None or b is None:
            unused.remark("contact pairs of shapes that are left out", name or f"pair{k}", harmless=True)
            continue
        own = {x: getattr(model, f"pair_{x}")[k] for x in ("friction", "solref", "solimp", "margin")}
        if is_on(model, "OVERRIDE"):
            own = {x: getattr(model.opt, f"o_{x}") for x in own}
        slip, across, torsion, *rolling = own["friction"]
        if slip != across or rolling[0] != rolling[1]:
            what = "friction that differs between directions, of which the larger is taken"
            unused.remark(what, name or f"pair{k}", harmless=True)
        law = _law(max(slip, across), torsion, max(rolling), own, name or f"pair{k}", unused)
        impedance, dimensions = _impedance(own["solimp"]), int(model.pair_dim[k])
        pairs.append(PairRule(a, b, law, name, dimensions, impedance))
    called = given_names(model, "exclude", model.nexclude)
    bodies = ((int(x) >> 16, int(x) & 0xFFFF) for x in model.exclude_signature[: model.nexclude])
    excludes = [Exclusion(names.bodies[a], names.bodies[b], x) for x, (a, b) in zip(called, bodies, strict=True)]
    neighbours = is_off(model, "FILTERPARENT")
    if pairs or excludes or neighbours:
        builder.contact_rules(ContactRules(tuple(pairs), tuple(excludes), neighbours))
    _unused(model, shapes, unused)


def _law(
    slip: float, torsion: float, rolling: float, own: Mapping[str, Array], name: str, unused: Unused
) -> ContactLaw:
    first, second = own["solref"][:2]
    T, ratio = _softness(first, second)
    if T is None and (first, second) != SOLREF:
        unused.remark("solref that is no spring of a contact, rigid here", name, harmless=True)
    return ContactLaw(slip, torsion, rolling, time_constant=T, damping_ratio=ratio, margin=own["margin"])


def _softness(first: float, second: float) -> tuple[float | None, float]:
    """Time constant and damping ratio of a solref; None if it is the default, or nothing that a spring can have."""
    if (first, second) == SOLREF or (first <= 0.0) != (second <= 0.0) or first == 0.0:
        return None, 1.0
    if first > 0.0:
        T, ratio = float(first), float(second)
    else:
        T = 2.0 / -float(second) if second < 0.0 else _LONGEST
        ratio = 1.0 / (T * float(np.sqrt(-first)))
    return (T, ratio) if T >= SHORTEST and T * ratio >= STIFFEST else (None, 1.0)


def _impedance(solimp: Array) -> Array | None:
    return None if np.array_equal(solimp, SOLIMP) else np.array(solimp)


def _unused(model: Any, shapes: Mapping[int, str], unused: Unused) -> None:
    """What of contacts has no counterpart."""
    if is_off(model, "CONTACT"):
        unused.remark("options that turn contacts off", "contact", harmless=True)
    for g, name in shapes.items():
        if value(model, "geom_adhesion", g, 0.0):
            unused.remark("adhesion of shapes", name, harmless=True)
        if model.geom_solmix[g] != 1.0:
            unused.remark("weights by which softnesses are mixed, of which the softer counts", name, harmless=True)
