"""Programs as text, one assignment per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ops import LEAVES, OPS_OF_PROGRAMS, Node

if TYPE_CHECKING:
    from ..program import Program


def text(program: Program) -> str:
    """One assignment per line, loops indented."""
    return _ProgramText(program).written()


class _ProgramText:
    """Writes a program line by line."""

    def __init__(self, program: Program) -> None:
        self.program, self.loops = program, program.loops
        self.inputs = [f"{program.inputs[a].name}[{e}]" for a, e in program.inputs_by_scalar()]
        self.names: dict[int, str] = {}
        """How nodes are written where they are used."""
        self.lines = [f"{program.name}: {program.signature}"]

    def written(self) -> str:
        """All of it."""
        self.nodes(-1, 0, self.program.size, "  ")
        series = {w.output for w in self.loops.writes}
        for k, (argument, result) in enumerate(zip(self.program.outputs, self.program.results, strict=True)):
            if k not in series:
                self.lines += [f"  {argument.name}[{e}] = {self.names[i]}" for e, i in enumerate(result)]
        return "\n".join(self.lines)

    def nodes(self, region: int, begin: int, end: int, margin: str) -> None:
        """The nodes of a region, or of what is in none, with the loops among them."""
        for first, last in self.loops.layout(region, begin, end):
            if first < 0:
                self.loop(last, margin)
                continue
            for i in range(first, last):
                node = self.program.nodes[i]
                if node[0] in LEAVES:
                    self.names[i] = self.leaf(node)
                    if node[0] == "filled":
                        self.fill(node[1], margin)
                else:
                    self.names[i] = f"t{i}"
                    operation = OPS_OF_PROGRAMS[node[0]].text.format(*(self.names[j] for j in node[1:]), f="")
                    self.lines.append(f"{margin}t{i} = {operation}")

    def leaf(self, node: Node) -> str:
        """Text of a leaf."""
        if node[0] == "const":
            return repr(node[1])
        if node[0] == "input":
            return self.inputs[node[1]]
        if node[0] == "item":
            read = self.loops.reads[node[1]]
            kind, k = read.source
            source = self.program.inputs[k].name if kind == "input" else f"kept{k}"
            return f"{source}[{_indices(read.regions)}][{node[2]}]"
        if node[0] == "column":
            names = [self.inputs[node[1] + node[2] * k] for k in range(node[3])]
            return f"({', '.join(names if len(names) < 5 else [*names[:2], '...', names[-1]])})"
        if node[0] == "filled":
            return f"kept{node[1]}"
        return f"kept{node[1]}[{node[2]}]" if node[0] == "element" else f"c{node[1]}"

    def loop(self, r: int, margin: str) -> None:
        """A region: what it begins with, a pass, and what is carried on."""
        region, carried = self.loops.regions[r], self.loops.carried_by(r)
        self.lines += [f"{margin}c{c} = {self.names[self.loops.carried[c].initial]}" for c in carried]
        self.tables(r, margin)
        until = f", while any c{region.active}" if region.active >= 0 else ""
        self.lines.append(f"{margin}for i{r} in {'reversed ' * region.reverse}range({region.length}){until}:")
        self.nodes(r, region.begin, region.end, margin + "  ")
        self.rows(r, margin + "  ")
        if carried:
            following = ", ".join(self.names[self.loops.carried[c].next] for c in carried)
            where = f" where c{region.active}" if region.active >= 0 else ""
            self.lines.append(f"{margin}  {', '.join(f'c{c}' for c in carried)} = {following}{where}")

    def tables(self, r: int, margin: str) -> None:
        """The tables that a region reads, filled before it."""
        for k in self.loops.memory_read_by(r):
            self.fill(k, margin)

    def fill(self, k: int, margin: str) -> None:
        """The lines that fill a table."""
        write = self.loops.writes[k]
        filled = [self.names[i] for i in write.nodes] if write.rows else []
        entries = [*filled, *map(repr, write.numbers)]
        self.lines += [f"{margin}kept{k}[{e}] = {x}" for e, x in enumerate(entries)]

    def rows(self, r: int, margin: str) -> None:
        """The rows that a pass of a region writes."""
        for k, write in enumerate(self.loops.writes):
            if write.regions[-1:] == (r,):
                name = self.program.outputs[write.output].name if write.output >= 0 else f"kept{k}"
                place = f"{margin}{name}[{_indices(write.regions)}]"
                self.lines += [f"{place}[{e}] = {self.names[i]}" for e, i in enumerate(write.nodes)]


def _indices(regions: Sequence[int]) -> str:
    return ", ".join(f"i{r}" for r in regions)
