"""Columns of tables, of which `arrays.lookup` takes an entry by its number.

A column is a leaf of a graph, a node that stands for several: inputs of one array, which are read where they are;
numbers, which are constants of the code; or any nodes, which are put into memory once, where the last of them is known.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import objects
from ...errors import InputError
from .expr import Expr, Graph
from .loop_body import all_scopes
from .ops import COLUMNS, LOOKUP, Node, operands
from .regions import OpenWrite, TableColumn, Write

if TYPE_CHECKING:
    from .program import Program

MOST_ROWS = 1 << 24
"""Whole numbers up to which float32 is exact."""


def entries(graph: Graph, column: int) -> tuple[int, ...]:
    """The nodes that a column stands for; none if it is of numbers."""
    node = graph.nodes[column]
    if node[0] == "filled":
        return graph.loops.writes[node[1]].nodes
    _, first, step, count = node
    return tuple(graph.node("input", first + step * k) for k in range(count))


def scalars(graph: Graph, nodes: Iterable[int], among: Collection[int]) -> list[int]:
    """Of some nodes those that are among others, with those for which columns stand."""
    wanted = [i for i in nodes if i in among]
    several = (entries(graph, i) if graph.nodes[i][0] in COLUMNS else (i,) for i in wanted)
    return [i for i in dict.fromkeys(chain.from_iterable(several)) if i in among]


def column(graph: Graph, values: Sequence[Any]) -> Expr:
    """The leaf of a column of expressions and numbers."""
    scalars = [x if type(x) is Expr else graph.constant(x) for x in values]
    numbers = [x.value for x in scalars]
    if None not in numbers:
        return Expr(graph, _of_numbers(graph, np.array(numbers, dtype=float)), False)
    of_input = _of_input(graph, scalars)
    if of_input is not None:
        return Expr(graph, graph.node("column", *of_input), False)
    return Expr(graph, _of_nodes(graph, tuple(x.signed_node() for x in scalars)), False)


def entry(graph: Graph, column: int, index: Expr) -> Expr:
    """The entry whose number is an index rounded down and clamped."""
    if index.value is None:
        return Expr(graph, graph.node(LOOKUP, column, index.signed_node()), False)
    if math.isnan(index.value):
        return index
    write = graph.loops.writes[graph.nodes[column][1]] if graph.nodes[column][0] == "filled" else None
    count = write.rows if write else graph.nodes[column][3]
    place = int(min(max(index.value, 0.0), count - 1.0))
    if write and write.numbers:
        return graph.constant(write.numbers[0][place])
    return Expr(graph, entries(graph, column)[place], False)


def lookup(graph: Graph, table: Any, places: Sequence[Any]) -> Any:
    """See `arrays.lookup`; the rows of several axes are numbered in C order."""
    lengths, row = table.shape[: len(places)], table.shape[len(places) :]
    rows, size = math.prod(lengths), math.prod(row)
    if not 0 < rows <= MOST_ROWS:
        raise InputError(f"lookup: a table has rows, and at most {MOST_ROWS}; got shape {table.shape}")
    columns = [column(graph, part).index for part in table.reshape(rows, size).T]
    given = np.broadcast_arrays(*(np.asarray(x, dtype=object) for x in places))
    found = list[Expr]()
    for each in zip(*(x.flat for x in given), strict=True):
        indices = [x if type(x) is Expr else graph.constant(x) for x in each]
        whole = indices[0] if len(indices) == 1 else _clamped(indices[0], lengths[0])
        for x, n in zip(indices[1:], lengths[1:], strict=True):
            whole = whole * float(n) + _clamped(x, n)
        found += [entry(graph, k, whole) for k in columns]
    return objects(found, (*given[0].shape, *row))


def _clamped(x: Expr, rows: int) -> Expr:
    """The number of a row as a whole number."""
    return x.floor().maximum(0.0).minimum(rows - 1.0)


def picked(change: Expr, index: Expr, place: int, count: int) -> Expr:
    """The change if an index of a column means this place, else zero: the derivative by the entry there."""
    below = (index < float(place)).select(0.0, change) if place else change
    return (index < float(place + 1)).select(below, 0.0) if place < count - 1 else below


def _of_numbers(graph: Graph, numbers: Any) -> int:
    """A column of constants."""
    key = ("numbers", numbers.tobytes())
    if key not in graph.loops.columns:
        graph.loops.writes.append(OpenWrite((), (), rows=len(numbers), columns=1, numbers=[numbers]))
        graph.loops.columns[key] = TableColumn(len(graph.loops.writes) - 1, 0)
    return graph.node("filled", graph.loops.columns[key].write)


def _of_input(graph: Graph, scalars: Sequence[Expr]) -> tuple[int, int, int] | None:
    """The first input, the step and the number, if these are inputs of one array in steps."""
    nodes, arrays = [graph.nodes[x.index] for x in scalars], graph.loops.arrays
    if any(x.negative or node[0] != "input" for x, node in zip(scalars, nodes, strict=True)) or len(nodes) < 2:
        return None
    first, step = nodes[0][1], nodes[1][1] - nodes[0][1]
    last = first + step * (len(nodes) - 1)
    place = bisect_right(arrays, (first, math.inf)) - 1
    if step == 0 or place < 0 or not arrays[place][0] <= min(first, last) <= max(first, last) < arrays[place][1]:
        return None
    return (first, step, len(nodes)) if all(x[1] == first + step * k for k, x in enumerate(nodes)) else None


def _of_nodes(graph: Graph, nodes: tuple[int, ...]) -> int:
    """A column that is filled where all these nodes are known."""
    table, scopes = graph.loops, all_scopes(graph)
    own = {scopes[i] for i in nodes} | {table.enclosed_by(len(graph.nodes))}
    scope = max(own, key=lambda r: len(table.around(r)))
    key = ("filled", scope, nodes)
    if key not in table.columns:
        table.writes.append(OpenWrite(nodes, (), rows=len(nodes), scope=scope))
        table.columns[key] = TableColumn(len(table.writes) - 1, 0)
    return graph.node("filled", table.columns[key].write)


def without_columns(program: Program) -> Program:
    """A program that puts the inputs in which it looks up entries into tables, for inputs that move."""
    columns = {node[1:] for node in program.nodes if node[0] == "column"}
    if not columns:
        return program
    wanted = {column: [column[0] + column[1] * k for k in range(column[2])] for column in sorted(columns)}
    scalars = {node[1] for node in program.nodes if node[0] == "input"}.union(*wanted.values())
    first = {s: k for k, s in enumerate(sorted(scalars))}
    begin = [*accumulate((node[0] != "input" for node in program.nodes), initial=len(first))]
    place = [first[x[1]] if x[0] == "input" else k for x, k in zip(program.nodes, begin, strict=False)]
    own = {column: len(program.loops.writes) + k for k, column in enumerate(wanted)}
    nodes: list[Node] = [("input", s) for s in first]
    for node in (node for node in program.nodes if node[0] != "input"):
        if node[0] == "column":
            nodes.append(("filled", own[node[1:]]))
        else:
            nodes.append((node[0], *(place[j] for j in node[1:])) if operands(node) else node)
    loops = program.loops.with_nodes(place, begin)
    writes = [Write(tuple(first[s] for s in inputs), (), rows=len(inputs)) for inputs in wanted.values()]
    results = tuple(tuple(place[i] for i in result) for result in program.results)
    return replace(program, nodes=tuple(nodes), results=results, loops=replace(loops, writes=(*loops.writes, *writes)))
