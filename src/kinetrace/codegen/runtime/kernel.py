"""A program that can be called: broadcasting, threads, messages.

Arguments become plain arrays (`arguments`), and go straight to a NumPy gufunc. Only if that refuses are they looked at
again, to say what is wrong.
"""

from __future__ import annotations

import ctypes
import math
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError, unknown
from ...support.frozen import Frozen
from ...support.lazy import cached_property
from ...trace import Argument, OpCount, Program
from ..llvm.lock import lock
from . import arguments, fastcall, share
from .arguments import Arrays

_IR_TYPE = {"float64": "double", "float32": "float"}
BACKENDS = ("llvm", "numpy")
MOST_ARRAYS = 64
"""Arguments and results that NumPy allows a ufunc."""
PARALLEL_FROM = 1 << 23
"""Operations in a call above which threads pay."""
PART, MOST_PARTS = 1 << 20, 16
"""Operations that a thread takes at a time, at least: cores are seldom equally free; and how many such parts each."""


class Kernel(Frozen):
    """A compiled function of arrays with leading batch axes.

    `program` is the straight-line code it was made from, `gufunc` the NumPy gufunc itself (None with the backend
    "numpy"), and `call` the quickest way to call it, without keywords. Code for batches and code for single states are
    made on the first call of each kind. `origin` takes (dtype, backend, threads) and returns what is pickled instead of
    the program, a function and its arguments; without it, or if it returns None, the program itself is pickled.
    """

    program: Program
    dtype: np.dtype[Any]
    backend: str
    threads: int | None
    compiled: bool
    has_short_path: bool
    seen_single: bool
    call: Callable[..., Any]
    __name__: str
    _origin: Callable[..., Any] | None
    _general: _General
    _instead = dict.fromkeys(
        ("threads", "dtype", "backend"),
        "give it to kt.compile, or to kt.load for the kernels of a robot; a call takes threads= too",
    )
    _otherwise = "kt.compile makes another kernel"

    def __init__(
        self,
        program: Program,
        *,
        dtype: npt.DTypeLike = "float64",
        backend: str = "llvm",
        threads: int | None = None,
        origin: Callable[..., Any] | None = None,
    ) -> None:
        name = check_settings(dtype, backend)
        check_threads(threads)
        if not program.outputs or len(program.inputs + program.outputs) > MOST_ARRAYS:
            count = f"takes {len(program.inputs)} arrays and returns {len(program.outputs)}"
            raise InputError(f"{program.name} {count}; it must return one, and {MOST_ARRAYS} in all are possible")
        self._set(program=program, dtype=np.dtype(name), backend=backend, threads=threads)
        sizes = [a.size for a in program.inputs + program.outputs]
        self._set(compiled=backend == "llvm" and all(sizes), _origin=origin, seen_single=False)  # NumPy refuses 0
        general = _General(program, self.dtype, self.compiled, threads)
        self._set(_general=general, call=general)
        if self.compiled:
            _compiler()
        self._set(has_short_path=self.compiled and fastcall.available())
        if self.has_short_path:
            self._set(call=partial(_first, weakref.ref(self), general))
        self._set(__name__=program.name, __doc__=f"{program.name}: {program.signature}")

    def __call__(self, *arrays: npt.ArrayLike, out: Any = None, threads: int | None = None) -> Any:
        """Evaluate on arrays with the shapes of `program.inputs` after any batch axes, which broadcast.

        `out` receives the result, and may overlap the arguments; `threads` overrides the kernel's own setting (None: as
        many as there are cores, for calls large enough to gain by it).
        """
        if out is None and threads is None:
            return self.call(*arrays)
        return self._general(*arrays, out=out, threads=threads)

    @property
    def gufunc(self) -> Any:
        """The NumPy gufunc, compiled on first use; None without a compiler. It cannot be pickled, the kernel can."""
        return self._general.built and self._general.built.entry

    @property
    def from_cache(self) -> bool:
        """Whether the gufunc's code was on disk."""
        return bool(self._general.built and self._general.built.from_cache)

    def is_single(self, arrays: tuple[Any, ...]) -> bool:
        """Whether the arguments look like one state in plain arrays, a number where there is no axis."""
        return len(arrays) == len(self.program.inputs) and all(
            (type(x) is np.ndarray and x.ndim == len(a.shape)) or (type(x) is float and not a.shape)
            for x, a in zip(arrays, self.program.inputs, strict=True)
        )

    def single(self, general: Any, name: str, doc: str | None = None, call: fastcall.Call | None = None) -> Any:
        """A callable of one state in plain arrays, if there is a short path; anything else goes to `general`.

        `call` says what else it takes; without, it takes the arrays alone.
        """
        made = _compiler().single(self.program, _IR_TYPE[self.dtype.name])
        arrays = len(self.program.inputs)
        return fastcall.wrap(made.entry, made.owner, general, _IR_TYPE[self.dtype.name], arrays, name, doc, call)

    def count(self) -> OpCount:
        """Scalar operations for one state."""
        return self.program.count()

    def __reduce__(self) -> Any:
        settings = self.dtype.name, self.backend, self.threads
        return (self._origin and self._origin(*settings)) or (_rebuild, (self.program, *settings))

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}{self.program.signature} {self.dtype.name}, {self.count()}>"


