"""A picture of a trajectory: q, v and τ over time."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cache.whole import write_whole
from ..errors import InputError
from .files import needed

if TYPE_CHECKING:
    from .trajectory import Trajectory

MOST_LEGEND = 12
"""Up to so many curves are named beside the picture."""


def plot(motion: Trajectory, path: Path | None) -> Any:
    """A figure of matplotlib, which no window shows; written to a file if a path is given."""
    if motion.q.ndim > 2:
        raise InputError(f"plot shows one motion: motion.lane(...) takes one of the batch {motion.q.shape[:-2]}")
    figures = needed("matplotlib.figure", "plot")
    figure = figures.Figure(figsize=(9, 7), layout="constrained")
    names = motion.names
    rows = (
        ("q", motion.q, names.q, names.q_units),
        ("v", motion.v, names.v, names.v_units),
        ("τ", motion.tau, names.v, names.tau_units),
    )
    axes = figure.subplots(3, 1, sharex=True)
    for at, (kind, values, labels, units) in zip(axes, rows, strict=True):
        style = {"drawstyle": "steps-post"} if kind == "τ" else {}
        for k, label in enumerate(labels):
            at.plot(motion.t, values[:, k], linewidth=1, label=label, **style)
        at.set_ylabel(f"{kind} [{', '.join(dict.fromkeys(units))}]")
        at.grid(alpha=0.3)
        at.margins(x=0)
    if 0 < len(names.v) <= MOST_LEGEND:
        axes[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    axes[-1].set_xlabel("t [s]")
    figure.suptitle(f"{motion.robot_name}, {motion.method}".strip(", "))
    if path is not None:
        buffer, kind = io.BytesIO(), path.suffix.removeprefix(".")
        if kind not in figure.canvas.get_supported_filetypes():
            raise InputError(f"{path.name!r}: pictures are written as .png, .svg or .pdf")
        figure.savefig(buffer, format=kind, dpi=150)
        write_whole({path: buffer.getvalue()})
    return figure
