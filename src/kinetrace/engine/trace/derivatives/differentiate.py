"""Derivatives of traced expressions, as expressions of the same graph.

A node z of operands x_k changes by

    ż = factor · Σ_k partial_k ẋ_k

and the table of operations (`ops`) says with which factor and partials, in terms of nodes that are there already: the
root itself, the quotient, the cosine beside a sine. Forward mode reads it from the inputs to the outputs and carries
the directions in which a node changes; reverse mode reads it backwards and carries the sensitivity of an output to a
node. Zeros vanish as they do in every expression, so the derivative costs what the structure of the function leaves.

A selection has the derivative of the branch that is taken, and nothing of the other one, even if that is infinite: its
derivative is a selection, never a product with zero. In reverse mode, what belongs to a branch alone is carried without
its condition, and the condition is applied where the branch ends. Loops have rules of their own: `loop_derivatives`.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .. import tables
from ..expr import Expr, Graph
from ..loop_body import body, final_nodes, region_of
from ..ops import COLUMNS, LEAVES, LOOKUP, OPS_OF_TRACES, smooth_operands
from . import loop_derivatives

Guard: TypeAlias = frozenset[tuple[int, bool]]
"""Conditions, as nodes, and whether they hold."""
Sweep: TypeAlias = Generator[tuple[int, dict[int, Expr], Collection[int]], dict[int, Expr], list[Expr]]
"""Derivatives on their way back: it yields what the final values of a loop weigh, and is sent what follows from it."""


def fresh(graph: Graph) -> Expr:
    """A new variable, different from every input and every other one: to be substituted, in the end.

    >>> graph = Graph()
    >>> fresh(graph).index, fresh(graph).index
    (0, 1)
    """
    return Expr(graph, graph.node("input", ~len(graph.nodes)), False)


def tangents(
    outputs: Sequence[Expr],
    seeds: Mapping[int, Mapping[Hashable, Expr]],
    series: loop_derivatives.SeriesChanges | None = None,
    writes: Sequence[int] = (),
) -> list[dict[Hashable, Expr]]:
    """Forward mode: direction → derivative of each output, the directions without effect left out.

    `seeds` maps a variable's node to direction → how fast the variable changes. `series` gets the derivatives of what
    loops wrote, at least of `writes`.

    >>> graph = Graph()
    >>> x, one = graph.input(0), graph.constant(1.0)
    >>> tangents([3.0 * x, one], {x.index: {"x": one}})
    [{'x': Expr(3.0)}, {}]
    """
    if len(outputs) == 0 and not (writes and seeds):
        return []
    graph = outputs[0].graph if outputs else next(iter(next(x for x in seeds.values() if x).values())).graph
    writers = [loop_derivatives.written_by(graph, w) for w in writes]
    ends = [*outputs, *(x for writer in writers for x in writer.expressions(writer.dependencies))]
    order = _active(graph, ends, seeds.keys())
    sweep = _ForwardSweep(graph, seeds, {} if series is None else series, final_nodes(graph, order))
    for i in order:
        sweep.visit(i)
    for w in writes:
        loop_derivatives.changes_of_series(graph, w, sweep.dot, sweep.series)
    return [{d: -t if o.negative else t for d, t in sweep.dot.get(o.index, {}).items()} for o in outputs]


class _ForwardSweep:
    """Derivatives on their way from variables to outputs."""

    def __init__(
        self,
        graph: Graph,
        seeds: Mapping[int, Mapping[Hashable, Expr]],
        series: loop_derivatives.SeriesChanges,
        finals: Mapping[int, Sequence[int]],
    ) -> None:
        self.graph, self.zero, self.series = graph, graph.constant(0.0), series
        self.dot = {i: self.nonzero(seed.items()) for i, seed in seeds.items()}
        """Node → direction → derivative."""
        self.finals = finals
        """Region → the final values of it that are asked for."""

    def nonzero(self, changes: Iterable[tuple[Hashable, Expr]]) -> dict[Hashable, Expr]:
        """Without the directions along which nothing changes."""
        zero = self.zero.index
        return {d: t for d, t in changes if t.index != zero}

    def visit(self, i: int) -> None:
        """Differentiate a node whose operands are differentiated."""
        kind = self.graph.nodes[i][0]
        if kind in COLUMNS or kind == LOOKUP:
            self.dot[i] = self.column(i) if kind in COLUMNS else self.lookup(i)
            return
        if kind == "final":
            if i not in self.dot:
                loop = body(self.graph, region_of(self.graph, i))
                wanted = self.finals[loop.region]
                finals = loop_derivatives.forward(loop, self.dot, self.series, wanted)
                self.dot.update((j, self.nonzero(changes.items())) for j, changes in finals.items())
            return
        condition = _condition(self.graph, i)
        if condition is None:
            self.operation(i)
        else:
            self.choice(i, condition)

    def column(self, i: int) -> dict[Hashable, Expr]:
        """What stands for several nodes: columns of their derivatives."""
        changes = [self.dot.get(j, {}) for j in tables.entries(self.graph, i)]
        directions = dict.fromkeys(d for change in changes for d in change)
        return {d: tables.column(self.graph, [change.get(d, self.zero) for change in changes]) for d in directions}

    def lookup(self, i: int) -> dict[Hashable, Expr]:
        """An entry of a column: that of the column of derivatives."""
        _, column, index = self.graph.nodes[i]
        at = Expr(self.graph, index, False)
        return self.nonzero((d, tables.entry(self.graph, t.index, at)) for d, t in self.dot.get(column, {}).items())

    def choice(self, i: int, condition: Expr) -> None:
        """A node that is one of two: so are its derivatives."""
        *_, first, second = self.graph.nodes[i]
        a, b, zero = self.dot.get(first, {}), self.dot.get(second, {}), self.zero
        self.dot[i] = self.nonzero((d, condition.select(a.get(d, zero), b.get(d, zero))) for d in {**a, **b})

    def operation(self, i: int) -> None:
        """A node with partial derivatives."""
        factor, partials = _partials(self.graph, i)
        terms = [(p, self.dot[j]) for j, p in partials if self.dot.get(j)]
        if len(terms) == 1:
            coefficient = _times(factor, terms[0][0])
            self.dot[i] = self.nonzero((d, _times(coefficient, t)) for d, t in terms[0][1].items())
        elif terms:
            (p, x), (r, y) = terms
            total = {d: _times(p, t) + _times(r, y[d]) if d in y else _times(p, t) for d, t in x.items()}
            total.update((d, _times(r, t)) for d, t in y.items() if d not in x)
            self.dot[i] = self.nonzero((d, _times(factor, t)) for d, t in total.items())


def adjoints(
    outputs: Sequence[Expr],
    variables: Sequence[Expr],
    weights: Iterable[Mapping[int, Any]],
    sources: loop_derivatives.Gradients | None = None,
) -> list[list[Expr]]:
    """Reverse mode: for each weighted sum of outputs, its derivative with respect to each of the variables.

    A weighting maps the position of an output to its weight, an expression or a number. If `sources` names series, it
    gets the gradients with respect to them.

    >>> graph = Graph()
    >>> x, y = graph.input(0), graph.input(1)
    >>> adjoints([2.0 * x, x + 3.0 * y], [x, y], [{0: 1.0}, {1: 1.0}, {0: 1.0, 1: 0.5}])
    [[Expr(2.0), Expr(0.0)], [Expr(1.0), Expr(3.0)], [Expr(2.5), Expr(1.5)]]
    """
    sources = {} if sources is None else sources
    if len(outputs) == 0 or (len(variables) == 0 and not sources):
        return [[v.graph.constant(0.0) for v in variables] for _ in weights]
    tape = _Tape.between(variables, outputs, sources)
    return loop_derivatives.in_step([tape.sweep(row) for row in weights], sources)


@dataclass(frozen=True)
class _Tape:
    """Common data of all sweeps from outputs back to variables."""

    graph: Graph
    variables: Sequence[Expr]
    outputs: Sequence[Expr]
    order: list[int]
    """The nodes between them, the last first."""
    reached: Collection[int]
    """These and the variables."""
    linear: dict[int, tuple[Any, list[tuple[int, Any]]]]
    """Factor and partials of all that is no choice of two."""
    chosen: dict[int, int]
    """The conditions of choices."""

    @staticmethod
    def between(variables: Sequence[Expr], outputs: Sequence[Expr], sources: Collection[tuple[str, int]]) -> _Tape:
        graph, leaves = outputs[0].graph, {v.index for v in variables}
        order = _active(graph, outputs, leaves, sources)[::-1]
        conditions = {i: _condition(graph, i) for i in order}
        other = COLUMNS | {"final", LOOKUP}
        plain = [i for i, condition in conditions.items() if condition is None and graph.nodes[i][0] not in other]
        linear = {i: _partials(graph, i) for i in plain}
        chosen = {i: condition.index for i, condition in conditions.items() if condition is not None}
        return _Tape(graph, variables, outputs, order, leaves.union(order), linear, chosen)

    def sweep(self, weights: Mapping[int, Any]) -> Sweep:
        """The derivatives of one weighted sum; at each loop it asks what its final values' are in terms of others'."""
        graph, zero, nothing = self.graph, self.graph.constant(0.0), Guard()
        bar: dict[int, Expr] = {}
        loops = {min(finals): finals for finals in final_nodes(graph, self.order).values()}
        others = {j: other for finals in loops.values() for j in finals if (other := _other(graph, j))}
        guards = self.guards([self.outputs[k].index for k in weights]) if self.chosen or others else {}

        def receive(j: int, change: Expr, guard: Guard = nothing) -> None:
            if j in self.reached:
                change = _where_guarded(graph, change, guard - guards[j]) if guard else change
                bar[j] = bar[j] + change if j in bar else change

        for k, weight in weights.items():
            weight = zero.lift(weight)
            receive(self.outputs[k].index, -weight if self.outputs[k].negative else weight)
        for i in self.order:
            if i in loops:
                for j in loops[i]:
                    if j in others and j in bar:
                        receive(others[j][0], bar[j], guards.get(j, nothing) | {(others[j][1], False)})
                finals = {j: _where_guarded(graph, bar.pop(j, zero), guards.get(j, nothing)) for j in loops[i]}
                if any(x.index != zero.index for x in finals.values()):
                    for j, x in (yield i, finals, self.reached).items():
                        receive(j, x)
                continue
            change = bar.pop(i, zero) if graph.nodes[i][0] != "final" else zero
            if change.index == zero.index:
                continue
            guard = guards.get(i, nothing)
            if graph.nodes[i][0] == LOOKUP:
                for j, x in self.of_entries(i, change):
                    receive(j, x, guard)
                continue
            if i in self.chosen:
                for j, holds in zip(graph.nodes[i][-2:], (True, False), strict=True):
                    receive(j, change, guard | {(self.chosen[i], holds)})
                continue
            factor, partials = self.linear[i]
            change = _times(factor, change)
            for j, p in partials:
                receive(j, _times(p, change), guard)
        return [_where_guarded(graph, bar.get(v.index, zero), guards.get(v.index, nothing)) for v in self.variables]

    def of_entries(self, i: int, change: Expr) -> Iterator[tuple[int, Expr]]:
        """What the entries of a column receive from one that was looked up: all but one nothing."""
        _, column, index = self.graph.nodes[i]
        nodes, at = tables.entries(self.graph, column), Expr(self.graph, index, False)
        for k, j in enumerate(nodes):
            if j in self.reached:
                yield j, tables.picked(change, at, k, len(nodes))

    def guards(self, outputs: Iterable[int]) -> dict[int, Guard]:
        """Under which conditions each node matters to the outputs: those that all its uses share."""
        guards: dict[int, Guard] = {i: frozenset() for i in outputs}
        for i in self.order:
            if i in guards and self.graph.nodes[i][0] == "final":
                other = _other(self.graph, i)
                guards.update((j, Guard()) for j in (_outside(self.graph, i) if other else _smooth(self.graph, i)))
                if other:
                    guard = guards[i] | {(other[1], False)}
                    guards[other[0]] = guards.get(other[0], guard) & guard
            elif i in guards and self.graph.nodes[i][0] in COLUMNS | {LOOKUP}:
                for j in _smooth(self.graph, i):
                    guards[j] = guards[j] & guards[i] if j in guards else guards[i]
            elif i in guards:
                c = self.chosen.get(i)
                for j, holds in zip(smooth_operands(self.graph.nodes[i]), (True, False), strict=False):
                    guard = guards[i] if c is None else guards[i] | {(c, holds)}
                    guards[j] = guards[j] & guard if j in guards else guard
        return guards


def _where_guarded(graph: Graph, x: Expr, guard: Guard) -> Expr:
    """x where all the conditions are as they should be, else zero."""
    for c, holds in sorted(guard):
        condition = Expr(graph, c, False)
        x = condition.select(x, 0.0) if holds else condition.select(0.0, x)
    return x


def _partials(graph: Graph, i: int) -> tuple[Any, list[tuple[int, Any]]]:
    """The factor of a node, and the partial of each node that it reads."""
    node = graph.nodes[i]
    rule = OPS_OF_TRACES[node[0]].rule
    if rule is None:
        return 1, []
    factor, partials = rule(Expr(graph, i, False), *(Expr(graph, j, False) for j in node[1:]))
    if len(partials) == 2 and node[1] == node[2]:
        return factor, [(node[1], partials[0] + partials[1])]
    return factor, [*zip(node[1:], partials, strict=True)]


def _times(p: Any, t: Any) -> Any:
    """p t, where p is often 1 or -1."""
    if type(p) is int and abs(p) == 1:
        return t if p == 1 else -t
    return p * t


def _condition(graph: Graph, i: int) -> Expr | None:
    """The condition under which a node is the last but one of its operands rather than the last; None if it is none."""
    node = graph.nodes[i]
    choice = None if node[0] in LEAVES else OPS_OF_TRACES[node[0]].condition
    return None if choice is None else choice(*(Expr(graph, j, False) for j in node[1:]))


def _active(
    graph: Graph, outputs: Iterable[Expr], leaves: Collection[int], sources: Collection[tuple[str, int]] = ()
) -> list[int]:
    """The nodes between the leaves, or series, and the outputs, in the order of evaluation."""
    seen = set(leaves)
    pending = [o.index for o in outputs]
    while pending:
        i = pending.pop()
        if i not in seen:
            seen.add(i)
            pending.extend(_smooth(graph, i))
    moving, order = set(leaves), []
    for i in sorted(seen - moving):
        found = any(j in moving for j in _smooth(graph, i))
        if found or (sources and graph.nodes[i][0] == "final" and _reads(graph, i, sources)):
            moving.add(i)
            order.append(i)
    return order


def _reads(graph: Graph, final: int, sources: Collection[tuple[str, int]]) -> bool:
    """Whether a loop reads one of the series."""
    return any(graph.loops.reads[k].source in sources for k in body(graph, region_of(graph, final)).reads)


def _outside(graph: Graph, final: int) -> tuple[int, ...]:
    """The nodes that the body of a loop reads outside."""
    return body(graph, region_of(graph, final)).outside


def _other(graph: Graph, final: int) -> tuple[int, int] | None:
    """Of a value that is computed where a condition holds: what it is elsewhere, and the condition."""
    carried, region = graph.loops.carried, graph.loops.regions[region_of(graph, final)]
    if not region.encloses:
        return None
    return carried[graph.nodes[final][1]].initial, carried[region.active].initial


def _smooth(graph: Graph, i: int) -> tuple[int, ...]:
    """The nodes with which a node may change: of the final value of a loop, all on which that depends."""
    node = graph.nodes[i]
    if node[0] == "final":
        return body(graph, region_of(graph, i)).dependencies
    if node[0] in COLUMNS:
        return tables.entries(graph, i)
    return node[1:2] if node[0] == LOOKUP else smooth_operands(node)


def dependence(outputs: Sequence[Expr], sets: Mapping[int, int]) -> list[int]:
    """The sets (as the bits of a number) of the variables on which each output depends, joined.

    >>> graph = Graph()
    >>> x, y = graph.input(0), graph.input(1)
    >>> dependence([x.sin(), x * y, graph.constant(1.0)], {x.index: 0b01, y.index: 0b10})
    [1, 3, 0]
    """
    if len(outputs) == 0:
        return []
    graph, found = outputs[0].graph, dict(sets)
    for i in _active(graph, outputs, sets.keys()):
        if graph.nodes[i][0] == "final":
            of = body(graph, region_of(graph, i))
            found[i] = loop_derivatives.carried_sets(of, found)[of.carried.index(graph.nodes[i][1])]
            continue
        found[i] = 0
        for j in _smooth(graph, i):
            found[i] |= found.get(j, 0)
    return [found.get(o.index, 0) for o in outputs]
