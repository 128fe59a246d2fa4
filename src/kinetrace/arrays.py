"""The array functions that algorithms use, for every scalar.

An algorithm runs on arrays of float64, of complex numbers, of objects (traced expressions, mpmath numbers)
and on JAX arrays. Most of NumPy's operators already do; the handful here do not, or not for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import warn
from .support.public_names import listing as _listing
from .support.public_names import missing as _missing

Array = Any
"""An array of any scalar: a NumPy array (of numbers or objects) or a JAX array."""


_OF_NUMPY = (np.ndarray, np.generic)


def namespace(*arrays: Array) -> ModuleType:
    """Module whose functions apply to these arrays.

    Parameters
    ----------
    *arrays : Array
        Arrays of any kind.

    Returns
    -------
    module
        The module `jax.numpy` if any array is JAX's, else `numpy`.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.namespace(np.ones(2)).__name__
    'numpy'
    """
    for x in arrays:
        if not isinstance(x, _OF_NUMPY) and hasattr(x, "__array_namespace__"):
            return x.__array_namespace__()
    return np


def asarray(x: Array) -> Array:
    """Array of any kind as it is; a list or a number as a NumPy array.

    Parameters
    ----------
    x : array_like
        Array, list or number.

    Returns
    -------
    Array
        The same array, or a NumPy array.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.asarray([1.0, 2.0])
    array([1., 2.])
    """
    return x if hasattr(x, "shape") else np.asarray(x)


def is_concrete(x: Array) -> bool:
    """Whether x holds plain real numbers, which can be inspected.

    Traced expressions, complex numbers and the numbers of mpmath and JAX are not concrete.

    Parameters
    ----------
    x : Array
        Array or scalar.

    Returns
    -------
    bool
        True for booleans, integers and floats of Python or NumPy.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.is_concrete(np.ones(2)), kt.arrays.is_concrete(1j)
    (True, False)
    """
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "biuf"
    return isinstance(x, float) or (isinstance(x, int | np.generic) and np.asarray(x).dtype.kind in "biuf")


def constants(x: Array) -> Array:
    """Values of the entries that are the same for all inputs, NaN for the others.

    Traced expressions have them as an attribute `value`. Plain numbers count as inputs, as scalars of any other kind
    do.

    Parameters
    ----------
    x : Array
        Array of any scalar.

    Returns
    -------
    ndarray
        Floats, of the shape of x.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.constants(np.ones(2))
    array([nan, nan])
    """
    if not (isinstance(x, np.ndarray) and x.dtype == object):
        return np.full(np.shape(x), math.nan)
    values = [getattr(entry, "value", None) for entry in x.flat]
    return np.array([math.nan if value is None else value for value in values], dtype=float).reshape(x.shape)


def reciprocal(x: Any) -> Any:
    """Reciprocal 1 / x of one scalar of any kind.

    Parameters
    ----------
    x : scalar
        Divisor.

    Returns
    -------
    scalar
        1 / x; NaN for a Python float that is zero, where Python would raise an error.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.reciprocal(4.0), kt.arrays.reciprocal(0.0)
    (0.25, nan)
    """
    return math.nan if type(x) is float and x == 0.0 else 1.0 / x


_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
"""Our name → NumPy's, where they differ."""


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
        except (ValueError, OverflowError):  # where `math` raises an error, NumPy gives infinity or NaN
            return ufunc(x, *rest)

    on_objects = np.frompyfunc(on_scalar, ufunc.nin, 1)

    def function(*xs: Array) -> Array:
        xp = namespace(*xs)
        if xp is np and _has_objects(*xs):
            return np.asarray(on_objects(*xs), dtype=object)
        return getattr(xp, ufunc.__name__)(*xs)

    function.__name__ = name
    function.__doc__ = f"""Element by element `{name}`, for every scalar.

    Parameters
    ----------
    *xs : array_like
        {"Argument." if ufunc.nin == 1 else "Arguments."}

    Returns
    -------
    Array
        Values, element by element.

    Examples
    --------
    >>> import kinetrace as kt
    >>> round(float(kt.arrays.{name}({", ".join(["0.5"] * ufunc.nin)})), 3)
    {round(float(plain(*[0.5] * ufunc.nin)), 3)}
    """
    return function


def _has_objects(*xs: Array) -> bool:
    return any(np.asarray(x).dtype == object for x in xs)


