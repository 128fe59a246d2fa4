"""Long runs of bodies in a compiled function: a sweep takes them in a loop, and a step is traced once for all of them.

A run is a stretch of bodies, each the only child of the one before, that differ in their numbers alone. In the loop a
step gets a body whose numbers are those of the run's bodies in turn: known where all have the same one, else symbols
that stand for a row of a table. So it is with the items of each body. If some bodies follow one another again and
again, such as joints about x and y, a pass of the loop takes all of these. What else differs, names and places in the
tree, a step must not ask for; if it does, or if its states are not of one form, the bodies are swept one by one.

The first and the last body of a run stand outside of the loop: what goes in comes from a step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...model.build.specialisation import alike
from ...model.columns import RecordColumns, RecordForm
from ...model.record import leaves

LOOP_FROM_BODIES = 150
"""Length of a run of bodies from which a sweep is a loop. The zeros and ones of single bodies are lost, and forward
dynamics of 200 bodies that have nothing in common takes longer, by a tenth for one state and a third in batches; but
straight-line code takes 9 s to compile, the loop 0.6 s."""
LONGEST_PERIOD = 4
"""Maximum number of bodies per pass of the loop."""


class ChainLoop:
    """A run of bodies of a tree, and their items; `period` is the number of bodies per pass of the loop."""

    def __init__(self, writer: Any, period: int, bodies: Sequence[Any], items: Sequence[Sequence[Any]]) -> None:
        self.writer, self.period, self.bodies, self.items = writer, period, bodies, items

    def outward(self, step: Callable[..., Any], parent: Any) -> list[Any] | None:
        """The states of all bodies but the last; None if they cannot be swept together."""

        def one(state: Any, row: Any) -> tuple[Any, list[Any]]:
            states = []
            for body, *items in row:
                state = step(body, state, *items)
                states.append(state)
            return state, states

        try:
            first = step(self._end_body(0, self.period), parent, *self.items[0])
            return [first, *self._sweep_inner(one, first)[0]]
        except (TypeError, ValueError):  # errors that are not due to the loop are raised again by single bodies
            return None

    def inward(
        self, step: Callable[..., Any], received: Any, joined: Callable[[Any], Any]
    ) -> tuple[list[Any], Any] | None:
        """The results of all bodies but the first, and the message to that; None if they cannot be swept together.

        `joined` makes what a body receives of its only message.
        """

        def one(message: Any, row: Any) -> tuple[Any, list[Any]]:
            results = []
            for body, *items in reversed(row):
                result, message = step(body, joined(message), *items)
                results.append(result)
            return message, results[::-1]

        try:
            last, message = step(self._end_body(-1, 1), received, *self.items[-1])
            results, message = self._sweep_inner(one, message, reverse=True)
            return [*results, last], message
        except (TypeError, ValueError):
            return None

    def _sweep_inner(self, one: Callable[[Any, Any], tuple[Any, list[Any]]], begin: Any, reverse: bool = False) -> Any:
        """The results of a loop over all bodies but those at the ends, and its last carry."""
        form, leaves = RecordForm.of(begin)
        each = list(zip(self.bodies, *zip(*self.items, strict=True), strict=True))[1:-1]
        rows = RecordColumns([tuple(each[k : k + self.period]) for k in range(0, len(each), self.period)])
        left: list[tuple[RecordForm, list[Any]]] = []

        def step(carry: list[Any], row: list[Any]) -> tuple[list[Any], list[Any]]:
            after, results = one(form.made(carry, leaves), rows.at(row))
            left.append(RecordForm.of(results))
            return form.scalars_of(after, leaves), left[-1][0].scalars(left[-1][1])

        final, columns = self.writer.run(step, form.scalars(leaves), rows.columns, reverse)
        of_pass, others = left[-1]
        passes = of_pass.rows(columns, others, len(each) // self.period)
        return [x for several in passes for x in several], form.made(final, leaves)

    def _end_body(self, k: int, like: int) -> Any:
        """The body at an end of the run, with symbols for the numbers that differ among the bodies in its place."""
        (form, leaves), known = RecordForm.of(self.bodies[k]), RecordColumns(self.bodies[like : -1 : self.period]).known
        pairs = zip(form.scalars(leaves), known, strict=True)
        return form.made([x if same else self.writer.as_expr(x) for x, same in pairs], leaves)


def chain_loops(bodies: Sequence[Any], base: Any, *per_body: Sequence[Any]) -> list[ChainLoop]:
    """The runs of a tree that a sweep takes in loops: none, unless a function of symbols is being compiled."""
    if len(bodies) < LOOP_FROM_BODIES or not per_body:
        return []
    some = leaves((base, [(x[0], x[-1]) for x in per_body]))
    scalars = (x for leaf in some for x in (leaf.flat if isinstance(leaf, np.ndarray) else (leaf,)))
    writer = next((x.loop_writer for x in scalars if hasattr(x, "loop_writer")), None)
    if writer is None or not writer.rolls:
        return []
    items = list(zip(*per_body, strict=True))
    chains = ((period, own, items[a : a + len(own)]) for period, own, a in _chains(bodies))
    return [ChainLoop(writer, *run) for run in chains if len(run[1]) >= LOOP_FROM_BODIES + 2]


def _chains(bodies: Sequence[Any]) -> Iterator[tuple[int, Sequence[Any], int]]:
    """Chains of bodies of one form that a loop can sweep: the number per pass, the bodies, the index of the first."""
    children, forms, begin = Counter(body.parent for body in bodies), [RecordForm.of(body)[0] for body in bodies], 0
    for i in range(1, len(bodies) + 1):
        goes_on = i < len(bodies) and bodies[i].parent == i - 1 and children[i - 1] == 1 and forms[i] == forms[i - 1]
        if not goes_on:
            if i - begin >= LOOP_FROM_BODIES + 2:
                yield _whole_passes(alike(bodies[begin:i]), begin)
            begin = i


def _whole_passes(bodies: Sequence[Any], first: int) -> tuple[int, Sequence[Any], int]:
    """A chain in whole passes, without bodies at its ends whose numbers differ where all others agree."""
    columns = [x for x in RecordColumns(bodies).columns if x.dtype == float]
    table = np.stack(columns, axis=-1) if columns else np.zeros((len(bodies), 0))
    period = min(range(1, 1 + min(LONGEST_PERIOD, len(bodies) // 4)), key=lambda p: _unknown(table[1:-1], p))
    begin, end = 0, len(bodies)
    while end - begin >= LOOP_FROM_BODIES + 2:
        if _stands_out(table[begin], table[begin + period : end - 1 : period]):
            begin += 1
        elif (end - begin - 2) % period or _stands_out(table[end - 1], table[begin + 1 : end - 1 : period]):
            end -= 1
        else:
            break
    return period, bodies[begin:end], first + begin


def _unknown(table: Array, period: int) -> float:
    """The mean count of numbers of a body that are not the same in all passes."""
    return sum(np.any(table[k::period] != table[k], axis=0).sum() for k in range(period)) / period


def _stands_out(row: Array, others: Array) -> bool:
    """Whether a row differs where all others agree."""
    return bool(np.any(np.all(others == others[0], axis=0) & (row != others[0])))
