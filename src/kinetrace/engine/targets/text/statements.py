"""The functions that compute one state: straight lines, and loops around them.

In a short program all stands in one function. A value of node 12 is `t12`, of kind const; what a loop carries is a
variable, `c3`, declared before it; the pass of region 1 is `i1`. The text of a loop is inside of that of the one around
it, so C knows a name wherever the program does.

In a long one each block of the plan is a static function, and what crosses between them, or is carried, is in `s`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...plan.items import Item
from ...plan.plan import LoopItem, Piece
from ...trace.ops import LOOKUP, Node
from .syntax import definition, product
from .unit import Unit

INDENT = "    "


def functions(of: Unit, kind: str) -> Iterator[str]:
    """The function of one state, `kind` before its name, after its parts if it has several and tables of numbers."""
    body = ProgramStatements(of)
    body.write(of.schedule, INDENT)
    yield from _numbers(of)
    yield from body.parts
    kept = list(_series_storage(of, body))
    unused = [f"{INDENT}(void){word};" for word in of.given if word not in body.used]
    array = [f"{INDENT}{of.scalar} s[{of.scratch}];"] if of.scratch else []
    yield definition(f"{kind} {of.name}", of.parameters(of.language.restrict), array + unused + kept + body.lines)


def _numbers(of: Unit) -> Iterator[str]:
    """The tables of numbers that loops read, a few of them per line."""
    for k, write in enumerate(of.program.loops.writes):
        if write.numbers:
            words = [of.language.literal(x, of.scalar) for x in write.numbers]
            lines = [", ".join(words[i : i + 4]) for i in range(0, len(words), 4)]
            head = f"{of.language.local} const {of.scalar} {of.series(k)}[{len(words)}]"
            yield f"{head} = {{\n{INDENT}" + f",\n{INDENT}".join(lines) + "\n};"


def _series_storage(of: Unit, body: ProgramStatements) -> Iterator[str]:
    """Where each series is that one loop leaves for another: on the stack if its length is known, or the workspace."""
    for k, size in of.tables.items():
        yield f"{INDENT}{of.scalar} kept{k}[{max(1, size)}];"
    there = of.workspace
    for k in of.kept:
        yield f"{INDENT}{of.scalar} *const kept{k} = {there};"
        body.used.add(of.workspace)
        factors = of.kept_factors(k)
        there = f"kept{k} + {product(factors)}"
        if k != of.kept[-1]:
            body.used.update(factors)


class ProgramStatements:
    """The statements of a program, the static functions that they call, and the words that both use."""

    def __init__(self, of: Unit) -> None:
        self.of = of
        self.lines: list[str] = []
        self.parts: list[str] = []
        self.used: set[str] = set()

    def write(self, schedule: list[Piece | LoopItem], margin: str) -> None:
        """Pieces and loops, one after another."""
        for part in schedule:
            if isinstance(part, LoopItem):
                self.loop(part, margin)
                continue
            piece = _BlockStatements(self.of, part, INDENT if self.of.in_parts else margin)
            self.used |= piece.used
            self.lines += [margin + self.call(piece)] if self.of.in_parts else piece.lines

    def call(self, piece: _BlockStatements) -> str:
        """The call of a piece that is a function."""
        of, name = self.of, f"{self.of.name}_part{len(self.parts)}"
        own = {word: text for word, text in of.declarations.items() if word in piece.used}
        self.parts.append(of.language.part(name, own, piece.lines))
        return f"{name}({', '.join(own)});"

    def loop(self, part: LoopItem, margin: str) -> None:
        """All passes of a region: for this state alone, it ends when that has converged."""
        of, r, region = self.of, part.region, self.of.program.loops.regions[part.region]
        if region.length == 0:  # nothing is run, and compilers would say so
            return
        length = of.length(region.length)
        self.used.add(length)
        more = f"i{r} < {length}"
        if region.active >= 0:
            more += f" && {of.carried(of.plan.carry_nodes[region.active])} != 0"
        begin = f"for ({of.language.counter}i{r} ="
        forward, backward = f"{begin} 0; {more}; ++i{r}) {{", f"{begin} {length}; i{r}-- > 0;) {{"
        self.lines.append(margin + (backward if region.reverse else forward))
        self.write(part.body, margin + INDENT)
        self.lines.append(f"{margin}}}")


class _BlockStatements:
    """A piece of the line: its statements, and the words of others that they use."""

    def __init__(self, of: Unit, piece: Piece, margin: str) -> None:
        self.of, self.piece, self.margin, self.nodes = of, piece, margin, of.program.nodes
        self.used: set[str] = set()
        self.here: dict[int, str] = {}
        self.lines: list[str] = []
        self.readers, self.once = Counter[int](), set[int]()
        """How often a node is read, and those that an assignment or an operation like a sum reads."""
        self.assigned = {i for item in piece if item.kind in ("store", "keep") for i in item.nodes}
        for item in piece:
            self.readers.update(of.plan.reads(item))
            computes = item.kind == "compute" and self.nodes[item.nodes[0]][0] in of.language.nests
            if computes or item.kind in ("store", "keep"):
                self.once.update(of.plan.reads(item))
        for item in piece:
            {"store": self._store, "keep": self._store, "enter": self._enter, "latch": self._latch}.get(
                item.kind, self._define
            )(item)

    def _add(self, line: str) -> None:
        self.lines.append(self.margin + line)

    def _use(self, word: str) -> str:
        self.used.add(word)
        return word

    def _define(self, item: Item) -> None:
        """Write lines that compute or read values."""
        for i in item.nodes:
            text, kept = self._expression(i), i in self.of.plan.slots
            inside = self.nodes[i][0] in self.of.language.nested or i in self.assigned
            inside = inside and len(text) <= self.of.language.longest
            if self.readers[i] == 1 and i in self.once and not kept and inside:
                self.here[i] = text  # a product in a sum, anything in an assignment
                continue
            self.here[i] = f"t{i}"
            self._add(f"{self.of.constant}t{i} = {text};")
            if kept and self.of.in_parts:
                self._add(f"{self._slot(i)} = t{i};")

    def _lookup(self, column: Node, word: str) -> str:
        """An entry of a column."""
        if column[0] == "column":
            a, first = self.of.plan.places[column[1]]
            return self.of.language.lookup(self._use(self.of.names[a]), first, column[2], column[3], word)
        rows = self.of.program.loops.writes[column[1]].rows
        return self.of.language.lookup(self._use(self.of.series(column[1])), 0, 1, rows, word)

    def _store(self, item: Item) -> None:
        """A result, or an entry of a series that is kept."""
        writes = self.of.program.loops.writes
        if item.kind == "store":
            array = self.of.names[len(self.of.program.inputs) + item.argument]
            written = next((w for w in writes if w.output == item.argument), None)
        else:
            array, written = self.of.series(item.argument), writes[item.argument]
        at = self._entry(array, written.regions if written else (), len(written.nodes) if written else 0, item.entry)
        self._add(f"{at} = {self._word(item.nodes[0])};")

    def _entry(self, array: str, regions: tuple[int, ...], size: int, entry: int) -> str:
        """An entry of an array; of a series, in its row of the present passes, which has `size` entries."""
        of, row = self.of, ""
        for r in regions:
            length = of.length(of.program.loops.regions[r].length)
            row = f"({row} * {self._use(length)} + i{r})" if row else f"i{r}"
            self.used.add(f"i{r}")
        row += f" * {size}" * (bool(row) and size != 1)
        words = [row] * bool(row) + [str(entry)] * (not row or entry > 0)
        return f"{self._use(array)}[{' + '.join(words)}]"

    def _enter(self, item: Item) -> None:
        """Write the first values of a loop."""
        kind = "" if self.of.in_parts else self.of.variable
        for i, initial in zip(item.nodes, self.of.plan.reads(item), strict=True):
            self._add(f"{kind}{self._carried(i)} = {self._word(initial)};")

    def _latch(self, item: Item) -> None:
        """Write the values that are carried on; first copies of those that others need before they change."""
        pairs = [(i, j) for i, j in zip(item.nodes, self.of.plan.reads(item), strict=False) if i != j]
        words = {j: self._word(j) for _, j in pairs}
        for j in (j for j in words if j in item.nodes):
            self._add(f"{self.of.constant}t{j} = {words[j]};")
            words[j] = f"t{j}"
        for i, j in pairs:
            self._add(f"{self._carried(i)} = {words[j]};")

    def _carried(self, i: int) -> str:
        """Where the carried value of leaf i lives."""
        return self._slot(i) if self.of.in_parts else self.of.carried(i)

    def _slot(self, i: int) -> str:
        """Where the value of node i lives outside of the piece."""
        return f"{self._use('s')}[{self.of.plan.slots[i]}]"

    def _word(self, i: int) -> str:
        """Node i as an operand."""
        node = self.nodes[i]
        if node[0] == "const":
            return self.of.language.literal(node[1], self.of.scalar)
        if node[0] == "input":
            array, entry = self.of.places[node[1]]
            return self._use(array) + entry
        if node[0] in ("carry", "final"):
            return self._carried(i)
        return self.here[i] if i in self.here else self._slot(i) if self.of.in_parts else f"t{i}"

    def _expression(self, i: int) -> str:
        """The operation of node i, or the entry that it reads."""
        node = self.nodes[i]
        if node[0] == "item":
            read = self.of.program.loops.reads[node[1]]
            kind, k = read.source
            return self._entry(
                self.of.names[k] if kind == "input" else self.of.series(k), read.regions, read.size, node[2]
            )
        if node[0] == "element":
            return self._entry(self.of.series(node[1]), (), 0, node[2])
        if node[0] == LOOKUP:
            return self._lookup(self.nodes[node[1]], self._word(node[2]))
        return self.of.language.operation(node[0], [*map(self._word, node[1:])], self.of.scalar)
