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


_OF_NUMPY = (np.ndarray, np.generic)


def namespace(*arrays: Array) -> ModuleType:
    """The module whose functions apply to these arrays: `jax.numpy` if any is JAX's, else `numpy`."""
    for x in arrays:
        if not isinstance(x, _OF_NUMPY) and hasattr(x, "__array_namespace__"):
            return x.__array_namespace__()
    return np


def asarray(x: Array) -> Array:
    """`x` itself if it is an array of any kind; a list or a number as a NumPy array."""
    return x if hasattr(x, "shape") else np.asarray(x)


def is_concrete(x: Array) -> bool:
    """Whether x holds plain real numbers, which may be looked at: nothing traced or complex, nor mpmath's or JAX's."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "biuf"
    return isinstance(x, float) or (isinstance(x, int | np.generic) and np.asarray(x).dtype.kind in "biuf")


def constants(x: Array) -> Array:
    """The numbers (floats, of the same shape) that entries are for all inputs; NaN where they may depend on them.

    Traced expressions tell, by an attribute `value`. Plain numbers do not: they are inputs, as all of any other kind.

    >>> constants(np.ones(2)).tolist()
    [nan, nan]
    """
    if not (isinstance(x, np.ndarray) and x.dtype == object):
        return np.full(np.shape(x), math.nan)
    values = [getattr(entry, "value", None) for entry in x.flat]
    return np.array([math.nan if value is None else value for value in values], dtype=float).reshape(x.shape)


def reciprocal(x: Any) -> Any:
    """1 / x of one scalar of any kind; NaN for a zero of Python's own, which as a divisor is an error.

    >>> reciprocal(4.0), reciprocal(0.0)
    (0.25, nan)
    """
    return math.nan if type(x) is float and x == 0.0 else 1.0 / x


_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
"""Our names for NumPy's, where they differ."""


def _elementwise(name: str) -> Callable[..., Array]:
    """NumPy's function `name`, extended to objects: by their own method, by their mpmath context, by `math`."""
    ufunc = getattr(np, _NUMPY.get(name, name))
    plain = ufunc if name == "floor" else getattr(math, name)  # math.floor gives an int

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
            return plain(x, *rest)
        except (ValueError, OverflowError):  # where `math` objects, NumPy knows an infinity or NaN
            return ufunc(x, *rest)

    on_objects = np.frompyfunc(on_scalar, ufunc.nin, 1)

    def function(*xs: Array) -> Array:
        xp = namespace(*xs)
        if xp is np and _has_objects(*xs):
            return np.asarray(on_objects(*xs), dtype=object)
        return getattr(xp, ufunc.__name__)(*xs)

    function.__name__ = name
    function.__doc__ = f"Element by element `{name}`, for every scalar."
    return function


def _has_objects(*xs: Array) -> bool:
    return any(np.asarray(x).dtype == object for x in xs)


sin, cos, tan, asin, acos, atan = map(_elementwise, ("sin", "cos", "tan", "asin", "acos", "atan"))
sqrt, exp, log, sinh, cosh, tanh = map(_elementwise, ("sqrt", "exp", "log", "sinh", "cosh", "tanh"))
_atan2, _floor = map(_elementwise, ("atan2", "floor"))


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
    if xp is np and _has_objects(a, b):
        return np.less(a, b, dtype=object)
    return xp.less(a, b)


_select = np.frompyfunc(lambda c, a, b: c.select(a, b) if hasattr(c, "select") else (a if c else b), 3, 1)


def where(condition: Array, a: Array, b: Array) -> Array:
    """`a` where the condition holds, else `b`; both are evaluated, so keep both finite."""
    xp = namespace(condition, a, b)
    if xp is np and _has_objects(condition, a, b):
        return np.asarray(_select(condition, a, b), dtype=object)
    return xp.where(condition, a, b)


def floor(x: Array) -> Array:
    """Element by element, the largest whole number that is not above x, for every scalar; of complex ones, the real.

    >>> floor(np.array([-1.5, 2.0])).tolist()
    [-2.0, 2.0]
    """
    return _floor(namespace(x).real(x) if np.iscomplexobj(x) else x)


def abs(x: Array) -> Array:
    """Element by element |x|, for every scalar; of complex numbers, ±x by the sign of the real part, which is analytic.

    >>> abs(np.array([-1.5, 2.0])).tolist()
    [1.5, 2.0]
    """
    xp = namespace(x)
    return xp.where(xp.real(x) < 0, -x, x) if xp.iscomplexobj(x) else xp.abs(x)


