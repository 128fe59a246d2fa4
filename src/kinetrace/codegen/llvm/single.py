"""One state without NumPy's machinery: a C-level Python function in the module of a program.

For a single state most of a gufunc's time goes into NumPy's protocol. The emitted function `single` looks at its
arguments itself: exact type, dtype, dimensions, flags. The choices that follow the arrays, such as the name of a frame,
say which program is meant: a table of choices gives its code, the function `one` of that program's module. If all is as
needed, `single` makes the results and calls `one`; in every other case it hands the call on, unchanged, to the general
way of calling. So programs with the same arrays share one `single`, and any of them is found in the same time.

`single` is called with an object `self` that holds a table of addresses (`TABLE`), which `runtime.fastcall` fills in.
One entry, `found`, points to two addresses: that of the table of choices,

    mask, then mask + 1 entries: hash, code or 0, the choices

and that of the entry that was found last, which is looked at first. Other threads may be filling free entries, and
without a global lock at the same time: so both addresses and the code of an entry are read by `shared`, before all that
they stand for, and an address is changed by `publish`, after it.

An entry stands at its hash, or behind it if there are others. The hash is that of `ChoiceTable.hash_of` in
`runtime.fastcall`: of texts that of Python, of all else that of the address.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from ...trace import Program
from ..plan import SIZES
from .lines import Lines
from .loop import core_steps

HEAD = object.__basicsize__  # of what all objects begin with: larger where there is no global lock
TYPE = HEAD - 8  # offset of an object's type, the last of it
DATA, NDIM, DIMENSIONS, DESCR, FLAGS = (HEAD + k for k in (0, 8, 16, 40, 48))  # offsets in a PyArrayObject
FLOAT = HEAD  # offset of the number in a PyFloatObject
SLOT, BYTES = HEAD, bytes.__basicsize__ - 1  # offsets of the first slot of an object, and of the content of bytes
LAYOUT = f"{HEAD}|{BYTES}|{sys.hash_info.width}"
"""What the emitted code depends on, apart from the program."""
_READY = 0x0001 | 0x0100  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
_TYPE_NUMBER = {"float": 11, "double": 12}  # NPY_FLOAT, NPY_DOUBLE

MOST_CHOICES = 8
"""That a function may have behind its arrays."""
FACTOR = 31
"""Of the hash of several choices: ((h_1 · 31) + h_2) · 31 + …, in 64 bits."""
FUNCTIONS = {
    "vectorcall": "PyObject_Vectorcall",
    "tuple": "PyTuple_New",
    "set": "PyTuple_SetItem",
    "hold": "Py_IncRef",
    "drop": "Py_DecRef",
    "exhausted": "PyErr_NoMemory",
    "length": "PyTuple_Size",
    "item": "PyTuple_GetItem",
    "compare": "PyUnicode_Compare",
    "hash": "PyObject_Hash",
}
"""What the function finds in the table of its `self`: functions of C by their names,"""
TABLE = (
    *("type", "descr", "float", "new", "finish", "general", "host", "least", "positional", "most"),
    *("names", "defaults", "found", "text", *FUNCTIONS),
)
"""and in all."""


def emit(program: Program, dtype: str) -> str:
    """The functions `one` and `single`, to stand in one module with `states`."""
    return _one(program, dtype) + _Single(program, dtype).text()


def _one(program: Program, dtype: str) -> str:
    """The function `one`: the program for one state, whose arrays are in C order; false if there is no memory."""
    w, arguments = Lines("o"), program.inputs + program.outputs
    steps = [0] * len(arguments) + [step for a in arguments for step in core_steps(a, SIZES[dtype])]
    w.add("define i1 @one(ptr %args, ptr %host) {", "entry:", f"  %steps = alloca [{len(steps)} x i64]")
    w.add("  %count = alloca i64", "  store i64 1, ptr %count")
    for k, step in enumerate(steps):
        w.store("i64", str(step), "%steps", k)
    w.add("  %fine = call i1 @states(ptr %args, ptr %count, ptr %steps, ptr %host, i64 1)", "  ret i1 %fine", "}")
    return w.text()


class _Single(Lines):
    """Writes `single`: check the arguments, find the code, make the results, run; or hand the call on."""

    def __init__(self, program: Program, dtype: str) -> None:
        super().__init__()
        self.inputs, self.outputs, self.dtype = program.inputs, program.outputs, dtype
        arguments = self.inputs + self.outputs
        axes = max((len(a.shape) for a in arguments), default=1) or 1
        self.add("define ptr @single(ptr %self, ptr %given, i64 %count, ptr %names) {", "entry:")
        self.add(f"  %args = alloca [{len(arguments)} x ptr]", f"  %shape = alloca [{axes} x i64]")
        self.add(f"  %chosen = alloca [{MOST_CHOICES} x ptr]", "  %hash = alloca i64", "  %again = alloca i1")
        self.add("  store i64 0, ptr %hash", "  store i1 true, ptr %again")
        table = self.new(f"getelementptr i8, ptr {self.field('%self', SLOT, 'ptr')}, i64 {BYTES}")
        self.entry = {name: self.load("ptr", table, k) for k, name in enumerate(TABLE)}
        self.check_names()
        self.check_arrays()
        code = self.find()
        self.arrays: list[str] = []
        result = self.make()
        self.run(code, result)
        self.hand_on(result)

    def field(self, owner: str, offset: int, kind: str) -> str:
        """A field of an object."""
        return self.new(f"load {kind}, ptr {self.new(f'getelementptr i8, ptr {owner}, i64 {offset}')}")

    def number(self, name: str) -> str:
        """An entry of the table that is a number."""
        return self.new(f"ptrtoint ptr {self.entry[name]} to i64")

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

    def require(self, kind: str, actual: str, wanted: object) -> None:
        """Go on if two values are equal."""
        self.proceed(self.new(f"icmp eq {kind} {actual}, {wanted}"))

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
        """Whether as much is given as is needed, with keywords in their order."""
        self.add("  %plain = icmp eq ptr %names, null", "  br i1 %plain, label %sized, label %named", "named:")
        length = self.new(f"call i64 {self.entry['length']}(ptr %names)")
        self.add("  br label %sized", "sized:", f"  %further = phi i64 [0, %entry], [{length}, %named]")
        self.add("  %total = add i64 %count, %further")
        for bound in (
            f"icmp uge i64 %total, {self.number('least')}",
            f"icmp ule i64 %total, {self.number('most')}",
            f"icmp ule i64 %count, {self.number('positional')}",
        ):
            self.proceed(self.new(bound))

        def same_name(k: str) -> None:
            place = self.new(f"sub i64 {k}, %count")
            name = self.new(f"call ptr {self.entry['item']}(ptr %names, i64 {place})")
            self.require("ptr", name, self.at(self.entry["names"], k))

        self.each("keyword", "%count", "%total", same_name)

    def check_arrays(self) -> None:
        """Whether the arguments are one state in plain arrays; where their numbers are."""
        for k, argument in enumerate(self.inputs):
            x = self.load("ptr", "%given", k)
            kind = self.field(x, TYPE, "ptr")
            if not argument.shape and self.dtype == "double":
                number = self.new(f"getelementptr i8, ptr {x}, i64 {FLOAT}")
                self.store("ptr", number, "%args", k)
                is_float = self.new(f"icmp eq ptr {kind}, {self.entry['float']}")
                self.add(f"  br i1 {is_float}, label %next.{k}, label %array.{k}", f"array.{k}:")
            self.require("ptr", kind, self.entry["type"])
            self.require("ptr", self.field(x, DESCR, "ptr"), self.entry["descr"])
            self.require("i32", self.field(x, NDIM, "i32"), len(argument.shape))
            self.require("i32", self.new(f"and i32 {self.field(x, FLAGS, 'i32')}, {_READY}"), _READY)
            dimensions = self.field(x, DIMENSIONS, "ptr")
            for d, length in enumerate(argument.shape):
                self.require("i64", self.load("i64", dimensions, d), length)
            self.store("ptr", self.field(x, DATA, "ptr"), "%args", k)
            self.add(f"  br label %next.{k}", f"next.{k}:")

    def find(self) -> str:
        """The code for the choices that are given, with the defaults of those that are not."""
        arrays = len(self.inputs)
        choices = self.new(f"sub i64 {self.number('most')}, {arrays}")
        latest = self.shared(self.entry["found"], 1)
        known = self.new(f"getelementptr i64, ptr {latest}, i64 2")

        def choose(k: str) -> None:
            """Choice k, and whether it is that of the latest call."""
            place = self.new(f"add i64 {k}, {arrays}")
            given = self.new(f"icmp ult i64 {place}, %total")
            where = self.new(f"getelementptr ptr, ptr %given, i64 {place}")
            default = self.new(f"getelementptr ptr, ptr {self.entry['defaults']}, i64 {k}")
            x = self.new(f"load ptr, ptr {self.new(f'select i1 {given}, ptr {where}, ptr {default}')}")
            self.add(f"  store ptr {x}, ptr {self.new(f'getelementptr ptr, ptr %chosen, i64 {k}')}")
            same = self.new(f"icmp eq ptr {x}, {self.at(known, k)}")
            before = self.new("load i1, ptr %again")
            self.add(f"  store i1 {self.new(f'and i1 {before}, {same}')}, ptr %again")

        self.each("choice", "0", choices, choose)
        again = self.new("load i1, ptr %again")
        self.add(f"  br i1 {again}, label %found, label %search", "search:")
        here = self.search(choices)
        self.publish(here, self.entry["found"], 1)
        self.add("  br label %searched", "searched:", "  br label %found", "found:")
        there = self.new(f"phi ptr [{latest}, %choice.done], [{here}, %searched]")
        return self.load("ptr", there, 1)

    def search(self, choices: str) -> str:
        """The entry of the choices, in the table."""
        block = self.shared(self.entry["found"], 0)
        mask, entries = self.load("i64", block, 0), self.new(f"getelementptr i64, ptr {block}, i64 1")
        width = self.new(f"add i64 {choices}, 2")

        def mix(k: str) -> None:
            """The part of choice k in the hash."""
            x = self.at("%chosen", k)
            address = self.new(f"lshr i64 {self.new(f'ptrtoint ptr {x} to i64')}, 4")
            is_text = self.new(f"icmp eq ptr {self.field(x, TYPE, 'ptr')}, {self.entry['text']}")
            self.add(f"  br i1 {is_text}, label %text, label %other", "text:")
            self.add(f"  %text.hash = call i64 {self.entry['hash']}(ptr {x})", "  br label %hashed")
            self.add("other:", "  br label %hashed", "hashed:")
            part = self.new(f"phi i64 [%text.hash, %text], [{address}, %other]")
            scaled = self.new(f"mul i64 {self.new('load i64, ptr %hash')}, {FACTOR}")
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
                self.proceed(self.new(f"icmp eq ptr {kind}, {self.entry['text']}"), "probe.on")
            order = self.new(f"call i32 {self.entry['compare']}(ptr {chosen}, ptr {known})")
            self.proceed(self.new(f"icmp eq i32 {order}, 0"), "probe.on")

        self.each("same", "0", choices, same)
        return here

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
            f"i32 {_TYPE_NUMBER[self.dtype]}, ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        self.proceed(self.new(f"icmp ne ptr {array}, null"), otherwise)
        self.store("ptr", self.field(array, DATA, "ptr"), "%args", len(self.inputs) + k)
        self.arrays.append(array)
        return array

    def run(self, code: str, result: str) -> None:
        """The program; it may find no memory."""
        self.add(f"  %fine = call i1 {code}(ptr %args, ptr {self.entry['host']})")
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
