"""A program as LLVM IR text, several states at a time: one state is one lane of a vector; see `plan`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ....errors import KinetraceError
from ...plan.items import Item
from ...plan.plan import Plan
from ...trace import Argument, Program, check
from ...trace.ops import LOOKUP
from . import constant_rows, elementary, gufunc_loop, lookups, object_code
from .function_text import FunctionText

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTRINSICS = {"sqrt": "sqrt", "abs": "fabs"}
_EXTREMES = {"minimum": "olt", "maximum": "ogt"}
_PASTED: dict[str, Callable[..., Any]] = {
    "atan2": elementary.atan2,
    "exp": elementary.exp,
    "log": elementary.log,
    "floor": elementary.floor,
}
FAST_MATH_FLAGS = "nsz"
"""Freedom of LLVM: the sign of a zero, and nothing else. Without it, inverse dynamics of panda takes a tenth
longer, in as many instructions."""
TILES_AHEAD, PREFETCH_UP_TO_BYTES, NEAR_CACHE_BYTES = 16, 1024, 1 << 15
"""How many tiles ahead rows are fetched, and up to how many bytes; the processor itself follows longer ones. To the
first-level cache, if all that is on its way fits there, else to the second."""
PASSES_AHEAD = 4
"""How many passes of a loop ahead the rows of series are fetched, as if they were dense: lanes are too many streams for
the processor to follow."""


MODULE_ITEMS = 5000
"""Pieces of work, operations and moves, in a module of a long program."""


def emit(program: Program, lanes: int, dtype: str, fuses: bool, beside: str, passes: int = 1) -> Iterator[str]:
    """The texts of modules, the last of which has `loop` and what stands `beside` it; of a short program, it alone."""
    check(program)
    plan = Plan(program, lanes, dtype, fuses, passes, joins=True)
    modules = _modules(plan)
    blocks = list(enumerate(plan.pieces))
    own = "hidden" if len(modules) > 1 else "internal"
    for size in modules[:-1]:
        part, blocks = blocks[:size], blocks[size:]
        yield _module(plan, [_Block(plan, f"block_{k}", piece, own).text() for k, piece in part])
    there = [f"declare hidden void @block_{k}({gufunc_loop.parameters(plan)})" for k in range(sum(modules[:-1]))]
    last = [_Block(plan, f"block_{k}", piece, own).text() for k, piece in blocks]
    fixed = [*([_constants(plan)] if plan.constants else []), *_numbers(plan)]
    yield _module(plan, [*there, *last, *fixed, gufunc_loop.emit(plan), beside])


def _modules(plan: Plan) -> list[int]:
    """How many blocks stand in each module."""
    sizes, filled = [0], 0
    for piece in plan.pieces if plan.program.size >= object_code.LONG_PROGRAM_NODES else ():
        if filled >= MODULE_ITEMS:
            sizes, filled = [*sizes, 0], 0
        sizes[-1] += 1
        filled += len(piece)
    return sizes


def _module(plan: Plan, functions: list[str]) -> str:
    """Functions, and what they call."""
    text, widths = "\n".join(functions), {plan.lanes, *map(plan.width, plan.wide_regions)}
    operands = {"sqrt": 1, "fabs": 1, "fma": 3}
    declared = [
        f"declare {v} {_intrinsic(name, n, plan)}({', '.join([v] * count)})"
        for n in sorted(widths)
        for v in [f"<{n} x {plan.dtype}>"]
        for name, count in operands.items()
    ]
    rare = elementary.definitions({"sincos"}, widths, plan.dtype) if "@kt." in text else ""
    return "\n".join([text, rare, *declared, gufunc_loop.DECLARATIONS])


def _constants(plan: Plan) -> str:
    """The function `constants`: as lines, in parts, if they are few."""
    groups, some = plan.constants, constant_rows.STORES_PER_FUNCTION // plan.lanes
    if len(groups) * plan.lanes > constant_rows.LINES_UP_TO_STORES:
        nodes = {i for item in groups for i in item.nodes}
        return constant_rows.emit(plan, {i: literal(plan.program.nodes[i][1], plan.dtype) for i in nodes})
    names = [f"constants_{k}" for k in range(-(-len(groups) // some))]
    parts = [_Block(plan, x, groups[k * some : (k + 1) * some]).text() for k, x in enumerate(names)]
    return "\n".join([*parts, constant_rows.in_turn(plan, names)])


def _numbers(plan: Plan) -> Iterator[str]:
    """The tables of numbers that loops read."""
    for k, write in enumerate(plan.program.loops.writes):
        if write.numbers:
            entries = ", ".join(f"{plan.dtype} {literal(x, plan.dtype)}" for x in write.numbers)
            yield f"@numbers.{k} = internal constant [{len(write.numbers)} x {plan.dtype}] [{entries}]"


def _intrinsic(name: str, lanes: int, plan: Plan) -> str:
    """One of LLVM's own functions."""
    return f"@llvm.{name}.v{lanes}f{8 * plan.size}"


