"""A batch for several threads: they run the compiled code side by side and take a part each, until none is left.

The parts are given out by a counter in memory, without Python and its lock. The emitted function `share` finds what it
needs in an array of 64-bit numbers, `task`:

    states, states in a part, parts taken, the host's functions, failed, where each argument begins, NumPy's steps

`failed` is not 0 once a thread found no memory: no exception can be raised without Python's lock.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...trace import Argument
from ..llvm.lines import Lines
from .gufunc import host_table

_STATES, _PART, _TAKEN, _HOST, _FAILED, _FIRST = range(6)


def emit(arguments: int) -> str:
    """The function `share`, to stand in one module with `states`."""
    w = Lines("p")
    w.add("define void @share(ptr %task) {", "entry:", f"  %args = alloca [{arguments} x ptr]", "  %count = alloca i64")
    n, part, host = w.load("i64", "%task", _STATES), w.load("i64", "%task", _PART), w.load("ptr", "%task", _HOST)
    taken, steps = (w.new(f"getelementptr i64, ptr %task, i64 {k}") for k in (_TAKEN, _FIRST + arguments))
    w.add("  br label %next", "next:", f"  %turn = atomicrmw add ptr {taken}, i64 1 monotonic")
    w.add(f"  %begin = mul i64 %turn, {part}", f"  %some = icmp slt i64 %begin, {n}")
    w.add("  br i1 %some, label %work, label %done", "work:")
    for k in range(arguments):
        gone = w.new(f"mul i64 %begin, {w.load('i64', steps, k)}")
        w.store("ptr", w.new(f"getelementptr i8, ptr {w.load('ptr', '%task', _FIRST + k)}, i64 {gone}"), "%args", k)
    left = w.new(f"sub i64 {n}, %begin")
    w.add(f"  store i64 {w.new(f'call i64 @llvm.smin.i64(i64 {left}, i64 {part})')}, ptr %count")
    w.add(f"  %fine = call i1 @states(ptr %args, ptr %count, ptr {steps}, ptr {host})")
    w.add("  br i1 %fine, label %next, label %failed", "failed:")
    w.store("i64", "1", "%task", _FAILED)
    w.add("  br label %done", "done:", "  ret void", "}")
    return w.text()


def task(arguments: Sequence[Argument], arrays: Sequence[Any], batch: tuple[int, ...], part: int) -> Any:
    """What `share` needs for these arrays, the results among them; None if a batch does not run at one step."""
    outer, inner = list[int](), list[int]()
    for x, a in zip(arrays, arguments, strict=True):
        split = x.ndim - len(a.shape)
        step = _step(x.shape[:split], x.strides[:split], batch)
        if step is None or not x.flags.aligned:
            return None
        outer.append(step)
        inner += x.strides[split:]
    begins = [x.ctypes.data for x in arrays]
    numbers = [math.prod(batch), part, 0, ctypes.addressof(host_table()), 0, *begins, *outer, *inner]
    return np.array(numbers, dtype=np.int64)


def check(task: Any) -> None:
    """An error if a thread found no memory."""
    if task[_FAILED]:
        raise MemoryError("no memory for the values of a program between its blocks")


def _step(shape: tuple[int, ...], strides: tuple[int, ...], batch: tuple[int, ...]) -> int | None:
    """The bytes from state to state, if they are always as many; 0 if there is one state for all.

    >>> _step((3, 4), (32, 8), (3, 4)), _step((1,), (8,), (3, 4)), _step((3, 4), (64, 8), (3, 4))
    (8, 0, None)
    """
    if math.prod(shape) == 1:
        return 0
    if math.prod(shape) != math.prod(batch):
        return None
    axes = [(n, s) for n, s in zip(shape, strides, strict=True) if n > 1]
    return axes[-1][1] if all(s == m * t for (_, s), (m, t) in pairwise(axes)) else None
