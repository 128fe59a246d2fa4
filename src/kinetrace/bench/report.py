"""Results as tables for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .chains import Chain
from .compare import Comparison, Row
from .measure import Samples, duration, three_digits
from .roofline import lanes
from .tasks import TASKS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

BUSY = 0.5
"""Load, beyond what a quiet machine has, from which times are doubtful."""


def as_json(found: Comparison, start: Mapping[str, Samples], chains: Iterable[Chain]) -> dict[str, Any]:
    """Everything measured; times are in seconds per state (and step), rates in operations or bytes per second."""
    return {
        "machine": {**found.machine, "lanes": lanes()},
        "versions": found.versions,
        "load": {"before": found.load_before, "after": found.load_after},
        "seconds": round(found.seconds, 1),
        "peak": [{"stream": name, "threads": n, "rate": rate} for (name, n), rate in sorted(found.roof.rates.items())],
        "rows": [_row(row, found) for row in found.rows],
        "skipped": [asdict(skip) for skip in found.skipped],
        "start": {name: _samples(x) for name, x in start.items()},
        "chains": [chain_as_json(chain) for chain in chains],
    }


def _samples(x: Samples) -> dict[str, Any]:
    low, middle, high = x.percentiles
    return {"best": x.best, "p10": low, "median": middle, "p90": high, "samples": list(x.seconds)}


def _row(row: Row, found: Comparison) -> dict[str, Any]:
    peers = {}
    for name, theirs in row.peers.items():
        low, middle, high = theirs.round_ratios(row.ours)
        ratios = {"ratio": theirs.ratio(row.ours), "ratio_median": middle, "ratio_p10": low, "ratio_p90": high}
        peers[name] = {"function": row.functions[name], **_samples(theirs), **ratios}
    robot = row.subject.robot
    return {
        "robot": robot.name,
        "base": row.subject.base,
        "nv": robot.nv,
        "task": row.task.name,
        "compact": row.subject.compact,
        "batch": row.batch,
        "steps": row.steps,
        "threads": row.threads,
        "operations": asdict(row.count),
        "bytes": row.bytes,
        "ours": _samples(row.ours),
        "peers": peers,
        "rate": row.rate,
        "fraction_of_peak": row.rate / found.roof.peak(row.threads),
        "fraction_of_peak_with_sines": row.work / found.roof.peak(row.threads),
        "speedup_over_one_thread": row.one_thread.best / row.ours.best if row.one_thread else None,
    }


def chain_as_json(chain: Chain) -> dict[str, Any]:
    """One length of a chain."""
    return {**asdict(chain), "run": _samples(chain.run), "seconds_per_link": chain.per_link}


def save(content: Mapping[str, Any], path: str) -> None:
    """Write strict JSON."""
    Path(path).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def print_machine(found: Comparison, out: Console) -> None:
    """What was measured on, with what, how busy it was, and what it can do at best."""
    out.print(", ".join(f"{name} {value}" for name, value in found.machine.items()))
    out.print(", ".join(f"{name} {value}" for name, value in found.versions.items()))
    if found.load_before is not None:
        out.print(f"load {found.load_before} before, {found.load_after} after; took {found.seconds:.0f} s")
        if found.load_before > BUSY:
            out.print(
                f"warning: the machine was busy before the run (load {found.load_before}); times are doubtful, "
                "ratios less so",
                style="yellow",
            )
    for threads in sorted({n for name, n in found.roof.rates if name == "mix"}):
        mix, fma = (found.roof.rates[name, threads] / 1e9 for name in ("mix", "fma"))
        many = f"{threads} thread{'s'[: threads > 1]}"
        out.print(f"peak, {many}: {mix:.1f} Gflop/s multiplying and adding, {fma:.1f} by fused multiply-adds")
    out.print(f"memory: {found.roof.rates['copy', 1] / 1e9:.1f} GB/s, copying; {lanes()} states in a vector")


def print_rows(found: Comparison, out: Console) -> None:
    """One table per robot."""
    for subject in dict.fromkeys(row.subject.label for row in found.rows):
        rows = [row for row in found.rows if row.subject.label == subject]
        out.print()
        out.print(subject, style="bold")
        out.print(_table(rows, found))
    out.print()
    for line in (
        "time per state, of rollouts per state and step: best, and 10–90 % of the samples; ×: times as long as",
        "kinetrace, best by best.",
        "Gflop/s: counted multiplications, additions, divisions and roots; %: of the peak for as many threads, and in",
        "brackets with the multiplications and additions inside sines and cosines, which are not counted.",
    ):
        out.print(line, style="dim")


def _table(rows: list[Row], found: Comparison) -> Table:
    from rich.table import Table
    from rich.text import Text

    columns = [name for name in found.columns if any(name in row.peers for row in rows)]
    made = Table(header_style="dim", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    made.add_column("")
    for name in ("kinetrace", *(name.replace(" ", "\n", 1) for name in columns), "Gflop/s"):
        made.add_column(Text(name), justify="right", vertical="top")
    task = None
    for row in rows:
        if row.task is not task:
            task = row.task
            made.add_row(task.label, style="bold")
        cells = [_mode(row), _ours(row), *(_peer(row, name) for name in columns), _rate(row, found)]
        made.add_row(*map(Text, cells))  # which may have two lines
    return made


def _mode(row: Row) -> str:
    gain = f"\n    ×{row.one_thread.best / row.ours.best:.2f} of one thread" if row.one_thread else ""
    return f"  {row.mode}{gain}"


def _ours(row: Row) -> str:
    low, _, high = row.ours.percentiles
    return f"{duration(row.ours.best)}\n{_range(low, high)}"


def _range(low: float, high: float) -> str:
    """Two durations, the unit once if they share it."""
    a, b = duration(low), duration(high)
    return f"{a.split()[0]}–{b}" if a.split()[1] == b.split()[1] else f"{a}–{b}"


def _peer(row: Row, name: str) -> str:
    if name not in row.peers:
        return ""
    theirs = row.peers[name]
    return f"{duration(theirs.best)}\n×{three_digits(theirs.ratio(row.ours))}"


def _rate(row: Row, found: Comparison) -> str:
    share, whole = (x / found.roof.peak(row.threads) for x in (row.rate, row.work))
    return f"{row.rate / 1e9:.1f}\n{share:.0%} ({whole:.0%})"


def print_skipped(found: Comparison, out: Console) -> None:
    """What is not there, and why, one line per library and reason."""
    groups: dict[tuple[str, str], list[str]] = {}
    for skip in found.skipped:
        groups.setdefault((skip.who, skip.reason), []).append(skip.what)
    if groups:
        out.print()
    for (who, reason), what in groups.items():
        wrong = any(skip.wrong for skip in found.skipped if (skip.who, skip.reason) == (who, reason))
        out.print(f"skipped {who}: {'; '.join(what)}: {reason}", style="bold red" if wrong else "dim")


def print_start(start: Mapping[str, Samples], out: Console) -> None:
    """The first result of a new process."""
    out.print()
    out.print("A new process (Panda, inverse dynamics; first results include imports)", style="bold")
    for name, x in start.items():
        out.print(f"  {name:34} {duration(x.best):>8}  {_range(x.percentiles[0], x.percentiles[2])}")


def print_chains(chains: Iterable[Chain], out: Console) -> None:
    """Time and memory by length."""
    from rich.table import Table

    made = Table(header_style="dim", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    heads = ("links", "states", "ns a link", "10–90 %", "Gflop/s", "compile [s]", "compile [MB]", "run [MB]")
    made.add_column("", style="bold")
    for head in heads:
        made.add_column(head, justify="right")
    task = None
    for chain in chains:
        low, _, high = (x / chain.links * 1e9 for x in chain.run.percentiles)
        made.add_row(
            TASKS[chain.task].label if chain.task != task else "",
            str(chain.links),
            str(chain.states),
            f"{chain.per_link * 1e9:.2f}",
            f"{low:.2f}–{high:.2f}",
            f"{chain.flops / chain.run.best / 1e9:.1f}",
            f"{chain.compile_seconds:.2f}",
            _megabytes(chain.compile_memory),
            _megabytes(chain.run_memory),
        )
        task = chain.task
    out.print()
    out.print("Random chains, one thread", style="bold")
    out.print(made)
    out.print(
        "memory at most, beyond that of a process that has loaded the model; run: code from the cache, and the batch",
        style="dim",
    )


def _megabytes(x: float | None) -> str:
    return "-" if x is None else f"{x:.0f}"
