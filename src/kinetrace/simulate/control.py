"""Sources of joint forces: numbers, or a controller, which is any Python function of the whole batch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..arrays import tree_leaves
from ..errors import InputError, KinetraceError, unknown
from ..robot.types import Float
from ..support.plain import plain_array
from .inputs import broadcast, finite

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
    rows: bool = False


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
            raise unknown("parameter", name, own)
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
        found = plain_array("the controller's tau", tau)
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
