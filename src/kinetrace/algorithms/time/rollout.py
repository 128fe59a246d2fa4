"""Discrete dynamics over many steps, under joint forces that are given for each, or that a controller chooses.

    (q, v)_{k+1} = step((q, v)_k, τ_k, h),      τ_k = controller(t_k, q_k, v_k),      k = 0, …, T − 1

Row k of the results is the state after step k: the initial state is none of them. τ is constant during a step, but for
the method "implicit", in which a controller acts on as its derivatives T_q and T_v at the beginning of the step say:

    τ = τ_k + T_q h v⁺ + T_v (v⁺ − v)

A base and closures that are driven go on from step to step as in `dynamics.external_inputs`. After each step, its state
is projected on closed loops (`closed.step_projection`), unless `project` is False.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...arrays import Array, scan, tree_leaves
from ...engine.derivative import jacobian
from ...model.model import Model
from ..closed.closure_paths import Drive
from ..dynamics.external_inputs import ExternalInputs
from ..registry.choices import StepMethod
from ..registry.declaration import algorithm
from .integrators import state_after
from .methods import initial_kept
from .rollout_inputs import CarriedInputs, RolloutInputs, StepRow
from .state import State
from .step_inputs import Feedback, StepInputs, WrenchFunction

ROW_ARGUMENTS = {
    "tau": "Array, shape (t, nv) | Joint forces [N m, N] of each step.",
    "base_velocity": (
        "Array, shape (6,) or (t, 6) | Twist of the base in its own frame, at the beginning or at that of\n"
        "each step; at rest unless given."
    ),
    "base_acceleration": "Array, shape (6,) or (t, 6) | Rate of the components of `base_velocity`; zero unless given.",
    "drive": (
        "mapping of str to array, shape (3, k) or (t, 3, k) | Prescribed motions of closures by name, at the\n"
        "beginning or at that of each step."
    ),
}
"""Arguments with a row for each step."""
REPORTED = ("contact_impulses", "contact_residual")
"""What methods keep from step to step that simulations have rows of."""


@algorithm(
    listed=False,
    arguments=ROW_ARGUMENTS,
    returns={"q": "(t, nq) Configurations after the steps.", "v": "(t, nv) Velocities after the steps [rad/s, m/s]."},
)
def rollout(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    *,
    method: StepMethod = "rkmk4",
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
    contact: Mapping[str, Array] | None = None,
    project: bool = True,
) -> tuple[Array, Array]:
    """States after each of t steps in time, under given joint forces.

    Wrenches are constant. `base_velocity` (6,) and `drive` are those of the beginning, and continue at constant rates.

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> q, v = kt.algorithms.rollout(model, z, z, np.zeros((3, 2)), 0.01)
    >>> v.round(3)
    array([[-0.126,  0.168],
           [-0.252,  0.336],
           [-0.378,  0.504]])
    """
    inputs = RolloutInputs(ExternalInputs.of(locals()))
    state = State(q, v, initial_kept(model, method))
    q, v = _scan_steps(StepRule(model, dt, method, inputs, project), state, tau)[1]
    return q, v


class RolloutState(NamedTuple):
    """What goes on from step to step."""

    state: State
    inputs: CarriedInputs


class StepRule(NamedTuple):
    """How a rollout steps."""

    model: Model
    dt: Array
    method: StepMethod
    inputs: RolloutInputs
    project: bool

    def begin(self, state: State) -> RolloutState:
        """What the first step begins with."""
        return RolloutState(state, self.inputs.initial(self.model))

    def after(self, now: RolloutState, row: StepRow, of_step: StepInputs) -> RolloutState:
        """What goes on after a step."""
        model = self.inputs.model_of_step(self.model, now.inputs)
        state = state_after(model, now.state, self.dt, self.method, of_step, self.project)
        return RolloutState(state, self.inputs.carried_after(self.model, now.inputs, row, self.dt))


def _scan_steps(
    rule: StepRule, state: State, tau: Array, reported: tuple[str, ...] = ()
) -> tuple[RolloutState, tuple[Array, ...]]:
    """What goes on at the end, and the rows of q, v and of what is reported."""

    def one(now: RolloutState, row: Any) -> Any:
        tau, given = row
        after = rule.after(now, given, rule.inputs.step_inputs(rule.model, now.inputs, given, tau))
        return after, (*after.state[:2], *_reported(after.state, reported))

    return scan(one, rule.begin(state), (tau, rule.inputs.by_rows))


def _reported(state: State, names: tuple[str, ...]) -> tuple[Array, ...]:
    """These of the arrays that a method keeps."""
    return tuple(state.kept[name] for name in names)


def continued_rollout(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    *,
    method: StepMethod = "rkmk4",
    external: Mapping[str, Any] | None = None,
    wrench_function: WrenchFunction | None = None,
    times: Array | None = None,
    kept: Mapping[str, Array] | None = None,
    project: bool = True,
    reported: tuple[str, ...] = (),
) -> tuple[Array, ...]:
    """A `rollout` that can be continued: q and v, then the arrays of what the method keeps and of the `CarriedInputs`.

    `external` are `ExternalInputs` by name; `wrench_function` are wrenches that are functions of the time and the
    state, of steps that begin at `times` (t,). Behind q and v are rows of what is `reported` of that which is kept.
    """
    inputs = RolloutInputs(ExternalInputs(**(external or {})), wrench_function, times)
    rule = StepRule(model, dt, method, inputs, project)
    last, rows = _scan_steps(rule, State(q, v, kept or {}), tau, reported)
    return (*rows, *tree_leaves((last.state.kept, last.inputs)))


def controlled_rollout(
    model: Model,
    q: Array,
    v: Array,
    times: Array,
    dt: Array,
    *,
    controller: Callable[..., Any],
    holds_forces: bool = False,
    state: Any = None,
    parameters: Mapping[str, Array] | None = None,
    parameter_rows: Mapping[str, Array] | None = None,
    external: Mapping[str, Any] | None = None,
    wrench_function: WrenchFunction | None = None,
    kept: Mapping[str, Array] | None = None,
    method: StepMethod = "rkmk4",
    project: bool = True,
    reported: tuple[str, ...] = (),
) -> tuple[Array, Array, Array, Any, tuple[Array, ...], Mapping[str, Array], CarriedInputs]:
    """q (t, nq), v (t, nv) after, and τ (t, nv) during each of t steps that begin at `times` (t,).

    `controller(t, q, v, **parameters)` returns τ; with a state of its own, `controller(t, q, v, state, **parameters)`
    returns τ and the next state. `parameter_rows` are parameters with a row (t, n) for each step. With `holds_forces`,
    every method holds them during a step. `external` and `wrench_function` are those of `continued_rollout`. Rows of
    the controller's states after each step follow, those of what is `reported`, and what the method keeps and the
    inputs at the end.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> q, v, tau, *_ = controlled_rollout(model, z, z, 0.01 * np.arange(5), 0.01, controller=lambda t, q, v: -v)
    >>> q.shape, tau.shape
    ((5, 2), (5, 2))
    """
    own, inputs = dict(parameters or {}), RolloutInputs(ExternalInputs(**(external or {})), wrench_function, times)
    rule = StepRule(model, dt, method, inputs, project)

    def one(carry: Any, row: Any) -> Any:
        (now, inner), (t, mine, given) = carry, row
        q, v = now.state[:2]

        def evaluate(model: Model, t: Array, q: Array, v: Array, inner: Any) -> tuple[Array, Any]:
            named = {**own, **mine}
            return (controller(t, q, v, **named), None) if inner is None else controller(t, q, v, inner, **named)

        tau, after = evaluate(model, t, q, v, inner)
        of_step = inputs.step_inputs(model, now.inputs, given, tau)
        if method == "implicit" and not holds_forces:
            slopes = jacobian(lambda model, q, v: evaluate(model, t, q, v, inner)[0], wrt=("q", "v"))
            of_step = of_step._replace(feedback=Feedback(*slopes(model, q, v)))
        following = rule.after(now, given, of_step)
        q, u = following.state[:2]
        rows = q, u, of_step.forces_during(dt, v, u), after, _reported(following.state, reported)
        return (following, after), rows

    (last, _), rows = scan(
        one, (rule.begin(State(q, v, kept or {})), state), (times, dict(parameter_rows or {}), inputs.by_rows)
    )
    return (*rows, last.state.kept, last.inputs)
