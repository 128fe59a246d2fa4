"""The world of one motion of a batch."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType
from typing import Any

import numpy as np

from .objects import Placed
from .world import World

AXES = {
    **dict.fromkeys(("pose", "velocity", "lengths", "half_axes", "normal", "q", "v"), 1),
    **dict.fromkeys(("radius", "length", "height"), 0),
    "heights": 2,
}
"""Fields of objects that may have batch axes → axes of one lane."""


def world_of_lane(world: World, index: tuple[int, ...]) -> World:
    """The world with the numbers of one lane."""
    objects = {name: _object(x, index) for name, x in world.objects.items()}
    friction = tuple((names, lane_of(x, 0, index)) for names, x in world.friction)
    ground = None if world.ground is None else _object(world.ground, index)
    return _with(world, ground=ground, objects=MappingProxyType(objects), friction=friction)


def _object(x: Placed, index: tuple[int, ...]) -> Placed:
    """An object with the numbers of one lane."""
    given = {field.name: getattr(x, field.name) for field in fields(x) if field.name in AXES}
    changed = {name: lane_of(y, AXES[name], index) for name, y in given.items() if np.ndim(y) > AXES[name]}
    return _with(x, **changed) if changed else x


def lane_of(x: Any, axes: int, index: tuple[int, ...]) -> Any:
    """One lane of an array whose batch axes may be fewer than those of the motion, or of length one.

    >>> lane_of(np.array([[1.0, 2.0], [3.0, 4.0]]), 1, (5, 1))
    array([3., 4.])
    """
    batch = np.shape(x)[: np.ndim(x) - axes]
    own = index[len(index) - len(batch) :]
    return x if not batch else np.asarray(x[tuple(0 if n == 1 else k for k, n in zip(own, batch, strict=True))])


def _with(x: Any, **changed: Any) -> Any:
    """A record with other fields, which have been checked."""
    made = object.__new__(type(x))
    for field in fields(x):
        object.__setattr__(made, field.name, changed.get(field.name, getattr(x, field.name)))
    return made
