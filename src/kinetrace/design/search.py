"""Search for the design that is best by an objective: SciPy's minimisers on exact gradients.

A maximum to be made small is searched twice: first with a smooth function in its place, which leads near the optimum,
then as what it is, the least t with f_i(x) ≤ t for all values, of which the largest are taken. It is an optimum if a
mean Σ λ_i ∇f_i of the gradients of all values that are the maximum, with λ_i ≥ 0 and Σ λ_i = 1, vanishes but for what
bounds and requirements balance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..algorithms.closed.mobility import with_assembly_near
from ..engine.compilation.compile import compile
from ..errors import LONGEST_NAME, InputError, lookup, shorten
from ..robot import Robot
from ..support.conversion import as_array, as_count, as_list
from ..support.keywords import known_keywords
from ..support.optional import require_package
from .objectives import BoundObjective, Cost, Evaluated, Objective, largest_of
from .variables import DesignSpace, Float, Variable, apply_variables, design_space

METHODS = {"SLSQP": True, "trust-constr": True, "L-BFGS-B": False}
"""Methods of SciPy, and whether they take requirements."""
OPTIMAL_GRADIENT, ALLOWED_VIOLATION = 1e-4, 1e-6
"""Gradient left, relative to that at the start, and violation of requirements, up to which a result is a success."""
CLOSED_GAP = 1e-6
"""How far the loops of a closed robot may be open [rad, m]."""
MOST_RESTARTS = 4
"""How often a search that ends away from an optimum goes on."""
COMPARED_VALUES, MOST_EXCHANGES = 200, 20
"""Values of a maximum that are compared with it at a time, and how often further ones are taken."""
SUM_WEIGHT = 1e3
"""Weight of the condition that the multipliers of a maximum have the sum 1, where these are computed."""


class Requirement(NamedTuple):
    """An objective's function with bounds, which a design must keep.

    Of a maximum over states, the exact one is bounded.

    Parameters
    ----------
    objective : Objective
        What is bounded; whether it is to be large does not matter.
    lower : float, default -inf
        Least value.
    upper : float, default inf
        Largest value.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.design.Requirement(kt.design.effort([[0.0, 0.0]]), upper=100.0).upper
    100.0
    """

    objective: Objective
    lower: float = -np.inf
    upper: float = np.inf


@dataclass(frozen=True, eq=False)
class Design:
    """A robot that is best by an objective; made by `improve`.

    Parameters
    ----------
    success : bool
        Whether the search converged within bounds and requirements.
    status : str
        "converged"; "iterations" if there were too few; "infeasible" if requirements are violated; "stalled" if the
        search ended away from an optimum.
    message : str
        The same in a sentence.
    robot : Robot
        Robot with the design.
    names : tuple of str
        Names of the values.
    x : ndarray, shape (n,)
        Values of the design.
    x0 : ndarray, shape (n,)
        Values at the start.
    objective : str
        Name of the objective.
    cost : float
        Value of the objective, with the exact maximum.
    cost0 : float
        Its value at the start.
    residual : float
        Largest entry of the gradient that no bound or requirement balances, relative to that at the start; values are
        in units of the distances between their bounds.
    violation : float
        Largest violation of a requirement, relative to its bound if that is above 1.
    iterations : int
        Iterations of the search.
    evaluations : int
        Evaluations of the objective.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> at = kt.design.isotropy([[0.0, 2.4]], "tip", axes=(3, 5))
    >>> kt.design.improve(robot, at, [kt.design.Length("link1")])
    Design(converged: isotropy of tip 0.886 → 0.998)
    """

    success: bool
    status: str
    message: str
    robot: Robot = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    x: Float
    x0: Float = field(repr=False)
    objective: str
    cost: float
    cost0: float = field(repr=False)
    residual: float
    violation: float
    iterations: int
    evaluations: int

    def __repr__(self) -> str:
        return f"Design({self.status}: {self.objective} {self.cost0:.3g} → {self.cost:.3g})"

    def table(self) -> str:
        """Values and objective before and after, as text.

        Returns
        -------
        str
            One line each.

        Examples
        --------
        >>> import kinetrace as kt
        >>> at = kt.design.isotropy([[0.0, 2.4]], "tip", axes=(3, 5))
        >>> print(kt.design.improve(kt.load("planar2r"), at, [kt.design.Length("link1")]).table())
                             before     after
        length of link1           1     1.414
        isotropy of tip      0.8857     0.998
        """
        rows = [*zip(self.names, self.x0, self.x, strict=True), (self.objective, self.cost0, self.cost)]
        width = max(len(name) for name, *_ in rows)
        head = f"{'':{width}}{'before':>12}{'after':>10}"
        return "\n".join([head, *(f"{name:{width}}{a:>12.4g}{b:>10.4g}" for name, a, b in rows)])


Held = Sequence[tuple[Requirement, Evaluated]]


@known_keywords
def improve(
    robot: Robot,
    objective: Objective | Sequence[tuple[float, Objective]],
    variables: Sequence[Variable],
    *,
    requirements: Sequence[Requirement] = (),
    x0: npt.ArrayLike | None = None,
    method: Literal["SLSQP", "trust-constr", "L-BFGS-B"] = "SLSQP",
    iterations: int = 200,
    tolerance: float = 1e-10,
) -> Design:
    """Design of a robot that is best by an objective, within bounds and requirements, by exact gradients.

    Needs SciPy. The result is a local optimum; other starts may find others. States stay as they are given: those of a
    closed robot must stay closed, so that its masses and effects may change, but no length that a loop depends on.

    Parameters
    ----------
    robot : Robot
        Robot to begin with.
    objective : Objective, or sequence of (float, Objective)
        What should be small or large; or weights and several, whose weighted sum is made small, those that should be
        large with the opposite sign.
    variables : sequence of Variable
        What may change: `Length`, `Mass`, `Center`, `PointMass`, `Mount`, `Effect`, `Custom`, with bounds.
    requirements : sequence of Requirement, optional
        Objectives with bounds.
    x0 : array_like, shape (n,), optional
        Values to begin with; those of the robot unless given.
    method : {"SLSQP", "trust-constr", "L-BFGS-B"}, default "SLSQP"
        Minimiser of SciPy; the last takes no requirements.
    iterations : int, default 200
        Largest number of iterations.
    tolerance : float, default 1e-10
        Change of the objective, relative to its value at the start, that ends the search.

    Returns
    -------
    Design
        Robot, values, and objective before and after.

    Raises
    ------
    InputError
        If a name is unknown, a shape does not fit, or the objective is not finite at the start.

    Examples
    --------
    A planar arm can be isotropic if its first link is √2 times the second, with the elbow at 135°:

    >>> import numpy as np, kinetrace as kt
    >>> at = kt.design.isotropy([[0.0, 0.75 * np.pi]], "tip", axes=(3, 5))
    >>> found = kt.design.improve(kt.load("planar2r"), at, [kt.design.Length("link1")])
    >>> found.x.round(4), round(found.cost, 9)
    (array([1.4142]), 1.0)
    """
    takes, kept = lookup("method", method, METHODS), _as_requirements(requirements)
    if kept and not takes:
        raise InputError(f"method {method!r} takes no requirements: SLSQP and trust-constr do")
    space, parts = design_space(robot, variables, x0), _as_weights(objective)
    chosen, sizes = space.variables, space.sizes
    cost = Cost([(w * (-1.0 if o.maximise else 1.0), Evaluated(robot, chosen, sizes, o)) for w, o in parts])
    held = [(c, Evaluated(robot, chosen, sizes, c.objective)) for c in kept]
    for _, e in (*cost.terms, *held):
        _check_closed(robot, space, e.objective)
        e.objective._check(robot.model, e.exact(space.start))
    idle = _idle([e for _, e in (*cost.terms, *held)], space)
    most = as_count("iterations", iterations, 1)
    end = _search(cost, held, space, method, most, tolerance)
    messages = {
        "converged": "no better design is near",
        "iterations": f"{most} iterations were not enough",
        "infeasible": f"a requirement is violated by {end.violation:.2g}",
        "stalled": f"the search ended with {100 * end.residual:.2g} % of the gradient left: {end.reason}",
    }
    sign = -1.0 if len(parts) == 1 and parts[0][1].maximise else 1.0
    return Design(
        success=end.status == "converged",
        status=end.status,
        message=messages[end.status] + (f"; {', '.join(idle)}: without effect" if idle else ""),
        robot=made(robot, variables, end.x),
        names=space.names,
        x=end.x,
        x0=space.start,
        objective=" + ".join(o.name for _, o in parts),
        cost=sign * cost.exact(end.x),
        cost0=sign * cost.exact(space.start),
        residual=end.residual,
        violation=end.violation,
        iterations=end.iterations,
        evaluations=cost.calls,
    )


@known_keywords
def made(robot: Robot, variables: Sequence[Variable], x: npt.ArrayLike) -> Robot:
    """Robot with given values of design variables.

    Parameters
    ----------
    robot : Robot
        Robot to begin with.
    variables : sequence of Variable
        What changes.
    x : array_like, shape (n,)
        Their values.

    Returns
    -------
    Robot
        The changed robot.

    Raises
    ------
    InputError
        If a name is unknown or a shape does not fit.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.design.made(kt.load("planar2r"), [kt.design.Length("link2"), kt.design.Mass("link1")], [1.2, 0.5])
    >>> robot.parameters("inertial")[:, 0]
    array([0.5, 1.2])
    """
    space, values = design_space(robot, variables, None), as_array("x", x)
    if values.dtype.kind not in "biuf" or values.shape != space.start.shape:
        raise InputError(f"x must have shape {space.start.shape}, got {values.shape}")
    values = values.astype(float)
    for variable, part in zip(space.variables, np.split(values, np.cumsum(space.sizes)[:-1]), strict=True):
        variable._check_possible("value", part)
    model = apply_variables(space.variables, space.sizes, robot.model, values)
    return robot._with_model(with_assembly_near(model, robot.model))


def _idle(functions: Sequence[Evaluated], space: DesignSpace) -> list[str]:
    """Names of values that nothing depends on, at the start and at two other designs; an error if all are such."""
    names, start, low, high = space.names, space.start, space.low, space.high
    lower, upper = (np.where(np.isfinite(x), x, start + k) for x, k in ((low, -1.0), (high, 1.0)))
    designs = (start, lower + 0.31 * (upper - lower), lower + 0.73 * (upper - lower))
    used = np.zeros(len(names), dtype=bool)
    for x in designs:
        for e in functions:
            used |= ~(e.every(x)[1] == 0.0).all(axis=0)
    idle = [name for name, some in zip(names, used, strict=True) if not some]
    if len(idle) == len(names):
        said = " or ".join(dict.fromkeys(repr(e.objective.name) for e in functions))
        raise InputError(f"no variable has an effect on {said}: {', '.join(idle)}")
    return idle


def _as_requirements(requirements: Any) -> list[Requirement]:
    """Requirements, checked."""
    wanted = "kt.design.Requirement(objective, lower, upper) in a list"
    given = as_list("requirements", requirements, wanted)
    for x in given:
        if not isinstance(x, Requirement) or not isinstance(x.objective, Objective):
            raise InputError(f"requirements must be {wanted}, got {shorten(repr(x), LONGEST_NAME)}")
        if not x.lower <= x.upper:
            raise InputError(f"{x.objective.name!r} is required to be between {x.lower!r} and {x.upper!r}")
    return given


def _as_weights(objective: Any) -> list[tuple[float, Objective]]:
    """Objectives with weights, checked."""
    wanted = "an Objective, or pairs (weight, Objective)"
    parts = [(1.0, objective)] if isinstance(objective, Objective) else as_list("objective", objective, wanted)
    if not parts or not all(isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], Objective) for x in parts):
        raise InputError(f"objective must be {wanted}")
    return parts


class SearchEnd(NamedTuple):
    """Where a search ended."""

    x: Float
    iterations: int
    status: str
    residual: float
    """Remaining gradient."""
    violation: float
    reason: str
    """Why SciPy ended."""


def _search(cost: Cost, held: Held, space: DesignSpace, method: str, most: int, tolerance: float) -> SearchEnd:
    """The search by SciPy's method, and then, if maxima are to be small, for the least exact ones."""
    start, low, high = space.start, space.low, space.high
    first, slope = cost(start)
    if not (np.isfinite(first) and np.isfinite(slope).all()):
        raise InputError("the objective or its gradient is not finite at the start: is a state singular?")
    size, at, used, x = max(abs(first), 1e-12), Scaled.between(low, high, start), 0, start
    steep = max(np.abs(slope * at.unit).max(initial=0.0), 1e-9 * size)
    for _ in range(MOST_RESTARTS):  # a search that ends too early goes on from there
        found = _minimise(cost, held, x, at, size, method, most - used, tolerance)
        x, used = np.clip(found.x * at.unit, low, high), used + int(found.nit)
        last, g = cost(x)
        lowest = max(steep, np.abs(g * at.unit).max(initial=0.0))
        residual, violation = _optimality(x, g, at, held)
        residual /= lowest
        if not np.isfinite(residual) or residual <= OPTIMAL_GRADIENT or violation > ALLOWED_VIOLATION or used >= most:
            break
    if cost.peaks and np.isfinite(residual) and violation <= ALLOWED_VIOLATION and used < most:
        x, found = _lower_maxima(cost, held, x, at, most - used, tolerance)
        used, (last, g) = used + int(found.nit), cost.without_peaks(x)
        residual, violation = _optimality(x, g, at, held, [(w, e.largest(x)[1]) for w, e in cost.peaks])
        residual /= lowest
    status = _status(found, most, residual, violation, last)
    return SearchEnd(
        x=x, iterations=used, status=status, residual=residual, violation=violation, reason=str(found.message)
    )


