"""A function run on fresh variables, in a graph of its own or in that of its caller.

The variables stand for the arguments of differentiation. If the caller's own expressions were used instead, a value
that is passed twice, once as such an argument and once as another, would be one variable, and a number none.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, asarray, is_concrete, namespace, objects
from ...errors import InputError
from ...model.model import Model
from ...model.parameters import PARAMETERS, replaced
from ...model.record import leaves, map_leaves
from ...support.functions import name_of, not_arrays, unknown_shape
from ..trace.derivatives.differentiate import dependence, fresh
from ..trace.expr import Expr, Graph
from ..trace.hints import hints_for
from ..trace.loop_writer import Series
from ..trace.replay import Replay

Shape = tuple[int, ...]


@dataclass(frozen=True)
class TraceContext:
    """A graph, and the values to substitute for its fresh variables."""

    graph: Graph
    inside: bool
    """Whether the graph is the caller's: then other arguments are used as they are."""
    values: dict[int, Any] = field(default_factory=dict)
    replays: list[Replay] = field(default_factory=list)
    """Substitutions so far: a loop that several results share is written once."""

    @staticmethod
    def among(*held: Any) -> TraceContext:
        """The context of the graph that these values belong to, or of a new one."""
        series = (x.graph for x in held if isinstance(x, Series))
        found = next((x.graph for x in _expressions(held)), next(series, None))
        return TraceContext(Graph() if found is None else found, found is not None)

    def symbols(self, x: Any) -> Array:
        """Fresh variables in the place of an array."""
        x = asarray(x)
        if isinstance(x, np.ndarray) and x.dtype.kind in "biu":
            x = x.astype(float)
        made = [fresh(self.graph) for _ in range(math.prod(x.shape))]
        self.values.update(zip((v.index for v in made), x.reshape(-1), strict=True))
        return objects(made, x.shape)

    def with_variables(self, x: Any) -> Any:
        """An argument with variables for all its numbers; as it is in the caller's graph."""
        if isinstance(x, Mapping):
            return {key: self.with_variables(part) for key, part in x.items()}
        if isinstance(x, tuple):
            return tuple(map(self.with_variables, x))
        is_array = hasattr(x, "dtype") and np.dtype(x.dtype).kind in "fcO"
        return self.symbols(x) if is_array and not self.inside else x

    def held(self, x: Any) -> Any:
        """A leaf of a model as a graph can hold it: with variables for numbers that are not known."""
        if isinstance(x, str) or is_concrete(x) or not hasattr(x, "__mul__"):
            return x
        made = self.symbols(x)
        return made if np.ndim(x) else made[()]

    def of_shape(self, shape: Any) -> Any:
        """DerivativeVariable without values: an array of that shape, or a dict of such arrays."""
        if isinstance(shape, Mapping):
            return {key: self.of_shape(part) for key, part in shape.items()}
        dims = tuple(n for n in shape if isinstance(n, str))
        if dims:
            return Series(self.graph, dims, shape[len(dims) :], ("input", ~len(self.values)))
        return self.symbols(np.zeros(shape))

    def as_expr(self, x: Any) -> Expr:
        """A number as an expression."""
        return x if type(x) is Expr else self.graph.constant(x)

    def with_values(self, x: Array) -> Array:
        """An array of expressions, or a series, with the actual values for the variables."""
        if isinstance(x, Series):
            return self._replay().series(x)
        if self.inside and not self.values:
            return x[()]
        given = self.values.values()
        scalars = self._replay().outputs(list(x.flat)) if x.size else []
        xp = namespace(*given)
        if xp is not np:
            return xp.stack([xp.asarray(y) for y in scalars]).reshape(x.shape) if scalars else xp.zeros(x.shape)
        if self.inside or not all(isinstance(y, np.number | float) for y in given):
            return objects(scalars, x.shape)[()]
        return np.array(scalars, dtype=None if scalars else float).reshape(x.shape)[()]

    def _replay(self) -> Replay:
        if not self.replays:
            self.replays.append(Replay(self.graph, self.values, symbolic=self.inside))
        self.replays[0].extend(self.values)
        return self.replays[0]


class DerivativeVariable(NamedTuple):
    """A variable of differentiation: its scalars, and their rates along the directions."""

    scalars: list[Expr]
    changes: list[dict[int, Expr]]
    """For each scalar: direction → rate; the directions of all variables are numbered together."""
    directions: slice
    """Its own ones."""
    shape: Shape
    """The axes of the directions."""
    series: Series | None = None
    """The series, if its length is not known; it has no scalars then."""


