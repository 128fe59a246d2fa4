"""Objects of Python and NumPy: where they have what emitted code reads, and functions that read numbers from them.

`runtime.fastcall` looks at real objects before it trusts these offsets. `argument_conversion` fills in the texts of

    number(x, table, to)                             a number of Python or NumPy; false if it is none
    copy(room, data, number, ndim, dims, strides)    an array of the type of that number, in any layout, into C order
"""

from __future__ import annotations

import sys

HEAD = object.__basicsize__  # of what all objects begin with: larger where there is no global lock
TYPE = HEAD - 8  # offset of an object's type, the last of it
DATA, NDIM, DIMENSIONS, STRIDES, DESCR, FLAGS = (HEAD + k for k in (0, 8, 16, 24, 40, 48))  # in a PyArrayObject
ORDER, TYPE_NUMBER, ITEM_SIZE = (HEAD + k for k in (10, 12, 24))  # in a PyArray_Descr
NUMBER = HEAD  # offset of the number in a PyFloatObject, and in scalars of NumPy
LAYOUT = f"{HEAD}|{bytes.__basicsize__}|{sys.hash_info.width}"
"""Layout of Python's objects, on which emitted code depends apart from the program."""
NATIVE = ord("=")  # the byte order of this machine
CONTIGUOUS, ALIGNED, WRITEABLE, WARNS = 0x0001, 0x0100, 0x0400, 1 << 31  # flags of arrays
FLOAT32, FLOAT64, C_LONG, C_LONGLONG = 11, 12, 7, 9  # numbers of types
HOST_FUNCTIONS = ("PyMem_RawMalloc", "PyMem_RawFree", "PyGILState_Ensure", "PyErr_NoMemory", "PyGILState_Release")
"""The functions of the interpreter that inner loops are given the addresses of, in this order."""

NUMBER_TEXT = """
define internal i1 @number(ptr %x, ptr %table, ptr %to) {{
entry:
  %over = alloca i32
  %type.at = getelementptr i8, ptr %x, i64 {TYPE}
  %type = load ptr, ptr %type.at
  %here = getelementptr i8, ptr %x, i64 {NUMBER}
  %float.at = getelementptr i8, ptr %table, i64 {float_at}
  %float = load ptr, ptr %float.at
  %is.float = icmp eq ptr %type, %float
  br i1 %is.float, label %double, label %float64
float64:
  %float64.at = getelementptr i8, ptr %table, i64 {float64_at}
  %float64.type = load ptr, ptr %float64.at
  %is.float64 = icmp eq ptr %type, %float64.type
  br i1 %is.float64, label %double, label %int
double:
  %x.double = load double, ptr %here
  br label %store
int:
  %int.at = getelementptr i8, ptr %table, i64 {int_at}
  %int.type = load ptr, ptr %int.at
  %is.int = icmp eq ptr %type, %int.type
  br i1 %is.int, label %whole, label %bool
bool:
  %bool.at = getelementptr i8, ptr %table, i64 {bool_at}
  %bool.type = load ptr, ptr %bool.at
  %is.bool = icmp eq ptr %type, %bool.type
  br i1 %is.bool, label %whole, label %float32
whole:
  %whole.at = getelementptr i8, ptr %table, i64 {whole_at}
  %as.i64 = load ptr, ptr %whole.at
  %n = call i64 %as.i64(ptr %x, ptr %over)
  %overflow = load i32, ptr %over
  %fine = icmp eq i32 %overflow, 0
  %raised = add i64 %n, 9007199254740992
  %small = icmp ule i64 %raised, 18014398509481984
  %exact = and i1 %fine, %small
  %x.whole = sitofp i64 %n to double
  br i1 %exact, label %store, label %no
float32:
  %float32.at = getelementptr i8, ptr %table, i64 {float32_at}
  %float32.type = load ptr, ptr %float32.at
  %is.float32 = icmp eq ptr %type, %float32.type
  br i1 %is.float32, label %single, label %no
single:
  %x32 = load float, ptr %here
  %x.single = fpext float %x32 to double
  br label %store
store:
  %x64 = phi double [ %x.double, %double ], [ %x.whole, %whole ], [ %x.single, %single ]
  %rounded = {rounded}
  store {kind} %rounded, ptr %to
  ret i1 true
no:
  ret i1 false
}}
"""

