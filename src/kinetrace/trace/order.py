"""Which nodes of a graph the results need, and in which order they stand in a program.

A node belongs to the innermost region on whose leaves it depends; what a step made of other values alone stands before
the loop. A region stands where it was closed: all that it needs from outside was there then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from ..errors import InputError
from .bodies import all_scopes
from .expr import Graph
from .ops import LEAVES, Node, operands
from .regions import NONE, Carried, Loops, Read, Region, Write

Results = Sequence[tuple[int, ...]]
_OF_LOOPS = ("carry", "final", "item", "element")


def ordered(graph: Graph, results: Results, series: dict[int, int]) -> tuple[tuple[Node, ...], Results, Loops]:
    """Only the nodes that the results need, renumbered; `series` maps outputs that are series to the graph's writes."""
    if not graph.loops.regions:
        return (*_renumbered(graph, straight(graph, chain.from_iterable(results)), results), NONE)
    needed = _Needed(graph)
    needed.follow([*chain.from_iterable(results)])
    for write in series.values():
        needed.follow(graph.loops.writes[write][0], graph.loops.writes[write][1])
    return _with_loops(graph, needed, results, series)


def straight(graph: Graph, results: Iterable[int]) -> list[int]:
    """The nodes that results need where there are no loops, in their order."""
    nodes, marked = graph.nodes, bytearray(len(graph.nodes))
    for i in results:
        marked[i] = 1
    last = marked.rfind(1)
    for i in range(last, -1, -1):
        if marked[i]:
            node = nodes[i]
            if node[0] not in LEAVES:
                for j in node[1:]:
                    marked[j] = 1
    return [i for i in range(last + 1) if marked[i]]


@dataclass
class _Needed:
    """What is needed, by numbers of the graph."""

    graph: Graph
    nodes: set[int] = field(default_factory=set)
    regions: set[int] = field(default_factory=set)
    carried: set[int] = field(default_factory=set)
    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    columns: dict[int, set[int]] = field(default_factory=dict)
    """Of sparse writes, the entries of a row that are read."""

    def follow(self, nodes: Sequence[int], regions: Sequence[int] = ()) -> None:
        """These nodes, and all that they depend on."""
        pending = [*nodes, *chain.from_iterable(map(self.region, regions))]
        while pending:
            i = pending.pop()
            if i not in self.nodes:
                self.nodes.add(i)
                node = self.graph.nodes[i]
                pending.extend(operands(node) if node[0] not in _OF_LOOPS else self.behind(node))

    def behind(self, node: Node) -> Iterator[int]:
        """What a leaf of a loop stands for."""
        if node[0] == "item":
            yield from self.read(node[1])
            kind, source = self.graph.loops.reads[node[1]][0]
            if kind == "kept":
                yield from self.column(source, node[2])
        elif node[0] == "element":
            yield from self.write(node[1])
            yield from self.column(node[1], node[2])
        else:
            yield from self.carry(node[1])

    def carry(self, c: int) -> Iterator[int]:
        """What a carried value begins with and becomes."""
        if c not in self.carried:
            self.carried.add(c)
            region, initial, after = self.graph.loops.carried[c]
            yield from (initial, after, self.graph.node("carry", c))
            yield from self.region(region)

    def region(self, r: int) -> Iterator[int]:
        """A region, and whether states are active in it."""
        if r >= 0 and r not in self.regions:
            self.regions.add(r)
            region = self.graph.loops.regions[r]
            if region.active >= 0:
                yield from self.carry(region.active)
            yield from self.region(region.parent)

    def read(self, k: int) -> Iterator[int]:
        """A series that is read, and the nodes of what wrote it."""
        if k not in self.reads:
            self.reads.add(k)
            (kind, source), regions, _ = self.graph.loops.reads[k]
            if kind == "kept":
                yield from self.write(source)
            for r in regions:
                yield from self.region(r)

    def write(self, w: int) -> Iterator[int]:
        """What is written, and where."""
        if w not in self.writes:
            self.writes.add(w)
            nodes, regions = self.graph.loops.writes[w]
            yield from nodes if w not in self.graph.loops.sparse else ()
            for r in regions:
                yield from self.region(r)

    def column(self, w: int, entry: int) -> Iterator[int]:
        """What is written as an entry of a row, in all rows."""
        if w in self.graph.loops.sparse:
            size, known = self.graph.loops.sparse[w], self.columns.setdefault(w, set())
            if entry % size not in known:
                known.add(entry % size)
                yield from self.graph.loops.writes[w][0][entry % size :: size]


def _renumbered(graph: Graph, order: Sequence[int], results: Results) -> tuple[tuple[Node, ...], Results]:
    new, nodes = [0] * (order[-1] + 1 if order else 0), graph.nodes
    kept: list[Node] = []
    for k, i in enumerate(order):
        new[i] = k
        x = nodes[i]
        if x[0] in LEAVES:
            kept.append(x)
        elif len(x) == 3:
            kept.append((x[0], new[x[1]], new[x[2]]))
        else:
            kept.append((x[0], *(new[j] for j in x[1:])))
    return tuple(kept), tuple(tuple([new[i] for i in result]) for result in results)


