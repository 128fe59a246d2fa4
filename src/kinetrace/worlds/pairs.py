"""Which shapes of a scene may touch.

    "world"   shapes of the robot with those of the world, and objects with each other and with what is fixed
    "feet"    the same, but of the robot those at the ends of its limbs alone (`feet`)
    "self"    shapes of the robot with each other, its base too
    "all"     both, "world" and "self"
    "rules"   all that the robot's file lets touch: by groups and masks, its pairs and exclusions, self-collision too

Left out are pairs that can never touch: of one body, of two that are fixed, of kinds for which there is no function;
pairs of bodies that a joint connects; of one robot, shapes that overlap at home; and next to the world, shapes that
overlap with what is fixed at home and wherever else we look. Groups, masks and exclusions hold for all rules; pairs of
a file are added to all but "feet" and "self". Pairs of names hold as they are given: an error says why one cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.contact.narrow.table import can_touch, slots, touches
from ..algorithms.contact.slots import placed_shape
from ..algorithms.kinematics.forward_kinematics import body_poses
from ..errors import InputError, unknown_name_error
from ..model import WORLD, Model
from ..model.closures import WORLD_NAME
from ..model.configurations import home
from ..model.contact import ContactRules, Surface, meet
from ..robot.types import Float
from .bodies import Bodies, SceneShape
from .laws import Pair, is_called, names_of
from .world import ROBOT

TRIED = 8
"""Random configurations at which shapes that overlap always must do so."""
GROUNDS = ("plane", "heights")
"""Kinds of shapes that robots stand on."""
FEW_SLOTS = 8
"""Slots up to which steps always solve for all of them."""
TOUCHING = 1e-6
"""Depth up to which shapes touch at home, and do not overlap [m]."""
LEVEL = 0.01
"""By how much feet may be higher than the lowest shape of their link at home [m]."""


class _Candidates(NamedTuple):
    """The shapes of a scene, and what is known of their pairs."""

    scene: Bodies
    rules: ContactRules
    home: Float
    """(nq,)"""

    @property
    def model(self) -> Model:
        """The robot with the objects."""
        return self.scene.model

    def never(self, a: SceneShape, b: SceneShape) -> str:
        """Why two shapes can never touch; empty if they can."""
        if a.shape.body == b.shape.body:
            both = "both are fixed to the world" if a.shape.body == WORLD else "both are on one body"
            return both
        if not can_touch(a.shape.kind, b.shape.kind):
            kinds = a.shape.kind, b.shape.kind
            return f"there is no contact of two shapes of the kinds {kinds[0]!r} and {kinds[1]!r}"
        return ""

    def allowed(self, a: SceneShape, b: SceneShape) -> bool:
        """Whether groups, masks and exclusions let two shapes touch."""
        if not meet(a.surface or Surface(), b.surface or Surface()):
            return False
        links = {x.shape.link or (WORLD_NAME if x.shape.body == WORLD else "") for x in (a, b)}
        return all({x.a, x.b} != links for x in self.rules.excludes)

    def adjacent(self, a: SceneShape, b: SceneShape) -> bool:
        """Whether a joint connects their bodies, one of which may be the base of the robot."""
        i, j = sorted((a.shape.body, b.shape.body))
        carried = self.model.bodies[j]
        return carried.parent == i and (i != WORLD or (_is_own(Pair(a, b)) and not carried.joint.is_free))

    def beside_world(self, a: SceneShape, b: SceneShape) -> bool:
        """Whether one is fixed, and a joint that is not free carries the other on the world."""
        i, j = sorted((a.shape.body, b.shape.body))
        body = self.model.bodies[j]
        return i == WORLD == body.parent and not body.joint.is_free

    def overlap(self, pairs: Sequence[Pair], q: Float) -> list[bool]:
        """Whether shapes overlap at a configuration (nq,)."""
        if not pairs:
            return []
        poses = body_poses(self.model, q)
        placed = {x.shape.name: placed_shape(x.shape, poses[x.shape.body]) for pair in pairs for x in pair[:2]}
        return [
            any(float(x.gap) < -TOUCHING for x in touches(placed[a.shape.name], placed[b.shape.name]))
            for a, b, _ in pairs
        ]


def chosen_pairs(scene: Bodies, rules: ContactRules | None, chosen: tuple[object, ...] | None) -> list[Pair]:
    """The pairs of a world's choice, each once, in the order of the shapes; an error if a name is unknown."""
    at = _Candidates(scene, rules or ContactRules(), np.asarray(home(scene.model), dtype=float))
    found: dict[tuple[str, str], Pair] = {}
    for choice in chosen or ("world",):
        each = _by_rule(at, choice) if isinstance(choice, str) else _by_names(at, *choice)  # type: ignore[misc]
        for pair in each:
            names = pair.a.shape.name, pair.b.shape.name
            if names[::-1] not in found:
                found.setdefault(names, pair)
    return list(found.values())


