"""Objectives of a design: functions of a model and a state, over many states, and their gradients.

An objective is plain array code f(model, q, …) of one state, the arrays of many, and how their values become one
number: their mean, sum, or largest. The largest is replaced in the first part of the search by

    (1/β) log (mean exp(β f)),    β = sharpness / |largest f at the start|

which is below it by at most log(n) / β. The result does not depend on that: the search ends with the largest itself,
see `search`.

All of a design, from its variables x to the objective's value at a state, is one traced function of x. Its compiled
kernel returns values and their derivatives with respect to x at all states in one call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..algorithms.closed.motor_forces import joint_forces
from ..algorithms.registry.choices import Rows
from ..algorithms.tasks.independent_rows import check_independent
from ..algorithms.tasks.manipulability import ellipsoid
from ..algorithms.tasks.task_rows import tasks_of
from ..arrays import Array, concatenate, maximum
from ..engine.compilation.compile import compile
from ..engine.derivative import jacobian
from ..errors import InputError, lookup
from ..linalg import det
from ..model import Model
from ..robot import Robot
from ..support.conversion import as_positive, as_reals, plain_finite
from ..support.keywords import known_keywords
from .variables import Float, Variable, apply_variables

Reduction = Literal["mean", "sum", "max"]
EQUAL_PART = 1e-6
"""How much less than the largest a value is that counts as one of the largest, relative to it."""


@dataclass(frozen=True, eq=False)
class Objective:
    """A number to be made small or large: a function over states.

    Parameters
    ----------
    function : callable
        Plain array code f(model, q, ...) of one state, as for `compile`; a number or an array of them.
    arrays : mapping of str to array_like
        Its arguments after the model by name, each with batch axes of states, which broadcast.
    reduction : {"mean", "sum", "max"}, default "mean"
        How the values over all states become one number.
    maximise : bool, default False
        Whether it should be large.
    name : str, optional
        Name in tables; that of the function unless given.
    sharpness : float, default 50.0
        How sharp the smooth maximum is with which the search begins; it ends with the exact one.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> def height(model, q):
    ...     return kt.algorithms.pose(model, q, frame="tip")[2, 3]
    >>> robot = kt.load("planar2r")
    >>> objective = kt.design.Objective(height, {"q": robot.random(100, seed=0)}, maximise=True)
    >>> objective
    Objective('height', mean, maximise)
    """

    function: Callable[..., Any]
    arrays: Mapping[str, Any] = field(repr=False)
    reduction: Reduction = "mean"
    maximise: bool = False
    name: str = ""
    sharpness: float = 50.0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"an objective needs a function of (model, q, ...), got {type(self.function).__name__}")
        if not isinstance(self.arrays, Mapping) or not self.arrays:
            raise InputError("arrays must map the names of the function's arguments to numbers, as {'q': q}")
        lookup("reduction", self.reduction, {"mean": 0, "sum": 0, "max": 0})
        held = {key: plain_finite(f"{key} of an objective", x) for key, x in self.arrays.items()}
        for key, x in held.items():
            if x.ndim > 1 and x.size == 0:
                raise InputError(f"{key} of an objective has no states: its shape is {x.shape}")
        object.__setattr__(self, "arrays", held)
        object.__setattr__(self, "sharpness", as_positive("sharpness", self.sharpness))
        object.__setattr__(self, "name", self.name or getattr(self.function, "__name__", "objective"))

    def _check(self, model: Model, value: float) -> None:
        """An error if the function is of no use for a robot, or for the states, where it has a value at the start."""

    def __repr__(self) -> str:
        return f"Objective({self.name!r}, {self.reduction}, {'maximise' if self.maximise else 'minimise'})"


@dataclass(frozen=True, eq=False, repr=False)
class _OfFrame(Objective):
    """An objective that is zero for all designs if the rows of a frame are dependent."""

    frame: str = ""
    axes: Rows = "position"
    least: float = 0.0

    def _check(self, model: Model, value: float) -> None:
        """An error that names rows which are independent, or if all states are singular."""
        (task,) = tasks_of(model, self.frame, self.axes)
        if len(task.rows) <= model.dof:
            check_independent(model, self.name, self.frame, self.axes, "aligned", remedy="")
        if value < self.least:
            raise InputError(
                f"{self.name} is zero at the start: states are singular, or a joint does not move the frame"
            )


@known_keywords
def effort(
    q: npt.ArrayLike, v: npt.ArrayLike | None = None, a: npt.ArrayLike | None = None, *, weight: npt.ArrayLike = 1.0
) -> Objective:
    """Objective: the mean effort ½ Σ w τ² of the joint forces of motions.

    With closures, forces are those of the motors: the least that make the motion, which q, v and a must allow.

    Parameters
    ----------
    q : array_like, shape (..., nq)
        Configurations of all motions.
    v : array_like, shape (..., nv), optional
        Velocities [rad/s, m/s]; zero unless given, for forces that hold still.
    a : array_like, shape (..., nv), optional
        Accelerations [rad/s², m/s²]; zero unless given.
    weight : array_like, shape (nv,) or (), default 1.0
        Weights of the squares of the joint forces.

    Returns
    -------
    Objective
        The objective.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.design.effort([[0.0, 0.0], [0.5, 0.5]])
    Objective('effort', mean, minimise)
    """
    w = as_reals("weight", weight)

    def function(model: Model, q: Array, v: Array, a: Array) -> Array:
        tau = joint_forces(model, q, v, a)
        return 0.5 * (w * tau * tau).sum()

    return Objective(function, _motion(q, v, a), name="effort")


@known_keywords
def largest_torque(
    q: npt.ArrayLike,
    v: npt.ArrayLike | None = None,
    a: npt.ArrayLike | None = None,
    *,
    limit: npt.ArrayLike = 1.0,
    sharpness: float = 50.0,
) -> Objective:
    """Objective: the largest |τ| / limit of any joint in motions.

    With closures, forces are those of the motors: the least that make the motion, which q, v and a must allow.

    Parameters
    ----------
    q : array_like, shape (..., nq)
        Configurations of all motions.
    v : array_like, shape (..., nv), optional
        Velocities [rad/s, m/s]; zero unless given.
    a : array_like, shape (..., nv), optional
        Accelerations [rad/s², m/s²]; zero unless given.
    limit : array_like, shape (nv,) or (), default 1.0
        What forces are compared with [N m, N].
    sharpness : float, default 50.0
        How sharp the smooth maximum is with which the search begins; it ends with the exact one.

    Returns
    -------
    Objective
        The objective.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.design.largest_torque([[0.0, 0.0], [0.5, 0.5]], limit=[40.0, 20.0])
    Objective('largest torque', max, minimise)
    """
    most = as_reals("limit", limit)
    if not (np.isfinite(most).all() and (most > 0.0).all()):
        raise InputError("limit must be positive and finite")

    def function(model: Model, q: Array, v: Array, a: Array) -> Array:
        tau = joint_forces(model, q, v, a) / most
        return concatenate([tau, -tau])

    return Objective(function, _motion(q, v, a), "max", name="largest torque", sharpness=sharpness)


@known_keywords
def isotropy(q: npt.ArrayLike, frame: str, *, axes: Rows = "position", length: float = 1.0) -> Objective:
    """Objective: how alike all directions of a frame's velocity are, from 0 (singular) to 1 (isotropic).

    It is det(J Jᵀ)^(1/m) / (tr(J Jᵀ)/m), the geometric over the arithmetic mean of the squared singular values of J,
    which is smooth where the condition number is not; both are 1 together. If there are more rows than velocities, it
    is that of Jᵀ J; with closures, of the velocities that they allow.

    Parameters
    ----------
    q : array_like, shape (..., nq)
        Configurations over which it is averaged.
    frame : str
        Name of a frame.
    axes : {"position", "orientation", "pose"} or sequence of int, default "position"
        Directions that count: rows of the Jacobian in the world's axes, angular first.
    length : float, default 1.0
        Length by which linear rows are divided, to compare them with angular ones [m].

    Returns
    -------
    Objective
        The objective, to be made large.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.design.isotropy([[0.0, 1.0]], "tip", axes=(3, 5))
    Objective('isotropy of tip', mean, maximise)
    """
    size = as_positive("length", length, " [m]")

    def function(model: Model, q: Array) -> Array:
        JJ = _squared(model, q, frame, axes, size)
        m = len(JJ)
        mean = sum(JJ[k, k] for k in range(m)) / m
        return (det(JJ) / mean**m + 1e-14) ** (1.0 / m)

    return _OfFrame(function, {"q": q}, maximise=True, name=f"isotropy of {frame}", frame=frame, axes=axes, least=1e-4)


@known_keywords
def manipulability(q: npt.ArrayLike, frame: str, *, axes: Rows = "position", length: float = 1.0) -> Objective:
    """Objective: Yoshikawa's manipulability √det(J Jᵀ) of a frame, on average, as `Robot.manipulability` has it.

    If there are more rows than velocities, it is that of Jᵀ J; with closures, of the velocities that they allow.

    Parameters
    ----------
    q : array_like, shape (..., nq)
        Configurations over which it is averaged.
    frame : str
        Name of a frame.
    axes : {"position", "orientation", "pose"} or sequence of int, default "position"
        Directions that count: rows of the Jacobian in the world's axes, angular first.
    length : float, default 1.0
        Length by which linear rows are divided, to compare them with angular ones [m].

    Returns
    -------
    Objective
        The objective, to be made large.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.design.manipulability([[0.0, 1.0]], "tip", axes=(3, 5))
    Objective('manipulability of tip', mean, maximise)
    """
    size = as_positive("length", length, " [m]")

    def function(model: Model, q: Array) -> Array:
        return (maximum(det(_squared(model, q, frame, axes, size)), 0.0) + 1e-30) ** 0.5  # its slope is finite at 0

    return _OfFrame(
        function, {"q": q}, maximise=True, name=f"manipulability of {frame}", frame=frame, axes=axes, least=1e-12
    )


@known_keywords
def curvature(q: npt.ArrayLike) -> Objective:
    """Objective: the mean square of the scalar curvature of the inertia metric.

    Where it is zero for two joints, coordinates exist in which the mass matrix is constant.

    Parameters
    ----------
    q : array_like, shape (..., nq)
        Configurations over which it is averaged.

    Returns
    -------
    Objective
        The objective.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.design.curvature([[0.0, 1.0]])
    Objective('curvature', mean, minimise)
    """

    def function(model: Model, q: Array) -> Array:
        return algorithms.scalar_curvature(model, q) ** 2

    return Objective(function, {"q": q}, name="curvature")


def _motion(q: Any, v: Any, a: Any) -> dict[str, Any]:
    """The arrays of motions; what is not given is zero, and has the size of v once the robot is known."""
    return {"q": q, "v": np.zeros(0) if v is None else v, "a": np.zeros(0) if a is None else a}


def _squared(model: Model, q: Array, frame: str, axes: Rows, length: float) -> Array:
    """J Jᵀ, or Jᵀ J if that is smaller, of some rows of a frame's twist, linear ones in units of a length."""
    (task,) = tasks_of(model, frame, axes)
    J = ellipsoid(model, q, frame, axes, "aligned")
    unit = np.array([1.0, 1.0, 1.0, *[1.0 / length] * 3])[list(task.rows)]
    J = unit[:, None] * J if len(J) == len(unit) else J * unit
    return J @ J.T


