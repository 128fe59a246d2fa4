"""Python's search for cycles of garbage, paused where a great many objects are made and none are in cycles."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

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
