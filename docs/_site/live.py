"""The live viewer of the first page: a Panda whose hand draws a lying eight, as one file of the site."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import kinetrace as kt

FILE = "_static/live.html"
SECONDS, ROWS = 6.0, 240


class Live(SphinxDirective):
    """The viewer in a frame; the text is its title."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """A frame that is filled when it comes into sight."""
        title = escape(" ".join(self.content))
        text = f'<iframe class="live" src="{FILE}" title="{title}" loading="lazy" allowfullscreen></iframe>'
        return [nodes.raw("", text, format="html")]


def page() -> str:
    """The page as text."""
    robot = kt.load("panda")
    ready = robot.home()
    hand = robot.pose(ready, "panda_hand")
    phase = np.linspace(0, 2 * np.pi, ROWS + 1)
    targets = np.tile(hand, (ROWS + 1, 1, 1))
    targets[:, 1, 3] += 0.28 * np.sin(phase)
    targets[:, 2, 3] += 0.14 * np.sin(2 * phase)
    q = [ready]
    for target in targets[1:]:  # each from the one before: a smooth motion
        q.append(robot.inverse_kinematics(target, "panda_hand", q0=q[-1], rest=ready).q)
    made: str = robot.view(np.array(q), t=SECONDS * phase / phase[-1], trail="panda_hand", open=False).html
    return made


def write(app: Sphinx, error: Exception | None) -> None:
    """Put it beside the other files of a site that was built."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / FILE).write_text(page(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect."""
    app.add_directive("live", Live)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
