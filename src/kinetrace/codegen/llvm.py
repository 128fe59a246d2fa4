"""A program as LLVM IR text: the inner loop of a NumPy gufunc.

    loop(args, dims, steps, data)       NumPy's protocol; copies rows whose core axes are strided
      run(args, steps, n, scratch)      the batch, a stretch of TILES tiles of `lanes` states at a time
        block_k(..., first, tiles, ...) a piece of the straight line, over all tiles of the stretch

One state is one lane of a vector. The line is cut into blocks of about BLOCK operations, each run over all tiles
of a stretch before the next, so that its code stays in the instruction cache; values that cross blocks live in a
scratch buffer [tile][slot][lane], slots reused by liveness. A tile that reaches past the last state repeats that
state in its spare lanes: the same numbers are stored twice, and no second, scalar, copy of the code is needed.

The text has no external symbol: `data` points to the interpreter's functions that it needs (`HOST`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..trace import Argument, Program
from ..trace.program import operands
from . import elementary

BLOCK = 1500
"""Operations in a block."""
TILES = 64
"""Tiles in a stretch."""
ALIGNMENT = 64
HOST = ("PyMem_RawMalloc", "PyMem_RawFree", "PyGILState_Ensure", "PyErr_NoMemory", "PyGILState_Release")
"""The functions that `data` points to, in this order."""
SIZES = {"double": 8, "float": 4}
"""Bytes of a scalar."""

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_FLAGS = "contract nsz"  # may fuse a multiplication with an addition, and drop the sign of zero; nothing else


def emit(program: Program, lanes: int, dtype: str) -> str:
    """The module's text, with the one public function `loop`."""
    plan = Plan(program, lanes, dtype)
    return "\n".join(
        [
            *(_Block(plan, k).text() for k in range(len(plan.pieces))),
            _run(plan),
            _copy(plan),
            _loop(plan),
            elementary.definitions({"sincos"}, lanes, dtype) if plan.trig else "",
            f"declare {plan.vector} {plan.sqrt}({plan.vector})",
            "declare i64 @llvm.smin.i64(i64, i64)",
            "",
        ]
    )


