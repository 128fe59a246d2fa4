"""Why something is not an array of numbers that NumPy holds, and what would be.

Other libraries' arrays may be on another device, or have tangents or units, which NumPy would lose (`lost_by_numpy`).
All else is asked only when something has failed.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import value_text


class TracedValue:
    """A value that is not known yet: an expression or a series of expressions, which `trace` defines."""

    __slots__ = ()


_TORCH = "kt.torch.Robot(robot) and kt.torch.function take tensors, with gradients"
_ON_HOST = frozenset((1, 3, 11, 13))
"""Types of devices of DLPack whose memory the processor can read: its own, and those that are shared with a GPU."""
_DEVICES = {2: "a GPU (CUDA)", 10: "a GPU (ROCm)", 8: "a GPU (Metal)", 7: "a GPU (Vulkan)", 14: "a GPU (oneAPI)"}
_UNITS = ("to_value", "magnitude")
"""Attributes of quantities of Astropy, unyt and Pint."""


def call_on_model(name: str) -> str:
    """How the function that a method of a robot compiles is called on a model, or a user's function of that name.

    >>> call_on_model("pose"), call_on_model("integrate"), call_on_model("reach")
    ('kt.algorithms.pose(model, q, frame=...)', 'model.integrate(q, v)', 'reach(model, ...)')
    """
    public = vars(sys.modules[__name__.partition(".")[0]])  # which is above this, and there before anything can fail
    algorithm = vars(public["algorithms"]).get(name)
    function = algorithm if callable(algorithm) else vars(public["Model"]).get(name)
    if not inspect.isfunction(function):
        return f"{name}(model, ...)"
    _, *rest = inspect.signature(function).parameters.values()
    keywords = [f"{p.name}=..." for p in rest if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    arrays = [p.name for p in rest if p.kind is not p.KEYWORD_ONLY and p.default is p.empty]
    if function is algorithm:
        return f"kt.algorithms.{name}({', '.join(['model', *arrays, *keywords])})"
    return f"model.{name}({', '.join(arrays)})"


def why_not_numbers(what: str, x: Any, reason: BaseException | None = None) -> str:
    """Problem of something that is no array of numbers; `what` is its name, behind that of a function.

    >>> print(why_not_numbers("gravity: q", [[1.0, 2.0], [3.0]]))
    gravity: q must be an array of numbers: its rows differ in length: [0] has 2, [1] has 1
    >>> print(why_not_numbers("gravity: q", np.array([None, 1.0])))
    gravity: q must hold real numbers, got dtype object: entry [0] is None
    """
    function, _, name = what.rpartition(": ")
    foreign = _foreign(x)
    if foreign is not None:
        return f"{what} {_of_library(foreign, name, function)}"
    if reason is not None or not isinstance(x, np.ndarray):
        ragged = _first_ragged_row(x)
        if ragged:
            return f"{what} must be an array of numbers: {ragged}"
        if reason is not None:
            return f"{what} must be an array of numbers: {reason}"
        x = np.asarray(x)
    if x.dtype != object:
        wanted = "be float64 or smaller" if x.dtype.kind == "f" else "hold real numbers"
        return f"{what} must {wanted}, got dtype {x.dtype}{_ADVICE.get(x.dtype.kind, '')}"
    for k, entry in np.ndenumerate(x):
        if isinstance(entry, TracedValue):
            call = f"call {call_on_model(function)}" if function else "call kt.algorithms.step or kt.algorithms.rollout"
            return f"{what} {_TRACED}{call}; the model is its first argument, or robot.model"
        if not isinstance(entry, int | float | np.number):
            place = f"entry {list(k)} is {value_text(entry)}" if k else _kind(entry, name)
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
    """Description of something that is not even a sequence; `name` is the argument's."""
    if x is None:
        return "it is None"
    if isinstance(x, Mapping):
        if name in _BY_JOINT:
            return f"it is a mapping; robot.{_BY_JOINT[name]}({{...}}) makes {name} of values by the names of joints"
        return "it is a mapping; list(...values()) are its values"
    if hasattr(x, "__next__") or isinstance(x, set | frozenset):
        return f"it is a {type(x).__name__}; list(...) holds its items"
    return f"it is of type {type(x).__name__}"


def _first_ragged_row(x: Any, at: str = "") -> str:
    """Where the rows of nested lists begin to differ in length."""
    if not isinstance(x, list | tuple):
        return ""
    lengths = [len(row) if isinstance(row, list | tuple) or np.ndim(row) else None for row in x]
    for k, n in enumerate(lengths):
        if n != lengths[0]:
            had, has = ("a number" if m is None else str(m) for m in (lengths[0], n))
            return f"its rows differ in length: {at}[0] {_verb(had)}, {at}[{k}] {_verb(has)}"
    return next(filter(None, (_first_ragged_row(row, f"{at}[{k}]") for k, row in enumerate(x))), "")


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
    """Remedy for an array of another library."""
    library = type(x).__module__.partition(".")[0]
    if library == "torch":
        if getattr(x, "requires_grad", False):
            return f"is a tensor that requires gradients, which would be lost: {_TORCH}; or pass {name}.detach()"
        small = (
            f"; {name}.float() first, for NumPy has no bfloat16" if "bfloat16" in str(getattr(x, "dtype", "")) else ""
        )
        return f"is a tensor of torch; pass {name}.detach().cpu().numpy(){small}; {_TORCH}"
    if library == "cupy":
        return f"is an array on a GPU, of CuPy; pass {name}.get()"
    call = call_on_model(function) if function else "functions of kt.algorithms"
    told = "is traced by JAX, but a compiled function takes numbers; under jax.jit, grad and vmap"
    return f"{told} use kt.jax.Robot(robot), or call {call}"


def lost_by_numpy(x: Any) -> str:
    """Information that would be lost, and a remedy, behind the name of the array; empty if there is none.

    >>> lost_by_numpy(np.zeros(2)), lost_by_numpy([1.0])
    ('', '')
    """
    kind = type(x)
    if any(hasattr(kind, name) for name in _UNITS) and hasattr(x, "__array__"):
        unit = getattr(x, "unit", None) or getattr(x, "units", "")
        return f"has units ({unit}), which arrays of NumPy have not: pass its numbers in SI units, rad, m, N, s and kg"
    if isinstance(x, np.ndarray):
        return ""
    device = _device(x)
    if device:
        host = "x.get()" if hasattr(x, "get") else "x.cpu()" if hasattr(x, "cpu") else "np.array(x)"
        return f"is on {device}; kernels run on the processor: pass a copy ({host}), or take kt.cuda.function"
    torch = sys.modules.get("torch")
    if (
        torch is not None
        and isinstance(x, torch.Tensor)
        and torch.autograd.forward_ad.unpack_dual(x).tangent is not None
    ):
        return f"is a tensor with a tangent, which would be lost: {_TORCH}"
    return ""


def _device(x: Any) -> str:
    """The device that is not the processor on which an array is."""
    if _has(x, "__cuda_array_interface__"):
        return _device_name(x, 2)
    try:
        kind = int(x.__dlpack_device__()[0])
    except Exception:  # it has no such method, or is on several devices
        return ""
    return "" if kind in _ON_HOST else _device_name(x, kind)


def _device_name(x: Any, kind: int) -> str:
    name = str(getattr(x, "device", "")).strip("<>")
    return f"{_DEVICES.get(kind, f'device {kind} of DLPack')}{name and f': {name}'}"


def _has(x: Any, attribute: str) -> bool:
    try:
        return hasattr(x, attribute)
    except Exception:  # some raise errors of their own
        return False
