"""How a program is cut into blocks, and which slots its values have between them.

The items of a region stand in one line: operations as the program has them, loads before the first operation that reads
one of their entries, stores as soon as the last entry is known. The line is cut into blocks of about BLOCK_OPERATIONS,
each run over all tiles of a strip before the next, so that its code stays in the instruction cache. Values that cross
from block to block live in slots, [tile][slot][lane], reused by liveness.

A loop of a program (`trace.regions`) is a loop around blocks: each pass runs them over all tiles of a strip. What is
carried from pass to pass has a slot of its own. A tile in which all states have converged is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from ...support.attributes import cached_property
from ..trace.ops import COLUMNS, LEAVES, LOOKUP, operands
from .items import Item, ProgramItems
from .memory import left_by_recurrences

BLOCK_OPERATIONS, SMALL_BLOCK_OPERATIONS = 800, 250
"""Operations in a block, and in one of a program whose rows leave room for no second tile: its code is used once in a
strip, however it is cut, and fewer values are kept apart in a small block."""
MOVE_WEIGHT = 3
"""Weight of an entry that is loaded or stored in a block: LLVM's time grows with the square of the stores."""
SINCOS_WEIGHT = 40
"""Weight of the sine and the cosine of an angle in a block."""
STRIP_TILES, STRIP_BYTES = 8, 1 << 19
"""Tiles in a strip (the states that all blocks work on before the next ones) at most, and bytes of their slots and
rows, and of what recurrences leave."""
ONE_TILE_FROM_BYTES, ONE_TILE_FROM_NODES = 1 << 15, 10_000
"""Bytes of a tile's results and nodes of a program from which a strip is one tile in small blocks: results of several
tiles would leave the nearest caches long before they are complete. C, ∂v̇ and compact ∂τ of a humanoid gain 7–11 %;
M, and ∂τ of a quadruped, which are shorter, would lose up to 8 %."""

Piece = list[Item]
"""Items that are one block."""


class LoopItem(NamedTuple):
    """A loop in the order of blocks."""

    region: int
    body: list[Any]
    """Pieces and loops."""


def all_pieces(schedule: list[Piece | LoopItem]) -> list[Piece]:
    """All blocks of a schedule, those in loops too, in their order."""
    return [piece for part in schedule for piece in (all_pieces(part.body) if isinstance(part, LoopItem) else [part])]


