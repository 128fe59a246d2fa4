"""The picture: times of all libraries by robot and task, and the roofline; or times and memory of chains.

Drawn from what `--json` writes. An SVG has a transparent ground and follows the reader's light or dark scheme; a PNG is
light.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..support.optional import require_package
from .tasks import TASKS

Record = Mapping[str, Any]

SUFFIXES = (".png", ".svg")
INK, FAINT, OTHER = "#1f2328", "#d0d7de", "#6e7781"
DARK_COLORS = {INK: "#e6edf3", FAINT: "#3d444d"}
"""Colours → colours for readers whose scheme is dark."""
OURS = "kinetrace"
STYLES = {
    OURS: ("#d1242f", "o"),
    "Pinocchio parallel": ("#0969da", "s"),
    "Pinocchio loop": ("#0969da", "D"),
    "MuJoCo loop": ("#bf8700", "^"),
    "MuJoCo rollout": ("#bf8700", "<"),
    "CasADi C": ("#1a7f37", "v"),
    "JAX": ("#8250df", "P"),
}
"""Colour and marker of each column, in the order of the legend; others are grey."""
SHADES, MARKERS = ("#d1242f", "#0969da", "#1a7f37", "#8250df", "#bf8700"), "osD^vPX*<"
"""Of robots and of tasks in the roofline."""


def check(path: str) -> None:
    """Complain before anything is measured."""
    if Path(path).suffix not in SUFFIXES:
        raise InputError(f"--plot: the file must end in {' or '.join(SUFFIXES)}, got {path!r}")
    require_package("matplotlib.figure", "--plot", "bench")


def plot_comparison(content: Record, path: str) -> None:
    """Draw the smallest batch of each task on one thread: one panel per robot, then the roofline."""
    with _style_context():
        _save(_comparison_figure(content), path)


def plot_chains(content: Record, path: str) -> None:
    """Draw time per link, time to compile and memory by length."""
    with _style_context():
        _save(_chains_figure(content["chains"]), path)


def _comparison_figure(content: Record) -> Any:
    batches = _smallest_batches(content["rows"])
    rows = [row for row in content["rows"] if row["batch"] == batches[row["task"]] and row["threads"] == 1]
    if not rows:
        raise InputError("--plot draws what one thread does, and that was not measured")
    batch = next((row["batch"] for row in rows if row["steps"] == 1), rows[0]["batch"])
    robots = list(dict.fromkeys(map(_robot, rows)))
    lines = (len(robots) + 1) // 2
    figure = _figure(10.5, 0.8 + 2.7 * lines + 4.0)
    grid = figure.add_gridspec(lines + 1, 2, height_ratios=[2.5] * lines + [3.6])
    times = [x * 1e9 for row in rows for x in _bests(row).values()]
    for k, robot in enumerate(robots):
        ax = figure.add_subplot(grid[0, :] if len(robots) == 1 else grid[k // 2, k % 2])
        _times(ax, robot, [row for row in rows if _robot(row) == robot])
        ax.set_xlim(min(times) / 1.8, max(times) * 4)
    _roofline(figure.add_subplot(grid[lines, :]), rows, content["peak"])
    names = {name: None for row in rows for name in row["peers"]}
    keys = [_key(name, *_style(name)) for name in (OURS, *sorted(names, key=_place))]
    mode = "one call from Python" if batch == 1 else f"batch of {batch}, one thread"
    per_step = " (rollouts: and step)" if any(row["steps"] > 1 for row in rows) else ""
    title = f"Time per state{per_step}, {mode}, float64. Right: how many times as long the nearest other takes."
    figure.legend(handles=keys, title=title, title_fontsize=11, loc="outside upper center", ncols=len(keys))
    return figure


def _smallest_batches(rows: Sequence[Record]) -> dict[str, int]:
    """Task → the smallest batch of several states that was measured, or 1."""
    batches: dict[str, int] = {}
    for row in rows:
        known = batches.get(row["task"], 1)
        batches[row["task"]] = max(known, row["batch"]) if 1 in (known, row["batch"]) else min(known, row["batch"])
    return batches


def _chains_figure(chains: Sequence[Record]) -> Any:
    figure = _figure(10.5, 3.6)
    axes = figure.subplots(1, 3)
    quantities: tuple[tuple[str, Callable[[Record], Any]], ...] = (
        ("time per state and link [ns]", lambda c: c["seconds_per_link"] * 1e9),
        ("time to compile [s]", lambda c: c["compile_seconds"]),
        ("memory of a compile [MB]", lambda c: c["compile_memory"]),
    )
    for ax, (label, value) in zip(axes, quantities, strict=True):
        for k, task in enumerate(dict.fromkeys(chain["task"] for chain in chains)):
            some = [chain for chain in chains if chain["task"] == task and value(chain) is not None]
            style: dict[str, Any] = {"color": SHADES[k], "marker": MARKERS[k], "label": TASKS[task].label}
            ax.plot([chain["links"] for chain in some], [value(chain) for chain in some], **style)
        ax.set_title(label, fontsize=10.5)
        ax.set_xlabel("links")
        ax.set_xscale("log")
        _plain(ax.xaxis)
        if ax is axes[0]:
            ax.set_ylim(bottom=0)
            ax.legend(loc="lower right")
        else:
            ax.set_yscale("log")
            _plain(ax.yaxis)
        _plain_axes(ax, "both")
    lengths = [chain["links"] for chain in chains]
    figure.suptitle(f"Random chains of {min(lengths)} to {max(lengths)} links, one thread, float64", fontsize=13)
    return figure


def _times(ax: Any, robot: str, rows: list[Record]) -> None:
    """Dots on one line per task; at its end, the ratio of the nearest peer."""
    for y, row in enumerate(rows):
        times = {name: x * 1e9 for name, x in _bests(row).items()}
        ax.hlines(y, min(times.values()), max(times.values()), color=FAINT, linewidth=2, zorder=1)
        for name, x in times.items():
            color, marker = _style(name)
            size, layer = (8, 3) if name == OURS else (6, 2)
            ax.plot(x, y, marker, color=color, markersize=size, zorder=layer)
        shown = f"{times[OURS]:.0f} ns" if times[OURS] < 999.5 else f"{times[OURS] / 1000:.1f} µs"
        ax.annotate(shown, (times[OURS], y), (0, 7), textcoords="offset points", ha="center", size=8)
        if row["peers"]:
            nearest = min(x["ratio"] for x in row["peers"].values())
            text = f"×{nearest:.1f}" if nearest < 9.95 else f"×{nearest:.0f}"
            ax.annotate(text, (1.0, y), xycoords=("axes fraction", "data"), ha="right", va="center", size=9)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g} ns" if x < 1000 else f"{x / 1000:g} µs")
    ax.set_yticks(range(len(rows)), [TASKS[row["task"]].label for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.75)
    ax.set_title(robot, loc="left", fontsize=10.5, fontweight="bold")
    ax.tick_params(which="both", length=0)
    _plain_axes(ax, "x")


def _roofline(ax: Any, rows: list[Record], peaks: Sequence[Record]) -> None:
    """Operations per second over operations a byte, below what the same run found possible."""
    rates = {peak["stream"]: peak["rate"] / 1e9 for peak in peaks if peak["threads"] == 1}
    mix, fma, copy = rates["mix"], rates["fma"], rates["copy"]
    robots, tasks = (list(dict.fromkeys(row[key] for row in rows)) for key in ("robot", "task"))
    intensity = []
    for row in rows:
        intensity.append(row["rate"] * row["ours"]["best"] / row["bytes"])
        color, marker = SHADES[robots.index(row["robot"]) % 5], MARKERS[tasks.index(row["task"]) % 9]
        ax.plot(intensity[-1], row["rate"] / 1e9, marker, color=color, markersize=7)
    low, high = min(intensity) / 1.7, max(mix / copy, *intensity) * 2.5
    ax.plot([low, mix / copy, high], [low * copy, mix, mix], color=INK, linewidth=1.5)
    near: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "size": 9}
    ax.annotate(f"multiplying and adding: {mix:.0f} Gflop/s", (high, mix), (-4, -13), **near)
    ax.annotate(f"copying memory: {copy:.0f} GB/s", (mix / copy, mix), (-10, -4), **near)
    if fma > 1.05 * mix:
        ax.plot([fma / copy, high], [fma, fma], color=INK, linewidth=1, linestyle=":")
        ax.annotate(f"fused: {fma:.0f} Gflop/s", (high, fma), (-4, 4), **near)
    keys = [_key(name, SHADES[k % 5], "s") for k, name in enumerate(robots)]
    keys += [_key(TASKS[name].label, OTHER, MARKERS[k % 9]) for k, name in enumerate(tasks)]
    ax.legend(handles=keys, loc="lower right", ncols=3, fontsize=9)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(min(row["rate"] for row in rows) / 1e9 / 2.5, max(mix, fma) * 1.5)
    ax.set_title("Roofline of the same run: kinetrace, one thread", loc="left", fontsize=10.5, fontweight="bold")
    ax.set_xlabel("counted operations a byte of the arrays")
    ax.set_ylabel("Gflop/s")
    _plain(ax.xaxis)
    _plain(ax.yaxis)
    _plain_axes(ax, "both")


def _robot(row: Record) -> str:
    return f"{row['robot']} ({row['base']} base, {row['nv']} dof)"


def _bests(row: Record) -> dict[str, float]:
    """Column → seconds per state."""
    return {OURS: row["ours"]["best"], **{name: x["best"] for name, x in row["peers"].items()}}


def _style(name: str) -> tuple[str, str]:
    return STYLES.get(name, (OTHER, "X"))


def _place(name: str) -> int:
    return list(STYLES).index(name) if name in STYLES else len(STYLES)


def _key(label: str, color: str, marker: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=color, marker=marker, linewidth=0, label=label)


def _plain(axis: Any) -> None:
    """Ticks at 1, 2, 5 and powers of ten of these, as plain numbers."""
    from matplotlib.ticker import LogLocator

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(lambda x, _: f"{x:g}")
    axis.set_minor_formatter(lambda x, _: "")


def _plain_axes(ax: Any, grid: str) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis=grid, linewidth=0.6)
    ax.set_axisbelow(True)


def _style_context() -> Any:
    """Colours and sizes, while a figure is made."""
    import matplotlib

    return matplotlib.rc_context(
        {
            **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.titlecolor"), INK),
            **dict.fromkeys(("axes.edgecolor", "grid.color"), FAINT),
            "axes.facecolor": "none",
            "legend.frameon": False,
            "font.size": 10,
            "svg.hashsalt": "kinetrace",
        }
    )


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure  # without pyplot: no window system is asked for

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Any, path: str) -> None:
    """PNG on white; SVG on nothing, with colours for the dark."""
    if path.endswith(".png"):
        figure.savefig(path, dpi=160, facecolor="white")
        return
    figure.savefig(path, transparent=True, metadata={"Date": None})
    rules = "".join(
        f'[style*="{kind}: {light}"] {{ {kind}: {dark} !important; }} '
        for light, dark in DARK_COLORS.items()
        for kind in ("fill", "stroke")
    )
    text = Path(path).read_text(encoding="utf-8")
    style = f"<style>@media (prefers-color-scheme: dark) {{ {rules}}}</style>"
    Path(path).write_text(text.replace("<defs>", f"{style}\n <defs>", 1), encoding="utf-8")
