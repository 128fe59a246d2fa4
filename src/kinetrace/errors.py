"""The package's errors: one root, and messages that say what would have been right."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


class KinetraceError(ValueError):
    """Root of every error that kinetrace raises on purpose."""


class ModelError(KinetraceError):
    """A robot's description is malformed or impossible."""


class InputError(KinetraceError):
    """An argument has the wrong name, shape or type."""


class PhysicsWarning(UserWarning):
    """A robot's description is readable, but no physical body has such numbers."""


def unknown(kind: str, name: object, valid: Iterable[str]) -> InputError:
    """The error for a name that does not exist, with the nearest and all the valid ones.

    >>> print(unknown("frame", "hnad", ["hand", "base"]))
    unknown frame 'hnad'; did you mean 'hand'? Valid: base, hand
    """
    names = sorted(map(str, valid))
    near = difflib.get_close_matches(str(name), names, n=1) or [x for x in names if str(name).lower() in x.lower()]
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return InputError(f"unknown {kind} {name!r}{hint} Valid: {', '.join(names) or '(none)'}")


def choose(kind: str, name: str, table: Mapping[str, T]) -> T:
    """The entry of that name, or the error that lists the names there are.

    >>> choose("form", "a", {"a": 1})
    1
    """
    if not isinstance(name, Hashable) or name not in table:
        raise unknown(kind, name, table)
    return table[name]
