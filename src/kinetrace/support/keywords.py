"""Keywords that are checked by name: the error for a wrong one lists those that are right."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from ..errors import unknown

F = TypeVar("F", bound=Callable[..., Any])


def known_keywords(function: F) -> F:
    """The same function, with an `InputError` instead of Python's own for a keyword that it does not have.

    >>> @known_keywords
    ... def draw(*, color: str = "red") -> str:
    ...     return color
    >>> draw(colour="blue")
    Traceback (most recent call last):
    kinetrace.errors.InputError: unknown keyword of draw 'colour'; did you mean 'color'? Valid: color
    """
    parameters = inspect.signature(function).parameters.values()
    names = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
    keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    what = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @wraps(function)
    def checked(*args: Any, **named: Any) -> Any:
        for name in named:
            if name not in names:
                raise unknown(f"keyword of {what}", name, keywords)
        return function(*args, **named)

    return cast(F, checked)
