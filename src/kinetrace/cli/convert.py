"""`kinetrace convert`: a robot in another format, and what that format does not say."""

from __future__ import annotations

import argparse

from ..robot.saving import FORMATS
from ..support.tables import console
from .shared import Commands, add_command, add_json, add_robot, not_onto_itself, print_json, robot_of


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "convert",
        run,
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
            ("kinetrace convert panda panda.urdf --json", "for a program"),
        ],
    )
    add_robot(parser)
    parser.add_argument("out", metavar="OUT", help=f"the file to write: {', '.join(f'*{x}' for x in FORMATS)}")
    parser.add_argument("--lossy", action="store_true", help="write it even if the robot moves in another way there")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Load, and save."""
    robot = robot_of(args)
    not_onto_itself(args.robot, args.out)
    unsaid = robot.save(args.out, lossy=args.lossy)
    if args.json:
        print_json({"file": args.out, "robot": robot.name, "unsaid": list(unsaid)})
        return 0
    out = console()
    out.print(f"{args.out}: {robot.name}, nq = {robot.nq}, nv = {robot.nv}", soft_wrap=True, markup=False)
    for line in unsaid:
        out.print(f"not said: {line}", soft_wrap=True, markup=False)
    return 0
