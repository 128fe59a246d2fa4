"""Formulas as MathML, which browsers show themselves: no script, no font, no other host."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import pick_math_environment
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula in a line."""
    writer.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula of its own, which may have a label."""
    text = node.astext()
    environment = pick_math_environment(text)
    wrapped = (
        text if "\\begin" in text or "*" in environment else f"\\begin{{{environment}}}{text}\\end{{{environment}}}"
    )
    label = f' id="equation-{node["label"]}"' if node.get("label") else ""
    writer.body.append(f'<div class="math"{label}>{tex2mathml(wrapped if chr(92) * 2 in text else text)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Make it the way of writing formulas."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
