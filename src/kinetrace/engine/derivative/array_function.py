"""Functions of a model as functions of plain arrays alone, whose derivatives are such functions again.

A framework of arrays knows no mappings, no choices and no manifolds: it calls a function of some arrays, and wants to
push tangents forward and to pull weights back that have the shapes of these arrays. So every array is an argument of
its own here, parameters of the model too, and choices are bound; the result is a tuple. Quaternions are scaled to unit
length before they are used: f(q / |q|) has derivatives along all entries of q, and to every order.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.arguments import CONFIGURATIONS
from ...model.manifold import normalise
from ...model.model import Model
from ...model.parameters import PARAMETERS, replaced
from ...support.functions import name_of
from .derived_function import Jacobian, Jvp, Vjp

Shape = tuple[Any, ...]


@dataclass(frozen=True)
class ArrayFunction(ABC):
    """A function of (model, x0, x1, ...) that returns a tuple; `function` is what it is made of."""

    function: Callable[..., Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "__name__", f"{type(self).__name__.lower()}_of_{name_of(self.function)}")
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = ("model", *self.names)
        object.__setattr__(self, "__signature__", inspect.Signature([inspect.Parameter(x, kind) for x in names]))

    @property
    @abstractmethod
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of the arrays."""

    @abstractmethod
    def evaluate(self, model: Model, arrays: list[Any]) -> tuple[Any, ...]:
        """The results."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays: not those that mean something elsewhere."""
        return tuple(f"x{k}" for k in range(len(self.shapes)))

    def argument_shapes(self, model: Model, sizes: Mapping[str, Any], **static: Any) -> dict[str, Any]:
        """The shapes by name, as `compile` asks for them."""
        return dict(zip(self.names, self.shapes, strict=True))

    def __call__(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        """The results, of arrays with or without names."""
        model, *arrays = inspect.signature(self).bind(*args, **named).arguments.values()
        return self.evaluate(model, arrays)


@dataclass(frozen=True)
class BoundFunction(ArrayFunction):
    """A function of (model, q, ...) with its choices bound.

    `arguments` are names and shapes of its arrays in order, where a mapping is a tuple of such pairs; `inputs` are
    parameters of the model, whose shapes come last among `arguments`.
    """

    arguments: tuple[tuple[str, Any], ...]
    static: tuple[tuple[str, Any], ...] = ()
    inputs: tuple[str, ...] = ()
    normalises: bool = False
    """Whether there are quaternions to scale."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Those of the arguments, mappings taken apart."""
        return tuple(shape for _, given in self.arguments for shape in (_parts(given) or {"": given}).values())

    def evaluate(self, model: Model, arrays: list[Any]) -> tuple[Any, ...]:
        """The results of the function at the model with these parameters."""
        left, given = iter(arrays), dict[str, Any]()
        for name, shape in self.arguments:
            parts = _parts(shape)
            given[name] = self._next_array(name, model, left) if parts is None else {key: next(left) for key in parts}
        numbers = {name: given.pop(name) for name in self.inputs}
        at = replaced(model, **numbers) if numbers else model
        found = self.function(at.customised, **given, **dict(self.static))
        return found if isinstance(found, tuple) else (found,)

    def _next_array(self, name: str, model: Model, left: Iterator[Any]) -> Any:
        x = next(left)
        return normalise(model, x) if self.normalises and name in CONFIGURATIONS else x


def _parts(shape: Any) -> dict[str, Any] | None:
    """Keys and shapes of a mapping; None if it is a shape."""
    is_mapping = bool(shape) and all(isinstance(x, tuple) for x in shape)
    return dict(shape) if is_mapping else None


@dataclass(frozen=True)
class NonemptyFunction(ArrayFunction):
    """A function without those of its arrays that have no entries."""

    function: ArrayFunction

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Those of the arrays that have entries."""
        return tuple(shape for shape in self.function.shapes if 0 not in shape)

    def evaluate(self, model: Model, arrays: list[Any]) -> tuple[Any, ...]:
        """The results of the function."""
        left = iter(arrays)
        return self.function.evaluate(model, [np.zeros(x) if 0 in x else next(left) for x in self.function.shapes])


@dataclass(frozen=True)
class Pushforward(ArrayFunction):
    """The derivative along tangents of some arrays: x0, x1, ..., then the tangents, of the shapes of their arrays."""

    function: ArrayFunction
    wrt: tuple[int, ...]

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Those of the function, and those of the tangents."""
        own = self.function.shapes
        return (*own, *(own[k] for k in self.wrt))

    def evaluate(self, model: Model, arrays: list[Any]) -> tuple[Any, ...]:
        """The tangents of the results."""
        derived = Jvp(self.function, tuple(self.function.names[k] for k in self.wrt), False)
        return tuple(derived(model, *arrays))


@dataclass(frozen=True)
class Pullback(ArrayFunction):
    """The gradients by some arrays of the weighted sum of all results: x0, x1, ..., then a weight for each result."""

    function: ArrayFunction
    wrt: tuple[int, ...]
    weights: tuple[Shape, ...]
    """The shapes of the results."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Those of the function, and those of the weights."""
        return (*self.function.shapes, *self.weights)

    def evaluate(self, model: Model, arrays: list[Any]) -> tuple[Any, ...]:
        """The gradients."""
        n = len(self.function.shapes)
        derived = Vjp(self.function, tuple(self.function.names[k] for k in self.wrt), False)
        return tuple(derived(model, *arrays[:n], tuple(arrays[n:])))


@dataclass(frozen=True)
class Jacobians(ArrayFunction):
    """All derivatives by some arrays as one matrix: rows are entries of all results, columns those of the arrays."""

    function: ArrayFunction
    wrt: tuple[int, ...]

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Those of the function."""
        return self.function.shapes

    def evaluate(self, model: Model, arrays: list[Any]) -> tuple[Any, ...]:
        """The matrix; that of gradients is taken forward, which shares what they have in common."""
        mode = "forward" if isinstance(self.function, Pullback) else None
        derived = Jacobian(self.function, tuple(self.function.names[k] for k in self.wrt), False, mode, False)
        return (join_blocks(derived(model, *arrays), [self.shapes[k] for k in self.wrt]),)


def join_blocks(blocks: Sequence[Any], shapes: Sequence[Shape]) -> Any:
    """Blocks of derivatives as one matrix: those of the first result by arrays of these shapes, then of the next.

    >>> join_blocks([np.ones((2, 3)), np.zeros((2, 1)), np.zeros(3), np.ones(1)], [(3,), (1,)]).tolist()
    [[1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    flat = [np.asarray(x).reshape(-1, math.prod(shapes[k % len(shapes)])) for k, x in enumerate(blocks)]
    rows = [np.concatenate(flat[k : k + len(shapes)], axis=1) for k in range(0, len(flat), len(shapes))]
    return np.concatenate(rows, axis=0)


def bound_function(
    function: Callable[..., Any],
    model: Model,
    arguments: Mapping[str, Any],
    static: Mapping[str, Any],
    inputs: tuple[str, ...] = (),
) -> BoundFunction:
    """A function of a model as one of plain arrays: `arguments` maps the names of its own arrays to their shapes.

    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("quadruped", base="free").model
    >>> f = bound_function(kt.algorithms.pose, model, {"q": (19,)}, {"frame": "trunk"})
    >>> f(model, 2.0 * model.neutral())[0].tolist() == np.eye(4).tolist()
    True
    """
    shapes = {**arguments, **{name: PARAMETERS[name].shape(model) for name in inputs}}
    frozen = tuple((name, tuple(x.items()) if isinstance(x, Mapping) else tuple(x)) for name, x in shapes.items())
    quaternions = model.nq != model.nv and any(name in arguments for name in CONFIGURATIONS)
    return BoundFunction(function, frozen, tuple(static.items()), inputs, quaternions)
