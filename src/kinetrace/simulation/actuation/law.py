"""The actuators of a robot as a controller: controls that are numbers, rows of them, or a function.

Controls of a step hold from its beginning to its end, as those of a controller do, while forces of actuators depend on
the state as springs and dampers do: the method "implicit" continues them within the step. Activations and delayed
controls are the state of the controller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...algorithms.actuation.actuator_step import actuator_step, initial_state
from ...arrays import Array, is_concrete, stack
from ...errors import InputError, KinetraceError
from ...model.model import Model
from ...robot import Robot
from ...robot.types import Float
from ...support.conversion import as_array, finite
from ..forces import Forces, StateFunction, array_of_symbols


class ActuatorLaw:
    """Joint forces of actuators, and their state after a step of dt; a `Law`."""

    def __init__(self, robot: Robot, dt: float, function: StateFunction | None = None) -> None:
        self.robot, self.dt, self.function = robot, dt, function
        self.initial_state: Any = initial_state(robot.model, dt)
        """Activations and delayed controls at the beginning; None if there are none."""
        self._kernel: Any = None

    @property
    def parameters(self) -> Mapping[str, Float]:
        """The controls, unless a function gives them, and the time of a step."""
        control = {} if self.function is not None else {"control": np.zeros(len(self.robot.model.actuators))}
        return {**control, "dt": np.array(self.dt)}

    @property
    def is_repeatable(self) -> bool:
        """Whether one more call changes nothing, and may be for some states of a batch."""
        return self.function is None or self.function.takes_model

    @property
    def without_limits(self) -> ActuatorLaw:
        """The law where no bound of forces acts, as is to come once the motion slows down."""
        model = self.robot.model
        actuators = tuple(replace(x, force_range=(-np.inf, np.inf)) for x in model.actuators)
        bodies = (replace(x, limits=replace(x.limits, effort=np.full(x.joint.nv, np.inf))) for x in model.bodies)
        free = Robot(replace(model, actuators=actuators, bodies=tuple(bodies)), **self.robot._kernel_settings)
        return ActuatorLaw(free, self.dt, self.function)

    def __call__(
        self, t: Any, q: Any, v: Any, state: Any = None, /, *, control: Any = None, dt: Any = None
    ) -> tuple[Any, Any] | Any:
        """τ (..., nv), and the next state if there is one."""
        given = [t, q, v, dt, *(() if control is None else (control,)), *(() if state is None else state.values())]
        if not all(map(is_concrete, given)):
            return self.of_symbols(self.robot.model, t, q, v, state, control, dt)
        if self.function is not None and not self.function.takes_model:
            control = self._called(self.function, float(np.max(t)), q, v)
        return self._of_numbers(t, q, v, state, control, dt)

    def of_symbols(self, model: Model, t: Any, q: Any, v: Any, state: Any, control: Any, dt: Any) -> Any:
        """The same as plain array code of one state."""
        if control is None:
            assert self.function is not None
            control = _checked(*array_of_symbols(self.function.of_symbols(model, t, q, v)), len(model.actuators))
        tau, after = actuator_step(model, q, v, control, state, dt, self.dt)
        return tau if state is None else (tau, after)

    def _of_numbers(self, t: Any, q: Any, v: Any, state: Any, control: Any, dt: Any) -> Any:
        """The same by a kernel, for one state or a batch."""
        own = {} if state is None else {name: np.asarray(state[name], dtype=float) for name in self.initial_state}
        if self._kernel is None:
            shapes: dict[str, Any] = {"t": ()}
            if control is not None:
                shapes["control"] = (len(self.robot.model.actuators),)
            if own:
                shapes["state"] = {name: np.shape(x) for name, x in self.initial_state.items()}
            self._kernel = self.robot.kernel(_LawOfArrays(self), shapes=shapes)
        found = self._kernel(t, q, v, dt, *(() if control is None else (control,)), *own.values())
        return found if state is None else (found[0], dict(zip(own, found[1:], strict=True)))

    def _called(self, function: StateFunction, t: float, q: Float, v: Float) -> Float:
        """Controls (..., nu) of a function that is called with the whole batch."""
        size, batch, when = len(self.robot.model.actuators), v.shape[:-1], f"at t = {t:g} s"
        found = function.call_on_numbers(t, q, v)
        try:
            x = as_array("controls of the function", found)
        except KinetraceError as error:
            error.add_note(when)
            raise
        if x.dtype.kind not in "biuf" or x.shape[-1:] != (size,):
            got = "None: is a `return` missing?" if found is None else f"shape {x.shape}, of {x.dtype}"
            raise InputError(f"the function control must return controls (..., {size}); {when} it returned {got}")
        try:
            return np.array(np.broadcast_to(x, (*batch, size)), dtype=float)
        except ValueError:
            told = f"the function control returned shape {x.shape} {when}"
            raise InputError(f"{told}; states have the axes {batch}") from None


class _LawOfArrays:
    """The law as a function of arrays; made anew each time, as what its function uses may change."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, law: ActuatorLaw) -> None:
        self.law = law

    def __call__(self, model: Model, t: Any, q: Any, v: Any, dt: Any, control: Any = None, state: Any = None) -> Any:
        """τ (nv,), and the arrays of the next state."""
        found = self.law.of_symbols(model, t, q, v, state, control, dt)
        return found if state is None else (found[0], *found[1].values())


