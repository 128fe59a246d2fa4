"""Which programs are well formed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from ....errors import KinetraceError
from ..ops import COLUMNS, LEAVES, LOOKUP, OPS_OF_PROGRAMS, operands

if TYPE_CHECKING:
    from ..program import Program
    from ..regions import Loops, Write


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
        problem = _column_problem(program, i, node) or _node_problem(program, i, node)
        if problem:
            raise KinetraceError(f"{program.name}: node {i}, {node!r}: {problem}")
    problem = _result_problem(program) or (_loop_problem(program) if program.loops.regions else None)
    if problem:
        raise KinetraceError(f"{program.name}: {problem}")


def _column_problem(program: Program, i: int, node: tuple[Any, ...]) -> str | None:
    """Problem of a column of a table, or of its use; None if there is none."""
    if node[0] == "column":
        ends = (
            [node[1], node[1] + node[2] * (node[3] - 1)] if len(node) == 4 and set(map(type, node[1:])) == {int} else []
        )
        of = [sum(a.size for a in program.inputs[:k]) for k in range(len(program.inputs) + 1)]
        inside = any(a <= min(ends) <= max(ends) < b for a, b in pairwise(of)) if ends and node[3] > 0 else False
        return None if inside else "must be inputs of one array"
    if node[0] == "filled":
        known = len(node) == 2 and node[1] in range(len(program.loops.writes))
        return (
            None if known and _is_filled(program.loops.writes[node[1]], i) else "must be a table that is filled before"
        )
    used = [k for k, j in enumerate(operands(node)) if type(j) is int and 0 <= j < i and program.nodes[j][0] in COLUMNS]
    if used != [0] * (node[0] == LOOKUP):
        return "lookup, and nothing else, takes an entry of a column"
    return None


def _is_filled(write: Write, i: int) -> bool:
    """Whether a write is a table of one column, all of whose nodes stand before node i."""
    return write.rows > 0 and write.size == 1 and not write.regions and all(0 <= j < i for j in write.nodes)


def _node_problem(program: Program, i: int, node: tuple[Any, ...]) -> str | None:
    """Problem of a node; None if there is none."""
    name, *entries = node
    if name not in OPS_OF_PROGRAMS and name not in LEAVES:
        return "no such operation"
    if name in OPS_OF_PROGRAMS:
        if len(entries) != OPS_OF_PROGRAMS[name].arity:
            return f"takes {OPS_OF_PROGRAMS[name].arity} operands"
        return None if all(type(j) is int and 0 <= j < i for j in entries) else "must read earlier nodes"
    if name in COLUMNS:
        return None
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
        if node[0] == "filled" and loops.writes[node[1]].scope != scope:
            return f"node {i}, {node!r}, stands in another region than what fills it"
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
