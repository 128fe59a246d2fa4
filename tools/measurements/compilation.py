"""Times until a first result, in a new process with an empty cache and with a full one, and the memory it takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from kinetrace.bench.chains import MEMORY_CODE

_CODE = (
    MEMORY_CODE
    + """
import json, time
import numpy as np
import kinetrace as kt
{setup}
z = np.zeros(robot.nv)
q = robot.neutral()
begin, processor = time.perf_counter(), time.process_time()
{call}
seconds, processor = time.perf_counter() - begin, time.process_time() - processor
print(json.dumps([seconds, processor, (memory() or 0) * 1e6]))
"""
)
ROBOTS = {
    name: f'robot = kt.load("{name}", base="{base}", joint_effects=False)'
    for name, base in (("panda", "fixed"), ("humanoid", "free"), ("quadruped", "free"), ("stewart", "fixed"))
}
ROBOTS["chain"] = "robot = kt.random_chain(60, seed=0)"
FUNCTIONS = {
    "inverse_dynamics": "robot.inverse_dynamics(q, z, z)",
    "forward_dynamics": "robot.forward_dynamics(q, z, z)",
    "mass_matrix": "robot.mass_matrix(q)",
    "coriolis_matrix": "robot.coriolis_matrix(q, z)",
    "inverse_dynamics_derivatives": "robot.inverse_dynamics_derivatives(q, z, z)",
    "forward_dynamics_derivatives": "robot.forward_dynamics_derivatives(q, z, z)",
}
_ROLLOUT = 'robot.rollout_derivatives(q, z, np.zeros((5, robot.nv)), dt=1e-3, method="{}")'
OTHERS = {
    "panda rollout_derivatives rkmk4": (ROBOTS["panda"], _ROLLOUT.format("rkmk4")),
}
"""Name → what is made before, and what is timed."""


def first_call(setup: str, call: str) -> dict[str, tuple[float, float, float]]:
    """Wall time, processor time and peak memory without and with the code in the cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _CODE.format(setup=setup, call=call)]
        made = {}
        for when in ("", " cached"):
            done = subprocess.run(
                command, capture_output=True, text=True, env={**os.environ, "KINETRACE_CACHE": folder}
            )
            if done.returncode:
                raise RuntimeError(f"{call}: {done.stderr.strip().splitlines()[-1]}")
            made[when] = tuple(json.loads(done.stdout.splitlines()[-1]))
        return made


def times(quick: bool) -> dict[str, float]:
    """Of the functions of three robots, and of others that compile for long: "humanoid mass_matrix", "… cached"."""
    cases = {
        f"{robot} {name}": (ROBOTS[robot], call)
        for robot in ("panda", "humanoid", "chain")
        for name, call in FUNCTIONS.items()
    }
    cases |= OTHERS
    result = dict[str, float]()
    for name in list(cases)[:1] if quick else cases:
        for when, (seconds, processor, memory) in first_call(*cases[name]).items():
            result |= {name + when: seconds, f"{name}{when} processor": processor, f"{name}{when} memory": memory}
    return result
