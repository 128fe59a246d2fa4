"""Results as tables for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import count_text
from ..support.files import write_atomically
from .chains import Chain, Chains
from .compare import BenchResults, BenchRow, Listener, Skip
from .ground import GROUND_DT
from .measure import TimeSamples, duration, three_digits
from .roofline import lanes
from .tasks import JOINT_EFFECTS, TASKS, Subject

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

BUSY_LOAD = 0.5
"""Load, beyond what a quiet machine has, from which times are doubtful."""


class Reporter(Listener):
    """Prints to a console and saves to a file what is found, as it comes; None for either."""

    def __init__(self, out: Console | None, file: str | None, progress: Callable[[str], None]) -> None:
        self.out, self.file, self.progress = out, file, progress
        self.record: BenchResults | None = None
        self.printed = list[Skip]()
        self.subjects = list[Subject]()

    def begins(self, record: BenchResults) -> None:
        """Print the machine; a file that cannot be written is an error now."""
        self.record = record
        if self.out:
            print_machine(record, self.out)
            self._skipped(self.out)
        self.keeps(record)

    def step(self, what: str) -> None:
        """Move the bar."""
        self.progress(what)

    def keeps(self, record: BenchResults) -> None:
        """Save all of it."""
        if self.file:
            save(as_json(record), self.file)

    def ends_robot(self, record: BenchResults, subject: Subject) -> None:
        """Print its table, and what is not in it."""
        self.subjects.append(subject)
        if self.out:
            print_robot(record, subject, self.out)
            self._skipped(self.out)

    def end(self) -> dict[str, Any]:
        """Print the rest, also of a run that was interrupted; everything measured."""
        if self.record is None:  # not even begun
            return {}
        record = self.record
        if self.out:
            for subject in {id(row.subject): row.subject for row in record.rows}.values():
                if not any(subject is known for known in self.subjects):
                    print_robot(record, subject, self.out)
            self._skipped(self.out)
            if record.start:
                print_start(record.start, self.out)
            print_end(record, self.out)
        return as_json(record)

    def _skipped(self, out: Console) -> None:
        """The reasons that are new."""
        new = [skip for skip in self.record.skipped if skip not in self.printed] if self.record else []
        print_skipped(new, out)
        self.printed += new


def as_json(record: BenchResults) -> dict[str, Any]:
    """Everything measured; times are in seconds per state (and step), rates in operations or bytes per second."""
    return {
        "complete": record.complete,
        "machine": {**record.machine, "lanes": lanes()},
        "versions": record.versions,
        "joint_effects": JOINT_EFFECTS,
        "load": {"before": record.load_before, "after": record.load_after},
        "seconds": round(record.seconds, 1),
        "peak": [{"stream": name, "threads": n, "rate": rate} for (name, n), rate in sorted(record.roof.rates.items())],
        "rows": [_row(row, record) for row in record.rows],
        "skipped": [{"what": skip.what, **asdict(skip)} for skip in record.skipped],
        "start": {name: _samples(x) for name, x in record.start.items()},
    }


def _samples(x: TimeSamples) -> dict[str, Any]:
    low, middle, high = x.percentiles
    return {"best": x.best, "p10": low, "median": middle, "p90": high, "samples": list(x.seconds)}


def _row(row: BenchRow, record: BenchResults) -> dict[str, Any]:
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
        "skipped": {skip.who: skip.reason for skip in record.skipped if skip.concerns(row)},
        "rate": row.rate,
        "fraction_of_peak": row.rate / record.roof.peak(row.threads),
        "fraction_of_peak_with_sines": row.work / record.roof.peak(row.threads),
        "speedup_over_one_thread": row.one_thread.best / row.ours.best if row.one_thread else None,
        "residual": row.residual,
    }


def chain_as_json(chain: Chain) -> dict[str, Any]:
    """One length of a chain."""
    return {**asdict(chain), "run": _samples(chain.run), "seconds_per_link": chain.per_link}


def chains_as_json(record: Chains) -> dict[str, Any]:
    """All lengths, and those that raised an error."""
    failed = [{"task": task, "links": links, "reason": reason} for task, links, reason in record.failed]
    return {"complete": record.complete, "chains": [chain_as_json(chain) for chain in record.chains], "failed": failed}


def save(content: Mapping[str, Any], path: str) -> None:
    """Write strict JSON, whole or not at all; to what is no file, such as a pipe, only when it is complete."""
    file, text = Path(path).resolve(), json.dumps(content, indent=1, allow_nan=False) + "\n"
    if file.is_file() or not file.exists():
        write_atomically({file: text.encode()})
    elif content["complete"]:
        file.write_text(text, encoding="utf-8")


def print_machine(record: BenchResults, out: Console) -> None:
    """Print the machine, the versions and the load, and libraries that are missing."""
    out.print(", ".join(f"{name} {value}" for name, value in record.machine.items()))
    out.print(", ".join(f"{name} {value}" for name, value in record.versions.items()))
    out.print(f"joint effects: {JOINT_EFFECTS} in any library (no rotors, damping, friction, springs, stops)")
    if record.load_before is not None and record.load_before > BUSY_LOAD:
        out.print(
            f"warning: the machine was busy before the run (load {record.load_before}); times are doubtful, "
            "ratios less so",
            style="yellow",
        )


def print_robot(record: BenchResults, subject: Subject, out: Console) -> None:
    """The table of one robot."""
    rows = [row for row in record.rows if row.subject is subject]
    if rows:
        out.print()
        out.print(subject.label, style="bold")
        out.print(_table(rows, record))


def print_end(record: BenchResults, out: Console) -> None:
    """Print the meaning of the columns, the limits of the machine, and how the run went."""
    out.print()
    for line in (
        "time per state, of rollouts per state and step: best, and 10–90 % of the samples; ×: times as long as",
        "kinetrace, best by best.",
        *_ground_lines(record),
        "Gflop/s: counted multiplications, additions, divisions and roots; %: of the highest peak seen until then for",
        "as many threads, and in brackets with the multiplications and additions inside sines and cosines, which are",
        "not counted.",
    ):
        out.print(line, style="dim")
    rates = record.roof.rates
    for threads in sorted({n for name, n in rates if name == "mix"}):
        mix, fma = (rates[name, threads] / 1e9 for name in ("mix", "fma"))
        many = f"{threads} thread{'s'[: threads > 1]}"
        out.print(f"peak, {many}: {mix:.1f} Gflop/s multiplying and adding, {fma:.1f} by fused multiply-adds")
    if ("copy", 1) in rates:
        out.print(f"memory: {rates['copy', 1] / 1e9:.1f} GB/s, copying; {lanes()} states in a vector")
    loaded = f"load {record.load_before} before, {record.load_after} after; " if record.load_before is not None else ""
    out.print(f"{loaded}took {record.seconds:.0f} s{'' if record.complete else ', and did not come to its end'}")
    if record.wrong:
        out.print(
            f"wrong: kinetrace raised an error or disagrees with another library, {count_text(record.wrong, 'time')}: "
            "see what was skipped",
            style="bold red",
        )


def _ground_lines(record: BenchResults) -> list[str]:
    """What rows of robots on the ground mean."""
    rows = [row for row in record.rows if row.residual is not None]
    called = dict.fromkeys(row.functions[name] for row in rows for name in row.peers)
    if not rows:
        return []
    told = (
        f"feet on the ground: rotors, position servos, steps of {1e3 * GROUND_DT:g} ms; 99 % of the steps are so near",
        "to the law of contact, of which other libraries have softer ones.",
    )
    return [*told, *(f"{name}." for name in called)]


def _table(rows: list[BenchRow], record: BenchResults) -> Table:
    from rich.table import Table
    from rich.text import Text

    columns = [name for name in record.columns if any(name in row.peers for row in rows)]
    table = Table(header_style="dim", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("")
    for name in ("kinetrace", *(name.replace(" ", "\n", 1) for name in columns), "Gflop/s"):
        table.add_column(Text(name), justify="right", vertical="top")
    task = None
    for row in rows:
        if row.task is not task:
            task = row.task
            table.add_row(task.label, style="bold")
        cells = [_mode(row), _ours(row), *(_peer(row, name) for name in columns), _rate(row, record)]
        table.add_row(*map(Text, cells))  # which may have two lines
    return table


def _mode(row: BenchRow) -> str:
    gain = f"\n    ×{row.one_thread.best / row.ours.best:.2f} of one thread" if row.one_thread else ""
    residual = "" if row.residual is None else f"\n    99 % within {row.residual:.0e} m/s"
    return f"  {row.mode}{gain}{residual}"


def _ours(row: BenchRow) -> str:
    low, _, high = row.ours.percentiles
    return f"{duration(row.ours.best)}\n{_range(low, high)}"


def _range(low: float, high: float) -> str:
    """Two durations, the unit once if they share it."""
    a, b = duration(low), duration(high)
    return f"{a.split()[0]}–{b}" if a.split()[1] == b.split()[1] else f"{a}–{b}"


def _peer(row: BenchRow, name: str) -> str:
    if name not in row.peers:
        return ""
    theirs = row.peers[name]
    return f"{duration(theirs.best)}\n×{three_digits(theirs.ratio(row.ours))}"


def _rate(row: BenchRow, record: BenchResults) -> str:
    share, whole = (x / record.roof.peak(row.threads) for x in (row.rate, row.work))
    return f"{row.rate / 1e9:.1f}\n{share:.0%} ({whole:.0%})"


def print_skipped(skipped: Iterable[Skip], out: Console) -> None:
    """Print missing results and their reasons, one line per library and reason."""
    groups: dict[tuple[str, str, bool], list[str]] = {}
    for skip in skipped:
        groups.setdefault((skip.who, skip.reason, skip.wrong), []).append(skip.what)
    for (who, reason, wrong), what in groups.items():
        out.print(f"skipped {who}: {'; '.join(what)}: {reason}", style="bold red" if wrong else "dim")


def print_start(start: Mapping[str, TimeSamples], out: Console) -> None:
    """The first result of a new process."""
    out.print()
    out.print("A new process (Panda, inverse dynamics; first results include imports)", style="bold")
    for name, x in start.items():
        out.print(f"  {name:34} {duration(x.best):>8}  {_range(x.percentiles[0], x.percentiles[2])}")


def print_chains(record: Chains, out: Console) -> None:
    """Time and memory by length; what raised an error, and why."""
    from rich.table import Table

    table = Table(header_style="dim", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    heads = ("links", "states", "ns a link", "10–90 %", "Gflop/s", "compile [s]", "compile [MB]", "run [MB]")
    table.add_column("", style="bold")
    for head in heads:
        table.add_column(head, justify="right")
    task = None
    for chain in record.chains:
        low, _, high = (x / chain.links * 1e9 for x in chain.run.percentiles)
        table.add_row(
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
    out.print(table)
    out.print(
        "memory at most, beyond that of a process that has loaded the model; run: code from the cache, and the batch",
        style="dim",
    )
    for name, links, reason in record.failed:
        out.print(f"skipped {TASKS[name].label} of {links} links: {reason}", style="bold red")


def _megabytes(x: float | None) -> str:
    return "-" if x is None else f"{x:.0f}"
