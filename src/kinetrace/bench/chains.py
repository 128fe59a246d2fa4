"""From 5 to 1000 links: time per link, time to compile, and the memory of both, each in new processes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .measure import TimeSamples, reason
from .start import MEMORY, in_new_process

LENGTHS = (5, 10, 20, 50, 100, 200, 500, 1000)
TASKS = ("inverse_dynamics", "forward_dynamics")
LINK_STATES = 1 << 17
"""Links times states in a batch, about."""
FEWEST_STATES = 256

_CODE = (
    MEMORY
    + """
import json, sys
from time import perf_counter as now
import numpy as np
import kinetrace as kt
robot = kt.random_chain({links}, seed={seed})
rng, zero = np.random.default_rng(0), np.zeros({links})
empty, start = memory(), now()
robot.{task}(zero, zero, zero)
first, after = now() - start, memory()
if {repeats}:
    q = robot.random({states}, seed=rng)
    v, x = rng.normal(size=(2, {states}, {links}))
    out, seconds = np.empty_like(v), []
    for _ in range({repeats} + 1):
        start = now()
        robot.{task}(q, v, x, out=out, threads=1)
        seconds.append((now() - start) / {states})
    json.dump({{"seconds": seconds[1:], "memory": None if empty is None else memory() - empty}}, sys.stdout)
else:
    flops = robot.count("{task}").flops
    json.dump(
        {{"seconds": first, "memory": None if empty is None else after - empty, "flops": flops}}, sys.stdout
    )
"""
)


@dataclass(frozen=True)
class Chain:
    """One length. Memory is in megabytes beyond that of a process with the model loaded; None if unknown."""

    task: str
    links: int
    states: int
    flops: int
    compile_seconds: float
    compile_memory: float | None
    run: TimeSamples
    """Seconds per state."""
    run_memory: float | None
    """With the machine code from the cache, and the batch."""

    @property
    def per_link(self) -> float:
        """Seconds per state and a link."""
        return self.run.best / self.links


def measure_chain(task: str, links: int, repeats: int, seed: int = 1) -> Chain:
    """Compile in one process, run in another that finds the code in the cache."""
    states = max(FEWEST_STATES, LINK_STATES // links)
    with tempfile.TemporaryDirectory() as cache:

        def run(rounds: int) -> dict[str, float]:
            code = _CODE.format(task=task, links=links, seed=seed, states=states, repeats=rounds)
            return in_new_process(code, cache=cache)

        made, ran = run(0), run(repeats)
    seconds = TimeSamples(tuple(ran["seconds"]))  # type: ignore[arg-type]
    return Chain(task, links, states, int(made["flops"]), made["seconds"], made["memory"], seconds, ran["memory"])


@dataclass
class Chains:
    """All lengths so far, and (task, links, why) of those that raised an error."""

    chains: list[Chain] = field(default_factory=list)
    failed: list[tuple[str, int, str]] = field(default_factory=list)
    complete: bool = False


def measure_chains(
    lengths: Sequence[int], tasks: Sequence[str], repeats: int, found: Chains, step: Callable[[str], None]
) -> Iterator[None]:
    """All lengths of all tasks, one after another, into `found`; `step` is told what comes next."""
    for task in tasks:
        for links in lengths:
            step(f"{task.replace('_', ' ')} of {links} links")
            try:
                found.chains.append(measure_chain(task, links, repeats))
            except Exception as error:
                found.failed.append((task, links, reason(error)))
            yield
    found.complete = True
