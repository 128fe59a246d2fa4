"""Motions: optimal control beside crocoddyl, motions of least effort, the grid of time scaling, quasi-velocities."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from pages import ROOT

import kinetrace as kt

PEER = ("crocoddyl==3.2.1", "pin==4.0.0")
"""What benchmarks/optimal_control.py is run beside, in a folder of its own: other versions of pin do not fit."""
PEER_FOLDER = ROOT / "build" / "crocoddyl"
_CODE = """
import json, time
import kinetrace as kt
arm, panda = kt.load("planar2r"), kt.load("panda").with_joint_effects(armature=0.3)
panda = panda.with_payload(2.0, "panda_hand", com=[0, 0, 0.05])
hanging, level, upright = [-1.5707963267948966, 0.0], [0.0, 0.5], [1.5707963267948966, 0.0]
lift = [0.0, 0.6, 0.0, -2.2, 0.0, 2.8, 0.8], [0.3, 0.2, 0.1, -1.9, 0.05, 2.2, 0.8]
times = []
for _ in range(2):
    begin = time.perf_counter()
    found = kt.motion.{call}
    times.append(time.perf_counter() - begin)
print(json.dumps([int(found.iterations), *times]))
"""
LEAST = {
    "`minimum_effort`, two links, to level": "minimum_effort(arm, hanging, level, 1.0)",
    "`minimum_effort`, two links, swing-up": "minimum_effort(arm, hanging, upright, 2.0)",
    "`minimum_energy`, two links, swing-up": "minimum_energy(arm, hanging, upright, 2.0)",
    "`minimum_effort`, Panda lifts 2 kg": "minimum_effort(panda, *lift, 0.5)",
}
"""Row of the table of docs/trajectory_optimisation.md → what is timed."""


def run(command: list[str], **variables: str) -> str:
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **variables})
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)[:60]} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def optimal_control(quick: bool) -> str:
    """What benchmarks/optimal_control.py prints, with torque limits too, beside crocoddyl."""
    script = str(ROOT / "benchmarks" / "optimal_control.py")
    if quick:
        return run([sys.executable, script, "--quick"])
    if not (PEER_FOLDER / "made").is_file():
        wanted = [*PEER, f"numpy=={importlib.metadata.version('numpy')}"]
        run([sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", str(PEER_FOLDER), *wanted])
        (PEER_FOLDER / "made").touch()
    inner = PEER_FOLDER / "cmeel.prefix" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    paths = os.pathsep.join([str(PEER_FOLDER), str(inner), os.environ.get("PYTHONPATH", "")])
    return run([sys.executable, script, "--limits"], PYTHONPATH=paths)


def least_effort(quick: bool) -> str:
    """A table: iterations, and times of the first call, which compiles, and of the second."""
    lines = []
    for name, call in list(LEAST.items())[: 1 if quick else None]:
        with tempfile.TemporaryDirectory() as folder:
            text = run([sys.executable, "-c", _CODE.format(call=call)], KINETRACE_CACHE=folder)
        iterations, first, again = json.loads(text)
        lines.append(f"| {name} | {iterations} | {first:.3g} s | {again:.3g} s |")
    return "\n".join(lines)


def grid_loss(quick: bool) -> Mapping[str, float]:
    """Of time scaling with damping and friction: how much longer motions take with the default grid than with 8000."""
    robot = kt.load("panda").with_joint_effects(damping=1.0, friction=1.0)
    losses = []
    for seed in range(1, 2 if quick else 5):
        way = robot.random(4, seed=seed)
        fine = kt.motion.time_scaling(robot, way, position=False, grid=1000 if quick else 8000)
        losses.append(kt.motion.time_scaling(robot, way, position=False).duration / fine.duration - 1.0)
    return {"largest": max(abs(x) for x in losses)}


def identity_mass(quick: bool) -> Mapping[str, float]:
    """`diagonal_dynamics` of the Panda beside FD4, in batches on one thread."""
    robot, n = kt.load("panda", joint_effects=False), 64 if quick else 4096
    q, (v, tau) = robot.random(n, seed=0), np.random.default_rng(0).normal(size=(2, n, 7))
    nu = robot.mass_root_transposed_product(q, v)
    one, two = np.empty((n, 7)), (np.empty((n, 7)), np.empty((n, 7)))
    calls: dict[str, Callable[[], object]] = {
        "plain": lambda: robot.forward_dynamics(q, v, tau, method="FD4", out=one, threads=1),
        "diagonal": lambda: robot.diagonal_dynamics(q, nu, tau, out=two, threads=1),
    }
    best = dict.fromkeys(calls, np.inf)
    for _ in range(3 if quick else 3000):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - begin)
    return {"ratio": best["diagonal"] / best["plain"]}


def stack(quick: bool) -> Mapping[str, float]:
    """Stack and code of the UR5e's inverse dynamics in float32, compiled by gcc -O2."""
    robot, name = kt.load("ur5e", dtype="float32", backend="numpy"), "ur5e_inverse_dynamics_float"
    with tempfile.TemporaryDirectory() as folder:
        for file, text in robot.kernel("inverse_dynamics").sources(name).items():
            Path(folder, file).write_text(text)
        source, made = str(Path(folder, f"{name}.c")), Path(folder, "made.o")
        run(["gcc", "-O2", "-fstack-usage", "-c", source, "-o", str(made)])
        rows = [x.split("\t") for x in made.with_suffix(".su").read_text().splitlines()]
        sizes = run(["size", str(made)]).splitlines()[1].split()
    return {"stack": max(float(x[1]) for x in rows), "code": float(sizes[0])}
