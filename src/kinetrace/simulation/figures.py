"""Figures of trajectories: q, v and τ over time, one panel per unit; energies."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError, unknown_name_error
from ..robot.types import Float
from ..support.files import write_atomically
from ..support.html import FAINT_LINE_COLOR, block, code, details, facts, html_text, table
from ..support.optional import require_package
from .trajectory_files import check_folder

if TYPE_CHECKING:
    from .trajectory import Trajectory

PICTURE_SUFFIXES = (".png", ".svg", ".pdf")
MOST_LEGEND, COLUMN = 48, 12
"""Up to so many curves are named beside a panel, so many below each other."""
BAR_WIDTH, HEIGHT, NAMES = 9.0, 2.0, 1.6
"""Of a panel, and of each further column of names [inches]."""
STYLES = ("-", "--", ":", "-.")
"""Of lines, where there are more curves than colours."""
LEAST_RANGE = 1e-9
"""Of the range of an axis, in its unit: what is smaller is rounding."""
EXCESS_COLOR = "#d1242f"
"""Colour of what is beyond a limit."""
FIGURE_SUBJECTS = ("motion", "energy")


class Panel(NamedTuple):
    """Curves of one kind and unit."""

    kind: str
    unit: str
    names: tuple[str, ...]
    values: Float
    lower: Float
    """Limits of each curve; infinite where there is none, or none is known."""
    upper: Float

    @property
    def columns(self) -> int:
        """Of names beside it; none if there are too many curves."""
        return -(-len(self.names) // COLUMN) if len(self.names) <= MOST_LEGEND else 0

    @property
    def label(self) -> str:
        """Label of the axis."""
        return f"{self.kind} [{self.unit}]" if self.unit != "1" else f"{self.kind}, quaternion"


def plot(motion: Trajectory, path: Path | None, what: str) -> Any:
    """A figure of matplotlib, which no window shows; written to a file if a path is given."""
    if what not in FIGURE_SUBJECTS:
        raise unknown_name_error("what", what, FIGURE_SUBJECTS)
    if motion.q.ndim > 2:
        raise InputError(f"plot shows one motion: motion.lane(...) takes one of the batch {motion.q.shape[:-2]}")
    if path is not None:
        check_picture(path)
    made = energies(motion) if what == "energy" else motions(motion)
    if path is not None:
        write_figure(made, path)
    return made


def motions(motion: Trajectory) -> Any:
    """A panel for q, v and τ of each unit; what is beyond a limit is marked."""
    shown = list(panels(motion))
    width = BAR_WIDTH + NAMES * max((panel.columns - 1 for panel in shown), default=0)
    figure = new_figure(width, 1.0 + HEIGHT * len(shown))
    axes = figure.subplots(max(1, len(shown)), 1, sharex=True, squeeze=False)[:, 0]
    looks, named = _looks(motion), None
    for at, panel in zip(axes, shown, strict=False):  # a robot without joints has an empty one
        held = {"drawstyle": "steps-post"} if panel.kind == "τ" else {}
        for k, name in enumerate(panel.names):
            at.plot(motion.t, panel.values[:, k], linewidth=1.2, label=name, **looks[name], **held)
        _limits(at, motion.t, panel)
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
    figure.suptitle(_title(motion))
    return figure


def energies(motion: Trajectory) -> Any:
    """Kinetic and potential energy and their sum, and below how that changes."""
    figure, total = new_figure(BAR_WIDTH, 4.6), motion.energy()
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    curves = (
        (motion.kinetic_energy(), "kinetic", "C0", "-"),
        (motion.potential_energy(), "potential", "C1", "-"),
        (total, "total", "black", "--"),
    )
    for values, name, color, style in curves:
        upper.plot(motion.t, values, style, color=color, linewidth=1.4, label=name)
    upper.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")
    lower.plot(motion.t, total - total[:1], color="black", linewidth=1.2)
    _widen(lower, 1e-12 * max(1.0, float(np.abs(total).max(initial=0.0))))
    lower.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3), useMathText=True)
    for at, label in ((upper, "energy [J]"), (lower, "total − initial [J]")):
        at.set_ylabel(label)
        at.grid(alpha=0.3)
        at.margins(x=0)
    lower.set_xlabel("t [s]")
    figure.align_ylabels()
    figure.suptitle(_title(motion))
    return figure


def _title(motion: Trajectory) -> str:
    return f"{motion.robot_name}, {motion.method}".strip(", ")


def _limits(at: Any, t: Float, panel: Panel) -> None:
    """Mark the parts of curves beyond their limits, and shade what is beyond those of all curves, as far as seen."""
    low, high = _widen(at, LEAST_RANGE)
    for k in range(len(panel.names)):
        x = panel.values[:, k]
        outside = np.where((x < panel.lower[k]) | (x > panel.upper[k]), x, np.nan)
        if np.isfinite(outside).any():
            at.plot(t, outside, color=EXCESS_COLOR, linewidth=4, alpha=0.35, solid_capstyle="round", zorder=1.5)
    above, below = panel.upper.max(initial=-np.inf), panel.lower.min(initial=np.inf)
    for begin, end in ((above, high), (low, below)):
        if np.isfinite(begin) and np.isfinite(end) and begin < end:
            at.axhspan(begin, end, color=EXCESS_COLOR, alpha=0.08, linewidth=0)
    at.set_ylim(low, high)


def _widen(at: Any, least: float) -> tuple[float, float]:
    """The range of the vertical axis, made at least so large: less is rounding."""
    at.autoscale_view()
    low, high = at.get_ylim()
    if high - low < least:
        low, high = (low + high - least) / 2, (low + high + least) / 2
        at.set_ylim(low, high)
    return low, high


def new_figure(width: float, height: float) -> Any:
    """An empty figure of this size in inches, which no window shows."""
    return require_package("matplotlib.figure", "plot", "plot").Figure(figsize=(width, height), layout="constrained")


def write_figure(figure: Any, path: Path) -> None:
    """Write a figure to a file, completely or not at all."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix.removeprefix("."), dpi=150)
    write_atomically({path: buffer.getvalue()})


