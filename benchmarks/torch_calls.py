"""Calls of kernels from PyTorch beside the same kernels from NumPy: what the way through PyTorch costs, in one run.

    python benchmarks/torch_calls.py --help

- a batch: tensors in, tensors out, beside the gufunc on arrays, with the same number of threads; without and with a
  graph of autograd
- backward: the gradients by all arrays of a recorded call, beside the kernel of the vector-Jacobian product
- learning: the gradient by the inertial parameters that all states share, beside the kernel and the sum over states
- one state: microseconds of a call, without and with a graph; forward and backward together
- whole Jacobians: the method beside vmap of jacrev and jacfwd
- compiled (with --compile): the same call in a graph of torch.compile

needs torch; --quick has everything once, on two links.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import shared

import kinetrace as kt
from kinetrace.frameworks.differentiable import DerivativeFamily

torch = shared.needed("torch")


def times(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, tuple[float, float]]:
    """The best time of each call and the spread of the better half [s], taken in turns."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    numbers = {}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        numbers[name] = max(1, int(2e-3 / (time.perf_counter() - start)))
    for _ in range(repeat):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(numbers[name]):
                call()
            found[name].append((time.perf_counter() - start) / numbers[name])
    return {name: (min(x), float(np.median(x)) / min(x) - 1) for name, x in found.items()}


def show(title: str, calls: dict[str, Callable[[], Any]], states: int, repeat: int) -> None:
    """A part of the table: the first call is what the others are compared with."""
    found = times(calls, repeat)
    first = next(iter(found.values()))[0]
    print(f"\n{title}")
    for name, (best, spread) in found.items():
        each = f"{best / states * 1e9:9.1f} ns/state" if states > 1 else f"{best * 1e6:9.2f} µs"
        print(f"  {name:44}{each}   ×{best / first:5.2f}   median +{spread:.0%}")


def measure(options: argparse.Namespace) -> None:
    """The table of one algorithm on one robot."""
    robot = shared.load(options.robot, threads=options.threads, dtype=options.dtype)
    kernel = robot.kernel(options.algorithm)
    family = DerivativeFamily.of(kernel)
    f = kt.torch.Function(kernel)
    every = tuple(range(len(family.names)))
    pull = family.pullback(every).kernel
    rng, n = np.random.default_rng(0), options.batch

    def states(count: int | None) -> list[Any]:
        shape = () if count is None else (count,)
        arrays = [rng.normal(size=(*shape, *a.shape)).astype(options.dtype) for a in family.inputs]
        return [robot.random(count or (), seed=0).astype(options.dtype), *arrays[1:]]

    arrays = states(n)
    tensors = [torch.from_numpy(x) for x in arrays]
    tracked = [x.clone().requires_grad_() for x in tensors]
    recorded = f(*tracked)
    recorded = recorded if isinstance(recorded, tuple) else (recorded,)
    weights = [torch.ones_like(x) for x in recorded]
    plain = [x.numpy() for x in weights]
    print(f"{options.algorithm} of {options.robot}, {options.dtype}, threads: {options.threads or 'all'}")
    calls = {
        "NumPy: the kernel": lambda: family.kernel(*arrays),
        "PyTorch": lambda: f(*tensors),
        "PyTorch, recorded for autograd": lambda: f(*tracked),
    }
    if options.compile:
        compiled = torch.compile(lambda *xs: f(*xs), fullgraph=True)
        calls["PyTorch, torch.compile"] = lambda: compiled(*tensors)
    show(f"batch of {n}", calls, n, options.repeat)
    show(
        f"gradients by all arrays, batch of {n}",
        {
            "NumPy: the kernel of the vjp": lambda: pull(*arrays, *plain),
            "PyTorch: backward": lambda: torch.autograd.grad(recorded, tracked, weights, retain_graph=True),
        },
        n,
        options.repeat,
    )
    arm = kt.torch.Robot(robot, learn="inertial")
    learnt = DerivativeFamily.of(robot.kernel(options.algorithm, inputs="inertial"))
    inertial, share = robot.parameters("inertial").astype(options.dtype), learnt.pullback((len(every),)).kernel
    forces = getattr(arm, options.algorithm)(*tensors)
    forces = forces if isinstance(forces, tuple) else (forces,)
    parameters = list(arm.parameters())
    show(
        f"gradient by the inertial parameters, batch of {n}",
        {
            "NumPy: the kernel of the vjp": lambda: share(*arrays, inertial, *plain),
            "NumPy: the same, summed over the states": lambda: share(*arrays, inertial, *plain).sum(axis=0),
            "PyTorch: backward": lambda: torch.autograd.grad(forces, parameters, weights, retain_graph=True),
        },
        n,
        options.repeat,
    )
    arrays = states(None)
    tensors = [torch.from_numpy(x) for x in arrays]
    tracked = [x.clone().requires_grad_() for x in tensors]
    ones = torch.ones_like
    arm = kt.torch.Robot(robot)
    method = getattr(arm, options.algorithm)

    def both() -> Any:
        found = f(*tracked)
        found = found if isinstance(found, tuple) else (found,)
        return torch.autograd.grad(found, tracked, [ones(x) for x in found])

    single = {
        "NumPy: the kernel": lambda: family.kernel(*arrays),
        "NumPy: method of the robot": lambda: getattr(robot, options.algorithm)(*arrays),
        "PyTorch": lambda: f(*tensors),
        "PyTorch, method of the robot": lambda: method(*tensors),
        "PyTorch, recorded for autograd": lambda: f(*tracked),
        "PyTorch, recorded, and backward": both,
        "torch.mv of 7 numbers, for comparison": lambda: torch.mv(_EYE, _ONE),
    }
    show("one state", single, 1, options.repeat)
    if hasattr(arm, f"{options.algorithm}_derivatives"):
        jacobians(arm, options, [torch.from_numpy(x) for x in states(options.jacobians)])


def jacobians(arm: Any, options: argparse.Namespace, tensors: list[Any]) -> None:
    """The whole Jacobians by the first three arguments: by their own kernel, and by transformations of functions."""
    torch.set_num_threads(options.threads)  # those of its own sums wait for each other
    method, whole = (getattr(arm, name) for name in (options.algorithm, f"{options.algorithm}_derivatives"))
    ways = {
        f"vmap({way.__name__})": torch.vmap(way(method, (0, 1, 2))) for way in (torch.func.jacrev, torch.func.jacfwd)
    }
    calls = {"PyTorch: the method": lambda: whole(*tensors), **{k: lambda f=f: f(*tensors) for k, f in ways.items()}}
    show(f"whole Jacobians, batch of {options.jacobians}", calls, options.jacobians, options.repeat)


_EYE, _ONE = torch.eye(7), torch.ones(7)


def main() -> None:
    """Print the table."""
    parser = shared.parser(__doc__)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--algorithm", default="inverse_dynamics")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--jacobians", type=int, default=1000, help="states of which whole Jacobians are computed")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", default="float64", choices=("float64", "float32"))
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--compile", action="store_true", help="torch.compile too, by its C++ compiler")
    measure(shared.options(parser, robot="planar2r", batch=64, jacobians=16, repeat=2))


if __name__ == "__main__":
    main()