class BoundObjective:
    """A function of (model, x, arrays) that builds the design's model from x first."""

    def __init__(self, robot: Robot, variables: Sequence[Variable], sizes: Sequence[int], objective: Objective) -> None:
        self.model, self.variables, self.sizes, self.function = robot.model, variables, sizes, objective.function
        given = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("model", "x")]
        own = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in objective.arrays]
        self.__signature__ = inspect.Signature([*given, *own])
        self.__name__ = objective.name

    def __call__(self, model: Model, x: Array, *arrays: Array, **named: Array) -> Array:
        """Value of the objective's function for one state."""
        return self.function(apply_variables(self.variables, self.sizes, self.model, x), *arrays, **named)


def largest_of(f: Float) -> npt.NDArray[np.int64]:
    """Places of the values that are the largest, but for rounding."""
    return np.flatnonzero(f >= f.max() - EQUAL_PART * abs(f.max()))


class Evaluated:
    """Value of an objective and its gradient, for a design x."""

    def __init__(self, robot: Robot, variables: Sequence[Variable], sizes: Sequence[int], objective: Objective) -> None:
        self.objective = objective
        sized = {"q": robot.nq, "q0": robot.nq, "q1": robot.nq} | dict.fromkeys(("v", "a", "tau", "u"), robot.nv)
        self.arrays = {
            name: np.zeros(robot.nv) if name in ("v", "a") and x.size == 0 else x
            for name, x in objective.arrays.items()
        }
        shapes: dict[str, Any] = {"x": sum(sizes)}
        for name, x in self.arrays.items():
            n = sized.get(name)
            if n is not None and x.shape[-1:] != (n,):
                raise InputError(f"{name} of {objective.name!r} must have shape (..., {n}), got {x.shape}")
            if n is None:
                shapes[name] = x.shape[-1:] if x.ndim > 1 else ()
        function = BoundObjective(robot, variables, sizes, objective)
        self.value = compile(function, robot, shapes=shapes, dtype="float64")
        self.slope = compile(jacobian(function, wrt="x"), robot, shapes=shapes, dtype="float64")
        self.sharpness: float | None = None

    def exact(self, x: Float) -> float:
        """The number that is reported."""
        f = np.asarray(self.value(x, *self.arrays.values()))
        return float(f.max() if self.objective.reduction == "max" else f.sum() * self._share(f))

    def _share(self, f: Float) -> float:
        """Weight of each value."""
        return 1.0 / f.size if self.objective.reduction == "mean" else 1.0

    def every(self, x: Float) -> tuple[Float, Float]:
        """Values (n,) and derivatives (n, len(x)) of all states."""
        f = np.asarray(self.value(x, *self.arrays.values())).ravel()
        return f, np.asarray(self.slope(x, *self.arrays.values())).reshape(len(f), len(x))

    def __call__(self, x: Float) -> tuple[float, Float]:
        """The number that is searched with, and its gradient."""
        f, J = self.every(x)
        if self.objective.reduction != "max":
            share = self._share(f)
            return float(f.sum() * share), share * J.sum(axis=0)
        if self.sharpness is None:
            self.sharpness = self.objective.sharpness / max(float(np.abs(f.max())), 1e-300)
        most = f.max()
        e = np.exp(self.sharpness * (f - most))
        return float(most + np.log(e.mean()) / self.sharpness), (e / e.sum()) @ J

    def largest(self, x: Float) -> tuple[float, Float]:
        """The exact maximum, and the derivatives (m, len(x)) of all values that are it."""
        f, J = self.every(x)
        return float(f.max()), J[largest_of(f)]

    def between(self, x: Float, lower: float, upper: float) -> tuple[Float, Float, Float, Float]:
        """Rows f (m,) with bounds low and high (m,) that keep the exact number between two, and ∂f/∂x (m, len(x)).

        A maximum is below a bound if all values are, and above one if the largest is.
        """
        if self.objective.reduction != "max":
            value, gradient = self(x)
            return np.array([value]), np.array([lower]), np.array([upper]), gradient[None]
        f, J = self.every(x)
        f, J = np.append(f.max(), f), np.vstack([J[np.argmax(f)], J])
        low, high = np.full(len(f), -np.inf), np.full(len(f), upper)
        low[0], high[0] = lower, np.inf
        used = np.isfinite(low) | np.isfinite(high)
        return f[used], low[used], high[used], J[used]


