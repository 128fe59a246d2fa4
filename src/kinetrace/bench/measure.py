"""Timing that can be compared: repeats of all competitors interleaved, best and spread kept, machine and load named."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from timeit import Timer
from typing import Any, TypeVar

import numpy as np

from ..errors import shorten
from ..support.threads import cores

Key = TypeVar("Key")

SAMPLE_SECONDS = 0.015
"""About how long one sample of one competitor takes."""
MIN_SAMPLES = 3
"""Samples of each competitor, however long they take."""


@dataclass(frozen=True)
class Run:
    """Code to be timed, the names in it, and how many states, or steps of states, one execution works on."""

    function: str
    code: str
    names: Mapping[str, Any]
    states: int

    def timer(self) -> Timer:
        """The code, compiled."""
        return Timer(self.code, globals=dict(self.names))


@dataclass(frozen=True)
class TimeSamples:
    """Seconds per state, one number per round."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The least disturbed sample."""
        return min(self.seconds)

    @property
    def percentiles(self) -> tuple[float, float, float]:
        """10, 50 and 90 %.

        >>> TimeSamples((1.0, 2.0, 3.0)).percentiles
        (1.2, 2.0, 2.8)
        """
        low, middle, high = np.percentile(self.seconds, (10, 50, 90)).tolist()
        return low, middle, high

    def ratio(self, ours: TimeSamples) -> float:
        """How many times as long as ours: bests of the same run."""
        return self.best / ours.best

    def round_ratios(self, ours: TimeSamples) -> tuple[float, float, float]:
        """10, 50 and 90 % of the ratios round by round.

        >>> TimeSamples((2.0, 4.0)).round_ratios(TimeSamples((1.0, 1.0)))[1]
        3.0
        """
        return TimeSamples(tuple(np.divide(self.seconds, ours.seconds).tolist())).percentiles


def interleaved(
    runs: Mapping[Key, Run],
    repeats: int,
    budget: float,
    tick: Callable[[], None] = lambda: None,
    on_error: Callable[[Key, Exception], None] | None = None,
) -> dict[Key, TimeSamples]:
    """Time all competitors once per round, so that a slow phase of the machine affects all alike.

    After a warm-up come `repeats` rounds, fewer if they would take more than `budget` seconds; `tick` is called
    after every round. A competitor that raises an error is left out and `on_error` is told; without that, it ends all.

    >>> sorted(interleaved({"one": Run("pass", "pass", {}, 1)}, repeats=3, budget=1.0))
    ['one']
    """
    timers: dict[Key, Timer] = {}
    quickest: dict[Key, float] = {}
    seconds: dict[Key, list[float]] = {}

    def trying(key: Key, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            if on_error is None:
                raise
            for known in (timers, quickest, seconds):
                known.pop(key, None)
            on_error(key, error)

    def warm_up(key: Key) -> None:
        timers[key] = runs[key].timer()
        quickest[key] = min(timers[key].repeat(2, 1))

    def sample(key: Key) -> None:
        spent = timers[key].timeit(loops[key])
        seconds.setdefault(key, []).append(spent / loops[key] / runs[key].states)

    for key in runs:
        trying(key, partial(warm_up, key))
    loops = {key: max(1, int(SAMPLE_SECONDS / max(t, 1e-9))) for key, t in quickest.items()}
    a_round = sum(loops[key] * quickest[key] for key in timers)
    rounds = max(min(repeats, MIN_SAMPLES), min(repeats, int(budget / a_round)))
    for _ in range(rounds):
        for key in list(timers):
            trying(key, partial(sample, key))
        tick()
    return {key: TimeSamples(tuple(x)) for key, x in seconds.items()}


def reason(error: Exception) -> str:
    """Why something was not measured, in one line.

    >>> reason(ValueError("too\\nlong"))
    'raises ValueError: too long'
    """
    return shorten(" ".join(f"raises {type(error).__name__}: {error}".split()))


def machine() -> dict[str, str]:
    """Processor, cores and operating system, on which the numbers depend."""
    cpu = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        cpu = next((x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")), cpu)
    system = f"{platform.system()} {platform.machine()}"
    return {"processor": cpu, "cores": str(cores()), "system": system, "Python": platform.python_version()}


def version(package: str) -> str:
    """Of an installed distribution.

    >>> version("no such thing")
    'unknown'
    """
    from importlib import metadata  # slow to import, and `--help` does not need it

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


def load() -> float | None:
    """Processes that wanted a core during the last minute, on average; None where the system does not say."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def duration(seconds: float) -> str:
    """Three digits and a unit.

    >>> duration(3.614e-8), duration(0.0012)
    ('36.1 ns', '1.20 ms')
    """
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= size * 0.9995 or unit == "ns":
            return f"{three_digits(seconds / size)} {unit}"
    raise AssertionError


def three_digits(x: float) -> str:
    """A positive number with three digits.

    >>> three_digits(0.123), three_digits(1.2), three_digits(12.3), three_digits(1234.0)
    ('0.12', '1.20', '12.3', '1234')
    """
    return f"{x:.2f}" if x < 9.995 else f"{x:.1f}" if x < 99.95 else f"{x:.0f}"
