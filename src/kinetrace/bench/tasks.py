"""What is computed, on which robots, in which states."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ..algorithms.declaration import ALGORITHMS
from ..errors import InputError
from ..model import zoo
from ..model.builder import Base
from ..robot import Robot
from ..robot.load import load
from ..support.lazy import cached_property
from ..trace import OpCount
from .measure import Run

ROBOTS = ("panda", "ur5e", "quadruped", "humanoid", "two_pandas_beam", "stewart")
"""What is measured unless told otherwise."""
CLOSED_STATES = 64
"""Of a robot with closed loops, as many different states as are assembled."""
_LEGGED = ("quadruped", "humanoid")


@dataclass(frozen=True)
class Task:
    """One algorithm of the library, on `States`."""

    name: str

    @property
    def label(self) -> str:
        """A short name for tables."""
        return ALGORITHMS[self.name].label

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of `States`."""
        return ALGORITHMS[self.name].arrays

    @property
    def algorithm(self) -> Callable[..., Any]:
        """The function of (model, one state)."""
        return ALGORITHMS[self.name].function

    @property
    def about_a_frame(self) -> bool:
        """Whether it needs a frame."""
        return ALGORITHMS[self.name].needs_frame

    def static(self, subject: Subject) -> dict[str, Any]:
        """The keywords that are no arrays."""
        return {"frame": subject.frame, "expressed_in": "aligned"} if self.about_a_frame else {}


TASKS = {
    name: Task(name)
    for name in (
        *("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "jacobian"),
        *("inverse_dynamics_derivatives", "forward_dynamics_derivatives"),
    )
}


@dataclass(frozen=True)
class States:
    """A batch of states (batch, n), C order; `tau` are the forces of the motion a.

    Random forces would throw light links about, and accelerations lose digits to the condition of the mass matrix.
    """

    q: Any
    v: Any
    a: Any
    tau: Any

    def __len__(self) -> int:
        return len(self.q)

    def of(self, task: Task) -> tuple[Any, ...]:
        """The arrays that a task takes."""
        return tuple(getattr(self, name) for name in task.arguments)

    def first(self, n: int) -> States:
        """The first n of them."""
        return States(*(x[:n] for x in vars(self).values()))


@dataclass(frozen=True)
class Subject:
    """A robot, with the file that every library reads."""

    robot: Robot
    path: Path | None
    """None for robots that no URDF describes whole: those with closed loops."""
    base: Base

    @classmethod
    def load(cls, text: str) -> Subject:
        """A bundled name or a path; `:free` or `:fixed` after it chooses the base (legged robots: free).

        >>> Subject.load("quadruped").robot
        Robot('quadruped', nq=19, nv=18)
        >>> Subject.load("panda:free").robot.nv
        13
        """
        name, _, ending = text.rpartition(":")
        base: Base = "free" if text in _LEGGED or ending == "free" else "fixed"
        name = name if name and ending in get_args(Base) else text
        robot = load(name, base=base, joint_effects=False)  # which most peers leave out
        if not robot.nv:
            raise InputError(f"robot {name!r} has no degree of freedom: there is nothing to measure")
        file = None if robot.model.closures else zoo.path(name) if name in zoo.names() else Path(name)
        return cls(robot, file, base)

    @cached_property
    def frame(self) -> str:
        """Where the Jacobian is taken: the robot's last frame."""
        return self.robot.frame_names[-1]

    @property
    def label(self) -> str:
        """The robot's name, its base and its size.

        >>> Subject.load("panda").label
        'panda (fixed base, 7 dof)'
        """
        size = f"nv {self.robot.nv}, {self.robot.dof} dof" if self.robot.model.closures else f"{self.robot.nv} dof"
        return f"{self.robot.name} ({self.base} base, {size})"

    def states(self, batch: int, seed: int = 0) -> States:
        """Random states."""
        rng = np.random.default_rng(seed)
        if self.robot.model.closures:
            return self._closed_states(batch, rng)
        q = self.robot.random(batch, seed=rng)
        v, a = rng.normal(size=(2, batch, self.robot.nv))
        return States(q, v, a, self.robot.inverse_dynamics(q, v, a))

    def _closed_states(self, batch: int, rng: np.random.Generator) -> States:
        """States with all loops closed, the same ones again and again in large batches."""
        robot, few = self.robot, min(batch, CLOSED_STATES)
        near = robot.integrate(robot.assemble(), 0.2 * rng.normal(size=(4 * few, robot.nv)))
        found = robot.assemble(near)
        q = np.resize(found[np.all(np.isfinite(found), axis=1)], (few, robot.nq))
        v = (robot.velocity_map(q) @ rng.normal(size=(few, robot.dof, 1)))[..., 0]
        a = robot.closed_acceleration(q, v, rng.normal(size=(few, robot.dof)))
        tau = robot.inverse_dynamics(q, v, a)
        return States(*(np.resize(x, (batch, x.shape[1])) for x in (q, v, a, tau)))

    def call(self, task: Task, states: States) -> Any:
        """What this library computes."""
        return getattr(self.robot, task.name)(*states.of(task), **task.static(self))

    def count(self, task: Task) -> OpCount:
        """Scalar operations per state, of the kernel that is timed."""
        if task.name not in self._counts:
            self._counts[task.name] = self.robot.count(task.name, **task.static(self))
        return self._counts[task.name]

    def output_shapes(self, task: Task) -> list[tuple[int, ...]]:
        """The shapes of the results for one state."""
        return [y.shape for y in results(self.call(task, self._neutral))]

    def bytes(self, task: Task) -> int:
        """What a state occupies in the arrays that go in and out."""
        read = sum(x.shape[-1] for x in self._neutral.of(task))
        return 8 * (read + sum(map(math.prod, self.output_shapes(task))))

    @cached_property
    def _counts(self) -> dict[str, OpCount]:
        """Found so far: a large robot takes seconds to trace."""
        return {}

    @cached_property
    def _neutral(self) -> States:
        zero = np.zeros(self.robot.nv)
        return States(self.robot.neutral(), zero, zero, zero)

    def one_call(self, task: Task, states: States) -> Run:
        """A call on one state, as a user writes it."""
        xs = states.first(1).of(task)
        names = {name: x[0].copy() for name, x in zip(task.arguments, xs, strict=True)}
        code = f"robot.{task.name}({self._written(task)})"
        return Run(f"robot.{task.name}", code, {"robot": self.robot, **names}, 1)

    def batch(self, task: Task, states: States, out: Any, threads: int) -> Run:
        """A call on a batch, into arrays made beforehand."""
        names = dict(zip(task.arguments, states.of(task), strict=True))
        code = f"robot.{task.name}({self._written(task)}, out=out, threads={threads})"
        return Run(f"robot.{task.name}", code, {"robot": self.robot, "out": out, **names}, len(states))

    def _written(self, task: Task) -> str:
        """The arguments of a call."""
        return ", ".join((*task.arguments, *(f"{key}={value!r}" for key, value in task.static(self).items())))

    def room(self, task: Task, batch: int) -> Any:
        """Arrays for the results of a batch."""
        made = tuple(np.zeros((batch, *shape)) for shape in self.output_shapes(task))
        return made if len(made) > 1 else made[0]


def results(y: Any) -> tuple[Any, ...]:
    """One array or several, as a tuple."""
    return y if isinstance(y, tuple) else (y,)