def _checked(x: Array, got: str, size: int) -> Array:
    """Controls (nu,) of symbols."""
    if x.shape != (size,):
        raise InputError(f"the function control must return controls ({size},) for one state; it returned {got}")
    return stack([*x]) if size else x


def actuator_law_forces(law: ActuatorLaw, parameters: Mapping[str, Any], rows: Float | None, first: int) -> Forces:
    """Joint forces of each step; rows of controls begin with the step `first`."""

    def of(step: int, t: float, q: Float, v: Float, state: Any) -> tuple[Float, Any]:
        given = dict(parameters) if rows is None else {**parameters, "control": rows[..., step - first, :]}
        found = law(t, q, v, state, **given)
        tau, after = (found, None) if state is None else found
        return np.array(np.broadcast_to(tau, v.shape), dtype=float), after

    return Forces(of)


def checked_controls(control: Any, size: int, axes: int, steps: int) -> tuple[Float, Float | None]:
    """Controls (..., nu) of the first step, and those of all steps (..., T, nu) if there is a row for each."""
    x = finite("control", control, size)
    if x.ndim <= axes + 1:
        return x, None
    if x.ndim == axes + 2 and x.shape[-2] == steps:
        return np.array(x[..., 0, :]), x
    batch = "" if not axes else ", with the batch axes of q before them or none"
    told = f"controls ({size},), or ({steps}, {size}) with a row for each step{batch}"
    raise InputError(f"control must be {told}; got {x.shape}: for further motions, give q with their axes")


def checked_state(law: ActuatorLaw, given: Any) -> Any:
    """What actuators carry: at the beginning, with the parts that are given."""
    if given is None or law.initial_state is None:
        if given is not None:
            raise InputError("the actuators have no state: none of them has an activation or a delay")
        return law.initial_state
    names = ", ".join(f"{name!r} {x.shape}" for name, x in law.initial_state.items())
    if not isinstance(given, Mapping) or not given.keys() <= law.initial_state.keys():
        got = sorted(given) if isinstance(given, Mapping) else type(given).__name__
        raise InputError(f"the state of actuators is a mapping with {names}; got {got}")
    return {name: np.array(given.get(name, x), dtype=float) for name, x in law.initial_state.items()}


def may_be_compiled(law: ActuatorLaw, compiled: bool | None) -> bool | None:
    """Whether the loop runs in a kernel: not with a function that is called, unless asked for."""
    called = law.function is not None and not law.function.takes_model
    return False if called and compiled is None else compiled
