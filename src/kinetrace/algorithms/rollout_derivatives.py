"""Derivatives of a rollout's last state: the discrete adjoint.

With x = (δq, δv), δq along q ⊕ δq, a rollout x_{k+1} = A_k x_k + B_k δτ_k (`linearise_step`) ends with

    x_T = Φ_0 x_0 + Σ_k Φ_{k+1} B_k δτ_k,      Φ_T = 1,   Φ_k = Φ_{k+1} A_k

The states of all steps are computed first and kept, nq + nv numbers per step; Φ is carried back over them, and A and B
are computed there, and not kept.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array, scan
from ..linalg import dense
from ..model.model import Model
from .choices import StepMethod
from .integrators import step
from .linearisation import linearise_step

State = tuple[Array, Array]


def rollout_derivatives(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    *,
    method: StepMethod = "rkmk4",
    wrench: Mapping[str, Array] | None = None,
) -> tuple[Array, Array]:
    """How the last state of a `rollout` changes: Φ (2 nv, 2 nv) with the first one, and (t, 2 nv, nv) with tau (t, nv).

    Arguments and defaults are those of `rollout`, but there is no stabilisation.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> by_state, by_tau = kt.algorithms.rollout_derivatives(model, z, z, np.zeros((5, 2)), 0.01)
    >>> by_state.shape, by_tau.shape
    ((4, 4), (5, 4, 2))
    """

    def ahead(state: State, tau: Array) -> tuple[State, State]:
        return step(model, *state, tau, dt, method=method, wrench=wrench), state

    def back(Phi: Array, at: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        A, B = linearise_step(model, *at, dt, method=method, wrench=wrench)
        return dense.product(Phi, A), dense.product(Phi, B)

    _, (qs, vs) = scan(ahead, (q, v), tau)
    return scan(back, np.eye(2 * model.nv), (qs, vs, tau), reverse=True)
