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
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import TracedError
from ...support.not_numbers import TracedValue
from .ops import WITH_DERIVATIVES, Node, Symbol, quiet_value, sinh_series
from .regions import OpenLoops

_NUMBERS = (float, int, np.floating, np.integer)
_MIXED = "expressions of two different traces were mixed"


class Graph:
    """The table of nodes that expressions of one trace share."""

    __slots__ = ("_constants", "differentiated", "in_any_order", "loops", "nodes", "numbers", "with_derivatives")

    def __init__(self, in_any_order: bool = False) -> None:
        self.in_any_order = in_any_order
        """Whether the order of nodes is of no interest, as for counting them: then some work can be left out."""
        self.nodes: list[Node] = []
        self.loops = OpenLoops()
        self.differentiated, self.with_derivatives = False, False
        """Whether what is traced will be differentiated; whether some nodes have the derivatives of others."""
        self.numbers: dict[Node, int] = {}
        """Node → its number."""
        self._constants: dict[Any, int] = {}

    def node(self, *key: Any) -> int:
        """The number of the node with this key, made if new."""
        index = self.numbers.get(key)
        if index is None:
            index = self.numbers[key] = len(self.nodes)
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


def _operator(combine: Callable[[Expr, Expr], Expr]) -> Callable[[Expr, Any], Expr]:
    """An operator of an expression and an expression or number; anything else, such as an array, handles it itself."""

    def method(self: Expr, other: Any) -> Expr:
        if type(other) is not Expr:
            if not isinstance(other, _NUMBERS):
                return NotImplemented
            other = self.graph.constant(other)
        elif other.graph is not self.graph:
            raise ValueError(_MIXED)
        return combine(self, other)

    return method


def _sum(a: Expr, b: Expr, negative: bool) -> Expr:
    """a + b, where b counts as negative or not: one node for every combination of signs and orders."""
    graph = a.graph
    nodes, i, j = graph.nodes, a.index, b.index
    x, y = nodes[i], nodes[j]
    if x[0] == "const":
        if x[1] == 0.0:
            return b if b.negative == negative or y == x else Expr(graph, j, negative)
        if y[0] == "const":
            return graph.constant((-x[1] if a.negative else x[1]) + (-y[1] if negative else y[1]))
    elif y[0] == "const" and y[1] == 0.0:
        return a
    first = a.negative
    if i == j and first != negative:
        return graph.constant(0.0)
    name = "add" if first == negative else "sub"
    if i > j:
        i, j, first = j, i, negative
    key, index = (name, i, j), graph.numbers.get((name, i, j))
    if index is None:
        index = graph.numbers[key] = len(nodes)
        nodes.append(key)
    return Expr(graph, index, first)


def _multiply(a: Expr, b: Expr) -> Expr:
    """a b, a constant first; constant factors gather in one."""
    graph = a.graph
    nodes, i, j = graph.nodes, a.index, b.index
    negative = a.negative != b.negative
    x, y = nodes[i], nodes[j]
    if y[0] == "const":
        i, j, x, y = j, i, y, x
    if x[0] == "const":
        if x[1] == 0.0:
            return Expr(graph, i, False)
        if y[0] == "const":
            return graph.constant(-x[1] * y[1] if negative else x[1] * y[1])
        if x[1] == 1.0:
            return Expr(graph, j, negative)
        if y[0] == "mul" and nodes[y[1]][0] == "const":
            return _multiply(graph.constant(x[1] * nodes[y[1]][1]), Expr(graph, y[2], negative))
    else:
        if i > j:
            i, j, x, y = j, i, y, x
        if y[0] == "div" and y[2] == i and nodes[y[1]] == ("const", 1.0):  # x (1 / x)
            return graph.constant(-1.0 if negative else 1.0)
    key = ("mul", i, j)
    index = graph.numbers.get(key)
    if index is None:
        index = graph.numbers[key] = len(nodes)
        nodes.append(key)
    return Expr(graph, index, negative)


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


