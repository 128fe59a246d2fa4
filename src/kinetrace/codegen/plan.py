"""How a program is cut into blocks, and where its values live between them.

The line of a program is its operations, and among them the moves of its arrays: a *vector group* of an argument, as
many neighbouring entries as there are lanes, is loaded before the first operation that reads one of them, and stored as
soon as its last entry is known. A product that only one sum reads is part of it, a*b + c with one rounding, if the
machine has that: decided here, so that one state and a batch agree to the bit. With one lane nothing needs to be
exchanged, and inputs are read wherever they are used.

The line is cut into blocks of about BLOCK operations, each run over all tiles of a strip before the next, so that its
code stays in the instruction cache. Values that cross from block to block live in slots, [tile][slot][lane], reused by
liveness.

A loop of a program (`trace.regions`) is a loop around blocks: each pass runs them over all tiles of a strip.
What is carried from pass to pass has a slot of its own, which is filled before the loop ("enter") and by the last block
of a pass ("latch"). What is written for another loop to read is kept apart, [tile][row][entry][lane].
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from ..support.lazy import cached_property
from ..trace import Argument, Program
from ..trace.ops import LEAVES, operands
from .items import Item, Loop, Piece, flat
from .kept import KeptPlace, kept_places, left_by_recurrences, wide_regions
from .ordering import Ordering
from .slots import slots

BLOCK, SMALL = 800, 250
"""Operations in a block, and in one of a program whose rows leave room for no second tile: its code is used once in a
strip, however it is cut, and fewer values are kept apart in a small block."""
MOVE = 3
"""What an entry that is loaded or stored counts for in a block: LLVM's time grows with the square of the stores."""
SINCOS, SINCOS_ANGLES = 40, 4
"""What the sine and the cosine of an angle count for in a block, and how many angles are taken together."""
TILES, STRIP = 8, 1 << 19
"""Tiles in a strip (the states that all blocks work on before the next ones) at most, and bytes of their slots and
rows, and of what recurrences leave."""
MUCH, MANY = 1 << 15, 10_000
"""Bytes of a tile's results and nodes of a program from which a strip is one tile in small blocks: results of several
tiles would leave the nearest caches long before they are complete. C, ∂v̇ and compact ∂τ of a humanoid gain 7–11 %;
M, and ∂τ of a quadruped, which are shorter, would lose up to 8 %."""
LONG = 1024
"""Bytes of a row from which an output may be computed in scratch rows; see `loop`."""
SIZES = {"double": 8, "float": 4}
"""Bytes of a scalar."""


