"""The static choices of algorithms as options of a command."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any

from .. import InputError, Robot
from ..algorithms.choices import Choice
from ..algorithms.declaration import ALGORITHMS
from ..algorithms.signature import Algorithm
from ..errors import unknown


def static_options() -> dict[str, dict[str, Choice]]:
    """The static choices of all algorithms by name: the algorithms that have one, and what it is there."""
    found: dict[str, dict[str, Choice]] = {}
    for algorithm, says in sorted(ALGORITHMS.items()):
        for name, choice in says.choices.items():
            found.setdefault(name, {})[algorithm] = choice
    return dict(sorted(found.items()))


def add_static(parser: argparse.ArgumentParser, without: Collection[str] = ()) -> None:
    """Declare the static choices of all algorithms as options, but those that the command declares itself."""
    group = parser.add_argument_group("keyword arguments of algorithms")
    for name, users in static_options().items():
        algorithms, kinds = list(users), {choice.kind for choice in users.values()}
        kind = str if tuple in kinds else kinds.pop()
        text = f"for {', '.join(algorithms[:2])}{f' and {len(algorithms) - 2} more' if len(algorithms) > 2 else ''}"
        flag = "--" + name.replace("_", "-")
        if name in without:
            continue
        if kind is bool:
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        else:
            group.add_argument(flag, metavar="N" if kind is int else "NAME", type=kind, help=text)


def static_of(args: argparse.Namespace, says: Algorithm) -> dict[str, Any]:
    """The static choices that were given, if the algorithm has them."""
    own = says.choices
    given = {name: value for name in static_options() if (value := getattr(args, name, None)) is not None}
    for name in given:
        if name not in own:
            raise unknown(f"keyword argument of {says.name}", name, own)
    return {name: _several(x) if own[name].kind is tuple else x for name, x in given.items()}


def static_for(args: argparse.Namespace, says: Algorithm, robot: Robot) -> dict[str, Any]:
    """The same for a robot, with the frame of an algorithm that is about one."""
    given = static_of(args, says)
    if "frame" in given:
        checked_frame(robot, given["frame"])
    elif says.needs_frame:
        raise InputError(f"{says.name} is about a frame: name it by --frame. Valid: {', '.join(robot.frame_names)}")
    return given


def _several(text: str) -> Any:
    """A name, or names or whole numbers that are joined by commas."""
    parts = [x.strip() for x in text.split(",")]
    if all(x.isdecimal() for x in parts):
        return tuple(map(int, parts))
    return tuple(parts) if len(parts) > 1 else text


def checked_frame(robot: Robot, frame: Any) -> Any:
    """The name of a frame, or several, if the robot has them."""
    for name in frame if isinstance(frame, tuple) else (frame,):
        robot.model.frame(name)
    return frame
