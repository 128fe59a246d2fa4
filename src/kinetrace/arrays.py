"""The array functions that algorithms use, for every scalar.

An algorithm runs on arrays of float64, of complex numbers, of objects (traced expressions, mpmath numbers)
and on JAX arrays. Most of NumPy's operators already do; the handful here do not, or not for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

Array = Any
"""An array of any scalar: a NumPy array (of numbers or objects) or a JAX array."""


def namespace(*arrays: Array) -> ModuleType:
    """The module whose functions apply to these arrays: `jax.numpy` if any is JAX's, else `numpy`."""
    for x in arrays:
        if not isinstance(x, np.ndarray | np.generic) and hasattr(x, "__array_namespace__"):
            return x.__array_namespace__()
    return np


def asarray(x: Array) -> Array:
    """`x` itself if it is an array of any kind; a list or a number as a NumPy array."""
    return x if hasattr(x, "shape") else np.asarray(x)


def known(x: Array) -> bool:
    """Whether x holds plain real numbers, which may be looked at: nothing traced or complex, nor mpmath's or JAX's."""
    return isinstance(x, np.ndarray | np.generic | float | int) and np.asarray(x).dtype.kind in "biuf"


def _elementwise(name: str) -> Callable[..., Array]:
    """NumPy's function `name`, extended to objects: by their own method, by their mpmath context, by `math`."""

    def on_scalar(x: Any, *rest: Any) -> Any:
        if hasattr(x, "context"):  # first: mpmath's numbers have an attribute `exp`, their exponent
            return getattr(x.context, name)(x, *rest)
        if hasattr(x, name):
            return getattr(x, name)(*rest)
        if rest and hasattr(rest[0], "context"):
            return getattr(rest[0].context, name)(x, *rest)
        if rest and hasattr(rest[0], "lift"):
            return getattr(rest[0].lift(x), name)(*rest)
        try:
            return getattr(math, name)(x, *rest)
        except (ValueError, OverflowError):  # where `math` objects, NumPy knows an infinity or NaN
            return ufunc(x, *rest)

    ufunc = getattr(np, {"atan2": "arctan2"}.get(name, name))
    on_objects = np.frompyfunc(on_scalar, 2 if name == "atan2" else 1, 1)

    def function(*xs: Array) -> Array:
        xp = namespace(*xs)
        if xp is np and any(np.asarray(x).dtype == object for x in xs):
            return np.asarray(on_objects(*xs), dtype=object)
        return getattr(xp, ufunc.__name__)(*xs)

    function.__name__ = name
    function.__doc__ = f"Element by element `{name}`, for every scalar."
    return function


sin, cos, sqrt, exp, log, _atan2 = map(_elementwise, ("sin", "cos", "sqrt", "exp", "log", "atan2"))


def atan2(y: Array, x: Array) -> Array:
    """Element by element angle of the point (x, y), for every scalar; analytic in complex ones."""
    xp = namespace(y, x)
    if not any(xp.iscomplexobj(a) for a in (y, x)):
        return _atan2(y, x)
    # Turn by the angle of the real parts: what is left is small, and a complex step of any size survives.
    c, s = xp.real(x), xp.real(y)
    return xp.arctan2(s, c) + xp.arctan((y * c - x * s) / (x * c + y * s))


def less(a: Array, b: Array) -> Array:
    """`a < b`, for every scalar: a condition for `where` (NumPy's `<` asks objects for their truth at once)."""
    xp = namespace(a, b)
    if xp is np and any(np.asarray(x).dtype == object for x in (a, b)):
        return np.less(a, b, dtype=object)
    return xp.less(a, b)


_select = np.frompyfunc(lambda c, a, b: c.select(a, b) if hasattr(c, "select") else (a if c else b), 3, 1)


def where(condition: Array, a: Array, b: Array) -> Array:
    """`a` where the condition holds, else `b`; both are evaluated, so keep both finite."""
    xp = namespace(condition, a, b)
    if xp is np and any(np.asarray(x).dtype == object for x in (condition, a, b)):
        return np.asarray(_select(condition, a, b), dtype=object)
    return xp.where(condition, a, b)


def stack(parts: Sequence[Array], axis: int = -1) -> Array:
    """`numpy.stack` after broadcasting, for every scalar."""
    xp = namespace(*parts)
    alike = len({np.shape(part) for part in parts}) == 1
    return xp.stack(parts if alike else xp.broadcast_arrays(*parts), axis=axis)


def concatenate(parts: Sequence[Array], axis: int = -1) -> Array:
    """`numpy.concatenate` along the last axis, for every scalar."""
    return namespace(*parts).concatenate(parts, axis=axis)


def block(rows: Sequence[Sequence[Array]]) -> Array:
    """A matrix (..., r, c) from rows of blocks whose batch axes agree."""
    return concatenate([concatenate(row, axis=-1) for row in rows], axis=-2)
