"""The operations of a program: one table, which every reader of a program uses.

A node is a tuple of its operation's name and the numbers of earlier nodes, as many as the operation's arity. Leaves
stand outside the table: ("const", value ≥ 0), ("input", k), and those of loops, see `regions`.

A row says what an operation means for scalars and arrays of any kind, how it changes with its operands, which count it
belongs to, and how it is written. A target adds how *it* writes an operation; `tests/engine/test_ops.py` checks that
every target knows every row.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ... import arrays

Node: TypeAlias = tuple[Any, ...]
Cost: TypeAlias = Literal["mul", "add", "div", "sqrt", "trig", "free"]
Rule: TypeAlias = Callable[..., tuple[Any, tuple[Any, ...]]]
COLUMNS = frozenset(("column", "filled"))
"""Leaves that are no values, but several of which `lookup` takes one; see `tables`."""
LEAVES = frozenset(("const", "input", "carry", "item", "final", "element")) | COLUMNS


class Symbol:
    """A scalar that records what is done with it, by the names of this table: its methods are the operations."""

    __slots__ = ()

    def __lt__(self, other: Any) -> Any:
        """The condition, 1 or 0."""
        raise NotImplementedError

    def select(self, a: Any, b: Any) -> Any:
        """`a` where this condition holds, else `b`."""
        raise NotImplementedError

    def with_derivatives(self, other: Any) -> Any:
        """This value, with the derivatives of another one."""
        raise NotImplementedError


@dataclass(frozen=True)
class Op:
    """One operation."""

    arity: int
    apply: Callable[..., Any]
    """Its meaning, for NumPy's arrays and for scalars of any kind: floats, complex, mpmath's, JAX's, expressions."""
    cost: Cost
    """The count it belongs to."""
    text: str
    """How it is written, `{0}` and so on being its operands."""
    rule: Rule | None = None
    """(z, *operands) → factor and partials: ż = factor · Σ_k partial_k ẋ_k; None for steps, and where there is a
    condition."""
    condition: Callable[..., Any] | None = None
    """Operands → the condition under which the value is that of the last but one operand; else it is the last one."""
    c: str = ""
    """The same in C, if that differs: `{f}` is the suffix of a function of floats, `{scalar}` the type."""
    still: int = 0
    """The number of leading operands with which the value does not change, whatever its rule says."""


def _function(name: str) -> Callable[..., Any]:
    """An elementary function from `arrays`, or an expression's own method; scalars stay scalars."""
    general = getattr(arrays, name)

    def apply(x: Any, *rest: Any) -> Any:
        if isinstance(x, Symbol):
            return getattr(x, f"__{name}__" if name == "abs" else name)(*rest)
        return _scalar(general(x, *rest))

    return apply


def quiet_value(function: Callable[[float], Any], x: float) -> float:
    """The function's value, warnings suppressed where that is infinite or not a number."""
    with np.errstate(all="ignore"):
        return float(function(x))


def sinh_series(square: Any) -> Any:
    """sinh x / x from an expression x², for |x| < 1."""
    value = 0.0 * square
    for k in range(19, 0, -2):
        value = value * square + 1.0 / math.factorial(k)
    return value


def _scalar(y: Any) -> Any:
    return y[()] if isinstance(y, np.ndarray) else y


def _less(a: Any, b: Any) -> Any:
    if isinstance(a, Symbol):
        return a < b
    return _scalar(arrays.where(arrays.less(a, b), 1.0, 0.0))


def _select(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, Symbol):
        return condition.select(a, b)
    return _scalar(arrays.where(condition != 0, a, b))


def _lookup(column: Any, index: Any) -> Any:
    """The entry, along the last axis, whose number is the index rounded down and clamped; NaN where the index is."""
    if isinstance(column, Symbol):
        return column.loop_writer.entry(column, index)  # type: ignore[attr-defined]
    xp = arrays.namespace(column, index)
    column = xp.asarray(column)
    if xp is np and index.__class__ is not np.ndarray and column.ndim == 1:
        return arrays.lookup(column, index)
    batch, x = np.broadcast_shapes(column.shape[:-1], xp.shape(index)), xp.asarray(index)
    place = xp.clip(xp.where(x == x, xp.floor(x), 0.0), 0, column.shape[-1] - 1).astype(int)
    column = xp.broadcast_to(column, (*batch, column.shape[-1]))
    found = xp.take_along_axis(column, xp.broadcast_to(place, batch)[..., None], axis=-1)[..., 0]
    return _scalar(xp.where(x == x, found, x))


