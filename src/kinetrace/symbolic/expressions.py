"""From a program to expressions of SymPy.

Each operation has a symbol of its own first; then those that are used once are put in the place of their symbols.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, count
from typing import Any

from ..errors import InputError
from ..support.lazy import cached_property
from ..trace import Program
from ..trace.evaluate import on_scalars
from .constants import Constants, sympy

Pairs = list[tuple[Any, Any]]


class ExpressionWriter:
    """The operations of a program on expressions, each of which gets a symbol; `most` is how many there may be.

    Floats are symbols of `constants`.
    """

    def __init__(self, program: Program, number: Callable[[float], Any], constants: Constants, most: float) -> None:
        if program.loops.regions:
            raise InputError(f"{program.name} iterates until it has converged: there is no formula")
        self.program, self.number, self.constants, self.most = program, number, constants, most
        self.relations: dict[Any, Any] = {}
        """What is 1 where a relation holds, else 0 → that relation."""
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
                    f"{self.program.name}: formulas of {total.flops + total.trig:,} operations are for machines; "
                    f"most= allows more than {self.most:,}, inputs= fewer symbols, robot.kernel computes numbers"
                )
            self.known[made] = sympy().Dummy()
            self.pairs.append((self.known[made], made))
        return self.known[made]


def gathered(
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