def _by_rule(at: _Candidates, rule: str) -> list[Pair]:
    shapes = at.scene.shapes
    pairs = [Pair(a, b) for a, b in map(_ordered, combinations(shapes, 2)) if not at.never(a, b) and at.allowed(a, b)]
    if rule != "rules" or not at.rules.neighbours:
        pairs = [x for x in pairs if not at.adjacent(x.a, x.b)]
    own = [_is_own(x) for x in pairs]
    if rule in ("world", "feet"):
        pairs = [x for x, is_own in zip(pairs, own, strict=True) if not is_own]
    elif rule == "self":
        pairs = [x for x, is_own in zip(pairs, own, strict=True) if is_own and x.a.owner == ROBOT]
    if rule == "feet":
        on_feet = feet(at.model, [x for x in shapes if x.owner == ROBOT])
        pairs = [x for x in pairs if all(y.owner != ROBOT or y in on_feet or _is_around(y) for y in x[:2])]
    if rule != "rules":
        pairs = _without_permanent(at, pairs)
    return _from_file(at) + pairs if rule in ("world", "all", "rules") else pairs


def _from_file(at: _Candidates) -> list[Pair]:
    """The pairs that the robot's file names, with laws of their own."""
    by_name = {x.shape.name: x for x in at.scene.shapes}
    given = [x for x in at.rules.pairs if x.a in by_name and x.b in by_name]
    return [Pair(*_ordered((by_name[x.a], by_name[x.b])), x.acting_law) for x in given]


def _without_permanent(at: _Candidates, pairs: list[Pair]) -> list[Pair]:
    """The pairs but for those of one robot that overlap at home, and those next to the world that do so anywhere."""
    left = [x for x in pairs if _is_own(x) or at.beside_world(x.a, x.b)]
    left = [x for x, overlaps in zip(left, at.overlap(left, at.home), strict=True) if overlaps]
    always = {id(x) for x in left if _is_own(x)}
    left = [x for x in left if id(x) not in always]
    for q in at.model.random(np.random.default_rng(0), (TRIED,)) if left else ():
        left = [x for x, overlaps in zip(left, at.overlap(left, q), strict=True) if overlaps]
    always |= {id(x) for x in left}
    return [x for x in pairs if id(x) not in always]


def _is_own(pair: Pair) -> bool:
    """Whether both shapes are of one robot, of which a base that is fixed is a part."""
    return pair.a.owner == pair.b.owner and not any(map(_is_around, pair[:2]))


def _is_around(x: SceneShape) -> bool:
    """Whether a shape is around a robot: fixed, and the ground, or on the frame of the world itself."""
    return x.shape.body == WORLD and (x.shape.kind in GROUNDS or x.shape.link in ("", WORLD_NAME))


def _ordered(pair: tuple[SceneShape, SceneShape]) -> tuple[SceneShape, SceneShape]:
    """What moves first, which the normal pushes; of two that do, the robot's."""
    a, b = pair
    return (b, a) if a.shape.body == WORLD or (b.owner == ROBOT != a.owner and b.shape.body != WORLD) else (a, b)


