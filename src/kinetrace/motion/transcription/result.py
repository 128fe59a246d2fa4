"""Results of trajectory optimisations, and their distance from optimal ones, whatever the solver says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...robot import Robot
from ...simulation import Trajectory
from ...support.keywords import known_keywords
from ..splines.spline import Spline
from .pointwise import Float, Nodes
from .program import NonlinearProgram
from .solvers import ProgramBounds, SolverOutcome


class Residual(NamedTuple):
    """Residuals of the conditions of Karush, Kuhn and Tucker.

    With the cost f, the rows g between bounds and multipliers λ: stationarity is the largest entry of |∇f + ∇gᵀ λ| and
    complementarity the largest product of |λ| with the distance from the bound that it belongs to, both divided by the
    cost if that is more than one. Feasibility is the largest violation of a bound, in units of the row; where a bound
    is more than one, relative to it.
    """

    stationarity: float
    feasibility: float
    complementarity: float


class Violation(NamedTuple):
    """The worst violation of a constraint."""

    name: str
    """The constraint; empty if all hold."""
    amount: float
    """By how much its bound is exceeded, in its units."""
    t: float
    """When [s]."""
    relative: float
    """The amount, relative to the bound where that is more than one."""


@dataclass(frozen=True, eq=False, repr=False)
class OptimalMotion:
    """Motion of least cost that was found, and how far it is from optimal.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    spline : Spline
        The motion: a function of time.
    cost : float
        Its cost: the integral itself, not the sum over a few instants that was minimised.
    success : bool
        Whether it is a local optimum that satisfies all constraints.
    status : {"converged", "coarse", "infeasible", "iterations", "stalled", "time", "unbounded"}
        What happened: constraints that no motion nearby satisfies are "infeasible"; "iterations" means that the limit
        of iterations was reached, "time", that of time; "stalled", that the solver could not go on; "coarse", that a
        constraint is violated by more than `accuracy` between the instants at which it was imposed, that what was
        minimised differs by more from the cost, or that the integral of the cost has not settled to it; "unbounded",
        that nothing determines a duration that is "free".
    message : str
        The same in a sentence, with the worst constraint by name.
    iterations : int
        Iterations of the solver.
    residual : Residual
        Residuals of the optimality conditions, computed from exact derivatives, not by the solver.
    violation : Violation
        Worst violation on a grid finer than the instants at which constraints were imposed.
    solver : str
        Solver that was used.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> found = kt.motion.minimum_effort(robot, [-1.5, 0.0], [0.0, 0.5], 1.0, intervals=4)
    >>> found.success, round(found.cost, 1)
    (True, 40.5)
    """

    robot: Robot
    spline: Spline
    cost: float
    success: bool
    status: str
    message: str
    iterations: int
    residual: Residual
    violation: Violation
    solver: str

    @property
    def duration(self) -> float:
        """Duration T of the motion [s]."""
        return self.spline.duration

    @known_keywords
    def trajectory(self, dt: float = 1e-2) -> Trajectory:
        """Motion as a `Trajectory`, with the joint forces that it needs.

        Parameters
        ----------
        dt : float, default 0.01
            Time between rows [s]; shortened so that the last row is at the end.

        Returns
        -------
        Trajectory
            The motion.

        Raises
        ------
        InputError
            If `dt` is not positive.

        Examples
        --------
        >>> import kinetrace as kt
        >>> found = kt.motion.minimum_jerk(kt.load("planar2r"), [0.0, 0.0], [1.0, 0.0], 1.0)
        >>> found.trajectory(dt=0.25).q[:, 0].round(4)
        array([0.    , 0.1035, 0.5   , 0.8965, 1.    ])
        """
        return self.spline.trajectory(self.robot, dt)

    def __repr__(self) -> str:
        kind = f"cost {self.cost:.6g}, T={self.duration:.4g} s, {self.iterations} iterations"
        return f"OptimalMotion({self.robot.name!r}, {self.status}: {kind if self.success else self.message})"


def residual_of(program: NonlinearProgram, bounds: ProgramBounds, outcome: SolverOutcome) -> Residual:
    """How far x and its multipliers are from the conditions of optimality."""
    x = outcome.x
    scale = max(1.0, abs(float(program.cost(x))))
    multipliers = np.zeros(program.m) if outcome.multipliers is None else outcome.multipliers
    of_bounds = np.zeros(program.n) if outcome.bound_multipliers is None else outcome.bound_multipliers
    slope = program.gradient(x) + of_bounds
    if program.m:
        slope = slope + program.jacobian_pattern.matrix(program.jacobian(x)).T @ multipliers
    rows = program.rows(x)
    both = [(rows, program.lower, program.upper, multipliers), (x, *bounds, of_bounds)]
    feasibility = max(float(_relative(value, low, high).max(initial=0.0)) for value, low, high, _ in both)
    slack = max(float(_products(*each).max(initial=0.0)) for each in both)
    return Residual(float(np.abs(slope).max(initial=0.0)) / scale, feasibility, slack / scale)


def _excess(value: Float, lower: Float, upper: Float) -> Float:
    """By how much values are beyond their bounds."""
    return np.maximum(np.maximum(lower - value, value - upper), 0.0)


def _relative(value: Float, lower: Float, upper: Float) -> Float:
    """The same, relative to bounds beyond one; infinite for values that are no numbers."""
    bound = np.where(value < lower, lower, upper)
    size = np.maximum(1.0, np.abs(np.where(np.isfinite(bound), bound, 0.0)))
    return np.where(np.isfinite(value), _excess(value, lower, upper) / size, np.inf)


def _products(value: Float, lower: Float, upper: Float, multipliers: Float) -> Float:
    """Multipliers times the distance from the bound that they push away from."""
    bound = np.where(multipliers > 0, upper, lower)
    distance = np.where(np.isfinite(bound), np.abs(value - bound), 1.0)
    return np.where(multipliers == 0.0, 0.0, np.abs(multipliers) * distance)


FINER_GRID = 4
"""The grid on which constraints are checked has so many times the instants."""


class ViolationsBetween(NamedTuple):
    """Violations of constraints between the instants at which they were imposed."""

    worst: Violation
    phases: Float
    """Where inequalities are violated most (k,)."""
    equations: float
    """The largest relative violation of an equation."""


def worst_violation(program: NonlinearProgram, x: Float) -> Violation:
    """The worst violation of constraints where they were imposed."""
    return _checked(program, x, False, np.inf).worst


def between_nodes(program: NonlinearProgram, x: Float, accuracy: float) -> ViolationsBetween:
    """Violations on a finer grid; places where inequalities are violated by more than `accuracy`."""
    return _checked(program, x, True, accuracy)


def _checked(program: NonlinearProgram, x: Float, finer: bool, accuracy: float) -> ViolationsBetween:
    y, T = program.split(x)
    worst, equations = Violation("", 0.0, 0.0, 0.0), 0.0
    phases: list[Float] = [np.zeros(0)]
    for term in program.constraints:
        s = term.s
        if finer and len(s) > 1:
            s = np.unique(np.concatenate([s, *(s[:-1] + np.diff(s) * k / FINER_GRID for k in range(1, FINER_GRID))]))
        nodes = Nodes(program.q0, tuple(program.space.rates(y, s)), np.asarray(float(T)), s)
        values = term.derivatives.value(nodes)
        beyond = _relative(values, term.lower, term.upper)
        if term.forces is not None:
            beyond = beyond / max(1.0, float(np.abs(term.forces.value(nodes)).max()))
        k, i = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
        if beyond[k, i] > worst.relative:
            amount = float(_excess(values, term.lower, term.upper)[k, i])
            worst = Violation(term.names[i], amount, float(T) * float(s[k]), float(beyond[k, i]))
        if term.is_equation:
            equations = max(equations, float(beyond[k, i]))
        else:
            padded = np.pad(beyond, ((1, 1), (0, 0)))
            peaks = (beyond > accuracy) & (beyond >= padded[:-2]) & (beyond >= padded[2:])
            phases.append(s[peaks.any(axis=1)])
    return ViolationsBetween(worst, np.unique(np.concatenate(phases)), equations)


@dataclass
class Verdict:
    """Status and message of an outcome."""

    status: str
    message: str
    success: bool = field(default=False)


def integral_verdict(change: float) -> Verdict:
    """Of a cost that changed by this part of itself when intervals were halved for the last time."""
    told = f"the integral of the cost still changes by {100 * change:.2g} % when intervals are halved for the last time"
    return Verdict("coarse", f"{told}: give more intervals, a smoother cost, or a larger accuracy")


def verdict(
    outcome: SolverOutcome,
    residual: Residual,
    at_nodes: Violation,
    between: Violation,
    off: float,
    unsure: float,
    tolerance: float,
    accuracy: float,
) -> Verdict:
    """Our own judgement: a motion that violates a constraint is no success, whatever the solver says."""
    allowed = max(1e-6, 10 * tolerance)
    finite = bool(np.isfinite(outcome.x).all()) and all(np.isfinite(residual))
    if finite and residual.feasibility <= allowed and residual.stationarity <= 1e-4 and outcome.word != "infeasible":
        if outcome.word == "converged" or max(residual) <= allowed:
            if between.relative > accuracy:
                told = f"between the instants at which constraints are imposed, {_violation_text(between)}"
                return Verdict("coarse", f"{told}: give more intervals, or a larger accuracy")
            if unsure > accuracy:
                return integral_verdict(unsure)
            if off > accuracy:
                told = f"the sum over Gauss points that was minimised differs by {100 * off:.2g} % from the cost"
                return Verdict("coarse", f"{told}: give more points or intervals, or a larger accuracy")
            return Verdict("converged", "an optimum was found", True)
        return Verdict(outcome.word, f"all constraints hold, but this is not an optimum yet: {outcome.said}")
    if not finite:
        return Verdict("stalled", f"numbers are not finite: {outcome.said}")
    if residual.feasibility > allowed:
        word = "infeasible" if outcome.word == "converged" else outcome.word
        return Verdict(
            word, f"no motion was found that satisfies all constraints: {_violation_text(at_nodes)} ({outcome.said})"
        )
    return Verdict(
        "stalled" if outcome.word == "converged" else outcome.word, f"this is not an optimum: {outcome.said}"
    )


def _violation_text(violation: Violation) -> str:
    return f"{violation.name} is violated by {violation.amount:.3g} at t = {violation.t:.4g} s"
