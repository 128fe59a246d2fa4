"""Python's search for cycles of garbage, paused where a great many objects are made and none are in cycles."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

_paused: list[int] = []
"""The threshold that each pause found, of all threads' pauses that have not ended; of the first, the process's."""


@contextmanager
def paused_collection() -> Iterator[None]:
    """No search for cycles meanwhile, unless the process had none anyway.

    With millions of objects each search takes seconds. Memory is freed as ever, but for cycles. The first threshold is
    set to zero, and then to what it was, unless it has been changed meanwhile: whether the collector is enabled is left
    to others, so that `gc.disable()` in a function that is traced stays in force.

    >>> with paused_collection():
    ...     gc.get_threshold()[0], gc.isenabled()
    (0, True)
    """
    if not _paused and gc.get_threshold()[0] == 0:
        yield
        return
    _paused.append(gc.get_threshold()[0])
    gc.set_threshold(0)
    try:
        yield
    finally:
        found = _paused.pop() if _paused else 0
        if not _paused:
            _restore(found)


def _restore(found: int) -> None:
    """Set the threshold as it was, if it is still that of a pause."""
    if found and gc.get_threshold()[0] == 0:
        gc.set_threshold(found)


def _forked() -> None:
    """A child has none of the threads that would have ended their pauses."""
    if _paused:
        found = _paused[0]
        _paused.clear()
        _restore(found)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