def _first(held: weakref.ref[Kernel], general: _General, *arrays: Any) -> Any:
    """A kernel's `call`, until it is known that single states come; it must not hold the kernel, which holds it."""
    kernel = held()
    if kernel is None or not kernel.is_single(arrays):
        return general(*arrays)
    kernel._set(seen_single=True, call=kernel.single(general, kernel.program.name))
    return kernel.call(*arrays)


def _rebuild(program: Program, dtype: str, backend: str, threads: int | None) -> Kernel:
    return Kernel(program, dtype=dtype, backend=backend, threads=threads)


def check_settings(dtype: npt.DTypeLike, backend: str) -> str:
    """The name of the dtype, if kernels of it exist, and if the backend does.

    >>> check_settings(float, "llvm")
    'float64'
    """
    try:
        name = np.dtype(dtype).name
    except (TypeError, ValueError):  # a text that cannot be encoded is a ValueError
        name = str(dtype)
    if name not in _IR_TYPE:
        raise unknown("dtype", name, _IR_TYPE)
    if backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    return name


@cache
def _compiler() -> Any:
    """What makes machine code, imported when it is first needed: without llvmlite, the other backend still works."""
    try:
        with lock:  # a fork in the middle of an import would leave it unfinished
            from . import build
    except ImportError as error:
        raise InputError(
            f'backend="llvm" needs the package llvmlite, which cannot be imported ({error}): install it, or choose '
            'backend="numpy", which interprets: everything works, some hundred times slower'
        ) from error
    return build


def why_no_compiler() -> str | None:
    """Why the backend "llvm" does not work here, or None if it does.

    >>> why_no_compiler()
    """
    try:
        _compiler()
    except InputError as error:
        return f"the package llvmlite cannot be imported ({error.__cause__})"
    return None


def check_threads(threads: int | None) -> None:
    """A number of threads is a whole number, at least 1, or None.

    >>> check_threads(2)
    """
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1):
        raise InputError(f"threads must be a whole number, at least 1, or None for all cores; got {threads!r}")


