"""Derivatives of loops.

Of a recurrence x_{k+1} = f(x_k, u_k, θ), forward: another recurrence, which carries x and its tangents,

    ẋ_{k+1} = ∂f/∂x ẋ_k + ∂f/∂u u̇_k + ∂f/∂θ θ̇

and in reverse: the loop keeps every x_k, which takes the memory of so many rows, and another one runs back over them,

    λ_k = ∂f/∂xᵀ λ_{k+1},    θ̄ = Σ_k ∂f/∂θᵀ λ_{k+1}

For loops in loops it keeps only those of one pass of the outer one at a time, and computes them again: a recurrence of
n² steps as n times n takes the memory of 2 n rows.

What `iterate` ends with is taken for a solution of x = f(x, θ): by the implicit function theorem, from any beginning,

    ẋ = (1 − ∂f/∂x)⁻¹ ∂f/∂θ θ̇
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

from ....arrays import objects
from ....errors import InputError
from ....linalg import solve
from .. import tables
from ..expr import Expr, Graph
from ..loop_body import LoopBody, body, region_of
from ..loop_writer import LoopWriter, Series
from ..regions import OpenWrite
from ..replay import Replay

SOLUTION_TOLERANCE = 1e-4
"""By how much one more step may change what counts as a solution, relative to 1 + |x|: else its derivatives are NaN."""
Changes = dict[Hashable, Expr]
"""Direction → rate."""
SeriesChanges = dict[int, dict[Hashable, Series]]
"""Write of a series → direction → rates, row by row."""
Gradients = dict[tuple[str, int], dict[int, Any]]
"""Source of a series → number of a sweep → the gradient with respect to it, a series or None."""


def carried_sets(of: LoopBody, found: Mapping[int, int]) -> list[int]:
    """For each carried value the joined sets (bits of a number) of what it depends on; `found` has those outside."""
    from .differentiate import dependence  # which asks this of loops in loops

    sets, after = [found.get(i, 0) for i in of.initial], of.expressions(of.next)
    outside = _sets_outside(of, found)
    while True:
        known = outside | dict(zip(of.leaves, sets, strict=True))
        grown = [a | b for a, b in zip(sets, dependence(after, known), strict=True)]
        if grown == sets:
            return sets
        sets = grown


def _sets_outside(of: LoopBody, found: Mapping[int, int]) -> dict[int, int]:
    """The sets of what a region reads from outside: nodes, and entries of series that other loops wrote."""
    from .differentiate import dependence

    known, nodes = {i: found[i] for i in of.outside if found.get(i)}, of.graph.nodes
    for i in of.nodes:
        if nodes[i][0] == "item" and (w := of.graph.loops.reads[nodes[i][1]].source)[0] == "kept":
            writer = body(of.graph, of.graph.loops.writes[w[1]].regions[-1])
            inside = _sets_outside(writer, found) | dict(zip(writer.leaves, carried_sets(writer, found), strict=True))
            known[i] = dependence(writer.expressions([writer.row(w[1])[nodes[i][2]]]), inside)[0]
    return known


def forward(
    of: LoopBody, dot: Mapping[int, Changes], series: SeriesChanges, wanted: Collection[int] = ()
) -> dict[int, Changes]:
    """The changes of final values, from those of what is outside; `series` gets those of what the loop writes.

    Of a solution, only those of the final nodes that are wanted: what is but compared need not be solved for.
    """
    if of.open.encloses:
        from .choice_derivatives import forward as of_choice  # which asks this module

        return of_choice(of, dot, series)
    return _of_solution(of, dot, series, wanted) if of.active >= 0 else _of_recurrence(of, dot, series)


def changes_of_series(
    graph: Graph, write: int, dot: Mapping[int, Changes], series: SeriesChanges
) -> dict[Hashable, Series]:
    """Direction → how a series that a loop wrote changes."""
    if write not in series:
        forward(written_by(graph, write), dot, series)
    return series[write]


def written_by(graph: Graph, write: int) -> LoopBody:
    """The region that wrote a series."""
    along = graph.loops.writes[write].regions
    if len(along) > 1:
        raise InputError(
            "derivatives of a series that a loop inside of another one wrote are not known: return its rows"
        )
    return body(graph, along[0])


def _of_recurrence(of: LoopBody, dot: Mapping[int, Changes], series: SeriesChanges) -> dict[int, Changes]:
    from .differentiate import tangents

    writer, zero = LoopWriter(of.graph), of.graph.constant(0.0)
    read = _changes_of_reads(of, dot, series)
    directions = directions_of(of, dot)
    moving = moving_directions(of, dot, directions)
    with writer.region(of.open.length, of.open.reverse) as region:
        leaves = [writer.carry(region, x) for x in of.expressions(of.initial)]
        rates = [
            {d: writer.carry(region, dot.get(i, {}).get(d, zero)) for d in own}
            for i, own in zip(of.initial, moving, strict=True)
        ]
        inner = in_pass(of, region, leaves)
        rows = [w for w in of.writes if of.graph.loops.writes[w].regions == (of.region,)]
        after = inner.outputs(of.expressions([*of.next, *(i for w in rows for i in of.row(w))]))
        seeds: dict[int, Changes] = {i: dict(dot[i]) for i in of.outside if dot.get(i)}
        seeds |= {leaf.index: rate for leaf, rate in zip(leaves, rates, strict=True)}
        seeds |= _changes_of_items(of, inner, read)
        changes = iter(tangents(after, seeds, series))
        writer.set_next(leaves, after[: len(leaves)])
        for rate in rates:
            change = next(changes)
            writer.set_next(list(rate.values()), [change.get(d, zero) for d in rate])
        for w in rows:
            series[w] = _write_changes(writer, region, [next(changes) for _ in of.row(w)], directions)
    finals = [{d: _final(writer, leaf) for d, leaf in rate.items()} for rate in rates]
    return {of.graph.node("final", c): changes for c, changes in zip(of.carried, finals, strict=True)}


def directions_of(of: LoopBody, dot: Mapping[int, Changes]) -> list[Hashable]:
    """All directions in which something changes that a region depends on."""
    return list(dict.fromkeys(chain.from_iterable(dot.get(i, {}) for i in of.dependencies)))


def moving_directions(of: LoopBody, dot: Mapping[int, Changes], directions: Sequence[Hashable]) -> list[list[Hashable]]:
    """For each carried value, the directions in which it may change."""
    bits = {d: 1 << k for k, d in enumerate(directions)}
    sets = carried_sets(of, {i: sum(bits[d] for d in dot.get(i, {})) for i in of.dependencies})
    return [[d for d in directions if bits[d] & found] for found in sets]


def _changes_of_reads(
    of: LoopBody, dot: Mapping[int, Changes], series: SeriesChanges
) -> dict[int, dict[Hashable, Series]]:
    """For each series that a pass reads and another loop wrote, direction → how it changes."""
    reads = {k: of.graph.loops.reads[k] for k in of.reads}
    sources = {k: read.source for k, read in reads.items() if read.regions[-1] == of.region}
    return {k: changes_of_series(of.graph, w, dot, series) for k, (kind, w) in sources.items() if kind == "kept"}


def _write_changes(
    writer: LoopWriter, region: int, entries: Sequence[Changes], directions: Sequence[Hashable]
) -> dict[Hashable, Series]:
    """Direction → how a row that a pass writes changes, as a series; without those in which it does not."""
    zero, moving = writer.graph.constant(0.0), [d for d in directions if any(d in x for x in entries)]
    rows = {d: objects([x.get(d, zero) for x in entries], (len(entries),)) for d in moving}
    return {d: writer.write_rows(region, row) for d, row in rows.items()}


def _changes_of_items(of: LoopBody, inner: Replay, read: Mapping[int, dict[Hashable, Series]]) -> dict[int, Changes]:
    """The changes of the entries of rows that a pass reads."""
    found: dict[int, Changes] = {}
    for k, changes in read.items():
        new = inner.read(k)
        rows = dict[Hashable, Any](changes)
        for r in of.graph.loops.reads[new].regions:
            rows = {d: x.at(r) for d, x in rows.items()}
        for e in range(of.graph.loops.reads[new].size):
            entries = {d: row[e] for d, row in rows.items()}
            found[of.graph.node("item", new, e)] = {d: x for d, x in entries.items() if x.value != 0.0}
    return found


def in_pass(of: LoopBody, region: int, leaves: Sequence[Expr]) -> Replay:
    """The body again in another region, with other leaves for what is carried."""
    inner = Replay(of.graph, {}, {of.region: region})
    outside = {i: Expr(of.graph, i, False) for i in of.outside}
    inner.values = outside | dict(zip(of.leaves, leaves, strict=True))
    return inner


def _final(writer: LoopWriter, leaf: Expr) -> Expr:
    return Expr(writer.graph, writer.graph.node("final", writer.carried_number(leaf)), False)


class _Solution:
    """Solution of `iterate`: the values that are wanted and those that they depend on, and one step from there."""

    def __init__(self, of: LoopBody, wanted: Collection[int]) -> None:
        from .differentiate import dependence, tangents

        graph = of.graph
        ends = of.expressions(graph.node("final", c) for c in of.carried)
        self.passed = [k for k, leaf in enumerate(of.leaves) if of.next[k] == leaf]
        """Values that stay what they were: parameters of the others."""
        needs = dependence(of.expressions(of.next), {leaf: 1 << k for k, leaf in enumerate(of.leaves)})
        chosen = set(wanted) - set(self.passed)
        while True:  # what a wanted value does not depend on, such as a count, need not be solved for
            more = {j for k in chosen for j in range(len(of.leaves)) if needs[k] >> j & 1} - set(self.passed)
            if more <= chosen:
                break
            chosen |= more
        self.places = sorted(chosen)
        self.finals = [ends[k].index for k in self.places]
        there = Replay(graph, dict(zip(of.leaves, ends, strict=True)), {of.region: of.open.parent})
        self.next = there.outputs(of.expressions(of.next[k] for k in self.places))
        one, zero = graph.constant(1.0), graph.constant(0.0)
        rows = tangents(self.next, {i: {i: one} for i in self.finals})
        self.A = [
            [(one if i == j else zero) - row.get(j, zero) for j in self.finals]
            for i, row in zip(self.finals, rows, strict=True)
        ]
        """1 − ∂f/∂x."""
        self.holds = one
        for k, x in zip(self.places, self.next, strict=True):
            self.holds = (abs(x - ends[k]) < SOLUTION_TOLERANCE * (1.0 + abs(ends[k]))).select(self.holds, zero)

    def solve(self, A: list[list[Expr]], B: list[list[Expr]]) -> list[list[Expr]]:
        """X with A X = B; NaN where the iteration has not ended with a solution."""
        if not A or not B[0]:
            return B
        X = solve(
            objects([x for row in A for x in row], (len(A), len(A))),
            objects([x for row in B for x in row], (len(B), len(B[0]))),
        )
        return [[self.holds.select(x, math.nan) for x in row] for row in X]


def _of_solution(
    of: LoopBody, dot: Mapping[int, Changes], series: SeriesChanges, wanted: Collection[int]
) -> dict[int, Changes]:
    from .differentiate import tangents

    finals, zero = [of.graph.node("final", c) for c in of.carried], of.graph.constant(0.0)
    at = _Solution(of, [k for k in _moving(of, dot) if finals[k] in wanted])
    parameters = {finals[k]: dict(dot.get(of.initial[k], {})) for k in at.passed}
    seeds: dict[int, Changes] = {i: dict(dot[i]) for i in of.outside if dot.get(i)}
    changes = tangents(at.next, seeds | parameters | {i: {} for i in at.finals}, series)
    directions = list(dict.fromkeys(chain.from_iterable(changes)))
    X = at.solve(at.A, [[row.get(d, zero) for d in directions] for row in changes])
    found = {i: dict(zip(directions, row, strict=True)) for i, row in zip(at.finals, X, strict=True)} | parameters
    return {i: found.get(i, {}) for i in finals}


def _moving(of: LoopBody, dot: Mapping[int, Changes]) -> list[int]:
    """The carried values that change with what is outside, but for what they begin with."""
    passed = [i for k, i in enumerate(of.initial) if of.next[k] == of.leaves[k]]
    sets = carried_sets(of, {i: 1 for i in (*of.outside, *passed) if dot.get(i)})
    return [k for k, x in enumerate(sets) if x and k != of.active]


def in_step(sweeps: Sequence[Any], sources: Gradients) -> list[list[Expr]]:
    """The results of several sweeps from outputs back, which meet at loops: one loop serves all of them.

    `sources` gets, for each of its series and each sweep, the gradient with respect to it.
    """
    results: list[list[Expr]] = [[] for _ in sweeps]
    waiting: dict[int, Any] = {}
    answers: dict[int, Any] = dict.fromkeys(range(len(sweeps)))
    while answers:
        for k, answer in answers.items():
            try:
                waiting[k] = sweeps[k].send(answer)
            except StopIteration as end:
                results[k] = end.value
                waiting.pop(k, None)
        if not waiting:
            break
        last = max(i for i, _, _ in waiting.values())  # the loop that stands last, of all that are waited for
        here = [k for k, (i, _, _) in waiting.items() if i == last]
        found, gradients = _backward([waiting[k] for k in here], sources)
        for source, rows in gradients.items():
            for k, row in zip(here, rows, strict=True):
                sources[source][k] = row if sources[source].get(k) is None else _sum(sources[source][k], row)
        answers = dict(zip(here, found, strict=True))
        for k in here:
            waiting.pop(k)
    return results


def _sum(a: Series | None, b: Series | None) -> Series | None:
    """Two series added, row by row."""
    if a is None or b is None:
        return a if b is None else b
    total: Series = a.loop_writer.scan(lambda carry, rows: (carry, rows[0] + rows[1]), (), (a, b))[1]
    return total


Answers = tuple[list[dict[int, Expr]], dict[tuple[str, int], list[Series | None]]]


def _backward(asked: Sequence[tuple[int, dict[int, Expr], Collection[int]]], sources: Gradients) -> Answers:
    """For each sweep what the nodes outside, and series, weigh, from what the final values of one loop do."""
    first, finals, reached = asked[0]
    graph = next(iter(finals.values())).graph
    of = body(graph, region_of(graph, first))
    weights = [[bars.get(graph.node("final", c), graph.constant(0.0)) for c in of.carried] for _, bars, _ in asked]
    back = _back_from_solution if of.active >= 0 else _back_through_recurrence
    if of.open.encloses:
        from .choice_derivatives import backward as back
    return back(of, weights, reached, {source: {} for source in sources})


def _back_from_solution(
    of: LoopBody, weights: list[list[Expr]], reached: Collection[int], sources: Gradients
) -> Answers:
    from .differentiate import adjoints

    graph, zero = of.graph, of.graph.constant(0.0)
    at = _Solution(of, _between(of, weights, reached, sources, of.outside))
    outside = tables.scalars(of.graph, of.outside, reached)
    transposed = [list(x) for x in zip(*at.A, strict=True)]
    columns = at.solve(transposed, [[row[k] for row in weights] for k in at.places])
    rows = [{k: column[r] for k, column in enumerate(columns)} for r in range(len(weights))]
    parameters = [graph.node("final", of.carried[k]) for k in at.passed]
    found = adjoints(at.next, of.expressions([*outside, *parameters, *at.finals]), rows, sources)
    results: list[dict[int, Expr]] = []
    for weight, gradient in zip(weights, found, strict=True):
        result = dict(zip(outside, gradient, strict=False))
        for k, x in zip(at.passed, gradient[len(outside) :], strict=False):
            i = of.initial[k]
            result[i] = result.get(i, zero) + x + weight[k]
        results.append(result)
    return results, {source: [each.get(k) for k in range(len(rows))] for source, each in sources.items()}


def _back_through_recurrence(
    of: LoopBody, weights: list[list[Expr]], reached: Collection[int], sources: Gradients
) -> Answers:
    from .differentiate import adjoints

    graph, writer = of.graph, LoopWriter(of.graph)
    zero = graph.constant(0.0)
    outside = tables.scalars(of.graph, of.outside, reached)
    chosen = _between(of, weights, reached, sources, of.dependencies)
    own = _series_read(of, reached, sources)
    kept = writer.add_series((of.open.length,), (len(of.leaves),), OpenWrite(of.leaves, (of.region,)))
    with writer.region(of.open.length, not of.open.reverse) as region:
        rows = [{k: writer.carry(region, row[k]) for k in chosen} for row in weights]
        leaves = list(kept.at(region))
        inner = in_pass(of, region, leaves)
        after = inner.outputs(of.expressions(of.next[k] for k in chosen))
        items = {source: _items(graph, inner.read(k)) for source, k in own.items()}
        variables = [*(leaves[k] for k in chosen), *of.expressions(outside), *chain.from_iterable(items.values())]
        within: Gradients = {source: {} for source in sources if source not in own}
        found = adjoints(after, variables, [dict(enumerate(row.values())) for row in rows], within)
        sums: list[dict[int, Expr]] = []
        series: dict[tuple[str, int], list[Series | None]] = {source: [] for source in sources}
        for k, (row, gradient) in enumerate(zip(rows, found, strict=True)):
            writer.set_next(list(row.values()), gradient[: len(chosen)])
            rest = iter(gradient[len(chosen) :])
            parts = {i: x for i, x in ((i, next(rest)) for i in outside) if x.index != zero.index}
            for source, entries in items.items():
                weighed = [next(rest) for _ in entries]
                series[source].append(writer.write_rows(region, objects(weighed, (len(weighed),))))
            for source, each in within.items():
                there = each.get(k)
                series[source].append(None if there is None else writer.write_rows(region, there))
            sums.append({i: writer.carry(region, zero) for i in parts})
            writer.set_next(list(sums[-1].values()), [sums[-1][i] + x for i, x in parts.items()])
    results: list[dict[int, Expr]] = []
    for row, total in zip(rows, sums, strict=True):
        result = {i: _final(writer, leaf) for i, leaf in total.items()}
        for k, leaf in row.items():
            i = of.initial[k]
            result[i] = result[i] + _final(writer, leaf) if i in result else _final(writer, leaf)
        results.append(result)
    return results, series


def _items(graph: Graph, read: int) -> list[Expr]:
    """The entries of a row that is read."""
    return [Expr(graph, graph.node("item", read, e), False) for e in range(graph.loops.reads[read].size)]


def _series_read(of: LoopBody, reached: Collection[int], sources: Gradients) -> dict[tuple[str, int], int]:
    """Of the sources those that are read row by row here, with their reads."""
    table, found = of.graph.loops, dict[tuple[str, int], int]()
    for k in of.reads:
        (kind, w), along = table.reads[k].source, table.reads[k].regions
        if kind == "kept":
            writer = body(of.graph, table.writes[w].regions[0])
            if any(i in reached for i in writer.dependencies) or any(
                table.reads[x].source in sources for x in writer.reads
            ):
                raise InputError(
                    "in reverse, a loop that reads what another loop made of the variables cannot be differentiated: "
                    'make one loop of the two, or take mode="forward" or jvp'
                )
        if (kind, w) in sources and of.region not in along:
            raise InputError(
                "a loop inside of another one reads a series from its beginning in every pass: the gradient with "
                "respect to it is not known; make one loop of the two"
            )
        if (kind, w) in sources and along[-1] == of.region:
            found[kind, w] = k
    return found


def _between(
    of: LoopBody, weights: list[list[Expr]], reached: Collection[int], sources: Gradients, behind: Sequence[int]
) -> list[int]:
    """The carried values on which the weighted ones depend, and which depend on what derivatives are asked for.

    `behind` are the nodes by which they may: with or without what the loop begins with.
    """
    from .differentiate import dependence

    zero = of.graph.constant(0.0).index
    passed = [i for k, i in enumerate(of.initial) if of.next[k] == of.leaves[k]]
    found = {i: 1 for i in (*behind, *passed) if i in reached}
    if any(of.graph.loops.reads[k].source in sources for k in of.reads):
        found |= dict.fromkeys(of.initial, 1)  # all may depend on the rows
    moving = carried_sets(of, found)
    needs = dependence(of.expressions(of.next), {leaf: 1 << k for k, leaf in enumerate(of.leaves)})
    chosen = {k for row in weights for k, x in enumerate(row) if x.index != zero}
    while True:
        more = {j for k in chosen for j in range(len(needs)) if needs[k] >> j & 1}
        if more <= chosen:
            return [k for k in sorted(chosen) if moving[k]]
        chosen |= more
