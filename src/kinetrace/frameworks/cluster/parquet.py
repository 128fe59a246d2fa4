"""Parquet files as sources and targets."""

from __future__ import annotations

import glob
import json
import math
import os
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from ...engine.runtime.kernel import Kernel
from ...errors import InputError, name_list
from ...support.attributes import cached_property
from ...support.files import write_atomically
from ...support.optional import require_package
from .columns import Columns, check_no_more, columns_for, entry_names
from .pieces import CHUNKS_PER_PIECE, MANIFEST, File, FileSegment, Piece, SourceChanged, Table, check_same

PARTIAL_PREFIX, PARTIAL_SUFFIX = "_kinetrace-", ".partial"
"""How names of files begin and end that are being written."""
ABANDONED_SECONDS = 3600.0
"""Seconds after which such a file is taken for that of a run that was killed."""
BUFFER_BYTES = 1 << 16
"""Bytes of a column that are read from a file at once."""


@dataclass(frozen=True)
class ParquetSource:
    """Parquet files with the same columns, one after another."""

    columns: tuple[Columns, ...]
    keep: tuple[str, ...]
    rows: int
    files: tuple[File, ...] = field(repr=False)
    kept: tuple[tuple[str, Any], ...] = ()
    """Names and types of the columns to keep."""

    chunks = CHUNKS_PER_PIECE

    def __getstate__(self) -> dict[str, Any]:
        """Without the files: a piece has its own."""
        return {"columns": self.columns, "keep": self.keep, "rows": self.rows, "files": (), "kept": ()}

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((sum(file.groups) for file in self.files), initial=0))

    def cuts(self, limit: int) -> list[int]:
        """The ends of pieces of whole row groups: a part of one could only be read behind all rows before."""
        ends, begin, position = [], 0, 0
        for rows in (x for file in self.files for x in file.groups):
            if position > begin and position + rows - begin > limit:
                ends.append(position)
                begin = position
            position += rows
        return ends if begin == position else [*ends, position]

    def piece(self, number: int, begin: int, end: int) -> Piece:
        """A piece of these rows, with its segments."""
        starts, segments = self._starts, []
        for k in range(bisect_right(starts, begin) - 1, len(self.files)):
            if starts[k] >= end:
                break
            if segment := _segment(self.files[k], begin - starts[k], end - starts[k]):
                segments.append(segment)
        return Piece(number, begin, end, tuple(segments))

    def read(self, piece: Piece, rows: int, blocks: Sequence[Any]) -> Iterator[Table]:
        """Its chunks."""
        parquet = require_package("pyarrow.parquet", "a Parquet file", "cluster")
        wanted = [name for x in self.columns for name in x.names] + list(self.keep)
        for source, groups, first, last in piece.segments:
            with (
                _while_unchanged(source),
                parquet.ParquetFile(source.path, pre_buffer=False, buffer_size=BUFFER_BYTES) as file,
            ):
                position = 0
                batches = file.iter_batches(rows, row_groups=list(groups), columns=wanted, use_threads=False)
                for batch in batches:
                    begin, end = max(first - position, 0), min(last - position, batch.num_rows)
                    position += batch.num_rows
                    if begin < end:
                        yield self._table(batch.slice(begin, end - begin), source.path)
                    if position >= last:
                        break

    def _table(self, batch: Any, path: str) -> Table:
        values = []
        for argument, names, lists in self.columns:
            if lists:
                values.append(_rows(batch.column(names[0]), argument.shape, f"{path}: column {names[0]!r}"))
            else:
                values.append([batch.column(name).to_numpy(zero_copy_only=False) for name in names])
        return Table(batch.num_rows, tuple(values), tuple(batch.column(name) for name in self.keep))

    def description(self) -> dict[str, Any]:
        """The files, and which columns are read."""
        files = [{"path": x.path, "rows": sum(x.groups), "size": x.size, "changed": x.changed} for x in self.files]
        return {"files": files, "columns": [list(x.names) for x in self.columns], "keep": list(self.keep)}


