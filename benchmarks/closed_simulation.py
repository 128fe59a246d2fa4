"""Simulation of closed chains: CPU time of a step, closures, and the first simulation with an empty cache, in one run.

    python benchmarks/closed_simulation.py
    python benchmarks/closed_simulation.py --beside ../before/src      beside another version of the library
    python benchmarks/closed_simulation.py --quick

"simulate" is `robot.simulate` from rest, all that it does included, divided by its steps; "rollout" the kernel with the
loop, for one state; "batch" for many on one thread, per step and state; closures are the largest residuals of all rows,
relative to the largest coordinate if that is above one (the Stewart platform's legs have no ends: it falls for ever).
"first" is the wall time of the first 100 steps in a new process with an empty cache. The last line, inverse dynamics of
a batch of Pandas on one thread, measures the machine: scale times of other machines by it. Versions are measured in
turns by processes of their own; the best counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import shared

import kinetrace as kt

ROBOTS = ("four_bar", "two_pandas_beam", "stewart")
SOURCE = Path(kt.__file__).parents[1]
FIRST = """
import sys, time, warnings, numpy as np
from kinetrace import load
warnings.simplefilter("ignore")
robot = load(sys.argv[1]).without_joint_effects()
q, begin = robot.assemble(), time.perf_counter()
robot.simulate(q, np.zeros(robot.nv), t=0.1, dt=1e-3)
print(time.perf_counter() - begin)
"""
TIMES = """
import json, sys, time, warnings, numpy as np
from kinetrace import load
warnings.simplefilter("ignore")
name, steps, repeat = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
robot = load(name).without_joint_effects()
q, v, least, count = robot.assemble(), np.zeros(robot.nv), 1e9, 0
robot.simulate(q, v, t=steps * 1e-3, dt=1e-3)
while count < repeat:
    begin, count = time.process_time(), count + 1
    robot.simulate(q, v, t=steps * 1e-3, dt=1e-3)
    least = min(least, (time.process_time() - begin) / steps)
print(json.dumps(least))
"""


def child(code: str, source: Path, *arguments: object, cache: str | None = None) -> float:
    """The number that a process prints."""
    environment = {**os.environ, "PYTHONPATH": str(source), **({} if cache is None else {"KINETRACE_CACHE": cache})}
    call = [sys.executable, "-c", code, *map(str, arguments)]
    return float(json.loads(subprocess.run(call, env=environment, check=True, capture_output=True, text=True).stdout))


def first(name: str) -> float:
    """Seconds of the first simulation."""
    with tempfile.TemporaryDirectory() as folder:
        return child(FIRST, SOURCE, name, cache=folder)


def best(call: Callable[[], object], repeat: int) -> float:
    """CPU time of a call [s]."""
    least = np.inf
    for _ in range(repeat):
        begin = time.process_time()
        call()
        least = min(least, time.process_time() - begin)
    return float(least)


def residual(robot: kt.Robot, steps: int) -> float:
    """The largest of a long simulation, whose rows are every thousandth step."""
    q = robot.assemble()
    motion = robot.simulate(q, np.zeros(robot.nv), t=steps * 1e-3, dt=1e-3, record=min(1000, steps))
    q = np.asarray(motion.q, dtype=float)
    return float((np.abs(robot.closure_residual(q)).max(axis=-1) / np.maximum(1.0, np.abs(q).max(axis=-1))).max())


def measure(name: str, options: argparse.Namespace) -> None:
    """The lines of one robot."""
    robot = shared.load(name)
    q, v, n, lanes = robot.assemble(), np.zeros(robot.nv), options.steps, options.lanes
    sources = [SOURCE, *([options.beside] if options.beside else [])]
    turns = range(1 if options.quick else 3)
    simulate = np.min([[child(TIMES, x, name, n, options.repeat) for x in sources] for _ in turns], axis=0)
    one_thread, tau = kt.Robot(robot.model, threads=1), np.zeros((n, robot.nv))
    batch = np.tile(q, (lanes, 1)), np.zeros((lanes, robot.nv)), np.zeros((lanes, n, robot.nv))
    rollout = best(lambda: robot.rollout(q, v, tau, 1e-3), 1 + options.repeat) / n
    of_batch = best(lambda: one_thread.rollout(*batch, 1e-3), 2 if options.quick else 3) / n / lanes
    beside = f"   before {simulate[1] * 1e6:.1f} µs, ×{simulate[1] / simulate[0]:.0f}" if options.beside else ""
    print(
        f"{name:16} simulate {simulate[0] * 1e6:7.2f} µs   rollout {rollout * 1e6:7.2f} µs   "
        f"batch {of_batch * 1e6:7.3f} µs   first {first(name):5.2f} s{beside}"
    )
    single = residual(kt.Robot(robot.model, dtype="float32"), min(options.long, 1000))
    print(
        f"{'':16} closures after {options.long:,} steps: {residual(robot, options.long):.1e}, "
        f"after {min(options.long, 1000):,} in single precision {single:.1e}"
    )


def main() -> None:
    """Print the lines."""
    parser = shared.parser(__doc__)
    parser.add_argument("--steps", type=int, default=1000, help="of a simulation")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--lanes", type=int, default=1024)
    parser.add_argument("--long", type=int, default=1_000_000, help="steps after which closures are looked at")
    parser.add_argument("--beside", type=Path, default=None, help="folder of another version's package")
    options = shared.options(parser, steps=20, repeat=1, lanes=8, long=100)
    warnings.simplefilter("ignore")
    for name in ROBOTS[: 1 if options.quick else None]:
        measure(name, options)
    panda, n = shared.load("panda"), 64 if options.quick else 4096
    states = [panda.random(n, seed=0), *np.random.default_rng(0).normal(size=(2, n, panda.nv))]
    least = best(lambda: panda.inverse_dynamics(*states, threads=1), 2 if options.quick else 200)
    print(f"panda            inverse dynamics of {n} states {1e9 * least / n:.1f} ns per state")


if __name__ == "__main__":
    main()
