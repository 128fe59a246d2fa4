"""Tasks of benchmarks, robots, and states."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np

from ..algorithms.registry.declaration import ALGORITHMS
from ..algorithms.registry.forms import Forms
from ..algorithms.time.rollout import rollout
from ..engine.runtime.kernel import Kernel
from ..engine.trace import OpCount
from ..errors import InputError
from ..model import zoo
from ..model.build.builder import Base
from ..robot import Robot
from ..robot.load import load
from ..support.attributes import cached_property
from .ground import GROUND_DT, METHOD, SETTLED, STANCES, Stance, control_shapes, ground_rollout, on_ground
from .measure import Run

ROBOTS = ("panda", "ur5e", "quadruped", "humanoid", "two_pandas_beam", "stewart")
"""Robots that are measured unless others are given."""
QUICK_ROBOTS = ("planar2r", "planar2r:free", "five_bar")
"""Small ones: a fixed base, a free one, a closed loop."""
JOINT_EFFECTS = "none"
"""Which effects of joints all robots have, in every library: no rotors, damping, friction, springs and stops."""
CLOSED_STATES = 64
"""Of a robot with closed loops, as many different states as are assembled."""
ROLLED, STEPS, DT = 64, 200, 1e-3
"""Of rollouts: states at most and their steps, whose rows stay in the caches; seconds of a step."""
_LEGGED_ROBOTS = ("quadruped", "humanoid")


@dataclass(frozen=True)
class BenchTask:
    """One algorithm of the library, on `BenchStates`."""

    name: str
    tolerance: ClassVar[float] = 1e-9
    """Largest relative difference between results of libraries that are timed."""
    agrees_in: ClassVar[int | None] = None
    """How many of the results are compared; None: all."""
    has_residual: ClassVar[bool] = False
    """Whether the last result is how far steps are from the law of contact."""

    @property
    def label(self) -> str:
        """A short name for tables."""
        return ALGORITHMS[self.name].label

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of `BenchStates`."""
        return ALGORITHMS[self.name].arrays

    @property
    def algorithm(self) -> Callable[..., Any]:
        """The function of (model, one state)."""
        return ALGORITHMS[self.name].function

    @property
    def about_a_frame(self) -> bool:
        """Whether it needs a frame."""
        return ALGORITHMS[self.name].needs_frame

    def lacks(self, subject: Subject) -> str | None:
        """Why it has no meaning for a robot, or None."""
        return None

    def static(self, subject: Subject) -> dict[str, Any]:
        """The keywords that are no arrays."""
        return {"frame": subject.frame, "expressed_in": "aligned"} if self.about_a_frame else {}

    def batches(self, asked: Iterable[int]) -> list[int]:
        """The batches that are measured, of those asked for."""
        return list(asked)

    def steps(self, batch: int) -> int:
        """How many steps in time a call takes: results and times are per state and step."""
        return 1


@dataclass(frozen=True)
class Rollout(BenchTask):
    """Many steps of DT in time, by one of the methods of `step`."""

    method: str
    title: str
    alone: int
    """Steps of one state: Euler's method tears a robot without friction apart before ten seconds are over."""

    @property
    def label(self) -> str:
        """With the usual name of the method."""
        return f"rollout, {self.title}"

    @property
    def arguments(self) -> tuple[str, ...]:
        """Those of `Subject.inputs`."""
        return ("q", "v", "tau", "dt")

    @property
    def algorithm(self) -> Callable[..., Any]:
        """The function with the loop."""
        return rollout

    @property
    def about_a_frame(self) -> bool:
        """It is about none."""
        return False

    def static(self, subject: Subject) -> dict[str, Any]:
        """The method."""
        return {"method": self.method}

    def batches(self, asked: Iterable[int]) -> list[int]:
        """One state, and so many that all rows stay in the caches.

        >>> TASKS["rollout_rk4"].batches((1, 4096, 65536))
        [1, 64]
        """
        return sorted({min(n, ROLLED) for n in asked})

    def steps(self, batch: int) -> int:
        """Seconds of one state, less of several."""
        return STEPS if batch > 1 else self.alone

    @property
    def function(self) -> str:
        """What users call on one state."""
        return "robot.rollout"

    def robot(self, subject: Subject) -> Robot:
        """The robot that steps."""
        return subject.robot

    def shapes(self, robot: Robot) -> dict[str, Any]:
        """Those of the inputs that the robot does not know."""
        return {"tau": ("t", robot.nv)}

    def inputs(self, subject: Subject, states: BenchStates) -> dict[str, Any]:
        """Arrays by name: zero forces."""
        tau = np.zeros((len(states), self.steps(len(states)), subject.robot.nv))
        return {"q": states.q, "v": states.v, "tau": tau, "dt": DT}

    def output_shapes(self, robot: Robot) -> list[tuple[int, ...]]:
        """Those of one state and step."""
        return [(robot.nq,), (robot.nv,)]


