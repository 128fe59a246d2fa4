"""A program as C99 source: one state per call, nothing but libm, no allocation.

Each operation is one constant, `const double t12 = t3 + t7;`, so that a compiler sees the program as it is. A product
that one sum alone reads stands in that sum, where a compiler may fuse the two. A long line is cut into static functions
(`plan.Plan`): the time that compilers take grows faster than a function does. What crosses from one to another is in an
array `s` on the stack.

CUDA is the same text with other words (`cuda.py`); `unit.py` chooses the names, `driver.py` writes a test, `sources.py`
names all the files.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ...trace.ops import OPS
from ..items import Item
from .unit import Unit

MARK = "written by kinetrace"
"""What stands in the first line of every file."""


def header(of: Unit) -> str:
    """The header: sizes, prototypes, and in a comment all that a caller must know."""
    guard = f"{of.name}_h".upper()
    sizes = [f"#define {of.size_macro(k)} {a.size}" for k, a in enumerate(of.arguments)]
    return joined(
        comment(f"{of.name}.h, {MARK}", description(of)),
        f"#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>",
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        "/* Numbers in each array, for one state. */\n" + "\n".join(sizes),
        "/* One state. */\n" + declaration(f"void {of.name}", of.parameters()) + ";",
        "/* n states: arrays of n rows, one after another. */\n"
        + declaration(f"void {of.name}_batch", ["size_t n", *of.parameters()])
        + ";",
        "#ifdef __cplusplus\n}\n#endif",
        "#endif",
    )


def source(of: Unit) -> str:
    """The source file that belongs to the header.

    >>> from kinetrace.codegen.text.unit import unit
    >>> from kinetrace.trace import trace
    >>> print(source(unit(trace(lambda x: x[0] * x[1] + 0.5, {"x": (2,)}, name="a_line"))))
    /* a_line.c, written by kinetrace; see a_line.h. */
    <BLANKLINE>
    #include "a_line.h"
    ...
    void a_line(
        const double *restrict x,
        double *restrict out)
    {
        out[0] = x[0] * x[1] + 0.5;
    }
    ...
    """
    calls = ", ".join(of.row(k, "i") for k in range(len(of.names)))
    batch = [f"    for (size_t i = 0; i < n; ++i) {{\n        {of.name}({calls});\n    }}"]
    return joined(
        f"/* {of.name}.c, {MARK}; see {of.name}.h. */",
        f'#include "{of.name}.h"\n\n#include <math.h>',
        *functions(of, "void"),
        definition(f"void {of.name}_batch", ["size_t n", *of.parameters(of.restrict)], batch),
    )


def functions(of: Unit, kind: str) -> Iterator[str]:
    """The function of one state, `kind` before its name, after its parts if it has several."""
    first, *others = of.plan.pieces or [[]]  # none, if all results are long rows of constants
    pieces = [_Piece(of, piece) for piece in (of.plan.constants + first, *others)]
    used = {k for piece in pieces for k in piece.used}
    unused = [f"    (void){name};" for k, name in enumerate(of.names) if k not in used]
    if len(pieces) == 1:
        yield definition(f"{kind} {of.name}", of.parameters(of.restrict), unused + pieces[0].lines)
        return
    calls = []
    for k, piece in enumerate(pieces):
        own, part = sorted(piece.used), f"{of.name}_part{k}"
        scratch = [f"{of.scalar} *{of.restrict} s"] if piece.scratch else []
        yield definition(f"{of.local} void {part}", scratch + of.parameters(of.restrict, own), piece.lines)
        calls.append(f"    {part}({', '.join(['s'] * piece.scratch + [of.names[j] for j in own])});")
    array = [f"    {of.scalar} s[{of.scratch}];"] if of.scratch else []
    yield definition(f"{kind} {of.name}", of.parameters(of.restrict), array + unused + calls)


class _Piece:
    """A piece of the straight line: its statements, the arguments that it uses, and whether it uses the scratch."""

    def __init__(self, of: Unit, piece: list[Item]) -> None:
        self.of, self.piece, self.nodes = of, piece, of.program.nodes
        self.used = set(of.plan.arguments(self.piece))
        self.scratch = False
        self.here: dict[int, str] = {}
        self.lines = self._written()

    def _written(self) -> list[str]:
        plan, readers, once = self.of.plan, Counter[int](), set[int]()
        for item in self.piece:
            readers.update(plan.reads(item))
            if item.kind == "store" or self.nodes[item.nodes[0]][0] in ("add", "sub"):
                once.update(plan.reads(item))
        lines: list[str] = []
        for item in self.piece:
            if item.kind == "store":
                k = len(self.of.program.inputs) + item.argument
                lines.append(f"    {self.of.names[k]}[{item.entry}] = {self._word(item.nodes[0])};")
                continue
            for i in item.nodes:
                text, kept = self._expression(i), i in plan.slots
                if readers[i] == 1 and i in once and not kept and self._may_stand_inside(i):
                    self.here[i] = text
                    continue
                self.here[i] = f"t{i}"
                lines.append(f"    const {self.of.scalar} t{i} = {text};")
                if kept:
                    lines.append(f"    {self._slot(i)} = t{i};")
        return lines

    def _may_stand_inside(self, i: int) -> bool:
        """Whether the one that reads node i may have its text: a product in a sum, anything in an assignment."""
        return self.nodes[i][0] == "mul" or any(item.kind == "store" and i in item.nodes for item in self.piece)

    def _slot(self, i: int) -> str:
        """Where the value of node i lives outside of the piece."""
        self.scratch = True
        return f"s[{self.of.plan.slots[i]}]"

    def _word(self, i: int) -> str:
        """Node i as an operand."""
        node = self.nodes[i]
        if node[0] == "const":
            return literal(node[1], self.of.scalar)
        if node[0] == "input":
            return self.of.places[node[1]]
        return self.here[i] if i in self.here else self._slot(i)

    def _expression(self, i: int) -> str:
        """The operation of node i."""
        op, scalar = OPS[self.nodes[i][0]], self.of.scalar
        words = map(self._word, self.nodes[i][1:])
        return (op.c or op.text).format(*words, f="f" if scalar == "float" else "", scalar=scalar)


def literal(value: float, scalar: str) -> str:
    """A number in C: the shortest text that gives it back exactly.

    >>> literal(0.1, "double"), literal(0.1, "float"), literal(1e300, "float")
    ('0.1', '0.1f', '(float)INFINITY')
    """
    with np.errstate(over="ignore"):
        x = np.float32(value) if scalar == "float" else np.float64(value)
    if np.isfinite(x):
        return f"{x!s}f" if scalar == "float" else repr(float(x))
    return f"{'-' if x < 0 else ''}({scalar}){'NAN' if math.isnan(x) else 'INFINITY'}"


def declaration(head: str, parameters: Sequence[str]) -> str:
    """The head of a function, one parameter per line."""
    return f"{head}(\n    " + ",\n    ".join(parameters) + ")" if parameters else f"{head}(void)"


def definition(head: str, parameters: Sequence[str], lines: Sequence[str]) -> str:
    """A function."""
    return "\n".join([declaration(head, parameters), "{", *lines, "}"])


def description(of: Unit) -> list[str]:
    """What the comment on top says: what `about` says, then the arguments and the cost."""
    inputs = len(of.program.inputs)
    shapes = [f"({', '.join(map(str, a.shape))}{',' * (len(a.shape) == 1)})" for a in of.arguments]
    width, wide = max(map(len, of.names)), max(map(len, shapes))
    listed = [
        f"  {name:{width}}  {'in ' if k < inputs else 'out'}  {shape:{wide}}{_alias(a.name, name)}".rstrip()
        for k, (name, shape, a) in enumerate(zip(of.names, shapes, of.arguments, strict=True))
    ]
    count = of.program.count()
    return [
        *of.about,
        *([""] if of.about else []),
        f"Arguments in their order, arrays of {of.scalar}, matrices row by row:",
        *listed,
        "Outputs must not overlap inputs or each other.",
        "",
        f"One state: {count}; scratch of {of.scratch_bytes} bytes on the stack.",
    ]


def _alias(name: str, word: str) -> str:
    return "" if name == word else f"  {name}"


def comment(title: str, lines: Sequence[str]) -> str:
    """A comment of plain ASCII that nothing in the lines can end."""
    clean = [re.sub(r"[^ -~]", "?", line).rstrip() for line in (title, "", *lines)]
    clean = [re.sub(r"(?<=[*/?])(?=[*/?])", " ", line) for line in clean]
    return "\n".join(f"{'/*' if k == 0 else ' *'} {line}".rstrip() for k, line in enumerate(clean)) + "\n */"


def joined(*parts: str) -> str:
    """Parts of a file, a blank line between them."""
    return "\n\n".join(parts) + "\n"
