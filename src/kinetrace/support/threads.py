"""Threads: the lock of whoever compiles or imports in a call, cores, stacks, and pauses of the garbage collector."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401
import gc
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from types import ModuleType

STACK_BYTES = 1 << 23
"""Bytes of a thread's stack that are enough for every kernel, and for LLVM."""
lock = threading.RLock()
"""Held while the compiler compiles and loads, as LLVM and its tables are for one thread at a time, and while any module
is imported by `import_in_call`."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


def import_in_call(name: str) -> ModuleType:
    """A module by its whole name, for calls that need it; forks wait while it is imported.

    >>> import_in_call("math").sqrt(4.0)
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


_paused: list[None] = []
"""One for each pause that has not ended, of all threads."""
_usual: list[int] = []
"""The latest threshold that was not that of a pause: what the process has without any."""


@contextmanager
def paused_collection() -> Iterator[None]:
    """No search for cycles meanwhile, unless the process had none anyway.

    With millions of objects each search takes seconds. Memory is freed as ever, but for cycles. The first threshold is
    set to zero, and then to what it was, unless it has been changed meanwhile: whether the collector is enabled is left
    to others, so that `gc.disable()` in a function that is traced stays in force. Threads take no lock, which a child
    forked meanwhile would find taken: at worst one of two that come and go at once is not spared the search.

    >>> with paused_collection():
    ...     gc.get_threshold()[0], gc.isenabled()
    (0, True)
    """
    found = gc.get_threshold()[0]
    if not _paused and found == 0:
        yield
        return
    if found:
        _usual[:] = [found]
    _paused.append(None)
    gc.set_threshold(0)
    try:
        yield
    finally:
        with suppress(IndexError):  # a child has none
            _paused.pop()
        if not _paused:
            _restore()


def _restore() -> None:
    """Set the threshold as it was, if it is still that of a pause."""
    if _usual and gc.get_threshold()[0] == 0:
        gc.set_threshold(_usual[0])


def _forked() -> None:
    """A child has none of the threads that would have ended their pauses."""
    if _paused:
        _paused.clear()
        _restore()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
