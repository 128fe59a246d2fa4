"""What a function of a model is called, what it takes, and whether it only computes."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..errors import InputError, printable
from .frozen import Frozen


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


CHANGING = {f"{verb}_{what}" for verb in ("STORE", "DELETE") for what in ("GLOBAL", "ATTR", "SUBSCR", "SLICE")}
"""Instructions of CPython that may change what is outside of a function."""
COMPUTING = {"abs", "bool", "enumerate", "float", "int", "len", "max", "min", "range", "round", "sum", "tuple", "zip"}
"""Python's own functions that only compute."""
MODULES = {"math", "numpy"}
"""Modules whose functions only compute, but for random numbers."""


def only_computes(function: Any) -> bool:
    """Whether a function is known to do nothing but compute, so that one more call changes nothing.

    It may use numbers, arrays, functions of NumPy, functions like itself and objects that cannot change; not lists or
    objects that it could keep something in, and no random numbers.

    >>> gain, log = np.array([2.0, 3.0]), []
    >>> only_computes(lambda t, q, v: -gain * np.sin(q) - v)
    True
    >>> only_computes(lambda t, q, v: log.append(q) or -v), only_computes(lambda t, q, v: np.random.normal(size=2))
    (False, False)
    """
    return _is_harmless(function, set()) if type(function) is FunctionType else False


def _is_harmless(x: Any, seen: set[int]) -> bool:
    """Whether a value that a function uses cannot be changed by it."""
    if isinstance(x, ModuleType):
        return x.__name__.split(".")[0] in MODULES
    if isinstance(x, tuple):
        return all(_is_harmless(part, seen) for part in x)
    if type(x) is not FunctionType:
        known = isinstance(x, int | float | str | np.number | np.ndarray | np.ufunc | Frozen) or x is None
        return known or getattr(x, "__module__", None) in MODULES
    if id(x) in seen:
        return True
    seen.add(id(x))
    used = [cell.cell_contents for cell in x.__closure__ or ()]
    for code in _codes(x.__code__):
        if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE) or "random" in code.co_names:
            return False
        for step in dis.get_instructions(code):
            enclosed = step.opname == "STORE_DEREF" and step.argval in x.__code__.co_freevars
            if step.opname in CHANGING or step.opname.startswith("IMPORT") or enclosed:
                return False
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in x.__globals__:
                used.append(x.__globals__[step.argval])
            elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval not in COMPUTING:
                return False
    return all(_is_harmless(part, seen) for part in used)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the functions and comprehensions in it."""
    yield code
    for x in code.co_consts:
        if isinstance(x, CodeType):
            yield from _codes(x)
