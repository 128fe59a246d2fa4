"""Generated source: its size, how long gcc takes for it, and how fast it runs; JavaScript by node.

    c_sizes       operations, lines and scratch of C, as a table
    c_times       gcc, and the Panda's inverse dynamics in C beside the kernel
    javascript    forward dynamics in one piece and in parts
    page_times    what a page of the viewer computes, as a table
    page_sizes    text of long chains, and what a simulation does with energy

Needs gcc and node. Robots of C are those of `kinetrace codegen`, with joint effects.
"""

from __future__ import annotations

import ctypes
import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.ctypeslib import as_ctypes

import kinetrace as kt
from kinetrace.engine.plan import plan
from kinetrace.engine.targets.text.sources import sources
from kinetrace.engine.targets.text.unit import unit
from kinetrace.engine.trace import Program
from kinetrace.view import programs

C_CASES: list[tuple[str, Any, str]] = [
    ("panda", "fixed", "inverse_dynamics"),
    ("humanoid", "free", "inverse_dynamics"),
    ("humanoid", "free", "forward_dynamics"),
    ("humanoid", "free", "inverse_dynamics_derivatives"),
]
"""Robot, base and function of the table of C."""
PAGES: dict[str, tuple[str, Any]] = {
    "planar2r": ("planar2r", "fixed"),
    "panda": ("panda", "fixed"),
    "four_bar, closed": ("four_bar", "fixed"),
    "stewart, closed": ("stewart", "fixed"),
    "quadruped, free base": ("quadruped", "free"),
    "humanoid, free base": ("humanoid", "free"),
}
"""Row of the table of pages → robot and base."""

_BEST = """
const best = (call, least) => {
    let count = 1, found = Infinity;
    const run = () => {
        const begin = performance.now();
        for (let k = 0; k < count; k++) call();
        return performance.now() - begin;
    };
    while (run() < least) count *= 2;
    for (let k = 0; k < 7; k++) found = Math.min(found, run() / count);
    return found / 1e3;
};
"""
"""Seconds of a call: the best of seven runs of `least` milliseconds each, after runs that are shorter."""
_PAGE = """
const robot = TEXT;
const { home: q, nv } = robot, v = new Float64Array(nv), tau = new Float64Array(nv);
const others = [q, robot.integrate(q, tau.map(() => 0.01))]; // poses are kept for the last configuration
const begin = performance.now();
robot.step(q, v, tau, 1 / 240);
const first = (performance.now() - begin) / 1e3;
let k = 0, state = { q, v };
const step = () => {
    if (k++ % 240 === 0) state = { q, v };
    state = robot.step(state.q, state.v, tau, 1 / 240);
};
console.log(JSON.stringify([first, best(() => robot.forward_dynamics(q, v, tau), LEAST), best(step, LEAST),
    best(() => robot.poses(others[k++ % 2]), LEAST), best(() => robot.mass_matrix(others[k++ % 2]), LEAST)]));
"""
_ENERGY = """
const robot = TEXT;
const tau = new Float64Array(robot.nv), pushed = tau.map((_, k) => 0.5 * Math.sin(k + 1));
let state = robot.project(robot.home, pushed), most = 0, off = 0;
const sum = (e) => e.kinetic + e.potential;
const before = sum(robot.energy(state.q, state.v));
for (let k = 0; k < STEPS; k++) {
    state = robot.step(state.q, state.v, tau, 1 / 240);
    const energy = robot.energy(state.q, state.v);
    most = Math.max(most, energy.kinetic);
    off = Math.max(off, Math.abs(sum(energy) - before));
}
console.log(JSON.stringify(off / most));
"""


