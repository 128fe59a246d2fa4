"""Engines of a simulation: `step` called from Python, or a kernel that contains the loop.

A kernel is made for joint forces that are known, and for controllers and wrenches that are plain array code of one
state, which are traced and compiled into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..algorithms.registry.choices import StepMethod
from ..algorithms.time.methods import METHODS, initial_kept
from ..algorithms.time.rollout import REPORTED, continued_rollout, controlled_rollout, rollout
from ..algorithms.time.rollout_inputs import CarriedInputs
from ..algorithms.time.state import State
from ..algorithms.time.step_inputs import WrenchFunction
from ..arrays import tree_leaves, tree_map
from ..errors import InputError
from ..model.model import Model
from ..robot import Robot
from ..robot.types import Float
from .forces import Controller, Forces, Law, WrenchFunctions, array_of_symbols, of_symbols, sampling_period
from .inputs import InputArrays, SimulationState


class StepSchedule(NamedTuple):
    """Settings of a simulation."""

    steps: int
    dt: float
    record: int
    """Number of steps per row; the last step has a row too."""
    method: StepMethod
    inputs: InputArrays
    """External inputs at the first step, those of functions that are called too."""
    project: bool
    """Whether states are projected on closed loops after each step."""
    functions: WrenchFunctions | None = None
    """Wrenches that are functions."""
    reports: bool = True
    """Whether there are rows of what the method reports, as contact impulses."""

    def reported(self, kept: Iterable[str]) -> tuple[str, ...]:
        """The names of what there are rows of, among what the method keeps."""
        return tuple(name for name in REPORTED if name in kept and self.reports)

    def reported_numbers(self, kept: Mapping[str, Float], lanes: int) -> int:
        """How many numbers of each row that is, of one lane, of what the method keeps of all."""
        return sum(kept[name].size for name in self.reported(kept)) // max(1, lanes)

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

    def times(self, step: int, n: int) -> Float:
        """When n steps begin (n,), the first of them after `step` others."""
        return np.asarray(self.dt * np.arange(step, step + n))


class StepRows(NamedTuple):
    """States (..., n, ·) after each of n steps, forces during them, and what the simulation goes on with."""

    q: Float
    v: Float
    tau: Float
    now: SimulationState
    states: tuple[Float, ...] = ()
    """Arrays (..., n, ·) of the controller's state after each step, where it is known to be arrays."""
    reported: Mapping[str, Float] = {}
    """Arrays (..., n, ·) of each step that its method reports, by name."""


class Engine(Protocol):
    """Advances a simulation."""

    most: int
    """Number of steps that it can take at once."""

    @property
    def is_controlled(self) -> bool:
        """Whether a controller acts."""

    def advance(self, now: SimulationState, n: int) -> StepRows:
        """n steps further."""


def initially_carried(model: Model, method: StepMethod, inputs: InputArrays) -> tuple[dict[str, Any], CarriedInputs]:
    """What goes on from step to step besides q and v: initially kept arrays, and inputs by their shapes."""
    return initial_kept(model, method), inputs.carried(model)


