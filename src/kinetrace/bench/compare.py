"""The run: every library computes the same thing on the same states; if results agree, all are timed, interleaved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from ..engine.targets.llvm.elementary import sincos_operations
from ..engine.trace import OpCount
from ..support.threads import cores
from .chains import measure_start
from .measure import Run, TimeSamples, interleaved, load, machine, reason, version
from .peers import PEERS, Peer, Unsupported, adapter
from .roofline import Roof
from .tasks import ROBOTS, TASKS, BenchStates, BenchTask, Rollout, Subject, results

OURS = "kinetrace"
COMPARED_STATES = 8
"""States whose results are compared."""
TOLERANCE = 1e-9
"""Largest relative difference of results that are timed, but for contacts, and least size that differences are of."""
MAX_BATCH_BYTES = 1 << 29
"""Of the arrays of a batch; a larger one is not measured."""
NO_KEYS: Mapping[str, str] = {}


@dataclass(frozen=True)
class BenchPlan:
    """Robots, tasks and libraries to measure; a batch of 1 is one call from Python."""

    robots: Sequence[str] = ROBOTS
    tasks: Sequence[str] = tuple(TASKS)
    batches: Sequence[int] = (1, 4096, 65536)
    threads: Sequence[int] = (1, cores())
    peers: Sequence[str] = tuple(PEERS)
    repeats: int = 15
    budget: float = 1.5
    """Seconds a comparison may take."""
    compact: bool = False
    """Whether our results are compact."""
    quick: bool = False
    """Whether libraries that compile for seconds have the first robot alone."""
    starts: int = 5
    """How often new processes are timed; none if 0."""

    @property
    def steps(self) -> int:
        """Comparisons, each with one tick of the progress bar."""
        tasks = sum(len(TASKS[name].batches(self.batches)) for name in self.tasks)
        return len(self.robots) * tasks + bool(self.starts)


@dataclass(frozen=True)
class BenchRow:
    """One robot, task, batch and number of threads; times are seconds per state, of rollouts per state and step."""

    subject: Subject
    task: BenchTask
    batch: int
    threads: int
    count: OpCount
    bytes: int
    ours: TimeSamples
    peers: dict[str, TimeSamples]
    functions: dict[str, str]
    """Column → what was called."""
    one_thread: TimeSamples | None
    """Ours on one thread, in the same rounds."""
    residual: float | None = None
    """Of contacts: how far 99 % of our steps are from their law at most [m/s]."""

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
    """Reason why something was not measured; empty fields stand for all. `wrong` if we raised an error, or disagree."""

    who: str
    reason: str
    robot: str = ""
    base: str = ""
    task: str = ""
    mode: str = ""
    wrong: bool = False

    @property
    def what(self) -> str:
        """Of what it is true, for people.

        >>> Skip("JAX", "why", robot="panda", base="fixed", task="mass_matrix").what
        'panda, mass matrix'
        """
        robot = f"{self.robot} (free base)" if self.base == "free" else self.robot
        task = TASKS[self.task].label if self.task else ""
        return ", ".join(x for x in (robot, task, self.mode) if x) or "everything"

    def concerns(self, row: BenchRow) -> bool:
        """Whether a row lacks these numbers."""
        known = (row.subject.robot.name, row.subject.base, row.task.name, _mode(row.batch))
        mine = (self.robot, self.base, self.task, self.mode)
        return all(x in ("", y) for x, y in zip(mine, known, strict=True))


def _mode(batch: int) -> str:
    return f"batch {batch}" if batch > 1 else "one call"


@dataclass
class BenchResults:
    """All that a run found so far."""

    plan: BenchPlan
    roof: Roof
    machine: dict[str, str]
    versions: dict[str, str]
    load_before: float | None
    load_after: float | None = None
    seconds: float = 0.0
    complete: bool = False
    """Whether the run came to its end."""
    rows: list[BenchRow] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    start: dict[str, TimeSamples] = field(default_factory=dict)
    """Of new processes."""

    def skip(
        self, who: str, why: str | Exception, of: Mapping[str, str] = NO_KEYS, mode: str = "", wrong: bool = False
    ) -> None:
        """Note what is left out, once; `of` is the `key` of a subject, or `about` one of its tasks."""
        entry = Skip(who, why if isinstance(why, str) else _why(why), **of, mode=mode, wrong=wrong)
        if entry not in self.skipped:
            self.skipped.append(entry)

    @property
    def wrong(self) -> int:
        """How often this library raised an error, or disagreed with another one."""
        return sum(skip.wrong for skip in self.skipped)

    @property
    def columns(self) -> list[str]:
        """The competitors that were timed, those with most rows first."""
        names = [name for row in self.rows for name in row.peers]
        return sorted(dict.fromkeys(names), key=names.count, reverse=True)


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, Unsupported) else reason(error)


class Listener:
    """Receiver of events of a run while it goes on; these methods do nothing."""

    def begins(self, record: BenchResults) -> None:
        """The machine and the libraries are known."""

    def step(self, what: str) -> None:
        """This comes next."""

    def keeps(self, record: BenchResults) -> None:
        """There are more rows, or reasons why there are none."""

    def ends_robot(self, record: BenchResults, subject: Subject) -> None:
        """All rows of a robot are there."""


def compare(plan: BenchPlan, listener: Listener | None = None) -> BenchResults:
    """Measure. A robot that cannot be loaded is an error before anything is measured; what raises later is a `Skip`."""
    started, listener = perf_counter(), listener or Listener()
    subjects = [Subject.load(name, plan.compact) for name in plan.robots]
    versions = {name: version(name) for name in (OURS, "numpy", "llvmlite")}
    with ThreadPoolExecutor(max(plan.threads)) as pool:
        record = BenchResults(plan=plan, roof=Roof(pool), machine=machine(), versions=versions, load_before=load())
        adapters = _installed_peers(plan, record)
        listener.begins(record)
        try:
            for k, subject in enumerate(subjects):
                _measure_robot(subject, _peers_of_robot(k, subject, adapters, record), record, listener)
                listener.ends_robot(record, subject)
            if plan.starts:
                listener.step("a new process")
                record.start = measure_start(plan.starts, plan.peers, partial(_start_skip, record))
            record.complete = True
        finally:
            record.load_after, record.seconds = load(), perf_counter() - started
            listener.keeps(record)
    return record


def _start_skip(record: BenchResults, who: str, what: str, error: Exception) -> None:
    record.skip(who, error, mode=f"a new process, {what}", wrong=who == OURS)


def _installed_peers(plan: BenchPlan, record: BenchResults) -> list[type[Peer]]:
    """The peers that are there; the others are named."""
    adapters = []
    for name in plan.peers:
        peer = adapter(name)
        if (reason := peer.missing()) is None:
            adapters.append(peer)
            record.versions[peer.name] = peer.version()
        else:
            record.skip(peer.name, reason)
    return adapters


def _peers_of_robot(k: int, subject: Subject, adapters: list[type[Peer]], record: BenchResults) -> list[type[Peer]]:
    """Those that measure the k-th robot."""
    if not (record.plan.quick and k):
        return adapters
    for peer in adapters:
        if peer.slow:
            record.skip(peer.name, "compiles for seconds: --quick has it on the first robot", subject.key)
    return [peer for peer in adapters if not peer.slow]


def _measure_robot(subject: Subject, adapters: list[type[Peer]], record: BenchResults, listener: Listener) -> None:
    plan, tasks = record.plan, [TASKS[name] for name in record.plan.tasks]
    peers = _make_peers(subject, adapters, record)
    try:
        states = {
            n: subject.states(n) for n in {COMPARED_STATES, *(n for task in tasks for n in task.batches(plan.batches))}
        }
    except Exception as error:
        record.skip(OURS, error, subject.key, wrong=True)
        return
    for task in tasks:
        if (why := task.lacks(subject)) is not None:
            record.skip("all", why, subject.about(task))
            continue
        able: list[Peer] | None = None
        for batch in task.batches(plan.batches):
            listener.step(f"{subject.robot.name}: {task.label}, {_mode(batch)}")
            try:
                if able is None:
                    ours = results(subject.call(task, states[COMPARED_STATES]))
                    able = [
                        peer for peer in peers if _agrees(peer, subject, task, states[COMPARED_STATES], ours, record)
                    ]
                record.rows += _contest(subject, task, states[batch], able, record)
            except Exception as error:  # peers' errors have been caught: this one is ours
                mode = _mode(batch) if able is not None else ""
                record.skip(OURS, error, subject.about(task), mode, wrong=True)
            listener.keeps(record)
            if able is None:
                break


def _make_peers(subject: Subject, adapters: list[type[Peer]], record: BenchResults) -> list[Peer]:
    """The robot in other libraries."""
    peers = []
    for peer in adapters:
        try:
            peers.append(peer(subject))
        except Exception as error:
            record.skip(peer.name, error, subject.key)
    return peers


def _agrees(
    peer: Peer, subject: Subject, task: BenchTask, states: BenchStates, ours: tuple[Any, ...], record: BenchResults
) -> bool:
    """Whether a peer computes the same."""
    about = subject.about(task)
    if isinstance(task, Rollout) and not peer.rolls_out:
        record.skip(peer.name, "has no loop over time", about)
        return False
    if task.has_residual and not peer.touches:
        record.skip(peer.name, "has no contacts", about)
        return False
    try:
        theirs = [np.asarray(y) for y in peer.results(task, states)]
    except Exception as error:
        record.skip(peer.name, error, about)
        return False
    pairs = list(zip(ours[: task.agrees_in], theirs, strict=False))
    if not pairs or any(x.shape != y.shape for x, y in pairs):
        shapes = [[y.shape for y in ys] for ys in (ours, theirs)]
        record.skip(peer.name, f"results have other shapes: {shapes[1]}, ours {shapes[0]}", about, wrong=True)
        return False
    worst = max(float(np.linalg.norm(x - y) / max(float(np.linalg.norm(y)), TOLERANCE)) for x, y in pairs)
    if not worst <= task.tolerance:
        record.skip(peer.name, f"results differ by {worst:.1e}", about, wrong=True)
    return worst <= task.tolerance


def _contest(
    subject: Subject, task: BenchTask, states: BenchStates, peers: list[Peer], record: BenchResults
) -> list[BenchRow]:
    """All competitors on one batch, one row per number of threads; those that raise an error are left out."""
    plan, runs, batch = record.plan, dict[tuple[str, int], Run](), len(states)
    if batch * task.steps(batch) * subject.bytes(task) > MAX_BATCH_BYTES:
        record.skip("all", f"arrays of more than {MAX_BATCH_BYTES >> 20} MB", subject.about(task), _mode(batch))
        return []
    threads = sorted(set(plan.threads)) if batch > 1 else [1]
    out = subject.room(task, batch) if batch > 1 else ()
    if batch == 1:
        runs[OURS, 1] = subject.one_call(task, states)
    else:
        runs |= {(OURS, n): subject.batch(task, states, out, n) for n in threads}
    owners = dict[tuple[str, int], str]()
    for peer in peers:
        for n in threads:
            try:
                peer_runs = peer.one_call(task, states) if batch == 1 else peer.batch(task, states, n)
            except Unsupported as error:  # whatever the robot
                record.skip(peer.name, error, mode=_mode(batch))
            except Exception as error:
                record.skip(peer.name, error, subject.about(task), _mode(batch))
            else:
                runs |= {(column, n): run for column, run in peer_runs.items()}
                owners |= {(column, n): peer.name for column in peer_runs}

    def drop(key: tuple[str, int], error: Exception) -> None:
        if key not in owners:
            raise error
        record.skip(owners[key], error, subject.about(task), _mode(batch))

    record.roof.sample(*threads)
    record.roof.sample_copy()
    samples = interleaved(runs, plan.repeats, plan.budget, on_error=drop)
    record.roof.sample(*threads)
    rows = [_row(subject, task, batch, n, runs, samples) for n in threads]
    if not task.has_residual:
        return rows
    computed = out or results(subject.call(task, states))
    return [replace(row, residual=float(np.percentile(computed[-1], 99))) for row in rows]


def _row(
    subject: Subject, task: BenchTask, batch: int, threads: int, runs: dict[Any, Run], samples: dict[Any, TimeSamples]
) -> BenchRow:
    peers = {name: x for (name, n), x in samples.items() if n == threads and name != OURS}
    functions = {name: runs[name, threads].function for name in (OURS, *peers)}
    return BenchRow(
        subject=subject,
        task=task,
        batch=batch,
        threads=threads,
        count=subject.count(task),
        bytes=subject.bytes(task),
        ours=samples[OURS, threads],
        peers=peers,
        functions=functions,
        one_thread=samples.get((OURS, 1)) if threads > 1 else None,
    )
