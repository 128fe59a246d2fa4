"""LQR about an equilibrium or a steady motion: the feedback with the least ∫ xᵀQx + δτᵀRδτ dt.

    δτ = −K x,    K = R⁻¹ Bᵀ P,    Aᵀ P + P A − P B R⁻¹ Bᵀ P + Q = 0

or, with forces that are held for dt, the exact sampled system and cost of `linear`, and the discrete Riccati equation
with its mixed term. SciPy solves both. Before, (A, B) is checked to be stabilisable by Hautus's test, and modes that do
not decay are checked to cost something: both are named otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...arrays import Array, is_concrete
from ...errors import InputError, count_text, unknown_name_error
from ...model.model import Model
from ...robot import Robot
from ...robot.common import check_loops, exact_robot, state_of
from ...simulation.metadata import names_of
from ...support.attributes import cached_property
from ...support.conversion import positive
from ...support.keywords import known_keywords
from ...support.optional import require_package
from ..arguments import bounds_of
from .linear import (
    NO_FORCE_LIMIT,
    REST_ACCELERATION,
    Float,
    Indices,
    Sampled,
    bounded,
    check_effort,
    coordinates,
    differentiable,
    efforts,
    error,
    needed_forces,
    sampled,
    state_names,
    weights,
)
from .region import RegionOfAttraction, region

if TYPE_CHECKING:
    from ...control.controller import Controller

DECAY_TOLERANCE = 1e-9
"""Decay relative to the fastest mode below which a mode counts as not decaying."""


@dataclass(frozen=True, eq=False)
class Regulator:
    """Feedback that holds an equilibrium or a steady motion; made by `lqr`.

    A call `regulator(t, q, v)` returns the joint forces τ₀ − K x within the bounds `effort`, with x the error of the
    state. It is plain array code: `robot.simulate(..., controller=regulator, compiled=True)` compiles it into the loop.

    Parameters
    ----------
    robot : Robot
        The robot.
    q : ndarray, shape (..., nq)
        Configuration that is held, at time 0.
    v : ndarray, shape (..., nv)
        Velocity that is held [rad/s, m/s].
    tau : ndarray, shape (..., nv)
        Joint forces that hold it without errors [N m, N].
    K : ndarray, shape (..., nv, k)
        Gain; zero in the rows of joints without motors.
    P : ndarray, shape (..., k, k)
        Cost to go: the cost from an error x on is xᵀ P x.
    A : ndarray, shape (..., k, k)
        Linear dynamics, of a step if `dt` is given.
    B : ndarray, shape (..., k, m)
        Effect of the forces of the m motors, of a step if `dt` is given.
    eigenvalues : ndarray of complex, shape (..., k)
        Eigenvalues of the closed loop [1/s]; those of a step, if `dt` is given. Of positions that are ignored, zero or
        one.
    names : tuple of str
        Names of the entries of x.
    dt : float, optional
        Time for which forces are held [s]; None if they act continuously.
    effort : ndarray, shape (nv,), optional
        Bounds of the forces [N m, N].
    position : tuple of ndarray, shapes (nq,), optional
        Lower and upper bounds of configurations [rad, m], which `region` keeps.

    Examples
    --------
    >>> import kinetrace as kt
    >>> regulator = kt.motion.lqr(kt.load("planar2r"), [0.5, 0.5])
    >>> regulator
    Regulator('planar2r', 4 states, 2 motors, slowest decay 1.76 1/s)
    >>> regulator(0.0, [0.6, 0.5], [0.0, 0.0]).round(3)
    array([13.583,  1.409])
    """

    robot: Robot = field(repr=False)
    q: Float
    v: Float
    tau: Float
    K: Float
    P: Float
    A: Float
    B: Float
    eigenvalues: npt.NDArray[np.complex128]
    names: tuple[str, ...]
    dt: float | None = None
    effort: Float | None = None
    position: tuple[Float, Float] | None = None

    def __call__(self, t: Array, q: Array, v: Array) -> Array:
        """Joint forces (..., nv) at a time and a state."""
        if is_concrete(q) and is_concrete(v):
            q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        elif self.K.ndim > 2:
            raise InputError(f"a compiled regulator is one of the batch {self.K.shape[:-2]}: take regulator.lane(...)")
        x = self.error(t, q, v)
        feedback = (self.K @ x[..., None])[..., 0] if is_concrete(x) else self.K @ x
        return bounded(self.tau - feedback, self.effort)

    def error(self, t: Array, q: Array, v: Array) -> Array:
        """Error x of a state relative to the motion that is held.

        Parameters
        ----------
        t : float or Array, shape ()
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
        >>> regulator = kt.motion.lqr(kt.load("planar2r"), [0.5, 0.5])
        >>> regulator.error(0.0, [0.75, 0.5], [0.0, 1.0])
        array([0.25, 0.  , 0.  , 1.  ])
        """
        start = self.q
        if self.v.any():
            plain = is_concrete(t) and is_concrete(q)
            start = (self.robot if plain else self.robot.model).integrate(self.q, self.v * t)
        return error(self.robot, start, self.v, q, v)

    def lane(self, *index: int) -> Regulator:
        """One regulator of a batch.

        Parameters
        ----------
        *index : int
            Indices of the operating point, one per batch axis.

        Returns
        -------
        Regulator
            The regulator.

        Raises
        ------
        InputError
            If there is no such operating point.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.motion.lqr(kt.load("planar2r"), [[0.5, 0.5], [0.0, 1.0]]).lane(1).q
        array([0., 1.])
        """
        batch = self.K.shape[:-2]
        if len(index) != len(batch) or not all(-n <= i < n for i, n in zip(index, batch, strict=True)):
            raise InputError(f"the batch has axes {batch}: there is no operating point {index}")
        names = ("q", "v", "tau", "K", "P", "A", "B", "eigenvalues")
        return replace(self, **{name: getattr(self, name)[index] for name in names})

    @cached_property
    def controller(self) -> Controller:
        """The same law as a `kt.control.Controller`, for sums, `saturated`, `sampled`, `observed`, and generated code.

        Its parameters are `K`, `tau` as `holding`, and `effort` if there are limits. Its storage function is the cost
        to go xᵀ P x, which falls near the state that is held, within a region that `region` looks for.
        """
        from ...control.controller import Controller

        if self.K.ndim > 2:
            raise InputError(f"a controller is one of the batch {self.K.shape[:-2]}: take regulator.lane(...)")
        own = {"K": self.K, "holding": self.tau}
        if self.effort is not None:
            own["effort"] = np.minimum(self.effort, NO_FORCE_LIMIT)

        return Controller(self.robot, self._law, "lqr", None, own, self._cost_to_go)

    def _law(self, model: Model, t: Array, q: Array, v: Array, K: Array, holding: Array, effort: Any = None) -> Array:
        return bounded(holding - K @ self.error(t, q, v), effort)

    def _cost_to_go(self, model: Model, t: Array, q: Array, v: Array, **given: Array) -> Array:
        x = self.error(t, q, v)
        return x @ (self.P @ x)

    def __getstate__(self) -> dict[str, Any]:
        return {name: x for name, x in vars(self).items() if name != "controller"}

    @known_keywords
    def region(
        self,
        *,
        samples: int = 1000,
        t: float | None = None,
        dt: float | None = None,
        rho: float | None = None,
        confidence: float = 0.95,
        seed: int | np.random.Generator | None = 0,
        progress: Any = None,
    ) -> RegionOfAttraction:
        """Check by simulation from how far the regulator brings the robot back.

        Random states of the ellipsoid xᵀ P x ≤ ρ are simulated with the full dynamics and the bounds of forces; those
        that leave the limits of positions on their way (`position` of `lqr`), or begin beyond them, fail. Unless
        `rho` is given, it is searched: enlarged until states fail, then reduced below the nearest that fails. States
        that are drawn afresh then test the ellipsoid, so that what is said about it does not depend on the search.

        Parameters
        ----------
        samples : int, default 1000
            Number of states of each test.
        t : float, optional
            Time that is simulated [s]; twelve time constants of the slowest mode unless given.
        dt : float, optional
            Length of a step [s]; that of the regulator, or a tenth of its shortest time constant, at most 10 ms.
        rho : float, optional
            Size of the ellipsoid that is tested; searched unless given.
        confidence : float, default 0.95
            Confidence of the bound on the part of the ellipsoid that fails.
        seed : int or numpy.random.Generator, optional
            Seed or generator of the states.
        progress : callable or bool, optional
            Function of (steps done, steps in all) of each simulation, as in `simulate`.

        Returns
        -------
        Region
            Size, states that were tried and which of them converged, and how sure that is.

        Raises
        ------
        InputError
            If the regulator is a batch, or P is singular.

        Examples
        --------
        >>> import kinetrace as kt
        >>> regulator = kt.motion.lqr(kt.load("planar2r"), [1.5, 0.1], effort=20.0)
        >>> found = regulator.region(rho=0.5, samples=50)
        >>> found.failed, round(found.fraction, 3)
        (0, 0.058)
        """
        return region(self, samples, t, dt, rho, confidence, seed, progress)

    @property
    def rates(self) -> Float:
        """Rates of decay [1/s] (..., modes) of the closed loop, the slowest first; not those of ignored positions."""
        found = self.eigenvalues
        rates = -found.real if self.dt is None else -np.log(np.maximum(np.abs(found), 1e-300)) / self.dt
        ignored = int((~self.P.any(axis=-1)).reshape(-1, len(self.names))[:1].sum())
        return np.sort(rates, axis=-1)[..., ignored:]

    def __repr__(self) -> str:
        batch = f"batch={self.K.shape[:-2]}, " if self.K.ndim > 2 else ""
        slow = f"slowest decay {self.rates[..., 0].min(initial=np.inf):.3g} 1/s"
        held = f", held for {self.dt:g} s" if self.dt is not None else ""
        sizes = f"{len(self.names)} states, {count_text(self.B.shape[-1], 'motor')}"
        return f"Regulator({self.robot.name!r}, {batch}{sizes}, {slow}{held})"


@known_keywords
def lqr(
    robot: Robot,
    q: npt.ArrayLike,
    v: npt.ArrayLike | None = None,
    tau: npt.ArrayLike | None = None,
    *,
    Q: npt.ArrayLike = 1.0,
    R: npt.ArrayLike = 1.0,
    dt: float | None = None,
    effort: bool | npt.ArrayLike = True,
    position: bool | tuple[Any, Any] = True,
    ignore: str | Sequence[str] = (),
    wrench: Mapping[str, npt.ArrayLike] | None = None,
) -> Regulator:
    """Linear-quadratic regulator about an equilibrium or a steady motion.

    The cost is ∫ xᵀ Q x + δτᵀ R δτ dt with x = (δq, δv), q = q₀ ⊕ δq, over an infinite time; for finite times, see
    `tvlqr`. Only joints with motors get forces: `robot.with_motors` chooses them, and free joints have none. With
    closures, x has the coordinates that they leave free. Needs SciPy.

    Parameters
    ----------
    robot : Robot
        The robot.
    q : array_like, shape (..., nq)
        Configurations that are held, one regulator each.
    v : array_like, shape (..., nv), optional
        Velocities that are held [rad/s, m/s], of steady motions: with constant v and τ, and linear dynamics that do not
        change along them, as of a rolling wheel. Zero unless given.
    tau : array_like, shape (..., nv), optional
        Joint forces that hold the state [N m, N]; found by the dynamics unless given.
    Q : array_like, shape (k, k), (k,) or (), default 1.0
        Weight of the state, its diagonal, or a number for all.
    R : array_like, shape (m, m), (m,) or (), default 1.0
        Weight of the forces of the m motors, its diagonal, or a number for all.
    dt : float, optional
        Time for which forces are held [s], of a digital controller: the cost is the same integral. Unless given, forces
        act continuously.
    effort : bool or array_like, shape (nv,) or (), default True
        Limits of the forces [N m, N]: True for those of the robot, False for none, or sizes.
    position : bool or tuple of array_like, shapes (nq,) or (), default True
        Limits of the configurations [rad, m], in which q must be and which `Regulator.region` keeps: True for those of
        the robot, False for none, or lower and upper ones.
    ignore : str or sequence of str, optional
        Positions that may drift, which must not influence the others: names of joints, or of entries of joints with
        several, as "floating_base[3]". Neither their error nor their weight counts.
    wrench : mapping of str to array_like, optional
        Constant external wrenches by frame name, as in `linearise`.

    Returns
    -------
    Regulator
        Gain, cost to go and eigenvalues; a controller for `simulate`.

    Raises
    ------
    InputError
        If the motors cannot hold a state within their limits, if they cannot stabilise it, if a mode that does not
        decay costs nothing, or if an argument does not fit.

    Examples
    --------
    An arm balanced upright by a motor in its elbow alone:

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r").with_motors("joint2")
    >>> regulator = kt.motion.lqr(robot, [np.pi / 2, 0.0], Q=[10.0, 10.0, 1.0, 1.0], R=0.1)
    >>> np.sort(regulator.eigenvalues.real).round(2)
    array([-46.44,  -3.29,  -2.69,  -2.69])
    >>> motion = robot.simulate([np.pi / 2 + 0.01, 0.0], [0.0, 0.0], t=6.0, dt=0.005, controller=regulator)
    >>> bool(np.abs(regulator.error(0.0, motion.q[-1], motion.v[-1])).max() < 1e-5)
    True
    """
    robot = exact_robot(robot)
    held, cost = efforts(robot, effort), weights(robot, Q, R)
    step = None if dt is None else positive("dt", dt)
    points, rates = state_of(robot, q, np.zeros(robot.nv) if v is None else v)
    check_loops(robot, points, rates, "q and v")
    within = _within(robot, points, rates, position)
    forces = _holding(robot, points, rates, tau, wrench)
    check_effort(robot, forces, held, "holding the state")
    motors, kept = np.array(robot.model.driven, dtype=np.intp), np.array(_kept_entries(robot, ignore), dtype=np.intp)
    linear = differentiable(robot)
    A, B = (np.asarray(x) for x in linear.linearise(points, rates, forces, wrench=wrench))
    B = B[..., motors]
    if rates.any():
        _check_steady(linear, points, rates, forces, wrench, A, B)
    names, k = state_names(robot), A.shape[-1]
    _check_ignored(A, kept, names)
    solved = []
    for lane in np.ndindex(points.shape[:-1]):
        where = f" of the operating point {lane}" if lane else ""
        inner = A[lane][np.ix_(kept, kept)], B[lane][kept]
        solved.append(
            _riccati_solution(*inner, cost.Q[np.ix_(kept, kept)], cost.R, step, [names[i] for i in kept], where)
        )
    batch = points.shape[:-1]
    K, P = np.zeros((*batch, robot.nv, k)), np.zeros((*batch, k, k))
    for lane, (gain, to_go) in zip(np.ndindex(batch), solved, strict=True):
        K[lane][np.ix_(motors, kept)] = gain
        P[lane][np.ix_(kept, kept)] = to_go
    if step is not None:
        A, B = sampled(A, B, cost.Q, cost.R, step)[:2]
    eigenvalues = np.linalg.eigvals(A - B @ K[..., motors, :]).astype(complex)
    return Regulator(robot, points, rates, forces, K, P, A, B, eigenvalues, names, step, held, within)


def _within(robot: Robot, q: Float, v: Float, position: Any) -> tuple[Float, Float] | None:
    """Limits of configurations, None if there are none or the robot moves on; an error if q is beyond them."""
    lower, upper = bounds_of(robot, "position", position)
    beyond = np.maximum(lower - q, q - upper).reshape(-1, robot.nq)
    if beyond.max(initial=0.0) > 1e-9:
        j = int(np.argmax(beyond.max(axis=0)))
        raise InputError(
            f"q: {names_of(robot.model).q[j]} is {beyond[:, j].max():.4g} beyond its limits of position, "
            f"{lower[j]:.4g} to {upper[j]:.4g}; position=False leaves them out"
        )
    return (lower, upper) if np.isfinite([lower, upper]).any() and not v.any() else None


def _holding(robot: Robot, q: Float, v: Float, tau: Any, wrench: Mapping[str, Any] | None) -> Float:
    """The forces that keep the velocity constant; an error if there are none."""
    zero = np.zeros(v.shape)
    if tau is None:
        forces, left = needed_forces(robot, q, v, zero, wrench, "q")
        told = "the motors cannot hold it"
    else:
        forces = np.array(np.broadcast_to(state_of(robot, q, tau)[1], v.shape))
        idle = list(robot.model.undriven_entries)
        if forces[..., idle].any():
            raise InputError(
                f"tau has forces in joints without motors; those with motors: {', '.join(robot.motor_names)}"
            )
        start = np.asarray(robot.forward_dynamics(q, v, zero, wrench=wrench))
        moved = np.asarray(robot.forward_dynamics(q, v, forces, wrench=wrench))
        left = np.abs(moved).max(axis=-1) / (1.0 + np.abs(start).max(axis=-1))
        told = "tau does not hold it"
    if not left.size:
        return forces
    worst = np.unravel_index(np.argmax(left), left.shape)
    if not left[worst] < REST_ACCELERATION:
        a = np.asarray(robot.forward_dynamics(q[worst], v[worst], forces[worst], wrench=wrench))
        joint = names_of(robot.model).v[int(np.argmax(np.abs(a)))]
        lane = f" {tuple(map(int, worst))}" if worst else ""
        raise InputError(
            f"the state{lane} is no equilibrium: {told}; with the nearest forces, {joint} accelerates by "
            f"{np.abs(a).max():.3g}. A state of a motion is for kt.motion.tvlqr"
        )
    return forces


def _check_steady(robot: Robot, q: Float, v: Float, tau: Float, wrench: Any, A: Float, B: Float) -> None:
    """An error unless the linear dynamics stay the same along q ⊕ v t."""
    motors = list(robot.model.driven)
    for t in (0.1, 0.37, 1.0):
        later = robot.integrate(q, v * t)
        A1, B1 = robot.linearise(later, v, tau, wrench=wrench)
        same = np.allclose(A1, A, rtol=1e-6, atol=1e-6 * np.abs(A).max()) and np.allclose(
            B1[..., motors], B, rtol=1e-6, atol=1e-6 * np.abs(B).max()
        )
        closed = np.abs(robot.closure_residual(later)).max(initial=0.0) < 1e-6
        if not (same and closed):
            raise InputError(
                f"no steady motion: after {t:g} s the linear dynamics differ; kt.motion.tvlqr is for motions"
            )


def _kept_entries(robot: Robot, ignore: str | Sequence[str]) -> list[int]:
    """The entries of x that count."""
    names, size = state_names(robot), len(coordinates(robot)[0])
    given = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    for name in given:
        if not any(x == name or x.startswith(f"{name}[") for x in names[:size]):
            raise unknown_name_error("position to ignore", name, names[:size])
    left_out = {k for k in range(size) for name in given if names[k] == name or names[k].startswith(f"{name}[")}
    return [k for k in range(len(names)) if k not in left_out]


def _check_ignored(A: Float, kept: Indices, names: tuple[str, ...]) -> None:
    """An error if an ignored position influences what counts."""
    for j in set(range(len(names))) - set(kept.tolist()):
        size = np.abs(A[..., kept, j])
        if size.max(initial=0.0) > 1e-9 * max(np.abs(A).max(), 1.0):
            i = kept[int(np.unravel_index(np.argmax(size), size.shape)[-1])]
            raise InputError(f"{names[j]} cannot be ignored: {names[i]} depends on it")


def _riccati_solution(
    A: Float, B: Float, Q: Float, R: Float, dt: float | None, names: Sequence[str], where: str
) -> tuple[Float, Float]:
    """K (m, k) and P (k, k); an error that names the mode that has none."""
    linalg = require_package("scipy.linalg", "lqr", "motion")
    _check_modes(A, B, Q, names, where)
    try:
        if dt is None:
            P = linalg.solve_continuous_are(A, B, Q, R)
            K = np.linalg.solve(R, B.T @ P)
            stable = np.linalg.eigvals(A - B @ K).real.max(initial=-1.0) < 0.0
        else:
            d: Sampled = sampled(A, B, Q, R, dt)
            P = linalg.solve_discrete_are(d.A, d.B, d.Q, d.R, s=d.N)
            K = np.linalg.solve(d.R + d.B.T @ P @ d.B, d.B.T @ P @ d.A + d.N.T)
            stable = np.abs(np.linalg.eigvals(d.A - d.B @ K)).max(initial=0.0) < 1.0
    except (np.linalg.LinAlgError, ValueError) as reason:
        raise InputError(f"the Riccati equation{where} has no solution that SciPy finds: {reason}") from None
    if not (stable and np.isfinite(P).all()):
        raise InputError(f"the closed loop{where} is not stable: weights or motors are too weak for rounding errors")
    return K, (P + P.T) / 2.0


def _check_modes(A: Float, B: Float, Q: Float, names: Sequence[str], where: str) -> None:
    """Hautus's tests: modes that do not decay must be controlled, those that oscillate or stay must cost something."""
    scale, k = max(np.abs(np.linalg.eigvals(A)).max(initial=0.0), 1e-3), len(A)
    for mode in np.linalg.eigvals(A):
        if mode.real < -1e-6 * scale:
            continue
        for side, what in (
            (np.hstack([A - mode * np.eye(k), B * (scale / max(np.abs(B).max(), 1e-300))]), "control"),
            (np.hstack([A.T - mode.conj() * np.eye(k), Q * (scale / max(np.abs(Q).max(), 1e-300))]), "cost"),
        ):
            if what == "cost" and mode.real > 1e-6 * scale:
                continue  # what grows costs R at least
            u, s, _ = np.linalg.svd(side)
            if s[-1] > DECAY_TOLERANCE * s[0]:
                continue
            main = names[int(np.argmax(np.abs(u[:, -1])))]
            told = f"the mode{where} with eigenvalue {mode:.3g}, mainly of {main},"
            if what == "control":
                raise InputError(f"not stabilisable: no motor influences {told[:-1]}; ignore= leaves out positions")
            raise InputError(f"Q gives no cost to {told} which does not decay by itself: raise its weight")