class StepKernel:
    """A kernel of many steps: of what a simulation goes on with, and gives back.

    Its function is `rollout`, `continued_rollout` or a `_CompiledRollout`, and its arrays are in the order of the
    function's parameters: q, v; those by which functions differ, `arrays` of a call; external inputs in the order of
    `ExternalInputs`; what the method keeps; and behind those of the function gravity, if the base moves. Results are
    rows, the first of them q and v, and behind them what goes on, in the order of `template`.
    """

    def __init__(
        self, robot: Robot, schedule: StepSchedule, compiled: _CompiledRollout | None, shapes: dict[str, Any]
    ) -> None:
        function: Callable[..., Any] = continued_rollout if compiled is None else compiled
        self.schedule = schedule
        self.template = kept, inputs = initially_carried(robot.model, schedule.method, schedule.inputs)
        """What goes on, of one motion: the arrays that the method keeps, and the `CarriedInputs`."""
        self.reported = schedule.reported(kept)
        """What there are rows of besides those of the state, the last of all rows."""
        self.count_going_on = len(tree_leaves(self.template))
        own = {"external": schedule.inputs.shapes, "kept": {name: np.shape(x) for name, x in kept.items()}}
        own = {name: x for name, x in own.items() if x}
        if compiled is None and not self.count_going_on:
            function, own = rollout, schedule.inputs.shapes
        chosen: dict[str, Any] = {"method": schedule.method, "project": schedule.project} if compiled is None else {}
        if self.reported and compiled is None:
            chosen["reported"] = self.reported
        self.kernel = robot.kernel(
            function,
            inputs=() if inputs.gravity is None else ("gravity",),
            shapes={**shapes, **own},
            **chosen,
        )

    def __call__(self, now: SimulationState, n: int, *arrays: Any, **external: Any) -> tuple[list[Any], Any]:
        """n steps further: what the kernel returns of them, and what goes on; with other external inputs if given."""
        given = self.schedule.inputs.leaves({**now.external, **external}, now.step, n)
        gravity = [] if now.gravity is None else [now.gravity]
        found = self.kernel(*now.state[:2], *arrays, *given, *tree_leaves(now.state.kept), *gravity)
        count, q, v = len(found) - self.count_going_on, found[0][..., -1, :], found[1][..., -1, :]
        if not self.count_going_on:
            return list(found), now.after(n, State(q, v))
        kept, inputs = rebuild_state(self.template, list(found[count:]))
        changed = {name: getattr(inputs.external, name) for name in inputs.external.given}
        following = now.after(n, State(q, v, kept))
        return list(found[:count]), following._replace(external=now.external | changed, gravity=inputs.gravity)

    def take_steps(
        self, now: SimulationState, tau: Float, dt: float | None = None, **external: Any
    ) -> tuple[Float, Float, dict[str, Float], SimulationState]:
        """Steps further under rows of joint forces (..., n, nv): rows of q, v and what is reported; what goes on."""
        n, dt = tau.shape[-2], self.schedule.dt if dt is None else dt
        times = () if self.schedule.compiled is None else (self.schedule.times(now.step, n),)
        given = (*times, dt, tau) if times else (tau, dt)
        (q, v, *rows), now = self(now, n, *given, **external)
        return q, v, self.by_name(rows), now

    def by_name(self, rows: list[Float]) -> dict[str, Float]:
        """What is reported, of rows of which it is the last."""
        return dict(zip(self.reported, rows[len(rows) - len(self.reported) :], strict=True))


class PythonEngine:
    """One step at a time, from Python."""

    most = 1

    @property
    def is_controlled(self) -> bool:
        """Whether a controller acts."""
        return self.forces.tau is None

    def __init__(self, robot: Robot, forces: Forces, schedule: StepSchedule, keeps: bool = False) -> None:
        self.robot, self.forces, self.schedule, self.keeps = robot, forces, schedule, keeps
        self.begin = None if schedule.called is None else schedule.inputs.arrays
        goes_on = tree_leaves(initially_carried(robot.model, schedule.method, schedule.inputs))
        self.kernel = _under_forces(robot, schedule) if goes_on or schedule.compiled or schedule.project else None

    def advance(self, now: SimulationState, n: int) -> StepRows:
        """One step further."""
        tau, controller = self.forces.of(now.step, now.t, *now.state[:2], now.controller)
        external = {} if self.schedule.called is None else self._with_wrenches(self.schedule.called, now, tau)
        reported, now = self._step(now, tau, self.schedule.dt, external)
        now = now if controller is now.controller else now._replace(controller=controller)
        q, v = now.state[:2]
        tau, axis = np.broadcast_to(tau, v.shape), v.ndim - 1
        arrays = [np.asarray(x, dtype=float) for x in tree_leaves(controller)] if self.keeps else []
        states = [np.expand_dims(np.broadcast_to(x, v.shape[:-1] + x.shape[axis:]), axis) for x in arrays]
        return StepRows(q[..., None, :], v[..., None, :], tau[..., None, :], now, tuple(states), reported)

    def _step(
        self, now: SimulationState, tau: Float, dt: float, external: Mapping[str, Any]
    ) -> tuple[dict[str, Float], SimulationState]:
        """What a step reports, and what goes on after it, with other external inputs if given."""
        if self.kernel is not None:
            return self.kernel.take_steps(now, tau[..., None, :], dt, **external)[2:]
        given = {**now.external, **external}
        after = self.robot.step(*now.state[:2], tau, dt, method=self.schedule.method, **given)
        return {}, now.after(1, State(*after))

    def _with_wrenches(self, called: WrenchFunctions, now: SimulationState, tau: Float) -> dict[str, Any]:
        """The wrenches of a step, with those of functions that are called: those at the state in its middle.

        To that state, half a step leads under the wrenches at the beginning: so the whole is of order two. Methods of
        order one take those.
        """

        def all_at(t: float, q: Float, v: Float) -> dict[str, Any]:
            return called.beside(now.external, t, q, v)

        begin, half = self.begin or all_at(now.t, *now.state[:2]), self.schedule.dt / 2.0
        self.begin = None
        if METHODS[self.schedule.method].order == 1:
            return begin
        return all_at(now.t + half, *self._step(now, tau, half, begin)[1].state[:2])


