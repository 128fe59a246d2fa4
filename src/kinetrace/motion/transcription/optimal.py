"""Motions of least cost between two configurations or poses: direct transcription with splines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from ...algorithms import kinetic_energy
from ...arrays import Array, sqrt
from ...errors import InputError, lookup
from ...model.model import Model
from ...robot import Robot
from ...robot.common import exact_robot
from ...simulate.progress import cleared, shown
from ...simulate.protocol import Progress
from ...splines.spline import Spline
from ...support.keywords import known_keywords
from ...support.plain import plain_count, plain_flag, plain_rng
from ..weights import diagonal
from .constraints import Constraint
from .ends import check_ends
from .guess import first_guess, random_guesses
from .instant import Float, asked_for
from .integral import integral
from .problem import LONGEST, SHORTEST, Asked, Mesh
from .program import Program
from .result import OptimalMotion, Verdict, between_nodes, residual_of, unsettled, verdict, worst_violation
from .solvers import SOLVERS, Bounds, Outcome, has_casadi

_REST, ACCURACY = 0.0, 1e-3
"""At rest: zero in all joints; default of `accuracy`."""


class Options(TypedDict, total=False):
    """What all optimisations of motions take; see `optimise`."""

    v0: npt.ArrayLike | None
    v1: npt.ArrayLike | None
    a0: npt.ArrayLike | None
    a1: npt.ArrayLike | None
    constraints: Constraint | Sequence[Constraint]
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
    constraints: Constraint | Sequence[Constraint] = (),
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
    near the starting motion. One motion is optimised at a time; in each iteration, all instants of the motion are one
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
        is, or Gauss points are doubled, and the motion is optimised again from where it was.
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
    limits = {
        "position": position,
        "velocity": velocity,
        "acceleration": acceleration,
        "effort": effort,
    }
    if cost is not None:
        asked_for(cost)
    mesh = Mesh(intervals, degree, points, checks)
    asked = Asked(robot, (q0, q1), (v0, v1), (a0, a1), T, constraints, limits, plain_flag("motors", motors), mesh)
    weight = _at_least_zero("time_weight", time_weight)
    if not isinstance(tolerance, float) or not 0 < tolerance < 1:
        raise InputError(f"tolerance must be a number between 0 and 1, got {tolerance!r}")
    settings = Settings(
        _solver(solver),
        plain_count("iterations", iterations, 1),
        np.inf if time_limit is None else _at_least_zero("time_limit", time_limit),
        tolerance,
        plain_count("refinements", refinements),
        _at_least_zero("accuracy", accuracy),
        dict(solver_options or {}),
    )
    program = asked.program(cost, weight)
    check_ends(asked, settings.accuracy)
    x = first_guess(asked, program, guess)
    count, show = plain_count("restarts", restarts), shown(progress)
    search = _Search(settings, cost, weight, show)
    with cleared(show), np.errstate(all="ignore"):
        start = search.coarse(asked, x) if guess is None else x
        best = search.solved(asked, start)
        if guess is None and search.is_quick(program):
            best = search.improved(asked, x, best, always=False)
        for further in random_guesses(program, start, count, plain_rng(seed)) if count else ():
            best = search.improved(asked, further, best, always=True)
    return best


class Settings(NamedTuple):
    """How to solve."""

    solver: str
    iterations: int
    seconds: float
    tolerance: float
    refinements: int
    accuracy: float
    options: dict[str, Any]


COARSER, FEWEST, LOOSE, WORTHWHILE = 4, 8, 1e-4, 1e-3
"""Of the search for a start: how many intervals become one, how many there must be, its tolerance, and how much better
the cost must be there, relative to the best."""


class _Search:
    """Runs of a solver, with what they share: the cost, how to solve, and when to end."""

    def __init__(
        self, settings: Settings, cost: Callable[..., Any] | None, time_weight: float, show: Progress | None
    ) -> None:
        self.settings, self.cost, self.time_weight, self.show = settings, cost, time_weight, show
        self.end: float | None = None
        """When the time is up; None before the first iteration, as kernels are compiled until then."""

    def program(self, asked: Asked, further: Float | None = None) -> Program:
        """The nonlinear program; inequalities hold at `further` phases as well."""
        return asked.program(self.cost, self.time_weight, further)

    def run(self, asked: Asked, program: Program, x: Float, done: int, tolerance: float) -> tuple[str, Bounds, Outcome]:
        """The solver's name, the bounds of x, and what is found from x, after `done` iterations."""
        settings, name = self.settings, self.settings.solver
        if name == "auto":
            name = "ipopt" if program.m and has_casadi() else "scipy"

        def report(k: int) -> bool:
            if self.show is not None:
                self.show(min(done + k, settings.iterations), settings.iterations)
            now = perf_counter()
            self.end = now + settings.seconds if self.end is None else self.end
            return now > self.end

        most, bounds = max(1, settings.iterations - done), asked.bounds(program.n)
        return name, bounds, SOLVERS[name](program, x, bounds, most, tolerance, report, settings.options)

    def is_quick(self, program: Program) -> bool:
        """Whether there is a cost of the path, and no equation along it, which would determine a coarse spline."""
        return bool(program.costs) and not any(len(t.s) > 1 and t.is_equation for t in program.constraints)

    def coarse(self, asked: Asked, x: Float) -> Float:
        """A start from the optimum on a coarse mesh, whose fewer variables lead to better optima; or x."""
        mesh, program = asked.mesh, self.program(asked)
        if mesh.intervals < FEWEST or not self.is_quick(program):
            return x
        rough = asked.on(replace(mesh, intervals=mesh.intervals // COARSER))
        small = self.program(rough)
        outcome = self.run(rough, small, first_guess(rough, small, _spline(asked, program, x)), 0, LOOSE)[2]
        if outcome.word == "infeasible" or not np.isfinite(outcome.x).all():
            return x
        return first_guess(asked, program, _spline(rough, small, outcome.x))

    def improved(self, asked: Asked, x: Float, best: OptimalMotion, always: bool) -> OptimalMotion:
        """The better of `best` and what is found by way of the optimum near x of the problem without inequalities.

        A solver that keeps limits may end in an optimum which is worse than one where no limit is active, and within
        limits no motion nearby is better than the best without. If that is no better than `best`, the search is from x
        itself, if there is one: `always`.
        """
        near, cost = self.without_inequalities(asked, x) if self.cost is not None else (x, np.inf)
        if not np.isfinite(cost) or (best.success and cost > (1.0 - WORTHWHILE) * best.cost):
            near = x
            if not always:
                return best
        return min((best, self.solved(asked, near)), key=_rank)

    def without_inequalities(self, asked: Asked, x: Float) -> tuple[Float, float]:
        """The best motion near x without limits and other inequalities, roughly, and its cost: start of a search."""
        free = asked.without_inequalities()
        program = self.program(free)
        tried = [self.run(free, program, start, 0, LOOSE)[2].x for start in (x, self.coarse(free, x))]
        costs = np.nan_to_num([float(program.cost(y)) for y in tried], nan=np.inf)
        return tried[int(np.argmin(costs))], float(costs.min())

    def solved(self, asked: Asked, x: Float) -> OptimalMotion:
        """The motion found from x.

        Where limits are violated in between, instants are added; where equations are, intervals are halved; where the
        sum over Gauss points is not the integral, their number is doubled; and it is solved again from there.
        """
        total, phases, settings = 0, np.zeros(0), self.settings
        for again in range(settings.refinements + 1):
            program = self.program(asked, phases)
            name, bounds, outcome = self.run(asked, program, x, total, settings.tolerance)
            total += outcome.iterations
            between, x = between_nodes(program, outcome.x, settings.accuracy), outcome.x
            spline = _spline(asked, program, x)
            cost, off, unsure = self._true_cost(asked, program, x, spline)
            finer, uneven = between.equations > settings.accuracy, off > settings.accuracy
            if outcome.word != "converged" or not (finer or uneven or len(between.phases)):
                break
            if again == settings.refinements or total >= settings.iterations:
                break
            if finer or uneven:
                mesh = asked.mesh
                intervals, points = mesh.intervals * (2 if finer else 1), mesh.points * (2 if uneven else 1)
                asked = asked.on(replace(mesh, intervals=intervals, points=points))
            if finer:
                phases, x = np.zeros(0), first_guess(asked, self.program(asked), spline)
            else:
                phases = np.union1d(phases, between.phases)
        outcome = outcome._replace(iterations=total)
        residual = residual_of(program, bounds, outcome)
        at_nodes = worst_violation(program, outcome.x)
        said = verdict(outcome, residual, at_nodes, between.worst, off, unsure, settings.tolerance, settings.accuracy)
        if said.success and asked.is_free and not 1.01 * SHORTEST < spline.duration < 0.99 * LONGEST:
            duration = f"it became {spline.duration:.3g} s; give bounds, limits or time_weight"
            said = Verdict("unbounded", f"nothing determines the duration: {duration}")
        return OptimalMotion(
            *(asked.robot, spline, cost, said.success, said.status, said.message, total, residual, between.worst, name)
        )

    def _true_cost(self, asked: Asked, program: Program, x: Float, spline: Spline) -> tuple[float, float, float]:
        """The cost of a motion; relative to it, how far it is from what was minimised, and its last change."""
        minimised = float(program.cost(x))
        if self.cost is None or not np.isfinite(x).all():
            return minimised, 0.0, 0.0
        found, change = integral(asked.robot, self.cost, spline)
        cost = found + self.time_weight * spline.duration
        size = max(abs(cost), 1e-300)
        return cost, abs(cost - minimised) / size, change / size


def _rank(found: OptimalMotion) -> tuple[bool, float]:
    """By which of several motions the best is the first."""
    return not found.success, found.cost if found.success else found.residual.feasibility


def _spline(asked: Asked, program: Program, x: Float) -> Spline:
    """The motion with the variables x; at rest if these are not finite."""
    y, T = program.split(x if np.isfinite(x).all() else np.zeros_like(x))
    T = float(T) or 1.0
    return Spline(asked.robot, program.q0, program.space.coefficients(y), program.space.knots * T)


def _solver(name: Any) -> str:
    lookup("solver", name, {"auto": None, **SOLVERS})
    return str(name)


def _at_least_zero(name: str, x: Any) -> float:
    if isinstance(x, bool) or not isinstance(x, int | float | np.integer | np.floating) or not 0 <= x < np.inf:
        raise InputError(f"{name} must be a number of at least 0, got {x!r}")
    return float(x)


@dataclass(frozen=True)
class _Effort:
    weights: tuple[float, ...]

    def __call__(self, model: Model, tau: Array) -> Array:
        return 0.5 * (tau @ (np.array(self.weights) * tau))


SMOOTHER, ROUGH = (30.0, 5.0), 100
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


def _over(usual: Options, options: Options) -> Options:
    """What is usual for a cost, unless told otherwise."""
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
    **options: Unpack[Options],
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
    **options: Unpack[Options],
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
    if not _at_least_zero("smoothing", smoothing) > 0:
        raise InputError("smoothing must be positive: |p| has no derivative at 0")
    cost, last = _Energy(float(smoothing), _weights("losses", losses, robot)), options
    if options.get("guess") is None:
        for factor in SMOOTHER:
            rough: Options = {"tolerance": LOOSE, "refinements": 0, "restarts": 0, "iterations": ROUGH}
            easier = replace(cost, smoothing=factor * cost.smoothing)
            last = _over(options, {"guess": optimise(robot, easier, q0, q1, T, **_over(last, rough)).spline})
    found = optimise(robot, cost, q0, q1, T, **last)
    waited = options.get("time_weight", 0.0) * found.duration
    used, change = integral(found.robot, replace(cost, smoothing=0.0), found.spline)
    made = replace(found, cost=used + waited)
    unsure = change / max(abs(made.cost), 1e-300)
    if made.success and unsure > options.get("accuracy", ACCURACY):
        said = unsettled(unsure)
        made = replace(made, success=said.success, status=said.status, message=said.message)
    return made


def geodesic(
    robot: Robot,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: float | tuple[float, float] = 1.0,
    **options: Unpack[Options],
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
    usual: Options = {"v0": None, "v1": None, "effort": False, "motors": False}
    return optimise(robot, _kinetic, q0, q1, T, **_over(usual, options))


def minimum_jerk(
    robot: Robot,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: float | str | tuple[float, float],
    *,
    weights: npt.ArrayLike = 1.0,
    **options: Unpack[Options],
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
    usual: Options = {"a0": 0.0, "a1": 0.0, "effort": False, "motors": False}
    cost = _Jerk(_weights("weights", weights, robot))
    return optimise(robot, cost, q0, q1, T, **_over(usual, options))


def minimum_time(
    robot: Robot,
    q0: npt.ArrayLike | None,
    q1: npt.ArrayLike | None,
    T: str | tuple[float, float] = "free",
    **options: Unpack[Options],
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
    usual: Options = {"degree": 3, "intervals": 24, "time_weight": 1.0}
    if isinstance(T, int | float):
        raise InputError('minimum_time: T must be bounds (shortest, longest) or "free", as it is what is minimised')
    return optimise(robot, None, q0, q1, T, **_over(usual, options))
