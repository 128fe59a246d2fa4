"""Engines of a simulation: `step` called from Python, or a kernel that contains the loop.

A kernel is made for joint forces that are known, and for controllers and wrenches that are plain array code of one
state, which are traced and compiled into it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..algorithms.registry.choices import StepMethod
from ..algorithms.time.external_inputs import WrenchFunction
from ..algorithms.time.integrators import initial_kept
from ..algorithms.time.rollout import continued_rollout, controlled_rollout, rollout
from ..arrays import tree_leaves, tree_map
from ..errors import InputError
from ..robot import Robot
from ..robot.types import Float
from .forces import Controller, Forces, Law, WrenchFunctions, array_of_symbols, of_symbols, sampling_period

ORDER_ONE = ("euler", "semi-implicit", "implicit")
"""Methods of order one."""


class StepSchedule(NamedTuple):
    """Settings of a simulation."""

    steps: int
    dt: float
    record: int
    """Number of steps per row; the last step has a row too."""
    method: StepMethod
    settings: dict[str, Any]
    """Further keywords of `step`, as they are at the first step, in the order of its arguments."""
    project: bool
    """Whether states are projected on closed loops after each step."""
    by_rows: frozenset[str] = frozenset()
    """Names of the settings with one row per step."""
    functions: WrenchFunctions | None = None
    """Wrenches that are functions; of those that are called, the settings have the values at the beginning."""

    @property
    def compiled(self) -> WrenchFunction | None:
        """Wrenches that are compiled into the loop."""
        return self.functions.of_symbols if self.functions is not None and self.functions.in_loop else None

    @property
    def called(self) -> WrenchFunctions | None:
        """Wrenches that are called before each step."""
        return None if self.functions is None or self.functions.in_loop else self.functions

    @property
    def rows(self) -> int:
        """Rows of the result, with the initial state."""
        return 1 + -(-self.steps // self.record)

    @property
    def shapes(self) -> dict[str, Any]:
        """Shapes of the settings, for kernels."""
        sizes = {"base_velocity": (6,), "base_acceleration": (6,), "stabilisation": (2,)}
        found: dict[str, Any] = {}
        for name, x in self.settings.items():
            if isinstance(x, Mapping):
                found[name] = {key: (6,) if name == "wrench" else y.shape[-2:] for key, y in x.items()}
            else:
                found[name] = ("t", *sizes[name]) if name in self.by_rows else sizes[name]
        return found

    @property
    def base_moves(self) -> bool:
        """Whether gravity turns as seen from the base."""
        return "base_velocity" in self.settings or "base_acceleration" in self.settings

    @property
    def changes(self) -> bool:
        """Whether external influences change from step to step."""
        return self.base_moves or "drive" in self.settings


class StepRows(NamedTuple):
    """States (..., n, ·) after each of n steps, forces during them, and the controller's state after the last."""

    q: Float
    v: Float
    tau: Float
    state: Any
    states: tuple[Float, ...] = ()
    """Arrays (..., n, ·) of the controller's state after each step, where it is known to be arrays."""


class Engine(Protocol):
    """Advances a simulation."""

    most: int
    """Number of steps that it can take at once."""

    @property
    def is_controlled(self) -> bool:
        """Whether a controller acts."""

    def advance(self, done: int, n: int, q: Float, v: Float, state: Any) -> StepRows:
        """n steps further, after `done` ones."""


