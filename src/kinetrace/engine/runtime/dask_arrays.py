"""Arrays of Dask: a call returns arrays of Dask, whose blocks are evaluated when they are computed.

Dask is imported when one of its arrays arrives.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ..trace import Program
from . import arguments
from .arguments import is_dask

if TYPE_CHECKING:
    from .batch import Batch


def as_dask_argument(program: Program, k: int, x: Any) -> Any:
    """The argument at place k as an array of Dask, if it is one, or of NumPy."""
    x = x.to_dask_array() if hasattr(x, "to_dask_array") else x
    return x if is_dask(x) else arguments.plain_one(program, k, x)


def evaluate(batch: Batch, arrays: tuple[Any, ...], out: Any, threads: int | None) -> Any:
    """Arrays of Dask, whose blocks along the batch axes are evaluated when they are computed, in one thread each.

    The axes of a state are one block. What travels to workers is the kernel, by its recipe.
    """
    da: Any = importlib.import_module("dask.array")  # without types
    program, dtype = batch.program, batch.dtype
    if out is not None:
        raise InputError(f"{program.name}: out takes NumPy arrays; results of Dask's arrays are made when computed")
    arguments.check_tables(batch, arrays)
    plain = [as_dask_argument(program, k, x) for k, x in enumerate(arrays)]
    arguments.check(program, tuple(map(outline, plain)))
    given = [da.asarray(x) for x in plain]
    axes = max(x.ndim - len(a.shape) for x, a in zip(given, program.inputs, strict=True))
    lengths = arguments.lengths(program, tuple(given))
    if any(map(math.isnan, lengths.values())):
        unknown = next(name for name, n in lengths.items() if math.isnan(n))
        raise InputError(f"{program.name}: the length {unknown!r} is not known; compute_chunk_sizes() finds it")
    loop, names = tuple(range(axes)), count(axes)  # of axes, which Dask sorts
    indexed = _indexed(program, given, loop, names)
    block, token = BlockCall(batch, 1 if threads is None else threads), program.name

    def results(function: Any, a: Any, *sources: Any) -> Any:
        core = {next(names): n for n in arguments.shape_for(a, lengths)}
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
        return results(block, program.outputs[0], *indexed)
    meta = np.empty((0,) * axes, dtype)
    together = da.blockwise(block, loop, *indexed, dtype=dtype, meta=meta, token=token, concatenate=False)
    return tuple(results(BlockResult(k), a, together, loop) for k, a in enumerate(program.outputs))


def _indexed(program: Program, arrays: list[Any], loop: tuple[int, ...], names: Iterator[int]) -> list[Any]:
    """The arguments of `blockwise`: arrays with the axes of a state in one block, each with the names of its axes."""
    indexed: list[Any] = []
    for x, a in zip(arrays, program.inputs, strict=True):
        split = x.ndim - len(a.shape)
        cut = {axis: -1 for axis in range(split, x.ndim) if x.numblocks[axis] > 1}
        indexed += [x.rechunk(cut) if cut else x, (*loop[len(loop) - split :], *islice(names, len(a.shape)))]
    return indexed


def outline(x: Any) -> Any:
    """An array of that shape and dtype without memory; lengths that are not known yet are taken to fit."""
    return np.broadcast_to(np.empty((), x.dtype), [1 if math.isnan(n) else n for n in x.shape])


class BlockCall:
    """The evaluation of a block."""

    def __init__(self, batch: Batch, threads: int) -> None:
        self.batch, self.threads = batch, threads

    def __call__(self, *blocks: Any) -> Any:
        """Results for blocks, which stand in lists: one for each axis of a state."""
        return self.batch(*map(_only_block, blocks), threads=self.threads)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "kinetrace.BlockCall", *self.batch.__dask_tokenize__()

    def __reduce__(self) -> Any:
        return BlockCall, (self.batch, self.threads)


class BlockResult:
    """One of several results of a block."""

    def __init__(self, k: int) -> None:
        self.k = k

    def __call__(self, results: Any) -> Any:
        """The result."""
        return results[self.k]

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "kinetrace.BlockResult", self.k


def _only_block(x: Any) -> Any:
    while type(x) is list:
        x = x[0]
    return x
