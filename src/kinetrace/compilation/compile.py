"""`compile`: from a function of a model to a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy.typing as npt

from ..algorithms.declaration import declared
from ..cache import arrived
from ..codegen.runtime.kernel import Backend, Kernel
from ..errors import InputError
from ..model.model import Model
from ..model.source import ModelSource
from ..support.plain import plain_flag
from . import trace_cache
from .program import checked_inputs, checked_shapes, program


def compile(
    function: Callable[..., Any],
    robot: ModelSource | Model,
    *,
    inputs: str | Sequence[str] = (),
    shapes: Mapping[str, Any] | None = None,
    dtype: npt.DTypeLike = "float64",
    backend: Backend = "llvm",
    threads: int | None = None,
    compact: bool = False,
    **static: Any,
) -> Kernel:
    """Compile a function of (model, q, ...) for one robot: a `Robot` or a `Model`.

    The function is run once on symbols, so it must be plain array code without branches on values; `kinetrace.arrays`
    and `kinetrace.linalg` have the functions that NumPy lacks for symbols. Arguments have the shapes that
    `model/arguments.py` gives their names: q, q0, q1, v, a, tau, u, nu, and the directions dq, dv, da, dtau, du, dnu,
    have the robot's sizes, dt is a number, point has three, base_velocity and base_acceleration have six (and dy,
    tau_weight, internal_forces and stabilisation those of `motor_forces` and its kin); `shapes` gives the shape of any
    other, without batch axes. (A callable may do so itself, by an attribute `argument_shapes`: a function of the
    model, the shapes known so far and the further keywords.) Further keywords are handed to the function as they are;
    those that it declares as `bool` must be True or False.

    `inputs` names parameters of the model, "inertial", "placements", "screws", "gravity" or "closures" (see
    `Robot.parameters`), that the kernel takes as further arrays, after the function's own, instead of the robot's
    numbers.

    With `compact`, an output with axes is a row (..., k) of those entries that are neither constant for this robot nor
    the same value as an earlier one: less memory to write. `Kernel.dense` makes the arrays of them, `Kernel.layouts`
    tell where the entries stand.

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
    >>> kernel = kt.compile(kt.algorithms.mass_matrix, robot, compact=True)
    >>> M = kernel(np.zeros((1000, 7)))
    >>> M.shape, kernel.dense(M).shape
    ((1000, 27), (1000, 7, 7))
    """
    compact = plain_flag("compact", compact)
    static, names, sizes = declared(function).canonical(static), checked_inputs(inputs), checked_shapes(shapes)
    model = model_of(robot, function, {**static, **sizes, **dict.fromkeys(names)})
    what: dict[str, Any] = {"static": static, "inputs": names, "shapes": sizes, "compact": compact}
    if plain := trace_cache.is_plain(what):
        what = deepcopy(what)  # a kernel may be traced later, here or elsewhere
    key = trace_cache.key(function, model, **what) if plain and backend == "llvm" else None
    made = trace_cache.recalled(key, partial(program, function, model, **what, rolls=True))
    origin = partial(_recipe, function, model, what) if plain else None
    return Kernel(made, dtype=dtype, backend=backend, threads=threads, origin=origin)


def model_of(robot: ModelSource | Model, function: Callable[..., Any], given: Mapping[str, Any]) -> Model:
    """The model that a function of a robot is traced for; see `Robot.model_for`."""
    return checked_model(robot.model_for(function, given) if isinstance(robot, ModelSource) else robot)


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


def _recipe(
    function: Any, model: Model, what: Mapping[str, Any], dtype: str, backend: Backend, threads: int | None
) -> tuple[Any, ...] | None:
    """What a kernel is made of, for pickle: some kilobytes; None if another process may not find all of it."""
    if trace_cache.digest(model) is None or not trace_cache.is_importable(function):
        return None
    named = {key: what[key] for key in ("inputs", "shapes", "compact")}
    keywords = {**what["static"], **named, "dtype": dtype, "backend": backend, "threads": threads}
    return _from_recipe, (function, model, keywords)


def _from_recipe(function: Any, model: Model, keywords: dict[str, Any]) -> Kernel:
    """A kernel that was pickled; the same one for the same recipe, so that a process traces it once."""
    make, content = partial(compile, function, model, **keywords), trace_cache.digest((model, keywords))
    return make() if content is None else arrived.shared((function, content), make)
