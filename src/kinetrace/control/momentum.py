"""Observers of the generalised momentum: external joint forces from q, v and τ, without accelerations.

    ṗ = τ + τ_ext + C(q, v)ᵀ v − g − passive forces,      p = M(q) v,      as Ṁ = C + Cᵀ

De Luca and Mattone (2003). The residual r is τ_ext behind a filter of the first order, ṙ = L (τ_ext − r), or of the
second, r̈ = L² (τ_ext − r) − 2 L ṙ. In closed loops p and forces are those of independent velocities, v = G y.

Steps in time. Over the time dt since the last call, with τ held and the other forces by the trapezoidal rule, the mean
of τ_ext follows from the change of p, and the filter is advanced exactly: r ← a r + (1 − a) τ_ext, a = e^(−L dt). It is
stable for every L and dt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..arrays import Array, exp, less, where
from ..errors import InputError
from ..model.model import Model
from ..robot import Robot
from ..robot.common import robot_of
from ..support.keywords import known_keywords
from ..support.plain import plain_count, plain_reals
from .controller import Controller
from .making import maker
from .observer import Observer
from .plant import chosen, spread
from .reference import gains
from .sampling import NEVER, elapsed


def known_forces(model: Model, q: Array, v: Array) -> tuple[Array, Array, Array | None]:
    """Momentum, the forces that the model knows besides τ, and G on closed loops."""
    held = algorithms.gravity(model, q) + model.passive_forces(q, v)
    if not model.closures:
        still = np.zeros(model.nv)
        weightless = replace(model.without_passive_forces, gravity=np.zeros(3))
        p = algorithms.inverse_dynamics(weightless, q, still, v)
        return p, algorithms.coriolis_transpose_product(model, q, v, v) - held, None
    G, y = algorithms.velocity_map(model, q), chosen(model, v)
    C = algorithms.reduced_coriolis_matrix(model, q, v)
    return G.T @ (algorithms.mass_matrix(model, q) @ v), C.T @ y - G.T @ held, G


def stages(state: Mapping[str, Array]) -> list[Array]:
    """What the stages of the filter have found (nv,), by the state of an observer of a tree."""
    return [state[name] for name in ("residual", "slow") if name in state]


@maker
def momentum_observer(robot: Robot, bandwidth: npt.ArrayLike, *, order: int = 1) -> Observer:
    """Observer of external joint forces by the generalised momentum: collisions, contacts, disturbances.

    Its residual r is τ_ext behind a filter, ṙ = L (τ_ext − r), without accelerations and without M⁻¹. For a constant
    τ_ext the error decays as e^(−Lt). Joint effects of the model count as known, everything else that it does not have
    counts as external; the first six entries of a free base are the external wrench on it. In closed loops r has
    entries of independent velocities alone: joint forces that do the same as the external ones along free motions.

    Parameters
    ----------
    robot : Robot
        Robot whose model is used.
    bandwidth : array_like, shape () or (nv,)
        Gains L [1/s], positive; of closed loops those of independent velocities count. Noise of v passes with L M.
    order : {1, 2}, default 1
        Order of the filter: the second, critically damped, lets less noise pass.

    Returns
    -------
    Observer
        The observer, with the parameter `bandwidth`; its state has the `residual`.

    Raises
    ------
    InputError
        If an argument does not fit the robot.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> observer = kt.control.momentum_observer(robot, 100.0)
    >>> held = kt.control.observed(kt.control.pd(robot, [0.5, 0.5], 200.0, 30.0), observer)
    >>> push = {"tip": [0, 0, 0, 5.0, 0, 0]}
    >>> motion = robot.simulate([0.5, 0.5], [0.0, 0.0], t=2.0, dt=1e-3, controller=held, wrench=push)
    >>> true = robot.jacobian(motion.q[-1], "tip").T @ push["tip"]
    >>> motion.states["observer"]["residual"][-1].round(3) + 0.0, true.round(3)
    (array([2.397, 0.   ]), array([2.397, 0.   ]))
    """
    robot_of(robot)
    if order not in (1, 2):
        raise InputError(f"order must be 1 or 2, got {order!r}")
    size, found = robot.dof, gains(robot, "bandwidth", bandwidth, positive=True)

    def law(model: Model, t: Array, q: Array, v: Array, state: Any, tau: Array, bandwidth: Array) -> tuple[Array, Any]:
        p, force, G = known_forces(model, q, v)
        dt = elapsed(t, state["time"])
        before, L = chosen(model, state["residual"]), chosen(model, bandwidth)
        after = {"residual": before, "momentum": p, "force": force, "time": t}
        acting = tau
        if G is not None:
            acting, after["map"] = 0.5 * ((state["map"] + G).T @ tau), G
        runs = less(0.0, dt)
        change = (p - state["momentum"]) / where(runs, dt, 1.0) - acting - 0.5 * (state["force"] + force)
        pole = exp(-L * dt)
        outside = where(runs, change, 0.0 * change)
        if order == 1:
            r = pole * before + (1.0 - pole) * outside
        else:
            slow, mixed = state["slow"], L * dt * pole
            after["slow"] = pole * slow + (1.0 - pole) * outside
            r = pole * before + mixed * slow + (1.0 - pole - mixed) * outside
        after["residual"] = spread(model, r)
        return after["residual"], after

    none = np.zeros(size)
    state = {"residual": np.zeros(robot.nv), "momentum": none, "force": none, "time": NEVER}
    if robot.model.closures:
        state["map"] = np.zeros((robot.nv, size))
    if order == 2:
        state["slow"] = none
    own = {"tau": np.zeros(robot.nv), "bandwidth": found}
    return Observer(Controller(robot, law, "momentum_observer", state, own))


@known_keywords
def collision_time(t: npt.ArrayLike, residual: npt.ArrayLike, threshold: npt.ArrayLike, *, samples: int = 1) -> Any:
    """Time at which a residual first exceeds its threshold.

    Parameters
    ----------
    t : array_like, shape (n,)
        Times [s].
    residual : array_like, shape (..., n, nv)
        Residuals of an observer [N m, N].
    threshold : array_like, shape () or (nv,)
        Largest sizes of residuals without a collision [N m, N].
    samples : int, default 1
        Number of rows, one after the other, in which one and the same entry must exceed its threshold.

    Returns
    -------
    ndarray, shape (...)
        Times of the last of these rows [s]; infinity where there is no collision.

    Raises
    ------
    InputError
        If shapes do not fit, or residuals or thresholds are not finite.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> r = np.array([[0.1, 0.0], [0.3, 0.1], [0.9, 0.1], [1.2, 0.1]])
    >>> kt.control.collision_time([0.0, 0.1, 0.2, 0.3], r, 0.5)
    np.float64(0.2)
    >>> kt.control.collision_time([0.0, 0.1, 0.2, 0.3], r, 2.0)
    np.float64(inf)
    """
    given = {"t": t, "residual": residual, "threshold": threshold}
    times, r, limit = (plain_reals(name, x) for name, x in given.items())
    if times.ndim != 1 or r.ndim < 2 or r.shape[-2] != len(times) or limit.shape not in ((), r.shape[-1:]):
        shapes = [x.shape for x in (times, r, limit)]
        raise InputError(f"expected t (n,), residual (..., n, nv) and threshold () or (nv,); got {shapes}")
    if not len(times):
        raise InputError("t and residual have no rows")
    if not (np.isfinite(r).all() and np.isfinite(times).all() and np.all(limit > 0)):
        raise InputError("times and residuals must be finite, and thresholds positive")
    beyond = np.abs(r) > limit
    for _ in range(plain_count("samples", samples, 1) - 1):
        beyond[..., 1:, :] &= beyond[..., :-1, :]
        beyond[..., 0, :] = False
    rows = beyond.any(axis=-1)
    return np.where(rows.any(axis=-1), times[np.argmax(rows, axis=-1)], np.inf)[()]
