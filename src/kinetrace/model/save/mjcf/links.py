"""What acts on links, as MJCF: `gravcomp`, and principal axes, along which a fluid acts.

A link that is a fixed part of a body becomes a body without joints, so that it keeps its own compensation and box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import Array
from ....lie import inertia, se3
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
    effects, whole = body.link_effects or (), Parts(body.J, None, ())
    if model.fluid is not None and not (effects and all(is_present(x.box) for x in effects)):
        unsaid.add("bodies that a fluid does not act on; MuJoCo's acts on all", body.name, changes=True)
        return whole
    if not effects:
        return whole
    own = next((x for x in effects if x.link == body.name), None)
    others = tuple((x, model.frames[x.link].X_bf) for x in effects if x is not own and x.link in model.frames)
    J = body.J - sum((x.inertia() for x, _ in others), start=np.zeros((6, 6)))
    wanted = np.zeros((6, 6)) if own is None else own.inertia()
    if len(others) + (own is not None) == len(effects):
        if _are_close(J, wanted, body):
            return Parts(wanted, own, others)
        if model.fluid is None and _weighs(J, wanted, body, own is not None):
            return Parts(J, own, others)
    unsaid.add("what acts on links whose inertias are not those of their body", body.name, changes=True)
    return whole


def _are_close(J: Array, wanted: Array, body: Body) -> bool:
    """Whether two inertias of parts of a body are the same but for rounding."""
    return bool(np.abs(J - wanted).max() <= _CLOSE * np.abs(body.J).max())


def _weighs(J: Array, wanted: Array, body: Body, is_compensated: bool) -> bool:
    """Whether a part has a weight, and, if that is compensated, of the wanted mass and centre, whatever its moments."""
    is_heavy = inertia.mass(J) > _CLOSE * inertia.mass(body.J)
    return bool(is_heavy and (not is_compensated or _are_close(J[:, 3:], wanted[:, 3:], body)))


def is_along(R: Array, moments: Array) -> bool:
    """Whether the columns of a rotation R (3, 3) are principal axes of moments of inertia (3, 3), but for rounding."""
    I = R.T @ moments @ R
    return bool(np.abs(I - np.diag(np.diag(I))).max() <= _CLOSE * np.abs(I).max())


def placed_in(link: LinkEffects, X: Array) -> LinkEffects:
    """The effects of a link, at X in its body, in its own frame."""
    return LinkEffects(link.link, se3.inverse(X) @ link.placement, link.mass, link.box, link.gravity_compensation)
