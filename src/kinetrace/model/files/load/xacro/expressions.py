"""Expressions of xacro, evaluated here: no text of a file ever reaches Python's `eval`.

Accepted are numbers, texts, lists, mappings and sets, arithmetic, comparisons, `and`, `or`, `not`, `a if b else c`,
loops in brackets (`[x.lower() for x in fingers if x]`), names of properties and arguments, items, slices and dotted
keys of plain values, and calls of what `functions.py` has. Functions are found by how they are written in the
expression, never among the values: a property named `max` hides nothing. Numbers, texts and work are bounded.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .....errors import LONGEST_NAME, ModelError, printable, shorten, unknown_name_error
from .functions import (
    CHANGING,
    CONSTANTS,
    FUNCTIONS,
    MAX_BITS,
    MAX_DISTINCT_ITEMS,
    METHODS,
    PLAIN,
    TAKE_FUNCTIONS,
    TYPES,
    Set,
    check_distinct,
    check_value_size,
    distinct_items,
    items_of,
    multiply,
    raise_to,
    remainder,
    shift_left,
    with_order,
)

MAX_EXPRESSION_LENGTH = 10_000
"""Characters of an expression."""
_STEPS_PER_NODE = 200
"""Work of one node of an expression; an item of a value is half of that."""
_STEPS_PER_CHARACTER = 100
"""Work of parsing one character of an expression."""
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: multiply, ast.Div: operator.truediv},
    **{ast.FloorDiv: operator.floordiv, ast.Mod: remainder, ast.Pow: raise_to},
    **{ast.LShift: shift_left, ast.RShift: operator.rshift},
    **{
        ast.BitAnd: operator.and_,
        ast.BitOr: lambda x, y: check_distinct(x | y),
        ast.BitXor: lambda x, y: check_distinct(x ^ y),
    },
}
_UNARY: dict[type, Callable[[Any], Any]] = {
    **{ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_},
    ast.Invert: lambda x: ~(int(x) if isinstance(x, bool) else x),  # of a truth value, Python 3.12 and later warn
}
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le},
    **{ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not},
    **{ast.In: lambda x, y: x in y, ast.NotIn: lambda x, y: x not in y},
}
_NODES_WITH_NEW_VALUES = (
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.BinOp, ast.Call),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""Nodes with new values."""
_NAMESPACES = ("math", "python")
_STEPS_PER_COMPARISON = 3
"""Work of comparing two keys: those of a set or mapping may all have the same hash, but for texts."""
_CONSTANT_TIME_FUNCTIONS = ("len", "bool", "keys")
"""Functions and methods that do not look at all that is in a value."""


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
    if len(expression) > MAX_EXPRESSION_LENGTH:
        raise _refusal(expression, f"it has more than {MAX_EXPRESSION_LENGTH} characters")
    spend(_STEPS_PER_CHARACTER * len(expression))
    return _Evaluation(expression, names, functions, space, spend).own(_parse(expression.strip()))


