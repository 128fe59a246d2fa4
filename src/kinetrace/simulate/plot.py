"""Figures of trajectories: q, v and τ over time, one panel per unit."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..cache.whole import write_whole
from ..errors import InputError
from .files import check_folder, needed
from .protocol import Float

if TYPE_CHECKING:
    from .trajectory import Trajectory

DRAWN = (".png", ".svg", ".pdf")
MOST_LEGEND, COLUMN = 48, 12
"""Up to so many curves are named beside a panel, so many below each other."""
WIDTH, HEIGHT, NAMES = 9.0, 2.0, 1.6
"""Of a panel, and of each further column of names [inches]."""
STYLES = ("-", "--", ":", "-.")
"""Of lines, where there are more curves than colours."""


class Panel(NamedTuple):
    """Curves of one kind and unit."""

    kind: str
    unit: str
    names: tuple[str, ...]
    values: Float

    @property
    def columns(self) -> int:
        """Of names beside it; none if there are too many curves."""
        return -(-len(self.names) // COLUMN) if len(self.names) <= MOST_LEGEND else 0

    @property
    def label(self) -> str:
        """Label of the axis."""
        return f"{self.kind} [{self.unit}]" if self.unit != "1" else f"{self.kind}, quaternion"


def plot(motion: Trajectory, path: Path | None) -> Any:
    """A figure of matplotlib, which no window shows; written to a file if a path is given."""
    if motion.q.ndim > 2:
        raise InputError(f"plot shows one motion: motion.lane(...) takes one of the batch {motion.q.shape[:-2]}")
    if path is not None:
        check_picture(path)
    figures, shown = needed("matplotlib.figure", "plot"), list(panels(motion))
    width = WIDTH + NAMES * max((panel.columns - 1 for panel in shown), default=0)
    figure = figures.Figure(figsize=(width, 1.0 + HEIGHT * len(shown)), layout="constrained")
    axes = figure.subplots(max(1, len(shown)), 1, sharex=True, squeeze=False)[:, 0]
    looks, named = _looks(motion), None
    for at, panel in zip(axes, shown, strict=False):  # a robot without joints has an empty one
        held = {"drawstyle": "steps-post"} if panel.kind == "τ" else {}
        for k, name in enumerate(panel.names):
            at.plot(motion.t, panel.values[:, k], linewidth=1.2, label=name, **looks[name], **held)
        at.set_ylabel(panel.label)
        at.grid(alpha=0.3)
        at.margins(x=0)
        if panel.names != named and panel.columns:
            named = panel.names
            size = "small" if len(named) <= COLUMN // 2 else "x-small"
            place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "labelspacing": 0.2}
            at.legend(ncols=panel.columns, fontsize=size, frameon=False, **place)
    axes[-1].set_xlabel("t [s]")
    figure.align_ylabels()
    figure.suptitle(f"{motion.robot_name}, {motion.method}".strip(", "))
    if path is not None:
        buffer = io.BytesIO()
        figure.savefig(buffer, format=path.suffix.removeprefix("."), dpi=150)
        write_whole({path: buffer.getvalue()})
    return figure


def check_picture(path: Path) -> None:
    """An error if no picture can be written there."""
    if path.suffix not in DRAWN:
        raise InputError(f"{path.name!r}: pictures are written as {', '.join(DRAWN)}")
    check_folder(path)
    needed("matplotlib.figure", "plot")


def panels(motion: Trajectory) -> Iterator[Panel]:
    """Panels to draw: of forces, those that are not all zero."""
    names = motion.names
    for kind, values, labels, units in (
        ("q", motion.q, names.q, names.q_units),
        ("v", motion.v, names.v, names.v_units),
        ("τ", motion.tau, names.v, names.tau_units),
    ):
        for unit in dict.fromkeys(units):
            own = [k for k, x in enumerate(units) if x == unit]
            if kind != "τ" or motion.tau[:, own].any():
                yield Panel(kind, unit, tuple(labels[k] for k in own), values[:, own])


def _looks(motion: Trajectory) -> dict[str, dict[str, str]]:
    """Colour and style of each name, the same in all panels."""
    names = list(dict.fromkeys([*motion.names.q, *motion.names.v]))
    return {name: {"color": f"C{k % 10}", "linestyle": STYLES[k // 10 % 4]} for k, name in enumerate(names)}
