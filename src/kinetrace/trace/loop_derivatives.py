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

from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

from .bodies import Body, body, region_of
from .expr import Expr
from .loops import LoopWriter
from .replay import Replay

Changes = dict[Hashable, Expr]
"""Direction → rate."""


def carried_sets(of: Body, found: Mapping[int, int]) -> list[int]:
    """For each carried value the joined sets (bits of a number) of what it depends on; `found` has those outside."""
    from .differentiate import dependence  # which asks this of loops in loops

    sets = [found.get(i, 0) for i in of.initial]
    outside = {i: found[i] for i in of.outside if found.get(i)}
    after = of.expressions(of.next)
    while True:
        known = outside | dict(zip(of.leaves, sets, strict=True))
        grown = [a | b for a, b in zip(sets, dependence(after, known), strict=True)]
        if grown == sets:
            return sets
        sets = grown


def forward(of: Body, dot: Mapping[int, Changes]) -> dict[int, Changes]:
    """The changes of all final values, from those of what is outside."""
    return _of_solution(of, dot) if of.active >= 0 else _of_recurrence(of, dot)


def _of_recurrence(of: Body, dot: Mapping[int, Changes]) -> dict[int, Changes]:
    from .differentiate import tangents

    graph, writer = of.graph, LoopWriter(of.graph)
    zero = graph.constant(0.0)
    directions = list(dict.fromkeys(chain.from_iterable(dot.get(i, {}) for i in of.dependencies)))
    bits = {d: 1 << k for k, d in enumerate(directions)}
    sets = carried_sets(of, {i: sum(bits[d] for d in dot.get(i, {})) for i in of.dependencies})
    with writer.region(of.open.length, of.open.reverse) as region:
        leaves = [writer.carry(region, x) for x in of.expressions(of.initial)]
        rates = [
            {d: writer.carry(region, dot.get(i, {}).get(d, zero)) for d in directions if bits[d] & found}
            for i, found in zip(of.initial, sets, strict=True)
        ]
        after = _in_pass(of, region, leaves).outputs(of.expressions(of.next))
        seeds: dict[int, Changes] = {i: dict(dot[i]) for i in of.outside if dot.get(i)}
        seeds |= {leaf.index: rate for leaf, rate in zip(leaves, rates, strict=True)}
        changes = tangents(after, seeds)
        writer.close(region, leaves, after)
        for rate, change in zip(rates, changes, strict=True):
            writer.close(region, list(rate.values()), [change.get(d, zero) for d in rate])
    finals = [{d: _final(writer, leaf) for d, leaf in rate.items()} for rate in rates]
    return {graph.node("final", c): changes for c, changes in zip(of.carried, finals, strict=True)}


def _in_pass(of: Body, region: int, leaves: Sequence[Expr]) -> Replay:
    """The body again in another region, with other leaves for what is carried."""
    inner = Replay(of.graph, {}, {of.region: region})
    outside = {i: Expr(of.graph, i, False) for i in of.outside}
    inner.values = outside | dict(zip(of.leaves, leaves, strict=True))
    return inner


def _final(writer: LoopWriter, leaf: Expr) -> Expr:
    return Expr(writer.graph, writer.graph.node("final", writer.table_place(leaf)), False)


class _Solution:
    """What `iterate` ends with: the values that others depend on, and one more step from there."""

    def __init__(self, of: Body, wanted: Collection[int]) -> None:
        from .differentiate import dependence, tangents

        graph = of.graph
        bits = {leaf: 1 << k for k, leaf in enumerate(of.leaves)}
        needs, chosen = dependence(of.expressions(of.next), bits), set(wanted)
        while True:  # what a wanted value does not depend on, such as a count, need not be solved for
            more = {j for k in chosen for j in range(len(of.leaves)) if needs[k] >> j & 1}
            if more <= chosen:
                break
            chosen |= more
        self.places = sorted(chosen)
        self.finals = [graph.node("final", of.carried[k]) for k in self.places]
        ends = of.expressions(graph.node("final", c) for c in of.carried)
        there = Replay(graph, dict(zip(of.leaves, ends, strict=True)))
        self.next = there.outputs(of.expressions(of.next[k] for k in self.places))
        one = graph.constant(1.0)
        rows = tangents(self.next, {i: {i: one} for i in self.finals})
        zero = graph.constant(0.0)
        self.A = [
            [(one if i == j else zero) - row.get(j, zero) for j in self.finals]
            for i, row in zip(self.finals, rows, strict=True)
        ]
        """1 − ∂f/∂x."""


def _of_solution(of: Body, dot: Mapping[int, Changes]) -> dict[int, Changes]:
    from .differentiate import tangents

    places = [k for k in range(len(of.carried)) if k != of.active]
    at, zero = _Solution(of, places if len(places) == 1 else _moving(of, dot)), of.graph.constant(0.0)
    changes = tangents(at.next, {i: dict(dot[i]) for i in of.outside if dot.get(i)} | {i: {} for i in at.finals})
    directions = list(dict.fromkeys(chain.from_iterable(changes)))
    X = _solved(at.A, [[row.get(d, zero) for d in directions] for row in changes])
    found = {i: dict(zip(directions, row, strict=True)) for i, row in zip(at.finals, X, strict=True)}
    return {of.graph.node("final", c): found.get(of.graph.node("final", c), {}) for c in of.carried}


