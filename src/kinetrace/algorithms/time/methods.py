"""Methods of integration: what each does in a step, of which order it is, and what it keeps from step to step.

`METHODS` has those of all robots, `SOLVING_METHODS` those that also solve for dry friction and hard stops, where joints
have such; `method_for` chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...errors import InputError, lookup, name_list
from ...model.model import Model
from ..constraints.joint_rows import has_solved_effects, joint_rows
from ..registry.choices import StepMethod
from ..registry.forms import Forms
from .constrained_steps import FREE_VELOCITIES, IMPULSES, check_solves_rows, constrained_step
from .contact_steps import CONTACT_IMPULSES, CONTACT_RESIDUAL, CONTACT_SLIPS, contact_step, initial_contact
from .linearly_implicit import implicit, rosenbrock
from .rkmk import rkmk2, rkmk4
from .runge_kutta import EXPLICIT, Evaluation, Pair, StepEnd, equations_of_motion
from .state import State
from .step_inputs import StepInputs
from .variational import variational

Advance = Callable[[Model, State, Array, StepInputs], tuple[State, Evaluation]]


def _nothing(model: Model) -> dict[str, Array]:
    return {}


class Method(NamedTuple):
    """A method of integration."""

    advance: Advance
    """(model, state, dt, inputs) → the state after a step, and where it has evaluated the dynamics last."""
    order: int
    initial: Callable[[Model], dict[str, Array]] = _nothing
    """What it keeps from step to step, before the first one."""
    starts: frozenset[str] = frozenset()
    """What of it are numbers with which iterations begin: the results do not depend on them."""


def _of_pair(after: Callable[[Model, Array, Array, Array, StepInputs], Pair], order: int) -> Method:
    """The method of a function of q and v alone; a projection after it has Z of where the step begins."""

    def with_begin(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> StepEnd:
        return StepEnd(*after(model, q, v, dt, inputs), Evaluation(q, 0.0))

    return _of_stages(with_begin, order)


def _of_stages(after: Callable[[Model, Array, Array, Array, StepInputs], StepEnd], order: int) -> Method:
    """The method of a function of q and v alone that also returns where it has evaluated the dynamics last."""

    def of_state(model: Model, state: State, dt: Array, inputs: StepInputs) -> tuple[State, Evaluation]:
        q, v, last = after(model, state.q, state.v, dt, inputs)
        return State(q, v, state.kept), last

    return Method(of_state, order)


def _explicit(name: str, order: int) -> Method:
    def after(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> StepEnd:
        return EXPLICIT[name](equations_of_motion(model, inputs), q, v, dt)

    return _of_stages(after, order)


METHODS: dict[str, Method] = {
    "euler": _explicit("euler", 1),
    "semi-implicit": _explicit("semi-implicit", 1),
    "rk4": _explicit("rk4", 4),
    "rkmk2": _of_stages(rkmk2, 2),
    "rkmk4": _of_stages(rkmk4, 4),
    "variational": _of_pair(variational, 2),
    "rosenbrock": _of_pair(rosenbrock, 2),
    "implicit": _of_pair(implicit, 1),
}
DEFAULT_METHOD: StepMethod = "rkmk4"
"""The method of motions of many steps unless one is given, or a controller needs another."""


def _solved(name: str, model: Model, state: State, dt: Array, inputs: StepInputs) -> tuple[State, Evaluation]:
    step = constrained_step if model.contacts is None else contact_step
    return step(name, model, state, dt, inputs), Evaluation(state.q, 0.0)


def _no_impulses(model: Model) -> dict[str, Array]:
    of_joints = {IMPULSES: np.zeros(len(joint_rows(model).velocities))} if has_solved_effects(model) else {}
    return of_joints | initial_contact(model)


STARTS = frozenset({IMPULSES, CONTACT_IMPULSES, CONTACT_SLIPS, CONTACT_RESIDUAL})
SOLVING_METHODS: dict[str, Method] = {
    name: Method(
        partial(_solved, name),
        METHODS[name].order,
        _no_impulses,
        frozenset({IMPULSES, CONTACT_IMPULSES, CONTACT_SLIPS, CONTACT_RESIDUAL}),
    )
    for name in FREE_VELOCITIES
}
"""The methods of robots with dry friction or hard stops."""
SOLVING_METHOD: StepMethod = "semi-implicit"
"""That of them which is taken unless one is given."""


def default_step_method(model: Model) -> StepMethod:
    """The method of motions of many steps unless one is given.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> default_step_method(model), default_step_method(model.with_joint_effects(friction=1.0, friction_law="dry"))
    ('rkmk4', 'semi-implicit')
    """
    return SOLVING_METHOD if solves_rows(model) else DEFAULT_METHOD


def solves_rows(model: Model) -> bool:
    """Whether steps solve for dry friction, hard stops or contacts."""
    return model.contacts is not None or has_solved_effects(model)


def method_for(model: Model, name: str) -> Method:
    """The method of that name; an `InputError` if it has no result for the model."""
    method = lookup("method", name, METHODS)
    if solves_rows(model):
        check_solves_rows(name)
        return SOLVING_METHODS[name]
    if name == "variational" and model.massless:
        able = [x for x in METHODS if x != name]
        others = Forms(
            tree="'implicit' takes it if a spring or a damper acts there",
            closed=f"closed robots with such joints are for {name_list(able, len(able))}",
        ).of(model)
        raise InputError(f"method {name!r} needs a regular mass matrix, and {model.massless[0]}; {others}")
    return method


def check_joint_laws(model: Model, method: str | None) -> None:
    """An error if a method cannot step with contacts, dry friction or hard stops of a model, or if these conflict."""
    if solves_rows(model):
        joint_rows(model)
        check_solves_rows(SOLVING_METHOD if method is None else method)


def initial_kept(model: Model, name: StepMethod) -> dict[str, Array]:
    """What a method keeps from step to step, before the first one."""
    return method_for(model, name).initial(model)


def check_keeps_starts(model: Model, name: StepMethod) -> None:
    """An error if results of a method depend on what it keeps, which derivatives of rollouts leave out."""
    method = method_for(model, name)
    if others := sorted(method.initial(model).keys() - method.starts):
        what = f"the method keeps {name_list(others, len(others))} from step to step, and the next step depends on it"
        raise InputError(f"method {name!r} has no derivatives of rollouts: {what}")
