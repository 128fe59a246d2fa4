"""Loops over the rows of columns that are known while a function is traced, as sweeps over many bodies are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import objects
from .expr import Expr
from .loop_body import all_scopes
from .loop_writer import LoopWriter, Step
from .regions import OpenWrite, TableColumn


class RowEntry(NamedTuple):
    """Where a pass finds an entry of its row: the write that left it, the place in a row, and its sign."""

    write: int
    entry: int
    negative: bool = False


class RowLoop:
    """A loop over the rows of some columns, floats or objects, all of one length: a step is traced once for all rows.

    What a column holds decides what a pass reads: the same scalar in all rows stays
    itself, constants or not, so that the step can make use of it; numbers are a table of the program; entries that
    another loop wrote for the same rows are read where they are; all else is filled into a table before the loop.

    The same holds for what is carried. A scalar that the step gives back as it was is not carried at all, and scalars
    that begin as one and are always made as one (the two halves of a symmetric matrix) are carried once. Which
    these are is found by tracing: first all are taken for such, and as long as the step says otherwise of some, it
    is traced again without them.
    """

    def __init__(self, writer: LoopWriter, columns: Sequence[Any], reverse: bool = False) -> None:
        self.writer, self.graph, self.table = writer, writer.graph, writer.table
        self.columns, self.length, self.reverse = columns, len(columns[0]), reverse
        self.places = [self._place(column) for column in columns]
        self._fill()

    def trace(self, step: Step, carry: Sequence[Any]) -> tuple[list[Expr], list[Any]]:
        """Carried values at the end, and the columns that the steps left."""
        begin = [self.writer.as_expr(x) for x in carry]
        labels: list[Any] = [x.index for x in begin]
        """Values that are carried together have one label; labels of values that do not change are nodes."""
        while True:
            with self.writer.region(self.length, self.reverse) as region:
                leaves = self._leaves(region, begin, labels)
                items = list(self._row(region))
                after, left = step(
                    [Expr(self.graph, leaves[k].index, x.negative) for k, x in zip(labels, begin, strict=True)], items
                )
                following = [self.writer.as_expr(x) for x in after]
            found = _split(begin, following, labels)
            if found == labels:
                break
            labels = found
        for label, x, y in zip(labels, begin, following, strict=True):
            if not isinstance(label, int):
                following_node = Expr(self.graph, y.index, x.negative != y.negative).signed_node()
                self.table.carried[self.writer.carried_number(leaves[label])].next = following_node
        return [self._final(x, leaves[k]) for k, x in zip(labels, begin, strict=True)], self._left(region, items, left)

    def _leaves(self, region: int, begin: Sequence[Expr], labels: Sequence[Any]) -> dict[Any, Expr]:
        """Expression of each label in a pass."""
        found: dict[Any, Expr] = {}
        for label, x in zip(labels, begin, strict=True):
            if label not in found:
                plain = Expr(self.graph, x.index, False)
                found[label] = plain if isinstance(label, int) else self.writer.carry(region, plain)
        return found

    def _final(self, begin: Expr, leaf: Expr) -> Expr:
        """Value of a scalar at the end."""
        if leaf.index == begin.index:
            return begin
        c = self.writer.carried_number(leaf)
        return Expr(self.graph, self.graph.node("final", c), begin.negative)

    def _place(self, column: Any) -> RowEntry | None:
        """Where the entries of a column are; None if they are all the same, or nowhere yet."""
        first = column[0]
        if column.dtype == object:
            values = [x.value if type(x) is Expr else x for x in column]
            if any(x is None for x in values):
                return None if _is_same(column) else self._written(column)
            column = np.array(values, dtype=float)
            first = column[0]
        column = column + 0.0  # the sign of a zero is lost in an expression, too
        if np.all(column == first):
            return None
        return self._number(column)

    def _number(self, column: Any) -> RowEntry:
        """A column of numbers, in the table of all that have as many rows."""
        key = column.tobytes()
        if key not in self.table.columns:
            if self.length not in self.table.number_tables:
                new = self.writer.add_series((self.length,), (), OpenWrite((), (), rows=self.length))
                self.table.number_tables[self.length] = new.source[1]
            number = self.table.number_tables[self.length]
            write = self.table.writes[number]
            self.table.columns[key] = TableColumn(number, len(write.numbers))
            write.numbers.append(column)
            write.columns = len(write.numbers)
        return RowEntry(*self.table.columns[key])

    def _written(self, column: Sequence[Any]) -> RowEntry | None:
        """Where a loop left exactly these entries, one for each row."""
        nodes, first = self.graph.nodes, column[0]
        node = nodes[first.index] if type(first) is Expr else ("const", 0.0)
        if node[0] != "element" or not self.table.writes[node[1]].columns:
            return None
        _, write, entry = node
        size, regions = self.table.writes[write].columns, self.table.writes[write].regions
        if entry >= size or self.table.regions[regions[0]].length != self.length:
            return None
        for k, x in enumerate(column):
            if not (type(x) is Expr and x.negative == first.negative):
                return None
            if nodes[x.index] != ("element", write, entry + k * size):
                return None
        return RowEntry(write, entry, first.negative)

    def _fill(self) -> None:
        """A table of all columns that are nowhere yet."""
        open_, inside = list[tuple[int, tuple[int, ...]]](), tuple(self.table.inside)
        for k, column in enumerate(self.columns):
            if self.places[k] is None and column.dtype == object and not _is_same(column):
                nodes = tuple(self.writer.as_expr(x).signed_node() for x in column)
                if (inside, nodes) in self.table.columns:
                    self.places[k] = RowEntry(*self.table.columns[inside, nodes])
                else:
                    open_.append((k, nodes))
        different = list(dict.fromkeys(nodes for _, nodes in open_))
        if different:
            rows, size = tuple(i for row in zip(*different, strict=True) for i in row), len(different)
            table = OpenWrite(rows, (), rows=self.length, scope=self.table.innermost, columns=size)
            write = self.writer.add_series((self.length,), (size,), table).source[1]
            self.table.columns.update(((inside, nodes), TableColumn(write, e)) for e, nodes in enumerate(different))
        for k, nodes in open_:
            self.places[k] = RowEntry(*self.table.columns[inside, nodes])

    def _row(self, region: int) -> Iterator[Any]:
        """The entries of the row of a pass."""
        reads: dict[int, int] = {}
        for column, place in zip(self.columns, self.places, strict=True):
            if place is None:
                yield column[0]
                continue
            if place.write not in reads:
                reads[place.write] = self.table.read(("kept", place.write), (region,), 0)
            yield Expr(self.graph, self.graph.node("item", reads[place.write], place.entry), place.negative)

    def _left(self, region: int, items: Sequence[Any], left: Sequence[Any]) -> list[Any]:
        """The columns of what a step returned for its row: as they came, if it did nothing to them."""
        own = {x.index: k for k, x in enumerate(items) if type(x) is Expr}
        scopes, written, found = all_scopes(self.graph), dict[int, int](), list[Any]()
        scalars = [self.writer.as_expr(y) for y in left]
        for y in scalars:
            if region in self.table.around(scopes[y.index]) and y.index not in own:
                written.setdefault(y.index, len(written))
        write, size = -1, len(written)
        if written:
            row = OpenWrite(tuple(written), (region,), columns=size)
            write = self.writer.add_series((self.length,), (size,), row).source[1]
        for y in scalars:
            if y.index in written:
                entries = range(written[y.index], size * self.length, size)
                found.append([Expr(self.graph, self.graph.node("element", write, e), y.negative) for e in entries])
            elif y.index in own and self.places[own[y.index]] is not None:
                k = own[y.index]
                found.append(self.columns[k] if y.negative == items[k].negative else -self.columns[k])
            else:
                found.append([y if y.value is None else y.value] * self.length)
        return [x if isinstance(x, np.ndarray) else _column(x) for x in found]


def _split(begin: Sequence[Expr], after: Sequence[Expr], labels: Sequence[Any]) -> list[Any]:
    """The labels of what is carried together, and does not change, if a step made this of it."""
    made = [(y.index, x.negative != y.negative) for x, y in zip(begin, after, strict=True)]
    kinds: dict[Any, set[Any]] = {}
    for label, y in zip(labels, made, strict=True):
        kinds.setdefault(label, set()).add(y)
    found: list[Any] = []
    for label, y in zip(labels, made, strict=True):
        stays = y == (label, False) if isinstance(label, int) else len(kinds[label]) == 1
        found.append(label if stays else (label, y))
    return found


def _is_same(column: Sequence[Any]) -> bool:
    """Whether objects are one scalar in all rows."""
    first = column[0]
    if type(first) is not Expr:
        return all(type(x) is not Expr and x == first for x in column)
    return all(type(x) is Expr and x.index == first.index and x.negative == first.negative for x in column)


def _column(entries: list[Any]) -> Any:
    """Entries as an array, of floats if they are."""
    return objects(entries, (len(entries),)) if type(entries[0]) is Expr else np.array(entries, dtype=float)