def sign(x: Array) -> Array:
    """Element by element -1, 0 or 1, for every scalar; NaN where x is.

    >>> sign(np.array([-1.5, 0.0, 2.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    return where(less(0.0, x), 1.0, where(less(x, 0.0), -1.0, x))


def minimum(a: Array, b: Array) -> Array:
    """Element by element the smaller of two, for every scalar; NaN where either is.

    >>> minimum(np.array([1.0, 2.0]), 1.5).tolist()
    [1.0, 1.5]
    """
    return _extreme("minimum", a, b)


def maximum(a: Array, b: Array) -> Array:
    """Element by element the larger of two, for every scalar; NaN where either is.

    >>> maximum(np.array([1.0, 2.0]), 1.5).tolist()
    [1.5, 2.0]
    """
    return _extreme("maximum", a, b)


def _extreme(name: str, a: Array, b: Array) -> Array:
    def on_scalar(x: Any, y: Any) -> Any:
        for u, v in ((x, y), (y, x)):
            if hasattr(u, name):
                return getattr(u, name)(v)
        return x if x != x or (x < y if name == "minimum" else y < x) else y

    xp = namespace(a, b)
    if xp is np and _has_objects(a, b):
        return np.asarray(np.frompyfunc(on_scalar, 2, 1)(a, b), dtype=object)
    return getattr(xp, name)(a, b)


def clip(x: Array, lower: Array, upper: Array) -> Array:
    """Element by element x, or the bound that it is beyond, for every scalar.

    >>> clip(np.array([-3.0, 0.5, 2.0]), -1.0, 1.0).tolist()
    [-1.0, 0.5, 1.0]
    """
    return minimum(maximum(x, lower), upper)


def power(x: Array, exponent: Array) -> Array:
    """Element by element x to a real power, for every scalar.

    A traced x with an exponent that is no multiple of ½, or that is traced, is exp(exponent log x): NaN below zero, and
    an error of about |exponent log x| units in the last place.

    >>> power(np.array([4.0, 9.0]), 1.5).tolist()
    [8.0, 27.0]
    """
    return namespace(x, exponent).power(x, exponent)


_PLAIN = frozenset((float, complex))


def stack(parts: Sequence[Array], axis: int = -1) -> Array:
    """`numpy.stack` after broadcasting, for every scalar; the new axis is the last, unless told."""
    if axis in (-1, 0) and parts and _PLAIN.issuperset(map(type, parts)):
        return np.array(parts)
    xp = namespace(*parts)
    if xp is np and axis in (-1, 0) and parts and not any(map(_has_axes, parts)):
        return _vector(parts)
    alike = len({np.shape(part) for part in parts}) == 1
    return xp.stack(parts if alike else xp.broadcast_arrays(*parts), axis=axis)


def _has_axes(x: Any) -> bool:
    return bool(x.shape) if hasattr(x, "shape") else hasattr(x, "__len__")


def _vector(scalars: Sequence[Any]) -> Array:
    """What `numpy.stack` makes of scalars, in half the time; among objects, NumPy's numbers become Python's."""
    vector = np.array([x[()] if isinstance(x, np.ndarray) else x for x in scalars])
    if vector.dtype == object:
        for i, x in enumerate(vector):
            if isinstance(x, np.generic):
                vector[i] = x.item()
    return vector


def concatenate(parts: Sequence[Array], axis: int = -1) -> Array:
    """`numpy.concatenate` for every scalar; along the last axis unless told, where NumPy takes the first."""
    return namespace(*parts).concatenate(parts, axis=axis)


def indices(places: Sequence[int]) -> Any:
    """Places in an array as an index that arrays of every kind take, JAX's too.

    >>> np.arange(5.0)[indices((0, 3))].tolist()
    [0.0, 3.0]
    """
    return np.array(places, dtype=int)


def matrix(rows: Sequence[Sequence[Array]]) -> Array:
    """A matrix (..., r, c) from rows of entries (...), after broadcasting.

    >>> matrix([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    entries = stack([x for row in rows for x in row])
    return entries.reshape((*entries.shape[:-1], len(rows), len(rows[0])))


def block(rows: Sequence[Sequence[Array]]) -> Array:
    """A matrix (..., r, c) from rows of blocks whose batch axes agree."""
    return concatenate([concatenate(row, axis=-1) for row in rows], axis=-2)


def scan(step: Callable[[Any, Any], tuple[Any, Any]], carry: Any, xs: Any, reverse: bool = False) -> tuple[Any, Any]:
    """A recurrence along the first axis: (carry, y) = step(carry, x) for each x of xs; the last carry, and all y.

    With `reverse` it begins with the last x; each y stands where its x does. `carry`, `xs` and y are arrays, or tuples
    or dicts of them; y may be None. In a compiled function the length may be known only when it is called: its argument
    has a shape that begins with a name, as in `kt.compile(f, robot, shapes={"tau": ("t", 7)})`, and `step` becomes the
    body of a loop. In JAX it is `lax.scan`. On numbers `step` is given copies, which it may change.

    >>> total, sums = scan(lambda s, x: (s + x, s + x), np.zeros(()), np.arange(4.0))
    >>> float(total), sums.tolist()
    (6.0, [0.0, 1.0, 3.0, 6.0])
    """
    series = tree_leaves(xs)
    if not series:
        raise ValueError("scan needs at least one array in xs: its first axis is what it runs along")
    traced = [x for x in series if hasattr(x, "loop_writer")]
    if traced:
        return traced[0].loop_writer.scan(step, carry, xs, reverse)
    if namespace(*series, *tree_leaves(carry)) is not np:
        from jax import lax

        return lax.scan(step, carry, xs, reverse=reverse)
    lengths = {len(x) for x in series}
    if len(lengths) > 1:
        raise ValueError(f"scan: the first axes of xs must be of one length, got {sorted(lengths)}")
    rows, order = list[Any](), range(lengths.pop())
    for t in reversed(order) if reverse else order:
        carry, y = step(tree_map(_copied, carry), tree_map(lambda x, t=t: _copied(x[t]), xs))
        rows.append(tree_map(_copied, y))
    if not rows:
        raise ValueError("scan: xs have no rows, so the shapes of what step returns are not known")
    return carry, tree_map(lambda *parts: stack(parts, axis=0), *(rows[::-1] if reverse else rows))


def _copied(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


def each(step: Callable[[Array], Array], xs: Array) -> Array:
    """step(x) for each x of xs, along the first axis: in a compiled function a loop, if the caller has many rows.

    >>> each(lambda x: x.sum(), np.eye(3)).tolist()
    [1.0, 1.0, 1.0]
    """
    if isinstance(xs, np.ndarray) and xs.dtype == object:
        writer = next((x.loop_writer for x in xs.flat if hasattr(x, "loop_writer")), None)
        if writer is not None and writer.rolls:
            return writer.each(step, xs)
    return stack([step(x) for x in xs], axis=0)


def iterate(step: Callable[[Any], Any], carry: Any, until: Callable[[Any], Any], most: int) -> Any:
    """carry = step(carry), again and again until `until(carry)` holds (asked before each), at most `most` times.

    `carry` is an array, or a tuple or dict of arrays, and `until` returns one condition. In a compiled function it is a
    loop that ends when all states of a batch have converged; those that have keep their value. Derivatives by
    `kt.jacobian` and its like are those of a solution, carry = step(carry), by the implicit function theorem; NaN where
    it is none. JAX and complex steps go through the iterations.

    >>> def newton(x):
    ...     return 0.5 * (x + 2.0 / x)
    >>> root = iterate(newton, np.array(1.0), lambda x: less(abs(x * x - 2.0), 1e-12), most=20)
    >>> round(float(root), 10)
    1.4142135624
    """
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or not 0 <= most < 1 << 62:
        raise ValueError(f"iterate: most must be a whole number, 0 or more; got {most!r}")
    for done in range(int(most)):
        found = until(carry)
        flat = (y for x in (*tree_leaves(carry), found) for y in (x.flat if isinstance(x, np.ndarray) else (x,)))
        writer = next((y.loop_writer for y in flat if hasattr(y, "loop_writer")), None)
        if writer is not None:
            return writer.iterate(step, carry, until, most - done)
        if namespace(*tree_leaves(carry), found) is not np:
            return _while(step, carry, until, most - done)
        if bool(found):
            break
        carry = step(carry)
    return carry


def _while(step: Callable[[Any], Any], carry: Any, until: Callable[[Any], Any], most: int) -> Any:
    """`iterate` in JAX."""
    import jax

    def active(state: Any) -> Any:
        return (state[0] < most) & ~jax.numpy.asarray(until(state[1]), dtype=bool)

    return jax.lax.while_loop(active, lambda state: (state[0] + 1, step(state[1])), (0, carry))[1]


def objects(items: Sequence[Any], shape: tuple[int, ...]) -> Array:
    """An array of objects, as they are.

    >>> objects([1, "a"], (2, 1)).tolist()
    [[1], ['a']]
    """
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)


def tree_leaves(x: Any) -> list[Any]:
    """The arrays in tuples, lists and dicts, in their order; None holds nothing.

    >>> tree_leaves({"a": (1, 2), "b": None, "c": 3})
    [1, 2, 3]
    """
    if x is None:
        return []
    if isinstance(x, dict):
        return [leaf for part in x.values() for leaf in tree_leaves(part)]
    return [leaf for part in x for leaf in tree_leaves(part)] if isinstance(x, tuple | list) else [x]


def tree_map(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """A function of the arrays in tuples, lists and dicts of one structure, in that structure.

    >>> tree_map(lambda a, b: a + b, {"a": (1, 2), "b": None}, {"a": (3, 4), "b": None})
    {'a': (4, 6), 'b': None}
    """
    if x is None:
        return None
    if isinstance(x, dict):
        return {key: tree_map(function, part, *(other[key] for other in others)) for key, part in x.items()}
    if isinstance(x, tuple | list):
        parts = [tree_map(function, *each) for each in zip(x, *others, strict=True)]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return function(x, *others)