@dataclass(frozen=True)
class Plan:
    """A program for vectors of `lanes` states."""

    program: Program
    lanes: int
    dtype: str
    fuses: bool = False
    """Whether a product and a sum are one operation."""
    passes: int = 1
    """With one lane: how many passes of a loop over tables are taken at once; see `kept`."""
    joins: bool = False
    """Whether tables are read where loops left them; see `kept`."""

    @cached_property
    def wide_regions(self) -> set[int]:
        """The loops of which several passes are taken at once."""
        return wide_regions(self.program.loops) if self.passes > 1 and self.program.loops.regions else set()

    @cached_property
    def kept_places(self) -> dict[int, KeptPlace]:
        """Where kept series stand in one memory, those of known length."""
        return kept_places(self.program, self.wide_regions, self.passes) if self.joins else {}

    def width(self, scope: int) -> int:
        """Lanes of the values of a region."""
        return self.passes if scope in self.wide_regions else self.lanes

    @cached_property
    def kept_count(self) -> int:
        """Values per tile in the memory of these."""
        return max((place.end for place in self.kept_places.values()), default=0)

    def is_along(self, item: Item, scope: int) -> bool:
        """Whether the address of an item moves from pass to pass."""
        loops, node = self.program.loops, self.program.nodes[item.nodes[0]]
        return scope in loops.writes[item.argument].regions if item.kind == "keep" else node[0] == "item"

    def filled(self, k: int) -> tuple[int, ...]:
        """The nodes of a table that are put there."""
        nodes = self.program.loops.writes[k].nodes
        return nodes[: self.kept_places[k].new_rows * self.kept_places[k].size] if k in self.kept_places else nodes

    @property
    def value(self) -> int:
        """Bytes of a value."""
        return self.lanes * self.size

    @property
    def size(self) -> int:
        """Bytes of a scalar."""
        return SIZES[self.dtype]

    @cached_property
    def tiles(self) -> int:
        """Tiles in a strip."""
        if self._writes_much:
            return 1
        left = max(left_by_recurrences(self.program.loops), self.kept_count)
        state = self.slot_count + self._rows + left
        return max(1, min(TILES, STRIP // (state * self.value)))

    @cached_property
    def _rows(self) -> int:
        """Entries of a state's rows."""
        return sum(a.size for a in self.program.inputs + self.program.outputs)

    @cached_property
    def _writes_much(self) -> bool:
        """Whether one tile at a time is quickest; where there are loops, several tiles share them."""
        written = sum(a.size for a in self.program.outputs) * self.value
        straight = self.lanes > 1 and not self.program.loops.regions
        return straight and written > MUCH and self.program.size > MANY

    def vector_groups(self, entries: int) -> tuple[int, list[int]]:
        """How many entries of a row are moved at once, a power of two, and where; the last ones may overlap others."""
        side = min(self.lanes, 1 << max(0, entries.bit_length() - 1))
        return side, [min(e, entries - side) for e in range(0, entries, side)]

    @cached_property
    def scopes(self) -> list[int]:
        """For each node the innermost region that it stands in; -1: none."""
        return self.program.loops.scopes(len(self.program.nodes))

    @cached_property
    def fused(self) -> dict[int, int]:
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
        return set(self.fused.values())

    def operands(self, i: int) -> tuple[int, ...]:
        """The nodes that the operation of node i reads: of a fused sum, the factors, then the other summand."""
        node = self.program.nodes[i]
        if i not in self.fused:
            return operands(node)
        j = self.fused[i]
        return (*self.program.nodes[j][1:], node[2] if node[1] == j else node[1])

    def line(self, scope: int = -1) -> list[Item]:
        """The operations of a region, or of what is in none, loads as late and stores as early as possible."""
        return Ordering(self, scope).items

    @cached_property
    def early(self) -> set[int]:
        """Sines and cosines of leaves, or of what one operation makes of them that is neither: none needs another."""
        nodes = self.program.nodes
        trig = [node[0] in ("sin", "cos") for node in nodes]
        late = ("final", "element")
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
        early = [group for group in of_angle.values() if group[0] in self.early]
        late = [tuple(group) for group in of_angle.values() if group[0] not in self.early]
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
        """What is written in a region, or outside of all."""
        loops = self.program.loops
        written = [w for w in enumerate(loops.writes) if w[1].inside == scope]
        kept = [Item("keep", (i,), k, e) for k, w in written if w.output < 0 for e, i in enumerate(self.filled(k))]
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
        return not output.dims and output.size * self.size >= LONG

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
        """What a loop begins with, or what is carried on."""
        loops = self.program.loops
        own = [loops.carried[c] for c in loops.carried_by(item.argument)]
        if item.kind == "enter":
            return tuple(c.initial for c in own)
        old = item.nodes if loops.regions[item.argument].active >= 0 else ()
        return (*(c.next for c in own), *old)

    def arguments(self, piece: list[Item]) -> list[int]:
        """Which of the inputs, and then the outputs, a piece moves."""
        moved = [item for item in piece if item.kind in ("load", "store")]
        if self.lanes == 1:
            groups = [self.group_of[i] for item in piece for i in self.reads(item) if i in self.group_of]
            moved += [group for group in groups if group.kind == "load"]
        inputs = len(self.program.inputs)
        return sorted({item.argument + inputs * (item.kind == "store") for item in moved})

    @cached_property
    def schedule(self) -> list[Piece | Loop]:
        """The line cut into blocks, with the loops around some of them."""
        return self._scheduled(-1)

    def _scheduled(self, scope: int) -> list[Piece | Loop]:
        found: list[Piece | Loop] = []
        line = self.line(scope)
        loops = [k for k, item in enumerate(line) if item.kind == "loop"]
        for begin, end in pairwise([-1, *loops, len(line)]):
            found += self._blocks(line[begin + 1 : end])
            if end < len(line):
                found.append(Loop(line[end].argument, self._scheduled(line[end].argument)))
        return found

    def _blocks(self, line: list[Item]) -> list[Piece]:
        """Some of the line cut into blocks; if there are several, early sines and cosines have their own."""
        first = max((k for k, item in enumerate(line, 1) if self.early.intersection(item.nodes)), default=0)
        whole = self._cut(line)
        return whole if len(whole) < 2 else [*self._cut(line[:first]), *self._cut(line[first:])]

    @cached_property
    def pieces(self) -> list[Piece]:
        """All blocks in their order."""
        return flat(self.schedule)

    def _cut(self, line: list[Item]) -> list[list[Item]]:
        """Some of the line in pieces of equal weight."""
        weights = [self._weight(item) for item in line]
        held = self._rows + self.kept_count
        block = SMALL if self._writes_much or 2 * held * self.value > STRIP else BLOCK
        size = sum(weights) / max(1, round(sum(weights) / block))
        pieces: list[list[Item]] = [[]] if line else []
        filled = 0.0
        for item, weight in zip(line, weights, strict=True):
            if filled + weight / 2 > size * len(pieces):
                pieces.append([])
            pieces[-1].append(item)
            filled += weight
        return pieces

    def _weight(self, item: Item) -> int:
        if item.kind != "compute":
            return len(item.nodes) * (MOVE if item.kind in ("load", "store") else 1)
        return SINCOS * len(self.reads(item)) if self.program.nodes[item.nodes[0]][0] in ("sin", "cos") else 1

    def scope_of(self, piece: Piece) -> int:
        """The region that a block stands in."""
        return self._scope_of_piece.get(id(piece), -1)

    @cached_property
    def _scope_of_piece(self) -> dict[int, int]:
        found: dict[int, int] = {}

        def walk(schedule: list[Piece | Loop], scope: int) -> None:
            for part in schedule:
                if isinstance(part, Loop):
                    walk(part.body, part.region)
                else:
                    found[id(part)] = scope

        walk(self.schedule, -1)
        return found

    @cached_property
    def slots(self) -> dict[int, int]:
        """Node → slot, for values that a later block reads, and all that loops carry."""
        return slots(self)

    @cached_property
    def slot_count(self) -> int:
        """Values per tile."""
        return max(self.slots.values(), default=-1) + (self.passes if self.wide_regions else 1)
