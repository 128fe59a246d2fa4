"""The run: every library computes the same thing on the same states; if results agree, all are timed, interleaved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from ..codegen.llvm.elementary import sincos_operations
from ..errors import KinetraceError
from ..support.cores import cores
from ..trace import OpCount
from .measure import Run, Samples, interleaved, load, machine, version
from .peers import PEERS, Peer, Unsupported, adapter
from .roofline import Roof
from .tasks import ROBOTS, TASKS, Rollout, States, Subject, Task, results

OURS = "kinetrace"
COMPARED = 8
"""States whose results are compared."""
TOLERANCE = 1e-9
"""Largest relative difference of results that are timed."""
MOST_BYTES = 1 << 29
"""Of the arrays of a batch; a larger one is not measured."""


@dataclass(frozen=True)
class BenchPlan:
    """What to measure; a batch of 1 is one call from Python."""

    robots: Sequence[str] = ROBOTS
    tasks: Sequence[str] = tuple(TASKS)
    batches: Sequence[int] = (1, 4096, 65536)
    threads: Sequence[int] = (1, cores())
    peers: Sequence[str] = PEERS
    repeats: int = 15
    budget: float = 1.5
    """Seconds a comparison may take."""
    compact: bool = False
    """Whether our results are compact."""

    @property
    def steps(self) -> int:
        """Comparisons, each with one tick of the progress bar."""
        return len(self.robots) * sum(len(TASKS[name].batches(self.batches)) for name in self.tasks)


@dataclass(frozen=True)
class Row:
    """One robot, task, batch and number of threads; times are seconds per state, of rollouts per state and step."""

    subject: Subject
    task: Task
    batch: int
    threads: int
    count: OpCount
    bytes: int
    ours: Samples
    peers: dict[str, Samples]
    functions: dict[str, str]
    """Column → what was called."""
    one_thread: Samples | None
    """Ours on one thread, in the same rounds."""

    @property
    def rate(self) -> float:
        """Counted operations per second; sines and cosines are not counted."""
        return self.count.flops / self.ours.best

    @property
    def work(self) -> float:
        """Operations per second with those inside sines and cosines."""
        return self.rate + self.count.trig / 2 * sincos_operations() / self.ours.best

    @property
    def steps(self) -> int:
        """Steps in time of each state."""
        return self.task.steps(self.batch)

    @property
    def mode(self) -> str:
        """How it was called."""
        several = f", {self.steps} steps" if self.steps > 1 else ""
        if self.batch == 1:
            return f"one state{several}" if several else "one call"
        return f"batch {self.batch}{several}, {self.threads} thread{'s'[: self.threads > 1]}"


@dataclass(frozen=True)
class Skip:
    """What was not measured, and why; `wrong` if because results differ."""

    who: str
    what: str
    reason: str
    wrong: bool = False


@dataclass
class Comparison:
    """All that a run found."""

    plan: BenchPlan
    roof: Roof
    machine: dict[str, str]
    versions: dict[str, str]
    load_before: float | None
    load_after: float | None = None
    seconds: float = 0.0
    rows: list[Row] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)

    def skip(self, who: str, what: str, reason: str, wrong: bool = False) -> None:
        """Note what is left out, once."""
        if (made := Skip(who, what, reason, wrong)) not in self.skipped:
            self.skipped.append(made)

    @property
    def columns(self) -> list[str]:
        """The competitors that were timed, those with most rows first."""
        names = [name for row in self.rows for name in row.peers]
        return sorted(dict.fromkeys(names), key=names.count, reverse=True)


def compare(plan: BenchPlan, tick: Callable[[str], None] = lambda what: None) -> Comparison:
    """Measure; `tick` is told what comes next."""
    started = perf_counter()
    versions = {name: version(name) for name in (OURS, "numpy", "llvmlite")}
    with ThreadPoolExecutor(max(plan.threads)) as pool:
        found = Comparison(plan, Roof(pool), machine(), versions, load())
        adapters = _installed(plan, found)
        for name in plan.robots:
            _measure_robot(Subject.load(name, plan.compact), adapters, found, tick)
    found.load_after, found.seconds = load(), perf_counter() - started
    return found


def _installed(plan: BenchPlan, found: Comparison) -> list[type[Peer]]:
    """The peers that are there; the others are named."""
    adapters = []
    for name in plan.peers:
        made = adapter(name)
        if (reason := made.missing()) is None:
            adapters.append(made)
            found.versions[made.name] = made.version()
        else:
            found.skip(made.name, "everything", reason)
    return adapters


def _measure_robot(
    subject: Subject, adapters: list[type[Peer]], found: Comparison, tick: Callable[[str], None]
) -> None:
    peers, plan = [], found.plan
    for made in adapters:
        try:
            peers.append(made(subject))
        except Unsupported as error:
            found.skip(made.name, subject.robot.name, str(error))
    tasks = [TASKS[name] for name in plan.tasks]
    states = {n: subject.states(n) for n in {COMPARED, *(n for task in tasks for n in task.batches(plan.batches))}}
    for task in tasks:
        able: list[Peer] | None = None
        for batch in task.batches(plan.batches):
            tick(f"{subject.robot.name}: {task.label}, {f'batch {batch}' if batch > 1 else 'one call'}")
            if able is None:
                try:
                    subject.call(task, states[COMPARED])
                except KinetraceError as error:
                    found.skip(OURS, f"{subject.robot.name}, {task.label}", str(error))
                    break
                able = [peer for peer in peers if _agrees(peer, subject, task, states[COMPARED], found)]
            if batch * task.steps(batch) * subject.bytes(task) > MOST_BYTES:
                reason = f"arrays of more than {MOST_BYTES >> 20} MB"
                found.skip("all", f"{subject.robot.name}, {task.label}, batch {batch}", reason)
            else:
                found.rows += _contest(subject, task, states[batch], able, found)


def _agrees(peer: Peer, subject: Subject, task: Task, states: States, found: Comparison) -> bool:
    """Whether a peer computes the same."""
    if isinstance(task, Rollout) and not peer.rolls_out:
        found.skip(peer.name, f"{subject.robot.name}, {task.label}", "has no loop over time")
        return False
    try:
        theirs = peer.results(task, states)
    except Unsupported as error:
        found.skip(peer.name, f"{subject.robot.name}, {task.label}", str(error))
        return False
    pairs = zip(results(subject.call(task, states)), theirs, strict=False)
    worst = max(float(np.linalg.norm(x - y) / max(float(np.linalg.norm(y)), TOLERANCE)) for x, y in pairs)
    if not worst <= TOLERANCE:
        found.skip(peer.name, f"{subject.robot.name}, {task.label}", f"results differ by {worst:.1e}", wrong=True)
    return worst <= TOLERANCE


def _contest(subject: Subject, task: Task, states: States, peers: list[Peer], found: Comparison) -> list[Row]:
    """All competitors on one batch, one row per number of threads."""
    plan, runs, batch = found.plan, dict[tuple[str, int], Run](), len(states)
    threads = sorted(set(plan.threads)) if batch > 1 else [1]
    if batch == 1:
        runs[OURS, 1] = subject.one_call(task, states)
    else:
        out = subject.room(task, batch)
        runs |= {(OURS, n): subject.batch(task, states, out, n) for n in threads}
    for peer in peers:
        for n in threads:
            try:
                made = peer.one_call(task, states) if batch == 1 else peer.batch(task, states, n)
            except Unsupported as error:
                found.skip(peer.name, "one call" if batch == 1 else f"batch {batch}", str(error))
                made = {}
            runs |= {(column, n): run for column, run in made.items()}
    found.roof.sample(*threads)
    found.roof.sample_copy()
    samples = interleaved(runs, plan.repeats, plan.budget)
    found.roof.sample(*threads)
    return [_row(subject, task, batch, n, runs, samples) for n in threads]


def _row(
    subject: Subject, task: Task, batch: int, threads: int, runs: dict[Any, Run], samples: dict[Any, Samples]
) -> Row:
    peers = {name: x for (name, n), x in samples.items() if n == threads and name != OURS}
    functions = {name: run.function for (name, n), run in runs.items() if n == threads}
    return Row(
        subject,
        task,
        batch,
        threads,
        subject.count(task),
        subject.bytes(task),
        samples[OURS, threads],
        peers,
        functions,
        samples.get((OURS, 1)) if threads > 1 else None,
    )
