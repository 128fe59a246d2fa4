"""Static choices, read from the annotations of a function."""

from __future__ import annotations

import inspect
import typing
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

_KINDS: tuple[type, ...] = (bool, int, str)
"""Types of static choices."""


@dataclass(frozen=True)
class Choice:
    """A static choice: its type, its valid values if they are few, its default (`inspect.Parameter.empty` if none)."""

    kind: type
    values: tuple[Any, ...]
    default: Any

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is inspect.Parameter.empty


def hints_of(function: Any) -> dict[str, Any]:
    """Annotations as types, or as they are if they cannot be resolved."""
    try:
        return typing.get_type_hints(function)
    except Exception:  # names imported for type checkers only, or any other annotation
        return dict(getattr(function, "__annotations__", {}))


def choice_of(hint: Any, default: Any) -> Choice | None:
    """The choice that an annotation declares, None if it declares an array."""
    kinds = {k.__name__: k for k in _KINDS}
    options = [x for x in (get_args(hint) if _is_union(hint) else (hint,)) if x is not type(None)]
    if len(options) != 1:
        return None
    (option,) = options
    if get_origin(option) is Literal:
        values = get_args(option)
        kinds_of = {type(x) for x in values}
        return Choice(kinds_of.pop() if len(kinds_of) == 1 else object, values, default) if values else None
    kind = kinds.get(option) if isinstance(option, str) else option
    return Choice(kind, (), default) if kind in _KINDS else None


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (typing.Union, type(int | str))
