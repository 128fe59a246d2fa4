"""Expressions with other scalars for some of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...arrays import iterate, less, maybe, stack
from . import tables
from .expr import Expr, Graph
from .loop_body import LoopBody, all_scopes, body, region_of
from .loop_writer import LoopWriter, Series
from .ops import COLUMNS, LEAVES, OPS_OF_TRACES, operands
from .regions import OpenWrite

_FREQUENT_OPERATIONS: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "add": Expr.__add__,
    "sub": Expr.__sub__,
    "mul": Expr.__mul__,
}
"""The operations that nearly all nodes are."""


class Replay:
    """Nodes of a graph again, with other scalars for some: numbers of any kind, or expressions; and in other regions.

    If any is an expression, so are the results, of the same graph, and what does not depend on the variables stays as
    it is; else every input that the outputs depend on must have a value. Constants are float64's, also among mpmath's
    numbers.

    >>> graph = Graph()
    >>> x = graph.input(0)
    >>> Replay(graph, {x.index: 3.0}).outputs([x * x + 1.0, -x])
    [np.float64(10.0), np.float64(-3.0)]
    """

    def __init__(
        self,
        graph: Graph,
        values: Mapping[int, Any],
        regions: Mapping[int, int] | None = None,
        symbolic: bool = False,
    ) -> None:
        self.graph = graph
        self.symbolic = symbolic or bool(regions) or any(type(x) is Expr for x in values.values())
        """Whether values are expressions of the graph."""
        self.scalar = _scalar(graph, values, self.symbolic)
        self.values, self.given = {i: self.scalar(x) for i, x in values.items()}, len(values)
        self.regions = dict(regions or {})
        """Region → the one that takes its place."""
        self.writes: dict[int, int] = {}
        """Write → the one that takes its place."""
        self.enclosed = {r for r in self.regions if graph.loops.regions[r].encloses}
        """Regions whose nodes are made anew in others, even those that read nothing new."""

    def extend(self, values: Mapping[int, Any]) -> None:
        """Values of further nodes."""
        if len(values) > self.given:
            again = Replay(self.graph, values, symbolic=self.symbolic)
            self.symbolic, self.scalar, self.given = again.symbolic, again.scalar, again.given
            self.values |= {i: x for i, x in again.values.items() if i not in self.values}

    def outputs(self, outputs: Sequence[Expr]) -> list[Any]:
        """Their values."""
        self.nodes([o.index for o in outputs])
        with np.errstate(all="ignore"):
            return [-self.values[o.index] if o.negative else self.values[o.index] for o in outputs]

    def series(self, x: Series) -> Series:
        """Replayed series, if a loop wrote it."""
        kind, write = x.source
        if kind == "kept" and write not in self.writes:
            self.loop(body(self.graph, self.graph.loops.writes[write].regions[0]))
        source = (kind, self.writes.get(write, write)) if kind == "kept" else x.source
        return Series(self.graph, x.dims, x.row, source, x.regions)

    def nodes(self, wanted: Sequence[int]) -> None:
        """Give a value to each of these nodes, and to all between them and what has one."""
        seen, pending, nodes = set(self.values), list(wanted), self.graph.nodes
        while pending:
            i = pending.pop()
            if i not in seen:
                seen.add(i)
                pending.extend(self.behind(i))
        values, symbolic = self.values, self.symbolic
        with np.errstate(all="ignore"):  # what a selection discards may be infinite or NaN
            for i in sorted(seen - values.keys()):
                if i in values:
                    continue
                node = nodes[i]
                plain = _FREQUENT_OPERATIONS.get(node[0]) if symbolic else None
                if plain is None:
                    self.node(i)
                    continue
                _, j, k = node
                x, y = values[j], values[k]
                if x.index == j and y.index == k and not (x.negative or y.negative or self.moves(i)):
                    values[i] = Expr(self.graph, i, False)
                else:
                    values[i] = plain(x, y)

    def behind(self, i: int) -> tuple[int, ...]:
        """The nodes that must have a value before this one."""
        node = self.graph.nodes[i]
        if node[0] == "final":
            return body(self.graph, region_of(self.graph, i)).dependencies
        return tables.entries(self.graph, i) if node[0] in COLUMNS else operands(node)

    def column(self, i: int) -> Any:
        """What stands for several values."""
        nodes = tables.entries(self.graph, i)
        if not nodes:
            numbers = self.graph.loops.writes[self.graph.nodes[i][1]].numbers[0]
            return Expr(self.graph, i, False) if self.symbolic else stack([self.scalar(x) for x in numbers])
        values = [self.values[j] for j in nodes]
        if not self.symbolic:
            return stack(values)
        same = all(map(_is_itself, values, nodes)) and not self.moves(i)
        return Expr(self.graph, i, False) if same else tables.column(self.graph, values)

    def node(self, i: int) -> None:
        """Give a value to a node whose operands have one."""
        node, kind = self.graph.nodes[i], self.graph.nodes[i][0]
        if kind == "const":
            self.values[i] = self.scalar(node[1])
        elif kind == "item":
            self.values[i] = Expr(self.graph, self.graph.node("item", self.read(node[1]), node[2]), False)
        elif kind in COLUMNS:
            self.values[i] = self.column(i)
        elif kind == "final":
            self.loop(body(self.graph, region_of(self.graph, i)))
        elif kind in LEAVES or (
            self.symbolic and all(_is_itself(self.values[j], j) for j in node[1:]) and not self.moves(i)
        ):
            self.values[i] = Expr(self.graph, i, False)
        else:
            self.values[i] = OPS_OF_TRACES[kind].apply(*[self.values[j] for j in node[1:]])

    def moves(self, i: int) -> bool:
        """Whether a node stands in a region that encloses it, and that another one replaces."""
        return bool(self.enclosed) and all_scopes(self.graph)[i] in self.enclosed

    def read(self, k: int) -> int:
        """A series that is read, from what takes the place of its writer, in what takes that of its regions."""
        read = self.graph.loops.reads[k]
        kind, source = read.source
        source = self.writes.get(source, source) if kind == "kept" else source
        return self.graph.loops.read((kind, source), tuple(self.regions.get(r, r) for r in read.regions), read.size)

    def changes(self, of: LoopBody) -> bool:
        """Whether anything that a region depends on has another value."""
        self.nodes(of.dependencies)
        table = self.graph.loops
        sources = [k for kind, k in (table.reads[k].source for k in of.reads) if kind == "kept"]
        pending = (table.writes[k].regions for k in sources if k not in self.writes)
        for first in (regions[0] for regions in pending if regions):
            if first not in self.regions:  # what wrote it has its place before
                self.loop(body(self.graph, first))
        moved = of.open.parent in self.regions  # it stands in what is written anew
        moved = moved or any(r in self.regions for k in of.reads for r in table.reads[k].regions)
        rewritten = any(k in self.writes for k in sources)
        return moved or rewritten or not all(_is_itself(self.values[j], j) for j in of.dependencies)

    def loop(self, of: LoopBody) -> None:
        """A region again, as a loop of a trace or of numbers."""
        finals = [self.graph.node("final", c) for c in of.carried]
        if not self.symbolic:
            self.nodes(of.dependencies)
            self.values.update(zip(finals, self.numbers(of), strict=True))
        elif self.changes(of):
            new = self.region(of)
            self.values.update(zip(finals, new, strict=True))
        else:
            self.values.update((i, Expr(self.graph, i, False)) for i in finals)

    def choice(self, of: LoopBody) -> list[Expr]:
        """The same of a body that runs once at most."""

        def make(region: int) -> list[tuple[Expr, Expr]]:
            values = self.inside(of, region).outputs(of.expressions(of.next[k] for k in others))
            self.regions |= {of.region: region}
            return list(zip(values, (self.values[of.initial[k]] for k in others), strict=True))

        others = [k for k in range(len(of.carried)) if k != of.active]
        condition = self.values[of.initial[of.active]]
        finals = dict(zip(others, LoopWriter(self.graph).choice(condition, make), strict=True))
        return [finals.get(k, condition) for k in range(len(of.carried))]

    def inside(self, of: LoopBody, region: int) -> Replay:
        """For the body of a region in another one that takes its place."""
        inner = Replay(self.graph, {}, {**self.regions, of.region: region})
        inner.values, inner.writes = dict(self.values), self.writes
        return inner

    def region(self, of: LoopBody) -> list[Expr]:
        """A new region of the trace, its final values; the writes of the old one are written by it."""
        if of.open.encloses:
            return self.choice(of)
        writer, table = LoopWriter(self.graph), self.graph.loops
        begin = [self.values[i] for i in of.initial]
        with writer.region(of.open.length, of.open.reverse) as region:
            leaves = [writer.carry(region, x) for x in begin]
            if of.active >= 0:
                table.regions[region].active = writer.carried_number(leaves[of.active])
            inner = self.inside(of, region)
            inner.values |= dict(zip(of.leaves, leaves, strict=True))
            writer.set_next(leaves, inner.outputs(of.expressions(of.next)))
            for w, along in [(w, write.regions) for w, write in enumerate(table.writes)]:
                if of.region in along[:-1] and along[along.index(of.region) + 1] not in inner.regions:
                    inner.loop(body(self.graph, along[along.index(of.region) + 1]))
                if along[-1:] == (of.region,) and all(r in inner.regions for r in along):
                    new = [x.signed_node() for x in inner.outputs(of.expressions(of.row(w)))]
                    table.writes.append(OpenWrite(tuple(new), tuple(inner.regions[r] for r in along)))
                    self.writes[w] = len(table.writes) - 1
            self.regions |= {r: inner.regions[r] for r in inner.regions}
        return [Expr(self.graph, self.graph.node("final", writer.carried_number(x)), False) for x in leaves]

    def numbers(self, of: LoopBody) -> tuple[Any, ...]:
        """The final values on numbers of any kind."""

        def step(carry: tuple[Any, ...]) -> tuple[Any, ...]:
            inner = Replay(self.graph, {})
            inner.scalar, inner.symbolic = self.scalar, False
            inner.values = {**self.values, **dict(zip(of.leaves, carry, strict=True))}
            return tuple(inner.outputs(of.expressions(of.next)))

        begin = tuple(self.values[i] for i in of.initial)
        if of.open.encloses:
            return tuple(maybe(begin[of.active] != 0, lambda: step(begin), begin))
        return tuple(iterate(step, begin, lambda carry: less(carry[of.active], 0.5), int(of.open.length)))


def _is_itself(x: Any, i: int) -> bool:
    return type(x) is Expr and x.index == i and not x.negative


def _scalar(graph: Graph, values: Mapping[int, Any], symbolic: bool) -> Callable[[Any], Any]:
    """How numbers join these values: as constants of the graph, as NumPy's floats, or as they are."""
    if symbolic:
        return lambda x: x if type(x) is Expr else graph.constant(x)
    if all(isinstance(x, np.number | float | int) for x in values.values()):
        return lambda x: x if isinstance(x, np.number) else np.float64(x)
    return lambda x: x
