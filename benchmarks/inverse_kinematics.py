"""Inverse kinematics of reachable poses: success, time and solves per second, beside other libraries in one run.

    python benchmarks/inverse_kinematics.py --help

Targets are poses at random configurations within the joint limits of a Panda, a UR5e and, if the package
example-robot-data is installed, an xArm7, which no setting was chosen on. Every loop has the same tolerance, the same
number of starts from the same random configurations (the library chooses its own), and joint limits.

- kinetrace: `robot.inverse_kinematics` on all targets in one call, on one thread and on all; then one call per target
- Pinocchio: the loop of its documentation, damped least squares with the Jacobian of the logarithm, with whole steps
  and clipped to the limits
- pink: `solve_ik` with a `FrameTask`, by daqp
- mink: `solve_ik` with a `FrameTask` and a `ConfigurationLimit`, by daqp

Those that are not installed are skipped by name. With --quick all have few targets and starts. In the end the table of
docs/inverse_kinematics.md is printed, and how many of 200,000 targets are solved at least.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import shared

import kinetrace as kt

Array = Any
Solver = Callable[[Array, Array], tuple[Array, bool, int]]
"""(goal (4, 4), starts (n, nq)) → configuration, whether it converged, and the number of steps."""


class Row(NamedTuple):
    """One line of the table."""

    name: str
    solved: float
    """Part of the targets, checked by poses of kinetrace."""
    seconds: float
    """Per target: the best of several runs, or the mean of one."""
    spread: str
    targets: int


def arms() -> Iterator[tuple[str, kt.Robot, str]]:
    """Robots, with the frames that have goals."""
    yield "panda", shared.load("panda"), "panda_hand"
    yield "ur5e", shared.load("ur5e"), "tool0"
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return
    for file in files:
        if file.name == "xarm7.urdf":
            yield "xarm7", shared.load(file.locate(), check="ignore"), "link7"


def distance(X: Array, goal: Array) -> tuple[Array, Array]:
    """Distance and angle between poses."""
    angle = np.linalg.norm(X[..., :3, :3] - goal[..., :3, :3], axis=(-2, -1)) / np.sqrt(8)
    return np.linalg.norm(X[..., :3, 3] - goal[..., :3, 3], axis=-1), 2 * np.arcsin(np.clip(angle, 0, 1))


def solved(robot: kt.Robot, frame: str, q: Array, goals: Array, tolerance: float) -> float:
    """Part of configurations that are within the limits and at their goals."""
    position, angle = distance(robot.pose(q, frame), goals)
    inside = np.all((q >= robot.limits.lower - 1e-9) & (q <= robot.limits.upper + 1e-9), axis=-1)
    return float(np.mean((position <= 1.01 * tolerance) & (angle <= 1.01 * tolerance) & inside))


def own(robot: kt.Robot, frame: str, goals: Array, few: int, options: argparse.Namespace) -> Iterator[Row]:
    """kinetrace: one call for all targets, and one for each of a few."""
    settings = {"tolerance": options.tolerance, "restarts": options.restarts}
    robot.inverse_kinematics(goals[:100], frame, **settings)
    robot.inverse_kinematics(goals[0], frame, **settings)
    for threads in (1, None):
        times = []
        for _ in range(options.runs):
            begin = time.perf_counter()
            found = robot.inverse_kinematics(goals, frame, threads=threads, **settings)
            times.append((time.perf_counter() - begin) / len(goals))
        spread = f"{1e6 * min(times):.2f}–{1e6 * max(times):.2f} µs"
        name = "kinetrace, batch, " + ("1 thread" if threads else "all threads")
        yield Row(name, solved(robot, frame, found.q, goals, options.tolerance), min(times), spread, len(goals))
    begin, q = time.perf_counter(), []
    for goal in goals[:few]:
        q.append(robot.inverse_kinematics(goal, frame, **settings).q)
    seconds = (time.perf_counter() - begin) / few
    yield Row(
        "kinetrace, one by one", solved(robot, frame, np.array(q), goals[:few], options.tolerance), seconds, "", few
    )


def looped(name: str, solve: Solver, robot: kt.Robot, frame: str, goals: Array, options: argparse.Namespace) -> Row:
    """Another library, one target after the other."""
    starts = robot.random((len(goals), options.restarts + 1), seed=5)
    solve(goals[0], starts[0])
    times, found = [], []
    for goal, begin in zip(goals, starts, strict=True):
        now = time.perf_counter()
        found.append(solve(goal, begin)[0])
        times.append(time.perf_counter() - now)
    spread = f"median {1e6 * np.median(times):.0f} µs"
    return Row(
        name, solved(robot, frame, np.array(found), goals, options.tolerance), float(np.mean(times)), spread, len(goals)
    )


def pinocchio_loop(folder: Path, robot: kt.Robot, frame: str, options: argparse.Namespace) -> Solver:
    """Damped least squares, as Pinocchio's documentation has it."""
    import pinocchio as pin

    robot.save(folder / "arm.urdf")
    model = pin.buildModelFromUrdf(str(folder / "arm.urdf"))
    data, frame_id = model.createData(), model.getFrameId(frame)
    lower, upper = model.lowerPositionLimit, model.upperPositionLimit

    def solve(goal: Array, starts: Array) -> tuple[Array, bool, int]:
        steps, q, target = 0, starts[0], pin.SE3(goal)
        for start in starts:
            q = start.copy()
            for _ in range(options.iterations):
                pin.forwardKinematics(model, data, q)
                pose = pin.updateFramePlacement(model, data, frame_id)
                to_goal = pose.actInv(target)
                error = pin.log(to_goal).vector
                if max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:])) < options.tolerance:
                    return q, True, steps
                J = -pin.Jlog6(to_goal.inverse()) @ pin.computeFrameJacobian(model, data, q, frame_id)
                v = -J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error)
                q = np.clip(pin.integrate(model, q, v), lower, upper)
                steps += 1
        return q, False, steps

    return solve


