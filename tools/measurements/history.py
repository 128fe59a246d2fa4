"""Times by commit: `benchmarks/history.jsonl` has a line per run of `kinetrace bench`, and docs/history.svg draws them.

    python tools/measurements/history.py bench.json     # append what `kinetrace bench --json` wrote, and draw
    python tools/measurements/history.py                # draw

A line has the commit, the date of the run, the machine, and results by "robot task batch" in seconds per state. Where
a run has times of Pinocchio they are in it too: they say how fast the machine was.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import values
from pages import ROOT

HISTORY_FILE = ROOT / "benchmarks" / "history.jsonl"
PICTURE_FILE = ROOT / "docs" / "history.svg"
ROBOTS = ("panda", "humanoid")
TASKS = {
    "inverse_dynamics 4096": "inverse dynamics",
    "forward_dynamics 4096": "forward dynamics",
    "mass_matrix 4096": "mass matrix",
    "forward_dynamics_derivatives 4096": "∂v̇/∂(q, v, τ)",
    "inverse_dynamics 1": "inverse dynamics, one call",
}
"""What is drawn."""


def line_of(record: Mapping[str, Any], commit: str, date: str) -> dict[str, Any]:
    """What is kept of a run: best times, to four digits."""
    kept = {name: float(f"{x:.4g}") for name, x in values(record) if "×" not in name and "speedup" not in name}
    return {"commit": commit, "date": date, "machine": record["machine"], "results": kept}


def append(record: Mapping[str, Any], date: datetime) -> None:
    """Add a run of the checked-out commit."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=8", "--exclude=*"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if not record["complete"]:
        raise ValueError("the run was interrupted")
    with HISTORY_FILE.open("a", encoding="utf-8") as out:
        out.write(json.dumps(line_of(record, commit, date.isoformat(timespec="seconds")), ensure_ascii=False) + "\n")


def read_history(file: Path = HISTORY_FILE) -> list[dict[str, Any]]:
    """All runs, the first one first."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def draw(runs: list[dict[str, Any]], file: Path = PICTURE_FILE) -> None:
    """Times over commits: a panel per robot, a line per task; the machine is named where it changes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "history", "svg.fonttype": "none"}):
        figure = Figure((9, 4), layout="constrained")
        machines = [x["machine"]["processor"] for x in runs]
        for robot, axes in zip(ROBOTS, figure.subplots(1, 2), strict=True):
            for task, title in TASKS.items():
                found = [x["results"].get(f"{robot} {task}", float("nan")) * 1e9 for x in runs]
                axes.plot(range(len(runs)), found, "o-", label=title)
            axes.set(yscale="log", title=robot, ylabel="ns per state", xticks=range(len(runs)))
            axes.set_xticklabels([x["commit"] for x in runs], rotation=60, ha="right", fontsize=7)
            for k, machine in enumerate(machines):
                if k == 0 or machine != machines[k - 1]:
                    axes.annotate(machine, (k, 1), xycoords=("data", "axes fraction"), fontsize=7, va="top")
            axes.grid(alpha=0.3)
        figure.axes[0].legend(fontsize=7)
        figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    for given in sys.argv[1:]:
        written = Path(given)
        append(json.loads(written.read_text("utf-8")), datetime.fromtimestamp(written.stat().st_mtime, UTC))
    draw(read_history())
