"""Which nodes of a graph the results need, and in which order they stand in a program.

A node belongs to the innermost region on whose leaves it depends; what a step made of other values alone stands before
the loop. A region stands where it was closed: all that it needs from outside was there then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from ...errors import InputError
from .expr import Graph
from .loop_body import all_scopes
from .ops import LEAVES, WITH_DERIVATIVES, Node, operands
from .regions import NO_LOOPS, Carried, Loops, OpenLoops, Read, Region, Write

Results: TypeAlias = Sequence[tuple[int, ...]]
OrderedNodes: TypeAlias = tuple[tuple[Node, ...], Results, Loops]
_LEAVES_OF_LOOPS = ("carry", "final", "item", "element", "filled")


def in_order(graph: Graph, results: Results, series: dict[int, int]) -> OrderedNodes:
    """Only the nodes that the results need, renumbered; `series` maps outputs that are series to the graph's writes."""
    if graph.with_derivatives:
        results = _values_alone(graph, results)
    if not graph.loops.regions and not graph.loops.writes:
        return (*_straight_line(graph, straight(graph, chain.from_iterable(results)), results), NO_LOOPS)
    needed = _Needed(graph)
    needed.follow([*chain.from_iterable(results)])
    for write in series.values():
        needed.follow(graph.loops.writes[write].nodes, graph.loops.writes[write].regions)
    return _with_loops(graph, needed, results, series)


def _values_alone(graph: Graph, results: Results) -> Results:
    """Results, and all nodes, that read values themselves where these have the derivatives of others.

    What loops end with that never begin, which are there for their derivatives, is what they begin with.
    """
    nodes, values, carried = graph.nodes, dict[int, Any](), graph.loops.carried
    active = {r: carried[x.active].initial for r, x in enumerate(graph.loops.regions) if x.active >= 0}
    never = {r for r, i in active.items() if nodes[i] == ("const", 0.0)}
    for i, node in enumerate(nodes):
        if node[0] == WITH_DERIVATIVES:
            values[i] = values.get(node[1], node[1])
        elif node[0] == "final" and carried[node[1]].region in never:
            begin = carried[node[1]].initial
            values[i] = values.get(begin, begin)
        elif any(j in values for j in operands(node)):
            nodes[i] = (node[0], *(values.get(j, j) for j in node[1:]))
    for x in carried:
        x.initial, x.next = values.get(x.initial, x.initial), values.get(x.next, x.next)
    for write in graph.loops.writes:
        write.nodes = tuple(values.get(i, i) for i in write.nodes)
    return [tuple(values.get(i, i) for i in result) for result in results]


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
    """Nodes, carried values and writes that are needed, by numbers of the graph."""

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
                pending.extend(operands(node) if node[0] not in _LEAVES_OF_LOOPS else self.behind(node))

    def behind(self, node: Node) -> Iterator[int]:
        """Nodes behind a leaf of a loop."""
        if node[0] == "item":
            yield from self.read(node[1])
            kind, source = self.graph.loops.reads[node[1]].source
            if kind == "kept":
                yield from self.column(source, node[2])
        elif node[0] == "element":
            yield from self.write(node[1])
            yield from self.column(node[1], node[2])
        elif node[0] == "filled":
            yield from self.write(node[1])
            yield from self.column(node[1], 0)
        else:
            yield from self.carry(node[1])

    def carry(self, c: int) -> Iterator[int]:
        """First and next values of a carried value."""
        if c not in self.carried:
            self.carried.add(c)
            carried = self.graph.loops.carried[c]
            yield from (carried.initial, carried.next, self.graph.node("carry", c))
            yield from self.region(carried.region)

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
            read = self.graph.loops.reads[k]
            kind, source = read.source
            if kind == "kept":
                yield from self.write(source)
            for r in read.regions:
                yield from self.region(r)

    def write(self, w: int) -> Iterator[int]:
        """Nodes of a write: values and places."""
        if w not in self.writes:
            self.writes.add(w)
            write = self.graph.loops.writes[w]
            yield from write.nodes if not write.columns else ()
            for r in write.regions:
                yield from self.region(r)

    def column(self, w: int, entry: int) -> Iterator[int]:
        """Nodes that are written as one entry of a row, in all rows."""
        write = self.graph.loops.writes[w]
        if write.columns:
            column, known = entry % write.columns, self.columns.setdefault(w, set())
            if column not in known:
                known.add(column)
                yield from write.nodes[column :: write.columns]


