"""Inverse dynamics under JAX: kinetrace's kernels beside their gufuncs, and beside the same algorithm in plain JAX.

All ways compute the same numbers, on the CPU in float64: a batch of states and the gradient of a weighted sum of its
forces; one state at a time; a loop over states by `jax.lax.scan`. With --cores 1 all run in one thread; else those of
XLA may use several. "nothing" is a jitted function that adds two arrays: the cost of a call in JAX itself. Ways are
timed in turn, so that a busy machine affects all alike; the best counts, and the spread is median / best.

    python benchmarks/jax_calls.py --batch 4096 --cores 1

needs jax; --quick has everything once, on two links.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import shared

import kinetrace as kt

Way = Callable[[], Any]


def timed(ways: dict[str, Way], repeats: int, least: float = 0.004) -> dict[str, list[float]]:
    """Seconds per call, one number for each repeat; as many calls at a time as take `least` seconds."""
    counts = {}
    for name, call in ways.items():
        call()
        begin = time.perf_counter()
        call()
        counts[name] = max(1, int(least / (time.perf_counter() - begin)))
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, call in ways.items():
            begin = time.perf_counter()
            for _ in range(counts[name]):
                call()
            found[name].append((time.perf_counter() - begin) / counts[name])
    return found


def show(title: str, ways: dict[str, Way], repeats: int, states: int = 1, unit: float = 1e-9) -> None:
    """Print a table: time per state, and how many times that of the first way."""
    found = timed(ways, repeats)
    first = min(next(iter(found.values())))
    print(f"\n{title:38}{'ns' if unit == 1e-9 else 'µs':>10}{'ratio':>10}{'spread':>9}")
    for name, x in found.items():
        spread = statistics.median(x) / min(x)
        print(f"{name:38}{min(x) / states / unit:>10.2f}{min(x) / first:>9.2f}×{spread:>8.2f}×")


def main() -> None:
    """Print tables."""
    parser = shared.parser(__doc__)
    parser.add_argument("--robot", default="panda", help="name of a robot, or a file")
    parser.add_argument("--batch", type=int, default=4096, help="states in a batch")
    parser.add_argument("--large", type=int, default=200_000, help="states in a batch that threads share")
    parser.add_argument("--cores", type=int, help="how many cores may be used; all, unless given (Linux)")
    parser.add_argument("--repeats", type=int, default=25, help="how often each way is timed; the best counts")
    parser.add_argument("--plain", action=argparse.BooleanOptionalAction, default=True, help="plain JAX beside it")
    given = shared.options(parser, robot="planar2r", batch=64, large=4096, repeats=2)
    if given.cores:  # before JAX is imported, and counts them
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-given.cores :])
    jax = shared.needed("jax")
    jnp = jax.numpy

    jax.config.update("jax_enable_x64", True)
    robot = shared.load(given.robot)
    arm, repeats, n = kt.jax.Robot(robot), given.repeats, given.batch
    rng = np.random.default_rng(0)

    def plain(q: Any, v: Any, a: Any) -> Any:
        return kt.algorithms.inverse_dynamics(robot.model, q, v, a)

    def arrays(count: int) -> tuple[np.ndarray, ...]:
        return robot.random(count, seed=0), *rng.normal(size=(3, count, robot.nv))

    *host, weight = arrays(n)
    xs, w = [jnp.asarray(x) for x in host], jnp.asarray(weight)
    forces, mapped = jax.jit(arm.inverse_dynamics), jax.jit(jax.vmap(arm.inverse_dynamics))
    slow = jax.jit(jax.vmap(plain))
    ways: dict[str, Way] = {
        "gufunc, one thread": lambda: robot.inverse_dynamics(*host, threads=1),
        "kt.jax, jit": lambda: forces(*xs).block_until_ready(),
        "kt.jax, jit and vmap": lambda: mapped(*xs).block_until_ready(),
    }
    if given.plain:
        ways["plain JAX, jit and vmap"] = lambda: slow(*xs).block_until_ready()
    show(f"batch of {n}: time per state", ways, repeats, n)

    def gradient(f: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(lambda q, v, a, w: jax.vjp(f, q, v, a)[1](w))

    pulled = kt.compile(kt.vjp(kt.algorithms.inverse_dynamics, wrt=("q", "v", "a")), robot)
    ours, theirs = gradient(arm.inverse_dynamics), gradient(jax.vmap(plain))
    ways = {
        "gufunc of kt.vjp, one thread": lambda: pulled(*host, weight, threads=1),
        "kt.jax, vjp": lambda: jax.block_until_ready(ours(*xs, w)),
    }
    if given.plain:
        ways["plain JAX, vjp"] = lambda: jax.block_until_ready(theirs(*xs, w))
    show(f"batch of {n}, gradient: time per state", ways, repeats, n)

    *many, _ = arrays(given.large)
    ms = [jnp.asarray(x) for x in many]
    ways = {
        "gufunc, threads": lambda: robot.inverse_dynamics(*many),
        "kt.jax, jit (threads of XLA)": lambda: forces(*ms).block_until_ready(),
        "gufunc, one thread": lambda: robot.inverse_dynamics(*many, threads=1),
    }
    show(f"batch of {given.large}: time per state", ways, repeats, given.large)

    one, single = [x[0] for x in xs], [x[0] for x in host]
    nothing = jax.jit(lambda q, v, a: v + a)
    ways = {
        "nothing, jit": lambda: nothing(*one).block_until_ready(),
        "kt.jax, jit": lambda: forces(*one).block_until_ready(),
        "kt.jax, without jit": lambda: arm.inverse_dynamics(*one).block_until_ready(),
        "robot.inverse_dynamics": lambda: robot.inverse_dynamics(*single),
    }
    show("one state: time per call", ways, repeats, unit=1e-6)

    def scanned(f: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(lambda xs: jax.lax.scan(lambda c, x: (c + f(*x), None), jnp.zeros(robot.nv), xs)[0])

    loop, bare = scanned(arm.inverse_dynamics), scanned(lambda q, v, a: v + a)
    ways = {
        "v + a": lambda: bare(tuple(xs)).block_until_ready(),
        "kt.jax": lambda: loop(tuple(xs)).block_until_ready(),
    }
    show(f"lax.scan over {n} states: time per state", ways, repeats, n, 1e-6)


if __name__ == "__main__":
    main()