class ResumableKernel:
    """A kernel of many steps, and the external influences after the steps taken so far."""

    def __init__(
        self, robot: Robot, function: Callable[..., Any], schedule: StepSchedule, shapes: dict[str, Any]
    ) -> None:
        self.schedule, self.now = schedule, dict(schedule.settings)
        self.kept: dict[str, Any] = initial_kept(robot.model, schedule.method)
        self.gravity = [np.asarray(robot.model.gravity)] if schedule.base_moves else []
        chosen: dict[str, Any] = {"method": schedule.method, "project": schedule.project}
        if isinstance(function, _CompiledRollout):
            chosen = {}
        inputs = ("gravity",) if schedule.base_moves else ()
        kept = {"kept": {name: x.shape for name, x in self.kept.items()}} if self.kept else {}
        self.kernel = robot.kernel(function, inputs=inputs, shapes={**shapes, **schedule.shapes, **kept}, **chosen)

    def _of(self, done: int, n: int) -> dict[str, Any]:
        """The settings of n steps, after `done` ones."""
        by_rows = self.schedule.by_rows
        return {name: x[..., done : done + n, :] if name in by_rows else x for name, x in self.now.items()}

    def state_ahead(self, done: int, wrench: Any, *arrays: Any) -> tuple[Float, Float]:
        """q and v after one step under these wrenches, that is not taken."""
        now = {**self._of(done, 1), "wrench": wrench}
        q, v, *_ = self._call(now, arrays)
        return q, v

    def _call(self, now: dict[str, Any], arrays: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self.kernel(*arrays, *tree_leaves([*now.values(), self.kept]), *self.gravity)
        return found

    def __call__(self, done: int, n: int, *arrays: Any) -> list[Any]:
        """n steps further, after `done` ones: what the kernel returns of them."""
        by_rows, now = self.schedule.by_rows, self._of(done, n)
        found = list(self._call(now, arrays))
        if self.schedule.base_moves:
            self.gravity = [found.pop()]
        if "drive" in now:
            after = [found.pop() for _ in now["drive"]][::-1]
            self.now["drive"] = dict(zip(now["drive"], after, strict=True))
        if self.schedule.base_moves and "base_velocity" not in by_rows:
            self.now["base_velocity"] = found.pop()
        self.kept = dict(zip(self.kept, [found.pop() for _ in self.kept][::-1], strict=True))
        return found

    def take_steps(self, done: int, n: int, q: Float, v: Float, tau: Float) -> list[Any]:
        """n steps further under rows of joint forces (..., n, nv)."""
        if self.schedule.compiled is None:
            return self(done, n, q, v, tau, self.schedule.dt)
        return self(done, n, q, v, self.schedule.dt * np.arange(done, done + n), self.schedule.dt, tau)


class PythonEngine:
    """One step at a time, from Python."""

    most = 1

    @property
    def is_controlled(self) -> bool:
        """Whether a controller acts."""
        return self.forces.tau is None

    def __init__(self, robot: Robot, forces: Forces, schedule: StepSchedule, keeps: bool = False) -> None:
        self.robot, self.forces, self.schedule, self.keeps = robot, forces, schedule, keeps
        keeps_more = initial_kept(robot.model, schedule.method)
        in_kernel = schedule.changes or schedule.compiled or schedule.project or keeps_more
        self.kernel = _under_forces(robot, schedule) if in_kernel else None

    def advance(self, done: int, n: int, q: Float, v: Float, state: Any) -> StepRows:
        """One step further."""
        schedule = self.schedule
        tau, state = self.forces.of(done, done * schedule.dt, q, v, state)
        settings = (
            schedule.settings if schedule.called is None else self._with_wrenches(schedule.called, done, q, v, tau)
        )
        if self.kernel is None:
            q, v = self.robot.step(q, v, tau, schedule.dt, method=schedule.method, **settings)
        else:
            if "wrench" in settings:
                self.kernel.now["wrench"] = settings["wrench"]
            q, v = (x[..., 0, :] for x in self.kernel.take_steps(done, 1, q, v, tau[..., None, :]))
        tau, axis = np.broadcast_to(tau, v.shape), v.ndim - 1
        arrays = [np.asarray(x, dtype=float) for x in tree_leaves(state)] if self.keeps else []
        states = [np.expand_dims(np.broadcast_to(x, v.shape[:-1] + x.shape[axis:]), axis) for x in arrays]
        return StepRows(q[..., None, :], v[..., None, :], tau[..., None, :], state, tuple(states))

    def _with_wrenches(self, called: WrenchFunctions, done: int, q: Float, v: Float, tau: Float) -> dict[str, Any]:
        """The settings of a step with wrenches of functions that are called: those at the state in its middle.

        To that state, half a step leads under the wrenches at the beginning: so the whole is of order two. Methods of
        order one take those.
        """
        schedule, settings, t = self.schedule, self.schedule.settings, done * self.schedule.dt

        def after(wrenches: Mapping[str, Float]) -> dict[str, Any]:
            return {**settings, "wrench": {**settings["wrench"], **wrenches}}

        now = after(called.of(t, q, v)) if done else settings
        if schedule.method in ORDER_ONE:
            return now
        half = schedule.dt / 2.0
        if self.kernel is None:
            q, v = self.robot.step(q, v, tau, half, method=schedule.method, **now)
        else:
            q, v = (x[..., 0, :] for x in self.kernel.state_ahead(done, now["wrench"], q, v, tau[..., None, :], half))
        return after(called.of(t + half, q, v))


class KernelEngine:
    """Many steps in a kernel, under joint forces (..., nv) that stay, or rows of them (..., T, nv)."""

    most, is_controlled = 1 << 40, False

    def __init__(self, robot: Robot, tau: Float, rows: bool, schedule: StepSchedule) -> None:
        self.tau, self.rows, self.schedule = tau, rows, schedule
        self.kernel = _under_forces(robot, schedule)

    def advance(self, done: int, n: int, q: Float, v: Float, state: Any) -> StepRows:
        """n steps further."""
        if self.rows:
            tau = self.tau[..., done : done + n, :]
        else:
            tau = np.broadcast_to(self.tau[..., None, :], (*self.tau.shape[:-1], n, self.tau.shape[-1]))
        q, v = self.kernel.take_steps(done, n, q, v, tau)
        return StepRows(q, v, np.broadcast_to(tau, v.shape), state)


class ControlledKernelEngine:
    """Many steps in a kernel with the controller in it; an `InputError` if that is no plain array code."""

    most, is_controlled = 1 << 40, True

    def __init__(
        self, robot: Robot, controller: Controller, state: Any, parameters: Mapping[str, Any], schedule: StepSchedule
    ) -> None:
        self.schedule, self.state = schedule, state
        self.parameters = [np.asarray(x, dtype=float) for x in parameters.values()]
        leaves = [np.asarray(x, dtype=float) for x in tree_leaves(state)]
        shapes: dict[str, Any] = {"times": ("t",)}
        given, of_one = dict(zip(parameters, self.parameters, strict=True)), leaves
        if isinstance(controller, Law):  # it knows the shapes of one motion; there may be batch axes before them
            given, of_one = dict(controller.parameters), tree_leaves(controller.initial_state)
        if leaves:
            shapes["state"] = {f"state{k}": np.shape(x) for k, x in enumerate(of_one)}
        if parameters:
            shapes["parameters"] = {name: x.shape for name, x in given.items()}
        self.kernel = ResumableKernel(robot, _CompiledRollout(schedule, controller, state), schedule, shapes)

    def advance(self, done: int, n: int, q: Float, v: Float, state: Any) -> StepRows:
        """n steps further."""
        times = self.schedule.dt * np.arange(done, done + n)
        leaves = [np.asarray(x, dtype=float) for x in tree_leaves(state)]
        q, v, tau, *states = self.kernel(done, n, q, v, times, self.schedule.dt, *leaves, *self.parameters)
        last = [np.take(x, -1, axis=v.ndim - 2) for x in states]
        return StepRows(q, v, tau, rebuild_state(state, last), tuple(states))


class _CompiledRollout:
    """A rollout with a controller or functions of wrenches in it, as a function of arrays.

    It is made anew each time, as they may change. Without a controller it takes rows of joint forces.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, schedule: StepSchedule, controller: Controller | None = None, state: Any = None) -> None:
        self.schedule, self.controller, self.state = schedule, controller, state

    def __call__(
        self,
        model: Any,
        q: Any,
        v: Any,
        times: Any,
        dt: Any,
        tau: Any = None,
        state: Any = None,
        parameters: Any = None,
        base_velocity: Any = None,
        base_acceleration: Any = None,
        wrench: Any = None,
        drive: Any = None,
        stabilisation: Any = None,
        kept: Any = None,
    ) -> tuple[Any, ...]:
        """Rows of q and v, with a controller of τ and its state too, and the external influences at the end."""
        given: dict[str, Any] = {
            "method": self.schedule.method,
            "project": self.schedule.project,
            "base_velocity": base_velocity,
            "base_acceleration": base_acceleration,
            "wrench": wrench,
            "drive": drive,
            "stabilisation": stabilisation,
            "kept": kept,
            "wrench_function": self.schedule.compiled,
        }
        if self.controller is None:
            return continued_rollout(model, q, v, tau, dt, times=times, **given)
        inner = rebuild_state(self.state, list((state or {}).values()))
        found = controlled_rollout(
            model,
            q,
            v,
            times,
            dt,
            controller=checked_controller(self.controller, self.state is not None, model.nv),
            held=sampling_period(self.controller) is not None,
            state=inner,
            parameters=parameters or {},
            **given,
        )
        return (*found[:3], *tree_leaves(found[3:]))


def _under_forces(robot: Robot, schedule: StepSchedule) -> ResumableKernel:
    """The kernel of steps under joint forces that are known."""
    if schedule.compiled is not None:
        return ResumableKernel(robot, _CompiledRollout(schedule), schedule, {"times": ("t",), "tau": ("t", robot.nv)})
    goes_on = schedule.changes or initial_kept(robot.model, schedule.method)
    return ResumableKernel(robot, continued_rollout if goes_on else rollout, schedule, {"tau": ("t", robot.nv)})


def checked_controller(controller: Controller, has_state: bool, nv: int) -> Controller:
    """A controller that is called with symbols: its exceptions, and results that do not fit, become input errors.

    It may change the arrays that it is given, as one that is called may.
    """

    def checked(*arguments: Any, **parameters: Any) -> Any:
        found = of_symbols("the controller", controller, *arguments, **parameters)
        if not has_state:
            return force(found)
        if not (isinstance(found, tuple) and len(found) == 2):
            raise InputError(f"a controller with a state must return (tau, state), got {type(found).__name__}")
        return force(found[0]), found[1]

    def force(tau: Any) -> Any:
        tau, got = array_of_symbols(tau)
        if tau.shape != (nv,):
            told = f"the controller must return forces ({nv},) for one state, got {got}"
            one = ": with compiled=True, state and parameters are those of one motion, without batch axes"
            raise InputError(told + (one if tau.ndim > 1 else ""))
        return tau

    return checked


def rebuild_state(like: Any, leaves: list[Any]) -> Any:
    """Arrays in the tuples and dicts of another one."""
    if len(tree_leaves(like)) != len(leaves):
        raise InputError("the state that a controller returns must have the structure of the one that it is given")
    rest = iter(leaves)
    return tree_map(lambda _: next(rest), like)
