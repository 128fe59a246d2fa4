"""An address as a NumPy gufunc, through NumPy's C API.

With `fastcall`, the only place that knows NumPy's and CPython's binary interface.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from .loop import HOST

_FROM_FUNC_AND_DATA_AND_SIGNATURE = 31  # place of PyUFunc_FromFuncAndDataAndSignature in NumPy's _UFUNC_API
TYPE_NUMBER = {"double": np.dtype(np.float64).num, "float": np.dtype(np.float32).num}


def api(capsule: Any, index: int) -> int:
    """Entry `index` of one of NumPy's tables of C functions."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    return int(table[index])


_make = ctypes.PYFUNCTYPE(
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
)(api(_multiarray_umath._UFUNC_API, _FROM_FUNC_AND_DATA_AND_SIGNATURE))

host_table = (ctypes.c_void_p * len(HOST))(
    *(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in HOST)
)
_immortal: list[Any] = []  # NumPy keeps pointers into these as long as the ufunc lives, and does not own them


def gufunc(address: int, owner: Any, signature: str, inputs: int, outputs: int, dtype: str, name: str, doc: str) -> Any:
    """A gufunc whose one inner loop is at `address`; `owner` keeps the code there alive."""
    loops = (ctypes.c_void_p * 1)(address)
    data = (ctypes.c_void_p * 1)(ctypes.addressof(host_table))
    types = ctypes.create_string_buffer(bytes([TYPE_NUMBER[dtype]] * (inputs + outputs)))
    texts = (name.encode(), doc.encode(), signature.encode())
    none = -1  # PyUFunc_None: the operation has no identity
    made = _make(
        ctypes.addressof(loops), ctypes.addressof(data), ctypes.addressof(types),
        1, inputs, outputs, none, texts[0], texts[1], 0, texts[2],
    )  # fmt: skip
    _immortal.append((loops, data, types, texts, owner))
    return made
