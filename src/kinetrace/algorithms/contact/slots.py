"""Where shapes may touch: a fixed number of slots for each pair, and the rows of velocity of each.

A slot has a gap, a point and axes (two tangents and the normal, which points from shape b to shape a). The velocity of
a relative to b at the point, along these axes, is K v, with a column for each velocity of the tree. With the screws
(w_k, v_k) of joint k in the world's axes, v_k being the velocity of the origin o of the body that it carries,

    K_k = ±E [v_k + w_k × (p − o)]  for a body beyond joint k,  E the axes;     E w_k for spinning and rolling

Rows of a slot are in the order tangent, tangent, normal, spin, two of rolling; those without friction are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate, stack
from ...lie import se3, so3
from ...model import WORLD, Model
from ...model.checks import is_present
from ...model.contact import ContactLaw, ContactPair, Contacts, ContactShape
from ...model.contact.inputs import with_contact_inputs
from ..kinematics.forward_kinematics import body_poses
from ..registry.declaration import algorithm
from .narrow.table import slots as slots_of_kinds
from .narrow.table import touches
from .narrow.touch import Placed, axes_of


class Slot(NamedTuple):
    """A place where two shapes may touch."""

    pair: int
    """Its place among all pairs."""
    bodies: tuple[int, int]
    """That of a, which the normal pushes, and that of b."""
    law: ContactLaw
    often: bool
    """Whether steps always solve for it."""
    shared: bool
    """Whether the pair has further slots."""
    gap: Array
    point: Array
    """(3,) in the world."""
    frame: Array
    """(3, 3) rows: two tangents and the normal, in the world."""
    sliding: Array | None
    """(6,) twist (ω, v at the point) of the surface of a relative to that of b if the bodies rest, in the world; None:
    zero."""


def rows_of(law: ContactLaw) -> int:
    """The rows of a slot under a law: 1 without friction, 3, 4 with torsion, 6 with rolling."""
    if is_present(law.rolling):
        return 6
    if is_present(law.torsion):
        return 4
    return 3 if is_present(law.friction) else 1


def slot_names(contacts: Contacts) -> tuple[str, ...]:
    """Names of all slots: that of the pair, with a number if it has several."""
    names = []
    for pair in contacts.pairs:
        n = _slots_of(contacts, pair)
        names += [pair.name] if n == 1 else [f"{pair.name}.{k + 1}" for k in range(n)]
    return tuple(names)


def slot_rows(contacts: Contacts) -> tuple[int, ...]:
    """The rows of all slots."""
    return tuple(rows_of(pair.law) for pair in contacts.pairs for _ in range(_slots_of(contacts, pair)))


def _slots_of(contacts: Contacts, pair: ContactPair) -> int:
    return slots_of_kinds(contacts.shapes[pair.a].kind, contacts.shapes[pair.b].kind)


def contact_slots(contacts: Contacts, poses: Mapping[int, Array]) -> list[Slot]:
    """The slots of all pairs, where bodies have these poses."""
    return [slot for k in range(len(contacts.pairs)) for slot in slots_of_pair(contacts, k, poses)]


def slots_of_pair(contacts: Contacts, k: int, poses: Mapping[int, Array]) -> list[Slot]:
    """Those of pair k."""
    pair = contacts.pairs[k]
    a, b = contacts.shapes[pair.a], contacts.shapes[pair.b]
    at_a, at_b = (placed_shape(shape, poses[shape.body]) for shape in (a, b))
    found = touches(at_a, at_b)
    return [
        Slot(
            pair=k,
            bodies=(a.body, b.body),
            law=pair.law,
            often=pair.often,
            shared=len(found) > 1,
            gap=touch.gap,
            point=touch.point,
            frame=axes_of(touch.normal),
            sliding=_sliding(a, at_a.X, b, at_b.X, touch.point),
        )
        for touch in found
    ]


def slot_places(contacts: Contacts) -> list[range]:
    """Of each pair the places of its slots among all."""
    ends = np.cumsum([0, *(_slots_of(contacts, pair) for pair in contacts.pairs)]).tolist()
    return [range(begin, end) for begin, end in pairwise(ends)]


def placed_shape(shape: ContactShape, X_body: Array) -> Placed:
    """A shape where it is in the world."""
    resting = shape.body == WORLD
    return Placed(shape.kind, shape.size, shape.X if resting else X_body @ shape.X, shape.lengths)


def _sliding(a: ContactShape, X_a: Array, b: ContactShape, X_b: Array, point: Array) -> Array | None:
    """The twist (6,) of belts and turntables at a point: that of a less that of b."""
    moving = [
        (sign, shape.velocity, X) for sign, shape, X in ((1.0, a, X_a), (-1.0, b, X_b)) if shape.velocity is not None
    ]
    if not moving:
        return None
    total: Array = np.zeros(6)
    for sign, V, X in moving:
        turning, R = X[:3, :3] @ V[:3], X[:3, :3]
        total = total + sign * concatenate([turning, R @ V[3:] + so3.cross(turning, point - X[:3, 3])])
    return total


def surface_rows(slot: Slot, rows: int) -> Array:
    """The velocity (rows,) of moving surfaces along the rows of a slot."""
    if slot.sliding is None:
        return np.zeros(rows)
    linear = (slot.frame if rows > 1 else slot.frame[2:]) @ slot.sliding[3:]
    return linear if rows < 4 else concatenate([linear, slot.frame[[2, 0, 1]][: rows - 3] @ slot.sliding[:3]])


JointScrews = list[tuple[Array, Array]]
"""Of each joint: angular and linear parts (nv_i, 3) of its body's motion at the body's origin, in the world's axes."""