def _parse(expression: str) -> ast.expr:
    """The outermost node of an expression; an error says what is wrong with its syntax, and at which character."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python about its own style, which would name no file
            return ast.parse(expression, mode="eval").body
    except SyntaxError as error:
        line = f" of line {error.lineno}" if "\n" in expression and error.lineno else ""
        where = f" at character {error.offset}{line}" if error.offset else ""
        text = shorten(printable(expression), LONGEST_NAME)
        raise ModelError(f"xacro: {error.msg}{where} when evaluating expression {text!r}") from None


def check_plain(x: Any, spend: Callable[[int], None] = lambda count: None) -> Any:
    """A value if it is made of numbers, texts, lists, mappings and sets, of bounded size; an error else."""
    size, most, stack = 0, 0, [x]
    while stack:
        item = stack.pop()
        if type(item) not in PLAIN:
            raise ModelError(f"a value of an expression is a {type(item).__name__}: not accepted")
        size += max(1, len(item)) if isinstance(item, str) else 1
        check_value_size(size, "a value")
        if isinstance(item, int) and item.bit_length() > MAX_BITS:
            raise ModelError(f"a number of an expression has more than {MAX_BITS} bits")
        if isinstance(item, list | tuple | set | frozenset | dict):
            stack.extend(item)
        if isinstance(item, dict):
            stack.extend(item.values())
        if isinstance(item, dict | set | frozenset):
            most = max(most, _hashes_by_choice(item))
    spend((_STEPS_PER_NODE // 2 + _STEPS_PER_COMPARISON * most) * size)
    return x


def _hashes_by_choice(keys: Any) -> int:
    """How many keys of a set or mapping are no texts: a file can choose them so that they have the same hash."""
    kind = next(kind for kind in (dict, set, frozenset) if isinstance(keys, kind))
    return sum(type(key) is not str for key in kind.__iter__(keys))  # of a `Set` in no order


def _refusal(expression: str, why: str) -> ModelError:
    return ModelError(f"the expression {shorten(expression, LONGEST_NAME)!r} is not accepted: {why}")


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
        self.bound: dict[str, Any] = {}

    def value(self, node: ast.expr) -> Any:
        """The value of a node, of a plain type; what was made just now is of bounded size."""
        found = with_order(self._any(node))
        if type(found) not in PLAIN:
            raise _refusal(self.text, f"a {type(found).__name__}")
        return check_plain(found, self.spend) if isinstance(node, _NODES_WITH_NEW_VALUES) else found

    def own(self, node: ast.expr) -> Any:
        """A value that may be changed: a part of another, such as one of YAML's, is copied, as xacro does."""
        found = self.value(node)
        if not isinstance(node, ast.Attribute | ast.Subscript) or type(found) not in (list, dict, Set):
            return found
        self.spend(len(found))
        return type(found)(found)

    def _any(self, node: ast.expr) -> Any:
        self.spend(_STEPS_PER_NODE)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Name):
            return self._name(node.id)
        return self._computed(node)

    def _name(self, name: str) -> Any:
        if name in self.bound:
            return self.bound[name]
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in self.functions:
            raise _refusal(self.text, f"{name} is a function")
        raise NameError(f"name {name!r} is not defined")

    def _attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id in _NAMESPACES and node.attr in CONSTANTS:
            return CONSTANTS[node.attr]
        if isinstance(node.value, ast.Name) and _is_space(node.value):
            raise _refusal(self.text, f"{node.value.id}.{node.attr}")
        inside: Any = self._any(node.value)
        if type(inside) in (self.space, dict):
            if node.attr in inside:
                return inside[node.attr]
            raise NameError(f"name {node.attr!r} is not defined")
        raise _refusal(self.text, node.attr)

    def _computed(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value) if type(value) in PLAIN:
                return value
            case ast.List(elts=items):
                return [self.value(item) for item in items]
            case ast.Tuple(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.Set(elts=items):
                return set(distinct_items(self.value(item) for item in items))
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
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
                return [self.value(item) for _ in self._loop(node.generators)]
            case ast.SetComp(elt=item):
                return set(distinct_items(self.value(item) for _ in self._loop(node.generators)))
            case ast.DictComp(key=key, value=item):
                return dict(distinct_items((self.value(key), self.value(item)) for _ in self._loop(node.generators)))
            case ast.Call():
                return self._called(node)
        raise _refusal(self.text, type(node).__name__)

    def _first(self, values: list[ast.expr], wanted: bool) -> Any:
        """The first value that is true, or that is not; the last if there is none."""
        found = None
        for operand in values:
            found = self.value(operand)
            if bool(found) is wanted:
                break
        return found

    def _compared(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            if not isinstance(op, ast.Is | ast.IsNot):
                is_quick = isinstance(op, ast.In | ast.NotIn) and isinstance(right, dict | set | frozenset)
                self._look_up(left, right) if is_quick else self._look_at(left, right)
            if not _COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def _look_at(self, *values: Any) -> None:
        """Count what something takes that goes through all of its arguments."""
        for x in values:
            if isinstance(x, str):
                self.spend(len(x))
            elif isinstance(x, list | tuple | dict | set | frozenset):
                check_plain(x, self.spend)

    def _look_up(self, key: Any, inside: Any) -> None:
        """Count what it takes to find a key in a set or mapping, if all there has the same hash."""
        self._look_at(key)
        if type(key) is not str and isinstance(inside, dict | set | frozenset):
            size = len(key) if isinstance(key, tuple | frozenset) else 1
            self.spend(_STEPS_PER_COMPARISON * len(inside) * size)

    def _item(self, inside: Any, index: ast.expr) -> Any:
        if isinstance(index, ast.Slice):
            ends = [None if x is None else self.value(x) for x in (index.lower, index.upper, index.step)]
            return check_plain(inside[slice(*ends)], self.spend)
        key = self.value(index)
        self._look_up(key, inside)
        return inside[key]

    def _loop(self, loops: list[ast.comprehension]) -> Iterator[None]:
        """The rounds of loops within each other, each with the names of that round."""
        if not loops:
            yield
            return
        first, *others = loops
        if first.is_async:
            raise _refusal(self.text, "async")
        outside = dict(self.bound)
        for item in items_of(self.value(first.iter)):
            self.bound = dict(outside)
            self._bind(first.target, item)
            if all(self.value(test) for test in first.ifs):
                yield from self._loop(others)
        self.bound = outside

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.bound[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            for part, item in zip(target.elts, items_of(value), strict=True):
                self._bind(part, item)
        else:
            raise _refusal(self.text, f"a loop over {type(target).__name__}")

    def _called(self, node: ast.Call) -> Any:
        function, name = self._function(node.func), _last_name(node.func)
        if name == "isinstance" and function is None:
            return self._is_instance(node)
        read = self._argument if function is not None and name in TAKE_FUNCTIONS else self.value
        values = [read(x) for x in node.args]
        named = {x.arg: read(x.value) for x in node.keywords if x.arg is not None}
        if len(named) < len(node.keywords):
            raise _refusal(self.text, "**")
        if function is None and isinstance(node.func, ast.Attribute) and not _is_space(node.func.value):
            values.insert(0, (self.own if name in CHANGING else self.value)(node.func.value))
            function = METHODS.get(type(values[0]), {}).get(name)
        if function is None:
            raise self._unknown(node.func)
        if name == "get":
            self._look_up(values[1] if len(values) > 1 else None, values[0])
        elif name not in _CONSTANT_TIME_FUNCTIONS:
            self._look_at(*values, *named.values())
            self._compare_keys(values)
        found = function(*values, **named)
        if name in CHANGING and type(values[0]) in METHODS:
            check_plain(check_distinct(values[0]), self.spend)
        return found

    def _compare_keys(self, values: list[Any]) -> None:
        """Count what methods of sets take for values that are none: a set is made of each."""
        if values and isinstance(values[0], set | frozenset):
            for x in values[1:]:
                if isinstance(x, list | tuple):
                    self.spend(_STEPS_PER_COMPARISON * min(len(x), MAX_DISTINCT_ITEMS) ** 2)

    def _function(self, node: ast.expr) -> Callable[..., Any] | None:
        """The function that is written there; None if it is a method, or none that may be called."""
        match node:
            case ast.Name(id=name):
                return self.functions.get(name)
            case ast.Attribute(value=ast.Name(id=space), attr=name) if space in _NAMESPACES:
                return FUNCTIONS.get(name)
            case ast.Attribute(value=ast.Name(id="xacro"), attr=name):
                return self.functions.get(f"xacro.{name}")
        return None

    def _argument(self, node: ast.expr) -> Any:
        """Argument of a function that may take functions: one of these, or a value."""
        if isinstance(node, ast.Lambda):
            return self._lambda(node)
        function = None if _last_name(node) in self.bound else self._function(node)
        if function is None or (isinstance(node, ast.Name) and node.id in self.names):
            return self.value(node)
        return lambda *values: self._computes(function, values)

    def _computes(self, function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        self.spend(_STEPS_PER_NODE)
        self._look_at(*values)
        return check_plain(function(*values), self.spend)

    def _lambda(self, node: ast.Lambda) -> Callable[..., Any]:
        taken, outside = [x.arg for x in node.args.args], dict(self.bound)
        if ast.unparse(node.args) != ", ".join(taken):
            raise _refusal(self.text, "a lambda of anything but names")

        def function(*values: Any) -> Any:
            before, self.bound = self.bound, {**outside, **dict(zip(taken, values, strict=True))}
            try:
                return self.value(node.body)
            finally:
                self.bound = before

        return function

    def _is_instance(self, node: ast.Call) -> bool:
        if not isinstance(node.func, ast.Attribute) or ast.unparse(node.func) != "python.isinstance":
            raise self._unknown(node.func)
        x, kinds = node.args
        names = [_last_name(kind) for kind in (kinds.elts if isinstance(kinds, ast.Tuple) else [kinds])]
        if not all(name in TYPES for name in names):
            raise _refusal(self.text, f"isinstance compares with {', '.join(TYPES)}")
        return isinstance(self.value(x), tuple(TYPES[name] for name in names))

    def _unknown(self, node: ast.expr) -> ModelError:
        if not _last_name(node):
            return _refusal(self.text, f"a call of {shorten(ast.unparse(node), LONGEST_NAME)}")
        known = {*self.functions, *(method for methods in METHODS.values() for method in methods)}
        return _refusal(self.text, str(unknown_name_error("function", _last_name(node), known)))


def _is_space(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in (*_NAMESPACES, "xacro")


def _last_name(node: ast.expr) -> str:
    """`set` of `python.set`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
