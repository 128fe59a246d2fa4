"""Threads of Python that share a batch, where native ones cannot: slices of arrays, and a team that works them off.

Native threads (see `native_threads`) need a batch of one step from state to state, and an interpreter that can start
them.

Whether several threads are sooner ready than one, calls themselves show. What a second core is worth depends on who
else uses it, on memory and on other callers: no rule of operations knows it. So a kernel remembers, for calls of about
one size, how long one thread took, and compares with it what several take (`Gain`).
"""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..trace import Argument, Program
from .arguments import Arrays

SLICES_FROM, SLICE_WORK = 1 << 23, 1 << 20
"""Operations in a call above which threads of Python pay, and those of a slice, at least."""
LEAST_GAIN = 1.05
"""Times as fast as one thread that several have to be."""
LOSSES_IN_A_ROW = 4
"""Calls in a row without that gain after which one thread is taken: a single one may have been disturbed."""
TRIAL_CALLS = 3
"""Calls that one thread has to itself at first: the first of them finds caches cold."""
FIRST_PAUSE, LONGEST_PAUSE = 8, 128
"""Calls for which one thread is then taken before several are tried: twice as many after each trial that is lost."""
TIME_GROWTH = 1.02
"""By how much the time of one thread may grow from call to call: a disturbance is no measure."""


def runs_at_one_step(program: Program, arrays: Arrays) -> bool:
    """Whether a batch, of arguments and of results if they are given, is one loop to NumPy."""
    named = (*program.inputs, *program.outputs)
    if all(x.ndim - len(a.shape) < 2 for x, a in zip(arrays, named, strict=False)):
        return True
    shapes = [x.shape[: max(0, x.ndim - len(a.shape))] for x, a in zip(arrays, named, strict=False)]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:  # NumPy refuses them
        return True
    return all(_step(s, x.strides[: len(s)], batch) is not None for s, x in zip(shapes, arrays, strict=False))


def _step(shape: tuple[int, ...], strides: tuple[int, ...], batch: tuple[int, ...]) -> int | None:
    """The bytes from state to state, if they are always as many; 0 if there is one state for all.

    >>> _step((3, 4), (32, 8), (3, 4)), _step((1,), (8,), (3, 4)), _step((3, 4), (64, 8), (3, 4))
    (8, 0, None)
    """
    if math.prod(shape) < 2:
        return 0
    if math.prod(shape) != math.prod(batch):
        return None
    axes = [(n, s) for n, s in zip(shape, strides, strict=True) if n > 1]
    return axes[-1][1] if all(s == m * t for (_, s), (m, t) in pairwise(axes)) else None


def slices(
    run: Callable[[Arrays, Arrays], None],
    arguments: Sequence[Argument],
    arrays: Arrays,
    inputs: int,
    batch: tuple[int, ...],
    part: int,
) -> Callable[[], None]:
    """Function on parts of arrays of any layout, the inputs first: slices of the longest batch axis."""
    axis = int(np.argmax(batch))
    parts = max(1, min(batch[axis], math.prod(batch) // part))
    left = deque(pairwise(batch[axis] * k // parts for k in range(parts + 1)))  # threads may share it

    def work() -> None:
        while True:
            try:
                begin, end = left.popleft()
            except IndexError:
                return
            rows = tuple(_rows(x, a, batch, axis, begin, end) for x, a in zip(arrays, arguments, strict=True))
            run(rows[:inputs], rows[inputs:])

    return work


def _rows(x: Any, argument: Argument, batch: tuple[int, ...], axis: int, begin: int, end: int) -> Any:
    """The part of an array that belongs to batch indices begin…end along one axis."""
    own = x.ndim - len(argument.shape) - len(batch) + axis
    if own < 0 or x.shape[own] == 1:
        return x
    return x[(slice(None),) * own + (slice(begin, end),)]


class Team:
    """Threads that do one piece of work at once, the caller's among them.

    A pool may keep what it could not start a thread for and run it later. Whoever comes after the caller has closed the
    team finds nothing to do, so the caller waits for those who are at work and for nobody else.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.error: BaseException | None = None
        self._at_work, self._closed, self._changed = 0, False, threading.Condition()

    def run(self, threads: int) -> None:
        """Do the work here and on as many threads as the system allows to start, possibly none."""
        try:
            with suppress(RuntimeError):
                for _ in range(threads - 1):
                    _pool().submit(self._help)
            self.work()
        finally:
            with self._changed:
                self._closed = True
                self._changed.wait_for(lambda: not self._at_work)
        if self.error is not None:
            raise self.error

    def _help(self) -> None:
        with self._changed:
            if self._closed:
                return
            self._at_work += 1
        try:
            self.work()
        except BaseException as error:  # the caller raises it
            self.error = error
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify_all()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(256, thread_name_prefix="kinetrace")  # as many as are asked for; idle ones are used first


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_pool.cache_clear)


@dataclass
class Gain:
    """Gain by threads in calls of about one size; seconds are per unit of that size."""

    alone: float = float("inf")
    """Seconds that one thread takes."""
    left: int = TRIAL_CALLS
    """Calls that one thread takes before several are tried again."""
    pause: int = FIRST_PAUSE
    lost: int = 0
    """Calls in a row in which several did not gain."""

    def pays(self) -> bool:
        """Whether the next call is one for several threads.

        >>> gain = Gain()
        >>> for _ in range(TRIAL_CALLS):
        ...     assert not gain.pays()
        ...     gain.one_took(2.0)
        >>> gain.pays(), gain.several_took(1.0), gain.pays()
        (True, None, True)
        >>> for _ in range(LOSSES_IN_A_ROW):
        ...     gain.several_took(2.0)
        >>> gain.pays()
        False
        """
        if self.left:
            self.left -= 1
            return False
        return True

    def one_took(self, seconds: float) -> None:
        """Remember what one thread takes."""
        self.alone = min(seconds, TIME_GROWTH * self.alone)

    def several_took(self, seconds: float) -> None:
        """If that is no gain, for some calls, one thread has the next ones; the first trial after these decides."""
        if LEAST_GAIN * seconds < self.alone:
            self.lost, self.pause = 0, FIRST_PAUSE
        elif self.lost + 1 < LOSSES_IN_A_ROW:
            self.lost += 1
        else:
            self.left, self.pause = self.pause, min(2 * self.pause, LONGEST_PAUSE)