COPY_TEXT = """
define internal void @copy(ptr %room, ptr %data, i32 %number, i64 %ndim, ptr %dims, ptr %strides) {{
entry:
  %index = alloca [{AXES} x i64]
  %last = sub i64 %ndim, 1
  %no.axis = icmp eq i64 %ndim, 0
  br i1 %no.axis, label %begin, label %clear
clear:
  %c = phi i64 [ 0, %entry ], [ %c.next, %clear ]
  %c.at = getelementptr i64, ptr %index, i64 %c
  store i64 0, ptr %c.at
  %c.next = add i64 %c, 1
  %c.more = icmp ult i64 %c.next, %ndim
  br i1 %c.more, label %clear, label %cleared
cleared:
  %length.at = getelementptr i64, ptr %dims, i64 %last
  %length = load i64, ptr %length.at
  %stride.at = getelementptr i64, ptr %strides, i64 %last
  %stride = load i64, ptr %stride.at
  br label %begin
begin:
  %n = phi i64 [ 1, %entry ], [ %length, %cleared ]
  %step = phi i64 [ 0, %entry ], [ %stride, %cleared ]
  br label %row
row:
  %row.from = phi ptr [ %data, %begin ], [ %axis.from, %turn ]
  %row.to = phi ptr [ %room, %begin ], [ %to.next, %turn ]
  br label %entry.one
entry.one:
  %i = phi i64 [ 0, %row ], [ %i.next, %stored ]
  %from = phi ptr [ %row.from, %row ], [ %from.next, %stored ]
  %to = phi ptr [ %row.to, %row ], [ %to.next, %stored ]
  switch i32 %number, label %integer [ i32 {FLOAT64}, label %double i32 {FLOAT32}, label %float ]
double:
  %double.x = load double, ptr %from
  %double.y = {from_double}
  br label %stored
float:
  %float.x = load float, ptr %from
  %float.y = {from_float}
  br label %stored
integer:
  %integer.x = load i64, ptr %from
  %integer.y = sitofp i64 %integer.x to {kind}
  br label %stored
stored:
  %y = phi {kind} [ %double.y, %double ], [ %float.y, %float ], [ %integer.y, %integer ]
  store {kind} %y, ptr %to
  %i.next = add i64 %i, 1
  %from.next = getelementptr i8, ptr %from, i64 %step
  %to.next = getelementptr i8, ptr %to, i64 {bytes}
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %entry.one, label %turned
turned:
  br label %axis
axis:
  %a = phi i64 [ %last, %turned ], [ %a.next, %again ]
  %base = phi ptr [ %row.from, %turned ], [ %back, %again ]
  %a.next = sub i64 %a, 1
  %a.more = icmp sgt i64 %a, 0
  br i1 %a.more, label %advance, label %done
advance:
  %index.at = getelementptr i64, ptr %index, i64 %a.next
  %before = load i64, ptr %index.at
  %after = add i64 %before, 1
  %dim.at = getelementptr i64, ptr %dims, i64 %a.next
  %dim = load i64, ptr %dim.at
  %by.at = getelementptr i64, ptr %strides, i64 %a.next
  %by = load i64, ptr %by.at
  %axis.from = getelementptr i8, ptr %base, i64 %by
  %is.over = icmp eq i64 %after, %dim
  br i1 %is.over, label %again, label %turn
turn:
  store i64 %after, ptr %index.at
  br label %row
again:
  store i64 0, ptr %index.at
  %whole = mul i64 %by, %dim
  %gone = sub i64 0, %whole
  %back = getelementptr i8, ptr %axis.from, i64 %gone
  br label %axis
done:
  ret void
}}
"""
