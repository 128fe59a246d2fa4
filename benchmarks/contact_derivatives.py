"""Derivatives of a step of the quadruped on four feet: against differences on random states, and MuJoCo's in time.

    python benchmarks/contact_derivatives.py --help

Feet stick, slip and are in the air. Differences are extrapolated central ones of steps that are solved to rounding,
those of states whose feet are not farther from a switch than the differences reach are left out. `mjd_transitionFD`
has the same robot, ground and step, pyramidal cones and one iteration. The last line, inverse dynamics of a batch on
one thread, measures the machine.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import shared

import kinetrace as kt
from kinetrace.algorithms.dynamics.external_inputs import ExternalInputs
from kinetrace.algorithms.time.methods import initial_kept, method_for
from kinetrace.algorithms.time.state import State
from kinetrace.algorithms.time.step_inputs import StepInputs
from kinetrace.lie import so3
from kinetrace.linalg.contact import sweeps
from kinetrace.model import WORLD
from kinetrace.model.contact import ContactLaw, ContactPair, Contacts, ContactShape

FEET, RADIUS, FRICTION, DT = ("FL_foot", "FR_foot", "RL_foot", "RR_foot"), 0.02, 0.8, 2e-3
STAND = np.tile([0.0, 0.8, -1.6], 4)
SMALL, FORCES = 2e-6, 100.0
"""Steps of differences; those of forces relative to others."""
SLOW = 1e-2
"""Speed of slip below which a foot is near the switch to sticking [m/s]."""
Kernel = Callable[..., Any]


def scene() -> kt.Robot:
    """The quadruped with spheres for feet, on a plane."""
    model = shared.load("quadruped", base="free").with_joint_effects(armature=0.01).model
    frames = [model.frame(name) for name in FEET]
    shapes = [ContactShape("ground", "plane", np.zeros(0), WORLD, np.eye(4))]
    shapes += [ContactShape(f.name, "sphere", np.array([RADIUS]), f.body, f.X_bf, link=f.name) for f in frames]
    pairs = tuple(ContactPair(name, k + 1, 0, ContactLaw(friction=FRICTION)) for k, name in enumerate(FEET))
    return kt.Robot(replace(model, contacts=Contacts(tuple(shapes), pairs)), threads=1)


def step(model: Any, q: Any, v: Any, tau: Any, dt: Any) -> tuple[Any, ...]:
    """q, v, impulses and slips after a step from the first guess."""
    start = State(q, v, initial_kept(model, "semi-implicit"))
    after = method_for(model, "semi-implicit").advance(model, start, dt, StepInputs(tau, ExternalInputs()))[0]
    return after.q, after.v, after.kept["contact_impulses"], after.kept["contact_slips"]


def linear_step(model: Any, q: Any, v: Any, tau: Any, dt: Any) -> Any:
    """A and B."""
    return kt.algorithms.linearise_step(model, q, v, tau, dt, method="semi-implicit")


def compiled(robot: kt.Robot, function: Any) -> tuple[Kernel, float]:
    """A kernel, and the CPU time of its first call [s]."""
    begin, kernel = time.process_time(), kt.compile(function, robot)
    kernel(robot.neutral()[None], *np.zeros((2, 1, robot.nv)), DT, threads=1)
    return kernel, time.process_time() - begin


def exact_step(robot: kt.Robot) -> Kernel:
    """A step that is solved to rounding."""
    usual = sweeps.LEAST_CHANGE, sweeps.MOST_SWEEPS
    sweeps.LEAST_CHANGE, sweeps.MOST_SWEEPS = 3e-15, 600
    try:
        return compiled(robot, step)[0]
    finally:
        sweeps.LEAST_CHANGE, sweeps.MOST_SWEEPS = usual


def states(robot: kt.Robot, count: int, rng: np.random.Generator, speed: float = 1.0) -> list[Any]:
    """q, v and joint forces near where the robot stands."""
    n, q = robot.nv, np.tile(robot.neutral(), (count, 1))
    q[:, 7:] = STAND + 0.1 * rng.normal(size=(count, 12))
    q[:, 2] = 0.3 + 0.01 * rng.normal(size=count)
    turns = np.concatenate([0.1 * rng.normal(size=(count, 3)), np.zeros((count, n - 3))], axis=1)
    return [robot.integrate(q, turns), speed * rng.normal(size=(count, n)), 5.0 * rng.normal(size=(count, n))]


def regions(x: Any, slip: Any) -> Any:
    """Which feet press, and which of them slip."""
    return np.concatenate([x[..., 2] > 0.0, slip > 0.0], axis=-1)


def differences(robot: kt.Robot, kernel: Kernel, at: list[Any]) -> tuple[Any, Any]:
    """∂(q⁺, v⁺)/∂(δq, δv, τ) of all states, and whether they are away from switches."""
    q, v, tau = at
    n, columns = robot.nv, []
    _, _, x, slip = kernel(q, v, tau, DT, threads=1)
    here, speed = regions(x, slip), slip * np.hypot(x[..., 0], x[..., 1])
    away = ((slip == 0.0) | (speed > SLOW)).all(axis=-1)
    for k in range(3 * n):
        d, h = np.zeros(3 * n), SMALL * (FORCES if k >= 2 * n else 1.0)
        d[k] = h
        ends = {}
        for s in (-2.0, -1.0, 1.0, 2.0):
            along = np.broadcast_to(s * d[:n], v.shape)
            there = kernel(robot.integrate(q, along), v + s * d[n : 2 * n], tau + s * d[2 * n :], DT, threads=1)
            away &= (regions(*there[2:]) == here).all(axis=-1)
            ends[s] = there[:2]
        near, far = (
            np.concatenate([robot.difference(ends[-s][0], ends[s][0]), ends[s][1] - ends[-s][1]], axis=-1)
            * (0.5 / s / h)
            for s in (1.0, 2.0)
        )
        columns.append((4.0 * near - far) / 3.0)
    return np.stack(columns, axis=-1), away


def gaps_have_slopes(robot: kt.Robot, q: Any) -> Any:
    """Whether no gap is where the law of overlaps bends: at zero, or at speeds out of it that begin its parts."""
    reach = 20.0 * SMALL
    bends = np.array([0.0, -0.05 * DT, -0.25 * DT, -5.0 * DT])
    gaps = np.stack([robot.pose(q, name)[..., 2, 3] - RADIUS for name in FEET], axis=-1)
    return (np.abs(gaps[..., None] - bends) > reach).all(axis=(-1, -2))


def accuracy(robot: kt.Robot, linear: Kernel, count: int) -> None:
    """Errors relative to the largest entry by the same variable of the same state."""
    rng, kernel, n = np.random.default_rng(0), exact_step(robot), robot.nv
    errors, left, nans, kinds = [], 0, 0, np.zeros(3)
    for size in np.diff([*range(0, count, 2000), count]):
        at = states(robot, size, rng)
        found = np.concatenate(linear(*at, DT, threads=1), axis=-1)
        wanted, away = differences(robot, kernel, at)
        away &= gaps_have_slopes(robot, at[0])
        _, _, x, slip = kernel(*at, DT, threads=1)
        presses = x[..., 2] > 0.0
        kinds += np.array([(~presses).mean(), (presses & (slip == 0.0)).mean(), (slip > 0.0).mean()]) * size / count
        nans += int(np.isnan(found).any(axis=(1, 2)).sum())
        left += int((~away).sum())
        parts = [slice(k, k + n) for k in (0, n, 2 * n)]
        scale = [np.abs(wanted[..., p]).max(axis=(1, 2)) for p in parts]
        each = [np.abs(found - wanted)[..., p].max(axis=(1, 2)) / s for p, s in zip(parts, scale, strict=True)]
        errors.append(np.stack(each, axis=-1)[away])
    of = np.concatenate(errors)
    print(f"{count} states, feet in the air {kinds[0]:.2f}, sticking {kinds[1]:.2f}, slipping {kinds[2]:.2f}")
    print(f"{nans} states with NaN, {left} within the reach of a switch\n")
    print("error by     median      99 %    99.9 %       all")
    for name, x in zip(("q", "v", "forces", "all"), (*of.T, of.max(axis=-1)), strict=True):
        print(f"{name:8}" + "".join(f"{p:10.1e}" for p in np.percentile(x, [50, 99, 99.9, 100])))


def mujoco_model(robot: kt.Robot, mujoco: Any) -> Any:
    """The same feet on the same ground."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "quadruped.xml"
        kt.Robot(replace(robot.model, contacts=None)).save(path)
        text = path.read_text()
    limits, others = (r' range="[^"]*"', r' actuatorfrcrange="[^"]*"'), ("actuator", "keyframe", "contact")
    for pattern in (*limits, *(rf"(?s)<{tag}>.*</{tag}>" for tag in others)):
        text = re.sub(pattern, "", text)
    spec = mujoco.MjSpec.from_string(text)
    spec.option.timestep, spec.option.cone = DT, mujoco.mjtCone.mjCONE_PYRAMIDAL
    spec.option.iterations, spec.option.ls_iterations = 1, 5
    law = {"friction": [FRICTION, 0.005, 0.0001], "condim": 3, "contype": 1, "conaffinity": 1}
    for geom in list(spec.geoms):
        if geom.type != mujoco.mjtGeom.mjGEOM_SPHERE or geom.group != 3:
            spec.delete(geom)
            continue
        for name, value in law.items():
            setattr(geom, name, value)
    if len(list(spec.geoms)) != len(FEET):
        raise SystemExit(f"expected one sphere for each foot, got {len(list(spec.geoms))}")
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.01], **law)
    for name in robot.joint_names[1:]:
        actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_motor()
    return spec.compile()