sin, cos, tan, asin, acos, atan = map(_elementwise, ("sin", "cos", "tan", "asin", "acos", "atan"))
sqrt, exp, log, sinh, cosh, tanh = map(_elementwise, ("sqrt", "exp", "log", "sinh", "cosh", "tanh"))
_atan2, _floor = map(_elementwise, ("atan2", "floor"))


def atan2(y: Array, x: Array) -> Array:
    """Element by element angle of the point (x, y), for every scalar; analytic in complex ones.

    Parameters
    ----------
    y : array_like
        Second coordinates.
    x : array_like
        First coordinates.

    Returns
    -------
    Array
        Angles from −π to π [rad].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.atan2(np.array([1.0, -1.0]), np.array([1.0, -1.0])).round(3)
    array([ 0.785, -2.356])
    """
    xp = namespace(y, x)
    if not any(xp.iscomplexobj(a) for a in (y, x)):
        return _atan2(y, x)
    # Rotate by the angle of the real parts: the rest is small, and complex steps of any size are kept.
    c, s = xp.real(x), xp.real(y)
    return xp.arctan2(s, c) + xp.arctan((y * c - x * s) / (x * c + y * s))


def less(a: Array, b: Array) -> Array:
    """Element by element `a < b`, for every scalar: a condition for `where`.

    NumPy's `<` would evaluate the truth of objects at once.

    Parameters
    ----------
    a : array_like
        Left sides.
    b : array_like
        Right sides.

    Returns
    -------
    Array
        Conditions: booleans or, of traced values, expressions.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.less(np.array([1.0, 3.0]), 2.0)
    array([ True, False])
    """
    xp = namespace(a, b)
    if xp is np and _has_objects(a, b):
        return np.less(a, b, dtype=object)
    return xp.less(a, b)


_select = np.frompyfunc(lambda c, a, b: c.select(a, b) if hasattr(c, "select") else (a if c else b), 3, 1)


def where(condition: Array, a: Array, b: Array) -> Array:
    """Element by element `a` where the condition holds, else `b`, for every scalar.

    Both are evaluated, so keep both finite.

    Parameters
    ----------
    condition : array_like
        Conditions, as `less` makes them.
    a : array_like
        Values where they hold.
    b : array_like
        Values where they do not.

    Returns
    -------
    Array
        The selected values.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> x = np.array([-1.0, 4.0])
    >>> kt.arrays.where(kt.arrays.less(0.0, x), x, 0.0)
    array([0., 4.])
    """
    xp = namespace(condition, a, b)
    if xp is np and _has_objects(condition, a, b):
        return np.asarray(_select(condition, a, b), dtype=object)
    return xp.where(condition, a, b)


def floor(x: Array) -> Array:
    """Element by element, the largest whole number that is not above x, for every scalar.

    Parameters
    ----------
    x : array_like
        Argument.

    Returns
    -------
    Array
        Whole numbers, as floats; of complex numbers, those of the real parts.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.floor(np.array([-1.5, 2.0]))
    array([-2.,  2.])
    """
    return _floor(namespace(x).real(x) if np.iscomplexobj(x) else x)


def abs(x: Array) -> Array:
    """Element by element |x|, for every scalar.

    Parameters
    ----------
    x : array_like
        Argument.

    Returns
    -------
    Array
        Absolute values; of complex numbers ±x by the sign of the real part, which is analytic.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.abs(np.array([-1.5, 2.0]))
    array([1.5, 2. ])
    """
    xp = namespace(x)
    return xp.where(xp.real(x) < 0, -x, x) if xp.iscomplexobj(x) else xp.abs(x)


def sign(x: Array) -> Array:
    """Element by element sign of x, for every scalar.

    Parameters
    ----------
    x : array_like
        Argument.

    Returns
    -------
    Array
        Values -1, 0 or 1; NaN where x is.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.sign(np.array([-1.5, 0.0, 2.0]))
    array([-1.,  0.,  1.])
    """
    return where(less(0.0, x), 1.0, where(less(x, 0.0), -1.0, x))


def minimum(a: Array, b: Array) -> Array:
    """Element by element the smaller of two, for every scalar.

    Parameters
    ----------
    a : array_like
        First values.
    b : array_like
        Second values.

    Returns
    -------
    Array
        Smaller values; NaN where either is.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.minimum(np.array([1.0, 2.0]), 1.5)
    array([1. , 1.5])
    """
    return _extreme("minimum", a, b)


