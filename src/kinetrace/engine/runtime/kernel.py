"""`Kernel`: a program that can be called."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from ...errors import InputError, count_text, unknown_name_error
from ...support.attributes import Frozen, cached_property
from ..cache import one_per_content
from ..plan.memory import SCALAR_TYPES, check_dtype
from ..trace import CompactLayout, OpCount, Program
from . import compiler, fastcall
from .batch import Batch, check_threads
from .recipe import Backend, KernelRecipe

_SINGLE_DTYPES = frozenset(map(np.dtype, (np.float64, np.float32, np.int64)))
_NUMBER_TYPES = frozenset((float, int, bool, np.float64, np.float32))
MOST_ARRAYS = 64
"""Arguments and results that NumPy allows a ufunc."""
OPERATION_LABELS = {
    "mul": "multiplications",
    "add": "additions",
    "div": "divisions",
    "sqrt": "square roots",
    "trig": "sines, cosines, …",
}
BAR_COLOR = "#4c8bd0"
BAR_PIXELS = 160
"""Of the longest bar in pixels."""


class Kernel(Frozen):
    """Compiled function of arrays with leading batch axes.

    `kinetrace.compile` and `Robot.kernel` make kernels. Code for batches and code for single states is compiled on the
    first call of each kind.

    Parameters
    ----------
    program : Program
        Straight-line code to compile.
    dtype : {"float64", "float32"} or dtype, default "float64"
        Precision of arrays and arithmetic.
    backend : {"llvm", "numpy"}, default "llvm"
        Whether the program is compiled, or interpreted.
    threads : int, optional
        Number of threads for large batches; as many as there are cores unless given.
    origin : KernelRecipe, optional
        What it is compiled from, if `kinetrace.compile` makes it: the function and the model.

    Raises
    ------
    InputError
        If a setting is unknown, or there are too many arrays.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kernel = kt.compile(kt.algorithms.gravity, kt.load("planar2r"))
    >>> kernel([[0.0, 0.0], [0.5, 0.5]]).round(3)
    array([[19.62 ,  4.905],
           [15.564,  2.65 ]])
    >>> print(kernel.count())
    9 mul, 4 add, 0 div, 0 sqrt, 4 trig
    """

    program: Program
    dtype: np.dtype[Any]
    backend: Backend
    threads: int | None
    compiled: bool
    batch: Batch
    __name__: str
    origin: KernelRecipe | None
    _has_fast_path: bool
    _states_at_once: int
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
        backend: Backend = "llvm",
        threads: int | None = None,
        origin: KernelRecipe | None = None,
    ) -> None:
        name = check_settings(dtype, backend)
        check_threads(threads)
        if not program.outputs or len(program.inputs + program.outputs) > MOST_ARRAYS:
            count = f"takes {count_text(len(program.inputs), 'array')} and returns {len(program.outputs)}"
            raise InputError(f"{program.name} {count}; it must return one, and {MOST_ARRAYS} in all are possible")
        self._set(program=program, dtype=np.dtype(name), backend=backend, threads=threads)
        sizes = [a.size for a in program.inputs + program.outputs]
        self._set(compiled=backend == "llvm" and all(sizes), origin=origin)  # NumPy refuses 0
        if self.compiled:
            compiler.get()
        reduced = partial(_pickle_recipe, program, origin, (name, backend, threads))
        self._set(batch=Batch(program, self.dtype, self.compiled, threads, origin, reduced))
        plain = bool(program.inputs) and self.compiled and not program.dims
        states = fastcall.states_at_once(program.inputs, program.work, self.dtype.itemsize) if plain else 0
        self._set(_has_fast_path=plain and fastcall.available(), _states_at_once=states)
        self._set(__name__=program.name, __doc__=f"{program.name}: {program.signature}")

    def __call__(self, *arrays: npt.ArrayLike, out: Any = None, threads: int | None = None) -> Any:
        """Evaluate on arrays with the shapes of `program.inputs` after any batch axes, which broadcast.

        `out` receives the result, and may overlap the arguments; `threads` overrides the kernel's own setting (None: as
        many as there are cores, for calls large enough to gain by it).
        """
        if threads is None:
            fast = vars(self).get("call")
            if fast is not None or self.is_single(arrays):
                return (fast or self.call)(*arrays) if out is None else self.call(*arrays, out=out)
        return self.batch(*arrays, out=out, threads=threads)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """Function of arrays, with no keyword but `out`: the fastest way to evaluate one state.

        It is compiled when it is first read.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> gravity = kt.load("planar2r").kernel("gravity").call
        >>> gravity(np.array([0.0, 0.0])).round(3)
        array([19.62 ,  4.905])
        """
        if not self._has_fast_path:
            return self.batch
        code, choices, arrays = self.single(), fastcall.ChoiceTable(0), len(self.program.inputs)
        choices.add((), code)
        alone = fastcall.Call(("",) * arrays, arrays, arrays)
        made: Callable[..., Any] = fastcall.wrap(code, self.dtype, self.batch, choices, alone, self.program.name)
        return made

    def is_single(self, arrays: tuple[Any, ...]) -> bool:
        """Whether the code for one state can evaluate these arguments: that of the function `call`.

        Parameters
        ----------
        arrays : tuple
            Arguments of a call: arrays of float64, float32 or int64 in any layout, lists of numbers, numbers.

        Returns
        -------
        bool
            Whether they are one state, with or without leading axes of length 1, or a few states of a small program.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kernel = kt.load("planar2r").kernel("gravity")
        >>> kernel.is_single(([0, 0.5],)), kernel.is_single((np.zeros((1, 2)),)), kernel.is_single((np.zeros((99, 2)),))
        (True, True, False)
        """
        inputs = self.program.inputs
        if not self._has_fast_path or len(arrays) != len(inputs):
            return False
        most, batch = self._states_at_once, ()
        for x, a in zip(arrays, inputs, strict=True):
            kind = type(x)
            if kind is np.ndarray:
                leading = x.ndim - len(a.shape)
                states = math.prod(x.shape[: max(0, leading)])
                if (
                    x.shape[max(0, leading) :] != a.shape
                    or x.dtype not in _SINGLE_DTYPES
                    or not 0 < states <= max(1, most)
                ):
                    return False
                several = x.shape[:leading] if states > 1 else ()
                batch = batch or several
                if leading > fastcall.MOST_BATCH_AXES or batch != (several or batch):
                    return False
            elif kind in (list, tuple) and len(a.shape) == 1:
                if len(x) != a.shape[0] or not _NUMBER_TYPES.issuperset(map(type, x)):
                    return False
            elif a.shape or kind not in _NUMBER_TYPES:
                return False
        return True

    def single(self) -> fastcall.SingleStateCode:
        """Machine code for one state, compiled unless it is in use.

        Returns
        -------
        SingleStateCode
            The code.

        Examples
        --------
        >>> import kinetrace as kt
        >>> type(kt.load("planar2r").kernel("gravity").single()).__name__
        'SingleCode'
        """
        made: fastcall.SingleStateCode = compiler.get().single(self.program, SCALAR_TYPES[self.dtype.name])
        return made

    @property
    def gufunc(self) -> Any:
        """The NumPy gufunc, compiled on first use; None without a compiler.

        It cannot be pickled, and arrays of Dask and xarray refuse it: the kernel can, and takes them.
        """
        return self.batch.gufunc

    @property
    def from_cache(self) -> bool:
        """Whether the code of the gufunc was found on disk."""
        return bool(self.batch.built and self.batch.built.owner.from_cache)

    @cached_property
    def layouts(self) -> tuple[CompactLayout, ...]:
        """Layouts of the outputs: where their numbers stand in the arrays; see `CompactLayout` and `compile(compact=)`.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").kernel("mass_matrix", compact=True).layouts
        (<layout of (2, 2): 2 numbers>,)
        """
        return self.program.layouts or tuple(CompactLayout.whole(a.shape) for a in self.program.outputs)

    def dense(self, *outputs: npt.ArrayLike) -> Any:
        """Arrays that the outputs of a compact kernel stand for.

        Parameters
        ----------
        *outputs : array_like, shape (..., k)
            All outputs of the kernel.

        Returns
        -------
        ndarray or tuple of ndarray
            The arrays, as the kernel without `compact` returns them.

        Raises
        ------
        InputError
            If the number of outputs or a shape does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kernel = kt.load("planar2r").kernel("mass_matrix", compact=True)
        >>> M = kernel([0.0, 0.0])
        >>> M.round(3), kernel.dense(M).round(3)
        (array([2.667, 0.833]), array([[2.667, 0.833],
               [0.833, 0.333]]))
        """
        if len(outputs) != len(self.layouts):
            raise InputError(f"{self.__name__} has {count_text(len(self.layouts), 'output')}, got {len(outputs)}")
        made = tuple(layout.dense(x) for layout, x in zip(self.layouts, outputs, strict=True))
        return made[0] if len(made) == 1 else made

    def count(self) -> OpCount:
        """Number of scalar operations for one state.

        Returns
        -------
        OpCount
            The count.

        Examples
        --------
        >>> import kinetrace as kt
        >>> print(kt.load("planar2r").kernel("gravity").count())
        9 mul, 4 add, 0 div, 0 sqrt, 4 trig
        """
        return self.program.count()

    def sources(
        self,
        name: str | None = None,
        *,
        lang: str = "c",
        about: Sequence[str] = (),
        states: Sequence[npt.ArrayLike] | None = None,
    ) -> dict[str, str]:
        """Source files of the kernel in another language, with a program that tests them.

        Parameters
        ----------
        name : str, optional
            Name of the function and of the files; the kernel's unless given.
        lang : {"c", "cuda", "javascript"}, default "c"
            Language: C99 or CUDA in the kernel's precision, or JavaScript, which has double precision only.
        about : sequence of str, default ()
            Lines for the comment on top.
        states : sequence of array_like, optional
            States of the test, an array (k, *shape) for each input; numbers between 0.1 and 0.9 unless given.

        Returns
        -------
        dict of str to str
            File names, and their texts: the same texts for the same arguments.

        Raises
        ------
        InputError
            If the language is unknown or lacks the precision, or a name cannot be used in it.

        Examples
        --------
        >>> import kinetrace as kt
        >>> sorted(kt.load("planar2r").kernel("gravity").sources("arm_gravity", lang="javascript"))
        ['arm_gravity.mjs', 'arm_gravity_test.mjs']
        """
        from ..targets.text.sources import sources  # not at the top: few write source

        return sources(self.program, name, lang=lang, dtype=self.dtype.name, about=about, states=states)

    def __reduce__(self) -> Any:
        return _pickle_recipe(self.program, self.origin, (self.dtype.name, self.backend, self.threads))

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}{self.program.signature} {self.dtype.name}, {self.count()}>"

    def _repr_html_(self) -> str:
        return _html(self)


def _pickle_recipe(program: Program, origin: KernelRecipe | None, settings: tuple[Any, ...]) -> tuple[Any, ...]:
    """A function and its arguments, which make the kernel in another process."""
    return (None if origin is None else origin(*settings)) or (_rebuild, (program, *settings))


def _rebuild(program: Program, dtype: str, backend: Backend, threads: int | None) -> Kernel:
    """A kernel that was pickled with its program; the same one for the same program."""
    make = partial(Kernel, program, dtype=dtype, backend=backend, threads=threads)
    about = program.name, program.inputs, program.outputs, program.layouts, program.digest
    return one_per_content((*about, dtype, backend, threads), make)


def check_settings(dtype: npt.DTypeLike, backend: str) -> str:
    """The name of the dtype, if kernels of it exist, and if the backend does.

    >>> check_settings(float, "llvm")
    'float64'
    """
    name = check_dtype(dtype)
    if not isinstance(backend, str) or backend not in get_args(Backend):
        raise unknown_name_error("backend", backend, get_args(Backend))
    return name


def _html(kernel: Kernel) -> str:
    """The HTML of a kernel: signature, arrays, and operation counts."""
    from ...support.html import block, code, details, facts, html_text, table  # not at the top: notebooks alone need it

    program, count = kernel.program, asdict(kernel.count())
    title = f"<b>{html_text(kernel.__name__)}</b> <span style='opacity:0.7'>Kernel</span>"
    arrays = [
        [code(a.name), "argument" if k < len(program.inputs) else "result", html_text(_shape(a.shape))]
        for k, a in enumerate((*program.inputs, *program.outputs))
    ]
    most = max(count.values()) or 1
    rows = [[OPERATION_LABELS[kind], f"{n:,}", _bar(n / most)] for kind, n in count.items()]
    found = [
        ("signature", code(program.signature)),
        ("computes in", f"{kernel.dtype.name}, {'compiled' if kernel.compiled else 'interpreted'}"),
        ("operations", f"{sum(count.values()):,} per state"),
    ]
    parts = facts(found), details("arrays", table(["", "", "shape"], arrays), is_open=len(arrays) <= 6)
    return block(title, *parts, details("operations", table(["", "", ""], rows, right=(1,)), is_open=True))


def _shape(shape: tuple[int, ...]) -> str:
    return f"(..., {', '.join(map(str, shape))})" if shape else "(...)"


def _bar(share: float) -> str:
    wide = round(BAR_PIXELS * share)
    return (
        f'<svg width="{BAR_PIXELS}" height="10" role="img"><rect width="{wide}" height="10" fill="{BAR_COLOR}"/></svg>'
    )
