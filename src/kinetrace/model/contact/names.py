"""Names of collision shapes: each has one, and no two the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import ModelError, name_list

if TYPE_CHECKING:
    from ..body import Geometry

COLLISION = "collision"
"""The role of shapes that count in contacts."""


def unique_name(wanted: str, taken: set[str]) -> str:
    """A name that is not taken, which it is from now on: "foot", then "foot.2", "foot.3".

    >>> taken = {"foot"}
    >>> unique_name("foot", taken), unique_name("foot", taken), unique_name("hand", taken)
    ('foot.2', 'foot.3', 'hand')
    """
    name, k = wanted, 2
    while name in taken:
        name, k = f"{wanted}.{k}", k + 1
    taken.add(name)
    return name


def with_names(shapes: Sequence[Geometry]) -> tuple[Geometry, ...]:
    """The shapes, with names made of their links' for those that count and have none."""
    taken = {shape.name for shape in shapes if shape.role == COLLISION}
    return tuple(
        replace(shape, name=unique_name(shape.frame, taken)) if shape.role == COLLISION and not shape.name else shape
        for shape in shapes
    )


def check_names(shapes: Iterable[Geometry]) -> None:
    """An error if two shapes that count have the same name."""
    names = [shape.name for shape in shapes if shape.role == COLLISION and shape.name]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise ModelError(f"two collision shapes are called {name_list(twice)}: each needs a name of its own")
