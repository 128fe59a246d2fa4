"""`Spline`: a smooth motion as a function of time, for numbers and in traced code; a clamped B-spline.

    θ(t) = Σ_k c_k b_k(t),   b_k of degree d, knots t_0 ≤ … ≤ t_{n+d}, of which the first and the last d + 1 are equal

The recursion is that of Cox and de Boor; a derivative of the basis follows from the basis of one degree less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...algorithms.kinematics.displacement import displace, has_coordinates
from ...arrays import Array, asarray, is_concrete, less, where
from ...errors import InputError
from ...robot import Robot
from ...robot.common import check_loops, forces_of, robot_of
from ...simulation import Trajectory
from ...simulation.metadata import names_of
from ...support.attributes import cached_property
from ...support.conversion import as_array, as_count, positive, steps_of
from ...support.keywords import known_keywords

Float = npt.NDArray[np.float64]
CHECKS_PER_INTERVAL = 4
"""Instants in each interval between samples at which loops have to be closed."""


@dataclass(frozen=True, eq=False, repr=False)
class Spline:
    """Motion q(t) = start ⊕ θ(t) with θ a clamped B-spline.

    It is a function of time, `q, v, a = spline(t)`. Velocity and acceleration are exact derivatives of q, on joints
    with quaternions too. Before its beginning and after its end, the robot rests at the first and at the last
    configuration. One spline is one motion: for a batch of motions, use several splines.

    Parameters
    ----------
    robot : Robot
        Robot that moves.
    start : array_like, shape (nq,)
        Configuration that θ is measured from.
    coefficients : array_like, shape (n, nv)
        Coefficients of θ [rad, m]: the first is θ at the beginning, the last θ at the end.
    knots : array_like, shape (n + degree + 1,)
        Knots [s], not decreasing; the first and the last degree + 1 are equal, which determines the degree.

    Raises
    ------
    InputError
        If shapes do not fit, or numbers are not finite.

    See Also
    --------
    Spline.between : The spline of given coefficients on equal intervals.
    Spline.through : The spline through samples.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> spline = kt.motion.Spline.through(robot, [0.0, 1.0, 2.0, 3.0], [[0, 0], [1, 0], [4, 1], [9, 4]], degree=3)
    >>> q, v, a = spline(2.0)
    >>> q.round(3), v.round(3), a.round(3)
    (array([4., 1.]), array([4. , 1.833]), array([2., 2.]))
    >>> spline(np.array([0.5, 7.0]))[0].round(3)
    array([[ 0.25 , -0.062],
           [ 9.   ,  4.   ]])
    """

    robot: Robot
    start: Float
    coefficients: Float
    knots: Float

    def __post_init__(self) -> None:
        robot = robot_of(self.robot)
        arrays = {name: _floats(f"Spline: {name}", getattr(self, name)) for name in ("start", "coefficients", "knots")}
        start, coefficients, knots = arrays.values()
        if start.shape != (robot.nq,):
            raise InputError(f"Spline: start must have shape ({robot.nq},), got {start.shape}")
        if coefficients.ndim != 2 or coefficients.shape[1] != robot.nv or len(coefficients) < 1:
            raise InputError(f"Spline: coefficients must have shape (n, {robot.nv}), got {coefficients.shape}")
        if knots.ndim != 1 or len(knots) < 2 or np.any(np.diff(knots) < 0) or not knots[0] < knots[-1]:
            raise InputError("Spline: knots must be times (k,) that do not decrease, from a first to a later last one")
        degree = degree_of_clamping(knots)[0]
        same = degree_of_clamping(knots)[1] == len(knots) - 1 - degree
        if not same or len(knots) != len(coefficients) + degree + 1:
            raise InputError(
                f"Spline: {len(coefficients)} coefficients of degree d need {len(coefficients)} + d + 1 knots, of "
                f"which the first and the last d + 1 are equal; got {len(knots)}, the first {degree + 1} equal"
            )
        arrays["start"] = np.asarray(robot.normalise(start), dtype=float)
        for name, array in arrays.items():
            array = np.array(array)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        span = f"t={self.knots[0]:g}…{self.knots[-1]:g}"
        return f"Spline({self.robot.name!r}, {span}, degree {self.degree}, {len(self.coefficients)} coefficients)"

    @property
    def degree(self) -> int:
        """Degree of the polynomials between the knots."""
        return len(self.knots) - len(self.coefficients) - 1

    @property
    def begin(self) -> float:
        """Time at which the motion begins [s]."""
        return float(self.knots[0])

    @property
    def end(self) -> float:
        """Time at which the motion ends [s]."""
        return float(self.knots[-1])

    @property
    def duration(self) -> float:
        """Time that the motion takes [s]."""
        return self.end - self.begin

    @classmethod
    @known_keywords
    def between(
        cls, robot: Robot, start: npt.ArrayLike, coefficients: npt.ArrayLike, T: float, *, degree: int = 5
    ) -> Spline:
        """Spline of given coefficients from time 0 to T, with knots at equal intervals.

        Parameters
        ----------
        robot : Robot
            Robot that moves.
        start : array_like, shape (nq,)
            Configuration that θ is measured from.
        coefficients : array_like, shape (n, nv)
            Coefficients of θ [rad, m], more than `degree`.
        T : float
            Duration [s].
        degree : int, default 5
            Degree of the polynomials.

        Returns
        -------
        Spline
            The motion.

        Raises
        ------
        InputError
            If there are too few coefficients, or shapes do not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> spline = kt.motion.Spline.between(kt.load("planar2r"), [0, 0], [[0, 0], [0, 1], [0, 1]], 1.0, degree=2)
        >>> spline(0.5)[0]
        array([0.  , 0.75])
        """
        degree, c = as_count("degree", degree, 1), _floats("coefficients", coefficients)
        if c.ndim != 2 or len(c) <= degree:
            raise InputError(f"coefficients must have shape (n, nv) with n > degree = {degree}, got {c.shape}")
        breaks = np.linspace(0.0, positive("T", T), len(c) - degree + 1)
        return cls(robot, _floats("start", start), c, clamped_knots(breaks, degree))

    @classmethod
    @known_keywords
    def through(
        cls, robot: Robot, times: npt.ArrayLike | Trajectory, q: npt.ArrayLike | None = None, *, degree: int = 5
    ) -> Spline:
        """Spline through configurations at given times.

        Between samples it is the smoothest choice of its degree without further conditions ("not a knot"): with a
        degree of three or five, samples of a smooth motion are reproduced to the fourth or sixth power of their
        distance in time.

        Parameters
        ----------
        robot : Robot
            Robot that moves.
        times : array_like, shape (n,), or Trajectory
            Increasing times [s]; or a motion, whose times and configurations are taken.
        q : array_like, shape (n, nq), optional
            Configurations; not with a `Trajectory`.
        degree : int, default 5
            Degree of the polynomials, odd; with fewer than degree + 1 samples, the largest odd one that they
            determine.

        Returns
        -------
        Spline
            The motion.

        Raises
        ------
        InputError
            If shapes do not fit, times do not increase, a joint with a quaternion turns by half a turn or more from
            the first sample, or the loops of a closed chain would open between samples: by more than 1e-6.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot, t = kt.load("planar2r"), np.linspace(0.0, 1.0, 11)
        >>> spline = kt.motion.Spline.through(robot, t, np.stack([np.sin(t), np.cos(t)], axis=-1))
        >>> spline(0.55)[2].round(4)
        array([-0.5227, -0.8525])
        """
        if isinstance(times, Trajectory):
            if q is not None:
                raise InputError("Spline.through: q is taken from the Trajectory; give times (n,) to use another")
            q, times = times.q, times.t
        if q is None:
            raise InputError("Spline.through: give configurations q (n, nq) at the times")
        t, rows, degree = _floats("times", times), _floats("q", q), as_count("degree", degree, 1)
        if degree % 2 == 0:
            raise InputError(f"degree must be odd, got {degree}")
        if t.ndim != 1 or len(t) < 2 or np.any(np.diff(t) <= 0):
            raise InputError("times must be at least two, (n,), and increase")
        if rows.shape != (len(t), robot.nq):
            raise InputError(f"q must have shape ({len(t)}, {robot.nq}), a row for each time; got {rows.shape}")
        return interpolated(robot, t, rows, degree, True)

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """Configuration, velocity and acceleration at a time or at times.

        Parameters
        ----------
        t : scalar or array_like, shape (k,)
            Time [s]: a number, an array of numbers, or a traced scalar.

        Returns
        -------
        q : array, shape (nq,) or (k, nq)
            Configurations.
        v : array, shape (nv,) or (k, nv)
            Velocities [rad/s, m/s]; zero before the beginning and after the end.
        a : array, shape (nv,) or (k, nv)
            Accelerations [rad/s², m/s²]; zero before the beginning and after the end.
        """
        t = asarray(t)
        if not is_concrete(t):
            return self._traced(t)
        times = np.asarray(t, dtype=float)
        if times.ndim > 1:
            raise InputError(f"t must be a time or times (k,), got shape {times.shape}")
        flat = np.atleast_1d(times)
        within = np.clip(flat, self.begin, self.end)
        theta, *rates = (basis(self.knots, self.degree, within, k) @ self.coefficients for k in range(3))
        inside = ((flat >= self.begin) & (flat <= self.end))[:, None]
        rates = [np.where(inside, rate, 0.0) for rate in rates]
        return tuple(x.reshape(*times.shape, x.shape[-1]) for x in self._displaced(theta, *rates))  # type: ignore[return-value]

    def _displaced(self, theta: Float, theta_1: Float, theta_2: Float) -> tuple[Float, Float, Float]:
        """q, v and a of rows of θ and its rates."""
        if has_coordinates(self.robot.model):
            return self.start + theta, theta_1, theta_2
        shapes = dict.fromkeys(("theta", "theta_1", "theta_2"), self.robot.nv)
        return self.robot.kernel(displace, shapes=shapes)(self.start, theta, theta_1, theta_2)

    @cached_property
    def _pieces(self) -> tuple[Float, Float]:
        return pieces(self.knots, self.degree, self.coefficients)

    def _traced(self, t: Array) -> tuple[Array, Array, Array]:
        """q, v and a at a traced scalar: of all polynomials, the one of the interval is selected."""
        breaks, polynomials = self._pieces
        chosen, origin = polynomials[-1], breaks[-2]
        time = where(less(t, self.begin), self.begin, where(less(self.end, t), self.end, t))
        for k in range(len(polynomials) - 2, -1, -1):
            before = less(time, breaks[k + 1])
            chosen = where(before, polynomials[k], chosen)
            origin = where(before, breaks[k], origin)
        x = time - origin
        theta = theta_1 = theta_2 = np.zeros(self.robot.nv)
        for row in chosen[::-1]:
            theta_2 = theta_2 * x + 2.0 * theta_1
            theta_1 = theta_1 * x + theta
            theta = theta * x + row
        rests = [where(less(t, self.begin), 0.0, where(less(self.end, t), 0.0, y)) for y in (theta_1, theta_2)]
        return displace(self.robot.model, self.start, theta, *rests)

    @known_keywords
    def trajectory(self, robot: Robot | None = None, dt: float = 1e-2) -> Trajectory:
        """Motion as a `Trajectory`, with the joint forces that it needs.

        Parameters
        ----------
        robot : Robot, optional
            Robot whose inverse dynamics are the joint forces, such as one with a payload; the spline's own unless
            given. With closures, they are the forces of its motors.
        dt : float, default 0.01
            Time between rows [s]; shortened so that the last row is at the end.

        Returns
        -------
        Trajectory
            The motion.

        Raises
        ------
        InputError
            If `dt` is not positive, or the robot has other variables.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> spline = kt.motion.Spline.through(robot, [0.0, 1.0], [[0.0, 0.0], [1.0, 0.0]], degree=1)
        >>> motion = spline.trajectory(robot, dt=0.25)
        >>> motion.t, motion.tau[0].round(3)
        (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([19.62 ,  4.905]))
        """
        robot = self.robot if robot is None else robot
        if (robot_of(robot).nq, robot.nv) != (self.robot.nq, self.robot.nv):
            raise InputError(f"robot must have the variables of the spline's, {self.robot.name!r}; got {robot!r}")
        n, step = steps_of(self.duration, dt)
        t = np.linspace(self.begin, self.end, n + 1)
        q, v, a = self(t)
        tau = forces_of(robot, q, v, a)
        return Trajectory(t, q, v, tau, step, names_of(robot.model), robot.name, "spline", robot)


def interpolated(robot: Robot, t: Float, q: Float, degree: int, closed: bool) -> Spline:
    """The spline through checked configurations; with `closed`, an error if loops open between them."""
    degree = min(degree, len(t) - 1 - len(t) % 2)
    check_turns(robot, q, "the motion")
    theta, knots = np.asarray(robot.difference(q[0], q), dtype=float), interpolation_knots(t, degree)
    found = Spline(robot, q[0], np.linalg.solve(basis(knots, degree, t), theta), knots)
    if closed:
        between = t[:-1, None] + np.diff(t)[:, None] * np.linspace(0.0, 1.0, CHECKS_PER_INTERVAL, endpoint=False)
        at = found(np.append(between.ravel(), t[-1]))
        check_loops(robot, at[0], at[1], "the spline through these configurations", "give more of them")
    return found


def check_turns(robot: Robot, q: Float, what: str) -> None:
    """An error if a quaternion of configurations (n, nq) turns by half a turn or more from the first.

    Signs are chosen so that neighbours are near; the cosine of half the rotation from the first is then positive.
    """
    for body in robot.model.independent_joints:
        place = body.joint.quaternion
        if place is not None:
            x = q[:, robot.model.slices[body.index][0]][:, place]
            flips = np.where((x[1:] * x[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
            if (np.cumprod(flips) * (x[1:] @ x[0]) <= 0.0).any():
                told = f"turns by half a turn or more from its beginning in joint {body.joint_name!r}"
                raise InputError(f"{what} {told}: divide it")


def _floats(name: str, x: Any) -> Float:
    """Finite floats."""
    array = as_array(name, x)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} must hold real numbers, got dtype {array.dtype}")
    array = array.astype(float, copy=False)
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite")
    return array


def clamped_knots(breaks: Array, degree: int, smoothness: int | None = None) -> Array:
    """Knots (n + degree + 1,) at breaks (intervals + 1,), where so many derivatives are continuous: degree − 1.

    >>> clamped_knots(np.array([0.0, 0.5, 1.0]), 2)
    array([0. , 0. , 0. , 0.5, 1. , 1. , 1. ])
    """
    times = 1 if smoothness is None else degree - smoothness
    inner = np.repeat(breaks[1:-1], times)
    return np.concatenate([np.full(degree + 1, breaks[0]), inner, np.full(degree + 1, breaks[-1])])


def basis(knots: Array, degree: int, t: Array, order: int = 0) -> Array:
    """Derivatives of some order of all basis functions at times t (k,): (k, n).

    At a knot they are those of the interval that begins there, at the last one of the interval that ends there.

    >>> basis(clamped_knots(np.array([0.0, 1.0]), 2), 2, np.array([0.5])).round(3)
    array([[0.25, 0.5 , 0.25]])
    """
    if order > degree:
        return np.zeros((len(t), len(knots) - degree - 1))
    if order:
        lower = basis(knots, degree - 1, t, order - 1)
        weighted = degree * lower * _inverse(knots[degree:] - knots[:-degree])
        return weighted[:, :-1] - weighted[:, 1:]
    first, last = degree_of_clamping(knots)
    place = np.clip(np.searchsorted(knots, t, side="right") - 1, first, last - 1)
    found = np.zeros((len(t), len(knots) - 1))
    found[np.arange(len(t)), place] = 1.0
    for d in range(1, degree + 1):
        width = _inverse(knots[d:] - knots[:-d])
        rising = (t[:, None] - knots[: -d - 1]) * width[:-1]
        falling = (knots[d + 1 :] - t[:, None]) * width[1:]
        found = rising * found[:, :-1] + falling * found[:, 1:]
    return found


def degree_of_clamping(knots: Array) -> tuple[int, int]:
    """The indices of the last of the first knots and of the first of the last ones."""
    return int(np.searchsorted(knots, knots[0], side="right")) - 1, int(np.searchsorted(knots, knots[-1]))


def pieces(knots: Array, degree: int, coefficients: Array) -> tuple[Array, Array]:
    """Breaks (m + 1,) and the polynomials between them, (m, degree + 1, nv): Σ_i p_i (t − break)^i.

    >>> breaks, p = pieces(clamped_knots(np.array([0.0, 2.0]), 1), 1, np.array([[1.0], [5.0]]))
    >>> breaks, p[0, :, 0]
    (array([0., 2.]), array([1., 2.]))
    """
    breaks = np.unique(knots)
    rows = [basis(knots, degree, breaks[:-1], i) @ coefficients / math.factorial(i) for i in range(degree + 1)]
    return breaks, np.stack(rows, axis=1)


def interpolation_knots(t: Array, degree: int) -> Array:
    """Knots of the spline of an odd degree through samples at times t, as many coefficients as samples ("not a knot").

    >>> interpolation_knots(np.arange(6.0), 3)
    array([0., 0., 0., 0., 2., 3., 5., 5., 5., 5.])
    """
    left = (degree + 1) // 2
    inner = t[left : len(t) - left]
    return np.concatenate([np.full(degree + 1, t[0]), inner, np.full(degree + 1, t[-1])])


def _inverse(x: Array) -> Array:
    """1 / x, and 0 for 0: intervals without length contribute nothing."""
    return np.divide(1.0, x, out=np.zeros_like(x), where=x > 0)
