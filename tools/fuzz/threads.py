"""First calls from several threads at once: they end, and every thread has the bits that one thread has alone.

A case is a process of its own, since only first calls race: threads that switch after microseconds call methods of new
robots, kernels of `compile`, or functions of JAX or PyTorch, with an empty cache and again with a full one; the main
thread forks children meanwhile, which call them too. A process that does not end says where all its threads are.
"""

from __future__ import annotations

import faulthandler
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

import calls
import kinetrace as kt
from fuzzing import main
from kinetrace.model.arguments import ARGUMENTS
from kinetrace.robot.common import METHODS

PATIENCE = 300.0
"""Seconds after which a process hangs: busy machines take their time."""
INTERVALS = (1e-6, 1e-5, 1e-4, 5e-3)
"""Seconds after which Python lets another thread run; the last is the usual one."""
SETTINGS: list[dict[str, Any]] = [{}, {}, {"check": True}, {"dtype": "float32"}, {"threads": 2}]
FRAMEWORKS = ("", "", "", "jax", "torch")
Call = Callable[[], Any]


def case(rng: np.random.Generator) -> int:
    """Some methods of a random robot, twice: they are compiled, and then loaded."""
    names = sorted(calls.methods())
    about = {
        "robot": int(rng.integers(1000)),
        "settings": SETTINGS[rng.integers(len(SETTINGS))],
        "methods": [str(x) for x in rng.choice(names, 6, replace=False)],
        "threads": int(rng.integers(2, 9)),
        "interval": INTERVALS[rng.integers(len(INTERVALS))],
        "rounds": int(rng.integers(1, 5)),
        "framework": FRAMEWORKS[rng.integers(len(FRAMEWORKS))],
        "forks": int(rng.integers(0, 4)),
    }
    with tempfile.TemporaryDirectory() as cache:
        return sum(process(about, cache) for _ in range(2))


