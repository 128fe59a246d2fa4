"""A test program beside generated source: some states, and the results that kinetrace computed for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ....errors import InputError
from ...trace import Program
from ...trace.ops import LEAVES, OPS_OF_PROGRAMS
from .syntax import GENERATED_MARK, definition, file_text, literal
from .unit import Unit

TEST_STATES = 2
"""States that a test has unless told otherwise."""
TEST_LENGTH = 3
"""Rows of an array whose length is test_shape when called; one more of each further name."""
LEAST_TOLERANCE = {"double": 1e-10, "float": 1e-4}
"""Largest error that is fine, relative to the largest number of an output or 1."""
INPUT_ROUNDING_FACTOR, OPERATION_ROUNDING_FACTOR = 100, 10
"""Errors of a result may be as many times those that rounding of the inputs makes, or of all operations on the way."""
WORTHLESS_TOLERANCE = 1e-2
"""A tolerance above which a comparison says nothing."""
EXPECTED_DIGITS = 13
"""Digits of the expected results: beyond them, sines differ from machine to machine."""
EXACT_NODES = (*LEAVES, *(name for name, op in OPS_OF_PROGRAMS.items() if op.cost == "free"))
"""Nodes that round nothing."""
_GOLDEN_RATIO = (5**0.5 - 1) / 2


def states_of(of: Unit, states: Sequence[npt.ArrayLike] | None) -> list[npt.NDArray[np.float64]]:
    """An array (k, *shape) an input, in the precision of the source; by default numbers between 0.1 and 0.9."""
    inputs = of.program.inputs
    if states is None:
        shapes = [(TEST_STATES, *test_shape(of.program, a.shape)) for a in inputs]
        numbers = iter(spread_numbers(sum(map(math.prod, shapes))).tolist())
        states = [np.reshape([next(numbers) for _ in range(math.prod(shape))], shape) for shape in shapes]
    rounded = [np.asarray(np.asarray(x, dtype=of.dtype), dtype=np.float64) for x in states]
    lengths = lengths_of(of, rounded)
    wanted = [tuple(lengths.get(x, x) for x in a.shape) for a in inputs]
    if [x.shape[1:] for x in rounded] != wanted or len({len(x) for x in rounded}) > 1:
        shapes = [x.shape for x in rounded]
        given = [a.shape for a in inputs]
        raise InputError(f"states: expected arrays of k rows of the shapes {given}, got the shapes {shapes}")
    return rounded


def test_shape(program: Program, shape: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape with the lengths that a test has for names."""
    return tuple(TEST_LENGTH + program.dims.index(x) if isinstance(x, str) else x for x in shape)


def lengths_of(of: Unit, states: list[npt.NDArray[np.float64]]) -> dict[str, int]:
    """The lengths that arrays of states have along axes with names."""
    pairs = zip(states, of.program.inputs, strict=False)
    found = {name: n for x, a in pairs for name, n in zip(a.dims, x.shape[1:], strict=False)}
    return {name: found[name] for name in of.program.dims if name in found}


def spread_numbers(n: int) -> npt.NDArray[np.float64]:
    """Numbers between 0.1 and 0.9, all different, the same everywhere.

    >>> spread_numbers(3).round(3).tolist()
    [0.594, 0.289, 0.783]
    """
    return np.array([0.1 + 0.8 * (k * _GOLDEN_RATIO % 1) for k in range(1, n + 1)])


