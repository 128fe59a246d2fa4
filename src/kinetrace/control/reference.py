"""Reference motions of controllers, and how far a state is from them, on the manifold of configurations.

    θ = q_d ⊖ q        u = Ad_{exp θ} v_d        w = u − v        θ̇ = dexp_θ⁻¹ w

u is the desired velocity as seen from q: for joints whose velocities are rates of coordinates it is v_d, w the rate of
the error and θ̇ = w. So the force f = dexp_θ⁻ᵀ K θ is the differential of the potential ½ θᵀ K θ, for any gains and any
joint: d/dt ½ θᵀ K θ = f · w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..engine.trace.program import trace
from ..errors import InputError, PhysicsWarning, shorten, warn
from ..model.manifold import bracket, dexp, dexp_inv_dual, difference, integrate
from ..model.model import Model
from ..motion.splines import Spline, motion_of
from ..motion.splines.reference import LATER_CHECK_TIMES, Function, ReferenceMotion
from ..robot import Robot
from ..robot.common import robot_of
from ..simulation.metadata import names_of
from ..support.conversion import as_reals, positive
from ..support.keywords import known_keywords
from .controller import Float, latest

OPEN_GAP = 1e-3
"""How far loops of a reference may be open [m, rad]."""


class StateError(NamedTuple):
    """How far a state is from a reference."""

    theta: Array
    """θ (nv,)."""
    velocity: Array
    """u (nv,), the desired velocity as seen from q."""
    rate: Array
    """u̇ (nv,)."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Desired motion: called with a time and its parameters, it returns q (nq,), v (nv,) and a (nv,)."""

    motion: Function | None
    nv: int
    parameters: dict[str, Float] = field(default_factory=dict)
    """`goal` (nq,), if a configuration is to be held."""

    @property
    def is_held(self) -> bool:
        """Whether it is a configuration to hold."""
        return self.motion is None

    def __call__(self, t: Any, goal: Array = None) -> tuple[Array, Array, Array]:
        """Desired q, v and a."""
        return (goal, np.zeros(self.nv), np.zeros(self.nv)) if self.motion is None else self.motion(t)

    def error(self, model: Model, t: Any, q: Array, v: Array, goal: Array = None) -> StateError:
        """How far a state is from where it should be.

        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> held = reference_of(robot, [0.1, 0.2])
        >>> held.error(robot.model, 0.0, np.zeros(2), np.ones(2), **held.parameters).theta
        array([0.1, 0.2])
        """
        q_d, v_d, a_d = self(t, goal)
        theta = difference(model, q, q_d)
        if self.is_held:
            return StateError(theta, v_d, a_d)
        # Ad_{exp θ} = 1 + ad_θ dexp_θ
        u, du = (x + bracket(model, theta, dexp(model, theta, x)) for x in (v_d, a_d))
        return StateError(theta, u, du - bracket(model, v, u))


def spring(model: Model, theta: Array, stiffness: Array) -> Array:
    """Joint forces dexp_θ⁻ᵀ K θ (nv,) of springs whose energy is ½ θᵀ K θ, of θ = q_d ⊖ q.

    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> spring(model, np.array([0.1, 0.2]), np.array([10.0, 5.0]))
    array([1., 1.])
    """
    return dexp_inv_dual(model, theta, stiffness * theta)


def reference_of(robot: Robot, reference: Any, name: str = "reference", *, closed: bool = False) -> Reference:
    """The reference that a user means: a configuration (nq,), or a motion, as `splines.motion_of` takes them.

    It must be plain array code, and with `closed`, keep loops closed. A configuration beyond limits is warned of.

    >>> import kinetrace as kt
    >>> held = reference_of(kt.load("planar2r"), [0.1, 0.2])
    >>> held(0.0, **held.parameters)
    (array([0.1, 0.2]), array([0., 0.]), array([0., 0.]))
    """
    motion = motion_of(robot, reference, name)
    if motion.function is not None:
        traceable(motion.function, name)
    else:
        _warn_of_limits(robot, as_reals(name, motion.goal), name)
    if closed:
        _check_closed(robot, motion, name)
    return Reference(motion.function, robot.nv, {} if motion.goal is None else {"goal": as_reals(name, motion.goal)})


def traceable(function: Callable[[Any], Any], name: str) -> None:
    """An error unless a function of time is plain array code: laws are compiled with it."""
    if not isinstance(function, Spline):
        trace(lambda t: (function(t), np.zeros(()))[1], {"t": ()}, name=f"{name}(t)")


