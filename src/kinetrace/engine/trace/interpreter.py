"""Programs without a compiler: run in NumPy, and evaluated on scalars of other libraries.

The interpreter defines what a program computes; `readers.checker` says which programs are well formed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .ops import COLUMNS, LOOKUP, OPS_OF_PROGRAMS, Node

if TYPE_CHECKING:
    from .program import Program
    from .regions import Write


def evaluate(program: Program, *arrays: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], ...]:
    """The results, over whole batches, node by node."""
    return Interpreter(program, [np.asarray(x, dtype=float) for x in arrays]).outputs()


class Interpreter:
    """The values of all nodes, in the present passes of loops; all arrays are of one type."""

    def __init__(self, program: Program, arrays: list[npt.NDArray[Any]]) -> None:
        self.program, self.loops = program, program.loops
        pairs = list(zip(arrays, program.inputs, strict=True))
        self.batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(a.shape)] for x, a in pairs))
        self.arrays = [x.reshape(*x.shape[: x.ndim - len(a.row)], a.size) for x, a in pairs]
        sizes = {name: n for x, a in pairs for name, n in zip(a.dims, x.shape[x.ndim - len(a.shape) :], strict=False)}
        self.lengths = [x.length if isinstance(x.length, int) else sizes[x.length] for x in self.loops.regions]
        self.scalars = list(program.inputs_by_scalar())
        self.values: list[Any] = [None] * program.size
        self.carried: list[Any] = [None] * len(self.loops.carried)
        self.passes = [0] * len(self.loops.regions)
        self.dtype = np.result_type(*arrays) if arrays else np.dtype(float)
        self.kept = [self.memory(w) for w in self.loops.writes]

    def memory(self, write: Write) -> npt.NDArray[Any]:
        """An array for what is written; of numbers, with them."""
        shape = (*self.axes(write), write.size)
        if write.numbers:
            return np.broadcast_to(np.reshape(write.numbers, shape).astype(self.dtype), (*self.batch, *shape))
        return np.empty((*self.batch, *shape), self.dtype)

    def axes(self, write: Write) -> tuple[int, ...]:
        """The lengths of a series that is written."""
        return tuple(self.lengths[r] for r in write.regions) or (write.rows,)

    def nodes(self, region: int, begin: int, end: int) -> None:
        """The nodes of a region, or of what is in none, with the loops among them."""
        for first, last in self.loops.layout(region, begin, end):
            if first < 0:
                self.loop(last)
                continue
            for i in range(first, last):
                self.values[i] = self.value(i)

    def value(self, i: int) -> Any:
        """Node i, from the values of those that it reads."""
        node = self.program.nodes[i]
        kind = node[0]
        if kind == "const":
            return node[1]
        if kind == "input":
            a, e = self.scalars[node[1]]
            return self.arrays[a][..., e]
        if kind == "item":
            read = self.loops.reads[node[1]]
            of = self.arrays if read.source[0] == "input" else self.kept
            return of[read.source[1]][(..., *(self.passes[r] for r in read.regions), node[2])]
        if kind in ("carry", "final"):
            return self.carried[node[1]]
        if kind in COLUMNS:
            return self.column(node)
        if kind == "element":
            row, e = divmod(node[2], self.kept[node[1]].shape[-1])
            return self.kept[node[1]][..., row, e]
        return OPS_OF_PROGRAMS[kind].apply(*(self.values[j] for j in node[1:]))

    def column(self, node: Node) -> Any:
        """The values that a column stands for, along the last axis."""
        if node[0] == "column":
            a, e = self.scalars[node[1]]
            return self.arrays[a][..., e + node[2] * np.arange(node[3])]
        write = self.loops.writes[node[1]]
        if write.numbers:
            return np.array(write.numbers, self.dtype)
        return np.stack([np.broadcast_to(self.values[i], self.batch) for i in write.nodes], axis=-1)

    def loop(self, r: int) -> None:
        """All passes of a region."""
        region, carried = self.loops.regions[r], self.loops.carried_by(r)
        for c in carried:
            self.carried[c] = np.broadcast_to(self.values[self.loops.carried[c].initial], self.batch)
        for k in self.loops.memory_read_by(r):
            if self.loops.writes[k].rows and not self.loops.writes[k].numbers:
                columns = [np.broadcast_to(self.values[i], self.batch) for i in self.loops.writes[k].nodes]
                self.kept[k] = np.stack(columns, axis=-1).reshape(self.kept[k].shape)
        order = range(self.lengths[r])
        for self.passes[r] in reversed(order) if region.reverse else order:
            if region.active >= 0 and not np.any(self.carried[region.active]):
                break
            self.nodes(r, region.begin, region.end)
            for k, write in enumerate(self.loops.writes):
                if write.regions[-1:] == (r,):
                    for e, i in enumerate(write.nodes):
                        place: tuple[Any, ...] = (..., *(self.passes[x] for x in write.regions), e)
                        self.kept[k][place] = self.values[i]
            after = [np.broadcast_to(self.values[self.loops.carried[c].next], self.batch) for c in carried]
            if region.active >= 0:
                active = self.carried[region.active] != 0
                after = [np.where(active, x, self.carried[c]) for c, x in zip(carried, after, strict=True)]
            for c, x in zip(carried, after, strict=True):
                self.carried[c] = x

    def outputs(self) -> tuple[npt.NDArray[Any], ...]:
        """All of it; the results as arrays."""
        self.nodes(-1, 0, self.program.size)
        written = {w.output: self.kept[k] for k, w in enumerate(self.loops.writes)}
        outputs = []
        for k, (argument, result) in enumerate(zip(self.program.outputs, self.program.results, strict=True)):
            if k in written:
                lengths = written[k].shape[len(self.batch) : -1]
                outputs.append(written[k].reshape((*self.batch, *lengths, *argument.row)))
                continue
            columns = [np.broadcast_to(self.values[i], self.batch) for i in result]
            stacked = np.stack(columns, axis=-1) if columns else np.empty((*self.batch, 0))
            outputs.append(stacked.reshape((*self.batch, *argument.shape)).astype(self.dtype, copy=False))
        return tuple(outputs)


def on_scalars(
    program: Program,
    leaf: Callable[[int], Any],
    number: Callable[[float], Any],
    operations: Mapping[str, Callable[..., Any]],
) -> list[list[Any]]:
    """The entries of all results on scalars of any kind, of a program whose loops, if it has some, are choices.

    `leaf` gives the scalars of all inputs by their places, and `operations` says how to do each of `OPS`.
    """
    values, loops = list[Any](), program.loops
    for kind, *rest in program.nodes:
        if kind in COLUMNS:
            write = loops.writes[rest[0]] if kind == "filled" else None
            inputs = () if write else (leaf(rest[0] + rest[1] * k) for k in range(rest[2]))
            values.append([*map(number, write.numbers), *(values[i] for i in write.nodes)] if write else [*inputs])
            continue
        if kind == LOOKUP:
            values.append(_chosen(values[rest[0]], values[rest[1]], number, operations))
            continue
        if kind == "const":
            values.append(number(rest[0]))
        elif kind == "input":
            values.append(leaf(rest[0]))
        elif kind == "carry":
            values.append(values[loops.carried[rest[0]].initial])
        elif kind == "final":
            carried = loops.carried[rest[0]]
            active = loops.carried[loops.regions[carried.region].active]
            values.append(operations["select"](*(values[i] for i in (active.initial, carried.next, carried.initial))))
        else:
            values.append(operations[kind](*(values[i] for i in rest)))
    return [[values[i] for i in result] for result in program.results]


def _chosen(
    column: list[Any], index: Any, number: Callable[[float], Any], operations: Mapping[str, Callable[..., Any]]
) -> Any:
    """An entry of a column by comparisons of its number; the last one for NaN."""
    found = column[-1]
    for k in range(len(column) - 2, -1, -1):
        found = operations["select"](operations["lt"](index, number(k + 1.0)), column[k], found)
    return found
