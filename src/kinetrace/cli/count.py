"""`kinetrace count`: what algorithms cost on a robot, in scalar operations."""

from __future__ import annotations

import argparse
import inspect
from dataclasses import asdict

from .. import InputError, KinetraceError, OpCount, Robot, algorithms
from ..errors import unknown
from .shared import Commands, add_command, add_json, add_robot, console, print_json, robot_of, show, table

COLUMNS = ("mul", "add", "div", "sqrt", "trig", "total")


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "count",
        run,
        "Count the operations that algorithms take on a robot",
        "The numbers are exact: an algorithm is traced for this one robot, with its\n"
        "constants folded, and what is left is counted. They are for one state.",
        [
            ("kinetrace count panda", "every algorithm"),
            ("kinetrace count panda -a inverse_dynamics", "one"),
            ("kinetrace count ur5e -a jacobian --frame tool0", "one, for this frame"),
            ("kinetrace count quadruped --base free", "on a floating base"),
        ],
    )
    add_robot(parser)
    parser.add_argument("-a", "--algorithm", metavar="NAME", help="count this one only (default: all)")
    parser.add_argument(
        "-f", "--frame", metavar="FRAME", help="for algorithms about a frame (default: the robot's last frame)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Count the operations of one algorithm or of all."""
    names = algorithm_names()
    if args.algorithm is not None and args.algorithm not in names:
        raise unknown("algorithm", args.algorithm, names)
    robot = robot_of(args)
    frame: str = robot.model.frame(args.frame).name if args.frame is not None else robot.frame_names[-1]
    if args.algorithm is not None:
        if args.frame is not None and not takes_frame(args.algorithm):
            raise InputError(f"{args.algorithm} is not about a frame; leave --frame out")
        names = [args.algorithm]
    found, skipped = _count_all(robot, names, frame)
    if args.algorithm in skipped:
        raise skipped[args.algorithm]
    if args.json:
        counts = {name: {**asdict(count), "total": total(count)} for name, count in found.items()}
        reasons = {name: str(error) for name, error in skipped.items()}
        choices = {"robot": robot.name, "base": args.base, "frame": frame}
        print_json({**choices, "counts": counts, "not_counted": reasons})
    else:
        _print(robot, found, skipped, frame)
    return 0


def algorithm_names() -> list[str]:
    """The functions among the library's algorithms."""
    return [name for name in algorithms.__all__ if inspect.isfunction(getattr(algorithms, name))]


def takes_frame(algorithm: str) -> bool:
    """Whether an algorithm is about a frame that must be named."""
    frame = inspect.signature(getattr(algorithms, algorithm)).parameters.get("frame")
    return frame is not None and frame.default is frame.empty


def total(count: OpCount) -> int:
    """All operations, a sine as one."""
    return count.flops + count.trig


def _count(robot: Robot, algorithm: str, frame: str) -> OpCount:
    return robot.count(algorithm, **({"frame": frame} if takes_frame(algorithm) else {}))


def _count_all(robot: Robot, names: list[str], frame: str) -> tuple[dict[str, OpCount], dict[str, KinetraceError]]:
    """The counts, and why there is none for some: an algorithm may need what this robot lacks."""
    from rich.progress import track

    found: dict[str, OpCount] = {}
    skipped: dict[str, KinetraceError] = {}
    screen = console()
    for name in track(names, "Tracing", console=screen, transient=True, disable=not screen.is_terminal):
        try:
            found[name] = _count(robot, name, frame)
        except KinetraceError as error:
            skipped[name] = error
    return found, skipped


def _print(robot: Robot, found: dict[str, OpCount], skipped: dict[str, KinetraceError], frame: str) -> None:
    listing = table("algorithm", *COLUMNS, right=COLUMNS)
    for name, count in found.items():
        numbers = [*(asdict(count)[kind] for kind in COLUMNS[:-1]), total(count)]
        listing.add_row(f"{name} *" if takes_frame(name) else name, *(f"{n:,}" for n in numbers))
    out = console()
    show(out, f"Scalar operations for one state of {robot.name} (nv = {robot.nv})", listing)
    out.print()
    out.print("add includes subtractions; trig counts each sine, cosine and arc tangent", style="dim")
    if any(map(takes_frame, found)):
        out.print(f"* of frame {frame!r}; --frame chooses another", style="dim")
    for name, error in skipped.items():
        out.print(f"not counted: {name}: {error}")
