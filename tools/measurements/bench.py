"""Times beside other libraries, from `kinetrace bench`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]


@cache
def record(*arguments: str) -> Record:
    """What `kinetrace bench --json` writes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.json"
        command = [sys.executable, "-m", "kinetrace", "bench", "--json", str(file), *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"kinetrace bench ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        found: Record = json.loads(file.read_text("utf-8"))
    return found


def values(of: Record) -> Iterator[tuple[str, float]]:
    """Times by "robot task batch", with the threads if several; of the others: "… / pinocchio", "… × pinocchio".

    The humanoid on a fixed base is "humanoid:fixed"; "pinocchio" is the parallel function where there is one.
    """
    for row in of["rows"]:
        base = ":fixed" if (row["robot"], row["base"]) == ("humanoid", "fixed") else ""
        threads = f" threads {row['threads']}" if row["threads"] > 1 else ""
        name = f"{row['robot']}{base} {row['task']} {row['batch']}{threads}"
        yield name, row["ours"]["best"]
        if row["batch"] == 1 and row["steps"] > 1:
            yield f"{name} motion", row["ours"]["best"] * row["steps"]
        if row["speedup_over_one_thread"]:
            yield f"{name} speedup", row["speedup_over_one_thread"]
        for title, peer in row["peers"].items():
            yield f"{name} / {title}", peer["best"]
            yield f"{name} × {title}", peer["ratio"]
            if row["batch"] == 1 and row["steps"] > 1:
                yield f"{name} motion / {title}", peer["best"] * row["steps"]
        best = min(row["peers"], key=lambda x: (not x.startswith("Pinocchio"), x != "Pinocchio parallel"), default="")
        if best.startswith("Pinocchio"):
            yield f"{name} / pinocchio", row["peers"][best]["best"]
            yield f"{name} × pinocchio", row["peers"][best]["ratio"]
    for name, samples in of["start"].items():
        yield f"start {name}", samples["best"]


def speed(quick: bool) -> dict[str, float]:
    """All robots, tasks and libraries; if quick, the Panda alone."""
    few = ("--robots", "panda", "--batch", "1,4096", "--threads", "1", "--repeats", "2", "--peers", "pinocchio")
    return dict(values(record(*few) if quick else record("--robots", ROBOTS)))


def machine() -> float:
    """Nanoseconds of the Panda's inverse dynamics, per state of a batch of 4096 on one thread."""
    few = ("--robots", "panda", "--tasks", "inverse_dynamics", "--batch", "4096", "--threads", "1")
    return 1e9 * dict(values(record(*few, "--peers", "pinocchio")))["panda inverse_dynamics 4096"]


ROBOTS = "panda,ur5e,quadruped,humanoid,humanoid:fixed,two_pandas_beam,stewart"


def compact(quick: bool) -> dict[str, float]:
    """The humanoid's matrices with all entries, and ("compact …") without known and repeated ones."""
    tasks = (
        "mass_matrix"
        if quick
        else "mass_matrix,coriolis_matrix,inverse_dynamics_derivatives,forward_dynamics_derivatives"
    )
    options = ("--robots", "humanoid", "--batch", "4096", "--threads", "1", "--peers", "pinocchio", "--tasks", tasks)
    less = {name.replace("humanoid", "compact"): x for name, x in values(record(*options, "--compact"))}
    return {**dict(values(record(*options))), **less}
