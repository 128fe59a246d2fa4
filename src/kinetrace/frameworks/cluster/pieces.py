"""Pieces of a set of states, chunks of a piece, and how a worker evaluates them.

A piece is what one task does and what one file of results holds: rows [begin, end) of the source. It is read, evaluated
and written chunk by chunk, so a task holds one chunk of arguments and results whatever the size of its piece.
"""

from __future__ import annotations

import json
import math
import os
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ...engine.runtime.kernel import Kernel
from ...errors import InputError, shorten
from ...support.files import regular_file

CHUNK_BYTES = 16 << 20
"""Bytes of a chunk's arguments and results, unless given."""
CHUNKS_PER_PIECE = 4
"""Chunks of a piece of files."""
BLOCK_BYTES = 1 << 20
"""Bytes of arguments and results that are evaluated at once: they stay in a core's cache between the copies."""
RETRY_SECONDS = (0.1, 1.0)
"""Seconds before a piece is begun anew whose files could not be read or written."""


class SourceChanged(InputError):
    """Error of a piece whose rows were written anew since the run began: no run can continue it."""


class File(NamedTuple):
    """A file of the source: rows of its row groups, and what changes when it is written anew."""

    path: str
    groups: tuple[int, ...]
    size: int
    changed: int


class FileSegment(NamedTuple):
    """Rows [first, last) of consecutive row groups of a Parquet file."""

    file: File
    groups: tuple[int, ...]
    first: int
    last: int


class Piece(NamedTuple):
    """Rows [begin, end) of the source, and where they are if it consists of files."""

    number: int
    begin: int
    end: int
    segments: tuple[FileSegment, ...] = ()

    @property
    def place(self) -> str:
        """Where it is, for people."""
        files = dict.fromkeys(segment.file.path for segment in self.segments)
        return f"rows {self.begin:,} to {self.end - 1:,}" + (f" in {', '.join(files)}" if files else "")


class Table(NamedTuple):
    """A chunk of the source: values per argument, an array (rows, ...) or a list of its entries' columns, (rows,) each;
    and columns that go to the results as they are."""

    rows: int
    values: tuple[Any, ...]
    kept: tuple[Any, ...] = ()


class Source(Protocol):
    """Where states come from; it travels to the workers."""

    @property
    def rows(self) -> int:
        """Number of states."""

    @property
    def chunks(self) -> int:
        """Number of chunks of a piece."""

    def cuts(self, limit: int) -> list[int]:
        """The ends of pieces of up to `limit` rows, or more if that much can only be read at once."""

    def piece(self, number: int, begin: int, end: int) -> Piece:
        """A piece of these rows."""

    def read(self, piece: Piece, rows: int, blocks: Sequence[Any]) -> Iterator[Table]:
        """Its chunks, of at most so many rows; `blocks` are arrays that the task has received."""

    def description(self) -> dict[str, Any]:
        """Paths, sizes and dates by which sources differ, in terms of JSON."""


class PieceTarget(Protocol):
    """Where results go; it travels to the workers."""

    @property
    def aligned(self) -> bool:
        """Whether all pieces must have the same number of rows, but the last."""

    @property
    def entries(self) -> bool:
        """Whether results are wanted as columns of their entries."""

    def prepare(self, about: dict[str, Any], pieces: Sequence[Piece], rows: int, resume: bool) -> set[int]:
        """Make the place, or look at what is there; the pieces that need not be done again."""

    def write(self, piece: Piece, tables: Iterator[Table]) -> None:
        """Write a piece; it counts as done once all of it is there."""

    def clear(self) -> None:
        """Remove what workers left that were killed."""