def pink_loop(folder: Path, robot: kt.Robot, frame: str, options: argparse.Namespace) -> Solver:
    """`pink.solve_ik` with a frame task, within position and velocity limits."""
    import pink
    import pinocchio as pin

    robot.save(folder / "arm.urdf")
    model = pin.buildModelFromUrdf(str(folder / "arm.urdf"))
    data = model.createData()
    task = pink.tasks.FrameTask(frame, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3, gain=1.0)

    def solve(goal: Array, starts: Array) -> tuple[Array, bool, int]:
        steps, configuration = 0, pink.Configuration(model, data, starts[0])
        task.set_target(pin.SE3(goal))
        for start in starts:
            configuration.update(start)
            for _ in range(options.iterations):
                error = task.compute_error(configuration)
                if max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:])) < options.tolerance:
                    return np.array(configuration.q), True, steps
                try:
                    v = pink.solve_ik(configuration, [task], 1.0, solver="daqp", damping=1e-6, safety_break=False)
                except pink.exceptions.PinkError:
                    break
                configuration.integrate_inplace(v, 1.0)
                steps += 1
        return np.array(configuration.q), False, steps

    return solve


def mink_loop(folder: Path, robot: kt.Robot, frame: str, options: argparse.Namespace) -> Solver:
    """`mink.solve_ik` with a frame task, within position limits."""
    import mink
    import mujoco

    tool = np.linalg.inv(robot.pose(robot.home(), last_body(robot, frame))) @ robot.pose(robot.home(), frame)
    robot.save(folder / "arm.xml")
    model = mujoco.MjModel.from_xml_path(str(folder / "arm.xml"))
    configuration = mink.Configuration(model)
    task = mink.FrameTask(last_body(robot, frame), "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
    limits, shift = [mink.ConfigurationLimit(model, gain=1.0)], np.linalg.inv(tool)

    def solve(goal: Array, starts: Array) -> tuple[Array, bool, int]:
        steps = 0
        task.set_target(mink.SE3.from_matrix(goal @ shift))
        for start in starts:
            configuration.update(start)
            for _ in range(options.iterations):
                error = task.compute_error(configuration)
                if max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:])) < options.tolerance:
                    return configuration.q.copy(), True, steps
                try:
                    v = mink.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-6, limits=limits)
                except mink.exceptions.MinkError:
                    break
                configuration.integrate_inplace(v, 1.0)
                steps += 1
        return configuration.q.copy(), False, steps

    return solve


def last_body(robot: kt.Robot, frame: str) -> str:
    """The body that a frame is fixed to: MuJoCo knows bodies by name."""
    return robot.model.bodies[robot.model.frame(frame).body].name


