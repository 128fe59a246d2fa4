"""Derived functions: each traces its function, differentiates the trace, and substitutes the actual values.

Results, and arguments of differentiation, may be arrays whose length is known when a kernel is called; see
`trace.loop_writer.Series`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from ...arrays import Array, objects
from ...errors import InputError, unknown_name_error
from ...model.arguments import ShapeSource, check_first
from ...model.model import Model
from ...model.parameters import PARAMETERS
from ...support.functions import name_of, parameters_of, signature_text
from ..trace import CompiledProgram
from ..trace.derivatives.differentiate import adjoints, dependence, tangents
from ..trace.expr import Expr
from ..trace.loop_writer import Series
from .traced_function import (
    DerivativeVariable,
    Shape,
    TraceContext,
    TracedFunction,
    arguments_of,
    tangent_shape,
    trace_function,
)


@dataclass(frozen=True)
class Derived:
    """A function made of another one; equal if made of equal parts."""

    function: Callable[..., Any]
    wrt: tuple[str, ...]
    single: bool
    """Whether one name was given, rather than a tuple of names."""

    verb: ClassVar[str]

    def __post_init__(self) -> None:
        if isinstance(self.function, CompiledProgram):
            raise InputError(
                f"{self.verb}: differentiate the function itself, then compile that; got {self.function!r}"
            )
        parameters = parameters_of(self.function)
        check_first(self.function, parameters)
        names = [p.name for p in parameters[1:] if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        for name in self.wrt:
            if name not in names and name not in PARAMETERS:
                raise unknown_name_error(
                    f"argument or parameter of {name_of(self.function)}", name, [*names, *PARAMETERS]
                )
        if not self.wrt or len(set(self.wrt)) < len(self.wrt):
            raise InputError(f"wrt must be names, each once; got {self.wrt}")
        object.__setattr__(self, "__name__", f"{self.verb}_of_{name_of(self.function)}")
        object.__setattr__(self, "__signature__", _with(parameters, self.added))

    def __reduce__(self) -> Any:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))  # the signature is computed again

    @property
    def added(self) -> tuple[str, ...]:
        """The names of the arguments that the function itself does not have."""
        return ()

    def argument_shapes(self, model: Model, sizes: Mapping[str, Any], **static: Any) -> dict[str, Any]:
        """The shapes of further arguments, from those in `sizes`; `static` are values of other arguments."""
        if not isinstance(self.function, ShapeSource):
            return {}
        return dict(self.function.argument_shapes(model, sizes, **static))

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The derivative at these arguments, and along or weighted by the further ones."""
        try:
            given = inspect.signature(self).bind(*args, **named).arguments
        except TypeError as error:
            parameters = signature_text(inspect.signature(self).parameters.values())
            takes = f"{self.verb} of {name_of(self.function)} takes {parameters}"
            first = "; the first argument is the model, robot.model" if args and not isinstance(args[0], Model) else ""
            raise TypeError(f"{takes}: {error}{first}") from None
        context = TraceContext.among(*given.values())
        further = [given.pop(name) for name in self.added]
        return self.derivative(trace_function(self.function, self.wrt, given, context), *further)

    def derivative(self, f: TracedFunction, *further: Any) -> Any:
        """The result, from what the function returned and the further arguments."""
        raise NotImplementedError


def _with(parameters: list[inspect.Parameter], added: tuple[str, ...]) -> inspect.Signature:
    """A signature with further arguments behind those without a name, or by name where there are defaults."""
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = parameters[len(positional) :]
    if all(p.default is p.empty for p in positional):
        new = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in added]
        return inspect.Signature([*positional, *new, *rest])
    new = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in added]
    any_named = [p for p in rest if p.kind is p.VAR_KEYWORD]
    return inspect.Signature([*positional, *(p for p in rest if p not in any_named), *new, *any_named])