@dataclass(frozen=True)
class Plan:
    """How a program is cut into blocks, and where its values live between them."""

    program: Program
    lanes: int
    dtype: str

    @property
    def vector(self) -> str:
        """The type of a value."""
        return f"<{self.lanes} x {self.dtype}>"

    @property
    def sqrt(self) -> str:
        """The intrinsic square root."""
        return f"@llvm.sqrt.v{self.lanes}f{8 * SIZES[self.dtype]}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs: NumPy's order."""
        return self.program.inputs + self.program.outputs

    @cached_property
    def trig(self) -> bool:
        """Whether there are sines or cosines."""
        return any(node[0] in ("sin", "cos") for node in self.program.nodes)

    @cached_property
    def pieces(self) -> list[list[int]]:
        """The operations in order, cut into blocks; the sine and cosine of an angle stay together."""
        nodes = self.program.nodes
        at = {node: i for i, node in enumerate(nodes) if node[0] in ("sin", "cos")}
        order: dict[int, None] = {}
        for i, node in enumerate(nodes):
            if node[0] in ("sin", "cos"):
                order.update((at[f, node[1]], None) for f in ("sin", "cos") if (f, node[1]) in at)
            elif node[0] not in ("const", "input"):
                order[i] = None
        line = list(order)
        size = -(-len(line) // max(1, round(len(line) / BLOCK))) or 1
        return [line[k : k + size] for k in range(0, len(line), size)] or [[]]

    @cached_property
    def slots(self) -> dict[int, int]:
        """Node → scratch slot, for values that a later block reads."""
        last_reader: dict[int, int] = {}
        for k, piece in enumerate(self.pieces):
            last_reader.update((j, k) for i in piece for j in operands(self.program.nodes[i]))
        slots: dict[int, int] = {}
        free: list[int] = []
        expiring: dict[int, list[int]] = {}
        for k, piece in enumerate(self.pieces):
            free += expiring.pop(k, [])
            for i in piece:
                if last_reader.get(i, k) > k:
                    slots[i] = free.pop() if free else max(slots.values(), default=-1) + 1
                    expiring.setdefault(last_reader[i] + 1, []).append(slots[i])
        return slots

    @cached_property
    def slot_count(self) -> int:
        """Scratch values a tile."""
        return max(self.slots.values(), default=-1) + 1

    def stores(self, k: int) -> dict[int, list[tuple[int, int]]]:
        """Node → the (argument, element) places to which block k writes it; constants and inputs go last."""
        here = set(self.pieces[k])
        if k == len(self.pieces) - 1:
            here |= {i for i, node in enumerate(self.program.nodes) if node[0] in ("const", "input")}
        places: dict[int, list[tuple[int, int]]] = {}
        for a, result in enumerate(self.program.results, start=len(self.program.inputs)):
            for e, i in enumerate(result):
                if i in here:
                    places.setdefault(i, []).append((a, e))
        return places


class _Block:
    """Writes `block_k`: a loop over tiles with a piece of the straight line in it."""

    def __init__(self, plan: Plan, k: int) -> None:
        self.plan, self.k = plan, k
        self.places = list(plan.program.inputs_by_scalar())
        self.values: dict[int, str] = {}
        self.rows: dict[int, None] = {}
        self.lines: list[str] = []

    def text(self) -> str:
        """The function."""
        plan, stores = self.plan, self.plan.stores(self.k)
        for i in plan.pieces[self.k]:
            if i not in self.values:
                self._compute(i)
        for i, places in stores.items():
            for a, e in places:
                self._store(a, e, self._value(i))
        return "\n".join(
            [
                f"define internal void @block_{self.k}(ptr %args, ptr %steps, i64 %first, i64 %tiles, i64 %last, "
                "ptr noalias %scratch) {",
                "entry:",
                *self._entry(),
                "  br label %tile",
                "tile:",
                "  %t = phi i64 [ 0, %entry ], [ %t.next, %latch ]",
                *self._tile(),
                *self.lines,
                "  br label %latch",
                "latch:",
                "  %t.next = add nuw nsw i64 %t, 1",
                "  %more = icmp ult i64 %t.next, %tiles",
                "  br i1 %more, label %tile, label %done",
                "done:",
                "  ret void",
                "}",
            ]
        )

    def _entry(self) -> Iterator[str]:
        """Bases and steps of the arguments that this block touches."""
        for a in self.rows:
            yield f"  %at.{a} = getelementptr ptr, ptr %args, i64 {a}"
            yield f"  %base.{a} = load ptr, ptr %at.{a}"
            yield f"  %of.{a} = getelementptr i64, ptr %steps, i64 {a}"
            yield f"  %step.{a} = load i64, ptr %of.{a}"

    def _tile(self) -> Iterator[str]:
        """The rows of this tile's states, the last one repeated, and the tile's scratch."""
        yield f"  %tile.rows = mul i64 %t, {self.plan.lanes}"
        yield "  %row = add i64 %first, %tile.rows"
        for lane in range(self.plan.lanes):
            yield f"  %row.{lane}.full = add i64 %row, {lane}"
            yield f"  %row.{lane} = call i64 @llvm.smin.i64(i64 %row.{lane}.full, i64 %last)"
            for a in self.rows:
                yield f"  %offset.{a}.{lane} = mul i64 %row.{lane}, %step.{a}"
                yield f"  %at.{a}.{lane} = getelementptr i8, ptr %base.{a}, i64 %offset.{a}.{lane}"
        yield f"  %tile.slots = mul i64 %t, {self.plan.slot_count}"
        yield f"  %slots = getelementptr {self.plan.vector}, ptr %scratch, i64 %tile.slots"

    def _put(self, name: str, instruction: str) -> str:
        self.lines.append(f"  {name} = {instruction}")
        return name

    def _element(self, name: str, a: int, e: int, lane: int) -> str:
        """The address of element e of argument a for one lane."""
        self.rows[a] = None
        return self._put(f"{name}.{lane}", f"getelementptr {self.plan.dtype}, ptr %at.{a}.{lane}, i64 {e}")

    def _value(self, i: int) -> str:
        """The name or literal of node i here; loaded on first use."""
        if i not in self.values:
            node, v, T = self.plan.program.nodes[i], self.plan.vector, self.plan.dtype
            if node[0] == "const":
                return f"splat ({T} {literal(node[1], T)})"
            if node[0] == "input":
                x = "poison"
                for lane in range(self.plan.lanes):
                    address = self._element(f"%in.{i}", *self.places[node[1]], lane)
                    s = self._put(f"%s.{i}.{lane}", f"load {T}, ptr {address}")
                    x = self._put(f"%v.{i}.{lane}", f"insertelement {v} {x}, {T} {s}, i64 {lane}")
            else:
                self._put(f"%kept.{i}", f"getelementptr {v}, ptr %slots, i64 {self.plan.slots[i]}")
                x = self._put(f"%v.{i}", f"load {v}, ptr %kept.{i}, align {_natural(self.plan)}")
            self.values[i] = x
        return self.values[i]

    def _compute(self, i: int) -> None:
        """Write the operation of node i, and keep its value for later blocks."""
        plan, node, v = self.plan, self.plan.program.nodes[i], self.plan.vector
        op, xs = node[0], [self._value(j) for j in node[1:]]
        new = f"%v.{i}"
        if op in _ARITHMETIC:
            self._put(new, f"{_ARITHMETIC[op]} {_FLAGS} {v} {xs[0]}, {xs[1]}")
        elif op == "neg":
            self._put(new, f"fneg {v} {xs[0]}")
        elif op == "sqrt":
            self._put(new, f"call {v} {plan.sqrt}({v} {xs[0]})")
        elif op == "lt":
            self._put(new, f"fcmp olt {v} {xs[0]}, {xs[1]}")
        elif op == "select":
            self._put(new, f"select <{plan.lanes} x i1> {xs[0]}, {v} {xs[1]}, {v} {xs[2]}")
        elif op == "atan2":
            lines, new = elementary.atan2(xs[0], xs[1], f"a.{i}", plan.lanes, plan.dtype)
            self.lines += lines
        else:
            self._sincos(node[1], xs[0])
            return
        self._define(i, new)

    def _sincos(self, angle: int, x: str) -> None:
        """Sine and cosine of one angle, whichever of the two are in this piece."""
        inline = elementary.sincos(x, f"f.{angle}", self.plan.lanes, self.plan.dtype)
        self.lines += inline.lines
        names = {"sin": inline.sin, "cos": inline.cos}
        for i in self.plan.pieces[self.k]:
            node = self.plan.program.nodes[i]
            if node[0] in names and node[1] == angle:
                self._define(i, names[node[0]])

    def _define(self, i: int, name: str) -> None:
        self.values[i] = name
        if i in self.plan.slots:
            v = self.plan.vector
            self._put(f"%keep.{i}", f"getelementptr {v}, ptr %slots, i64 {self.plan.slots[i]}")
            self.lines.append(f"  store {v} {name}, ptr %keep.{i}, align {_natural(self.plan)}")

    def _store(self, a: int, e: int, x: str) -> None:
        for lane in range(self.plan.lanes):
            address = self._element(f"%out.{a}.{e}", a, e, lane)
            s = self._put(f"%o.{a}.{e}.{lane}", f"extractelement {self.plan.vector} {x}, i64 {lane}")
            self.lines.append(f"  store {self.plan.dtype} {s}, ptr {address}")


def literal(value: float, dtype: str) -> str:
    """A number as LLVM writes it: the bits of a double, also for a float."""
    if dtype == "float":
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _natural(plan: Plan) -> int:
    return min(ALIGNMENT, plan.lanes * SIZES[plan.dtype])


def _stretch(plan: Plan) -> int:
    """States in a stretch."""
    return TILES * plan.lanes


def _run(plan: Plan) -> str:
    """The function that takes a batch of contiguous rows through all blocks."""
    calls = [
        f"  call void @block_{k}(ptr %args, ptr %steps, i64 %first, i64 %tiles, i64 %last, ptr %scratch)"
        for k in range(len(plan.pieces))
    ]
    return "\n".join(
        [
            "define internal void @run(ptr %args, ptr %steps, i64 %n, ptr %scratch) {",
            "entry:",
            "  %last = sub i64 %n, 1",
            "  br label %stretch",
            "stretch:",
            "  %first = phi i64 [ 0, %entry ], [ %next, %stretch ]",
            "  %left = sub i64 %n, %first",
            f"  %states = call i64 @llvm.smin.i64(i64 %left, i64 {_stretch(plan)})",
            f"  %padded = add i64 %states, {plan.lanes - 1}",
            f"  %tiles = udiv i64 %padded, {plan.lanes}",
            *calls,
            f"  %next = add i64 %first, {_stretch(plan)}",
            "  %more = icmp slt i64 %next, %n",
            "  br i1 %more, label %stretch, label %done",
            "done:",
            "  ret void",
            "}",
        ]
    )


def _copy(plan: Plan) -> str:
    """copy(to, from, sizes, to_steps, from_steps): nested loops over a batch axis and the core axes."""
    depth = 1 + max((len(a.shape) for a in plan.arguments), default=0)
    T = plan.dtype
    lines = [
        "define internal void @copy(ptr %to, ptr %from, ptr %sizes, ptr %to.steps, ptr %from.steps) {",
        "entry:",
    ]
    for d in range(depth):
        for name in ("sizes", "to.steps", "from.steps"):
            lines += [
                f"  %{name}.at.{d} = getelementptr i64, ptr %{name}, i64 {d}",
                f"  %{name}.{d} = load i64, ptr %{name}.at.{d}",
            ]
    outer, to, source = "entry", "%to", "%from"
    lines.append("  br label %axis.0")
    for d in range(depth):
        lines += [
            f"axis.{d}:",
            f"  %i.{d} = phi i64 [ 0, %{outer} ], [ %i.{d}.next, %next.{d} ]",
            f"  %to.off.{d} = mul i64 %i.{d}, %to.steps.{d}",
            f"  %to.{d} = getelementptr i8, ptr {to}, i64 %to.off.{d}",
            f"  %from.off.{d} = mul i64 %i.{d}, %from.steps.{d}",
            f"  %from.{d} = getelementptr i8, ptr {source}, i64 %from.off.{d}",
        ]
        outer, to, source = f"axis.{d}", f"%to.{d}", f"%from.{d}"
        lines.append(f"  br label %axis.{d + 1}" if d + 1 < depth else f"  br label %next.{d}.body")
    lines += [
        f"next.{depth - 1}.body:",
        f"  %x = load {T}, ptr {source}",
        f"  store {T} %x, ptr {to}",
        f"  br label %next.{depth - 1}",
    ]
    for d in reversed(range(depth)):
        lines += [
            f"next.{d}:",
            f"  %i.{d}.next = add i64 %i.{d}, 1",
            f"  %more.{d} = icmp slt i64 %i.{d}.next, %sizes.{d}",
            f"  br i1 %more.{d}, label %axis.{d}, label %{f'next.{d - 1}' if d else 'done'}",
        ]
    return "\n".join([*lines, "done:", "  ret void", "}"])


def _loop(plan: Plan) -> str:
    """The gufunc's inner loop: allocates, copies strided rows to contiguous ones and back, and runs."""
    arguments, inputs, size = plan.arguments, len(plan.program.inputs), SIZES[plan.dtype]
    depth = 1 + max((len(a.shape) for a in arguments), default=0)
    stretch = _stretch(plan)
    scratch = TILES * plan.slot_count * plan.lanes * size
    buffers, total = [], scratch
    for a in arguments:
        buffers.append(total)
        total += -(-stretch * a.size * size // ALIGNMENT) * ALIGNMENT
    w = Lines()
    w.add("define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {", "entry:")
    w.add("  %n = load i64, ptr %dims", "  %empty = icmp sle i64 %n, 0")
    for name in ("new.args", "new.steps", "sizes", "to.steps", "from.steps"):
        w.add(f"  %{name} = alloca [{max(len(arguments), depth)} x i64]")
    # Rows are contiguous if every core step is what C order makes it; axes of length 1 may have any.
    regular, position = "true", len(arguments)
    core: list[
        list[tuple[int, int, int]]
    ] = []  # argument → axes (length, place of its step, step in C order)
    for a in arguments:
        axes, step = [], size
        for d in reversed(range(len(a.shape))):
            axes.insert(0, (a.shape[d], position + d, step))
            step *= a.shape[d]
        position += len(a.shape)
        core.append(axes)
        for length, place, step in axes:
            if length > 1:
                actual = w.load("i64", "%steps", place)
                same = w.new(f"icmp eq i64 {actual}, {step}")
                regular = w.new(f"and i1 {regular}, {same}")
    w.add("  br i1 %empty, label %done, label %prepare", "prepare:")
    needed = w.new(f"select i1 {regular}, i64 {scratch}, i64 {total}")
    w.add(
        f"  %some = icmp sgt i64 {needed}, 0", "  br i1 %some, label %allocate, label %allocated", "allocate:"
    )
    malloc = w.load("ptr", "%data", HOST.index("PyMem_RawMalloc"))
    padded = w.new(f"add i64 {needed}, {ALIGNMENT}")
    w.add(f"  %memory = call ptr {malloc}(i64 {padded})", "  %none = icmp eq ptr %memory, null")
    w.add("  br i1 %none, label %exhausted, label %align", "align:")
    as_int = w.new("ptrtoint ptr %memory to i64")
    raised = w.new(f"add i64 {as_int}, {ALIGNMENT - 1}")
    masked = w.new(f"and i64 {raised}, -{ALIGNMENT}")
    w.add(f"  %aligned = inttoptr i64 {masked} to ptr", "  br label %allocated", "allocated:")
    w.add("  %block = phi ptr [ null, %prepare ], [ %memory, %align ]")
    w.add("  %scratch = phi ptr [ null, %prepare ], [ %aligned, %align ]")
    w.add(f"  br i1 {regular}, label %direct, label %strided", "direct:")
    w.add("  call void @run(ptr %args, ptr %steps, i64 %n, ptr %scratch)", "  br label %release", "strided:")
    for a, argument in enumerate(arguments):
        w.store("i64", str(argument.size * size), "%new.steps", a)
        buffer = w.new(f"getelementptr i8, ptr %scratch, i64 {buffers[a]}")
        w.store("ptr", buffer, "%new.args", a)
    w.add("  br label %part", "part:")
    w.add("  %first = phi i64 [ 0, %strided ], [ %next, %unpacked ]", "  %left = sub i64 %n, %first")
    w.add(f"  %rows = call i64 @llvm.smin.i64(i64 %left, i64 {stretch})")

    def transfer(a: int, inward: bool) -> None:
        """Copy the rows of one argument into its buffer, or out of it."""
        if not arguments[a].size:
            return
        base, step, buffer = (
            w.load("ptr", "%args", a),
            w.load("i64", "%steps", a),
            w.load("ptr", "%new.args", a),
        )
        offset = w.new(f"mul i64 %first, {step}")
        theirs = w.new(f"getelementptr i8, ptr {base}, i64 {offset}")
        axes = [("%rows", step, str(arguments[a].size * size))]
        axes += [(str(length), w.load("i64", "%steps", place), str(own)) for length, place, own in core[a]]
        axes += [("1", "0", "0")] * (depth - len(axes))
        for d, (length, there, here) in enumerate(axes):
            w.store("i64", length, "%sizes", d)
            w.store("i64", here if inward else there, "%to.steps", d)
            w.store("i64", there if inward else here, "%from.steps", d)
        to, source = (buffer, theirs) if inward else (theirs, buffer)
        w.add(f"  call void @copy(ptr {to}, ptr {source}, ptr %sizes, ptr %to.steps, ptr %from.steps)")

    for a in range(inputs):
        transfer(a, inward=True)
    w.add("  call void @run(ptr %new.args, ptr %new.steps, i64 %rows, ptr %scratch)")
    for a in range(inputs, len(arguments)):
        transfer(a, inward=False)
    w.add("  br label %unpacked", "unpacked:", f"  %next = add i64 %first, {stretch}")
    w.add("  %again = icmp slt i64 %next, %n", "  br i1 %again, label %part, label %release", "release:")
    free = w.load("ptr", "%data", HOST.index("PyMem_RawFree"))
    w.add(f"  call void {free}(ptr %block)", "  br label %done", "exhausted:")
    ensure, complain, restore = (w.load("ptr", "%data", HOST.index(name)) for name in HOST[2:])
    w.add(
        f"  %state = call i32 {ensure}()",
        f"  %null = call ptr {complain}()",
        f"  call void {restore}(i32 %state)",
    )
    w.add("  br label %done", "done:", "  ret void", "}")
    return "\n".join(w.lines)


class Lines:
    """Lines of a function, with numbered temporaries."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, *lines: str) -> None:
        self.lines += lines

    def new(self, instruction: str) -> str:
        name = f"%r.{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def load(self, kind: str, array: str, index: int) -> str:
        address = self.new(f"getelementptr i64, ptr {array}, i64 {index}")
        return self.new(f"load {kind}, ptr {address}")

    def store(self, kind: str, value: str, array: str, index: int) -> None:
        address = self.new(f"getelementptr i64, ptr {array}, i64 {index}")
        self.add(f"  store {kind} {value}, ptr {address}")