def _straight_line(graph: Graph, order: Sequence[int], results: Results) -> tuple[tuple[Node, ...], Results]:
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


def _with_loops(graph: Graph, needed: _Needed, results: Results, series: dict[int, int]) -> OrderedNodes:
    """The same with loops, whose tables are renumbered too."""
    new = _Renumbering(graph, needed, series)
    new.check_series()
    return tuple(map(new.node, new.order.nodes)), new.results(results), new.loops()


@dataclass(frozen=True)
class _Order:
    """Needed nodes and regions of a graph in the order in which they stand in a program."""

    nodes: list[int]
    regions: list[int]
    spans: dict[int, tuple[int, int]]
    """Region → the places of its nodes: the first, and the one behind the last."""

    @staticmethod
    def of(table: OpenLoops, scopes: Sequence[int], needed: _Needed) -> _Order:
        """The nodes of a region stand together; a region stands where it was closed."""
        entries: dict[int, list[tuple[int, bool, int]]] = {}
        """Region → what stands in it: behind how many nodes of the graph, whether it is a node, and which."""
        for r in needed.regions:
            entries.setdefault(table.regions[r].parent, []).append((table.regions[r].closed, False, r))
        for i in needed.nodes:
            entries.setdefault(scopes[i], []).append((i, True, i))
        order = _Order([], [], {})
        order.place(-1, entries)
        regions = sorted(needed.regions, key=lambda r: (table.regions[r].closed, -r))
        order.regions.extend(
            sorted(regions, key=lambda r: (order.spans[r][0], -order.spans[r][1], len(table.around(r))))
        )
        return order

    def place(self, region: int, entries: Mapping[int, list[tuple[int, bool, int]]]) -> None:
        """Put the nodes of a region, and of those inside of it, behind those that have a place."""
        begin = len(self.nodes)
        for _, is_node, k in sorted(entries.get(region, ())):
            if is_node:
                self.nodes.append(k)
            else:
                self.place(k, entries)
        self.spans[region] = begin, len(self.nodes)


