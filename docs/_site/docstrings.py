"""Docstrings as reStructuredText: they are written to be read as they are, in `help()`."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape_sphinx
from sphinx.application import Sphinx

PLURAL = re.compile(r"(`[^`]+`)(?=s\b)")
"""`Robot`s."""
PARAMETER = re.compile(r"\s*\*?\*\*(\w+)\*\* :")
"""Name of a parameter, as numpydoc writes it; such a name is no link."""
PAGE = re.compile(r"\bdocs/(\w+)\.md\b")


def escaped(line: str, own: Collection[str] = ()) -> str:
    """A line with what mathematics and plain text share with the markup: |x|, (*shape, nq), `Robot`s."""
    parts = re.split(r"(`[^`]*`)", PAGE.sub(r":doc:`/\1`", PLURAL.sub(r"\1\\ ", line)))
    parts[1::2] = [f"`{part}`" if part.strip("`") in own else part for part in parts[1::2]]
    parts[::2] = [part.replace("|", r"\|").replace("(*", r"(\*").replace(" *shape", r" \*shape") for part in parts[::2]]
    return "".join(parts)


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape the lines that are not examples."""
    example, own = False, {found[1] for line in lines if (found := PARAMETER.match(line))}
    for i, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example:
            lines[i] = escaped(line, own)


TEMPLATES: list[SandboxedEnvironment] = []


def shared(loader: Any) -> SandboxedEnvironment:
    """The environment of numpydoc's template, which is the same for all docstrings."""
    if not TEMPLATES:
        TEMPLATES.append(SandboxedEnvironment(loader=loader))
    return TEMPLATES[0]


def setup(app: Sphinx) -> dict[str, Any]:
    """Follow numpydoc, which arranges the sections."""
    app.connect("autodoc-process-docstring", process, priority=900)
    docscrape_sphinx.SandboxedEnvironment = (
        shared  # numpydoc compiles its template for every docstring: a fifth of the time
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
