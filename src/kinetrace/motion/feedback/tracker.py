"""Time-varying LQR: the feedback about a motion with the least Σ ∫ xᵀQx + δτᵀRδτ dt + x(T)ᵀ Q_f x(T).

Forces are held between the times of a grid. The linear dynamics of a step are the exact sampled system of `linear` with
the mean of A and B at its ends, which is of second order in the step, as the first term of Magnus's series is. Then
backwards, with the costs Q, N, R of a step,

    K_k = (R + Bᵀ P_{k+1} B)⁻¹ (Bᵀ P_{k+1} A + Nᵀ)
    P_k = Q + Aᵀ P_{k+1} A − K_kᵀ (R + Bᵀ P_{k+1} B) K_k,      P_n = Q_f
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...algorithms.dynamics.external_inputs import ExternalInputs
from ...algorithms.registry.choices import StepMethod
from ...algorithms.time.integrators import state_after
from ...algorithms.time.methods import check_joint_laws, default_step_method, initial_kept
from ...algorithms.time.state import State
from ...algorithms.time.step_inputs import StepInputs
from ...arrays import Array, clip, is_concrete, less, scan, where
from ...errors import InputError
from ...model.model import Model
from ...robot import Robot
from ...robot.common import check_loops, exact_robot, state_of
from ...simulation import Trajectory
from ...simulation.integration import closed_start
from ...simulation.metadata import names_of
from ...support.attributes import cached_property
from ...support.conversion import positive, steps_of
from ...support.keywords import known_keywords
from ..splines.reference import motion_of, reference_motion
from .linear import (
    NO_FORCE_LIMIT,
    REST_ACCELERATION,
    Float,
    Weights,
    bounded,
    check_effort,
    differentiable,
    efforts,
    error,
    error_of_one,
    needed_forces,
    sampled,
    state_names,
    weights,
)
from .regulator import Regulator, lqr

if TYPE_CHECKING:
    from ...control.controller import Controller
    from ..shooting.solution import OptimalControlSolution
    from ..transcription.result import OptimalMotion

LOOP_UP_TO_NUMBERS = 100_000
"""Numbers of a table up to which a tracker is compiled into a loop."""
MOTION_STEP = 0.01
"""Step along a motion whose end is known [s]."""
UNCAUSED_PART = 1e-3
"""Part of the forces, or of the accelerations, of a motion that motors need not cause: feedback makes up for it."""
AT_REST = 1e-6
"""Velocity at the end of a motion that is rest, relative to its largest, or to 1 rad/s, m/s."""
EARLY_PART = 1e-9
"""Part of a step by which a time may be before it, from rounding."""


class TrackedReference(NamedTuple):
    """A motion on a grid of n + 1 times: states (..., n + 1, ·), and forces (..., n, nv) that are held."""

    t: Float
    q: Float
    v: Float
    tau: Float


@dataclass(frozen=True, eq=False)
class Tracker:
    """Feedback that follows a motion; made by `tvlqr`.

    A call `tracker(t, q, v)` returns the joint forces τ_k − K_k x within the bounds `effort`, where k is the step of
    the grid that t is in and x the error relative to the motion at t. Before the motion its first step counts. After it
    `end` holds the last state, if that is at rest and the motors can hold and stabilise it; otherwise the last step
    counts on, with its forces, which no robot follows for long. It is plain array code; compiled into a loop
    (`compiled=True`) it takes a choice per row of the grid in each step, so that `rollout`, whose loop runs along the
    grid, is faster for long motions.

    Parameters
    ----------
    robot : Robot
        The robot.
    t : ndarray, shape (n + 1,)
        Times of the grid [s].
    q : ndarray, shape (..., n + 1, nq)
        Configurations of the motion.
    v : ndarray, shape (..., n + 1, nv)
        Velocities of the motion [rad/s, m/s].
    tau : ndarray, shape (..., n, nv)
        Joint forces of the motion in each step [N m, N].
    K : ndarray, shape (..., n, nv, k)
        Gain of each step; zero in the rows of joints without motors.
    P : ndarray, shape (..., n + 1, k, k)
        Cost to go: the cost from an error x at a time of the grid on is xᵀ P x.
    names : tuple of str
        Names of the entries of x.
    effort : ndarray, shape (nv,), optional
        Bounds of the forces [N m, N].
    weights : Weights, optional
        Weights Q, R and Qf.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> fall = robot.simulate([0.5, 0.0], [0.0, 0.0], t=0.5, dt=0.01)
    >>> kt.motion.tvlqr(robot, fall)
    Tracker('planar2r', t=0…0.5, 50 steps, 4 states)
    """

    robot: Robot = field(repr=False)
    t: Float
    q: Float
    v: Float
    tau: Float
    K: Float
    P: Float
    names: tuple[str, ...]
    effort: Float | None = None
    weights: Weights | None = field(default=None, repr=False)

    @cached_property
    def end(self) -> Regulator | None:
        """The regulator `lqr` with the same Q and R that holds the last state after the motion; None if there is none.

        There is none if the last state is not at rest, or if the motors cannot hold and stabilise it.
        """
        v, h = self.v[..., -1, :], float(self.t[-1] - self.t[-2])
        rest = AT_REST * max(1.0, float(np.abs(self.v).max(initial=0.0)))
        if self.weights is None or np.abs(v).max(initial=0.0) > rest:
            return None
        q, (Q, R, _) = self.q[..., -1, :], self.weights
        bounds = False if self.effort is None else self.effort
        try:
            return lqr(self.robot, q, Q=Q, R=R, dt=h, effort=bounds, position=False)
        except InputError:
            return None

    def __call__(self, t: Array, q: Array, v: Array) -> Array:
        """Joint forces (..., nv) at a time and a state."""
        if is_concrete(t) and is_concrete(q) and is_concrete(v):
            q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
            if float(t) >= self._over and self.end is not None:
                return self.end(t, q, v)
            q0, v0, tau, K = self._at(float(t))
            x = error(self.robot, q0, v0, q, v)
            return bounded(tau - (K @ x[..., None])[..., 0], self.effort)
        return self._law(self.robot.model, t, q, v)

    def error(self, t: float, q: npt.ArrayLike, v: npt.ArrayLike) -> Float:
        """Error x of a state relative to the motion.

        Parameters
        ----------
        t : float
            Time [s].
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., k)
            Errors δq, then δv, in the order of `names`.

        Examples
        --------
        >>> import kinetrace as kt
        >>> tracker = kt.motion.tvlqr(kt.load("planar2r"), [0.5, 0.0], t=1.0, dt=0.1)
        >>> tracker.error(0.5, [0.75, 0.0], [0.0, 0.0])
        array([0.25, 0.  , 0.  , 0.  ])
        """
        q0, v0, _, _ = self._at(float(t))
        return np.asarray(error(self.robot, q0, v0, np.asarray(q, dtype=float), np.asarray(v, dtype=float)))

    @property
    def _over(self) -> float:
        """The time from which on the motion is over, but for rounding."""
        return float(self.t[-1]) - EARLY_PART * float(self.t[-1] - self.t[0]) / (len(self.t) - 1)

    def _at(self, t: float) -> tuple[Float, Float, Float, Float]:
        """The motion at a time, and the force and the gain of its step."""
        n = len(self.t) - 1
        early = EARLY_PART * float(self.t[-1] - self.t[0]) / n
        k = int(np.clip(np.searchsorted(self.t, t + early, side="right") - 1, 0, n - 1))
        part = float(np.clip((t - self.t[k]) / (self.t[k + 1] - self.t[k]), 0.0, 1.0))
        q, v = self.q[..., k, :], self.v[..., k, :]
        if part > EARLY_PART:
            q = np.asarray(self.robot.integrate(q, part * self.robot.difference(q, self.q[..., k + 1, :])))
            v = v + part * (self.v[..., k + 1, :] - v)
        return q, v, self.tau[..., k, :], self.K[..., k, :, :]

    def _chosen(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """The same in traced code: one row of a table is chosen."""
        if self.K.ndim > 3:
            raise InputError(f"a compiled tracker is one of the batch {self.K.shape[:-3]}: follow one motion")
        robot, n = self.robot, len(self.t) - 1
        q0, v0 = self.q[:-1], self.v[:-1]
        dq, dv = np.asarray(robot.difference(q0, self.q[1:])), self.v[1:] - v0
        times = np.stack([self.t[:-1], 1.0 / np.diff(self.t)], axis=-1)
        table = np.concatenate([times, q0, dq, v0, dv, self.tau, self.K.reshape(n, -1)], axis=-1)
        if table.size > LOOP_UP_TO_NUMBERS:
            raise InputError(
                f"{n} steps are too many to be compiled into a loop: use tracker.rollout, or compiled=False"
            )
        early = EARLY_PART * float(self.t[-1] - self.t[0]) / n
        row: Array = table[0]
        for k in range(1, n):
            row = where(less(t, float(self.t[k]) - early), row, table[k])
        ends = np.cumsum([2, robot.nq, robot.nv, robot.nv, robot.nv, robot.nv])
        at, q, dq, v, dv, tau, K = np.split(row, ends)
        part = clip((t - at[0]) * at[1], 0.0, 1.0)
        return robot.model.integrate(q, part * dq), v + part * dv, tau, K.reshape(robot.nv, len(self.names))

    @cached_property
    def controller(self) -> Controller:
        """The same law as a `kt.control.Controller`, for sums, `saturated`, `sampled`, `observed`, and generated code.

        It has no parameters: the motion and its gains are part of the law.
        """
        from ...control.controller import Controller

        return Controller(self.robot, self._law, "tvlqr")

    def _law(self, model: Model, t: Array, q: Array, v: Array) -> Array:
        q0, v0, tau, K = self._chosen(t)
        force = bounded(tau - K @ error(self.robot, q0, v0, q, v), self.effort)
        return force if self.end is None else where(less(t, self._over), force, self.end(t, q, v))

    def __getstate__(self) -> dict[str, Any]:
        return {name: x for name, x in vars(self).items() if name not in ("controller", "end")}

    @known_keywords
    def rollout(self, q: npt.ArrayLike, v: npt.ArrayLike, *, method: StepMethod | None = None) -> Trajectory:
        """Simulate the robot under this feedback on the grid of the motion, with the loop in a kernel.

        Loops are closed at the beginning and after each step, as in `simulate`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations at the beginning; their batch axes broadcast with those of the motion.
        v : array_like, shape (..., nv)
            Velocities at the beginning [rad/s, m/s].
        method : str, optional
            Integrator, as in `step`: "rkmk4" unless given, "semi-implicit" with dry friction or hard stops.

        Returns
        -------
        Trajectory
            States at the times of the grid, and forces.

        Raises
        ------
        InputError
            If a shape does not fit, or the method cannot step with dry friction or hard stops of the robot.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> tracker = kt.motion.tvlqr(robot, robot.simulate([0.5, 0.0], [0.0, 0.0], t=2.0, dt=0.01), Q=100.0)
        >>> motion = tracker.rollout([[0.6, 0.0], [0.4, 0.2]], [0.0, 0.0])
        >>> np.abs(motion.q[:, [0, -1]] - tracker.q[[0, -1]]).max(axis=-1).round(3)
        array([[0.1  , 0.011],
               [0.2  , 0.012]])
        """
        robot = self.robot
        name = default_step_method(robot.model) if method is None else method
        check_joint_laws(robot.model, name)
        states = state_of(robot, q, v)
        if robot.model.closures:
            states = closed_start(robot, *states, None)
        effort = np.full(robot.nv, np.inf) if self.effort is None else self.effort
        n, k = self.K.shape[-3], len(self.names)
        shapes = {"times": ("t",), "q0s": ("t", robot.nq), "v0s": ("t", robot.nv), "taus": ("t", robot.nv)}
        kernel = robot.kernel(
            _tracked_states, shapes={**shapes, "Ks": ("t", robot.nv, k), "effort": robot.nv}, method=name
        )
        steps, most = np.diff(self.t), np.minimum(effort, NO_FORCE_LIMIT)
        held = self.q[..., :-1, :], self.v[..., :-1, :], self.tau, self.K
        qs, vs, taus = (np.asarray(x) for x in kernel(*states, steps, *held, most))
        batch = qs.shape[:-2]
        first = [np.broadcast_to(x, (*batch, x.shape[-1]))[..., None, :] for x in states]
        rows = [np.concatenate([x, y], axis=-2) for x, y in zip(first, (qs, vs), strict=True)]
        forces, even = np.concatenate([taus, taus[..., -1:, :]], axis=-2), float(self.t[-1] - self.t[0]) / n
        return Trajectory(self.t, rows[0], rows[1], forces, even, names_of(robot.model), robot.name, name, robot)

    def __repr__(self) -> str:
        batch = f", batch={self.K.shape[:-3]}" if self.K.ndim > 3 else ""
        span = f"t={self.t[0]:g}…{self.t[-1]:g}, {len(self.t) - 1} steps"
        return f"Tracker({self.robot.name!r}, {span}, {len(self.names)} states{batch})"


def _tracked_states(
    model: Model,
    q: Array,
    v: Array,
    times: Array,
    q0s: Array,
    v0s: Array,
    taus: Array,
    Ks: Array,
    effort: Array,
    *,
    method: StepMethod,
) -> tuple[Array, Array, Array]:
    """States after, and forces during each step of a motion with gains."""

    def one(carry: Any, row: Any) -> Any:
        (q, v, kept), (dt, q0, v0, tau, K) = carry, row
        force = clip(tau - K @ error_of_one(model, q0, v0, q, v), -effort, effort)
        after = state_after(model, State(q, v, kept), dt, method, StepInputs(force, ExternalInputs()), True)
        return after, (*after[:2], force)

    return scan(one, State(q, v, initial_kept(model, method)), (times, q0s, v0s, taus, Ks))[1]


@known_keywords
def tvlqr(
    robot: Robot,
    reference: Trajectory | OptimalControlSolution | OptimalMotion | Callable[[Any], Any] | npt.ArrayLike,
    *,
    t: float | None = None,
    dt: float | None = None,
    Q: npt.ArrayLike = 1.0,
    R: npt.ArrayLike = 1.0,
    Qf: npt.ArrayLike | None = None,
    effort: bool | npt.ArrayLike = True,
) -> Tracker:
    """Linear-quadratic regulator along a motion, or about a state for a finite time.

    The cost is ∫ xᵀ Q x + δτᵀ R δτ dt + x(T)ᵀ Q_f x(T), with forces that are held between the times of a grid. Only
    joints with motors get forces; with closures, x has the coordinates that they leave free.

    Parameters
    ----------
    robot : Robot
        The robot.
    reference : Trajectory, OptimalControlSolution, Spline, OptimalMotion, callable, or array_like of shape (..., nq)
        The motion: a trajectory or a solution, whose rows are the grid, with their forces; a spline, an optimal motion
        or a function of time that returns (q, v, a); or a configuration that is held still. Of all but the first two,
        forces are found by the dynamics at the middle of each step. Up to a thousandth of the forces may be in joints
        without motors, as with motions of collocation.
    t : float, optional
        Time at the end [s], of a function or a configuration; of a spline, its end unless given.
    dt : float, optional
        Length of a step [s], of a function or a configuration; of a spline, 0.01 unless given.
    Q : array_like, shape (k, k), (k,) or (), default 1.0
        Weight of the state, its diagonal, or a number for all.
    R : array_like, shape (m, m), (m,) or (), default 1.0
        Weight of the forces of the m motors, its diagonal, or a number for all.
    Qf : array_like, shape (k, k), (k,) or (), optional
        Weight of the last state; that of `Q` unless given.
    effort : bool or array_like, shape (nv,) or (), default True
        Limits of the forces [N m, N]: True for those of the robot, False for none, or sizes.

    Returns
    -------
    Tracker
        Gains and cost to go; a controller for `simulate`.

    Raises
    ------
    InputError
        If the motors cannot cause the motion within their limits, or an argument does not fit.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> def sway(t):
    ...     s, c = np.sin(2.0 * t), np.cos(2.0 * t)
    ...     return np.array([np.pi / 2 + 0.3 * s, 0.0]), np.array([0.6 * c, 0.0]), np.array([-1.2 * s, 0.0])
    >>> tracker = kt.motion.tvlqr(kt.load("planar2r"), sway, t=3.0, dt=0.01, Q=[100.0, 100.0, 1.0, 1.0])
    >>> motion = tracker.rollout([np.pi / 2 + 0.2, -0.2], [0.6, 0.0])
    >>> [float(np.abs(tracker.error(t, motion.q[k], motion.v[k])).max().round(3)) for t, k in ((0.0, 0), (3.0, -1))]
    [0.2, 0.001]
    """
    robot = exact_robot(robot)
    cost, held = weights(robot, Q, R, Q if Qf is None else Qf), efforts(robot, effort)
    given = reference_motion(reference)
    motion = (_of_trajectory if isinstance(given, Trajectory) else _of_function)(robot, given, t, dt)
    check_loops(robot, motion.q, motion.v, "the motion")
    check_effort(robot, motion.tau, held, "the motion")
    motors, h = list(robot.model.driven), np.diff(motion.t)
    both, linear = [], differentiable(robot)
    for side in (slice(None, -1), slice(1, None)):
        A, B = linear.linearise(motion.q[..., side, :], motion.v[..., side, :], motion.tau)
        both.append((np.asarray(A), np.asarray(B)[..., motors]))
    A, B = ((x + y) / 2.0 for x, y in zip(*both, strict=True))
    if not (np.isfinite(A).all() and np.isfinite(B).all()):
        bad = int(np.argwhere(~np.isfinite(A))[0][-3])
        raise InputError(f"the linear dynamics at t = {motion.t[bad]:g} s are not finite: is a loop singular there?")
    K, P = _backwards(*sampled(A, B, cost.Q, cost.R, h), cost.Qf)
    gains = np.zeros((*K.shape[:-2], robot.nv, K.shape[-1]))
    gains[..., motors, :] = K
    return Tracker(robot, *motion, gains, P, state_names(robot), held, cost)


def _backwards(A: Float, B: Float, Q: Float, N: Float, R: Float, Qf: Float) -> tuple[Float, Float]:
    """Gains (..., n, m, k) and costs to go (..., n + 1, k, k)."""
    n = A.shape[-3]
    P, gains = [np.broadcast_to(Qf, A.shape[:-3] + Qf.shape)], []
    for k in reversed(range(n)):
        a, b = A[..., k, :, :], B[..., k, :, :]
        ahead = P[-1]
        S = R[..., k, :, :] + b.swapaxes(-1, -2) @ ahead @ b
        K = np.linalg.solve(S, b.swapaxes(-1, -2) @ ahead @ a + N[..., k, :, :].swapaxes(-1, -2))
        now = Q[..., k, :, :] + a.swapaxes(-1, -2) @ ahead @ a - K.swapaxes(-1, -2) @ S @ K
        gains.append(K)
        P.append((now + now.swapaxes(-1, -2)) / 2.0)
    return np.stack(gains[::-1], axis=-3), np.stack(P[::-1], axis=-3)


def _of_trajectory(robot: Robot, motion: Trajectory, t: Any, dt: Any) -> TrackedReference:
    """The rows of a trajectory."""
    if t is not None or dt is not None:
        raise InputError("t and dt are those of the trajectory: resample it for others")
    if len(motion) < 2 or motion.q.shape[-1] != robot.nq or motion.v.shape[-1] != robot.nv:
        raise InputError(f"a trajectory of {robot.name!r} with two rows or more is wanted, got {motion!r}")
    if not (np.isfinite(motion.q).all() and np.isfinite(motion.v).all() and np.isfinite(motion.tau).all()):
        raise InputError("the trajectory has states that are not finite")
    tau = motion.tau[..., :-1, :]
    idle = list(robot.model.undriven_entries)
    amount, size = np.abs(tau[..., idle]).max(initial=0.0), np.abs(tau).max(initial=0.0)
    if amount > UNCAUSED_PART * size:
        raise InputError(
            f"the trajectory has forces in joints without motors, up to {amount:.3g} of {size:.3g}, where "
            f"{UNCAUSED_PART:g} of the largest is tolerated; motors: {', '.join(robot.motor_names)}"
        )
    tau = np.array(tau)
    tau[..., idle] = 0.0
    return TrackedReference(motion.t, motion.q, motion.v, tau)


def _of_function(robot: Robot, reference: Any, t: Any, dt: Any) -> TrackedReference:
    """A function of time, or a configuration, on a grid."""
    motion = motion_of(robot, reference, batch=True)
    begin, end = motion.begin or 0.0, motion.end if t is None else positive("t", t)
    if end is None or (dt is None and motion.end is None):
        raise InputError("a reference that is a function or a configuration needs t and dt")
    if not end > begin:
        raise InputError(f"t must be later than the beginning of the reference, {begin:g} s; got {end:g}")
    n, h = steps_of(end - begin, MOTION_STEP if dt is None else dt)
    times: Float = begin + h * np.arange(n + 1.0)
    if motion.is_held:
        q, v, a = motion(begin)
        tau, left = needed_forces(robot, q, v, a, None, "the configuration")
        if not left.max(initial=0.0) < REST_ACCELERATION:
            raise InputError("the configuration is no equilibrium: the motors cannot hold it")
        rows = [np.repeat(x[..., None, :], m, axis=-2) for x, m in ((q, n + 1), (v, n + 1), (tau, n))]
        return TrackedReference(times, *rows)
    q, v, _ = motion.rows(times)
    tau, left = needed_forces(robot, *motion.rows(times[:-1] + h / 2.0), None, "the reference")
    if not left.max(initial=0.0) < UNCAUSED_PART:
        worst = float(times[int(np.argmax(left))])
        amount = f"are {left.max():.3g} of their size away from it, where {UNCAUSED_PART:g} is tolerated"
        raise InputError(
            f"the motors cannot cause the reference: at t = {worst:g} s the nearest accelerations {amount}"
        )
    return TrackedReference(times, q, v, tau)