class _Renumbering:
    """From numbers in a graph to those in a program, of all that is needed."""

    def __init__(self, graph: Graph, needed: _Needed, series: dict[int, int]) -> None:
        self.graph, self.table, self.series = graph, graph.loops, series
        self.scopes = _scopes(graph, needed.nodes)
        self.order = _Order.of(self.table, self.scopes, needed)
        self.nodes = _places(self.order.nodes)
        self.regions = {-1: -1} | _places(self.order.regions)
        self.carried = _places(sorted(needed.carried))
        self.reads = _places(sorted(needed.reads))
        self.writes = _places(sorted(needed.writes))
        """Of what is written to memory; outputs are written behind it."""
        self.columns = {w: _places(sorted(entries)) for w, entries in needed.columns.items()}
        """Write of which only some columns are read → entry of a row → its place among those."""
        self.visible: dict[int, set[int]] = {}
        """Region → the regions whose nodes can be read in it."""

    def node(self, i: int) -> Node:
        """A node of the program."""
        x = self.graph.nodes[i]
        if x[0] in ("carry", "final"):
            return x[0], self.carried[x[1]]
        if x[0] == "item":
            kind, source = self.table.reads[x[1]].source
            return x[0], self.reads[x[1]], self.entry(source, x[2]) if kind == "kept" else x[2]
        if x[0] == "element":
            return x[0], self.writes[x[1]], self.entry(x[1], x[2])
        if x[0] == "filled":
            return x[0], self.writes[x[1]]
        return x if x[0] in LEAVES else (x[0], *(self.nodes[j] for j in x[1:]))

    def entry(self, write: int, entry: int) -> int:
        """An entry, of all rows, of what is written, if only the columns are there that are read."""
        if write not in self.columns:
            return entry
        row, column = divmod(entry, self.table.writes[write].columns)
        return row * len(self.columns[write]) + self.columns[write][column]

    def is_visible(self, scope: int, region: int) -> bool:
        """Whether what stands in one region can be read in another: in that itself, and in those inside of it."""
        if region not in self.visible:
            self.visible[region] = {-1, *self.table.around(region)}
        return scope in self.visible[region]

    def inside(self, i: int, region: int) -> int:
        """The number of a node that is read in a region; an error if it is a value of a pass of another one."""
        if not self.is_visible(self.scopes[i], region):
            raise InputError("a value that a step made for one pass of a loop is used outside of it; return it instead")
        return self.nodes[i]

    def check_series(self) -> None:
        """An error if a series is read where it is not known."""
        for read in (self.table.reads[k] for k in self.reads):
            kind, k = read.source
            if kind == "kept":
                write = self.table.writes[k]
                scope = self.table.regions[write.regions[0]].parent if write.regions else write.scope
                if not self.is_visible(scope, self.table.regions[read.regions[0]].parent):
                    raise InputError(
                        "a series that a step made in one pass of a loop is used outside of it; return it instead"
                    )

    def loops(self) -> Loops:
        """The loops of the program."""
        outputs = {write: output for output, write in self.series.items()}
        return Loops(
            regions=tuple(map(self.region, self.order.regions)),
            carried=tuple(map(self.carried_value, self.carried)),
            reads=tuple(map(self.read, self.reads)),
            writes=(*(self.write(w) for w in self.writes), *(self.write(w, outputs[w]) for w in sorted(outputs))),
        )

    def region(self, r: int) -> Region:
        """A region of the program."""
        region, (begin, end) = self.table.regions[r], self.order.spans[r]
        return Region(
            length=region.length,
            parent=self.regions[region.parent],
            begin=begin,
            end=end,
            reverse=region.reverse,
            active=self.carried[region.active] if region.active >= 0 else -1,
        )

    def carried_value(self, c: int) -> Carried:
        """A value that is carried."""
        carried = self.table.carried[c]
        return Carried(
            region=self.regions[carried.region],
            initial=self.inside(carried.initial, self.table.regions[carried.region].parent),
            next=self.inside(carried.next, carried.region),
        )

    def read(self, k: int) -> Read:
        """A series that is read."""
        read = self.table.reads[k]
        kind, source = read.source
        return Read(
            source=(kind, self.writes[source] if kind == "kept" else source),
            regions=tuple(self.regions[r] for r in read.regions),
            size=len(self.columns[source]) if kind == "kept" and source in self.columns else read.size,
        )

    def write(self, w: int, output: int = -1) -> Write:
        """A series that is written, to memory or to an output."""
        write, columns = self.table.writes[w], self.columns.get(w)
        nodes, numbers = write.nodes, tuple[float, ...]()
        if columns is not None and write.numbers:
            numbers = tuple(np.stack([write.numbers[e] for e in columns], axis=-1).ravel().tolist())
        elif columns is not None:
            nodes = tuple(nodes[row + e] for row in range(0, len(nodes), write.columns) for e in columns)
        innermost = write.regions[-1] if write.regions else write.scope
        return Write(
            nodes=tuple(self.inside(i, innermost) for i in nodes),
            regions=tuple(self.regions[r] for r in write.regions),
            output=output,
            rows=write.rows,
            scope=self.regions[write.scope],
            numbers=numbers,
        )

    def results(self, results: Results) -> Results:
        """The nodes of the outputs; of series, those of a row."""
        rows = {output: self.table.writes[w].nodes for output, w in self.series.items()}
        return tuple(
            tuple(self.nodes[i] for i in rows[k]) if k in rows else tuple(self.inside(i, -1) for i in result)
            for k, result in enumerate(results)
        )


def _places(xs: Iterable[int]) -> dict[int, int]:
    """The place of each."""
    return {x: k for k, x in enumerate(xs)}


def _scopes(graph: Graph, needed: set[int]) -> list[int]:
    """For each node the innermost region on which it depends; an error if it depends on two, side by side."""
    table, scopes = graph.loops, all_scopes(graph)
    around = {r: {-1, *table.around(r)} for r in range(-1, len(table.regions))}
    for i in needed:
        if not all(scopes[j] in around[scopes[i]] for j in operands(graph.nodes[i])):
            raise InputError("values that steps of two loops made for their passes are mixed; return them instead")
    return scopes
