"""Arrays as matrices of CasADi, and programs on the numbers that CasADi stores.

CasADi has matrices alone, and stores those entries that may be other than zero, column by column. A vector is a column,
an array with more axes a matrix whose rows are those along its first axis, with all other axes in C order behind it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.trace import Argument, Program
from ...engine.trace.ops import operands
from ...engine.trace.regions import NO_LOOPS
from ...engine.trace.tables import without_columns
from ...support.attributes import cached_property

Places = npt.NDArray[np.intp]
Pattern = npt.NDArray[np.bool_]
STRUCTURAL_ZERO = -1


@dataclass(frozen=True, eq=False)
class Matrix:
    """A named matrix: which scalar of a program each entry is, or STRUCTURAL_ZERO, and which entries CasADi stores."""

    name: str
    numbers: Places
    pattern: Pattern

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.numbers.shape
        return rows, columns

    @cached_property
    def stored(self) -> list[int]:
        """The scalars of the program in the order in which CasADi stores them."""
        return [int(x) for x in self.numbers.T[self.pattern.T]]

    @property
    def size(self) -> int:
        """Number of entries that are stored."""
        return len(self.stored)

    @property
    def every(self) -> Places:
        """The scalars of all entries, column by column; STRUCTURAL_ZERO for those that are not stored."""
        return np.where(self.pattern, self.numbers, STRUCTURAL_ZERO).ravel(order="F")

    @cached_property
    def columns(self) -> tuple[list[int], list[int]]:
        """Where each column begins among the stored entries, and the rows of these."""
        counts = self.pattern.sum(axis=0)
        rows = np.nonzero(self.pattern.T)[1]
        return [0, *np.cumsum(counts).tolist()], rows.tolist()

    def unused(self, name: str) -> Matrix:
        """One of the same shape without stored entries."""
        return Matrix(name, np.full_like(self.numbers, STRUCTURAL_ZERO), np.zeros_like(self.pattern))


def matrices(arguments: Iterable[Argument], first: int = 0) -> list[Matrix]:
    """Matrices for arrays whose scalars are numbered one after the other, all entries stored.

    >>> [x.stored for x in matrices([Argument("q", (2,)), Argument("M", (2, 2)), Argument("T", (1, 2, 2))])]
    [[0, 1], [2, 4, 3, 5], [6, 7, 8, 9]]
    """
    result = list[Matrix]()
    for a in arguments:
        numbers = first + np.arange(a.size).reshape(shape_of(a.shape))
        result.append(Matrix(a.name, numbers, np.ones_like(numbers, dtype=bool)))
        first += a.size
    return result


def shape_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of the matrix for an array.

    >>> shape_of(()), shape_of((3,)), shape_of((2, 4, 4))
    ((1, 1), (3, 1), (2, 16))
    """
    return (*shape, 1, 1)[:2] if len(shape) < 2 else (shape[0], math.prod(shape[1:]))  # type: ignore[return-value]


def nonzero(program: Program) -> Pattern:
    """Which of all scalars that a program returns may be other than zero."""
    return np.array([program.nodes[i] != ("const", 0.0) for result in program.results for i in result], dtype=bool)


def on_stored(program: Program, inputs: Sequence[Matrix], outputs: Sequence[Sequence[Matrix]]) -> Program:
    """A program on what CasADi stores of matrices: a row for each input, and for each sequence of outputs.

    Entries that are not stored are zero. What no output needs is left out.
    """
    program = without_columns(program)
    place = {number: k for k, number in enumerate(x for m in inputs for x in m.stored)}
    scalars = [i for result in program.results for i in result]
    results = [[scalars[n] for m in several for n in m.stored] for several in outputs]
    nodes = [_input(node, place) if node[0] == "input" else node for node in program.nodes]
    rows = [Argument(several[0].name, (len(x),)) for several, x in zip(outputs, results, strict=True)]
    read = [Argument(m.name, (m.size,)) for m in inputs]
    made = Program(program.name, tuple(read), tuple(rows), tuple(nodes), tuple(map(tuple, results)), program.loops)
    return made if program.loops != NO_LOOPS else _prune(made)


def _input(node: Any, place: dict[int, int]) -> Any:
    return ("input", place[node[1]]) if node[1] in place else ("const", 0.0)


def _prune(program: Program) -> Program:
    """A program without loops, and without what no result needs."""
    live = {i for result in program.results for i in result}
    for i in range(program.size - 1, -1, -1):
        if i in live:
            live.update(operands(program.nodes[i]))
    order = sorted(live)
    new = {i: k for k, i in enumerate(order)}
    nodes = []
    for i in order:
        node = program.nodes[i]
        nodes.append((node[0], *(new[j] for j in node[1:])) if operands(node) else node)
    results = tuple(tuple(new[i] for i in result) for result in program.results)
    return replace(program, nodes=tuple(nodes), results=results)
