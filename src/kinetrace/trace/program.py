"""A traced function as data: a straight line of scalar operations.

A `Program` has typed inputs and outputs and a list of nodes (see `expr`) in the order of evaluation, dead code
removed. It is plain, immutable and picklable: every target (LLVM, the interpreter here, the operation count)
reads it and nothing else.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..support.functions import not_arrays
from ..support.lazy import cached_property
from .count import OpCount, count
from .expr import Expr, Graph
from .ops import LEAVES, OPS, Node, operands


@dataclass(frozen=True)
class Argument:
    """A named array going into or out of a program: its shape without the batch axes."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of scalars."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Program:
    """A straight-line program; `results[k]` are the nodes of output k, in C order."""

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    nodes: tuple[Node, ...]
    results: tuple[tuple[int, ...], ...]

    @property
    def signature(self) -> str:
        """The gufunc signature, with literal sizes: `(7),(7),(7)->(7)`."""

        def side(arguments: Sequence[Argument]) -> str:
            return ",".join(f"({','.join(map(str, x.shape))})" for x in arguments)

        return f"{side(self.inputs)}->{side(self.outputs)}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that the compiled code depends on."""
        content = (self.signature, self.nodes, self.results)
        return hashlib.sha256(repr(content).encode()).hexdigest()

    @cached_property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    def count(self) -> OpCount:
        """Scalar operations for one state."""
        return count(self.nodes)

    def inputs_by_scalar(self) -> Iterator[tuple[int, int]]:
        """For each scalar input: its argument, and its place in that argument."""
        for a, argument in enumerate(self.inputs):
            for e in range(argument.size):
                yield a, e

    def evaluate(self, *arrays: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], ...]:
        """Run the program in NumPy, node by node, over whole batches: the way that needs no JIT."""
        xs = [np.asarray(x, dtype=float) for x in arrays]
        batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(a.shape)] for x, a in zip(xs, self.inputs, strict=True)))
        flat = [x.reshape(*x.shape[: x.ndim - len(a.shape)], a.size) for x, a in zip(xs, self.inputs, strict=True)]
        scalars = [flat[a][..., e] for a, e in self.inputs_by_scalar()]
        values: list[Any] = []
        for node in self.nodes:
            if node[0] == "const":
                values.append(node[1])
            elif node[0] == "input":
                values.append(scalars[node[1]])
            else:
                values.append(OPS[node[0]].apply(*(values[i] for i in node[1:])))
        outputs = []
        for argument, result in zip(self.outputs, self.results, strict=True):
            columns = [np.broadcast_to(values[i], batch) for i in result]
            stacked = np.stack(columns, axis=-1) if columns else np.empty((*batch, 0))
            outputs.append(stacked.reshape((*batch, *argument.shape)).astype(float, copy=False))
        return tuple(outputs)

    def __str__(self) -> str:
        """The program as text, one assignment per line."""
        names = [f"{self.inputs[a].name}[{e}]" for a, e in self.inputs_by_scalar()]
        lines, word = [f"{self.name}: {self.signature}"], {}
        for i, node in enumerate(self.nodes):
            if node[0] == "const":
                word[i] = repr(node[1])
            elif node[0] == "input":
                word[i] = names[node[1]]
            else:
                word[i] = f"t{i}"
                text = OPS[node[0]].text.format(*(word[j] for j in node[1:]), f="")
                lines.append(f"  t{i} = {text}")
        for argument, result in zip(self.outputs, self.results, strict=True):
            lines += [f"  {argument.name}[{e}] = {word[i]}" for e, i in enumerate(result)]
        return "\n".join(lines)


def trace(
    function: Callable[..., Any], shapes: Mapping[str, Any], *, name: str = "function", graph: Graph | None = None
) -> Program:
    """Run `function` once on expressions and keep what it did.

    `shapes` maps each argument name to its shape, or to a mapping of further names to shapes (then the function
    receives a dict of arrays). The function returns an array, or a tuple of arrays. `graph` is an empty one to trace
    with, such as a `Recorder`.

    >>> print(trace(lambda x: x[0] * x[1] + x[1] * x[0], {"x": (2,)}, name="twice"))
    twice: (2)->()
      t2 = x[0] * x[1]
      t3 = t2 + t2
      out[0] = t3
    """
    graph, inputs = Graph() if graph is None else graph, list[Argument]()
    arguments = {label: _symbols(graph, inputs, label, shape) for label, shape in shapes.items()}
    with np.errstate(all="ignore"), _naming_ours(name):  # a constant that is not a number is the function's business
        returned = function(**arguments)
    several = isinstance(returned, tuple)
    arrays = [np.asarray(x, dtype=object) for x in (returned if several else (returned,))]
    outputs = [Argument(f"out{k}" if several else "out", x.shape) for k, x in enumerate(arrays)]
    try:
        signed = [
            [x.signed_node() if isinstance(x, Expr) else graph.constant(x).signed_node() for x in a.flat]
            for a in arrays
        ]
    except (TypeError, ValueError):
        raise not_arrays(name, returned) from None
    nodes, results = _live(graph.nodes, signed)
    return Program(name, tuple(inputs), tuple(outputs), nodes, results)


def _symbols(graph: Graph, inputs: list[Argument], label: str, shape: Any) -> Any:
    """An array of symbols, or a mapping to such, behind the inputs that there are."""
    if isinstance(shape, Mapping):
        return {key: _symbols(graph, inputs, f"{label}[{key}]", part) for key, part in shape.items()}
    first = sum(a.size for a in inputs)
    argument = Argument(label, tuple(shape))
    inputs.append(argument)
    return objects([graph.input(first + k) for k in range(argument.size)], argument.shape)


_NOT_FOR_OBJECTS = re.compile(
    r"Cannot cast ufunc '(\w+)' input|array type object is (unsupported in linalg)|has no callable (\w+) method"
)
"""What NumPy says of functions that it has for numbers alone."""


@contextmanager
def _naming_ours(name: str) -> Iterator[None]:
    """Where NumPy has a function for numbers alone, say which names to use instead."""
    try:
        yield
    except TypeError as error:
        found = _NOT_FOR_OBJECTS.search(str(error))
        if found is None:
            raise
        raise InputError(
            f"{name}: NumPy's {next(filter(None, found.groups()))} does not take traced values; kinetrace.arrays has "
            "elementary functions that do, and kinetrace.linalg has solve, inv, det, cholesky and norm"
        ) from error


def objects(items: Sequence[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """An array of objects, as they are.

    >>> objects([1, "a"], (2, 1)).tolist()
    [[1], ['a']]
    """
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)


def _live(
    nodes: Sequence[Node], results: Sequence[Sequence[int]]
) -> tuple[tuple[Node, ...], tuple[tuple[int, ...], ...]]:
    """Only the nodes that the results need, renumbered, in the order in which they were made."""
    needed: set[int] = set()
    pending = [i for result in results for i in result]
    while pending:
        i = pending.pop()
        if i not in needed:
            needed.add(i)
            pending.extend(operands(nodes[i]))
    new: dict[int, int] = {}
    kept: list[Node] = []
    for i in sorted(needed):
        node = nodes[i]
        new[i] = len(kept)
        kept.append(node if node[0] in LEAVES else (node[0], *(new[j] for j in node[1:])))
    return tuple(kept), tuple(tuple(new[i] for i in result) for result in results)
