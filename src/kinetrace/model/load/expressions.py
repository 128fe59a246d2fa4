"""Expressions of xacro, evaluated here: no text of a file ever reaches Python's `eval`.

Accepted are numbers, texts, lists and mappings, arithmetic, comparisons, `and`, `or`, `not`, `a if b else c`, names of
properties and arguments, items and dotted keys of plain values, and calls of the functions below. Functions are found
by how they are written in the expression, never among the values: a property named `max` hides nothing. Sizes of
numbers and texts are bounded.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import LONGEST_NAME, ModelError, shortened

LONGEST = 10_000
"""Characters of an expression."""
LARGEST = 200_000
"""Characters of a text, and items of a value with all that is in them."""
MOST_BITS = 4096
"""Bits of a whole number."""

_MATH = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "sqrt", "radians", "degrees"),
    *("floor", "ceil", "trunc", "fabs", "fmod", "hypot", "log", "log2", "log10", "exp", "copysign", "isnan", "isinf"),
)


def _round(x: float, digits: int = 0) -> float:
    if abs(digits) > 300:
        raise ValueError("round: too many digits")
    return round(x, digits) if digits else round(x)


def _list(*values: Any) -> list[Any]:
    return list(*values)


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int) and abs(y) * max(abs(x).bit_length(), 1) > MOST_BITS:
        raise OverflowError("the power is too large")
    return x**y


def _times(x: Any, y: Any) -> Any:
    for values, count in ((x, y), (y, x)):
        if isinstance(values, str | list | tuple) and len(values) * abs(count) > LARGEST:
            raise OverflowError("the product is too long")
    return x * y


def _remainder(x: Any, y: Any) -> Any:
    if isinstance(x, str):
        raise TypeError("texts are not formatted")
    return x % y


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in _MATH},
    **{"abs": abs, "min": min, "max": max, "sum": sum, "len": len, "int": int, "float": float, "bool": bool},
    **{"str": str, "list": _list, "dict": dict, "round": _round, "pow": _power},
}
"""Functions that expressions may call, by name or below `math.` and `python.`."""
CONSTANTS: dict[str, Any] = {
    **{"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan},
    **{"true": True, "false": False},
}
_METHODS = {name: getattr(str, name) for name in ("lower", "upper", "strip", "split", "startswith", "endswith")}
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _remainder,
    ast.Pow: _power,
}
_UNARY: dict[type, Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_}
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le},
    **{ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not},
    **{ast.In: lambda x, y: x in y, ast.NotIn: lambda x, y: x not in y},
}
_SPACES = ("math", "python")
_PLAIN = (str, bool, int, float, list, tuple, dict, type(None))


def evaluate(
    expression: str,
    names: Any,
    functions: Mapping[str, Callable[..., Any]],
    space: type = dict,
    spend: Callable[[int], None] = lambda count: None,
) -> Any:
    """The value of an expression; `spend` hears of the work, and dots look into tables of the class `space`.

    >>> evaluate("2 * radius + max(a.b)", {"radius": 0.5, "a": {"b": [1, 2]}}, {})
    3.0
    """
    if len(expression) > LONGEST:
        raise _refused(expression, f"it has more than {LONGEST} characters")
    tree = ast.parse(expression.strip(), mode="eval")
    return _Evaluation(expression, names, functions, space, spend).value(tree.body)


def plain(x: Any, spend: Callable[[int], None] = lambda count: None) -> Any:
    """A value if it is made of numbers, texts, lists and mappings, of bounded size; an error else."""
    size, stack = 0, [x]
    while stack:
        item = stack.pop()
        if type(item) not in _PLAIN:
            raise ModelError(f"a value of an expression is a {type(item).__name__}: not accepted")
        size += len(item) if isinstance(item, str) else 1
        if size > LARGEST or (isinstance(item, int) and item.bit_length() > MOST_BITS):
            raise ModelError("a value of an expression is too large")
        if isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)
    spend(100 * size)
    return x


def _refused(expression: str, why: str) -> ModelError:
    return ModelError(f"the expression {shortened(expression, LONGEST_NAME)!r} is not accepted: {why}")


class _Evaluation:
    """One expression; every node has its own line here, all others are refused."""

    def __init__(
        self,
        text: str,
        names: Any,
        functions: Mapping[str, Callable[..., Any]],
        space: type,
        spend: Callable[[int], None],
    ) -> None:
        self.text, self.names, self.space, self.spend = text, names, space, spend
        self.functions = {**FUNCTIONS, **functions}

    def value(self, node: ast.expr) -> Any:
        """The value of a node, of a plain type; what was made just now is of bounded size."""
        found = self._any(node)
        if type(found) not in _PLAIN:
            raise _refused(self.text, f"a {type(found).__name__}")
        made = isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.BinOp | ast.Call)
        return plain(found, self.spend) if made else found

    def _any(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Name):
            return self._name(node.id)
        return self._computed(node)

    def _name(self, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in self.functions:
            raise _refused(self.text, f"{name} is a function")
        raise NameError(f"name {name!r} is not defined")

    def _attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id in _SPACES and node.attr in CONSTANTS:
            return CONSTANTS[node.attr]
        if isinstance(node.value, ast.Name) and node.value.id in (*_SPACES, "xacro"):
            raise _refused(self.text, f"{node.value.id}.{node.attr}")
        inside: Any = self._any(node.value)
        if type(inside) in (self.space, dict):
            if dict.__contains__(inside, node.attr):
                return inside[node.attr]
            raise NameError(f"name {node.attr!r} is not defined")
        raise _refused(self.text, node.attr)

    def _computed(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value) if type(value) in _PLAIN:
                return value
            case ast.List(elts=items):
                return [self.value(item) for item in items]
            case ast.Tuple(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.Dict(keys=keys, values=values) if None not in keys:
                return {self.value(k): self.value(v) for k, v in zip(keys, values, strict=True) if k is not None}
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)](self.value(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _BINARY[type(op)](self.value(left), self.value(right))
            case ast.BoolOp(op=op, values=values):
                return self._first(values, isinstance(op, ast.Or))
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.value(body if self.value(test) else other)
            case ast.Compare():
                return self._compared(node)
            case ast.Subscript(value=inside, slice=index):
                return self._item(self.value(inside), index)
            case ast.Call():
                return self._called(node)
        raise _refused(self.text, type(node).__name__)

    def _first(self, values: list[ast.expr], wanted: bool) -> Any:
        """The first value that is true, or that is not; the last if there is none."""
        found = None
        for each in values:
            found = self.value(each)
            if bool(found) is wanted:
                break
        return found

    def _compared(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            if not _COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def _item(self, inside: Any, index: ast.expr) -> Any:
        if isinstance(index, ast.Slice):
            ends = [None if x is None else self.value(x) for x in (index.lower, index.upper, index.step)]
            return inside[slice(*ends)]
        return inside[self.value(index)]

    def _called(self, node: ast.Call) -> Any:
        values = [self.value(x) for x in node.args]
        named = {x.arg: self.value(x.value) for x in node.keywords if x.arg is not None}
        if len(named) < len(node.keywords):
            raise _refused(self.text, "**")
        match node.func:
            case ast.Name(id=name) if name in self.functions:
                return self.functions[name](*values, **named)
            case ast.Attribute(value=ast.Name(id=space), attr=name) if space in _SPACES and name in FUNCTIONS:
                return FUNCTIONS[name](*values, **named)
            case ast.Attribute(value=ast.Name(id="xacro"), attr=name) if f"xacro.{name}" in self.functions:
                return self.functions[f"xacro.{name}"](*values, **named)
            case ast.Attribute(value=inside, attr=name) if name in _METHODS:
                return _METHODS[name](self.value(inside), *values, **named)
        raise _refused(self.text, f"a call of {shortened(ast.unparse(node.func), LONGEST_NAME)}")
