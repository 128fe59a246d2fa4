"""`kinetrace robots`: the robots that come with the package."""

from __future__ import annotations

import argparse
from typing import Any

from .. import load, robot_names
from ..lie import inertia
from ..model import zoo
from ..support.tables import console, show, table
from .shared import Commands, add_command, add_json, print_json


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "robots",
        run,
        "List the bundled robots",
        "Use these names as ROBOT in the other commands, and in Python in\n`kinetrace.load(name)`.",
        [
            ("kinetrace robots", "the list"),
            ("kinetrace robots --json", "the same for a program"),
            ("kinetrace info panda", "more about one of them"),
        ],
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List the robots."""
    found = [_summary(name) for name in robot_names()]
    if args.json:
        print_json(found)
        return 0
    listing = table("name", "nq", "nv", "dof", "what it is", right=("nq", "nv", "dof"))
    for robot in found:
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
