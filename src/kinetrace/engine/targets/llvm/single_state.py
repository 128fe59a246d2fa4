"""One state without NumPy's machinery: a C-level Python function in the module of a program.

For a single state most of a gufunc's time goes into NumPy's protocol. The emitted function `single` looks at its
arguments itself: exact type, dtype, dimensions, flags. What is no plain array of one state, but as good (a list of
numbers, another precision, axes of length 1, a few states), `take` finds or moves (`argument_conversion`). The choices
that follow the arrays, such as the name of a frame, say which program is meant: a table of choices gives its code, the
function `one` of that program's module. If all is as needed, `single` makes the results, or takes the array `out`, and
calls `one`; in every other case it hands the call on, unchanged, to the general way of calling. So programs with the
same arrays share one `single`, and any of them is found in the same time.

`single` is called with an object `self` that holds a table of addresses (`TABLE_ENTRIES`), which `runtime.fastcall`
fills in. One entry, `found`, points to two addresses: that of the table of choices,

    mask, then mask + 1 entries: hash, code or 0, the choices

and that of the entry that was found last, which is looked at first. Other threads may be filling free entries, and
without a global lock at the same time: so both addresses and the code of an entry are read by `shared`, before all that
they stand for, and an address is changed by `publish`, after it.

An entry stands at its hash, or behind it if there are others. The hash is that of `ChoiceTable.hash_of` in
`runtime.fastcall`: of texts that of Python, of all else that of the address.
"""

from __future__ import annotations

from collections.abc import Callable

from ...plan.memory import SCALAR_BYTES, core_steps
from ...trace import Argument, Program
from . import argument_conversion as conversion
from .function_text import FunctionText
from .python_objects import (
    ALIGNED,
    CONTIGUOUS,
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    FLOAT32,
    FLOAT64,
    HEAD,
    NDIM,
    NUMBER,
    TYPE,
)

SLOT_OFFSET, BYTES_OFFSET = HEAD, bytes.__basicsize__ - 1
"""Offsets of the first slot of an object, and of the content of bytes."""
_READY = CONTIGUOUS | ALIGNED
_TYPE_NUMBER = {"float": FLOAT32, "double": FLOAT64}

MOST_CHOICES = 8
"""That a function may have behind its arrays."""
HASH_FACTOR = 31
"""Of the hash of several choices: ((h_1 · 31) + h_2) · 31 + …, in 64 bits."""
C_FUNCTIONS = {
    "vectorcall": "PyObject_Vectorcall",
    "pack": "PyTuple_New",
    "set": "PyTuple_SetItem",
    "hold": "Py_IncRef",
    "exhausted": "PyErr_NoMemory",
    "length": "PyTuple_Size",
    "item": "PyTuple_GetItem",
    "compare": "PyUnicode_Compare",
    "hash": "PyObject_Hash",
    **conversion.CONVERSION_FUNCTIONS,
}
"""Entries in the table of the function's `self`: functions of C by their names,"""
TABLE_ENTRIES = (
    *(*conversion.CONVERSION_TYPES, "descr", "new", "finish", "general", "host", "least", "positional", "most"),
    *("names", "defaults", "found", "text", "out", "none", *C_FUNCTIONS),
)
"""and in all."""


def emit(program: Program, dtype: str) -> str:
    """The functions `one` and `single`, to stand in one module with `states`."""
    return _ONE + _Single(program, dtype).text() + conversion.emit(dtype, TABLE_ENTRIES)


_ONE = """
define i1 @one(ptr %args, ptr %count, ptr %steps, ptr %host) {
  %n = load i64, ptr %count
  %fine = tail call i1 @states(ptr %args, ptr %count, ptr %steps, ptr %host, i64 %n)
  ret i1 %fine
}
"""


