"""Calls with one state, and with a few, in every form that a state comes in: what each costs, in one run.

    python benchmarks/small_calls.py --help

A plain state is an array of shape (n,) in the robot's precision, in C order. The others are compared with it: another
precision, axes of length 1, rows and columns of larger arrays, lists, keywords, `out=`, kernels and a few states at
once. The last line, inverse dynamics of a batch on one thread, measures the machine: scale times of other machines
by it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import shared

import kinetrace as kt

Calls = dict[str, Callable[[], Any]]


def gravity(robot: kt.Robot) -> Calls:
    """One argument in all its forms."""
    q, many = robot.random(seed=0), robot.random(16, seed=1)
    column, out, frame = np.ascontiguousarray(many.T), np.empty(robot.nv), robot.frame_names[-1]
    narrow, one, numbers, few = q.astype(np.float32), q[None], q.tolist(), many[:4]
    place = np.empty((6, robot.nv))
    return {
        "gravity(q), array (n,)": lambda: robot.gravity(q),
        "gravity(q=q)": lambda: robot.gravity(q=q),
        "gravity(q, out=out)": lambda: robot.gravity(q, out=out),
        "gravity(q[None]), array (1, n)": lambda: robot.gravity(one),
        "gravity(q), array of float32": lambda: robot.gravity(narrow),
        "gravity(q), list": lambda: robot.gravity(numbers),
        "gravity(Q[3]), row of an array": lambda: robot.gravity(many[3]),
        "gravity(Q[:, 3]), column": lambda: robot.gravity(column[:, 3]),
        "gravity(Q), array (4, n)": lambda: robot.gravity(few),
        "gravity(Q), array (16, n)": lambda: robot.gravity(many),
        "pose(q, frame)": lambda: robot.pose(q, frame),
        "pose(list, frame)": lambda: robot.pose(numbers, frame),
        "jacobian(q, frame)": lambda: robot.jacobian(q, frame),
        "jacobian(q, frame, out=J)": lambda: robot.jacobian(q, frame, out=place),
    }


def inverse_dynamics(robot: kt.Robot) -> Calls:
    """Three arguments, by a method and by a kernel."""
    q, (v, a) = robot.random(seed=0), np.random.default_rng(0).normal(size=(2, robot.nv))
    plain = q, v, a
    one, narrow = [x[None] for x in plain], [x.astype(np.float32) for x in plain]
    lists, kernel, out = [x.tolist() for x in plain], robot.kernel("inverse_dynamics"), np.empty(robot.nv)
    return {
        "inverse_dynamics(q, v, a), arrays (n,)": lambda: robot.inverse_dynamics(*plain),
        "inverse_dynamics(q=, v=, a=)": lambda: robot.inverse_dynamics(q=q, v=v, a=a),
        "inverse_dynamics(q, v, a), arrays (1, n)": lambda: robot.inverse_dynamics(*one),
        "inverse_dynamics(q, v, a), float32": lambda: robot.inverse_dynamics(*narrow),
        "inverse_dynamics(q, v, a), lists": lambda: robot.inverse_dynamics(*lists),
        "inverse_dynamics(q, v, a, out=out)": lambda: robot.inverse_dynamics(*plain, out=out),
        "kernel(q, v, a)": lambda: kernel(*plain),
        "kernel.call(q, v, a)": lambda: kernel.call(*plain),
        "kernel(q, v, a), lists": lambda: kernel(*lists),
    }


def times(calls: Calls, repeat: int, number: int) -> dict[str, tuple[float, float]]:
    """The best time of each call and the median above it [s], taken in turns."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call(), call()
    for _ in range(repeat):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(number):
                call()
            found[name].append((time.perf_counter() - start) / number)
    return {name: (min(x), float(np.median(x)) / min(x) - 1) for name, x in found.items()}


def measure(options: argparse.Namespace) -> None:
    """The table of one robot."""
    robot = shared.load(options.robot, dtype=options.dtype)
    print(f"one state of {options.robot}, {options.dtype}")
    for calls in (gravity(robot), inverse_dynamics(robot)):
        found = times(calls, options.repeat, options.number)
        first = next(iter(found.values()))[0]
        for name, (best, spread) in found.items():
            print(f"  {name:44}{best * 1e6:9.3f} µs   ×{best / first:5.2f}   median +{spread:.0%}")
    states = [robot.random(options.batch, seed=0), *np.random.default_rng(0).normal(size=(2, options.batch, robot.nv))]
    states, out = [x.astype(options.dtype) for x in states], np.empty((options.batch, robot.nv), options.dtype)
    batch = times({"": lambda: robot.inverse_dynamics(*states, out=out, threads=1)}, options.repeat, 1)[""]
    print(
        f"  inverse dynamics of {options.batch} states, one thread: {batch[0] / options.batch * 1e9:.1f} ns per state"
    )


def main() -> None:
    """Print the table."""
    parser = shared.parser(__doc__)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--dtype", default="float64", choices=("float64", "float32"))
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("--number", type=int, default=500, help="calls in a row")
    options = shared.options(parser, robot="planar2r", batch=64, repeat=2, number=10)
    measure(options)


if __name__ == "__main__":
    main()
