"""An address as a NumPy gufunc, through NumPy's C API; and NumPy without its warnings, quickly.

With `fastcall`, the only module that knows the binary interfaces of NumPy and CPython. They are looked up on first
use: without them the package still imports, and interprets.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache, partial
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath, umath  # type: ignore[attr-defined]

from ..targets.llvm.python_objects import HOST_FUNCTIONS

_FROM_FUNC_AND_DATA_AND_SIGNATURE = 31  # place of PyUFunc_FromFuncAndDataAndSignature in NumPy's _UFUNC_API
TYPE_NUMBER = {"double": np.dtype(np.float64).num, "float": np.dtype(np.float32).num}


def api(table: str, index: int) -> int:
    """Entry `index` of one of NumPy's tables of C functions."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    entries = ctypes.cast(pointer(getattr(_multiarray_umath, table), None), ctypes.POINTER(ctypes.c_void_p))
    return int(entries[index])


@cache
def host_table(*more: int) -> Any:
    """Addresses of the functions of the interpreter that compiled code calls, and more numbers behind them."""
    return (ctypes.c_void_p * (len(HOST_FUNCTIONS) + len(more)))(*map(address, HOST_FUNCTIONS), *more)


def address(name: str) -> int:
    """That of a function of the interpreter."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


@cache
def _make() -> Any:
    return ctypes.PYFUNCTYPE(
        ctypes.py_object,  # the ufunc
        ctypes.c_void_p,  # loops
        ctypes.c_void_p,  # data, one a loop
        ctypes.c_void_p,  # type numbers
        ctypes.c_int,  # loops
        ctypes.c_int,  # inputs
        ctypes.c_int,  # outputs
        ctypes.c_int,  # identity
        ctypes.c_char_p,  # name
        ctypes.c_char_p,  # doc
        ctypes.c_int,
        ctypes.c_char_p,  # signature
    )(api("_UFUNC_API", _FROM_FUNC_AND_DATA_AND_SIGNATURE))


class _Kept:
    """Memory that a ufunc points to and NumPy does not copy; and a function, of which NumPy itself makes a ufunc."""

    def __init__(self, *contents: Any) -> None:
        self.contents = contents

    def __call__(self, x: Any) -> Any:
        return x


_immortal: list[_Kept] = []  # where ufuncs cannot own it


def gufunc(
    loop: int,
    owner: Any,
    signature: str,
    inputs: int,
    outputs: int,
    dtype: str,
    name: str,
    doc: str,
    more: tuple[int, ...] = (),
) -> Any:
    """A gufunc whose one inner loop is at an address, and finds more numbers behind the functions of the host.

    `owner` keeps the code there alive as long as the gufunc lives.
    """
    loops, table = (ctypes.c_void_p * 1)(loop), host_table(*more)
    data = (ctypes.c_void_p * 1)(ctypes.addressof(table))
    types = ctypes.create_string_buffer(bytes([TYPE_NUMBER[dtype]] * (inputs + outputs)))
    texts = (name.encode(), doc.encode(), signature.encode())
    none = -1  # PyUFunc_None: the operation has no identity
    made = _make()(
        ctypes.addressof(loops), ctypes.addressof(data), ctypes.addressof(types),
        1, inputs, outputs, none, texts[0], texts[1], 0, texts[2],
    )  # fmt: skip
    _give(made, _Kept(loops, data, table, types, texts, owner))
    return made


def _give(ufunc: Any, kept: _Kept) -> None:
    """Let a ufunc own an object, in the field for the Python function of which NumPy makes a ufunc."""
    offset = _owned_at()
    field = None if offset is None else ctypes.c_void_p.from_address(id(ufunc) + offset)
    if field is None or field.value is not None:
        _immortal.append(kept)
    else:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
        field.value = id(kept)


@cache
def _owned_at() -> int | None:
    """The offset of that field, where a ufunc of a Python function has it; None if it is not as expected."""
    kept = _Kept()
    made = np.frompyfunc(kept, 1, 1)
    size = ctypes.sizeof(ctypes.c_void_p)
    words = (ctypes.c_size_t * (np.ufunc.__basicsize__ // size)).from_address(id(made))
    found = [size * k for k, word in enumerate(words) if word == id(kept)]
    watched = weakref.ref(kept)
    del made, kept  # which lets go of it
    return found[0] if len(found) == 1 and watched() is None else None


_error_settings, _new_settings = getattr(umath, "_extobj_contextvar", None), getattr(umath, "_make_extobj", None)


def _ignore_all() -> Any:
    state = np.errstate(all="ignore")
    state.__enter__()
    return state


def _restore(state: Any) -> None:
    state.__exit__(None, None, None)


warnings_off: Callable[[], Any] = _ignore_all
warnings_as_before: Callable[[Any], None] = _restore
"""Stop NumPy's warnings of divisions by zero and the like; and go on as before, from what the first returned.

Compiled code sets the machine's flags where nothing is wrong: in lanes that a selection discards, and in comparisons
with NaN. `numpy.errstate` costs a microsecond, so NumPy's own context variable is set directly, where there is one.
"""
if isinstance(_error_settings, ContextVar) and _new_settings is not None:
    warnings_off = partial(_error_settings.set, _new_settings(all="ignore"))
    warnings_as_before = _error_settings.reset