def maximum(a: Array, b: Array) -> Array:
    """Element by element the larger of two, for every scalar.

    Parameters
    ----------
    a : array_like
        First values.
    b : array_like
        Second values.

    Returns
    -------
    Array
        Larger values; NaN where either is.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.maximum(np.array([1.0, 2.0]), 1.5)
    array([1.5, 2. ])
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
    """Element by element x, limited to the bounds, for every scalar.

    Parameters
    ----------
    x : array_like
        Argument.
    lower : array_like
        Lower bounds.
    upper : array_like
        Upper bounds.

    Returns
    -------
    Array
        Limited values.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.clip(np.array([-3.0, 0.5, 2.0]), -1.0, 1.0)
    array([-1. ,  0.5,  1. ])
    """
    return minimum(maximum(x, lower), upper)


def power(x: Array, exponent: Array) -> Array:
    """Element by element x to a real power, for every scalar.

    A traced x with an exponent that is no multiple of ½, or that is traced, is exp(exponent log x): NaN below zero, and
    an error of about |exponent log x| units in the last place.

    Parameters
    ----------
    x : array_like
        Bases.
    exponent : array_like
        Exponents.

    Returns
    -------
    Array
        Powers.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.power(np.array([4.0, 9.0]), 1.5)
    array([ 8., 27.])
    """
    return namespace(x, exponent).power(x, exponent)


_PLAIN = frozenset((float, complex))


def stack(parts: Sequence[Array], axis: int = -1) -> Array:
    """Stack arrays after broadcasting, as `numpy.stack`, for every scalar.

    Parameters
    ----------
    parts : sequence of Array
        Arrays of shapes that broadcast.
    axis : int, default -1
        Position of the new axis: the last, where NumPy's default is the first.

    Returns
    -------
    Array
        The stacked array.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.stack([np.array([1.0, 2.0]), 0.0])
    array([[1., 0.],
           [2., 0.]])
    """
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
    """`numpy.stack` of scalars, in half the time; in arrays of objects, NumPy's numbers become Python's."""
    vector = np.array([x[()] if isinstance(x, np.ndarray) else x for x in scalars])
    if vector.dtype == object:
        for i, x in enumerate(vector):
            if isinstance(x, np.generic):
                vector[i] = x.item()
    return vector


def concatenate(parts: Sequence[Array], axis: int = -1) -> Array:
    """Concatenate arrays, as `numpy.concatenate`, for every scalar.

    Parameters
    ----------
    parts : sequence of Array
        Arrays whose other axes agree.
    axis : int, default -1
        Axis to join along: the last, where NumPy's default is the first.

    Returns
    -------
    Array
        The concatenated array.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.concatenate([np.eye(2), np.ones((2, 1))])
    array([[1., 0., 1.],
           [0., 1., 1.]])
    """
    return namespace(*parts).concatenate(parts, axis=axis)


def indices(places: Sequence[int]) -> Any:
    """Index of some places of an array, for arrays of every kind, JAX's included.

    Parameters
    ----------
    places : sequence of int
        Places along an axis.

    Returns
    -------
    ndarray
        Integers.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> np.arange(5.0)[kt.arrays.indices((0, 3))]
    array([0., 3.])
    """
    return np.array(places, dtype=int)


def matrix(rows: Sequence[Sequence[Array]]) -> Array:
    """Matrix from rows of entries, after broadcasting.

    Parameters
    ----------
    rows : sequence of sequences of Array, shape (...)
        Entries, row by row.

    Returns
    -------
    Array, shape (..., r, c)
        The matrix.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.matrix([[1.0, 2.0], [3.0, 4.0]])
    array([[1., 2.],
           [3., 4.]])
    """
    entries = stack([x for row in rows for x in row])
    return entries.reshape((*entries.shape[:-1], len(rows), len(rows[0])))


def block(rows: Sequence[Sequence[Array]]) -> Array:
    """Matrix from rows of blocks.

    Parameters
    ----------
    rows : sequence of sequences of Array
        Blocks, row by row, whose batch axes agree.

    Returns
    -------
    Array, shape (..., r, c)
        The matrix.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.block([[np.eye(2), np.zeros((2, 1))], [np.ones((1, 2)), np.ones((1, 1))]])
    array([[1., 0., 0.],
           [0., 1., 0.],
           [1., 1., 1.]])
    """
    return concatenate([concatenate(row, axis=-1) for row in rows], axis=-2)


def scan(step: Callable[[Any, Any], tuple[Any, Any]], carry: Any, xs: Any, reverse: bool = False) -> tuple[Any, Any]:
    """Recurrence along the first axis: (carry, y) = step(carry, x) for each x of xs.

    `carry`, `xs` and y are arrays, or tuples or dicts of them; y may be None. In a compiled function the length may be
    known only when it is called: its argument has a shape that begins with a name, as in `kt.compile(f, robot,
    shapes={"tau": ("t", 7)})`, and `step` becomes the body of a loop. In JAX it is `lax.scan`. On numbers `step` is
    given copies, which it may change.

    Parameters
    ----------
    step : callable
        Function (carry, x) → (carry, y).
    carry : Array, or tuple or dict of them
        First carry.
    xs : Array, or tuple or dict of them
        Arrays of one length along the first axis.
    reverse : bool, default False
        Whether to begin with the last x; each y keeps the place of its x.

    Returns
    -------
    carry : Array, or tuple or dict of them
        Last carry.
    ys : Array, or tuple or dict of them
        All y, stacked along the first axis.

    Raises
    ------
    ValueError
        If `xs` holds no array, arrays of several lengths, or no rows.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> total, sums = kt.arrays.scan(lambda s, x: (s + x, s + x), np.zeros(()), np.arange(4.0))
    >>> float(total), sums
    (6.0, array([0., 1., 3., 6.]))
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