def test(of: Unit, states: Sequence[npt.ArrayLike] | None = None) -> str:
    """The program: it compares both functions with the expected results, and fails if they differ."""
    inputs, rows = len(of.program.inputs), states_of(of, states)
    each = [f"in_{name}" if k < inputs else f"found_{name}" for k, name in enumerate(of.names)]
    lengths = lengths_of(of, rows)
    given, workspace = [str(x) for x in lengths.values()], [f"found_{of.workspace}"] * bool(of.kept)
    sizes = [math.prod(lengths.get(x, x) for x in a.shape) for a in of.arguments]
    single = [f"{word} + {size} * i" if size else word for word, size in zip(each, sizes, strict=True)]
    checks = [f"    bad += wrong({check});" for check in checks_of(of, rows)]
    clear = [f"    memset({word}, 0, sizeof {word});" for word in each[inputs:]]
    one_by_one = f"{of.name}({', '.join([*given, *single, *workspace])});"
    main = [
        "    int bad = 0;",
        f"    for (size_t i = 0; i < STATES; ++i) {{\n        {one_by_one}\n    }}",
        *checks,
        *clear,
        f"    {of.name}_batch({', '.join(['STATES', *given, *each, *workspace])});",
        *checks,
        f"    {verdict(of, rows)}",
        "    return bad != 0;",
    ]
    room = [f"static {of.scalar} {word}[{size_for(of.workspace_macro, given)}];" for word in workspace]
    return file_text(
        f"/* {of.name}_test.c, {GENERATED_MARK}: compares {of.name} with the numbers that it should give. */",
        f'#include "{of.name}.h"\n\n#include <math.h>\n#include <stdio.h>\n#include <string.h>',
        *tables(of, rows),
        *room,
        comparison(of),
        definition("int main", [], main),
    )


def size_for(macro: str, lengths: Sequence[object]) -> str:
    """A macro of sizes for these lengths."""
    return f"{macro}({', '.join(map(str, lengths))})" if lengths else macro


def argument_size(of: Unit, k: int, lengths: Mapping[str, int]) -> str:
    """The size of argument k for these lengths."""
    return size_for(of.size_macro(k), [lengths[name] for name in dict.fromkeys(of.arguments[k].dims)])


def tables(of: Unit, states: list[npt.NDArray[np.float64]]) -> Iterator[str]:
    """The states, the expected results, and room for those that are found."""
    inputs, lengths = len(of.program.inputs), lengths_of(of, states)
    with np.errstate(all="ignore"):
        results = of.program.evaluate(*states)
    count = len(states[0]) if states else 1
    shapes = [(count, *(lengths.get(x, x) for x in a.shape)) for a in of.program.outputs]
    results = tuple(np.broadcast_to(x, shape) for x, shape in zip(results, shapes, strict=True))
    yield f"#define STATES {count}"
    for k, (name, x) in enumerate(zip(of.names, (*states, *results), strict=True)):
        size = f"STATES * {argument_size(of, k, lengths)}" if x.size else "1"
        if k >= inputs:
            x = np.array([float(f"{y:.{EXPECTED_DIGITS}g}") for y in x.flat])
            yield f"static {of.scalar} found_{name}[{size}];"
        words = [literal(y, of.scalar) for y in x.flat] or ["0"]
        rows = ",\n".join("    " + ", ".join(words[j : j + 4]) for j in range(0, len(words), 4))
        yield f"static const {of.scalar} {'in' if k < inputs else 'expected'}_{name}[{size}] = {{\n{rows}\n}};"


def comparison(of: Unit) -> str:
    """The function `wrong`: 1 if two arrays differ by more than rounding."""
    return definition(
        "static int wrong",
        [
            "const char *name",
            "size_t n",
            f"const {of.scalar} *found",
            f"const {of.scalar} *expected",
            "double tolerance",
        ],
        [
            "    double scale = 1.0, worst = 0.0;",
            "    int bad = 0;",
            f"    if (tolerance > {WORTHLESS_TOLERANCE!r}) {{",
            r'        printf("%s: NOT CHECKED, the last digits of these states decide it\n", name);',
            "        return 0;",
            "    }",
            "    for (size_t i = 0; i < n; ++i) {",
            "        const double size = fabs((double)expected[i]);",
            "        scale = size > scale && size <= 1e300 ? size : scale;",
            "    }",
            "    for (size_t i = 0; i < n; ++i) {",
            "        const double x = (double)found[i], y = (double)expected[i], error = fabs(x - y) / scale;",
            "        const int same = x == y || (isnan(x) && isnan(y));",
            "        bad = bad || !(same || error <= tolerance);",
            "        worst = error > worst ? error : worst;",
            "    }",
            r'    printf("%s: largest relative error %.1e%s\n", name, worst, bad ? ", WRONG" : "");',
            "    return bad;",
        ],
    )


