"""What a function of a model is called, and what it takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import InputError, printable


def name_of(function: Callable[..., Any]) -> str:
    """What to call a function; the class of a callable that has no name, the function of a partial.

    >>> name_of(len), name_of(lambda model, q: q)
    ('len', 'function')
    """
    inner = getattr(function, "func", function)
    name = getattr(inner, "__name__", None)
    return printable(name if isinstance(name, str) else type(inner).__name__).replace("<lambda>", "function")


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """What its signature lists, the model first; an error if it has none.

    >>> [p.name for p in parameters_of(lambda model, q: q)]
    ['model', 'q']
    """
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        advice = "; a name is for robot.kernel" if isinstance(function, str) else ""
        raise InputError(f"expected a function of (model, q, ...), got {function!r}: {error}{advice}") from error


def unknown_shape(argument: str, function: str, known: Iterable[str]) -> InputError:
    """The error for an argument whose shape nothing tells.

    >>> print(unknown_shape("x", "reach", ["q", "v"]))
    the shape of argument 'x' of reach is not known (known: q, v); give it as shapes={'x': (...)}, or a value as x=...
    """
    return InputError(
        f"the shape of argument {argument!r} of {function} is not known (known: {', '.join(known)}); "
        f"give it as shapes={{{argument!r}: (...)}}, or a value as {argument}=..."
    )


def not_arrays(function: str, returned: object) -> InputError:
    """The error for a function that returned something else than numbers.

    >>> print(not_arrays("reach", "far"))
    reach must return an array of numbers, or a tuple of arrays; it returned str
    >>> print(not_arrays("reach", None))
    reach must return an array of numbers, or a tuple of arrays; it returned None: is a `return` missing?
    """
    what, part = "it returned", returned
    if isinstance(returned, tuple):
        wrong = [k for k, x in enumerate(returned) if not hasattr(x, "shape") and not isinstance(x, int | float)]
        if wrong:
            what, part = f"item {wrong[0]} of what it returned is", returned[wrong[0]]
    kind = type(part).__name__
    advice = _ADVICE.get(kind, "")
    told = "None" if part is None else kind
    return InputError(
        f"{function} must return an array of numbers, or a tuple of arrays; {what} {told}{advice and ': '}{advice}"
    )


_ADVICE = {
    "NoneType": "is a `return` missing?",
    "dict": "return a tuple of its values",
    "list": "its items differ in shape, or are not numbers; return a tuple for several arrays",
    "Model": "that is its first argument; write it as (model, q, ...)",
    "generator": "return a tuple, or kt.arrays.stack([...])",
    "complex": "return its real and its imaginary part",
}
"""Type of what was returned → what would be right."""


def shown(parameters: Iterable[inspect.Parameter], first: str = "") -> str:
    """Arguments as they are written in a definition, behind a further first one.

    >>> shown(parameters_of(lambda q, v: q), "model")
    '(model, q, v)'
    """
    names = (f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name for p in parameters if p.kind is not p.VAR_KEYWORD)
    return f"({', '.join(filter(None, (first, *names)))})"
