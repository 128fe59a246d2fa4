"""The emitted function for one state (see `llvm.single_state`) as a Python callable, and the table of its choices.

This relies on the layout of NumPy's array object, which is part of its binary interface; `available` looks at a
real array before trusting it.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..targets.llvm.argument_conversion import MOST_BATCH_AXES as MOST_BATCH_AXES
from ..targets.llvm.argument_conversion import states_at_once as states_at_once
from ..targets.llvm.python_objects import (
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    ITEM_SIZE,
    NATIVE,
    NDIM,
    NUMBER,
    ORDER,
    STRIDES,
    TYPE,
)
from ..targets.llvm.python_objects import TYPE_NUMBER as TYPE_NUMBER
from ..targets.llvm.single_state import BYTES_OFFSET, C_FUNCTIONS, HASH_FACTOR, SLOT_OFFSET, TABLE_ENTRIES
from ..targets.llvm.single_state import MOST_CHOICES as MOST_CHOICES
from .gufunc import api, host_table

_PYARRAY_RETURN, _PYARRAY_NEW = 76, 93  # places of these functions in NumPy's _ARRAY_API
_METH_FASTCALL, _METH_KEYWORDS = 0x0080, 0x0002
_WORD = 2**64
_OUT = sys.intern("out")


class SingleStateCode(Protocol):
    """Compiled code for one state, as `build` makes it: the addresses of two functions, and what keeps them alive."""

    @property
    def single(self) -> int:
        """The function that Python calls."""
        ...

    @property
    def one(self) -> int:
        """The program."""
        ...

    @property
    def owner(self) -> Any:
        """Object that keeps both alive."""
        ...


class Call(NamedTuple):
    """How a function is called: its arrays, then choices."""

    names: tuple[str, ...]
    """Of the arrays and the choices; empty texts if it takes no keywords."""
    positional: int
    """Of these, how many may be given without their name."""
    least: int
    """How many must be given; the others are choices with defaults."""
    defaults: tuple[Any, ...] = ()
    """Of all choices; what stands for one that must be given is never used."""
    origin: tuple[Any, ...] = ()
    """A function and its arguments: what it makes has a method of this name, and is pickled instead."""


class ChoiceTable:
    """The table in which `single` finds the code for the choices of a call: it only grows, also while it is read."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._kept: list[Any] = []
        """Objects that entries point to, and former tables, which another thread may be reading."""
        self._entries: dict[tuple[int, ...], tuple[tuple[Any, ...], int]] = {}
        """Identities of choices → the choices and the address of their code."""
        self.where = (ctypes.c_void_p * 2)()
        """Where the table is, and the entry that was found last."""
        self._nothing = (ctypes.c_uint64 * (width + 2))()
        """An entry that no choices have."""
        self._fence = threading.Lock()
        """Taken and released between two writes, which keeps them apart in this thread. Others see them in that order
        on x86, where stores keep theirs, and elsewhere if they read under the interpreter's global lock."""
        self._renew(1 if width == 0 else 4)

    def add(self, choices: tuple[Any, ...], code: SingleStateCode) -> None:
        """Let these choices mean the code of a program, unless they have code already; one thread at a time."""
        key = tuple(map(id, choices))
        if key in self._entries:
            return
        self._kept.append((choices, code.owner))
        self._entries[key] = choices, code.one
        if self.width and 2 * len(self._entries) > self._mask + 1:
            self._renew(2 * (self._mask + 1))
        else:
            self._insert(choices, code.one)

    def _renew(self, capacity: int) -> None:
        """A larger table with what is known; the pointer to it changes when it is ready."""
        self._mask = capacity - 1
        self._table = (ctypes.c_uint64 * (1 + capacity * (self.width + 2)))()
        self._table[0] = self._mask
        self._kept.append(self._table)
        for choices, code in self._entries.values():
            self._insert(choices, code)
        with self._fence:
            pass
        self.where[0] = ctypes.addressof(self._table)
        self.where[1] = self.where[1] or ctypes.addressof(self._nothing)

    def _insert(self, choices: tuple[Any, ...], code: int) -> None:
        """Fill the first free entry at the hash or behind it, its code last: that is what makes it valid."""
        found = place = self.hash_of(choices)
        while self._table[1 + (place & self._mask) * (self.width + 2) + 1]:
            place += 1
        first = 1 + (place & self._mask) * (self.width + 2)
        self._table[first] = found
        for k, choice in enumerate(choices):
            self._table[first + 2 + k] = id(choice)
        with self._fence:
            pass
        self._table[first + 1] = code
        if not self.width:
            self.where[1] = ctypes.addressof(self._table) + 8 * first

    @staticmethod
    def hash_of(choices: tuple[Any, ...]) -> int:
        """The hash that the emitted code computes.

        >>> ChoiceTable.hash_of(()), ChoiceTable.hash_of(("a",)) == hash("a") % 2**64
        (0, True)
        """
        found = 0
        for x in choices:
            found = (HASH_FACTOR * found + (hash(x) if type(x) is str else id(x) >> 4)) % _WORD
        return found


