"""Pages of the viewer: their sizes, how long they take until they are ready; outputs of notebooks."""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from pages import ROOT

import kinetrace as kt
from kinetrace.view import capture


def _with_meshes() -> Any:
    """The Panda of example-robot-data, as the pictures have it."""
    sys.path.append(str(ROOT / "tools"))
    return import_module("make_screenshots").panda_with_meshes()[0]


ROBOTS: dict[str, Callable[[], Any]] = {
    "Panda, bundled": lambda: kt.load("panda"),
    "quadruped, free base": lambda: kt.load("quadruped", base="free"),
    "humanoid, free base": lambda: kt.load("humanoid", base="free"),
    "Panda with the meshes of example-robot-data": _with_meshes,
}
"""Rows of the table in docs/viewer.md."""


def _ready(path: Path) -> tuple[float, float]:
    """Seconds until a page is ready: the first one of a browser, and the same one after it."""
    made = []
    with capture.browser() as browser:
        for _ in range(2):
            tab = browser.new_page(viewport={"width": 1280, "height": 800})
            begin = time.perf_counter()
            tab.goto(path.as_uri())
            capture.wait_until_ready(tab)
            made.append(time.perf_counter() - begin)
    return made[0], made[1]


def _row(robot: Any, runs: int) -> str:
    """Sizes in megabytes, and the best times in seconds."""
    robot.view(open=False)  # compiles
    best = [float("inf")] * 3
    for _ in range(runs):
        begin = time.perf_counter()
        text = robot.view(open=False).html
        made = time.perf_counter() - begin
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "page.html"
            file.write_text(text, encoding="utf-8")
            best = [min(x) for x in zip(best, (made, *_ready(file)), strict=True)]
    plain = text.encode()
    sizes = f"{len(plain) / 1e6:.2f} MB | {len(gzip.compress(plain, 6)) / 1e6:.2f} MB"
    return f"{sizes} | {best[0]:.3f} s | {best[1]:.2f} s | {best[2]:.2f} s"


def weight(quick: bool) -> str:
    """The table of docs/viewer.md, and the size of the viewer without a robot."""
    chosen = list(ROBOTS)[: 1 if quick else None]
    rows = [f"| {name} | {_row(ROBOTS[name](), 1 if quick else 5)} |" for name in chosen]
    assets = files("kinetrace.view") / "assets"
    bare = sum(len(x.read_bytes()) for x in assets.iterdir() if x.name.endswith((".js", ".html", ".css")))
    return "\n".join([*rows, f"viewer: {bare / 1e6:.2f} MB"])


def outputs(quick: bool) -> dict[str, float]:
    """Bytes of the HTML that a Panda and a motion of it show in a notebook."""
    robot = kt.load("panda")
    motion = robot.simulate(robot.home(), np.zeros(robot.nv), t=0.1, dt=1e-2 if quick else 1e-3)
    return {"robot": len(robot._repr_html_().encode()), "motion": len(motion._repr_html_().encode())}