@dataclass(frozen=True)
class GroundRollout(Rollout):
    """A robot on its feet: contacts with flat ground, position servos, steps of GROUND_DT."""

    tolerance: ClassVar[float] = 0.1
    """Contacts of other libraries are softer, and let feet slide sooner."""
    agrees_in: ClassVar[int | None] = 1
    """Configurations."""
    has_residual: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """The feet are those of `STANCES`."""
        return "rollout, feet on the ground"

    @property
    def arguments(self) -> tuple[str, ...]:
        """Those of `ground_rollout`."""
        return ("q", "v", "control", "dt")

    @property
    def algorithm(self) -> Callable[..., Any]:
        """The function with the loop."""
        return ground_rollout

    def lacks(self, subject: Subject) -> str | None:
        """It stands by itself, and is known."""
        if subject.base != "free" or subject.robot.model.closures:
            return "robots with a free base and no loops stand"
        return None if subject.robot.name in STANCES else f"no stance is known but of {', '.join(STANCES)}"

    def static(self, subject: Subject) -> dict[str, Any]:
        """None."""
        return {}

    @property
    def function(self) -> str:
        """The kernel."""
        return "kernel"

    def robot(self, subject: Subject) -> Robot:
        """With its ground."""
        return subject.scene

    def shapes(self, robot: Robot) -> dict[str, Any]:
        """Those of controls."""
        return control_shapes(robot)

    def inputs(self, subject: Subject, states: BenchStates) -> dict[str, Any]:
        """States that stand, as many as there are."""
        n = len(states)
        q, v = subject.standing(n)
        return {"q": q, "v": v, "control": subject.stance.controls(subject.robot, n, self.steps(n)), "dt": GROUND_DT}

    def output_shapes(self, robot: Robot) -> list[tuple[int, ...]]:
        """The residual too."""
        return [*super().output_shapes(robot), ()]


