"""Loops of a program as data: regions of its nodes that are run again and again.

A region is an interval of a program's nodes, its *body*; regions nest. Four kinds of leaves belong to loops:

    ("carry", c)      what was carried into this pass of a region
    ("item", r, e)    entry e of the row that read r has in this pass
    ("final", c)      what is carried in the end; it stands behind the region
    ("element", w, e) entry e, of all rows, of what write w left

Two more stand for several values, of which the operation `lookup` takes one by its number; they need no loop:

    ("column", k, s, n)  n scalar inputs of an array, from input k on in steps of s
    ("filled", w)        the entries of the table that write w is: numbers, or nodes that stand before

A *series* is an array with an axis along which a region runs. It is an input of the program, or it was written by a
region: to an output, or to memory that a later region reads. A *table* is a series of known length that was filled
outside of the region that reads it, or that is made of numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .ops import LEAVES, Node

Length = str | int
"""Of an axis: a name, if it is known only when the program is called."""


@dataclass(frozen=True)
class Region:
    """A loop over nodes begin…end."""

    length: Length
    """How often it is run; if `active` says so, at most."""
    parent: int
    """The region around it; -1: none."""
    begin: int
    end: int
    reverse: bool = False
    """Whether it runs from the last row to the first."""
    active: int = -1
    """The carried value that says, by 0, that a state has converged and keeps its values. -1: there is none."""


@dataclass(frozen=True)
class Carried:
    """A value that a region carries from pass to pass: the node it begins with, and the one at the end of a pass."""

    region: int
    initial: int
    next: int


@dataclass(frozen=True)
class Read:
    """A series that is read, row by row, in the last of some regions; each of them runs along one of its axes."""

    source: tuple[str, int]
    """("input", k), or ("kept", k): what write k left."""
    regions: tuple[int, ...]
    size: int
    """Entries of a row."""


@dataclass(frozen=True)
class Write:
    """A series that is written: the nodes of a row; to an output, or if that is -1 to memory.

    Of a table, which no region writes: the nodes of so many rows, which stand in a region `scope`, or in none; or, if
    it is constant, the numbers.
    """

    nodes: tuple[int, ...]
    regions: tuple[int, ...]
    output: int = -1
    rows: int = 0
    scope: int = -1
    numbers: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """Entries of a row."""
        return len(self.numbers or self.nodes) // (self.rows or 1)

    @property
    def inside(self) -> int:
        """The region in which it is written."""
        return self.regions[-1] if self.regions else self.scope


@dataclass(frozen=True)
class Loops:
    """All loops of a program."""

    regions: tuple[Region, ...] = ()
    carried: tuple[Carried, ...] = ()
    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()

    @property
    def are_choices(self) -> bool:
        """Whether all regions are run once at most, and no series is read or written: they choose between values."""
        once = all(x.length == 1 and x.active >= 0 for x in self.regions)
        return once and not self.reads and not any(w.regions for w in self.writes)

    def carried_by(self, region: int) -> list[int]:
        """The values that a region carries."""
        return [c for c, x in enumerate(self.carried) if x.region == region]

    def lengths(self, regions: tuple[int, ...]) -> tuple[Length, ...]:
        """How often each of some regions is run."""
        return tuple(self.regions[r].length for r in regions)

    def memory_read_by(self, region: int) -> set[int]:
        """The writes to memory of which a region reads a row in each pass."""
        return {x.source[1] for x in self.reads if x.regions[-1] == region and x.source[0] == "kept"}

    def within(self, region: int) -> list[int]:
        """The regions right inside of one; of -1, those inside of none, in their order."""
        return [r for r, x in enumerate(self.regions) if x.parent == region]

    def around(self, region: int) -> tuple[int, ...]:
        """A region and all around it, from the outermost one on."""
        return (*self.around(self.regions[region].parent), region) if region >= 0 else ()

    def layout(self, region: int, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """The nodes begin…end of a region in pieces: (begin, end) of what stands in no inner one, (-1, r) for those."""
        for r in sorted(self.within(region), key=lambda r: (self.regions[r].begin, self.regions[r].end)):
            if begin < self.regions[r].begin:
                yield begin, self.regions[r].begin
            yield -1, r
            begin = self.regions[r].end
        if begin < end:
            yield begin, end

    def with_nodes(self, place: Sequence[int], begin: Sequence[int]) -> Loops:
        """The loops of a program with other nodes: where each of the old ones is, and what begins with it."""
        return replace(
            self,
            regions=tuple(replace(x, begin=begin[x.begin], end=begin[x.end]) for x in self.regions),
            carried=tuple(replace(x, initial=place[x.initial], next=place[x.next]) for x in self.carried),
            writes=tuple(replace(x, nodes=tuple(place[i] for i in x.nodes)) for x in self.writes),
        )

    def scopes(self, nodes: int) -> list[int]:
        """For each node the innermost region that it stands in; -1: none."""
        found = [-1] * nodes
        for r, region in sorted(enumerate(self.regions), key=lambda x: len(self.around(x[0]))):
            found[region.begin : region.end] = [r] * (region.end - region.begin)
        return found


NO_LOOPS = Loops()
"""Those of a straight line."""


@dataclass(slots=True)
class OpenRegion:
    """A region of a graph: its nodes are those that depend on its leaves, or all that was made in it."""

    length: Length
    parent: int
    reverse: bool = False
    active: int = -1
    closed: int = -1
    """The number of nodes when it was closed: what it needs from outside is among them."""
    encloses: bool = False
    """Whether what was made while it was open stands in it, whatever it depends on: it is a body of `arrays.maybe`."""
    body: tuple[int, Any] = (-1, None)
    """Its `LoopBody`, as `loop_body.body` determined it when there were so many writes."""


@dataclass(slots=True)
class OpenCarried:
    """A value that a region of a graph carries from pass to pass, as `Carried`; `next` is -1 until it is known."""

    region: int
    initial: int
    next: int = -1


@dataclass(slots=True)
class OpenWrite:
    """A series of a graph that is written, as `Write`; whether it is an output is not decided here."""

    nodes: tuple[int, ...]
    regions: tuple[int, ...]
    rows: int = 0
    """Of a table: how many rows it has. A table of numbers has no nodes, but columns."""
    scope: int = -1
    """Of a table: the region in which it is filled; -1: none."""
    columns: int = 0
    """How many columns there are to choose from: a program has those that are read. 0: it has all."""
    numbers: list[npt.NDArray[np.float64]] = field(default_factory=list)
    """The columns of a table of numbers."""


class TableColumn(NamedTuple):
    """A column of a table: the write that fills the table, and the place in its rows."""

    write: int
    entry: int


@dataclass
class OpenLoops:
    """All loops of a graph, as `Loops` but with nodes of the graph, and what tracing needs to know of them."""

    regions: list[OpenRegion] = field(default_factory=list)
    carried: list[OpenCarried] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    read_numbers: dict[Read, int] = field(default_factory=dict)
    """The places of `reads`."""
    writes: list[OpenWrite] = field(default_factory=list)
    columns: dict[Hashable, TableColumn] = field(default_factory=dict)
    """Content of a column → the column that holds it: a table is filled once."""
    arrays: list[tuple[int, int]] = field(default_factory=list)
    """The scalar inputs of each argument that is an array: the first, and the one behind the last."""
    number_tables: dict[int, int] = field(default_factory=dict)
    """Number of rows → the write of the table of numbers with so many."""
    rolls: bool = False
    """Whether loops over rows that are known are written as such."""
    inside: list[int] = field(default_factory=list)
    """The regions that are being traced, from the outermost one on."""
    scopes: list[int] = field(default_factory=list)
    """For each node, as far as they are known, the innermost region that it belongs to; -1: none."""
    enclosures: list[tuple[int, int]] = field(default_factory=list)
    """From how many nodes on which region encloses what is made; -1: none."""

    def around(self, region: int) -> tuple[int, ...]:
        """A region and all around it, from the outermost one on."""
        return (*self.around(self.regions[region].parent), region) if region >= 0 else ()

    @property
    def innermost(self) -> int:
        """The region that is being traced; -1: none."""
        return self.inside[-1] if self.inside else -1

    def enclosed_by(self, node: int) -> int:
        """The innermost region that encloses a node, wherever its operands are from; -1: none."""
        place = bisect_right(self.enclosures, node, key=itemgetter(0))
        return self.enclosures[place - 1][1] if place else -1

    def read(self, source: tuple[str, int], regions: tuple[int, ...], size: int) -> int:
        """The number of a series that is read so, new or known."""
        number = self.read_numbers.setdefault(Read(source, regions, size), len(self.reads))
        if number == len(self.reads):
            self.reads.append(Read(source, regions, size))
        return number


class InnerNumbers(dict[Node, int]):
    """The numbers of nodes in an enclosing region: of its own ones, and of those that were known outside before."""

    def __init__(self, outside: dict[Node, int]) -> None:
        super().__init__()
        self.outside = outside

    def get(self, key: Node, default: Any = None) -> Any:
        """The number of a node."""
        index = super().get(key)
        return self.outside.get(key, default) if index is None else index

    def __setitem__(self, key: Node, index: int) -> None:
        if key[0] in LEAVES:  # what they stand for says where they belong
            self.outside[key] = index
        else:
            super().__setitem__(key, index)
