"""Whatever is passed for an array, as NumPy's own: the one conversion, for arguments of calls and numbers of models.

NumPy looks into sequences of any kind, and asks objects for their array; on the way it forgets masks. So sequences are
walked here the same way, and what stands in them is converted piece by piece.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InputError, KinetraceError

_LEAVES = frozenset({float, int, bool, complex, str, bytes, np.ndarray, np.float64})
_DEEPEST = 64
"""Axes that NumPy's arrays may have."""


class _MaskedError(ValueError):
    pass


def plain_array(name: str, x: Any, error: type[KinetraceError] = InputError) -> npt.NDArray[Any]:
    """An array of no subclass; a masked entry is no number and is refused. `name` is what an `error` calls it.

    >>> plain_array("q", [0, 1])
    array([0, 1])
    >>> plain_array("q", [np.ma.array([1.0, 2.0], mask=[False, True])])
    Traceback (most recent call last):
    kinetrace.errors.InputError: q has masked entries; fill them, or leave them out
    """
    if type(x) is np.ndarray:
        return x
    try:
        return np.asarray(_unmasked(x))
    except _MaskedError:
        raise error(f"{name} has masked entries; fill them, or leave them out") from None
    except Exception as reason:  # rows of unequal length, or whatever an object's own conversion raises
        raise error(f"{name} must be an array of numbers: {reason}") from reason


def _unmasked(x: Any, depth: int = 0) -> Any:
    """The same numbers in lists and plain arrays, which have no masks to forget."""
    kind = type(x)
    if kind in _LEAVES or (kind in (list, tuple) and _LEAVES.issuperset(map(type, x))) or isinstance(x, np.generic):
        return x
    if isinstance(x, np.ndarray) or hasattr(x, "__array__"):
        array = np.asanyarray(x)
        if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
            raise _MaskedError
        return np.asarray(array)
    if isinstance(x, Mapping) or not _is_sequence(x):
        return x
    if depth == _DEEPEST:
        raise ValueError(f"sequences in sequences, more than {_DEEPEST} deep")
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