def _moving(of: Body, dot: Mapping[int, Changes]) -> list[int]:
    """The carried values that change with what is outside, but for what they begin with."""
    sets = carried_sets(of, {i: 1 for i in of.outside if dot.get(i)})
    return [k for k, x in enumerate(sets) if x and k != of.active]


def _solved(A: list[list[Expr]], B: list[list[Expr]]) -> list[list[Expr]]:
    """X with A X = B, by elimination; A is near 1 where iterations converge quickly, so rows keep their places."""
    rows = [[*a, *b] for a, b in zip(A, B, strict=True)]
    n = len(rows)
    for k in range(n):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


def in_step(sweeps: Sequence[Any]) -> list[list[Expr]]:
    """The results of several sweeps from outputs back, which meet at loops: one loop serves all of them."""
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
        answers = dict(zip(here, _backward([waiting[k] for k in here]), strict=True))
        for k in here:
            waiting.pop(k)
    return results


def _backward(asked: Sequence[tuple[int, dict[int, Expr], Collection[int]]]) -> list[dict[int, Expr]]:
    """For each sweep what the nodes outside weigh, from what the final values of one loop do."""
    first, finals, reached = asked[0]
    graph = next(iter(finals.values())).graph
    of = body(graph, region_of(graph, first))
    weights = [[bars.get(graph.node("final", c), graph.constant(0.0)) for c in of.carried] for _, bars, _ in asked]
    return (_back_from_solution if of.active >= 0 else _back_through_recurrence)(of, weights, reached)


def _back_from_solution(of: Body, weights: list[list[Expr]], reached: Collection[int]) -> list[dict[int, Expr]]:
    from .differentiate import adjoints

    zero = of.graph.constant(0.0).index
    at = _Solution(of, {k for row in weights for k, x in enumerate(row) if x.index != zero})
    outside = [i for i in of.outside if i in reached]
    columns = _solved([list(x) for x in zip(*at.A, strict=True)], [[row[k] for row in weights] for k in at.places])
    rows = [dict(enumerate(w)) for w in zip(*columns, strict=True)]
    found = adjoints(at.next, of.expressions([*outside, *at.finals]), rows)
    return [dict(zip(outside, row, strict=False)) for row in found]


def _back_through_recurrence(of: Body, weights: list[list[Expr]], reached: Collection[int]) -> list[dict[int, Expr]]:
    from .differentiate import adjoints

    graph, writer = of.graph, LoopWriter(of.graph)
    zero = graph.constant(0.0)
    outside = [i for i in of.outside if i in reached]
    chosen = _between(of, weights, reached)
    kept = writer.kept((of.open.length,), (len(of.leaves),), of.leaves, (of.region,))
    with writer.region(of.open.length, not of.open.reverse) as region:
        rows = [{k: writer.carry(region, row[k]) for k in chosen} for row in weights]
        leaves = list(kept.at(region))
        after = _in_pass(of, region, leaves).outputs(of.expressions(of.next[k] for k in chosen))
        variables = [*(leaves[k] for k in chosen), *of.expressions(outside)]
        found = adjoints(after, variables, [dict(enumerate(row.values())) for row in rows])
        sums: list[dict[int, Expr]] = []
        for row, gradient in zip(rows, found, strict=True):
            writer.close(region, list(row.values()), gradient[: len(chosen)])
            parts = {i: x for i, x in zip(outside, gradient[len(chosen) :], strict=True) if x.index != zero.index}
            sums.append({i: writer.carry(region, zero) for i in parts})
            writer.close(region, list(sums[-1].values()), [sums[-1][i] + x for i, x in parts.items()])
    results: list[dict[int, Expr]] = []
    for row, total in zip(rows, sums, strict=True):
        result = {i: _final(writer, leaf) for i, leaf in total.items()}
        for k, leaf in row.items():
            i = of.initial[k]
            result[i] = result[i] + _final(writer, leaf) if i in result else _final(writer, leaf)
        results.append(result)
    return results


def _between(of: Body, weights: list[list[Expr]], reached: Collection[int]) -> list[int]:
    """The carried values on which the weighted ones depend, and which depend on what derivatives are asked for."""
    from .differentiate import dependence

    zero = of.graph.constant(0.0).index
    moving = carried_sets(of, {i: 1 for i in of.dependencies if i in reached})
    needs = dependence(of.expressions(of.next), {leaf: 1 << k for k, leaf in enumerate(of.leaves)})
    chosen = {k for row in weights for k, x in enumerate(row) if x.index != zero}
    while True:
        more = {j for k in chosen for j in range(len(needs)) if needs[k] >> j & 1}
        if more <= chosen:
            return [k for k in sorted(chosen) if moving[k]]
        chosen |= more
