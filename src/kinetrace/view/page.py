"""The page: one HTML file with everything in it. It asks no host for anything."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any


@cache
def _asset(name: str) -> str:
    return (resources.files("kinetrace.view") / "assets" / name).read_text(encoding="utf-8")


def page(scene: dict[str, Any], programs: Sequence[str]) -> str:
    """HTML of a scene and of the programs of its robots, in order."""
    data = json.dumps(scene, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    title = html.escape(scene["title"])
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>{title}</title>
<style id="kinetrace-style">{_asset("style.css")}</style></head><body><div id="kinetrace"></div>
<script type="application/json" id="kinetrace-scene">{data}</script>
<script id="kinetrace-programs">window.kinetracePrograms=[{",".join(programs)}];</script>
<script id="kinetrace-viewer">{_asset("viewer.js")}</script></body></html>
"""
