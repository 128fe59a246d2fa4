"""The items of a program for vectors of states: its operations, the moves of its arrays, and its loops.

A *vector group* of an argument, as many neighbouring entries as there are lanes, is one item. A product that only one
sum reads is part of it, a*b + c with one rounding, if the machine has that: decided here, so that one state and a batch
agree to the bit. With one lane nothing needs to be exchanged, and inputs are read wherever they are used.

What a loop carries from pass to pass is put in place before it ("enter") and at the end of a pass ("latch"). What it
writes for another loop to read is kept apart ("keep", "fetch"; see `memory`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from ...support.attributes import cached_property
from ..trace import Argument, Program
from ..trace.ops import COLUMNS, LEAVES, LOOKUP, operands
from .memory import SCALAR_BYTES, SeriesPlace, series_places, wide_regions

SINCOS_ANGLES = 4
"""Angles whose sines and cosines are computed together."""
LONG_ROW_BYTES = 1024
"""Bytes of a row from which an output may be computed in scratch rows; see `targets.llvm.gufunc_loop`."""


class Item(NamedTuple):
    """A piece of the line: an operation, the move of a vector group, or what a loop takes."""

    kind: str
    """ "compute", "load" or "store"; "keep" or "fetch" for series that are kept; "enter", "loop" and "latch"."""
    nodes: tuple[int, ...]
    """Nodes that are computed (one, or sines and cosines of angles), or the entries; -1 for one that is not needed."""
    argument: int = 0
    """Of the inputs, or of the outputs; the write of a kept series; the region of a loop."""
    entry: int = 0
    """The first one."""


@dataclass(frozen=True)
class ProgramItems:
    """A program for vectors of `lanes` states, as items: which there are, and what they read."""

    program: Program
    lanes: int
    dtype: str
    fuses: bool = False
    """Whether a product and a sum are one operation."""
    passes: int = 1
    """With one lane: how many passes of a loop over tables are taken at once; see `memory`."""
    joins: bool = False
    """Whether tables are read where loops left them; see `memory`."""

    @cached_property
    def wide_regions(self) -> set[int]:
        """The loops of which several passes are taken at once."""
        return wide_regions(self.program.loops) if self.passes > 1 and self.program.loops.regions else set()

    @cached_property
    def series_places(self) -> dict[int, SeriesPlace]:
        """Where kept series stand in one memory, those of known length."""
        return series_places(self.program, self.wide_regions, self.passes) if self.joins else {}

    def width(self, scope: int) -> int:
        """Lanes of the values of a region."""
        return self.passes if scope in self.wide_regions else self.lanes

    @cached_property
    def series_count(self) -> int:
        """Values per tile in the memory of these."""
        return max((place.end for place in self.series_places.values()), default=0)

    def is_along(self, item: Item, scope: int) -> bool:
        """Whether the address of an item moves from pass to pass."""
        loops, node = self.program.loops, self.program.nodes[item.nodes[0]]
        return scope in loops.writes[item.argument].regions if item.kind == "keep" else node[0] == "item"

    def table_nodes(self, k: int) -> tuple[int, ...]:
        """The nodes of a table that are put there."""
        nodes = self.program.loops.writes[k].nodes
        return (
            nodes[: self.series_places[k].new_rows * self.series_places[k].size] if k in self.series_places else nodes
        )

    @property
    def value(self) -> int:
        """Bytes of a value."""
        return self.lanes * self.size

    @property
    def size(self) -> int:
        """Bytes of a scalar."""
        return SCALAR_BYTES[self.dtype]

    def vector_groups(self, entries: int) -> tuple[int, list[int]]:
        """How many entries of a row are moved at once, a power of two, and where; the last ones may overlap others."""
        side = min(self.lanes, 1 << max(0, entries.bit_length() - 1))
        return side, [min(e, entries - side) for e in range(0, entries, side)]

    @cached_property
    def scopes(self) -> list[int]:
        """For each node the innermost region that it stands in; -1: none."""
        return self.program.loops.scopes(len(self.program.nodes))

    @cached_property
    def fused_products(self) -> dict[int, int]:
        """Sum → the product that is part of it: of two, the one whose factors are known later."""
        nodes, loops, scopes = self.program.nodes, self.program.loops, self.scopes
        readers = Counter(j for node in nodes for j in operands(node))
        readers.update(i for result in self.program.results for i in result)
        readers.update(i for c in loops.carried for i in (c.initial, c.next))
        readers.update(i for w in loops.writes for i in w.nodes)
        depth = [0] * len(nodes)
        found: dict[int, int] = {}
        for i, node in enumerate(nodes):
            depth[i] = 1 + max((depth[j] for j in operands(node)), default=0)
            if self.fuses and node[0] in ("add", "sub"):
                products = [j for j in node[1:] if nodes[j][0] == "mul" and readers[j] == 1 and scopes[j] == scopes[i]]
                if products:
                    found[i] = max(products, key=depth.__getitem__)
        return found

    @cached_property
    def within_sums(self) -> set[int]:
        """Products that are part of sums."""
        return set(self.fused_products.values())

    def operands(self, i: int) -> tuple[int, ...]:
        """The nodes that the operation of node i reads: of a fused sum, the factors, then the other summand.

        Of a lookup that is the number of the entry; the column is in memory.
        """
        node = self.program.nodes[i]
        if node[0] == LOOKUP:
            return node[2:]
        if i not in self.fused_products:
            return operands(node)
        j = self.fused_products[i]
        return (*self.program.nodes[j][1:], node[2] if node[1] == j else node[1])

    @cached_property
    def early_sincos(self) -> set[int]:
        """Sines and cosines of leaves, or of what one operation makes of them that is neither: none needs another."""
        nodes = self.program.nodes
        trig = [node[0] in ("sin", "cos") for node in nodes]
        late = ("final", "element", *COLUMNS)
        given = [node[0] in LEAVES and node[0] not in late for node in nodes]
        shallow = [
            not trig[i] and node[0] not in late and all(given[j] for j in operands(node))
            for i, node in enumerate(nodes)
        ]
        return {i for i, node in enumerate(nodes) if trig[i] and shallow[node[1]]}

    @cached_property
    def _trigonometric(self) -> list[int]:
        return [i for i, node in enumerate(self.program.nodes) if node[0] in ("sin", "cos")]

    def sincos_groups(self, scope: int) -> list[tuple[int, ...]]:
        """Sines and cosines that are computed together: of one angle, or of SINCOS_ANGLES early ones, which come first.

        They branch, for large angles, and values in registers would have to make way for that.
        """
        of_angle: dict[int, list[int]] = {}
        for i in self._trigonometric:
            if self.scopes[i] == scope:
                of_angle.setdefault(self.program.nodes[i][1], []).append(i)
        early = [group for group in of_angle.values() if group[0] in self.early_sincos]
        late = [tuple(group) for group in of_angle.values() if group[0] not in self.early_sincos]
        some = [early[k : k + SINCOS_ANGLES] for k in range(0, len(early), SINCOS_ANGLES)]
        return [*(tuple(i for group in groups for i in group) for groups in some), *late]

    @cached_property
    def group_of(self) -> dict[int, Item]:
        """Node of an input, or of a row that a loop reads → the item that loads it."""
        nodes = self.program.nodes
        place = {node[1:]: i for i, node in enumerate(nodes) if node[0] in ("input", "item")}
        found: dict[int, Item] = {}
        start = 0
        for k, a in enumerate(self.program.inputs):
            self._group(found, k, [place.get((s,), -1) for s in range(start, start + a.size)])
            start += a.size
        for r, read in enumerate(self.program.loops.reads):
            row = [place.get((r, e), -1) for e in range(read.size)]
            if read.source[0] == "input":
                self._group(found, read.source[1], row)
            else:
                found.update((i, Item("fetch", (i,), read.source[1], e)) for e, i in enumerate(row) if i >= 0)
        found.update((i, Item("fetch", (i,), *x[1:])) for i, x in enumerate(nodes) if x[0] == "element")
        return found

    def _group(self, found: dict[int, Item], argument: int, row: list[int]) -> None:
        """The vector groups of a row, by the nodes in them."""
        side, begins = self.vector_groups(len(row))
        for e in begins:
            item = Item("load", tuple(-1 if i in found else i for i in row[e : e + side]), argument, e)
            found.update((i, item) for i in item.nodes if i >= 0)

    @cached_property
    def carry_nodes(self) -> list[int]:
        """The leaves of all carried values."""
        place = {node[1]: i for i, node in enumerate(self.program.nodes) if node[0] == "carry"}
        return [place[c] for c in range(len(self.program.loops.carried))]

    def stores(self, scope: int) -> list[Item]:
        """Items that are written in a region, or outside of all."""
        loops = self.program.loops
        written = [w for w in enumerate(loops.writes) if w[1].inside == scope]
        kept = [Item("keep", (i,), k, e) for k, w in written if w.output < 0 for e, i in enumerate(self.table_nodes(k))]
        rows = [(w.output, w.nodes) for _, w in written if w.output >= 0]
        if scope < 0:
            series = {w.output for w in loops.writes}
            rows = [(k, result) for k, result in enumerate(self.program.results) if k not in series]
        return kept + [
            Item("store", result[e : e + side], k, e)
            for k, result in rows
            for side, begins in [self.vector_groups(len(result))]
            for e in begins
        ]

    @cached_property
    def constants(self) -> list[Item]:
        """The vector groups of long rows that hold constants alone, mostly zeros."""
        nodes, long = self.program.nodes, {k for k, a in enumerate(self.program.outputs) if self.is_long(a)}
        rows = [x for x in self.stores(-1) if x.kind == "store" and x.argument in long]
        return [x for x in rows if all(nodes[i][0] == "const" for i in x.nodes)]

    def is_long(self, output: Argument) -> bool:
        """Whether rows of this size may be computed in scratch rows."""
        return not output.dims and output.size * self.size >= LONG_ROW_BYTES

    def reads(self, item: Item) -> tuple[int, ...]:
        """The nodes that an item reads."""
        if item.kind in ("load", "fetch", "loop"):
            return ()
        if item.kind in ("store", "keep"):
            return item.nodes
        if item.kind in ("enter", "latch"):
            return self._around_loop(item)
        if len(item.nodes) == 1:
            return self.operands(item.nodes[0])
        return tuple(dict.fromkeys(self.program.nodes[i][1] for i in item.nodes))

    def _around_loop(self, item: Item) -> tuple[int, ...]:
        """Nodes that a loop begins with, or that are carried on."""
        loops = self.program.loops
        own = [loops.carried[c] for c in loops.carried_by(item.argument)]
        if item.kind == "enter":
            return tuple(c.initial for c in own)
        old = item.nodes if loops.regions[item.argument].active >= 0 else ()
        return (*(c.next for c in own), *old)
