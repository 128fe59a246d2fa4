"""`Kernel`: a program that can be called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from ...cache import arrived
from ...errors import InputError, counted, shortened, unknown
from ...support.frozen import Frozen
from ...support.lazy import cached_property
from ...trace import Layout, OpCount, Program
from . import compiler, fastcall
from .batch import Batch, check_threads
from .origin import Backend, Origin

MOST_ARRAYS = 64
"""Arguments and results that NumPy allows a ufunc."""


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
    origin : Origin, optional
        What it is made of, if `kinetrace.compile` makes it: the function and the model.

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
    origin: Origin | None
    _has_fast_path: bool
    _axes: tuple[int, ...]
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
        origin: Origin | None = None,
    ) -> None:
        name = check_settings(dtype, backend)
        check_threads(threads)
        if not program.outputs or len(program.inputs + program.outputs) > MOST_ARRAYS:
            count = f"takes {counted(len(program.inputs), 'array')} and returns {len(program.outputs)}"
            raise InputError(f"{program.name} {count}; it must return one, and {MOST_ARRAYS} in all are possible")
        self._set(program=program, dtype=np.dtype(name), backend=backend, threads=threads)
        sizes = [a.size for a in program.inputs + program.outputs]
        self._set(compiled=backend == "llvm" and all(sizes), origin=origin)  # NumPy refuses 0
        if self.compiled:
            compiler.get()
        reduced = partial(_reduced, program, origin, (name, backend, threads))
        self._set(batch=Batch(program, self.dtype, self.compiled, threads, origin, reduced))
        axes = tuple(len(a.shape) for a in program.inputs)
        plain = bool(axes) and self.compiled and not program.dims
        self._set(_has_fast_path=plain and fastcall.available(), _axes=axes)
        self._set(__name__=program.name, __doc__=f"{program.name}: {program.signature}")

    def __call__(self, *arrays: npt.ArrayLike, out: Any = None, threads: int | None = None) -> Any:
        """Evaluate on arrays with the shapes of `program.inputs` after any batch axes, which broadcast.

        `out` receives the result, and may overlap the arguments; `threads` overrides the kernel's own setting (None: as
        many as there are cores, for calls large enough to gain by it).
        """
        if out is None and threads is None:
            fast = vars(self).get("call")
            if fast is not None or self.is_single(arrays):
                return (fast or self.call)(*arrays)
        return self.batch(*arrays, out=out, threads=threads)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """Function of arrays without keywords: the fastest way to evaluate one state.

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
        """Whether the code for one state can evaluate these arguments.

        Parameters
        ----------
        arrays : tuple
            Arguments of a call: plain arrays in C order of the shapes of `program.inputs`, or Python floats.

        Returns
        -------
        bool
            Whether they have no batch axes, and need no conversion.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kernel = kt.load("planar2r").kernel("gravity")
        >>> kernel.is_single((np.zeros(2),)), kernel.is_single((np.zeros((5, 2)),))
        (True, False)
        """
        axes = self._axes
        if not axes or len(arrays) != len(axes) or (type(arrays[0]) is np.ndarray and arrays[0].ndim != axes[0]):
            return False
        for x, a in zip(arrays, self.program.inputs, strict=True):
            if type(x) is not np.ndarray:
                if type(x) is not float or a.shape or self.dtype != np.float64:
                    return False
            elif x.shape != a.shape or x.dtype is not self.dtype or not (x.flags.c_contiguous and x.flags.aligned):
                return False
        return self._has_fast_path

    def single(self) -> fastcall.Code:
        """Machine code for one state, compiled unless it is in use.

        Returns
        -------
        Code
            The code.

        Examples
        --------
        >>> import kinetrace as kt
        >>> type(kt.load("planar2r").kernel("gravity").single()).__name__
        'SingleCode'
        """
        made: fastcall.Code = compiler.get().single(self.program, compiler.IR_TYPE[self.dtype.name])
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
    def layouts(self) -> tuple[Layout, ...]:
        """Layouts of the outputs: where their numbers stand in the arrays; see `Layout` and `compile(compact=)`.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").kernel("mass_matrix", compact=True).layouts
        (<layout of (2, 2): 2 numbers>,)
        """
        return self.program.layouts or tuple(Layout.whole(a.shape) for a in self.program.outputs)

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
            raise InputError(f"{self.__name__} has {counted(len(self.layouts), 'output')}, got {len(outputs)}")
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

    def __reduce__(self) -> Any:
        return _reduced(self.program, self.origin, (self.dtype.name, self.backend, self.threads))

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}{self.program.signature} {self.dtype.name}, {self.count()}>"

    def _repr_html_(self) -> str:
        from .html import of_kernel

        return of_kernel(self)


def _reduced(program: Program, origin: Origin | None, settings: tuple[Any, ...]) -> tuple[Any, ...]:
    """A function and its arguments, which make the kernel in another process."""
    return (None if origin is None else origin(*settings)) or (_rebuild, (program, *settings))


def _rebuild(program: Program, dtype: str, backend: Backend, threads: int | None) -> Kernel:
    """A kernel that was pickled with its program; the same one for the same program."""
    make = partial(Kernel, program, dtype=dtype, backend=backend, threads=threads)
    about = program.name, program.inputs, program.outputs, program.layouts, program.digest
    return arrived.shared((*about, dtype, backend, threads), make)


def check_settings(dtype: npt.DTypeLike, backend: str) -> str:
    """The name of the dtype, if kernels of it exist, and if the backend does.

    >>> check_settings(float, "llvm")
    'float64'
    """
    try:
        name = np.dtype(dtype).name
    except Exception:  # of several kinds, by what is no type
        name = shortened(dtype)
    if name not in compiler.IR_TYPE:
        raise unknown("dtype", name, compiler.IR_TYPE)
    if not isinstance(backend, str) or backend not in get_args(Backend):
        raise unknown("backend", backend, get_args(Backend))
    return name
