"""Threads: how many are worth having, and the lock of the one that compiles.

One thread at a time compiles, and a fork waits for it: a child must find no lock taken, nor LLVM at work.

The thread that compiles hands work to others (`codegen.llvm.engine`), for which Python has a lock of its own, that
forks take too. What registers last is taken first: that module is imported before, so that a fork waits for ours
without holding it.

Forks wait for imports that calls make, too: in a child, a module whose import another thread had begun would stay half
done, and whoever imports it would wait for ever. So that two threads cannot wait for each other, one with this lock for
a module, the other in that module for this lock, nothing takes the lock while a module is imported.
"""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import ModuleType

STACK_BYTES = 1 << 23
"""Bytes of a thread's stack that are enough for every kernel, and for LLVM."""
lock = threading.RLock()
"""Held while the compiler compiles and loads, as LLVM and its tables are for one thread at a time, and while any module
is imported by `imported`."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


def imported(name: str) -> ModuleType:
    """A module by its whole name, for calls that need it; forks wait while it is imported.

    >>> imported("math").sqrt(4.0)
    2.0
    """
    if name in sys.modules:  # at most another thread is importing it, which needs no lock for that
        return importlib.import_module(name)
    with lock:
        return importlib.import_module(name)


def importing(name: str) -> AbstractContextManager[object]:
    """The same for an import statement within a call, which type checkers follow: a lock, unless it is imported.

    >>> with importing("kinetrace.errors"):
    ...     from kinetrace import errors
    """
    return _NO_LOCK if name in sys.modules else lock


_NO_LOCK = nullcontext()


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def large_stacks() -> Iterator[None]:
    """Threads that start meanwhile have large stacks, though the program may have chosen small ones for its own.

    >>> with large_stacks():
    ...     threading.stack_size() in (0, STACK_BYTES)  # 0: as the system has it
    True
    """
    usual = threading.stack_size()
    if 0 < usual < STACK_BYTES:
        threading.stack_size(STACK_BYTES)
    try:
        yield
    finally:
        threading.stack_size(usual)
