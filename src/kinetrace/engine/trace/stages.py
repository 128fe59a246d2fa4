"""Which statement of a function made which operation.

A `Recorder` is a graph that notes, with each new node, the statement that asked for it: the innermost one, on the stack
of calls, that stands in the files under study. So the functions below them (rotations, inertias, factors) are charged
to the line that calls them, and nothing has to be written into an algorithm to have its parts counted.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import CodeType, FrameType

from .expr import Graph
from .ops import Node, OpCount, count, operands
from .program import Program


@dataclass(frozen=True)
class Stage:
    """A statement that takes operations: what it computes, where it stands."""

    name: str
    """Target of the assignment, as it is written; or "return"."""
    function: str
    """The function it stands in; "" in none."""
    file: str
    line: int
    """Its first line, from 1 on."""
    source: str
    """The statement with its comments, on one line."""

    def __str__(self) -> str:
        return f"{self.function}: {self.name}" if self.function else self.name


OTHER_CODE = Stage("elsewhere", "", "", 0, "")
"""Stage of operations that no statement under study asked for."""


class _PlacedNodes(list[Node]):
    """Nodes, and for each the place in the files under study that asked for it."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self._below = tuple(paths)
        self._under_study: dict[CodeType, bool] = {}
        self.places: list[tuple[CodeType, int] | None] = []

    def append(self, node: Node) -> None:
        """Another node, and its place."""
        super().append(node)
        self.places.append(self._place(sys._getframe(1)))

    def _place(self, frame: FrameType | None) -> tuple[CodeType, int] | None:
        known = self._under_study
        while frame is not None:
            code = frame.f_code
            if code not in known:
                known[code] = code.co_filename.startswith(self._below)
            if known[code]:
                return code, frame.f_lineno
            frame = frame.f_back
        return None


class Recorder(Graph):
    """A graph that knows which statement made each node, of those in files whose paths begin as given."""

    __slots__ = ("_places",)

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self.nodes = placed = _PlacedNodes(paths)
        self._places = placed.places

    def count(self, program: Program) -> dict[Stage, OpCount]:
        """The operations of a program traced with this graph, by stages, in the order in which they begin.

        They add up to those of the program. An operation that several statements ask for belongs to the first; one that
        was rewritten after tracing belongs where the last of what it reads does.

        >>> from kinetrace.engine.trace import trace
        >>> def area(r):
        ...     square = r * r
        ...     return 3.0 * square
        >>> recorder = Recorder([area.__code__.co_filename])
        >>> for stage, n in recorder.count(trace(area, {"r": ()}, graph=recorder)).items():
        ...     print(stage, "|", n)
        area: square | 1 mul, 0 add, 0 div, 0 sqrt, 0 trig
        area: return | 1 mul, 0 add, 0 div, 0 sqrt, 0 trig
        """
        here: list[int | None] = []
        places: list[tuple[CodeType, int] | None] = []
        made: dict[Stage, list[Node]] = {}
        known = self.numbers
        if self.loops.enclosures:  # what stands inside of regions, too: the first of those that are alike
            known = dict(zip(reversed(self.nodes), reversed(range(len(self.nodes))), strict=True))
        for node in program.nodes:
            reads = operands(node)
            before = [here[i] for i in reads]
            index = known.get((node[0], *before) if reads else node)
            here.append(index)
            last = max(reads, default=None)
            place = self._places[index] if index is not None else None if last is None else places[last]
            places.append(place)
            made.setdefault(_stage(*place) if place else OTHER_CODE, []).append(node)
        counts = {stage: count(nodes) for stage, nodes in made.items()}
        return {stage: n for stage, n in counts.items() if n != OpCount()}


@cache
def _stage(code: CodeType, line: int) -> Stage:
    """The statement on a line of a file, as text."""
    file = code.co_filename
    lines = linecache.getlines(file)
    found = _innermost(_parse("".join(lines)), line)
    if found is None:
        return Stage(f"line {line}", code.co_name, file, line, "")
    statement, function = found
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    text = " ".join(part.strip() for part in lines[first - 1 : last])
    return Stage(_name(statement), function, file, first, text)


@lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:  # as of a notebook's cell with commands
        return ast.parse("")


def _innermost(tree: ast.Module, line: int) -> tuple[ast.stmt, str] | None:
    """The smallest statement around a line, and the function it stands in."""
    found: tuple[ast.stmt, str] | None = None
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, function = pending.pop()
        if isinstance(node, ast.stmt):
            if not node.lineno <= line <= (node.end_lineno or node.lineno):
                continue
            found = node, function
        function = node.name if isinstance(node, ast.FunctionDef) else function
        pending.extend((child, function) for child in ast.iter_child_nodes(node))
    return found


def _name(statement: ast.stmt) -> str:
    """Target of an assignment, or else the kind of a statement."""
    if isinstance(statement, ast.Assign):
        names = [
            x for target in statement.targets for x in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
        return ", ".join(map(ast.unparse, names))
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        return ast.unparse(statement.target)
    return type(statement).__name__.lower()
