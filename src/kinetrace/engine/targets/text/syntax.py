"""How C is written: numbers, statements, functions, comments, files; and `Language`, what other languages change.

A function in C, C++ or CUDA must not have some names: keywords, those of the text itself, what libraries may use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...trace.ops import OPS

GENERATED_MARK = "written by kinetrace"
"""Mark in the first line of every file."""
_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
    co_return co_yield compl complex concept const const_cast consteval constexpr constinit continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for fortran friend goto half if imaginary
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using
    virtual void volatile wchar_t while xor xor_eq
"""
_OWN_NAMES = "bad failed i infinity linux main n nan null s scale size_t states std stream unix worst wrong"

LIBM_FUNCTIONS = {name for op in OPS.values() for name in re.findall(r"(\w+)\{f\}", op.c or op.text)}
"""The functions of libm that programs call."""
RESERVED_NAMES = {*_KEYWORDS.split(), *_OWN_NAMES.split(), *LIBM_FUNCTIONS, *(f"{f}f" for f in LIBM_FUNCTIONS)}
"""Further names that an argument must not have, in whatever case."""
_LIBRARY_NAMES = re.compile(
    r"[^a-z]*"  # macros
    r"|.*_t|va_(list|arg|copy|end|start)|fd_(set|mask)|u_(char|int|long|short)"  # types
    r"|cuda_.*|make_.*[1-4]"
    r"|.*_(r|l|unlocked)|[LP]_tmp.*|L_ctermid"  # glibc: variants for threads and locales, constants of stdio.h
    r"|arc4random_.*|explicit_bzero|open_memstream|at_quick_exit|quick_exit|on_exit|aligned_alloc|posix_memalign"
    r"|math_errhandling"
)
"""Names with an underscore that C, C++, CUDA and their libraries use."""


def is_taken(name: str) -> bool:
    """Whether a function must not have this name: one without an underscore may be any library's.

    >>> is_taken("fabs"), is_taken("NULL"), is_taken("size_t"), is_taken("panda_torques")
    (True, True, True, False)
    """
    return "_" not in name or name in RESERVED_NAMES or _LIBRARY_NAMES.fullmatch(name) is not None


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


def product(words: Iterable[str]) -> str:
    """Words multiplied, without the ones if they follow another.

    >>> product(["t", "1"]), product(["1", "i"])
    ('t', '1 * i')
    """
    first, *others = words
    return " * ".join([first, *(word for word in others if word != "1")])


def affine(first: int, step: int, word: str) -> str:
    """The place of an entry: some steps, as many as the word says, from the first one.

    >>> affine(0, 1, "k"), affine(7, -2, "k")
    ('k', '7 - 2 * k')
    """
    steps = word if abs(step) == 1 else f"{abs(step)} * {word}"
    return f"{first} - {steps}" if step < 0 else f"{first} + {steps}" if first else steps


def declaration(head: str, parameters: Sequence[str]) -> str:
    """The head of a function, one parameter per line."""
    return f"{head}(\n    " + ",\n    ".join(parameters) + ")" if parameters else f"{head}(void)"


def definition(head: str, parameters: Sequence[str], lines: Sequence[str]) -> str:
    """A function."""
    return "\n".join([declaration(head, parameters), "{", *lines, "}"])


def comment(title: str, lines: Sequence[str]) -> str:
    """A comment of plain ASCII that nothing in the lines can end."""
    clean = [re.sub(r"[^ -~]", "?", line).rstrip() for line in (title, "", *lines)]
    clean = [re.sub(r"(?<=[*/?])(?=[*/?])", " ", line) for line in clean]
    return "\n".join(f"{'/*' if k == 0 else ' *'} {line}".rstrip() for k, line in enumerate(clean)) + "\n */"


def file_text(*parts: str) -> str:
    """Parts of a file, a blank line between them."""
    return "\n\n".join(parts) + "\n"


@dataclass(frozen=True)
class Language:
    """The words of statements, here those of C; `javascript` has others."""

    restrict: str = "restrict"
    local: str = "static"
    constant: str = "const {scalar} "
    """Declaration before the name of a value; `{scalar}` is the type of a number."""
    variable: str = "{scalar} "
    counter: str = "size_t "
    taken: frozenset[str] = frozenset(RESERVED_NAMES)
    """Names that an argument must not have, in whatever case."""
    numbers_as_arrays: bool = True
    """Whether an input without axes is an array of one entry."""
    nests: frozenset[str] = frozenset(("add", "sub"))
    """Operations in which operands that nothing else reads may stand as they are computed."""
    nested: frozenset[str] = frozenset(("mul",))
    """Operations that may stand so."""
    longest: int = 1 << 20
    """Characters of an operand that stands so."""

    def literal(self, value: float, scalar: str) -> str:
        """A number."""
        return literal(value, scalar)

    def operation(self, name: str, words: Sequence[str], scalar: str) -> str:
        """An operation of the table on some operands."""
        op = OPS[name]
        return (op.c or op.text).format(*words, f="f" if scalar == "float" else "", scalar=scalar)

    def lookup(self, array: str, first: int, step: int, count: int, word: str) -> str:
        """An entry of `count` of an array, from the first on in steps, by its number, which may be no whole one."""
        return f"{word} != {word} ? {word} : {array}[{affine(first, step, self.row(word, count))}]"

    def row(self, word: str, count: int) -> str:
        """A number as one of `count` rows."""
        return f"(size_t)({word} > 0 ? {word} < {count - 1} ? {word} : {count - 1} : 0)"

    def part(self, name: str, parameters: Mapping[str, str], lines: Sequence[str]) -> str:
        """A function that computes a part of a state; `parameters` are words with their declarations."""
        return definition(f"{self.local} void {name}", list(parameters.values()), lines)


C = Language()