class Expr(Symbol, TracedValue):
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
    def differentiated(self) -> bool:
        """Whether what is traced will be differentiated."""
        return self.graph.differentiated

    @property
    def loop_writer(self) -> Any:
        """Tracer of loops."""
        from .loop_writer import LoopWriter  # not at the top: it makes expressions

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

    def __add__(self, other: Any) -> Expr:
        if type(other) is Expr and other.graph is self.graph:
            return _sum(self, other, other.negative)
        if type(other) is float and other == 0.0 and other in self.graph._constants:  # as most numbers are
            return self
        return _added(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Expr:
        if type(other) is Expr and other.graph is self.graph:
            return _sum(self, other, not other.negative)
        return _subtracted(self, other)

    __rsub__ = _operator(lambda a, b: _sum(b, a, not a.negative))

    def __mul__(self, other: Any) -> Expr:
        if type(other) is Expr and other.graph is self.graph:
            return _multiply(self, other)
        if type(other) is float and (other == 0.0 or other == 1.0):  # as most numbers are
            index = self.graph._constants.get(other)
            if index is not None:
                return Expr(self.graph, index, False) if other == 0.0 else self
        return _multiplied(self, other)

    __rmul__ = __mul__
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
            return self.graph.constant(quiet_value(np.floor, self.value))
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
        raise TracedError(
            "traced values are compared by < and > only; kinetrace.arrays has less, minimum, maximum and sign"
        )

    __ge__ = __le__

    def __bool__(self) -> bool:
        raise TracedError(
            "a traced value has no truth value while a function is traced: kinetrace.arrays has "
            "where (for if, and, or), less(a, b) for a < b of arrays, minimum, maximum and sign"
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

    def with_derivatives(self, other: Any) -> Expr:
        """This value, with the derivatives of another one."""
        other = self.lift(other)
        if self.index == other.index or (self.value is not None and other.value is not None):
            return self
        if self.negative:
            return -(-self).with_derivatives(-other)
        self.graph.with_derivatives = True
        return Expr(self.graph, self.graph.node(WITH_DERIVATIVES, self.index, other.signed_node()), False)

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
            return self.graph.constant(quiet_value(np.exp, self.value))
        return Expr(self.graph, self.graph.node("exp", self.signed_node()), False)

    def log(self) -> Expr:
        """Natural logarithm; minus infinity at zero, NaN below."""
        if self.value is not None:
            return self.graph.constant(quiet_value(np.log, self.value))
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
        return (size < 1.0).select(self * sinh_series(self * self), (self < 0.0).select(-large, large))

    def cosh(self) -> Expr:
        """Hyperbolic cosine."""
        root = (0.5 * abs(self)).exp()
        return root * (0.5 * root) + 0.5 / (root * root)

    def tanh(self) -> Expr:
        """Hyperbolic tangent; its series where the exponentials would cancel."""
        size = abs(self)
        small = self * sinh_series(self * self) / self.cosh()
        decay = (-2.0 * size).exp()
        large = (1.0 - decay) / (1.0 + decay)
        return (size < 0.5).select(small, (self < 0.0).select(-large, large))

    arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2  # NumPy's names for them

    def __repr__(self) -> str:
        node = self.graph.nodes[self.index]
        body = repr(node[1]) if node[0] == "const" else f"{node[0]}:{self.index}"
        return f"Expr({'-' if self.negative else ''}{body})"


_added = _operator(lambda a, b: _sum(a, b, b.negative))
_subtracted = _operator(lambda a, b: _sum(a, b, not b.negative))
_multiplied = _operator(_multiply)


def _extreme(name: str, a: Expr, b: Expr) -> Expr:
    """The minimum or the maximum of two."""
    if (a.index, a.negative) == (b.index, b.negative):
        return a
    if a.value is not None and b.value is not None:
        return a.graph.constant(getattr(np, name)(a.value, b.value))
    return Expr(a.graph, a.graph.node(name, *sorted((a.signed_node(), b.signed_node()))), False)
