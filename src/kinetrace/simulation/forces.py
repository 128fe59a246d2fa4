"""Forces on a motion: joint forces, controllers, and wrenches that are functions of the time and the state.

A controller is any Python function of the whole batch. A function of (t, q, v) that returns wrenches is called with the
whole batch, at the beginning of each step and, unless the method is of order one, in its middle; the last wrenches are
held over the step. Adaptive methods call it at every evaluation. A function of (model, t, q, v) is plain array code of
one state: it is traced into the kernel of the loop, and acts within each step as springs and dampers of joints do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..algorithms.dynamics.external_wrenches import wrench_forces
from ..arrays import asarray, tree_leaves
from ..engine.trace.hints import explanation
from ..errors import InputError, KinetraceError, unknown_name_error
from ..model.model import Model
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_array, broadcast, copy_arrays, finite
from ..support.functions import only_computes

Controller = Callable[..., Any]
"""(t, q, v) → τ, or (t, q, v, state, **parameters) → (τ, state)."""


@runtime_checkable
class Law(Protocol):
    """A controller that knows its own state and parameters, and can be compiled; those of `control` are."""

    @property
    def initial_state(self) -> Any:
        """The state at the beginning: None, or arrays in tuples and dicts."""

    @property
    def parameters(self) -> Mapping[str, Float]:
        """Arrays that it is called with, by name."""

    def __call__(self, t: Any, q: Any, v: Any, state: Any = None, /, **parameters: Any) -> Any:
        """τ, or τ and the next state."""


def sampling_period(controller: Controller | None) -> float | None:
    """The time between samples [s] of a controller that holds its forces in between; None if it does not say so."""
    found: float | None = getattr(controller, "period", None) if isinstance(controller, Law) else None
    return found


class Forces(NamedTuple):
    """Joint forces of each step."""

    of: Callable[[int, float, Float, Float, Any], tuple[Float, Any]]
    """(step, t, q, v, state) → τ (..., nv) and the state that follows."""
    batch: tuple[int, ...] = ()
    """Their batch axes."""
    tau: Float | None = None
    """All forces, if they are known in advance: constant (..., nv), or one row per step."""
    by_rows: bool = False


def constant_forces(tau: Any, nv: int) -> Forces:
    """Constant forces (..., nv); zero if none are given."""
    held = np.zeros(nv) if tau is None else finite("tau", tau, nv)
    return Forces(lambda step, t, q, v, state: (held, state), held.shape[:-1], held)


def forces_per_step(tau: Any, nv: int) -> tuple[Forces, int]:
    """A row of tau (..., T, nv) for each step, and T."""
    rows = finite("tau", tau, nv)
    if rows.ndim < 2 or rows.shape[-2] == 0:
        raise InputError(f"tau must have shape (..., T, {nv}) with T > 0, got {rows.shape}")
    forces = Forces(lambda step, t, q, v, state: (rows[..., step, :], state), rows.shape[:-2], rows, True)
    return forces, rows.shape[-2]


def controller_forces(controller: Controller, has_state: bool, parameters: Mapping[str, Any], nv: int) -> Forces:
    """Checked results of a controller; its errors propagate, with the time added."""
    check_controller(controller, has_state, parameters)

    def of(step: int, t: float, q: Float, v: Float, state: Any) -> tuple[Float, Any]:
        own = q.copy(), v.copy()  # it may change them
        arguments = (t, *own, state) if has_state else (t, *own)
        try:
            found = controller(*arguments, **parameters)
        except Exception as error:
            error.add_note(f"in the controller, at t = {t:g} s (step {step})")
            raise
        if has_state:
            if not (isinstance(found, tuple) and len(found) == 2):
                raise InputError(f"a controller with a state must return (tau, state), got {type(found).__name__}")
            found, state = found
        return _checked_forces(found, v.shape, nv, t), state

    return Forces(of)


def law_batch(law: Law, state: Any, parameters: Mapping[str, Any]) -> tuple[int, ...]:
    """The batch axes of the state and the parameters of a controller that knows the shapes of one motion."""
    own = {**law.parameters, **{f"state[{k}]": x for k, x in enumerate(tree_leaves(law.initial_state))}}
    given = {**parameters, **{f"state[{k}]": x for k, x in enumerate(tree_leaves(state))}}
    lanes = {}
    for name, x in given.items():
        if name not in own:
            raise unknown_name_error("parameter", name, own)
        core, shape = np.shape(own[name]), np.shape(x)
        if len(shape) < len(core) or shape[len(shape) - len(core) :] != core:
            raise InputError(f"{name} of the controller must have shape {core}, or batch axes before it; got {shape}")
        lanes[name] = shape[: len(shape) - len(core)]
    return broadcast(lanes)


def check_controller(controller: Any, has_state: bool, parameters: Mapping[str, Any]) -> None:
    """An error unless it can be called with the time, a state, and what else there is."""
    wanted = "(t, q, v, state)" if has_state else "(t, q, v)"
    if not callable(controller):
        told = f"controller must be a function of {wanted}, got {type(controller).__name__}"
        raise InputError(f"{told}; constant joint forces are tau=")
    try:
        signature = inspect.signature(controller)
    except (TypeError, ValueError):  # of C, perhaps
        return
    try:
        signature.bind(*(None,) * (4 if has_state else 3), **parameters)
    except TypeError as error:
        more = f", and {', '.join(parameters)} by name" if parameters else ""
        alone = "missing" in str(error) and not has_state
        advice = "; with state=..., it is called with a state as well" if alone else ""
        raise InputError(f"controller must be a function of {wanted}{more}: {error}{advice}") from None


def _checked_forces(tau: Any, shape: tuple[int, ...], nv: int, t: float) -> Float:
    """Forces (..., nv) in the batch's shape, copied: the controller may use its array again."""
    try:
        found = as_array("the controller's tau", tau)
    except KinetraceError as error:
        error.add_note(f"at t = {t:g} s")
        raise
    if found.dtype.kind not in "biuf" or found.shape[-1:] != (nv,):
        what = f"shape {found.shape}" if found.dtype.kind in "biuf" else f"entries of type {found.dtype}"
        what = "None: is a `return` missing?" if tau is None else what
        raise InputError(f"the controller must return forces (..., {nv}); at t = {t:g} s it returned {what}")
    try:
        return np.array(np.broadcast_to(found, shape), dtype=float)
    except ValueError:
        raise InputError(
            f"the controller returned shape {found.shape} at t = {t:g} s; states have shape {shape}"
        ) from None


