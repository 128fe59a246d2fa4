"""Trajectories in notebooks: sizes, and a small curve per number of q, v and tau."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..support.html import FAINT, block, code, details, escaped, facts, table
from .protocol import Float

if TYPE_CHECKING:
    from .trajectory import Trajectory

WIDE, TALL = 150, 26
"""Of a curve in pixels."""
MOST_POINTS, MOST_CURVES = 120, 60
MOST_ROWS_OPEN = 8
"""Up to so many numbers of q are shown at once."""
COLORS = ("#4c8bd0", "#d08a3e", "#8a6fd1")
"""Of q, v and tau, on light and on dark pages."""


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
    return block(title, facts(found), details(f"curves{which}", _curves(first), is_open=first.q.shape[1] <= 8))


def _curves(motion: Trajectory) -> str:
    names = motion.names
    step = max(1, -(-len(motion) // MOST_POINTS))
    rows = [
        [code(name), *_cells(motion.t[::step], motion.q[::step, k], names.q_units[k], COLORS[0])]
        for k, name in enumerate(names.q[:MOST_CURVES])
    ]
    other = [
        [code(name), *_cells(motion.t[::step], motion.v[::step, k], names.v_units[k], COLORS[1])]
        + _cells(motion.t[::step], motion.tau[::step, k], names.tau_units[k], COLORS[2])
        for k, name in enumerate(names.v[:MOST_CURVES])
    ]
    same = names.q == names.v
    if same:
        rows = [[*a, *b[1:]] for a, b in zip(rows, other, strict=True)]
    more = "" if len(names.q) <= MOST_CURVES else f"<div>and {len(names.q) - MOST_CURVES} more</div>"
    made = table(["", "q", "", *(("v", "", "τ", "") if same else ())], rows)
    return made + ("" if same else table(["", "v", "", "τ", ""], other)) + more


def _cells(t: Float, x: Float, unit: str, color: str) -> list[str]:
    finite = x[np.isfinite(x)]
    text = "no numbers" if not finite.size else f"{finite.min():.3g} … {finite.max():.3g}".replace("-", "−")
    unit = "" if unit == "1" else f" {escaped(unit)}"
    return [sparkline(t, x, color), f"<span style='white-space:nowrap;opacity:0.8'>{text}{unit}</span>"]


def sparkline(t: Float, x: Float, color: str) -> str:
    """A curve as a small SVG, with a line at zero if it is crossed; gaps where x is not finite.

    >>> print(sparkline(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "red")[-58:])
    <path d="M2.0 24.0L148.0 2.0" fill="none" stroke="red"/></svg>
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
