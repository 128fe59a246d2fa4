"""`kinetrace demo`: compile, check and time inverse dynamics on this machine."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import InputError, Kernel, Robot, algorithms
from ..support.tables import console, plural, show, table
from .count import total
from .shared import Commands, add_command, add_robot, robot_of, whole_number

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Array: TypeAlias = npt.NDArray[Any]

LARGE_BATCH, SMALL_BATCH, REPEATS, CHECKED_STATES = 1 << 18, 1 << 12, 10, 100
"""States of the large batch and of one that stays in the caches of a core, runs, and states that are checked."""
TOLERANCE = 1e-10
"""Relative error allowed; rounding alone makes about 1e-15."""


def add_demo(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "demo",
        run,
        "Compile, check and time inverse dynamics on this machine",
        "Inverse dynamics computes the joint forces of a motion. The demo compiles it for\n"
        "one robot, checks the result against the same algorithm run on plain floats,\n"
        "and times a batch that fits the caches, then a large one, which has to wait\n"
        "for memory, each on one thread and on all cores.\n"
        "It takes a few seconds. Exit code 1 if the check fails.",
        [
            ("kinetrace demo", "the Panda arm"),
            ("kinetrace demo humanoid --base free", "39 degrees of freedom"),
            ("kinetrace demo my_robot.urdf --batch 10000", "your own"),
        ],
    )
    add_robot(parser, default="panda")
    parser.add_argument(
        "--batch",
        metavar="N",
        type=whole_number(1),
        default=LARGE_BATCH,
        help=f"number of states (default: {LARGE_BATCH})",
    )


def run(args: argparse.Namespace) -> int:
    """Compile, check, time, and say so."""
    begin, out = time.perf_counter(), console()
    robot = robot_of(args)
    model = robot.model
    if model.nv == 0:
        raise InputError(f"{robot.name!r} has no moving joint, so there is nothing to compute")
    bodies = plural(len(model.bodies), "moving body", "moving bodies")
    out.print(f"Robot     {robot.name}: {bodies}, nq {model.nq}, nv {model.nv}")
    if model.closures:
        loops = plural(len(model.closures), "closure", "closures")
        out.print(f"          with its {loops} open: inverse dynamics is about the tree of joints")

    kernel, cached = _compile(robot, out)
    operations = total(kernel.count())
    states, many = random_states(robot, args.batch), plural(args.batch, "state", "states")
    plain, error = check(robot, kernel, states)
    _print_error(error, args.batch, out)
    if not error <= TOLERANCE:
        print(f"kinetrace: error: compiled and plain results differ by more than {TOLERANCE:g}", file=sys.stderr)
        return 1
    small = min(SMALL_BATCH, args.batch)
    times = {"plain floats, not compiled": plain, **_time(kernel, tuple(x[:small] for x in states), out)}
    if args.batch > small:
        times |= _time(kernel, states, out)
    show(out, "Inverse dynamics: time per state", _speeds(times, operations))
    out.print()
    if args.batch > small:
        out.print(_memory(times, small, args.batch, sum(x.nbytes for x in states) + states[1].nbytes))
        out.print()
    out.print(
        f"In {time.perf_counter() - begin:.1f} s, kinetrace loaded {robot.name}, turned its inverse dynamics "
        f"into {operations:,} scalar operations, {'fetched' if cached else 'made'} the machine code for them, "
        f"checked it, and timed it on {many} (medians of {REPEATS} runs). "
        f"`kinetrace view {args.robot}` shows the robot in the browser. The same from Python:"
    )
    out.print()
    for line in snippet(args.robot, args.base, args.closures).splitlines():
        out.print(line, style="cyan", soft_wrap=True)
    return 0


def _compile(robot: Robot, out: Console) -> tuple[Kernel, bool]:
    """The kernel, and whether its code was in the cache."""
    start = time.perf_counter()
    kernel = robot.kernel(algorithms.inverse_dynamics)
    _ = kernel.gufunc  # made on first use
    seconds, cached = time.perf_counter() - start, kernel.from_cache
    size, how = f"{total(kernel.count()):,} operations", "from the cache" if cached else "fresh"
    out.print(f"Compiled  inverse dynamics into {size} in {seconds * 1e3:.0f} ms ({how})")
    return kernel, cached


def _print_error(error: float, batch: int, out: Console) -> None:
    checked = plural(min(CHECKED_STATES, batch), "state", "states")
    out.print(f"Checked   {checked} against the same algorithm on plain floats:")
    out.print(f"          largest relative error {error:.1e}, {'fine' if error <= TOLERANCE else 'WRONG'}")


def _speeds(times: Mapping[str, float], operations: int) -> Table:
    """A row for each way to compute, from its seconds per state."""
    headings = ("ns per state", "states/s", "operations/s")
    listing = table("how", *headings, right=headings)
    for label, each in times.items():
        listing.add_row(label, f"{each * 1e9:,.{0 if each > 1e-6 else 1}f}", _si(1 / each), _si(operations / each))
    return listing


def random_states(robot: Robot, batch: int) -> tuple[Array, Array, Array]:
    """q, v and a of a batch."""
    rng = np.random.default_rng(0)
    v, a = rng.normal(size=(2, batch, robot.nv))
    return robot.random(batch, seed=rng), v, a


def check(robot: Robot, kernel: Kernel, states: tuple[Array, Array, Array]) -> tuple[float, float]:
    """Seconds that a state takes in plain floats, and the largest relative error of the compiled states."""
    batch = len(states[0])
    rows = np.unique(np.linspace(0, batch - 1, CHECKED_STATES, dtype=int))
    start = time.perf_counter()
    expected = [algorithms.inverse_dynamics(robot.model, *(x[i] for x in states)) for i in rows]
    plain = (time.perf_counter() - start) / len(rows)
    results = [kernel(*states, threads=threads)[rows] for threads in thread_counts()]
    return plain, relative_error(np.array(results), np.array(expected))


def relative_error(tau: Array, expected: Array) -> float:
    """The largest difference in a state over the largest force in that state; NaN if anything is."""
    scale = np.abs(expected).max(axis=-1)
    return float(np.max(np.abs(tau - expected).max(axis=-1) / np.where(scale == 0, 1.0, scale)))


def thread_counts() -> list[int]:
    """One thread, and as many as there are cores."""
    return sorted({1, os.cpu_count() or 1})


def _time(kernel: Kernel, states: tuple[Array, ...], out: Console) -> dict[str, float]:
    """Median seconds per state, by number of threads."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    tau, times = np.empty_like(states[1]), {}
    columns = (TextColumn("Timing    {task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as progress:
        for threads in thread_counts():
            label = _label(len(tau), threads)
            calls, seconds = max(1, SMALL_BATCH // len(tau) * 8), []  # short ones several times: the clock is coarse
            for _ in progress.track(range(REPEATS), description=label):
                start = time.perf_counter()
                for _ in range(calls):
                    kernel(*states, out=tau, threads=threads)
                seconds.append((time.perf_counter() - start) / calls)
            times[label] = statistics.median(seconds) / len(tau)
    return times


def _label(batch: int, threads: int) -> str:
    return f"compiled, {batch:,} states, {'one thread' if threads == 1 else f'{threads} threads'}"


def _memory(times: Mapping[str, float], small: int, batch: int, size: int) -> str:
    """Difference between the two batches, in words."""
    near, far = (times[_label(x, 1)] * 1e9 for x in (small, batch))
    return (
        f"One thread takes {near:.0f} ns per state in a batch of {small:,}, whose numbers stay in the caches of its "
        f"core, and {far:.0f} ns in a batch of {batch:,}: those are {size / 1e6:.0f} MB, which come from memory and go "
        "there."
    )


def snippet(source: str, base: str, closures: str | None = None) -> str:
    """How to do the same in Python."""
    free = ', base="free"' if base == "free" else ""
    free += f", closures={json.dumps(closures)}" if closures is not None else ""
    return (
        "  import numpy as np, kinetrace as kt\n"
        f"  robot = kt.load({json.dumps(source)}{free})\n"
        "  q, v = robot.random(1000), np.zeros((1000, robot.nv))\n"
        "  tau = robot.inverse_dynamics(q, v, v)  # forces that hold the robot still"
    )


def _si(x: float) -> str:
    """A number with a metric prefix: 2.38e7 is 23.8 M."""
    for prefix, unit in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if x >= unit:
            return f"{x / unit:.3g} {prefix}"
    return f"{x:.3g}"
