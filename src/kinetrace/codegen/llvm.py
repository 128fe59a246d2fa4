"""A program as LLVM IR text, several states at a time.

One state is one lane of a vector. The line is cut into blocks of about BLOCK operations, each run over all tiles
of a stretch before the next, so that its code stays in the instruction cache. Values outside of a block live in slots,
[tile][slot][lane]: first the inputs, then the outputs, then what crosses from block to block, reused by liveness.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..trace import Program
from ..trace.program import operands
from . import elementary, loop

BLOCK = 1500
"""Operations in a block."""
STORE = 4
"""What storing a result counts for in a block: LLVM's time grows with the square of the stores."""
TILES, STRETCH = 16, 1 << 20
"""Tiles in a stretch at most, and bytes of their slots."""
SIZES = {"double": 8, "float": 4}
"""Bytes of a scalar."""

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_PASTED: dict[str, Callable[..., tuple[list[str], str]]] = {
    "atan2": elementary.atan2,
    "exp": elementary.exp,
    "log": elementary.log,
}
_FLAGS = "contract nsz"  # may fuse a multiplication with an addition, and drop the sign of zero; nothing else


def emit(program: Program, lanes: int, dtype: str) -> str:
    """The module's text, with the public function `loop`."""
    plan = Plan(program, lanes, dtype)
    vector = plan.layout.vector
    return "\n".join(
        [
            *(_block(plan, k) for k in range(len(plan.pieces))),
            loop.emit(program.inputs, program.outputs, len(plan.pieces), plan.layout),
            elementary.definitions({"sincos"}, lanes, dtype) if plan.trig else "",
            f"declare {vector} {plan.sqrt}({vector})",
            "",
        ]
    )


