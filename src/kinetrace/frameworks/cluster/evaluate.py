"""`evaluate`: a kernel on all states of files, by the workers of a cluster, in bounded memory."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy.typing as npt

from ...engine.runtime.arguments import check_core
from ...engine.runtime.kernel import Kernel
from ...errors import InputError, KinetraceError, count_text, unknown_name_error
from ...robot import Robot
from ...support.conversion import as_array
from ...support.progress import Progress, progress_callback, progress_context
from ..methods import kernel_of
from .columns import result_names
from .parquet import ParquetSource, ParquetTarget, parquet_source
from .pieces import (
    CHUNK_BYTES,
    Job,
    Piece,
    PieceTarget,
    Source,
    SourceChanged,
    checked_bytes,
    divide,
    peak_memory,
    state_bytes,
)
from .workers import Workers, workers
from .zarr import ZarrTarget, array_source, zarr_source

COMPRESSIONS = ("none", "lz4", "zstd", "snappy")


class Failure(NamedTuple):
    """A piece that was not evaluated.

    Parameters
    ----------
    piece : int
        Its number, which is that of its file of results.
    begin : int
        Its first row in the source.
    end : int
        The row behind its last one.
    place : str
        Where the rows are, with the files.
    error : str
        What happened.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.cluster.Failure(3, 300, 400, "rows 300 to 399", "OSError: disk full").begin
    300
    """

    piece: int
    begin: int
    end: int
    place: str
    error: str


@dataclass(frozen=True)
class Evaluation:
    """Result of `evaluate`: numbers of states and pieces, time, memory and failures.

    Parameters
    ----------
    target : str
        Where the results are.
    states : int
        Number of states whose results are there.
    reused : int
        How many of these an earlier run had evaluated.
    pieces : int
        Number of pieces of the source.
    seconds : float
        Duration.
    peak_memory : int
        Bytes: the most memory that each process has had, added up over this process and the workers. Pages that
        processes share are counted once for each.
    failures : tuple of Failure
        Pieces that were not evaluated.

    Examples
    --------
    >>> import kinetrace as kt
    >>> done = kt.cluster.Evaluation("out", 1000, 0, 1, 0.5, 100_000_000, ())
    >>> print(done)
    1,000 states in 0.5 s: 2,000 states/s, at most 100 MB
    """

    target: str
    states: int
    reused: int
    pieces: int
    seconds: float
    peak_memory: int
    failures: tuple[Failure, ...]

    @property
    def rate(self) -> float:
        """States per second, without those of an earlier run."""
        return (self.states - self.reused) / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        text = f"{self.states - self.reused:,} states in {self.seconds:.1f} s: {self.rate:,.0f} states/s"
        text += f", at most {self.peak_memory / 1e6:.0f} MB"
        text += f"; {self.reused:,} more were there" if self.reused else ""
        return text + (f"; {count_text(len(self.failures), 'piece')} failed" if self.failures else "")


class EvaluationError(KinetraceError):
    """Error of a run in which pieces failed; all others are done.

    Parameters
    ----------
    message : str
        Message, which names the first of them.
    result : Evaluation
        What was done, with all failures.

    Examples
    --------
    >>> import kinetrace as kt
    >>> issubclass(kt.cluster.EvaluationError, kt.KinetraceError)
    True
    """

    def __init__(self, message: str, result: Evaluation) -> None:
        super().__init__(message)
        self.result = result


def evaluate(
    what: Any,
    source: Any,
    target: str | os.PathLike[str],
    robot: Robot | None = None,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    constants: Mapping[str, npt.ArrayLike] | None = None,
    outputs: str | Sequence[str] | None = None,
    layout: Literal["columns", "lists"] = "columns",
    keep: str | Sequence[str] = (),
    compression: Literal["none", "lz4", "zstd", "snappy"] = "none",
    client: Any = None,
    chunk_bytes: int = CHUNK_BYTES,
    resume: bool = False,
    progress: Progress | bool | None = None,
    failures: Literal["raise", "return"] = "raise",
    **settings: Any,
) -> Evaluation:
    """Evaluate a kernel on all states of a data set, and write the results beside.

    The source is divided into pieces of some chunks each. A worker reads, evaluates and writes a piece chunk by chunk.
    A Parquet file of results has a temporary name until it is whole; of Zarr arrays, the array "_done" of the group
    says which pieces are. Pieces of a worker that was lost are evaluated anew, as are those whose files could not be
    read or written, up to three times. Results are the same to the bit as those of the kernel on arrays; NaN passes
    through.

    Parameters
    ----------
    what : Kernel, str or callable
        Kernel of `kinetrace.compile` or `Robot.kernel`; or the name of an algorithm, or a function of (model, q, ...),
        together with a robot.
    source : path, sequence of paths, Zarr group or array, or mapping of str to array
        Parquet files: a file, a folder, a pattern ("logs/run*.parquet") or a sequence of these; a Zarr group with one
        array (n, ...) per argument, or its path; or Dask arrays (n, ...) by the names of arguments. Rows are states.
    target : path
        Folder of Parquet files; or a Zarr group, if the name ends in .zarr.
    robot : Robot, optional
        Robot, if `what` is a name or a function.
    columns : mapping of str to str or sequence of str, optional
        Where arguments are: names of a column of lists, of the columns of entries, or of a Zarr array. Unless given, q
        (n,) is a column "q" of lists, or the columns "q0", "q1", …, or those of `Trajectory.save`.
    constants : mapping of str to array_like, optional
        Arguments that are the same for all states.
    outputs : str or sequence of str, optional
        Names of the results; that of the function unless given.
    layout : {"columns", "lists"}, default "columns"
        Whether an array in Parquet is one column per entry, which is faster, or a column of lists.
    keep : str or sequence of str, optional
        Columns of the source that are copied to the results (Parquet only), for example a key.
    compression : {"none", "lz4", "zstd", "snappy"}, default "none"
        Compression of the results; measured states rarely become much smaller.
    client : distributed.Client, optional
        Client of a Dask cluster; the current one unless given, or threads of this process if there is none.
    chunk_bytes : int, default 16777216
        Bytes of the arguments and results of a chunk; a worker's thread needs about four times as much.
    resume : bool, default False
        Whether a target in which an earlier run was stopped is continued; it may be complete, or absent.
    progress : bool or callable, optional
        Function of (states done, states in all); True draws a line on the terminal, as None does if there is one.
    failures : {"raise", "return"}, default "raise"
        Whether pieces that failed are an error, once all others are done.
    **settings
        Further keywords of the algorithm or function, such as ``frame="panda_hand"``.

    Returns
    -------
    Evaluation
        Numbers of states and seconds, memory, and failures.

    Raises
    ------
    InputError
        If columns are missing or have other types, shapes do not fit, or the target exists; before any work is done.
    EvaluationError
        If pieces failed; its cause is the error of the first of them, with the worker's traceback.

    Examples
    --------
    >>> import tempfile, numpy as np, pyarrow as pa, pyarrow.parquet as pq, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> q = robot.random(1000, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(pa.table({"q0": q[:, 0], "q1": q[:, 1]}), f"{folder}/states.parquet")
    ...     done = kt.cluster.evaluate("gravity", f"{folder}/states.parquet", f"{folder}/out", robot, outputs="tau")
    ...     tau = pq.read_table(f"{folder}/out")
    >>> done.states, tau.column_names, bool(np.all(tau["tau1"].to_numpy() == robot.gravity(q)[:, 1]))
    (1000, ['tau0', 'tau1'], True)
    """
    kernel = _check_kernel(kernel_of(what, robot, settings))
    rows = max(1, checked_bytes(chunk_bytes) // state_bytes(kernel))
    _check_choices(layout, compression, failures)
    report = progress_callback(progress, "states")
    fixed = _constants(constants or {}, kernel)
    states = _source(source, kernel, fixed, columns or {}, (keep,) if isinstance(keep, str) else tuple(keep))
    place = os.fspath(target)
    _check_apart(place, source, states)
    job = Job(
        kernel=kernel,
        constants=tuple(fixed.get(a.name) for a in kernel.program.inputs),
        source=states,
        target=_target(place, kernel, states, result_names(kernel, outputs), layout, compression, rows),
        rows=rows,
        digest=kernel.program.digest,
    )
    pieces = divide(states, job.target, rows)
    if report is not None:
        report(0, states.rows)
    done = job.target.prepare(job.description(), pieces, states.rows, resume)
    crew = workers(job, client)
    try:
        with progress_context(report):
            run = _EvaluationRun(place, pieces, done, report)
            run.evaluate(crew)
    finally:
        crew.close()
        job.target.clear()
    if failures == "raise":
        run.raise_failure()
    return run.result


class _EvaluationRun:
    """Pieces under way and what has come of those that are finished."""

    def __init__(self, target: str, pieces: list[Piece], done: set[int], report: Progress | None) -> None:
        self._target, self._pieces, self._done, self._report = target, pieces, done, report
        self._begin = self._end = time.perf_counter()
        self._reused = self._states = sum(x.end - x.begin for x in pieces if x.number in done)
        self._memory = dict([peak_memory()])
        self._failures = list[Failure]()
        self._cause: tuple[int, Exception] | None = None
        """Of the first piece that failed: errors of others would keep their chunks alive."""
        self._is_source_changed = False

    def evaluate(self, crew: Workers) -> None:
        """Submit all pieces, no more at a time than workers want, and wait for them."""
        todo = deque(x for x in self._pieces if x.number not in self._done)
        under_way = 0
        while todo or under_way:
            window = crew.window() if todo else 0
            while todo and under_way < window:
                crew.submit(todo.popleft())
                under_way += 1
            for piece, outcome in crew.finished():
                under_way -= 1
                self._add(piece, outcome)
        name, most = peak_memory()
        self._memory[name] = most
        self._end = time.perf_counter()

    def _add(self, piece: Piece, outcome: Callable[[], tuple[str, int]]) -> None:
        """Count a piece that is finished, or keep its error."""
        try:
            name, most = outcome()
        except Exception as error:  # of a worker: of any kind
            self._failures.append(
                Failure(
                    piece=piece.number,
                    begin=piece.begin,
                    end=piece.end,
                    place=piece.place,
                    error=f"{type(error).__name__}: {error}",
                )
            )
            self._is_source_changed = self._is_source_changed or isinstance(error, SourceChanged)
            if self._cause is None or piece.number < self._cause[0]:
                self._cause = piece.number, error
        else:
            self._memory[name] = max(most, self._memory.get(name, 0))
            self._states += piece.end - piece.begin
        if self._report is not None:
            self._report(self._states, self._pieces[-1].end)

    @property
    def result(self) -> Evaluation:
        """Numbers of the run, once it has ended."""
        return Evaluation(
            target=self._target,
            states=self._states,
            reused=self._reused,
            pieces=len(self._pieces),
            seconds=self._end - self._begin,
            peak_memory=sum(self._memory.values()),
            failures=tuple(sorted(self._failures)),
        )

    def raise_failure(self) -> None:
        """An error that names the first piece that failed, if any did."""
        if self._cause is None:
            return
        result = self.result
        first = result.failures[0]
        remedy = "resume=True does them again"
        if self._is_source_changed:
            remedy = "Begin anew, with another target: resume=True refuses a source that was changed"
        raise EvaluationError(
            f"{count_text(len(result.failures), 'piece')} of {len(self._pieces)} failed, the first at {first.place}: "
            f"{first.error}. {remedy}",
            result,
        ) from self._cause[1]


def _check_choices(layout: str, compression: str, failures: str) -> None:
    """An error if one of these has no meaning."""
    for name, x, valid in (
        ("layout", layout, ("columns", "lists")),
        ("compression", compression, COMPRESSIONS),
        ("failures", failures, ("raise", "return")),
    ):
        if x not in valid:
            raise unknown_name_error(name, x, valid)


def _check_kernel(kernel: Kernel) -> Kernel:
    if kernel.program.dims:
        raise InputError(
            f"{kernel.__name__} has axes of any length, {kernel.program.signature}: rows of tables have none"
        )
    return kernel


def _constants(values: Mapping[str, Any], kernel: Kernel) -> dict[str, Any]:
    """Arguments that are the same for all states, by name, as arrays of the kernel's dtype."""
    arguments, constants = {a.name: a for a in kernel.program.inputs}, {}
    for name, value in values.items():
        if name not in arguments:
            raise unknown_name_error("argument in constants", name, arguments)
        x = as_array(f"constants: {name}", value)
        if check_core(kernel.program, arguments[name], x):
            raise InputError(f"constants: {name} must have shape {arguments[name].shape}, got {x.shape}")
        constants[name] = x.astype(kernel.dtype)
    if len(constants) == len(arguments):
        raise InputError(f"constants has all arguments of {kernel.__name__}: nothing is left for the source")
    return constants


def _check_apart(place: str, paths: Any, source: Source) -> None:
    """An error if results would stand among the files that are read, or where no files can be written."""
    if "://" in place and not place.endswith(".zarr"):
        raise InputError(f"target must be a folder that all workers see, got {place!r}; Zarr groups may be elsewhere")
    if isinstance(source, ParquetSource):
        target, places = Path(os.path.abspath(place)), [paths] if isinstance(paths, str | os.PathLike) else paths
        if target in {Path(file.path).parent for file in source.files}:
            raise InputError(f"{place!r} is the folder of the source: choose another target")
        for folder in (Path(os.path.abspath(x)) for x in places if os.path.isdir(x)):
            if target.is_relative_to(folder):
                raise InputError(f"{place!r} is inside of {str(folder)!r}, all of which is read: choose another target")


def _source(source: Any, kernel: Kernel, fixed: Any, columns: Any, keep: tuple[str, ...]) -> Source:
    states: Source
    if isinstance(source, str | os.PathLike):
        source = os.fspath(source)
        source = source if "://" in source else os.path.abspath(source)
    if isinstance(source, Mapping):
        states = array_source(source, kernel, fixed)
    elif hasattr(source, "store_path") or (isinstance(source, str) and _is_zarr(source)):
        states = zarr_source(source, kernel, fixed, columns)
    elif isinstance(source, str | list | tuple) and source:
        places = [source] if isinstance(source, str) else [os.fspath(x) for x in source]
        return parquet_source(places, kernel, fixed, columns, keep)
    else:
        raise InputError(
            "source must be Parquet files, a Zarr group or a mapping of names to Dask arrays, got "
            f"{type(source).__name__}"
        )
    if keep:
        raise InputError("keep= copies columns of Parquet files to Parquet files; the source has none")
    return states


def _is_zarr(place: str) -> bool:
    marks = ("zarr.json", ".zgroup", ".zarray")
    return place.rstrip("/\\").endswith(".zarr") or any(Path(place, x).exists() for x in marks)


def _target(
    place: str, kernel: Kernel, source: Source, names: tuple[str, ...], layout: str, compression: str, rows: int
) -> PieceTarget:
    place = place if "://" in place else os.path.abspath(place)
    shapes, dtype = tuple(a.shape for a in kernel.program.outputs), kernel.dtype.name
    kept = source.kept if isinstance(source, ParquetSource) else ()
    if not place.endswith(".zarr"):
        return ParquetTarget(
            folder=place,
            names=names,
            shapes=shapes,
            dtype=dtype,
            entries=layout == "columns",
            compression=compression,
            kept=kept,
        )
    if kept:
        raise InputError("keep= copies columns to Parquet files, but the target is a Zarr group")
    if compression == "snappy":
        raise unknown_name_error("compression of Zarr arrays", compression, COMPRESSIONS[:3])
    return ZarrTarget(place=place, names=names, shapes=shapes, dtype=dtype, compression=compression, rows=rows)
