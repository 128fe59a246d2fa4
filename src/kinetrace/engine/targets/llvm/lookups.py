"""Entries of tables whose numbers are computed: one load per lane."""

from __future__ import annotations

import struct
from typing import Any


def emit(block: Any, i: int, index: str) -> str:
    """The value of node i of a block: entries of a column, or NaN where the index is."""
    plan, vector, lanes = block.plan, block.vector, block.lanes
    base, first, step, count = _column(block, plan.program.nodes[plan.program.nodes[i][1]])
    bits = f"<{lanes} x i1>"
    above = block.new(f"fcmp ogt {vector} {index}, zeroinitializer")  # false for NaN
    positive = block.new(f"select {bits} {above}, {vector} {index}, {vector} zeroinitializer")
    last = f"splat ({plan.dtype} {_literal(count - 1.0)})"
    below = block.new(f"fcmp olt {vector} {positive}, {last}")
    clamped = block.new(f"select {bits} {below}, {vector} {positive}, {vector} {last}")
    rows = block.new(f"fptosi {vector} {clamped} to <{lanes} x i64>")
    scaled = block.new(f"mul <{lanes} x i64> {rows}, splat (i64 {step})")
    found = "poison"
    for lane in range(lanes):
        row = block.new(f"extractelement <{lanes} x i64> {scaled}, i64 {lane}")
        own = block.new(f"getelementptr i8, ptr {base(lane)}, i64 {first(lane)}")
        address = block.new(f"getelementptr i8, ptr {own}, i64 {row}")
        entry = block.new(f"load {plan.dtype}, ptr {address}, align {plan.size}")
        found = block.new(f"insertelement {vector} {found}, {plan.dtype} {entry}, i64 {lane}")
    unknown = block.new(f"fcmp uno {vector} {index}, {index}")
    return str(block.new(f"select {bits} {unknown}, {vector} {index}, {vector} {found}"))


def _column(block: Any, node: tuple[Any, ...]) -> tuple[Any, Any, int, int]:
    """Where the entries of each lane are, and the bytes to the first; the bytes from entry to entry; how many."""
    plan = block.plan
    own = block.lanes == plan.lanes  # else the lanes are passes of one state
    if node[0] == "column":
        argument, entry = plan.places[node[1]]
        return (
            lambda lane: f"%at.{argument}.{lane if own else 0}",
            lambda lane: entry * plan.size,
            node[2] * plan.size,
            node[3],
        )
    k, write = node[1], plan.program.loops.writes[node[1]]
    if write.numbers:
        return lambda lane: f"%kept.{k}", lambda lane: 0, plan.size, write.rows
    place = plan.series_places.get(k)
    if place is not None:
        first, step, base = place.begin, place.by_row, "%kept.here"
    else:
        first, step = 0, 1
        base = block.new(f"getelementptr i8, ptr %kept.{k}, i64 {block.new(f'mul i64 %t, %kept.{k}.step')}")
    within = plan.size if own else 0
    return lambda lane: base, lambda lane: first * plan.value + lane * within, step * plan.value, write.rows


def _literal(value: float) -> str:
    """A whole number, as LLVM writes it for both types."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