@cache
def available() -> bool:
    """Whether this interpreter and NumPy have all that the emitted code calls, and objects laid out as it expects."""
    known = sys.implementation.name == "cpython" and ctypes.sizeof(ctypes.c_void_p) == 8
    needed = (*C_FUNCTIONS.values(), "PyCFunction_NewEx", "PyCapsule_GetPointer")
    if not known or not all(hasattr(ctypes.pythonapi, name) for name in needed):
        return False
    probe = np.zeros((3, 5))

    def word(address: int, kind: Any = ctypes.c_int64) -> int:
        return int(kind.from_address(address).value)

    def number(x: Any, kind: Any) -> float:
        return float(kind.from_address(id(x) + NUMBER).value)

    here, table = id(probe), b"kinetrace"
    this = _opaque(table, (), ())
    dimensions, strides, descr = (word(here + offset) for offset in (DIMENSIONS, STRIDES, DESCR))
    numbers = [(2.5, ctypes.c_double), (np.float64(2.5), ctypes.c_double), (np.float32(2.5), ctypes.c_float)]
    return (
        word(here + TYPE) == id(np.ndarray)
        and word(here + DATA) == probe.ctypes.data
        and word(here + NDIM, ctypes.c_int32) == 2
        and (word(dimensions), word(dimensions + 8)) == (3, 5)
        and (word(strides), word(strides + 8)) == probe.strides
        and descr == id(probe.dtype)
        and word(descr + ORDER, ctypes.c_int8) == NATIVE
        and word(descr + TYPE_NUMBER, ctypes.c_int32) == probe.dtype.num
        and word(descr + ITEM_SIZE) == 8
        and word(here + FLAGS, ctypes.c_int32) == probe.flags.num
        and all(number(x, kind) == 2.5 for x, kind in numbers)
        and word(id(this) + SLOT_OFFSET) == id(table)
        and ctypes.string_at(id(table) + BYTES_OFFSET) == table
    )


class _Self:
    """The `self` of an emitted function: it holds a table of addresses, which Python code neither sees nor changes.

    Python pickles a function of C as the attribute of that name of its `self`: `origin` makes what has it.
    """

    __slots__ = ("_a_table", "_origin", "_owned")  # in the order of the alphabet, as they are laid out

    def __reduce_ex__(self, _: Any) -> Any:
        origin = _SLOTS[1].__get__(self)
        if not origin:
            raise TypeError("a kernel's `call` cannot be pickled; the kernel can")
        return origin


_SLOTS = tuple(vars(_Self)[name] for name in _Self.__slots__)
for _slot in _Self.__slots__:  # no attribute leads there any more
    delattr(_Self, _slot)


def _opaque(table: bytes, origin: tuple[Any, ...], owned: tuple[Any, ...]) -> _Self:
    """A `self`; `owned` lives as long."""
    made = _Self()
    for slot, value in zip(_SLOTS, (table, origin, owned), strict=True):
        slot.__set__(made, value)
    return made


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def wrap(
    code: SingleStateCode,
    dtype: np.dtype[Any],
    general: Any,
    choices: ChoiceTable,
    call: Call,
    name: str,
    doc: str | None = None,
) -> Any:
    """The function `single` as a Python callable; what it refuses goes to `general`."""

    def pointers(objects: tuple[Any, ...]) -> Any:
        return (ctypes.c_void_p * max(1, len(objects)))(*map(id, objects))

    names = tuple(map(sys.intern, call.names))
    tables = pointers(names), pointers(call.defaults)
    entries = {
        "type": id(np.ndarray),
        "descr": id(dtype),
        **{kind.__name__: id(kind) for kind in (float, np.float64, np.float32, int, bool, list, tuple)},
        "new": api("_ARRAY_API", _PYARRAY_NEW),
        "finish": api("_ARRAY_API", _PYARRAY_RETURN),
        "general": id(general),
        "host": ctypes.addressof(host_table()),
        "least": call.least,
        "positional": call.positional,
        "most": len(names),
        "names": ctypes.addressof(tables[0]),
        "defaults": ctypes.addressof(tables[1]),
        "found": ctypes.addressof(choices.where),
        "text": id(str),
        "out": id(_OUT),
        "none": id(None),
    }
    for key, function in C_FUNCTIONS.items():
        entries[key] = ctypes.cast(getattr(ctypes.pythonapi, function), ctypes.c_void_p).value or 0
    table = bytes((ctypes.c_void_p * len(TABLE_ENTRIES))(*(entries[key] for key in TABLE_ENTRIES)))
    flags = _METH_FASTCALL | _METH_KEYWORDS
    definition = _MethodDef(name.encode(), code.single, flags, doc.encode() if doc else None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    # What the callable points to lives as long as its `self`.
    this = _opaque(table, call.origin, (definition, general, dtype, code.owner, names, call.defaults, tables, choices))
    return make(ctypes.addressof(definition), this, None)
