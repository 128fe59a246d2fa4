"""Motions of least cost between two configurations or poses: direct transcription with splines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from ...algorithms import kinetic_energy
from ...arrays import Array, sqrt
from ...errors import InputError
from ...model.model import Model
from ...robot import Robot
from ...robot.common import exact_robot
from ...support.conversion import as_count, as_flag
from ...support.keywords import known_keywords
from ...support.progress import Progress
from ..arguments import diagonal
from .constraints import MotionConstraint
from .pointwise import argument_names
from .problem import MotionProblem, TimeMesh
from .program import integral
from .result import OptimalMotion, integral_verdict
from .search import COARSE_TOLERANCE, MotionCost, SearchStarts, at_least_zero, best_motion, solver_settings

_REST, ACCURACY = 0.0, 1e-3
"""At rest: zero in all joints; default of `accuracy`."""


class MotionOptions(TypedDict, total=False):
    """Keywords of all optimisations of motions; see `optimise`."""

    v0: npt.ArrayLike | None
    v1: npt.ArrayLike | None
    a0: npt.ArrayLike | None
    a1: npt.ArrayLike | None
    constraints: MotionConstraint | Sequence[MotionConstraint]
    position: Any
    velocity: Any
    acceleration: Any
    effort: Any
    motors: bool
    time_weight: float
    intervals: int
    degree: int
    points: int
    checks: int
    accuracy: float
    refinements: int
    guess: Any
    restarts: int
    seed: int | np.random.Generator | None
    solver: str
    iterations: int
    time_limit: float | None
    tolerance: float
    solver_options: dict[str, Any] | None
    progress: Progress | bool | None


@known_keywords
def optimise(
    robot: Robot,
    cost: Callable[..., Any] | None,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: float | str | tuple[float, float],
    *,
    v0: npt.ArrayLike | None = _REST,
    v1: npt.ArrayLike | None = _REST,
    a0: npt.ArrayLike | None = None,
    a1: npt.ArrayLike | None = None,
    constraints: MotionConstraint | Sequence[MotionConstraint] = (),
    position: Any = True,
    velocity: Any = True,
    acceleration: Any = False,
    effort: Any = True,
    motors: bool = True,
    time_weight: float = 0.0,
    intervals: int = 16,
    degree: int = 5,
    points: int = 4,
    checks: int = 3,
    accuracy: float = ACCURACY,
    refinements: int = 5,
    guess: Any = None,
    restarts: int = 0,
    seed: int | np.random.Generator | None = 0,
    solver: str = "auto",
    iterations: int = 500,
    time_limit: float | None = 60.0,
    tolerance: float = 1e-8,
    solver_options: dict[str, Any] | None = None,
    progress: Progress | bool | None = None,
) -> OptimalMotion:
    """Motion with the least ∫ cost dt, by direct transcription with exact first and second derivatives.

    The motion is a spline, q(t) = q0 ⊕ θ(t). A sum over Gauss points is minimised, more of them where it is not the
    integral; the cost that is reported is the integral itself. Limits and inequalities hold at the ends of all
    intervals and in between, equations at as many instants as determine the spline. The solver finds a local optimum
    near the starting motion. One motion is best_motion at a time; in each iteration, all instants of the motion are one
    batch.

    Robots with closed loops move with the loops closed, by the forces of their motors. Joints without motors, such as
    a free base, get no force: that is an equation of the motion.

    Parameters
    ----------
    robot : Robot
        Robot that moves; with a payload, `robot.with_payload(...)`.
    cost : callable or None
        Function f(model, q, v, a, ...) of one instant in plain array code that returns a number. Its arguments after
        the model are any of q, v, a, tau (joint forces), jerk and t (time), by these names. None if only time counts.
    q0 : array_like, shape (nq,), or None
        Configuration at the beginning; None if a constraint with `at="start"` determines it.
    q1 : array_like, shape (nq,), or None
        Configuration at the end; None if a constraint with `at="end"` determines it.
    T : float, tuple of float or "free"
        Duration [s], its bounds (shortest, longest), or "free", which is (0.01, 100).
    v0 : array_like, shape (nv,), or None, default 0.0
        Velocity at the beginning [rad/s, m/s]: at rest unless given; None leaves it free.
    v1 : array_like, shape (nv,), or None, default 0.0
        Velocity at the end.
    a0 : array_like, shape (nv,), optional
        Acceleration at the beginning [rad/s², m/s²]; free unless given.
    a1 : array_like, shape (nv,), optional
        Acceleration at the end.
    constraints : Constraint or sequence of Constraint, default ()
        What else must hold, such as `kt.motion.keep_on_plane(...)`.
    position : bool or tuple of two array_like, default True
        Limits of configurations [rad, m]: True for those of the robot, False for none, or a tuple (lower, upper).
    velocity : bool, array_like of shape () or (nv,), or tuple of two, default True
        Limits of velocities [rad/s, m/s]: the same, or sizes.
    acceleration : bool, array_like of shape () or (nv,), or tuple of two, default False
        Limits of accelerations [rad/s², m/s²], of which robots have none of their own.
    effort : bool, array_like of shape () or (nv,), or tuple of two, default True
        Limits of joint forces [N m, N].
    motors : bool, default True
        Whether joints without motors have no force.
    time_weight : float, default 0.0
        Cost of a second.
    intervals : int, default 16
        Number of polynomials of the spline.
    degree : int, default 5
        Their degree.
    points : int, default 4
        Gauss points of the integral in each interval, at first.
    checks : int, default 3
        Instants in each interval at which limits and inequalities hold.
    accuracy : float, default 1e-3
        Largest violation of a constraint between the instants at which it is imposed, in its units; relative to the
        bound if that is more than one, to the largest joint force for joints without motors. Largest difference between
        the sum over Gauss points and the cost, relative to it, which has to be known as well.
    refinements : int, default 5
        How often instants are added at which an inequality is violated by more, all intervals are halved if an equation
        is, or Gauss points are doubled, and the motion is best_motion again from where it was.
    guess : OptimalMotion, Spline, Trajectory, callable or array_like, shape (k, nq), optional
        Motion to start from, arrays at equal times. Unless given, a motion with small accelerations leads to two
        starts: the optimum with a quarter of the intervals, and the optimum without limits and other inequalities, if
        its cost is lower than what the first led to. The better result is returned.
    restarts : int, default 0
        Number of further, random motions to start from: the best of many by their cost, which are evaluated as one
        batch. Each goes first to the optimum without inequalities near it. The best result is returned.
    seed : int or numpy.random.Generator, optional
        Seed of the restarts.
    solver : {"auto", "ipopt", "scipy"}, default "auto"
        IPOPT (by CasADi) or SciPy; "auto" is IPOPT if it is installed and there are constraints, else SciPy.
    iterations : int, default 500
        Largest number of iterations.
    time_limit : float or None, default 60.0
        Time after which the solver ends with what it has [s], not counting what is compiled before; None for no limit.
    tolerance : float, default 1e-8
        Tolerance of the solver.
    solver_options : dict, optional
        Further options of IPOPT, or of SciPy's method.
    progress : callable or bool, optional
        Function of (done, of) for the iterations, or whether to show a line on stderr; it is shown on terminals unless
        told otherwise.

    Returns
    -------
    OptimalMotion
        The motion, and whether it is one: `success`, `status`, `message`, `residual`, `violation`.

    Raises
    ------
    InputError
        If an argument does not fit: shapes, names, an end beyond limits, a cost that is not a function of one instant.

    Examples
    --------
    >>> import kinetrace as kt
    >>> def power(model, v, tau):
    ...     return (tau * v) @ (tau * v)
    >>> robot = kt.load("planar2r")
    >>> found = kt.motion.optimise(robot, power, [-1.5, 0.0], [0.0, 0.5], 1.0, intervals=4)
    >>> found.status, max(found.residual) < 1e-6
    ('converged', True)
    """
    if cost is not None:
        argument_names(cost)
    problem = MotionProblem(
        *(robot, (q0, q1), (v0, v1), (a0, a1), T, constraints),
        limits={"position": position, "velocity": velocity, "acceleration": acceleration, "effort": effort},
        motors=as_flag("motors", motors),
        mesh=TimeMesh(intervals=intervals, degree=degree, points=points, checks=checks),
    )
    settings = solver_settings(solver, iterations, time_limit, tolerance, refinements, accuracy, solver_options)
    starts = SearchStarts(guess, as_count("restarts", restarts), seed)
    return best_motion(problem, MotionCost(cost, at_least_zero("time_weight", time_weight)), settings, starts, progress)


@dataclass(frozen=True)
class _Effort:
    weights: tuple[float, ...]

    def __call__(self, model: Model, tau: Array) -> Array:
        return 0.5 * (tau @ (np.array(self.weights) * tau))


SMOOTHING_FACTORS, SMOOTHED_ITERATIONS = (30.0, 5.0), 100
"""Smoothings of the energy whose optima are found first, in units of the last, and in how many iterations."""


@dataclass(frozen=True)
class _Energy:
    smoothing: float
    losses: tuple[float, ...]

    def __call__(self, model: Model, v: Array, tau: Array) -> Array:
        power = tau * v
        used = sqrt(power * power + self.smoothing**2) - self.smoothing
        return used.sum() + tau @ (np.array(self.losses) * tau)


@dataclass(frozen=True)
class _Jerk:
    weights: tuple[float, ...]

    def __call__(self, model: Model, jerk: Array) -> Array:
        return 0.5 * (jerk @ (np.array(self.weights) * jerk))


def _kinetic(model: Model, q: Array, v: Array) -> Array:
    return kinetic_energy(model, q, v)


def _over(usual: MotionOptions, options: MotionOptions) -> MotionOptions:
    """Usual options of a cost, unless others are given."""
    found = usual.copy()
    found.update(options)
    return found


def _weights(name: str, x: Any, robot: Robot) -> tuple[float, ...]:
    """A weight for each velocity."""
    nv = exact_robot(robot).nv
    found = diagonal(name, x, nv)
    return found if isinstance(found, tuple) else (found,) * nv


def minimum_effort(
    robot: Robot,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: float | str | tuple[float, float],
    *,
    weights: npt.ArrayLike = 1.0,
    **options: Unpack[MotionOptions],
) -> OptimalMotion:
    """Motion of least effort, ½ ∫ Σ_i R_i τ_i² dt.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    q0 : array_like, shape (nq,), or None
        Configuration at the beginning; None if a constraint determines it.
    q1 : array_like, shape (nq,), or None
        Configuration at the end; None if a constraint determines it.
    T : float, tuple of float or "free"
        Duration [s], or its bounds.
    weights : array_like, shape () or (nv,), default 1.0
        Weights R of the squared joint forces.
    **options
        All keywords of `optimise`: other conditions at the ends, limits, constraints, mesh, starting motion, solver.

    Returns
    -------
    OptimalMotion
        The motion, and whether it is one.

    Raises
    ------
    InputError
        If an argument does not fit.

    Examples
    --------
    >>> import kinetrace as kt
    >>> found = kt.motion.minimum_effort(kt.load("planar2r"), [-1.5, 0.0], [0.0, 0.5], 1.0, intervals=4)
    >>> found
    OptimalMotion('planar2r', converged: cost ..., T=1 s, ... iterations)
    """
    return optimise(robot, _Effort(_weights("weights", weights, robot)), q0, q1, T, **options)


def minimum_energy(
    robot: Robot,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: float | str | tuple[float, float],
    *,
    smoothing: float = 0.1,
    losses: npt.ArrayLike = 0.0,
    **options: Unpack[MotionOptions],
) -> OptimalMotion:
    """Motion of least energy, ∫ Σ_i (|τ_i v_i| + k_i τ_i²) dt, without regeneration.

    Braking costs as much as driving. In the search, |p| is smoothed to √(p² + ε²) − ε, which is less by at most ε: the
    motion needs at most ε T per joint more than the best. The cost that is reported is its energy itself. The second
    term is the heat of motors with losses k. Unless a motion to start from is given, optima with 30 ε and 5 ε are found
    first.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    q0 : array_like, shape (nq,), or None
        Configuration at the beginning; None if a constraint determines it.
    q1 : array_like, shape (nq,), or None
        Configuration at the end; None if a constraint determines it.
    T : float, tuple of float or "free"
        Duration [s], or its bounds.
    smoothing : float, default 0.1
        Power ε [W], positive.
    losses : array_like, shape () or (nv,), default 0.0
        Losses k [W/(N m)²]: of a motor with gear, its resistance divided by the square of (torque constant · ratio).
    **options
        All keywords of `optimise`.

    Returns
    -------
    OptimalMotion
        The motion, and whether it is one; its cost is without smoothing.

    Raises
    ------
    InputError
        If an argument does not fit.

    Examples
    --------
    >>> import kinetrace as kt
    >>> found = kt.motion.minimum_energy(kt.load("planar2r"), [-1.5, 0.0], [0.0, 0.5], 1.0, intervals=6, smoothing=1.0)
    >>> found.success
    True
    """
    if not at_least_zero("smoothing", smoothing) > 0:
        raise InputError("smoothing must be positive: |p| has no derivative at 0")
    cost, last = _Energy(float(smoothing), _weights("losses", losses, robot)), options
    if options.get("guess") is None:
        for factor in SMOOTHING_FACTORS:
            rough: MotionOptions = {
                "tolerance": COARSE_TOLERANCE,
                "refinements": 0,
                "restarts": 0,
                "iterations": SMOOTHED_ITERATIONS,
            }
            easier = replace(cost, smoothing=factor * cost.smoothing)
            last = _over(options, {"guess": optimise(robot, easier, q0, q1, T, **_over(last, rough)).spline})
    found = optimise(robot, cost, q0, q1, T, **last)
    waited = options.get("time_weight", 0.0) * found.duration
    used, change = integral(found.robot, replace(cost, smoothing=0.0), found.spline)
    motion = replace(found, cost=used + waited)
    unsure = change / max(abs(motion.cost), 1e-300)
    if motion.success and unsure > options.get("accuracy", ACCURACY):
        said = integral_verdict(unsure)
        motion = replace(motion, success=said.success, status=said.status, message=said.message)
    return motion


def geodesic(
    robot: Robot,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: float | tuple[float, float] = 1.0,
    **options: Unpack[MotionOptions],
) -> OptimalMotion:
    """Motion of least kinetic energy, ∫ ½ vᵀ M v dt: a geodesic of the inertia metric.

    Without limits and constraints it is what `robot.geodesic_between` computes by shooting; its cost is length² / 2T.
    Velocities at the ends are free unless given, joint forces are not limited, and joints without motors may have
    forces.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    q0 : array_like, shape (nq,), or None
        Configuration at the beginning; None if a constraint determines it.
    q1 : array_like, shape (nq,), or None
        Configuration at the end; None if a constraint determines it.
    T : float or tuple of float, default 1.0
        Duration [s], or its bounds.
    **options
        All keywords of `optimise`.

    Returns
    -------
    OptimalMotion
        The motion, and whether it is one.

    Raises
    ------
    InputError
        If an argument does not fit.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> found = kt.motion.geodesic(robot, [0.0, 0.5], [1.0, 1.5])
    >>> round(found.cost, 5), round(robot.geodesic_between([0.0, 0.5], [1.0, 1.5]).length ** 2 / 2, 5)
    (1.67731, 1.67731)
    """
    usual: MotionOptions = {"v0": None, "v1": None, "effort": False, "motors": False}
    return optimise(robot, _kinetic, q0, q1, T, **_over(usual, options))


def minimum_jerk(
    robot: Robot,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: float | str | tuple[float, float],
    *,
    weights: npt.ArrayLike = 1.0,
    **options: Unpack[MotionOptions],
) -> OptimalMotion:
    """Motion of least jerk, ½ ∫ Σ_i w_i v̈_i² dt, from rest to rest.

    Accelerations at the ends are zero unless given. Joint forces are not limited, and joints without motors may have
    forces.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    q0 : array_like, shape (nq,), or None
        Configuration at the beginning; None if a constraint determines it.
    q1 : array_like, shape (nq,), or None
        Configuration at the end; None if a constraint determines it.
    T : float, tuple of float or "free"
        Duration [s], or its bounds.
    weights : array_like, shape () or (nv,), default 1.0
        Weights of the squared jerks.
    **options
        All keywords of `optimise`.

    Returns
    -------
    OptimalMotion
        The motion, and whether it is one.

    Raises
    ------
    InputError
        If an argument does not fit.

    Examples
    --------
    >>> import kinetrace as kt
    >>> found = kt.motion.minimum_jerk(kt.load("planar2r"), [0.0, 0.0], [1.0, 0.0], 1.0)
    >>> round(found.cost, 6)
    360.0
    """
    usual: MotionOptions = {"a0": 0.0, "a1": 0.0, "effort": False, "motors": False}
    cost = _Jerk(_weights("weights", weights, robot))
    return optimise(robot, cost, q0, q1, T, **_over(usual, options))


def minimum_time(
    robot: Robot,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: str | tuple[float, float] = "free",
    **options: Unpack[MotionOptions],
) -> OptimalMotion:
    """Motion of least duration within the limits.

    Joint forces jump where they change from one limit to another; a spline of degree three approximates that. For the
    fastest motion along a given path, time scaling is quicker.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    q0 : array_like, shape (nq,), or None
        Configuration at the beginning; None if a constraint determines it.
    q1 : array_like, shape (nq,), or None
        Configuration at the end; None if a constraint determines it.
    T : tuple of float or "free", default "free"
        Bounds of the duration [s].
    **options
        All keywords of `optimise`; the degree is three and there are 24 intervals unless given.

    Returns
    -------
    OptimalMotion
        The motion, and whether it is one; its cost is the duration.

    Raises
    ------
    InputError
        If an argument does not fit.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> found = kt.motion.minimum_time(robot, [0.0, 0.0], [1.0, 0.0], acceleration=4.0, degree=2, intervals=8)
    >>> round(found.duration, 6)
    1.0
    """
    usual: MotionOptions = {"degree": 3, "intervals": 24, "time_weight": 1.0}
    if isinstance(T, int | float):
        raise InputError('minimum_time: T must be bounds (shortest, longest) or "free", as it is what is minimised')
    return optimise(robot, None, q0, q1, T, **_over(usual, options))