def _warn_of_limits(robot: Robot, goal: Float, name: str) -> None:
    lower, upper = robot.limits.lower, robot.limits.upper
    room = 1e-6 * (1.0 + np.abs(goal))
    if goal.shape != lower.shape:
        return
    beyond = np.flatnonzero((goal < lower - room) | (goal > upper + room))
    if len(beyond):
        k = int(beyond[0])
        place = f"{names_of(robot.model).q[k]!r} is at {goal[k]:g}, its limits are {lower[k]:g} and {upper[k]:g}"
        warn(f"{name} is beyond the limits of joints: {place} (radians, metres)", PhysicsWarning)


def _check_closed(robot: Robot, motion: ReferenceMotion, name: str) -> None:
    """An error if loops are open at the first time, or at one of the later ones, as long as there is a motion."""
    for t in (0.0,) if motion.is_held else (0.0, *LATER_CHECK_TIMES):
        try:
            q = np.asarray(motion(t)[0], dtype=float)
        except Exception:  # a motion may be defined for some time alone
            return
        gap = np.abs(robot.closure_residual(q)).max(initial=0.0)
        if gap > OPEN_GAP:
            when = "" if motion.is_held else f" at t = {t:g} s"
            told = "robot.project(q) closes a configuration"
            raise InputError(f"{name} must keep the loops of {robot.name!r} closed{when}: open by {gap:.2g}; {told}")


@known_keywords
def held(robot: Robot, reference: Any, period: float) -> Function:
    """Reference that is read once per period, and continued at constant acceleration until the next reading.

    As a controller receives it from a planner that is slower than itself.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    reference : callable, Spline, Trajectory or OptimalMotion
        Motion: a function of time that returns q, v and a, or what stands for one.
    period : float
        Time between two readings [s].

    Returns
    -------
    callable
        Function of time that returns q, v and a as they follow from the latest multiple of the period.

    Raises
    ------
    InputError
        If the period is not positive, or the reference does not fit the robot.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> swing = lambda t: (np.array([np.sin(t), 0.0]), np.array([np.cos(t), 0.0]), np.array([-np.sin(t), 0.0]))
    >>> swing(0.27)[0].round(4), kt.control.held(robot, swing, 0.1)(0.27)[0].round(4)
    (array([0.2667, 0.    ]), array([0.2668, 0.    ]))
    """
    motion, every = motion_of(robot_of(robot), reference), positive("period", period)
    if motion.is_held:
        raise InputError(f"reference must move: a configuration is held anyway; got {shorten(repr(reference))}")

    def continued(t: Any) -> tuple[Array, Array, Array]:
        read = latest(t, every)
        (q, v, a), s = motion(read), t - read
        return integrate(robot.model, q, s * v + (0.5 * s * s) * a), v + s * a, a

    return continued


def gains(robot: Robot, name: str, x: Any, positive: bool = False) -> Float:
    """Gains (nv,) of all velocities, not negative: one number, or one per velocity.

    >>> import kinetrace as kt
    >>> gains(kt.load("planar2r"), "stiffness", 5.0)
    array([5., 5.])
    """
    return rows_of(name, x, robot.nv, positive, "one number or {n} numbers, one per velocity")


def rows_of(name: str, x: Any, n: int, positive: bool = False, wanted: str = "one number or {n} numbers") -> Float:
    """n numbers that are not negative (or positive), from one or as many.

    >>> rows_of("gain", 5.0, 3)
    array([5., 5., 5.])
    """
    found = as_reals(name, x)
    fits = found.shape in ((), (n,)) and np.isfinite(found).all()
    if not (fits and np.all(found > 0 if positive else found >= 0)):
        sign = "all positive" if positive else "none negative"
        raise InputError(f"{name} must be {wanted.format(n=n)}, {sign}; got {shorten(repr(x))}")
    return np.array(np.broadcast_to(found, n))


def number_of(name: str, x: Any, positive: bool = False) -> Float:
    """One number () that is not negative (or positive).

    >>> number_of("leakage", 0.5)
    array(0.5)
    """
    found, sign = as_reals(name, x), "positive" if positive else "not negative"
    if found.shape or not (np.isfinite(found) and (found > 0 if positive else found >= 0)):
        raise InputError(f"{name} must be one number, {sign}; got {shorten(repr(x))}")
    return found