class Scaled(NamedTuple):
    """Values in units of the distances between their bounds: all numbers of a search are of the same size."""

    low: Float
    high: Float
    unit: Float

    @classmethod
    def between(cls, low: Float, high: Float, start: Float) -> Scaled:
        """Units for these bounds; where one is infinite, the size at the start."""
        width = high - low
        return cls(low, high, np.where(np.isfinite(width), width, np.maximum(np.abs(start), 1.0)))


def _minimise(
    cost: Cost, held: Held, start: Float, at: Scaled, size: float, method: str, most: int, tolerance: float
) -> Any:
    """SciPy's result in scaled values, with the cost in units of its size at the start."""
    scipy = require_package("scipy.optimize", "improve", "motion")

    def scaled(z: Float) -> tuple[float, Float]:
        f, g = cost(z * at.unit)
        return f / size, g * at.unit / size

    options: dict[str, Any] = {
        "SLSQP": {"ftol": tolerance},
        "trust-constr": {"gtol": 1e-8, "xtol": 1e-12},
        "L-BFGS-B": {"ftol": tolerance, "gtol": 1e-9},
    }[method]
    return scipy.minimize(
        scaled,
        start / at.unit,
        jac=True,
        method=method,
        bounds=scipy.Bounds(at.low / at.unit, at.high / at.unit),
        constraints=_limits(held, start, at),
        options={**options, "maxiter": most},
    )


