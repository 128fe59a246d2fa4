"""Docstrings as reStructuredText: they are written to be read as they are, in `help()`."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

PLURAL = re.compile(r"(`[^`]+`)(?=s\b)")
"""`Robot`s."""


def escape(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape what mathematics and plain text share with the markup: |x|, (*shape, nq), `Robot`s."""
    example = False
    for i, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example:
            parts = re.split(r"(`[^`]*`)", PLURAL.sub(r"\1\\ ", line))
            parts[::2] = [part.replace("|", r"\|").replace("(*", r"(\*").replace(" *shape", r" \*shape") for part in parts[::2]]
            lines[i] = "".join(parts)


def setup(app: Sphinx) -> dict[str, Any]:
    """Follow numpydoc, which arranges the sections."""
    app.connect("autodoc-process-docstring", escape, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
