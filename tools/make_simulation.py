"""Print the tables of docs/simulation.md, and draw its picture.

    python tools/make_simulation.py                      # a minute or two
    python tools/make_simulation.py docs/simulation.png  # and draw the energies over time
    python tools/make_simulation.py --quick              # a part of each table, in seconds

Energy errors are relative to the largest kinetic energy of the motion. Times are processor time, without compiling.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

import kinetrace as kt
from kinetrace.arrays import Array, cos, less, sin, where

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from simulation import mechanisms, test_benchmarks

METHODS = ("semi-implicit", "rkmk2", "rosenbrock", "variational", "rk4", "rkmk4")
LONG_METHODS = ("variational", "rkmk4", "rosenbrock", "semi-implicit")
SECONDS, PARTS = 1000.0, 5


def power(x: float, digits: int = 1) -> str:
    """A number as the page prints it.

    >>> power(1.94e-8), power(-3e-4, 0), power(0.0)
    ('1.9·10⁻⁸', '−3·10⁻⁴', '0')
    """
    if x == 0.0:
        return "0"
    head, exponent = f"{abs(x):.{digits}e}".split("e")
    sign = "−" if x < 0.0 else ""
    return f"{sign}{head}·10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print it."""
    print(f"\n| {' | '.join(header)} |\n|{'---|' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def relative_energy(motion: kt.Trajectory) -> float:
    """The largest change of energy."""
    energy = motion.energy()
    return float(np.abs(energy - energy[0]).max() / motion.kinetic_energy().max())


def falling(methods: Sequence[str]) -> None:
    """Robots that fall from random states: energy, momentum without gravity, operations per step."""
    arm = kt.load("panda", joint_effects=False)  # whose energy stays
    dog = kt.load("quadruped", base="free", joint_effects=False)
    weightless = kt.Robot(replace(dog.model, gravity=np.zeros(3)))
    states = [
        (robot.random(seed=1), np.random.default_rng(1).normal(size=robot.nv) * speed)
        for robot, speed in ((arm, 0.5), (dog, 2.0))
    ]
    rows = []
    for method in methods:
        given = {"method": method, "compiled": True}
        energies = (
            relative_energy(arm.simulate(*states[0], 1.0, 1e-3, **given)),
            relative_energy(dog.simulate(*states[1], 5.0, 1e-2, **given)),
        )
        there = weightless.simulate(*states[1], 5.0, 1e-2, **given)
        h = weightless.momentum(there.q, there.v)
        lost = float(np.abs(h - h[0]).max() / np.abs(h[0]).max())
        rows.append([f"`{method}`", *map(power, energies), power(lost, 0)])
    table(["", "Panda, 1 s at 1 ms: energy", "tumbling quadruped, 5 s at 10 ms: energy", "momentum"], rows)
    counts = [
        [name, *(f"{robot.count('step', method=method).flops:,}" for method in methods)]
        for name, robot in (("Panda", arm), ("quadruped", dog))
    ]
    table(["operations per step", *(f"`{method}`" for method in methods)], counts)


def for_long(seconds: float, methods: Sequence[str], dt: float = 0.01) -> dict[str, np.ndarray]:
    """Relative energy errors of eight motions of a double pendulum: the largest and the mean in parts of the time."""
    robot, found, rows = kt.load("planar2r"), {}, []
    q = np.array([1.5, 0.5]) + 1e-9 * np.arange(8.0)[:, None]  # side by side: they part, as the motion is chaotic
    scale = np.ptp(robot.simulate(q[0], [0.0, 0.0], 10.0, dt).kinetic_energy())
    for method in methods:
        energy = robot.simulate(q, [0.0, 0.0], seconds, dt, method=method, compiled=True).energy()
        error = (energy - energy[:, :1]) / scale
        parts = np.array_split(error[:, 1:], PARTS, axis=1)
        rows.append([f"`{method}`, largest", *(power(np.abs(x).max()) for x in parts)])
        if method in ("variational", "rkmk4"):
            rows.append([f"`{method}`, mean", *(power(x.mean(), 0) for x in parts)])
        found[method] = error[0]
    ends = np.linspace(0, seconds, PARTS + 1)
    table(["", *(f"{a:g}–{b:g} s" for a, b in pairwise(ends))], rows)
    return found


def problems() -> None:
    """Published problems: the largest differences from their numbers, as tests/simulation/test_benchmarks.py has."""
    top, q, v = mechanisms.heavy_top()
    heavy = test_benchmarks.off(top.simulate(q, v, 2.0, 0.2, method="DOP853", rtol=1e-13, atol=1e-13))
    differences = []
    for omega, heights in test_benchmarks.GOVERNOR.items():
        robot, q, v, springs = mechanisms.governor(omega)
        given = {"controller": springs, "method": "LSODA", "rtol": 1e-11, "atol": 1e-12}
        motion = robot.simulate(q, v, max(heights), 0.1, **given)
        differences += [abs(motion.q[round(10 * t), 1] - height) for t, height in heights.items()]
    pendulum = mechanisms.pendulum()
    q = pendulum.assemble([1.0, 0.0])
    swung = pendulum.simulate(q, np.zeros(2), 30.0, 1.0, method="DOP853", rtol=1e-12, atol=1e-12)
    rows = [
        ["heavy top (Brüls, Cardona and Arnold 2012), 2 s", "`DOP853`, tolerance 10⁻¹³", power(heavy, 0)],
        ["stiff fly-ball governor, 10 s, ten printed digits", "`LSODA`, 10⁻¹¹", power(max(differences), 0)],
        ["pendulum in x and y with projection, 15 periods", "`DOP853`, 10⁻¹²", power(np.abs(swung.q[-1] - q).max(), 0)],
    ]
    table(["", "method", "agrees to"], rows)


def beam(solvers: Sequence[tuple[str, float]], steps: Sequence[float]) -> None:
    """The forty-link beam after 5 s, by solvers of several tolerances and in steps: errors of angles and rates."""
    robot, push = mechanisms.beam()
    z, sums, rows = np.zeros(40), np.tril(np.ones((40, 40))), []

    def held(t: Array, q: Array, v: Array, before: Array) -> tuple[Array, Array]:
        """Force extrapolated to the middle of the step from the last two: the held force is then of order two."""
        angles, F = sums @ q, where(less(t, math.pi), 1.5 * sin(t) * sin(t), 0.0)
        now = sums.T @ (F * (sin(angles) + cos(angles)) / 40)
        return 1.5 * now - 0.5 * before, now

    def told(what: str, simulate: Callable[[], kt.Trajectory]) -> None:
        begin = time.process_time()
        motion = simulate()
        seconds = time.process_time() - begin
        angles, rates = (np.cumsum(x[-1]) for x in (motion.q, motion.v))
        errors = np.abs(angles - mechanisms.BEAM_ANGLES).max(), np.abs(rates - mechanisms.BEAM_RATES).max()
        rows.append([what, power(errors[0]), power(errors[1], 0), f"{seconds:.2g} s"])

    robot.forward_dynamics(z, z, z)
    for method, tol in solvers:
        given = {"controller": push, "method": method, "rtol": tol, "atol": 1e-2 * tol}
        told(
            f"`{method}`, {power(tol, 0).removeprefix('1·')}",
            lambda given=given: robot.simulate(z, z, 5.0, 5.0, **given),
        )
    given = {"controller": held, "state": z, "method": "rosenbrock", "record": 10**6, "compiled": True}
    begin = time.process_time()
    robot.simulate(z, z, 0.02, 0.01, **given)
    compiled = time.process_time() - begin
    for dt in steps:
        told(f"`rosenbrock`, {1e3 * dt:g} ms", lambda dt=dt: robot.simulate(z, z, 5.0, dt, **given))
    table(["", "angles", "rates", "time"], rows)
    print(f"\nthe first call with rosenbrock takes {compiled:.2g} s")


def draw(found: dict[str, np.ndarray], path: str) -> None:
    """Energy over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    for method, error in found.items():
        t = np.linspace(0.0, SECONDS, len(error))
        axes.plot(t[::50], error[::50], linewidth=0.8, label=method)
    axes.set(xlabel="t [s]", ylabel="energy error, relative", ylim=(-1.0, 0.3))
    axes.legend(frameon=False, ncols=2, fontsize="small")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", nargs="?", help="where to draw the energies over time")
    parser.add_argument("--quick", action="store_true", help="a part of each table")
    args = parser.parse_args()
    warnings.simplefilter("ignore", kt.LimitWarning)  # robots that fall pass limits of positions and velocities
    warnings.simplefilter("ignore", kt.SimulationWarning)
    falling(METHODS[:2] if args.quick else METHODS)
    energies = for_long(20.0, LONG_METHODS[1:2]) if args.quick else for_long(SECONDS, LONG_METHODS)
    problems()
    if args.quick:
        beam([("DOP853", 1e-3)], [])
    else:
        solvers = [("Radau", 1e-6), ("Radau", 1e-8), ("DOP853", 1e-9), ("DOP853", 1e-12)]
        beam(solvers, [5e-3, 2.5e-3, 1.25e-3, 6.25e-4])
    if args.picture:
        draw(energies, args.picture)


if __name__ == "__main__":
    main()
