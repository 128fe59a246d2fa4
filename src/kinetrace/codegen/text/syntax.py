"""How C is written: numbers, functions, comments, files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

MARK = "written by kinetrace"
"""What stands in the first line of every file."""


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


def joined(*parts: str) -> str:
    """Parts of a file, a blank line between them."""
    return "\n\n".join(parts) + "\n"
