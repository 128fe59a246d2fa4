"""Dask arrays as sources: each task receives its rows of every array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..codegen.runtime.kernel import Kernel
from ..errors import InputError, listed
from ..support.optional import needed
from .pieces import Piece, Table
from .zarr import check_arrays


@dataclass(frozen=True)
class ArraySource:
    """Dask arrays (rows, ...), one per argument."""

    rows: int
    arrays: tuple[Any, ...] = field(repr=False)
    chunks = 1  # a task holds all of its piece

    def __getstate__(self) -> dict[str, Any]:
        """Without the arrays: tasks receive their blocks."""
        return {"rows": self.rows, "arrays": ()}

    def cuts(self, limit: int) -> list[int]:
        """The ends of pieces of `limit` rows."""
        return [*range(limit, self.rows, limit), self.rows] if self.rows else []

    def piece(self, number: int, begin: int, end: int) -> Piece:
        """A piece of these rows."""
        return Piece(number, begin, end)

    def blocks(self, piece: Piece) -> list[Any]:
        """The delayed rows of every array."""
        return [_delayed(x[piece.begin : piece.end]) for x in self.arrays]

    def read(self, piece: Piece, rows: int, blocks: Sequence[Any]) -> Iterator[Table]:
        """Its chunks, of the blocks that the task has received."""
        for begin in range(0, piece.end - piece.begin, rows):
            values = tuple(x[begin : begin + rows] for x in blocks)
            yield Table(len(values[0]), values)

    def description(self) -> dict[str, Any]:
        """The arrays, by the names that Dask gives to their contents."""
        return {"arrays": [[x.name, list(x.shape), x.dtype.name] for x in self.arrays]}


def _delayed(x: Any) -> Any:
    return x.rechunk(x.shape).to_delayed().item()


def array_source(given: Mapping[str, Any], kernel: Kernel, fixed: Mapping[str, Any]) -> ArraySource:
    """Arrays by the names of arguments, once their shapes have been found to fit."""
    dask = needed("dask.array", "Dask arrays", "cluster")
    wanted = [a.name for a in kernel.program.inputs if a.name not in fixed]
    if set(given) != set(wanted):
        raise InputError(f"{kernel.__name__} takes {listed(wanted)} of its source, got {listed(list(given))}")
    arrays = {name: dask.asarray(given[name]) for name in wanted}
    return ArraySource(check_arrays(arrays, kernel, "the source"), tuple(arrays.values()))