def map_rows(step: Callable[[Array], Array], xs: Array) -> Array:
    """Values step(x) for each x of xs, along the first axis: in a compiled function a loop if there are many rows.

    Parameters
    ----------
    step : callable
        Function of one x.
    xs : Array, shape (n, ...)
        Arguments.

    Returns
    -------
    Array, shape (n, ...)
        Values, stacked along the first axis.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.map_rows(lambda x: x.sum(), np.eye(3))
    array([1., 1., 1.])
    """
    if isinstance(xs, np.ndarray) and xs.dtype == object:
        writer = next((x.loop_writer for x in xs.flat if hasattr(x, "loop_writer")), None)
        if writer is not None and writer.rolls:
            return writer.map_rows(step, xs)
    return stack([step(x) for x in xs], axis=0)


def iterate(step: Callable[[Any], Any], carry: Any, until: Callable[[Any], Any], most: int) -> Any:
    """Fixed-point iteration carry = step(carry) until a condition holds.

    In a compiled function it is a loop that ends when all states of a batch have converged; those that have keep their
    value. Derivatives by `kt.jacobian` and its like are those of a solution, carry = step(carry), by the implicit
    function theorem; NaN where the result is not a solution. JAX and complex steps differentiate the iterations.

    Parameters
    ----------
    step : callable
        Function carry → carry.
    carry : Array, or tuple or dict of them
        Initial guess.
    until : callable
        Function carry → condition, evaluated before each step.
    most : int
        Maximum number of steps.

    Returns
    -------
    Array, or tuple or dict of them
        Last carry.

    Raises
    ------
    ValueError
        If `most` is not a whole number, 0 or more.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> root = kt.arrays.iterate(
    ...     lambda x: 0.5 * (x + 2.0 / x), np.array(1.0), lambda x: kt.arrays.less(abs(x * x - 2.0), 1e-12), most=20
    ... )
    >>> float(root.round(10))
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


def maybe(condition: Any, f: Callable[[], Any], otherwise: Any) -> Any:
    """Values f() where a condition holds, and others where it does not: f is computed only if that is needed.

    It is `where(condition, f(), otherwise)`, with its derivatives. A compiled function skips what f computes if the
    condition holds in no state of a vector of states (4 to 16, as the processor has registers), or in the one state.
    All that f computes is inside, from whatever outside values; what had been computed before f was called is taken
    from there. In f there may be loops, and further functions like this one. On numbers f is called or not, in JAX it
    is `lax.cond`.

    Parameters
    ----------
    condition : scalar
        Condition, as `less` makes it.
    f : callable
        Function without arguments; it may use all values that are known where it is written.
    otherwise : Array, or tuple or dict of them
        Values where the condition does not hold, in the structure and shapes of what f returns.

    Returns
    -------
    Array, or tuple or dict of them
        Values, in that structure.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> def near(model, q):
    ...     gap = q[0] - 1.0
    ...     return kt.arrays.maybe(kt.arrays.less(gap, 0.0), lambda: kt.arrays.sqrt(-gap) * q, 0.0 * q)
    >>> kt.compile(near, robot)(np.array([[0.75, 2.0], [1.5, 2.0]]))
    array([[0.375, 1.   ],
           [0.   , 0.   ]])
    """
    if hasattr(condition, "loop_writer") or (isinstance(condition, np.ndarray) and condition.dtype == object):
        writer = next((x.loop_writer for x in np.asarray(condition).flat if hasattr(x, "loop_writer")), None)
        if writer is not None:
            return writer.maybe(condition, f, otherwise)
    if namespace(condition) is not np:
        return _cond(condition, f, otherwise)
    return f() if bool(condition) else otherwise


def _cond(condition: Any, f: Callable[[], Any], otherwise: Any) -> Any:
    """`maybe` in JAX."""
    import jax

    def alike(x: Any, like: Any) -> Any:
        return jax.numpy.asarray(x, jax.numpy.result_type(x, like))

    wanted = jax.eval_shape(f)
    given = tree_map(lambda x, y: alike(y, x.dtype), wanted, otherwise)
    return jax.lax.cond(
        jax.numpy.asarray(condition, dtype=bool),
        lambda: tree_map(lambda x, y: alike(x, y.dtype), f(), given),
        lambda: given,
    )


def lookup(table: Array, *places: Array) -> Array:
    """Rows of a table by numbers that need not be whole: table[i] for the number i rounded down, at most the last row.

    Numbers below zero mean the first row, NaN gives NaN. The derivative is that of the entries; with respect to the
    numbers it is zero. With several numbers, as many first axes are looked up, such as heights[i, j] of a terrain.

    In a compiled function it is one load, whatever the size of the table. An argument of the function, or a part of it
    in equal steps, is read where it is, one array for all states if it is given so; constants are part of the code;
    other values are put into memory once in each state. There are at most 2^24 rows. Reverse derivatives by the entries
    take two selections for each of them; forward ones a table for each direction.

    Parameters
    ----------
    table : Array, shape (n, ...) or (n, m, ...)
        Rows, of as many axes as there are numbers.
    *places : Array
        Numbers of rows, along each axis; they broadcast.

    Returns
    -------
    Array, shape (*places, ...)
        The rows.

    Raises
    ------
    ValueError
        If the table has fewer axes than there are numbers, or no rows.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.lookup(np.array([10.0, 20.0, 30.0]), np.array([-1.0, 1.9, 7.0]))
    array([10., 20., 30.])
    >>> kt.arrays.lookup(np.arange(6.0).reshape(2, 3), 1.0, np.array([0.0, np.nan]))
    array([ 3., nan])
    """
    table = asarray(table)
    if not 0 < len(places) <= len(table.shape) or 0 in table.shape[: len(places)]:
        raise ValueError(f"lookup: a table of shape {table.shape} has no rows for {len(places)} numbers")
    flat = (y for x in (table, *places) for y in (x.flat if isinstance(x, np.ndarray) and x.dtype == object else (x,)))
    writer = next((y.loop_writer for y in flat if hasattr(y, "loop_writer")), None)
    if writer is not None:
        return writer.lookup(table, places)
    xp = namespace(table, *places)
    numbers = [np.asarray(floor(x), dtype=float) if xp is np else xp.floor(x) for x in places]
    rows = [xp.clip(xp.where(x == x, x, 0.0), 0, n - 1).astype(int) for x, n in zip(numbers, table.shape, strict=False)]
    found, unknown = xp.asarray(table)[tuple(rows)], xp.asarray(reduce(or_, (x != x for x in numbers)))
    if xp is np and not unknown.any():
        return found
    return where(unknown.reshape(unknown.shape + (1,) * (len(table.shape) - len(places))), math.nan, found)


def with_derivatives(x: Any, of: Callable[[], Any]) -> Any:
    """Values as they are, with the derivatives of others, which are equal to them.

    For values that a search has found, of which formulas are known once they are found. Where nothing is
    differentiated, these formulas are not looked at. JAX and complex steps differentiate the search.

    Parameters
    ----------
    x : Array, or tuple or dict of them
        Values.
    of : callable
        Function without arguments that returns the others, in the structure and shapes of x; it is called while a
        function is traced to be differentiated. `iterate` from x, with a condition that holds, is the solution x of
        x = step(x), with derivatives of any order.

    Returns
    -------
    Array, or tuple or dict of them
        The values x.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> def root(model, q):
    ...     x = kt.arrays.hold(kt.arrays.sqrt(q))  # by any search
    ...     newton = lambda x: x - (x * x - q) / (2.0 * x)
    ...     return kt.arrays.with_derivatives(x, lambda: kt.arrays.iterate(newton, x, lambda x: 1.0, most=1))
    >>> kt.compile(kt.jacobian(root), robot)(np.array([4.0, 9.0])).round(4)
    array([[0.25  , 0.    ],
           [0.    , 0.1667]])
    """
    entries = (e for y in tree_leaves(x) for e in (y.flat if isinstance(y, np.ndarray) else (y,)))
    if not any(getattr(e, "differentiated", False) for e in entries):
        return x
    return tree_map(lambda y, other: np.asarray(_of_objects(y, other), dtype=object), x, of())


_of_objects = np.frompyfunc(lambda x, other: x.with_derivatives(other) if hasattr(x, "differentiated") else x, 2, 1)


def hold(x: Any) -> Any:
    """Values without derivatives: what is computed from x takes it for a constant.

    So in all modes, of any order, in JAX and for complex steps too; of it nothing is left in compiled functions.

    Parameters
    ----------
    x : Array, or tuple or dict of them
        Values.

    Returns
    -------
    Array, or tuple or dict of them
        The same values.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> kt.compile(kt.jacobian(lambda model, q: kt.arrays.hold(q) * q), robot)(np.array([2.0, 3.0]))
    array([[2., 0.],
           [0., 3.]])
    """

    def constant(x: Array) -> Array:
        xp = namespace(x)
        if xp is not np:
            from jax.lax import stop_gradient

            return stop_gradient(x)
        return xp.real(x) + 0j if xp.iscomplexobj(x) else x

    zeros = tree_map(lambda y: np.zeros(np.shape(y)), x)
    return with_derivatives(tree_map(constant, x), lambda: zeros)


def objects(items: Sequence[Any], shape: tuple[int, ...]) -> Array:
    """Array of objects, as they are.

    Parameters
    ----------
    items : sequence
        Objects.
    shape : tuple of int
        Shape of the array.

    Returns
    -------
    ndarray
        Array with dtype object.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.arrays.objects([1, "a"], (2, 1))
    array([[1],
           ['a']], dtype=object)
    """
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)


def tree_leaves(x: Any) -> list[Any]:
    """Arrays in nested tuples, lists and dicts, in their order; None holds none.

    Parameters
    ----------
    x : Array, tuple, list, dict or None
        Tree of arrays.

    Returns
    -------
    list
        The arrays.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.arrays.tree_leaves({"a": (1, 2), "b": None, "c": 3})
    [1, 2, 3]
    """
    if x is None:
        return []
    if isinstance(x, dict):
        return [leaf for part in x.values() for leaf in tree_leaves(part)]
    return [leaf for part in x for leaf in tree_leaves(part)] if isinstance(x, tuple | list) else [x]


def tree_map(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """Apply a function to the arrays in nested tuples, lists and dicts.

    Parameters
    ----------
    function : callable
        Function of one array of each tree.
    x : Array, tuple, list, dict or None
        Tree of arrays.
    *others : Array, tuple, list, dict or None
        Further trees of the same structure.

    Returns
    -------
    Array, tuple, list, dict or None
        Values, in the same structure.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.arrays.tree_map(lambda a, b: a + b, {"a": (1, 2), "b": None}, {"a": (3, 4), "b": None})
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


if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    _unknown = _missing(__name__, "kt.arrays")

    def __getattr__(name: str) -> Any:
        if name == "each":  # until version 0.2
            warn("kt.arrays.each is now kt.arrays.map_rows", DeprecationWarning)
            return map_rows
        return _unknown(name)


__dir__ = _listing(__name__, "Array")
