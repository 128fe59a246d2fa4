"""Zarr groups, and arrays of Dask or NumPy, as sources and targets."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...engine.runtime.arguments import check_core
from ...engine.runtime.dask_arrays import outline
from ...engine.runtime.kernel import Kernel
from ...errors import InputError, ShapeError, name_list, unknown_name_error
from ...support.optional import require_package
from .pieces import CHUNKS_PER_PIECE, Piece, SourceChanged, Table, compare

DONE_ARRAY = "_done"
"""The array of a group of results that says which pieces are whole, with the description of the run as an attribute."""


@dataclass(frozen=True)
class ZarrSource:
    """Arrays of a Zarr store, which workers open anew."""

    where: str
    arrays: tuple[Any, ...]
    rows: int
    chunks = CHUNKS_PER_PIECE

    def cuts(self, limit: int) -> list[int]:
        """The ends of pieces that consist of whole chunks of the store."""
        step = self._whole(limit)
        return [*range(step, self.rows, step), self.rows] if self.rows else []

    def _whole(self, rows: int) -> int:
        chunk = max(x.chunks[0] for x in self.arrays)
        return int(max(1, rows // chunk) * chunk)

    def piece(self, number: int, begin: int, end: int) -> Piece:
        """A piece of these rows."""
        return Piece(number, begin, end)

    def read(self, piece: Piece, rows: int, blocks: Sequence[Any]) -> Iterator[Table]:
        """Its chunks: whole ones of the store, which may be larger."""
        step = self._whole(rows)
        begin = piece.begin
        while begin < piece.end:
            end = min(begin - begin % step + step, piece.end)
            yield Table(end - begin, tuple(np.asarray(x[begin:end]) for x in self.arrays))
            begin = end

    def description(self) -> dict[str, Any]:
        """The arrays that are read, with what changes when files of theirs are written anew."""
        return {
            "store": self.where,
            "arrays": [
                {"name": x.path, "shape": list(x.shape), "dtype": x.dtype.name, **_files(x)} for x in self.arrays
            ],
        }


def _files(x: Any) -> dict[str, int]:
    """Number, size and last change of an array's files; nothing of stores that are no folders."""
    root = getattr(x.store_path.store, "root", None)
    if root is None:
        return {}
    stats = [file.stat() for file in Path(root, x.store_path.path).rglob("*") if file.is_file()]
    changed = max((file.st_mtime_ns for file in stats), default=0)
    return {"files": len(stats), "size": sum(file.st_size for file in stats), "changed": changed}


def zarr_source(place: Any, kernel: Kernel, fixed: Mapping[str, Any], given: Mapping[str, Any]) -> ZarrSource:
    """Arrays of a group, or an array that is the only argument, once their shapes have been found to fit."""
    zarr = require_package("zarr", "a Zarr store", "cluster")
    if isinstance(place, str):
        try:
            place = zarr.open(place, mode="r")
        except Exception as error:  # of several kinds, by version and store
            raise InputError(f"there is no Zarr store at {place!r}: {error}") from error
    where, wanted = str(place.store_path), [a for a in kernel.program.inputs if a.name not in fixed]
    for name in given:
        if name not in (valid := [a.name for a in wanted]):
            raise unknown_name_error("argument in columns", name, valid)
    if not hasattr(place, "array_keys"):
        if len(wanted) != 1:
            names = name_list([a.name for a in wanted])
            raise InputError(f"{where} is one array, but {kernel.__name__} takes {names}: give a group with arrays")
        return ZarrSource(where, (place,), check_arrays({wanted[0].name: place}, kernel, where))
    named = {a.name: given.get(a.name, a.name) for a in wanted}
    has = sorted(place.array_keys())
    if missing := [f"{key}: {name}" for key, name in named.items() if name not in has]:
        raise InputError(
            f"{where} has no arrays for {'; '.join(missing)}. It has {name_list(has)}; columns={{...}} maps "
            "arguments to arrays, constants={...} gives one value for all states"
        )
    arrays = {key: place[name] for key, name in named.items()}
    return ZarrSource(where, tuple(arrays.values()), check_arrays(arrays, kernel, where))


def check_arrays(arrays: Mapping[str, Any], kernel: Kernel, where: str) -> int:
    """The number of rows, if all arrays have it, the shapes of their arguments and real numbers."""
    program = kernel.program
    known = {a.name: a for a in program.inputs}
    for name, x in arrays.items():
        try:
            batch = check_core(program, known[name], outline(x))
        except ShapeError:
            batch = ()
        if len(batch) != 1:
            expected = ", ".join(map(str, ("n", *known[name].shape)))
            raise InputError(f"{where}: {name} must have shape ({expected}), got {tuple(x.shape)}")
        if math.isnan(x.shape[0]):
            raise InputError(f"{where}: the number of rows of {name} is not known; compute_chunk_sizes() finds it")
    rows = {name: int(x.shape[0]) for name, x in arrays.items()}
    if len(set(rows.values())) > 1:
        raise InputError(f"{where}: numbers of rows differ: {', '.join(f'{k} {n:,}' for k, n in rows.items())}")
    return next(iter(rows.values()))


