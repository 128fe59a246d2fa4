"""`Observer`: an estimator of external joint forces, written once as plain array code of one state.

    τ_ext, state = law(model, t, q, v, state, tau, **parameters)          tau: the joint forces since the last call

That of the generalised momentum finds external joint forces from q, v and τ, without accelerations.

    ṗ = τ + τ_ext + C(q, v)ᵀ v − g − passive forces,      p = M(q) v,      as Ṁ = C + Cᵀ

De Luca and Mattone (2003). The residual r is τ_ext behind a filter of the first order, ṙ = L (τ_ext − r), or of the
second, r̈ = L² (τ_ext − r) − 2 L ṙ. In closed loops p and forces are those of independent velocities, v = G y.

Steps in time. Over the time dt since the last call, with τ held and the other forces by the trapezoidal rule, the mean
of τ_ext follows from the change of p, and the filter is advanced exactly: r ← a r + (1 − a) τ_ext, a = e^(−L dt). It is
stable for every L and dt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..algorithms.closed.independent_velocities import velocity_map_and_rate
from ..arrays import Array, exp, less, scan, where
from ..engine.runtime.kernel import Kernel
from ..errors import InputError
from ..model.model import Model
from ..robot import Robot
from ..robot.common import robot_of
from ..support.attributes import cached_property
from ..support.conversion import as_count, as_reals
from ..support.keywords import known_keywords
from .controller import NO_CALL_TIME, Controller, Float, time_since_call
from .pickling import ORIGIN, known_fields, made_again, maker
from .plant import independent_part, to_all_joints
from .reference import gains


@known_fields
@dataclass(frozen=True, eq=False, repr=False)
class Observer:
    """Estimator of external joint forces, fed with q, v and the joint forces that act.

    It runs alone, on one state or a batch, beside a controller in `Robot.simulate` (`observed`), and as generated C.
    `momentum_observer` makes one.

    Parameters
    ----------
    law : Controller
        The law, with τ as its parameter `tau`; it returns the estimate and the next state.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> observer = kt.control.momentum_observer(robot, 50.0)
    >>> q, v, tau = np.zeros(2), np.zeros(2), robot.gravity(np.zeros(2))
    >>> r, state = observer(0.0, q, v, tau)
    >>> r, state = observer(0.001, q, v, tau - [1.0, 0.0], state)  # it rests, though a newton metre is missing
    >>> r.round(4)
    array([0.0488, 0.    ])
    """

    law: Controller
    """The law, with τ as its parameter `tau`."""

    @property
    def robot(self) -> Robot:
        """The robot whose model is used."""
        return self.law.robot

    @property
    def initial_state(self) -> Any:
        """The state at the beginning."""
        return self.law.initial_state

    @property
    def parameters(self) -> Mapping[str, Float]:
        """Numbers that the law takes by name."""
        return {name: x for name, x in self.law.parameters.items() if name != "tau"}

    @property
    def kernel(self) -> Kernel:
        """Compiled law, a function of t, q, v, the arrays of the state, tau and the parameters, in this order."""
        return self.law.kernel

    def __call__(self, t: Any, q: Any, v: Any, tau: Any, state: Any = None, /, **parameters: Any) -> tuple[Any, Any]:
        """Estimate and next state, from the state at time t and the joint forces (..., nv) since the last call."""
        found: tuple[Any, Any] = self.law(t, q, v, state, tau=tau, **parameters)
        return found

    def along(self, t: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike) -> Float:
        """Estimates along a motion, such as a log or a `Trajectory`.

        Parameters
        ----------
        t : array_like, shape (n,)
            Times of the rows [s].
        q : array_like, shape (..., n, nq)
            Configurations.
        v : array_like, shape (..., n, nv)
            Velocities [rad/s, m/s].
        tau : array_like, shape (..., n, nv)
            Joint forces from each row to the next [N m, N].

        Returns
        -------
        ndarray, shape (..., n, nv)
            Estimates at the rows [N m, N].

        Raises
        ------
        InputError
            If the shapes do not fit, numbers are not finite, or times do not increase.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> push = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=1e-3, wrench={"tip": [0, 0, 0, 0, 0, 10.0]})
        >>> kt.control.momentum_observer(robot, 100.0).along(push.t, push.q, push.v, push.tau)[-1].round(2)
        array([19.61, 10.  ])
        """
        given = {"t": t, "q": q, "v": v, "tau": tau}
        robot, rows = self.robot, [as_reals(name, x) for name, x in given.items()]
        n, sizes = rows[0].shape[-1:], (robot.nq, robot.nv, robot.nv)
        if rows[0].ndim != 1 or [x.shape[-2:] for x in rows[1:]] != [(*n, size) for size in sizes]:
            shapes = f"t (n,), q (..., n, {robot.nq}), v and tau (..., n, {robot.nv})"
            raise InputError(f"rows must be {shapes}; got {[x.shape for x in rows]}")
        if not all(np.isfinite(x).all() for x in rows) or not (np.diff(rows[0]) > 0).all():
            raise InputError("rows must be finite numbers, at times t that increase")
        found: Float = self._rows(*rows)
        return found

    @cached_property
    def _rows(self) -> Kernel:
        """The law as a loop over rows."""
        robot, first = self.robot, self.initial_state
        own = tuple(self.parameters.values())

        def run(model: Model, times: Array, qs: Array, vs: Array, taus: Array) -> Array:
            def one(carry: Any, row: Any) -> Any:
                inner, tau = carry
                t, q, v, next_tau = row
                found, inner = self.law.law(model, t, q, v, inner, tau, *own)
                return (inner, next_tau), found

            return scan(one, (first, np.zeros(robot.nv)), (times, qs, vs, taus))[1]

        shapes = {"times": ("n",), "qs": ("n", robot.nq), "vs": ("n", robot.nv), "taus": ("n", robot.nv)}
        return robot.kernel(run, shapes=shapes)

    def source(self, name: str | None = None, *, lang: str = "c", dtype: str = "float64") -> dict[str, str]:
        """Files of the law in another language.

        Parameters
        ----------
        name : str, optional
            Name of the function and of the files; by default that of the robot and of the observer.
        lang : {"c", "cuda", "javascript"}, default "c"
            Language.
        dtype : {"float64", "float32"}, default "float64"
            Precision.

        Returns
        -------
        dict of str to str
            Text by file name: header, source, a test, and how to build them.

        Raises
        ------
        InputError
            If the language or the name is not valid.

        Examples
        --------
        >>> import kinetrace as kt
        >>> observer = kt.control.momentum_observer(kt.load("planar2r"), 50.0)
        >>> sorted(observer.source())[2]
        'planar2r_momentum_observer.c'
        """
        return self.law.source(name, lang=lang, dtype=dtype)

    def __reduce__(self) -> Any:
        if ORIGIN in vars(self):
            return made_again, (*vars(self)[ORIGIN], {})
        return Observer, (self.law,)

    def __copy__(self) -> Observer:
        return self

    def __deepcopy__(self, memo: Any) -> Observer:
        return self

    def __repr__(self) -> str:
        return f"Observer({self.law.name!r} of {self.robot.name!r}, {', '.join(self.parameters)})"


def known_forces(model: Model, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Momentum Gᵀ p, p = M v, the forces Gᵀ (Cᵀ v − g) + Ġᵀ p that the model knows besides τ, and G."""
    held = algorithms.gravity(model, q) + model.passive_forces(q, v)
    still, weightless = np.zeros(model.nv), replace(model.without_passive_forces, gravity=np.zeros(3))
    p = algorithms.inverse_dynamics(weightless, q, still, v)
    G, dG = velocity_map_and_rate(model, q, v)
    return G.T @ p, G.T @ (algorithms.coriolis_transpose_product(model, q, v, v) - held) + dG.T @ p, G


