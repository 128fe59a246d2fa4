"""Multiplications and additions of docs/optimise.md, and what they save in time: tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any
from unittest.mock import patch

import numpy as np

import kinetrace as kt
from kinetrace.model import from_dh, random_mdh_chain
from kinetrace.model.build import specialisation
from kinetrace.model.zoo.random import random_inertia

ROBOTS = {
    "Panda": ("panda", "fixed"),
    "UR5e": ("ur5e", "fixed"),
    "PUMA 560": ("puma560", "fixed"),
    "Stanford arm": ("stanford", "fixed"),
    "quadruped, free": ("quadruped", "free"),
    "humanoid, free": ("humanoid", "free"),
}
"""Row of the tables → robot and base."""
PUBLISHED = "Khalil and Kleinfinger (1987), customised, base parameters"
WAYS = ("with spatial velocities", "`inverse_dynamics`", "frames alone", "regrouping alone", "both")


@cache
def bodies(name: str, base: Any = "fixed") -> kt.Robot:
    """A robot without joint effects, on one thread."""
    return kt.load(name, base=base, joint_effects=False, threads=1)


@cache
def ways(name: str, base: Any) -> list[tuple[kt.Robot, Any]]:
    """What the columns compare: robots and methods."""
    robot = bodies(name, base)
    found = [robot, robot, robot.optimise(regroup=False), robot.optimise(frames=False), robot.optimise()]
    return list(zip(found, ["spatial", *["classical"] * 4], strict=True))


def cell(robot: kt.Robot, **choices: Any) -> str:
    """Multiplications + additions."""
    count = robot.count("inverse_dynamics", **choices)
    return f"{count.mul} + {count.add}"


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


def seconds(calls: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """The best time of each call, timed in turn."""
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(repeats):
        for call, times in zip(calls, found, strict=True):
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
    return [min(times) for times in found]


def nanoseconds(columns: list[tuple[kt.Robot, Any]], n: int, repeats: int) -> list[str]:
    """Cells with the times of a state, one thread, in batches of n."""
    robot, rng = columns[0][0], np.random.default_rng(0)
    states = [robot.random(n, seed=0), *rng.normal(size=(2, n, robot.nv))]
    out = np.empty((n, robot.nv))
    calls = [partial(r.inverse_dynamics, *states, method=method, out=out) for r, method in columns]
    return [f"{x / n * 1e9:.1f} ns" for x in seconds(calls, repeats)]


def rows(quick: bool) -> dict[str, list[tuple[kt.Robot, Any]]]:
    """Title of a row → what its columns compare; if quick, of the smallest robot."""
    return {title: ways(*robot) for title, robot in ROBOTS.items() if not quick or title == "Stanford arm"}


def counts(quick: bool) -> str:
    """The table of operations."""
    made = {title: [cell(r, method=method) for r, method in columns] for title, columns in rows(quick).items()}
    return "\n".join([row("operations", *WAYS), *(row(title, *cells) for title, cells in made.items())])


def times(quick: bool) -> str:
    """The table of times."""
    effort = (64, 2) if quick else (4096, 500)
    made = {title: nanoseconds(columns, *effort) for title, columns in rows(quick).items()}
    return "\n".join([row("time of a state", *WAYS), *(row(title, *cells) for title, cells in made.items())])


def chain_with_offsets() -> Any:
    """A chain whose angles of zero are turned, as in tests/test_optimise.py."""
    rng = np.random.default_rng(0)
    table = rng.uniform(0.2, 1.2, (4, 6)).T
    inertias = [random_inertia(rng) for _ in range(6)]
    return from_dh(table, inertias=inertias).build()


def without(name: str, replacement: Any, model: kt.Model) -> str:
    """The operations without a step: `replacement` takes its place while the program is traced."""
    owner = specialisation.CustomisedBody if name == "_balanced" else specialisation
    with patch.object(owner, name, replacement):
        return cell(fresh(model))


def fresh(model: kt.Model) -> kt.Robot:
    """The model of bodies that remember nothing."""
    return kt.Robot(replace(model, bodies=tuple(replace(b) for b in model.bodies)), backend="numpy")


def steps(quick: bool) -> str:
    """The table of single steps."""
    chain, puma = random_mdh_chain(6, 0, general=True).build(), bodies("puma560").model
    cases = {
        "moving a shift along the axis past the joint (chain)": (chain, "_passing", lambda X, axis: np.zeros(3)),
        "moving a rotation about the axis into q (chain with offsets)": (
            chain_with_offsets(),
            "_unturned",
            lambda X, axis: (X, 0.0),
        ),
        "bodies symmetric about an axis (PUMA 560)": (puma, "_balanced", (False,) * 3),
    }
    made = [row("step", "without", "with")]
    for title, (model, name, replacement) in cases.items():
        made.append(row(title, without(name, replacement, model), cell(fresh(model))))
    return "\n".join(made)


def chains(quick: bool) -> str:
    """The table of general arms of 6 and 12 joints; formulas are the line through both."""
    found: dict[str, list[Any]] = {"`inverse_dynamics`, all ten parameters per link": []}
    found |= {"`optimise(frames=False)`": [], "`optimise()`": []}
    lengths = (3, 4) if quick else (6, 12)
    for n in lengths:
        robot = kt.Robot(random_mdh_chain(n, 0, general=True).build(), backend="numpy")
        for to, each in zip(found.values(), (robot, robot.optimise(frames=False), robot.optimise()), strict=True):
            to.append(each.count("inverse_dynamics"))

    def line(*y: int) -> str:
        slope = (y[1] - y[0]) // (lengths[1] - lengths[0])
        return f"{slope}n − {slope * lengths[0] - y[0]}"

    published = [f"{92 * n - 127} + {81 * n - 117}" for n in lengths]
    made = [row("", "multiplications", "additions", *(f"n = {n}" for n in lengths))]
    made.append(row(PUBLISHED, "92n − 127", "81n − 117", *published))
    for title, both in found.items():
        formulas = [line(*(x.mul for x in both)), line(*(x.add for x in both))] if "()" not in title else ["", ""]
        made.append(row(title, *formulas, *(f"{x.mul} + {x.add}" for x in both)))
    return "\n".join(made)


def others(quick: bool) -> dict[str, float]:
    """The Panda's other functions before and after, and two arms."""
    panda, fast = (r for r, _ in (ways(*ROBOTS["Panda"])[k] for k in (1, -1)))
    found = dict[str, float]()
    for name in ("forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives"):
        found |= {name: panda.count(name).flops, f"{name} optimised": fast.count(name).flops}
    for title in ("Stanford arm",) if quick else ("Stanford arm", "PUMA 560"):
        count = ways(*ROBOTS[title])[-1][0].count("inverse_dynamics")
        found |= {f"{title} mul": count.mul, f"{title} add": count.add, title: count.flops}
    return found
