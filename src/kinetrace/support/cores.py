"""How many threads are worth having."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STACK = 1 << 23
"""Bytes of a thread's stack that are enough for every kernel, and for LLVM."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def large_stacks() -> Iterator[None]:
    """Threads that start meanwhile have large stacks, though the program may have chosen small ones for its own.

    >>> with large_stacks():
    ...     threading.stack_size() in (0, STACK)  # 0: as the system has it
    True
    """
    chosen = threading.stack_size()
    if 0 < chosen < STACK:
        threading.stack_size(STACK)
    try:
        yield
    finally:
        threading.stack_size(chosen)