def checks_of(of: Unit, states: list[npt.NDArray[np.float64]]) -> list[str]:
    """The arguments of `wrong` for each output."""
    first, lengths = len(of.program.inputs), lengths_of(of, states)
    return [
        f'"{name}", STATES * {argument_size(of, first + k, lengths)}, found_{name}, expected_{name}, {tolerance!r}'
        for k, (name, tolerance) in enumerate(zip(of.names[first:], tolerances(of, states), strict=True))
    ]


def incomparable_outputs(of: Unit, states: list[npt.NDArray[np.float64]]) -> list[str]:
    """The outputs that cannot be compared at these states, since rounding decides them."""
    names = of.names[len(of.program.inputs) :]
    return [
        name for name, tolerance in zip(names, tolerances(of, states), strict=True) if tolerance > WORTHLESS_TOLERANCE
    ]


def verdict(of: Unit, states: list[npt.NDArray[np.float64]], print_: str = "puts") -> str:
    """The statement that says how it went; `print_` is the function that prints a text."""
    left = incomparable_outputs(of, states)
    return f'{print_}(bad ? "WRONG" : "{"fine, but not all was checked" if left else "fine"}");'


def tolerances(of: Unit, states: list[npt.NDArray[np.float64]]) -> list[float]:
    """Largest errors that are fine: more where last digits matter, as near singularities and in differences."""
    last = float(np.finfo(of.dtype).eps)
    signs = [np.resize([1.0, -1.0, -1.0], x.shape) for x in states]
    with np.errstate(all="ignore"):
        exact = of.program.evaluate(*states)
        near = of.program.evaluate(*(x * (1 + last * sign) for x, sign in zip(states, signs, strict=True)))
        rounded = _inexact(of.program, last).evaluate(*states)
        found = [
            max(
                LEAST_TOLERANCE[of.scalar],
                _decade(INPUT_ROUNDING_FACTOR * _change(x, y)),
                _decade(OPERATION_ROUNDING_FACTOR * _change(x, z)),
            )
            for x, y, z in zip(exact, near, rounded, strict=True)
        ]
    return [float(f"{x:.1e}") for x in found]


def _inexact(program: Program, error: float) -> Program:
    """The program with a relative error of either sign in what each operation gives: to see what rounding does."""
    nodes: list[Any] = []
    begin: list[int] = []  # of what stands for each node, in the new nodes
    place: list[int] = []  # of each result
    signs = np.random.default_rng(0).choice([-error, error], len(program.nodes))
    whole = _whole_numbers(program)
    for i, ((name, *rest), sign) in enumerate(zip(program.nodes, signs.tolist(), strict=True)):
        begin.append(len(nodes))
        nodes.append((name, *(rest if name in LEAVES else (place[i] for i in rest))))
        if name not in EXACT_NODES and i not in whole:
            nodes += [("const", 1 + sign), ("mul", len(nodes) - 1, len(nodes))]
        place.append(len(nodes) - 1)
    results = tuple(tuple(place[i] for i in result) for result in program.results)
    loops = program.loops.with_nodes(place, [*begin, len(nodes)])
    return Program(program.name, program.inputs, program.outputs, tuple(nodes), results, loops)


def _whole_numbers(program: Program) -> set[int]:
    """The nodes that are whole numbers, such as those of rows of a table: what is computed of them is exact."""
    found = set[int]()
    for i, (name, *rest) in enumerate(program.nodes):
        of_whole = name in ("add", "sub", "mul", "neg", "abs", "minimum", "maximum") and found.issuperset(rest)
        if name == "floor" or of_whole or (name == "const" and rest[0].is_integer()):
            found.add(i)
    return found


def _change(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float:
    """The largest difference, relative to the largest number or 1; 1 if there is nothing to compare."""
    finite = np.isfinite(x)
    scale = max(1.0, np.abs(x[finite]).max(initial=0.0))
    change = float(np.abs(x - y)[finite].max(initial=0.0) / scale)
    return change if np.isfinite(change) and (finite.any() or not x.size) else 1.0


def _decade(x: float) -> float:
    """The next power of ten."""
    return float(10.0 ** np.ceil(np.log10(x))) if x else 0.0
