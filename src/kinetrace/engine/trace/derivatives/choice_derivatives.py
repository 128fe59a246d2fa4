"""Derivatives of what runs where a condition holds alone: `arrays.maybe`.

Of z = f(x) where c holds, else y: another body under the same condition computes what belongs to f, forward ż from ẋ,
in reverse x̄ from z̄; where c does not hold, it is skipped as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ....errors import InputError
from .. import tables
from ..expr import Expr
from ..loop_body import LoopBody
from ..loop_writer import LoopWriter
from .differentiate import adjoints, tangents
from .loop_derivatives import (
    Answers,
    Changes,
    Gradients,
    SeriesChanges,
    directions_of,
    in_pass,
    moving_directions,
)


def forward(of: LoopBody, dot: Mapping[int, Changes], series: SeriesChanges) -> dict[int, Changes]:
    """The changes of the values, which another body computes."""
    graph, zero = of.graph, of.graph.constant(0.0)
    moving = {
        k: own for k, own in enumerate(moving_directions(of, dot, directions_of(of, dot))) if own and k != of.active
    }
    seeds: dict[int, Changes] = {i: dict(dot[i]) for i in of.outside if dot.get(i)}

    def make(region: int) -> list[tuple[Expr, Expr]]:
        after = in_pass(of, region, of.expressions(of.leaves)).outputs(of.expressions(of.next[k] for k in moving))
        rows = zip(tangents(after, seeds, series) if seeds else [{} for _ in after], moving.items(), strict=True)
        return [(row.get(d, zero), dot.get(of.initial[k], {}).get(d, zero)) for row, (k, own) in rows for d in own]

    condition = Expr(graph, of.initial[of.active], False)
    found = iter(LoopWriter(graph).choice(condition, make) if moving else [])
    changes = {k: {d: next(found) for d in own} for k, own in moving.items()}
    return {graph.node("final", c): changes.get(k, {}) for k, c in enumerate(of.carried)}


def backward(of: LoopBody, weights: list[list[Expr]], reached: Collection[int], sources: Gradients) -> Answers:
    """What the nodes outside weigh in each sweep, which another body computes."""
    graph, zero = of.graph, of.graph.constant(0.0)
    if any(graph.loops.reads[k].source in sources for k in of.reads):
        raise InputError(
            "maybe: the gradient with respect to a series is not known where f reads it in a loop of its own: "
            "take where instead"
        )
    outside = tables.scalars(graph, of.outside, reached)
    others = [k for k in range(len(of.carried)) if k != of.active]

    def make(region: int) -> list[tuple[Expr, Expr]]:
        after = in_pass(of, region, of.expressions(of.leaves)).outputs(of.expressions(of.next[k] for k in others))
        rows = [{n: row[k] for n, k in enumerate(others) if row[k].index != zero.index} for row in weights]
        return [(x, zero) for gradient in adjoints(after, of.expressions(outside), rows) for x in gradient]

    condition = Expr(graph, of.initial[of.active], False)
    found = iter(LoopWriter(graph).choice(condition, make))
    results = [{i: next(found) for i in outside} for _ in weights]  # of what is elsewhere, the sweep knows itself
    return results, {source: [None] * len(weights) for source in sources}
