"""`kinetrace info`: what a robot is made of."""

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
        "Show what a robot is made of",
        "Its sizes, its tree of bodies and joints, where each joint stands in q and v,\n"
        "its limits, its damping, friction and the like, the inertias of its bodies, its\n"
        "frames, what closes its loops and what that leaves free. Links on fixed joints\n"
        "are part of the body that carries them, and remain as frames. Units are SI and\n"
        "radians.",
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
