"""`kinetrace simulate` and `kinetrace rollout`: a robot in motion."""

from __future__ import annotations

import argparse
import io
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args
from zipfile import BadZipFile

import numpy as np

from .. import InputError, Robot, Trajectory, World
from ..algorithms.time.methods import DEFAULT_METHOD, SOLVING_METHOD, check_joint_laws, default_step_method
from ..errors import KinetraceError, SimulationWarning, unknown_name_error, warn
from ..model import Keyframe
from ..model.configurations import many_turns_hint
from ..model.effects.idle_laws import check_laws
from ..model.effects.joint_effects import EFFECT_LAWS, with_laws
from ..simulation.adaptive_steps import SOLVERS
from ..simulation.figures import check_picture
from ..simulation.integration import PROJECTION_CHANGE, rollout_trajectory
from ..simulation.request import STEP_METHODS
from ..simulation.trajectory_files import arrays_of, check_place, file_content, reason
from ..support.conversion import finite
from ..support.tables import console, plural, show, table
from ..worlds.world import Rule
from .shared import (
    INTERRUPTED_CODE,
    Commands,
    add_command,
    add_json,
    add_numbers,
    add_robot,
    add_world,
    numbers_of,
    print_json,
    robot_of,
    world_of,
)

TIME_STEP = 1e-3
"""The time of a step [s], unless it is given."""
READ_FORMATS = (
    "an .npz file with an array tau, numbers in a .csv file, and trajectories (.npz, .csv, .parquet) are read"
)


def add_simulate(commands: Commands) -> None:
    """Declare `simulate`."""
    parser = add_command(
        commands,
        "simulate",
        simulate,
        "Simulate a robot under constant joint forces",
        "Starts at rest, in a given state or a keyframe, under gravity and constant\n"
        "joint forces or controls: those of a keyframe go on, so that servos hold it.\n"
        "Prints the motion of the joints, the energy error and the residual of closed\n"
        "loops; -o writes the motion, --plot draws it. In Python: Robot.simulate,\n"
        "which takes controllers, wrenches, moving bases, events and batches.",
        [
            ("kinetrace simulate panda --time 5", "fall for 5 s"),
            ("kinetrace simulate ur5e --method DOP853 --dt 0.01", "adaptive steps"),
            ("kinetrace simulate planar2r --q 1,0 -o a.npz", "write the motion"),
            ("kinetrace simulate four_bar --v 3 --plot a.png", "draw it"),
            ("kinetrace simulate quadruped --base free", "on a floating base"),
            ("kinetrace simulate panda --limits hard", "joints stop there"),
            ("kinetrace simulate robot.xml --keyframe home", "servos hold it"),
            ("kinetrace simulate quadruped --base free --world ground", "on the ground"),
        ],
    )
    add_robot(parser)
    parser.add_argument("--dt", type=float, default=TIME_STEP, help="time step [s] (default: %(default)s)")
    parser.add_argument("--time", type=float, default=1.0, help="end of the simulation [s] (default: %(default)s)")
    _add_state(parser)
    parser.add_argument("--keyframe", metavar="NAME", help="begin in a state that the file names, with its controls")
    parser.add_argument("--tau", metavar="X,X,…", help="joint forces [N m, N] (default: none)")
    parser.add_argument("--control", metavar="X,X,…", help="controls of the actuators (default: of the keyframe)")
    _add_method(parser, *STEP_METHODS, *SOLVERS)
    parser.add_argument("--record", type=int, default=1, metavar="K", help="keep every K-th step (default: all)")
    add_world(parser)
    parser.add_argument(
        "--pairs", metavar="NAME,…", help=f"which shapes may touch: {', '.join(get_args(Rule))}, or two names a:b"
    )
    parser.add_argument("--contact-friction", type=float, metavar="MU", help="coefficient of friction of all contacts")
    _add_output(parser)