def node(script: str) -> Any:
    """What a script prints as JSON."""
    done = subprocess.run(["node", "-"], input=script, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"node: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def traced(robot: str, base: Any, function: str, effects: bool = True) -> Program:
    """The program of a function of a bundled robot."""
    loaded = kt.load(robot, base=base, joint_effects=effects)
    return kt.compile(getattr(kt.algorithms, function), loaded, backend="numpy").program


def operations(program: Program) -> int:
    """Operations of a state, with sines and cosines."""
    count = program.count()
    return count.flops + count.trig


def c_sizes(quick: bool) -> str:
    """The table of generated C."""
    rows = ["| | operations, with sines | lines | scratch |"]
    for robot, base, function in C_CASES[:1] if quick else C_CASES:
        made = unit(traced(robot, base, function), "robot_forces")
        lines = len(sources(made.program, "robot_forces")["robot_forces.c"].splitlines())
        title = robot if base == "fixed" else f"{robot}, free base"
        scratch = f"{made.scratch_bytes / 1e3:.1f} kB" if made.scratch_bytes else "0"
        rows.append(f"| {title}, `{function}` | {operations(made.program):,} | {lines:,} | {scratch} |")
    return "\n".join(rows)


def gcc(program: Program, target: Path, *options: str) -> float:
    """Seconds of a processor to compile the C of a program to a shared library."""
    source = target.with_suffix(".c")
    for name, text in sources(program, "robot_forces").items():
        if name in ("robot_forces.c", "robot_forces.h"):
            (source if name == "robot_forces.c" else source.parent / name).write_text(text)
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(["gcc", *options, "-shared", "-fPIC", "-o", str(target), str(source), "-lm"], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin


@contextmanager
def in_one_piece() -> Iterator[None]:
    """Programs are not cut into functions."""
    with patch.object(plan, "BLOCK_OPERATIONS", 10**9), patch.object(plan, "SMALL_BLOCK_OPERATIONS", 10**9):
        yield


def best(call: Callable[[], object], repeats: int) -> float:
    """Seconds of a call: the best of several."""

    def once() -> float:
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin

    return min(once() for _ in range(repeats))


def c_times(quick: bool) -> dict[str, float]:
    """gcc for the longest program of the table, "whole" without parts; a state of the Panda by C and by the kernel."""
    found, repeats = dict[str, float](), 3 if quick else 300
    with tempfile.TemporaryDirectory() as folder:
        program = traced(*C_CASES[0 if quick else -1])
        found["gcc"] = gcc(program, Path(folder, "parts.so"), "-O2")
        with in_one_piece():
            found["gcc whole"] = gcc(program, Path(folder, "whole.so"), "-O2")
        program, robot, n = traced(*C_CASES[0]), kt.load("panda"), 4096
        states = [robot.random(n, seed=0), *np.random.default_rng(0).normal(size=(2, n, robot.nv))]
        arrays = [*states, out := np.empty((n, robot.nv))]
        expected = robot.inverse_dynamics(*states, threads=1)
        for name, options in {"gnu99": ["-std=gnu99", "-march=native"], "c99": ["-std=c99", "-march=native"]}.items():
            gcc(program, path := Path(folder, f"{name}.so"), "-O3", *options)
            run = ctypes.CDLL(str(path)).robot_forces_batch
            given = [ctypes.c_size_t(n), *map(as_ctypes, arrays)]
            found[f"C {name}"] = best(partial(run, *given), repeats) / n
            np.testing.assert_allclose(out, expected, atol=1e-9)
        found["kernel"] = best(lambda: robot.inverse_dynamics(*states, threads=1), repeats) / n
    return found


def _calls(program: Program, robot: kt.Robot, least: int) -> float:
    """Seconds of a call of forward dynamics by node."""
    text = sources(program, "robot_forces", lang="javascript")["robot_forces.mjs"].replace(
        "export function", "function"
    )
    given = [robot.random(seed=0), *np.random.default_rng(0).normal(size=(2, robot.nv)), np.zeros(robot.nv)]
    arrays = ", ".join(f"new Float64Array({x.tolist()})" for x in given)
    call = f"const given = [{arrays}];\nconsole.log(JSON.stringify(best(() => robot_forces(...given), {least})));"
    return float(node("\n".join([_BEST, text, call])))


def javascript(quick: bool) -> dict[str, float]:
    """Forward dynamics of bodies alone: seconds of a call by node, "whole" in one piece; the humanoid's operations."""
    found, least = dict[str, float](), 2 if quick else 200
    for name, base, _ in C_CASES[: 1 if quick else 2]:
        robot, program = kt.load(name, base=base, joint_effects=False), traced(name, base, "forward_dynamics", False)
        found |= {name: _calls(program, robot, least), f"{name} operations": operations(program)}
        with in_one_piece():
            found[f"{name} whole"] = _calls(program, robot, least)
    return found


def _pages(quick: bool) -> Iterator[tuple[str, str]]:
    for title, (robot, base) in list(PAGES.items())[: 1 if quick else None]:
        yield title, programs.programs(kt.load(robot, base=base).model)


def page_times(quick: bool) -> str:
    """The table of what a page computes."""
    rows = ["| | text | first step | forward dynamics | a step | poses | mass matrix |"]
    for title, text in _pages(quick):
        script = _BEST + _PAGE.replace("TEXT", text).replace("LEAST", "2" if quick else "40")
        first, *others = np.min([node(script) for _ in range(1 if quick else 3)], axis=0)
        cells = [f"{len(text) / 1e3:.0f} kB", f"{first * 1e3:.1f} ms", *(f"{x * 1e6:.2f} µs" for x in others)]
        rows.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(rows)


def page_sizes(quick: bool) -> dict[str, float]:
    """Bytes of the code that all robots share, and of chains of mixed joints; the energy that a simulation loses."""
    found = {"shared": float(len(programs._mechanics()))}
    for n in (5,) if quick else (30, 100):
        model = kt.random_chain(n, seed=0).model
        found[f"chain {n}"] = float(len(programs.programs(model, programs.PROGRAM_PARTS)))
        found[f"chain {n} kinematics"] = float(len(programs.programs(model, ["kinematics"])))
    text = programs.programs(kt.load("stewart").model)
    found["energy"] = node(_ENERGY.replace("TEXT", text).replace("STEPS", "24" if quick else "2400"))
    return found
