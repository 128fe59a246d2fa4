"""Tables of contents by patterns: a pattern that matches no page, and a table that is empty, are left out."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.matching import patfilter

TABLE = re.compile(r"^```\{toctree\}\n(?P<options>(?::.*\n)*)\n?(?P<pages>(?:[^`\n].*\n)*)```\n", re.MULTILINE)


def read(app: Sphinx, name: str, content: list[str]) -> None:
    """Drop what matches nothing from a page in Markdown."""
    if "```{toctree}" in content[0]:
        app.env.note_reread()
        found = app.env.found_docs

        def kept(table: re.Match[str]) -> str:
            pages = table["pages"].splitlines(keepends=True)
            pages = [page for page in pages if "*" not in page or list(patfilter(found, page.strip()))]
            return f"```{{toctree}}\n{table['options']}\n{''.join(pages)}```\n" if pages else ""

        content[0] = TABLE.sub(kept, content[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