def add_rollout(commands: Commands) -> None:
    """Declare `rollout`."""
    parser = add_command(
        commands,
        "rollout",
        rollout,
        "Simulate a robot under joint forces from a file",
        "One row of joint forces per step: the array `tau` (T, nv) of an .npz file, a\n"
        ".csv file with nv columns, or a trajectory such as `kinetrace simulate -o`\n"
        "writes, with a row for every step. In Python: Robot.rollout.",
        [
            ("kinetrace rollout panda --tau tau.csv --dt 1e-3", "print a summary"),
            ("kinetrace rollout panda --tau a.npz -o b.npz", "write the motion"),
        ],
    )
    add_robot(parser)
    parser.add_argument("--dt", type=float, help=f"time step [s] (default: that of the trajectory, or {TIME_STEP})")
    _add_state(parser)
    parser.add_argument("--tau", metavar="FILE", required=True, help="joint forces, one row per step")
    _add_method(parser, *STEP_METHODS)
    _add_output(parser)


def _add_state(parser: argparse.ArgumentParser) -> None:
    add_numbers(parser, "--q", "initial configuration (default: home, within the limits, with loops closed)")
    parser.add_argument("--v", metavar="X,X,…", help="initial velocity, all or only independent ones (default: 0)")


def _add_method(parser: argparse.ArgumentParser, *names: str) -> None:
    usual = f"{DEFAULT_METHOD}; {SOLVING_METHOD} with dry friction or hard stops"
    parser.add_argument("--method", metavar="NAME", choices=names, help=f"{', '.join(names)} (default: {usual})")
    for option, law, what in (
        ("friction", "friction_law", "friction in joints"),
        ("limits", "stop_law", "joint limits"),
    ):
        laws = EFFECT_LAWS[law]
        parser.add_argument(
            f"--{option}", metavar="LAW", choices=laws, help=f"{what}: {' or '.join(laws)} (default: of the robot)"
        )


def _robot(args: argparse.Namespace) -> Robot:
    """The robot that is chosen, with the laws that are asked for."""
    robot = robot_of(args)
    model = with_laws(robot.model, args.friction, args.limits)
    check_laws(model, "warn", friction_law=args.friction, stop_law=args.limits)
    try:
        check_joint_laws(model, args.method)
    except KinetraceError as error:
        raise InputError(f"{error}; of the command, --friction smooth --limits soft do, for all joints") from None
    return robot if model == robot.model else Robot(model)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", "--out", dest="output", metavar="FILE", help="write the motion (.npz, .csv or .parquet)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the motion (.png, .svg or .pdf)")
    add_json(parser)


def simulate(args: argparse.Namespace) -> int:
    """Simulate a robot and show what became of it."""
    from rich.progress import Progress

    _check_places(args)
    robot, screen = _robot(args), console()
    keyframe = _keyframe(robot, args.keyframe)
    q, v = _state(robot, args, keyframe)
    tau = None if args.tau is None else numbers_of("--tau", args.tau)
    control, state = _controls(robot, args, keyframe)
    world = _world(args)
    with Progress(console=screen, transient=True, disable=args.json or not screen.is_terminal) as bar:
        task, begin = bar.add_task("Simulating", total=None), time.perf_counter()
        motion = robot.simulate(
            q,
            v,
            args.time,
            args.dt,
            tau=tau,
            control=control,
            state=state,
            method=args.method,
            record=args.record,
            world=world,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )
    return _finish(motion, robot, args, time.perf_counter() - begin)


def _world(args: argparse.Namespace) -> World | None:
    """The world that is asked for."""
    world = world_of(args)
    if world is None:
        if args.pairs is not None or args.contact_friction is not None:
            raise InputError("--pairs and --contact-friction are of a world: --world ground")
        return None
    if args.pairs is not None:
        chosen = [tuple(x.split(":", 1)) if ":" in x else x for x in args.pairs.split(",")]
        world = replace(world, pairs=chosen)
    return world if args.contact_friction is None else replace(world, friction=args.contact_friction)


