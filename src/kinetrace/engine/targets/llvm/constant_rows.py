"""Constant entries of results: those of long rows, mostly zeros, written in loops over tables.

As lines of code they would be most of a large sparse matrix, and LLVM's time grows with the square of their number. A
table holds the places of entries, so that every pass of a loop is the same: zeros side by side are stored several at
once (`ZEROS_AT_ONCE_BYTES`), the last ones of a run with some of those before them, and every other entry by itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...plan.plan import Plan
from .function_text import FunctionText
from .gufunc_loop import parameters

LINES_UP_TO_STORES, STORES_PER_FUNCTION = 2500, 400
"""Stores of vector groups that may as well be lines of code, which take up to a tenth less of the time of M or ∂τ; and
how many of them are a function."""
ZEROS_AT_ONCE_BYTES = 32
"""Bytes of zeros that are stored at once."""


def emit(plan: Plan, literal: Mapping[int, str]) -> str:
    """The function `constants`, called as a block is, and its tables; `literal` has the numbers as LLVM writes them."""
    w, tables = FunctionText("c"), list[str]()
    w.add(f"define internal void @constants({parameters(plan)}) {{", "entry:")
    past = w.new(f"add i64 {w.new(f'mul i64 %tiles, {plan.lanes}')}, %first")
    last = w.new(f"call i64 @llvm.smin.i64(i64 {w.new(f'sub i64 {past}, 1')}, i64 %last)")
    w.add("  br label %row", "row:", "  %r = phi i64 [ %first, %entry ], [ %r.next, %row.end ]")
    for k, entries in entries_of(plan).items():
        at = len(plan.program.inputs) + k
        base = w.new(f"getelementptr i8, ptr %base.{at}, i64 {w.new(f'mul i64 %r, %step.{at}')}")
        zeros = {e for e, i in entries.items() if plan.program.nodes[i][1] == 0.0}
        wide, rest = wide_places(zeros, ZEROS_AT_ONCE_BYTES // plan.size)
        single = sorted(rest | (entries.keys() - zeros))
        numbers = [f"{plan.dtype} {literal[entries[e]]}" for e in single]
        tables += [_table(f"wide.{k}", "i32", [f"i32 {e * plan.size}" for e in wide])]
        tables += [_table(f"place.{k}", "i32", [f"i32 {e * plan.size}" for e in single])]
        tables += [_table(f"number.{k}", plan.dtype, numbers)]
        if wide:
            _each(w, f"wide.{k}", len(wide), base, f"<{ZEROS_AT_ONCE_BYTES // plan.size} x {plan.dtype}>", plan)
        if single:
            _each(w, f"place.{k}", len(single), base, plan.dtype, plan, f"number.{k}")
    w.add("  br label %row.end", "row.end:", "  %r.next = add i64 %r, 1", f"  %r.more = icmp sle i64 %r.next, {last}")
    w.add("  br i1 %r.more, label %row, label %done", "done:", "  ret void", "}")
    return "\n".join([w.text(), *tables])


def in_turn(plan: Plan, names: list[str]) -> str:
    """The function `constants` that calls others."""
    given = parameters(plan)
    calls = [f"  call void @{name}({given.replace('noalias ', '')})" for name in names]
    return "\n".join([f"define internal void @constants({given}) {{", *calls, "  ret void", "}"])


def entries_of(plan: Plan) -> dict[int, dict[int, int]]:
    """Output → entry → node, of the vector groups that hold constants alone."""
    found: dict[int, dict[int, int]] = {}
    for item in plan.constants:
        found.setdefault(item.argument, {}).update((item.entry + k, i) for k, i in enumerate(item.nodes))
    return found


def wide_places(entries: set[int], width: int) -> tuple[list[int], set[int]]:
    """Where as many entries as are stored at once begin, so that runs of at least as many are covered; and the others.

    >>> wide_places({0, 1, 2, 3, 4, 8}, 4)
    ([0, 1], {8})
    """
    places, rest = list[int](), set[int]()
    for begin in sorted(e for e in entries if e - 1 not in entries):
        end = begin
        while end in entries:
            end += 1
        if end - begin < width:
            rest.update(range(begin, end))
        else:
            places += [min(e, end - width) for e in range(begin, end, width)]
    return places, rest


def _table(name: str, kind: str, entries: list[str]) -> str:
    return f"@{name} = internal constant [{len(entries)} x {kind}] [{', '.join(entries)}]"


def _each(w: FunctionText, name: str, count: int, base: str, kind: str, plan: Plan, numbers: str = "") -> None:
    """A loop that stores zeros, or the numbers of a table, at all places of a table."""
    w.add(f"  br label %{name}.before", f"{name}.before:", f"  br label %{name}", f"{name}:")
    w.add(f"  %{name}.k = phi i64 [ 0, %{name}.before ], [ %{name}.next, %{name} ]")
    place = w.new(f"load i32, ptr {w.new(f'getelementptr i32, ptr @{name}, i64 %{name}.k')}")
    there = w.new(f"getelementptr i8, ptr {base}, i64 {w.new(f'zext i32 {place} to i64')}")
    value = "zeroinitializer"
    if numbers:
        value = w.new(f"load {kind}, ptr {w.new(f'getelementptr {kind}, ptr @{numbers}, i64 %{name}.k')}")
    w.add(f"  store {kind} {value}, ptr {there}, align {plan.size}")
    w.add(f"  %{name}.next = add i64 %{name}.k, 1", f"  %{name}.more = icmp ult i64 %{name}.next, {count}")
    w.add(f"  br i1 %{name}.more, label %{name}, label %{name}.end", f"{name}.end:")