@dataclass(frozen=True)
class ZarrTarget:
    """A group with one array (rows, ...) per result."""

    place: str
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    compression: str
    rows: int
    aligned, entries = True, False

    def prepare(self, about: dict[str, Any], pieces: Sequence[Piece], rows: int, resume: bool) -> set[int]:
        """Make the group, or find the pieces that are done."""
        zarr = require_package("zarr", "a Zarr store", "cluster")
        if wrong := [x for x in self.names if x[0] in "_." or "/" in x or "\\" in x]:
            raise InputError(f"{wrong[0]!r} is no name for an array of a Zarr group; outputs= gives others")
        description = {**about, "results": list(self.names), "dtype": self.dtype, "compression": self.compression}
        description["checksums"] = True  # of chunks: without them, results may have been damaged since
        try:
            group = zarr.open_group(self.place, mode="r+")
        except Exception as error:  # of several kinds, by version and store
            if os.path.isfile(self.place) or (os.path.isdir(self.place) and os.listdir(self.place)):
                raise InputError(f"{self.place!r} is no Zarr group: choose another target") from error
            try:
                group = zarr.create_group(self.place)
            except OSError as unwritable:
                raise InputError(f"{self.place!r} cannot be written: {unwritable}") from unwritable
        try:
            held = {*group.keys()}
            before, done = (
                (group[DONE_ARRAY].attrs["run"], group[DONE_ARRAY][:]) if DONE_ARRAY in held else (None, None)
            )
        except Exception as error:  # of several kinds, by version and store
            raise InputError(f"{self.place!r} is damaged: choose another target ({error})") from error
        if not held:
            self._make(group, description, len(pieces), rows)
            return set()
        if not resume:
            raise InputError(f"{self.place!r} exists: resume=True continues a run, or choose another target")
        if done is None:
            raise InputError(f"{self.place!r} is not empty and holds no run to resume: choose another target")
        compare(before, description, self.place)
        marked = set(np.flatnonzero(done).tolist())
        return {piece.number for piece in pieces if piece.number in marked and self._is_whole(group, piece)}

    def _is_whole(self, group: Any, piece: Piece) -> bool:
        """Whether the results of a piece are as they were written."""
        try:
            for name in self.names:
                for begin in range(piece.begin, piece.end, self.rows):
                    group[name][begin : min(begin + self.rows, piece.end)]
        except Exception:  # of several kinds, by version, store and codec: damaged since
            return False
        return True

    def _make(self, group: Any, description: dict[str, Any], pieces: int, rows: int) -> None:
        codecs = require_package("zarr.codecs", "a Zarr store", "cluster")
        compressors = {"zstd": ("ZstdCodec", {}), "lz4": ("BloscCodec", {"cname": "lz4"})}
        kind, options = compressors.get(self.compression, ("", {}))
        checked = [codecs.Crc32cCodec()]
        for name, shape in zip(self.names, self.shapes, strict=True):
            group.create_array(
                name,
                shape=(rows, *shape),
                chunks=(max(1, min(self.rows, rows)), *shape),
                dtype=self.dtype,
                compressors=[*([getattr(codecs, kind)(**options)] if kind else []), *checked],
            )
        done = group.create_array(DONE_ARRAY, shape=(pieces,), chunks=(1,), dtype="bool", compressors=checked)
        done.attrs["run"] = description

    def write(self, piece: Piece, tables: Iterator[Table]) -> None:
        """Write the rows, then mark the piece as done."""
        zarr = require_package("zarr", "a Zarr store", "cluster")
        group, begin = zarr.open_group(self.place, mode="r+"), piece.begin
        arrays = [group[name] for name in self.names]
        for table in tables:
            for x, value in zip(arrays, table.values, strict=True):
                x[begin : begin + table.rows] = value
            begin += table.rows
        if begin != piece.end:
            raise SourceChanged(f"{piece.place}: the source has changed since the run began")
        group[DONE_ARRAY][piece.number] = True

    def clear(self) -> None:
        """Nothing is left: pieces that are not marked are written anew."""


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
        return [_delayed_block(x[piece.begin : piece.end]) for x in self.arrays]

    def read(self, piece: Piece, rows: int, blocks: Sequence[Any]) -> Iterator[Table]:
        """Its chunks, of the blocks that the task has received."""
        for begin in range(0, piece.end - piece.begin, rows):
            values = tuple(x[begin : begin + rows] for x in blocks)
            yield Table(len(values[0]), values)

    def description(self) -> dict[str, Any]:
        """The arrays, by the names that Dask gives to their contents."""
        return {"arrays": [[x.name, list(x.shape), x.dtype.name] for x in self.arrays]}


def _delayed_block(x: Any) -> Any:
    return x.rechunk(x.shape).to_delayed().item()


def array_source(given: Mapping[str, Any], kernel: Kernel, fixed: Mapping[str, Any]) -> ArraySource:
    """Arrays by the names of arguments, once their shapes have been found to fit."""
    dask = require_package("dask.array", "Dask arrays", "cluster")
    wanted = [a.name for a in kernel.program.inputs if a.name not in fixed]
    if set(given) != set(wanted):
        raise InputError(f"{kernel.__name__} takes {name_list(wanted)} of its source, got {name_list(list(given))}")
    arrays = {name: dask.asarray(given[name]) for name in wanted}
    return ArraySource(check_arrays(arrays, kernel, "the source"), tuple(arrays.values()))
