"""A program as LLVM IR text, several states at a time.

One state is one lane of a vector. The line is cut into blocks of about BLOCK operations, each run over all tiles
of a stretch before the next, so that its code stays in the instruction cache; values that cross blocks live in a
scratch buffer [tile][slot][lane], slots reused by liveness. A tile that reaches past the last state repeats that
state in its spare lanes: the same numbers are stored twice, and no second, scalar, copy of the code is needed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..trace import Program
from ..trace.program import operands
from . import elementary, loop

BLOCK = 1500
"""Operations in a block."""
TILES = 64
"""Tiles in a stretch."""
SIZES = {"double": 8, "float": 4}
"""Bytes of a scalar."""

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_FLAGS = "contract nsz"  # may fuse a multiplication with an addition, and drop the sign of zero; nothing else


def emit(program: Program, lanes: int, dtype: str) -> str:
    """The module's text, with the public function `loop`."""
    plan = Plan(program, lanes, dtype)
    blocks, scratch = len(plan.pieces), TILES * plan.slot_count * lanes * SIZES[dtype]
    return "\n".join(
        [
            *(_Block(plan, k).text() for k in range(blocks)),
            loop.emit(program.inputs, program.outputs, dtype, SIZES[dtype], blocks, lanes, TILES, scratch),
            elementary.definitions({"sincos"}, lanes, dtype) if plan.trig else "",
            f"declare {plan.vector} {plan.sqrt}({plan.vector})",
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
    def alignment(self) -> int:
        """Of a value in scratch memory."""
        return min(loop.ALIGNMENT, self.lanes * SIZES[self.dtype])

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
                x = self._put(f"%v.{i}", f"load {v}, ptr %kept.{i}, align {self.plan.alignment}")
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
            self.lines.append(f"  store {v} {name}, ptr %keep.{i}, align {self.plan.alignment}")

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
