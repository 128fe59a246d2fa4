"""Keywords that are checked by name: the error for a wrong one lists those that are right."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar, cast

from ..errors import InputError, unknown_name_error, value_text, warn
from ..errors.unknown_names import hint

F = TypeVar("F", bound=Callable[..., Any])


def known_keywords(function: F) -> F:
    """The same function, with an `InputError` instead of Python's own for a keyword that it does not have.

    Other errors about its arguments are `TypeError`, as Python's are, but name it as users do, without its class.

    >>> @known_keywords
    ... def draw(*, color: str = "red") -> str:
    ...     return color
    >>> draw(colour="blue")
    Traceback (most recent call last):
    kinetrace.errors.InputError: unknown keyword of draw 'colour'; did you mean 'color'? Valid: color
    """

    @cache  # signatures are read when a function is first called: there are many
    def stated() -> tuple[set[str], list[str], list[str], list[str], int]:
        parameters = inspect.signature(function).parameters.values()
        names = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY] or [x for x in positional if x != "self"]
        required = [p.name for p in parameters if p.name in names and p.default is p.empty]
        most = len(positional) if all(p.kind is not p.VAR_POSITIONAL for p in parameters) else sys.maxsize
        return names, positional, keywords, required, most

    what = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @wraps(function)
    def checked(*args: Any, **named: Any) -> Any:
        names, positional, keywords, required, most = stated()
        for name in named:
            if name not in names:
                if advice := hint("keyword with events" if "events" in names else "keyword", name, ()):
                    raise InputError(f"unknown keyword of {what} {name!r}; {advice}")
                raise unknown_name_error(f"keyword of {what}", name, names - {"self"})
        if len(args) > most:
            got = value_text(args[most])
            first = [x for x in positional if x != "self"]
            rest = f", and {', '.join(keywords)} by name" if keywords != first else ""
            raise TypeError(f"{what} takes {', '.join(first) or 'nothing'} without a name{rest}; got {got} besides")
        by_place = positional[: len(args)]
        missing = [name for name in required if name not in by_place and name not in named]
        twice = [name for name in by_place if name in named]
        if missing or twice:
            needed = f"{what} needs {', '.join(missing)}{_parts_of(args, missing)}"
            raise TypeError(needed if missing else f"{what} got {twice[0]} twice")
        return function(*args, **named)

    return cast(F, checked)


def _parts_of(args: tuple[Any, ...], missing: list[str]) -> str:
    """A hint where what is missing is part of a named tuple that is given."""
    for x in args:
        if set(missing) & set(getattr(x, "_fields", ())):
            return f"; it takes the parts of a {type(x).__name__}, {', '.join(x._fields)}, one by one"
    return ""


def renamed_keyword(before: str, now: str) -> Callable[[F], F]:
    """The same function, which takes a keyword by its former name too, with a `DeprecationWarning`.

    >>> @renamed_keyword("colour", "color")
    ... def draw(*, color: str = "red") -> str:
    ...     return color
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     draw(colour="blue"), str(caught[0].message)
    ('blue', 'draw: colour= is now color=; the old name goes with the next version')
    """

    def with_former_name(function: F) -> F:
        what = function.__qualname__.rpartition(".")[2]

        @wraps(function)
        def called(*args: Any, **named: Any) -> Any:
            if before in named:
                if now in named:
                    raise TypeError(f"{what} got {now} twice: {before} is its old name")
                warn(f"{what}: {before}= is now {now}=; the old name goes with the next version", DeprecationWarning)
                named[now] = named.pop(before)
            return function(*args, **named)

        return cast(F, called)

    return with_former_name
