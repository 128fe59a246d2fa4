"""CasADi: this library's algorithm on its symbols, as the C that it generates, in a C loop over states.

Compiled by `gcc -O3 -march=native`. CasADi folds zeros and ones and shares common expressions (`cse`); the code is one
state after another, as users of CasADi have it.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...frameworks.casadi.function import operations
from ..measure import Run
from ..tasks import BenchStates, BenchTask, Subject, results
from . import Peer, Unsupported

COLUMN = "CasADi C"
MOST_OPERATIONS = 9000
"""Beyond this, gcc takes half a minute and more for one function."""

_LOOP_CODE = """
void run(long long states, {pointers}) {{
  casadi_int iw[{iw} + 1];
  casadi_real w[{w} + 1];
  for (long long k = 0; k < states; ++k) {{
    const casadi_real* arg[{sz_arg} + 1] = {{{arguments}}};
    casadi_real* res[{sz_res} + 1] = {{{outputs}}};
    f(arg, res, iw, w, 0);
  }}
}}
"""


def _casadi() -> Any:
    import casadi

    return casadi


class CasadiPeer(Peer):
    """One robot's algorithms through CasADi and gcc."""

    name, module, package = "CasADi", "casadi", "casadi"

    @classmethod
    def missing(cls) -> str | None:
        """It needs a C compiler too."""
        return super().missing() or (None if shutil.which("gcc") else "needs gcc, which is not on the path")

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.made: dict[str, tuple[Any, list[tuple[int, ...]]]] = {}

    def _library_of(self, task: BenchTask) -> tuple[Any, list[tuple[int, ...]]]:
        """`run(states, inputs..., outputs...)`, and the shapes of the outputs."""
        if self.subject.count(task).flops > MOST_OPERATIONS:
            raise Unsupported(f"more than {MOST_OPERATIONS} operations: gcc takes too long")
        if task.name not in self.made:
            ca, sizes = _casadi(), [x.shape[-1] for x in self.subject.states(1).of(task)]
            xs = [ca.SX.sym(name, n) for name, n in zip(task.arguments, sizes, strict=True)]
            arrays = [_array([Scalar(x[i]) for i in range(x.numel())]) for x in xs]
            ys = results(task.algorithm(self.subject.robot.model, *arrays, **task.static(self.subject)))
            flat = [ca.vertcat(*(e.x if isinstance(e, Scalar) else float(e) for e in y.ravel())) for y in ys]
            function = ca.Function("f", xs, [ca.densify(ca.SX(y)) for y in flat], {"cse": True})
            self.made[task.name] = (
                _shared_library(function, [*sizes, *(y.size for y in ys)], len(sizes)),
                [y.shape for y in ys],
            )
        return self.made[task.name]

    def _pointers(self, task: BenchTask, states: BenchStates) -> tuple[Any, list[Any], list[Any]]:
        run, shapes = self._library_of(task)
        xs = [np.ascontiguousarray(x) for x in states.of(task)]
        ys = [np.empty((len(states), *shape)) for shape in shapes]
        return run, xs, ys

    def results(self, task: BenchTask, states: BenchStates) -> tuple[Any, ...]:
        """All states in one call."""
        run, xs, ys = self._pointers(task, states)
        run(len(states), *(x.ctypes.data for x in (*xs, *ys)))
        return tuple(ys)

    def batch(self, task: BenchTask, states: BenchStates, threads: int) -> dict[str, Run]:
        """One call of the C loop, on one thread."""
        if threads != 1:
            return {}
        run, xs, ys = self._pointers(task, states)
        at = [ctypes.c_void_p(x.ctypes.data) for x in (*xs, *ys)]
        names = {"run": run, "n": len(states), "at": at, "alive": (xs, ys)}
        return {COLUMN: Run("C loop", "run(n, *at)", names, len(states))}


def _array(scalars: list[Scalar]) -> Any:
    array = np.empty(len(scalars), dtype=object)
    array[:] = scalars
    return array


