"""How a program is cut into blocks, and where its values live between them.

The line of a program is its operations, and among them the moves of its arrays: a *vector group* of an argument, as
many neighbouring entries as there are lanes, is loaded before the first operation that reads one of them, and stored as
soon as its last entry is known. A product that only one sum reads is part of it, a*b + c with one rounding, if the
machine has that: decided here, so that one state and a batch agree to the bit. With one lane nothing needs to be
exchanged, and inputs are read wherever they are used.

The line is cut into blocks of about BLOCK operations, each run over all tiles of a strip before the next, so that its
code stays in the instruction cache. Values that cross from block to block live in slots, [tile][slot][lane], reused by
liveness.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from ..support.lazy import cached_property
from ..trace import Argument, Program
from ..trace.ops import operands

BLOCK, SMALL = 800, 250
"""Operations in a block, and in one of a program whose rows leave room for no second tile: its code is used once in a
strip, however it is cut, and fewer values are kept apart in a small block."""
MOVE = 3
"""What an entry that is loaded or stored counts for in a block: LLVM's time grows with the square of the stores."""
SINCOS, SINCOS_ANGLES = 40, 4
"""What the sine and the cosine of an angle count for in a block, and how many angles are taken together."""
TILES, STRIP = 8, 1 << 19
"""Tiles in a strip (the states that all blocks work on before the next ones) at most, and bytes of their slots."""
LONG = 1024
"""Bytes of a row from which an output may be computed in scratch rows; see `loop`."""
SIZES = {"double": 8, "float": 4}
"""Bytes of a scalar."""


class Item(NamedTuple):
    """A piece of the line: an operation, or the move of a vector group."""

    kind: str
    """ "compute", "load" or "store"."""
    nodes: tuple[int, ...]
    """What is computed (one, or sines and cosines of some angles), or the entries; -1 for one that is not needed."""
    argument: int = 0
    """Of the inputs, or of the outputs."""
    entry: int = 0
    """The first one."""


