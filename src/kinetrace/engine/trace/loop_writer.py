"""Loops while a function is traced: `arrays.scan`, `arrays.iterate`, and sweeps over known rows, on expressions.

The step is run once, on new leaves for what is carried and for the rows that come in. What it made of these is the body
of a region; all else that it made does not change from pass to pass, and stands before the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...arrays import objects, tree_leaves, tree_map, where
from ...errors import InputError
from ...support.not_numbers import TracedValue
from . import tables
from .expr import Expr, Graph
from .regions import InnerNumbers, Length, OpenCarried, OpenRegion, OpenWrite

Step = Callable[[list[Any], list[Any]], tuple[Sequence[Any], Sequence[Any]]]
"""(What is carried, a row) → what is carried on, and what is left for the row."""


class Series(TracedValue):
    """A traced array whose first axes have names, and lengths that are known later; `scan` takes its rows."""

    __slots__ = ("dims", "graph", "regions", "row", "source")

    def __init__(
        self,
        graph: Graph,
        dims: tuple[Length, ...],
        row: tuple[int, ...],
        source: tuple[str, int],
        regions: tuple[int, ...] = (),
    ) -> None:
        self.graph, self.dims, self.row, self.source, self.regions = graph, dims, row, source, regions

    @property
    def shape(self) -> tuple[Length, ...]:
        """With names for the lengths that are not known yet."""
        return (*self.dims, *self.row)

    @property
    def loop_writer(self) -> LoopWriter:
        """Tracer of loops."""
        return LoopWriter(self.graph)

    def at(self, region: int) -> Any:
        """The row of a pass: an array of expressions, or a series if there are further names."""
        regions = (*self.regions, region)
        if len(self.dims) > 1:
            return Series(self.graph, self.dims[1:], self.row, self.source, regions)
        size = math.prod(self.row)
        k = self.graph.loops.read(self.source, regions, size)
        return objects([Expr(self.graph, self.graph.node("item", k, e), False) for e in range(size)], self.row)

    def _refuse(self, *_: Any) -> Any:
        raise InputError(
            f"an array of shape ({', '.join(map(str, self.shape))}) whose length is known only when the function is "
            "called has no entries yet: kinetrace.arrays.scan takes it row by row"
        )

    __getitem__ = __iter__ = __len__ = __array__ = __add__ = __radd__ = __mul__ = __rmul__ = _refuse
    __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __matmul__ = __rmatmul__ = __neg__ = __abs__ = __pos__ = _refuse
    __pow__ = __rpow__ = __floordiv__ = __mod__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = _refuse
    __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__
    T = flat = size = sum = mean = min = max = reshape = astype = property(_refuse)

    def __repr__(self) -> str:
        return f"Series({', '.join(map(str, self.shape))})"


class LoopWriter:
    """Writes loops into a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.table = graph, graph.loops

    def scan(self, step: Callable[[Any, Any], tuple[Any, Any]], carry: Any, xs: Any, reverse: bool = False) -> Any:
        """See `arrays.scan`; `xs` are series."""
        lengths = {x.dims[0] if isinstance(x, Series) else len(x) for x in tree_leaves(xs)}
        if len(lengths) > 1:
            raise InputError(f"scan: xs must have one length, got {', '.join(sorted(map(str, lengths)))}")
        xs = self.separate_rows(xs)
        with self.region(lengths.pop(), reverse) as region:
            leaves = [self.carry(region, x) for x in _scalars(self.graph, carry)]
            after, y = step(_in_arrays(carry, leaves), tree_map(lambda x: x.at(region), xs))
            self.set_next(leaves, _same_structure("scan: step must return what it was given", carry, after, self.graph))
            ys = tree_map(lambda part: self.write_rows(region, part), y)
        return self.final_values(region, carry), ys

    def iterate(self, step: Callable[[Any], Any], carry: Any, until: Callable[[Any], Any], most: int) -> Any:
        """See `arrays.iterate`."""

        def running(state: Any) -> Expr:
            found = np.asarray(until(state), dtype=object)
            if found.shape:
                raise InputError(f"iterate: until must return one condition, got an array of shape {found.shape}")
            return self.as_expr(where(found, 0.0, 1.0)[()])

        begin = [*_scalars(self.graph, carry), running(carry)]
        with self.region(int(most)) as region:
            leaves = [self.carry(region, x) for x in begin]
            self.table.regions[region].active = self.carried_number(leaves[-1])
            after = step(_in_arrays(carry, leaves[:-1]))
            scalars = _same_structure("iterate: step must return what it was given", carry, after, self.graph)
            self.set_next(leaves, [*scalars, running(_in_arrays(carry, scalars))])
        return self.final_values(region, carry)

    def maybe(self, condition: Any, f: Callable[[], Any], otherwise: Any) -> Any:
        """See `arrays.maybe`."""
        found = np.asarray(condition, dtype=object)
        if found.shape:
            raise InputError(f"maybe: condition must be one condition, got an array of shape {found.shape}")
        holds = self.as_expr(found[()])
        if holds.value is not None:
            return f() if holds.value else otherwise
        before = _scalars(self.graph, otherwise)

        def make(_: int) -> list[tuple[Expr, Expr]]:
            scalars = _same_structure("maybe: f must return what otherwise is", otherwise, f(), self.graph)
            return list(zip(scalars, before, strict=True))

        return _in_arrays(otherwise, self.choice(holds, make))

    def choice(self, condition: Expr, make: Callable[[int], Sequence[tuple[Expr, Expr]]]) -> list[Expr]:
        """Of pairs that are made in a region, the first where a condition holds, else the second, known before."""
        begin, leaves = condition.signed_node(), dict[tuple[int, int], Expr]()
        with self.region(1) as region, self.enclosed(region):
            active = self.carry(region, Expr(self.graph, begin, False))
            self.table.regions[region].active = self.carried_number(active)
            self.set_next([active], [active])
            found = list[Expr]()
            for x, other in make(region):
                if (x.index, x.negative) == (other.index, other.negative):
                    found.append(other)
                    continue
                negative = x.negative if other.value == 0.0 else other.negative
                after = (-x if negative else x).signed_node()
                if (other.index, after) not in leaves:
                    leaf = self.carry(region, Expr(self.graph, other.index, False))
                    self.set_next([leaf], [Expr(self.graph, after, False)])
                    leaves[other.index, after] = leaf
                found.append(Expr(self.graph, leaves[other.index, after].index, negative))
        own = {leaf.index for leaf in leaves.values()}
        return [self.final(x) if x.index in own else x for x in found]

    @contextmanager
    def enclosed(self, region: int) -> Iterator[None]:
        """What is made meanwhile stands in a region, whatever it depends on; what is known outside is used there."""
        graph, table, outside = self.graph, self.table, self.graph.numbers
        around = table.enclosed_by(len(graph.nodes))
        table.regions[region].encloses = True
        table.enclosures.append((len(graph.nodes), region))
        graph.numbers = InnerNumbers(outside)
        try:
            yield
        finally:
            graph.numbers = outside
            table.enclosures.append((len(graph.nodes), around))

    def final(self, leaf: Expr) -> Expr:
        """A carried value at the end, with the sign of what stands for it in a pass."""
        return Expr(self.graph, self.graph.node("final", self.carried_number(leaf)), leaf.negative)

    def lookup(self, table: Any, places: Sequence[Any]) -> Any:
        """See `arrays.lookup`."""
        if isinstance(table, Series):
            raise InputError(f"lookup: the length of {table!r} is not known; a table has a known number of rows")
        return tables.lookup(self.graph, table, places)

    def entry(self, column: Expr, index: Any) -> Expr:
        """An entry of a column; see `ops`."""
        return tables.entry(self.graph, column.index, self.as_expr(index))

    @property
    def rolls(self) -> bool:
        """Whether loops over rows that are known are written as such."""
        return self.table.rolls

    def map_rows(self, step: Callable[[Any], Any], xs: Any) -> Any:
        """See `arrays.map_rows`."""
        rows = len(xs)
        nodes = tuple(self.as_expr(x).signed_node() for x in xs.flat)
        filled = self.add_series((rows,), xs.shape[1:], OpenWrite(nodes, (), rows, self.table.innermost))
        with self.region(rows) as region:
            y = self.write_rows(region, step(filled.at(region)))
        size = rows * math.prod(y.row)
        leaves = [Expr(self.graph, self.graph.node("element", y.source[1], e), False) for e in range(size)]
        return objects(leaves, (rows, *y.row))

    def run(self, step: Step, carry: Sequence[Any], columns: Sequence[Any], reverse: bool = False) -> Any:
        """Carried values at the end, and columns of values that steps leave for the rows; see `row_loops`."""
        from .row_loops import RowLoop  # which writes loops by this

        return RowLoop(self, columns, reverse).trace(step, carry)

    @contextmanager
    def region(self, length: Length, reverse: bool = False) -> Iterator[int]:
        """A new region, inside of which what is traced meanwhile stands."""
        table, number = self.table, len(self.table.regions)
        table.regions.append(OpenRegion(length, table.innermost, reverse))
        table.inside.append(number)
        try:
            yield number
        finally:
            table.inside.pop()
            table.regions[number].closed = len(self.graph.nodes)

    def carry(self, region: int, initial: Expr) -> Expr:
        """A new carried value, as it is in a pass."""
        self.table.carried.append(OpenCarried(region, initial.signed_node()))
        return Expr(self.graph, self.graph.node("carry", len(self.table.carried) - 1), False)

    def carried_number(self, leaf: Expr) -> int:
        """The number of a carried value."""
        return int(self.graph.nodes[leaf.index][1])

    def set_next(self, leaves: Sequence[Expr], after: Sequence[Expr]) -> None:
        """Set the carried values of the next pass."""
        for leaf, x in zip(leaves, after, strict=True):
            self.table.carried[self.carried_number(leaf)].next = x.signed_node()

    def final_values(self, region: int, carry: Any) -> Any:
        """Carried values at the end, in the structure of the first ones."""
        carried = [c for c, x in enumerate(self.table.carried) if x.region == region]
        finals = [Expr(self.graph, self.graph.node("final", c), False) for c in carried]
        return _in_arrays(carry, finals[: sum(math.prod(np.shape(x)) for x in tree_leaves(carry))])

    def write_rows(self, region: int, y: Any) -> Series:
        """Results of a step in each pass, as a series."""
        length = self.table.regions[region].length
        if isinstance(y, Series):
            y = self.to_memory(y)
            inner = self.table.writes[y.source[1]]
            return self.add_series((length, *y.dims), y.row, OpenWrite(inner.nodes, (region, *inner.regions)))
        array = np.asarray(y, dtype=object)
        nodes = tuple(self.as_expr(x).signed_node() for x in array.flat)
        return self.add_series((length,), array.shape, OpenWrite(nodes, (region,)))

    def separate_rows(self, xs: Any) -> Any:
        """The same, in which no array is read at two rows in one pass: of all but the first, copies."""
        rows: dict[tuple[str, int], tuple[int, ...]] = {}

        def alone(x: Any) -> Any:
            same = not isinstance(x, Series) or rows.setdefault(x.source, x.regions) == x.regions
            return x if same else self.to_memory(x)

        return tree_map(alone, xs)

    def to_memory(self, x: Series) -> Series:
        """A series that was written here: itself, or a copy of an input."""
        return x if x.source[0] == "kept" and not x.regions else self.scan(lambda carry, row: (carry, row), (), x)[1]

    def add_series(self, dims: tuple[Length, ...], row: tuple[int, ...], write: OpenWrite) -> Series:
        """The series that is written so."""
        self.table.writes.append(write)
        return Series(self.graph, dims, row, ("kept", len(self.table.writes) - 1))

    def as_expr(self, x: Any) -> Expr:
        """A number as an expression."""
        return x if type(x) is Expr else self.graph.constant(x)


def _scalars(graph: Graph, carry: Any) -> list[Expr]:
    """All scalars of arrays, as expressions."""
    arrays = tree_leaves(carry)
    for x in arrays:
        if isinstance(x, Series):
            raise InputError(f"{x!r} cannot be carried: its length is not known; give it to scan as xs")
    flat = [x for array in arrays for x in np.asarray(array, dtype=object).flat]
    return [x if type(x) is Expr else graph.constant(x) for x in flat]


def _in_arrays(like: Any, scalars: Sequence[Expr]) -> Any:
    """Scalars in arrays of a structure and shapes."""
    left = iter(scalars)

    return tree_map(lambda x: objects([next(left) for _ in range(math.prod(np.shape(x)))], np.shape(x)), like)


def _same_structure(rule: str, before: Any, after: Any, graph: Graph) -> list[Expr]:
    """The scalars of what a step returned; an error if its arrays are not those that were carried."""
    shapes = [tree_map(np.shape, x) for x in (before, after)]
    if repr(shapes[0]) != repr(shapes[1]):
        raise InputError(f"{rule}, shapes {shapes[0]}; got {shapes[1]}")
    return _scalars(graph, after)
