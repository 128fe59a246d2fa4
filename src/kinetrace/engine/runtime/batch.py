"""A program on arrays of any batch shape: broadcasting, threads, messages.

Arguments become plain arrays (`arguments`), and go straight to a NumPy gufunc. Only if that refuses are they looked at
again, to say what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ...errors import InputError, value_text
from ...support.attributes import cached_property
from ...support.threads import cores
from ..plan.memory import LOOP_STRIP_STATES, MOST_PARTS, MOST_WORKERS, PARALLEL_FROM, RARE_WORK, SCALAR_TYPES, cost
from ..trace import Program
from . import arguments, compiler, native_threads, python_threads
from .arguments import Arrays
from .gufunc import warnings_as_before, warnings_off
from .python_threads import Gain
from .recipe import NO_LABELS, ArrayLabels, KernelRecipe


class Batch:
    """The way to call a program with anything; `alone` says whether it has one result.

    `origin` is what its kernel is made of, and `reduced` returns what is pickled instead of that.
    """

    def __init__(
        self,
        program: Program,
        dtype: np.dtype[Any],
        compiled: bool,
        threads: int | None,
        origin: KernelRecipe | None,
        reduced: Callable[[], tuple[Any, ...]],
    ) -> None:
        self.program, self.dtype, self.threads, self.compiled = program, dtype, threads, compiled
        self.origin, self._reduced = origin, reduced
        states = PARALLEL_FROM // cost(program)
        self.large = [states * a.size * dtype.itemsize for a in program.inputs]
        self.huge = [2 * RARE_WORK // PARALLEL_FROM * x for x in self.large]
        """Bytes of each argument above which threads may pay: amid other calls, and after a pause."""
        self._gains = dict[tuple[int, int, bool], Gain]()
        self.suspects, self.alone = _suspects(program), len(program.outputs) == 1
        self.has_series = bool(program.dims)
        """Whether arguments have axes whose length a call tells."""
        self.direct = compiled and dtype == np.float64 and not self.has_series
        """Whether NumPy's own rules for arguments are ours."""

    @cached_property
    def built(self) -> Any:
        """The compiled code for batches; None without a compiler."""
        return compiler.get().batch(self.program, SCALAR_TYPES[self.dtype.name]) if self.compiled else None

    def gufunc_for(self, arrays: Arrays) -> Any:
        """The gufunc for these arrays: where loops are long, one state has code of its own."""
        pairs = zip(arrays, self.program.inputs, strict=False)
        many = any(math.prod(x.shape[: max(0, x.ndim - len(a.shape))]) > 1 for x, a in pairs)
        return self.gufunc if many or not self.program.dims else self.code_for_one.gufunc

    @cached_property
    def code_for_one(self) -> Any:
        """The compiled code for one state with loops of any length."""
        return compiler.get().batch(self.program, SCALAR_TYPES[self.dtype.name], "alone")

    @cached_property
    def gufunc(self) -> Any:
        """The NumPy gufunc; None without a compiler."""
        return self.built and self.built.gufunc

    @cached_property
    def labels(self) -> ArrayLabels:
        """Names of the axes and entries of its arrays."""
        return NO_LABELS if self.origin is None else self.origin.labels

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None) -> Any:
        """Evaluate, in threads if there are enough states; if NumPy refuses the arrays, say what is wrong."""
        if threads is not None and not (type(threads) is int and threads > 0):
            check_threads(threads)
        for x in arrays:
            if type(x) is not np.ndarray:  # a list, a number, a subclass: results are plain arrays
                evaluate = arguments.foreign_evaluation(arrays)
                if evaluate is not None:  # results are arrays of Dask or xarray
                    return evaluate(self, arrays, out, threads)
                arguments.check_tables(self, arrays)
                arrays = arguments.plain_arrays(self.program, arrays)
                break
        targets: Arrays | None = None
        if out is not None:
            plain = self.alone and type(out) is np.ndarray and out.dtype is self.dtype
            targets = (out,) if plain else arguments.targets(self.program, out)
        try:
            shared = self.has_series if threads is None else threads > 1
            if threads is None:
                for x, size in zip(arrays, self.large, strict=True):
                    if x.nbytes > size:
                        shared = True
                        break
            if shared:
                results = self._share(arrays, targets, threads)
            elif not self.direct or (targets is not None and self.suspects):
                results = self._run(arrays, targets)
            else:  # as `_run` does, but without another function on the way
                before = warnings_off()
                try:
                    results = self.gufunc(*arrays) if targets is None else self.gufunc(*arrays, out=targets)
                finally:
                    warnings_as_before(before)
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            # In no variable: its traceback holds this frame, and so the arrays.
            raise self._error_for(arrays, targets, error) from None
        if out is None:
            return results
        return out[0] if isinstance(out, tuple) and len(out) == 1 else out

    def _share(self, arrays: Arrays, targets: Arrays | None, threads: int | None) -> Any:
        """Evaluate on plain arrays in as many threads as are asked for, or as pay."""
        if threads is not None:
            return self._by_several(arrays, targets, threads, 0)
        if self.has_series:
            if self._is_long(arrays):
                return self._in_parallel(arrays, targets, native_threads.worth_waking(), max(x.nbytes for x in arrays))
            return self._run(arrays, targets)
        size, huge = next(
            (x.nbytes, huge) for x, large, huge in zip(arrays, self.large, self.huge, strict=True) if x.nbytes > large
        )
        least = native_threads.worth_waking()
        if least < RARE_WORK or size > huge:
            return self._in_parallel(arrays, targets, least, size)
        return self._run(arrays, targets)

    def __reduce__(self) -> Any:
        return _batch_of, self._reduced()

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return self.program.name, self.program.digest, self.dtype.name, self.compiled

    def _error_for(self, arrays: Arrays, targets: Arrays | None, reason: Exception) -> InputError:
        """The error that says what is wrong with arrays that NumPy refuses for some reason."""
        try:
            batch = arguments.check(self.program, arrays)
            if targets is not None:
                arguments.check_out(self.program, batch, arguments.lengths(self.program, arrays), targets)
        except InputError as error:
            return error.with_traceback(None)
        return InputError(f"{self.program.name}: {reason}")

    def _run(self, arrays: Arrays, out: Arrays | None, gufunc: Any = None) -> Any:
        """Evaluate here and now, on plain arrays, by a gufunc of the program.

        Without NumPy's warnings, see `gufunc`. What has another precision than the kernel is cast: a float64 to float32
        too, but nothing larger.
        """
        before = warnings_off()
        try:
            return self._run_with_warnings(arrays, out, gufunc)
        finally:
            warnings_as_before(before)

    def _run_with_warnings(self, arrays: Arrays, out: Arrays | None, gufunc: Any) -> Any:
        """The same with NumPy's warnings as they are set."""
        if not self.compiled:
            return self._interpret(arrays, out)
        options: dict[str, Any] = {}
        if not self.direct and any(x.dtype != self.dtype for x in arrays):
            if not all(np.can_cast(x.dtype, np.float64, "safe") for x in arrays):
                raise TypeError  # `arguments.check` says which
            options = {"dtype": self.dtype, "casting": "same_kind"}
        if self.program.dims:
            arguments.lengths(self.program, arrays)
        gufunc = gufunc or self.gufunc_for(arrays)
        if out is None:  # which NumPy refuses if there are several
            return gufunc(*arrays, **options)
        if _overlaps(self.suspects, arrays, out):
            results = gufunc(*arrays, **options)
            return _write(results if isinstance(results, tuple) else (results,), out)
        return gufunc(*arrays, out=out, **options)

    def _interpret(self, arrays: Arrays, out: Arrays | None) -> Any:
        """The backend without a JIT."""
        arguments.check(self.program, arrays)
        rounded = [x.astype(self.dtype, copy=False) for x in arrays]
        results = tuple(x.astype(self.dtype, copy=False) for x in self.program.evaluate(*rounded))
        if out is not None:
            return _write(results, out)
        results = tuple(x[()] for x in results)  # a scalar rather than an array without axes
        return results[0] if self.alone else results

    def _in_parallel(self, arrays: Arrays, out: Arrays | None, least: int, size: int) -> Any:
        """Give each thread some of the batch, or the whole to one, if several have not gained by it.

        A worker is woken if each thread has at least so many operations; `size` is that of an argument [bytes].
        """
        most = self.threads or cores()
        about = size.bit_length(), least, out is None
        gain = self._gains.get(about) or self._gains.setdefault(about, Gain())
        begin = perf_counter()
        if gain.pays():
            results = self._by_several(arrays, out, most, least)
            gain.several_took((perf_counter() - begin) / size)
        else:
            results = self._run(arrays, out)
            gain.one_took((perf_counter() - begin) / size)
        return results

    def _by_several(self, arrays: Arrays, out: Arrays | None, most: int, least: int) -> Any:
        """Share a batch: natively, where it runs at one step and there are such threads."""
        most = min(int(most), MOST_WORKERS + 1)
        if most < 2 or not self.compiled:
            return self._run(arrays, out)
        everything = arrays if out is None else (*arrays, *out)
        if python_threads.runs_at_one_step(self.program, everything) and native_threads.hire(most) > 1:
            return self._run(arrays, out, self.built.together(most, least))
        return self._in_slices(arrays, out, most, asked=not least)

    def _in_slices(self, arrays: Arrays, out: Arrays | None, threads: int, asked: bool) -> Any:
        """Cut the batch into slices and give each thread of Python some, if that pays or is asked for."""
        inputs, outputs = self.program.inputs, self.program.outputs
        batch = arguments.check(self.program, arrays)
        lengths = arguments.lengths(self.program, arrays)
        shapes = [(*batch, *arguments.shape_for(a, lengths)) for a in outputs]
        apart = out is None or self._is_apart(arrays, out, shapes)
        states, passes = math.prod(batch), math.prod(lengths.values())
        pays = asked or states * passes * self.program.work > python_threads.SLICES_FROM
        if not batch or 0 in batch or not apart or not pays:  # NumPy refuses what is wrong
            return self._run(arrays, out)
        results = tuple(np.empty(shape, self.dtype) for shape in shapes) if out is None else out
        part = self._part(states, threads, passes)
        work = python_threads.slices(self._run, inputs + outputs, (*arrays, *results), len(inputs), batch, part)
        python_threads.Team(work).run(min(threads, -(-states // part)))
        return results[0] if self.alone else results

    def _is_long(self, arrays: Arrays) -> bool:
        """Whether loops over several states are long enough for threads."""
        pairs = zip(arrays, self.program.inputs, strict=True)
        states = max(math.prod(x.shape[: max(0, x.ndim - len(a.shape))]) for x, a in pairs)
        passes = math.prod(arguments.lengths(self.program, arrays).values())
        return states > 1 and states * passes * cost(self.program) > PARALLEL_FROM

    def _part(self, states: int, threads: int, passes: int) -> int:
        """How many states a slice has: whole strips, mostly; as `thread_parts.part_states` has it."""
        part = max(1, states // (threads * MOST_PARTS), python_threads.SLICE_WORK // max(1, self.program.work * passes))
        if not self.program.dims:
            return part + -part % 64
        if states >= 2 * LOOP_STRIP_STATES * threads:
            return part + -part % LOOP_STRIP_STATES
        part = max(part, -(-states // threads))  # one each: short strips are slow, and a rest would be waited for
        return part + -part % 8

    def _is_apart(self, arrays: Arrays, out: Arrays, shapes: list[tuple[int, ...]]) -> bool:
        """Whether threads may write to `out` while others read: it has the right shape, and overlaps nothing."""
        return all(
            y.shape == shape and y.flags.writeable and not any(np.may_share_memory(x, y) for x in arrays)
            for y, shape in zip(out, shapes, strict=True)
        ) and not _overlaps(self.suspects, arrays, out)


def _batch_of(make: Callable[..., Any], given: tuple[Any, ...]) -> Batch:
    made: Batch = make(*given).batch
    return made


def check_threads(threads: int | None) -> None:
    """A number of threads is a whole number, at least 1, or None.

    >>> check_threads(2)
    """
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1):
        raise InputError(
            f"threads must be a whole number, at least 1, or None for all cores; got {value_text(threads)}"
        )


def _suspects(program: Program) -> list[tuple[int, int]]:
    """Pairs of arguments, outputs after inputs, that are wrong if both are one array, and of which NumPy copies none.

    Two outputs: the later one is what remains. And an output with fewer axes than an input: the array may have as many,
    if another input has more batch axes; NumPy takes it for the same state in the same place.
    """
    everything, inputs = program.inputs + program.outputs, len(program.inputs)
    return [
        (i, j)
        for j in range(inputs, len(everything))
        for i in range(j)
        if i >= inputs or len(everything[i].shape) > len(everything[j].shape)
    ]


def _overlaps(suspects: Sequence[tuple[int, int]], arrays: Arrays, out: Arrays) -> bool:
    """Whether `out` overlaps itself or the arguments in a way that NumPy leaves alone."""
    everything = (*arrays, *out)
    effort: Any = 1  # as much as NumPy's own iterator takes
    pairs = ((everything[i], everything[j]) for i, j in suspects if j < len(everything))
    return any(np.may_share_memory(x, y, effort) for x, y in pairs)


def _write(results: tuple[Any, ...], out: Arrays) -> Any:
    """Results in the arrays given for them, one after the other."""
    fitting = [np.broadcast_to(x, y.shape) for x, y in zip(results, out, strict=True)]
    if not all(y.flags.writeable for y in out):
        raise ValueError  # `arguments.check_out` says so
    for y, x in zip(out, fitting, strict=True):
        np.copyto(y, x, casting="same_kind")
    return out[0] if len(out) == 1 else out