def rollout(args: argparse.Namespace) -> int:
    """Roll out joint forces from a file."""
    _check_places(args)
    robot = _robot(args)
    (q, v), (tau, dt) = _state(robot, args), _forces(Path(args.tau), robot.nv)
    dt, begin = dt if args.dt is None else args.dt, time.perf_counter()
    method = default_step_method(robot.model) if args.method is None else args.method
    motion = rollout_trajectory(robot, q, v, tau, dt, method)
    return _finish(motion, robot, args, time.perf_counter() - begin)


def _check_places(args: argparse.Namespace) -> None:
    """An error if what is asked for cannot be written, before anything is computed."""
    if args.output is not None:
        check_place(Path(args.output))
    if args.plot is not None:
        check_picture(Path(args.plot))


def _keyframe(robot: Robot, name: str | None) -> Keyframe | None:
    """The keyframe of that name."""
    if name is None or name in robot.keyframes:
        return None if name is None else robot.keyframes[name]
    if not robot.keyframes:
        raise InputError(f"--keyframe: {robot.name!r} has no keyframes; those of MJCF and .json files are read")
    raise unknown_name_error("keyframe", name, robot.keyframes)


def _controls(robot: Robot, args: argparse.Namespace, keyframe: Keyframe | None) -> tuple[Any, Any]:
    """Controls of the actuators, and their activations at the beginning; None where joint forces act."""
    if args.control is None and (keyframe is None or args.tau is not None or not robot.actuator_names):
        return None, None
    given = args.control is not None
    control = numbers_of("--control", args.control) if given or keyframe is None else keyframe.control
    has_state = keyframe is not None and keyframe.activation.size
    return control, {"activation": keyframe.activation} if keyframe is not None and has_state else None


def _state(robot: Robot, args: argparse.Namespace, keyframe: Keyframe | None = None) -> tuple[Any, Any]:
    home = robot.home() if keyframe is None else keyframe.q
    q = home if args.q is None else finite("--q", numbers_of("--q", args.q), robot.nq)
    if args.q is not None:
        wanted, q = q, np.asarray(robot.project(q))
        by = np.abs(robot.difference(wanted, q)).max(initial=0.0)
        if by > PROJECTION_CHANGE:
            told = f"loops are open at --q: closing them changed it by up to {by:.2g}"
            warn("; ".join(filter(None, [told, many_turns_hint(robot.model, wanted, "--q")])), SimulationWarning)
    still = np.zeros(robot.nv) if keyframe is None else keyframe.v
    v = still if args.v is None else numbers_of("--v", args.v)
    if len(v) == robot.dof != robot.nv:
        v = robot.velocity_map(q) @ v
    return q, finite("--v", v, robot.nv)


def _forces(path: Path, nv: int) -> tuple[Any, float]:
    """Joint forces (T, nv) of a file, and the time of a step."""
    content = file_content(path)
    try:
        if _is_trajectory(path.suffix, content):
            forces, dt = _forces_of(Trajectory.load(path), path.name)
        elif path.suffix == ".npz":
            with arrays_of(content) as arrays:
                forces, dt = arrays["tau"], TIME_STEP
        else:
            if not content.strip():
                raise ValueError("it is empty")
            forces, dt = np.loadtxt(io.BytesIO(content), delimiter=",", ndmin=2), TIME_STEP
    except (KeyError, ValueError, OSError, BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path.name!r} holds no joint forces: {reason(error)}; {READ_FORMATS}") from error
    if forces.ndim != 2:
        raise InputError(f"{path.name!r}: tau must have shape (T, {nv}), got {forces.shape}")
    return finite("tau", forces, nv), dt


def _is_trajectory(suffix: str, content: bytes) -> bool:
    """Whether `Trajectory.save` wrote a file, rather than somebody forces alone."""
    if suffix == ".npz":
        with arrays_of(content) as arrays:
            return "about" in arrays
    return suffix == ".parquet" or (suffix == ".csv" and content.startswith((b"t [s]", b"lane")))