def joint_screws(model: Model, q: Array, poses: Mapping[int, Array]) -> JointScrews:
    """The screws of all joints."""
    found = []
    for body, q_i in zip(model.bodies, model.split_q(q), strict=True):
        S, R = body.subspace(q_i), se3.rotation(poses[body.index])
        found.append(((R @ S[:3]).T, (R @ S[3:]).T))
    return found


def slot_jacobian(model: Model, poses: Mapping[int, Array], screws: JointScrews, slot: Slot, rows: int) -> Array:
    """K (rows, nv) of a slot: the velocity of a relative to b."""
    each: list[Array] = [np.zeros((b.joint.nv, rows)) for b in model.bodies]
    shared = (
        model.ancestors(slot.bodies[0]) & model.ancestors(slot.bodies[1]) if WORLD not in slot.bodies else frozenset()
    )
    for sign, tip in zip((1.0, -1.0), slot.bodies, strict=True):
        for i in (model.ancestors(tip) if tip != WORLD else frozenset()) - shared:
            each[i] = each[i] + sign * _columns(screws[i], slot, se3.translation(poses[i]), rows)
    return model.gather(each).reshape(model.nv, rows).T


def _columns(screws: tuple[Array, Array], slot: Slot, origin: Array, rows: int) -> Array:
    """The columns (nv_i, rows) of a joint, for a body that it carries."""
    w, v = screws
    arm = slot.point - origin
    moved = stack([v_k + so3.cross(w_k, arm) for w_k, v_k in zip(w, v, strict=True)], axis=0)
    linear = moved @ (slot.frame if rows > 1 else slot.frame[2:]).T
    return linear if rows < 4 else concatenate([linear, w @ slot.frame[[2, 0, 1]][: rows - 3].T])


@algorithm(
    listed=False,
    returns={
        "gaps": "(slots,) Distances of the surfaces along the normals, negative where they overlap [m].",
        "points": "(slots, 3) Points midway between the surfaces, in the world [m].",
        "frames": "(slots, 3, 3) Rows: two tangents and the normal, which pushes the first shape, in the world.",
    },
)
def contact_points(model: Model, q: Array, *, contact: Mapping[str, Array] | None = None) -> tuple[Array, Array, Array]:
    """Where the shapes of a robot in a world touch, slot by slot, or are nearest to each other.

    >>> robot = kt.load("quadruped", base="free").with_world(kt.World(pairs="feet"))
    >>> gaps, points, frames = kt.algorithms.contact_points(robot.model, robot.neutral())
    >>> gaps.round(3) + 0.0, frames.shape
    (array([-0.44, -0.44, -0.44, -0.44]), (4, 3, 3))
    """
    if model.contacts is None:
        return np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3))
    slots = contact_slots(with_contact_inputs(model.contacts, contact or {}), body_poses(model, q))
    each = ([slot.gap for slot in slots], [slot.point for slot in slots], [slot.frame for slot in slots])
    gaps, points, frames = (stack(x, axis=0) for x in each)
    return gaps, points, frames
