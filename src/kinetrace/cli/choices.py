"""Algorithms by name, and their keyword arguments as options of a command."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Collection
from typing import Any

from .. import algorithms
from ..errors import unknown

OPTIONS = {"str": str, "str | None": str, "int": int, "bool": bool}
"""Annotation of a keyword argument of an algorithm → its type as an option here."""


def algorithm_names() -> list[str]:
    """The functions among the library's algorithms."""
    return [name for name in algorithms.__all__ if inspect.isfunction(getattr(algorithms, name))]


def keywords(algorithm: str) -> dict[str, str]:
    """The keyword arguments of an algorithm with their annotations."""
    parameters = inspect.signature(getattr(algorithms, algorithm)).parameters.values()
    return {p.name: str(p.annotation) for p in parameters if p.kind is p.KEYWORD_ONLY}


def scalars(algorithm: str) -> dict[str, tuple[()]]:
    """The shapes of arguments that are one number."""
    return {"dt": ()} if "dt" in inspect.signature(getattr(algorithms, algorithm)).parameters else {}


def static_options() -> dict[str, tuple[type, list[str]]]:
    """The keyword arguments of all algorithms that are no arrays: their types, and the algorithms that take them."""
    found: dict[str, tuple[type, list[str]]] = {}
    for algorithm in algorithm_names():
        for name, kind in keywords(algorithm).items():
            if kind in OPTIONS:
                found.setdefault(name, (OPTIONS[kind], []))[1].append(algorithm)
    return dict(sorted(found.items()))


def add_static(parser: argparse.ArgumentParser, without: Collection[str] = ()) -> None:
    """Declare the keyword arguments of all algorithms as options, but those that the command declares itself."""
    choices = parser.add_argument_group("keyword arguments of algorithms")
    for name, (kind, users) in static_options().items():
        text = f"of {', '.join(users[:2])}{f' and {len(users) - 2} more' if len(users) > 2 else ''}"
        flag = "--" + name.replace("_", "-")
        if name in without:
            continue
        if kind is bool:
            choices.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        else:
            choices.add_argument(flag, metavar="N" if kind is int else "NAME", type=kind, help=text)


def static_of(args: argparse.Namespace, algorithm: str) -> dict[str, Any]:
    """The keyword arguments that were given, if the algorithm takes them."""
    own = [name for name, kind in keywords(algorithm).items() if kind in OPTIONS]
    given = {name: value for name in static_options() if (value := getattr(args, name, None)) is not None}
    for name in given:
        if name not in own:
            raise unknown(f"keyword argument of {algorithm}", name, own)
    return given
