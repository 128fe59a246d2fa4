"""Functions that users give: their names, their parameters, and whether they only compute."""

from __future__ import annotations

import dis
import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ..errors import InputError, printable
from .attributes import Frozen

PURE_BUILTINS = {
    "abs",
    "bool",
    "enumerate",
    "float",
    "int",
    "len",
    "max",
    "min",
    "range",
    "round",
    "sum",
    "tuple",
    "zip",
}
"""Python's own functions that only compute."""
PURE_FUNCTIONS = (
    "array asarray zeros ones full eye diag concatenate stack hstack vstack where clip dot cross outer tile"
)
PURE_ATTRIBUTES = "T copy reshape ravel sum mean min max dot shape ndim size linalg norm solve pi inf"
PURE_NAMES = {
    *(name for name, x in vars(np).items() if isinstance(x, np.ufunc)),
    *(name for name in vars(math) if not name.startswith("_")),
    *PURE_FUNCTIONS.split(),
    *PURE_ATTRIBUTES.split(),
}
"""Names behind a dot that change nothing, of modules and of arrays."""
IMPURE_INSTRUCTIONS = {
    f"{verb}_{what}" for verb in ("STORE", "DELETE") for what in ("GLOBAL", "NAME", "ATTR", "SUBSCR", "SLICE")
}
"""Instructions of CPython that may change what is outside of a function."""


def name_of(function: Callable[..., Any]) -> str:
    """Name of a function; the class of a callable that has no name, the function of a partial.

    >>> name_of(len), name_of(lambda model, q: q)
    ('len', 'function')
    """
    inner = getattr(function, "func", function)
    name = getattr(inner, "__name__", None)
    return printable(name if isinstance(name, str) else type(inner).__name__).replace("<lambda>", "function")


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Parameters in a function's signature, the model first; an error if it has none.

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
    advice = _RETURN_ADVICE.get(kind, "")
    told = "None" if part is None else kind
    return InputError(
        f"{function} must return an array of numbers, or a tuple of arrays; {what} {told}{advice and ': '}{advice}"
    )


_RETURN_ADVICE = {
    "NoneType": "is a `return` missing?",
    "dict": "return a tuple of its values",
    "list": "its items differ in shape, or are not numbers; return a tuple for several arrays",
    "Model": "that is its first argument; write it as (model, q, ...)",
    "generator": "return a tuple, or kt.arrays.stack([...])",
    "complex": "return its real and its imaginary part",
}
"""Type of what was returned → what would be right."""


def signature_text(parameters: Iterable[inspect.Parameter], first: str = "") -> str:
    """Arguments as they are written in a definition, behind a further first one.

    >>> signature_text(parameters_of(lambda q, v: q), "model")
    '(model, q, v)'
    """
    names = (f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name for p in parameters if p.kind is not p.VAR_KEYWORD)
    return f"({', '.join(filter(None, (first, *names)))})"


def only_computes(function: Any) -> bool:
    """Whether a function is known to do nothing but compute, so that one more call changes nothing.

    It may use numbers, arrays, well-known functions of NumPy, functions like itself, and methods of objects that cannot
    change, such as robots. If in doubt, it is taken to do more.

    >>> gain, log = np.array([2.0, 3.0]), []
    >>> only_computes(lambda t, q, v: -gain * np.sin(q) - v)
    True
    >>> only_computes(lambda t, q, v: log.append(q) or -v), only_computes(lambda t, q, v: np.random.normal(size=2))
    (False, False)
    """
    return type(function) is FunctionType and _computes(function, set())


def _computes(function: FunctionType, seen: set[int]) -> bool:
    if id(function) in seen:
        return True
    seen.add(id(function))
    scope, used, names = function.__globals__, list[Any](), set[str]()
    try:
        used += [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # a cell that is still empty
        return False
    used += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for code in _codes(function.__code__):
        keywords = [x for names in code.co_consts if isinstance(names, tuple) for x in names]
        if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE) or "out" in keywords:
            return False
        for step in dis.get_instructions(code):
            outer = step.opname == "STORE_DEREF" and step.argval in function.__code__.co_freevars
            in_place = step.opname == "BINARY_OP" and step.argrepr.endswith("=")  # of an array elsewhere, perhaps
            if step.opname in IMPURE_INSTRUCTIONS or step.opname.startswith("IMPORT") or outer or in_place:
                return False
            if step.opname.startswith(("LOAD_ATTR", "LOAD_METHOD")):
                names.add(step.argval)
            elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                if step.argval in scope:
                    used.append(scope[step.argval])
                elif step.argval not in PURE_BUILTINS:
                    return False
    frozen = [x for x in used if isinstance(x, Frozen)]
    known = PURE_NAMES.union(*(dir(type(x)) for x in frozen))
    return names <= known and all(_is_harmless(x, seen) for x in used)


def _is_harmless(x: Any, seen: set[int]) -> bool:
    """Whether a function that only calls what is known can change a value that it uses."""
    if isinstance(x, tuple):
        return all(_is_harmless(part, seen) for part in x)
    if type(x) is FunctionType:
        return getattr(np, x.__name__, None) is x or _computes(x, seen)
    if isinstance(x, np.ndarray) and x.dtype == object:
        return False
    plain = isinstance(x, int | float | str | np.number | np.ndarray | np.ufunc | Frozen) or x is None
    return plain or x is np or x is math or getattr(math, getattr(x, "__name__", ""), None) is x


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the functions and comprehensions in it."""
    yield code
    for x in code.co_consts:
        if isinstance(x, CodeType):
            yield from _codes(x)
