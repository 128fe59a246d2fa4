"""How controllers and observers are made, and pickled: as the call that made them, since laws are closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from ..support.conversion import copy_arrays
from ..support.keywords import known_keywords

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
ORIGIN = "_origin"
"""Attribute with the call that made something: the function, its arguments and its keywords."""


def maker(function: F) -> F:
    """The same function, with keywords checked by name; what it makes remembers the call."""
    checked = known_keywords(function)

    @wraps(function)
    def make(*args: Any, **named: Any) -> Any:
        found = checked(*args, **named)
        vars(found)[ORIGIN] = (make, copy_arrays(args), copy_arrays(named))
        return found

    return cast(F, make)


def known_fields(cls: type[T]) -> type[T]:
    """The same dataclass, with an error that lists its fields for a keyword that is none of them."""
    cls.__init__ = known_keywords(cls.__init__)  # type: ignore[method-assign]
    return cls


def made_again(function: Callable[..., Any], args: Any, named: Any, parameters: dict[str, Any]) -> Any:
    """Result of a call that makes a controller, with these parameters."""
    found = function(*args, **named)
    return found.with_parameters(**parameters) if parameters else found


def check_importable(what: str, *functions: Any) -> None:
    """An error if one of these functions cannot be found by its name, as pickle finds functions."""
    for function in functions:
        name = getattr(function, "__qualname__", "")
        if "<" in name:
            told = f"laws are closures, and Python finds no function by the name {name!r}"
            raise TypeError(f"{what} cannot be pickled: {told}; define its law and its storage at the top of a module")
