"""Costs of optimal control: functions of one state, and what a Newton step needs of them.

A cost is a function of (model, q, v, tau, ...) in plain array code, or (model, q, v, ...) at the end of a motion. It
returns a number; or a vector of residuals r, which stands for ½ rᵀ r. The Hessian of a number is exact, that of
residuals Gauss and Newton's: Jᵀ J with J the derivative of r, which is never indefinite.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algorithms import pose
from ...arrays import Array, concatenate
from ...engine.derivative import hessian, jacobian
from ...errors import InputError
from ...lie import so3
from ...linalg.sparse import product
from ...model.model import Model
from ...support.functions import name_of, parameters_of
from ..arguments import diagonal

Cost = Callable[..., Any]


@dataclass(frozen=True)
class StateCost:
    """Cost ½ w_q |q ⊖ goal|² + ½ w_v |v|² of a state away from rest at a goal, as residuals.

    It serves along a motion and at its end.

    Parameters
    ----------
    position : float or sequence of float, default 1.0
        Weight w_q, one for all or one for each of the nv directions.
    velocity : float or sequence of float, default 0.0
        Weight w_v, likewise.
    goal : str, default "goal"
        Name of the parameter that holds the goal, (nq,).

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> cost = kt.motion.StateCost(position=4.0, velocity=1.0)
    >>> cost(kt.load("planar2r").model, np.array([1.0, 0.0]), np.array([0.0, 3.0]), goal=np.zeros(2))
    array([2., 0., 0., 3.])
    """

    position: float | tuple[float, ...] = 1.0
    velocity: float | tuple[float, ...] = 0.0
    goal: str = "goal"

    def __post_init__(self) -> None:
        for name in ("position", "velocity"):
            object.__setattr__(self, name, diagonal(name, getattr(self, name)))
        object.__setattr__(self, "__signature__", _signature(self.goal))

    def argument_shapes(self, model: Model, sizes: Mapping[str, Any], **static: Any) -> dict[str, Any]:
        """Shapes of its parameters, without batch axes.

        Parameters
        ----------
        model : Model
            Robot as data.
        sizes : mapping of str to tuple of int
            Shapes of other arguments, which are not needed.
        **static
            Values of other arguments, which are not needed.

        Returns
        -------
        dict of str to tuple of int
            Name → shape.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.motion.StateCost().argument_shapes(kt.load("planar2r").model, {})
        {'goal': (2,)}
        """
        return {self.goal: (model.nq,)}

    def __call__(self, model: Model, q: Array, v: Array, tau: Array | None = None, **parameters: Array) -> Array:
        """Residuals (2 nv,) at a state."""
        away = model.difference(parameters[self.goal], q)
        return concatenate([np.sqrt(self.position) * away, np.sqrt(self.velocity) * v])


@dataclass(frozen=True)
class TipCost:
    """Cost ½ w_p |p − target|² + ½ w_R |log(R_targetᵀ R)|² of a frame away from where it should be, as residuals.

    Parameters
    ----------
    frame : str
        Name of the frame.
    position : float or sequence of float, default 1.0
        Weight w_p, one for all or one for each axis of the world.
    rotation : float or sequence of float, default 0.0
        Weight w_R; if it is zero, the target is a position (3,), else a pose (4, 4).
    target : str, default "target"
        Name of the parameter that holds the target.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> cost = kt.motion.TipCost("tip", position=100.0)
    >>> cost(kt.load("planar2r").model, np.zeros(2), np.zeros(2), target=np.array([1.5, 0.0, 0.2]))
    array([ 5.,  0., -2.])
    """

    frame: str
    position: float | tuple[float, ...] = 1.0
    rotation: float | tuple[float, ...] = 0.0
    target: str = "target"

    def __post_init__(self) -> None:
        for name in ("position", "rotation"):
            object.__setattr__(self, name, diagonal(name, getattr(self, name)))
        object.__setattr__(self, "__signature__", _signature(self.target))

    def argument_shapes(self, model: Model, sizes: Mapping[str, Any], **static: Any) -> dict[str, Any]:
        """Shapes of its parameters, without batch axes.

        Parameters
        ----------
        model : Model
            Robot as data.
        sizes : mapping of str to tuple of int
            Shapes of other arguments, which are not needed.
        **static
            Values of other arguments, which are not needed.

        Returns
        -------
        dict of str to tuple of int
            Name → shape.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.motion.TipCost("tip").argument_shapes(kt.load("planar2r").model, {})
        {'target': (3,)}
        """
        model.frame(self.frame)
        return {self.target: (4, 4) if np.any(self.rotation) else (3,)}

    def __call__(self, model: Model, q: Array, v: Array, tau: Array | None = None, **parameters: Array) -> Array:
        """Residuals (3,) or (6,) at a state: position, then rotation in the axes of the target."""
        X, target = pose(model, q, frame=self.frame), parameters[self.target]
        if not np.any(self.rotation):
            return np.sqrt(self.position) * (X[:3, 3] - target)
        away = np.sqrt(self.position) * (X[:3, 3] - target[:3, 3])
        return concatenate([away, np.sqrt(self.rotation) * so3.log(target[:3, :3].T @ X[:3, :3])])


@dataclass(frozen=True)
class EffortCost:
    """Cost ½ w |τ|² of joint forces, as residuals.

    Parameters
    ----------
    weight : float or sequence of float, default 1.0
        Weight w, one for all or one for each of the nv forces.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.motion.EffortCost(0.25)(kt.load("planar2r").model, np.zeros(2), np.zeros(2), np.array([4.0, 2.0]))
    array([2., 1.])
    """

    weight: float | tuple[float, ...] = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", diagonal("weight", self.weight))

    def __call__(self, model: Model, q: Array, v: Array, tau: Array) -> Array:
        """Residuals (nv,)."""
        return np.sqrt(self.weight) * tau


def _signature(parameter: str) -> inspect.Signature:
    """That of a cost along a motion or at its end, with a parameter."""
    if not (isinstance(parameter, str) and parameter.isidentifier()):
        raise InputError(f"the name of a parameter must be a name, got {parameter!r}")
    kinds = inspect.Parameter
    first = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in ("model", "q", "v")]
    tau = kinds("tau", kinds.POSITIONAL_OR_KEYWORD, default=None)
    return inspect.Signature([*first, tau, kinds(parameter, kinds.KEYWORD_ONLY)])


def parameter_names(cost: Cost, at_end: bool) -> tuple[str, ...]:
    """Names of the parameters of a cost, without the state; "t" is the time."""
    state = ("q", "v") if at_end else ("q", "v", "tau")
    parameters = parameters_of(cost)
    names = [p.name for p in parameters]
    if tuple(names[1 : 1 + len(state)]) != state:
        told = f"({', '.join(('model', *state))}, ...)"
        raise InputError(f"{name_of(cost)} must be a function of {told}, with these names; it has ({', '.join(names)})")
    rest = parameters[1 + len(state) :]
    if at_end and any(p.name == "tau" and p.default is p.empty for p in rest):
        raise InputError(f"final: {name_of(cost)} is a cost of joint forces, which there are none of at the end")
    return tuple(p.name for p in rest if p.name != "tau" and p.default is p.empty)


@dataclass(frozen=True)
class CostSum:
    """The sum of several costs, scaled: a number, its gradient and its Hessian."""

    costs: tuple[Cost, ...]
    at_end: bool
    scale: float = 1.0

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of all parameters, each once."""
        return tuple(dict.fromkeys(name for cost in self.costs for name in parameter_names(cost, self.at_end)))

    def _each(self, named: Mapping[str, Array]) -> list[tuple[Cost, dict[str, Array]]]:
        return [(cost, {name: named[name] for name in parameter_names(cost, self.at_end)}) for cost in self.costs]

    def value(self, model: Model, state: Sequence[Array], named: Mapping[str, Array]) -> Array:
        """The cost of one state."""
        total: Any = 0.0
        for cost, own in self._each(named):
            r = _checked(cost, cost(model, *state, **own))
            total = total + (r if np.ndim(r) == 0 else 0.5 * (r @ r))
        return self.scale * total

    def expansion(self, model: Model, state: Sequence[Array], named: Mapping[str, Array]) -> tuple[Array, Array]:
        """Gradient (m,) and Hessian (m, m) by the entries of the state, configurations along q ⊕ ε."""
        wrt = ("q", "v") if self.at_end else ("q", "v", "tau")
        m = len(wrt) * model.nv
        g, H = np.zeros(m), np.zeros((m, m))
        for cost, own in self._each(named):
            r = _checked(cost, cost(model, *state, **own))
            J = concatenate([*jacobian(cost, wrt=wrt)(model, *state, **own)])
            if np.ndim(r) == 0:
                g, H = g + J, H + hessian(cost, wrt=wrt)(model, *state, **own)
            else:
                g, H = g + product(r[None], J)[0], H + product(J.T, J)
        return self.scale * g, self.scale * H


def _checked(cost: Cost, r: Any) -> Any:
    """Result of a cost, if it is a number or a vector."""
    if r is None or isinstance(r, tuple | list | dict) or np.ndim(r) > 1:
        raise InputError(f"{name_of(cost)} must return a number, or a vector of residuals; got {r!r}")
    return r