def check_reverse(f: TracedFunction) -> None:
    """Raise an error if the function returns a series, which reverse mode cannot differentiate."""
    if any(isinstance(x, Series) for x in f.results):
        raise InputError(
            "a function that returns a series is differentiated forward, and not with respect to a series: return the "
            "last state, or a sum that the loop carries, instead of the whole series"
        )


def check_no_series(verb: str, f: TracedFunction) -> None:
    """Raise an error if a variable of differentiation is a series."""
    if any(v.series is not None for v in f.variables):
        raise InputError(f"{verb}: a series has no directions of its own here; take jacobian or vjp by it")


def prefers_reverse(f: TracedFunction) -> bool:
    """Whether reverse mode is the cheaper one, or the only one."""
    if any(isinstance(x, Series) for x in f.results):
        return False
    return any(v.series is not None for v in f.variables) or len(f.outputs) < f.directions


def forward_blocks(f: TracedFunction) -> list[Any]:
    """A block for each result and variable, by forward mode: of a series, a series with the directions in its rows."""
    if any(v.series is not None for v in f.variables):
        check_reverse(f)
        raise InputError('derivatives by a series are taken in reverse: leave mode out, or take mode="reverse"')
    writes = [x.source[1] for x in f.results if isinstance(x, Series)]
    series: dict[int, Any] = {}
    zero, rows = f.context.as_expr(0.0), iter(tangents(f.outputs, f.seeds, series, writes))
    blocks = list[Any]()
    for x in f.results:
        if isinstance(x, Series):
            blocks += [_rows_of(f, x, series[x.source[1]], v) for v in f.variables]
            continue
        own = [next(rows) for _ in range(x.size)]
        for v in f.variables:
            directions = range(v.directions.start, v.directions.stop)
            blocks.append(objects([r.get(d, zero) for r in own for d in directions], (*x.shape, *v.shape)))
    return blocks


def _rows_of(f: TracedFunction, x: Series, changes: dict[Any, Series], v: DerivativeVariable) -> Series:
    """How the rows of a series change along the directions of a variable."""
    directions = range(v.directions.start, v.directions.stop)
    return _join_rows(x, [changes.get(d) for d in directions], (*x.row, *v.shape), last=True)


def _join_rows(like: Series, parts: Sequence[Series | None], row: tuple[int, ...], last: bool) -> Series:
    """One series of the rows of several; None has zeros."""
    there = [x for x in parts if x is not None]

    def join(carry: Any, rows: tuple[Any, ...]) -> tuple[Any, Any]:
        left = iter(rows[1:])
        flat = [[0.0] * math.prod(like.row) if x is None else list(next(left).flat) for x in parts]
        entries = (
            [x for column in zip(*flat, strict=True) for x in column] if last else [x for part in flat for x in part]
        )
        return carry, objects(entries, row)

    found: Series = like.loop_writer.scan(join, (), (like, *there))[1]
    return found


def reverse_blocks(f: TracedFunction) -> list[Any]:
    """A block for each result and variable, by reverse mode; with respect to a series, its axis comes first."""
    check_reverse(f)
    sources: dict[tuple[str, int], dict[int, Any]] = {v.series.source: {} for v in f.variables if v.series is not None}
    rows = adjoints(f.outputs, f.inputs, [{k: 1.0} for k in range(len(f.outputs))], sources)
    matrix = objects([x for row in rows for x in f.along(row)], (len(rows), f.directions))
    blocks, begin = list[Any](), 0
    for x in f.results:
        for v in f.variables:
            own = slice(begin, begin + x.size)
            if v.series is None:
                blocks.append(matrix[own, v.directions].reshape((*x.shape, *v.shape)))
            else:
                parts = [sources[v.series.source].get(k) for k in range(own.start, own.stop)]
                blocks.append(_join_series(v.series, parts, (*x.shape, *v.series.row)))
        begin += x.size
    return blocks


