"""One state without NumPy's machinery: a C-level Python function emitted next to the kernel.

For a single state most of a gufunc's time goes into NumPy's protocol. The emitted function `single` looks at its
arguments itself: exact type, dtype, dimensions, flags. If all are as the kernel needs them it makes the results and
runs the kernel; in every other case it hands the call on, unchanged, to the general way of calling.

This relies on the layout of NumPy's array object, which is part of its binary interface; `available` looks at a
real array before trusting it.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from functools import cache
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from ..trace import Program
from .gufunc import TYPE_NUMBER, api, host_table
from .lines import Lines
from .llvm import SIZES
from .loop import core_steps

_TYPE, _DATA, _NDIM, _DIMENSIONS, _DESCR, _FLAGS = 8, 16, 24, 32, 56, 64  # offsets in a PyArrayObject
_READY = 0x0001 | 0x0100  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
_PYARRAY_RETURN, _PYARRAY_NEW = 76, 93  # places of these functions in NumPy's _ARRAY_API
_METH_FASTCALL = 0x0080

# What the function finds in the array that is its `self`.
_TABLE = ("type", "descr", "new", "finish", "general", "vectorcall", "tuple", "set", "drop", "error", "host")


def emit(program: Program, dtype: str) -> str:
    """The function `single`, to stand in one module with `loop`."""
    w, size = Lines(), SIZES[dtype]
    inputs, outputs = program.inputs, program.outputs
    arguments = inputs + outputs
    axes = max((len(a.shape) for a in arguments), default=1) or 1
    steps = len(arguments) + sum(len(a.shape) for a in arguments)
    w.add("define ptr @single(ptr %self, ptr %given, i64 %count) {", "entry:")
    w.add(f"  %args = alloca [{len(arguments)} x ptr]", f"  %steps = alloca [{steps} x i64]")
    w.add(f"  %shape = alloca [{axes} x i64]", "  %one = alloca i64", "  store i64 1, ptr %one")

    def field(owner: str, offset: int, kind: str) -> str:
        return w.new(f"load {kind}, ptr {w.new(f'getelementptr i8, ptr {owner}, i64 {offset}')}")

    def require(condition: str) -> None:
        label = f"checked.{len(w.lines)}"
        w.add(f"  br i1 {condition}, label %{label}, label %general", f"{label}:")

    table = field("%self", _DATA, "ptr")
    entry = {name: w.load("ptr", table, k) for k, name in enumerate(_TABLE)}
    require(w.new(f"icmp eq i64 %count, {len(inputs)}"))
    for a, argument in enumerate(inputs):
        x = w.load("ptr", "%given", a)
        require(w.new(f"icmp eq ptr {field(x, _TYPE, 'ptr')}, {entry['type']}"))
        require(w.new(f"icmp eq ptr {field(x, _DESCR, 'ptr')}, {entry['descr']}"))
        require(w.new(f"icmp eq i32 {field(x, _NDIM, 'i32')}, {len(argument.shape)}"))
        ready = w.new(f"and i32 {field(x, _FLAGS, 'i32')}, {_READY}")
        require(w.new(f"icmp eq i32 {ready}, {_READY}"))
        dimensions = field(x, _DIMENSIONS, "ptr")
        for d, length in enumerate(argument.shape):
            require(w.new(f"icmp eq i64 {w.load('i64', dimensions, d)}, {length}"))
        w.store("ptr", field(x, _DATA, "ptr"), "%args", a)

    def new_array(k: int) -> str:
        shape = outputs[k].shape
        for d, length in enumerate(shape):
            w.store("i64", str(length), "%shape", d)
        result = w.new(
            f"call ptr {entry['new']}(ptr {entry['type']}, i32 {len(shape)}, ptr %shape, "
            f"i32 {TYPE_NUMBER[dtype]}, ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        return result

    if len(outputs) == 1:
        result = new_array(0)
        made = w.new(f"icmp ne ptr {result}, null")
        w.add(f"  br i1 {made}, label %ready.0, label %failed", "ready.0:")
        w.store("ptr", field(result, _DATA, "ptr"), "%args", len(inputs))
    else:
        result = w.new(f"call ptr {entry['tuple']}(i64 {len(outputs)})")
        made = w.new(f"icmp ne ptr {result}, null")
        w.add(f"  br i1 {made}, label %tuple, label %failed", "tuple:")
        for k in range(len(outputs)):
            array = new_array(k)
            made = w.new(f"icmp ne ptr {array}, null")
            w.add(f"  br i1 {made}, label %ready.{k}, label %incomplete", f"ready.{k}:")
            w.new(f"call i32 {entry['set']}(ptr {result}, i64 {k}, ptr {array})")
            w.store("ptr", field(array, _DATA, "ptr"), "%args", len(inputs) + k)
    position = len(arguments)
    for a, argument in enumerate(arguments):
        w.store("i64", "0", "%steps", a)
        for step in core_steps(argument, size):
            w.store("i64", str(step), "%steps", position)
            position += 1
    w.add(f"  call void @loop(ptr %args, ptr %one, ptr %steps, ptr {entry['host']})")
    error = w.new(f"call ptr {entry['error']}()")  # there may have been no memory
    good = w.new(f"icmp eq ptr {error}, null")
    w.add(f"  br i1 {good}, label %finished, label %incomplete", "finished:")
    scalar = len(outputs) == 1 and not outputs[0].shape  # NumPy returns a number then
    returned = w.new(f"call ptr {entry['finish']}(ptr {result})") if scalar else result
    w.add(f"  ret ptr {returned}")
    w.add("general:")
    handed = w.new(f"call ptr {entry['vectorcall']}(ptr {entry['general']}, ptr %given, i64 %count, ptr null)")
    w.add(f"  ret ptr {handed}")
    w.add("incomplete:", f"  call void {entry['drop']}(ptr {result})", "  br label %failed")
    w.add("failed:", "  ret ptr null", "}")
    return w.text()


@cache
def available() -> bool:
    """Whether this interpreter and this NumPy lay out their objects as the emitted code expects."""
    known = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    if not known or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    probe = np.zeros((3, 5))

    def word(address: int, kind: Any = ctypes.c_int64) -> int:
        return int(kind.from_address(address).value)

    here = id(probe)
    dimensions = word(here + _DIMENSIONS)
    return (
        word(here + _TYPE) == id(np.ndarray)
        and word(here + _DATA) == probe.ctypes.data
        and word(here + _NDIM, ctypes.c_int32) == 2
        and (word(dimensions), word(dimensions + 8)) == (3, 5)
        and word(here + _DESCR) == id(probe.dtype)
        and word(here + _FLAGS, ctypes.c_int32) == probe.flags.num
    )


class _Table(ctypes.c_void_p * len(_TABLE)):  # type: ignore[misc]
    """The memory of `self`."""

    owned: Any


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def wrap(address: int, owner: Any, general: Any, dtype: str, name: str) -> Any:
    """The function at `address` as a Python callable; what it refuses goes to `general`."""

    def c(function: str) -> int:
        return ctypes.cast(getattr(ctypes.pythonapi, function), ctypes.c_void_p).value or 0

    descr = np.dtype(np.float64 if dtype == "double" else np.float32)
    entries = {
        "type": id(np.ndarray),
        "descr": id(descr),
        "new": api(_multiarray_umath._ARRAY_API, _PYARRAY_NEW),
        "finish": api(_multiarray_umath._ARRAY_API, _PYARRAY_RETURN),
        "general": id(general),
        "vectorcall": c("PyObject_VectorcallDict"),
        "tuple": c("PyTuple_New"),
        "set": c("PyTuple_SetItem"),
        "drop": c("Py_DecRef"),
        "error": c("PyErr_Occurred"),
        "host": ctypes.addressof(host_table),
    }
    memory = _Table(*(entries[key] for key in _TABLE))
    definition = _MethodDef(name.encode(), address, _METH_FASTCALL, None)
    memory.owned = (definition, general, descr, owner)  # what the callable points to lives as long as its `self`
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(definition), np.frombuffer(memory, dtype=np.uintp), None)
