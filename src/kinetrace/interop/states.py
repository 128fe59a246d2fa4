"""What adapters to other libraries share: arguments, and memory of pairs of models that were matched."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import ref

import numpy as np

from ..arrays import Array
from ..errors import InputError, counted
from ..model import Model
from ..robot import Robot
from ..support.plain import plain_array

MOST_RECENT = 4

Match = TypeVar("Match")


def model_of(robot: Robot | Model) -> Model:
    """The robot as data."""
    found = robot.model if isinstance(robot, Robot) else robot
    if not isinstance(found, Model):
        raise InputError(f"robot must be a kinetrace Robot or Model, got {type(robot).__name__}")
    return found


def numbers(name: str, x: Any, size: int) -> Array:
    """An argument as floats (..., size).

    >>> numbers("q", [1, 2], 2)
    array([1., 2.])
    """
    made = plain_array(name, x)
    if made.dtype.kind not in "biuf" or made.shape[-1:] != (size,):
        raise InputError(f"{name} must hold real numbers in the shape (..., {size}), got {made.shape} of {made.dtype}")
    return made.astype(float)


def together(**arguments: tuple[Any, int]) -> list[Array]:
    """Arguments with their sizes, as floats with the same leading axes.

    >>> [x.shape for x in together(q=([1, 2], 2), v=([[1], [2], [3]], 1))]
    [(3, 2), (3, 1)]
    """
    arrays = {name: numbers(name, x, size) for name, (x, size) in arguments.items()}
    try:
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
    except ValueError:
        told = ", ".join(f"{x.shape} of {name}" for name, x in arrays.items())
        raise InputError(f"{counted(len(arrays), 'array')} whose leading axes do not fit: {told}") from None
    return [np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays.values()]


class Recent(Generic[Match]):
    """Matches of a robot with a model of another library, the latest few: to match takes longer than to convert."""

    def __init__(self, match: Callable[[Model, Any], Match]) -> None:
        self._match = match
        self._known: list[tuple[ref[Model], ref[Any], Hashable, Match]] = []

    def __call__(self, ours: Model, theirs: Any, sizes: Hashable) -> Match:
        """The match of these two; made again if sizes of the second have changed."""
        for a, b, known, match in list(self._known):
            if a() is ours and b() is theirs and known == sizes:
                return match
        made = self._match(ours, theirs)
        self._known[:] = [(ref(ours), ref(theirs), sizes, made), *self._known[: MOST_RECENT - 1]]
        return made