def stages(state: Mapping[str, Array]) -> list[Array]:
    """Results (nv,) of the stages of the filter, by the state of an observer of a tree."""
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
        dt = time_since_call(t, state["time"])
        before, L = independent_part(model, state["residual"]), independent_part(model, bandwidth)
        after = {"residual": before, "momentum": p, "force": force, "time": t}
        acting = tau
        if "map" in state:
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
        after["residual"] = to_all_joints(model, r)
        return after["residual"], after

    none = np.zeros(size)
    state = {"residual": np.zeros(robot.nv), "momentum": none, "force": none, "time": NO_CALL_TIME}
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
    times, r, limit = (as_reals(name, x) for name, x in given.items())
    if times.ndim != 1 or r.ndim < 2 or r.shape[-2] != len(times) or limit.shape not in ((), r.shape[-1:]):
        shapes = [x.shape for x in (times, r, limit)]
        raise InputError(f"expected t (n,), residual (..., n, nv) and threshold () or (nv,); got {shapes}")
    if not len(times):
        raise InputError("t and residual have no rows")
    if not (np.isfinite(r).all() and np.isfinite(times).all() and np.all(limit > 0)):
        raise InputError("times and residuals must be finite, and thresholds positive")
    beyond = np.abs(r) > limit
    for _ in range(as_count("samples", samples, 1) - 1):
        beyond[..., 1:, :] &= beyond[..., :-1, :]
        beyond[..., 0, :] = False
    rows = beyond.any(axis=-1)
    return np.where(rows.any(axis=-1), times[np.argmax(rows, axis=-1)], np.inf)[()]
