"""`Kernel`: a program that can be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ...errors import InputError, unknown
from ...support.frozen import Frozen
from ...support.lazy import cached_property
from ...trace import Layout, OpCount, Program
from . import compiler, fastcall
from .batch import Batch, check_threads

Backend = Literal["llvm", "numpy"]
MOST_ARRAYS = 64
"""Arguments and results that NumPy allows a ufunc."""


class Kernel(Frozen):
    """A compiled function of arrays with leading batch axes.

    `program` is the straight-line code it was made from, `gufunc` the NumPy gufunc itself (None with the backend
    "numpy"), and `call` the quickest way to call it on one state, without keywords. Code for batches and code for
    single states are made on the first call of each kind. `origin` takes (dtype, backend, threads) and returns what is
    pickled instead of the program, a function and its arguments; without it, or if it returns None, the program itself
    is pickled.
    """

    program: Program
    dtype: np.dtype[Any]
    backend: Backend
    threads: int | None
    compiled: bool
    batch: Batch
    __name__: str
    _origin: Callable[..., Any] | None
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
        origin: Callable[..., Any] | None = None,
    ) -> None:
        name = check_settings(dtype, backend)
        check_threads(threads)
        if not program.outputs or len(program.inputs + program.outputs) > MOST_ARRAYS:
            count = f"takes {len(program.inputs)} arrays and returns {len(program.outputs)}"
            raise InputError(f"{program.name} {count}; it must return one, and {MOST_ARRAYS} in all are possible")
        self._set(program=program, dtype=np.dtype(name), backend=backend, threads=threads)
        sizes = [a.size for a in program.inputs + program.outputs]
        self._set(compiled=backend == "llvm" and all(sizes), _origin=origin)  # NumPy refuses 0
        if self.compiled:
            compiler.get()
        self._set(batch=Batch(program, self.dtype, self.compiled, threads))
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
        """A function of arrays without keywords, the quickest for one state; compiled when it is first asked for."""
        if not self._has_fast_path:
            return self.batch
        code, choices, arrays = self.single(), fastcall.ChoiceTable(0), len(self.program.inputs)
        choices.add((), code)
        alone = fastcall.Call(("",) * arrays, arrays, arrays)
        made: Callable[..., Any] = fastcall.wrap(code, self.dtype, self.batch, choices, alone, self.program.name)
        return made

    def is_single(self, arrays: tuple[Any, ...]) -> bool:
        """Whether code for one state answers: plain arrays of these shapes, in C order, or Python's own floats."""
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
        """The code for one state, compiled if it is not in use."""
        made: fastcall.Code = compiler.get().single(self.program, compiler.IR_TYPE[self.dtype.name])
        return made

    @property
    def gufunc(self) -> Any:
        """The NumPy gufunc, compiled on first use; None without a compiler. It cannot be pickled, the kernel can."""
        return self.batch.gufunc

    @property
    def from_cache(self) -> bool:
        """Whether the gufunc's code was on disk."""
        return bool(self.batch.built and self.batch.built.owner.from_cache)

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """Of each output, where its numbers stand in the array that it is of: see `Layout`, and `compile(compact=)`."""
        return self.program.layouts or tuple(Layout.whole(a.shape) for a in self.program.outputs)

    def dense(self, *outputs: npt.ArrayLike) -> Any:
        """The arrays that the outputs of a compact kernel are of, as the kernel without `compact` returns them.

        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("quadruped", base="free")
        >>> q, v = robot.random(1000, seed=0), np.zeros((1000, robot.nv))
        >>> kernel = robot.kernel("inverse_dynamics_derivatives", compact=True)
        >>> by_q, by_v, M = compact = kernel(q, v, v)
        >>> by_q.shape, M.shape
        ((1000, 159), (1000, 100))
        >>> by_q, by_v, M = kernel.dense(*compact)
        >>> by_q.shape, M.shape
        ((1000, 18, 18), (1000, 18, 18))
        """
        if len(outputs) != len(self.layouts):
            some = f"{len(self.layouts)} output{'s'[: len(self.layouts) != 1]}"
            raise InputError(f"{self.__name__} has {some}, got {len(outputs)}")
        made = tuple(layout.dense(x) for layout, x in zip(self.layouts, outputs, strict=True))
        return made[0] if len(made) == 1 else made

    def count(self) -> OpCount:
        """Scalar operations for one state."""
        return self.program.count()

    def __reduce__(self) -> Any:
        settings = self.dtype.name, self.backend, self.threads
        return (self._origin and self._origin(*settings)) or (_rebuild, (self.program, *settings))

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}{self.program.signature} {self.dtype.name}, {self.count()}>"


def _rebuild(program: Program, dtype: str, backend: Backend, threads: int | None) -> Kernel:
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
    if name not in compiler.IR_TYPE:
        raise unknown("dtype", name, compiler.IR_TYPE)
    if backend not in get_args(Backend):
        raise unknown("backend", backend, get_args(Backend))
    return name
