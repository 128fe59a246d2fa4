"""Print the tables of docs/simulation.md, and draw its picture: `python tools/make_simulation.py docs/simulation.png`.

Energy errors are relative to the largest kinetic energy of the motion. It takes a few minutes.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import kinetrace as kt
from kinetrace.arrays import Array, cos, less, sin, where

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "simulate"))
import mechanisms

METHODS = ("semi-implicit", "rkmk2", "rosenbrock", "variational", "rk4", "rkmk4")


def falling(name: str, base: str, dt: float, seconds: float) -> None:
    """A robot that falls from a random state: energy, momentum without gravity, operations per step."""
    robot = kt.load(name, base=base, joint_effects=False)  # whose energy stays
    weightless = kt.Robot(replace(robot.model, gravity=np.zeros(3))) if base == "free" else None
    q, v = robot.random(seed=1), np.random.default_rng(1).normal(size=robot.nv) * (0.5 if base == "fixed" else 2.0)
    for method in METHODS:
        motion = robot.simulate(q, v, seconds, dt, method=method, compiled=True)
        energy = motion.energy()
        off = np.abs(energy - energy[0]).max() / motion.kinetic_energy().max()
        kept = ""
        if weightless is not None:
            there = weightless.simulate(q, v, seconds, dt, method=method, compiled=True)
            h = weightless.momentum(there.q, there.v)
            kept = f" {np.abs(h - h[0]).max() / np.abs(h[0]).max():.0e} |"
        print(f"| {method} | {off:.1e} |{kept} {robot.count('step', method=method).flops:,} |")


def for_long(seconds: float = 1000.0, dt: float = 0.01, parts: int = 5) -> dict[str, np.ndarray]:
    """Relative energy error of a double pendulum, per part of the time: largest error, and mean."""
    robot, found = kt.load("planar2r"), {}
    scale = np.ptp(robot.simulate([1.5, 0.5], [0.0, 0.0], 10.0, dt).kinetic_energy())
    for method in ("variational", "rkmk4", "rosenbrock", "semi-implicit"):
        motion = robot.simulate([1.5, 0.5], [0.0, 0.0], seconds, dt, method=method, compiled=True)
        found[method] = (motion.energy() - motion.energy()[0]) / scale
        cells = [f"{np.abs(x).max():.1e} ({x.mean():+.0e})" for x in np.array_split(found[method][1:], parts)]
        print(f"| {method} | {' | '.join(cells)} |")
    return found


def beam() -> None:
    """The forty-link beam after 5 s, by solvers of several tolerances and in steps: errors of angles and rates."""
    robot, push = mechanisms.beam()
    z, sums = np.zeros(40), np.tril(np.ones((40, 40)))

    def held(t: Array, q: Array, v: Array, before: Array) -> tuple[Array, Array]:
        """Force extrapolated to the middle of the step from the last two: the held force is then of order two."""
        angles, F = sums @ q, where(less(t, math.pi), 1.5 * sin(t) * sin(t), 0.0)
        now = sums.T @ (F * (sin(angles) + cos(angles)) / 40)
        return 1.5 * now - 0.5 * before, now

    def told(what: str, motion: kt.Trajectory) -> None:
        angles, rates = (np.cumsum(x[-1]) for x in (motion.q, motion.v))
        errors = np.abs(angles - mechanisms.BEAM_ANGLES).max(), np.abs(rates - mechanisms.BEAM_RATES).max()
        print(f"| {what} | {errors[0]:.1e} | {errors[1]:.1e} |")

    for method, tol in (("Radau", 1e-6), ("Radau", 1e-8), ("Radau", 1e-9), ("DOP853", 1e-9), ("DOP853", 1e-12)):
        given = {"controller": push, "method": method, "rtol": tol, "atol": 1e-2 * tol}
        told(f"`{method}`, {tol:g}", robot.simulate(z, z, 5.0, 5.0, **given))
    for dt in (1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4):
        given = {"controller": held, "state": z, "method": "rosenbrock", "record": 10**6, "compiled": True}
        told(f"`rosenbrock`, {1e3 * dt:g} ms", robot.simulate(z, z, 5.0, dt, **given))


def draw(found: dict[str, np.ndarray], path: str, seconds: float = 1000.0) -> None:
    """Energy over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    for method, error in found.items():
        t = np.linspace(0.0, seconds, len(error))
        axes.plot(t[::50], error[::50], linewidth=0.8, label=method)
    axes.set(xlabel="t [s]", ylabel="energy error, relative", ylim=(-1.0, 0.3))
    axes.legend(frameon=False, ncols=2, fontsize="small")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    for robot, base, dt, seconds in (("panda", "fixed", 1e-3, 1.0), ("quadruped", "free", 1e-2, 5.0)):
        print(f"\n{robot}, {base} base, {seconds:g} s at {1e3 * dt:g} ms\n")
        falling(robot, base, dt, seconds)
    print("\nforty-link beam, 5 s\n")
    beam()
    print("\ndouble pendulum, 1000 s at 10 ms\n")
    energies = for_long()
    if len(sys.argv) > 1:
        draw(energies, sys.argv[1])