def _limits(held: Held, start: Float, at: Scaled, further: int = 0) -> list[Any]:
    """Requirements as SciPy's constraints of scaled values, which `further` unknowns follow."""
    scipy, n, limits = require_package("scipy.optimize", "improve", "motion"), len(start), []
    for c, e in held:
        _, low, high, _ = e.between(start, c.lower, c.upper)
        if len(low):
            rows = partial(e.between, lower=c.lower, upper=c.upper)
            limits.append(
                scipy.NonlinearConstraint(
                    lambda z, rows=rows: rows(z[:n] * at.unit)[0],
                    low,
                    high,
                    jac=lambda z, rows=rows: np.pad(rows(z[:n] * at.unit)[3] * at.unit, ((0, 0), (0, further))),
                )
            )
    return limits


def _lower_maxima(cost: Cost, held: Held, start: Float, at: Scaled, most: int, tolerance: float) -> tuple[Float, Any]:
    """Values with the least exact maxima near a start, and SciPy's last result with all iterations.

    The unknowns are scaled values, then the maxima t in units of those at the start. The largest values f_i are held
    below t; where others turn out to be larger, these too.
    """
    scipy, peaks, n, m = require_package("scipy.optimize", "improve", "motion"), cost.peaks, len(start), len(cost.peaks)
    weights, unit = np.array([w for w, _ in peaks]), np.array([max(abs(e.exact(start)), 1e-12) for _, e in peaks])
    size, taken = max(abs(cost.exact(start)), 1e-12), [np.zeros(0, dtype=int)] * m

    def scaled(z: Float) -> tuple[float, Float]:
        cost.calls += 1
        f, g = cost.without_peaks(z[:n] * at.unit)
        return (f + float(weights @ (unit * z[n:]))) / size, np.append(g * at.unit, weights * unit) / size

    def gaps(z: Float) -> tuple[Float, Float]:
        """How far values are below t, and the derivatives of that."""
        values, slopes = [], []
        for k, (_, e) in enumerate(peaks):
            f, J = (x[taken[k]] / unit[k] for x in e.every(z[:n] * at.unit))
            values.append(z[n + k] - f)
            slopes.append(np.hstack([-J * at.unit, np.tile(np.eye(m)[k], (len(f), 1))]))
        return np.concatenate(values), np.concatenate(slopes)

    best, x, used, open_ended = start, start, 0, np.full(m, np.inf)
    for _ in range(MOST_EXCHANGES):
        every = [e.every(x)[0] for _, e in peaks]
        if used >= most or all(np.isin(largest_of(f), old).all() for f, old in zip(every, taken, strict=True)):
            break
        taken = [np.union1d(old, np.argsort(-f)[:COMPARED_VALUES]) for f, old in zip(every, taken, strict=True)]
        tops = np.array([f.max() for f in every]) / unit
        found = scipy.minimize(
            scaled,
            np.append(x / at.unit, tops),
            jac=True,
            method="SLSQP",
            bounds=scipy.Bounds(np.append(at.low / at.unit, -open_ended), np.append(at.high / at.unit, open_ended)),
            constraints=[
                scipy.NonlinearConstraint(lambda z: gaps(z)[0], 0.0, np.inf, jac=lambda z: gaps(z)[1]),
                *_limits(held, x, at, m),
            ],
            options={"ftol": tolerance, "maxiter": most - used},
        )
        x, used = np.clip(found.x[:n] * at.unit, at.low, at.high), used + int(found.nit)
        if cost.exact(x) <= cost.exact(best) and _violation(x, held) <= ALLOWED_VIOLATION:
            best = x
    found.nit = used
    return best, found