def _join_series(like: Series, parts: Sequence[Series | None], row: tuple[int, ...]) -> Series:
    """`_join_rows` of series with any number of axes."""
    if len(like.dims) == 1:
        return _join_rows(like, parts, row, last=False)

    def inside(carry: Any, rows: tuple[Any, ...]) -> tuple[Any, Any]:
        left = iter(rows[1:])
        return carry, _join_series(rows[0], [None if x is None else next(left) for x in parts], row)

    there = [x for x in parts if x is not None]
    found: Series = like.loop_writer.scan(inside, (), (like, *there))[1]
    return found


def reverse(f: TracedFunction) -> Array:
    """The derivatives (outputs, directions), from one output after the other back."""
    rows = adjoints(f.outputs, f.inputs, [{k: 1.0} for k in range(len(f.outputs))])
    return objects([x for row in rows for x in f.along(row)], (len(rows), f.directions))


MODES: dict[str, Callable[[TracedFunction], list[Any]]] = {"forward": forward_blocks, "reverse": reverse_blocks}


@dataclass(frozen=True)
class Jacobian(Derived):
    """All first derivatives."""

    mode: str | None
    sparse: bool

    verb = "jacobian"

    def derivative(self, f: TracedFunction, *further: Any) -> Any:
        """An array for each output and variable."""
        mode = self.mode or ("reverse" if prefers_reverse(f) else "forward")
        blocks = MODES[mode](f)
        if self.sparse:
            blocks = [x[kept] for x, kept in zip(blocks, f.blocks(f.pattern()), strict=True)]
        results = tuple(map(f.context.with_values, blocks))
        return results if f.several or not self.single else results[0]


@dataclass(frozen=True)
class Hessian(Derived):
    """All second derivatives."""

    verb = "hessian"

    def derivative(self, f: TracedFunction, *further: Any) -> Any:
        """A square matrix for each scalar of the output: the gradient by reverse mode, its derivative by forward."""
        check_reverse(f)
        check_no_series("hessian", f)
        n, zero, mixed = f.directions, f.context.as_expr(0.0), _noncommuting(f)
        rates = iter(tangents(list(reverse(f).flat), f.seeds))
        results = []
        for x in f.results:
            entries: list[Expr] = []
            for _ in range(x.size):
                D = [next(rates) for _ in range(n)]  # D[j][i]: the derivative along i of the derivative along j
                upper = {(i, j): D[j].get(i, zero) for i in range(n) for j in range(i, n)}
                upper |= {(i, j): 0.5 * (upper[i, j] + D[i].get(j, zero)) for i, j in mixed}
                entries += [upper[min(i, j), max(i, j)] for i in range(n) for j in range(n)]
            results.append(f.context.with_values(objects(entries, (*x.shape, n, n))))
        return tuple(results) if f.several else results[0]


def _noncommuting(f: TracedFunction) -> set[tuple[int, int]]:
    """The pairs i < j of directions of which one changes how the other moves the inputs: turns about two axes."""
    moved, read = [0] * f.directions, [0] * f.directions
    bits = {x.index: 1 << k for k, x in enumerate(f.inputs)}
    for k, change in enumerate(f.changes):
        for d, found in zip(change, dependence(list(change.values()), bits), strict=True):
            moved[d] |= 1 << k
            read[d] |= found
    turning = [j for j in range(f.directions) if read[j]]
    return {(min(i, j), max(i, j)) for j in turning for i in range(f.directions) if i != j and moved[i] & read[j]}


