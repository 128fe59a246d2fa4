"""Tutorials as notebooks: files of the site, in notebooks/, and a link on each tutorial that opens its own in Colab."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from make_notebooks import EXAMPLES, notebook
from sphinx.application import Sphinx


def add_link(app: Sphinx, page: nodes.document) -> None:
    """Put the link below the title of a tutorial."""
    name = re.fullmatch(r"tutorials/(\d\d_\w+)", app.env.docname)
    folder: str | None = app.config.colab_folder
    if name and folder:
        link = nodes.reference("", "Open in Colab", refuri=f"{folder}/{name[1]}.ipynb", internal=False)
        section = next(iter(page.findall(nodes.section)))
        section.insert(1, nodes.paragraph("", "", link, classes=["colab"]))


def write(app: Sphinx, error: Exception | None) -> None:
    """Put the notebooks into a site that was built."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / "notebooks"
        folder.mkdir(exist_ok=True)
        for script in EXAMPLES.glob("[0-9]*.py"):
            nbformat.write(notebook(script), folder / f"{script.stem}.ipynb")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect."""
    app.add_config_value("colab_folder", None, "env", types=(str, type(None)))
    app.connect("doctree-read", add_link)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
