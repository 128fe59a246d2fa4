"""Time scaling: the fastest motion along a path within limits of joint forces, velocities and accelerations.

Along q(s) forces are linear in s̈ and, with x = ṡ², affine in x:

    τ = a(s) s̈ + b(s) x + c(s)       a = M w,    b = M w' + C(q, w) w,    c = gravity and springs

from three calls of inverse dynamics with all points of the grid. TOPP-RA (Pham and Pham 2018; package toppra) finds the
largest x by two passes of linear programs. Damping and friction depend on √x: their force is replaced by its tangent in
x at the profile found before, and the problem is solved again until the profile stays, where the tangent is exact. As
√x is concave, a tangent is never below it: one at a fast profile may leave no motion where there is one, so that the
first profile is slower and slower until there is, and a later one is taken back half-way towards the one before it.

Between points of the grid s̈ is constant, and the limits hold at both ends. What they are exceeded by in between is
computed on a finer grid from the full inverse dynamics, and reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...robot import Robot
from ...robot.common import check_memory, exact_robot, forces_of
from ...simulation import Trajectory
from ...simulation.metadata import names_of
from ...support.conversion import as_count, positive, steps_of
from ...support.keywords import known_keywords
from ..arguments import Float, bounds_of, sizes_of
from .path import LimitRows, Path, grid_places, largest_rates, path_of, rates_by_toppra

if TYPE_CHECKING:
    from ..transcription.result import OptimalMotion

LIMIT_TOLERANCE, PROFILE_CHANGE, MOST_ROUNDS = 0.01, 1e-4, 30
"""Part of a limit by which it may be exceeded, change of the profile that ends iterations, most iterations."""
SLOWER_FACTOR, SLOWEST_PROFILE = 0.25, 1e-6
"""Factor between first profiles with friction, and the slowest one, relative to the motion without friction."""
POSITION_ROUNDING, CHECKED_PLACES = 1e-6, 2001
"""Position beyond a limit that is rounding [rad, m], and places where positions are checked besides the grid."""
NO_MOTION = "no motion along the path keeps the limits"
DISSIPATIVE = ("damping", "friction", "stop_damping")


@dataclass(frozen=True, eq=False)
class TimeScaling:
    """The fastest motion along a path; made by `time_scaling`.

    Parameters
    ----------
    success : bool
        Whether the motion was found and keeps its limits.
    status : str
        "converged"; "infeasible" if no motion along the path keeps the limits, or the path leaves those of positions;
        "limits" if the motion exceeds them between points of the grid by more than 1 %; "iterations" if the profile
        with friction did not settle.
    message : str
        The same in a sentence, with the place and the joint.
    s : ndarray, shape (n + 1,)
        Points of the grid on the path, from 0 to 1.
    rate : ndarray, shape (n + 1,)
        Path velocity ṡ there [1/s]; NaN if there is no motion.
    acceleration : ndarray, shape (n,)
        Path acceleration s̈ between them [1/s²].
    most : ndarray, shape (n + 1,)
        Largest ṡ that limits allow at each point alone, infinite without limits; NaN where none is allowed.
    duration : float
        Time of the motion [s]; infinite if there is none.
    load : ndarray, shape (n,)
        Largest part of any limit that is used in each interval: 1 where the motion is as fast as it can be.
    active : tuple of str
        The limit that it is, as "effort of joint1", for each interval.
    excess : float
        Largest part by which a limit is exceeded anywhere on the finer grid.
    iterations : int
        How often TOPP-RA was called.
    trajectory : Trajectory, optional
        The motion in time; None unless there is one.

    Examples
    --------
    >>> import kinetrace as kt
    >>> found = kt.motion.time_scaling(kt.load("planar2r"), [[0.0, 0.0], [1.0, 1.0]], effort=[40.0, 15.0])
    >>> found
    TimeScaling(converged: 0.682 s, limits exceeded by 0.00 %)
    """

    success: bool
    status: str
    message: str
    s: Float = field(repr=False)
    rate: Float = field(repr=False)
    acceleration: Float = field(repr=False)
    most: Float = field(repr=False)
    duration: float
    load: Float = field(repr=False)
    active: tuple[str, ...] = field(repr=False)
    excess: float
    iterations: int
    trajectory: Trajectory | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        if self.trajectory is None:
            return f"TimeScaling({self.status}: {self.message})"
        return f"TimeScaling({self.status}: {self.duration:.3g} s, limits exceeded by {100 * self.excess:.2f} %)"


class _PathLimits(NamedTuple):
    """Bounds (nv,) of joint forces, velocities and accelerations, and lower and upper ones (nq,) of positions."""

    effort: Float
    velocity: Float
    acceleration: Float
    position: tuple[Float, Float]


@known_keywords
def time_scaling(
    robot: Robot,
    path: Trajectory | OptimalMotion | Callable[[Any], Any] | npt.ArrayLike,
    *,
    span: npt.ArrayLike | None = None,
    effort: bool | npt.ArrayLike = True,
    velocity: bool | npt.ArrayLike = True,
    acceleration: bool | npt.ArrayLike = False,
    position: bool | tuple[Any, Any] = True,
    grid: int = 1000,
    dt: float = 0.01,
) -> TimeScaling:
    """Fastest motion along a path, from rest to rest, within limits of forces, velocities and accelerations.

    Forces are those of the full inverse dynamics, with joint effects; with closures those of `motor_forces`. Joints
    without motors have the limit 0. Damping and friction are exact at the solution. Needs toppra and SciPy.

    Parameters
    ----------
    robot : Robot
        The robot.
    path : Trajectory, Spline, OptimalMotion, callable, or array_like of shape (n, nq)
        Waypoints, which a cubic spline q₀ ⊕ θ(s) passes; a motion, of which only the way counts; or a function of a
        parameter that returns (q, q', q''), as a reference motion returns (q, v, a) at a time.
    span : array_like, shape (2,), optional
        First and last parameter of a function, 0 and 1 unless given; or times between which a motion counts.
    effort : bool or array_like, shape (nv,) or (), default True
        Limits of the joint forces [N m, N]: True for those of the robot, False for none, or sizes.
    velocity : bool or array_like, shape (nv,) or (), default True
        Limits of the joint velocities [rad/s, m/s].
    acceleration : bool or array_like, shape (nv,) or (), default False
        Limits of the joint accelerations [rad/s², m/s²], of which robots have none of their own.
    position : bool or tuple of array_like, shapes (nq,) or (), default True
        Limits of the configurations [rad, m]: True for those of the robot, False for none, or lower and upper ones. A
        path that leaves them is infeasible. A spline may go farther than its waypoints: less so if there are more, such
        as points of the straight lines between them.
    grid : int, default 1000
        Number of intervals of the path, at most 1,000,000.
    dt : float, default 0.01
        Time between rows of the trajectory [s]; a little less, so that the last row is the end.

    Returns
    -------
    TimeScaling
        Motion, profile of the path velocity, and which limit is active where.

    Raises
    ------
    InputError
        If the path is not one, no limit bounds the motion, or an argument does not fit.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> found = kt.motion.time_scaling(robot, [[0.0, 0.0], [1.0, 1.0]], effort=[40.0, 15.0])
    >>> round(found.duration, 3), found.active[0], found.active[-1]
    (0.682, 'effort of joint1', 'effort of joint2')
    >>> kt.motion.time_scaling(robot, [[0.0, 0.0], [1.0, 1.0]], effort=[8.0, 5.0]).status
    'infeasible'
    """
    robot = exact_robot(robot)
    limits = _limits(robot, effort, velocity, acceleration, position)
    curve, n, step = path_of(robot, path, span), as_count("grid", grid, 2), positive("dt", dt)
    places = grid_places(n)
    problem = _PathProblem(robot, curve, limits, places)
    barred = problem.barred()
    if barred:
        return _infeasible(problem, barred, np.full(n + 1, np.nan), 0)
    _check_bounded(problem)
    rates, most, rounds, settled = problem.solve()
    if rates is None:
        return _infeasible(problem, problem.obstacle(), most, rounds)
    sdd = np.diff(rates**2) / (2.0 * np.diff(places))
    times = np.concatenate([[0.0], np.cumsum(2.0 * np.diff(places) / (rates[:-1] + rates[1:]))])
    load, active, excess = problem.loads(rates, sdd)
    motion = problem.motion(times, rates, sdd, step)
    status, told = "converged", f"{times[-1]:.4g} s along the path, as fast as the limits allow"
    if not settled:
        status, told = "iterations", f"the profile with friction still changed after {rounds} rounds"
    elif excess > LIMIT_TOLERANCE:
        at = float(places[int(np.argmax(load))])
        status, told = "limits", f"near s = {at:.3g} a limit is exceeded by {100 * excess:.2g} %: raise grid, now {n}"
    return TimeScaling(
        success=status == "converged",
        status=status,
        message=told,
        s=places,
        rate=rates,
        acceleration=sdd,
        most=most,
        duration=float(times[-1]),
        load=load,
        active=active,
        excess=excess,
        iterations=rounds,
        trajectory=motion,
    )


def _infeasible(problem: _PathProblem, reason: str, most: Float, rounds: int) -> TimeScaling:
    """The result where no motion along the path keeps the limits."""
    nothing = np.full(len(problem.s), np.nan)
    return TimeScaling(
        success=False,
        status="infeasible",
        message=reason,
        s=problem.s,
        rate=nothing,
        acceleration=nothing[:-1],
        most=most,
        duration=np.inf,
        load=nothing[:-1],
        active=(),
        excess=np.inf,
        iterations=rounds,
    )


def _limits(robot: Robot, effort: Any, velocity: Any, acceleration: Any, position: Any) -> _PathLimits:
    """Limits as arrays; joints without motors have no force."""
    given = {"effort": effort, "velocity": velocity, "acceleration": acceleration}
    found = {name: sizes_of(robot, name, x) for name, x in given.items()}
    found["effort"][list(robot.model.undriven_entries)] = 0.0
    return _PathLimits(**found, position=bounds_of(robot, "position", position))


def _check_bounded(problem: _PathProblem) -> None:
    """An error if nothing bounds the acceleration along some interval: one end of it is enough, as where q' is zero."""
    limits = problem.limits
    held = np.isfinite(limits.effort) & (np.abs(problem.a) > 1e-12)
    held |= np.isfinite(limits.acceleration) & (np.abs(problem.points.w) > 1e-12)
    at = np.any(held, axis=1, keepdims=True)[:, 0]
    some = at[:-1] | at[1:]
    if not some.all():
        place = problem.s[int(np.argmin(some))]
        raise InputError(
            f"at s = {place:.3g} no limit bounds the motion: give effort or acceleration of a moving joint"
        )


class _PathProblem:
    """A path on a grid, with the forces along it."""

    def __init__(self, robot: Robot, path: Path, limits: _PathLimits, s: Float) -> None:
        self.robot, self.path, self.limits, self.s = robot, path, limits, s
        self.points = path(s)
        q, w, dw = self.points
        if not all(np.isfinite(x).all() for x in self.points):
            raise InputError("the path is not finite everywhere")
        zero = np.zeros(w.shape)
        self.c = self.forces(q, zero, zero)
        self.a = self.forces(q, zero, w) - self.c
        if not (np.isfinite(self.c).all() and np.isfinite(self.a).all()):
            bad = s[int(np.argwhere(~np.isfinite(self.c + self.a))[0][0])]
            raise InputError(f"joint forces at s = {bad:.3g} are not finite: is a loop singular there?")
        effects = [body.effects for body in robot.model.bodies if body.effects is not None]
        of_joints = any(np.any(getattr(x, name)) for x in effects for name in DISSIPATIVE)
        self.dissipates = of_joints or robot.model.fluid is not None
        self.constant, self.slope = self.c, self.forces(q, w, dw) - self.c
        self.failed_at: int | None = None

    def forces(self, q: Float, v: Float, a: Float) -> Float:
        """Joint forces (n, nv) of a motion."""
        return forces_of(self.robot, q, v, a)

    def along(self, x: Float, factor: float = 1.0) -> Float:
        """Forces with the path velocity √x, without path acceleration."""
        q, w, dw = self.points
        y = (factor * np.sqrt(x))[:, None]
        return self.forces(q, w * y, dw * y**2)

    def solve(self) -> tuple[Float | None, Float, int, bool]:
        """ṡ (n + 1,) or None, the largest ṡ at each point alone, how many rounds it took, and whether it settled."""
        unit = self._unit()
        at, last = np.full(len(self.s), unit), np.zeros(0)  # profiles of the tangents: this one, and one that worked
        rates: Float | None = None
        for rounds in range(1, MOST_ROUNDS + 1):
            if self.dissipates:
                self._tangents(at)
            found, most = self._toppra(unit)
            if found is None:
                if not self.dissipates or (not len(last) and at.max() < SLOWEST_PROFILE * unit):
                    return None, most, rounds, True
                at = np.sqrt(at * last) if len(last) else SLOWER_FACTOR * at
                continue
            time = float((2.0 * np.diff(self.s) / (found[:-1] + found[1:])).sum())
            scaled, unit = 0.1 < time * unit < 10.0, 1.0 / time
            change, rates = np.abs(found - at).max() / found.max(), found
            if scaled and (not self.dissipates or change < PROFILE_CHANGE):
                return rates, most, rounds, True
            last, at = at, found
        return rates, most, MOST_ROUNDS, False

    def barred(self) -> str:
        """Why there is no motion along the path at any speed, with the joint and the place; empty if there may be."""
        names, w, (lower, upper) = names_of(self.robot.model), self.points.w, self.limits.position
        if np.isfinite([lower, upper]).any():
            places = np.union1d(self.s, np.linspace(0.0, 1.0, CHECKED_PLACES))
            q = self.path(places).q
            beyond = np.maximum(lower - q, q - upper)
            k, j = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
            if beyond[k, j] > POSITION_ROUNDING:
                limit = lower[j] if q[k, j] < lower[j] else upper[j]
                amount = f"{beyond[k, j]:.3g} beyond its limit of position, {limit:.4g}"
                return f"{NO_MOTION}: at s = {places[k]:.3g}, {names.q[j]} is {amount}"
        for name in ("velocity", "acceleration"):
            joints = np.flatnonzero(getattr(self.limits, name) == 0.0)
            size = np.abs(w[:, joints])
            if size.max(initial=0.0) > 1e-9 * np.abs(w).max():
                k, j = np.unravel_index(int(np.argmax(size)), size.shape)
                where = f"{names.v[joints[j]]} moves, as at s = {self.s[k]:.3g}"
                return f"{NO_MOTION}: {where}, and its {name} is limited to 0"
        joints = np.flatnonzero(self.limits.effort == 0.0)
        for what, x in (("to stand still", self.c), ("to accelerate", self.a), ("to move", self.slope)):
            if len(joints) and np.abs(x[:, joints]).max() > 1e-7 * max(np.abs(x).max(), 1e-9):
                k, j = np.unravel_index(int(np.argmax(np.abs(x[:, joints]))), (len(x), len(joints)))
                need = f"{names.v[joints[j]]} has no effort and needs a force {what}, as at s = {self.s[k]:.3g}"
                return f"{NO_MOTION}: {need}"
        return ""

    def _unit(self) -> float:
        """About the reciprocal of the duration: tolerances of toppra are for numbers near one."""
        with np.errstate(divide="ignore", invalid="ignore"):
            most = np.concatenate(
                [self.limits.effort / np.abs(self.a), self.limits.acceleration / np.abs(self.points.w)]
            )
            pace = np.nan_to_num(np.abs(self.points.w) / self.limits.velocity, posinf=0.0).max(axis=1).mean()
        most = most[np.isfinite(most) & (most > 0.0)]
        least = 2.0 / np.sqrt(np.median(most)) if len(most) else 1.0
        return float(1.0 / max(least, pace))

    def _tangents(self, rates: Float) -> None:
        """Forces without path acceleration as constant + slope x, exact at these rates."""
        x = np.maximum(rates, 1e-6 * rates.max()) ** 2
        h, at = 1e-4, self.along(x)
        slope = (self.along(x, 1.0 + h) - self.along(x, 1.0 - h)) / (4.0 * h * x[:, None])
        slope[[0, -1]], at[[0, -1]] = 0.0, self.c[[0, -1]]  # at rest
        self.constant, self.slope = at - slope * x[:, None], slope

    def _toppra(self, unit: float) -> tuple[Float | None, Float]:
        """ṡ within the limits, computed in times of 1 / unit; and the largest at each point alone."""
        rows = self._rows(unit)
        rates, controllable = rates_by_toppra(self.s, rows)
        largest = np.minimum(largest_rates(rows.a, rows.b, rows.c) * unit, rows.fastest * unit)
        if rates is None or not np.isfinite(rates).all() or (rates[1:-1] <= 0.0).any():
            lost = np.flatnonzero(np.isnan(controllable).any(axis=1))
            alone = np.flatnonzero(np.isnan(largest))
            self.failed_at = int(alone[0]) if len(alone) else int(lost[-1]) if len(lost) else 0
            return None, largest
        return np.asarray(rates) * unit, largest

    def _rows(self, unit: float) -> LimitRows:
        """All limits as rows that are at most one, in times of 1 / unit."""
        bounds, size = self.limits, unit**2
        moving, pulling = np.isfinite(bounds.acceleration), np.isfinite(bounds.effort) & (bounds.effort > 0.0)
        most = np.maximum(np.concatenate([bounds.effort[pulling], bounds.acceleration[moving]]), 1e-12)
        w, dw = self.points.w, self.points.dw
        a = np.concatenate([self.a[:, pulling], w[:, moving]], axis=1)
        b = np.concatenate([self.slope[:, pulling], dw[:, moving]], axis=1)
        c = np.concatenate([self.constant[:, pulling], 0.0 * w[:, moving]], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            fastest = np.min(np.where(bounds.velocity > 0.0, bounds.velocity / np.abs(w), np.inf), axis=1)
        return LimitRows(a * size / most, b * size / most, c / most, fastest / unit)

    def obstacle(self) -> str:
        """Why there is no motion, with the place."""
        k = self.failed_at or 0
        limits, names, place = self.limits.effort, names_of(self.robot.model).v, f"s = {self.s[k]:.3g}"
        worst = np.abs(self.c) / np.maximum(limits, 1e-12)
        j = int(np.argmax(worst[k]))
        if worst[k, j] > 1.0:
            need = f"{names[j]} needs {abs(self.c[k, j]):.3g} to stand still, its limit is {limits[j]:.3g}"
            return f"{NO_MOTION}: at {place}, {need}"
        return f"{NO_MOTION}: from {place} on, no path velocity can be kept up and ended"

    def loads(self, rates: Float, sdd: Float) -> tuple[Float, tuple[str, ...], float]:
        """The part of a limit that each interval uses, which limit it is, and the largest excess anywhere."""
        parts, names = np.linspace(0.0, 1.0, 5), names_of(self.robot.model).v
        s = (self.s[:-1, None] + parts * np.diff(self.s)[:, None]).ravel()
        u = np.repeat(sdd, len(parts))
        x = (rates[:-1, None] ** 2 + 2.0 * sdd[:, None] * parts * np.diff(self.s)[:, None]).ravel()
        q, v, a = self._states(s, np.sqrt(np.maximum(x, 0.0)), u)
        kinds = {"effort": self.forces(q, v, a), "velocity": v, "acceleration": a}
        uses, labels = [], []
        for name, value in kinds.items():
            bound = getattr(self.limits, name)
            for k in np.flatnonzero(np.isfinite(bound)):
                if bound[k] > 0.0:
                    uses.append(np.abs(value[:, k]) / bound[k])
                    labels.append(f"{name} of {names[k]}")
                else:
                    uses.append(np.where(np.abs(value[:, k]) > 1e-6, np.inf, 0.0))
                    labels.append(f"{name} of {names[k]}")
        each = np.array(uses).reshape(len(uses), len(sdd), len(parts))
        load, chosen = each.max(axis=-1), np.argmax(each.max(axis=-1), axis=0)
        return load.max(axis=0), tuple(labels[k] for k in chosen), max(0.0, float(load.max() - 1.0))

    def _states(self, s: Float, rate: Float, sdd: Float) -> tuple[Float, Float, Float]:
        """q, v, a at places of the path."""
        q, w, dw = self.path(s)
        return q, w * rate[:, None], w * sdd[:, None] + dw * rate[:, None] ** 2

    def motion(self, times: Float, rates: Float, sdd: Float, dt: float) -> Trajectory:
        """The motion at equal times."""
        n, step = steps_of(times[-1], dt)
        check_memory(n + 1, 1, 4 * (self.robot.nq + 3 * self.robot.nv), "raise dt")
        t = np.linspace(0.0, times[-1], n + 1)
        k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(sdd) - 1)
        part = t - times[k]
        s = np.clip(self.s[k] + rates[k] * part + sdd[k] * part**2 / 2.0, 0.0, 1.0)
        rate = np.maximum(rates[k] + sdd[k] * part, 0.0)
        rate[-1] = rates[-1]
        q, v, a = self._states(s, rate, sdd[k])
        robot = self.robot
        return Trajectory(t, q, v, self.forces(q, v, a), step, names_of(robot.model), robot.name, "time_scaling", robot)