def process(about: dict[str, Any], cache: str) -> int:
    """The calls of a process; the number of checks that it made."""
    done = subprocess.run(
        [sys.executable, __file__, "--work", json.dumps(about)],
        env={**os.environ, "KINETRACE_CACHE": cache},
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{about}: ends with {done.returncode}\n{done.stdout}{done.stderr}"
    return int(done.stdout)


def work(about: dict[str, Any]) -> int:
    """What such a process does: rounds of first calls, of a new robot each; the number of checks."""
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    if hasattr(signal, "SIGALRM"):  # for children
        faulthandler.register(signal.SIGALRM, chain=True)
    sys.setswitchinterval(about["interval"])
    rng, checks = np.random.default_rng(about["robot"]), 0
    model, framework = _model(about["robot"]), about["framework"] if find_spec(about["framework"] or "sys") else ""
    settings = about["settings"]
    found: list[list[Any]] = []
    for _ in range(about["rounds"]):
        ours = kt.Robot(model, **settings)
        tasks = [*_tasks(ours, about["methods"], framework, np.random.default_rng(about["robot"]))]
        own_order = bool(rng.integers(2)) and len(tasks) > 1
        orders = [rng.permutation(len(tasks)) if own_order else np.arange(len(tasks)) for _ in range(about["threads"])]
        found += together(tasks, orders, 0 if framework else about["forks"])
    alone = kt.Robot(model, **settings)
    expected = [outcome(x) for x in _tasks(alone, about["methods"], framework, np.random.default_rng(about["robot"]))]
    for results in found:
        for x, y in zip(results, expected, strict=True):
            checks += same(x, y)
    faulthandler.cancel_dump_traceback_later()
    return checks


def _model(seed: int) -> kt.Model:
    """A small robot: a chain, a tree with every kind of joint, a free one or a closed one."""
    if seed % 4 == 3:
        return kt.load("four_bar").model
    if seed % 4 == 0:
        return kt.random_chain(1 + seed % 3, seed).model
    return (kt.random_tree(2, seed) if seed % 4 == 1 else kt.random_tree(1, seed, base="free")).model


def _tasks(robot: kt.Robot, methods: Sequence[str], framework: str, rng: np.random.Generator) -> Iterator[Call]:
    """Calls of methods with one state, with choices and without; the first also as a kernel, in a batch and pickled."""
    for k, name in enumerate(methods):
        required = [x.name for x in calls.methods()[name].parameters.values() if x.default is x.empty]
        given = [_array(robot, x, rng) for x in required if x not in ("self", "frame")]
        chosen = {"frame": robot.frame_names[-1]} if "frame" in required else {}
        yield _method(robot, name, given, chosen)
        if framework and k < 2 and name in METHODS:
            yield _of_framework(framework, robot, name, given, chosen)
        if k == 0:
            yield _kernel(robot, name, given, chosen)
            yield _method(robot, name, [np.stack([x] * 3) for x in given], chosen)
            yield lambda name=name, given=given, chosen=chosen: getattr(pickle.loads(pickle.dumps(robot)), name)(
                *given, **chosen
            )


def _array(robot: kt.Robot, name: str, rng: np.random.Generator) -> Any:
    """Some value of an argument."""
    if name in calls.SIZES or name == "dt":
        x = calls.numbers(rng, robot, name, ())
    elif name in ARGUMENTS:
        x = rng.normal(size=ARGUMENTS[name].shape(robot.model))
    else:
        x = {"target": np.eye(4), "twist": np.ones(6)}[name]
    return np.asarray(x, robot._settings.dtype)


def _method(robot: kt.Robot, name: str, given: Sequence[Any], chosen: dict[str, Any]) -> Call:
    return lambda: getattr(robot, name)(*given, **chosen)


def _kernel(robot: kt.Robot, name: str, given: Sequence[Any], chosen: dict[str, Any]) -> Call:
    """By `compile`, and by the robot, which has one kernel for all threads."""

    def run() -> Any:
        function = getattr(kt.algorithms, name, None)
        if function is None:
            return None
        kernel = robot.kernel(name, **chosen)
        assert kernel is robot.kernel(name, **chosen)
        return kernel(*given), kt.compile(function, robot, **chosen)(*given)

    return run


def _of_framework(framework: str, robot: kt.Robot, name: str, given: Sequence[Any], chosen: dict[str, Any]) -> Call:
    """A method on tensors of PyTorch or arrays of JAX, imported when it is first needed."""

    def run() -> Any:
        part = getattr(kt, framework)
        if framework == "torch":
            import torch

            given_there = [torch.from_numpy(x) for x in given]
        else:
            given_there = [*given]
        made = getattr(part.Robot(robot), name)(*given_there, **chosen)
        return tuple(map(np.asarray, made)) if isinstance(made, tuple) else np.asarray(made)

    return run


def outcome(task: Call) -> Any:
    """The result of a call, or the error that kinetrace raises: a mimic joint, a singular matrix."""
    try:
        found = task()
        return tuple(vars(found).values()) if is_dataclass(found) else found
    except kt.KinetraceError as error:
        return str(error)


def together(tasks: Sequence[Call], orders: Sequence[Any], forks: int = 0) -> list[list[Any]]:
    """The outcomes of all calls in each thread, which begin at once; so many children are forked meanwhile."""
    gate, failed = threading.Barrier(len(orders) + 1), list[BaseException]()
    found: list[list[Any]] = [[None] * len(tasks) for _ in orders]

    def run(k: int) -> None:
        try:
            gate.wait()
            for i in orders[k]:
                found[k][i] = outcome(tasks[i])
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(k,), daemon=True) for k in range(len(orders))]
    for x in threads:
        x.start()
    gate.wait()
    for k in range(forks if hasattr(os, "fork") else 0):
        _forked(tasks, 0.003 * k)
    for x in threads:
        x.join()
    if failed:
        raise failed[0]
    return found


def _forked(tasks: Sequence[Call], later: float) -> None:
    """A child of a fork makes all calls too, and ends."""
    time.sleep(later)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of forks beside threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(int(PATIENCE / 2))  # the thread that watches the parent does not exist here
            for task in tasks:
                outcome(task)
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0, "a child hangs or fails"


def same(x: Any, y: Any) -> int:
    """Check that two outcomes have the same bits; the number of checks."""
    if isinstance(y, tuple):
        assert isinstance(x, tuple) and len(x) == len(y), (x, y)
        return sum(map(same, x, y))
    if isinstance(y, str) or y is None:
        assert x == y, (x, y)
    else:
        np.testing.assert_array_equal(x, y)
    return 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        print(work(json.loads(sys.argv[2])))
    else:
        sys.exit(main(case, "first calls of threads"))
