"""Dual numbers x + ε d over any scalar, and by them the exact derivative of a function along a direction.

A joint's subspace S(q) is all that its rate and the gradient of its bias are made of; see `Joint.subspace_rate`. So are
the rows N(X) of a constraint; see `Constraint.rows_rate`. `Symbol` tells code that cannot be traced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import Array, atan2, cos, cosh, exp, floor, less, log, objects, sin, sinh, sqrt, stack, tan, tanh, where
from ..errors import TracedError

Scalar = Any


def derivative_along(function: Callable[[Array], Array], q: Array, rate: Array) -> Array:
    """The derivative of an array function(q) along a rate of q, of its shape, exactly.

    >>> derivative_along(lambda q: q * q[0], np.array([3.0, 5.0]), np.array([1.0, 0.0])).tolist()
    [6.0, 5.0]
    """
    duals = [Dual(x, d) for x, d in zip(_entries(q), _entries(rate), strict=True)]
    values = function(objects(duals, np.shape(q)))
    if not depends(values):
        return np.zeros(values.shape)
    rates = [x.d if isinstance(x, Dual) else 0.0 for x in values.flat]
    return stack(rates).reshape(values.shape)


def depends(values: Array) -> bool:
    """Whether an array, or a list, has dual numbers in it."""
    if isinstance(values, list | tuple):
        return any(map(depends, values))
    if isinstance(values, np.ndarray):
        return values.dtype == object and any(isinstance(x, Dual) for x in values.flat)
    return isinstance(values, Dual)


def _entries(x: Array) -> list[Scalar]:
    flat = x.reshape(-1)
    return [flat[k] for k in range(flat.shape[0])]


class Dual:
    """x + ε d with ε² = 0; its methods are those that `arrays` looks for in a scalar."""

    __slots__ = ("d", "x")

    def __init__(self, x: Scalar, d: Scalar = 0.0) -> None:
        self.x, self.d = x, d

    @staticmethod
    def lift(x: Scalar) -> Dual:
        """A scalar as a dual number."""
        return x if isinstance(x, Dual) else Dual(x)

    def __add__(self, other: Scalar) -> Dual:
        if not isinstance(other, Dual):
            return NotImplemented if isinstance(other, np.ndarray) else Dual(self.x + other, self.d)
        return Dual(self.x + other.x, self.d + other.d)

    def __mul__(self, other: Scalar) -> Dual:
        if not isinstance(other, Dual):
            return NotImplemented if isinstance(other, np.ndarray) else Dual(self.x * other, self.d * other)
        return Dual(self.x * other.x, self.x * other.d + self.d * other.x)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Dual:
        return Dual(-self.x, -self.d)

    def __pos__(self) -> Dual:
        return self

    def __sub__(self, other: Scalar) -> Dual:
        return NotImplemented if isinstance(other, np.ndarray) else self + (-other)

    def __rsub__(self, other: Scalar) -> Dual:
        return -self + other

    def __truediv__(self, other: Scalar) -> Dual:
        if not isinstance(other, Dual):
            return NotImplemented if isinstance(other, np.ndarray) else Dual(self.x / other, self.d / other)
        quotient = self.x / other.x
        return Dual(quotient, (self.d - quotient * other.d) / other.x)

    def __rtruediv__(self, other: Scalar) -> Dual:
        return Dual(other) / self

    def __pow__(self, exponent: Scalar) -> Dual:
        if isinstance(exponent, Dual):
            return (exponent * self.log()).exp()
        return Dual(self.x**exponent, exponent * self.x ** (exponent - 1) * self.d if exponent != 0 else 0.0 * self.d)

    def __rpow__(self, base: Scalar) -> Dual:
        return (self * log(base)).exp()

    def __abs__(self) -> Dual:
        return Dual(*(where(less(self.x, 0.0), -part, part)[()] for part in (self.x, self.d)))

    def __lt__(self, other: Scalar) -> Any:
        return _condition(less(self.x, Dual.lift(other).x))

    def __gt__(self, other: Scalar) -> Any:
        return _condition(less(Dual.lift(other).x, self.x))

    def minimum(self, other: Scalar) -> Dual:
        """The smaller one."""
        return _select(less(self.x, Dual.lift(other).x), self, other)

    def maximum(self, other: Scalar) -> Dual:
        """The larger one."""
        return _select(less(Dual.lift(other).x, self.x), self, other)

    def atan2(self, x: Scalar) -> Dual:
        """The angle of the point (x, self)."""
        y, x = self, Dual.lift(x)
        return Dual(_one(atan2(y.x, x.x)), (y.d * x.x - x.d * y.x) / (x.x * x.x + y.x * y.x))

    def floor(self) -> Dual:
        """The largest whole number that is not larger."""
        return Dual(_one(floor(self.x)), 0.0)

    def __getattr__(self, name: str) -> Callable[[], Dual]:
        if name not in _RATES:
            raise AttributeError(name)
        function, rate = _RATES[name]
        return lambda: Dual(_one(function(self.x)), rate(self.x) * self.d)


class _Condition:
    """A condition on traced values, which selects both parts of dual numbers."""

    def __init__(self, condition: Scalar) -> None:
        self.condition = condition

    def select(self, a: Scalar, b: Scalar) -> Dual:
        """The first where the condition holds, else the second."""
        return _select(self.condition, a, b)

    def __bool__(self) -> bool:
        return bool(self.condition)  # an error, of traced values


def _condition(condition: Array) -> Any:
    condition = _one(condition)
    return bool(condition) if isinstance(condition, bool | np.bool_) else _Condition(condition)


def _select(condition: Scalar, a: Scalar, b: Scalar) -> Dual:
    a, b = Dual.lift(a), Dual.lift(b)
    return Dual(_one(where(condition, a.x, b.x)), _one(where(condition, a.d, b.d)))


def _one(x: Any) -> Scalar:
    """The scalar of an array without axes."""
    return x[()] if isinstance(x, np.ndarray) else x


_RATES: dict[str, tuple[Callable[[Scalar], Any], Callable[[Scalar], Scalar]]] = {
    "sin": (sin, lambda x: _one(cos(x))),
    "cos": (cos, lambda x: -_one(sin(x))),
    "tan": (tan, lambda x: 1.0 + _one(tan(x)) ** 2),
    "exp": (exp, lambda x: _one(exp(x))),
    "log": (log, lambda x: 1.0 / x),
    "sqrt": (sqrt, lambda x: 0.5 / _one(sqrt(x))),
    "asin": (arrays.asin, lambda x: 1.0 / _one(sqrt(1.0 - x * x))),
    "acos": (arrays.acos, lambda x: -1.0 / _one(sqrt(1.0 - x * x))),
    "atan": (arrays.atan, lambda x: 1.0 / (1.0 + x * x)),
    "sinh": (sinh, lambda x: _one(cosh(x))),
    "cosh": (cosh, lambda x: _one(sinh(x))),
    "tanh": (tanh, lambda x: 1.0 - _one(tanh(x)) ** 2),
}
"""Function → itself, and its derivative."""


class Symbol:
    """A number that is not known, in place of a traced value: whatever must know it raises the error of tracing."""

    __slots__ = ()

    def _symbol(self, *others: Any) -> Any:
        """Another number that is not known."""
        return NotImplemented if any(isinstance(x, np.ndarray) for x in others) else self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = (
        _symbol
    )
    __neg__ = __pos__ = __abs__ = __lt__ = __gt__ = _symbol
    lift = minimum = maximum = atan2 = floor = select = with_derivatives = _symbol
    sin = cos = tan = exp = log = sqrt = asin = acos = atan = sinh = cosh = tanh = _symbol

    def _unknown(self, *_: Any) -> Any:
        """The error of what must know the number."""
        raise TracedError("a traced value has no value and no truth value while a function is traced")

    __bool__ = __float__ = __int__ = __complex__ = __index__ = _unknown
    __eq__ = __ne__ = __le__ = __ge__ = _unknown
    __hash__ = object.__hash__