@contextmanager
def _while_unchanged(file: File) -> Iterator[None]:
    """An error if a file was written anew since the run began, also instead of what reading it says of half of it."""
    _check_unchanged(file)
    try:
        yield
    except Exception:
        _check_unchanged(file)
        raise
    _check_unchanged(file)


def _check_unchanged(file: File) -> None:
    """An error if a file was written anew since the run began: its rows may be others."""
    now = os.stat(file.path)
    if (now.st_size, now.st_mtime_ns) != (file.size, file.changed):
        raise SourceChanged(f"{file.path!r} has changed since the run began")


def _segment(file: File, begin: int, end: int) -> FileSegment | None:
    """Rows [begin, end) of a file, as far as it has them."""
    ends = list(accumulate(file.groups))
    groups = [k for k, stop in enumerate(ends) if file.groups[k] and stop > begin and stop - file.groups[k] < end]
    if not groups:
        return None
    start = ends[groups[0]] - file.groups[groups[0]]
    return FileSegment(
        file._replace(groups=()), tuple(groups), max(begin - start, 0), min(end, ends[groups[-1]]) - start
    )


def _rows(column: Any, shape: tuple[int, ...], where: str) -> Any:
    """A column of lists as an array (rows, ...)."""
    flat, size = column.flatten(), math.prod(shape)
    lengths = np.diff(column.offsets.to_numpy()) if hasattr(column, "offsets") else np.full(len(column), size)
    if column.null_count or len(flat) != size * len(column) or not (lengths == size).all():
        raise InputError(f"{where} has rows without a list, or with one whose length is not {size}")
    return flat.to_numpy(zero_copy_only=False).reshape(len(column), *shape)


def parquet_source(
    places: Sequence[str],
    kernel: Kernel,
    fixed: Mapping[str, Any],
    given: Mapping[str, str | Sequence[str]],
    keep: Sequence[str],
) -> ParquetSource:
    """The files of folders and patterns, once their columns have been found to be those of the kernel's arguments."""
    parquet = require_package("pyarrow.parquet", "a Parquet file", "cluster")
    files, first = list[File](), None
    columns: tuple[Columns, ...] = ()
    for path in _files(places):
        metadata, schema = _footer(parquet, path)
        lengths = {x.name: _length(x.type) for x in schema}
        twice = {name for name in schema.names if schema.names.count(name) > 1} if len(lengths) < len(schema) else set()
        if first is None:
            first, columns = schema, columns_for(kernel, fixed, lengths, given, repr(path))
            _check_types(schema, columns, keep, twice, path)
        by_default = [x for x in columns if x.argument.name not in given]
        named = [*keep, *(name for x in columns if x not in by_default for name in x.names)]
        check_no_more(kernel, by_default, [x.name for x in schema if _is_number(x.type)], named, repr(path))
        _check_same(schema, first, [name for x in columns for name in x.names] + list(keep), twice, path)
        files.append(_file(path, metadata))
    return ParquetSource(
        columns=columns,
        keep=tuple(keep),
        rows=sum(sum(x.groups) for x in files),
        files=tuple(files),
        kept=tuple((name, first.field(name).type) for name in keep) if first is not None else (),
    )


def _footer(parquet: Any, path: str) -> tuple[Any, Any]:
    """Metadata and schema of a file."""
    try:
        with parquet.ParquetFile(path) as file:
            return file.metadata, file.schema_arrow
    except Exception as error:  # pyarrow's own, of several kinds
        raise InputError(f"{path!r} is no Parquet file: {error}") from error


def _file(path: str, metadata: Any) -> File:
    """A file with the sizes of its row groups, and with what changes when it is written anew."""
    stat = os.stat(path)
    groups = tuple(metadata.row_group(k).num_rows for k in range(metadata.num_row_groups))
    return File(path=os.path.abspath(path), groups=groups, size=stat.st_size, changed=stat.st_mtime_ns)