OPS: dict[str, Op] = {
    "add": Op(2, operator.add, "add", "{0} + {1}", lambda z, a, b: (1, (1, 1))),
    "sub": Op(2, operator.sub, "add", "{0} - {1}", lambda z, a, b: (1, (1, -1))),
    "mul": Op(2, operator.mul, "mul", "{0} * {1}", lambda z, a, b: (1, (b, a))),
    "div": Op(2, operator.truediv, "div", "{0} / {1}", lambda z, a, b: (1.0 / b, (1, -z))),
    "neg": Op(1, operator.neg, "free", "neg({0})", lambda z, a: (1, (-1,)), c="-{0}"),
    "sqrt": Op(1, _function("sqrt"), "sqrt", "sqrt{f}({0})", lambda z, a: (1, (0.5 / z,))),
    "sin": Op(1, _function("sin"), "trig", "sin{f}({0})", lambda z, a: (1, (a.cos(),))),
    "cos": Op(1, _function("cos"), "trig", "cos{f}({0})", lambda z, a: (1, (-a.sin(),))),
    "atan2": Op(2, _function("atan2"), "trig", "atan2{f}({0}, {1})", lambda z, y, x: (1.0 / (x * x + y * y), (x, -y))),
    "exp": Op(1, _function("exp"), "trig", "exp{f}({0})", lambda z, a: (1, (z,))),
    "log": Op(1, _function("log"), "trig", "log{f}({0})", lambda z, a: (1, (1.0 / a,))),
    "abs": Op(
        *(1, _function("abs"), "free", "abs({0})"),
        rule=lambda z, a: (1, ((a < 0.0).select(-1.0, 1.0),)),
        c="fabs{f}({0})",
    ),
    "floor": Op(1, _function("floor"), "free", "floor{f}({0})"),
    "lt": Op(2, _less, "free", "{0} < {1}", c="({scalar})({0} < {1})"),
    "minimum": Op(
        *(2, _function("minimum"), "free", "minimum({0}, {1})"),
        condition=lambda a, b: a < b,
        c="{0} < {1} || {0} != {0} ? {0} : {1}",
    ),
    "maximum": Op(
        *(2, _function("maximum"), "free", "maximum({0}, {1})"),
        condition=lambda a, b: b < a,
        c="{0} > {1} || {0} != {0} ? {0} : {1}",
    ),
    "select": Op(
        *(3, _select, "free", "select({0}, {1}, {2})"),
        condition=lambda c, a, b: c,
        c="{0} != 0 ? {1} : {2}",
    ),
}
"""Name → operation. `minimum` and `maximum` pass NaN on, as NumPy's do."""


LOOKUP = "lookup"
"""The operation whose first operand is no value, but a column of which it takes an entry; targets write it apart."""
OPS_OF_PROGRAMS = OPS | {LOOKUP: Op(2, _lookup, "free", "lookup({0}, {1})")}
"""Those of `OPS`, all of whose operands are values, and that one."""


def _of_other(x: Any, other: Any) -> Any:
    return x.with_derivatives(other) if isinstance(x, Symbol) else x


WITH_DERIVATIVES = "with_derivatives"
"""The operation of traces alone: programs have its first operand in its place."""
OPS_OF_TRACES = OPS_OF_PROGRAMS | {
    WITH_DERIVATIVES: Op(2, _of_other, "free", "{0}", lambda z, x, other: (1, (0, 1)), still=1),
}
"""The same with what is gone once a trace is a program."""


def operands(node: Node) -> tuple[int, ...]:
    """The nodes that this one reads.

    >>> operands(("add", 3, 5)), operands(("const", 2.0))
    ((3, 5), ())
    """
    return () if node[0] in LEAVES else node[1:]


def smooth_operands(node: Node) -> tuple[int, ...]:
    """The nodes with which this one changes: not a condition, nor what is rounded or compared.

    >>> smooth_operands(("mul", 1, 2)), smooth_operands(("lt", 1, 2)), smooth_operands(("select", 1, 2, 3))
    ((1, 2), (), (2, 3))
    """
    if node[0] in LEAVES:
        return ()
    op = OPS_OF_TRACES[node[0]]
    if op.condition is not None:
        return node[-2:]
    return node[1 + op.still :] if op.rule is not None else ()


@dataclass(frozen=True)
class OpCount:
    """Scalar operations of a straight-line program.

    Negations, absolute values, roundings, comparisons and selections are free.

    Parameters
    ----------
    mul : int, default 0
        Multiplications.
    add : int, default 0
        Additions and subtractions.
    div : int, default 0
        Divisions.
    sqrt : int, default 0
        Square roots.
    trig : int, default 0
        Sines, cosines, arc tangents, exponentials and logarithms.

    Examples
    --------
    >>> import kinetrace as kt
    >>> count = kt.load("planar2r").count("mass_matrix")
    >>> print(count + kt.OpCount(div=1))
    1 mul, 4 add, 1 div, 0 sqrt, 1 trig
    >>> count.flops
    5
    """

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0

    @property
    def flops(self) -> int:
        """Number of multiplications, additions, divisions and square roots."""
        return self.mul + self.add + self.div + self.sqrt

    def __add__(self, other: OpCount) -> OpCount:
        kinds = zip(vars(self).values(), vars(other).values(), strict=True)
        return OpCount(*(a + b for a, b in kinds))

    def __str__(self) -> str:
        return f"{self.mul} mul, {self.add} add, {self.div} div, {self.sqrt} sqrt, {self.trig} trig"


def count(nodes: Iterable[Node]) -> OpCount:
    """The operations in a list of nodes, as the literature counts them."""
    by_cost: Counter[str] = Counter()
    for name, number in Counter([node[0] for node in nodes]).items():
        if name not in LEAVES:
            by_cost[OPS_OF_PROGRAMS[name].cost] += number
    return OpCount(**{cost: by_cost[cost] for cost in ("mul", "add", "div", "sqrt", "trig")})
