"""A problem of optimal motion as stated by a user, and as a nonlinear program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algorithms import closure_residual, closure_velocity
from ...algorithms.kinematics.displacement import has_coordinates, rates_at
from ...arrays import Array
from ...errors import LONGEST_NAME, InputError, shorten
from ...model.model import Model
from ...robot import Robot
from ...robot.common import exact_robot
from ...simulation.metadata import names_of
from ...support.conversion import as_array, as_count, plain_finite
from ..arguments import bounds_of
from .constraints import MotionConstraint
from .pointwise import Derivatives, Float, FunctionEntries, Instant, Nodes, argument_names, selected
from .program import NonlinearProgram, ProgramTerm, SplineSpace
from .solvers import ProgramBounds

Ends = tuple[Float | None, Float | None]

PASSIVE_FORCE_NAME = "force of a joint without a motor"
SHORTEST_DURATION, LONGEST_DURATION = 1e-2, 1e2
"""Bounds of a duration that is free [s]."""


@dataclass(frozen=True)
class _Closed:
    """How far the independent closures are from closed; or, where some constrain velocities only, their velocities."""

    rows: tuple[int, ...]

    def __call__(self, model: Model, q: Array) -> Array:
        return closure_residual(model, q)[list(self.rows)]


@dataclass(frozen=True)
class _Rolling:
    rows: tuple[int, ...]

    def __call__(self, model: Model, q: Array, v: Array) -> Array:
        return closure_velocity(model, q, v)[list(self.rows)]


@dataclass(frozen=True)
class TimeMesh:
    """How a motion is discretised."""

    intervals: int
    degree: int
    points: int
    """Gauss points of the cost in an interval."""
    checks: int
    """Instants in an interval at which inequalities hold."""


class MotionProblem:
    """Problem of a user, checked: the ends of the motion, its duration, and constraints."""

    def __init__(
        self,
        robot: Robot,
        q: Sequence[Any],
        v: Sequence[Any],
        a: Sequence[Any],
        T: Any,
        constraints: MotionConstraint | Sequence[MotionConstraint],
        limits: Mapping[str, Any],
        motors: bool,
        mesh: TimeMesh,
    ) -> None:
        robot = self.robot = exact_robot(robot)
        if not robot.nv:
            raise InputError(f"{robot.name!r} has no joints that move")
        self.mesh, self.constraints = mesh, _constraints(constraints)
        for name, least in (("intervals", 1), ("degree", 2), ("points", 1), ("checks", 1)):
            as_count(name, getattr(mesh, name), least)
        self.limits = _bounds_of(robot, limits)
        self.q: Ends = (self._configuration("q0", q[0]), self._configuration("q1", q[1]))
        self.v: Ends = (self._rates("v0", v[0]), self._rates("v1", v[1]))
        self.a: Ends = (self._rates("a0", a[0]), self._rates("a1", a[1]))
        for k, when in enumerate(("start", "end")):
            if self.q[k] is None and not any(c.at == when for c in self.constraints):
                wanted = (
                    f"give it, or a constraint with at={when!r}, such as kt.motion.reach_pose(frame, X, at={when!r})"
                )
                raise InputError(f"q{k} is None: {wanted}")
        self.reference = robot.home() if self.q[0] is None else self.q[0]
        """The configuration that θ is measured from."""
        self.T, self.T_bounds = _durations(T)
        self.is_free = isinstance(T, str)
        """Whether no bounds of the duration were given."""
        self.motors = motors

    def on(self, mesh: TimeMesh) -> MotionProblem:
        """The same on another mesh."""
        found = copy(self)
        found.mesh = mesh
        return found

    def without_inequalities(self) -> MotionProblem:
        """The same without limits, and without constraints that are inequalities."""
        found = copy(self)
        found.limits = {
            letter: (np.full_like(a, -np.inf), np.full_like(b, np.inf)) for letter, (a, b) in self.limits.items()
        }
        found.constraints = tuple(c for c in self.constraints if np.all(c.lower == c.upper))
        return found

    def _configuration(self, name: str, q: Any) -> Float | None:
        if q is None:
            return None
        robot = self.robot
        x = _numbers(name, q, (robot.nq,))
        robot.check(x, limits=False, closed=True)
        lower, upper = self.limits["q"]
        for k in np.nonzero((x < lower - 1e-9) | (x > upper + 1e-9))[0]:
            which = names_of(robot.model).q[k]
            raise InputError(f"{name}: {which!r} is at {x[k]:.6g}, outside its limits {lower[k]:.6g} to {upper[k]:.6g}")
        return np.asarray(robot.normalise(x), dtype=float)

    def _rates(self, name: str, x: Any) -> Float | None:
        if x is None:
            return None
        found = _numbers(name, x, (self.robot.nv,))
        lower, upper = self.limits["v" if name[0] == "v" else "a"]
        for k in np.nonzero((found < lower - 1e-9) | (found > upper + 1e-9))[0]:
            which = names_of(self.robot.model).v[k]
            raise InputError(f"{name}: {which!r} is {found[k]:.6g}, beyond its limit {upper[k]:.6g}")
        return found

    def space(self) -> tuple[SplineSpace, list[MotionConstraint]]:
        """The splines that satisfy the linear conditions at the ends, and the other conditions as constraints."""
        ends, others = [], list[MotionConstraint]()
        for k, when in enumerate(("start", "end")):
            conditions, rest = self._conditions(k)
            ends.append(conditions)
            for letter, value in rest.items():
                function, name = selected({letter: range(self.robot.nv)}), f"{letter}{k}"
                others.append(MotionConstraint(function, value, value, when, name))  # type: ignore[arg-type]
        space = SplineSpace(self.mesh.intervals, self.mesh.degree, self.robot.nv, ends, self._second_order())
        if not len(space.free):
            raise InputError(f"no coefficient of the spline is free: use more than {self.mesh.intervals} intervals")
        return space, others

    def _second_order(self) -> bool:
        """Whether there are equations with accelerations."""
        equations = [c for c in (*self._implied(), *self.constraints) if c.at == "path" and np.all(c.lower == c.upper)]
        return any({"a", "tau", "jerk"} & set(argument_names(c.function)) for c in equations) and self.mesh.degree > 2

    def _conditions(self, k: int) -> tuple[dict[int, Float], dict[str, Float]]:
        """Conditions of one end: derivatives of θ by the phase, and what is not linear in them."""
        model, q, v, a = self.robot.model, self.q[k], self.v[k], self.a[k]
        found, rest = dict[int, Float](), dict[str, Float]()
        flat, zero = has_coordinates(model), np.zeros(model.nv)
        theta = zero if q is None else np.asarray(self.robot.difference(self.reference, q))
        if q is not None:
            found[0] = theta
        known = flat or q is not None
        resting = v is not None and not v.any()
        rates = rates_at(model, theta, zero if v is None else v, zero if a is None else a)
        if v is not None:
            if resting:
                found[1] = zero
            elif known and self.T is not None:
                found[1] = rates[0] * self.T
            else:
                rest["v"] = v
        if a is not None:
            if not a.any() and (resting or flat):
                found[2] = zero
            elif self.T is not None and (flat or (q is not None and v is not None)):
                found[2] = rates[1] * self.T**2
            else:
                rest["a"] = a
        return found, rest

    def program(
        self, cost: Callable[..., Any] | None, time_weight: float, further: Float | None = None
    ) -> NonlinearProgram:
        """The nonlinear program; limits and inequalities hold on a grid and at `further` phases."""
        space, others = self.space()
        grid = np.union1d(space.grid(self.mesh.checks), () if further is None else further)
        mesh, free_time = self.mesh, self.T is None

        def term(function: Callable[..., Any], s: Float, times_T: bool = False, **more: Any) -> ProgramTerm:
            return ProgramTerm(Derivatives(self.robot, Instant(function, times_T), free_time), space, s, **more)

        s, weights = space.gauss(mesh.points)
        costs = [] if cost is None else [term(cost, s, True, weights=weights)]
        for one in costs:
            if one.derivatives.size != 1:
                raise InputError(f"the cost must return a number, got {one.derivatives.size} numbers")
        rows = self._limit_terms(term, grid)
        for constraint in (*self._implied(), *self.constraints, *others):
            rows.append(self._term(term, space, grid, constraint))
        kept = [x for x in rows if len(x.s)]
        program = NonlinearProgram(costs, kept, np.asarray(self.reference), self.T, time_weight)
        if not costs and not kept:
            raise InputError("nothing determines the motion: no limit, no constraint and no cost of its path")
        return program

    def bounds(self, n: int) -> ProgramBounds:
        """Bounds of the n variables: of the duration, if it is free."""
        lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
        if self.T is None:
            lower[-1], upper[-1] = self.T_bounds
        return ProgramBounds(lower, upper)

    def _limit_terms(self, term: Callable[..., ProgramTerm], s: Float) -> list[ProgramTerm]:
        """Limits of positions, velocities, accelerations and joint forces."""
        names = names_of(self.robot.model)
        called = {"q": ("position", names.q), "v": ("velocity", names.v)}
        called |= {"a": ("acceleration", names.v), "tau": ("force", names.v)}
        rows, lower, upper, titles = dict[str, Any](), list[Float](), list[Float](), list[str]()
        for letter, (low, high) in self.limits.items():
            which = np.nonzero(np.isfinite(low) | np.isfinite(high))[0]
            rows[letter] = which
            lower.append(low[which])
            upper.append(high[which])
            titles += [f"{called[letter][0]} limit of {called[letter][1][k]!r}" for k in which]
        if not titles:
            return []
        bounds = {"lower": np.concatenate(lower), "upper": np.concatenate(upper)}
        return [term(selected(rows), s, names=tuple(titles), **bounds)]

    def _implied(self) -> list[MotionConstraint]:
        """Constraints of the robot itself: closed loops, and no force where there is no motor."""
        model = self.robot.model
        if model.assembly is not None:
            rolling = len(model.assembly.places) > len(model.assembly.independent)
            function = (_Rolling if rolling else _Closed)(tuple(model.assembly.rows))
            return [MotionConstraint(function, name="closed loops")]
        passive = model.undriven_entries
        if not self.motors or not passive:
            return []
        return [MotionConstraint(selected({"tau": passive}), name=PASSIVE_FORCE_NAME)]

    def _term(
        self, term: Callable[..., ProgramTerm], space: SplineSpace, grid: Float, constraint: MotionConstraint
    ) -> ProgramTerm:
        """A constraint as a term: equations where they determine the spline, inequalities on a grid."""
        probe = Derivatives(self.robot, Instant(constraint.function), self.T is None)
        m, names = probe.size, constraint.name
        try:
            lower, upper = (np.broadcast_to(x, (m,)) for x in (constraint.lower, constraint.upper))
        except ValueError:
            told = f"bounds of shapes {constraint.lower.shape} and {constraint.upper.shape}"
            raise InputError(f"{names} returns {m} numbers, but has {told}") from None
        titles = np.array([names] if m == 1 else [f"{names}[{i}]" for i in range(m)])
        keep = self._varying(probe, lower, upper, titles)
        function = (
            constraint.function
            if keep.all()
            else FunctionEntries(constraint.function, tuple(np.nonzero(keep)[0].tolist()))
        )
        lower, upper, titles = lower[keep], upper[keep], titles[keep]
        more: dict[str, Any] = {"lower": lower, "upper": upper, "names": tuple(titles.tolist())}
        if constraint.at != "path":
            return term(function, np.array([phase_of(constraint.at)]), **more)
        same = lower == upper
        if same.any() and not same.all():
            raise InputError(f"{names}: either all bounds are equal or none; write two constraints")
        order = min(probe.orders - 1, space.degree)
        if names == PASSIVE_FORCE_NAME:
            every = Instant(selected({"tau": range(self.robot.nv)}))
            more["forces"] = Derivatives(self.robot, every, self.T is None)
        return term(function, space.collocation(order) if same.all() else grid, **more)

    def _varying(self, probe: Derivatives, lower: Float, upper: Float, titles: Any) -> Any:
        """Which values (m,) of a constraint depend on the motion; an error if another is beyond its bounds."""
        varies = probe.pattern().any(axis=1)
        zero = np.zeros((1, self.robot.nv))
        nodes = Nodes(np.asarray(self.reference), (zero,) * 4, np.asarray(1.0), np.array([0.5]))
        value = probe.value(nodes)[0]
        for i in np.nonzero(~varies & ~((value >= lower - 1e-9) & (value <= upper + 1e-9)))[0]:
            told = f"it is {value[i]:.6g} whatever the motion, and must be between {lower[i]:.6g} and {upper[i]:.6g}"
            raise InputError(f"{titles[i]} cannot be: {told}")
        return varies


def check_ends(problem: MotionProblem, accuracy: float) -> None:
    """An error that names the constraint which a known end violates; by more than `accuracy`, if it is an equation."""
    for k, end in enumerate(("start", "end")):
        q = problem.q[k]
        for constraint in problem.constraints:
            if q is not None and constraint.at in ("path", end) and _is_known(problem, constraint, k):
                _check_end(problem, constraint, k, q, accuracy)


def _is_known(problem: MotionProblem, constraint: MotionConstraint, k: int) -> bool:
    """Whether the values of a constraint follow from what is given of an end with a configuration."""
    known = {"q": problem.q[k], "v": problem.v[k], "t": 0.0 if k == 0 else problem.T}
    return all(known.get(name) is not None for name in argument_names(constraint.function))


def _check_end(problem: MotionProblem, constraint: MotionConstraint, k: int, q: Float, accuracy: float) -> None:
    """An error if a constraint does not hold at an end whose configuration is known."""
    robot, T, zero = problem.robot, problem.T or 1.0, np.zeros(problem.robot.nv)
    v = problem.v[k]
    theta = np.asarray(robot.difference(problem.reference, q))
    rate = rates_at(robot.model, theta, zero if v is None else v, zero)[0] * T
    rates = tuple(x[None] for x in (theta, rate, zero, zero))
    nodes = Nodes(np.asarray(problem.reference), rates, np.asarray(T), np.array([float(k)]))
    value = Derivatives(robot, Instant(constraint.function), problem.T is None).value(nodes)[0]
    lower, upper = (np.broadcast_to(x, value.shape) for x in (constraint.lower, constraint.upper))
    beyond = np.maximum(np.maximum(lower - value, value - upper), 0.0)
    allowed = np.where(lower == upper, max(accuracy, 1e-6), 1e-6) * np.maximum(1.0, np.abs(value))
    for i in np.nonzero(~(beyond <= allowed))[0]:
        which = constraint.name if len(value) == 1 else f"{constraint.name}[{i}]"
        told = f"it is {value[i]:.6g} there, and must be between {lower[i]:.6g} and {upper[i]:.6g}"
        raise InputError(f"q{k} violates the constraint {which!r}: {told}")


def phase_of(at: str | float) -> float:
    """The phase of an instant at which a constraint holds."""
    return at if isinstance(at, float) else {"start": 0.0, "end": 1.0}[at]


def _numbers(name: str, x: Any, shape: tuple[int, ...]) -> Float:
    """Finite numbers of a shape; a zero stands for zeros."""
    array = plain_finite(name, x)
    if array.ndim == 0 and array == 0:
        return np.zeros(shape)
    if array.shape != shape:
        raise InputError(f"{name} must have shape {shape}, got {array.shape}; one motion is optimised at a time")
    return array


def _constraints(given: Any) -> tuple[MotionConstraint, ...]:
    given = (given,) if isinstance(given, MotionConstraint) else given
    try:
        found = tuple(given)
    except TypeError:
        found = (given,)
    for one in found:
        if not isinstance(one, MotionConstraint):
            got = shorten(repr(one), LONGEST_NAME)
            raise InputError(f"constraints must be kt.motion.Constraint, or made by kt.motion.reach_pose, …; got {got}")
    return found


def _durations(T: Any) -> tuple[float | None, tuple[float, float]]:
    """The duration if it is given, and its bounds."""
    if isinstance(T, str) and T == "free":
        return None, (SHORTEST_DURATION, LONGEST_DURATION)
    array = as_array("T", T)
    wanted = 'T must be a positive number of seconds, bounds (shortest, longest), or "free"'
    if array.dtype.kind not in "iuf" or array.shape not in ((), (2,)) or not (array > 0).all():
        raise InputError(f"{wanted}; got {shorten(repr(T), LONGEST_NAME)}")
    if array.shape == ():
        if not np.isfinite(array):
            raise InputError(f"{wanted}; got {T!r}")
        return float(array), (float(array), float(array))
    if not array[0] < array[1]:
        raise InputError(f"{wanted}; got {T!r}")
    return None, (float(array[0]), float(array[1]))


def _bounds_of(robot: Robot, limits: Mapping[str, Any]) -> dict[str, tuple[Float, Float]]:
    """Lower and upper bounds of q, v, a and tau; infinite where there are none, as for joints without motors."""
    letters = zip(("q", "v", "a", "tau"), limits.items(), strict=True)
    found = {letter: bounds_of(robot, name, given) for letter, (name, given) in letters}
    idle = list(robot.model.undriven_entries)
    for side, none in zip(found["tau"], (-np.inf, np.inf), strict=True):
        side[idle] = none
    return found
