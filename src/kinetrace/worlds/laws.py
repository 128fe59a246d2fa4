"""The laws of pairs: of the two surfaces, and what a world says instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, ModelError, unknown_name_error
from ..model.contact import ContactLaw, Surface, combined
from ..robot.types import Float
from .bodies import SceneShape
from .values import check_one_lane
from .world import ROBOT, Names, World


class Pair(NamedTuple):
    """Two shapes that may touch."""

    a: SceneShape
    b: SceneShape
    law: ContactLaw | None = None
    """That of a rule of the robot's file; None: that of the surfaces."""

    @property
    def name(self) -> str:
        """Names of both."""
        return f"{self.a.shape.name}-{self.b.shape.name}"


def surface_law(a: Surface | None, b: Surface | None) -> ContactLaw:
    """The law of two surfaces; one of which nothing is known is like the other.

    >>> from kinetrace.worlds import Surface
    >>> float(surface_law(None, Surface(ContactLaw(0.3))).friction), float(surface_law(None, None).friction)
    (0.3, 1.0)
    """
    if a is None or b is None:
        known = a or b
        return ContactLaw() if known is None else combined(known, replace(known, law=replace(known.law, margin=0.0)))
    return combined(a, b)


def laws_of(world: World, pairs: Sequence[Pair]) -> list[ContactLaw]:
    """The law of each pair, with the friction of the first lane."""
    found = [surface_law(x.a.surface, x.b.surface) if x.law is None else x.law for x in pairs]
    for name in ("laws", "restitution"):
        for names, value in getattr(world, name):
            for k in _meant(name, names, pairs):
                found[k] = value if name == "laws" else _bouncing(found[k], value, pairs[k].name)
    for pair, law in zip(pairs, found, strict=True):
        check_one_lane(law, f"law of {pair.name!r}")
    friction = friction_of(world, pairs, found)
    one = friction.reshape(-1, len(pairs))[0]
    return [replace(law, friction=float(x)) for law, x in zip(found, one, strict=True)]


def _bouncing(law: ContactLaw, restitution: float, pair: str) -> ContactLaw:
    """The law with a restitution."""
    try:
        return replace(law, restitution=restitution)
    except ModelError as error:
        raise InputError(f"restitution of {pair!r}: {error}") from None


def friction_of(world: World, pairs: Sequence[Pair], laws: Sequence[ContactLaw]) -> Float:
    """Coefficients (..., pairs), with the batch axes that the world has given."""
    columns: list[Any] = [np.asarray(law.friction, dtype=float) for law in laws]
    for names, value in world.friction:
        for k in _meant("friction", names, pairs):
            columns[k] = value
    return np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else np.zeros(0)


def says_friction(world: World, pairs: Sequence[Pair]) -> bool:
    """Whether friction was chosen for this world, rather than by the robot's file."""
    return bool(world.friction or world.laws) or any(
        x.owner != ROBOT and x.surface is not None for pair in pairs for x in pair[:2]
    )


def is_called(x: SceneShape, name: str) -> bool:
    """Whether a name means a shape: its own, that of its link or of its object."""
    return name in (x.shape.name, x.shape.link, x.owner) and bool(name)


def names_of(shapes: Sequence[SceneShape]) -> list[str]:
    """All names that mean shapes."""
    return list(dict.fromkeys(n for x in shapes for n in (x.shape.name, x.shape.link, x.owner) if n))


def _meant(what: str, names: Names, pairs: Sequence[Pair]) -> list[int]:
    """The places of the pairs that names mean; an error if there are none."""
    a, b = names
    if names == ("", ""):
        return list(range(len(pairs)))
    whole = [k for k, x in enumerate(pairs) if not b and x.name == a]
    found = whole or [k for k, x in enumerate(pairs) if _fits(x, a, b) or _fits(x, b, a)]
    if not found:
        valid = {name for x in pairs for name in (x.name, *names_of(x[:2]))}
        wrong = next((name for name in names if name and name not in valid), None)
        if wrong is not None:
            raise unknown_name_error(f"name in {what}", wrong, valid)
        raise unknown_name_error(f"pair in {what}", f"{a}-{b}", [x.name for x in pairs])
    return found


def _fits(pair: Pair, a: str, b: str) -> bool:
    return (not a or is_called(pair.a, a)) and (not b or is_called(pair.b, b))
