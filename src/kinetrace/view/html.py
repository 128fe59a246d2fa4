"""Robots and models in notebooks: a picture, sizes, and the table of joints."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Array
from ..lie import inertia
from ..model.body import WORLD, Body
from ..model.configurations import home
from ..model.model import Model
from ..support.html import block, code, details, facts, html_text, side_by_side, table
from .options import angles, directions
from .shapes import upright
from .skeleton import DARK, STEEL, Color, JointSymbol, body_poses, skeleton


def of_model(model: Model, kind: str = "Model", settings: str = "") -> str:
    """The HTML of a robot as data; `settings` is what a compiled robot adds, already HTML."""
    if not model.is_concrete:
        return block(html_text(repr(model)))
    title = f"<b>{html_text(model.name)}</b> <span style='opacity:0.7'>{kind}{settings}</span>"
    right = facts(_facts(model)) + details("joints", _joints(model), is_open=len(model.bodies) <= 3)
    rows = [[code(x.name), html_text(_frames(x.a.name, x.b.name)), str(x.size)] for x in model.closures]
    if rows:
        right += details("closures", table(["closure", "between", "rows"], rows, right=(2,)))
    right += details("frames", f"<div>{' '.join(code(name) for name in list(model.frames)[:200])}</div>")
    return block(title, side_by_side(svg(model), right))


def _frames(a: str, b: str) -> str:
    return f"{a or 'world'}, {b or 'world'}"


def _facts(model: Model) -> list[tuple[str, str]]:
    mass = sum(float(inertia.mass(body.J)) for body in model.bodies)
    pairs = [("q, v", f"nq = {model.nq}, nv = {model.nv}")]
    if model.closures:
        rows = model.closure_rows
        pairs.append(("closures", f"{len(model.closures)} with {rows} rows: {model.dof} degrees of freedom"))
    pairs.append(("bodies", f"{len(model.bodies)} moving, {mass:.4g} kg"))
    if not np.array_equal(model.gravity, [0.0, 0.0, -9.81]):
        pairs.append(("gravity", f"{html_text(np.asarray(model.gravity).tolist())} m/s²"))
    return pairs


def _joints(model: Model) -> str:
    names = {WORLD: "world", **{body.index: body.name for body in model.bodies}}
    rows = []
    for body in model.bodies:
        places = model.slices.get(body.index)
        rows.append(
            [
                code(body.joint_name),
                html_text(type(body.joint).__name__.lower()),
                _place(places[0]) if places is not None else _mimic(model, body),
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
    return body.mimic.text(code(model.bodies[body.mimic.source].joint_name))


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


MOST_BODIES = 400
"""Robots with more bodies have no picture."""
CIRCLE_CORNERS = 18
"""Corners of a circle."""


def svg(model: Model, q: Array | None = None, size: int = 190) -> str:
    """A picture of one configuration, by default that of `home`; empty if there is nothing to see.

    Colours are those of the skeleton on any ground.

    >>> import kinetrace as kt
    >>> text = svg(kt.load("planar2r").model)
    >>> text.startswith("<svg "), len(text) < 3000
    (True, True)
    """
    if not 0 < len(model.bodies) <= MOST_BODIES:
        return ""
    made = skeleton(model)
    poses = body_poses(model, home(model) if q is None else q)
    in_world = {i: (X[:3, :3], X[:3, 3]) for i, X in poses.items()}

    def place(body: int, point: Array) -> Array:
        R, p = in_world[body]
        return R @ point + p

    ends = [(place(x.body, x.start), place(x.body, x.end)) for x in made.segments]
    centers = [place(x.body, x.center) for x in made.symbols]
    points = np.array([*(x for pair in ends for x in pair), *centers])
    if not np.isfinite(points).all():
        return ""
    view = directions(*angles(np.ptp(points, axis=0)))
    flat: list[tuple[float, str, Array, float]] = []
    for x, (a, b) in zip(made.segments, ends, strict=True):
        flat += _capsule(view @ a, view @ b, x.radius, made.colors[x.body])
    for y, c in zip(made.symbols, centers, strict=True):
        flat.append(_joint(y, view @ c, view @ in_world[y.body][0] @ y.axis))
    return _picture(sorted(flat, key=lambda x: x[0]), size)


def _capsule(a: Array, b: Array, radius: float, color: Color) -> list[tuple[float, str, Array, float]]:
    """Depth, colour, points and width of a thick line and the light on it, in pieces that sort by depth."""
    pieces = int(np.clip(np.linalg.norm(b - a) / (12 * radius), 1, 3))
    cuts = a + np.linspace(0, 1, pieces + 1)[:, None] * (b - a)
    found, light = [], np.array([-0.3, 0.35, 0.0]) * radius
    for start, end in pairwise(cuts):
        depth, both = float(start[2] + end[2]) / 2, np.stack([start, end])
        found.append((depth, _hex(color, 0.8), both[:, :2], 2 * radius))
        found.append((depth + 1e-6 * radius, _hex(color, 1.2), (both + light)[:, :2], 0.7 * radius))
    return found


def _joint(symbol: JointSymbol, center: Array, axis: Array) -> tuple[float, str, Array, float]:
    """Depth, colour and outline of a joint; width 0."""
    color = _hex(STEEL if symbol.kind in ("ground", "wheel") else DARK, 1.0)
    if symbol.kind in ("ball", "free", "universal"):
        outline = symbol.radius * _circle()
    elif symbol.kind in ("prismatic", "planar"):
        x, y, _ = upright(axis).T
        square = [a * x + b * y for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        outline = _hull(
            np.array([symbol.radius * p + s * symbol.length / 2 * axis for p in square for s in (-1, 1)])[:, :2]
        )
    else:
        x, y, _ = upright(axis).T
        circle = symbol.radius * _circle()
        rim = circle[:, :1] * x + circle[:, 1:] * y
        outline = _hull(np.concatenate([rim + s * symbol.length / 2 * axis for s in (-1, 1)])[:, :2])
    return float(center[2]), color, outline + center[:2], 0.0


def _circle() -> Array:
    angles = np.linspace(0, 2 * np.pi, CIRCLE_CORNERS, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _hull(points: Array) -> Array:
    """The convex hull (k, 2) of points (n, 2), by the monotone chain."""
    found: list[Array] = []
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    for half in (ordered, ordered[::-1]):
        chain: list[Array] = []
        for p in half:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        found += chain[:-1]
    return np.array(found)


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _hex(color: Color, light: float) -> str:
    return "#" + "".join(f"{round(255 * min(1.0, light * x)):02x}" for x in color)


def _picture(flat: list[tuple[float, str, Array, float]], size: int) -> str:
    points = np.concatenate([x + s * w / 2 for _, _, x, w in flat for s in (-1, 1)])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (size - 8) / max(float((high - low).max()), 1e-9)
    wide, tall = (high - low) * scale + 8
    shapes = []
    for _, color, outline, width in flat:
        at = (outline - (low[0], high[1])) * (scale, -scale) + 4
        text = "".join(f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(at))
        style = f'stroke="{color}" stroke-width="{width * scale:.1f}"' if width else f'fill="{color}"'
        shapes.append(f'<path d="{text}{"" if width else "Z"}" {style}/>')
    room = f'width="{wide:.0f}" height="{tall:.0f}" viewBox="0 0 {wide:.0f} {tall:.0f}"'
    inside = "".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {room} fill="none" stroke-linecap="round" role="img">{inside}</svg>'
    )