@dataclass(frozen=True)
class Plan(ProgramItems):
    """The items of a program in blocks, loops around these, and slots of values."""

    @cached_property
    def tiles(self) -> int:
        """Tiles in a strip."""
        if self._writes_much:
            return 1
        left = max(left_by_recurrences(self.program.loops), self.series_count)
        state = self.slot_count + self._rows + left
        return max(1, min(STRIP_TILES, STRIP_BYTES // (state * self.value)))

    @cached_property
    def _rows(self) -> int:
        """Entries of a state's rows."""
        arguments = enumerate(self.program.inputs + self.program.outputs)
        return sum(a.size for k, a in arguments if k not in self.program.tables)

    @cached_property
    def _writes_much(self) -> bool:
        """Whether one tile at a time is quickest; where there are loops, several tiles share them."""
        written = sum(a.size for a in self.program.outputs) * self.value
        straight = self.lanes > 1 and not self.program.loops.regions
        return straight and written > ONE_TILE_FROM_BYTES and self.program.size > ONE_TILE_FROM_NODES

    def arguments(self, piece: list[Item]) -> list[int]:
        """Which of the inputs, and then the outputs, a piece moves."""
        moved = [item for item in piece if item.kind in ("load", "store")]
        if self.lanes == 1:
            groups = [self.group_of[i] for item in piece for i in self.reads(item) if i in self.group_of]
            moved += [group for group in groups if group.kind == "load"]
        inputs = len(self.program.inputs)
        columns = {k for item in piece if item.kind == "compute" for k in self.looked_up(item.nodes[0])}
        return sorted(columns | {item.argument + inputs * (item.kind == "store") for item in moved})

    def looked_up(self, i: int) -> tuple[int, ...]:
        """The input in which node i looks up an entry, if it does so."""
        node = self.program.nodes[i]
        column = self.program.nodes[node[1]] if node[0] == LOOKUP else ("",)
        return (self.places[column[1]][0],) if column[0] == "column" else ()

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """For each scalar input: its argument, and its place in that argument."""
        return list(self.program.inputs_by_scalar())

    @cached_property
    def schedule(self) -> list[Piece | LoopItem]:
        """The line cut into blocks, with the loops around some of them."""
        return self._schedule(-1)

    def _schedule(self, scope: int) -> list[Piece | LoopItem]:
        found: list[Piece | LoopItem] = []
        line = _Ordering(self, scope).order()
        loops = [k for k, item in enumerate(line) if item.kind == "loop"]
        for begin, end in pairwise([-1, *loops, len(line)]):
            found += self._blocks(line[begin + 1 : end])
            if end < len(line):
                found.append(LoopItem(line[end].argument, self._schedule(line[end].argument)))
        return found

    def _blocks(self, line: list[Item]) -> list[Piece]:
        """Some of the line cut into blocks; if there are several, early sines and cosines have their own."""
        first = max((k for k, item in enumerate(line, 1) if self.early_sincos.intersection(item.nodes)), default=0)
        whole = self._cut(line)
        return whole if len(whole) < 2 else [*self._cut(line[:first]), *self._cut(line[first:])]

    @cached_property
    def pieces(self) -> list[Piece]:
        """All blocks in their order."""
        return all_pieces(self.schedule)

    def _cut(self, line: list[Item]) -> list[list[Item]]:
        """Some of the line in pieces of equal weight."""
        weights = [self._weight(item) for item in line]
        held = self._rows + self.series_count
        block = SMALL_BLOCK_OPERATIONS if self._writes_much or 2 * held * self.value > STRIP_BYTES else BLOCK_OPERATIONS
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
            return len(item.nodes) * (MOVE_WEIGHT if item.kind in ("load", "store") else 1)
        return SINCOS_WEIGHT * len(self.reads(item)) if self.program.nodes[item.nodes[0]][0] in ("sin", "cos") else 1

    def scope_of(self, piece: Piece) -> int:
        """The region that a block stands in."""
        return self._scope_of_piece.get(id(piece), -1)

    @cached_property
    def _scope_of_piece(self) -> dict[int, int]:
        found: dict[int, int] = {}

        def walk(schedule: list[Piece | LoopItem], scope: int) -> None:
            for part in schedule:
                if isinstance(part, LoopItem):
                    walk(part.body, part.region)
                else:
                    found[id(part)] = scope

        walk(self.schedule, -1)
        return found

    @cached_property
    def slots(self) -> dict[int, int]:
        """Node → slot, for values that a later block reads, and all that loops carry."""
        return _slots(self)

    @cached_property
    def slot_count(self) -> int:
        """Values per tile."""
        return max(self.slots.values(), default=-1) + (self.passes if self.wide_regions else 1)


class _Ordering:
    """Puts the items of a region, or of what is in none, in their order: loads late, stores early."""

    def __init__(self, plan: ProgramItems, scope: int) -> None:
        self.plan, self.scope = plan, scope
        self.nodes, self.loops = plan.program.nodes, plan.program.loops
        self.together = {i: group for group in plan.sincos_groups(scope) for i in group}
        self.stores = plan.stores(scope)
        self.waiting: list[int] = []
        """How many entries each of the stores waits for."""
        self.stores_of_node: dict[int, list[int]] = {}
        self.items: list[Item] = []
        self.known: set[int] = set()

    def order(self) -> list[Item]:
        """All items of the region in their order."""
        self._prepare_stores()
        self._compute_early_sincos()
        region = self.loops.regions[self.scope] if self.scope >= 0 else None
        begin, end = (region.begin, region.end) if region else (0, len(self.nodes))
        for first, last in self.loops.layout(self.scope, begin, end):
            if first < 0:
                self.loop(last)
            for i in range(first, last) if first >= 0 else ():
                self.compute(i)
        for k, store in enumerate(self.stores):
            if self.waiting[k]:  # an output that is a leaf
                for j in store.nodes:
                    self.define(j)
        if region:
            for c in self.loops.carried_by(self.scope):
                self.define(self.loops.carried[c].next)
            self.items.append(Item("latch", self.carries(self.scope), self.scope))
        return self.items

    def _prepare_stores(self) -> None:
        """Count what each store waits for; those that wait for nothing come first, but for constants of long rows."""
        for k, store in enumerate(self.stores):
            scopes = self.plan.scopes
            entries = {i for i in store.nodes if self.nodes[i][0] != "const" and scopes[i] == self.scope}
            self.waiting.append(len(entries))
            for i in entries:
                self.stores_of_node.setdefault(i, []).append(k)
        apart = set(self.plan.constants)
        self.items += [x for k, x in enumerate(self.stores) if not self.waiting[k] and x not in apart]

    def _compute_early_sincos(self) -> None:
        """Angles that are known at once, then their sines and cosines."""
        early = [group for group in self.plan.sincos_groups(self.scope) if group[0] in self.plan.early_sincos]
        for i in [*(self.nodes[i][1] for group in early for i in group), *(group[0] for group in early)]:
            self.compute(i)

    def carries(self, region: int) -> tuple[int, ...]:
        """The leaves of what a region carries."""
        return tuple(self.plan.carry_nodes[c] for c in self.loops.carried_by(region))

    def loop(self, region: int) -> None:
        """A loop, and before it what it reads."""
        enter = Item("enter", self.carries(region), region)
        begin, end = self.loops.regions[region].begin, self.loops.regions[region].end
        inside = [j for node in self.nodes[begin:end] for j in operands(node)]
        for c in (self.loops.carried[c] for c in range(len(self.loops.carried)) if self.within(c, region)):
            inside += [c.initial, c.next]
        around = self.loops.around
        read = {x.source[1] for x in self.loops.reads if x.source[0] == "kept" and region in around(x.regions[-1])}
        for k, w in enumerate(self.loops.writes):  # what is written in it, and tables that it reads
            inside += self.plan.table_nodes(k) if region in around(w.inside) or (w.rows and k in read) else ()
        for j in (*self.plan.reads(enter), *inside):
            self.define(j)
        self.items += [enter, Item("loop", (), region)]

    def within(self, c: int, region: int) -> bool:
        """Whether a region, or one inside of it, carries value c."""
        return region in self.loops.around(self.loops.carried[c].region)

    def compute(self, i: int) -> None:
        """An operation, and what it reads."""
        if self.nodes[i][0] not in LEAVES and i not in self.plan.within_sums:
            if self.nodes[i][0] == LOOKUP:
                self.define(self.nodes[i][1])
            for j in self.plan.reads(Item("compute", self.together.get(i, (i,)))):
                self.define(j)
            self.define(i)

    def define(self, i: int) -> None:
        """Put the item that makes node i known, and what was waiting for it."""
        kind = self.nodes[i][0]
        if i in self.known or kind == "const" or self.plan.scopes[i] != self.scope:
            return
        if kind in COLUMNS:
            for j in self.plan.table_nodes(self.nodes[i][1]) if kind == "filled" else ():
                self.define(j)
            self.known.add(i)
            return
        item = Item("compute", self.together.get(i, (i,)))
        if kind in ("input", "item", "element"):
            item = self.plan.group_of[i]
        elif kind in ("carry", "final"):
            item = Item("carried", (i,))  # it has a slot
        if kind not in ("carry", "final") and (kind != "input" or self.plan.lanes > 1):
            self.items.append(item)
        self.known.update(item.nodes)
        for j in item.nodes:
            for k in self.stores_of_node.get(j, ()):
                self.waiting[k] -= 1
                if not self.waiting[k]:
                    self.items.append(self.stores[k])


def _slots(plan: Plan) -> dict[int, int]:
    """Node → slot, for values that a later block reads, and all that loops carry."""
    last_reader, found = _last_readers(plan), dict[int, int]()
    free: dict[int, list[int]] = {width: [] for width in (plan.lanes, plan.passes)}
    end = dict.fromkeys(free, 0)
    expiring: dict[int, list[int]] = {}
    widths = {i: plan.passes for i, scope in enumerate(plan.scopes) if scope in plan.wide_regions}
    for k, piece in enumerate(plan.pieces):
        for i in expiring.pop(k, []):
            free[widths.get(i, plan.lanes)].append(found[i])
        for item in piece:
            for i in item.nodes if item.kind in ("compute", "load", "fetch", "enter") else ():
                if i not in found and (item.kind == "enter" or last_reader.get(i, k) > k):
                    width = widths.get(i, plan.lanes)
                    if not free[width]:
                        free[width].append(end[width])
                        end[width] += 1
                    found[i] = free[width].pop()
                    expiring.setdefault(last_reader[i] + 1, []).append(i)
    for i in found.keys() & widths.keys():  # behind the others, as many places as there are lanes for each
        found[i] = end[plan.lanes] + plan.passes * found[i]
    nodes = plan.program.nodes
    finals = ((i, plan.carry_nodes[node[1]]) for i, node in enumerate(nodes) if node[0] == "final")
    return found | {i: found[carry] for i, carry in finals}


def _last_readers(plan: Plan) -> dict[int, int]:
    """Node → the last block that needs it: in a loop in which it does not change, the last one of that."""
    loops, nodes, last = plan.program.loops, plan.program.nodes, dict[int, int]()
    ends = dict(_loop_ends(plan.schedule, 0))
    for k, piece in enumerate(plan.pieces):
        inside = loops.around(plan.scope_of(piece)) if loops.regions else ()
        for i in (i for item in piece for i in plan.reads(item)):
            ending = next((ends[r] for r in inside if r not in loops.around(plan.scopes[i])), k) if inside else k
            last[i] = max(last.get(i, ending), ending)
    for i, node in enumerate(nodes):
        if node[0] == "final":
            carry = plan.carry_nodes[node[1]]
            last[carry] = max(last.get(carry, 0), last.get(i, 0))
    for c, carried in enumerate(loops.carried):
        last[plan.carry_nodes[c]] = max(last.get(plan.carry_nodes[c], 0), ends[carried.region])
    return last


def _loop_ends(schedule: list[Piece | LoopItem], first: int) -> Iterator[tuple[int, int]]:
    """The last block of each loop."""
    for part in schedule:
        blocks = len(all_pieces(part.body)) if isinstance(part, LoopItem) else 1
        if isinstance(part, LoopItem):
            yield from _loop_ends(part.body, first)
            yield part.region, first + blocks - 1
        first += blocks
