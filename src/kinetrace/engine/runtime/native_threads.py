"""The team of native threads that calls share: made when it is first needed, larger when more are asked for."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ...support.threads import large_stacks, lock
from ..plan.memory import PARKED_WORK, RARE_WORK
from . import compiler
from .gufunc import address

PATIENCE_SECONDS = 200e-6
"""Seconds that a worker without work, and a caller whose work is done, look for a change before they are parked: some
times as long as a wake-up takes."""
FREQUENT_SECONDS = 500e-6
"""Seconds from call to call, at most, for which workers are likely to be awake the next time."""
_latest = 0.0
"""When the latest call was that could have had workers."""
_wanted = _hired = 0
"""How many have been asked for in this process, and are there: what the system refuses once is not asked for again."""
_FAULT_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS")
"""Signals of the thread that is at fault."""


def hire(threads: int) -> int:
    """How many threads a call may have, itself among them: as many as are asked for, or as there are to be had."""
    global _hired, _wanted
    if _wanted < threads - 1:
        with lock:
            team = _team()
            if team is not None:
                with _signals_blocked(), large_stacks():
                    _hired = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(team["hire"])(threads - 1)
            _wanted = max(_wanted, threads - 1)
    return min(threads, 1 + _hired)


def worth_waking() -> int:
    """The operations for which a call wakes a worker: fewer if the latest call was not long ago."""
    global _latest
    before, _latest = _latest, time.perf_counter()
    return PARKED_WORK if _latest - before < FREQUENT_SECONDS else RARE_WORK


def gather() -> int:
    """The address of the function by which compiled code has workers."""
    team = _team()
    return 0 if team is None else int(team["gather"])


def _team() -> Any:
    """The compiled functions, of one team in a process; None where the interpreter has no functions for threads."""
    with lock:
        return _start_team()


@cache
def _start_team() -> Any:
    from ..targets.llvm.worker_team import ROUNDS_WORD, THREAD_FUNCTIONS  # not at the top: few processes need threads

    if not all(hasattr(ctypes.pythonapi, name) for name in THREAD_FUNCTIONS):
        return None
    code = compiler.get().team()
    given = (ctypes.c_int64 * (ROUNDS_WORD + 1))(*map(address, THREAD_FUNCTIONS), _rounds(code["look"]))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code["prepare"])(ctypes.addressof(given))
    return code


def _rounds(look: int) -> int:
    """How often a thread looks in that time, on this machine."""
    word, tried = ctypes.c_int64(0), 1000
    run = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(look)
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        run(ctypes.addressof(word), 0, tried)
        seconds.append(time.perf_counter() - begin)
    return max(1, int(PATIENCE_SECONDS * tried / min(seconds)))


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Threads that start meanwhile have signals blocked, which are for those of Python."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    own = {getattr(signal, name) for name in _FAULT_SIGNALS if hasattr(signal, name)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:  # from before the change: a handler that raises an error may run right after it
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - own)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _forget() -> None:
    """Threads do not survive a fork."""
    global _hired, _wanted
    if _wanted:
        _hired = _wanted = 0
        team = _team()
        if team is not None:
            ctypes.PYFUNCTYPE(None)(team["forget"])()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
