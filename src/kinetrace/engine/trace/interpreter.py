"""Programs without a compiler: run in NumPy, evaluated on scalars of other libraries, written as text, and checked.

The interpreter defines what a program computes, and `check` which programs are well formed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import KinetraceError
from .ops import LEAVES, OPS, Node, operands

if TYPE_CHECKING:
    from .program import Program
    from .regions import Loops, Write


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
        if kind == "element":
            row, e = divmod(node[2], self.kept[node[1]].shape[-1])
            return self.kept[node[1]][..., row, e]
        return OPS[kind].apply(*(self.values[j] for j in node[1:]))

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
                else:
                    self.names[i] = f"t{i}"
                    operation = OPS[node[0]].text.format(*(self.names[j] for j in node[1:]), f="")
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


def check(program: Program) -> None:
    """An error that names the first node or result that is not as the table of operations says.

    Every operation is in the table and reads as many nodes as its arity, all of them earlier ones; constants are
    non-negative floats or NaN; inputs are scalars of the program's arguments; results are nodes, as many as the
    outputs have entries. Of loops, see `regions`: they nest, what they carry begins outside and ends inside, nothing
    of a pass is read outside, and series have an axis for each loop that runs along them, one row in each pass.

    >>> from kinetrace.engine.trace import trace
    >>> check(trace(lambda x: x * x, {"x": (3,)}))
    """
    for i, node in enumerate(program.nodes):
        problem = _node_problem(program, i, node)
        if problem:
            raise KinetraceError(f"{program.name}: node {i}, {node!r}: {problem}")
    problem = _result_problem(program) or (_loop_problem(program) if program.loops.regions else None)
    if problem:
        raise KinetraceError(f"{program.name}: {problem}")


def _node_problem(program: Program, i: int, node: tuple[Any, ...]) -> str | None:
    """Problem of a node; None if there is none."""
    name, *entries = node
    if name not in OPS and name not in LEAVES:
        return "no such operation"
    if name in OPS:
        if len(entries) != OPS[name].arity:
            return f"takes {OPS[name].arity} operands"
        return None if all(type(j) is int and 0 <= j < i for j in entries) else "must read earlier nodes"
    if len(entries) != 1 + (name in ("item", "element")):
        return "takes one entry" if name not in ("item", "element") else "takes two entries"
    if name == "const":
        return None if type(entries[0]) is float and not entries[0] < 0.0 else "must be a float, not below zero"
    loops = program.loops
    limits = {"input": sum(a.size for a in program.inputs), "item": len(loops.reads), "element": len(loops.writes)}
    limit = limits.get(name, len(loops.carried))
    if not (type(entries[0]) is int and 0 <= entries[0] < limit):
        names = {"input": "scalar inputs", "item": "series that are read", "element": "series that are written"}
        what = names.get(name, "carried values")
        return f"there are {limit} {what}"
    if name == "item" and not (type(entries[1]) is int and 0 <= entries[1] < loops.reads[entries[0]].size):
        return f"its row has {loops.reads[entries[0]].size} entries"
    return None


def _result_problem(program: Program) -> str | None:
    """Problem of the results; None if there is none."""
    if len(program.results) != len(program.outputs):
        return f"{len(program.results)} results for {len(program.outputs)} outputs"
    for output, result in zip(program.outputs, program.results, strict=True):
        if len(result) != output.size:
            return f"{output.name} has {output.size} entries, its result {len(result)}"
    for i in chain.from_iterable(program.results):
        if not (type(i) is int and 0 <= i < len(program.nodes)):
            return f"result {i!r} is not a node; there are {len(program.nodes)}"
    return None


def _loop_problem(program: Program) -> str | None:
    """Problem of the loops; None if there is none. The first problem may be the reason of later ones."""
    problem = _region_problem(program)
    if problem:
        return problem
    scopes = _Scopes(program.loops, program.loops.scopes(program.size))
    checks = (_scope_problem, _carried_problem, _write_problem)
    return next(filter(None, (check(program, scopes) for check in checks)), None) or _read_problem(program)


@dataclass(frozen=True)
class _Scopes:
    """The innermost region in which each node stands."""

    loops: Loops
    regions: list[int]

    def reads(self, i: int, region: int) -> bool:
        """Whether node i can be read in a region: it stands in none, in that one, or in one around it."""
        return 0 <= i < len(self.regions) and self.regions[i] in (-1, *self.loops.around(region))


def _region_problem(program: Program) -> str | None:
    """Problem of the nodes that regions take, or of their lengths."""
    loops = program.loops
    for r, x in enumerate(loops.regions):
        around = loops.regions[x.parent] if 0 <= x.parent < r else None
        begin, end = (around.begin, around.end) if around else (0, program.size)
        if x.parent >= r or not begin <= x.begin <= x.end <= end:
            return f"region {r} is not inside of region {x.parent}"
        if x.active >= 0 and not (x.active < len(loops.carried) and loops.carried[x.active].region == r):
            return f"region {r} does not carry what says that states are active"
        if isinstance(x.length, str) and x.length not in program.dims:
            return f"region {r} runs along {x.length!r}, which no argument has"
    last: dict[int, int] = {}
    for r, x in sorted(enumerate(loops.regions), key=lambda pair: (pair[1].begin, pair[1].end)):
        if x.begin < last.get(x.parent, 0):
            return f"region {r} overlaps one before it"
        last[x.parent] = x.end
    return None


def _scope_problem(program: Program, scopes: _Scopes) -> str | None:
    """Problem of nodes that depend on passes of loops."""
    loops = program.loops
    for i, node in enumerate(program.nodes):
        scope = scopes.regions[i]
        if not all(scopes.reads(j, scope) for j in operands(node)):
            return f"node {i} reads a value of a pass outside of its loop"
        if (node[0] == "carry" and loops.carried[node[1]].region != scope) or (
            node[0] == "item" and loops.reads[node[1]].regions[-1] != scope
        ):
            return f"node {i}, {node!r}, stands outside of its loop"
        if node[0] == "element" and not _is_there(program, i, scope):
            return f"node {i}, {node!r}, is not an entry of what a loop before it left"
        if node[0] == "final" and i < loops.regions[loops.carried[node[1]].region].end:
            return f"node {i}, {node!r}, stands before the end of its loop"
    return None


def _is_there(program: Program, i: int, scope: int) -> bool:
    """Whether an element stands behind the loop that wrote it, in the same region, and is an entry."""
    _, k, e = program.nodes[i]
    write = program.loops.writes[k]
    if write.output >= 0 or len(write.regions) != 1:
        return False
    region = program.loops.regions[write.regions[0]]
    entries = len(write.nodes) * region.length if isinstance(region.length, int) else 0
    return region.parent == scope and region.end <= i and 0 <= e < entries


def _carried_problem(program: Program, scopes: _Scopes) -> str | None:
    """Problem of values that regions carry."""
    for c in program.loops.carried:
        region = program.loops.regions[c.region]
        begins = scopes.reads(c.initial, region.parent) and c.initial < region.begin
        if not (begins and scopes.reads(c.next, c.region)):
            return f"what region {c.region} carries does not begin before it and end inside"
    return None


def _write_problem(program: Program, scopes: _Scopes) -> str | None:
    """Problem of series that are written."""
    loops = program.loops
    outputs = [w.output for w in loops.writes if w.output >= 0]
    if len(set(outputs)) < len(outputs) or any(k >= len(program.outputs) for k in outputs):
        return "two series are written to one output, or one to none"
    for w in loops.writes:
        if not all(scopes.reads(i, w.inside) for i in w.nodes):
            return "a row is written that is not of its loop"
        if w.numbers and (w.nodes or w.regions or w.output >= 0):
            return "a table of numbers is written"
        if w.output >= 0 and program.outputs[w.output].dims != loops.lengths(w.regions):
            return f"{program.outputs[w.output].name} is not written along its axes"
    return None


def _read_problem(program: Program) -> str | None:
    """Problem of series that are read."""
    loops = program.loops
    rows: dict[Any, tuple[int, ...]] = {}
    for x in loops.reads:
        kind, k = x.source
        if rows.setdefault((x.source, x.regions[-1]), x.regions) != x.regions:
            return f"{program.inputs[k].name if kind == 'input' else 'a series'} is read at two rows in a pass"
        if kind == "input":
            argument = program.inputs[k]
            if (argument.dims, argument.size) != (loops.lengths(x.regions), x.size):
                return f"{argument.name} is not read along its axes"
            continue
        w = loops.writes[k]
        if w.regions and loops.regions[w.regions[0]].end > loops.regions[x.regions[0]].begin:
            return "a series is read before it was written"
        if (loops.lengths(w.regions) or (w.rows,), w.size) != (loops.lengths(x.regions), x.size):
            return "a series is not read as it was written"
    return None
