"""Scalar expressions that record themselves.

An `Expr` is a number that is not known yet. Arithmetic on it appends nodes to a `Graph`, where

- equal expressions are one node (hash-consing), operands of a commutative node being ordered;
- constants are folded, zeros and ones vanish: what a robot's own numbers make trivial costs nothing;
- signs are pulled out: an `Expr` is a node and a sign, so a - b and b - a, or x y and (-x) y, share a node,
  and a negation is never an operation.

A node is a tuple: ("const", value ≥ 0), ("input", k), or the name of an operation (`ops`) and the earlier nodes that it
reads. `neg` stands only where a sign cannot travel on: under a root, an exponential, a logarithm, a comparison, a
selection, or at an output.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import TracedError
from .ops import Node, Symbol
from .regions import OpenLoops

_NUMBERS = (float, int, np.floating, np.integer)
_NONE: Mapping[Any, Any] = {}
_MIXED = "expressions of two different traces were mixed"


class Graph:
    """The table of nodes that expressions of one trace share."""

    __slots__ = ("_constants", "_index", "loops", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.loops = OpenLoops()
        self._index: dict[Node, int] = {}
        self._constants: dict[Any, int] = {}

    def node(self, *key: Any) -> int:
        """The number of the node with this key, made if new."""
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.nodes)
            self.nodes.append(key)
        return index

    def constant(self, value: Any) -> Expr:
        """A known number."""
        if type(value) is not float:
            value = float(value)
        index = self._constants.get(value)
        if index is None:
            if math.isnan(value):  # one object, so that it is found again: it is not equal to itself
                return Expr(self, self.node("const", math.nan), False)
            index = self._constants[value] = self.node("const", abs(value))
        return Expr(self, index, value < 0)

    def input(self, k: int) -> Expr:
        """The k-th scalar input."""
        return Expr(self, self.node("input", k), False)


def _operator(
    combine: Callable[[Expr, Expr], Expr], shortcuts: Mapping[Any, Callable[[Expr, int], Expr]] = _NONE
) -> Callable[[Expr, Any], Expr]:
    """An operator of an expression and an expression or number; anything else, such as an array, handles it itself.

    Most numbers are zeros and ones: `shortcuts` are what `combine` makes of them, from their nodes.
    """

    def method(self: Expr, other: Any) -> Expr:
        if type(other) is not Expr:
            if not isinstance(other, _NUMBERS):
                return NotImplemented
            graph = self.graph
            if other in shortcuts and other in graph._constants:
                return shortcuts[other](self, graph._constants[other])
            other = graph.constant(other)
        elif other.graph is not self.graph:
            raise ValueError(_MIXED)
        return combine(self, other)

    return method


def _add(a: Expr, b: Expr) -> Expr:
    """a + b: one node for every combination of signs and orders."""
    graph = a.graph
    i, j = a.index, b.index
    na, nb = graph.nodes[i], graph.nodes[j]
    if na[0] == "const":
        if na[1] == 0.0:
            return b
        if nb[0] == "const":
            return graph.constant((-na[1] if a.negative else na[1]) + (-nb[1] if b.negative else nb[1]))
    elif nb[0] == "const" and nb[1] == 0.0:
        return a
    if i > j:
        a, b, i, j = b, a, j, i
    if a.negative == b.negative:
        return Expr(graph, graph.node("add", i, j), a.negative)
    if i == j:
        return graph.constant(0.0)
    return Expr(graph, graph.node("sub", i, j), a.negative)


def _subtract(a: Expr, b: Expr) -> Expr:
    """a - b."""
    return _add(a, -b)


def _multiply(a: Expr, b: Expr) -> Expr:
    """a b, a constant first; constant factors gather in one."""
    graph = a.graph
    negative = a.negative != b.negative
    na, nb = graph.nodes[a.index], graph.nodes[b.index]
    if nb[0] == "const":
        a, b, na, nb = b, a, nb, na
    if na[0] == "const":
        if na[1] == 0.0:
            return Expr(graph, a.index, False)
        if nb[0] == "const":
            return graph.constant(-na[1] * nb[1] if negative else na[1] * nb[1])
        if na[1] == 1.0:
            return Expr(graph, b.index, negative)
        if nb[0] == "mul" and graph.nodes[nb[1]][0] == "const":
            return _multiply(graph.constant(na[1] * graph.nodes[nb[1]][1]), Expr(graph, nb[2], negative))
        return Expr(graph, graph.node("mul", a.index, b.index), negative)
    i, j = (a.index, b.index) if a.index <= b.index else (b.index, a.index)
    last = graph.nodes[j]
    if last[0] == "div" and last[2] == i and graph.nodes[last[1]] == ("const", 1.0):  # x (1 / x)
        return graph.constant(-1.0 if negative else 1.0)
    return Expr(graph, graph.node("mul", i, j), negative)


def _divide(a: Expr, b: Expr) -> Expr:
    """a / b; dividing by a constant is multiplying by its reciprocal."""
    graph = a.graph
    divisor = b.value
    if divisor is not None:
        if divisor == 0.0:  # whatever the sign and size of a: not a number
            return graph.constant(math.nan)
        if math.isfinite(1.0 / divisor):
            return _multiply(a, graph.constant(1.0 / divisor))
    if a.value == 0.0:
        return a
    if a.index == b.index:
        return graph.constant(-1.0 if a.negative != b.negative else 1.0)
    return Expr(graph, graph.node("div", a.index, b.index), a.negative != b.negative)


class Expr(Symbol):
    """A scalar being traced: a node of a graph, and a sign."""

    __slots__ = ("graph", "index", "negative")

    def __init__(self, graph: Graph, index: int, negative: bool) -> None:
        self.graph = graph
        self.index = index
        self.negative = negative

    @property
    def value(self) -> float | None:
        """The number this is, if it is constant."""
        node = self.graph.nodes[self.index]
        if node[0] != "const":
            return None
        return -node[1] if self.negative else node[1]

    @property
    def loop_writer(self) -> Any:
        """What traces loops."""
        from .loops import LoopWriter  # not at the top: it makes expressions

        return LoopWriter(self.graph)

    def lift(self, x: Any) -> Expr:
        """`x` as an expression of the same graph."""
        if isinstance(x, Expr):
            if x.graph is not self.graph:
                raise ValueError(_MIXED)
            return x
        return self.graph.constant(x)

    def signed_node(self) -> int:
        """The node of this value with its sign in it."""
        if not self.negative:
            return self.index
        return self.graph.node("neg", self.index)

    def __neg__(self) -> Expr:
        node = self.graph.nodes[self.index]
        if node[0] == "const" and node[1] == 0.0:
            return self
        return Expr(self.graph, self.index, not self.negative)

    def __pos__(self) -> Expr:
        return self

    __add__ = __radd__ = _operator(_add, {0.0: lambda a, zero: a})
    __sub__ = _operator(_subtract)
    __rsub__ = _operator(lambda a, b: _subtract(b, a))
    __mul__ = __rmul__ = _operator(
        _multiply,
        {0.0: lambda a, zero: Expr(a.graph, zero, False), 1.0: lambda a, one: Expr(a.graph, a.index, a.negative)},
    )
    __truediv__ = _operator(_divide)
    __rtruediv__ = _operator(lambda a, b: _divide(b, a))

    def __pow__(self, exponent: Any) -> Expr:
        if not (type(exponent) is Expr or isinstance(exponent, _NUMBERS)):
            return NotImplemented
        power = exponent.value if type(exponent) is Expr else float(exponent)
        if power is None or not float(2.0 * power).is_integer():
            return (exponent * self.log()).exp()
        if power < 0:
            return 1.0 / self**-power
        result = self.graph.constant(1.0)
        for bit in bin(int(power))[2:]:
            result = result * result
            result = result * self if bit == "1" else result
        return result if power.is_integer() else result * self.sqrt()

    __floordiv__ = _operator(lambda a, b: (a / b).floor())
    __rfloordiv__ = _operator(lambda a, b: (b / a).floor())
    __mod__ = _operator(lambda a, b: a - b * (a / b).floor())
    __rmod__ = _operator(lambda a, b: b - a * (b / a).floor())

    def __rpow__(self, base: Any) -> Expr:
        return self.lift(base) ** self if isinstance(base, _NUMBERS) else NotImplemented

    def __abs__(self) -> Expr:
        if self.value is not None:
            return self.graph.constant(abs(self.value))
        return Expr(self.graph, self.graph.node("abs", self.index), False)

    def floor(self) -> Expr:
        """The largest whole number that is not above this."""
        if self.value is not None:
            return self.graph.constant(_quietly(np.floor, self.value))
        return Expr(self.graph, self.graph.node("floor", self.signed_node()), False)

    __floor__ = floor

    def minimum(self, other: Any) -> Expr:
        """The smaller of two; NaN if either is."""
        return _extreme("minimum", self, self.lift(other))

    def maximum(self, other: Any) -> Expr:
        """The larger of two; NaN if either is."""
        return _extreme("maximum", self, self.lift(other))

    def __lt__(self, other: Any) -> Expr:
        other = self.lift(other)
        if self.value is not None and other.value is not None:
            return self.graph.constant(float(self.value < other.value))
        return Expr(self.graph, self.graph.node("lt", self.signed_node(), other.signed_node()), False)

    def __gt__(self, other: Any) -> Expr:
        return self.lift(other) < self

    def __eq__(self, other: object) -> bool:
        raise TracedError(
            "whether traced values are equal is not known yet: kt.arrays.less(kt.arrays.abs(a - b), tolerance) tells "
            "later, and kt.arrays.where chooses by it"
        )

    __hash__ = object.__hash__

    def __le__(self, other: Any) -> Expr:
        raise TracedError("traced values know < and > only, and kinetrace.arrays less, minimum, maximum and sign")

    __ge__ = __le__

    def __bool__(self) -> bool:
        raise TracedError(
            "a traced value has no truth yet: kinetrace.arrays has where (for if, and, or), less(a, b) for a < b of "
            "arrays, minimum, maximum and sign"
        )

    def __float__(self) -> float:
        raise TracedError(
            "a traced value is not a number yet: use the functions of kinetrace.arrays, make arrays of traced values "
            "by kinetrace.arrays.stack, and assign into np.zeros(n, dtype=object) rather than into an array of floats"
        )

    def select(self, a: Any, b: Any) -> Expr:
        """`a` where this condition holds, else `b`."""
        a, b = self.lift(a), self.lift(b)
        if self.value is not None:
            return a if self.value else b
        if (a.index, a.negative) == (b.index, b.negative):
            return a
        if a.negative and b.negative:
            return Expr(self.graph, self.graph.node("select", self.index, a.index, b.index), True)
        return Expr(self.graph, self.graph.node("select", self.index, a.signed_node(), b.signed_node()), False)

    def sqrt(self) -> Expr:
        """Square root; NaN below zero."""
        if self.value is not None and self.value >= 0.0:
            return self.graph.constant(math.sqrt(self.value))
        return Expr(self.graph, self.graph.node("sqrt", self.signed_node()), False)

    def sin(self) -> Expr:
        """Sine; odd, so the sign moves out."""
        if self.value is not None:
            return self.graph.constant(math.sin(self.value))
        return Expr(self.graph, self.graph.node("sin", self.index), self.negative)

    def cos(self) -> Expr:
        """Cosine; even, so the sign vanishes."""
        if self.value is not None:
            return self.graph.constant(math.cos(self.value))
        return Expr(self.graph, self.graph.node("cos", self.index), False)

    def exp(self) -> Expr:
        """Exponential; infinity where it is too large."""
        if self.value is not None:
            return self.graph.constant(_quietly(np.exp, self.value))
        return Expr(self.graph, self.graph.node("exp", self.signed_node()), False)

    def log(self) -> Expr:
        """Natural logarithm; minus infinity at zero, NaN below."""
        if self.value is not None:
            return self.graph.constant(_quietly(np.log, self.value))
        return Expr(self.graph, self.graph.node("log", self.signed_node()), False)

    def atan2(self, x: Any) -> Expr:
        """Angle of the point (x, self)."""
        x = self.lift(x)
        if self.value is not None and x.value is not None:
            return self.graph.constant(math.atan2(self.value, x.value))
        return Expr(self.graph, self.graph.node("atan2", self.index, x.signed_node()), self.negative)

    def tan(self) -> Expr:
        """Tangent."""
        return self.sin() / self.cos()

    def asin(self) -> Expr:
        """Arc sine, in [-π/2, π/2]; NaN beyond ±1."""
        return self.atan2(((1.0 - self) * (1.0 + self)).sqrt())

    def acos(self) -> Expr:
        """Arc cosine, in [0, π]; NaN beyond ±1."""
        return ((1.0 - self) * (1.0 + self)).sqrt().atan2(self)

    def atan(self) -> Expr:
        """Arc tangent, in [-π/2, π/2]."""
        return self.atan2(1.0)

    def sinh(self) -> Expr:
        """Hyperbolic sine; its series where the exponentials would cancel."""
        size = abs(self)
        root = (0.5 * size).exp()
        large = root * (0.5 * root) - 0.5 / (root * root)
        return (size < 1.0).select(self * _series(self * self), (self < 0.0).select(-large, large))

    def cosh(self) -> Expr:
        """Hyperbolic cosine."""
        root = (0.5 * abs(self)).exp()
        return root * (0.5 * root) + 0.5 / (root * root)

    def tanh(self) -> Expr:
        """Hyperbolic tangent; its series where the exponentials would cancel."""
        size = abs(self)
        small = self * _series(self * self) / self.cosh()
        decay = (-2.0 * size).exp()
        large = (1.0 - decay) / (1.0 + decay)
        return (size < 0.5).select(small, (self < 0.0).select(-large, large))

    arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2  # NumPy's names for them

    def __repr__(self) -> str:
        node = self.graph.nodes[self.index]
        body = repr(node[1]) if node[0] == "const" else f"{node[0]}:{self.index}"
        return f"Expr({'-' if self.negative else ''}{body})"


def _quietly(function: Callable[[float], Any], x: float) -> float:
    """The function's value, warnings suppressed where that is infinite or not a number."""
    with np.errstate(all="ignore"):
        return float(function(x))


def _series(square: Expr) -> Expr:
    """sinh x / x from x², for |x| < 1."""
    value = square.graph.constant(0.0)
    for k in range(19, 0, -2):
        value = value * square + 1.0 / math.factorial(k)
    return value


def _extreme(name: str, a: Expr, b: Expr) -> Expr:
    """The minimum or the maximum of two."""
    if (a.index, a.negative) == (b.index, b.negative):
        return a
    if a.value is not None and b.value is not None:
        return a.graph.constant(getattr(np, name)(a.value, b.value))
    return Expr(a.graph, a.graph.node(name, *sorted((a.signed_node(), b.signed_node()))), False)
