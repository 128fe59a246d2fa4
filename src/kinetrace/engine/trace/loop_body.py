"""Bodies of loops in a graph: the nodes of a pass, and values that they take from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from .expr import Expr, Graph
from .ops import operands
from .regions import OpenRegion


@dataclass(frozen=True)
class LoopBody:
    """A region, by nodes of its graph."""

    graph: Graph
    region: int
    carried: tuple[int, ...]
    """Values that it carries, and"""
    leaves: tuple[int, ...]
    """the leaves that stand for that in a pass."""
    initial: tuple[int, ...]
    next: tuple[int, ...]
    writes: tuple[int, ...]
    """The series that it writes, those of regions inside with an axis for it among them."""
    nodes: tuple[int, ...]
    """The nodes of a pass without those of regions inside, in their order."""
    outside: tuple[int, ...]
    """Nodes outside that they read, the regions inside too; not constants."""
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
        return self.graph.loops.writes[write].nodes


def region_of(graph: Graph, final: int) -> int:
    """The region whose carried value a final node is."""
    return graph.loops.carried[graph.nodes[final][1]].region


def body(graph: Graph, region: int) -> LoopBody:
    """The parts of a region; they are determined again once there are further writes."""
    entry, writes = graph.loops.regions[region], len(graph.loops.writes)
    known_writes, known = entry.body
    if known_writes == writes:
        return known
    parts = _BodySearch(graph, region)
    parts.search()
    table, carried = graph.loops, parts.carried
    new = LoopBody(
        graph=graph,
        region=region,
        carried=tuple(carried),
        leaves=tuple(graph.node("carry", c) for c in carried),
        initial=tuple(table.carried[c].initial for c in carried),
        next=tuple(table.carried[c].next for c in carried),
        writes=tuple(parts.writes),
        nodes=tuple(sorted(parts.inside)),
        outside=tuple(sorted(parts.outside)),
        reads=tuple(sorted(parts.reads)),
    )
    entry.body = writes, new
    return new


class _BodySearch:
    """Follows a region from what it carries on and writes, back to what it reads."""

    def __init__(self, graph: Graph, region: int) -> None:
        self.graph, self.table, self.region = graph, graph.loops, region
        self.carried = [c for c, x in enumerate(self.table.carried) if x.region == region]
        self.writes = [w for w, x in enumerate(self.table.writes) if x.regions[-1:] == (region,)]
        self.inside, self.outside, self.reads = set[int](), set[int](), set[int]()
        self.entered = set[int]()
        """The regions inside of this one, or before it, on which it depends."""
        self.pending = list[int]()

    def search(self) -> None:
        """Find all nodes of the region, and all that it reads."""
        self.pending += [self.table.carried[c].next for c in self.carried]
        self.pending += [i for w in self.writes for i in self.table.writes[w].nodes]
        for along in (write.regions for write in self.table.writes):
            if self.region in along[:-1]:
                self.enter(along[along.index(self.region) + 1])
        scopes, seen = all_scopes(self.graph), set[int]()
        while self.pending:
            i = self.pending.pop()
            if i in seen:
                continue
            seen.add(i)
            if scopes[i] == self.region:
                self.inside.add(i)
                self.follow(i)
            elif self.graph.nodes[i][0] != "const":
                self.outside.add(i)
        for kind, k in [self.table.reads[k].source for k in self.reads]:
            if kind == "kept":
                self.outside.update(self.before(k))

    def follow(self, i: int) -> None:
        """Go on to what a node of the region depends on."""
        node = self.graph.nodes[i]
        if node[0] == "final":
            self.enter(region_of(self.graph, i))
        elif node[0] == "item":
            self.reads.add(node[1])
        elif node[0] == "filled":
            self.pending += self.table.writes[node[1]].nodes
        else:
            self.pending += operands(node)

    def enter(self, other: int) -> None:
        """Go on to what another region, inside of this one or before it, needs."""
        if other not in self.entered:
            self.entered.add(other)
            inner, reads = body(self.graph, other), self.table.reads
            self.pending += inner.dependencies
            self.reads.update(
                k for k in inner.reads if self.region in reads[k].regions or reads[k].source[0] == "input"
            )

    def before(self, k: int) -> Iterable[int]:
        """The nodes on which a series that is read depends."""
        write = self.table.writes[k]
        if write.regions:
            return body(self.graph, write.regions[0]).dependencies
        return (i for i in write.nodes if self.graph.nodes[i][0] != "const")


def all_scopes(graph: Graph) -> list[int]:
    """For each node the innermost region on whose leaves it depends, or that encloses it; -1: none."""
    table, scopes = graph.loops, graph.loops.scopes
    depth = partial(_depth, graph)
    for i, node in enumerate(graph.nodes[len(scopes) :], len(scopes)):
        if node[0] in ("const", "input", "column"):
            scopes.append(-1)
        elif node[0] == "filled":
            scopes.append(table.writes[node[1]].scope)
        elif node[0] == "carry":
            scopes.append(table.carried[node[1]].region)
        elif node[0] == "final":
            scopes.append(table.regions[table.carried[node[1]].region].parent)
        elif node[0] == "item":
            scopes.append(table.reads[node[1]].regions[-1])
        elif node[0] == "element":
            scopes.append(table.regions[table.writes[node[1]].regions[0]].parent)
        else:
            scopes.append(max((scopes[j] for j in operands(node)), key=depth, default=-1))
            if table.enclosures:
                scopes[-1] = max(scopes[-1], table.enclosed_by(i), key=depth)
    return scopes


def _depth(graph: Graph, region: int) -> int:
    return len(graph.loops.around(region))


def final_nodes(graph: Graph, nodes: Sequence[int]) -> dict[int, list[int]]:
    """Region → those of the nodes that are final values of it."""
    found: dict[int, list[int]] = {}
    for i in nodes if graph.loops.regions else ():
        if graph.nodes[i][0] == "final":
            found.setdefault(region_of(graph, i), []).append(i)
    return found
