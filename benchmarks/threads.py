"""Two threads beside one: how much sooner a batch is ready, by kernel and number of states, in one run.

    python benchmarks/threads.py --help

- batches: microseconds of one thread, of `--threads`, and of what a call chooses by itself; medians of `--repeat` calls
  in turns, with the half of their spread, and how many times as fast as one thread that is
- rollouts: 64 motions of 200 steps
- calls apart: the same after a pause, in which the workers have been parked, and the core has perhaps gone to sleep
- two callers: two threads of Python that call at once, beside the same calls one after the other
- idle: processor time of the process in a second without calls

--quick has everything once, on two links.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import shared

import kinetrace as kt

KERNELS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")


def in_turns(calls: dict[str, Callable[[], Any]], repeat: int, pause: float = 0.0) -> dict[str, tuple[float, float]]:
    """Median and half of the spread between quartiles of each call [µs], after a pause [s]."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(repeat):
        for name, call in calls.items():
            if pause:
                time.sleep(pause)
            begin = time.perf_counter()
            call()
            found[name].append(1e6 * (time.perf_counter() - begin))
    quartiles = {name: np.percentile(x, (25, 50, 75)) for name, x in found.items()}
    return {name: (float(x[1]), float(x[2] - x[0]) / 2) for name, x in quartiles.items()}


def row(name: str, calls: dict[str, Callable[[], Any]], repeat: int, pause: float = 0.0) -> None:
    """A line of the table: the first call is what the others are compared with."""
    found = in_turns(calls, repeat, pause)
    first = next(iter(found.values()))[0]
    cells = [f"{label} {m:9.1f} ±{s:6.1f} µs  ×{first / m:4.2f}" for label, (m, s) in found.items()]
    print(f"  {name:40}" + "   ".join(cells), flush=True)


def ways(call: Callable[..., Any], threads: int) -> dict[str, Callable[[], Any]]:
    """One thread, several, and what the call chooses."""
    return {"one": lambda: call(threads=1), str(threads): lambda: call(threads=threads), "own choice": call}


def states_of(robot: kt.Robot, kernel: Any, states: int) -> list[Any]:
    """Arguments of a kernel for random states."""
    rng = np.random.default_rng(0)
    rest = [rng.normal(size=(states, robot.nv)) for _ in kernel.program.inputs[1:]]
    return [robot.random(states, seed=rng), *rest]


def measure(options: argparse.Namespace) -> None:
    """All tables of one robot."""
    robot = shared.load(options.robot)
    for pause, title in ((0.0, "batches"), (0.01, "calls apart: after a pause of 10 ms")):
        print(f"\n{robot.name}, {title}")
        for name in KERNELS:
            kernel = robot.kernel(name)
            for states in options.states if not pause else options.states[:1]:
                given = states_of(robot, kernel, states)
                row(f"{name}, {states} states", ways(lambda k=kernel, g=given, **how: k(*g, **how), options.threads),
                    options.repeat, pause)  # fmt: skip
                out = kernel(*given)
                row(f"{name}, {states} states, out=",
                    ways(lambda k=kernel, g=given, o=out, **how: k(*g, out=o, **how), options.threads),
                    options.repeat, pause)  # fmt: skip
    print(f"\n{robot.name}, rollouts")
    rollout, steps = kt.compile(kt.algorithms.rollout, robot, shapes={"tau": ("t", robot.nv)}), options.steps
    q, tau = robot.random(64, seed=0), np.zeros((64, steps, robot.nv))
    v = np.zeros((64, robot.nv))
    row(f"64 motions of {steps} steps", ways(lambda **how: rollout(q, v, tau, 1e-3, **how), options.threads),
        options.repeat)  # fmt: skip
    callers(robot, options)
    begin = time.process_time()
    time.sleep(1.0)
    print(f"\nidle: {1e3 * (time.process_time() - begin):.1f} ms of the processor in 1.0 s")


def callers(robot: kt.Robot, options: argparse.Namespace) -> None:
    """Two threads of Python at once."""
    kernel, states = robot.kernel(KERNELS[0]), options.states[0]
    sets = [states_of(robot, kernel, states) for _ in range(2)]
    outs = [kernel(*given) for given in sets]

    def loop(k: int) -> None:
        for _ in range(100):
            kernel(*sets[k], out=outs[k])

    def at_once() -> None:
        threads = [threading.Thread(target=loop, args=(k,)) for k in range(2)]
        for x in threads:
            x.start()
        for x in threads:
            x.join()

    print(f"\n{robot.name}, two callers: {KERNELS[0]}, 2 × 100 calls of {states} states")
    row("", {"in turn": lambda: [loop(k) for k in range(2)], "at once": at_once}, options.repeat)


if __name__ == "__main__":
    parser = shared.parser(__doc__)
    parser.add_argument("--robot", default="panda", help="a bundled robot or a file (default: panda)")
    parser.add_argument("--states", type=int, nargs="+", default=[4096, 65536], help="default: 4096 65536")
    parser.add_argument("--threads", type=int, default=2, help="default: 2")
    parser.add_argument("--steps", type=int, default=200, help="of a rollout (default: 200)")
    parser.add_argument("--repeat", type=int, default=20, help="default: 20")
    measure(shared.options(parser, robot="planar2r", states=[2000], steps=20, repeat=1))