@dataclass(frozen=True)
class Plan:
    """How a program is cut into blocks, and where its values live between them."""

    program: Program
    lanes: int
    dtype: str

    @cached_property
    def layout(self) -> loop.Layout:
        """Types and sizes."""
        tile = self.slot_count * self.lanes * SIZES[self.dtype]
        tiles = max(1, min(TILES, STRETCH // max(1, tile)))
        return loop.Layout(self.dtype, SIZES[self.dtype], self.lanes, tiles, self.slot_count)

    @property
    def sqrt(self) -> str:
        """The intrinsic square root."""
        return f"@llvm.sqrt.v{self.lanes}f{8 * SIZES[self.dtype]}"

    @cached_property
    def trig(self) -> dict[tuple[str, int], int]:
        """(function, angle) → node, for sines and cosines."""
        return {node: i for i, node in enumerate(self.program.nodes) if node[0] in ("sin", "cos")}

    @cached_property
    def pieces(self) -> list[list[tuple[int, list[int]]]]:
        """The line cut into blocks: in each, nodes and the slots of outputs to which they go.

        The sine and cosine of an angle stand together. Outputs that are constants or inputs come last, one by one.
        """
        nodes, trig = self.program.nodes, self.trig
        goes_to: dict[int, list[int]] = {}
        first = sum(a.size for a in self.program.inputs)
        for slot, i in enumerate((i for result in self.program.results for i in result), start=first):
            goes_to.setdefault(i, []).append(slot)
        order: dict[int, None] = {}
        for i, node in enumerate(nodes):
            if node[0] in ("sin", "cos"):
                order.update((trig[f, node[1]], None) for f in ("sin", "cos") if (f, node[1]) in trig)
            elif node[0] not in ("const", "input"):
                order[i] = None
        line = [(i, goes_to.pop(i, [])) for i in order]
        line += [(i, [slot]) for i, places in goes_to.items() for slot in places]
        weights = [1 + STORE * len(places) for _, places in line]
        size = sum(weights) / max(1, round(sum(weights) / BLOCK))
        pieces: list[list[tuple[int, list[int]]]] = [[]]
        filled = 0.0
        for item, weight in zip(line, weights, strict=True):
            if filled + weight / 2 > size * len(pieces):
                pieces.append([])
            pieces[-1].append(item)
            filled += weight
        return pieces

    @cached_property
    def first_slot(self) -> int:
        """The first slot that is neither an input's nor an output's."""
        return sum(a.size for a in self.program.inputs + self.program.outputs)

    @cached_property
    def slots(self) -> dict[int, int]:
        """Node → slot, for inputs and for values that a later block reads."""
        last_reader: dict[int, int] = {}
        for k, piece in enumerate(self.pieces):
            last_reader.update((j, k) for i, _ in piece for j in operands(self.program.nodes[i]))
        slots = {i: node[1] for i, node in enumerate(self.program.nodes) if node[0] == "input"}
        free: list[int] = []
        expiring: dict[int, list[int]] = {}
        end = self.first_slot
        for k, piece in enumerate(self.pieces):
            free += expiring.pop(k, [])
            for i, _ in piece:
                if i not in slots and last_reader.get(i, k) > k:
                    if not free:
                        free.append(end)
                        end += 1
                    slots[i] = free.pop()
                    expiring.setdefault(last_reader[i] + 1, []).append(slots[i])
        return slots

    @cached_property
    def slot_count(self) -> int:
        """Values a tile."""
        return max(self.first_slot, max(self.slots.values(), default=-1) + 1)


def _block(plan: Plan, k: int) -> str:
    """The function `block_k`: a loop over tiles with a piece of the straight line in it."""
    return "\n".join(
        [
            f"define internal void @block_{k}(ptr %slots, i64 %tiles) {{",
            "entry:",
            "  br label %tile",
            "tile:",
            "  %t = phi i64 [ 0, %entry ], [ %t.next, %latch ]",
            f"  %first = mul i64 %t, {plan.slot_count}",
            f"  %here = getelementptr {plan.layout.vector}, ptr %slots, i64 %first",
            *_Piece(plan, k).written(),
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


class _Piece:
    """Writes a piece of the straight line: loads from slots, operations, stores to slots."""

    def __init__(self, plan: Plan, k: int) -> None:
        self.plan, self.piece = plan, plan.pieces[k]
        self.here = {i for i, _ in self.piece}
        self.vector, self.alignment = plan.layout.vector, plan.layout.alignment
        self.values: dict[int, str] = {}
        self.lines: list[str] = []

    def written(self) -> list[str]:
        """The lines."""
        for i, places in self.piece:
            if i not in self.values and self.plan.program.nodes[i][0] not in ("const", "input"):
                self._compute(i)
            for slot in places:
                value = self._value(i)
                self.lines.append(f"  store {self.vector} {value}, {self._slot(f'%out.{slot}', slot)}")
        return self.lines

    def _put(self, name: str, instruction: str) -> str:
        self.lines.append(f"  {name} = {instruction}")
        return name

    def _slot(self, name: str, slot: int) -> str:
        """What follows the type in a load from or a store to a slot."""
        address = self._put(name, f"getelementptr {self.vector}, ptr %here, i64 {slot}")
        return f"ptr {address}, align {self.alignment}"

    def _value(self, i: int) -> str:
        """The name or literal of node i here; loaded on first use."""
        if i not in self.values:
            node, plan = self.plan.program.nodes[i], self.plan
            if node[0] == "const":
                return f"splat ({plan.dtype} {literal(node[1], plan.dtype)})"
            slot = self._slot(f"%from.{i}", plan.slots[i])
            self.values[i] = self._put(f"%v.{i}", f"load {self.vector}, {slot}")
        return self.values[i]

    def _compute(self, i: int) -> None:
        """Write the operation of node i."""
        plan, node, v = self.plan, self.plan.program.nodes[i], self.vector
        op, new, xs = node[0], f"%v.{i}", [self._value(j) for j in node[1:]]
        if op in _ARITHMETIC:
            self._put(new, f"{_ARITHMETIC[op]} {_FLAGS} {v} {xs[0]}, {xs[1]}")
        elif op == "neg":
            self._put(new, f"fneg {v} {xs[0]}")
        elif op == "sqrt":
            self._put(new, f"call {v} {plan.sqrt}({v} {xs[0]})")
        elif op == "lt":
            less = self._put(f"%c.{i}", f"fcmp olt {v} {xs[0]}, {xs[1]}")
            self._put(new, f"uitofp <{plan.lanes} x i1> {less} to {v}")
        elif op == "select":
            holds = self._put(f"%c.{i}", f"fcmp une {v} {xs[0]}, zeroinitializer")
            self._put(new, f"select <{plan.lanes} x i1> {holds}, {v} {xs[1]}, {v} {xs[2]}")
        elif op in _PASTED:
            lines, new = _PASTED[op](*xs, f"a.{i}", plan.lanes, plan.dtype)
            self.lines += lines
        else:
            self._sincos(node[1], xs[0])
            return
        self._define(i, new)

    def _sincos(self, angle: int, x: str) -> None:
        """Sine and cosine of one angle, whichever of the two are in this piece."""
        inline = elementary.sincos(x, f"f.{angle}", self.plan.lanes, self.plan.dtype)
        self.lines += inline.lines
        for function, name in (("sin", inline.sin), ("cos", inline.cos)):
            if self.plan.trig.get((function, angle)) in self.here:
                self._define(self.plan.trig[function, angle], name)

    def _define(self, i: int, name: str) -> None:
        """Name the value of node i, and keep it if a later block reads it."""
        self.values[i] = name
        if i in self.plan.slots:
            self.lines.append(f"  store {self.vector} {name}, {self._slot(f'%keep.{i}', self.plan.slots[i])}")


def literal(value: float, dtype: str) -> str:
    """A number as LLVM writes it: the bits of a double, also for a float."""
    if dtype == "float":
        value = float(np.float32(value))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
