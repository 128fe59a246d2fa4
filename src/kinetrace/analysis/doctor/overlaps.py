"""Collision shapes that overlap at home, though their links are no neighbours and may touch.

Neighbours are bodies of which one carries the other, or which a closure holds together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from ...algorithms.contact.narrow.table import can_touch, touches
from ...algorithms.contact.narrow.touch import Placed
from ...algorithms.contact.slots import placed_shape
from ...algorithms.kinematics.forward_kinematics import body_poses
from ...errors import KinetraceError
from ...model.body import WORLD
from ...model.configurations import home
from ...model.contact import ContactRules, ContactShape, Exclusion, meet
from ...model.contact.names import with_names
from ...model.contact.resolve import contact_shapes, mesh_fits
from ...model.contact.surface import Surface
from ...model.model import Model
from .finding import Finding

DEPTH = 1e-6
"""How deep shapes must overlap [m]."""
_NAMED = 4


def overlaps(model: Model) -> Iterator[Finding]:
    """Pairs of shapes that overlap where the robot is at home, the deepest first."""
    found = sorted(overlapping(model), key=lambda pair: pair[2])
    if not found:
        return
    told = [f"{a.name!r} and {b.name!r} by {-1e3 * gap:.3g} mm" for a, b, gap in found[:_NAMED]]
    more = f", and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    links = list(dict.fromkeys((a.link or "world", b.link or "world") for a, b, _ in found))
    yield Finding(
        "note",
        "shapes that overlap",
        tuple(dict.fromkeys(f"shape {x.name!r}" for a, b, _ in found for x in (a, b))),
        f"at home, {'; '.join(told)}{more}",
        "where all shapes may touch each other, the first step would push these apart",
        "make them smaller, or exclude their links: model.contact_rules names links that do not touch",
        fix=partial(_excluded, links=links),
        done=f"the shapes of {len(links)} pairs of links do not touch any more",
    )


def overlapping(model: Model) -> Iterator[tuple[ContactShape, ContactShape, float]]:
    """Shapes that may touch and overlap at home, with their gap [m]; of kinds whose distance is known."""
    if len(model.collision_shapes) < 2:
        return
    surfaces = {shape.name: shape.surface or Surface() for shape in with_names(model.collision_shapes)}
    shapes = contact_shapes(model, {name: None for name in _unreadable(model)})
    poses = {WORLD: np.eye(4), **body_poses(model, home(model))}
    placed = [placed_shape(shape, poses[shape.body]) for shape in shapes]
    reach = [_reach(shape) for shape in placed]
    excluded = {frozenset((x.a, x.b)) for x in (model.contact_rules or ContactRules()).excludes}
    near_bodies = _neighbours(model)
    for (i, a), (j, b) in combinations(enumerate(shapes), 2):
        near = float(np.linalg.norm(placed[i].center - placed[j].center)) < reach[i] + reach[j]
        if not near or frozenset((a.body, b.body)) in near_bodies or frozenset((a.link, b.link)) in excluded:
            continue
        if can_touch(a.kind, b.kind) and meet(_surface(surfaces, a), _surface(surfaces, b)):
            gap = min(float(touch.gap) for touch in touches(placed[i], placed[j]))
            if gap < -DEPTH:
                yield a, b, gap


def _surface(surfaces: dict[str, Surface], shape: ContactShape) -> Surface:
    """The surface of a shape, or of the mesh that it is a part of."""
    return surfaces.get(shape.name) or surfaces[shape.name.rpartition(":")[0]]


def _unreadable(model: Model) -> Iterator[str]:
    """Meshes that cannot be shapes: their files are missing, or packages that read them."""
    meshes = [shape.name for shape in with_names(model.collision_shapes) if shape.kind == "mesh"]
    for name in meshes:
        try:
            mesh_fits(model, {**dict.fromkeys(meshes), name: "hull"})
        except KinetraceError:
            yield name


def _neighbours(model: Model) -> set[frozenset[int]]:
    """Bodies by themselves, and with those that carry them or that a closure holds on to."""
    carried = {frozenset((body.index, body.parent)) for body in model.bodies}
    held = {frozenset(frame.body for frame in closure.frames) for closure in model.closures}
    return carried | held | {frozenset((k,)) for k in range(WORLD, len(model.bodies))}


def _reach(shape: Placed) -> float:
    """Radius of a ball about the origin of a shape that it lies in."""
    size = np.asarray(shape.size)
    if shape.kind in ("plane", "heights"):
        return np.inf
    if shape.kind == "points":
        return float(np.linalg.norm(size, axis=1).max())
    if shape.kind == "box":
        return float(np.linalg.norm(size)) / 2
    return float(size[0] + size[1] / 2) if shape.kind in ("capsule", "cylinder") else float(size.max())


def _excluded(model: Model, links: list[tuple[str, str]]) -> Model:
    """The model in which the shapes of these links do not touch."""
    rules = model.contact_rules or ContactRules()
    more = tuple(Exclusion(a, b) for a, b in links)
    return replace(model, contact_rules=replace(rules, excludes=(*rules.excludes, *more)))
