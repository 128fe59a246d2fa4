"""A batch for several threads: they run the compiled code side by side and take a part each, until none is left.

The parts are given out by a counter in memory, without Python and its lock. The emitted function `share` finds what it
needs in an array of 64-bit numbers, the chunk table, which `runtime.parallel` makes:

    states, states in a part, parts taken, the host's functions, failed, where each argument begins, NumPy's steps,
    and, if there are names among them, the lengths of the core axes that differ

`failed` is not 0 once a thread found no memory: no exception can be raised without Python's lock.
"""

from __future__ import annotations

from .lines import Lines

STATES, PART, TAKEN, HOST, FAILED, FIRST = range(6)

PARALLEL_FROM = 1 << 23
"""Operations in a call above which threads pay: one that comes late, on a busy machine, is waited for."""
PART_WORK, MOST_PARTS = 1 << 20, 16
"""Operations that a thread takes at a time, at least: cores are seldom equally free; and how many such parts each."""
STRIP = 32
"""States that loops of compiled code take at a time, where there are as many."""


def emit(arguments: int, axes: int = 0, lengths: int = 0) -> str:
    """The function `share`, to stand in one module with `states`; for so many steps of core axes, and lengths."""
    w = Lines("p")
    w.add("define void @share(ptr %task) {", "entry:", f"  %args = alloca [{arguments} x ptr]")
    w.add(f"  %count = alloca [{1 + lengths} x i64]")
    n, part, host = w.load("i64", "%task", STATES), w.load("i64", "%task", PART), w.load("ptr", "%task", HOST)
    taken, steps = (w.new(f"getelementptr i64, ptr %task, i64 {k}") for k in (TAKEN, FIRST + arguments))
    for k in range(lengths):
        w.store("i64", w.load("i64", "%task", FIRST + 2 * arguments + axes + k), "%count", 1 + k)
    w.add("  br label %next", "next:", f"  %turn = atomicrmw add ptr {taken}, i64 1 monotonic")
    w.add(f"  %begin = mul i64 %turn, {part}", f"  %some = icmp slt i64 %begin, {n}")
    w.add("  br i1 %some, label %work, label %done", "work:")
    for k in range(arguments):
        gone = w.new(f"mul i64 %begin, {w.load('i64', steps, k)}")
        w.store("ptr", w.new(f"getelementptr i8, ptr {w.load('ptr', '%task', FIRST + k)}, i64 {gone}"), "%args", k)
    left = w.new(f"sub i64 {n}, %begin")
    w.add(f"  store i64 {w.new(f'call i64 @llvm.smin.i64(i64 {left}, i64 {part})')}, ptr %count")
    w.add(f"  %fine = call i1 @states(ptr %args, ptr %count, ptr {steps}, ptr {host})")
    w.add("  br i1 %fine, label %next, label %failed", "failed:")
    w.store("i64", "1", "%task", FAILED)
    w.add("  br label %done", "done:", "  ret void", "}")
    return w.text()
