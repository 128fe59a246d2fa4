"""A program as JavaScript: one state per call, numbers in double precision, nothing but `Math`.

The statements are those of C (`body`) in other words. Outputs are arrays that the caller gives, or new ones. What
crosses from one part to another, or what one loop of known length leaves for another, is in arrays of the module: a
function is never entered again before it returns.

Engines do not optimise functions above some size: the humanoid's forward dynamics in one function take 24 times as long
as in parts. The parts of C are good ones (`plan.BLOCK_OPERATIONS`): from 150 to 4,000 operations, times differ by less
than 25 %.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ....errors import InputError
from .comparison_program import EXPECTED_DIGITS, WORTHLESS_TOLERANCE, lengths_of, states_of, tolerances, verdict
from .statements import INDENT, ProgramStatements
from .syntax import GENERATED_MARK, Language, comment, file_text, product
from .unit import Unit, about_lines, argument_lines, cost_lines

OPERATIONS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "sqrt": "Math.sqrt({0})",
    "sin": "Math.sin({0})",
    "cos": "Math.cos({0})",
    "atan2": "Math.atan2({0}, {1})",
    "exp": "Math.exp({0})",
    "log": "Math.log({0})",
    "abs": "Math.abs({0})",
    "floor": "Math.floor({0})",
    "lt": "{0} < {1} ? 1 : 0",
    "minimum": "{0} < {1} || {0} !== {0} ? {0} : {1}",
    "maximum": "{0} > {1} || {0} !== {0} ? {0} : {1}",
    "select": "{0} !== 0 ? {1} : {2}",
}
"""How operations are written."""
_RESERVED_NAMES = """
    arguments as async await bad break case catch class const continue debugger default delete do else enum eval
    expected export extends failed false finally float64array for from function get i if implements import in infinity
    instanceof interface let math n nan new null number of package private protected public return s scale set static
    super switch this throw true try typeof undefined var void while with worst wrong yield
