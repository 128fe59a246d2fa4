"""A program that can be called: broadcasting, threads, messages.

The numbers go straight to a NumPy gufunc. Only if that refuses are the arguments looked at, to say what is wrong.
"""

from __future__ import annotations

import ctypes
import math
import os
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError, unknown
from ..trace import Argument, OpCount, Program
from . import fastcall, share

_IR_TYPE = {"float64": "double", "float32": "float"}
BACKENDS = ("llvm", "numpy")
MOST_ARRAYS = 64
"""Arguments and results that NumPy allows a ufunc."""
PARALLEL_FROM = 1 << 23
"""Operations in a call above which threads pay."""
PART, MOST_PARTS = 1 << 20, 16
"""Operations that a thread takes at a time, at least: cores are seldom equally free; and how many such parts each."""


class Kernel:
    """A compiled function of arrays with leading batch axes.

    `program` is the straight-line code it was made from, `gufunc` the NumPy gufunc itself (None with the backend
    "numpy"), and `call` the quickest way to call it, without keywords. Code for batches and code for single states are
    made when the first of either comes. `origin`, of the other settings, is what is pickled in place of the program:
    a function and its arguments; None if there is no less.
    """

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
        self.program, self.dtype, self.backend, self.threads = program, np.dtype(name), backend, threads
        self.compiled = backend == "llvm" and all(a.size for a in program.inputs + program.outputs)  # NumPy refuses 0
        self._origin = origin
        self.seen_single = False
        self.call: Callable[..., Any]
        self._general = self.call = _General(program, self.dtype, self.compiled, threads)
        if self.compiled:
            _check_compiler()
            if fastcall.available():
                self.call = partial(_first, weakref.ref(self), self._general)
        self.__name__, self.__doc__ = program.name, f"{program.name}: {program.signature}"

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
        """A callable of one state in plain arrays; anything else goes to `general`, as does all if none can be made.

        `call` says what else it takes; without, it takes the arrays alone.
        """
        if not fastcall.available():
            return general
        from .build import single  # not at the top: without LLVM, the other backend still works

        made = single(self.program, _IR_TYPE[self.dtype.name])
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
    kernel.seen_single = True
    kernel.call = kernel.single(general, kernel.program.name)
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
    except TypeError:
        name = str(dtype)
    if name not in _IR_TYPE:
        raise unknown("dtype", name, _IR_TYPE)
    if backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    return name


def _check_compiler() -> None:
    """An error that says what to do where there is no compiler: the other backend is too slow to be taken unasked."""
    try:
        import llvmlite  # noqa: F401
    except ImportError as error:
        raise InputError(
            'backend="llvm" needs the package llvmlite, which is not installed here: install it, or choose '
            'backend="numpy", which interprets: everything works, some hundred times slower'
        ) from error


def check_threads(threads: int | None) -> None:
    """A number of threads is a whole number, at least 1, or None.

    >>> check_threads(2)
    """
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
        raise InputError(f"threads must be a whole number, at least 1, or None for all cores; got {threads!r}")


