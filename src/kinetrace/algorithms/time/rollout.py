"""Discrete dynamics over many steps, under joint forces that are given for each, or that a controller chooses.

    (q, v)_{k+1} = step((q, v)_k, τ_k, h),      τ_k = controller(t_k, q_k, v_k),      k = 0, …, T − 1

Row k of the results is the state after step k: the initial state is none of them. τ is constant during a step, but for
the method "implicit", in which a controller acts on as its derivatives T_q and T_v at the beginning of the step say:

    τ = τ_k + T_q h v⁺ + T_v (v⁺ − v)

A base and closures that are driven go on from step to step as in `external_inputs`. After each step, its state is
projected on closed loops (`closed.projection`), unless `project` is False.

Derivatives of the last state are those of the discrete adjoint. With x = (δq, δv), δq along q ⊕ δq, a rollout
x_{k+1} = A_k x_k + B_k δτ_k (`linearise_step`) ends with

    x_T = Φ_0 x_0 + Σ_k Φ_{k+1} B_k δτ_k,      Φ_T = 1,   Φ_k = Φ_{k+1} A_k

The states of all steps are computed first and kept, nq + nv numbers per step, and external inputs where they change; Φ
is carried back over them, and A and B are computed there, and not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, scan, tree_leaves
from ...engine.derivative import jacobian
from ...linalg import dense
from ...model.model import Model
from ..closed.closure_paths import Drive
from ..derivatives.linearisation import linearise_step
from ..registry.choices import StepMethod
from ..registry.declaration import algorithm
from .external_inputs import CarriedInputs, Feedback, RolloutInputs, StepInputs, StepRow, WrenchFunction
from .integrators import state_after

ROW_ARGUMENTS = {
    "tau": "Array, shape (t, nv) | Joint forces [N m, N] of each step.",
    "base_velocity": (
        "Array, shape (6,) or (t, 6) | Twist of the base in its own frame, at the beginning or at that of\n"
        "each step; at rest unless given."
    ),
    "base_acceleration": "Array, shape (6,) or (t, 6) | Rate of the components of `base_velocity`; zero unless given.",
}
"""Arguments with a row for each step."""


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
    inputs = RolloutInputs(base_velocity, base_acceleration, wrench, drive, stabilisation)
    return _scan_steps(StepRule(model, dt, method, inputs, project), q, v, tau)[1]


Carry = tuple[Array, Array, CarriedInputs]
"""q, v, and the inputs that change from step to step."""


class StepRule(NamedTuple):
    """How a rollout steps."""

    model: Model
    dt: Array
    method: StepMethod
    inputs: RolloutInputs
    project: bool

    def after(self, state: Carry, row: StepRow, of_step: StepInputs) -> Carry:
        """The state and what is carried after a step."""
        q, v, carried = state
        model = self.inputs.model_of_step(self.model, carried)
        q, v = state_after(model, q, v, self.dt, self.method, of_step, self.project)
        return q, v, self.inputs.carried_after(self.model, carried, row, self.dt)


def _scan_steps(rule: StepRule, q: Array, v: Array, tau: Array) -> tuple[Carry, tuple[Array, Array]]:
    """The last carry, and the rows."""

    def one(state: Carry, row: Any) -> Any:
        tau, given = row
        after = rule.after(state, given, rule.inputs.step_inputs(rule.model, state[2], given, tau))
        return after, after[:2]

    return scan(one, (q, v, rule.inputs.initial(rule.model)), (tau, rule.inputs.rows))


def continued_rollout(
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
    wrench_function: WrenchFunction | None = None,
    times: Array | None = None,
    project: bool = True,
) -> tuple[Array, ...]:
    """A `rollout` that can be continued: q and v, then base_velocity, drive and gravity at its end if they change.

    `wrench_function` are wrenches that are functions of the time and the state, of steps that begin at `times` (t,).
    """
    inputs = RolloutInputs(base_velocity, base_acceleration, wrench, drive, stabilisation, wrench_function, times)
    (*_, carried), rows = _scan_steps(StepRule(model, dt, method, inputs, project), q, v, tau)
    return (*rows, *tree_leaves(carried))


def controlled_rollout(
    model: Model,
    q: Array,
    v: Array,
    times: Array,
    dt: Array,
    *,
    controller: Callable[..., Any],
    held: bool = False,
    state: Any = None,
    parameters: Mapping[str, Array] | None = None,
    method: StepMethod = "rkmk4",
    project: bool = True,
    **external: Any,
) -> tuple[Array, Array, Array, Any, CarriedInputs]:
    """q (t, nq), v (t, nv) after, and τ (t, nv) during each of t steps that begin at `times` (t,).

    `controller(t, q, v, **parameters)` returns τ; with a state of its own, `controller(t, q, v, state, **parameters)`
    returns τ and the next state. With `held`, every method holds its forces. `wrench_function` are
    wrenches that are functions of the time and the state. Rows of the states after each step follow, and the
    surroundings at the end.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> q, v, tau, *_ = controlled_rollout(model, z, z, 0.01 * np.arange(5), 0.01, controller=lambda t, q, v: -v)
    >>> q.shape, tau.shape
    ((5, 2), (5, 2))
    """
    own, inputs = dict(parameters or {}), RolloutInputs(times=times, **external)
    rule = StepRule(model, dt, method, inputs, project)

    def evaluate(model: Model, t: Array, q: Array, v: Array, inner: Any) -> tuple[Array, Any]:
        return (controller(t, q, v, **own), None) if inner is None else controller(t, q, v, inner, **own)

    def one(carry: Any, row: Any) -> Any:
        (q, v, inner, carried), (t, given) = carry, row
        tau, after = evaluate(model, t, q, v, inner)
        of_step = inputs.step_inputs(model, carried, given, tau)
        if method == "implicit" and not held:
            slopes = jacobian(lambda model, q, v: evaluate(model, t, q, v, inner)[0], wrt=("q", "v"))
            of_step = of_step._replace(feedback=Feedback(*slopes(model, q, v)))
        q, u, carried = rule.after((q, v, carried), given, of_step)
        return (q, u, after, carried), (q, u, of_step.forces_during(dt, v, u), after)

    (*_, carried), rows = scan(one, (q, v, state, inputs.initial(model)), (times, inputs.rows))
    return (*rows, carried)


@algorithm(
    listed=False,
    arguments=ROW_ARGUMENTS,
    returns={
        "by_state": "(2 nv, 2 nv) Φ, by (δq, δv) at the beginning.",
        "by_tau": "(t, 2 nv, nv) By the joint forces of each step.",
    },
)
def rollout_derivatives(
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
    project: bool = True,
) -> tuple[Array, Array]:
    """Derivatives of the last state of a `rollout` by the first and by the joint forces.

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> by_state, by_tau = kt.algorithms.rollout_derivatives(model, z, z, np.zeros((3, 2)), 0.01)
    >>> by_state.round(3)
    array([[ 1.   ,  0.   ,  0.03 ,  0.   ],
           [ 0.   ,  1.   ,  0.   ,  0.03 ],
           [-0.002,  0.003,  1.   ,  0.   ],
           [ 0.004, -0.011,  0.   ,  1.   ]])
    """
    inputs = RolloutInputs(base_velocity, base_acceleration, wrench, drive, stabilisation)
    rule = StepRule(model, dt, method, inputs, project)

    def ahead(state: Carry, row: Any) -> Any:
        tau, given = row
        return rule.after(state, given, inputs.step_inputs(model, state[2], given, tau)), state

    def back(Phi: Array, row: Any) -> tuple[Array, Array]:
        (q, v, carried), (tau, given) = row
        of_step, keywords = inputs.model_of_step(model, carried), inputs.keywords_of_step(carried, given)
        A, B = linearise_step(of_step, q, v, tau, dt, method=method, project=project, **keywords)
        return dense.product(Phi, A), dense.product(Phi, B)

    begun = scan(ahead, (q, v, inputs.initial(model)), (tau, inputs.rows))[1]
    return scan(back, np.eye(2 * model.nv), (begun, (tau, inputs.rows)), reverse=True)
