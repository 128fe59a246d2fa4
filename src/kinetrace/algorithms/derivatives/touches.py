"""How touches change when one of two shapes moves and the other rests: the narrow phase, differentiated.

A small motion has six numbers, whatever the joints are that cause it: `contact_rows` has what they do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...engine.derivative import jacobian
from ...lie import se3, so3
from ...model import WORLD, Model
from ...model.contact import Contacts
from ..contact.slots import slots_of_pair


class TouchChanges(NamedTuple):
    """How a slot changes when one of its bodies moves by small (w, v) in the world's axes, v of the body's origin."""

    of_a: bool
    """Whether a moves, else b."""
    origin: Array
    gap: Array
    """(6,)"""
    point: Array
    normal: Array
    """(3, 6)"""
    sliding: Array | None
    """(6, 6), unless no surface moves."""


def changes_of_pair(model: Model, contacts: Contacts, k: int, poses: Mapping[int, Array]) -> list[TouchChanges]:
    """Those of the slots of pair k."""
    pair = contacts.pairs[k]
    bodies = [contacts.shapes[i].body for i in (pair.a, pair.b)]
    of_a = bodies[0] != WORLD
    moving = bodies[0] if of_a else bodies[1]

    def touched(model: Model, motion: Array, both: tuple[Array, Array]) -> tuple[Array, ...]:
        there = dict(zip(bodies, both, strict=True))
        there[moving] = _moved(there[moving], motion)
        slots = slots_of_pair(contacts, k, there)
        each = [(x.gap, x.point, x.frame[2], *(() if x.sliding is None else (x.sliding,))) for x in slots]
        return tuple(y for x in each for y in x)

    found = jacobian(touched, wrt="motion")(model, np.zeros(6), (poses[bodies[0]], poses[bodies[1]]))
    slides = any(contacts.shapes[i].velocity is not None for i in (pair.a, pair.b))
    n = 4 if slides else 3
    rows = [found[i : i + n] for i in range(0, len(found), n)]
    return [TouchChanges(of_a, se3.translation(poses[moving]), *x, *(() if slides else (None,))) for x in rows]


def _moved(X: Array, motion: Array) -> Array:
    """A pose after a small motion, to first order."""
    w, R = motion[:3], se3.rotation(X)
    return se3.pose(R + so3.hat(w) @ R, se3.translation(X) + motion[3:])
