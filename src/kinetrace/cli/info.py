"""`kinetrace info`: bodies, joints, inertias and frames of a robot."""

from __future__ import annotations

import argparse

from ..support.tables import console
from .shared import Commands, add_command, add_json, add_robot, print_json, robot_of


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "info",
        run,
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


def run(args: argparse.Namespace) -> int:
    """Show a robot."""
    info = robot_of(args).info()
    if args.json:
        print_json(info.data)
    else:
        info.print(console())
    return 0
