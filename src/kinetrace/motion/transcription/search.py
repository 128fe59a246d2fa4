"""The search for an optimal motion: runs of a solver from several starts, on meshes that are refined where needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, lookup
from ...support.conversion import as_count, as_rng
from ...support.progress import Progress, progress_callback, progress_context
from ..splines.spline import Spline
from .guess import first_guess, random_guesses
from .pointwise import Float
from .problem import LONGEST_DURATION, SHORTEST_DURATION, MotionProblem, check_ends
from .program import NonlinearProgram, integral
from .result import OptimalMotion, Verdict, between_nodes, residual_of, verdict, worst_violation
from .solvers import SOLVERS, ProgramBounds, SolverOutcome, has_casadi

COARSENING, COARSE_FROM_INTERVALS, COARSE_TOLERANCE, WORTHWHILE_GAIN = 4, 8, 1e-4, 1e-3
"""Of the search for a start: how many intervals become one, how many there must be, its tolerance, and how much better
the cost must be there, relative to the best."""


class MotionCost(NamedTuple):
    """Cost that is minimised: ∫ function dt + time_weight · T."""

    function: Callable[..., Any] | None
    time_weight: float


class SearchStarts(NamedTuple):
    """Motions that searches begin from: the guess, or one that is computed, and random ones around it."""

    guess: Any
    restarts: int
    seed: int | np.random.Generator | None


class SolverSettings(NamedTuple):
    """How to solve."""

    solver: str
    iterations: int
    seconds: float
    tolerance: float
    refinements: int
    accuracy: float
    options: dict[str, Any]


def solver_settings(
    solver: Any,
    iterations: Any,
    time_limit: Any,
    tolerance: Any,
    refinements: Any,
    accuracy: Any,
    solver_options: dict[str, Any] | None,
) -> SolverSettings:
    """The keywords of `optimise` about the solver, checked."""
    if not isinstance(tolerance, float) or not 0 < tolerance < 1:
        raise InputError(f"tolerance must be a number between 0 and 1, got {tolerance!r}")
    lookup("solver", solver, {"auto": None, **SOLVERS})
    return SolverSettings(
        solver=str(solver),
        iterations=as_count("iterations", iterations, 1),
        seconds=np.inf if time_limit is None else at_least_zero("time_limit", time_limit),
        tolerance=tolerance,
        refinements=as_count("refinements", refinements),
        accuracy=at_least_zero("accuracy", accuracy),
        options=dict(solver_options or {}),
    )


def best_motion(
    problem: MotionProblem,
    cost: MotionCost,
    settings: SolverSettings,
    starts: SearchStarts,
    progress: Progress | bool | None,
) -> OptimalMotion:
    """The best motion that searches from all starts find."""
    program = problem.program(cost.function, cost.time_weight)
    check_ends(problem, settings.accuracy)
    x, show = first_guess(problem, program, starts.guess), progress_callback(progress)
    search = _TranscriptionSearch(settings, cost, show)
    with progress_context(show), np.errstate(all="ignore"):
        start = search.coarse(problem, x) if starts.guess is None else x
        best = search.solve(problem, start)
        if starts.guess is None and search.is_quick(program):
            best = search.better(problem, x, best, always=False)
        if starts.restarts:
            for further in random_guesses(program, start, starts.restarts, as_rng(starts.seed)):
                best = search.better(problem, further, best, always=True)
    return best


class _TranscriptionSearch:
    """Runs of a solver, with what they share: the cost, how to solve, and when to end."""

    def __init__(self, settings: SolverSettings, cost: MotionCost, show: Progress | None) -> None:
        self.settings, self.cost, self.show = settings, cost, show
        self.end: float | None = None
        """When the time is up; None before the first iteration, as kernels are compiled until then."""

    def program(self, problem: MotionProblem, further: Float | None = None) -> NonlinearProgram:
        """The nonlinear program; inequalities hold at `further` phases as well."""
        return problem.program(self.cost.function, self.cost.time_weight, further)

    def run(
        self, problem: MotionProblem, program: NonlinearProgram, x: Float, done: int, tolerance: float
    ) -> tuple[str, ProgramBounds, SolverOutcome]:
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

        most, bounds = max(1, settings.iterations - done), problem.bounds(program.n)
        return name, bounds, SOLVERS[name](program, x, bounds, most, tolerance, report, settings.options)

    def is_quick(self, program: NonlinearProgram) -> bool:
        """Whether there is a cost of the path, and no equation along it, which would determine a coarse spline."""
        return bool(program.costs) and not any(len(t.s) > 1 and t.is_equation for t in program.constraints)

    def coarse(self, problem: MotionProblem, x: Float) -> Float:
        """A start from the optimum on a coarse mesh, whose fewer variables lead to better optima; or x."""
        mesh, program = problem.mesh, self.program(problem)
        if mesh.intervals < COARSE_FROM_INTERVALS or not self.is_quick(program):
            return x
        rough = problem.on(replace(mesh, intervals=mesh.intervals // COARSENING))
        small = self.program(rough)
        outcome = self.run(rough, small, first_guess(rough, small, _spline(problem, program, x)), 0, COARSE_TOLERANCE)[
            2
        ]
        if outcome.word == "infeasible" or not np.isfinite(outcome.x).all():
            return x
        return first_guess(problem, program, _spline(rough, small, outcome.x))

    def better(self, problem: MotionProblem, x: Float, best: OptimalMotion, always: bool) -> OptimalMotion:
        """The better of `best` and what is found by way of the optimum near x of the problem without inequalities.

        A solver that keeps limits may end in an optimum which is worse than one where no limit is active, and within
        limits no motion nearby is better than the best without. If that is no better than `best`, the search is from x
        itself, if there is one: `always`.
        """
        near, cost = self.without_inequalities(problem, x) if self.cost.function is not None else (x, np.inf)
        if not np.isfinite(cost) or (best.success and cost > (1.0 - WORTHWHILE_GAIN) * best.cost):
            near = x
            if not always:
                return best
        return min((best, self.solve(problem, near)), key=_rank)

    def without_inequalities(self, problem: MotionProblem, x: Float) -> tuple[Float, float]:
        """The best motion near x without limits and other inequalities, roughly, and its cost: start of a search."""
        free = problem.without_inequalities()
        program = self.program(free)
        tried = [self.run(free, program, start, 0, COARSE_TOLERANCE)[2].x for start in (x, self.coarse(free, x))]
        costs = np.nan_to_num([float(program.cost(y)) for y in tried], nan=np.inf)
        return tried[int(np.argmin(costs))], float(costs.min())

    def solve(self, problem: MotionProblem, x: Float) -> OptimalMotion:
        """The motion found from x.

        Where limits are violated in between, instants are added; where equations are, intervals are halved; where the
        sum over Gauss points is not the integral, their number is doubled; and it is solved again from there.
        """
        total, phases, settings = 0, np.zeros(0), self.settings
        for again in range(settings.refinements + 1):
            program = self.program(problem, phases)
            name, bounds, outcome = self.run(problem, program, x, total, settings.tolerance)
            total += outcome.iterations
            between, x = between_nodes(program, outcome.x, settings.accuracy), outcome.x
            spline = _spline(problem, program, x)
            cost, off, unsure = self._true_cost(problem, program, x, spline)
            finer, uneven = between.equations > settings.accuracy, off > settings.accuracy
            if outcome.word != "converged" or not (finer or uneven or len(between.phases)):
                break
            if again == settings.refinements or total >= settings.iterations:
                break
            if finer or uneven:
                mesh = problem.mesh
                intervals, points = mesh.intervals * (2 if finer else 1), mesh.points * (2 if uneven else 1)
                problem = problem.on(replace(mesh, intervals=intervals, points=points))
            if finer:
                phases, x = np.zeros(0), first_guess(problem, self.program(problem), spline)
            else:
                phases = np.union1d(phases, between.phases)
        outcome = outcome._replace(iterations=total)
        residual = residual_of(program, bounds, outcome)
        at_nodes = worst_violation(program, outcome.x)
        said = verdict(outcome, residual, at_nodes, between.worst, off, unsure, settings.tolerance, settings.accuracy)
        if (
            said.success
            and problem.is_free
            and not 1.01 * SHORTEST_DURATION < spline.duration < 0.99 * LONGEST_DURATION
        ):
            duration = f"it became {spline.duration:.3g} s; give bounds, limits or time_weight"
            said = Verdict("unbounded", f"nothing determines the duration: {duration}")
        return OptimalMotion(
            robot=problem.robot,
            spline=spline,
            cost=cost,
            success=said.success,
            status=said.status,
            message=said.message,
            iterations=total,
            residual=residual,
            violation=between.worst,
            solver=name,
        )

    def _true_cost(
        self, problem: MotionProblem, program: NonlinearProgram, x: Float, spline: Spline
    ) -> tuple[float, float, float]:
        """The cost of a motion; relative to it, how far it is from what was minimised, and its last change."""
        minimised = float(program.cost(x))
        if self.cost.function is None or not np.isfinite(x).all():
            return minimised, 0.0, 0.0
        running, change = integral(problem.robot, self.cost.function, spline)
        cost = running + self.cost.time_weight * spline.duration
        size = max(abs(cost), 1e-300)
        return cost, abs(cost - minimised) / size, change / size


def _rank(found: OptimalMotion) -> tuple[bool, float]:
    """By which of several motions the best is the first."""
    return not found.success, found.cost if found.success else found.residual.feasibility


def _spline(problem: MotionProblem, program: NonlinearProgram, x: Float) -> Spline:
    """The motion with the variables x; at rest if these are not finite."""
    y, T = program.split(x if np.isfinite(x).all() else np.zeros_like(x))
    T = float(T) or 1.0
    return Spline(problem.robot, program.q0, program.space.coefficients(y), program.space.knots * T)


def at_least_zero(name: str, x: Any) -> float:
    """A finite number that is not negative."""
    if isinstance(x, bool) or not isinstance(x, int | float | np.integer | np.floating) or not 0 <= x < np.inf:
        raise InputError(f"{name} must be a number of at least 0, got {x!r}")
    return float(x)
