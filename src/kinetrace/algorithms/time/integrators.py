"""Discrete dynamics: one step in time, on the manifold of configurations.

    explicit        "euler", "semi-implicit" of order one, "rk4" of order four       `runge_kutta`
                    "rkmk2", "rkmk4": the same of order two and four, which keep the momentum of what floats    `rkmk`
    implicit        "variational" of order two: symplectic, energy stays bounded     `variational`
                    "rosenbrock" of order two, for stiff springs and dampers         `linearly_implicit`
                    "implicit" of order one, for these and for stiff laws            `linearly_implicit`

A method (`methods`) takes and returns a `State`. Where joints have dry friction or hard stops, "semi-implicit" and
"implicit" solve for these too, and keep the impulses from step to step (`constrained_steps`).

τ is constant during the step, but for laws under "implicit" (`Feedback`). Wrenches are constant too, but for functions
of the state, which are called wherever a method evaluates the dynamics. A base or a closure that is driven goes on as
in `dynamics.external_inputs`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...arrays import Array
from ...model.model import Model
from ..closed.closure_paths import Drive
from ..closed.projection import ClosurePoint
from ..closed.step_projection import closed_state
from ..constraints.joint_rows import JointRows, joint_rows
from ..dynamics.external_inputs import ExternalInputs
from ..registry.choices import StepMethod
from ..registry.declaration import algorithm
from ..registry.forms import by_form
from .methods import initial_kept, method_for
from .runge_kutta import Evaluation
from .state import State
from .step_inputs import StepInputs

_projected = by_form(tree=lambda model, q, v, *_: (q, v), closed=closed_state)


def state_after(model: Model, state: State, dt: Array, method: StepMethod, inputs: StepInputs, project: bool) -> State:
    """The state after a step, and a projection on closed loops if that is asked for."""
    after, last = method_for(model, method).advance(model, state, dt, inputs)
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
    contact: Mapping[str, Array] | None = None,
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
