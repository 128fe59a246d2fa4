"""What acts on links, as MJCF: `gravcomp`, and principal axes, along which a fluid acts.

A link that is a fixed part of a body becomes a body without joints, so that it keeps its own compensation and box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import Array
from ....lie import se3
from ...body import Body
from ...checks import is_present
from ...link_effects import LinkEffects
from ...model import Model
from ..unsaid import Unsaid

_CLOSE = 1e-9
"""Relative difference of inertias that counts as rounding."""


class Parts(NamedTuple):
    """A body as the links that it is made of."""

    J: Array
    """(6, 6) inertia of the body without the others."""
    own: LinkEffects | None
    """What acts on the body's own link."""
    others: tuple[tuple[LinkEffects, Array], ...]
    """Other links, each with its pose (4, 4) in the body."""


def parts_of_body(model: Model, body: Body, unsaid: Unsaid) -> Parts:
    """The links of a body; itself as a whole, if nothing acts on these, or they cannot be told apart."""
    effects = body.link_effects or ()
    if not effects:
        if model.fluid is not None and not np.any(body.J):
            unsaid.add("bodies without mass in a fluid, which meets them there", body.name, changes=True)
        return Parts(body.J, None, ())
    own = next((x for x in effects if x.link == body.name), None)
    others = tuple((x, model.frames[x.link].X_bf) for x in effects if x is not own and x.link in model.frames)
    J = body.J - sum((x.inertia() for x, _ in others), start=np.zeros((6, 6)))
    wanted = np.zeros((6, 6)) if own is None else own.inertia()
    is_told = len(others) + (own is not None) == len(effects) and all(is_present(x.box) for x in effects)
    if is_told and np.abs(J - wanted).max() <= _CLOSE * np.abs(body.J).max():
        return Parts(wanted, own, others)
    unsaid.add("what acts on links whose inertias are not those of their body", body.name, changes=True)
    return Parts(body.J, None, ())


def placed_in(link: LinkEffects, X: Array) -> LinkEffects:
    """The effects of a link, at X in its body, in its own frame."""
    return LinkEffects(link.link, se3.inverse(X) @ link.placement, link.mass, link.box, link.gravity_compensation)