def _shared_library(function: Any, sizes: list[int], inputs: int) -> Any:
    """The function `run` of the generated code, compiled and loaded; its files are deleted at once."""
    names = [f"x{k}" for k in range(len(sizes))]
    pointers = [f"{'const ' if k < inputs else ''}double* {name}" for k, name in enumerate(names)]
    rows = [f"{name} + k * {n}" for name, n in zip(names, sizes, strict=True)]
    loop = _LOOP_CODE.format(
        pointers=", ".join(pointers),
        arguments=", ".join(rows[:inputs]),
        outputs=", ".join(rows[inputs:]),
        **{
            name: getattr(function, name if name.startswith("sz") else f"sz_{name}")()
            for name in ("iw", "w", "sz_arg", "sz_res")
        },
    )
    generator = _casadi().CodeGenerator("f.c", {"with_header": False})
    generator.add(function)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, library = Path(folder) / "f.c", Path(folder) / "f.so"
        source.write_text(generator.dump() + loop, encoding="utf-8")
        command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Unsupported(f"gcc refuses the generated code: {done.stderr.strip().splitlines()[-1]}")
        run = ctypes.CDLL(str(library)).run
    run.argtypes, run.restype = [ctypes.c_longlong, *[ctypes.c_void_p] * len(sizes)], None
    return run


_NUMBERS = (float, int, np.floating, np.integer, np.bool_)
_FUNCTIONS = ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")


@cache
def _operations() -> Mapping[str, Callable[..., Any]]:
    """Those of programs, and what an algorithm that is not traced may write besides."""
    import casadi

    return {
        **operations(casadi),
        **{name: getattr(casadi, name) for name in _FUNCTIONS},
        "pow": lambda a, b: a**b,
        "floordiv": lambda a, b: casadi.floor(a / b),
        "mod": lambda a, b: a - b * casadi.floor(a / b),
        "le": lambda a, b: a <= b,
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
    }


def _method(name: str, reflected: bool = False) -> Callable[..., Scalar]:
    """An operation with scalars and numbers; anything else, such as an array, handles it itself."""

    def method(self: Scalar, *others: Any) -> Scalar:
        if not all(isinstance(x, (Scalar, *_NUMBERS)) for x in others):
            return NotImplemented
        xs = [self.x, *(x.x if isinstance(x, Scalar) else float(x) for x in others)]
        return Scalar(_operations()[name](*(reversed(xs) if reflected else xs)))

    method.__doc__ = f"The operation `{name}`."
    return method


class Scalar:
    """A symbol or an expression (SX) as an entry of an array: bare ones claim NumPy's functions for themselves.

    Comparisons are expressions too, 1 or 0, by which `select` chooses; their truth is not known.

    >>> import casadi
    >>> 0.0 < Scalar(casadi.SX.sym("x"))
    Scalar((0<x))
    """

    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x

    def lift(self, x: Any) -> Scalar:
        """A number as such a scalar."""
        return x if isinstance(x, Scalar) else Scalar(float(x))

    def __bool__(self) -> bool:
        raise TypeError("whether a condition on CasADi's symbols holds is not known: kinetrace.arrays.where chooses")

    def __repr__(self) -> str:
        return f"Scalar({self.x})"

    def __pos__(self) -> Scalar:
        return self

    __neg__, __abs__ = _method("neg"), _method("abs")
    __add__, __radd__ = _method("add"), _method("add", reflected=True)
    __sub__, __rsub__ = _method("sub"), _method("sub", reflected=True)
    __mul__, __rmul__ = _method("mul"), _method("mul", reflected=True)
    __truediv__, __rtruediv__ = _method("div"), _method("div", reflected=True)
    __floordiv__, __rfloordiv__ = _method("floordiv"), _method("floordiv", reflected=True)
    __mod__, __rmod__ = _method("mod"), _method("mod", reflected=True)
    __pow__, __rpow__ = _method("pow"), _method("pow", reflected=True)
    __lt__, __gt__ = _method("lt"), _method("lt", reflected=True)
    __le__, __ge__ = _method("le"), _method("le", reflected=True)
    __eq__, __ne__ = _method("eq"), _method("ne")  # type: ignore[assignment]
    __hash__ = object.__hash__

    sqrt, exp, log, floor = map(_method, ("sqrt", "exp", "log", "floor"))
    sin, cos, atan2 = map(_method, ("sin", "cos", "atan2"))
    tan, asin, acos, atan, sinh, cosh, tanh = map(_method, _FUNCTIONS)
    minimum, maximum, select = map(_method, ("minimum", "maximum", "select"))