def _with_loops(
    graph: Graph, needed: _Needed, results: Results, series: dict[int, int]
) -> tuple[tuple[Node, ...], Results, Loops]:
    """The same with loops, whose tables are renumbered too."""
    table, scope = graph.loops, _scopes(graph, needed.nodes)
    regions = sorted(needed.regions, key=lambda r: (table.regions[r].closed, -r))
    order: list[int] = []
    spans: dict[int, tuple[int, int]] = {}
    members: dict[int, list[int]] = {}
    for i in sorted(needed.nodes):
        members.setdefault(scope[i], []).append(i)

    def place(region: int) -> None:
        begin = len(order)
        inner = [(table.regions[r].closed - 0.5, r) for r in regions if table.regions[r].parent == region]
        for key, r in sorted([*((float(i), -1) for i in members.get(region, ())), *inner]):
            if r < 0:
                order.append(int(key))
            else:
                place(r)
        spans[region] = begin, len(order)

    place(-1)
    new = {i: k for k, i in enumerate(order)}
    by_place = sorted(regions, key=lambda r: (spans[r][0], -spans[r][1], len(table.around(r))))
    at = {-1: -1} | {r: k for k, r in enumerate(by_place)}
    carries, reads = ({x: k for k, x in enumerate(sorted(xs))} for xs in (needed.carried, needed.reads))
    outputs = {write: output for output, write in series.items()}
    written = [(w, -1) for w in sorted(needed.writes)] + [(w, outputs[w]) for w in sorted(outputs)]
    kept = {w: k for k, (w, output) in enumerate(written) if output < 0}
    columns = {w: sorted(own) for w, own in needed.columns.items()}
    places = {w: {e: k for k, e in enumerate(own)} for w, own in columns.items()}

    def entry(w: int, e: int) -> int:
        """An entry, of all rows, of what is written, if only the columns are there that are read."""
        if w not in places:
            return e
        row, column = divmod(e, table.sparse[w])
        return row * len(places[w]) + places[w][column]

    def node(i: int) -> Node:
        x = graph.nodes[i]
        if x[0] in ("carry", "final"):
            return x[0], carries[x[1]]
        if x[0] == "item":
            kind, source = table.reads[x[1]][0]
            return x[0], reads[x[1]], entry(source, x[2]) if kind == "kept" else x[2]
        if x[0] == "element":
            return x[0], kept[x[1]], entry(x[1], x[2])
        return x if x[0] in LEAVES else (x[0], *(new[j] for j in x[1:]))

    def inside(i: int, region: int) -> int:
        if scope[i] not in (-1, *table.around(region)):
            raise InputError("a value that a step made for one pass of a loop is used outside of it; return it instead")
        return new[i]

    def write_of(w: int, output: int) -> Write:
        nodes, along = table.writes[w]
        rows, scope = table.tables.get(w, (0, -1))
        last = along[-1] if along else scope
        numbers: tuple[float, ...] = ()
        if w in table.numbers:
            numbers = tuple(np.stack([table.numbers[w][e] for e in columns[w]], axis=-1).ravel().tolist())
        elif w in columns:
            size = table.sparse[w]
            nodes = tuple(nodes[row + e] for row in range(0, len(nodes), size) for e in columns[w])
        return Write(
            tuple(inside(i, last) for i in nodes), tuple(at[r] for r in along), output, rows, at[scope], numbers
        )

    for k in reads:
        (kind, source), along, _ = table.reads[k]
        if kind == "kept":
            first = table.writes[source][1]
            inside_of = table.regions[first[0]].parent if first else table.tables[source][1]
            if inside_of not in (-1, *table.around(table.regions[along[0]].parent)):
                raise InputError(
                    "a series that a step made in one pass of a loop is used outside of it; return it instead"
                )

    loops = Loops(
        tuple(
            Region(x.length, at[x.parent], *spans[r], x.reverse, carries[x.active] if x.active >= 0 else -1)
            for r, x in ((r, table.regions[r]) for r in by_place)
        ),
        tuple(
            Carried(at[r], inside(first, table.regions[r].parent), inside(after, r))
            for r, first, after in (table.carried[c] for c in carries)
        ),
        tuple(
            Read(
                (kind, k if kind == "input" else kept[k]),
                tuple(at[r] for r in along),
                len(columns[k]) if kind == "kept" and k in columns else size,
            )
            for (kind, k), along, size in (table.reads[k] for k in reads)
        ),
        tuple(write_of(w, output) for w, output in written),
    )  # fmt: skip
    of_outputs = [tuple(inside(i, -1) for i in result) for result in results]
    for output, write in series.items():
        of_outputs[output] = tuple(new[i] for i in table.writes[write][0])
    return tuple(map(node, order)), tuple(of_outputs), loops


def _scopes(graph: Graph, needed: set[int]) -> list[int]:
    """For each node the innermost region on which it depends; an error if it depends on two, side by side."""
    table, found = graph.loops, all_scopes(graph)
    for i in needed:
        around = table.around(found[i])
        if any(found[j] >= 0 and found[j] not in around for j in operands(graph.nodes[i])):
            raise InputError("values that steps of two loops made for their passes are mixed; return them instead")
    return found
