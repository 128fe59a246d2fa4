"""Whether a program is well formed, for tests and before code is generated from it."""

from __future__ import annotations

from itertools import chain

from ..errors import KinetraceError
from .ops import LEAVES, OPS
from .program import Program


def check(program: Program) -> None:
    """An error that names the first node or result that is not as the table of operations says.

    Every operation is in the table and reads as many nodes as its arity, all of them earlier ones; constants are
    non-negative floats or NaN; inputs are scalars of the program's arguments; results are nodes, as many as the
    outputs have entries.

    >>> from kinetrace.trace import trace
    >>> check(trace(lambda x: x * x, {"x": (3,)}))
    """
    scalars = sum(a.size for a in program.inputs)

    def require(holds: bool, i: int, problem: str) -> None:
        if not holds:
            raise KinetraceError(f"{program.name}: node {i}, {program.nodes[i]!r}: {problem}")

    for i, (name, *given) in enumerate(program.nodes):
        require(name in OPS or name in LEAVES, i, "no such operation")
        if name in LEAVES:
            require(len(given) == 1, i, "takes one entry")
            if name == "const":
                require(type(given[0]) is float and not given[0] < 0.0, i, "must be a float, not below zero")
            else:
                require(type(given[0]) is int and 0 <= given[0] < scalars, i, f"there are {scalars} scalar inputs")
            continue
        require(len(given) == OPS[name].arity, i, f"takes {OPS[name].arity} operands")
        require(all(type(j) is int and 0 <= j < i for j in given), i, "must read earlier nodes")
    if len(program.results) != len(program.outputs):
        raise KinetraceError(f"{program.name}: {len(program.results)} results for {len(program.outputs)} outputs")
    for output, result in zip(program.outputs, program.results, strict=True):
        if len(result) != output.size:
            raise KinetraceError(f"{program.name}: {output.name} has {output.size} entries, its result {len(result)}")
    for i in chain.from_iterable(program.results):
        if not (type(i) is int and 0 <= i < len(program.nodes)):
            raise KinetraceError(f"{program.name}: result {i!r} is no node; there are {len(program.nodes)}")
