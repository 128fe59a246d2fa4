"""`kinetrace robots`, `info`, `diff` and `convert`: the bundled robots, one robot, two robots, another format."""

from __future__ import annotations

import argparse
from typing import Any

from .. import load, robot_names
from ..errors import InputError
from ..lie import inertia
from ..model import zoo
from ..robot.saving import FORMATS
from ..support.tables import console, show, table
from .shared import Commands, add_command, add_json, add_robot, check_other_file, print_json, robot_of


def add_robots(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "robots",
        run_robots,
        "List the bundled robots",
        "Use these names as ROBOT in the other commands, and in Python in\n`kinetrace.load(name)`.",
        [
            ("kinetrace robots", "the list"),
            ("kinetrace robots --json", "the same for a program"),
            ("kinetrace info panda", "more about one of them"),
        ],
    )
    add_json(parser)


def run_robots(args: argparse.Namespace) -> int:
    """List the robots."""
    summaries = [_summary(name) for name in robot_names()]
    if args.json:
        print_json(summaries)
        return 0
    listing = table("name", "nq", "nv", "dof", "what it is", right=("nq", "nv", "dof"))
    for robot in summaries:
        sizes = (str(robot[size]) for size in ("nq", "nv", "dof"))
        listing.add_row(robot["name"], *sizes, robot["description"])
    out = console()
    show(out, "Bundled robots", listing)
    out.print()
    out.print("nq: configuration variables; nv: velocities; dof: those that closed loops leave")
    out.print("independent. All are for a fixed base; --base free adds 7 to nq and 6 to the others.")
    return 0


def _summary(name: str) -> dict[str, Any]:
    robot = load(name)
    return {
        "name": name,
        "nq": robot.nq,
        "nv": robot.nv,
        "dof": robot.dof,
        "bodies": len(robot.model.bodies),
        "moving_mass": sum(float(inertia.mass(body.J)) for body in robot.model.bodies),
        "description": zoo.description(name),
    }


def add_info(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "info",
        run_info,
        "Show the bodies, joints, inertias and frames of a robot",
        "Prints sizes, the tree of bodies and joints, the place of each joint in q and v,\n"
        "limits, joint effects such as damping and friction, inertias, frames, closures\n"
        "and the degrees of freedom that they leave. Links on fixed joints are part of\n"
        "the body that carries them, and remain as frames. Units are SI and radians.",
        [
            ("kinetrace info panda", "a bundled robot"),
            ("kinetrace info my_robot.urdf", "your own"),
            ("kinetrace info quadruped --base free", "with a floating base"),
            ("kinetrace info four_bar", "with a closed loop"),
            ("kinetrace info leg.urdf --closures loops.yaml", "loops of your own"),
            ("kinetrace info panda --json", "for a program"),
        ],
    )
    add_robot(parser)
    add_json(parser)


def run_info(args: argparse.Namespace) -> int:
    """Show a robot."""
    info = robot_of(args).info()
    if args.json:
        print_json(info.data)
    else:
        info.print(console())
    return 0


def add_diff(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "diff",
        run_diff,
        "Show what differs between two robots",
        "Compares topology, placements, axes, limits, joint effects, masses, centres,\n"
        "moments, frames, closures, motors, gravity and home, part by part, and joint\n"
        "forces at random states, which tell whether both move in the same way: other\n"
        "link frames and other formats do not change that. The exit code is 0 if nothing\n"
        "differs, 1 if something does, 2 if a file cannot be read. --base, --closures,\n"
        "--package and --xacro-arg are those of both. In Python: Robot.difference_to.",
        [
            ("kinetrace diff old.urdf new.urdf", "what has changed?"),
            ("kinetrace diff arm.urdf arm.xml --motion", "do both move in the same way?"),
            ("kinetrace diff a.urdf b.urdf --tolerance 1e-4", "small changes do not count"),
            ("kinetrace diff panda my_panda.urdf --quiet", "the verdict alone"),
            ("kinetrace diff a.urdf b.urdf --json", "for a program"),
        ],
    )
    add_robot(parser)
    parser.add_argument("other", metavar="ROBOT", help="the robot to compare it with")
    parser.add_argument(
        "--tolerance",
        metavar="X",
        type=float,
        default=1e-9,
        help="what differs by less is the same, relative, and in m and rad (default: 1e-9)",
    )
    parser.add_argument("--motion", action="store_true", help="exit code 0 if both move in the same way")
    parser.add_argument("-q", "--quiet", action="store_true", help="print the verdict alone")
    add_json(parser)


def run_diff(args: argparse.Namespace) -> int:
    """Load both, compare, tell."""
    first = robot_of(args)
    second = robot_of(argparse.Namespace(**{**vars(args), "robot": args.other}))
    difference = first.difference_to(second, tolerance=args.tolerance)
    if args.json:
        print_json({"files": [args.robot, args.other], **difference.as_json()})
    else:
        out = console()
        out.print(f"{args.robot}, {args.other}: {difference.summary}", style="bold", soft_wrap=True)
        for change in () if args.quiet else difference:
            out.print(str(change), soft_wrap=True)
        if difference or not difference.same_motion:
            out.print(difference.verdict, soft_wrap=True)
    return int(not difference.same_motion) if args.motion else int(bool(difference))


def add_convert(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "convert",
        run_convert,
        "Write a robot in another format",
        f"OUT ends in {', '.join(FORMATS)}. JSON holds the whole model, to the last digit:\n"
        "closed loops, joint effects, limits, motors, shapes. What another format cannot\n"
        "say is listed, one line each. If that changes how the robot moves, as loops and\n"
        "armature do in URDF, nothing is written, unless --lossy.",
        [
            ("kinetrace convert arm.urdf arm.json", "every digit"),
            ("kinetrace convert a.xacro a.urdf --xacro-arg side=left", "macros expanded"),
            ("kinetrace convert four_bar bar.urdf --lossy", "says what is lost"),
            ("kinetrace convert a.urdf a.json --closures b.yaml", "with loops"),
            ("kinetrace convert panda -o panda.urdf --json", "for a program"),
        ],
    )
    add_robot(parser)
    kinds = ", ".join(f"*{x}" for x in FORMATS)
    parser.add_argument("out", metavar="OUT", nargs="?", help=f"the file to write: {kinds}")
    parser.add_argument("-o", "--output", metavar="FILE", help="the same, instead of OUT")
    parser.add_argument("--lossy", action="store_true", help="write it even if the robot moves in another way there")
    add_json(parser)


def run_convert(args: argparse.Namespace) -> int:
    """Load, and save."""
    if (args.out is None) == (args.output is None):
        raise InputError("give the file to write, OUT or -o FILE, once")
    place = args.output if args.out is None else args.out
    robot = robot_of(args)
    check_other_file(args.robot, place)
    unsaid = robot.save(place, lossy=args.lossy)
    if args.json:
        print_json({"file": place, "robot": robot.name, "unsaid": list(unsaid)})
        return 0
    out = console()
    out.print(f"{place}: {robot.name}, nq = {robot.nq}, nv = {robot.nv}", soft_wrap=True, markup=False)
    for line in unsaid:
        out.print(f"not said: {line}", soft_wrap=True, markup=False)
    return 0
