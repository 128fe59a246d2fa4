"""Motions that users give, as functions of time that return (q, v, a).

A configuration is a motion at rest. A `Trajectory` is the spline of degree five through its configurations; results
that hold a spline or a trajectory, such as `OptimalMotion` and `TimeScaling`, or make one, such as
`OptimalControlSolution`, stand for these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError, shorten
from ...robot import Robot
from ...robot.common import state_of
from ...simulation import Trajectory
from ...support.conversion import as_array
from .spline import Float, Spline, interpolated

LATER_CHECK_TIMES = (0.39, 1.27, 3.1)
"""Times after the first at which motions are checked as well [s], as long as they are defined."""
REFERENCE_SAMPLES = 200
"""Samples of a spline of SciPy's that tell what it is between its breakpoints."""
Function = Callable[[Any], tuple[Array, Array, Array]]
"""Function of a time that returns q (nq,), v (nv,) and a (nv,)."""


@dataclass(frozen=True, eq=False)
class ReferenceMotion:
    """Motion as a function of time; made by `motion_of`."""

    robot: Robot
    function: Function | None
    """The function of time; None for a configuration."""
    goal: Float | None = None
    """The configuration (..., nq), if the motion is one."""
    begin: float | None = None
    """When it begins [s], if that is known."""
    end: float | None = None
    """When it ends [s], if that is known."""

    @property
    def is_held(self) -> bool:
        """Whether it is a configuration to hold."""
        return self.function is None

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """q, v and a at a time, a number or traced."""
        if self.function is not None:
            return self.function(t)
        goal = np.asarray(self.goal)
        zero = np.zeros((*goal.shape[:-1], self.robot.nv))
        return goal, zero, zero

    def rows(self, times: Float) -> tuple[Float, Float, Float]:
        """q (n, nq), v and a (n, nv) at times (n,), checked.

        >>> import numpy as np, kinetrace as kt
        >>> motion = motion_of(kt.load("planar2r"), [0.1, 0.2])
        >>> motion.rows(np.array([0.0, 1.0]))[0]
        array([[0.1, 0.2],
               [0.1, 0.2]])
        """
        if isinstance(self.function, Spline):
            return self.function(times)
        found = []
        for t in times:
            row = self(float(t))
            if not (isinstance(row, tuple | list) and len(row) == 3):
                raise InputError(f"a motion must return (q, v, a); at t = {t:g} s it returned {type(row).__name__}")
            found.append([as_array("the motion", x).astype(float) for x in row])
        q, v, a = (np.stack(x) for x in zip(*found, strict=True))
        points, rates = state_of(self.robot, q, v)
        return points, rates, state_of(self.robot, q, a)[1]


def motion_of(
    robot: Robot, x: Any, name: str = "reference", *, at: float = 0.0, batch: bool = False, closed: bool = True
) -> ReferenceMotion:
    """The motion that a user means.

    `x` is a configuration (nq,), with `batch` (..., nq); a function t → (q, v, a), which is checked at the time `at`
    and some later ones; a `Spline`, a `Trajectory`, or a result with one of these as `spline` or `trajectory`. With
    `closed`, the spline through a trajectory must keep loops closed.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> held = motion_of(robot, [0.1, 0.2])
    >>> held(0.0)
    (array([0.1, 0.2]), array([0., 0.]), array([0., 0.]))
    >>> fall = motion_of(robot, robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.5, dt=0.01))
    >>> fall.begin, fall.end, fall(0.0)[2].round(3)
    (0.0, 0.5, array([-12.613,  16.818]))
    """
    x = reference_motion(x)
    if isinstance(x, Trajectory):
        if x.q.ndim != 2:
            raise InputError(f"{name}: one motion at a time: take motion.lane(...) of the batch {x.q.shape[:-2]}")
        _check_sizes(robot, name, x.q.shape[-1], x.v.shape[-1], x)
        if len(x) < 2:
            raise InputError(f"{name}: a trajectory with two rows or more is wanted, got {x!r}")
        x = interpolated(robot, x.t, x.q, 5, closed)
    if isinstance(x, Spline):
        _check_sizes(robot, name, x.robot.nq, x.robot.nv, x)
        return ReferenceMotion(robot, x, None, x.begin, x.end)
    if type(x).__module__.startswith("scipy.interpolate"):
        raise InputError(f"{name}: {_of_scipy(x)}")
    if callable(x):
        _check(robot, x, name, at)
        return ReferenceMotion(robot, x)
    return ReferenceMotion(robot, None, _configuration(robot, name, x, batch))