def _by_names(at: _Candidates, a: str, b: str) -> list[Pair]:
    """All pairs that two names mean; an error if there are none."""
    shapes = at.scene.shapes
    sides = [[x for x in shapes if is_called(x, name)] for name in (a, b)]
    for name, side in zip((a, b), sides, strict=True):
        if not side:
            if name in at.model.frames:
                raise InputError(f"pairs: link {name!r} has no collision shapes; {_with_shapes(shapes)}")
            raise unknown_name_error("name in pairs", name, names_of(shapes))
    couples = [(x, y) for x, y in product(*sides) if x is not y]
    found = [Pair(*_ordered(x)) for x in couples if not at.never(*x)]
    if not found:
        why = at.never(*couples[0]) if couples else "they are one shape"
        raise InputError(f"pairs: {a!r} and {b!r} cannot touch: {why}")
    return found


def _with_shapes(shapes: Iterable[SceneShape]) -> str:
    links = dict.fromkeys(x.shape.link for x in shapes if x.shape.link)
    return f"these links have: {', '.join(links)}" if links else "no link has"


def feet(model: Model, shapes: Sequence[SceneShape]) -> list[SceneShape]:
    """The shapes at the ends of limbs: on bodies that carry no others, of the link that is farthest from the joint.

    If that link has several, they are those that are lowest at home, within a centimetre.
    """
    carrying = {body.parent for body in model.bodies}
    found: list[SceneShape] = []
    for body in model.bodies:
        on_body = [x for x in shapes if x.shape.body == body.index]
        if body.index in carrying or not on_body:
            continue
        far = {x.shape.link: float(np.linalg.norm(model.frames[x.shape.link].X_bf[:3, 3])) for x in on_body}
        most = max(far.values())
        found += _lowest(model, [x for x in on_body if far[x.shape.link] > most - 1e-9])
    return found


def touch_often(model: Model, pairs: Sequence[Pair]) -> list[bool]:
    """Of each pair, whether steps always solve for it: all if they are few, else those of feet and of objects."""
    shapes = list({x.shape.name: x for pair in pairs for x in pair[:2]}.values())
    ends = {x.shape.name for x in feet(model, [x for x in shapes if x.owner == ROBOT])}

    def is_at_end(x: SceneShape) -> bool:
        return x.owner != ROBOT or x.shape.body == WORLD or x.shape.name in ends

    found = [is_at_end(x.a) and is_at_end(x.b) and not _is_own(x) for x in pairs]
    few = sum(slots(x.a.shape.kind, x.b.shape.kind) for x in pairs) <= FEW_SLOTS
    return [True] * len(pairs) if few or not any(found) else found


def _lowest(model: Model, shapes: list[SceneShape]) -> list[SceneShape]:
    """Those of the shapes of a body that are lowest at home."""
    if len(shapes) == 1:
        return shapes
    X = body_poses(model, home(model))[shapes[0].shape.body]
    low = [_bottom(x, X @ x.shape.X) for x in shapes]
    return [x for x, z in zip(shapes, low, strict=True) if z < min(low) + LEVEL]


def _bottom(x: SceneShape, X: Float) -> float:
    """The height of the lowest point of a shape at a pose."""
    size, z, down = np.asarray(x.shape.size, dtype=float), float(X[2, 3]), np.asarray(X[2, :3], dtype=float)
    if x.shape.kind == "points":
        return z + float((size @ down).min())
    return z - _REACH[x.shape.kind](size, down) if x.shape.kind in _REACH else z


_REACH: dict[str, Callable[[Any, Any], float]] = {
    "sphere": lambda size, n: size[0],
    "box": lambda size, n: float(np.abs(n) @ size) / 2.0,
    "capsule": lambda size, n: size[0] + abs(n[2]) * size[1] / 2.0,
    "cylinder": lambda size, n: size[0] * float(np.hypot(n[0], n[1])) + abs(n[2]) * size[1] / 2.0,
    "ellipsoid": lambda size, n: float(np.linalg.norm(n * size)),
}
"""Kind → how far a shape reaches from its middle along a direction in its axes."""
