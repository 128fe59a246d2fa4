"""What a model was read from, for whoever looks at its file again: no part of its content, and lost by every change."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .builder import Builder
from .model import Model

_NAME = "__read_from"
"""The attribute of a model; two underscores keep it out of its content (`record`)."""


class ReadFrom(NamedTuple):
    """A path, a name or text, and how it was read."""

    source: str | os.PathLike[str]
    packages: Mapping[str, str | os.PathLike[str]] | None
    xacro_args: Mapping[str, Any] | None
    joint_effects: bool
    again: Callable[[Builder], Model]
    """What reads another description in the same way."""


def remember(model: Model, origin: ReadFrom) -> None:
    """Note what a model was read from."""
    object.__setattr__(model, _NAME, origin)


def remembered(model: Model) -> ReadFrom | None:
    """What a model was read from; None if it was made or changed by a program.

    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> remembered(robot.model).source, remembered(robot.with_frame("a", "tip").model)
    ('planar2r', None)
    """
    found: ReadFrom | None = vars(model).get(_NAME)
    return found
