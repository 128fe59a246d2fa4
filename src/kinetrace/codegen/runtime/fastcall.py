"""One state without NumPy's machinery: a C-level Python function emitted next to the kernel.

For a single state most of a gufunc's time goes into NumPy's protocol. The emitted function `single` looks at its
arguments itself: exact type, dtype, dimensions, flags; and whether the choices that follow the arrays, such as the name
of a frame, are those that the kernel was made for. If all are as the kernel needs them it makes the results
and runs the kernel; in every other case it hands the call on, unchanged, to the general way of calling.

This relies on the layout of NumPy's array object, which is part of its binary interface; `available` looks at a
real array before trusting it.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...trace import Program
from ..llvm.lines import Lines
from ..llvm.loop import core_steps
from ..plan import SIZES
from .gufunc import TYPE_NUMBER, api, host_table

_HEAD = object.__basicsize__  # of what all objects begin with: larger where there is no global lock
_TYPE = _HEAD - 8  # offset of an object's type, the last of it
_DATA, _NDIM, _DIMENSIONS, _DESCR, _FLAGS = (_HEAD + k for k in (0, 8, 16, 40, 48))  # offsets in a PyArrayObject
_FLOAT = _HEAD  # offset of the number in a PyFloatObject
_SLOT, _BYTES = _HEAD, bytes.__basicsize__ - 1  # offsets of the first slot of an object, and of the content of bytes
LAYOUT = f"{_HEAD}|{_BYTES}"
"""What the emitted code depends on, apart from the program."""
_READY = 0x0001 | 0x0100  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
_PYARRAY_RETURN, _PYARRAY_NEW = 76, 93  # places of these functions in NumPy's _ARRAY_API
_METH_FASTCALL, _METH_KEYWORDS = 0x0080, 0x0002

# What the function finds in the table of its `self`; functions of C by their names.
_FUNCTIONS = {
    "vectorcall": "PyObject_Vectorcall",
    "tuple": "PyTuple_New",
    "set": "PyTuple_SetItem",
    "hold": "Py_IncRef",
    "drop": "Py_DecRef",
    "exhausted": "PyErr_NoMemory",
    "length": "PyTuple_Size",
    "item": "PyTuple_GetItem",
    "compare": "PyUnicode_Compare",
}
_TABLE = (
    *("type", "descr", "float", "new", "finish", "general", "host", "least", "positional", "most"),
    *("names", "choices", "text", *_FUNCTIONS),
)


class Call(NamedTuple):
    """How a function is called: its arrays, then choices that are fixed."""

    names: tuple[str, ...] = ()
    """Of the arrays and the choices; none if it takes no keywords."""
    positional: int = 0
    """Of these, how many may be given without their name."""
    least: int = 0
    """How many must be given; the others have defaults, which are the choices."""
    choices: tuple[Any, ...] = ()
    origin: tuple[Any, ...] = ()
    """A function and its arguments: what it makes has a method of this name, and is pickled instead."""


def emit(program: Program, dtype: str) -> str:
    """The function `single`, to stand in one module with `states`."""
    return _Single(program, dtype).text()


class _Single(Lines):
    """Writes `single`: check the arguments, make the results, run; or hand the call on."""

    def __init__(self, program: Program, dtype: str) -> None:
        super().__init__()
        self.inputs, self.outputs, self.dtype = program.inputs, program.outputs, dtype
        arguments = self.inputs + self.outputs
        axes = max((len(a.shape) for a in arguments), default=1) or 1
        steps = len(arguments) + sum(len(a.shape) for a in arguments)
        self.add("define ptr @single(ptr %self, ptr %given, i64 %count, ptr %names) {", "entry:")
        self.add(f"  %args = alloca [{len(arguments)} x ptr]", f"  %steps = alloca [{steps} x i64]")
        self.add(f"  %shape = alloca [{axes} x i64]", "  %one = alloca i64", "  store i64 1, ptr %one")
        table = self.new(f"getelementptr i8, ptr {self.field('%self', _SLOT, 'ptr')}, i64 {_BYTES}")
        self.entry = {name: self.load("ptr", table, k) for k, name in enumerate(_TABLE)}
        self.check()
        self.arrays: list[str] = []
        result = self.make()
        self.run(result)
        self.hand_on(result)

    def field(self, owner: str, offset: int, kind: str) -> str:
        """A field of an object."""
        return self.new(f"load {kind}, ptr {self.new(f'getelementptr i8, ptr {owner}, i64 {offset}')}")

    def proceed(self, condition: str, otherwise: str) -> None:
        """Go on if the condition holds, else elsewhere."""
        label = f"on.{len(self.lines)}"
        self.add(f"  br i1 {condition}, label %{label}, label %{otherwise}", f"{label}:")

    def check(self) -> None:
        """Whether the arguments are one state in plain arrays; where their numbers are."""

        def require(kind: str, actual: str, wanted: object) -> None:
            self.proceed(self.new(f"icmp eq {kind} {actual}, {wanted}"), "general")

        self.check_choices()
        for k, argument in enumerate(self.inputs):
            x = self.load("ptr", "%given", k)
            kind = self.field(x, _TYPE, "ptr")
            if not argument.shape and self.dtype == "double":
                number = self.new(f"getelementptr i8, ptr {x}, i64 {_FLOAT}")
                self.store("ptr", number, "%args", k)
                is_float = self.new(f"icmp eq ptr {kind}, {self.entry['float']}")
                self.add(f"  br i1 {is_float}, label %next.{k}, label %array.{k}", f"array.{k}:")
            require("ptr", kind, self.entry["type"])
            require("ptr", self.field(x, _DESCR, "ptr"), self.entry["descr"])
            require("i32", self.field(x, _NDIM, "i32"), len(argument.shape))
            require("i32", self.new(f"and i32 {self.field(x, _FLAGS, 'i32')}, {_READY}"), _READY)
            dimensions = self.field(x, _DIMENSIONS, "ptr")
            for d, length in enumerate(argument.shape):
                require("i64", self.load("i64", dimensions, d), length)
            self.store("ptr", self.field(x, _DATA, "ptr"), "%args", k)
            self.add(f"  br label %next.{k}", f"next.{k}:")

    def check_choices(self) -> None:
        """Whether as much is given as is needed, keywords in their order, and the choices are those of the kernel."""
        entry, arrays = self.entry, len(self.inputs)
        self.add("  %plain = icmp eq ptr %names, null", "  br i1 %plain, label %sized, label %named", "named:")
        length = self.new(f"call i64 {entry['length']}(ptr %names)")
        self.add("  br label %sized", "sized:", f"  %further = phi i64 [0, %entry], [{length}, %named]")
        self.add("  %total = add i64 %count, %further")
        for bound in (
            f"icmp uge i64 %total, {self.number('least')}",
            f"icmp ule i64 %total, {self.number('most')}",
            f"icmp ule i64 %count, {self.number('positional')}",
        ):
            self.proceed(self.new(bound), "general")

        def each(label: str, first: str, require: Callable[[str], None]) -> None:
            before = f"{label}.before"
            self.add(f"  br label %{before}", f"{before}:", f"  br label %{label}", f"{label}:")
            self.add(f"  %{label}.k = phi i64 [{first}, %{before}], [%{label}.next, %{label}.on]")
            self.add(f"  %{label}.more = icmp ult i64 %{label}.k, %total")
            self.add(f"  br i1 %{label}.more, label %{label}.look, label %{label}.done", f"{label}.look:")
            require(f"%{label}.k")
            self.add(f"  br label %{label}.on", f"{label}.on:")
            self.add(f"  %{label}.next = add i64 %{label}.k, 1", f"  br label %{label}", f"{label}.done:")

        def same_name(k: str) -> None:
            place = self.new(f"sub i64 {k}, %count")
            name = self.new(f"call ptr {entry['item']}(ptr %names, i64 {place})")
            self.proceed(self.new(f"icmp eq ptr {name}, {self.at(entry['names'], k)}"), "general")

        def same_choice(k: str) -> None:
            chosen = self.at("%given", k)
            wanted = self.at(entry["choices"], self.new(f"sub i64 {k}, {arrays}"))
            self.add(f"  br i1 {self.new(f'icmp eq ptr {chosen}, {wanted}')}, label %choice.on, label %another")
            self.add("another:")  # object, but perhaps the same text
            for x in (chosen, wanted):
                kind = self.field(x, _TYPE, "ptr")
                self.proceed(self.new(f"icmp eq ptr {kind}, {entry['text']}"), "general")
            order = self.new(f"call i32 {entry['compare']}(ptr {chosen}, ptr {wanted})")
            self.proceed(self.new(f"icmp eq i32 {order}, 0"), "general")

        each("keyword", "%count", same_name)
        each("choice", str(arrays), same_choice)

    def number(self, name: str) -> str:
        """An entry of the table that is a number."""
        return self.new(f"ptrtoint ptr {self.entry[name]} to i64")

    def at(self, array: str, k: str) -> str:
        """Entry k of an array of pointers."""
        return self.new(f"load ptr, ptr {self.new(f'getelementptr ptr, ptr {array}, i64 {k}')}")

    def make(self) -> str:
        """The result: an array, or a tuple of arrays."""
        if len(self.outputs) == 1:
            return self.new_array(0, "failed")
        result = self.new(f"call ptr {self.entry['tuple']}(i64 {len(self.outputs)})")
        self.proceed(self.new(f"icmp ne ptr {result}, null"), "failed")
        for k in range(len(self.outputs)):
            array = self.new_array(k, "incomplete")
            self.new(f"call i32 {self.entry['set']}(ptr {result}, i64 {k}, ptr {array})")
        return result

    def new_array(self, k: int, otherwise: str) -> str:
        """An array for output k."""
        shape = self.outputs[k].shape
        for d, length in enumerate(shape):
            self.store("i64", str(length), "%shape", d)
        array = self.new(
            f"call ptr {self.entry['new']}(ptr {self.entry['type']}, i32 {len(shape)}, ptr %shape, "
            f"i32 {TYPE_NUMBER[self.dtype]}, ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        self.proceed(self.new(f"icmp ne ptr {array}, null"), otherwise)
        self.store("ptr", self.field(array, _DATA, "ptr"), "%args", len(self.inputs) + k)
        self.arrays.append(array)
        return array

    def run(self, result: str) -> None:
        """The loop, for one state; it may find no memory."""
        arguments = self.inputs + self.outputs
        position = len(arguments)
        for k, argument in enumerate(arguments):
            self.store("i64", "0", "%steps", k)
            for step in core_steps(argument, SIZES[self.dtype]):
                self.store("i64", str(step), "%steps", position)
                position += 1
        self.add(f"  %fine = call i1 @states(ptr %args, ptr %one, ptr %steps, ptr {self.entry['host']})")
        self.proceed("%fine", "exhausted")
        for k, array in enumerate(self.arrays):
            if not self.outputs[k].shape:  # NumPy returns a number then
                if len(self.outputs) > 1:  # the tuple lets go of its array in time
                    self.add(f"  call void {self.entry['hold']}(ptr {array})")
                number = self.new(f"call ptr {self.entry['finish']}(ptr {array})")
                if len(self.outputs) == 1:
                    result = number
                else:
                    self.proceed(self.new(f"icmp ne ptr {number}, null"), "incomplete")
                    self.new(f"call i32 {self.entry['set']}(ptr {result}, i64 {k}, ptr {number})")
        self.add(f"  ret ptr {result}")

    def hand_on(self, result: str) -> None:
        """What happens otherwise."""
        callee, general = self.entry["vectorcall"], self.entry["general"]
        self.add("general:")
        self.add(f"  ret ptr {self.new(f'call ptr {callee}(ptr {general}, ptr %given, i64 %count, ptr %names)')}")
        self.add("exhausted:", f"  %none = call ptr {self.entry['exhausted']}()", "  br label %incomplete")
        self.add("incomplete:", f"  call void {self.entry['drop']}(ptr {result})", "  br label %failed")
        self.add("failed:", "  ret ptr null", "}")


@cache
def available() -> bool:
    """Whether this interpreter and NumPy have all that the emitted code calls, and objects laid out as it expects."""
    known = sys.implementation.name == "cpython" and ctypes.sizeof(ctypes.c_void_p) == 8
    needed = (*_FUNCTIONS.values(), "PyCFunction_NewEx", "PyCapsule_GetPointer")
    if not known or not all(hasattr(ctypes.pythonapi, name) for name in needed):
        return False
    probe = np.zeros((3, 5))

    def word(address: int, kind: Any = ctypes.c_int64) -> int:
        return int(kind.from_address(address).value)

    here, number, table = id(probe), 2.5, b"kinetrace"
    this = _opaque(table, (), ())
    dimensions = word(here + _DIMENSIONS)
    return (
        word(here + _TYPE) == id(np.ndarray)
        and word(here + _DATA) == probe.ctypes.data
        and word(here + _NDIM, ctypes.c_int32) == 2
        and (word(dimensions), word(dimensions + 8)) == (3, 5)
        and word(here + _DESCR) == id(probe.dtype)
        and word(here + _FLAGS, ctypes.c_int32) == probe.flags.num
        and ctypes.c_double.from_address(id(number) + _FLOAT).value == number
        and word(id(this) + _SLOT) == id(table)
        and ctypes.string_at(id(table) + _BYTES) == table
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
    address: int, owner: Any, general: Any, dtype: str, arrays: int, name: str, doc: str | None, call: Call | None
) -> Any:
    """The function at `address` as a Python callable of so many arrays; what it refuses goes to `general`."""

    def pointers(objects: tuple[Any, ...]) -> Any:
        return (ctypes.c_void_p * max(1, len(objects)))(*map(id, objects))

    descr = np.dtype(np.float64 if dtype == "double" else np.float32)
    call = call or Call(("",) * arrays, arrays, arrays)
    names, choices = tuple(map(sys.intern, call.names)), call.choices
    tables = pointers(names), pointers(choices)
    entries = {
        "type": id(np.ndarray),
        "descr": id(descr),
        "float": id(float),
        "new": api("_ARRAY_API", _PYARRAY_NEW),
        "finish": api("_ARRAY_API", _PYARRAY_RETURN),
        "general": id(general),
        "host": ctypes.addressof(host_table()),
        "least": call.least,
        "positional": call.positional,
        "most": len(names),
        "names": ctypes.addressof(tables[0]),
        "choices": ctypes.addressof(tables[1]),
        "text": id(str),
    }
    for key, function in _FUNCTIONS.items():
        entries[key] = ctypes.cast(getattr(ctypes.pythonapi, function), ctypes.c_void_p).value or 0
    table = bytes((ctypes.c_void_p * len(_TABLE))(*(entries[key] for key in _TABLE)))
    flags = _METH_FASTCALL | _METH_KEYWORDS
    definition = _MethodDef(name.encode(), address, flags, doc.encode() if doc else None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    # What the callable points to lives as long as its `self`.
    this = _opaque(table, call.origin, (definition, general, descr, owner, names, choices, tables))
    return make(ctypes.addressof(definition), this, None)