@dataclass(frozen=True)
class TracedFunction:
    """The results of a function, as expressions of the variables."""

    context: TraceContext
    variables: list[DerivativeVariable]
    results: list[Array]
    several: bool
    """Whether the function returned a tuple."""

    @property
    def outputs(self) -> list[Expr]:
        """All scalars that the function returned."""
        return [x for array in self.results if not isinstance(array, Series) for x in array.flat]

    @property
    def inputs(self) -> list[Expr]:
        """All scalars that it is differentiated by."""
        return [x for v in self.variables for x in v.scalars]

    @property
    def changes(self) -> list[dict[int, Expr]]:
        """For each input: direction → rate."""
        return [change for v in self.variables for change in v.changes]

    @property
    def directions(self) -> int:
        """The number of directions."""
        return max((v.directions.stop for v in self.variables), default=0)

    @property
    def seeds(self) -> dict[int, dict[Any, Expr]]:
        """Node of an input → direction → rate."""
        return {x.index: dict(change) for x, change in zip(self.inputs, self.changes, strict=True)}

    def along(self, gradient: Sequence[Expr]) -> list[Expr]:
        """The derivatives along the directions, from those with respect to the inputs."""
        result = [self.context.as_expr(0.0)] * self.directions
        for x, change in zip(gradient, self.changes, strict=True):
            for d, t in change.items():
                result[d] = result[d] + x * t
        return result

    def pattern(self) -> Array:
        """Which output may change along which direction (outputs, directions)."""
        sets = {x.index: sum(1 << d for d in change) for x, change in zip(self.inputs, self.changes, strict=True)}
        rows = [[bits >> d & 1 for d in range(self.directions)] for bits in dependence(self.outputs, sets)]
        return np.array(rows, dtype=bool).reshape(len(rows), self.directions)

    def blocks(self, matrix: Array) -> list[Array]:
        """A matrix (outputs, directions) as arrays, one for each result and variable."""
        ends = list(accumulate((x.size for x in self.results), initial=0))
        return [
            matrix[begin : begin + x.size, v.directions].reshape((*x.shape, *v.shape))
            for begin, x in zip(ends, self.results, strict=False)
            for v in self.variables
        ]


def trace_function(
    function: Callable[..., Any], wrt: Sequence[str], arguments: Mapping[str, Any], context: TraceContext
) -> TracedFunction:
    """Call a function of these arguments, the model first, on variables for the arguments or parameters `wrt`."""
    signature = inspect.signature(function)
    (first, model), *_ = arguments.items()
    if not isinstance(model, Model):
        raise InputError(f"expected a Model as the first argument, got {model!r}; that of a Robot is robot.model")
    inputs = _Inputs(function, model, {name: x for name, x in arguments.items() if name != first}, context)
    for name in wrt:
        inputs.vary(name, name in signature.parameters)
    rest = {name: context.with_variables(x) for name, x in inputs.arguments.items() if name not in wrt}
    if not (model.is_concrete or context.inside):  # numbers that a graph cannot hold as constants
        model = map_leaves(context.held, model)
    model = replaced(model, **inputs.parameters).customised
    bound = inspect.BoundArguments(signature, {first: model, **inputs.arguments, **rest})
    returned = _call(function, bound, context)
    several = isinstance(returned, tuple)
    try:
        results = [_result(context, x) for x in (returned if several else (returned,))]
    except (TypeError, ValueError):
        raise not_arrays(name_of(function), returned) from None
    return TracedFunction(context=context, variables=inputs.variables, results=results, several=several)


def _call(function: Callable[..., Any], bound: inspect.BoundArguments, context: TraceContext) -> Any:
    """Results of a function; loops over known rows are not rolled, since derivatives follow straight lines."""
    graph = context.graph
    before, graph.loops.rolls, graph.differentiated = (graph.loops.rolls, graph.differentiated), False, True
    try:
        # Constants that are not numbers are left to the function.
        with np.errstate(all="ignore"), hints_for(name_of(function)):
            return function(*bound.args, **bound.kwargs)
    finally:
        graph.loops.rolls, graph.differentiated = before


def _result(context: TraceContext, x: Any) -> Any:
    """Results of a function as an array of expressions, or a series in memory."""
    if isinstance(x, Series):
        return x.loop_writer.to_memory(x)
    array = np.asarray(x, dtype=object)
    return objects([context.as_expr(y) for y in array.flat], array.shape)