@dataclass(frozen=True)
class Jvp(Derived):
    """The derivative along one direction."""

    verb = "jvp"

    @property
    def added(self) -> tuple[str, ...]:
        """The direction: one argument for each name, with as many d before it as make it new."""
        taken, own = list(inspect.signature(self.function).parameters), list[str]()
        for name in self.wrt:
            own.append(_new("d" + name, "d{}", taken + own))
        return tuple(own)

    def argument_shapes(self, model: Model, sizes: Mapping[str, Any], **static: Any) -> dict[str, Any]:
        """The shapes of the direction; not of those whose argument's shape is not known."""
        shapes = super().argument_shapes(model, sizes, **static)
        known, owned = {**sizes, **shapes}, inspect.signature(self.function).parameters
        return shapes | {
            added: tangent_shape(model, name, known.get(name, ()), name in owned)
            for name, added in zip(self.wrt, self.added, strict=True)
            if name in known or name not in owned
        }

    def derivative(self, f: TracedFunction, *further: Any) -> Any:
        """An array for each output."""
        zero, seeds = f.context.as_expr(0.0), dict[int, dict[Any, Expr]]()
        check_no_series("jvp", f)
        steps = [
            _of_shape(name, f.context.symbols(x), v.shape)
            for name, x, v in zip(self.added, further, f.variables, strict=True)
        ]
        step = [y for x in steps for y in x.flat]
        for x, change in zip(f.inputs, f.changes, strict=True):
            seeds[x.index] = {0: sum((t * step[d] for d, t in change.items()), start=zero)}
        along = replace(
            f, variables=[DerivativeVariable(f.inputs, [seeds[x.index] for x in f.inputs], slice(0, 1), ())]
        )
        results = forward_blocks(along)
        return tuple(map(f.context.with_values, results)) if f.several else f.context.with_values(results[0])


@dataclass(frozen=True)
class Vjp(Derived):
    """The gradient of a weighted sum."""

    verb = "vjp"

    @property
    def added(self) -> tuple[str, ...]:
        """The weight."""
        return (_new("weight", "{}_", inspect.signature(self.function).parameters),)

    def argument_shapes(self, model: Model, sizes: Mapping[str, Any], **static: Any) -> dict[str, Any]:
        """The shape of the weight, which a run of the function tells; not if a shape that it needs is not known."""
        shapes = super().argument_shapes(model, sizes, **static)
        context = TraceContext.among(model, static)
        try:
            arguments = arguments_of(self.function, model, {**sizes, **shapes}, static, context)
        except InputError:
            return shapes
        f = trace_function(self.function, (), arguments, context)
        outputs = {f"out{k}": x.shape for k, x in enumerate(f.results)}
        return {**shapes, self.added[0]: outputs if f.several else f.results[0].shape}

    def derivative(self, f: TracedFunction, *further: Any) -> Any:
        """An array for each variable."""
        (name,), (weight,) = self.added, further
        given = tuple(weight.values()) if isinstance(weight, Mapping) else weight
        parts = given if f.several and isinstance(given, tuple | list) else [given]
        if len(parts) != len(f.results):
            raise InputError(f"{name} must be one array for each of {len(f.results)} outputs, got {len(parts)}")
        check_reverse(f)
        weights = [_of_shape(name, f.context.symbols(w), x.shape) for w, x in zip(parts, f.results, strict=True)]
        sources: dict[Any, dict[int, Any]] = {v.series.source: {} for v in f.variables if v.series is not None}
        (gradient,) = adjoints(f.outputs, f.inputs, [dict(enumerate(y for w in weights for y in w.flat))], sources)
        entries = objects(f.along(gradient), (-1,))
        found = [
            entries[v.directions].reshape(v.shape)
            if v.series is None
            else _join_series(v.series, [sources[v.series.source].get(0)], v.series.row)
            for v in f.variables
        ]
        results = list(map(f.context.with_values, found))
        return results[0] if self.single else tuple(results)


def _of_shape(name: str, x: Array, shape: Shape) -> Array:
    """The array; an error if it has another shape."""
    if x.shape != shape:
        raise InputError(f"{name} must have shape {shape}, got {x.shape}")
    return x


def _new(name: str, longer: str, taken: Collection[str]) -> str:
    """A name that is not taken."""
    while name in taken:
        name = longer.format(name)
    return name