def _of_scipy(x: Any) -> str:
    """Replacement for a spline of SciPy, which returns q alone.

    >>> from scipy.interpolate import CubicSpline
    >>> _, *rest = _of_scipy(CubicSpline([0.0, 1.0], [[0.0, 0.0], [1.0, 2.0]])).split(", kt.")
    >>> print(*rest)
    motion.Spline.through(robot, times, spline(times), degree=3) follows it and returns v and a
    """
    kind = type(x).__name__
    c: Any = getattr(x, "c", 0.0)
    degree = 5 if getattr(x, "k", len(c) - 1 if np.ndim(c) > 1 else 3) == 5 else 3
    named = next((name for name in ("x", "t") if np.ndim(getattr(x, name, 0.0)) == 1), None)
    span = f"spline.{named}[0], spline.{named}[-1]" if named else "begin, end"
    call = f"kt.motion.Spline.through(robot, times, spline(times), degree={degree})"
    samples = (
        f"times = np.linspace({span}, {REFERENCE_SAMPLES})"  # its breakpoints alone would do for "not a knot" only
    )
    return f"{kind} returns q alone; with {samples}, {call} follows it and returns v and a"


def reference_motion(x: Any) -> Any:
    """The spline or trajectory of a result that has one or makes one; anything else as it is."""
    if isinstance(x, Spline | Trajectory):
        return x
    for name in ("spline", "trajectory"):
        inner = getattr(x, name, None)
        if isinstance(inner, Spline | Trajectory):
            return inner
    return x.trajectory() if callable(getattr(x, "trajectory", None)) else x


def _configuration(robot: Robot, name: str, x: Any, batch: bool) -> Float:
    """A configuration (nq,), or with `batch` (..., nq)."""
    try:
        goal = as_array(name, x).astype(float)
    except (InputError, TypeError, ValueError):
        goal = np.full(0, np.nan)
    fits = goal.shape[-1:] == (robot.nq,) and (batch or goal.ndim == 1)
    if not fits or not np.isfinite(goal).all():
        shape, told = f"({'..., ' if batch else ''}{robot.nq}{'' if batch else ','})", shorten(repr(x))
        others = "a function t -> (q, v, a), a Spline, a Trajectory or an OptimalMotion"
        raise InputError(f"{name} must be a configuration {shape}, {others}; got {told}")
    _check_quaternions(robot, goal, name)
    return goal


def _check_sizes(robot: Robot, name: str, nq: int, nv: int, x: Any) -> None:
    if (nq, nv) != (robot.nq, robot.nv):
        raise InputError(f"{name} must be a motion of {robot.name!r}, with its {robot.nq} variables; got {x!r}")


def _check(robot: Robot, function: Function, name: str, at: float) -> None:
    """An error unless a function returns q, v and a that belong together, at this time and some later ones."""
    _check_near(robot, function, name, at)
    for later in LATER_CHECK_TIMES:
        try:
            rows = [function(at + later + x) for x in (0.0, 2e-4)]
            finite = all(np.isfinite(np.asarray(x, dtype=float)).all() for row in rows for x in row)
        except Exception:  # a motion may be defined for some time alone
            return
        if not finite:
            return
        _check_near(robot, function, name, at + later)


def _check_near(robot: Robot, function: Function, name: str, at: float) -> None:
    """An error unless q, v and a belong together near a time."""
    shapes, h = [(robot.nq,), (robot.nv,), (robot.nv,)], 1e-4
    rows = []
    for t in (at, at + h, at + 2 * h):
        found = function(t)
        if not (isinstance(found, tuple | list) and [np.shape(x) for x in found] == shapes):
            told = f"{name}(t) must return q ({robot.nq},), v ({robot.nv},) and a ({robot.nv},)"
            got = [np.shape(x) for x in found] if isinstance(found, tuple | list) else type(found).__name__
            raise InputError(f"{told}, got {got}")
        rows.append([np.asarray(x, dtype=float) for x in found])
    for letter, x in zip(("q", "v", "a"), rows[0], strict=True):
        if not np.isfinite(x).all():
            raise InputError(f"{name}({at:g}): {letter} must be finite numbers, got {x}")
    (q0, v0, a0), (_, v1, a1), (q2, v2, a2) = rows
    _check_quaternions(robot, q0, f"{name}({at:g})")
    for letter, told, rate, jump in (
        ("v", "the rate of q", robot.difference(q0, q2) / (2 * h), v2 - v0),
        ("a", "the rate of v", (v2 - v0) / (2 * h), a2 - a0),
    ):
        given = v1 if letter == "v" else a1
        # Central differences are off by h² times a third rate, and 1e-12/h: 1e-3 tells a wrong formula from these.
        if np.abs(rate - given).max(initial=0.0) > 1e-3 * (1.0 + np.abs(given).max()) + np.abs(jump).max():
            raise InputError(f"{name}(t): {letter} is not {told} near t = {at:g}: {given} beside {rate} by differences")


def _check_quaternions(robot: Robot, q: Float, what: str) -> None:
    if np.abs(robot.normalise(q) - q).max(initial=0.0) > 1e-6:
        raise InputError(f"{what}: quaternions must have unit length; robot.normalise(q) scales them")
