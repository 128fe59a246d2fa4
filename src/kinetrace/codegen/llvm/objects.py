"""Where objects of Python and NumPy have what emitted code reads; `runtime.fastcall` looks at real ones first."""

from __future__ import annotations

import sys

HEAD = object.__basicsize__  # of what all objects begin with: larger where there is no global lock
TYPE = HEAD - 8  # offset of an object's type, the last of it
DATA, NDIM, DIMENSIONS, STRIDES, DESCR, FLAGS = (HEAD + k for k in (0, 8, 16, 24, 40, 48))  # in a PyArrayObject
ORDER, TYPE_NUMBER, ITEM_SIZE = (HEAD + k for k in (10, 12, 24))  # in a PyArray_Descr
NUMBER = HEAD  # offset of the number in a PyFloatObject, and in scalars of NumPy
LAYOUT = f"{HEAD}|{bytes.__basicsize__}|{sys.hash_info.width}"
"""What emitted code depends on, apart from the program."""
NATIVE = ord("=")  # the byte order of this machine
CONTIGUOUS, ALIGNED, WRITEABLE, WARNS = 0x0001, 0x0100, 0x0400, 1 << 31  # flags of arrays
FLOAT32, FLOAT64, LONG, LONGLONG = 11, 12, 7, 9  # numbers of types