def peer_calls(robot: kt.Robot, at: list[Any]) -> dict[str, tuple[Callable[[], Any], int]]:
    """`mjd_transitionFD` of some states, by one-sided and by central differences."""
    mujoco = shared.package("mujoco")
    if mujoco is None:
        return {}
    model = mujoco_model(robot, mujoco)
    data, (q, v, _) = mujoco.MjData(model), at
    R = np.array([so3.from_quaternion(x[3:7]) for x in q])
    velocities = np.concatenate([np.einsum("kij,kj->ki", R, v[:, 3:6]), v[:, :3], v[:, 6:]], axis=1)
    A, B = np.zeros((2 * model.nv, 2 * model.nv)), np.zeros((2 * model.nv, model.nu))

    def call(centred: bool) -> None:
        for x, u in zip(q, velocities, strict=True):
            data.qpos, data.qvel, data.qacc_warmstart = x, u, 0.0
            mujoco.mjd_transitionFD(model, data, 1e-6, centred, A, B, None, None)

    return {
        "mjd_transitionFD": (lambda: call(False), len(q)),
        "mjd_transitionFD, centred": (lambda: call(True), len(q)),
    }


def timing(robot: kt.Robot, linear: Kernel, options: argparse.Namespace) -> None:
    """Times of a state, the least of several, in turns."""
    rng, panda = np.random.default_rng(1), shared.load("panda")
    at, n = states(robot, options.lanes, rng, 0.2), 4096
    arm = [panda.random(n, seed=0), *rng.normal(size=(2, n, panda.nv))]
    calls: dict[str, tuple[Callable[[], Any], int]] = {
        "A and B of a step": (lambda: linear(*at, DT, threads=1), options.lanes),
        **peer_calls(robot, [x[: options.peers] for x in at]),
        "panda: inverse dynamics": (lambda: panda.inverse_dynamics(*arm, threads=1), n),
    }
    best = dict.fromkeys(calls, np.inf)
    for _ in range(options.repeat):
        for name, (call, count) in calls.items():
            begin = time.process_time()
            call()
            best[name] = min(best[name], (time.process_time() - begin) / count * 1e6)
    own = best["A and B of a step"]
    print(f"\n{'':28}µs a state     ratio")
    for name, x in best.items():
        print(f"{name:26}{x:12.3f}{x / own:10.1f}")


def main() -> None:
    """Print the tables."""
    parser = shared.parser(__doc__)
    parser.add_argument("--states", type=int, default=100_000, help="whose derivatives are compared")
    parser.add_argument("--lanes", type=int, default=256, help="states of a call that is timed")
    parser.add_argument("--peers", type=int, default=64, help="states for MuJoCo")
    parser.add_argument("--repeat", type=int, default=9)
    options = shared.options(parser, "armature", states=64, lanes=16, peers=2, repeat=1)
    robot = scene()
    linear, seconds = compiled(robot, linear_step)
    print(f"first call of A and B: {seconds:.1f} s of CPU\n")
    accuracy(robot, linear, options.states)
    timing(robot, linear, options)


if __name__ == "__main__":
    main()