FORCE_SIGNATURES = "(t, q, v), or of (model, t, q, v) to be compiled"


def split_wrenches(robot: Robot, wrench: Any, compiled: bool | None) -> tuple[Any, WrenchFunctions | None]:
    """The wrenches that are numbers, and those that are functions, compiled if `compiled` or if all take the model."""
    if callable(wrench) and not isinstance(wrench, Mapping):
        return None, WrenchFunctions(robot, None, {"wrench": function_of_state("wrench", wrench)}, compiled)
    if not isinstance(wrench, Mapping):
        return wrench, None
    functions = {frame: function_of_state(f"wrench[{frame!r}]", f) for frame, f in wrench.items() if callable(f)}
    numbers = {frame: x for frame, x in wrench.items() if frame not in functions}
    return numbers or None, WrenchFunctions(robot, tuple(functions), functions, compiled) if functions else None


class StateFunction:
    """One function of (t, q, v), or of (model, t, q, v)."""

    def __init__(self, name: str, call: Callable[..., Any], takes_model: bool) -> None:
        self.name, self.call, self.takes_model = name, call, takes_model

    def of_symbols(self, model: Model, t: Any, q: Any, v: Any) -> Any:
        """Its result for symbols."""
        given = (model, t, q, v) if self.takes_model else (t, q, v)
        return of_symbols(f"the function {self.name}", self.call, *given)

    def call_on_numbers(self, t: float, q: Float, v: Float) -> Any:
        """Its result for numbers; its errors propagate, with the time added."""
        try:
            return self.call(t, q.copy(), v.copy())  # it may change them
        except Exception as error:
            error.add_note(f"in the function {self.name}, at t = {t:g} s")
            raise


