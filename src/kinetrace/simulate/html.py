"""Trajectories in notebooks: sizes, and a small curve per number of q, v and tau."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..robot.types import Float
from ..support.html import FAINT, block, code, details, escaped, facts, table

if TYPE_CHECKING:
    from .trajectory import Trajectory

WIDE, TALL = 110, 24
"""Of a curve in pixels."""
MOST_POINTS, MOST_CURVES = 120, 60
FEW = 8
"""Up to so many numbers of q are shown at once."""
COLORS = {"q": "#4c8bd0", "v": "#d08a3e", "tau": "#8a6fd1"}
"""They are seen on light and on dark pages."""


def of_trajectory(motion: Trajectory) -> str:
    """The HTML of a trajectory; of a batch, the curves of its first motion."""
    n, batch = len(motion), motion.q.shape[:-2]
    title = f"<b>{escaped(motion.robot_name or 'motion')}</b> <span style='opacity:0.7'>Trajectory</span>"
    span = f"{motion.t[0]:.6g} … {motion.t[-1]:.6g} s in {n} rows" if n else "no rows"
    found = [("time", span), ("step", f"{motion.dt:.6g} s{f', {escaped(motion.method)}' if motion.method else ''}")]
    if batch:
        found.append(("batch", f"{escaped(batch)}: {int(np.prod(batch))} motions"))
    if motion.interrupted:
        found.append(("interrupted", "by Ctrl-C"))
    if motion.failures:
        found.append(("lost", f"{len(motion.failures)}: motion.failures"))
    if not n or not motion.q[..., :1, :].size:
        return block(title, facts(found))
    first = motion.lane(*(0,) * len(batch)) if batch else motion
    which = " of the first motion" if batch else ""
    return block(title, facts(found), details(f"curves{which}", _curves(first), is_open=first.q.shape[1] <= FEW))


def _curves(motion: Trajectory) -> str:
    names = motion.names
    rows = [[code(name), *_cells(motion, "q", k, names.q_units)] for k, name in enumerate(names.q[:MOST_CURVES])]
    other = [
        [code(name), *_cells(motion, "v", k, names.v_units), *_cells(motion, "tau", k, names.tau_units)]
        for k, name in enumerate(names.v[:MOST_CURVES])
    ]
    same = names.q == names.v
    if same:
        rows = [[*a, *b[1:]] for a, b in zip(rows, other, strict=True)]
    more = "" if len(names.q) <= MOST_CURVES else f"<div>and {len(names.q) - MOST_CURVES} more</div>"
    made = table(["", "q", "", *(("v", "", "τ", "") if same else ())], rows)
    return made + ("" if same else table(["", "v", "", "τ", ""], other)) + more


def _cells(motion: Trajectory, kind: str, k: int, units: tuple[str, ...]) -> list[str]:
    """The curve of an entry, and its range."""
    step = max(1, -(-len(motion) // MOST_POINTS))
    t, x, unit = motion.t[::step], getattr(motion, kind)[::step, k], units[k]
    finite = x[np.isfinite(x)]
    ends = list(dict.fromkeys(f"{x:.3g}" for x in (finite.min(), finite.max()))) if finite.size else ["no numbers"]
    text = " … ".join(ends).replace("-", "−")
    unit = "" if unit == "1" else f" {escaped(unit)}"
    return [sparkline(t, x, COLORS[kind]), f"<span style='white-space:nowrap;opacity:0.8'>{text}{unit}</span>"]


def sparkline(t: Float, x: Float, color: str) -> str:
    """A curve as a small SVG, with a line at zero if it is crossed; gaps where x is not finite.

    >>> print(sparkline(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "red")[-62:])
    <path d="M2.0 22.0L108.0 2.0" fill="none" stroke="red"/></svg>
    """
    good = np.isfinite(x) & np.isfinite(t)
    low, high = (float(x[good].min()), float(x[good].max())) if good.any() else (0.0, 1.0)
    span = high - low if high > low else 1.0
    begin, wide = (float(t[0]), float(t[-1] - t[0]) or 1.0) if len(t) else (0.0, 1.0)
    if high <= low:
        low -= 0.5
    across, up = 2 + (WIDE - 4) * (t - begin) / wide, TALL - 2 - (TALL - 4) * (x - low) / span
    steps, pen = [], "M"
    for a, b, ok in zip(across, up, good, strict=True):
        steps.append(f"{pen}{a:.1f} {b:.1f}" if ok else "")
        pen = "L" if ok else "M"
    zero = TALL - 2 + (TALL - 4) * low / span
    line = f'<path d="M2 {zero:.1f}H{WIDE - 2}" style="stroke:{FAINT}"/>' if low < 0 < high else ""
    path = f'<path d="{"".join(steps)}" fill="none" stroke="{color}"/>'
    return f'<svg width="{WIDE}" height="{TALL}" role="img">{line}{path}</svg>'