def _check_same(schema: Any, first: Any, names: list[str], twice: set[str], path: str) -> None:
    """An error if a file has not the columns of the first one, once each and of the same types."""
    if both := [x for x in names if x in twice]:
        raise InputError(f"{path!r} has two columns {both[0]!r}")
    if absent := [x for x in names if x not in schema.names]:
        raise InputError(f"{path!r} has no columns {name_list(absent)}, which the first file has")
    for name in names:
        if schema.field(name).type != first.field(name).type:
            types = f"{schema.field(name).type}, {first.field(name).type} in the first file"
            raise InputError(f"{path!r}: column {name!r} is {types}: give files of one type to a run")


def _files(places: Sequence[str]) -> list[str]:
    """The files of files, folders and patterns, in the order of their names within each."""
    paths: list[str] = []
    for place in places:
        if os.path.isdir(place):
            inside = sorted(str(x) for x in Path(place).rglob("*.parquet"))
            new = [x for x in inside if not any(y[0] in "_." for y in Path(x).relative_to(place).parts)]
        else:
            new = [place] if os.path.isfile(place) else sorted(glob.glob(place, recursive=True))
        if not new:
            raise InputError(
                f"there are no Parquet files at {place!r}: give a file, a folder or a pattern like run*.parquet"
            )
        paths += new
    return paths


def _length(kind: Any) -> int | None:
    types = require_package("pyarrow", "a Parquet file", "cluster").types
    if types.is_fixed_size_list(kind):
        return int(kind.list_size)
    return None if types.is_list(kind) or types.is_large_list(kind) else 0


def _is_number(kind: Any) -> bool:
    types = require_package("pyarrow", "a Parquet file", "cluster").types
    return bool(types.is_floating(kind) or types.is_integer(kind))


def _check_types(schema: Any, columns: tuple[Columns, ...], keep: Sequence[str], twice: set[str], path: str) -> None:
    wrong = []
    for name in (name for x in columns for name in x.names if name not in twice):
        kind = schema.field(name).type
        of = kind if _length(kind) == 0 else kind.value_type
        if not _is_number(of):
            wrong.append(f"{name} ({kind})")
    if wrong:
        raise InputError(f"{path!r}: columns must hold floats or integers, not so {name_list(wrong)}")
    if absent := [name for name in keep if name not in schema.names]:
        raise InputError(f"{path!r} has no columns {name_list(absent)} to keep; it has {name_list(schema.names)}")


