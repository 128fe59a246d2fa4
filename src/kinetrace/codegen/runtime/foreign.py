"""Arrays of other libraries that a call answers in kind: Dask's are evaluated later, block by block.

None of these libraries is imported here before one of its arrays arrives.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from . import arguments

if TYPE_CHECKING:
    from .batch import Batch

Library = Callable[["Batch", tuple[Any, ...], Any, int | None], Any]


def library(arrays: tuple[Any, ...]) -> Library | None:
    """The way to evaluate these arrays, if one of them is of a library whose arrays are answered in kind."""
    found = {type(x).__module__.partition(".")[0] for x in arrays}
    if not found.isdisjoint(("dask", "dask_expr")) and any(_is_lazy(x) for x in arrays):
        return lazily
    return None


def _is_lazy(x: Any) -> bool:
    """Whether it is an array of Dask, or a table, which has one."""
    dask = sys.modules.get("dask.array")
    return dask is not None and (isinstance(x, dask.Array) or hasattr(x, "to_dask_array"))


def lazily(batch: Batch, arrays: tuple[Any, ...], out: Any, threads: int | None) -> Any:
    """Arrays of Dask, whose blocks along the batch axes are evaluated when they are computed, in one thread each.

    The axes of a state are one block. What travels to workers is the kernel, by what it is made of.
    """
    import dask.array as da

    program, dtype = batch.program, batch.dtype
    if out is not None:
        raise InputError(f"{program.name}: out takes NumPy arrays; results of Dask's arrays are made when computed")
    tables = (x.to_dask_array() if hasattr(x, "to_dask_array") else x for x in arrays)
    plain = [x if _is_lazy(x) else arguments.plain_one(program, k, x) for k, x in enumerate(tables)]
    arguments.check(program, tuple(map(_shaped, plain)))
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

    if batch.alone:
        return results(task, program.outputs[0], *indexed)
    meta = np.empty((0,) * axes, dtype)
    together = da.blockwise(task, loop, *indexed, dtype=dtype, meta=meta, token=token, concatenate=False)
    return tuple(results(Pick(k), a, together, loop) for k, a in enumerate(program.outputs))


def _shaped(x: Any) -> Any:
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
