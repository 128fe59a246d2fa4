"""Whether a program is well formed, for tests and before code is generated from it."""

from __future__ import annotations

from itertools import chain
from typing import Any

from ..errors import KinetraceError
from .ops import LEAVES, OPS, operands
from .program import Program


def check(program: Program) -> None:
    """An error that names the first node or result that is not as the table of operations says.

    Every operation is in the table and reads as many nodes as its arity, all of them earlier ones; constants are
    non-negative floats or NaN; inputs are scalars of the program's arguments; results are nodes, as many as the
    outputs have entries. Of loops, see `regions`: they nest, what they carry begins outside and ends inside, nothing
    of a pass is read outside, and series have an axis for each loop that runs along them, one row in each pass.

    >>> from kinetrace.trace import trace
    >>> check(trace(lambda x: x * x, {"x": (3,)}))
    """
    for i, node in enumerate(program.nodes):
        problem = _of_node(program, i, node)
        if problem:
            raise KinetraceError(f"{program.name}: node {i}, {node!r}: {problem}")
    problem = _of_results(program) or (_of_loops(program) if program.loops.regions else None)
    if problem:
        raise KinetraceError(f"{program.name}: {problem}")


def _of_node(program: Program, i: int, node: tuple[Any, ...]) -> str | None:
    """What is wrong with a node."""
    name, *given = node
    if name not in OPS and name not in LEAVES:
        return "no such operation"
    if name in OPS:
        if len(given) != OPS[name].arity:
            return f"takes {OPS[name].arity} operands"
        return None if all(type(j) is int and 0 <= j < i for j in given) else "must read earlier nodes"
    if len(given) != 1 + (name in ("item", "element")):
        return "takes one entry" if name not in ("item", "element") else "takes two entries"
    if name == "const":
        return None if type(given[0]) is float and not given[0] < 0.0 else "must be a float, not below zero"
    loops = program.loops
    limits = {"input": sum(a.size for a in program.inputs), "item": len(loops.reads), "element": len(loops.writes)}
    limit = limits.get(name, len(loops.carried))
    if not (type(given[0]) is int and 0 <= given[0] < limit):
        names = {"input": "scalar inputs", "item": "series that are read", "element": "series that are written"}
        what = names.get(name, "carried values")
        return f"there are {limit} {what}"
    if name == "item" and not (type(given[1]) is int and 0 <= given[1] < loops.reads[given[0]].size):
        return f"its row has {loops.reads[given[0]].size} entries"
    return None


def _of_results(program: Program) -> str | None:
    """What is wrong with the results."""
    if len(program.results) != len(program.outputs):
        return f"{len(program.results)} results for {len(program.outputs)} outputs"
    for output, result in zip(program.outputs, program.results, strict=True):
        if len(result) != output.size:
            return f"{output.name} has {output.size} entries, its result {len(result)}"
    for i in chain.from_iterable(program.results):
        if not (type(i) is int and 0 <= i < len(program.nodes)):
            return f"result {i!r} is not a node; there are {len(program.nodes)}"
    return None


def _of_loops(program: Program) -> str | None:
    """What is wrong with the loops."""
    loops, count = program.loops, len(program.nodes)
    for r, x in enumerate(loops.regions):
        around = loops.regions[x.parent] if 0 <= x.parent < r else None
        begin, end = (around.begin, around.end) if around else (0, count)
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
    scopes = loops.scopes(count)

    def seen(i: int, region: int) -> bool:
        return 0 <= i < count and scopes[i] in (-1, *loops.around(region))

    for i, node in enumerate(program.nodes):
        if not all(seen(j, scopes[i]) for j in operands(node)):
            return f"node {i} reads a value of a pass outside of its loop"
        own = {"carry": lambda k: loops.carried[k].region, "item": lambda k: loops.reads[k].regions[-1]}.get(node[0])
        if own and own(node[1]) != scopes[i]:
            return f"node {i}, {node!r}, stands outside of its loop"
        if node[0] == "element" and not _is_there(program, i, scopes[i]):
            return f"node {i}, {node!r}, is not an entry of what a loop before it left"
        if node[0] == "final" and i < loops.regions[loops.carried[node[1]].region].end:
            return f"node {i}, {node!r}, stands before the end of its loop"
    for c in loops.carried:
        region = loops.regions[c.region]
        if not (seen(c.initial, region.parent) and c.initial < region.begin and seen(c.next, c.region)):
            return f"what region {c.region} carries does not begin before it and end inside"
    return _of_series(program, seen)


def _is_there(program: Program, i: int, scope: int) -> bool:
    """Whether an element stands behind the loop that wrote it, in the same region, and is an entry."""
    _, k, e = program.nodes[i]
    write = program.loops.writes[k]
    if write.output >= 0 or len(write.regions) != 1:
        return False
    region = program.loops.regions[write.regions[0]]
    entries = len(write.nodes) * region.length if isinstance(region.length, int) else 0
    return region.parent == scope and region.end <= i and 0 <= e < entries


def _of_series(program: Program, seen: Any) -> str | None:
    """What is wrong with the arrays along which loops run."""
    loops = program.loops

    def lengths(regions: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(loops.regions[r].length for r in regions)

    outputs = [w.output for w in loops.writes if w.output >= 0]
    if len(set(outputs)) < len(outputs) or any(k >= len(program.outputs) for k in outputs):
        return "two series are written to one output, or one to none"
    for w in loops.writes:
        if not all(seen(i, w.inside) for i in w.nodes):
            return "a row is written that is not of its loop"
        if w.numbers and (w.nodes or w.regions or w.output >= 0):
            return "a table of numbers is written"
        if w.output >= 0 and program.outputs[w.output].dims != lengths(w.regions):
            return f"{program.outputs[w.output].name} is not written along its axes"
    rows: dict[Any, tuple[int, ...]] = {}
    for x in loops.reads:
        kind, k = x.source
        if rows.setdefault((x.source, x.regions[-1]), x.regions) != x.regions:
            return f"{program.inputs[k].name if kind == 'input' else 'a series'} is read at two rows in a pass"
        if kind == "input" and (program.inputs[k].dims, program.inputs[k].size) != (lengths(x.regions), x.size):
            return f"{program.inputs[k].name} is not read along its axes"
        if kind == "kept":
            w = loops.writes[k]
            if w.regions and loops.regions[w.regions[0]].end > loops.regions[x.regions[0]].begin:
                return "a series is read before it was written"
            if (lengths(w.regions) or (w.rows,), w.size) != (lengths(x.regions), x.size):
                return "a series is not read as it was written"
    return None
