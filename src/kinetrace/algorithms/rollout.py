"""Discrete dynamics over many steps, under joint forces that are given for each, or that a controller chooses.

    (q, v)_{k+1} = step((q, v)_k, τ_k, h),      τ_k = controller(t_k, q_k, v_k),      k = 0, …, T − 1

Row k of the results is the state after step k: the initial state is none of them. τ is constant during a step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..arrays import Array, scan
from ..model.model import Model
from .choices import StepMethod
from .integrators import step


def rollout(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    *,
    method: StepMethod = "rkmk4",
    wrench: Mapping[str, Array] | None = None,
    stabilisation: Array | None = None,
) -> tuple[Array, Array]:
    """q (t, nq) and v (t, nv) after each of t steps of dt () [s], under joint forces tau (t, nv).

    Methods, wrenches, which are constant, and stabilisation are those of `step`. Loops of closed chains are not
    projected: without stabilisation they open slowly.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> q, v = kt.algorithms.rollout(model, z, z, np.zeros((5, 2)), 0.01)
    >>> q.shape, v[0].round(3)
    ((5, 2), array([-0.126,  0.168]))
    """

    def one(state: tuple[Array, Array], tau: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        after = step(model, *state, tau, dt, method=method, wrench=wrench, stabilisation=stabilisation)
        return after, after

    return scan(one, (q, v), tau)[1]


def controlled_rollout(
    model: Model,
    q: Array,
    v: Array,
    times: Array,
    dt: Array,
    *,
    controller: Callable[..., Any],
    state: Any = None,
    parameters: Mapping[str, Array] | None = None,
    method: StepMethod = "rkmk4",
    wrench: Mapping[str, Array] | None = None,
    stabilisation: Array | None = None,
) -> tuple[Array, Array, Array, Any]:
    """q (t, nq), v (t, nv) after, and τ (t, nv) during each of t steps that begin at `times` (t,), and the last state.

    `controller(t, q, v, **parameters)` returns τ; with a state of its own, `controller(t, q, v, state, **parameters)`
    returns τ and the next state.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> q, v, tau, _ = controlled_rollout(model, z, z, 0.01 * np.arange(5), 0.01, controller=lambda t, q, v: -v)
    >>> q.shape, tau.shape
    ((5, 2), (5, 2))
    """
    given = dict(parameters or {})

    def one(carry: Any, t: Array) -> Any:
        q, v, inner = carry
        found = controller(t, q, v, **given) if inner is None else controller(t, q, v, inner, **given)
        tau, inner = (found, None) if inner is None else found
        q, v = step(model, q, v, tau, dt, method=method, wrench=wrench, stabilisation=stabilisation)
        return (q, v, inner), (q, v, tau)

    (_, _, last), (qs, vs, taus) = scan(one, (q, v, state), times)
    return qs, vs, taus, last
