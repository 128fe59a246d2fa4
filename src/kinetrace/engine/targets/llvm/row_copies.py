"""Rows of a strip from place to place: entry by entry, or past the caches.

gather    rows of any core steps → rows in C order
scatter   the other way
stream    rows in C order → rows in C order, whole lines of the cache past it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .function_text import FunctionText

if TYPE_CHECKING:
    from ...plan.plan import Plan

MOST_CORE_AXES = 4
"""Core axes that an argument may have."""


def move(name: str, plan: Plan) -> str:
    """`gather` or `scatter`: rows of any core steps to or from rows in C order, entry by entry."""
    axes = "".join(f", i64 %n{d}, i64 %s{d}" for d in range(MOST_CORE_AXES))
    w = FunctionText("m")
    there = w.new("getelementptr i8, ptr %row, i64 %offset")
    source, target = (there, "%mine") if name == "gather" else ("%mine", there)
    w.add(f"  store {plan.dtype} {w.new(f'load {plan.dtype}, ptr {source}')}, ptr {target}")
    return _MOVE.format(name=name, axes=axes, work=_over_axes(w.text(), plan.size))


def _over_axes(work: str, size: int, d: int = 0) -> str:
    """Loops over the core axes from d on, with `work` on one entry inside: `%mine`, and `%offset` in the row."""
    innermost = d == MOST_CORE_AXES - 1
    name = "" if innermost else str(d)
    before, offset, mine = (f"axis{d - 1}", f"%offset{d - 1}", f"%mine{d - 1}") if d else ("rows", "0", "%mine.row")
    latch = f"axis{d}" if innermost else f"axis{d + 1}.end"
    w = FunctionText()
    w.add(f"  br label %axis{d}", f"axis{d}:")
    w.add(f"  %i{d} = phi i64 [ 0, %{before} ], [ %i{d}.next, %{latch} ]")
    w.add(f"  %offset{name} = phi i64 [ {offset}, %{before} ], [ %offset{name}.next, %{latch} ]")
    w.add(f"  %mine{name} = phi ptr [ {mine}, %{before} ], [ %mine.next, %{latch} ]")
    if innermost:
        w.add(work, f"  %mine.next = getelementptr i8, ptr %mine, i64 {size}")
    else:
        w.add(_over_axes(work, size, d + 1))
    w.add(f"  %offset{name}.next = add i64 %offset{name}, %s{d}", f"  %i{d}.next = add i64 %i{d}, 1")
    w.add(f"  %more{d} = icmp slt i64 %i{d}.next, %n{d}")
    w.add(f"  br i1 %more{d}, label %axis{d}, label %axis{d}.end", f"axis{d}.end:")
    return w.text()


def stream(size: int) -> str:
    """`stream`: rows to rows, whole lines of the cache past it, and what is before and after them number by number."""
    few, line = (f"i{8 * size}", size, "volatile ", ""), ("<16 x float>", 64, "", ", align 64, !nontemporal !0")
    return _STREAM.format(
        moves="\n".join(
            [
                _copy("first", "rows", "0", "%head", "middle", *few),
                _copy("middle", "first", "%head", "%end", "last", *line),
                _copy("last", "middle", "%end", "%row", "row.end", *few),
            ]
        )
    )


def _copy(name: str, before: str, begin: str, end: str, after: str, kind: str, size: int, how: str, where: str) -> str:
    """A loop that moves bytes begin…end of a row from `%source` to `%target`, some at a time."""
    w = FunctionText()
    w.add(f"{name}:", f"  %{name}.i = phi i64 [ {begin}, %{before} ], [ %{name}.next, %{name}.copy ]")
    w.add(f"  %{name}.more = icmp slt i64 %{name}.i, {end}")
    w.add(f"  br i1 %{name}.more, label %{name}.copy, label %{after}", f"{name}.copy:")
    w.add(f"  %{name}.a = getelementptr i8, ptr %source, i64 %{name}.i")
    w.add(f"  %{name}.b = getelementptr i8, ptr %target, i64 %{name}.i")
    w.add(f"  %{name}.x = load {kind}, ptr %{name}.a, align 4")
    w.add(f"  store {how}{kind} %{name}.x, ptr %{name}.b{where}")
    w.add(f"  %{name}.next = add i64 %{name}.i, {size}", f"  br label %{name}")
    return w.text()


_MOVE = """
define internal void @{name}(ptr noalias %to, i64 %pitch, ptr noalias %given, i64 %step, i64 %states{axes}) {{
entry:
  br label %rows
rows:
  %r = phi i64 [ 0, %entry ], [ %r.next, %axis0.end ]
  %row = phi ptr [ %given, %entry ], [ %row.next, %axis0.end ]
  %mine.row = phi ptr [ %to, %entry ], [ %mine.row.next, %axis0.end ]
{work}
  %r.next = add i64 %r, 1
  %row.next = getelementptr i8, ptr %row, i64 %step
  %mine.row.next = getelementptr i8, ptr %mine.row, i64 %pitch
  %r.more = icmp slt i64 %r.next, %states
  br i1 %r.more, label %rows, label %done
done:
  ret void
}}
"""

_STREAM = """
define internal void @stream(ptr noalias %from, i64 %pitch, ptr noalias %to, i64 %step, i64 %states, i64 %row) {{
entry:
  br label %rows
rows:
  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]
  %source = phi ptr [ %from, %entry ], [ %source.next, %row.end ]
  %target = phi ptr [ %to, %entry ], [ %target.next, %row.end ]
  %address = ptrtoint ptr %target to i64
  %below = sub i64 0, %address
  %head = and i64 %below, 63
  %rest = sub i64 %row, %head
  %lines = and i64 %rest, -64
  %end = add i64 %head, %lines
  br label %first
{moves}
row.end:
  %source.next = getelementptr i8, ptr %source, i64 %pitch
  %target.next = getelementptr i8, ptr %target, i64 %step
  %r.next = add i64 %r, 1
  %more = icmp slt i64 %r.next, %states
  br i1 %more, label %rows, label %done
done:
  ret void
}}
!0 = !{{i32 1}}
"""
