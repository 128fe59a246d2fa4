"""Links that work on GitHub and in the site, and names in docstrings that become links.

Pages link to files by relative paths. In the site, a page that exists there is linked as such, README.md and
CHANGELOG.md of the repository by what stands for them, an example by its tutorial, and every other file by its
address on GitHub.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole

LINK = re.compile(r"(?<!!)(\[(?:[^\[\]]|\[[^\[\]]*\])*\])\(([^)\s]+)\)")
"""Text and target of a link in Markdown, not of a picture."""
FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1\s*$", re.DOTALL | re.MULTILINE)
INSTEAD = {
    "README.md": "index.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "reference/contributing.md",
    "examples": "tutorials/index.rst",
    "examples/README.rst": "tutorials/index.rst",
    "src/kinetrace/__init__.py": "reference/index.rst",
}
"""File of the repository → page of the site."""


def in_the_site(target: str, page: Path, docs: Path, address: str) -> str:
    """Target of a link on a page, as the site has it."""
    path, mark, anchor = target.partition("#")
    if not path or re.match(r"[a-z]+:", target):
        hosted = f"{address}/blob/main/"
        if not target.startswith(hosted):
            return target
        path, base = target.removeprefix(hosted), docs.parent
    else:
        base = page.parent
    root = docs.parent
    full = Path(os.path.normpath(base / path))
    if not full.is_relative_to(root):
        return target
    name = full.relative_to(root).as_posix()
    if name.endswith("/README.md"):
        name = name.removesuffix("/README.md")
    if name in INSTEAD:
        return os.path.relpath(docs / INSTEAD[name], page.parent) + mark + anchor
    if re.match(r"examples/\d\d_\w+\.py$", name):
        return os.path.relpath(docs / "tutorials" / f"{full.stem}.rst", page.parent)
    if full.is_relative_to(docs) and full.is_file():
        return os.path.relpath(full, page.parent) + mark + anchor
    kind = "tree" if full.is_dir() else "blob"
    return f"{address}/{kind}/main/{name}{mark}{anchor}" if full.exists() else target


def rewritten(text: str, change: Callable[[str], str]) -> str:
    """Markdown with its links changed, except in blocks of code."""
    parts, end = [], 0
    for block in FENCE.finditer(text):
        parts += [text[end : block.start()], block[0]]
        end = block.end()
    parts.append(text[end:])
    parts[::2] = [LINK.sub(lambda found: f"{found[1]}({change(found[2])})", part) for part in parts[::2]]
    return "".join(parts)


def read(app: Sphinx, name: str, content: list[str]) -> None:
    """Change the links of a page that is read."""
    page = Path(app.env.doc2path(name))
    if page.suffix == ".md":
        docs, address = Path(app.srcdir), app.config.html_theme_options["source_repository"].rstrip("/")
        origin = {"reference/changelog": "CHANGELOG.md", "reference/contributing": "CONTRIBUTING.md"}.get(name)
        base = docs.parent / origin if origin else page

        def change(target: str) -> str:
            new = in_the_site(target, base, docs, address)
            inside = origin and not re.match(r"[a-z]+:|#", new)
            return os.path.relpath(base.parent / new, page.parent) if inside else new

        content[0] = rewritten(content[0], change)


CALL = re.compile(r"(kt|robot|Robot)\.([A-Za-z_][\w.]*)(\(.*\))?", re.DOTALL)
"""What `code` on a page may name."""


def linked_names(app: Sphinx, page: nodes.document) -> None:
    """Make links of `kt.load(...)` and `robot.pose` in the text of a page."""
    for code in list(page.findall(nodes.literal)):
        found = CALL.fullmatch(code.astext())
        if found and not isinstance(code.parent, addnodes.pending_xref | nodes.reference | nodes.title):
            target = f"kinetrace.{found[2]}" if found[1] == "kt" else f"kinetrace.Robot.{found[2]}"
            code.replace_self(lenient(app.env.docname, target, code.deepcopy()))


def lenient(page: str, target: str, shown: nodes.Node) -> addnodes.pending_xref:
    """Reference to a name, which is no error if there is none."""
    given = {"refdomain": "py", "reftype": "obj", "reftarget": target, "refdoc": page, "refwarn": False}
    return addnodes.pending_xref("", shown, lenient=True, **given)


class NameRole(SphinxRole):
    """`name` in a docstring: code, and a link if it is a name of the reference."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the nodes."""
        shown = nodes.literal("", self.text, classes=["py", "name"])
        target = self.text.removesuffix("()")
        if not re.fullmatch(r"[A-Za-z_][\w.]*", target):
            return [shown], []
        target = re.sub(r"^kt\.", "kinetrace.", target)
        target = re.sub(r"^robot\.", "kinetrace.Robot.", target)
        reference = lenient(self.env.docname, target, shown)
        of_robot = self.env.docname.startswith("reference/robot")  # whose tables are outside of the class
        reference["py:module"] = self.env.ref_context.get("py:module", "kinetrace")
        reference["py:class"] = self.env.ref_context.get("py:class") or ("Robot" if of_robot else None)
        return [reference], []


def unresolved(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Node
) -> nodes.Node | None:
    """Leave a name that is not in the reference as code, without a warning."""
    return content if node.get("lenient") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the functions."""
    app.add_role("name", NameRole())
    app.connect("source-read", read)
    app.connect("doctree-read", linked_names)
    app.connect("missing-reference", unresolved)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
