"""`kinetrace diff`: what differs between two robots, and whether they move in the same way."""

from __future__ import annotations

import argparse

from ..support.tables import console
from .shared import Commands, add_command, add_json, add_robot, print_json, robot_of


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "diff",
        run,
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


def run(args: argparse.Namespace) -> int:
    """Load both, compare, tell."""
    first = robot_of(args)
    second = robot_of(argparse.Namespace(**{**vars(args), "robot": args.other}))
    found = first.difference_to(second, tolerance=args.tolerance)
    if args.json:
        print_json({"files": [args.robot, args.other], **found.as_json()})
    else:
        out = console()
        out.print(f"{args.robot}, {args.other}: {found.summary}", style="bold", soft_wrap=True)
        for change in () if args.quiet else found:
            out.print(str(change), soft_wrap=True)
        if found or not found.same_motion:
            out.print(found.verdict, soft_wrap=True)
    return int(not found.same_motion) if args.motion else int(bool(found))
