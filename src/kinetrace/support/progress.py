"""Progress of a long computation: a callback of the user's, or a line on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import InputError

Progress = Callable[[int, int], object]
"""Callback of (steps done, steps in all)."""
LINE_AFTER_SECONDS, BAR_WIDTH = 2.0, 30
"""A line appears after so many seconds, with a bar of so many characters."""


def progress_callback(progress: Progress | bool | None, unit: str = "steps") -> Progress | None:
    """The callback; True draws a line on stderr, None does so if that is a terminal."""
    progress = bool(progress) if isinstance(progress, np.bool_) else progress
    if progress is False or (progress is None and not _is_terminal(sys.stderr)):
        return None
    if progress is None or progress is True:
        return Line(unit)
    if not callable(progress):
        raise InputError(f"progress must be True, False or a function of (done, of), got {progress!r}")
    return progress


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


class Line:
    """A progress bar, drawn once a simulation has taken a while."""

    def __init__(self, unit: str = "steps") -> None:
        self.begin, self.drawn, self.unit = time.perf_counter(), False, unit

    def __call__(self, done: int, of: int) -> None:
        """Draw it."""
        spent = time.perf_counter() - self.begin
        if done < of and spent > LINE_AFTER_SECONDS and sys.stderr is not None:
            bar = "#" * (BAR_WIDTH * done // of)
            left = spent / max(done, 1) * (of - done)
            sys.stderr.write(f"\r{bar:-<{BAR_WIDTH}} {done:,} of {of:,} {self.unit}, {left:.0f} s left ")
            sys.stderr.flush()
            self.drawn = True

    def clear(self) -> None:
        """Remove it."""
        if self.drawn and sys.stderr is not None:
            sys.stderr.write("\r" + " " * 78 + "\r")
            sys.stderr.flush()
        self.drawn = False


@contextmanager
def progress_context(progress: Progress | None) -> Iterator[None]:
    """Context of a running simulation: its line, if any, is removed at the end, also after errors."""
    try:
        yield
    finally:
        if isinstance(progress, Line):
            progress.clear()