def function_of_state(name: str, function: Any) -> StateFunction:
    """A function, and whether it takes the model first; an error if it takes something else."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of C, perhaps
        return StateFunction(name, function, False)
    takes_model = next(iter(signature.parameters), None) == "model"
    try:
        signature.bind(*(None,) * (4 if takes_model else 3))
    except TypeError as error:
        raise InputError(f"{name} must be a function of {FORCE_SIGNATURES}: {error}") from None
    return StateFunction(name, function, takes_model)


class WrenchFunctions:
    """Functions by the names of frames, or one that returns wrenches by the names of frames."""

    def __init__(
        self,
        robot: Robot,
        frames: tuple[str, ...] | None,
        functions: Mapping[str, StateFunction],
        compiled: bool | None,
    ) -> None:
        self.robot, self.frames, self.functions = robot, frames, functions
        self.by_frame = frames is not None
        take_model = all(f.takes_model for f in functions.values())
        self.in_loop = take_model if compiled is None else bool(compiled)
        """Whether they are compiled into the loop of steps."""
        self.is_plain = self.in_loop or take_model
        """Whether they are plain array code of one state, even if they are not compiled into the loop."""
        self._kernel: Any = None
        self._forces: Any = None
        for frame in frames or ():
            robot.model.frame(frame)

    @property
    def is_repeatable(self) -> bool:
        """Whether one more call changes nothing."""
        return self.is_plain or all(only_computes(f.call) for f in self.functions.values())

    def of_symbols(self, model: Model, t: Any, q: Any, v: Any) -> dict[str, Any]:
        """Wrenches (6,) by frame names, of symbols."""
        found = self._by_frame({name: f.of_symbols(model, t, q, v) for name, f in self.functions.items()}, "")
        return {frame: _wrench_of_symbols(self._name(frame), x) for frame, x in found.items()}

    def of(self, t: float, q: Float, v: Float) -> dict[str, Float]:
        """Wrenches (..., 6) by frame names, at states (..., ·)."""
        if self.is_plain:
            evaluated = self._evaluate(t, q, v)
            return dict(zip(self._frames_of(evaluated), evaluated, strict=True))
        found, when = dict[str, Any](), f" at t = {t:g} s"
        for name, f in self.functions.items():
            if f.takes_model:
                told = f"{f.name} is a function of (model, t, q, v), and others are of (t, q, v)"
                raise InputError(f"{told}: write all of them with the model, or give compiled=True")
            found[name] = f.call_on_numbers(t, q, v)
        wrenches = self._by_frame(found, when)
        return {frame: _checked_wrench(self._name(frame), x, v.shape[:-1], when) for frame, x in wrenches.items()}

    def beside(self, external: Mapping[str, Any], t: float, q: Float, v: Float) -> dict[str, Any]:
        """External inputs by name, with these wrenches at states (..., ·) beside the others."""
        return {**external, "wrench": {**external.get("wrench", {}), **self.of(t, q, v)}}

    def forces(self, t: Any, q: Float, v: Float) -> Float:
        """The joint forces Σ J_fᵀ F_f (..., nv) at states (..., ·)."""
        if self.is_plain:
            if self._forces is None:
                self._forces = self.robot.kernel(_Forces(self), shapes={"t": ()})
            return np.asarray(self._forces(t, q, v), dtype=float)
        wrenches = self.of(t, q, v)
        if self._forces is None:
            self._forces = self.robot.kernel(wrench_forces, shapes={"wrench": dict.fromkeys(wrenches, (6,))})
        return np.asarray(self._forces(q, *wrenches.values()), dtype=float)

    def spoilt(self, t: float, dt: float, q: Float, v: Float, lane: tuple[int, ...]) -> str | None:
        """The frame on which the wrench of a lane ceases to be finite in the step from states (..., ·) on, if found.

        They are evaluated at the beginning, in the middle and at the end of the step, at constant velocity.
        """
        if not self.is_repeatable:
            return None
        for h in (0.0, dt / 2.0, dt):
            try:
                found = self.of(t + h, np.asarray(self.robot.integrate(q, h * v)), v)
            except Exception:  # of the user's function
                return None
            for frame, F in found.items():
                if not np.isfinite(F[lane]).all():
                    return frame
        return None

    def _evaluate(self, t: Any, q: Float, v: Float) -> tuple[Float, ...]:
        if self._kernel is None:
            self._kernel = self.robot.kernel(_Wrenches(self), shapes={"t": ()})
        found = self._kernel(t, q, v)
        return found if isinstance(found, tuple) else (found,)

    def _frames_of(self, found: tuple[Float, ...]) -> tuple[str, ...]:
        assert self.frames is not None and len(self.frames) == len(found)
        return self.frames

    def _name(self, frame: str) -> str:
        return f"wrench[{frame!r}]" if self.by_frame else f"the wrench on {frame!r}"

    def _by_frame(self, found: dict[str, Any], when: str) -> dict[str, Any]:
        """Results by the names of frames: of one function, what it returned, always for the same frames."""
        if self.by_frame:
            return found
        wrenches = found["wrench"]
        if not isinstance(wrenches, Mapping):
            got = "None: is a `return` missing?" if wrenches is None else type(wrenches).__name__
            told = "the function wrench must return wrenches by the names of frames, as {'tip': (m, f)}"
            raise InputError(f"{told}; it returned{when} {got}")
        if self.frames is None:
            for frame in wrenches:
                self.robot.model.frame(frame)
            self.frames = tuple(wrenches)
        if set(wrenches) != set(self.frames):
            told = f"returned{when} wrenches on {sorted(wrenches)}, and before on {sorted(self.frames)}"
            raise InputError(f"the function wrench {told}: return all of them always, zeros where nothing acts")
        return {frame: wrenches[frame] for frame in self.frames}


class _Wrenches:
    """The functions as one of arrays; made anew each time, as what they use may change."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, functions: WrenchFunctions) -> None:
        self.functions = functions

    def __call__(self, model: Model, t: Any, q: Any, v: Any) -> tuple[Any, ...]:
        """The wrenches (6,), in the order of their frames."""
        return tuple(self.functions.of_symbols(model, t, q, v).values())


