"""Parts of a model as plain data for pickle: one array of all numbers, and a structure of names, classes and shapes.

A composite is a tuple that begins with its class. There is little to read, and equal content is recognised without
making anything of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

from .checks import frozen

_PLAIN = (str, int, float, bool, type(None))


class UnknownPartError(TypeError):
    """Something that is not made of the library's own parts: only the pickler knows how to send it."""


def packed(x: Any) -> tuple[Any, Any]:
    """The structure and the numbers (n,) of tuples, mappings, arrays and objects of the library.

    >>> structure, numbers = packed(("a", np.zeros((2, 3))))
    >>> numbers.size, unpacked(structure, numbers)[1].shape
    (6, (2, 3))
    """
    arrays: list[Any] = []
    structure = _structure(x, arrays.append)
    return structure, np.concatenate([np.zeros(0), *arrays])


def _structure(x: Any, put: Callable[[Any], None]) -> Any:
    kind: Any = type(x)
    if kind in _PLAIN:
        return x
    if kind is np.ndarray and x.dtype == np.float64:
        put(x.ravel())
        return (np.ndarray, *x.shape)
    if kind is tuple:
        return (tuple, *(_structure(y, put) for y in x))
    if kind is dict:
        return (dict, *(_structure(y, put) for y in x.items()))
    if kind.__module__.startswith(f"{__package__}."):
        return (kind, *(_structure(getattr(x, name), put) for name in field_names(kind)))
    raise UnknownPartError(kind)


def unpacked(structure: Any, numbers: Any) -> Any:
    """What was packed, to the bit; arrays are read-only."""
    return _made(structure, iter(numbers.tolist()))


def _made(structure: Any, numbers: Any) -> Any:
    if type(structure) is not tuple:
        return structure
    kind, *parts = structure
    if kind is np.ndarray:
        return frozen(np.fromiter(numbers, float, int(np.prod(parts))).reshape(parts))
    made = tuple(_made(part, numbers) for part in parts)
    if kind is tuple:
        return made
    if kind is dict:
        return dict(made)
    x = object.__new__(kind)  # its numbers were checked when it was first made, and are not to be rounded again
    vars(x).update(zip(field_names(kind), made, strict=True))
    return x


def key(structure: Any, numbers: Any) -> bytes:
    """A hash of content."""
    found = hashlib.sha256(repr(structure).encode("utf-8", "surrogatepass"))
    found.update(numbers.tobytes())
    return found.digest()


@cache
def field_names(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass; of any other class, none."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
