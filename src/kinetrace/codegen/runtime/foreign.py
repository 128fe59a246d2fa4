"""Arrays of other libraries that a call answers in kind: Dask's, which are evaluated later, and xarray's (`labelled`).

None of these libraries is imported here before one of its arrays arrives.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable, Iterable
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError, listed
from ...trace import Program
from . import arguments

if TYPE_CHECKING:
    from .batch import Batch

_OURS = frozenset((np.ndarray, list, tuple, float, int, bool, np.float64))
Library = Callable[["Batch", tuple[Any, ...], Any, int | None], Any]


def library(arrays: tuple[Any, ...]) -> Library | None:
    """The way to evaluate these arrays, if one of them is of a library whose arrays are answered in kind."""
    if _OURS.issuperset(map(type, arrays)):
        return None
    if any(map(is_labelled, arrays)):
        from .labelled import by_name

        return by_name
    return lazily if any(map(_is_lazy, arrays)) else None


def joints_of(batch: Batch) -> tuple[str, ...]:
    """Names of the joints of the robot whose kernel it is, if it is one of a robot."""
    return () if batch.origin is None else tuple(batch.origin.model.joint_names)


def check_order(function: str, name: str, labels: Iterable[Any], joints: tuple[str, ...], remedy: str) -> None:
    """An error if entries of a state are labelled with names of joints in another order than the robot's.

    >>> check_order("gravity", "q", ["b", "a"], ("a", "b"), "q[[*robot.joint_names]]")
    Traceback (most recent call last):
    kinetrace.errors.InputError: gravity: entries of q are labelled 'b', 'a', but the robot's order is 'a', 'b': \
q[[*robot.joint_names]] has it
    """
    given = [label for label in labels if isinstance(label, str) and label in joints]
    if given != [joint for joint in joints if joint in given]:
        right = f"the robot's order is {listed(joints)}: {remedy} has it"
        raise InputError(f"{function}: entries of {name} are labelled {listed(given)}, but {right}")


def check_tables(batch: Batch, arrays: tuple[Any, ...]) -> None:
    """An error if columns of a table, or entries of a series, are named as joints in another order than the robot's."""
    for x, a in zip(arrays, batch.program.inputs, strict=False):
        if type(x) in _OURS:
            continue
        labels = getattr(x, "columns", None)
        if labels is None and hasattr(x, "to_numpy") and getattr(x, "ndim", 0) == 1:
            labels = getattr(x, "index", None)
        if isinstance(labels, Iterable):
            remedy = f"{a.name}[list(robot.joint_names)]"
            check_order(batch.program.name, a.name, labels, joints_of(batch), remedy)


def is_deferred(x: Any) -> bool:
    """Whether its numbers are computed when they are asked for, by Dask.

    >>> is_deferred([1.0])
    False
    """
    return type(x) not in _OURS and (_is_lazy(x) or (is_labelled(x) and x.chunks is not None))


def converted(program: Program, k: int, x: Any) -> Any:
    """The argument at place k as an array of Dask, if it is one, or of NumPy."""
    x = x.to_dask_array() if hasattr(x, "to_dask_array") else x
    return x if _is_lazy(x) else arguments.plain_one(program, k, x)


def is_labelled(x: Any) -> bool:
    """Whether it is an array of xarray."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(x, xarray.DataArray)


def _is_lazy(x: Any) -> bool:
    """Whether it is an array of Dask, or a table, which has one."""
    dask = sys.modules.get("dask.array")
    return dask is not None and (isinstance(x, dask.Array) or hasattr(x, "to_dask_array"))


def lazily(batch: Batch, arrays: tuple[Any, ...], out: Any, threads: int | None) -> Any:
    """Arrays of Dask, whose blocks along the batch axes are evaluated when they are computed, in one thread each.

    The axes of a state are one block. What travels to workers is the kernel, by what it is made of.
    """
    da: Any = importlib.import_module("dask.array")  # without types
    program, dtype = batch.program, batch.dtype
    if out is not None:
        raise InputError(f"{program.name}: out takes NumPy arrays; results of Dask's arrays are made when computed")
    check_tables(batch, arrays)
    plain = [converted(program, k, x) for k, x in enumerate(arrays)]
    arguments.check(program, tuple(map(outline, plain)))
    given = [da.asarray(x) for x in plain]
    axes = max(x.ndim - len(a.shape) for x, a in zip(given, program.inputs, strict=True))
    lengths = arguments.lengths(program, tuple(given))
    if any(map(math.isnan, lengths.values())):
        unknown = next(name for name, n in lengths.items() if math.isnan(n))
        raise InputError(f"{program.name}: the length {unknown!r} is not known; compute_chunk_sizes() finds it")
    indexed: list[Any] = []
    loop, names = tuple(range(axes)), count(axes)  # of axes, which Dask sorts
    for x, a in zip(given, program.inputs, strict=True):
        split = x.ndim - len(a.shape)
        cut = {axis: -1 for axis in range(split, x.ndim) if x.numblocks[axis] > 1}
        indexed += [x.rechunk(cut) if cut else x, (*loop[axes - split :], *islice(names, len(a.shape)))]
    task, token = Task(batch, 1 if threads is None else threads), program.name

    def results(function: Any, a: Any, *sources: Any) -> Any:
        core = {next(names): n for n in arguments.shaped(a, lengths)}
        meta = np.empty((0,) * (axes + len(core)), dtype)
        return da.blockwise(
            function, (*loop, *core), *sources, new_axes=core, dtype=dtype, meta=meta, token=token, concatenate=False
        )

    try:
        da.core.unify_chunks(*indexed)
    except ValueError as error:
        hint = "compute_chunk_sizes() finds lengths that are not known"
        raise InputError(f"{program.name}: blocks do not fit: {str(error).splitlines()[0]}; {hint}") from error
    if batch.alone:
        return results(task, program.outputs[0], *indexed)
    meta = np.empty((0,) * axes, dtype)
    together = da.blockwise(task, loop, *indexed, dtype=dtype, meta=meta, token=token, concatenate=False)
    return tuple(results(Pick(k), a, together, loop) for k, a in enumerate(program.outputs))


def outline(x: Any) -> Any:
    """An array of that shape and dtype without memory; lengths that are not known yet are taken to fit."""
    return np.broadcast_to(np.empty((), x.dtype), [1 if math.isnan(n) else n for n in x.shape])


class Task:
    """The evaluation of a block."""

    def __init__(self, batch: Batch, threads: int) -> None:
        self.batch, self.threads = batch, threads

    def __call__(self, *blocks: Any) -> Any:
        """Results for blocks, which stand in lists: one for each axis of a state."""
        return self.batch(*map(_block, blocks), threads=self.threads)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "kinetrace.Task", *self.batch.__dask_tokenize__()

    def __reduce__(self) -> Any:
        return Task, (self.batch, self.threads)


class Pick:
    """One of several results of a block."""

    def __init__(self, k: int) -> None:
        self.k = k

    def __call__(self, results: Any) -> Any:
        """The result."""
        return results[self.k]

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "kinetrace.Pick", self.k


def _block(x: Any) -> Any:
    while type(x) is list:
        x = x[0]
    return x
