"""CasADi's symbols in arrays of objects, with every operation that algorithms ask of a scalar (see `arrays`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from ...casadi.scalars import operations

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