def _violation(x: Float, held: Held) -> float:
    """How far requirements are violated, relative to their bounds where these are above 1."""
    found = 0.0
    for c, e in held:
        exact = e.exact(x)
        beyond = ((c.lower - exact) / max(1.0, abs(c.lower)), (exact - c.upper) / max(1.0, abs(c.upper)))
        found = max(found, *beyond)
    return found


def _optimality(
    x: Float, g: Float, at: Scaled, held: Held, peaks: Sequence[tuple[float, Float]] = ()
) -> tuple[float, float]:
    """Scaled gradient that bounds and requirements do not balance, and violation of requirements.

    Of `peaks`, weights and derivatives of all values that are the maximum, the mean of the gradients that is balanced
    best is added.
    """
    eye, near, g = np.eye(len(x)), 1e-7 * at.unit, g * at.unit
    active = [eye[k] for k in np.flatnonzero(x <= at.low + near)]
    active += [-eye[k] for k in np.flatnonzero(x >= at.high - near)]
    for c, e in held:
        f, low, high, slopes = e.between(x, c.lower, c.upper)
        slopes, close = slopes * at.unit, 1e-5 * np.maximum(1.0, np.abs(f))
        active += [*slopes[f <= low + close], *-slopes[f >= high - close]]
    columns = [np.reshape(active, (-1, len(x))).T, *(-w * (J * at.unit).T for w, J in peaks)]
    sizes = [c.shape[1] for c in columns]
    matrix, scale = np.hstack(columns), max(1.0, *(np.abs(c).max(initial=0.0) for c in columns), np.abs(g).max())
    means = np.repeat(np.eye(1 + len(peaks)), sizes, axis=1)[1:]  # multipliers of each maximum have the sum 1
    matrix, wanted = (
        np.vstack([matrix, SUM_WEIGHT * scale * means]),
        np.append(g, np.full(len(peaks), SUM_WEIGHT * scale)),
    )
    if not matrix.shape[1]:
        return float(np.abs(g).max(initial=0.0)), _violation(x, held)
    multipliers, _ = require_package("scipy.optimize", "improve", "motion").nnls(matrix, wanted)
    return float(np.abs((wanted - matrix @ multipliers)[: len(x)]).max(initial=0.0)), _violation(x, held)