@dataclass(frozen=True)
class Job:
    """Kernel, source and target of a run: the same for all of its pieces."""

    kernel: Kernel
    constants: tuple[npt.NDArray[Any] | None, ...]
    """Arguments that are the same for all states, by their places; None for those of the source."""
    source: Source
    target: PieceTarget
    rows: int
    """Rows of a chunk."""
    digest: str
    """Of the kernel's program where the job was made."""

    def description(self) -> dict[str, Any]:
        """Kernel, constants and source, in terms of JSON: a run is resumed if they are the same."""
        arguments = zip(self.kernel.program.inputs, self.constants, strict=True)
        return {
            "kernel": {"name": self.kernel.__name__, "dtype": self.kernel.dtype.name, "program": self.digest},
            "chunk_rows": self.rows,
            "constants": {a.name: x.tolist() for a, x in arguments if x is not None},
            "source": self.source.description(),
        }

    def run(self, piece: Piece, blocks: Sequence[Any] = ()) -> tuple[str, int]:
        """Evaluate a piece; the name of this process and the most memory that it has used so far, in bytes."""
        if self.kernel.program.digest != self.digest:
            raise InputError(f"{self.kernel.__name__} is another program here: install the same version of kinetrace")
        for pause in RETRY_SECONDS:
            try:
                return self._once(piece, blocks)
            except OSError:  # of a disk or a network: all other errors would come again
                time.sleep(pause)
        return self._once(piece, blocks)

    def _once(self, piece: Piece, blocks: Sequence[Any]) -> tuple[str, int]:
        self.target.write(piece, self._results(self.source.read(piece, self.rows, blocks)))
        return peak_memory()

    def _results(self, tables: Iterator[Table]) -> Iterator[Table]:
        """Results of chunks, each in the memory of the one before."""
        inputs, outputs = self.kernel.program.inputs, self.kernel.program.outputs
        dtype, entries = self.kernel.dtype, self.target.entries
        block = max(1, BLOCK_BYTES // state_bytes(self.kernel))
        small = [np.empty((block, *a.shape), dtype) for a in (*inputs, *outputs)]
        space, most = list[Any](), 0
        for table in tables:
            if table.rows > most:
                most = max(table.rows, min(self.rows, 2 * most))
                space = [np.empty((math.prod(a.shape), most) if entries else (most, *a.shape), dtype) for a in outputs]
            results = [x[:, : table.rows] if entries else x[: table.rows] for x in space]
            for begin in range(0, table.rows, block):
                self._evaluate(table, slice(begin, min(begin + block, table.rows)), small, results)
            yield Table(table.rows, tuple(results), table.kept)

    def _evaluate(self, table: Table, part: slice, small: list[Any], results: list[Any]) -> None:
        """Some rows of a chunk."""
        count, values = part.stop - part.start, iter(table.values)
        inputs = [
            _rows_of(next(values), part, space[:count]) if constant is None else constant
            for constant, space in zip(self.constants, small, strict=False)
        ]
        entries = self.target.entries
        out = [x[:count] for x in small[len(inputs) :]] if entries else [x[part] for x in results]
        self.kernel(*inputs, out=out[0] if len(out) == 1 else tuple(out), threads=self.kernel.threads or 1)
        for columns, x in zip(results, out, strict=True) if entries else ():
            for column, entry in zip(columns, x.reshape(count, -1).T, strict=True):
                column[part] = entry


def _rows_of(value: Any, part: slice, space: Any) -> Any:
    """A part of an argument: of an array as it is, of columns copied side by side."""
    if not isinstance(value, list):
        return value[part]
    flat = space.reshape(len(space), -1)
    for k, column in enumerate(value):
        flat[:, k] = column[part]
    return space


def state_bytes(kernel: Kernel) -> int:
    """Bytes of the arguments and results of one state.

    >>> import kinetrace as kt
    >>> state_bytes(kt.load("planar2r").kernel("gravity"))
    32
    """
    return sum(a.size for a in kernel.program.inputs + kernel.program.outputs) * kernel.dtype.itemsize


def checked_bytes(chunk_bytes: Any) -> int:
    """The number of bytes of a chunk.

    >>> checked_bytes(1 << 20)
    1048576
    """
    if not isinstance(chunk_bytes, int | np.integer) or isinstance(chunk_bytes, bool) or chunk_bytes < 1:
        raise InputError(f"chunk_bytes must be a positive whole number, got {chunk_bytes!r}")
    return int(chunk_bytes)


def divide(source: Source, target: PieceTarget, rows: int) -> list[Piece]:
    """The pieces of a source, for chunks of so many rows."""
    if not source.rows:
        return [source.piece(0, 0, 0)]  # results with names, and no rows
    limit = source.chunks * rows
    ends = [*range(limit, source.rows, limit), source.rows] if target.aligned else source.cuts(limit)
    return [source.piece(k, begin, end) for k, (begin, end) in enumerate(zip([0, *ends], ends, strict=False))]


def peak_memory() -> tuple[str, int]:
    """The name of this process, and the most memory that it has had so far, in bytes: pages of its own and shared ones.

    >>> peak_memory()[1] > 1_000_000
    True
    """
    name = f"{socket.gethostname()}:{os.getpid()}"
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count the process that started this one
        fields = (x.split() for x in status.read_text().splitlines())
        return name, next((int(x[1]) * 1024 for x in fields if x[0] == "VmHWM:"), 0)
    if sys.platform == "win32":
        import psutil  # which Dask brings

        return name, int(psutil.Process().memory_info().peak_wset)
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return name, most if sys.platform == "darwin" else most * 1024


MANIFEST = "_kinetrace.json"
"""The description, in a folder of results."""
MAX_MANIFEST_BYTES = 1_000_000_000
"""Bytes of the manifest, which lists all files of the source."""
VALUE_LENGTH = 60
"""Characters of a value in a message."""


def check_same(path: Path, description: dict[str, Any]) -> None:
    """An error if a run of another kernel, source or layout began there."""
    where = str(path.parent)
    if not path.is_file():
        raise InputError(f"{where!r} is not empty and holds no run to resume: choose another target")
    try:
        before = json.loads(regular_file(path, MAX_MANIFEST_BYTES))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{str(path)!r} is damaged: {error}; choose another target") from error
    compare(before, description, where)


def compare(before: Any, description: dict[str, Any], where: str) -> None:
    """An error that says what differs between two runs."""
    description = json.loads(json.dumps(description))
    if before != description:
        raise InputError(f"{where!r} holds another run, which cannot be resumed: {difference(before, description)}")


def difference(before: Any, now: Any, at: str = "") -> str:
    """The first place in which two descriptions differ, with what is there.

    >>> difference({"source": {"files": [{"rows": 3}]}}, {"source": {"files": [{"rows": 4}]}})
    'source.files[0].rows was 3, is 4'
    >>> difference({"path": "in.parquet", "changed": 17}, {"path": "in.parquet", "changed": 18})
    "'in.parquet' was changed (its date or size differs)"
    """
    if isinstance(before, dict) and isinstance(now, dict):
        key = next(key for key in {**before, **now} if before.get(key) != now.get(key))
        if key in ("rows", "files", "size", "changed") and (name := now.get("path") or now.get("name")):
            return f"{name!r} was changed (its date or size differs)"
        if (at, key) == ("kernel", "program"):
            return "the robot has other numbers (masses, lengths, ...), or the function or kinetrace has other code"
        return difference(before.get(key), now.get(key), f"{at}.{key}" if at else key)
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        k = next(k for k, pair in enumerate(zip(before, now, strict=True)) if pair[0] != pair[1])
        return difference(before[k], now[k], f"{at}[{k}]")
    was, now = (shorten(json.dumps(x), VALUE_LENGTH) for x in (before, now))
    return f"{at or 'its description'} was {was}, is {now}"
