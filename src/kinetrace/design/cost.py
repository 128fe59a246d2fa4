"""What a design costs: objectives as functions of its variables x, with exact gradients.

All of a design, from the variables to the objective's value at a state, is one traced function of x. Its compiled
kernel returns values and their derivatives with respect to x at all states in one call.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array
from ..compilation.compile import compile
from ..derivative import jacobian
from ..errors import InputError
from ..model import Model
from ..robot import Robot
from .objectives import Objective
from .variables import Float, Variable, applied

EQUAL = 1e-6
"""How much less than the largest a value is that counts as one of the largest, relative to it."""


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
        return self.function(applied(self.variables, self.sizes, self.model, x), *arrays, **named)


def largest_of(f: Float) -> npt.NDArray[np.int64]:
    """Places of the values that are the largest, but for rounding."""
    return np.flatnonzero(f >= f.max() - EQUAL * abs(f.max()))


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
