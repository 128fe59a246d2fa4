"""Differences between the collision shapes of two robots, matched by their names, and the rules of their contacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import Array
from ...lie import se3, so3
from ...model.body import Geometry
from ...model.contact import ContactLaw, ContactRules, Surface, acting
from ...model.model import Model
from ...model.record import field_names
from .result import Change

_FILTERS = ("group", "mask", "priority", "velocity")


def shape_changes(a: Model, b: Model, tolerance: float) -> Iterator[Change]:
    """All that differs between collision shapes, their surfaces, pairs and exclusions."""
    old, new = ({shape.name: shape for shape in model.collision_shapes} for model in (a, b))
    for names, others, where in ((old, new, "first"), (new, old, "second")):
        for name in names:
            if name not in others:
                kind = names[name].kind
                before, after = (kind, None) if where == "first" else (None, kind)
                yield Change("shape", name, f"only in the {where} robot: {kind}", before, after)
    for name, x in old.items():
        if name in new:
            yield from _shape(name, x, new[name], tolerance)
    yield from _rules(a.contact_rules or ContactRules(), b.contact_rules or ContactRules())


def _shape(name: str, x: Geometry, y: Geometry, tolerance: float) -> Iterator[Change]:
    if x.frame != y.frame:
        yield Change("shape", name, f"on link {x.frame!r} → {y.frame!r}", x.frame, y.frame)
    if x.kind != y.kind or _apart(np.array(x.size), np.array(y.size), tolerance):
        before, after = (f"{shape.kind} {' × '.join(f'{e:.4g}' for e in shape.size)}" for shape in (x, y))
        yield Change("shape", name, f"{before} → {after}", before, after)
    elif x.mesh != y.mesh or not _same(x.heights, y.heights):
        yield Change("shape", name, "another mesh" if x.kind == "mesh" else "other heights")
    R = se3.rotation(x.placement).T @ se3.rotation(y.placement)
    shift = float(np.linalg.norm(se3.translation(x.placement) - se3.translation(y.placement)))
    turn = float(np.linalg.norm(so3.log(R)))
    if shift > tolerance or turn > max(tolerance, 3e-8):  # angles of tiny rotations have half of the digits
        what = f"placed {1e3 * shift:.4g} mm and {np.degrees(turn):.4g}° elsewhere in its link"
        yield Change("shape", name, what, x.placement.tolist(), y.placement.tolist())
    s, t = x.surface or Surface(), y.surface or Surface()
    yield from _law(name, acting(s.law, s.acting_dimensions), acting(t.law, t.acting_dimensions), tolerance)
    for each in _FILTERS:
        old, new = _plain(getattr(s, each)), _plain(getattr(t, each))
        if old != new:
            yield Change("shape", name, f"{each} {old} → {new}", old, new)


def _law(name: str, x: ContactLaw, y: ContactLaw, tolerance: float) -> Iterator[Change]:
    for each in field_names(ContactLaw):
        before, after = getattr(x, each), getattr(y, each)
        if (before is None) != (after is None) or (before is not None and _apart(before, after, tolerance)):
            old, new = _plain(before), _plain(after)
            yield Change("shape", name, f"{each.replace('_', ' ')} {old} → {new}", old, new)


def _rules(x: ContactRules, y: ContactRules) -> Iterator[Change]:
    pairs = [{tuple(sorted((rule.a, rule.b))): rule for rule in rules.pairs} for rules in (x, y)]
    excludes = [{tuple(sorted((rule.a, rule.b))) for rule in rules.excludes} for rules in (x, y)]
    for k, where in enumerate(("first", "second")):
        for names in sorted(pairs[k].keys() - pairs[1 - k].keys()):
            yield Change("robot", "", f"contact pair only in the {where} robot: {' and '.join(names)}")
        for names in sorted(excludes[k] - excludes[1 - k]):
            yield Change("robot", "", f"links that do not touch only in the {where} robot: {' and '.join(names)}")
    for names in sorted(pairs[0].keys() & pairs[1].keys()):
        if pairs[0][names].acting_law != pairs[1][names].acting_law:
            yield Change("robot", "", f"another law of the contact pair {' and '.join(names)}")
    if x.neighbours != y.neighbours:
        told = f"contacts of neighbours {x.neighbours} → {y.neighbours}"
        yield Change("robot", "", told, x.neighbours, y.neighbours)


def _apart(x: Array, y: Array, tolerance: float) -> bool:
    """Whether numbers differ by more than the tolerance of the largest."""
    if np.shape(x) != np.shape(y):
        return True
    return bool(np.any(np.abs(x - y) > tolerance * max(np.abs(x).max(initial=0.0), np.abs(y).max(initial=0.0))))


def _same(x: Array | None, y: Array | None) -> bool:
    return x is y or (x is not None and y is not None and np.array_equal(x, y))


def _plain(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()