def check_picture(path: Path) -> None:
    """An error if no picture can be written there."""
    if path.suffix not in PICTURE_SUFFIXES:
        raise InputError(f"{path.name!r}: pictures are written as {', '.join(PICTURE_SUFFIXES)}")
    check_folder(path)
    require_package("matplotlib.figure", "plot", "plot")


def panels(motion: Trajectory) -> Iterator[Panel]:
    """Panels to draw: of forces, those that are not all zero."""
    names = motion.names
    for kind, values, labels, units, (lower, upper) in (
        ("q", motion.q, names.q, names.q_units, _bounds(motion, "lower", "upper")),
        ("v", motion.v, names.v, names.v_units, _bounds(motion, "velocity")),
        ("τ", motion.tau, names.v, names.tau_units, _bounds(motion, "effort")),
    ):
        for unit in dict.fromkeys(units):
            own = [k for k, x in enumerate(units) if x == unit]
            if kind != "τ" or motion.tau[:, own].any():
                yield Panel(kind, unit, tuple(labels[k] for k in own), values[:, own], lower[own], upper[own])


def _bounds(motion: Trajectory, *names: str) -> tuple[Float, Float]:
    """Lower and upper limits of the robot, if it is known; of one name, the same to both sides."""
    if motion.robot is None:
        unbounded = np.full(max(motion.q.shape[-1], motion.v.shape[-1]), np.inf)
        return -unbounded, unbounded
    first, *rest = (np.asarray(getattr(motion.robot.model.limits, name)) for name in names)
    return (first, rest[0]) if rest else (-first, first)


def _looks(motion: Trajectory) -> dict[str, dict[str, str]]:
    """Colour and style of each name, the same in all panels."""
    names = list(dict.fromkeys([*motion.names.q, *motion.names.v]))
    return {name: {"color": f"C{k % 10}", "linestyle": STYLES[k // 10 % 4]} for k, name in enumerate(names)}


WIDE, TALL = 110, 24
"""Of a curve in pixels."""
MOST_POINTS, MOST_CURVES = 120, 60
OPEN_CURVES = 8
"""Up to so many numbers of q are shown at once."""
COLORS = {"q": "#4c8bd0", "v": "#d08a3e", "tau": "#8a6fd1"}
"""They are seen on light and on dark pages."""


def of_trajectory(motion: Trajectory) -> str:
    """The HTML of a trajectory; of a batch, the curves of its first motion."""
    n, batch = len(motion), motion.q.shape[:-2]
    title = f"<b>{html_text(motion.robot_name or 'motion')}</b> <span style='opacity:0.7'>Trajectory</span>"
    span = f"{motion.t[0]:.6g} … {motion.t[-1]:.6g} s in {n} rows" if n else "no rows"
    found = [("time", span), ("step", f"{motion.dt:.6g} s{f', {html_text(motion.method)}' if motion.method else ''}")]
    if batch:
        found.append(("batch", f"{html_text(batch)}: {int(np.prod(batch))} motions"))
    if motion.interrupted:
        found.append(("interrupted", "by Ctrl-C"))
    if motion.failures:
        found.append(("lost", f"{len(motion.failures)}: motion.failures"))
    if not n or not motion.q[..., :1, :].size:
        return block(title, facts(found))
    first = motion.lane(*(0,) * len(batch)) if batch else motion
    which = " of the first motion" if batch else ""
    return block(
        title, facts(found), details(f"curves{which}", _curves(first), is_open=first.q.shape[1] <= OPEN_CURVES)
    )


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
    unit = "" if unit == "1" else f" {html_text(unit)}"
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
    line = f'<path d="M2 {zero:.1f}H{WIDE - 2}" style="stroke:{FAINT_LINE_COLOR}"/>' if low < 0 < high else ""
    path = f'<path d="{"".join(steps)}" fill="none" stroke="{color}"/>'
    return f'<svg width="{WIDE}" height="{TALL}" role="img">{line}{path}</svg>'
