"""What a loop of a graph is made of: the nodes of a pass, and what they take from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from .expr import Expr, Graph
from .ops import operands
from .regions import OpenRegion


@dataclass(frozen=True)
class Body:
    """A region, by nodes of its graph."""

    graph: Graph
    region: int
    carried: tuple[int, ...]
    """What it carries, and"""
    leaves: tuple[int, ...]
    """the leaves that stand for that in a pass."""
    initial: tuple[int, ...]
    next: tuple[int, ...]
    writes: tuple[int, ...]
    """The series that it writes, those of regions inside with an axis for it among them."""
    nodes: tuple[int, ...]
    """The nodes of a pass without those of regions inside, in their order."""
    outside: tuple[int, ...]
    """What they read from outside, the regions inside too; not constants."""
    reads: tuple[int, ...]
    """The series that it reads row by row."""

    @property
    def open(self) -> OpenRegion:
        """Its entry in the graph's table."""
        return self.graph.loops.regions[self.region]

    @property
    def active(self) -> int:
        """The place, among what is carried, of what says that a state is active; -1 if there is none."""
        return self.carried.index(self.open.active) if self.open.active >= 0 else -1

    @property
    def dependencies(self) -> tuple[int, ...]:
        """All nodes outside on which the region depends."""
        return (*self.initial, *self.outside)

    def expressions(self, nodes: Iterable[int]) -> list[Expr]:
        """Nodes as expressions."""
        return [Expr(self.graph, i, False) for i in nodes]

    def row(self, write: int) -> tuple[int, ...]:
        """The nodes of a row that is written."""
        return self.graph.loops.writes[write][0]


def region_of(graph: Graph, final: int) -> int:
    """The region whose carried value a final node is."""
    return int(graph.loops.carried[graph.nodes[final][1]][0])


def body(graph: Graph, region: int) -> Body:
    """The region's parts; it may have got further writes since somebody asked."""
    known, key = graph.loops.bodies, (region, len(graph.loops.writes))
    if key not in known:
        known[key] = _body(graph, region)
    return known[key]


def _body(graph: Graph, region: int) -> Body:
    table, scopes = graph.loops, all_scopes(graph)
    carried = tuple(c for c, x in enumerate(table.carried) if x[0] == region)
    after = tuple(table.carried[c][2] for c in carried)
    writes = tuple(w for w, (_, along) in enumerate(table.writes) if along[-1:] == (region,))
    inside, outside, reads, inner = set[int](), set[int](), set[int](), set[int]()
    pending, seen = [*after, *(i for w in writes for i in table.writes[w][0])], set[int]()

    def enter(other: int) -> None:
        """What a region that stands in this one, or before it, needs."""
        if other not in inner:
            inner.add(other)
            found = body(graph, other)
            pending.extend(found.dependencies)
            reads.update(k for k in found.reads if region in table.reads[k][1] or table.reads[k][0][0] == "input")

    for _, along in table.writes:
        if region in along[:-1]:
            enter(along[along.index(region) + 1])
    while pending:
        i = pending.pop()
        if i in seen:
            continue
        seen.add(i)
        node = graph.nodes[i]
        if scopes[i] != region:
            outside.update([i] if node[0] != "const" else [])
            continue
        inside.add(i)
        if node[0] == "final":
            enter(region_of(graph, i))
        elif node[0] == "item":
            reads.add(node[1])
        else:
            pending += operands(node)
    for source in (table.reads[k][0] for k in reads):
        if source[0] == "kept" and table.writes[source[1]][1]:
            outside.update(body(graph, table.writes[source[1]][1][0]).dependencies)
        elif source[0] == "kept":
            outside.update(i for i in table.writes[source[1]][0] if graph.nodes[i][0] != "const")
    return Body(
        *(graph, region, carried, tuple(graph.node("carry", c) for c in carried)),
        *(tuple(table.carried[c][1] for c in carried), after, writes),
        *(tuple(sorted(inside)), tuple(sorted(outside)), tuple(sorted(reads))),
    )


def all_scopes(graph: Graph) -> list[int]:
    """For each node the innermost region on whose leaves it depends; -1: none."""
    table, found = graph.loops, graph.loops.scopes
    depth = partial(_depth, graph)
    for node in graph.nodes[len(found) :]:
        if node[0] == "carry":
            found.append(table.carried[node[1]][0])
        elif node[0] == "final":
            found.append(table.regions[table.carried[node[1]][0]].parent)
        elif node[0] == "item":
            found.append(table.reads[node[1]][1][-1])
        elif node[0] == "element":
            found.append(table.regions[table.writes[node[1]][1][0]].parent)
        else:
            found.append(max((found[j] for j in operands(node)), key=depth, default=-1))
    return found


def _depth(graph: Graph, region: int) -> int:
    return len(graph.loops.around(region))


def final_nodes(graph: Graph, nodes: Sequence[int]) -> dict[int, list[int]]:
    """Region → those of the nodes that are final values of it."""
    found: dict[int, list[int]] = {}
    for i in nodes if graph.loops.regions else ():
        if graph.nodes[i][0] == "final":
            found.setdefault(region_of(graph, i), []).append(i)
    return found
