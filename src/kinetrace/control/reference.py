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
from ..errors import InputError, shortened
from ..model.manifold import bracket, dexp, dexp_inv_dual, difference, integrate
from ..model.model import Model
from ..robot import Robot
from ..simulate.inputs import positive
from ..support.keywords import known_keywords
from ..support.plain import plain_reals
from .controller import Float
from .sampling import latest

Motion = Callable[[Any], tuple[Array, Array, Array]]
"""Function of a time that returns q (nq,), v (nv,) and a (nv,)."""


class Error(NamedTuple):
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

    motion: Motion | None
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

    def error(self, model: Model, t: Any, q: Array, v: Array, goal: Array = None) -> Error:
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
            return Error(theta, v_d, a_d)
        # Ad_{exp θ} = 1 + ad_θ dexp_θ
        u, du = (x + bracket(model, theta, dexp(model, theta, x)) for x in (v_d, a_d))
        return Error(theta, u, du - bracket(model, v, u))


def spring(model: Model, theta: Array, stiffness: Array) -> Array:
    """Joint forces dexp_θ⁻ᵀ K θ (nv,) of springs whose energy is ½ θᵀ K θ, of θ = q_d ⊖ q.

    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> spring(model, np.array([0.1, 0.2]), np.array([10.0, 5.0]))
    array([1., 1.])
    """
    return dexp_inv_dual(model, theta, stiffness * theta)


def reference_of(robot: Robot, reference: Any) -> Reference:
    """The reference that a user means: a configuration (nq,), or a function t → (q, v, a).

    >>> import kinetrace as kt
    >>> held = reference_of(kt.load("planar2r"), [0.1, 0.2])
    >>> held(0.0, **held.parameters)
    (array([0.1, 0.2]), array([0., 0.]), array([0., 0.]))
    """
    if callable(reference):
        _check(robot, reference)
        return Reference(reference, robot.nv)
    try:
        goal = np.asarray(reference, dtype=float)
    except (TypeError, ValueError):
        goal = np.full(0, np.nan)
    if goal.shape != (robot.nq,) or not np.isfinite(goal).all():
        told = shortened(repr(reference))
        raise InputError(f"reference must be a configuration ({robot.nq},) or a function t -> (q, v, a); got {told}")
    _check_quaternions(robot, goal, "reference")
    return Reference(None, robot.nv, {"goal": goal})


def _check(robot: Robot, reference: Motion) -> None:
    """An error unless a function returns q, v and a that belong together."""
    shapes, h = [(robot.nq,), (robot.nv,), (robot.nv,)], 1e-4
    rows = []
    for t in (0.0, h, 2 * h):
        found = reference(t)
        if not (isinstance(found, tuple | list) and [np.shape(x) for x in found] == shapes):
            told = f"reference(t) must return q ({robot.nq},), v ({robot.nv},) and a ({robot.nv},)"
            got = [np.shape(x) for x in found] if isinstance(found, tuple | list) else type(found).__name__
            raise InputError(f"{told}, got {got}")
        rows.append([np.asarray(x, dtype=float) for x in found])
    for name, x in zip(("q", "v", "a"), rows[0], strict=True):
        if not np.isfinite(x).all():
            raise InputError(f"reference(0.0): {name} must be finite numbers, got {x}")
    (q0, v0, a0), (_, v1, a1), (q2, v2, a2) = rows
    _check_quaternions(robot, q0, "reference(0.0)")
    for name, told, rate, jump in (
        ("v", "the rate of q", robot.difference(q0, q2) / (2 * h), v2 - v0),
        ("a", "the rate of v", (v2 - v0) / (2 * h), a2 - a0),
    ):
        given = v1 if name == "v" else a1
        # Central differences are off by h² times a third rate, and 1e-12/h: 1e-3 tells a wrong formula from these.
        if np.abs(rate - given).max(initial=0.0) > 1e-3 * (1.0 + np.abs(given).max()) + np.abs(jump).max():
            raise InputError(f"reference(t): {name} is not {told} near t = 0: {given} beside {rate} by differences")


def _check_quaternions(robot: Robot, q: Float, what: str) -> None:
    if np.abs(robot.normalise(q) - q).max(initial=0.0) > 1e-6:
        raise InputError(f"{what}: quaternions must have unit length; robot.normalise(q) scales them")


@known_keywords
def held(robot: Robot, reference: Motion, period: float) -> Motion:
    """Reference that is read once per period, and continued at constant acceleration until the next reading.

    As a controller receives it from a planner that is slower than itself.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    reference : callable
        Function of time that returns q, v and a.
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
    if not callable(reference):
        raise InputError(f"reference must be a function t -> (q, v, a), got {shortened(repr(reference))}")
    _check(robot, reference)
    every = positive("period", period)

    def continued(t: Any) -> tuple[Array, Array, Array]:
        read = latest(t, every)
        (q, v, a), s = reference(read), t - read
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
    found = plain_reals(name, x)
    fits = found.shape in ((), (n,)) and np.isfinite(found).all()
    if not (fits and np.all(found > 0 if positive else found >= 0)):
        sign = "all positive" if positive else "none negative"
        raise InputError(f"{name} must be {wanted.format(n=n)}, {sign}; got {shortened(repr(x))}")
    return np.array(np.broadcast_to(found, n))


def number_of(name: str, x: Any, positive: bool = False) -> Float:
    """One number () that is not negative (or positive).

    >>> number_of("leakage", 0.5)
    array(0.5)
    """
    found, sign = plain_reals(name, x), "positive" if positive else "not negative"
    if found.shape or not (np.isfinite(found) and (found > 0 if positive else found >= 0)):
        raise InputError(f"{name} must be one number, {sign}; got {shortened(repr(x))}")
    return found