PEERS: dict[str, tuple[Callable[..., Solver], tuple[str, ...]]] = {
    "Pinocchio loop": (pinocchio_loop, ("pinocchio",)),
    "pink, daqp": (pink_loop, ("pink", "daqp")),
    "mink, daqp": (mink_loop, ("mink", "daqp")),
}
"""Name → what makes it, and the packages that it needs."""


TITLES = {"panda": "Panda", "ur5e": "UR5e", "xarm7": "xArm7"}
"""Names of arms in the table of the page."""
COLUMNS = {
    "kinetrace, batch, all threads": "one call for all",
    "kinetrace, one by one": "one call each",
    "Pinocchio loop": "Pinocchio loop",
    "pink, daqp": "pink",
    "mink, daqp": "mink",
}
"""Names of rows → columns of the table of the page."""


def page_row(name: str, rows: list[Row]) -> str:
    """The row of an arm in the table of the page; – for what was not measured."""
    seconds = {x.name: x.seconds for x in rows}
    times = [seconds.get(x) for x in COLUMNS]
    cells = ["–" if x is None else f"{1e6 * x:.2f} µs" if x < 2e-5 else f"{1e3 * x:.3g} ms" for x in times]
    return f"| {TITLES[name]} | {100 * min(x.solved for x in rows[:3]):.4g} % | {' | '.join(cells)} |"


def most(robot: kt.Robot, frame: str, options: argparse.Namespace) -> int:
    """How many of many targets are solved."""
    goals = robot.pose(robot.random(options.many, seed=2), frame)
    found = robot.inverse_kinematics(goals, frame, tolerance=options.tolerance, restarts=options.restarts)
    return round(options.many * solved(robot, frame, found.q, goals, options.tolerance))


def show(rows: list[Row], few: int) -> None:
    """Print the table of an arm."""
    print(f"{'':31}{'targets':>8}{'solved':>9}{'time each':>13}{'solves/s':>12}{'batch is':>10}  spread")
    for row in rows:
        ratio = f"{row.seconds / rows[1].seconds:.0f}×" if row.targets == few else ""
        times = f"{1e6 * row.seconds:.1f} µs {1 / row.seconds:11,.0f}"
        print(f"{row.name:31}{row.targets:8}{row.solved:9.2%}{times:>25}{ratio:>10}  {row.spread}")


def main() -> None:
    """Print one table per arm, and that of the page."""
    parser = shared.parser(__doc__)
    parser.add_argument("--targets", type=int, default=10_000, help="targets of kinetrace (default 10,000)")
    parser.add_argument("--many", type=int, default=200_000, help="targets of which all should be solved (200,000)")
    parser.add_argument("--few", type=int, default=100, help="targets of the other loops (default 100)")
    parser.add_argument("--tolerance", type=float, default=1e-6, help="distance [m] and angle [rad] (default 1e-6)")
    parser.add_argument("--restarts", type=int, default=200, help="further starts for each target (default 200)")
    parser.add_argument("--iterations", type=int, default=50, help="steps of the other loops from a start (default 50)")
    parser.add_argument("--runs", type=int, default=5, help="runs of kinetrace's batch, of which the best counts")
    parser.add_argument("--arms", nargs="*", help="names of arms; all unless given")
    options = shared.options(parser, targets=100, many=100, few=3, restarts=5, runs=1, arms=["panda"])
    logging.disable(logging.WARNING)  # of pink, in every step at a limit
    table, least = list[str](), list[int]()
    peers = {name: make for name, (make, packages) in PEERS.items() if all(map(shared.package, packages))}
    for name, robot, frame in arms():
        if options.arms and name not in options.arms:
            continue
        goals = robot.pose(robot.random(options.targets, seed=1), frame)
        few = min(options.few, options.targets)
        rows = list(own(robot, frame, goals, few, options))
        for peer, make in peers.items():
            with tempfile.TemporaryDirectory() as folder:
                solve = make(Path(folder), robot, frame, options)
            rows.append(looped(peer, solve, robot, frame, goals[:few], options))
        print(f"\n{name}, frame {frame}: tolerance {options.tolerance:g} m and rad, {options.restarts} restarts")
        show(rows, few)
        table.append(page_row(name, rows))
        least.append(most(robot, frame, options))
    print(f"\n| arm | solved | {' | '.join(COLUMNS.values())} |\n{'|---' * (2 + len(COLUMNS))}|", *table, sep="\n")
    print(f"of {options.many:,} targets of each arm {min(least):,} are solved at least")


if __name__ == "__main__":
    main()