class _Forces(_Wrenches):
    """The joint forces of these wrenches."""

    def __call__(self, model: Model, t: Any, q: Any, v: Any) -> Any:
        """Σ J_fᵀ F_f (nv,)."""
        return wrench_forces(model, q, self.functions.of_symbols(model, t, q, v))


def _wrench_of_symbols(name: str, x: Any) -> Any:
    """A wrench (6,) of symbols."""
    x, got = array_of_symbols(x)
    if x.shape != (6,):
        raise InputError(f"{name} must be (6,), moment and force, for one state; its function returned {got}")
    return x


def _checked_wrench(name: str, x: Any, batch: tuple[int, ...], when: str) -> Float:
    """Wrenches (..., 6) with the axes of the batch, copied: the function may use its array again."""
    try:
        found = as_array(name, x)
    except KinetraceError as error:
        error.add_note(when.strip())
        raise
    if found.dtype.kind not in "biuf" or found.shape[-1:] != (6,):
        what = f"shape {found.shape}" if found.dtype.kind in "biuf" else f"entries of type {found.dtype}"
        what = "None: is a `return` missing?" if x is None else what
        raise InputError(f"{name} must be (..., 6), moment and force; its function returned{when} {what}")
    try:
        return np.array(np.broadcast_to(found, (*batch, 6)), dtype=float)
    except ValueError:
        told = f"its function returned{when} shape {found.shape}; states have the axes {batch}"
        raise InputError(f"{name} does not fit the batch: {told}") from None


def of_symbols(what: str, function: Callable[..., Any], *arguments: Any, **parameters: Any) -> Any:
    """Result of a user's function for symbols, of which it may change its own copies.

    Its exceptions are input errors, which name it as `what`.
    """
    try:
        return copy_arrays(function(*copy_arrays(arguments), **copy_arrays(parameters)))
    except Exception as error:  # any error of a function that does not support symbols
        told = explanation(error) or f": {error}"
        raise InputError(f"{what} is not plain array code of one state{told}") from error


def array_of_symbols(x: Any) -> tuple[Any, str]:
    """The array, and its shape, or its type if it is none, for messages."""
    kind, x = type(x).__name__, asarray(x)
    return x, f"shape {x.shape}" if x.ndim or x.dtype.kind in "biuf" else kind