class _Single(FunctionText):
    """Writes `single`: check the arguments, find the code, make the results, run; or hand the call on."""

    def __init__(self, program: Program, dtype: str) -> None:
        super().__init__()
        self.inputs, self.outputs, self.dtype, self.size = program.inputs, program.outputs, dtype, SCALAR_BYTES[dtype]
        self.few = conversion.states_at_once(self.inputs, program.work, self.size)
        arguments = self.inputs + self.outputs
        self.core = [step for a in arguments for step in core_steps(a, self.size)]
        """The steps of all core axes, which follow those from state to state."""
        self.constants(arguments)
        room = self.few * sum(a.size for a in self.inputs)
        self.add("define ptr @single(ptr %self, ptr %given, i64 %count, ptr %names) {", "entry:")
        self.add(f"  %args = alloca [{len(arguments)} x ptr]", f"  %room = alloca [{max(1, room)} x {dtype}], align 8")
        self.add(f"  %batch = alloca [{len(conversion.BATCH_WORDS)} x i64]")
        self.add(f"  %steps = alloca [{len(arguments) + len(self.core)} x i64]")
        self.add(
            *(
                f"  %shape.{k} = alloca [{conversion.MOST_BATCH_AXES + len(a.row)} x i64]"
                for k, a in enumerate(self.outputs)
            )
        )
        self.add(f"  %chosen = alloca [{MOST_CHOICES} x ptr]", "  %hash = alloca i64", "  %again = alloca i1")
        self.add("  store i64 0, ptr %hash", "  store i1 true, ptr %again")
        self.store("i64", "0", "%batch", 0)
        self.store("i64", "1", "%batch", 1)
        table = self.field("%self", SLOT_OFFSET, "ptr")
        self.add(f"  %table = getelementptr i8, ptr {table}, i64 {BYTES_OFFSET}")
        self.check_names()
        self.strides = self.check_arrays()
        code = self.find()
        self.shape_batch()
        self.arrays: list[str] = []
        result = self.make()
        self.run(code, result)
        self.hand_on(result)

    def constants(self, arguments: tuple[Argument, ...]) -> None:
        """Write values that are the same in all calls: about inputs; steps and shapes of one state."""

        def array(name: str, numbers: list[int]) -> None:
            self.add(f"@{name} = internal constant [{len(numbers)} x i64] [{', '.join(f'i64 {x}' for x in numbers)}]")

        for k, a in enumerate(self.inputs):
            self.add(conversion.about(k, a, self.few, self.size))
        for k, a in enumerate(self.outputs):
            array(f"shape.{k}", [*[1] * conversion.MOST_BATCH_AXES, *a.row])
        array("steps", [*[0] * len(arguments), *self.core])
        array("count", [1])

    def field(self, owner: str, offset: int, kind: str) -> str:
        """A field of an object."""
        return self.new(f"load {kind}, ptr {self.new(f'getelementptr i8, ptr {owner}, i64 {offset}')}")

    def entry(self, name: str) -> str:
        """An entry of the table: loaded where it is used, since a register for each would be too many."""
        return self.load("ptr", "%table", TABLE_ENTRIES.index(name))

    def number(self, name: str) -> str:
        """An entry of the table that is a number."""
        return self.load("i64", "%table", TABLE_ENTRIES.index(name))

    def at(self, array: str, k: str) -> str:
        """Entry k of an array of pointers."""
        return self.new(f"load ptr, ptr {self.new(f'getelementptr ptr, ptr {array}, i64 {k}')}")

    def shared(self, array: str, index: int) -> str:
        """Entry `index` of an array of pointers that other threads change; what is read later is at least as new."""
        address = self.new(f"getelementptr i64, ptr {array}, i64 {index}")
        return self.new(f"load atomic ptr, ptr {address} acquire, align 8")

    def publish(self, value: str, array: str, index: int) -> None:
        """Set such an entry; who reads it there sees all that was written before."""
        address = self.new(f"getelementptr i64, ptr {array}, i64 {index}")
        self.add(f"  store atomic ptr {value}, ptr {address} release, align 8")

    def proceed(self, condition: str, otherwise: str = "general") -> None:
        """Go on if the condition holds, else elsewhere."""
        label = f"on.{len(self.lines)}"
        self.add(f"  br i1 {condition}, label %{label}, label %{otherwise}", f"{label}:")

    def require(self, kind: str, actual: str, wanted: object, otherwise: str = "general") -> None:
        """Go on if two values are equal, else elsewhere."""
        self.proceed(self.new(f"icmp eq {kind} {actual}, {wanted}"), otherwise)

    def each(self, label: str, first: str, end: str, body: Callable[[str], None]) -> None:
        """Lines for every k from `first` to `end`."""
        before = f"{label}.before"
        self.add(f"  br label %{before}", f"{before}:", f"  br label %{label}", f"{label}:")
        self.add(f"  %{label}.k = phi i64 [{first}, %{before}], [%{label}.next, %{label}.on]")
        self.add(f"  %{label}.more = icmp ult i64 %{label}.k, {end}")
        self.add(f"  br i1 %{label}.more, label %{label}.look, label %{label}.done", f"{label}.look:")
        body(f"%{label}.k")
        self.add(f"  br label %{label}.on", f"{label}.on:")
        self.add(f"  %{label}.next = add i64 %{label}.k, 1", f"  br label %{label}", f"{label}.done:")

    def check_names(self) -> None:
        """Whether as much is given as is needed, with keywords in their order; `out` may be the last."""
        self.add("  %plain = icmp eq ptr %names, null", "  br i1 %plain, label %sized, label %named", "named:")
        length = self.new(f"call i64 {self.entry('length')}(ptr %names)")
        last = self.new(f"sub i64 {length}, 1")
        name = self.new(f"call ptr {self.entry('item')}(ptr %names, i64 {last})")
        is_out = self.new(f"icmp eq ptr {name}, {self.entry('out')}")
        where = self.new(f"getelementptr ptr, ptr %given, i64 {self.new(f'add i64 %count, {last}')}")
        given = self.new(f"load ptr, ptr {where}")
        some = self.new(f"and i1 {is_out}, {self.new(f'icmp ne ptr {given}, ' + self.entry('none'))}")
        out = self.new(f"select i1 {some}, ptr {given}, ptr null")
        further = self.new(f"select i1 {is_out}, i64 {last}, i64 {length}")
        self.add("  br label %sized", "sized:", f"  %further = phi i64 [0, %entry], [{further}, %named]")
        self.add(f"  %out = phi ptr [null, %entry], [{out}, %named]", "  %total = add i64 %count, %further")
        for bound in (
            f"icmp uge i64 %total, {self.number('least')}",
            f"icmp ule i64 %total, {self.number('most')}",
            f"icmp ule i64 %count, {self.number('positional')}",
        ):
            self.proceed(self.new(bound))

        def same_name(k: str) -> None:
            place = self.new(f"sub i64 {k}, %count")
            name = self.new(f"call ptr {self.entry('item')}(ptr %names, i64 {place})")
            self.require("ptr", name, self.at(self.entry("names"), k))

        self.each("keyword", "%count", "%total", same_name)
        if len(self.outputs) > 1:  # `out` is a tuple then
            self.require("ptr", "%out", "null")

    def check_arrays(self) -> list[str]:
        """Where the numbers of the arguments are: of one state in plain arrays, or what `take` makes of them.

        The result are the bytes from state to state.
        """
        steps, used = list[str](), 0
        for k, argument in enumerate(self.inputs):
            x, otherwise = self.load("ptr", "%given", k), f"take.{k}"
            kind = self.field(x, TYPE, "ptr")
            plain = []
            if not argument.shape and self.dtype == "double":
                number = self.new(f"getelementptr i8, ptr {x}, i64 {NUMBER}")
                self.store("ptr", number, "%args", k)
                is_float = self.new(f"icmp eq ptr {kind}, {self.entry('float')}")
                self.add(f"  br i1 {is_float}, label %float.{k}, label %array.{k}")
                self.add(f"float.{k}:", f"  br label %next.{k}", f"array.{k}:")
                plain.append(f"[0, %float.{k}]")
            self.require("ptr", kind, self.entry("type"), otherwise)
            self.require("ptr", self.field(x, DESCR, "ptr"), self.entry("descr"), otherwise)
            self.require("i32", self.field(x, NDIM, "i32"), len(argument.shape), otherwise)
            ready = self.new(f"and i32 {self.field(x, FLAGS, 'i32')}, {_READY}")
            self.require("i32", ready, _READY, otherwise)
            dimensions = self.field(x, DIMENSIONS, "ptr")
            for d, length in enumerate(argument.shape):
                self.require("i64", self.load("i64", dimensions, d), length, otherwise)
            self.store("ptr", self.field(x, DATA, "ptr"), "%args", k)
            self.add(f"  br label %ready.{k}", f"ready.{k}:", f"  br label %next.{k}", f"{otherwise}:")
            room = self.new(f"getelementptr {self.dtype}, ptr %room, i64 {used}")
            slot = self.new(f"getelementptr ptr, ptr %args, i64 {k}")
            given = f"ptr {x}, ptr %table, ptr @about.{k}, ptr {room}, ptr {slot}, ptr %batch"
            step = self.new(f"call i64 @take({given})")
            self.proceed(self.new(f"icmp sge i64 {step}, 0"))
            self.add(f"  br label %taken.{k}", f"taken.{k}:", f"  br label %next.{k}", f"next.{k}:")
            plain.append(f"[0, %ready.{k}]")
            steps.append(self.new(f"phi i64 {', '.join([*plain, f'[{step}, %taken.{k}]'])}"))
            used += self.few * argument.size
        return steps

    def find(self) -> str:
        """The code for the choices that are given, with the defaults of those that are not."""
        arrays = len(self.inputs)
        choices = self.new(f"sub i64 {self.number('most')}, {arrays}")
        latest = self.shared(self.entry("found"), 1)
        known = self.new(f"getelementptr i64, ptr {latest}, i64 2")

        def choose(k: str) -> None:
            """Choice k, and whether it is that of the latest call."""
            place = self.new(f"add i64 {k}, {arrays}")
            given = self.new(f"icmp ult i64 {place}, %total")
            where = self.new(f"getelementptr ptr, ptr %given, i64 {place}")
            default = self.new(f"getelementptr ptr, ptr {self.entry('defaults')}, i64 {k}")
            x = self.new(f"load ptr, ptr {self.new(f'select i1 {given}, ptr {where}, ptr {default}')}")
            self.add(f"  store ptr {x}, ptr {self.new(f'getelementptr ptr, ptr %chosen, i64 {k}')}")
            same = self.new(f"icmp eq ptr {x}, {self.at(known, k)}")
            before = self.new("load i1, ptr %again")
            self.add(f"  store i1 {self.new(f'and i1 {before}, {same}')}, ptr %again")

        self.each("choice", "0", choices, choose)
        again = self.new("load i1, ptr %again")
        self.add(f"  br i1 {again}, label %found, label %search", "search:")
        here = self.search(choices)
        self.publish(here, self.entry("found"), 1)
        self.add("  br label %searched", "searched:", "  br label %found", "found:")
        there = self.new(f"phi ptr [{latest}, %choice.done], [{here}, %searched]")
        return self.load("ptr", there, 1)

    def search(self, choices: str) -> str:
        """The entry of the choices, in the table."""
        block = self.shared(self.entry("found"), 0)
        mask, entries = self.load("i64", block, 0), self.new(f"getelementptr i64, ptr {block}, i64 1")
        width = self.new(f"add i64 {choices}, 2")

        def mix(k: str) -> None:
            """The part of choice k in the hash."""
            x = self.at("%chosen", k)
            address = self.new(f"lshr i64 {self.new(f'ptrtoint ptr {x} to i64')}, 4")
            is_text = self.new(f"icmp eq ptr {self.field(x, TYPE, 'ptr')}, {self.entry('text')}")
            self.add(f"  br i1 {is_text}, label %text, label %other", "text:")
            self.add(f"  %text.hash = call i64 {self.entry('hash')}(ptr {x})", "  br label %hashed")
            self.add("other:", "  br label %hashed", "hashed:")
            part = self.new(f"phi i64 [%text.hash, %text], [{address}, %other]")
            scaled = self.new(f"mul i64 {self.new('load i64, ptr %hash')}, {HASH_FACTOR}")
            self.add(f"  store i64 {self.new(f'add i64 {scaled}, {part}')}, ptr %hash")

        self.each("mix", "0", choices, mix)
        wanted = self.new("load i64, ptr %hash")
        self.add("  br label %probe.first", "probe.first:", "  br label %probe", "probe:")
        self.add(f"  %probe.at = phi i64 [{wanted}, %probe.first], [%probe.next, %probe.on]")
        place = self.new(f"mul i64 {self.new(f'and i64 %probe.at, {mask}')}, {width}")
        here = self.new(f"getelementptr i64, ptr {entries}, i64 {place}")
        self.proceed(self.new(f"icmp ne ptr {self.shared(here, 1)}, null"))
        fits = self.new(f"icmp eq i64 {self.load('i64', here, 0)}, {wanted}")
        self.add(f"  br i1 {fits}, label %compare, label %probe.on", "probe.on:")
        self.add("  %probe.next = add i64 %probe.at, 1", "  br label %probe", "compare:")
        own = self.new(f"getelementptr i64, ptr {here}, i64 2")

        def same(k: str) -> None:
            """The same object, or the same text."""
            chosen, known = self.at("%chosen", k), self.at(own, k)
            self.add(f"  br i1 {self.new(f'icmp eq ptr {chosen}, {known}')}, label %same.on, label %same.text")
            self.add("same.text:")
            for x in (chosen, known):
                kind = self.field(x, TYPE, "ptr")
                self.proceed(self.new(f"icmp eq ptr {kind}, {self.entry('text')}"), "probe.on")
            order = self.new(f"call i32 {self.entry('compare')}(ptr {chosen}, ptr {known})")
            self.proceed(self.new(f"icmp eq i32 {order}, 0"), "probe.on")

        self.each("same", "0", choices, same)
        return here

    def shape_batch(self) -> None:
        """Shapes of the results, and what `one` is told: constants for one state, and made here for a few."""
        self.leading, self.states = self.load("i64", "%batch", 0), self.load("i64", "%batch", 1)
        first = self.new(f"sub i64 {conversion.MOST_BATCH_AXES}, {self.leading}")
        fixed = [self.new(f"getelementptr i64, ptr @shape.{k}, i64 {first}") for k in range(len(self.outputs))]
        if self.few < 2:
            self.shapes, self.steps, self.count = fixed, "@steps", "@count"
            return
        self.add(f"  br i1 {self.new(f'icmp eq i64 {self.states}, 1')}, label %alone, label %several")
        self.add("alone:", "  br label %shaped", "several:")
        mine = []
        for k, a in enumerate(self.outputs):
            for d in range(conversion.MOST_BATCH_AXES):
                self.store("i64", self.load("i64", "%batch", 2 + d), f"%shape.{k}", d)
            for d, length in enumerate(a.row, conversion.MOST_BATCH_AXES):
                self.store("i64", str(length), f"%shape.{k}", d)
            mine.append(self.new(f"getelementptr i64, ptr %shape.{k}, i64 {first}"))
        rows = [*self.strides, *(str(a.size * self.size) for a in self.outputs)]
        for k, step in enumerate([*rows, *map(str, self.core)]):
            self.store("i64", step, "%steps", k)
        count = self.new("getelementptr i64, ptr %batch, i64 1")
        self.add("  br label %shaped", "shaped:")
        pairs = zip([*fixed, "@steps", "@count"], [*mine, "%steps", count], strict=True)
        *self.shapes, self.steps, self.count = [self.new(f"phi ptr [{x}, %alone], [{y}, %several]") for x, y in pairs]

    def make(self) -> str:
        """The result: an array, or a tuple of arrays."""
        if len(self.outputs) == 1:
            return self.given_or_new()
        result = self.new(f"call ptr {self.entry('pack')}(i64 {len(self.outputs)})")
        self.proceed(self.new(f"icmp ne ptr {result}, null"), "failed")
        for k in range(len(self.outputs)):
            array = self.new_array(k, "incomplete")
            self.new(f"call i32 {self.entry('set')}(ptr {result}, i64 {k}, ptr {array})")
        return result

    def given_or_new(self) -> str:
        """The array `out`, if it is given, fits and is apart from all arguments; or a new one."""
        self.add(f"  br i1 {self.new('icmp eq ptr %out, null')}, label %new, label %given.out", "given.out:")
        axes = self.new(f"add i64 {self.leading}, {len(self.outputs[0].row)}")
        shape = f"i64 {axes}, ptr {self.shapes[0]}"
        self.proceed(self.new(f"call i1 @fits(ptr %out, ptr %table, {shape})"))
        data = self.field("%out", DATA, "ptr")

        def end(start: str, a: Argument) -> str:
            length = self.new(f"mul i64 {self.states}, {a.size * self.size}")
            return self.new(f"getelementptr i8, ptr {start}, i64 {length}")

        after = end(data, self.outputs[0])
        for k, a in enumerate(self.inputs):
            x = self.load("ptr", "%args", k)
            below = self.new(f"icmp ule ptr {end(x, a)}, {data}")
            above = self.new(f"icmp ule ptr {after}, {x}")
            self.proceed(self.new(f"or i1 {below}, {above}"))
        self.store("ptr", data, "%args", len(self.inputs))
        self.add(f"  call void {self.entry('hold')}(ptr %out)")
        self.add("  br label %held", "held:", "  br label %made", "new:")
        array = self.new_array(0, "failed")
        self.add("  br label %fresh", "fresh:", "  br label %made", "made:")
        self.arrays[0] = self.new(f"phi ptr [%out, %held], [{array}, %fresh]")
        return self.arrays[0]

    def new_array(self, k: int, otherwise: str) -> str:
        """An array for output k."""
        axes = self.new(f"add i32 {self.new(f'trunc i64 {self.leading} to i32')}, {len(self.outputs[k].row)}")
        array = self.new(
            f"call ptr {self.entry('new')}(ptr {self.entry('type')}, i32 {axes}, ptr {self.shapes[k]}, "
            f"i32 {_TYPE_NUMBER[self.dtype]}, ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        self.proceed(self.new(f"icmp ne ptr {array}, null"), otherwise)
        self.store("ptr", self.field(array, DATA, "ptr"), "%args", len(self.inputs) + k)
        self.arrays.append(array)
        return array

    def run(self, code: str, result: str) -> None:
        """The program; it may find no memory."""
        told = f"ptr %args, ptr {self.count}, ptr {self.steps}, ptr {self.entry('host')}"
        self.add(f"  %fine = call i1 {code}({told})")
        self.proceed("%fine", "exhausted")
        if len(self.outputs) == 1 and not self.outputs[0].shape:
            self.proceed(self.new("icmp eq ptr %out, null"), "returned")
        for k, array in enumerate(self.arrays):
            if not self.outputs[k].shape:  # NumPy returns a number then, if there is one state
                if len(self.outputs) > 1:  # the tuple lets go of its array in time
                    self.add(f"  call void {self.entry('hold')}(ptr {array})")
                number = self.new(f"call ptr {self.entry('finish')}(ptr {array})")
                if len(self.outputs) == 1:
                    self.add(f"  ret ptr {number}", "returned:")
                else:
                    self.proceed(self.new(f"icmp ne ptr {number}, null"), "incomplete")
                    self.new(f"call i32 {self.entry('set')}(ptr {result}, i64 {k}, ptr {number})")
        self.add(f"  ret ptr {result}")

    def hand_on(self, result: str) -> None:
        """Write the general way, for all other calls."""
        self.add("general:")
        callee, general = self.entry("vectorcall"), self.entry("general")
        self.add(f"  ret ptr {self.new(f'call ptr {callee}(ptr {general}, ptr %given, i64 %count, ptr %names)')}")
        self.add("exhausted:")
        self.add(f"  %none = call ptr {self.entry('exhausted')}()", "  br label %incomplete", "incomplete:")
        self.add(
            f"  call void {self.entry('drop')}(ptr {result})", "  br label %failed", "failed:", "  ret ptr null", "}"
        )
