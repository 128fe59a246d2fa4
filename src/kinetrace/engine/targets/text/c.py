"""A program as C99 source: one state per call, nothing but libm, no allocation.

Each operation is one constant, `const double t12 = t3 + t7;`, so that a compiler sees the program as it is. A product
that one sum alone reads stands in that sum, where a compiler may fuse the two. A long line is cut into static functions
(`plan.Plan`): the time that compilers take grows faster than a function does. What crosses from one to another is in an
array `s` on the stack.

A loop of the program is a loop, whose length may be a parameter; what one leaves for another is in memory of the
caller, the workspace, whose size a macro tells.

CUDA is the same text with other words (`cuda.py`); `statements.py` writes the statements, `unit.py` chooses the names,
`comparison_program.py` writes a test, `sources.py` names all the files.
"""

from __future__ import annotations

from .statements import functions
from .syntax import GENERATED_MARK, comment, declaration, definition, file_text
from .unit import Unit, about_lines, argument_lines, cost_lines


def header(of: Unit) -> str:
    """The header: sizes, prototypes, and in a comment all that a caller must know."""
    guard = f"{of.name}_h".upper()
    return file_text(
        comment(f"{of.name}.h, {GENERATED_MARK}", description(of)),
        f"#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>",
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        "/* Numbers in each array, for one state. */\n" + "\n".join(of.macros()),
        "/* One state. */\n" + declaration(f"void {of.name}", of.parameters()) + ";",
        f"/* n states: arrays of n rows, one after another{_one_workspace(of)}. */\n"
        + declaration(f"void {of.name}_batch", ["size_t n", *of.parameters()])
        + ";",
        "#ifdef __cplusplus\n}\n#endif",
        "#endif",
    )


def source(of: Unit) -> str:
    """The source file that belongs to the header.

    >>> from kinetrace.engine.targets.text.unit import unit
    >>> from kinetrace.engine.trace import trace
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
    call = f"{of.name}({of.state('i', of.workspace)});"
    batch = [f"    for (size_t i = 0; i < n; ++i) {{\n        {call}\n    }}"]
    return file_text(
        f"/* {of.name}.c, {GENERATED_MARK}; see {of.name}.h. */",
        f'#include "{of.name}.h"\n\n#include <math.h>',
        *functions(of, "void"),
        definition(f"void {of.name}_batch", ["size_t n", *of.parameters(of.language.restrict)], batch),
    )


def description(of: Unit) -> list[str]:
    """Comment on top: `about`, then the arguments and the cost."""
    return [
        *about_lines(of),
        f"Arguments in their order, arrays of {of.scalar}, matrices row by row:",
        *argument_lines(of),
        "Outputs must not overlap inputs or each other.",
        *([f"{of.workspace} is for what one loop leaves for another; it need not be set."] if of.kept else []),
        "",
        *cost_lines(of, f"; scratch of {of.scratch_bytes} bytes on the stack"),
    ]


def _one_workspace(of: Unit) -> str:
    return "; the workspace of one" if of.kept else ""
