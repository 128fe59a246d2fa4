"""Records: immutable objects whose content is what their fields hold, and nothing else.

A model is a record of records. Everything that concerns all fields goes through two functions: one visits them
(`flatten`, and `leaves` of it), one makes a new record (`rebuilt`, and `map_leaves` of both). Fields hold leaves, that
is, numbers, texts and arrays; tuples, lists and mappings of these; and records.

Records are equal if they have the same content to the bit: the same classes, names and texts, and arrays of the same
type, shape and bits. So NaN equals itself, 0.0 does not equal -0.0, and equal models have equal programs. A record with
a leaf that is not a plain number or text (traced, of mpmath or JAX) is equal to itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import cache
from types import MappingProxyType, NoneType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ..arrays import is_concrete
from ..support.attributes import cached_property

R = TypeVar("R", bound="Record")

Structure: TypeAlias = tuple[Any, ...] | None
"""(class, names of the parts or None, *structures of the parts); None for a leaf. A read-only dict is a `Mapping`."""
Packed: TypeAlias = tuple[Structure, tuple[Any, ...], Any]
"""The structure, the leaves without their numbers, and all numbers as one array."""

_LEAF_TYPES = frozenset((str, int, bool, float, NoneType, np.ndarray))


class UnknownLeafError(TypeError):
    """A leaf that is not a plain number, array or text, and that only pickle may be able to serialise."""


class Record:
    """An object whose content is its fields, or its attributes if its class is not a dataclass.

    Values of `cached_property` are not part of the content.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name in {"__eq__", "__hash__"} - vars(cls).keys():  # else @dataclass makes its own, which fail for arrays
            setattr(cls, name, getattr(cls, name))

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Record):
            return self is other or NotImplemented
        return self._content is not None and self._content == other._content

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        try:
            return unpack, pack(self)
        except UnknownLeafError:
            return rebuilt, flatten(self)

    @cached_property
    def _flattened(self) -> tuple[Structure, list[Any]]:
        """Structure and leaves, cached, since many models may share a part."""
        return flatten(self)

    @cached_property
    def _content(self) -> Any:
        """The content in a form that can be compared; None if a leaf cannot."""
        try:
            structure, rest, numbers = pack(self)
        except UnknownLeafError:
            return None
        return structure, rest, numbers.tobytes()

    @cached_property
    def _hash(self) -> int:
        return object.__hash__(self) if self._content is None else hash(self._content)


def flatten(x: Any) -> tuple[Structure, list[Any]]:
    """Structure of x, and its leaves, fields and entries in their order.

    >>> flatten({"a": (1.5, "text")})
    ((<class 'dict'>, ('a',), (<class 'tuple'>, None, None, None)), [1.5, 'text'])
    """
    found: list[Any] = []
    return _structure(x, found), found


def _structure(x: Any, found: list[Any]) -> Structure:
    """Structure of x; its leaves are appended to `found`."""
    kind: Any = type(x)
    if isinstance(x, Record) or is_dataclass(kind):
        names = content_names(x)
        return (kind, names, *_structures([getattr(x, name) for name in names], found))
    if isinstance(x, tuple | list):
        return (kind, None, *_structures(x, found))
    if kind is dict or kind is MappingProxyType:
        return (dict if kind is dict else Mapping, tuple(x), *_structures(x.values(), found))
    found.append(x)
    return None


def _structures(parts: Iterable[Any], found: list[Any]) -> Iterator[Structure]:
    for x in parts:
        if type(x) in _LEAF_TYPES:
            found.append(x)
            yield None
        elif isinstance(x, Record):
            structure, its = x._flattened
            found += its
            yield structure
        else:
            yield _structure(x, found)


def rebuilt(structure: Structure, leaves: Iterable[Any]) -> Any:
    """Object with this structure and these leaves; records are not checked again, arrays become read-only.

    >>> rebuilt(*flatten({"a": (1.5, "text")}))
    {'a': (1.5, 'text')}
    """
    return _rebuild(structure, iter(leaves))


def _rebuild(structure: Structure, leaves: Iterator[Any]) -> Any:
    if structure is None:
        return read_only(next(leaves))
    kind, names, *parts = structure
    made = [_rebuild(part, leaves) for part in parts]
    if names is None:
        return kind(made) if kind in (tuple, list) else kind(*made)
    named = dict(zip(names, made, strict=True))
    if kind is dict or kind is Mapping:
        return named if kind is dict else MappingProxyType(named)
    x = object.__new__(kind)  # numbers were checked when it was first made, and are not to be rounded again
    for name, value in named.items():
        object.__setattr__(x, name, value)
    return x


