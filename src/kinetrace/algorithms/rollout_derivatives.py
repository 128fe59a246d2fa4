"""Derivatives of a rollout's last state: the discrete adjoint.

With x = (δq, δv), δq along q ⊕ δq, a rollout x_{k+1} = A_k x_k + B_k δτ_k (`linearise_step`) ends with

    x_T = Φ_0 x_0 + Σ_k Φ_{k+1} B_k δτ_k,      Φ_T = 1,   Φ_k = Φ_{k+1} A_k

The states of all steps are computed first and kept, nq + nv numbers per step, and external inputs where they
change; Φ is carried back over them, and A and B are computed there, and not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Array, scan
from ..linalg import dense
from ..model.model import Model
from .choices import StepMethod
from .closure_paths import Drive
from .declaration import algorithm
from .external_inputs import RolloutInputs
from .integrators import step
from .linearisation import linearise_step


@algorithm(
    listed=False,
    arguments={
        "tau": "Array, shape (t, nv) | Joint forces [N m, N] of each step.",
        "base_velocity": (
            "Array, shape (6,) or (t, 6) | Twist of the base in its own frame, at the beginning or at that of\n"
            "each step; at rest unless given."
        ),
        "base_acceleration": "Array, shape (6,) or (t, 6) | "
        "Rate of the components of `base_velocity`; zero unless given.",
    },
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

    def ahead(carry: Any, row: Any) -> Any:
        (q, v, carried), (tau, given) = carry, row
        of_step, keywords = inputs.model_of_step(model, carried), inputs.keywords_of_step(carried, given)
        q, v = step(of_step, q, v, tau, dt, method=method, **keywords)
        return (q, v, inputs.carried_after(model, carried, given, dt)), carry

    def back(Phi: Array, row: Any) -> tuple[Array, Array]:
        (q, v, carried), (tau, given) = row
        of_step, keywords = inputs.model_of_step(model, carried), inputs.keywords_of_step(carried, given)
        A, B = linearise_step(of_step, q, v, tau, dt, method=method, **keywords)
        return dense.product(Phi, A), dense.product(Phi, B)

    begun = scan(ahead, (q, v, inputs.initial(model)), (tau, inputs.rows))[1]
    return scan(back, np.eye(2 * model.nv), (begun, (tau, inputs.rows)), reverse=True)
