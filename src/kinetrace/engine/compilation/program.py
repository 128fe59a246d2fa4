"""A function of a model, run on symbols: the program of what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...algorithms.registry.declaration import algorithm_of, underlying
from ...algorithms.registry.signature import Algorithm
from ...errors import InputError, lookup, name_list, nearest, unknown_name_error
from ...model.arguments import ShapeSource, argument_shapes
from ...model.model import Model
from ...model.parameters import PARAMETERS, replaced
from ...support.functions import unknown_shape
from ..trace import Graph, Program, trace


def program(
    function: Callable[..., Any],
    model: Model,
    static: Mapping[str, Any] | None = None,
    *,
    inputs: str | Sequence[str] = (),
    shapes: Mapping[str, Any] | None = None,
    graph: Graph | None = None,
    rolls: bool = False,
    compact: bool = False,
) -> Program:
    """Program that `compile` makes a kernel of; `static` are its further keywords, the last three are those of `trace`.

    >>> import kinetrace as kt
    >>> program(kt.algorithms.pose, kt.load("planar2r").model, {"frame": "tip"}).signature
    '(2)->(4,4)'
    """
    algorithm = algorithm_of(function)
    return program_of(
        algorithm,
        model,
        algorithm.canonical(static or {}),
        checked_inputs(inputs),
        checked_shapes(shapes),
        graph=graph,
        rolls=rolls,
        compact=compact,
    )


def program_of(
    algorithm: Algorithm,
    model: Model,
    static: Mapping[str, Any],
    inputs: tuple[str, ...],
    shapes: Mapping[str, Any],
    *,
    graph: Graph | None = None,
    rolls: bool = False,
    compact: bool = False,
) -> Program:
    """The same of arguments that are checked: canonical choices, names of parameters, shapes as tuples."""
    _check_names(algorithm, static, shapes, inputs)
    wanted = wanted_arrays(algorithm, model, static, shapes)
    if not MOVES_FRAMES & set(inputs):  # else other numbers decide
        underlying(algorithm.function).check(model, static, shapes)
    wanted |= {name: PARAMETERS[name].shape(model) for name in inputs}

    def of_arrays(**arrays: Any) -> Any:
        numbers = {name: arrays.pop(name) for name in inputs}
        at = replaced(model, **numbers) if numbers else model
        return algorithm.function(at.customised, **arrays, **static)

    return trace(of_arrays, wanted, name=algorithm.name, graph=graph, rolls=rolls, compact=compact)


MOVES_FRAMES = {"placements", "screws", "closures"}
"""Parameters of the model that decide how frames move."""
SETTINGS = ("inputs", "shapes", "dtype", "backend", "threads", "compact")
"""Keywords of `compile` that are not the function's."""


def _check_names(says: Algorithm, static: Mapping[str, Any], given: Mapping[str, Any], chosen: Sequence[str]) -> None:
    """An error if something is named that the function does not take, or that is given twice."""
    unknown_names = [] if says.takes_any else [name for name in static if name not in says.parameters]
    for name in (*unknown_names, *(name for name in given if name not in static and name not in says.parameters)):
        near = nearest(name, SETTINGS)
        hint = f"; did you mean {near[0]}=, a keyword of kt.compile?" if near and name not in SETTINGS else ""
        raise InputError(f"{unknown_name_error(f'argument of {says.name}', name, says.parameters)}{hint}")
    for name in given.keys() & static.keys():
        raise InputError(f"argument {name!r} of {says.name} has both a shape and a value")
    for name in (name for name in chosen if name in says.parameters):
        raise InputError(f"inputs: {says.name} has an argument {name!r} of its own; rename it, or leave out the input")


def wanted_arrays(says: Algorithm, model: Model, static: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays that become inputs: those that are required and have no value, and those that have a shape."""
    sizes: dict[str, Any] = {**argument_shapes(model), **given}
    if isinstance(says.function, ShapeSource):
        found = says.function.argument_shapes(model, dict(sizes), **static)
        own = {name: checked_shape(name, shape) for name, shape in found.items()}
        sizes = {**sizes, **own, **given}
    wanted: dict[str, Any] = {}
    for name, p in says.parameters.items():
        if name in given or (p.default is p.empty and name not in static):
            if name in says.choices:
                valid = says.choices[name].values
                raise InputError(
                    f"{says.name} needs {name}=...{f', one of {name_list(valid, len(valid))}' if valid else ''}"
                )
            if name not in sizes:
                raise unknown_shape(name, says.name, sizes)
            wanted[name] = sizes[name]
    return wanted


def checked_inputs(inputs: str | Sequence[str]) -> tuple[str, ...]:
    """Names of parameters as a tuple, each once; one name may stand for itself."""
    names = (inputs,) if isinstance(inputs, str) or not isinstance(inputs, Sequence) else tuple(inputs)
    for name in names:
        lookup("parameter", name, PARAMETERS)
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
    dims = tuple(n for n in axes if isinstance(n, str))
    rest = axes[len(dims) :]
    fine = not isinstance(shape, str) and all(n.isidentifier() and n.isascii() for n in dims)
    fine = fine and all(isinstance(n, int | np.integer) and n >= 0 for n in rest)
    if not fine:
        wanted = "a tuple of whole numbers, or begin with names of lengths that are known later, as in ('t', 7)"
        raise InputError(f"the shape of {name!r} must be {wanted}; got {shape!r}")
    return (*dims, *map(int, rest))
