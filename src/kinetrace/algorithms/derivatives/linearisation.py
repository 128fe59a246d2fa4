"""Linear dynamics about a state, or about every state of a trajectory.

With x = (δq, δv), where δq is along q ⊕ δq,

    ẋ = A x + B δτ       A = [[−[v, ·], 1], [∂v̇/∂q, ∂v̇/∂v]],   B = [[0], [M⁻¹]]
    x⁺ = A x + B δτ      of one `step` in time, δq⁺ being along q⁺ ⊕ δq⁺

With closures x = (δp, δy): δp are the changes of q in the directions `Assembly.places`, all that the closures leave of
it, and y the independent velocities, as many unless there are closures that hold velocities alone. With G_p and G from
`independent_velocities`,

    δq = G_p δp,    δv = G δy + H δp,    K H = −∂(K v)/∂q G_p
    A = [[(H − [v, G_p ·])_p, rows p of G], [(∂v̇/∂q G_p + ∂v̇/∂v H)_y, (∂v̇/∂v G)_y]],   B = [[0], [P_y]]

The bracket is that of velocities, zero but for quaternions: X exp(δq) moves with v + δq̇ + [v, δq]. Drifts cancel, so A
and B hold along any motion and not at rest alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, block, concatenate, stack
from ...engine.derivative import jacobian
from ...linalg import dense
from ...model.model import Model
from ..closed.closure_paths import Drive, closure_states
from ..closed.closures import closure_jacobian, row_selection
from ..closed.independent_velocities import dependent_solve, embedding, position_split, velocity_split
from ..dynamics.external_inputs import ExternalInputs
from ..registry.choices import StepMethod
from ..registry.declaration import algorithm
from ..registry.forms import Forms
from ..time.integrators import projection_arguments
from ..time.methods import initial_kept, method_for, solves_rows
from ..time.runge_kutta import EXPLICIT, Pair, StepEnd
from ..time.state import State
from ..time.step_inputs import StepInputs
from ..time.variational import variational_derivatives
from .closed_chains import closure_derivatives
from .contact_steps import contact_step_end
from .dynamics import forward_dynamics_derivatives
from .projection import closed_state_derivatives
from .tangent_space import in_tangent
from .varied_system import LinearisedValue, varied_system


@algorithm(
    keeps_forces=("wrench",),
    honours_closures=True,
    returns={
        "A": "(2 nv, 2 nv) Derivative of the rates by the state.",
        "B": "(2 nv, nv) Derivative of the rates by the joint forces.",
    },
)
def linearise(
    model: Model, q: Array, v: Array, tau: Array, *, wrench: Mapping[str, Array] | None = None
) -> tuple[Array, Array]:
    """Linear dynamics ẋ = A x + B δτ about a state, with x = (δq, δv).

    With closures, A has the shape (k, k) and B (k, nv), with k = len(places) + dof: 2 dof if all closures hold
    positions.

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> A, B = kt.algorithms.linearise(model, z, z, z)
    >>> B.round(3)
    array([[ 0.   ,  0.   ],
           [ 0.   ,  0.   ],
           [ 1.714, -4.286],
           [-4.286, 13.714]])
    """
    dq, dv, dtau = forward_dynamics_derivatives(model, q, v, tau, wrench=wrench)
    return free_linearisation(model, q, v, dq, dv, dtau)


def free_linearisation(model: Model, q: Array, v: Array, dq: Array, dv: Array, dtau: Array) -> tuple[Array, Array]:
    """A and B in the directions that closures leave: of a tree, all."""
    by_place, by_velocity, n = position_split(model), velocity_split(model), model.nv
    K = closure_jacobian(model, q)
    holonomic, all_rows = (row_selection(model, K, of.candidates) for of in (by_place, by_velocity))
    changes = all_rows @ closure_derivatives(model, closure_states(model, q), q, v, np.zeros(n))[2]
    G_p, G = embedding(model, by_place, holonomic @ K), embedding(model, by_velocity, all_rows @ K)
    H = dependent_solve(model, by_velocity, all_rows @ K, -changes @ G_p)
    drift = stack([model.bracket(v, x) for x in G_p.T]) if G_p.shape[1] else np.zeros(G_p.shape)
    p, y = by_place.independent, by_velocity.independent
    A = block([[(H - drift)[p], G[p]], [(dq @ G_p + dv @ H)[y], (dv @ G)[y]]])
    return A, concatenate([np.zeros((len(p), n)), dtau[y]], axis=0)


@algorithm(
    keeps_forces=("wrench", "method"),
    honours_closures=True,
    returns={
        "A": "(2 nv, 2 nv) Derivative of the next state by the state.",
        "B": "(2 nv, nv) Derivative of the next state by the joint forces.",
    },
)
def linearise_step(
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
    """Linear dynamics x⁺ = A x + B δτ of one `step`, with x = (δq, δv).

    With closures too, x are all coordinates, those that open loops included. With contacts, dry friction or hard stops,
    A and B are those of the regions in which the step ends: which contacts touch, stick and slip. Where these change
    there are no derivatives, and those of one side are given.

    >>> model = kt.load("planar2r").model
    >>> x, z = np.ones(2), np.zeros(2)
    >>> A, B = kt.algorithms.linearise_step(model, x, z, z, 0.1)
    >>> A.round(3)
    array([[ 1.079,  0.043,  0.1  ,  0.   ],
           [-0.009,  0.946,  0.   ,  0.1  ],
           [ 0.787,  0.434,  1.   ,  0.   ],
           [-0.086, -0.536,  0.   ,  1.   ]])
    """
    inputs = StepInputs(tau, ExternalInputs.of(locals()))
    return linearised_step(model, State(q, v, initial_kept(model, method)), dt, method, inputs, project)


def linearised_step(
    model: Model, state: State, dt: Array, method: StepMethod, inputs: StepInputs, project: bool
) -> Pair:
    """A (2 nv, 2 nv) and B (2 nv, nv) of `state_after`."""
    n, given = model.nv, inputs.external
    has_system = given._replace(contact=None).is_differentiated and inputs.wrench_function is None
    if has_system and method == "semi-implicit" and model.contacts is not None:
        end = _FORMS.of(model).of_contacts(model, state, dt, method, inputs)
    elif method not in EXPLICIT or not has_system or solves_rows(model):
        end = step_end_derivatives(model, state, dt, method, inputs)
    else:
        by_q, by_v, by_tau = np.eye(3 * n).reshape(3, n, 3 * n)
        robot = varied_system(model, LinearisedValue(inputs.tau, by_tau), given)
        end = EXPLICIT[method](robot, LinearisedValue(state.q, by_q), LinearisedValue(state.v, by_v), dt)
    D = _FORMS.of(model).projected(model, end, given, dt) if project else _rows(end)
    return D[:, : 2 * n], D[:, 2 * n :]


def _rows(end: StepEnd) -> Array:
    return concatenate([end.q.D, end.u.D], axis=0)


def _along_loops(model: Model, end: StepEnd, given: ExternalInputs, dt: Array) -> Array:
    """∂(q⁺, v⁺)/∂(q, v, τ) with a projection, from that of the state before it."""
    at = projection_arguments(model, end.last._replace(q=end.last.q.value), dt, given)
    by_state = closed_state_derivatives(model, end.q.value, end.u.value, *at)
    return dense.product(by_state, concatenate([_rows(end), end.last.q.D], axis=0))


def step_end_derivatives(model: Model, state: State, dt: Array, method: StepMethod, inputs: StepInputs) -> StepEnd:
    """A step without projection, through its graph, or of its equations; configurations along q⁺ ⊕ ε."""
    step = method_for(model, method).advance
    after, last = step(model, state, dt, inputs)
    if method == "variational":
        by_q, by_v = variational_derivatives(model, state.q, state.v, dt, inputs)[1:]
        by_last = np.eye(model.nv, 3 * model.nv)
    else:

        def end(model: Model, q: Array, v: Array, tau: Array, dt: Array, kept: Any, rest: Any) -> Any:
            after, last = step(model, State(q, v, kept), dt, StepInputs.from_tuple(rest)._replace(tau=tau))
            return after.q, after.v, last.q

        at = (model, state.q, state.v, inputs.tau, dt, state.kept, inputs._replace(tau=None))
        slopes = jacobian(end, wrt=("q", "v", "tau"))(*at)
        by_q, by_v, by_last = (block([list(slopes[k : k + 3])]) for k in (0, 3, 6))
        by_last = in_tangent(model, last.q, by_last)
    q, v = LinearisedValue(after.q, in_tangent(model, after.q, by_q)), LinearisedValue(after.v, by_v)
    return StepEnd(q, v, last._replace(q=LinearisedValue(last.q, by_last)))


class _Derivatives(NamedTuple):
    """What differs with closed loops."""

    of_contacts: Callable[[Model, State, Array, StepMethod, StepInputs], StepEnd]
    """A step of "semi-implicit" with contacts, without projection."""
    projected: Callable[[Model, StepEnd, ExternalInputs, Array], Array]
    """∂(q⁺, v⁺)/∂(q, v, τ) with one."""


_FORMS = Forms(
    tree=_Derivatives(
        lambda model, state, dt, _, inputs: contact_step_end(model, state, dt, inputs), lambda _, end, *__: _rows(end)
    ),
    closed=_Derivatives(step_end_derivatives, _along_loops),
)