@dataclass(frozen=True)
class ParquetTarget:
    """A folder with one file per piece, whose names sort like the source's rows."""

    folder: str
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    entries: bool
    compression: str
    kept: tuple[tuple[str, Any], ...] = ()
    """Names and types of the columns that are copied."""
    run: str = field(default_factory=lambda: os.urandom(8).hex())
    """Random name of the run, in the names of files that it is writing."""
    aligned = False

    def _schema(self) -> Any:
        pyarrow = require_package("pyarrow", "a Parquet file", "cluster")
        number, fields = pyarrow.from_numpy_dtype(np.dtype(self.dtype)), []
        for name, shape in zip(self.names, self.shapes, strict=True):
            if self.entries or not shape:
                # without marks for missing values, which take as long to write as the numbers
                fields += [pyarrow.field(x, number, nullable=False) for x in entry_names(name, shape)]
            else:
                fields.append(pyarrow.field(name, self._lists(shape), nullable=False))
        return pyarrow.schema(fields + [pyarrow.field(*x) for x in self.kept])

    def prepare(self, about: dict[str, Any], pieces: Sequence[Piece], rows: int, resume: bool) -> set[int]:
        """Make the folder, or find the files that are there."""
        folder, description = (
            Path(self.folder),
            {**about, "schema": str(self._schema()), "compression": self.compression},
        )
        description["checksums"] = True  # of pages: without them, results may have been damaged since
        names = self._schema().names
        twice = [x for x in names if names.count(x) > 1]
        if twice:
            raise InputError(f"results and kept columns have the same name {twice[0]!r}; outputs= gives others")
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            if not resume:
                raise InputError(f"{self.folder!r} exists: resume=True continues a run, or choose another target")
            check_same(folder / MANIFEST, description)
            self._clear_abandoned()
            return {piece.number for piece in pieces if self._has(piece)}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically({folder / MANIFEST: json.dumps(description).encode()})
        except OSError as error:
            raise InputError(f"{self.folder!r} cannot be written: {error}") from error
        return set()

    def _has(self, piece: Piece) -> bool:
        path = self._path(piece)
        if not os.path.exists(path):
            return False
        try:
            return _is_whole(path, self._schema(), piece.end - piece.begin)
        except Exception:  # pyarrow's own, of several kinds: damaged since
            return False

    def _path(self, piece: Piece) -> str:
        return os.path.join(self.folder, f"part-{piece.number:06d}.parquet")

    def write(self, piece: Piece, tables: Iterator[Table]) -> None:
        """Write a file under another name and rename it, so that it is there whole or not at all."""
        pyarrow, parquet = (require_package(x, "a Parquet file", "cluster") for x in ("pyarrow", "pyarrow.parquet"))
        schema, path = self._schema(), self._path(piece)
        beside = os.path.join(
            self.folder, f"{PARTIAL_PREFIX}{self.run}-{piece.number:06d}-{os.urandom(8).hex()}{PARTIAL_SUFFIX}"
        )
        settings = {
            "compression": self.compression,
            "use_dictionary": False,
            "write_statistics": False,
            "write_page_checksum": True,
        }
        rows = 0
        try:
            with parquet.ParquetWriter(beside, schema, **settings) as writer:
                for table in tables:
                    arrays = [x for value in zip(table.values, self.shapes, strict=True) for x in self._arrays(*value)]
                    writer.write_table(pyarrow.Table.from_arrays([*arrays, *table.kept], schema=schema), table.rows)
                    rows += table.rows
            if rows != piece.end - piece.begin:
                raise SourceChanged(f"{piece.place}: {rows:,} rows were read: it has changed since the run began")
            os.replace(beside, path)
        finally:
            if os.path.exists(beside):
                os.unlink(beside)

    def _arrays(self, value: Any, shape: tuple[int, ...]) -> list[Any]:
        pyarrow = require_package("pyarrow", "a Parquet file", "cluster")
        if self.entries:
            return [pyarrow.array(x) for x in value]
        if not shape:
            return [pyarrow.array(value)]
        return [pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(value.reshape(-1)), type=self._lists(shape))]

    def _lists(self, shape: tuple[int, ...]) -> Any:
        pyarrow = require_package("pyarrow", "a Parquet file", "cluster")
        number = pyarrow.from_numpy_dtype(np.dtype(self.dtype))
        return pyarrow.list_(pyarrow.field("item", number, nullable=False), math.prod(shape))

    def clear(self) -> None:
        """Remove files of this run that were being written when their worker ended."""
        for path in Path(self.folder).glob(f"{PARTIAL_PREFIX}{self.run}-*{PARTIAL_SUFFIX}"):
            path.unlink(missing_ok=True)

    def _clear_abandoned(self) -> None:
        """The same for earlier runs, but not for those that may be under way."""
        for path in Path(self.folder).glob(f"{PARTIAL_PREFIX}*{PARTIAL_SUFFIX}"):
            with suppress(OSError):  # another run has renamed it, or the folder is read-only
                if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                    path.unlink()


def _is_whole(path: str, schema: Any, rows: int) -> bool:
    """Whether a file has these columns and so many rows, all of whose pages are as they were written."""
    parquet = require_package("pyarrow.parquet", "a Parquet file", "cluster")
    if not os.path.isfile(path):
        return False
    with parquet.ParquetFile(path, pre_buffer=False, page_checksum_verification=True) as file:
        if file.metadata.num_rows != rows or not file.schema_arrow.equals(schema):
            return False
        return sum(batch.num_rows for batch in file.iter_batches(1 << 16, use_threads=False)) == rows
