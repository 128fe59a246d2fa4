"""Why something is no array of numbers, and what would be: asked only when something has failed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import shown
from .lost import TORCH
from .traced import Traced

# `robot.dispatch.compiled` fills this table. Kernels raise these errors too, and know the name of a function alone:
# neither they nor this may import the functions, which are above them.
CALLS: dict[str, Callable[..., Any]] = {}
"""Name of a method of a robot → the function of the model that it compiles."""


def call_of(name: str) -> str:
    """How the function that a method compiles is called on a model; the function's own name if it is a user's.

    >>> call_of("reach")
    'reach(model, ...)'
    """
    function = CALLS.get(name)
    if function is None:
        return f"{name}(model, ...)"
    _, *rest = inspect.signature(function).parameters.values()
    keywords = [f"{p.name}=..." for p in rest if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    arrays = [p.name for p in rest if p.kind is not p.KEYWORD_ONLY and p.default is p.empty]
    if ".algorithms" in function.__module__:
        return f"kt.algorithms.{name}({', '.join(['model', *arrays, *keywords])})"
    return f"model.{name}({', '.join(arrays)})"


def refusal(what: str, x: Any, reason: BaseException | None = None) -> str:
    """What is wrong with something that is no array of numbers; `what` is its name, behind that of a function.

    >>> print(refusal("gravity: q", [[1.0, 2.0], [3.0]]))
    gravity: q must be an array of numbers: its rows differ in length: [0] has 2, [1] has 1
    >>> print(refusal("gravity: q", np.array([None, 1.0])))
    gravity: q must hold real numbers, got dtype object: entry [0] is None
    """
    function, _, name = what.rpartition(": ")
    foreign = _foreign(x)
    if foreign is not None:
        return f"{what} {_of_library(foreign, name, function)}"
    if reason is not None or not isinstance(x, np.ndarray):
        ragged = _ragged(x)
        if ragged:
            return f"{what} must be an array of numbers: {ragged}"
        if reason is not None:
            return f"{what} must be an array of numbers: {reason}"
        x = np.asarray(x)
    if x.dtype != object:
        wanted = "be float64 or smaller" if x.dtype.kind == "f" else "hold real numbers"
        return f"{what} must {wanted}, got dtype {x.dtype}{_ADVICE.get(x.dtype.kind, '')}"
    for k, entry in np.ndenumerate(x):
        if isinstance(entry, Traced):
            call = f"call {call_of(function)}" if function else "call kt.algorithms.step or kt.algorithms.rollout"
            return f"{what} {_TRACED}{call}; the model is its first argument, or robot.model"
        if not isinstance(entry, int | float | np.number):
            place = f"entry {list(k)} is {shown(entry)}" if k else _kind(entry, name)
            return f"{what} must hold real numbers, got dtype object: {place}"
    return f"{what} must hold real numbers, got dtype object; {name}.astype(float) makes them"


_TRACED = (
    "holds traced values, but a compiled function takes numbers; in a function for kt.compile, kt.jacobian or "
    "robot.count, "
)
_ADVICE = {
    "c": "; its real part, or kt.algorithms, which take complex numbers",
    "U": "; numbers, not text",
    "S": "; numbers, not text",
}
"""Kind of a dtype → what to do."""


_BY_JOINT = {**dict.fromkeys(("q", "q0", "q1"), "q_from"), **dict.fromkeys(("v", "a", "tau"), "v_from")}
"""Name of an argument → the method of a robot that makes it of values by the names of joints."""


def _kind(x: Any, name: str) -> str:
    """What something is that is not even a sequence; `name` is the argument's."""
    if x is None:
        return "it is None"
    if isinstance(x, Mapping):
        if name in _BY_JOINT:
            return f"it is a mapping; robot.{_BY_JOINT[name]}({{...}}) makes {name} of values by the names of joints"
        return "it is a mapping; list(...values()) are its values"
    if hasattr(x, "__next__") or isinstance(x, set | frozenset):
        return f"it is a {type(x).__name__}; list(...) holds its items"
    return f"it is of type {type(x).__name__}"


def _ragged(x: Any, at: str = "") -> str:
    """Where the rows of nested lists begin to differ in length."""
    if not isinstance(x, list | tuple):
        return ""
    lengths = [len(row) if isinstance(row, list | tuple) or np.ndim(row) else None for row in x]
    for k, n in enumerate(lengths):
        if n != lengths[0]:
            had, has = ("a number" if m is None else str(m) for m in (lengths[0], n))
            return f"its rows differ in length: {at}[0] {_verb(had)}, {at}[{k}] {_verb(has)}"
    return next(filter(None, (_ragged(row, f"{at}[{k}]") for k, row in enumerate(x))), "")


def _verb(length: str) -> str:
    return f"is {length}" if length == "a number" else f"has {length}"


def _foreign(x: Any) -> Any:
    """The first array of another library in it that refuses to become NumPy's."""
    for part in _parts(x):
        kind = type(part)
        library = kind.__module__.partition(".")[0]
        if library in ("torch", "cupy") or (library.startswith("jax") and "Tracer" in kind.__name__):
            return part
    return None


def _parts(x: Any) -> Iterator[Any]:
    if isinstance(x, list | tuple):
        for part in x:
            yield from _parts(part)
    elif isinstance(x, np.ndarray) and x.dtype == object:
        yield from x.flat
    else:
        yield x


def _of_library(x: Any, name: str, function: str) -> str:
    """What to do with an array of another library."""
    library = type(x).__module__.partition(".")[0]
    if library == "torch":
        if getattr(x, "requires_grad", False):
            return f"is a tensor that requires gradients, which would be lost: {TORCH}; or pass {name}.detach()"
        small = (
            f"; {name}.float() first, for NumPy has no bfloat16" if "bfloat16" in str(getattr(x, "dtype", "")) else ""
        )
        return f"is a tensor of torch; pass {name}.detach().cpu().numpy(){small}; {TORCH}"
    if library == "cupy":
        return f"is an array on a GPU, of CuPy; pass {name}.get()"
    call = call_of(function) if function else "functions of kt.algorithms"
    told = "is traced by JAX, but a compiled function takes numbers; under jax.jit, grad and vmap"
    return f"{told} use kt.jax.Robot(robot), or call {call}"
