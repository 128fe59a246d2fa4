"""Derivatives of the last state of a rollout, by the discrete adjoint.

With x = (δq, δv), δq along q ⊕ δq, a rollout x_{k+1} = A_k x_k + B_k δτ_k (`linearised_step`) ends with

    x_T = Φ_0 x_0 + Σ_k Φ_{k+1} B_k δτ_k,      Φ_T = 1,   Φ_k = Φ_{k+1} A_k

The states of all steps are computed first and kept, nq + nv numbers per step, and external inputs where they change; Φ
is carried back over them, and A and B are computed there, and not kept. What else methods keep from step to step
(`State.kept`), derivatives leave out: it must be where iterations begin, and methods that keep more are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import Array, scan
from ...linalg import dense
from ...model.model import Model
from ..closed.closure_paths import Drive
from ..derivatives.linearisation import linearised_step
from ..dynamics.external_inputs import ExternalInputs
from ..registry.choices import StepMethod
from ..registry.declaration import algorithm
from .methods import check_keeps_starts, initial_kept
from .rollout import ROW_ARGUMENTS, RolloutState, StepRule
from .rollout_inputs import RolloutInputs
from .state import State


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
    contact: Mapping[str, Array] | None = None,
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
    inputs = RolloutInputs(ExternalInputs.of(locals()))
    rule = StepRule(model, dt, method, inputs, project)

    def ahead(now: RolloutState, row: Any) -> Any:
        tau, given = row
        return rule.after(now, given, inputs.step_inputs(model, now.inputs, given, tau)), now

    def back(Phi: Array, row: Any) -> tuple[Array, Array]:
        (state, carried), (tau, given) = row
        at, of_step = inputs.model_of_step(model, carried), inputs.step_inputs(model, carried, given, tau)
        A, B = linearised_step(at, state, dt, method, of_step, project)
        return dense.product(Phi, A), dense.product(Phi, B)

    check_keeps_starts(model, method)
    kept = initial_kept(model, method)
    begun = scan(ahead, rule.begin(State(q, v, kept)), (tau, inputs.by_rows))[1]
    return scan(back, np.eye(2 * model.nv), (begun, (tau, inputs.by_rows)), reverse=True)
