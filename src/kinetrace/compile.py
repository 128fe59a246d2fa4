"""`compile`: from a function of a model to a kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .codegen.kernel import Kernel
from .errors import InputError, unknown
from .model.model import Model
from .trace import trace


def compile(
    function: Callable[..., Any],
    robot: Any,
    *,
    shapes: Mapping[str, Any] | None = None,
    dtype: npt.DTypeLike = "float64",
    backend: str = "llvm",
    threads: int | None = None,
    **static: Any,
) -> Kernel:
    """Compile a function of (model, q, ...) for one robot: a `Robot` or a `Model`.

    The function is run once on symbols, so it must be plain array code: no branching on values, no assignment into
    arrays; `kinetrace.arrays` has the functions that NumPy lacks for symbols. Arguments called q, v, a, tau and u
    have the robot's sizes; `shapes` gives the shape of any other, without batch axes. Further keywords are handed
    to the function as they are.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("panda")
    >>> def height(model, q):
    ...     return kt.algorithms.pose(model, q, frame="panda_hand")[2, 3]
    >>> kernel = kt.compile(height, robot)
    >>> kernel(np.zeros((1000, 7))).shape
    (1000,)
    """
    model = checked_model(getattr(robot, "model", robot))
    name = getattr(function, "__name__", "function").replace("<lambda>", "function")
    given = {key: checked_shape(key, shape) for key, shape in (shapes or {}).items()}
    sizes = {"q": (model.nq,), "v": (model.nv,), "a": (model.nv,), "tau": (model.nv,), "u": (model.nv,), **given}
    parameters = list(inspect.signature(function).parameters.values())[1:]
    named = [p.name for p in parameters]
    for key in given:
        if key in static:
            raise InputError(f"argument {key!r} of {name} has both a shape and a value")
        if key not in named:
            raise unknown(f"argument of {name}", key, named)
    wanted: dict[str, Any] = {}
    for p in parameters:
        if p.name in given or (p.default is p.empty and p.name not in static):
            if p.name not in sizes:
                raise InputError(
                    f"the shape of argument {p.name!r} of {name} is not known (known: {', '.join(sizes)}); "
                    f"give it as shapes={{{p.name!r}: (...)}}, or a value as {p.name}=..."
                )
            wanted[p.name] = sizes[p.name]
    program = trace(lambda **inputs: function(model, **inputs, **static), wanted, name=name)
    return Kernel(program, dtype=dtype, backend=backend, threads=threads)


def checked_shape(name: str, shape: Any) -> Any:
    """A shape as a tuple; a whole number stands for one axis, a mapping for several arrays."""
    if isinstance(shape, Mapping):
        return {key: checked_shape(f"{name}[{key}]", part) for key, part in shape.items()}
    axes = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(isinstance(n, int | np.integer) and n >= 0 for n in axes):
        raise InputError(f"the shape of {name!r} must be a tuple of whole numbers, got {shape!r}")
    return tuple(map(int, axes))


def checked_model(model: Any) -> Model:
    """The model, if it is one."""
    if not isinstance(model, Model):
        raise InputError(f"expected a Model, got {model!r}; kinetrace.load makes a Robot of a name or a file")
    return model