"""


@dataclass(frozen=True)
class _JavaScript(Language):
    """The words of JavaScript."""

    constant: str = "const "
    variable: str = "let "
    counter: str = "let "
    taken: frozenset[str] = frozenset(_RESERVED_NAMES.split())
    numbers_as_arrays: bool = False

    def literal(self, value: float, scalar: str) -> str:
        """A number: the shortest text that gives it back exactly.

        >>> JAVASCRIPT.literal(0.1, "double"), JAVASCRIPT.literal(-np.inf, "double")
        ('0.1', '-Infinity')
        """
        if math.isfinite(value):
            return repr(float(value))
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"

    def operation(self, name: str, words: Sequence[str], scalar: str) -> str:
        """An operation of the table on some operands; -0 must not follow another minus."""
        return OPERATIONS[name].format(*("(-0)" if x in ("-0", "-0.0") else x for x in words))

    def lookup(self, array: str, first: int, step: int, count: int, word: str) -> str:
        """An entry of an array by its number."""
        return super().lookup(array, first, step, count, word).replace(" != ", " !== ")

    def row(self, word: str, count: int) -> str:
        """A number as one of `count` rows."""
        return f"Math.floor({word} > 0 ? {word} < {count - 1} ? {word} : {count - 1} : 0)"

    def part(self, name: str, parameters: Mapping[str, str], lines: Sequence[str]) -> str:
        """A function that computes a part of a state."""
        return _function(name, [*parameters], lines)


JAVASCRIPT = _JavaScript()
_LEVELS = {"add": 1, "sub": 1, "mul": 2, "div": 2, **dict.fromkeys(("neg", "lt", "select", "minimum", "maximum"), 0)}
"""How tightly operations bind; those that are calls bind as names do."""
_CALL_LEVEL = 3
_OPERAND_PRECEDENCE = {
    "add": (1, 2),
    "sub": (1, 2),
    "mul": (2, 3),
    "div": (2, 3),
    "neg": (3,),
    "lt": (3, 3),
    "select": (3, 3, 3),
}
"""How tightly their operands must bind, to stand without parentheses."""


class _Term(str):
    """An operation as text, and how tightly it binds."""

    level = _CALL_LEVEL


@dataclass(frozen=True)
class _Dense(_JavaScript):
    """The same with as few names and signs as possible: what is read once stands where it is read."""

    nests: frozenset[str] = frozenset(OPERATIONS) - {"minimum", "maximum"}
    nested: frozenset[str] = frozenset(OPERATIONS)
    longest: int = 300

    def literal(self, value: float, scalar: str) -> str:
        """A number, in fewer characters if that is possible.

        >>> DENSE.literal(0.25, "double"), DENSE.literal(3.0, "double"), DENSE.literal(1e-05, "double")
        ('.25', '3', '1e-5')
        """
        text = super().literal(value, scalar)
        return re.sub(r"\.0$|(?<=e)\+|(?<=e-)0|^0(?=\.[1-9]|\.0.)", "", text)

    def operation(self, name: str, words: Sequence[str], scalar: str) -> str:
        """An operation, operands in parentheses where they must be."""
        needed = _OPERAND_PRECEDENCE.get(name, (0,) * len(words))
        pairs = zip(words, needed, strict=False)
        inside = [f"({x})" if isinstance(x, _Term) and x.level < need else x for x, need in pairs]
        found = _Term(super().operation(name, inside, scalar))
        found.level = _LEVELS.get(name, _CALL_LEVEL)
        return found


DENSE = _Dense()


def javascript(of: Unit, language: _JavaScript = JAVASCRIPT) -> Unit:
    """The unit in the words of JavaScript, whose numbers are all of double precision."""
    if of.dtype != "float64":
        raise InputError(f"dtype: JavaScript computes in float64 alone, got {of.dtype!r}")
    return replace(of, language=language)


def module(of: Unit) -> str:
    """The module: a comment with all that a caller must know, and the function.

    >>> from kinetrace.engine.targets.text.unit import unit
    >>> from kinetrace.engine.trace import trace
    >>> print(module(unit(trace(lambda x: x[0] * x[1] + 0.5, {"x": (2,)}, name="a_line"))))
    /* a_line.mjs, written by kinetrace
     *
     * Arguments in their order, matrices row by row; inputs are arrays, numbers where the shape is ():
     *   x    in   (2,)
     *   out  out  ()
     * Outputs are Float64Arrays, new ones where none are given; the function returns them.
     *
     * One state: 1 mul, 1 add, 0 div, 0 sqrt, 0 trig.
     */
    <BLANKLINE>
    export function a_line(x, out = new Float64Array(1)) {
        out[0] = x[0] * x[1] + 0.5;
        return out;
    }
    <BLANKLINE>
    """
    of = javascript(of)
    *before, last = functions(of)
    return file_text(comment(f"{of.name}.mjs, {GENERATED_MARK}", _description(of)), *before, f"export {last}")


def functions(of: Unit) -> Iterator[str]:
    """The function of one state, after its memory, tables of numbers, and its parts if it has several."""
    body = ProgramStatements(of)
    body.write(of.schedule, INDENT)
    tables = {k: write.numbers for k, write in enumerate(of.program.loops.writes) if write.numbers}
    own = [f"{INDENT}const kept{k} = {of.name}_kept{k};" for k in of.tables]
    for k, numbers in tables.items():
        yield f"const {of.series(k)} = Float64Array.of({', '.join(of.language.literal(x, '') for x in numbers)});"
    for k, size in of.tables.items():
        yield f"const {of.name}_kept{k} = new Float64Array({size});"
    if of.scratch:
        yield f"const {of.name}_s = new Float64Array({of.scratch});"
        own.append(f"{INDENT}const s = {of.name}_s;")
    yield from body.parts
    own += [f"{INDENT}const kept{k} = new Float64Array({product(of.kept_factors(k))});" for k in of.kept]
    inputs = len(of.program.inputs)
    outputs = of.names[inputs:]
    sizes = [product([*(of.lengths[x] for x in a.dims), str(a.size)]) for a in of.program.outputs]
    defaults = [f"{name} = new Float64Array({size})" for name, size in zip(outputs, sizes, strict=True)]
    result = outputs[0] if len(outputs) == 1 else f"[{', '.join(outputs)}]"
    parameters = [*of.lengths.values(), *of.names[:inputs], *defaults]
    yield _function(of.name, parameters, [*own, *body.lines, f"{INDENT}return {result};"])


def _function(name: str, parameters: Sequence[str], lines: Sequence[str]) -> str:
    return "\n".join([f"function {name}({', '.join(parameters)}) {{", *lines, "}"])


def _description(of: Unit) -> list[str]:
    """Comment on top."""
    return [
        *about_lines(of),
        "Arguments in their order, matrices row by row; inputs are arrays, numbers where the shape is ():",
        *argument_lines(of),
        "Outputs are Float64Arrays, new ones where none are given; the function returns them.",
        "",
        *cost_lines(of),
    ]


def test(of: Unit, states: Sequence[npt.ArrayLike] | None = None) -> str:
    """A module that compares the function with the expected results, and fails if they differ: `node NAME_test.mjs`."""
    of, inputs = javascript(of), len(of.program.inputs)
    rows = states_of(of, states)
    count, lengths = len(rows[0]) if rows else 1, lengths_of(of, rows)
    with np.errstate(all="ignore"):
        results = of.program.evaluate(*rows)
    shapes = [(count, *(lengths.get(x, x) for x in a.shape)) for a in of.program.outputs]
    expected = [np.broadcast_to(x, shape) for x, shape in zip(results, shapes, strict=True)]
    rounded = [np.array([float(f"{y:.{EXPECTED_DIGITS}g}") for y in x.flat]).reshape(x.shape) for x in expected]
    given = [f"in_{name}[i]" for name in of.names[:inputs]]
    call = f"{of.name}({', '.join([*map(str, lengths.values()), *given])})"
    outputs, several = of.names[inputs:], len(of.names) - inputs != 1
    checks = [
        f'bad = wrong("{name}", found.map((x) => x{f"[{k}]" * several}), expected_{name}, {tolerance!r}) || bad;'
        for k, (name, tolerance) in enumerate(zip(outputs, tolerances(of, rows), strict=True))
    ]
    return file_text(
        f"/* {of.name}_test.mjs, {GENERATED_MARK}: compares {of.name} with the numbers that it should give. */",
        f'import {{ {of.name} }} from "./{of.name}.mjs";',
        *(_rows(f"in_{name}", x) for name, x in zip(of.names, rows, strict=False)),
        *(_rows(f"expected_{name}", x) for name, x in zip(outputs, rounded, strict=True)),
        _COMPARISON,
        f"const found = Array.from({{ length: {count} }}, (_, i) => {call});\nlet bad = false;",
        "\n".join([*checks, verdict(of, rows, "console.log"), "process.exitCode = bad ? 1 : 0;"]),
    )


def _rows(name: str, x: npt.NDArray[np.float64]) -> str:
    """States of an argument, each an array, or a number."""
    each = [", ".join(JAVASCRIPT.literal(y, "") for y in row.flat) for row in x]
    return f"const {name} = [\n" + "".join(f"    {row if x.ndim == 1 else f'[{row}]'},\n" for row in each) + "];"


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

_COMPARISON = f"""\
function wrong(name, found, expected, tolerance) {{
    if (tolerance > {WORTHLESS_TOLERANCE!r}) {{
        console.log(`${{name}}: NOT CHECKED, the last digits of these states decide it`);
        return false;
    }}
    const x = found.flatMap((y) => Array.from(y)), right = expected.flat();
    const scale = right.reduce((most, y) => (Math.abs(y) <= 1e300 ? Math.max(most, Math.abs(y)) : most), 1);
    let bad = x.length !== right.length, worst = 0;
    right.forEach((y, i) => {{
        const error = Math.abs(x[i] - y) / scale;
        bad = bad || !(Object.is(x[i], y) || x[i] === y || error <= tolerance);
        worst = error > worst ? error : worst;
    }});
    console.log(`${{name}}: largest relative error ${{worst.toExponential(1)}}${{bad ? ", WRONG" : ""}}`);
    return bad;
}}"""


def dense(of: Unit) -> Iterator[str]:
    """`functions` in few characters, for pages.

    >>> from kinetrace.engine.targets.text.unit import unit
    >>> from kinetrace.engine.trace import trace
    >>> print(*dense(unit(trace(lambda x: (x[0] - x[1]) * (x[0] + 0.5), {"x": (2,)}, name="a_line"))))
    function a_line(x,out=new Float64Array(1)){
    out[0]=(x[0]-x[1])*(x[0]+.5);
    return out;
    }
    """
    return map(_squeeze, functions(javascript(of, DENSE)))


def _squeeze(text: str) -> str:
    """A function without blanks, its values under short names.

    >>> print(_squeeze("function f(a) {\\n    const t3 = a - 1e-5;\\n    const t12 = t3 * t3;\\n    return t12;\\n}"))
    function f(a){
    const b=a-1e-5,c=b*b;
    return c;
    }
    """
    taken = {*re.findall(r"[A-Za-z_$][\w$]*", text), *_RESERVED_NAMES.split()}
    short = (word for k in itertools.count(1) for word in map("".join, itertools.product(_LETTERS, repeat=k)))
    names: dict[str, str] = {}
    for word in re.findall(r"\bt\d+\b", text):
        if word not in names:
            names[word] = next(x for x in short if x not in taken)
    text = re.sub(r"\bt\d+\b", lambda found: names[found[0]], text)
    lines = [re.sub(r" ?([-+*/=<>!?:;,(){}&|]+) ?", r"\1", line.strip()) for line in text.splitlines()]
    return _join_constants(lines)


def _join_constants(lines: list[str]) -> str:
    """Lines, those that define values one after another as one statement."""
    found: list[str] = []
    for line in lines:
        if found and line.startswith("const ") and found[-1].startswith("const "):
            found[-1] = f"{found[-1][:-1]},{line.removeprefix('const ')}"
        else:
            found.append(line)
    return "\n".join(found)
