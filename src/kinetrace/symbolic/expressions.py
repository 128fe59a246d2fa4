"""From a program to expressions of SymPy.

Each operation has a symbol of its own first; then those that are used once are put in the place of their symbols.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain, count
from typing import Any, NamedTuple

from ..engine.trace import Program
from ..engine.trace.interpreter import on_scalars
from ..errors import InputError
from ..model.checks import ROUNDING
from ..support.attributes import cached_property
from ..support.optional import require_package

Pairs = list[tuple[Any, Any]]


class ExpressionWriter:
    """The operations of a program on expressions, each of which gets a symbol; `most` is how many there may be.

    Floats are symbols of `constants`.
    """

    def __init__(self, program: Program, number: Callable[[float], Any], constants: Constants, most: float) -> None:
        if not program.loops.are_choices:
            raise InputError(f"{program.name} iterates until it has converged: there is no formula")
        self.program, self.number, self.constants, self.most = program, number, constants, most
        self.relations: dict[Any, Any] = {}
        """Expression that is 1 where a relation holds, else 0 → that relation."""
        self.known: dict[Any, Any] = {}
        self.pairs: Pairs = []
        """Symbols with what they stand for, in order."""

    def results(self, leaves: Sequence[Any]) -> list[list[Any]]:
        """The entries of all outputs, for these entries of all inputs."""
        return on_scalars(
            self.program, lambda k: self._named(leaves[k]), lambda x: self._named(self.number(x)), self.operations
        )

    @cached_property
    def operations(self) -> dict[str, Callable[..., Any]]:
        """How expressions do each operation; a condition has no symbol of its own, so that it is known again."""
        s = sympy()
        meanings = {
            "add": operator.add,
            "sub": operator.sub,
            "mul": operator.mul,
            "div": operator.truediv,
            "neg": operator.neg,
            **{name: getattr(s, name) for name in ("sqrt", "sin", "cos", "atan2", "exp", "log", "floor")},
            "abs": s.Abs,
            "minimum": s.Min,
            "maximum": s.Max,
            "select": self._choice,
        }
        return {"lt": self._relation, **{kind: self._naming(meaning) for kind, meaning in meanings.items()}}

    def _naming(self, meaning: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *operands: self._named(meaning(*operands))

    def _choice(self, condition: Any, a: Any, b: Any) -> Any:
        return sympy().Piecewise((a, self.relations.get(condition, sympy().Ne(condition, 0))), (b, True))

    def _relation(self, a: Any, b: Any) -> Any:
        relation = self.constants.shown(sympy().Lt(a, b))
        if relation in (True, False):
            return sympy().Integer(bool(relation))
        made = sympy().Piecewise((1, relation), (0, True))
        self.relations[made] = relation
        return made

    def _named(self, made: Any) -> Any:
        """A symbol for an expression, unless it is one already, but for its sign, or a number."""
        made = self.constants.hidden(made)
        if (-made if made.could_extract_minus_sign() else made).is_Atom:
            return made
        if self.constants.is_number(made):
            return self.constants.folded(made, self.number)
        if made not in self.known:
            if len(self.pairs) >= self.most:
                total = self.program.count()
                raise InputError(
                    f"{self.program.name}: formulas of {total.flops + total.trig:,} operations are too long to read; "
                    f"most= allows more than {self.most:,}, inputs= fewer symbols, robot.kernel computes numbers"
                )
            self.known[made] = sympy().Dummy()
            self.pairs.append((self.known[made], made))
        return self.known[made]


def common_subexpressions(
    pairs: Pairs, results: list[list[Any]], constants: Constants, taken: set[str]
) -> tuple[Pairs, list[list[Any]]]:
    """Sub-expressions that are used several times, under names that are free, and the results in terms of them.

    They have numbers for the symbols of `constants`.
    """
    of, uses = dict(pairs), Counter[Any]()
    for entry in (x for entries in results for x in entries):
        uses.update(_symbols(entry, of))
    for symbol, meaning in reversed(pairs):  # a symbol is used after it is made
        if uses[symbol]:
            uses.update(_symbols(meaning, of))
    words = chain("xyzw", ("x" + k * "_" for k in count(1)))
    word = next(x for x in words if not any(f"{x}{k}" in taken for k in range(len(pairs))))
    names, left, put = (sympy().Symbol(f"{word}{k}") for k in count()), Pairs(), dict[Any, Any]()
    for symbol, meaning in pairs:
        if not uses[symbol]:
            continue
        full = meaning.xreplace(put)
        shown = constants.shown(full)
        if uses[symbol] == 1 or shown.is_Atom:
            put[symbol] = full
        else:
            put[symbol] = next(names)
            left.append((put[symbol], shown))
    return left, [[constants.shown(x.xreplace(put)) for x in entries] for entries in results]


def _symbols(expression: Any, of: dict[Any, Any]) -> Counter[Any]:
    """How often symbols of the program stand in an expression."""
    return Counter(x for x in sympy().preorder_traversal(expression) if x in of)


Coefficients = dict[Any, Any]
"""Symbols and functions → their factors in a sum."""
LARGEST_DENOMINATOR = 1000
DIGITS = 12
"""Of decimals that count as exact."""


class _Constant(NamedTuple):
    value: Any
    """A positive float of SymPy."""
    size: Any
    """Sum of the absolute values that it was added up from."""


class Constants:
    """Floats as symbols, so that they are not added up before it is known which sums are rounding.

    >>> constants, x = Constants(), sympy().Symbol("x")
    >>> constants.shown(constants.hidden(0.1 * x) + constants.hidden(0.2 * x) - constants.hidden(0.3 * x))
    0
    >>> 0.1 * x + 0.2 * x - 0.3 * x
    5.55111512312578e-17*x
    """

    def __init__(self) -> None:
        self._symbols: dict[_Constant, Any] = {}
        self._of: dict[Any, _Constant] = {}

    def hidden(self, expression: Any) -> Any:
        """An expression with symbols for its floats."""
        floats = expression.atoms(sympy().Float)
        return expression.xreplace({x: self._symbol(x, abs(x)) for x in floats}) if floats else expression

    def _symbol(self, value: Any, size: Any) -> Any:
        """The symbol of a float, with the sign of the float in front."""
        constant = _Constant(abs(value), size)
        if constant not in self._symbols:
            self._symbols[constant] = sympy().Dummy()
            self._of[self._symbols[constant]] = constant
        return self._symbols[constant] if value >= 0 else -self._symbols[constant]

    def is_number(self, expression: Any) -> bool:
        """Whether there is no other symbol in an expression."""
        return bool(expression.free_symbols <= self._of.keys())

    def folded(self, expression: Any, number: Callable[[float], Any]) -> Any:
        """An expression of numbers as one number, whose symbol knows what it was added up from."""
        found = self.shown(expression)
        found = number(float(found)) if found.is_Float else found
        return self._symbol(found, self.majorant(expression)) if found.is_Float else found

    def shown(self, expression: Any) -> Any:
        """An expression with floats for their symbols, without terms that are rounding."""
        if expression in self._of:
            return self._of[expression].value
        if not expression.args or expression.free_symbols.isdisjoint(self._of):
            return expression
        if not expression.is_Add:
            return expression.func(*map(self.shown, expression.args))
        values, sizes = Coefficients(), Coefficients()
        for part in expression.args:
            each, size = (coefficients(x) for x in (self.shown(part), self.majorant(part)))
            add_to(values, each)
            add_to(sizes, {x: max(abs(c), size.get(x, 0)) for x, c in each.items()})
        return linear_sum(without_rounding(values, sizes))

    def majorant(self, expression: Any) -> Any:
        """An expression with what its numbers were added up from, all positive; functions stay what they are."""
        if expression in self._of:
            return self._of[expression].size
        if expression.is_Add or expression.is_Mul:
            return expression.func(*map(self.majorant, expression.args))
        if expression.is_Pow and expression.exp.is_Integer and expression.exp.is_positive:
            return self.majorant(expression.base) ** expression.exp
        found = self.shown(expression)
        return abs(found) if found.is_number else found


def coefficients(expression: Any) -> Coefficients:
    """Coefficients of an expression that is a sum.

    >>> x, y = sympy().symbols("x y")
    >>> coefficients(2 * x + y) == {x: 2, y: 1}
    True
    """
    return dict(expression.as_coefficients_dict())


def add_to(found: Coefficients, terms: Coefficients, factor: Any = 1) -> None:
    """Add a multiple of further terms."""
    for x, c in terms.items():
        found[x] = found.get(x, 0) + factor * c


def without_rounding(values: Coefficients, sizes: Coefficients) -> Coefficients:
    """Coefficients that are more than rounding of what they were added up from, `sizes`."""
    return {x: c for x, c in values.items() if not _is_rounding(c, sizes.get(x, 0))}


def _is_rounding(value: Any, size: Any) -> bool:
    return bool(value == 0 or (value.is_Float and value.is_finite and abs(value) <= ROUNDING * size))


def linear_sum(terms: Coefficients) -> Any:
    """The sum with these coefficients."""
    return sympy().Add(*(c * x for x, c in terms.items()))


def sympy() -> Any:
    """SymPy, or an error that says how to get it."""
    return require_package("sympy", "a formula", "symbolic")


def numbers(rational: bool) -> Callable[[float], Any]:
    """Function that makes a number of SymPy of a float: a whole number, else a float, or if asked for a fraction where
    one is near.

    >>> [str(numbers(True)(x)) for x in (0.25, -1 / 3, 9.81, 0.5**0.5, 1e-17, 0.123456789012345)]
    ['1/4', '-1/3', '981/100', 'sqrt(2)/2', '1/100000000000000000', '0.123456789012345']
    >>> [str(numbers(False)(x)) for x in (2.0, -0.5)]
    ['2', '-0.500000000000000']
    """
    s = sympy()

    def whole(x: float) -> Any:
        if math.isnan(x):
            return s.nan
        if math.isinf(x):
            return s.oo if x > 0 else -s.oo
        return s.Integer(int(x)) if x.is_integer() and abs(x) < 2**53 else s.Float(x)

    def near(x: float) -> Any:
        if not math.isfinite(x):
            return whole(x)
        found = _fraction(x)
        if found is not None:
            return s.Rational(found.numerator, found.denominator)
        square = _fraction(x * x, 100)
        if square is not None:
            root = s.sqrt(s.Rational(square.numerator, square.denominator))
            return root if x > 0 else -root
        return whole(x)

    return near if rational else whole


def _fraction(x: float, largest: int = LARGEST_DENOMINATOR) -> Fraction | None:
    """The fraction that a number is but for rounding: one of a small denominator, or a short decimal."""
    for found in (Fraction(x).limit_denominator(largest), Fraction(f"{x:.{DIGITS}g}")):
        if abs(float(found) - x) <= ROUNDING * abs(x):
            return found
    return None
