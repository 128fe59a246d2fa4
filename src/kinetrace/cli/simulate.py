"""`kinetrace simulate` and `kinetrace rollout`: a robot in motion."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from .. import InputError, Robot, Trajectory
from ..simulate.adaptive import SOLVERS
from ..simulate.inputs import finite
from ..simulate.motion import STEPS
from ..simulate.names import names_of
from .shared import Commands, add_command, add_json, add_robot, console, plural, print_json, robot_of, show, table


def add(commands: Commands) -> None:
    """Declare both commands."""
    parser = add_command(
        commands,
        "simulate",
        simulate,
        "Let a robot move under constant joint forces",
        "From a state at rest, or a given one, under gravity and constant joint forces.\n"
        "What moves, how well energy is kept and how closed the loops are is shown;\n"
        "--out keeps the motion, --plot draws it. In Python it is Robot.simulate, which\n"
        "takes controllers, wrenches, events and batches.",
        [
            ("kinetrace simulate panda --time 5", "it falls"),
            ("kinetrace simulate ur5e --method DOP853 --dt 0.01", "adaptive steps"),
            ("kinetrace simulate planar2r --q 1,0 --out a.npz", "keep the motion"),
            ("kinetrace simulate four_bar --v 3 --plot a.png", "draw it"),
        ],
    )
    add_robot(parser)
    parser.add_argument("--time", type=float, default=1.0, help="until this time [s] (default: %(default)s)")
    _add_state(parser)
    parser.add_argument("--tau", metavar="X,X,…", help="joint forces [N m, N] (default: none)")
    _add_method(parser, *STEPS, *SOLVERS)
    parser.add_argument("--record", type=int, default=1, metavar="K", help="keep every K-th step (default: all)")
    _add_output(parser)
    parser = add_command(
        commands,
        "rollout",
        rollout,
        "Let a robot move under joint forces from a file",
        "One row of joint forces per step: the array `tau` (T, nv) of an .npz file, such\n"
        "as `kinetrace simulate --out` writes, or a .csv file with nv columns, or with\n"
        "those of a trajectory. In Python it is Robot.rollout.",
        [
            ("kinetrace rollout panda --tau tau.csv --dt 1e-3", "show where it leads"),
            ("kinetrace rollout panda --tau a.npz --out b.npz", "keep the motion"),
        ],
    )
    add_robot(parser)
    _add_state(parser)
    parser.add_argument("--tau", metavar="FILE", required=True, help="joint forces, one row per step")
    _add_method(parser, *STEPS)
    _add_output(parser)


def _add_state(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dt", type=float, default=1e-3, help="time of a step [s] (default: %(default)s)")
    parser.add_argument("--q", metavar="X,X,…", help="configuration (default: neutral, or with loops closed)")
    parser.add_argument("--v", metavar="X,X,…", help="velocity, or the independent ones (default: at rest)")


def _add_method(parser: argparse.ArgumentParser, *names: str) -> None:
    parser.add_argument(
        "--method", metavar="NAME", choices=names, default="rkmk4", help=f"{', '.join(names)} (default: %(default)s)"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", help="write the motion (.npz, .csv or .parquet)")
    parser.add_argument("--plot", metavar="FILE", help="draw the motion (.png, .svg or .pdf)")
    add_json(parser)


def simulate(args: argparse.Namespace) -> int:
    """Simulate a robot and show what became of it."""
    from rich.progress import Progress

    robot, screen = robot_of(args), console()
    q, v = _state(robot, args)
    tau = None if args.tau is None else _numbers("--tau", args.tau)
    with Progress(console=screen, transient=True, disable=args.json or not screen.is_terminal) as bar:
        task, begin = bar.add_task("Simulating", total=None), time.perf_counter()
        motion = robot.simulate(
            q,
            v,
            args.time,
            args.dt,
            tau=tau,
            method=args.method,
            record=args.record,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )
    return _finish(motion, robot, args, time.perf_counter() - begin)


def rollout(args: argparse.Namespace) -> int:
    """Roll out joint forces from a file."""
    robot = robot_of(args)
    (q, v), tau = _state(robot, args), _forces(Path(args.tau), robot.nv)
    begin = time.perf_counter()
    found = robot.rollout(q, v, tau, args.dt, method=args.method)
    spent = time.perf_counter() - begin
    rows = [np.concatenate([first[None], rest]) for first, rest in zip((q, v), found, strict=True)]
    times = args.dt * np.arange(len(rows[0]))
    held = np.concatenate([tau, tau[-1:]])[: len(times)]
    motion = Trajectory(times, rows[0], rows[1], held, args.dt, names_of(robot.model), robot.name, args.method, robot)
    return _finish(motion, robot, args, spent)


def _numbers(option: str, text: str) -> Any:
    try:
        return np.array([float(x) for x in text.split(",")])
    except ValueError:
        raise InputError(f"{option} must be numbers with commas between, got {text!r}") from None


def _state(robot: Robot, args: argparse.Namespace) -> tuple[Any, Any]:
    q = robot.assemble() if args.q is None else finite("--q", _numbers("--q", args.q), robot.nq)
    if robot.model.closures and args.q is not None:
        q = robot.assemble(q)
    v = np.zeros(robot.nv) if args.v is None else _numbers("--v", args.v)
    if robot.model.closures and len(v) == robot.dof != robot.nv:
        v = robot.velocity_map(q) @ v
    return q, finite("--v", v, robot.nv)


def _forces(path: Path, nv: int) -> Any:
    """Joint forces (T, nv) of a file."""
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}")
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                found = file["tau"]
                found = found[:-1] if "about" in file else found  # a trajectory has a row for its end, too
        else:
            with path.open(encoding="utf-8") as text:
                head = text.readline().strip()
            if head.startswith("t [s]"):
                found = Trajectory.load(path).tau[:-1]
            else:
                found = np.loadtxt(path, delimiter=",", ndmin=2)
    except (KeyError, ValueError, OSError) as error:
        raise InputError(f"{path.name!r} holds no joint forces: {error}") from error
    if found.ndim != 2:
        raise InputError(f"{path.name!r}: tau must have shape (T, {nv}), got {found.shape}")
    return finite("tau", found, nv)


def _finish(motion: Trajectory, robot: Robot, args: argparse.Namespace, spent: float) -> int:
    """Write what is asked for, and tell how it went."""
    if args.out is not None:
        motion.save(args.out)
    if args.plot is not None:
        motion.plot(args.plot)
    told = describe(motion, robot, spent)
    if args.json:
        print_json(told)
        return 0
    listing = table("joint", "q", "q at the end", "v at the end", right=("q", "q at the end", "v at the end"))
    names = motion.names
    for k, name in enumerate(names.q):
        same = len(names.q) == len(names.v)
        speed = f"{motion.v[-1, k]:.6g}" if same else ""
        listing.add_row(name, f"{motion.q[0, k]:.4g}", f"{motion.q[-1, k]:.6g}", speed)
    out = console()
    show(out, f"{robot.name}, {told['time']:g} s in steps of {told['dt']:g} s, method {told['method']}", listing)
    out.print()
    change = told["energy_end"] - told["energy_begin"]
    out.print(f"energy {told['energy_begin']:.6g} J, at the end {change:+.3g} J; largest |v| {told['fastest']:.4g}")
    if robot.model.closures:
        out.print(f"loops are open by {told['closure_residual']:.1g} at most")
    out.print(f"{plural(told['rows'], 'row', 'rows')}, {spent:.3f} s to compute", style="dim")
    return 0


def describe(motion: Trajectory, robot: Robot, spent: float) -> dict[str, Any]:
    """A motion in few numbers."""
    energy = motion.energy()
    found = {
        "robot": robot.name,
        "method": motion.method,
        "time": float(motion.t[-1]),
        "dt": motion.dt,
        "rows": len(motion),
        "seconds": spent,
        "energy_begin": float(energy[0]),
        "energy_end": float(energy[-1]),
        "fastest": float(np.abs(motion.v).max(initial=0.0)),
        "interrupted": motion.interrupted,
        "finite": not motion.failures,
        "q": motion.q[-1].tolist(),
        "v": motion.v[-1].tolist(),
    }
    if robot.model.closures:
        found["closure_residual"] = float(np.abs(motion.closure_residual()).max(initial=0.0))
    return found