@dataclass(frozen=True)
class Plan:
    """A program for vectors of `lanes` states."""

    program: Program
    lanes: int
    dtype: str
    fuses: bool = False
    """Whether a product and a sum are one operation."""

    @property
    def vector(self) -> str:
        """The type of a value."""
        return f"<{self.lanes} x {self.dtype}>"

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
        return max(1, min(TILES, STRIP // ((self.slot_count + self._rows) * self.value)))

    @cached_property
    def _rows(self) -> int:
        """Entries of a state's rows."""
        return sum(a.size for a in self.program.inputs + self.program.outputs)

    def vector_groups(self, entries: int) -> tuple[int, list[int]]:
        """How many entries of a row are moved at once, a power of two, and where; the last ones may overlap others."""
        side = min(self.lanes, 1 << max(0, entries.bit_length() - 1))
        return side, [min(e, entries - side) for e in range(0, entries, side)]

    @cached_property
    def fused(self) -> dict[int, int]:
        """Sum → the product that is part of it: of two, the one whose factors are known later."""
        nodes = self.program.nodes
        readers = Counter(j for node in nodes for j in operands(node)) + Counter(
            i for result in self.program.results for i in result
        )
        depth = [0] * len(nodes)
        found: dict[int, int] = {}
        for i, node in enumerate(nodes):
            depth[i] = 1 + max((depth[j] for j in operands(node)), default=0)
            if self.fuses and node[0] in ("add", "sub"):
                products = [j for j in node[1:] if nodes[j][0] == "mul" and readers[j] == 1]
                if products:
                    found[i] = max(products, key=depth.__getitem__)
        return found

    def operands(self, i: int) -> tuple[int, ...]:
        """The nodes that the operation of node i reads: of a fused sum, the factors, then the other summand."""
        node = self.program.nodes[i]
        if i not in self.fused:
            return operands(node)
        j = self.fused[i]
        return (*self.program.nodes[j][1:], node[2] if node[1] == j else node[1])

    @cached_property
    def line(self) -> list[Item]:
        """Operations in the program's order, loads as late and stores as early as possible."""
        nodes = self.program.nodes
        together = {i: group for group in self._sincos_groups for i in group}
        waiting, of_node = self._stores()
        line: list[Item] = []
        known: set[int] = set()

        def define(i: int) -> None:
            """Put the item that makes node i known, and what was waiting for it."""
            if i in known or nodes[i][0] == "const":
                return
            item = self.group_of[i] if nodes[i][0] == "input" else Item("compute", together.get(i, (i,)))
            if item.kind == "compute" or self.lanes > 1:
                line.append(item)
            known.update(item.nodes)
            for j in item.nodes:
                for k in of_node.get(j, ()):
                    waiting[k] -= 1
                    if not waiting[k]:
                        line.append(self._outputs[k])

        apart = set(self.constants)
        line += [store for k, store in enumerate(self._outputs) if not waiting[k] and store not in apart]
        inside = set(self.fused.values())
        early = [group for group in self._sincos_groups if group[0] in self._early]
        angles = [nodes[i][1] for group in early for i in group]
        for i in [*angles, *(group[0] for group in early), *range(len(nodes))]:
            if nodes[i][0] not in ("const", "input") and i not in inside:
                for j in self.reads(Item("compute", together.get(i, (i,)))):
                    define(j)
                define(i)
        for k, store in enumerate(self._outputs):
            if waiting[k]:  # an output that is an input
                for j in store.nodes:
                    define(j)
        return line

    @cached_property
    def _early(self) -> set[int]:
        """Sines and cosines of inputs, or of what one operation makes of them that is neither: none needs another."""
        nodes = self.program.nodes
        trig = [node[0] in ("sin", "cos") for node in nodes]
        given = [node[0] in ("const", "input") for node in nodes]
        shallow = [not trig[i] and all(given[j] for j in operands(node)) for i, node in enumerate(nodes)]
        return {i for i, node in enumerate(nodes) if trig[i] and shallow[node[1]]}

    @cached_property
    def _sincos_groups(self) -> list[tuple[int, ...]]:
        """Sines and cosines that are computed together: of one angle, or of SINCOS_ANGLES early ones, which come first.

        They branch, for large angles, and values in registers would have to make way for that.
        """
        of_angle: dict[int, list[int]] = {}
        for i, node in enumerate(self.program.nodes):
            if node[0] in ("sin", "cos"):
                of_angle.setdefault(node[1], []).append(i)
        early = [group for group in of_angle.values() if group[0] in self._early]
        late = [tuple(group) for group in of_angle.values() if group[0] not in self._early]
        some = [early[k : k + SINCOS_ANGLES] for k in range(0, len(early), SINCOS_ANGLES)]
        return [*(tuple(i for group in groups for i in group) for groups in some), *late]

    @cached_property
    def group_of(self) -> dict[int, Item]:
        """Input node → the vector group that loads it."""
        place = {node[1]: i for i, node in enumerate(self.program.nodes) if node[0] == "input"}
        found: dict[int, Item] = {}
        start = 0
        for k, a in enumerate(self.program.inputs):
            side, begins = self.vector_groups(a.size)
            for e in begins:
                nodes = [place.get(s, -1) for s in range(start + e, start + e + side)]
                item = Item("load", tuple(-1 if i in found else i for i in nodes), k, e)
                found.update((i, item) for i in item.nodes if i >= 0)
            start += a.size
        return found

    @cached_property
    def _outputs(self) -> list[Item]:
        """The vector groups of all outputs."""
        return [
            Item("store", result[e : e + side], k, e)
            for k, result in enumerate(self.program.results)
            for side, begins in [self.vector_groups(len(result))]
            for e in begins
        ]

    @cached_property
    def constants(self) -> list[Item]:
        """The vector groups of long rows that hold constants alone, mostly zeros."""
        nodes, long = self.program.nodes, {k for k, a in enumerate(self.program.outputs) if self.is_long(a)}
        return [x for x in self._outputs if x.argument in long and all(nodes[i][0] == "const" for i in x.nodes)]

    def is_long(self, output: Argument) -> bool:
        """Whether rows of this size may be computed in scratch rows."""
        return output.size * self.size >= LONG

    def _stores(self) -> tuple[list[int], dict[int, list[int]]]:
        """How many entries each vector group of an output waits for, and which of them a node belongs to."""
        waiting, of_node = [], dict[int, list[int]]()
        for k, store in enumerate(self._outputs):
            entries = {i for i in store.nodes if self.program.nodes[i][0] != "const"}
            waiting.append(len(entries))
            for i in entries:
                of_node.setdefault(i, []).append(k)
        return waiting, of_node

    def reads(self, item: Item) -> tuple[int, ...]:
        """The nodes that an item reads."""
        if item.kind == "load":
            return ()
        if item.kind == "store":
            return item.nodes
        if len(item.nodes) == 1:
            return self.operands(item.nodes[0])
        return tuple(dict.fromkeys(self.program.nodes[i][1] for i in item.nodes))

    def arguments(self, piece: list[Item]) -> list[int]:
        """Which of the inputs, and then the outputs, a piece moves."""
        moved = [item for item in piece if item.kind != "compute"]
        if self.lanes == 1:
            moved += [self.group_of[i] for item in piece for i in self.reads(item) if i in self.group_of]
        inputs = len(self.program.inputs)
        return sorted({item.argument + inputs * (item.kind == "store") for item in moved})

    @cached_property
    def pieces(self) -> list[list[Item]]:
        """The line cut into blocks; if there are several, early sines and cosines have their own."""
        first = max((k for k, item in enumerate(self.line, 1) if self._early.intersection(item.nodes)), default=0)
        whole = self._cut(self.line)
        return whole if len(whole) < 2 else [*self._cut(self.line[:first]), *self._cut(self.line[first:])]

    def _cut(self, line: list[Item]) -> list[list[Item]]:
        """Some of the line in pieces of equal weight."""
        weights = [self._weight(item) for item in line]
        block = BLOCK if 2 * self._rows * self.value <= STRIP else SMALL
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
            return MOVE * len(item.nodes)
        return SINCOS * len(self.reads(item)) if self.program.nodes[item.nodes[0]][0] in ("sin", "cos") else 1

    @cached_property
    def slots(self) -> dict[int, int]:
        """Node → slot, for values that a later block reads."""
        last_reader: dict[int, int] = {}
        for k, piece in enumerate(self.pieces):
            last_reader.update((i, k) for item in piece for i in self.reads(item))
        slots: dict[int, int] = {}
        free: list[int] = []
        expiring: dict[int, list[int]] = {}
        end = 0
        for k, piece in enumerate(self.pieces):
            free += expiring.pop(k, [])
            for i in (i for item in piece if item.kind != "store" for i in item.nodes):
                if i not in slots and last_reader.get(i, k) > k:
                    if not free:
                        free.append(end)
                        end += 1
                    slots[i] = free.pop()
                    expiring.setdefault(last_reader[i] + 1, []).append(slots[i])
        return slots

    @cached_property
    def slot_count(self) -> int:
        """Values per tile."""
        return max(self.slots.values(), default=-1) + 1
