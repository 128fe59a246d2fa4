"""Tables of contents by patterns: a pattern that matches no page, and a table that is empty, are left out.

The first page of a folder, index.md, gets a table with all pages of the folder, in the order of its links: GitHub
shows only these.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.matching import patfilter

TABLE = re.compile(r"^```\{toctree\}\n(?P<options>(?::.*\n)*)\n?(?P<pages>(?:[^`\n].*\n)*)```\n", re.MULTILINE)


def read(app: Sphinx, name: str, content: list[str]) -> None:
    """Drop what matches nothing from a page in Markdown."""
    folder, _, last = name.rpartition("/")
    if folder and last == "index" and Path(app.env.doc2path(name)).suffix == ".md":
        named = dict.fromkeys(re.findall(r"\]\((\w+)\.md\)", content[0]))
        others = sorted(x.removeprefix(f"{folder}/") for x in app.env.found_docs if x.startswith(f"{folder}/"))
        pages = [*named, *(x for x in others if x not in named and x != last)]
        content[0] += "\n".join(["\n```{toctree}", ":hidden:", "", *pages, "```\n"])
    if "```{toctree}" in content[0]:
        app.env.note_reread()
        others = app.env.found_docs - {name}

        def kept(table: re.Match[str]) -> str:
            pages = table["pages"].splitlines(keepends=True)
            pages = [x for x in pages if "*" not in x or list(patfilter(others, f"{folder}/{x}".strip("/\n")))]
            return f"```{{toctree}}\n{table['options']}\n{''.join(pages)}```\n" if pages else ""

        content[0] = TABLE.sub(kept, content[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