TASKS: dict[str, BenchTask] = {
    **{
        name: BenchTask(name)
        for name in (
            *("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "jacobian"),
            *("inverse_dynamics_derivatives", "forward_dynamics_derivatives"),
        )
    },
    "rollout_euler": Rollout("rollout_euler", "semi-implicit", "Euler", 1000),
    "rollout_rk4": Rollout("rollout_rk4", "rk4", "RK4", 10_000),
    "rollout_ground": GroundRollout("rollout_ground", METHOD, "ground", 1000),
}


@dataclass(frozen=True)
class BenchStates:
    """A batch of states (batch, n), C order; `tau` are the forces of the motion a.

    Random forces would throw light links about, and accelerations lose digits to the condition of the mass matrix.
    """

    q: Any
    v: Any
    a: Any
    tau: Any

    def __len__(self) -> int:
        return len(self.q)

    def of(self, task: BenchTask) -> tuple[Any, ...]:
        """The arrays that a task takes."""
        return tuple(getattr(self, name) for name in task.arguments)

    def first(self, n: int) -> BenchStates:
        """The first n of them."""
        return BenchStates(*(x[:n] for x in vars(self).values()))


@dataclass(frozen=True)
class Subject:
    """A robot, with the file that every library reads."""

    robot: Robot
    path: Path | None
    """None for robots that no URDF describes whole: those with closed loops."""
    base: Base
    compact: bool = False
    """Whether our results are compact: see `compile`."""

    @classmethod
    def load(cls, text: str, compact: bool = False) -> Subject:
        """A bundled name or a path; `:free` or `:fixed` after it chooses the base (legged robots: free).

        >>> Subject.load("quadruped").robot
        Robot('quadruped', nq=19, nv=18)
        >>> Subject.load("panda:free").robot.nv
        13
        """
        name, _, ending = text.rpartition(":")
        base: Base = "free" if text in _LEGGED_ROBOTS or ending == "free" else "fixed"
        name = name if name and ending in get_args(Base) else text
        robot = load(name, base=base).without_joint_effects()  # JOINT_EFFECTS
        if not robot.nv:
            raise InputError(f"robot {name!r} has no degree of freedom: there is nothing to measure")
        file = None if robot.model.closures else zoo.path(name) if name in zoo.names() else Path(name)
        return cls(robot, file, base, compact)

    @property
    def key(self) -> dict[str, str]:
        """Fields that identify it among other subjects.

        >>> Subject.load("panda").key
        {'robot': 'panda', 'base': 'fixed'}
        """
        return {"robot": self.robot.name, "base": self.base}

    def about(self, task: BenchTask) -> dict[str, str]:
        """The same of one of its tasks."""
        return {**self.key, "task": task.name}

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
        size = f"nv {self.robot.nv}, {self.robot.dof} dof" if self.robot.dof < self.robot.nv else f"{self.robot.nv} dof"
        return f"{self.robot.name} ({self.base} base, {size}{', compact results' if self.compact else ''})"

    def states(self, batch: int, seed: int = 0) -> BenchStates:
        """Random states."""
        rng = np.random.default_rng(seed)
        return _STATES.of(self.robot.model)(self, batch, rng)

    def _tree_states(self, batch: int, rng: np.random.Generator) -> BenchStates:
        q = self.robot.random(batch, seed=rng)
        v, a = rng.normal(size=(2, batch, self.robot.nv))
        return BenchStates(q, v, a, self.robot.inverse_dynamics(q, v, a))

    def _closed_states(self, batch: int, rng: np.random.Generator) -> BenchStates:
        """States with all loops closed, the same ones again and again in large batches."""
        robot, few = self.robot, min(batch, CLOSED_STATES)
        near = robot.integrate(robot.assemble(), 0.2 * rng.normal(size=(4 * few, robot.nv)))
        assembled = robot.assemble(near)
        q = np.resize(assembled[np.all(np.isfinite(assembled), axis=1)], (few, robot.nq))
        v = (robot.velocity_map(q) @ rng.normal(size=(few, robot.dof, 1)))[..., 0]
        a = robot.closed_acceleration(q, v, rng.normal(size=(few, robot.dof)))
        tau = robot.inverse_dynamics(q, v, a)
        return BenchStates(*(np.resize(x, (batch, x.shape[1])) for x in (q, v, a, tau)))

    def inputs(self, task: BenchTask, states: BenchStates) -> dict[str, Any]:
        """Arguments of a task, by name; a rollout also takes the step, and zero forces."""
        if isinstance(task, Rollout):
            return task.inputs(self, states)
        return dict(zip(task.arguments, states.of(task), strict=True))

    def kernel(self, task: BenchTask) -> Kernel:
        """The compiled function, with the loop of a rollout in it."""
        if isinstance(task, Rollout):
            robot = task.robot(self)
            return robot.kernel(task.algorithm, shapes=task.shapes(robot), compact=self.compact, **task.static(self))
        return self.robot.kernel(task.algorithm, compact=self.compact, **task.static(self))

    def has_method(self, task: BenchTask) -> bool:
        """Whether users call a method of `Robot` for it, and no kernel."""
        return not (self.compact or isinstance(task, Rollout))

    @property
    def stance(self) -> Stance:
        """How it stands."""
        return STANCES[self.robot.name]

    @cached_property
    def scene(self) -> Robot:
        """With servos, on flat ground."""
        return on_ground(self.stance.robot(self.robot))

    def standing(self, batch: int) -> tuple[Any, Any]:
        """q (batch, nq) and v (batch, nv) after a while on the ground, of few states again and again."""
        q, v, *_ = self._settled
        return np.resize(q, (batch, q.shape[1])), np.resize(v, (batch, v.shape[1]))

    @cached_property
    def _settled(self) -> tuple[Any, ...]:
        robot, stance = self.scene, self.stance
        q, v = stance.start(self.robot, ROLLED)
        roll = robot.kernel(ground_rollout, shapes=control_shapes(robot))
        return tuple(x[:, -1].copy() for x in roll(q, v, stance.controls(self.robot, ROLLED, SETTLED), GROUND_DT))

    def call(self, task: BenchTask, states: BenchStates) -> Any:
        """Results of this library, as dense arrays."""
        xs = self.inputs(task, states).values()
        if self.has_method(task):
            return getattr(self.robot, task.name)(*xs, **task.static(self))
        return self.kernel(task).dense(*results(self.kernel(task)(*xs)))

    def count(self, task: BenchTask) -> OpCount:
        """Scalar operations per state and step, of the kernel that is timed."""
        if task.name not in self._counts:
            if isinstance(task, Rollout):
                robot = task.robot(self)
                found = robot.count(task.algorithm, shapes=task.shapes(robot), **task.static(self))
            else:
                found = self.robot.count(task.name, **task.static(self))
            self._counts[task.name] = found
        return self._counts[task.name]

    def output_shapes(self, task: BenchTask) -> list[tuple[int, ...]]:
        """The shapes of the results for one state and step."""
        if isinstance(task, Rollout):
            return task.output_shapes(self.robot)
        if self.compact:
            return [layout.output_shape for layout in self.kernel(task).layouts]
        return [y.shape for y in results(self.call(task, self._neutral))]

    def bytes(self, task: BenchTask) -> int:
        """Bytes of a state, or of a step of a rollout, in the arrays that go in and out."""
        if isinstance(task, Rollout):
            read = sum(shape[-1] for shape in task.shapes(task.robot(self)).values())
        else:
            read = sum(x.shape[-1] for x in self._neutral.of(task))
        return 8 * (read + sum(map(math.prod, self.output_shapes(task))))

    @cached_property
    def _counts(self) -> dict[str, OpCount]:
        """Found so far: a large robot takes seconds to trace."""
        return {}

    @cached_property
    def _neutral(self) -> BenchStates:
        zero = np.zeros(self.robot.nv)
        return BenchStates(self.robot.neutral(), zero, zero, zero)

    def one_call(self, task: BenchTask, states: BenchStates) -> Run:
        """A call on one state, as a user writes it."""
        xs = self.inputs(task, states.first(1))
        names = {name: x[0].copy() if isinstance(x, np.ndarray) else x for name, x in xs.items()}
        if self.compact and not isinstance(task, Rollout):
            code = f"kernel({', '.join(task.arguments)})"
            return Run(f"robot.kernel({task.name}, compact=True)", code, {"kernel": self.kernel(task), **names}, 1)
        function = task.function if isinstance(task, Rollout) else f"robot.{task.name}"
        known = {"kernel": self.kernel(task)} if function == "kernel" else {"robot": self.robot}
        return Run(function, f"{function}({self._call_arguments(task)})", {**known, **names}, task.steps(1))

    def batch(self, task: BenchTask, states: BenchStates, out: Any, threads: int) -> Run:
        """A call on a batch, into arrays made beforehand."""
        names = self.inputs(task, states)
        if not self.has_method(task):
            code = f"kernel({', '.join(task.arguments)}, out=out, threads={threads})"
            known = {"kernel": self.kernel(task), "out": out, **names}
            name = "rollout" if isinstance(task, Rollout) else f"{task.name}, compact=True"
            return Run(f"robot.kernel({name})", code, known, len(states) * task.steps(len(states)))
        code = f"robot.{task.name}({self._call_arguments(task)}, out=out, threads={threads})"
        return Run(f"robot.{task.name}", code, {"robot": self.robot, "out": out, **names}, len(states))

    def _call_arguments(self, task: BenchTask) -> str:
        """The arguments of a call."""
        return ", ".join((*task.arguments, *(f"{key}={value!r}" for key, value in task.static(self).items())))

    def room(self, task: BenchTask, batch: int) -> Any:
        """Arrays for the results of a batch."""
        front = (batch, task.steps(batch)) if isinstance(task, Rollout) else (batch,)
        arrays = tuple(np.zeros((*front, *shape)) for shape in self.output_shapes(task))
        return arrays if len(arrays) > 1 else arrays[0]


_STATES = Forms(Subject._tree_states, Subject._closed_states)


def results(y: Any) -> tuple[Any, ...]:
    """One array or several, as a tuple."""
    return y if isinstance(y, tuple) else (y,)
