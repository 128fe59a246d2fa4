"""Discrete dynamics: one step in time, on the manifold of configurations.

    explicit        "euler", "semi-implicit" of order one, "rk4" of order four       `runge_kutta`
                    "rkmk2", "rkmk4": the same of order two and four, which keep the momentum of what floats    `rkmk`
    implicit        "variational" of order two: symplectic, energy stays bounded     `variational`
                    "rosenbrock" of order two, for stiff springs and dampers         `linearly_implicit`
                    "implicit" of order one, for these and for stiff laws            `linearly_implicit`

A method takes and returns a `State`. Those above are functions of q and v, which `_of_stages` and `_of_pair` make
methods of. Where joints have dry friction or hard stops, "semi-implicit" and "implicit" solve for these too, and keep
the impulses from step to step (`constrained_steps`).

τ is constant during the step, but for laws under "implicit" (`Feedback`). Wrenches are constant too, but for functions
of the state, which are called wherever a method evaluates the dynamics. A base or a closure that is driven goes on as
in `dynamics.external_inputs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ...arrays import Array
from ...errors import InputError, lookup, name_list
from ...model.model import Model
from ..closed.closure_conditions import ClosurePoint
from ..closed.closure_paths import Drive
from ..closed.step_projection import closed_state
from ..constraints.joint_rows import JointRows, has_solved_effects, joint_rows
from ..dynamics.external_inputs import ExternalInputs
from ..registry.choices import StepMethod
from ..registry.declaration import algorithm
from ..registry.forms import Forms, by_form
from .constrained_steps import IMPULSES, check_solves_rows, constrained_step
from .linearly_implicit import implicit, rosenbrock
from .rkmk import rkmk2, rkmk4
from .runge_kutta import EXPLICIT, Evaluation, Pair, StepEnd, equations_of_motion
from .state import State
from .step_inputs import StepInputs
from .variational import variational


def _explicit(name: str, model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> StepEnd:
    return EXPLICIT[name](equations_of_motion(model, inputs), q, v, dt)


Method = Callable[[Model, State, Array, StepInputs], tuple[State, Evaluation]]


def _of_pair(after: Callable[[Model, Array, Array, Array, StepInputs], Pair]) -> Method:
    """The method of a function of q and v alone; a projection after it has Z of where the step begins."""

    def with_begin(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> StepEnd:
        return StepEnd(*after(model, q, v, dt, inputs), Evaluation(q, 0.0))

    return _of_stages(with_begin)


def _of_stages(after: Callable[[Model, Array, Array, Array, StepInputs], StepEnd]) -> Method:
    """The method of a function of q and v alone that also returns where it has evaluated the dynamics last."""

    def of_state(model: Model, state: State, dt: Array, inputs: StepInputs) -> tuple[State, Evaluation]:
        q, v, last = after(model, state.q, state.v, dt, inputs)
        return State(q, v, state.kept), last

    return of_state


def _of_rows(name: str) -> Method:
    """The method that solves for rows too."""

    def of_state(model: Model, state: State, dt: Array, inputs: StepInputs) -> tuple[State, Evaluation]:
        return constrained_step(name, model, state, dt, inputs), Evaluation(state.q, 0.0)

    return of_state


METHODS: dict[str, Method] = {
    **{name: _of_stages(partial(_explicit, name)) for name in EXPLICIT},
    "rkmk2": _of_stages(rkmk2),
    "rkmk4": _of_stages(rkmk4),
    "variational": _of_pair(variational),
    "rosenbrock": _of_pair(rosenbrock),
    "implicit": _of_pair(implicit),
}


def method_for(model: Model, name: StepMethod) -> Method:
    """The method of that name; an `InputError` if it has no result for the model."""
    method = lookup("method", name, METHODS)
    if has_solved_effects(model):
        check_solves_rows(name)
        return _of_rows(name)
    if name == "variational" and model.massless:
        able = [x for x in METHODS if x != name]
        others = Forms(
            tree="'implicit' takes it if a spring or a damper acts there",
            closed=f"closed robots with such joints are for {name_list(able, len(able))}",
        ).of(model)
        raise InputError(f"method {name!r} needs a regular mass matrix, and {model.massless[0]}; {others}")
    return method


def initial_kept(model: Model, method: StepMethod) -> dict[str, Array]:
    """What a method keeps from step to step, before the first one: impulses, if it solves for some."""
    if not has_solved_effects(model):
        return {}
    check_solves_rows(method)
    return {IMPULSES: np.zeros(len(joint_rows(model).velocities))}


STARTS = {IMPULSES}
"""Of what methods keep: numbers with which iterations begin. The results do not depend on them."""


def check_keeps_starts(kept: Mapping[str, Array], method: StepMethod) -> None:
    """An error if results of a method depend on what it keeps, which derivatives of rollouts leave out."""
    if others := sorted(kept.keys() - STARTS):
        what = f"the method keeps {name_list(others, len(others))} from step to step, and the next step depends on it"
        raise InputError(f"method {method!r} has no derivatives of rollouts: {what}")


_projected = by_form(tree=lambda model, q, v, *_: (q, v), closed=closed_state)


def state_after(model: Model, state: State, dt: Array, method: StepMethod, inputs: StepInputs, project: bool) -> State:
    """The state after a step, and a projection on closed loops if that is asked for."""
    after, last = method_for(model, method)(model, state, dt, inputs)
    if project:
        q, v = _projected(model, after.q, after.v, *projection_arguments(model, last, dt, inputs.external))
        return State(q, v, after.kept)
    return after


def projection_arguments(
    model: Model, last: Evaluation, dt: Array, given: ExternalInputs
) -> tuple[Drive, ClosurePoint, JointRows]:
    """Of `closed_state` after a step: the drive then, where the dynamics was evaluated last, and the rows of joints."""
    return given.drive_after(model, dt), ClosurePoint(last.q, given.drive_after(model, last.t)), joint_rows(model)


@algorithm(
    keeps_forces=("wrench", "method"),
    honours_closures=True,
    returns={"q": "(nq,) Configuration after the step.", "v": "(nv,) Velocity after the step [rad/s, m/s]."},
)
def step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    *,
    method: StepMethod = "semi-implicit",
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
    project: bool = False,
) -> tuple[Array, Array]:
    """One step in time under constant joint forces.

    Wrenches are constant in their frames. `base_velocity`, `base_acceleration` and `drive` are those of the beginning,
    at which the base has the axes of the world; q stays relative to the base, and gravity turns in its axes. Closed
    loops stay closed to the order of the method, or with `project` to rounding.

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> q, v = kt.algorithms.step(model, z, z, z, 0.01)
    >>> q.round(4), v.round(3)
    (array([-0.0013,  0.0017]), array([-0.126,  0.168]))
    """
    inputs = StepInputs(tau, ExternalInputs.of(locals()))
    state = State(q, v, initial_kept(model, method))
    return state_after(model, state, dt, method, inputs, project)[:2]
