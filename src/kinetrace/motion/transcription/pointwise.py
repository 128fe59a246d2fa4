"""Functions of one instant of a motion, and their exact derivatives as kernels.

Costs and constraints of an optimal motion are functions f(model, q, v, a, …) of one instant. With the motion
q = q0 ⊕ θ(s), t = T s and the phase s from 0 to 1 it becomes a function of

    z = (θ, θ′, θ″, θ‴, T)        v, a and the jerk follow from θ′ / T, θ″ / T², θ‴ / T³, see `displacement`

whose first and second derivatives with respect to z are traced and compiled. A kernel evaluates all nodes of a motion,
or of a batch of motions, in one call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...algorithms.closed.motor_forces import joint_forces
from ...algorithms.kinematics.displacement import acceleration, jerk, velocity
from ...arrays import Array, asarray, concatenate
from ...engine.derivative import hessian, jacobian, sparsity
from ...errors import InputError, unknown_name_error
from ...model.model import Model
from ...robot import Robot
from ...support.functions import name_of, parameters_of

Float = npt.NDArray[np.float64]

ARGUMENTS = ("q", "v", "a", "tau", "jerk", "t")
"""Arguments that a function of one instant may take."""
RATES = ("theta", "theta_1", "theta_2", "theta_3")


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments of a function of one instant, after the model."""
    names = [p.name for p in parameters_of(function)[1:] if p.default is p.empty]
    for name in names:
        if name not in ARGUMENTS:
            raise unknown_name_error(f"argument of {name_of(function)}", name, ARGUMENTS)
    return tuple(names)


@dataclass(frozen=True)
class Instant:
    """A function of one instant as a function of θ, its derivatives by the phase, T and the phase: an array (m,)."""

    function: Callable[..., Any]
    times_T: bool = False
    """Whether its value is multiplied by T, as an integral over time is."""

    @property
    def __name__(self) -> str:
        return name_of(self.function)

    def __call__(
        self,
        model: Model,
        q0: Array,
        theta: Array,
        theta_1: Array,
        theta_2: Array,
        theta_3: Array,
        T: Array,
        s: Array,
    ) -> Array:
        """The values (m,)."""
        names = argument_names(self.function)
        rates = theta, theta_1 / T, theta_2 / T**2, theta_3 / T**3
        q, v, a = model.integrate(q0, theta), velocity(model, *rates[:2]), acceleration(model, *rates[:3])
        values: dict[str, Callable[[], Array]] = {
            "q": lambda: q,
            "v": lambda: v,
            "a": lambda: a,
            "tau": lambda: joint_forces(model, q, v, a),
            "jerk": lambda: jerk(model, *rates),
            "t": lambda: T * s,
        }
        found = asarray(self.function(model, *(values[name]() for name in names)))
        if getattr(found, "ndim", 0) > 1:
            raise InputError(f"{self.__name__} must return a number or an array (m,), got shape {found.shape}")
        found = found if found.ndim else found.reshape(1)
        return T * found if self.times_T else found


@dataclass(frozen=True)
class Weighted:
    """The sum of the values of an `Instant`, with weights."""

    instant: Instant

    def __call__(
        self,
        model: Model,
        q0: Array,
        theta: Array,
        theta_1: Array,
        theta_2: Array,
        theta_3: Array,
        T: Array,
        s: Array,
        weight: Array,
    ) -> Array:
        """The sum."""
        return weight @ self.instant(model, q0, theta, theta_1, theta_2, theta_3, T, s)


class Nodes(NamedTuple):
    """A motion at some phases."""

    q0: Float
    """Configuration (nq,) that θ is measured from."""
    rates: tuple[Float, ...]
    """θ and its derivatives by the phase, (..., K, nv) each."""
    T: Float
    """Duration (..., 1) or ()."""
    s: Float
    """Phases (K,)."""


class Derivatives:
    """Values and exact derivatives of a function of one instant, for one robot."""

    def __init__(self, robot: Robot, instant: Instant, free_time: bool) -> None:
        self.robot, self.instant = robot, instant
        uses = argument_names(instant.function)
        self.orders = 4 if "jerk" in uses else 3 if {"a", "tau"} & set(uses) else 2 if "v" in uses else 1
        """How many of θ, θ′, θ″, θ‴ it depends on."""
        self.wrt = (*RATES[: self.orders], *(("T",) if free_time else ()))
        self.free_time = free_time
        self._value = robot.kernel(instant, shapes=self._shapes())
        self.size = int(self._value.program.outputs[0].shape[0])
        """How many values there are, m."""

    def _shapes(self) -> dict[str, Any]:
        return {**dict.fromkeys(RATES, (self.robot.nv,)), "T": (), "s": ()}

    def _joined(self, parts: Any) -> Any:
        """Derivatives by each argument side by side."""
        parts = parts if isinstance(parts, tuple) else (parts,)
        each = zip(self.wrt, parts, strict=True)
        return np.concatenate([x[..., None] if name == "T" else x for name, x in each], axis=-1)

    def _arguments(self, nodes: Nodes) -> tuple[Any, ...]:
        return nodes.q0, *nodes.rates, nodes.T, nodes.s

    def value(self, nodes: Nodes) -> Float:
        """Values (..., K, m)."""
        return np.asarray(self._value(*self._arguments(nodes)))

    def jacobian(self, nodes: Nodes) -> Float:
        """Derivatives (K, m, n) with respect to z: θ and its derivatives one after the other, and T."""
        kernel = self.robot.kernel(jacobian(self.instant, wrt=self.wrt), shapes=self._shapes())
        return np.asarray(self._joined(kernel(*self._arguments(nodes))))

    def hessian(self, nodes: Nodes, weight: Float) -> Float:
        """Second derivatives (K, n, n) of the sum with weights (K, m)."""
        kernel = self.robot.kernel(
            hessian(Weighted(self.instant), wrt=self.wrt), shapes={**self._shapes(), "weight": self.size}
        )
        return np.asarray(kernel(*self._arguments(nodes), weight))

    def pattern(self) -> npt.NDArray[np.bool_]:
        """Which values depend on which of z: (m, n)."""
        return np.asarray(self._joined(sparsity(self.instant, self.robot, wrt=self.wrt, shapes=self._shapes())))


def selected(choices: Mapping[str, Any]) -> Callable[..., Array]:
    """Function of one instant that returns some entries of q, v, a and tau, by name."""
    return StateEntries(tuple((name, tuple(int(k) for k in rows)) for name, rows in choices.items() if len(rows)))


@dataclass(frozen=True)
class StateEntries:
    """Some entries of q, v, a and tau: what limits are about."""

    rows: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def __signature__(self) -> Any:
        names = ["model", *(name for name, _ in self.rows)]
        return inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names])

    def __call__(self, model: Model, *values: Array) -> Array:
        """The entries, one after the other."""
        return concatenate([x[list(rows)] for x, (_, rows) in zip(values, self.rows, strict=True)])


@dataclass(frozen=True)
class FunctionEntries:
    """Some of the values of a function of one instant."""

    function: Callable[..., Any]
    rows: tuple[int, ...]

    @property
    def __signature__(self) -> Any:
        return inspect.signature(self.function)

    def __call__(self, *arguments: Any) -> Array:
        """The values."""
        found = asarray(self.function(*arguments))
        return found[list(self.rows)]