class Cost:
    """A weighted sum of objectives, and its gradient; counts its calls."""

    def __init__(self, terms: Sequence[tuple[float, Evaluated]]) -> None:
        self.terms, self.calls = terms, 0

    def __call__(self, x: Float) -> tuple[float, Float]:
        """The number that is searched with, and its gradient."""
        self.calls += 1
        found = [(w, *term(x)) for w, term in self.terms]
        return sum(w * f for w, f, _ in found), sum((w * g for w, _, g in found), np.zeros(len(x)))

    def exact(self, x: Float) -> float:
        """The number that is reported."""
        return sum(w * e.exact(x) for w, e in self.terms)

    @property
    def peaks(self) -> list[tuple[float, Evaluated]]:
        """Maxima to be made small, with their weights."""
        return [(w, e) for w, e in self.terms if e.objective.reduction == "max" and w > 0.0]

    def without_peaks(self, x: Float) -> tuple[float, Float]:
        """The rest of the cost, and its gradient; of a maximum to be made large, that of its largest value."""
        value, gradient = 0.0, np.zeros(len(x))
        for w, e in self.terms:
            if e.objective.reduction != "max":
                f, g = e(x)
            elif w <= 0.0:
                f, J = e.largest(x)
                g = J[0]
            else:
                continue
            value, gradient = value + w * f, gradient + w * g
        return value, gradient