class KernelEngine:
    """Many steps in a kernel, under joint forces (..., nv) that stay, or rows of them (..., T, nv)."""

    most, is_controlled = 1 << 40, False

    def __init__(self, robot: Robot, tau: Float, by_rows: bool, schedule: StepSchedule) -> None:
        self.tau, self.by_rows, self.schedule = tau, by_rows, schedule
        self.kernel = _under_forces(robot, schedule)

    def advance(self, now: SimulationState, n: int) -> StepRows:
        """n steps further."""
        if self.by_rows:
            tau = self.tau[..., now.step : now.step + n, :]
        else:
            tau = np.broadcast_to(self.tau[..., None, :], (*self.tau.shape[:-1], n, self.tau.shape[-1]))
        q, v, reported, now = self.kernel.take_steps(now, tau)
        return StepRows(q, v, np.broadcast_to(tau, v.shape), now, reported=reported)


class ControlledKernelEngine:
    """Many steps in a kernel with the controller in it; an `InputError` if that is no plain array code."""

    most, is_controlled = 1 << 40, True

    def __init__(
        self,
        robot: Robot,
        controller: Controller,
        begin: SimulationState,
        parameters: Mapping[str, Any],
        schedule: StepSchedule,
        rows: Mapping[str, Float],
    ) -> None:
        self.schedule, state = schedule, begin.controller
        self.rows, self.first = rows, begin.step
        parameters = {name: x for name, x in parameters.items() if name not in rows}
        self.parameters = [np.asarray(x, dtype=float) for x in parameters.values()]
        leaves = [np.asarray(x, dtype=float) for x in tree_leaves(state)]
        shapes: dict[str, Any] = {"times": ("t",)}
        given = dict(zip(parameters, self.parameters, strict=True))
        of_one = [x[(0,) * begin.controller_axes] for x in leaves]
        if isinstance(controller, Law):  # it knows the shapes of one motion; there may be batch axes before them
            known, of_one = controller.parameters, tree_leaves(controller.initial_state)
            given = {name: np.asarray(known[name]) for name in parameters}
        if leaves:
            shapes["state"] = {f"state{k}": np.shape(x) for k, x in enumerate(of_one)}
        if parameters:
            shapes["parameters"] = {name: x.shape for name, x in given.items()}
        if rows:
            shapes["rows"] = {name: ("t", x.shape[-1]) for name, x in rows.items()}
        self.kernel = StepKernel(robot, schedule, _CompiledRollout(schedule, controller, state), shapes)

    def advance(self, now: SimulationState, n: int) -> StepRows:
        """n steps further."""
        leaves = [np.asarray(x, dtype=float) for x in tree_leaves(now.controller)]
        times, before = self.schedule.times(now.step, n), now.controller
        done = now.step - self.first
        given = [x[..., done : done + n, :] for x in self.rows.values()]
        (q, v, tau, *rows), now = self.kernel(now, n, times, self.schedule.dt, *leaves, *self.parameters, *given)
        reported = self.kernel.by_name(rows)
        states = rows[: len(rows) - len(reported)]
        last = [np.take(x, -1, axis=v.ndim - 2) for x in states]
        now = now._replace(controller=rebuild_state(before, last), controller_axes=v.ndim - 2)
        return StepRows(q, v, tau, now, tuple(states), reported)


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
        rows: Any = None,
        external: Any = None,
        kept: Any = None,
    ) -> tuple[Any, ...]:
        """Rows of q and v, with a controller of τ and its state too, and what goes on at the end."""
        given: dict[str, Any] = {
            "method": self.schedule.method,
            "project": self.schedule.project,
            "external": external,
            "kept": kept,
            "wrench_function": self.schedule.compiled,
            "reported": self.schedule.reported(kept or ()),
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
            holds_forces=sampling_period(self.controller) is not None,
            state=inner,
            parameters=parameters or {},
            parameter_rows=rows or {},
            **given,
        )
        return (*found[:3], *tree_leaves(found[3:]))


def _under_forces(robot: Robot, schedule: StepSchedule) -> StepKernel:
    """The kernel of steps under joint forces that are known."""
    tau = {"tau": ("t", robot.nv)}
    if schedule.compiled is None:
        return StepKernel(robot, schedule, None, tau)
    return StepKernel(robot, schedule, _CompiledRollout(schedule), {"times": ("t",), **tau})


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