def read_only(x: Any) -> Any:
    """The array itself, made read-only; other objects unchanged."""
    if isinstance(x, np.ndarray):
        x.setflags(write=False)
    return x


def leaves(x: Any) -> list[Any]:
    """The numbers, arrays and texts of a record, or of a collection, in the order of fields and entries.

    >>> leaves((1.5, {"a": "text"}))
    [1.5, 'text']
    """
    return flatten(x)[1]


def map_leaves(change: Callable[[Any], Any], x: Any) -> Any:
    """x with each leaf changed.

    >>> map_leaves(lambda leaf: 2 * leaf, (1.5, {"a": 2}))
    (3.0, {'a': 4})
    """
    structure, found = flatten(x)
    return rebuilt(structure, map(change, found))


def pack(x: Any) -> Packed:
    """x as plain data, which pickle reads quickly; an `UnknownLeafError` if it has other leaves.

    >>> pack(("a", np.zeros((2, 3))))[1:]
    (('a', (2, 3)), array([0., 0., 0., 0., 0., 0.]))
    """
    structure, found = flatten(x)
    rest, numbers = [], [np.zeros(0)]
    for leaf in found:
        kind = type(leaf)
        if kind is np.ndarray and leaf.dtype == np.float64:
            rest.append(leaf.shape)
            numbers.append(leaf.ravel())
        elif kind is float:
            rest.append(float)
            numbers.append(np.array([leaf]))
        elif kind is bool:  # which equals an int
            rest.append((bool, leaf))
        elif kind in (str, int, NoneType):
            rest.append(leaf)
        elif isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind in "biufc":
            rest.append((kind, leaf.dtype.str, leaf.shape, leaf.tobytes()))
        else:
            raise UnknownLeafError(kind)
    return structure, tuple(rest), np.concatenate(numbers)


def unpack(structure: Structure, rest: tuple[Any, ...], numbers: Any) -> Any:
    """Inverse of `pack`, to the bit.

    >>> unpack(*pack(("a", np.zeros((2, 3)))))[1].shape
    (2, 3)
    """
    return rebuilt(structure, _leaves(rest, numbers))


def _leaves(rest: tuple[Any, ...], numbers: Any) -> Iterator[Any]:
    at = 0
    for leaf in rest:
        if leaf is float:
            yield float(numbers[at])
            at += 1
        elif type(leaf) is not tuple:
            yield leaf
        elif leaf and leaf[0] is bool:
            yield leaf[1]
        elif leaf and type(leaf[0]) is not int:
            kind, dtype, shape, content = leaf
            array = np.frombuffer(content, dtype).reshape(shape).copy()
            yield array if kind is np.ndarray else array[()]
        else:
            begin, at = at, at + int(np.prod(leaf))
            yield numbers[begin:at].reshape(leaf).copy()


def content_names(x: Any) -> tuple[str, ...]:
    """The attributes that are content: the fields, and further attributes of the object."""
    kind: Any = type(x)
    own, known = _known_names(kind)
    given = getattr(x, "__dict__", {}).keys()
    return own if given <= known else (*own, *(n for n in given if n not in known and not n.startswith("__")))


@cache
def _known_names(kind: Any) -> tuple[tuple[str, ...], frozenset[str]]:
    """The fields of a class, if it is a dataclass; and the names of all attributes that are not further content."""
    own = field_names(kind)
    attributes = [item for base in kind.__mro__ for item in vars(base).items()]
    return own, frozenset(own) | {name for name, x in attributes if type(x).__name__ == cached_property.__name__}


def is_own(x: Record) -> bool:
    """Whether the class of a record is a user's."""
    return not type(x).__module__.startswith("kinetrace.")


def is_known(x: Record) -> bool:
    """Whether all numbers of a record can be looked at: none is traced, complex, of mpmath or JAX."""
    return all(is_concrete(leaf) or isinstance(leaf, str) or not hasattr(leaf, "__mul__") for leaf in leaves(x))


def as_it_is(x: R) -> R:
    """A copy of a record of a user's class, which may change: functions of one robot are made at different times."""
    try:
        return deepcopy(x) if is_own(x) and is_known(x) else x
    except TypeError:  # it holds what has no copies, as a lock
        return x


def field_names(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass; of any other class, none."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
