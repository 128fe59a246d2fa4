"""Print the tables of docs/simulation.md, and draw its picture: `python tools/make_simulation.py docs/simulation.png`.

Energy errors are relative to the largest kinetic energy of the motion. It takes a minute.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

import kinetrace as kt

METHODS = ("semi-implicit", "rkmk2", "rosenbrock", "variational", "rk4", "rkmk4")


def falling(name: str, base: str, dt: float, seconds: float) -> None:
    """A robot that falls from a random state: energy, momentum without gravity, operations of a step."""
    robot = kt.load(name, base=base)
    weightless = kt.Robot(replace(robot.model, gravity=np.zeros(3))) if base == "free" else None
    q, v = robot.random(seed=1), np.random.default_rng(1).normal(size=robot.nv) * (0.5 if base == "fixed" else 2.0)
    for method in METHODS:
        if name != "panda" and method == "variational":  # some minutes to compile
            continue
        motion = robot.simulate(q, v, seconds, dt, method=method, traced=True)
        energy = motion.energy()
        off = np.abs(energy - energy[0]).max() / motion.kinetic_energy().max()
        kept = ""
        if weightless is not None:
            there = weightless.simulate(q, v, seconds, dt, method=method, traced=True)
            h = weightless.momentum(there.q, there.v)
            kept = f" {np.abs(h - h[0]).max() / np.abs(h[0]).max():.0e} |"
        print(f"| {method} | {off:.1e} |{kept} {robot.count('step', method=method).flops:,} |")


def for_long(seconds: float = 1000.0, dt: float = 0.01, parts: int = 5) -> dict[str, np.ndarray]:
    """The energy of a double pendulum, relative, in so many parts of the time: largest error, and mean."""
    robot, found = kt.load("planar2r"), {}
    scale = np.ptp(robot.simulate([1.5, 0.5], [0.0, 0.0], 10.0, dt).kinetic_energy())
    for method in ("variational", "rkmk4", "rosenbrock", "semi-implicit"):
        motion = robot.simulate([1.5, 0.5], [0.0, 0.0], seconds, dt, method=method, traced=True)
        found[method] = (motion.energy() - motion.energy()[0]) / scale
        cells = [f"{np.abs(x).max():.1e} ({x.mean():+.0e})" for x in np.array_split(found[method][1:], parts)]
        print(f"| {method} | {' | '.join(cells)} |")
    return found


def draw(found: dict[str, np.ndarray], path: str, seconds: float = 1000.0) -> None:
    """Energy over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    for method, error in found.items():
        t = np.linspace(0.0, seconds, len(error))
        axes.plot(t[::50], error[::50], linewidth=0.8, label=method)
    axes.set(xlabel="t [s]", ylabel="energy error / largest kinetic energy", ylim=(-0.8, 0.3))
    axes.legend(frameon=False, ncols=2, fontsize="small")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    for robot, base, dt, seconds in (("panda", "fixed", 1e-3, 1.0), ("quadruped", "free", 1e-2, 5.0)):
        print(f"\n{robot}, {base} base, {seconds:g} s at {1e3 * dt:g} ms\n")
        falling(robot, base, dt, seconds)
    print("\ndouble pendulum, 1000 s at 10 ms\n")
    energies = for_long()
    if len(sys.argv) > 1:
        draw(energies, sys.argv[1])
