"""`compile`: from a function of a model to a kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cache import arrived
from ..codegen.runtime.kernel import Kernel
from ..derivative.traced import name_of
from ..errors import InputError, choose, unknown
from ..model.model import VELOCITIES, Model
from ..model.parameters import PARAMETERS, replaced
from ..support.plain import plain_flag
from ..trace import Graph, Program, trace
from . import trace_cache


def compile(
    function: Callable[..., Any],
    robot: Any,
    *,
    inputs: str | Sequence[str] = (),
    shapes: Mapping[str, Any] | None = None,
    dtype: npt.DTypeLike = "float64",
    backend: str = "llvm",
    threads: int | None = None,
    **static: Any,
) -> Kernel:
    """Compile a function of (model, q, ...) for one robot: a `Robot` or a `Model`.

    The function is run once on symbols, so it must be plain array code without branches on values; `kinetrace.arrays`
    and `kinetrace.linalg` have the functions that NumPy lacks for symbols. Arguments called q, v, a, tau, u, nu, and
    dq, dv, da, dtau, du, dnu have the robot's sizes; `shapes` gives the shape of any other, without batch axes. (A
    callable may do so itself, by an attribute `argument_shapes`: a function of the model, the shapes known so far and
    the further keywords.) Further keywords are handed to the function as they are; those that it declares as `bool`
    must be True or False.

    `inputs` names parameters of the model, "inertial", "placements", "screws" or "gravity" (see `Robot.parameters`),
    that the kernel takes as further arrays, after the function's own, instead of the robot's numbers.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("panda")
    >>> def height(model, q):
    ...     return kt.algorithms.pose(model, q, frame="panda_hand")[2, 3]
    >>> kernel = kt.compile(height, robot)
    >>> kernel(np.zeros((1000, 7))).shape
    (1000,)
    >>> kernel = kt.compile(kt.algorithms.gravity, robot, inputs=("inertial", "gravity"))
    >>> kernel(np.zeros((1000, 7)), robot.parameters("inertial"), [0, 0, -1.62]).shape
    (1000, 7)
    """
    static = checked_static(function, static)
    model = _model(function, robot, static, inputs, shapes)
    what: dict[str, Any] = {"static": static, "inputs": inputs, "shapes": shapes}
    if plain := trace_cache.is_plain(what):
        what = deepcopy(what)  # a kernel may be traced later, here or elsewhere
    key = trace_cache.key(function, model, **what) if plain and backend == "llvm" else None
    made = trace_cache.recalled(key, partial(program, function, model, **what))
    origin = partial(_recipe, function, model, what) if plain else None
    return Kernel(made, dtype=dtype, backend=backend, threads=threads, origin=origin)


def _recipe(
    function: Any, model: Model, what: Mapping[str, Any], dtype: str, backend: str, threads: int | None
) -> tuple[Any, ...] | None:
    """What a kernel is made of, for pickle: some kilobytes; None if another process may not find all of it."""
    if trace_cache.digest(model) is None or not trace_cache.is_importable(function):
        return None
    named = {key: what[key] for key in ("inputs", "shapes")}
    keywords = {**what["static"], **named, "dtype": dtype, "backend": backend, "threads": threads}
    return _from_recipe, (function, model, keywords)


def _from_recipe(function: Any, model: Model, keywords: dict[str, Any]) -> Kernel:
    """A kernel that was pickled; the same one for the same recipe, so that a process traces it once."""
    make, content = partial(compile, function, model, **keywords), trace_cache.digest((model, keywords))
    return make() if content is None else arrived.shared((function, content), make)


def program(
    function: Callable[..., Any],
    robot: Any,
    static: Mapping[str, Any],
    *,
    inputs: str | Sequence[str] = (),
    shapes: Mapping[str, Any] | None = None,
    graph: Graph | None = None,
) -> Program:
    """What `compile` makes a kernel of; `static` are its further keywords, `graph` one to trace with.

    >>> import kinetrace as kt
    >>> program(kt.algorithms.pose, kt.load("planar2r"), {"frame": "tip"}).signature
    '(2)->(4,4)'
    """
    static = checked_static(function, static)
    model = _model(function, robot, static, inputs, shapes)
    name, arguments = name_of(function), _arguments(function)
    given = checked_shapes(shapes)
    chosen = checked_inputs(inputs)
    if not _takes_any(function):
        for key in static.keys() - arguments.keys():
            raise unknown(f"argument of {name}", key, arguments)
    for key in given:
        if key in static:
            raise InputError(f"argument {key!r} of {name} has both a shape and a value")
        if key not in arguments:
            raise unknown(f"argument of {name}", key, arguments)
    for key in chosen:
        if key in arguments:
            raise InputError(f"inputs: {name} has an argument {key!r} of its own; rename it, or leave out the input")
    sizes = {"q": (model.nq,), **dict.fromkeys(VELOCITIES, (model.nv,)), **given}
    further = getattr(function, "argument_shapes", None)
    if further is not None:
        own = {key: checked_shape(key, shape) for key, shape in further(model, dict(sizes), **static).items()}
        sizes = {**sizes, **own, **given}
    wanted: dict[str, Any] = {}
    for key, required in arguments.items():
        if key in given or (required and key not in static):
            if key not in sizes:
                raise InputError(
                    f"the shape of argument {key!r} of {name} is not known (known: {', '.join(sizes)}); "
                    f"give it as shapes={{{key!r}: (...)}}, or a value as {key}=..."
                )
            wanted[key] = sizes[key]

    def of_arrays(**arrays: Any) -> Any:
        numbers = {key: arrays.pop(key) for key in chosen}
        at = replaced(model, **numbers) if numbers else model
        return function(at.customised, **arrays, **static)

    wanted |= {key: PARAMETERS[key].shape(model) for key in chosen}
    return trace(of_arrays, wanted, name=name, graph=graph)


def _model(
    function: Any, robot: Any, static: Mapping[str, Any], inputs: str | Sequence[str], shapes: Mapping[str, Any] | None
) -> Model:
    """The model that a function of a robot is traced for; see `Robot.model_for`."""
    if not hasattr(robot, "model_for"):
        return checked_model(robot)
    given = {**static, **checked_shapes(shapes), **dict.fromkeys(checked_inputs(inputs))}
    return checked_model(robot.model_for(function, given))


def _parameters(function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise InputError(f"expected a function of (model, q, ...), got {function!r}: {error}") from error


def _arguments(function: Any) -> dict[str, bool]:
    """The arguments after the model, and whether they must be given."""
    parameters = _parameters(function)
    if not parameters or parameters[0].name in ("q", *VELOCITIES):
        what = f"{parameters[0].name!r} as its first argument" if parameters else "no argument"
        raise InputError(f"{name_of(function)} has {what}; expected a function of (model, q, ...)")
    return {p.name: p.default is p.empty for p in parameters[1:] if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}


def _takes_any(function: Any) -> bool:
    """Whether a function takes keywords of any name."""
    return any(p.kind is p.VAR_KEYWORD for p in _parameters(function))


def checked_static(function: Any, static: Mapping[str, Any]) -> dict[str, Any]:
    """The static choices, with those that the function declares as `bool` checked and made Python's own."""
    if not static:
        return {}
    flags = {p.name for p in _parameters(function) if p.annotation in ("bool", bool)}
    return {name: plain_flag(name, x) if name in flags else x for name, x in static.items()}


