"""Arguments of a short call that are no plain array of one state, as numbers in C order: functions beside
`single_state`.

    take(x, table, about, room, slot, batch)   where the numbers of x are, in `slot`; bytes from state to state, or -1
    fits(x, table, axes, shape)                whether x is an array that a result of this shape can be written to

`take` knows arrays of float64, float32 and int64 in any layout, with leading axes; lists and tuples of numbers, for an
argument with one axis; and numbers. What can be used where it is stays there, the rest goes to `room`. Numbers become
what NumPy would make of them, to the bit: so whole numbers above 2^53 in size, which are rounded in another way among
floats than among their like, are left to NumPy, as is everything else: -1.

`about` describes the argument (`ARGUMENT_WORDS`). `batch` has what all arguments share (`BATCH_WORDS`), and grows from
one argument to the next. Leading axes of length 1 fit anything; of those that are longer, all arguments must have the
same, and if they are several, in C order: else NumPy would choose another order for results, too.

No Python code runs in here: types are compared for identity, and what is called are functions of C on exact types.
Elements of lists are held while they are read, since without a global lock other threads may replace them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...plan.memory import SCALAR_BYTES
from ...trace import Argument
from . import python_objects
from .python_objects import ALIGNED, CONTIGUOUS, FLOAT32, FLOAT64, WARNS, WRITEABLE
from .row_copies import MOST_CORE_AXES

MOST_BATCH_AXES = 4
"""Batch axes that a short call may have."""
STACK_BYTES = 1 << 13
"""Bytes on the stack for numbers that are moved, at most."""
FEW_STATES, FEW_STATES_WORK = 8, 8000
"""States that a call may have, and operations of all of them: one after the other they take as long as NumPy's protocol
and the code for batches."""
ARGUMENT_WORDS = ("axes", "states", "bytes", *(f"n{d}" for d in range(MOST_CORE_AXES)))
"""Of an argument: core axes, states that there is room for (0: none), bytes of one state, lengths of the core axes."""
BATCH_WORDS = ("axes", "states", *(f"n{d}" for d in range(MOST_BATCH_AXES)))
"""Of a call: batch axes so far, states, and if these are several, the lengths of the axes, the last one last."""
CONVERSION_FUNCTIONS = {
    "size": "PySequence_Size",
    "element": "PySequence_GetItem",
    "whole": "PyLong_AsLongLongAndOverflow",
    "forget": "PyErr_Clear",
    "drop": "Py_DecRef",
}
CONVERSION_TYPES = ("type", "float", "float64", "float32", "int", "bool", "list", "tuple")
"""Entries of the table of `single_state` that these functions need: functions of C by their names, and types."""


def emit(dtype: str, table: Sequence[str]) -> str:
    """The functions, for kernels of a precision; `table` names the entries of the table."""
    places = {f"{name}_at": 8 * table.index(name) for name in (*CONVERSION_TYPES, *CONVERSION_FUNCTIONS, "descr")}
    narrow = dtype == "float"
    layout = {name: value for name, value in vars(python_objects).items() if isinstance(value, int)}
    names: dict[str, object] = {
        **layout,
        **{
            "AXES": MOST_BATCH_AXES + MOST_CORE_AXES,
            "MOST_BATCH_AXES": MOST_BATCH_AXES,
            "kind": dtype,
            "bytes": SCALAR_BYTES[dtype],
        },
        "OWN": {"float": FLOAT32, "double": FLOAT64}[dtype],
        "FIT": CONTIGUOUS | ALIGNED | WRITEABLE,
        "FIT_OF": CONTIGUOUS | ALIGNED | WRITEABLE | WARNS,
        "from_double": "fptrunc double %double.x to float" if narrow else "bitcast double %double.x to double",
        "from_float": "bitcast float %float.x to float" if narrow else "fpext float %float.x to double",
        "rounded": "fptrunc double %x64 to float" if narrow else "bitcast double %x64 to double",
    }
    return (python_objects.NUMBER_TEXT + python_objects.COPY_TEXT + _TAKE + _FITS).format(**names, **places)


def states_at_once(inputs: tuple[Argument, ...], work: int, size: int) -> int:
    """How many states a call may have, 0 if their numbers, of `size` bytes each, must be used where they are."""
    state = sum(a.size for a in inputs) * size
    return min(FEW_STATES, max(1, FEW_STATES_WORK // max(1, work)), STACK_BYTES // max(1, state))


def about(k: int, argument: Argument, states: int, size: int) -> str:
    """The description of argument k, a constant."""
    lengths = (*argument.row, *[1] * (MOST_CORE_AXES - len(argument.row)))
    entries = (len(argument.row), states, argument.size * size, *lengths)
    return f"@about.{k} = internal constant [{len(ARGUMENT_WORDS)} x i64] [{', '.join(f'i64 {x}' for x in entries)}]\n"


_TAKE = """
define internal i64 @take(ptr %x, ptr %table, ptr %about, ptr %room, ptr %slot, ptr %batch) {{
entry:
  %type.at = getelementptr i8, ptr %x, i64 {TYPE}
  %type = load ptr, ptr %type.at
  %core = load i64, ptr %about
  %states.at = getelementptr i64, ptr %about, i64 1
  %most = load i64, ptr %states.at
  %bytes.at = getelementptr i64, ptr %about, i64 2
  %bytes = load i64, ptr %bytes.at
  %lengths = getelementptr i64, ptr %about, i64 3
  %array.at = getelementptr i8, ptr %table, i64 {type_at}
  %array.type = load ptr, ptr %array.at
  %is.array = icmp eq ptr %type, %array.type
  br i1 %is.array, label %array, label %other
other:
  %has.room = icmp ne i64 %most, 0
  br i1 %has.room, label %by.axes, label %no
by.axes:
  switch i64 %core, label %no [ i64 0, label %alone i64 1, label %sequence ]
alone:
  %is.number = call i1 @number(ptr %x, ptr %table, ptr %room)
  br i1 %is.number, label %moved, label %no
moved:
  store ptr %room, ptr %slot
  ret i64 0

sequence:
  %list.at = getelementptr i8, ptr %table, i64 {list_at}
  %list.type = load ptr, ptr %list.at
  %is.list = icmp eq ptr %type, %list.type
  %tuple.at = getelementptr i8, ptr %table, i64 {tuple_at}
  %tuple.type = load ptr, ptr %tuple.at
  %is.tuple = icmp eq ptr %type, %tuple.type
  %is.sequence = or i1 %is.list, %is.tuple
  br i1 %is.sequence, label %sized, label %no
sized:
  %size.at = getelementptr i8, ptr %table, i64 {size_at}
  %size.of = load ptr, ptr %size.at
  %element.at = getelementptr i8, ptr %table, i64 {element_at}
  %element.of = load ptr, ptr %element.at
  %drop.at = getelementptr i8, ptr %table, i64 {drop_at}
  %drop = load ptr, ptr %drop.at
  %wanted = load i64, ptr %lengths
  %size = call i64 %size.of(ptr %x)
  %same.size = icmp eq i64 %size, %wanted
  br i1 %same.size, label %elements, label %no
elements:
  %i = phi i64 [ 0, %sized ], [ %i.next, %taken ]
  %to = phi ptr [ %room, %sized ], [ %to.next, %taken ]
  %element = call ptr %element.of(ptr %x, i64 %i)
  %missing = icmp eq ptr %element, null
  br i1 %missing, label %shrunk, label %held
held:
  %is.real = call i1 @number(ptr %element, ptr %table, ptr %to)
  call void %drop(ptr %element)
  br i1 %is.real, label %taken, label %no
taken:
  %to.next = getelementptr i8, ptr %to, i64 {bytes}
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %wanted
  br i1 %more, label %elements, label %moved
shrunk:
  %forget.at = getelementptr i8, ptr %table, i64 {forget_at}
  %forget = load ptr, ptr %forget.at
  call void %forget()
  br label %no

array:
  %flags.at = getelementptr i8, ptr %x, i64 {FLAGS}
  %flags = load i32, ptr %flags.at
  %aligned = and i32 %flags, {ALIGNED}
  %is.aligned = icmp ne i32 %aligned, 0
  br i1 %is.aligned, label %axes, label %no
axes:
  %ndim.at = getelementptr i8, ptr %x, i64 {NDIM}
  %ndim.short = load i32, ptr %ndim.at
  %ndim = sext i32 %ndim.short to i64
  %leading = sub i64 %ndim, %core
  %few.axes = icmp ule i64 %leading, {MOST_BATCH_AXES}
  br i1 %few.axes, label %dtype, label %no
dtype:
  %descr.at = getelementptr i8, ptr %x, i64 {DESCR}
  %descr = load ptr, ptr %descr.at
  %order.at = getelementptr i8, ptr %descr, i64 {ORDER}
  %order = load i8, ptr %order.at
  %native = icmp eq i8 %order, {NATIVE}
  br i1 %native, label %numbered, label %no
numbered:
  %number.at = getelementptr i8, ptr %descr, i64 {TYPE_NUMBER}
  %number = load i32, ptr %number.at
  switch i32 %number, label %no [
    i32 {FLOAT64}, label %shape
    i32 {FLOAT32}, label %shape
    i32 {C_LONG}, label %long
    i32 {C_LONGLONG}, label %shape
  ]
long:
  %item.at = getelementptr i8, ptr %descr, i64 {ITEM_SIZE}
  %item = load i64, ptr %item.at
  %is.i64 = icmp eq i64 %item, 8
  br i1 %is.i64, label %shape, label %no

shape:
  %dims.at = getelementptr i8, ptr %x, i64 {DIMENSIONS}
  %dims = load ptr, ptr %dims.at
  %at.most = call i64 @llvm.umax.i64(i64 %most, i64 1)
  br label %lead
lead:
  %d = phi i64 [ 0, %shape ], [ %d.next, %lead.fine ]
  %states = phi i64 [ 1, %shape ], [ %product, %lead.fine ]
  %lead.more = icmp ult i64 %d, %leading
  br i1 %lead.more, label %lead.one, label %tail
lead.one:
  %n.at = getelementptr i64, ptr %dims, i64 %d
  %n = load i64, ptr %n.at
  %small = icmp ule i64 %n, %at.most
  br i1 %small, label %lead.small, label %no
lead.small:
  %product = mul i64 %states, %n
  %above = sub i64 %product, 1
  %few = icmp ult i64 %above, %at.most
  br i1 %few, label %lead.fine, label %no
lead.fine:
  %d.next = add i64 %d, 1
  br label %lead
tail:
  %e = phi i64 [ 0, %lead ], [ %e.next, %tail.fine ]
  %tail.more = icmp ult i64 %e, %core
  br i1 %tail.more, label %tail.one, label %fitting
tail.one:
  %place = add i64 %leading, %e
  %there.at = getelementptr i64, ptr %dims, i64 %place
  %there = load i64, ptr %there.at
  %length.at = getelementptr i64, ptr %lengths, i64 %e
  %length = load i64, ptr %length.at
  %equal = icmp eq i64 %there, %length
  br i1 %equal, label %tail.fine, label %no
tail.fine:
  %e.next = add i64 %e, 1
  br label %tail

fitting:
  %leading.before = load i64, ptr %batch
  %leading.now = call i64 @llvm.umax.i64(i64 %leading, i64 %leading.before)
  store i64 %leading.now, ptr %batch
  %alone.here = icmp eq i64 %states, 1
  br i1 %alone.here, label %memory, label %laid.out
laid.out:
  %in.order.several = and i32 %flags, {CONTIGUOUS}
  %has.order = icmp ne i32 %in.order.several, 0
  %one.axis = icmp eq i64 %leading, 1
  %has.layout = or i1 %has.order, %one.axis
  br i1 %has.layout, label %several, label %no
several:
  %known.at = getelementptr i64, ptr %batch, i64 1
  %known = load i64, ptr %known.at
  %is.first = icmp eq i64 %known, 1
  store i64 %states, ptr %known.at
  %padding = sub i64 {MOST_BATCH_AXES}, %leading
  %shape.at = getelementptr i64, ptr %batch, i64 2
  br label %match
match:
  %m = phi i64 [ 0, %several ], [ %m.next, %match.fine ]
  %is.axis = icmp uge i64 %m, %padding
  br i1 %is.axis, label %match.axis, label %match.one
match.axis:
  %axis = sub i64 %m, %padding
  %axis.at = getelementptr i64, ptr %dims, i64 %axis
  %axis.length = load i64, ptr %axis.at
  br label %match.one
match.one:
  %mine = phi i64 [ 1, %match ], [ %axis.length, %match.axis ]
  %theirs.at = getelementptr i64, ptr %shape.at, i64 %m
  %theirs.before = load i64, ptr %theirs.at
  %theirs = select i1 %is.first, i64 %mine, i64 %theirs.before
  store i64 %theirs, ptr %theirs.at
  %agree = icmp eq i64 %mine, %theirs
  br i1 %agree, label %match.fine, label %no
match.fine:
  %m.next = add i64 %m, 1
  %match.more = icmp ult i64 %m.next, {MOST_BATCH_AXES}
  br i1 %match.more, label %match, label %memory

memory:
  %step = phi i64 [ 0, %fitting ], [ %bytes, %match.fine ]
  %data.at = getelementptr i8, ptr %x, i64 {DATA}
  %data = load ptr, ptr %data.at
  %in.order = and i32 %flags, {CONTIGUOUS}
  %is.ordered = icmp ne i32 %in.order, 0
  %is.own = icmp eq i32 %number, {OWN}
  %is.ready = and i1 %is.ordered, %is.own
  br i1 %is.ready, label %ready, label %move
ready:
  store ptr %data, ptr %slot
  ret i64 %step
move:
  %some.room = icmp ne i64 %most, 0
  br i1 %some.room, label %copied, label %no
copied:
  %strides.at = getelementptr i8, ptr %x, i64 {STRIDES}
  %strides = load ptr, ptr %strides.at
  call void @copy(ptr %room, ptr %data, i32 %number, i64 %ndim, ptr %dims, ptr %strides)
  store ptr %room, ptr %slot
  ret i64 %step
no:
  ret i64 -1
}}
declare i64 @llvm.umax.i64(i64, i64)
"""

_FITS = """
define internal i1 @fits(ptr %x, ptr %table, i64 %axes, ptr %shape) {{
entry:
  %type.at = getelementptr i8, ptr %x, i64 {TYPE}
  %type = load ptr, ptr %type.at
  %array.at = getelementptr i8, ptr %table, i64 {type_at}
  %array.type = load ptr, ptr %array.at
  %is.array = icmp eq ptr %type, %array.type
  br i1 %is.array, label %array, label %no
array:
  %descr.at = getelementptr i8, ptr %x, i64 {DESCR}
  %descr = load ptr, ptr %descr.at
  %own.at = getelementptr i8, ptr %table, i64 {descr_at}
  %own = load ptr, ptr %own.at
  %is.own = icmp eq ptr %descr, %own
  %flags.at = getelementptr i8, ptr %x, i64 {FLAGS}
  %flags = load i32, ptr %flags.at
  %masked = and i32 %flags, {FIT_OF}
  %is.ready = icmp eq i32 %masked, {FIT}
  %ndim.at = getelementptr i8, ptr %x, i64 {NDIM}
  %ndim.short = load i32, ptr %ndim.at
  %ndim = sext i32 %ndim.short to i64
  %same.axes = icmp eq i64 %ndim, %axes
  %fine.1 = and i1 %is.own, %is.ready
  %fine.2 = and i1 %fine.1, %same.axes
  %dims.at = getelementptr i8, ptr %x, i64 {DIMENSIONS}
  %dims = load ptr, ptr %dims.at
  br i1 %fine.2, label %each, label %no
each:
  %d = phi i64 [ 0, %array ], [ %d.next, %same ]
  %more = icmp ult i64 %d, %axes
  br i1 %more, label %one, label %yes
one:
  %n.at = getelementptr i64, ptr %dims, i64 %d
  %n = load i64, ptr %n.at
  %wanted.at = getelementptr i64, ptr %shape, i64 %d
  %wanted = load i64, ptr %wanted.at
  %equal = icmp eq i64 %n, %wanted
  br i1 %equal, label %same, label %no
same:
  %d.next = add i64 %d, 1
  br label %each
yes:
  ret i1 true
no:
  ret i1 false
}}
"""
