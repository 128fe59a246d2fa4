"""Timing that can be compared: repeats of all competitors interleaved, best and median shown, spread of the ratio."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from timeit import Timer
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROUND_SECONDS = 0.03
"""About how long one sample of one competitor takes."""


@dataclass(frozen=True)
class Samples:
    """Seconds per unit of work, one number a round."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))


@dataclass
class Result:
    """One comparison; the first competitor is ours, the ratio says how many times longer each other one takes."""

    title: str
    competitors: dict[str, Samples]
    wanted: float | None = None
    """The least ratio that is claimed."""

    def ratios(self, name: str) -> tuple[float, float, float]:
        """Median of the rounds' ratios, with the tenth and ninetieth percentile."""
        ours = next(iter(self.competitors.values()))
        each = np.divide(self.competitors[name].seconds, ours.seconds)
        low, middle, high = np.percentile(each, (10, 50, 90))
        return float(middle), float(low), float(high)


def interleaved(
    competitors: Mapping[str, Timer], rounds: int, units: int, tick: Callable[[], None]
) -> dict[str, Samples]:
    """Time all competitors once a round, so that a slow spell of the machine hits them alike.

    `units` is the number of pieces of work in one execution; `tick` is called after every round.
    """
    loops = {name: max(1, int(ROUND_SECONDS / min(t.repeat(3, 1)))) for name, t in competitors.items()}
    seconds: dict[str, list[float]] = {name: [] for name in competitors}
    for _ in range(rounds):
        for name, timer in competitors.items():
            seconds[name].append(timer.timeit(loops[name]) / loops[name] / units)
        tick()
    return {name: Samples(tuple(x)) for name, x in seconds.items()}


def in_new_process(code: str, environment: Mapping[str, str]) -> float:
    """Run code that prints one number in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def machine(packages: Iterable[str]) -> dict[str, str]:
    """What the numbers depend on."""
    cpu = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        lines = info.read_text().splitlines()
        cpu = next((x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")), cpu)
    facts = {"processor": cpu, "cores": str(os.cpu_count()), "system": f"{platform.system()} {platform.machine()}"}
    return facts | {"Python": platform.python_version()} | {name: metadata.version(name) for name in packages}


def _console() -> Console:
    """As wide as the terminal; in a file or a pipe, wide enough for a row."""
    console = Console()
    return console if console.is_terminal else Console(width=110)


@dataclass
class Report:
    """Prints comparisons as they are made, and keeps them."""

    machine: dict[str, str]
    console: Console = field(default_factory=_console)
    results: list[Result] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.console.print(", ".join(f"{k} {v}" for k, v in self.machine.items()))

    def _progress(self) -> Progress:
        return Progress(console=self.console, transient=True, disable=not self.console.is_terminal)

    def compare(
        self, title: str, competitors: Mapping[str, Timer], rounds: int, units: int = 1, wanted: float | None = None
    ) -> None:
        """Time the competitors and keep the result."""
        with self._progress() as progress:
            task = progress.add_task(title, total=rounds)
            samples = interleaved(competitors, rounds, units, lambda: progress.advance(task))
        self.results.append(Result(title, samples, wanted))

    def sample(self, title: str, competitors: Mapping[str, Callable[[], float]], rounds: int) -> None:
        """The same for competitors that measure themselves and return seconds."""
        seconds: dict[str, list[float]] = {name: [] for name in competitors}
        with self._progress() as progress:
            for _ in progress.track(range(rounds), description=title):
                for name, run in competitors.items():
                    seconds[name].append(run())
        self.results.append(Result(title, {name: Samples(tuple(x)) for name, x in seconds.items()}))

    def table(self) -> Table:
        """All results so far."""
        table = Table("", "best", "median", "ratio", "10–90 %", "wanted", title="ratio: times as long as the first")
        for column in table.columns[1:]:
            column.justify = "right"
        for result in self.results:
            table.add_section()
            table.add_row(f"[bold]{result.title}")
            for k, (name, samples) in enumerate(result.competitors.items()):
                middle, low, high = result.ratios(name)
                ratio = (f"{middle:.2f}", f"{low:.2f}–{high:.2f}") if k else ("", "")
                wanted = f"≥ {result.wanted:g}" if k == 1 and result.wanted else ""
                table.add_row(f"  {name}", duration(samples.best), duration(samples.median), *ratio, wanted)
        return table

    def save(self, path: str) -> None:
        """Everything measured, as JSON."""
        content = {"machine": self.machine, "results": [asdict(result) for result in self.results]}
        Path(path).write_text(json.dumps(content, indent=1) + "\n")


def duration(seconds: float) -> str:
    """Three digits and a unit."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def check_equal(ours: Any, theirs: Any, what: str, tolerance: float = 1e-9) -> None:
    """Refuse to time what computes something else."""
    error = np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)
    if not error <= tolerance:
        raise SystemExit(f"{what}: the results differ, relative error {error:.1e}")


def thread_counts() -> Sequence[int]:
    """1, 2, 4 … up to the number of cores."""
    cores = os.cpu_count() or 1
    return [*(1 << k for k in range(cores.bit_length()) if 1 << k < cores), cores]