def checked_inputs(inputs: str | Sequence[str]) -> tuple[str, ...]:
    """Names of parameters as a tuple, each once; one name may stand for itself."""
    names = (inputs,) if isinstance(inputs, str) or not isinstance(inputs, Sequence) else tuple(inputs)
    for name in names:
        choose("parameter", name, PARAMETERS)
        if names.count(name) > 1:
            raise InputError(f"inputs: {name!r} is given twice")
    return names


def checked_shapes(shapes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Names of arguments with their shapes as tuples.

    >>> checked_shapes({"x": 3, "w": {"tip": [6]}})
    {'x': (3,), 'w': {'tip': (6,)}}
    """
    if shapes is not None and not isinstance(shapes, Mapping):
        raise InputError(f"shapes must map names of arguments to shapes, as {{'x': (3,)}}; got {shapes!r}")
    return {key: checked_shape(key, shape) for key, shape in (shapes or {}).items()}


def checked_shape(name: str, shape: Any) -> Any:
    """A shape as a tuple; a whole number stands for one axis, a mapping for several arrays."""
    if isinstance(shape, Mapping):
        return {key: checked_shape(f"{name}[{key}]", part) for key, part in shape.items()}
    axes = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(isinstance(n, int | np.integer) and n >= 0 for n in axes):
        raise InputError(f"the shape of {name!r} must be a tuple of whole numbers, got {shape!r}")
    return tuple(map(int, axes))


def checked_model(model: Any) -> Model:
    """The model, if it is one, and of plain numbers."""
    if not isinstance(model, Model):
        raise InputError(f"expected a Model, got {model!r}; kinetrace.load makes a Robot of a name or a file")
    if not model.is_concrete:
        raise InputError(
            f"model {model.name!r} has numbers that are traced, complex or of another library: algorithms take it as "
            "it is, but a kernel needs plain real numbers, or takes them as arguments: compile(..., inputs=...)"
        )
    return model
