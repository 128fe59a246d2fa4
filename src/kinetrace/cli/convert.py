"""`kinetrace convert`: a robot in another format, and what that format does not say."""

from __future__ import annotations

import argparse
from typing import Any

from .. import InputError, load
from ..robot.saving import FORMATS
from ..support.tables import console
from .shared import Commands, add_command, add_json, add_robot, print_json


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
    parser.add_argument(
        "--xacro-arg", metavar="NAME=VALUE", action="append", default=[], help="argument of a xacro file (repeatable)"
    )
    parser.add_argument(
        "--package", metavar="NAME=DIR", action="append", default=[], help="folder of a package (repeatable)"
    )
    parser.add_argument("--lossy", action="store_true", help="write it even if the robot moves in another way there")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Load, and save."""
    given: dict[str, Any] = {
        "packages": _pairs(args.package, "--package"),
        "xacro_args": _pairs(args.xacro_arg, "--xacro-arg"),
    }
    robot = load(args.robot, base=args.base, closures=args.closures, **given)
    unsaid = robot.save(args.out, lossy=args.lossy)
    if args.json:
        print_json({"file": args.out, "robot": robot.name, "unsaid": list(unsaid)})
        return 0
    out = console()
    out.print(f"{args.out}: {robot.name}, nq = {robot.nq}, nv = {robot.nv}", soft_wrap=True, markup=False)
    for line in unsaid:
        out.print(f"not said: {line}", soft_wrap=True, markup=False)
    return 0


def _pairs(words: list[str], option: str) -> dict[str, str]:
    """NAME=VALUE, several times."""
    wrong = next((word for word in words if "=" not in word), None)
    if wrong is not None:
        raise InputError(f"{option} takes NAME=VALUE, got {wrong!r}")
    return dict(word.split("=", 1) for word in words)
