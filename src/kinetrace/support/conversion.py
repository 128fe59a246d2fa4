"""Whatever is passed for an array, as NumPy's own: the one conversion, for arguments of calls and numbers of models.

The same for flags, whole and positive numbers, sequences, seeds and spheres.

NumPy looks into sequences of any kind, and asks objects for their array; on the way it forgets masks. So sequences are
walked here the same way, and what stands in them is converted piece by piece.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.random  # else NumPy imports it in the first call that needs it, and forks do not wait for that
import numpy.typing as npt

from ..errors import InputError, KinetraceError, ShapeError, value_text
from .not_numbers import lost_by_numpy, why_not_numbers

_LEAVES = frozenset({float, int, bool, complex, str, bytes, np.ndarray, np.float64})
_MOST_AXES = 64
"""Axes that NumPy's arrays may have."""


Sphere = tuple[float, float, float, float]
"""Centre x, y, z and radius [m]."""
_SPHERES = "spheres (x, y, z, radius) or (centre, radius)"


def as_flag(name: str, x: Any) -> bool:
    """True or False, Python's or NumPy's; nothing else stands for them.

    >>> as_flag("rotor", np.True_)
    True
    """
    if not isinstance(x, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {value_text(x)}")
    return bool(x)


def as_flag_or_none(name: str, x: Any) -> bool | None:
    """The same, or None, which leaves the choice to the function.

    >>> as_flag_or_none("project", None), as_flag_or_none("project", False)
    (None, False)
    """
    if x is None or isinstance(x, bool | np.bool_):
        return None if x is None else bool(x)
    raise InputError(f"{name} must be True, False or None, got {value_text(x)}")


def as_count(name: str, x: Any, least: int = 0) -> int:
    """A whole number, Python's or NumPy's, at least `least`.

    >>> as_count("n", np.int8(3))
    3
    """
    if isinstance(x, bool) or not isinstance(x, int | np.integer) or not least <= x <= sys.maxsize:
        got = value_text(x)
        raise InputError(f"{name} must be a whole number, at least {least}; got {got}")
    return int(x)


def as_positive(name: str, x: Any, unit: str = "") -> float:
    """A finite number above zero, as a float; `unit` is what an error says of it.

    >>> as_positive("dt", np.float32(0.5))
    0.5
    """
    try:
        found = None if isinstance(x, str | bytes | bool | np.bool_) else float(x)
    except Exception:  # whatever an object's own conversion raises
        found = None
    if found is None:
        raise InputError(f"{name} must be a number{unit}, got {value_text(x)}")
    if not (math.isfinite(found) and found > 0):
        raise InputError(f"{name} must be positive and finite, got {found:g}")
    return found


def as_shape(name: str, x: Any) -> tuple[int, ...]:
    """A shape as a tuple; a whole number stands for one axis.

    >>> as_shape("shape", 3), as_shape("shape", [2, 3])
    ((3,), (2, 3))
    """
    axes = tuple(x) if isinstance(x, tuple | list) else (x,)
    if all(isinstance(n, int | np.integer) and not isinstance(n, bool) and 0 <= n <= sys.maxsize // 8 for n in axes):
        return tuple(map(int, axes))
    got = value_text(x)
    raise InputError(f"{name} must be a whole number, at least 0, or a tuple of such; got {got}")


def as_list(name: str, x: Any, wanted: str) -> list[Any]:
    """Items of a sequence of any kind; `wanted` says what would be right.

    >>> as_list("kinds", "RP", "a letter for each joint")
    ['R', 'P']
    """
    try:
        return list(x)
    except TypeError:
        raise InputError(f"{name} must be {wanted}; got {value_text(x)}") from None


def as_text(x: Any) -> Any:
    """A text of no subclass, as those of NumPy and of enumerations are; anything else as it is.

    >>> as_text(np.str_("tip"))
    'tip'
    """
    return str.__str__(x) if isinstance(x, str) else x


def as_names(given: tuple[str | Sequence[str], ...]) -> tuple[str, ...] | None:
    """Names that are given one by one or as one sequence or array, which may be empty; None if nothing is given.

    >>> as_names(("a", "b")), as_names((np.array(["a", "b"]),)), as_names(([],)), as_names(())
    (('a', 'b'), ('a', 'b'), (), None)
    """
    one: Any = given[0] if len(given) == 1 else None
    one = one.tolist() if isinstance(one, np.ndarray) else one
    if isinstance(one, Sequence) and not isinstance(one, str | bytes):
        return tuple(map(as_text, one))
    return tuple(map(as_text, given if one is None else (one,))) or None


def as_rows(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The last axis of an array, row by row (n, k): also where it is empty, of which `reshape(-1, 0)` is no shape.

    >>> as_rows(np.zeros((2, 3, 0))).shape
    (6, 0)
    """
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def as_rng(seed: Any) -> np.random.Generator:
    """The generator of random numbers for a seed, or the seed itself if it is one.

    >>> bool(as_rng(1).integers(1000) == as_rng(1).integers(1000))
    True
    """
    try:
        return np.random.default_rng(seed)
    except Exception:  # of several kinds, by what is no seed
        wanted = "a whole number, at least 0, a numpy.random.Generator or None"
        raise InputError(f"seed must be {wanted}; got {value_text(seed)}") from None


class _MaskedError(ValueError):
    pass


class _ForeignError(ValueError):
    pass


def as_array(name: str, x: Any, error: type[KinetraceError] = InputError) -> npt.NDArray[Any]:
    """An array of no subclass; a masked entry is no number and is refused. `name` is what an `error` calls it.

    >>> as_array("q", [0, 1])
    array([0, 1])
    >>> as_array("q", [np.ma.array([1.0, 2.0], mask=[False, True])])
    Traceback (most recent call last):
    kinetrace.errors.InputError: q has masked entries; fill them, or leave them out
    """
    if type(x) is np.ndarray:
        return x
    try:
        return np.asarray(_unmasked(x))
    except _MaskedError:
        raise error(f"{name} has masked entries; fill them, or leave them out") from None
    except _ForeignError as reason:
        raise error(f"{name} {reason}") from None
    except Exception as reason:  # rows of unequal length, or whatever an object's own conversion raises
        told = why_not_numbers(name, x, reason)
        raise error(told) from (reason if str(reason) in told else None)  # what is diagnosed needs no cause


def as_reals(name: str, x: Any) -> npt.NDArray[np.float64]:
    """A copy as an array of floats; what is no real number is refused.

    >>> as_reals("q", [0, 1])
    array([0., 1.])
    """
    array = as_array(name, x)
    if array.dtype.kind not in "biuf":
        raise InputError(why_not_numbers(name, array))
    return array.astype(float)


def as_spheres(name: str, x: Any) -> tuple[Sphere, ...]:
    """Spheres of a sequence or an array (n, 4), each (x, y, z, radius) or a pair (centre, radius); radii may be zero.

    >>> as_spheres("obstacles", [(1, 2, 3, 0.5), ([0, 0, 1], 0.25)])
    ((1.0, 2.0, 3.0, 0.5), (0.0, 0.0, 1.0, 0.25))
    """
    return tuple(_sphere(f"{name}[{k}]", one) for k, one in enumerate(as_list(name, x, _SPHERES)))


def _sphere(name: str, x: Any) -> Sphere:
    pair = isinstance(x, tuple | list) and len(x) == 2
    center, radius = (as_reals(name, part) for part in x) if pair else np.split(as_reals(name, x).ravel(), [3])
    if center.shape != (3,) or radius.size != 1 or not np.isfinite([*center, radius.item()]).all() or radius.item() < 0:
        raise InputError(f"{name} must be one of {_SPHERES}, finite, got {value_text(x)}")
    a, b, c = center.tolist()
    return a, b, c, radius.item()


def plain_finite(name: str, x: Any, shape: tuple[int, ...] | None = None) -> npt.NDArray[np.float64]:
    """A copy as an array of floats that are all finite, of this shape if one is given.

    >>> plain_finite("goal", [0, 1], (2,))
    array([0., 1.])
    >>> plain_finite("goal", [0.0, np.inf])
    Traceback (most recent call last):
    kinetrace.errors.InputError: goal must be finite numbers, got [0.0, inf]
    """
    array = as_reals(name, x)
    if not np.isfinite(array).all() or (shape is not None and array.shape != shape):
        of_shape = "" if shape is None else f" of shape {shape}"
        raise InputError(f"{name} must be finite numbers{of_shape}, got {value_text(x)}")
    return array


def _unmasked(x: Any, depth: int = 0) -> Any:
    """The same numbers in lists and plain arrays, which have no masks to forget."""
    kind = type(x)
    if kind in _LEAVES or (kind in (list, tuple) and _LEAVES.issuperset(map(type, x))) or isinstance(x, np.generic):
        return x
    if kind not in (list, tuple) and (told := lost_by_numpy(x)):
        raise _ForeignError(told)
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        return np.from_dlpack(x)
    if isinstance(x, np.ndarray) or hasattr(x, "__array__"):
        array = np.asanyarray(x)
        if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
            raise _MaskedError
        return np.asarray(array)
    if isinstance(x, Mapping) or not _is_sequence(x):
        return x
    if depth == _MOST_AXES:
        raise ValueError(f"sequences in sequences, more than {_MOST_AXES} deep")
    return [_unmasked(part, depth + 1) for part in x]


def _is_sequence(x: Any) -> bool:
    """Whether NumPy looks for numbers in it one by one: not if it is a text, or has a memory of them."""
    if isinstance(x, list | tuple):
        return True
    if isinstance(x, str) or not (hasattr(x, "__len__") and hasattr(x, "__getitem__")):
        return False
    if hasattr(x, "__array_interface__") or hasattr(x, "__array_struct__"):
        return False
    try:
        memoryview(x)
    except TypeError:
        return True
    return False


def finite(name: str, x: Any, size: int) -> npt.NDArray[np.float64]:
    """Numbers (..., size), finite, as floats."""
    array = as_reals(name, x)
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{name} must have shape (..., {size}), got {array.shape}", name, array.shape)
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InputError(f"{name} must be finite; entry {where} is {array[tuple(where)]}")
    return array


def broadcast(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The common batch axes."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(f"batch axes do not broadcast: {told}") from None


def positive(name: str, x: Any) -> float:
    """A time above zero."""
    return as_positive(name, x, " [s]")


def steps_of(t: Any, dt: Any) -> tuple[int, float]:
    """How many equal steps reach the time t, and how long each is: dt, or less if t is not a multiple of it."""
    end, step = positive("t", t), positive("dt", dt)
    if end / step > 1e15:
        raise InputError(f"t / dt is {end / step:.3g} steps, more than can be counted")
    steps = max(1, math.ceil(end / step * (1 - 1e-12) - 1e-9))
    return steps, end / steps


def copy_arrays(x: Any) -> Any:
    """Arrays in tuples, lists and dicts, copied: a controller may change them.

    >>> mine = np.zeros(2)
    >>> copy_arrays({"a": mine})["a"] is mine
    False
    """
    if isinstance(x, dict):
        return x.copy() | {key: copy_arrays(part) for key, part in x.items()}  # of its own kind, such as a defaultdict
    if isinstance(x, tuple | list):
        parts = [copy_arrays(part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return x.copy() if isinstance(x, np.ndarray) else x
