"""JAX: this library's algorithm under `jit(vmap(...))`, float64, on the CPU, on one thread; loops are `lax.scan`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..measure import Run
from ..tasks import DT, ROLLED, BenchStates, BenchTask, Rollout, Subject, results
from . import Peer, Unsupported

COLUMN = "JAX"
BATCH_STATES = 4096
"""In a call; any other number would be compiled again."""
MOST_OPERATIONS = 2000
"""Beyond this, XLA takes from ten seconds to minutes for one function."""


class JaxPeer(Peer):
    """One robot's algorithms in JAX."""

    name, module, package = "JAX", "jax", "jax"
    rolls_out = slow = True

    def __init__(self, subject: Subject) -> None:
        before = os.environ.get("NPROC")
        os.environ["NPROC"] = "1"  # the size of XLA's pool of threads, read when it starts
        import jax

        self.device = jax.devices("cpu")[0]
        del os.environ["NPROC"]
        os.environ.update({} if before is None else {"NPROC": before})
        self.jax, self.subject = jax, subject
        place: Any = jax if hasattr(jax, "enable_x64") else jax.experimental  # where older versions have it
        self.double = place.enable_x64
        self.made: dict[str, Any] = {}

    def _function(self, task: BenchTask) -> Any:
        if self.subject.count(task).flops > MOST_OPERATIONS:
            raise Unsupported(f"more than {MOST_OPERATIONS} operations: XLA takes too long")
        if task.name not in self.made:
            model, static = self.subject.robot.model, task.static(self.subject)
            rest = (DT,) if isinstance(task, Rollout) else ()
            self.made[task.name] = self.jax.jit(self.jax.vmap(lambda *x: task.algorithm(model, *x, *rest, **static)))
        return self.made[task.name]

    def _run(self, task: BenchTask, states: BenchStates) -> tuple[Any, list[Any]]:
        """The function in double precision, whatever the process has set, and its arrays."""
        function = self._function(task)
        with self.double(True):
            given = self.subject.inputs(task, states)
            xs = [self.jax.device_put(x, self.device) for name, x in given.items() if name != "dt"]

            def call() -> Any:
                with self.double(True):
                    return self.jax.block_until_ready(function(*xs))

            call()
        return call, xs

    def results(self, task: BenchTask, states: BenchStates) -> tuple[Any, ...]:
        """The first states of a batch of the size that is timed."""
        n, size = len(states), _size(task)
        many = BenchStates(*(np.resize(x, (size, x.shape[1])) for x in (states.q, states.v, states.a, states.tau)))
        return tuple(np.asarray(y)[:n] for y in results(self._run(task, many)[0]()))

    def batch(self, task: BenchTask, states: BenchStates, threads: int) -> dict[str, Run]:
        """Calls of as many states as it is compiled for."""
        if threads != 1:
            return {}
        if len(states) < (size := _size(task)):
            raise Unsupported(f"is timed on batches of {size} and more")
        call, _ = self._run(task, states.first(size))
        return {COLUMN: Run("jit(vmap)", "call()", {"call": call}, size * task.steps(size))}


def _size(task: BenchTask) -> int:
    """States in a call."""
    return ROLLED if isinstance(task, Rollout) else BATCH_STATES