class _General:
    """The way to call a program with anything but one state in plain arrays."""

    def __init__(self, program: Program, dtype: np.dtype[Any], compiled: bool, threads: int | None) -> None:
        self.program, self.dtype, self.threads, self.compiled = program, dtype, threads, compiled
        states = PARALLEL_FROM // max(1, program.size)
        self.large = [states * a.size * dtype.itemsize for a in program.inputs]
        self.suspects, self.alone = _suspects(program), len(program.outputs) == 1

    @cached_property
    def built(self) -> Any:
        """The compiled code for batches."""
        return _compiler().batch(self.program, _IR_TYPE[self.dtype.name]) if self.compiled else None

    @cached_property
    def run(self) -> Callable[..., Any]:
        """Evaluate on arrays that are as they should be."""
        return _quiet(self.built.entry, self.dtype, self.suspects) if self.compiled else self._interpret

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None) -> Any:
        if threads is not None:
            check_threads(threads)
        for x in arrays:
            if type(x) is not np.ndarray:  # a list, a number, a subclass: results are plain arrays
                arrays = arguments.plain(self.program, arrays)
                break
        if out is None:
            return self._checked(arrays, None, threads)
        if self.alone and type(out) is np.ndarray and out.dtype is self.dtype:
            return self._checked(arrays, (out,), threads)
        self._checked(arrays, arguments.targets(self.program, out), threads)
        return out[0] if isinstance(out, tuple) and len(out) == 1 else out

    def _checked(self, arrays: Arrays, out: Arrays | None, threads: int | None) -> Any:
        """Run on plain arrays, in threads if there are enough states; if NumPy refuses them, say what is wrong."""
        try:
            if threads is None:
                for x, large in zip(arrays, self.large, strict=True):
                    if x.nbytes > large:
                        return self._in_parallel(arrays, out, threads)
            elif threads > 1:
                return self._in_parallel(arrays, out, threads)
            return self.run(*arrays, out=out)
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            batch = arguments.check(self.program, arrays)
            if out is not None:
                arguments.check_out(self.program, batch, out)
            raise InputError(f"{self.program.name}: {error}") from error

    def _interpret(self, *arrays: Any, out: Arrays | None) -> Any:
        """The backend without a JIT."""
        arguments.check(self.program, arrays)
        with np.errstate(all="ignore"):
            rounded = [x.astype(self.dtype, copy=False) for x in arrays]
            results = tuple(x.astype(self.dtype, copy=False) for x in self.program.evaluate(*rounded))
            if out is not None:
                return _written(results, out)
        results = tuple(x[()] for x in results)  # a scalar rather than an array without axes
        return results[0] if len(results) == 1 else results

    def _in_parallel(self, arrays: Arrays, out: Arrays | None, threads: int | None) -> Any:
        """Cut the batch into parts and give each thread some."""
        inputs, outputs = self.program.inputs, self.program.outputs
        threads = threads or self.threads or _cores()
        batch = arguments.check(self.program, arrays)
        apart = out is None or (
            all(
                y.shape == (*batch, *a.shape)
                and y.flags.writeable
                and not any(np.may_share_memory(x, y) for x in arrays)
                for y, a in zip(out, outputs, strict=True)
            )
            and not _entangled(self.suspects, arrays, out)
        )
        if threads < 2 or not batch or 0 in batch or not apart or not self.compiled:  # NumPy refuses what is wrong
            return self.run(*arrays, out=out)
        results = tuple(np.empty((*batch, *a.shape), self.dtype) for a in outputs) if out is None else out
        states = math.prod(batch)
        part = max(1, states // (threads * MOST_PARTS), PART // max(1, self.program.size))
        part += -part % 64  # whole stretches, mostly
        fit = all(x.dtype == self.dtype for x in (*arrays, *results))
        task = share.task(inputs + outputs, (*arrays, *results), batch, part) if fit else None
        work = (
            self._parts(arrays, results, batch, part)
            if task is None
            else partial(self._shared, task, (*arrays, *results))
        )
        _Team(work).run(min(threads, -(-states // part)))
        if task is not None:
            share.check(task)
        return results[0] if len(results) == 1 else results

    def _shared(self, task: Any, _: tuple[Any, ...]) -> None:
        """Take parts, without Python's lock; the arrays must outlive that, though a caller may be interrupted."""
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.built.share)(task.ctypes.data)

    def _parts(self, arrays: Arrays, results: Arrays, batch: tuple[int, ...], part: int) -> Callable[[], None]:
        """What takes parts of arrays of any layout: slices of the longest batch axis."""
        inputs, outputs, axis = self.program.inputs, self.program.outputs, int(np.argmax(batch))
        parts = max(1, min(batch[axis], math.prod(batch) // part))
        left = deque(pairwise(batch[axis] * k // parts for k in range(parts + 1)))  # threads may share it

        def work() -> None:
            while True:
                try:
                    begin, end = left.popleft()
                except IndexError:
                    return
                xs = [_rows(x, a, batch, axis, begin, end) for x, a in zip(arrays, inputs, strict=True)]
                ys = [_rows(y, a, batch, axis, begin, end) for y, a in zip(results, outputs, strict=True)]
                self.run(*xs, out=tuple(ys))

        return work


class _Team:
    """Threads that do one piece of work at once, the caller's among them.

    A pool may keep what it could not start a thread for and run it later. Whoever comes after the caller has closed the
    team finds nothing to do, so the caller waits for those who are at work and for nobody else.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.error: BaseException | None = None
        self._at_work, self._closed, self._changed = 0, False, threading.Condition()

    def run(self, threads: int) -> None:
        """Do the work here and on as many threads as the system allows to start, possibly none."""
        try:
            with suppress(RuntimeError):
                for _ in range(threads - 1):
                    _pool().submit(self._help)
            self.work()
        finally:
            with self._changed:
                self._closed = True
                self._changed.wait_for(lambda: not self._at_work)
        if self.error is not None:
            raise self.error

    def _help(self) -> None:
        with self._changed:
            if self._closed:
                return
            self._at_work += 1
        try:
            self.work()
        except BaseException as error:  # the caller raises it
            self.error = error
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify_all()


def _quiet(gufunc: Any, dtype: np.dtype[Any], suspects: Sequence[tuple[int, int]]) -> Callable[..., Any]:
    """Without NumPy's warnings: lanes that a selection discards, and comparisons with NaN, set the machine's flags.

    What has another precision than the kernel is cast: a float64 to float32 too, but nothing larger.
    """
    narrow = dtype != np.float64

    def run(*arrays: Any, out: Arrays | None) -> Any:
        options: dict[str, Any] = {}
        if narrow and any(x.dtype != dtype for x in arrays):
            if not all(np.can_cast(x.dtype, np.float64, "safe") for x in arrays):
                raise TypeError  # `arguments.check` says which
            options = {"dtype": dtype, "casting": "same_kind"}
        with np.errstate(all="ignore"):
            if out is None:  # which NumPy refuses if there are several
                return gufunc(*arrays, **options)
            if suspects and _entangled(suspects, arrays, out):
                results = gufunc(*arrays, **options)
                return _written(results if isinstance(results, tuple) else (results,), out)
            return gufunc(*arrays, out=out, **options)

    return run


def _suspects(program: Program) -> list[tuple[int, int]]:
    """Pairs of arguments, outputs after inputs, that are wrong if both are one array, and of which NumPy copies none.

    Two outputs: the later one is what remains. And an output with fewer axes than an input: the array may have as many,
    if another input has more batch axes; NumPy takes it for the same state in the same place.
    """
    arguments, inputs = program.inputs + program.outputs, len(program.inputs)
    return [
        (i, j)
        for j in range(inputs, len(arguments))
        for i in range(j)
        if i >= inputs or len(arguments[i].shape) > len(arguments[j].shape)
    ]


def _entangled(suspects: Sequence[tuple[int, int]], arrays: Arrays, out: Arrays) -> bool:
    """Whether `out` overlaps itself or the arguments in a way that NumPy leaves alone."""
    everything = (*arrays, *out)
    effort: Any = 1  # as much as NumPy's own iterator takes
    pairs = ((everything[i], everything[j]) for i, j in suspects if j < len(everything))
    return any(np.may_share_memory(x, y, effort) for x, y in pairs)


def _written(results: tuple[Any, ...], out: Arrays) -> Any:
    """Results in the arrays given for them, one after the other."""
    fitting = [np.broadcast_to(x, y.shape) for x, y in zip(results, out, strict=True)]
    if not all(y.flags.writeable for y in out):
        raise ValueError  # `arguments.check_out` says so
    for y, x in zip(out, fitting, strict=True):
        np.copyto(y, x, casting="same_kind")
    return out[0] if len(out) == 1 else out


def _rows(x: Any, argument: Argument, batch: tuple[int, ...], axis: int, begin: int, end: int) -> Any:
    """The part of an array that belongs to batch indices begin…end along one axis."""
    own = x.ndim - len(argument.shape) - len(batch) + axis
    if own < 0 or x.shape[own] == 1:
        return x
    return x[(slice(None),) * own + (slice(begin, end),)]


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(256, thread_name_prefix="kinetrace")  # as many as are asked for; idle ones are used first


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_pool.cache_clear)
