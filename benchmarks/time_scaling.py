"""Time scaling of paths of the Panda: time per path, beside toppra with torques from Pinocchio point by point.

Both solve the same problem with TOPP-RA: a cubic spline through random configurations, limits of torque and velocity
(not of positions, which toppra does not check), a grid of points, limits at both ends of each interval. They differ
in how the coefficients of the torque constraints are computed, in the checks on a finer grid and in the trajectory,
which only kinetrace makes here.

    python benchmarks/time_scaling.py --paths 20 --repeats 3
    python benchmarks/time_scaling.py --quick

needs toppra, and pin for the comparison.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import numpy as np
import shared

import kinetrace as kt

shared.needed("toppra")


def peer(robot: kt.Robot, grid: int) -> Callable[[np.ndarray], float] | None:
    """The duration of a path, by toppra and Pinocchio; None where that is missing."""
    pinocchio = shared.package("pinocchio")
    if pinocchio is None:
        return None
    import toppra.algorithm
    import toppra.constraint
    import toppra.interpolator

    logging.getLogger("toppra").setLevel(logging.CRITICAL)
    model = kt.interop.pinocchio.to_model(robot)
    data = model.createData()
    limits = [np.stack([-x, x], axis=1) for x in (robot.limits.effort, robot.limits.velocity)]

    def torque(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return pinocchio.rnea(model, data, q, v, a)

    def duration(way: np.ndarray) -> float:
        lengths = np.linalg.norm(np.diff(way, axis=0), axis=1)
        places = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
        path = toppra.interpolator.SplineInterpolator(places, way, bc_type="natural")
        both = toppra.constraint.DiscretizationType.Interpolation
        effort = toppra.constraint.JointTorqueConstraint(torque, limits[0], np.zeros(robot.nv), both)
        speed = toppra.constraint.JointVelocityConstraint(limits[1])
        s = (1.0 - np.cos(np.pi * np.linspace(0.0, 1.0, grid + 1))) / 2.0
        solver = toppra.algorithm.TOPPRA([effort, speed], path, gridpoints=s, solver_wrapper="seidel")
        _, rate, _ = solver.compute_parameterization(0.0, 0.0)
        return float((2.0 * np.diff(s) / (rate[:-1] + rate[1:])).sum())

    return duration


def main() -> None:
    """Print a table."""
    parser = shared.parser(__doc__)
    parser.add_argument("--paths", type=int, default=20, help="number of paths")
    parser.add_argument("--grid", type=int, default=1000, help="number of intervals of each path")
    parser.add_argument("--repeats", type=int, default=3, help="how often all paths are timed; the best counts")
    given = shared.options(parser, paths=2, grid=100, repeats=1)
    robot = shared.load("panda")
    ways = robot.random((given.paths, 5), seed=0)

    def ours(way: np.ndarray) -> float:
        return kt.motion.time_scaling(robot, way, grid=given.grid, position=False).duration

    solvers: dict[str, Callable[[np.ndarray], float]] = {"kinetrace": ours}
    if (theirs := peer(robot, given.grid)) is not None:
        solvers["toppra + Pinocchio"] = theirs
    times: dict[str, list[float]] = {name: [] for name in solvers}
    found = {}
    ours(ways[0])
    for _ in range(given.repeats):
        for name, solve in solvers.items():
            begin = time.perf_counter()
            found[name] = np.array([solve(way) for way in ways])
            times[name].append((time.perf_counter() - begin) / given.paths)
    print(f"{'':22}{'ms per path':>12}{'spread':>10}")
    for name, x in times.items():
        print(f"{name:22}{1e3 * min(x):>12.1f}{max(x) / min(x):>9.2f}×")
    if theirs is None:
        return
    ratio = min(times["toppra + Pinocchio"]) / min(times["kinetrace"])
    off = np.abs(found["kinetrace"] / found["toppra + Pinocchio"] - 1.0).max()
    print(f"{ratio:.1f} times as fast; durations differ by at most {off:.1e}")


if __name__ == "__main__":
    main()