class _General:
    """The way to call a program with anything but one state in plain arrays."""

    def __init__(self, program: Program, dtype: np.dtype[Any], compiled: bool, threads: int | None) -> None:
        self.program, self.dtype, self.threads, self.compiled = program, dtype, threads, compiled
        self.options: dict[str, Any] = {"dtype": dtype, "casting": "same_kind"} if dtype == np.float32 else {}
        states = PARALLEL_FROM // max(1, program.size)
        self.large = [states * a.size * dtype.itemsize for a in program.inputs]
        self.suspects = _suspects(program)

    @cached_property
    def built(self) -> Any:
        """The compiled code for batches."""
        from .build import batch  # not at the top: without LLVM, the other backend still works

        return batch(self.program, _IR_TYPE[self.dtype.name]) if self.compiled else None

    @cached_property
    def run(self) -> Callable[..., Any]:
        """Evaluate on arrays that are as they should be."""
        return _quiet(self.built.entry, self.suspects) if self.compiled else self._interpret

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None) -> Any:
        if threads is not None:
            check_threads(threads)
        try:
            for x, large in zip(arrays, self.large, strict=True):
                if type(x) is not np.ndarray:  # a list, a number, a subclass: results are plain arrays
                    return self(*map(self._array, arrays), out=out, threads=threads)
                if threads != 1 and (x.nbytes > large or threads is not None):
                    return self._in_parallel(arrays, out, threads)
            return self.run(*arrays, out=out, **self.options)
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            _check_out(self.program, _check(self.program, arrays), out)
            raise InputError(f"{self.program.name}: {error}") from error

    def _array(self, x: Any) -> Any:
        try:
            return np.asarray(x)
        except ValueError as error:  # rows of unequal length
            raise InputError(f"{self.program.name}: {error}") from error

    def _interpret(self, *arrays: Any, out: Any = None, **_: Any) -> Any:
        """The backend without a JIT."""
        _check(self.program, arrays)
        results = tuple(x.astype(self.dtype, copy=False) for x in self.program.evaluate(*arrays))
        if out is not None:
            return _written(results, out)
        results = tuple(x[()] for x in results)  # a scalar rather than an array without axes
        return results[0] if len(results) == 1 else results

    def _in_parallel(self, arrays: tuple[Any, ...], out: Any, threads: int | None) -> Any:
        """Cut the batch into parts and give each thread some."""
        inputs, outputs = self.program.inputs, self.program.outputs
        threads = threads or self.threads or _cores()
        batch = _check(self.program, arrays)
        given = () if out is None else out if isinstance(out, tuple) else (out,)
        plain = all(
            isinstance(y, np.ndarray)
            and y.shape == (*batch, *a.shape)
            and not any(np.may_share_memory(x, y) for x in arrays)
            for y, a in zip(given, outputs, strict=False)
        ) and (out is None or (len(given) == len(outputs) and not _entangled(self.suspects, arrays, out)))
        if threads < 2 or not batch or 0 in batch or not plain or not self.compiled:
            return self.run(*arrays, out=out, **self.options)
        results = given or tuple(np.empty((*batch, *a.shape), self.dtype) for a in outputs)
        states = math.prod(batch)
        part = max(1, states // (threads * MOST_PARTS), PART // max(1, self.program.size))
        part += -part % 64  # whole stretches, mostly
        fit = all(x.dtype == self.dtype for x in (*arrays, *results)) and all(y.flags.writeable for y in results)
        task = share.task(inputs + outputs, (*arrays, *results), batch, part) if fit else None
        work = (
            self._parts(arrays, results, batch, part)
            if task is None
            else partial(self._shared, task, (*arrays, *results))
        )
        _together(work, min(threads, -(-states // part)))
        return results[0] if len(results) == 1 else results

    def _shared(self, task: Any, _: tuple[Any, ...]) -> None:
        """Take parts, without Python's lock; the arrays must outlive that, though a caller may be interrupted."""
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.built.share)(task.ctypes.data)

    def _parts(
        self, arrays: tuple[Any, ...], results: tuple[Any, ...], batch: tuple[int, ...], part: int
    ) -> Callable[[], None]:
        """What takes parts of arrays of any layout: slices of the longest batch axis."""
        inputs, outputs, axis = self.program.inputs, self.program.outputs, int(np.argmax(batch))
        parts = max(1, min(batch[axis], math.prod(batch) // part))
        left = iter([*pairwise(batch[axis] * k // parts for k in range(parts + 1))])

        def work() -> None:
            for begin, end in left:
                xs = [_rows(x, a, batch, axis, begin, end) for x, a in zip(arrays, inputs, strict=True)]
                ys = [_rows(y, a, batch, axis, begin, end) for y, a in zip(results, outputs, strict=True)]
                self.run(*xs, out=tuple(ys), **self.options)

        return work


def _together(work: Callable[[], None], threads: int) -> None:
    """Do it here and on other threads at once; there are no others when the interpreter ends."""
    helpers: list[Future[None]] = []
    try:
        try:
            while len(helpers) < threads - 1:
                helpers.append(_pool().submit(work))
        except RuntimeError as error:
            if "shutdown" not in str(error):
                raise
        work()
    finally:
        wait(helpers)
    for helper in helpers:
        helper.result()


def _quiet(gufunc: Any, suspects: Sequence[tuple[int, int]]) -> Callable[..., Any]:
    """Without NumPy's warnings: lanes that a selection discards, and comparisons with NaN, set the machine's flags."""

    def run(*arrays: Any, out: Any, **options: Any) -> Any:
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


def _entangled(suspects: Sequence[tuple[int, int]], arrays: tuple[Any, ...], out: Any) -> bool:
    """Whether `out` overlaps itself or the arguments in a way that NumPy leaves alone."""
    everything = (*arrays, *out) if isinstance(out, tuple) else (*arrays, out)
    effort: Any = 1  # as much as NumPy's own iterator takes
    pairs = ((everything[i], everything[j]) for i, j in suspects if j < len(everything))
    return any(np.may_share_memory(x, y, effort) for x, y in pairs)


def _written(results: tuple[Any, ...], out: Any) -> Any:
    """Results in the arrays given for them, one after the other."""
    given = out if isinstance(out, tuple) else (out,)
    for target, x in zip(given, results, strict=True):
        np.copyto(target, x, casting="same_kind")
    return given[0] if len(given) == 1 else given


def _check(program: Program, arrays: tuple[Any, ...]) -> tuple[int, ...]:
    """The batch shape, or an error that names the argument at fault."""
    name, arguments = program.name, program.inputs
    if len(arrays) != len(arguments):
        names = ", ".join(a.name for a in arguments)
        raise InputError(f"{name} takes {len(arguments)} arrays ({names}), got {len(arrays)}")
    shapes = []
    for x, argument in zip(map(np.asarray, arrays), arguments, strict=True):
        wanted = "(" + ", ".join(["...", *map(str, argument.shape)]) + ")"
        if x.dtype.kind not in "fiub":
            raise InputError(f"{name}: {argument.name} must hold real numbers, got dtype {x.dtype}")
        if x.dtype.kind == "f" and x.dtype.itemsize > 8:
            raise InputError(f"{name}: {argument.name} must be float64 or smaller, got dtype {x.dtype}")
        split = x.ndim - len(argument.shape)
        if split < 0 or x.shape[split:] != argument.shape:
            raise InputError(f"{name}: {argument.name} must have shape {wanted}, got {x.shape}")
        shapes.append(x.shape[:split])
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(f"{a.name} {shape}" for a, shape in zip(arguments, shapes, strict=True))
        raise InputError(f"{name}: the batch axes do not broadcast: {listed}") from None


def _check_out(program: Program, batch: tuple[int, ...], out: Any) -> None:
    """An error that says what `out` should have been."""
    if out is None:
        return
    given = out if isinstance(out, tuple) else (out,)
    if len(given) != len(program.outputs):
        raise InputError(f"{program.name}: out must be a tuple of {len(program.outputs)} arrays, got {len(given)}")
    for y, a in zip(given, program.outputs, strict=True):
        if not isinstance(y, np.ndarray):
            raise InputError(f"{program.name}: out must be an array, got {type(y).__name__}")
        if y.shape != (*batch, *a.shape):
            raise InputError(f"{program.name}: out must have shape {(*batch, *a.shape)}, got {y.shape}")


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
