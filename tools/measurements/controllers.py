"""Controllers in simulation: collisions that the momentum observer finds, goals out of reach, a wrong body."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from pages import ROOT

import kinetrace as kt

HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
HAND = "panda_hand"
OBSERVERS = ((2, 150.0, 3.0), (2, 150.0, 1.5), (2, 250.0, 3.0), (1, 60.0, 1.5), (1, 60.0, 3.0))
"""Order, bandwidth [1/s] and threshold, as a multiple of the largest residual without a push."""
ORDERS = {1: "first order", 2: "second order"}
BEGIN, PUSH, AFTER = 50, 300, 100
"""When filters have settled, when the push begins, and how long it is watched [ms]."""


def directions(count: int) -> Any:
    """±x, ±y, ±z of the world and random ones, (6 + count, 3)."""
    some = np.random.default_rng(3).normal(size=(count, 3))
    return np.concatenate([np.eye(3), -np.eye(3), some / np.linalg.norm(some, axis=1, keepdims=True)])


def watched(order: int, bandwidth: float) -> tuple[kt.Robot, kt.control.Controller]:
    """The moving Panda of tests/control/test_observer.py, with another observer."""
    robot = kt.load("panda", joint_effects=False)
    home, w = robot.home(), 2.0 + 0.3 * np.arange(7)

    def reference(t: Any) -> tuple[Any, Any, Any]:
        sin, cos = kt.arrays.sin(w * t), kt.arrays.cos(w * t)
        return home + 0.2 * (1 - cos), 0.2 * w * sin, 0.2 * w * w * cos

    law = kt.control.passivity_based(robot, reference, 8.0, 30.0 * np.diag(robot.mass_matrix(home)))
    return robot, kt.control.observed(law, kt.control.momentum_observer(robot, bandwidth, order=order))


def collisions(quick: bool) -> str:
    """The table of observers, and the thresholds of the first."""
    sys.path.insert(0, str(ROOT / "tests" / "control"))
    measured = import_module("test_observer").measured
    pushes, lines, residuals = directions(4 if quick else 100), [], dict[tuple[int, float], tuple[Any, Any]]()
    for order, bandwidth, factor in OBSERVERS[: 1 if quick else None]:
        if (order, bandwidth) not in residuals:
            robot, made = watched(order, bandwidth)
            quiet = measured(robot, made, np.zeros((4, 3)), 0.0, 400, 0, seed=1)[:, BEGIN:]
            pushed = measured(robot, made, pushes, 10.0, PUSH, AFTER, seed=2)[:, BEGIN:]
            residuals[order, bandwidth] = np.abs(quiet).max(axis=(0, 1)), pushed
        largest, pushed = residuals[order, bandwidth]
        when = kt.control.collision_time(np.arange(BEGIN, PUSH + AFTER), pushed, factor * largest) - PUSH
        late, early = np.sum(~np.isfinite(when)), np.sum(when < 0)
        found = f"{np.median(when):.0f} | {when[np.isfinite(when)].max():.0f} | {late} | {early}"
        lines.append(f"| {ORDERS[order]}, {bandwidth:g}/s | {factor:g} | {found} |")
        lines += [f"thresholds from {factor * largest.min():.3g} to {factor * largest.max():.3g} N m"] * (not lines[1:])
    return "\n".join(lines)


def goals(quick: bool) -> Mapping[str, float]:
    """Operational-space control on the way to poses, and to positions out of reach: largest forces, how many rest."""
    rng, count = np.random.default_rng(0), 8 if quick else 256
    plain, result = kt.load("panda", joint_effects=False), dict[str, float]()
    poses, far = plain.pose(plain.random(count, seed=0), HAND), np.tile(np.eye(4), (count, 1, 1))
    away = rng.normal(size=(count, 3))
    far[:, :3, 3] = away / np.linalg.norm(away, axis=1, keepdims=True) * rng.uniform(0.0, 6.0, (count, 1))
    own: Any = {"posture": HOME, "posture_gain": 25.0, "posture_damping": 10.0}
    for robot, told in ((plain, "bodies"), (plain.with_joint_effects(armature=0.1), "rotors")):
        for axes, wanted in (("pose", poses), ("position", far)):
            made = kt.control.operational_space(robot, HAND, np.eye(4), 100.0, 20.0, **{**own, "axes": axes})
            given: Any = {"controller": made, "parameters": {"goal": wanted}, "method": "rkmk4"}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                motion = robot.simulate(HOME, np.zeros(7), t=4.0, dt=1e-3, **given)
            rests = np.abs(motion.v[:, -1]).max(axis=-1) < 1.0
            result |= {
                f"{told} {axes} force": float(np.nanmax(np.abs(motion.tau))),
                f"{told} {axes} rest": rests.mean(),
            }
    largest = max(result["rotors pose force"], result["rotors position force"])
    return {
        **result,
        "rotors force": largest,
        "rotors rest": min(result["rotors pose rest"], result["rotors position rest"]),
    }


def wrong_bodies(quick: bool) -> Mapping[str, float]:
    """What a body of half its mass stores with γ = 100/J, each body of the Panda in turn [mJ]."""
    robot = kt.load("panda", joint_effects=False)
    true, damping, energies = robot.parameters("inertial"), 30 * robot.mass_matrix(HOME).diagonal(), []
    for k in range(1 if quick else len(true)):
        wrong = true.copy()
        wrong[k] *= 0.5
        model = robot.with_parameters(inertial=wrong)
        made = kt.control.adaptive(model, HOME, 8.0, damping, 100.0, truth=robot)
        motion = robot.simulate(HOME, np.zeros(7), t=1e-3, dt=1e-3, controller=made, method="rkmk4")
        energies.append(1e3 * float(made.stored(motion.t, motion.q, motion.v, motion.states)[0]))
    return {"least": min(energies), "most": max(energies)}