def _check_closed(robot: Robot, space: DesignSpace, of: Objective) -> None:
    """An error if configurations of a closed robot are open at the start, or are opened by designs at the bounds."""
    if not robot.model.closures or "q" not in of.arrays:
        return
    residual = Objective(algorithms.closure_residual, {"q": of.arrays["q"]})
    function = BoundObjective(robot, space.variables, space.sizes, residual)
    gaps = compile(function, robot, shapes={"x": sum(space.sizes)}, dtype="float64")
    for x in (space.start, space.low, space.high):
        gap = float(np.abs(gaps(np.where(np.isfinite(x), x, space.start), residual.arrays["q"])).max(initial=0.0))
        if gap > CLOSED_GAP:
            told = "the design changes them" if x is not space.start else "robot.assemble closes them"
            raise InputError(f"q of {of.name!r} leaves the loops of {robot.name!r} open by {gap:.2g}: {told}")


def _status(found: Any, most: int, residual: float, violation: float, last: float) -> str:
    if not np.isfinite(last) or not np.isfinite(residual):
        return "stalled"
    if violation > ALLOWED_VIOLATION:
        return "infeasible"
    if residual <= OPTIMAL_GRADIENT:
        return "converged"
    return "iterations" if "iteration limit" in str(found.message).lower() or found.nit >= most else "stalled"
