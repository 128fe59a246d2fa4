"""Speed beside the table of tasks: chains of many joints, and the start of a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model import zoo
from .measure import TimeSamples, reason
from .peers import adapter

CHAIN_LENGTHS = (5, 10, 20, 50, 100, 200, 500, 1000)
TASKS = ("inverse_dynamics", "forward_dynamics")
LINK_STATES = 1 << 17
"""Links times states in a batch, about."""
MIN_STATES = 256
MEMORY_CODE = """
def memory():
    "Megabytes at most so far; None where the system does not say."
    try:  # not `getrusage`, which starts from the parent's
        with open("/proc/self/status") as lines:
            return next(int(x.split()[1]) / 1024 for x in lines if x.startswith("VmHWM"))
    except (OSError, StopIteration):
        return None
"""
"""A function for code that runs in a new interpreter."""
_CODE = (
    MEMORY_CODE
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
    states = max(MIN_STATES, LINK_STATES // links)
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
    lengths: Sequence[int], tasks: Sequence[str], repeats: int, results: Chains, step: Callable[[str], None]
) -> Iterator[None]:
    """All lengths of all tasks, one after another, into `results`; `step` is told what comes next."""
    for task in tasks:
        for links in lengths:
            step(f"{task.replace('_', ' ')} of {links} links")
            try:
                results.chains.append(measure_chain(task, links, repeats))
            except Exception as error:
                results.failed.append((task, links, reason(error)))
            yield
    results.complete = True


_TIMING_CODE = "from time import perf_counter as now; t = now(); {}; print(now() - t)"
_OUR_CODE = (
    "import numpy as np, kinetrace as kt; x = np.zeros(7); "
    "kt.load('panda').without_joint_effects().inverse_dynamics(x, x, x)"
)
_PINOCCHIO_CODE = (
    "import numpy as np, pinocchio as pin; x = np.zeros(7); "
    "m = pin.buildModelFromUrdf({path!r}); pin.rnea(m, m.createData(), x, x, x)"
)
_CACHED_LABEL = "first result, code in the cache"


def measure_start(
    repeats: int, peers: Sequence[str], raised: Callable[[str, str, Exception], None]
) -> dict[str, TimeSamples]:
    """Seconds in new processes: imports, and the first inverse dynamics of the Panda, imports included.

    Of what raises an error, `raised` is told the library, the line and the error.
    """
    with tempfile.TemporaryDirectory() as cache:
        runs: dict[str, Callable[[], float]] = {
            "import numpy": lambda: in_new_process(_TIMING_CODE.format("import numpy"), cache=cache),
            "import kinetrace": lambda: in_new_process(_TIMING_CODE.format("import kinetrace"), cache=cache),
            _CACHED_LABEL: lambda: in_new_process(_TIMING_CODE.format(_OUR_CODE), cache=cache),
            "first result, nothing cached": lambda: in_new_process(_TIMING_CODE.format(_OUR_CODE), cache="off"),
        }
        whose = dict.fromkeys(runs, "kinetrace")
        if "pinocchio" in peers and adapter("pinocchio").missing() is None:
            theirs, line = _PINOCCHIO_CODE.format(path=str(zoo.path("panda"))), "first result of Pinocchio"
            runs[line] = lambda: in_new_process(_TIMING_CODE.format(theirs), cache=cache)
            whose[line] = adapter("pinocchio").name
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        for k in range(repeats + 1):
            for name in list(seconds) if k else [_CACHED_LABEL]:  # which fills the cache, and is not counted
                try:
                    spent = runs[name]()
                except Exception as error:
                    del seconds[name]
                    raised(whose[name], name, error)
                else:
                    seconds[name] += [spent] if k else []
    return {name: TimeSamples(tuple(x)) for name, x in seconds.items()}


def in_new_process(code: str, *, cache: str) -> Any:
    """Output of code, as JSON, in a fresh interpreter with this cache of machine code; bytecode is kept, as usual.

    >>> in_new_process("print(1 + 1)", cache="off")
    2
    """
    kept = {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment: Mapping[str, str] = {**kept, "KINETRACE_CACHE": cache}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise RuntimeError(f"a new process ended with: {said[-1]}")
    return json.loads(done.stdout)