class _Block(FunctionText):
    """A function that is a loop over tiles with a piece of the straight line in it."""

    def __init__(self, plan: Plan, name: str, piece: list[Item], linkage: str = "internal") -> None:
        super().__init__("r")
        self.plan, self.scope = plan, plan.scope_of(piece)
        self.lanes = plan.width(self.scope)
        self.vector = f"<{self.lanes} x {plan.dtype}>"
        self.values: dict[int, str] = {}
        self.add(
            f"define {linkage} void @{name}({gufunc_loop.parameters(plan)}) {{", "entry:", "  br label %tile", "tile:"
        )
        self.add("  %t = phi i64 [ 0, %entry ], [ %t.next, %latch ]")
        self.add(f"  %t.slots = mul i64 %t, {plan.slot_count * plan.value}")
        self.add("  %here = getelementptr i8, ptr %slots, i64 %t.slots")
        self.skip()
        if plan.series_places:
            self.add(f"  %t.kept = mul i64 %t, {plan.series_count * plan.value}")
            self.add("  %kept.here = getelementptr i8, ptr %kept, i64 %t.kept")
        self.add(f"  %t.rows = mul i64 %t, {plan.lanes}", "  %row = add i64 %first, %t.rows")
        self.rows(piece)
        for item in piece:
            getattr(self, _WRITERS[item.kind])(item)
        self.add("  br label %latch", "latch:")
        self.add("  %t.next = add nuw nsw i64 %t, 1", "  %more = icmp ult i64 %t.next, %tiles")
        self.add("  br i1 %more, label %tile, label %done", "done:", "  ret void", "}")

    def skip(self) -> None:
        """Leave a tile as it is if, of some loop around, all its states have converged: they keep their values."""
        regions = self.plan.program.loops.regions
        for r in self.plan.program.loops.around(self.scope):
            if regions[r].active >= 0:
                i = self.plan.carry_nodes[regions[r].active]
                some = self.new(f"icmp ne i{self.lanes} {self.active_bits(self.value(i))}, 0")
                self.add(f"  br i1 {some}, label %active.{r}, label %latch", f"active.{r}:")

    def rows(self, piece: list[Item]) -> None:
        """The address of each lane's row of the arrays that are used here: past the last state, that state again."""
        inputs, used = len(self.plan.program.inputs), self.plan.arguments(piece)
        if not used:
            return
        states = [self.new(f"add i64 %row, {lane}") for lane in range(self.plan.lanes)]
        states = [self.new(f"call i64 @llvm.smin.i64(i64 {s}, i64 %last)") for s in states]
        for k in used:
            for lane, s in enumerate(states):
                offset = self.new(f"mul i64 {s}, %step.{k}")
                self.add(f"  %at.{k}.{lane} = getelementptr i8, ptr %base.{k}, i64 {offset}")
        arguments = self.plan.program.inputs + self.plan.program.outputs
        level = 3 if sum(a.size for a in arguments) * self.plan.value * TILES_AHEAD <= NEAR_CACHE_BYTES else 2
        for k in used:
            argument = arguments[k]
            if argument.size * self.plan.size <= PREFETCH_UP_TO_BYTES and not (argument.dims and self.plan.lanes == 1):
                ahead = self.passes_ahead(argument) or self.new(f"mul i64 %step.{k}, {TILES_AHEAD * self.plan.lanes}")
                for lane in range(self.plan.lanes):
                    there = self.new(f"getelementptr i8, ptr %at.{k}.{lane}, i64 {ahead}")
                    for byte in range(0, argument.size * self.plan.size, 64):
                        address = self.new(f"getelementptr i8, ptr {there}, i64 {byte}")
                        write = int(k >= inputs)
                        self.add(f"  call void @llvm.prefetch.p0(ptr {address}, i32 {write}, i32 {level}, i32 1)")

    def passes_ahead(self, argument: Argument) -> str:
        """The bytes to the row of a series that is needed some passes later; nothing for what is no series."""
        if not argument.dims:
            return ""
        back = self.scope >= 0 and self.plan.program.loops.regions[self.scope].reverse
        return str((-PASSES_AHEAD if back else PASSES_AHEAD) * argument.size * self.plan.size)

    def addresses(self, item: Item) -> list[str]:
        """Where an item's vector group begins in each lane's row."""
        k = item.argument + len(self.plan.program.inputs) * (item.kind == "store")
        offset = item.entry * self.plan.size
        return [self.new(f"getelementptr i8, ptr %at.{k}.{lane}, i64 {offset}") for lane in range(self.plan.lanes)]

    def load_group(self, item: Item) -> None:
        """Entries of every lane's row, as values."""
        side = len(item.nodes)
        part = f"<{side} x {self.plan.dtype}>"
        rows = [self.new(f"load {part}, ptr {x}, align {self.plan.size}") for x in self.addresses(item)]
        values = self.transposed([self.joined(rows[r::side], part) for r in range(side)])
        for i, x in zip(item.nodes, values, strict=True):
            if i >= 0:
                self.define(i, x)

    def store_group(self, item: Item) -> None:
        """Values as entries of every lane's row."""
        side, at = len(item.nodes), self.addresses(item)
        part = f"<{side} x {self.plan.dtype}>"
        for r, x in enumerate(self.transposed([self.value(i) for i in item.nodes])):
            for group, address in enumerate(at[r::side]):
                mask = ", ".join(f"i32 {k}" for k in range(group * side, (group + 1) * side))
                row = self.new(f"shufflevector {self.vector} {x}, {self.vector} poison, <{side} x i32> <{mask}>")
                self.add(f"  store {part} {row}, ptr {address}, align {self.plan.size}")

    def joined(self, parts: list[str], kind: str) -> str:
        """Vectors one after the other, as one of all lanes."""
        side = self.lanes // len(parts)
        while len(parts) > 1:
            mask = ", ".join(f"i32 {k}" for k in range(2 * side))
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [self.new(f"shufflevector {kind} {a}, {kind} {b}, <{2 * side} x i32> <{mask}>") for a, b in pairs]
            side *= 2
            kind = f"<{side} x {self.plan.dtype}>"
        return parts[0]

    def transposed(self, rows: list[str]) -> list[str]:
        """Squares side by side with rows and columns exchanged: off-diagonal blocks of 1, 2, 4 … change places."""
        distance = 1
        while distance < len(rows):
            swapped = list(rows)
            for r in range(len(rows)):
                if not r & distance:
                    pair = f"{self.vector} {rows[r]}, {self.vector} {rows[r + distance]}"
                    for row, shift in ((r, 0), (r + distance, distance)):
                        # entry j of the pair's first vector, or of its second, whose entries count from `lanes`
                        picks = [j + shift + (self.lanes - distance if j & distance else 0) for j in range(self.lanes)]
                        mask = ", ".join(f"i32 {k}" for k in picks)
                        swapped[row] = self.new(f"shufflevector {pair}, <{self.lanes} x i32> <{mask}>")
            rows, distance = swapped, 2 * distance
        return rows

    def kept(self, item: Item) -> str:
        """Operand behind the type in a load from or a store to an entry of a kept row."""
        base, place = self.kept_row(item)
        address = self.new(f"getelementptr i8, ptr {base}, i64 {place * self.plan.value}")
        return f"ptr {address}, align {min(gufunc_loop.ALIGNMENT, self.plan.value)}"

    def kept_row(self, item: Item) -> tuple[str, int]:
        """An address, and how many values there are from there to an entry of a kept series."""
        place, base = self.plan.series_places.get(item.argument), f"%kept.{item.argument}"
        if place is None:
            return self.new(f"getelementptr i8, ptr {base}, i64 {self.new(f'mul i64 %t, {base}.step')}"), item.entry
        if not self.plan.is_along(item, self.scope):
            return "%kept.here", place.of_entry(item.entry)
        rows = self.new(f"mul i64 %pass, {place.by_row * self.plan.value}")
        return self.new(f"getelementptr i8, ptr %kept.here, i64 {rows}"), place.begin + item.entry * place.by_entry

    def keep(self, item: Item) -> None:
        """A value as an entry of a row that another loop reads."""
        self.add(f"  store {self.vector} {self.value(item.nodes[0])}, {self.kept(item)}")

    def fetch(self, item: Item) -> None:
        """An entry of such a row."""
        if not self.plan.program.loops.writes[item.argument].numbers:
            self.define(item.nodes[0], self.new(f"load {self.vector}, {self.kept(item)}"))
            return
        size = self.plan.size
        address = self.new(f"getelementptr i8, ptr %kept.{item.argument}, i64 {item.entry * size}")
        self.define(item.nodes[0], self.everywhere(f"ptr {address}, align {size}"))

    def enter(self, item: Item) -> None:
        """Store the first values of a loop into the slots of those that it carries."""
        for i, x in zip(item.nodes, map(self.value, self.plan.reads(item)), strict=True):
            self.add(f"  store {self.vector} {x}, {self.slot(i)}")
            self.flag(item, i, x)

    def latch(self, item: Item) -> None:
        """Store the values that are carried on; a state that has converged keeps its own."""
        active = self.plan.program.loops.regions[item.argument].active
        after = [self.value(i) for i in self.plan.reads(item)[: len(item.nodes)]]
        if active >= 0:
            state = self.value(self.plan.carry_nodes[active])
            mask = self.new(f"fcmp une {self.vector} {state}, zeroinitializer")
            pairs = zip(after, map(self.value, item.nodes), strict=True)
            v = self.vector
            after = [self.new(f"select <{self.lanes} x i1> {mask}, {v} {x}, {v} {old}") for x, old in pairs]
        for i, x in zip(item.nodes, after, strict=True):
            self.add(f"  store {self.vector} {x}, {self.slot(i)}")
            self.flag(item, i, x)

    def flag(self, item: Item, i: int, x: str) -> None:
        """Note if any state is active, where node i says so."""
        active = self.plan.program.loops.regions[item.argument].active
        if active < 0 or i != self.plan.carry_nodes[active]:
            return
        some = self.new(f"zext i{self.lanes} {self.active_bits(x)} to i64")
        before = self.new("load i64, ptr %flag")
        self.add(f"  store i64 {self.new(f'or i64 {before}, {some}')}, ptr %flag")

    def active_bits(self, x: str) -> str:
        """Which states are active by the value that says so, as the bits of a number."""
        mask = self.new(f"fcmp une {self.vector} {x}, zeroinitializer")
        return self.new(f"bitcast <{self.lanes} x i1> {mask} to i{self.lanes}")

    def slot(self, i: int) -> str:
        """Operand behind the type in a load from or a store to the slot of node i."""
        address = self.new(f"getelementptr i8, ptr %here, i64 {self.plan.slots[i] * self.plan.value}")
        return f"ptr {address}, align {min(gufunc_loop.ALIGNMENT, self.plan.value)}"

    def value(self, i: int) -> str:
        """The name or literal of node i here; loaded on first use."""
        if i not in self.values:
            node = self.plan.program.nodes[i]
            if node[0] == "const":
                return f"splat ({self.plan.dtype} {literal(node[1], self.plan.dtype)})"
            if self.lanes != self.plan.width(self.plan.scopes[i]):
                self.values[i] = self.everywhere(self.slot(i) if i in self.plan.slots else self.input(i))
            elif i in self.plan.slots:
                self.values[i] = self.new(f"load {self.vector}, {self.slot(i)}")
            elif self.plan.group_of[i].kind == "load":
                self.load_group(self.plan.group_of[i])
            else:
                raise KinetraceError(f"{self.plan.program.name}: node {i} is read before it is fetched")
        return self.values[i]

    def input(self, i: int) -> str:
        """The same for an input, with one lane."""
        return f"ptr {self.addresses(self.plan.group_of[i])[0]}, align {self.plan.size}"

    def everywhere(self, place: str) -> str:
        """One number, which all lanes have in common."""
        one = f"<1 x {self.plan.dtype}>"
        x = self.new(f"load {one}, {place}")
        return self.new(f"shufflevector {one} {x}, {one} poison, <{self.lanes} x i32> zeroinitializer")

    def define(self, i: int, name: str) -> None:
        """Name the value of node i, and keep it if a later block reads it."""
        self.values[i] = name
        if i in self.plan.slots:
            self.add(f"  store {self.vector} {name}, {self.slot(i)}")

    def compute(self, item: Item) -> None:
        """Write an operation."""
        i = item.nodes[0]
        op = self.plan.program.nodes[i][0]
        operands = [self.value(j) for j in self.plan.reads(item)]
        if op in ("sin", "cos"):
            self.sincos(item, operands)
        elif op == LOOKUP:
            self.define(i, lookups.emit(self, i, operands[0]))
        elif i in self.plan.fused_products:
            self.define(i, self.fused(i, operands))
        elif op in _PASTED:
            lines, name = _PASTED[op](*operands, f"a.{i}", self.lanes, self.plan.dtype)
            self.add(*lines)
            self.define(i, name)
        else:
            self.define(i, self.instruction(op, operands))

    def sincos(self, item: Item, angles: list[str]) -> None:
        """Sines and cosines of some angles."""
        inline = elementary.sincos(angles, f"f.{item.nodes[0]}", self.lanes, self.plan.dtype)
        self.add(*inline.lines)
        place = {j: k for k, j in enumerate(self.plan.reads(item))}
        for j in item.nodes:
            function, angle = self.plan.program.nodes[j]
            self.define(j, {"sin": inline.sin, "cos": inline.cos}[function][place[angle]])

    def fused(self, i: int, operands: list[str]) -> str:
        """A sum or difference with the product in it: the factors, then the other summand."""
        op, _, second = self.plan.program.nodes[i]
        v = self.vector
        if op == "sub":
            k = 0 if second == self.plan.fused_products[i] else 2  # c - a b, or a b - c
            operands[k] = self.new(f"fneg {v} {operands[k]}")
        given = ", ".join(f"{v} {x}" for x in operands)
        return self.new(f"call {FAST_MATH_FLAGS} {v} {_intrinsic('fma', self.lanes, self.plan)}({given})")

    def instruction(self, op: str, xs: list[str]) -> str:
        """An operation that is one instruction of LLVM, or a few."""
        v, bits = self.vector, f"<{self.lanes} x i1>"
        if op in _ARITHMETIC:
            return self.new(f"{_ARITHMETIC[op]} {FAST_MATH_FLAGS} {v} {xs[0]}, {xs[1]}")
        if op == "neg":
            return self.new(f"fneg {v} {xs[0]}")
        if op in _INTRINSICS:
            return self.new(f"call {v} {_intrinsic(_INTRINSICS[op], self.lanes, self.plan)}({v} {xs[0]})")
        if op in _EXTREMES:  # the first, if it is NaN
            beyond = self.new(f"fcmp {_EXTREMES[op]} {v} {xs[0]}, {xs[1]}")
            nan = self.new(f"fcmp uno {v} {xs[0]}, {xs[0]}")
            first = self.new(f"or {bits} {beyond}, {nan}")
            return self.new(f"select {bits} {first}, {v} {xs[0]}, {v} {xs[1]}")
        if op == "lt":
            return self.new(f"uitofp {bits} {self.new(f'fcmp olt {v} {xs[0]}, {xs[1]}')} to {v}")
        if op == "select":
            holds = self.new(f"fcmp une {v} {xs[0]}, zeroinitializer")
            return self.new(f"select {bits} {holds}, {v} {xs[1]}, {v} {xs[2]}")
        raise KinetraceError(f"{self.plan.program.name}: no instruction for the operation {op!r}")


_WRITERS = {
    **{"load": "load_group", "store": "store_group", "compute": "compute"},
    **{name: name for name in ("keep", "fetch", "enter", "latch")},
}
"""Kinds of items → methods that write them."""


def literal(value: float, dtype: str) -> str:
    """A number as LLVM writes it: the bits of a double, also for a float, in which a larger one is infinite.

    >>> literal(1.0, "double"), literal(1e300, "float")
    ('0x3FF0000000000000', '0x7FF0000000000000')
    """
    if dtype == "float":
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
