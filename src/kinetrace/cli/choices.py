"""The static choices of algorithms as options of a command."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any

from ..algorithms.annotations import Choice
from ..algorithms.declaration import ALGORITHMS, Declaration
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
        algorithms, kind = list(users), next(iter(users.values())).kind
        text = f"for {', '.join(algorithms[:2])}{f' and {len(algorithms) - 2} more' if len(algorithms) > 2 else ''}"
        flag = "--" + name.replace("_", "-")
        if name in without:
            continue
        if kind is bool:
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        else:
            group.add_argument(flag, metavar="N" if kind is int else "NAME", type=kind, help=text)


def static_of(args: argparse.Namespace, says: Declaration) -> dict[str, Any]:
    """The static choices that were given, if the algorithm has them."""
    own = says.choices
    given = {name: value for name in static_options() if (value := getattr(args, name, None)) is not None}
    for name in given:
        if name not in own:
            raise unknown(f"keyword argument of {says.name}", name, own)
    return given
