"""Loops of a program as data: regions of its nodes that are run again and again.

A region is an interval of a program's nodes, its *body*; regions nest. Four kinds of leaves belong to loops:

    ("carry", c)      what was carried into this pass of a region
    ("item", r, e)    entry e of the row that read r has in this pass
    ("final", c)      what is carried in the end; it stands behind the region
    ("element", w, e) entry e, of all rows, of what write w left

A *series* is an array with an axis along which a region runs. It is an input of the program, or it was written by a
region: to an output, or to memory that a later region reads. A *table* is a series of known length that was filled
outside of the region that reads it, or that is made of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

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

    def carried_by(self, region: int) -> list[int]:
        """The values that a region carries."""
        return [c for c, x in enumerate(self.carried) if x.region == region]

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

    def scopes(self, nodes: int) -> list[int]:
        """For each node the innermost region that it stands in; -1: none."""
        found = [-1] * nodes
        for r, region in sorted(enumerate(self.regions), key=lambda x: len(self.around(x[0]))):
            found[region.begin : region.end] = [r] * (region.end - region.begin)
        return found


NONE = Loops()
"""Those of a straight line."""


@dataclass
class OpenRegion:
    """A region of a graph: its nodes are those that depend on its leaves."""

    length: Length
    parent: int
    reverse: bool = False
    active: int = -1
    closed: int = -1
    """The number of nodes when it was closed: what it needs from outside is among them."""


@dataclass
class OpenLoops:
    """All loops of a graph, as `regions.Loops` but with nodes of the graph."""

    regions: list[OpenRegion] = field(default_factory=list)
    carried: list[list[int]] = field(default_factory=list)
    """Region, first node, next node."""
    reads: list[tuple[tuple[str, int], tuple[int, ...], int]] = field(default_factory=list)
    """Source, regions, entries of a row."""
    writes: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    """Nodes of a row, regions."""
    tables: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Write of a table → its rows, and the region in which it is filled."""
    sparse: dict[int, int] = field(default_factory=dict)
    """Write of which a program has only the columns that are read → the entries of a row that there are here."""
    numbers: dict[int, list[npt.NDArray[np.float64]]] = field(default_factory=dict)
    """Write of a table of numbers → its columns."""
    columns: dict[Any, tuple[int, int]] = field(default_factory=dict)
    """What a column of a table holds → that table's write, and the place in a row."""
    bodies: dict[tuple[int, int], Any] = field(default_factory=dict)
    """(Region, writes there were) → what `bodies` found out about it."""
    rolls: bool = False
    """Whether loops over rows that are known are written as such."""
    inside: list[int] = field(default_factory=list)
    """The regions that are being traced, from the outermost one on."""
    scopes: list[int] = field(default_factory=list)
    """For each node, as far as somebody has asked, the innermost region on whose leaves it depends; -1: none."""

    def around(self, region: int) -> tuple[int, ...]:
        """A region and all around it, from the outermost one on."""
        return (*self.around(self.regions[region].parent), region) if region >= 0 else ()

    def read(self, source: tuple[str, int], regions: tuple[int, ...], size: int) -> int:
        """The number of a series that is read so, new or known."""
        found = (source, regions, size)
        if found not in self.reads:
            self.reads.append(found)
        return self.reads.index(found)
