"""From a program to expressions of SymPy.

Each operation has a symbol of its own first; then those that are used once are put in the place of their symbols.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, count
from typing import Any

import numpy as np

from ..errors import InputError
from ..trace import Program
from ..trace.regions import Write
from .numbers import sympy

Pairs = list[tuple[Any, Any]]


class Writer:
    """Expressions of the nodes of a program, in the present passes of loops, which are written out."""

    def __init__(self, program: Program, leaves: Sequence[Any], number: Callable[[float], Any], most: int) -> None:
        self.program, self.loops, self.leaves, self.number, self.most = program, program.loops, leaves, number, most
        self.meanings = _meanings()
        self.values: list[Any] = [None] * program.size
        self.carried: list[Any] = [None] * len(self.loops.carried)
        self.passes = [0] * len(self.loops.regions)
        self.relations: dict[Any, Any] = {}
        """What is 1 where a relation holds, else 0 → that relation."""
        self.known: dict[Any, Any] = {}
        self.pairs: Pairs = []
        """Symbols with what they stand for, in order."""
        for region in self.loops.regions:
            if region.active >= 0:
                raise InputError(f"{program.name} iterates until it has converged: there is no formula")
        self.kept = [self._memory(write) for write in self.loops.writes]

    def _memory(self, write: Write) -> Any:
        lengths = tuple(int(self.loops.regions[r].length) for r in write.regions) or (write.rows,)
        made = np.empty((*lengths, write.size), dtype=object)
        if write.numbers:
            made.ravel()[:] = [self.number(x) for x in write.numbers]
        return made

    def results(self) -> list[list[Any]]:
        """The entries of all outputs."""
        self._nodes(-1, 0, self.program.size)
        written = {w.output: self.kept[k] for k, w in enumerate(self.loops.writes) if w.output >= 0}
        return [
            list(written[k].flat) if k in written else [self.values[i] for i in result]
            for k, result in enumerate(self.program.results)
        ]

    def _nodes(self, region: int, begin: int, end: int) -> None:
        for first, last in self.loops.layout(region, begin, end):
            if first < 0:
                self._loop(last)
                continue
            for i in range(first, last):
                self.values[i] = self._value(self.program.nodes[i])

    def _value(self, node: tuple[Any, ...]) -> Any:
        kind = node[0]
        if kind == "const":
            return self.number(node[1])
        if kind == "input":
            return self._named(self.leaves[node[1]])
        if kind == "item":
            read = self.loops.reads[node[1]]
            return self.kept[read.source[1]][(*(self.passes[r] for r in read.regions), node[2])]
        if kind in ("carry", "final"):
            return self.carried[node[1]]
        if kind == "element":
            return self.kept[node[1]].reshape(-1)[node[2]]
        return self._operation(kind, [self.values[i] for i in node[1:]])

    def _operation(self, kind: str, operands: list[Any]) -> Any:
        if kind == "lt":
            return self._relation(*operands)
        if kind == "select":
            condition = self.relations.get(operands[0], sympy().Ne(operands[0], 0))
            made = sympy().Piecewise((operands[1], condition), (operands[2], True))
        else:
            made = self.meanings[kind](*operands)
        return self._named(made)

    def _relation(self, a: Any, b: Any) -> Any:
        relation = sympy().Lt(a, b)
        if relation in (True, False):
            return sympy().Integer(bool(relation))
        made = sympy().Piecewise((1, relation), (0, True))
        self.relations[made] = relation
        return made

    def _named(self, made: Any) -> Any:
        """A symbol for an expression, unless it is one already, but for its sign, or a number."""
        if made.is_Float:
            return self.number(float(made))
        if (-made if made.could_extract_minus_sign() else made).is_Atom:
            return made
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

    def _loop(self, r: int) -> None:
        """All passes of a region."""
        region, own = self.loops.regions[r], self.loops.carried_by(r)
        for c in own:
            self.carried[c] = self.values[self.loops.carried[c].initial]
        for k in {x.source[1] for x in self.loops.reads if x.regions[-1] == r and x.source[0] == "kept"}:
            write = self.loops.writes[k]
            if write.rows and not write.numbers:
                self.kept[k].ravel()[:] = [self.values[i] for i in write.nodes]
        order = range(int(region.length))
        for self.passes[r] in reversed(order) if region.reverse else order:
            self._nodes(r, region.begin, region.end)
            for k, write in enumerate(self.loops.writes):
                if write.regions and write.regions[-1] == r:
                    for e, i in enumerate(write.nodes):
                        self.kept[k][(*(self.passes[x] for x in write.regions), e)] = self.values[i]
            after = [self.values[self.loops.carried[c].next] for c in own]
            for c, x in zip(own, after, strict=True):
                self.carried[c] = x


def _meanings() -> dict[str, Callable[..., Any]]:
    s = sympy()
    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda a: -a,
        "sqrt": s.sqrt,
        "sin": s.sin,
        "cos": s.cos,
        "atan2": s.atan2,
        "exp": s.exp,
        "log": s.log,
        "abs": s.Abs,
        "floor": s.floor,
        "minimum": s.Min,
        "maximum": s.Max,
    }


def gathered(pairs: Pairs, results: list[list[Any]], taken: set[str]) -> tuple[Pairs, list[list[Any]]]:
    """Sub-expressions that are used several times, under names that are free, and the results in terms of them."""
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
        if uses[symbol] == 1 or full.is_Atom:
            put[symbol] = full
        else:
            put[symbol] = next(names)
            left.append((put[symbol], full))
    return left, [[x.xreplace(put) for x in entries] for entries in results]


def _symbols(expression: Any, of: dict[Any, Any]) -> Counter[Any]:
    """How often symbols of the program stand in an expression."""
    return Counter(x for x in sympy().preorder_traversal(expression) if x in of)
