"""A traced function as data: a straight line of scalar operations, in which loops are intervals.

A `Program` has typed inputs and outputs and a list of nodes (see `expr`) in the order of evaluation, dead code
removed. It is plain, immutable and picklable: every target (LLVM, the interpreter here, the operation count)
reads it and nothing else.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ...arrays import objects
from ...support.attributes import cached_property
from ...support.functions import not_arrays
from ...support.threads import paused_collection
from .expr import Expr, Graph
from .hints import hints_for
from .interpreter import evaluate
from .layout import CompactLayout, compact_entries
from .loop_writer import Series
from .ops import Node, OpCount, count
from .order import in_order
from .readers.program_text import text
from .regions import NO_LOOPS, Loops


@dataclass(frozen=True)
class Argument:
    """A named array going into or out of a program: its shape without the batch axes.

    Lengths that are known only when the program is called stand first, as names: it is a series then, see `regions`.
    """

    name: str
    shape: tuple[Any, ...]

    @property
    def dims(self) -> tuple[str, ...]:
        """The names in its shape."""
        return tuple(x for x in self.shape if isinstance(x, str))

    @property
    def row(self) -> tuple[int, ...]:
        """The rest of it."""
        return self.shape[len(self.dims) :]

    @property
    def size(self) -> int:
        """Number of scalars, in a row."""
        return math.prod(self.row)


@dataclass(frozen=True)
class Program:
    """A program; `results[k]` are the nodes of output k, of a row if that is a series, in C order.

    `layouts` says what compact outputs are of, one for each output; it is empty if all are as they were returned.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    nodes: tuple[Node, ...]
    results: tuple[tuple[int, ...], ...]
    loops: Loops = NO_LOOPS
    layouts: tuple[CompactLayout, ...] = ()

    @property
    def signature(self) -> str:
        """The gufunc signature, with literal sizes: `(7),(7),(7)->(7)`."""

        def side(arguments: Sequence[Argument]) -> str:
            return ",".join(f"({','.join(map(str, x.shape))})" for x in arguments)

        return f"{side(self.inputs)}->{side(self.outputs)}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that the compiled code depends on."""
        content = (self.signature, self.nodes, self.results, *([self.loops] if self.loops != NO_LOOPS else []))
        return hashlib.sha256(repr(content).encode()).hexdigest()

    @cached_property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @cached_property
    def tables(self) -> frozenset[int]:
        """The inputs of which single entries are looked up, and none is read otherwise: they are not moved."""
        columns = [node[1] for node in self.nodes if node[0] == "column"]
        if not columns:
            return frozenset()
        scalars = list(self.inputs_by_scalar())
        moved = {scalars[node[1]][0] for node in self.nodes if node[0] == "input"}
        return frozenset(scalars[k][0] for k in columns) - moved

    @cached_property
    def work(self) -> int:
        """Number of nodes that are evaluated for one state; in loops whose length is not known, once."""
        if not self.loops.regions:
            return self.size
        return sum(count * self._passes(r) for r, count in Counter(self.loops.scopes(self.size)).items())

    def _passes(self, region: int) -> int:
        """How often a region is run, as far as lengths are known."""
        around = [self.loops.regions[k] for k in self.loops.around(region)]
        return math.prod(x.length for x in around if isinstance(x.length, int) and x.active < 0)

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The names of lengths that are known when it is called, in their order."""
        return tuple(dict.fromkeys(name for a in self.inputs + self.outputs for name in a.dims))

    def count(self) -> OpCount:
        """Scalar operations for one state; those of loops whose length is not known, once."""
        if not self.loops.regions:
            return count(self.nodes)
        total = OpCount()
        for r, own in enumerate(self.counts(), -1):
            total += OpCount(*(self._passes(r) * n for n in vars(own).values()))
        return total

    def counts(self) -> list[OpCount]:
        """Scalar operations for one state: outside of loops, then of a pass of each region without those inside."""
        scopes = self.loops.scopes(self.size)
        each = (i for i in range(-1, len(self.loops.regions)))
        return [count(x for x, scope in zip(self.nodes, scopes, strict=True) if scope == r) for r in each]

    def inputs_by_scalar(self) -> Iterator[tuple[int, int]]:
        """For each scalar input: its argument, and its place in that argument."""
        for a, argument in enumerate(self.inputs):
            for e in range(argument.size):
                yield a, e

    def evaluate(self, *arrays: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], ...]:
        """Run the program in NumPy, node by node, over whole batches: the way that needs no JIT."""
        return evaluate(self, *arrays)

    def __str__(self) -> str:
        """The program as text, one assignment per line."""
        return text(self)


@runtime_checkable
class CompiledProgram(Protocol):
    """A program that can be called with arrays of any batch shape; a `Kernel` is one."""

    @property
    def program(self) -> Program:
        """Program that it computes."""

    def __call__(self, *arrays: npt.ArrayLike, threads: int | None = None) -> Any:
        """Its results, an array or a tuple of arrays."""


@paused_collection()
def trace(
    function: Callable[..., Any],
    shapes: Mapping[str, Any],
    *,
    name: str = "function",
    graph: Graph | None = None,
    rolls: bool = False,
    compact: bool = False,
) -> Program:
    """Run `function` once on expressions and keep what it did.

    `shapes` maps each argument name to its shape, or to a mapping of further names to shapes (then the function
    receives a dict of arrays). The function returns an array, or a tuple of arrays. `graph` is an empty one to trace
    with, such as a `Recorder`. `rolls` says whether `arrays.map_rows` and sweeps over many bodies are written as loops.
    With `compact`, arrays with axes become rows of those entries that are neither constant nor equal to an earlier one.

    >>> print(trace(lambda x: x[0] * x[1] + x[1] * x[0], {"x": (2,)}, name="twice"))
    twice: (2)->()
      t2 = x[0] * x[1]
      t3 = t2 + t2
      out[0] = t3
    """
    graph, inputs = Graph() if graph is None else graph, list[Argument]()
    graph.loops.rolls = rolls
    arguments = {label: _symbols(graph, inputs, label, shape) for label, shape in shapes.items()}
    with np.errstate(all="ignore"), hints_for(name):  # a constant that is not a number is the function's business
        returned = function(**arguments)
    several = isinstance(returned, tuple)
    series, arrays = dict[int, int](), list[Any]()
    for k, x in enumerate(returned if several else (returned,)):
        if isinstance(x, Series):
            series[k] = x.loop_writer.to_memory(x).source[1]
        arrays.append(x if isinstance(x, Series) else np.asarray(x, dtype=object))
    try:
        signed = [
            tuple(x.signed_node() if isinstance(x, Expr) else graph.constant(x).signed_node() for x in a.flat)
            if isinstance(a, np.ndarray)
            else ()
            for a in arrays
        ]
    except (TypeError, ValueError):
        raise not_arrays(name, returned) from None
    layouts = list[CompactLayout]()
    for k, a in enumerate(arrays if compact else ()):
        if k not in series and a.shape:
            signed[k], layout = compact_entries(graph, signed[k], a.shape)
        else:
            layout = CompactLayout.whole(a.shape)
        layouts.append(layout)
    written = [x.output_shape for x in layouts] if compact else [x.shape for x in arrays]
    outputs = [Argument(f"out{k}" if several else "out", shape) for k, shape in enumerate(written)]
    nodes, results, loops = in_order(graph, signed, series)
    return Program(name, tuple(inputs), tuple(outputs), nodes, tuple(results), loops, tuple(layouts))


def _symbols(graph: Graph, inputs: list[Argument], label: str, shape: Any) -> Any:
    """An array of symbols, or a mapping to such, behind the inputs that there are."""
    if isinstance(shape, Mapping):
        return {key: _symbols(graph, inputs, f"{label}[{key}]", part) for key, part in shape.items()}
    first = sum(a.size for a in inputs)
    argument = Argument(label, tuple(shape))
    inputs.append(argument)
    if argument.dims:
        return Series(graph, argument.dims, argument.row, ("input", len(inputs) - 1))
    if argument.shape:
        graph.loops.arrays.append((first, first + argument.size))
    return objects([graph.input(first + k) for k in range(argument.size)], argument.shape)