class _Inputs:
    """The arguments of a function, and parameters of its model, of which some become variables of differentiation."""

    def __init__(
        self, function: Callable[..., Any], model: Model, arguments: dict[str, Any], context: TraceContext
    ) -> None:
        self.function, self.model, self.context = function, model, context
        self.arguments, self.parameters = arguments, dict[str, Array]()
        self.variables: list[DerivativeVariable] = []
        self.direct = context.graph.in_any_order and model.is_concrete and _are_distinct_inputs(arguments.values())
        """Whether inputs of the caller's trace can be the variables themselves."""

    def vary(self, name: str, owned: bool) -> None:
        """Put variables in the place of an argument, or of a parameter if the function has no such argument."""
        begin = self.variables[-1].directions.stop if self.variables else 0
        if not owned:
            x = self.parameters[name] = self.context.symbols(PARAMETERS[name].get(self.model))
            self.variables.append(_variable(self.context, self.model, name, x, owned, begin))
            return
        argument = self.arguments.get(name)
        if argument is None:
            raise InputError(f"{name_of(self.function)} is differentiated by {name!r}, which was not given")
        if isinstance(argument, Series):
            self.variables.append(DerivativeVariable([], [], slice(begin, begin), (), series=argument))
            return
        numbers = _numbers(name, argument)
        x = self.arguments[name] = numbers if self.direct else self.context.symbols(numbers)
        self.variables.append(_variable(self.context, self.model, name, x, owned, begin))


def _are_distinct_inputs(given: Iterable[Any]) -> bool:
    """Whether arguments are arrays of inputs of a trace, none twice: these can be the variables themselves."""
    arrays = list(given)
    if not all(isinstance(x, np.ndarray) and x.dtype == object for x in arrays):
        return False
    entries = [x for array in arrays for x in array.flat]
    if not all(type(x) is Expr and not x.negative and x.graph.nodes[x.index][0] == "input" for x in entries):
        return False
    return len({x.index for x in entries}) == len(entries)


def _numbers(name: str, x: Any) -> Array:
    """A variable of differentiation: an array of any scalars."""
    x = asarray(x)
    kind = np.dtype(x.dtype).kind
    if kind not in "biufcO" or (kind == "O" and x.ndim == 0 and isinstance(x[()], Mapping)):
        raise InputError(f"to differentiate by {name!r}, it must be an array of numbers; got {x!r}")
    return x


def _variable(context: TraceContext, model: Model, name: str, x: Array, owned: bool, begin: int) -> DerivativeVariable:
    """The scalars of x and how they change: along q ⊕ ε, as the parameter says, or each by itself."""
    shape = tangent_shape(model, name, x.shape, owned)
    own = slice(begin, begin + math.prod(shape))
    if owned and name != "q":
        return DerivativeVariable(list(x.flat), [{begin + d: context.as_expr(1.0)} for d in range(x.size)], own, shape)
    T = model.tangent(x) if owned else PARAMETERS[name].tangent(model, x)
    zero, changes = context.as_expr(0.0).index, list[dict[int, Expr]]()
    for row in np.asarray(T, dtype=object).reshape(x.size, math.prod(shape)):
        rates = ((begin + d, context.as_expr(t)) for d, t in enumerate(row))
        changes.append({d: t for d, t in rates if t.index != zero})
    return DerivativeVariable(list(x.flat), changes, own, shape)


def tangent_shape(model: Model, name: str, shape: Shape, owned: bool) -> Shape:
    """The axes of the directions of an argument of that shape, or of a parameter if the function has no such one."""
    if not owned:
        return tuple(PARAMETERS[name].tangent_shape(model))
    return (model.nv,) if name == "q" else shape


def arguments_of(
    function: Callable[..., Any],
    model: Model,
    sizes: Mapping[str, Any],
    static: Mapping[str, Any],
    context: TraceContext,
) -> dict[str, Any]:
    """DerivativeVariable for all arguments that a function needs; an error if the shape of one is not known."""
    arguments = dict[str, Any]()
    for k, p in enumerate(inspect.signature(function).parameters.values()):
        if k == 0:
            arguments[p.name] = model
        elif p.name in static:
            arguments[p.name] = static[p.name]
        elif p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
            if p.name not in sizes:
                raise unknown_shape(p.name, name_of(function), sizes)
            arguments[p.name] = context.of_shape(sizes[p.name])
    return arguments


def _expressions(x: Any) -> Iterator[Expr]:
    """The expressions that an argument, or a model, holds."""
    for leaf in leaves(x):
        if type(leaf) is Expr:
            yield leaf
        elif isinstance(leaf, np.ndarray) and leaf.dtype == object:
            yield from (y for y in leaf.flat if type(y) is Expr)
