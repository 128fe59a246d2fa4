"""Robots and models in notebooks: a picture, sizes, and the table of joints."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from ..arrays import Array
from ..lie import inertia
from ..model.body import WORLD, Body
from ..model.model import Model
from ..support.html import block, code, details, escaped, facts, side_by_side, table
from .svg import svg


def of_model(model: Model, kind: str = "Model", settings: str = "") -> str:
    """The HTML of a robot as data; `settings` is what a compiled robot adds, already HTML."""
    if not model.is_concrete:
        return block(escaped(repr(model)))
    title = f"<b>{escaped(model.name)}</b> <span style='opacity:0.7'>{kind}{settings}</span>"
    right = facts(_facts(model)) + details("joints", _joints(model), is_open=len(model.bodies) <= 3)
    if model.closures:
        rows = [[code(x.name), escaped(_frames(x.a.name, x.b.name)), str(x.size)] for x in model.closures]
        right += details("closures", table(["closure", "between", "rows"], rows, right=(2,)))
    right += details("frames", f"<div>{' '.join(code(name) for name in list(model.frames)[:200])}</div>")
    return block(title, side_by_side(svg(model), right))


def _frames(a: str, b: str) -> str:
    return f"{a or 'world'}, {b or 'world'}"


def _facts(model: Model) -> list[tuple[str, str]]:
    mass = sum(float(inertia.mass(body.J)) for body in model.bodies)
    found = [("q, v", f"nq = {model.nq}, nv = {model.nv}")]
    if model.closures:
        rows = model.closure_rows
        found.append(("closures", f"{len(model.closures)} with {rows} rows: {model.dof} degrees of freedom"))
    found.append(("bodies", f"{len(model.bodies)} moving, {mass:.4g} kg"))
    if not np.array_equal(model.gravity, [0.0, 0.0, -9.81]):
        found.append(("gravity", f"{escaped(np.asarray(model.gravity).tolist())} m/s²"))
    return found


def _joints(model: Model) -> str:
    names = {WORLD: "world", **{body.index: body.name for body in model.bodies}}
    rows = []
    for body in model.bodies:
        at = model.slices.get(body.index)
        rows.append(
            [
                code(body.joint_name),
                escaped(type(body.joint).__name__.lower()),
                _place(at[0]) if at is not None else _mimic(model, body),
                _range(body.limits.lower, body.limits.upper),
                _each(body.limits.effort),
                f"{code(names[body.parent])} → {code(body.name)}",
            ]
        )
    return table(["joint", "type", "q", "limits [rad, m]", "effort [N m, N]", "moves"], rows, right=(4,))


def _place(at: slice) -> str:
    return f"q[{at.start}]" if at.stop - at.start == 1 else f"q[{at.start}:{at.stop}]"


def _mimic(model: Model, body: Body) -> str:
    assert body.mimic is not None  # only these have no place
    return f"{body.mimic.ratio:.4g} · {code(model.bodies[body.mimic.source].joint_name)}"


def _range(lower: Array, upper: Array) -> str:
    if not (np.isfinite(lower).any() or np.isfinite(upper).any()):
        return "–"
    return "; ".join(f"{_number(a)} … {_number(b)}" for a, b in zip(lower, upper, strict=True))


def _each(x: Array) -> str:
    return "; ".join(_number(a) for a in x) if np.isfinite(x).any() else "–"


def _number(x: float) -> str:
    return f"{x:.4g}".replace("-", "−") if np.isfinite(x) else "∞" if x > 0 else "−∞"


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