def _forces_of(motion: Trajectory, name: str) -> tuple[Any, float]:
    """The forces of all steps of a trajectory, which has a row for its end, too; and the time of a step."""
    if motion.q.ndim > 2:
        raise InputError(f"{name!r} holds a batch {motion.q.shape[:-2]} of motions: save one, motion.lane(...)")
    if not np.allclose(np.diff(motion.t), motion.dt, rtol=1e-6, atol=0.0):
        every = "record every step (record=1, of the command --record 1)"
        raise InputError(f"{name!r} has no row for every step of {motion.dt:g} s: {every}")
    return motion.tau[:-1], motion.dt


def _finish(motion: Trajectory, robot: Robot, args: argparse.Namespace, spent: float) -> int:
    """Write what is asked for, and tell how it went; exit code 1 if the motion was lost, 130 after Ctrl-C."""
    if args.output is not None:
        motion.save(args.output)
    if args.plot is not None:
        motion.plot(args.plot)
    summary = describe(motion, robot, spent)
    code = INTERRUPTED_CODE if motion.interrupted else 0 if summary["finite"] else 1
    if args.json:
        print_json(summary)
        return code
    out = console()
    title = f"{robot.name}, {summary['time']:g} s in steps of {summary['dt']:g} s, method {summary['method']}"
    show(out, title, _listing(motion, robot))
    out.print()
    change = summary["energy_end"] - summary["energy_begin"]
    energy = f"energy {summary['energy_begin']:.6g} J, changed by {change:+.3g} J"
    out.print(f"{energy}; largest |v| {summary['fastest']:.4g}")
    if "closure_residual" in summary:
        out.print(f"loops are open by {summary['closure_residual']:.1g} at most")
    if "contacts" in summary:
        pushing = summary["contacts"]
        told = ", ".join(f"{name} {force:.4g} N" for name, force in list(pushing.items())[:8])
        out.print(f"{plural(len(pushing), 'contact', 'contacts')} at the end{': ' * bool(told)}{told}")
    out.print(f"{plural(summary['rows'], 'row', 'rows')}, {spent:.3f} s to compute", style="dim")
    return code


def _listing(motion: Trajectory, robot: Robot) -> Any:
    """A row for each number of q, with its velocity; those of quaternions and free joints have rows of their own."""
    right, names, beyond = ("q", "q at the end", "v at the end"), motion.names, dict[str, list[str]]()
    for x in motion.beyond_limits():
        beyond.setdefault(x.joint, []).append(f"{x.by:.3g} {x.unit}")
    listing = table("joint", *right, *(["beyond limits by"] if beyond else []), right=right)

    def add_row(joint: str, label: str, *values: str) -> None:
        remarks = ", ".join(beyond.pop(joint, []))
        listing.add_row(label, *values, *([remarks] if remarks else []))

    for body in robot.model.independent_joints:
        at, speeds = robot.model.slices[body.index]
        values = [f"{x:.6g}" for x in motion.v[-1, speeds]]
        same = body.joint.nq == body.joint.nv
        for k, name in enumerate(names.q[at]):
            first, last = motion.q[0, at][k], motion.q[-1, at][k]
            add_row(name, name, f"{first:.4g}", f"{last:.6g}", values[k] if same else "")
        for k, name in enumerate(names.v[speeds] if not same else ()):
            add_row(name, f"{name} [{names.v_units[speeds][k]}]", "", "", values[k])
    return listing


def describe(motion: Trajectory, robot: Robot, spent: float) -> dict[str, Any]:
    """A motion in few numbers."""
    energy = motion.energy()
    summary = {
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
        "beyond_limits": [{**x._asdict(), "by": x.by} for x in motion.beyond_limits()],
        "q": motion.q[-1].tolist(),
        "v": motion.v[-1].tolist(),
    }
    if robot.model.closures:
        summary["closure_residual"] = float(np.abs(motion.closure_residual()).max(initial=0.0))
    if motion.world is not None:
        contacts = motion[-1:].contacts
        forces = zip(contacts.names, contacts.normal_forces[0].tolist(), strict=True)
        summary["contacts"] = {name: x for name, x in forces if x > 0.0}
        summary["contact_residual"] = float(np.nanmax(contacts.residual, initial=0.0))
    return summary
