"""What the commands share: their help's layout, the robot argument, output for people and for machines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import Any, get_args

from .. import load
from ..model.builder import Base
from ..robot import Robot

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
Commands = Any
"""What `ArgumentParser.add_subparsers` returns; argparse keeps its type private."""


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    description: str,
    examples: Sequence[tuple[str, str]],
) -> argparse.ArgumentParser:
    """Declare a command; `examples` are pairs (command line, what it does)."""
    width = max(len(line) for line, _ in examples)
    listed = "\n".join(f"  {line:{width}}  # {what}" for line, what in examples)
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary}.\n\n{description}",
        epilog=f"Examples:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_robot(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Declare the arguments that choose a robot."""
    meaning = "a bundled robot (see `kinetrace robots`), or the path of a URDF, xacro, MJCF or JSON file"
    if default is None:
        parser.add_argument("robot", metavar="ROBOT", help=meaning)
    else:
        parser.add_argument(
            "robot", metavar="ROBOT", nargs="?", default=default, help=f"{meaning} (default: {default})"
        )
    parser.add_argument(
        "--base",
        choices=get_args(Base),
        default="fixed",
        help="fix the root link to the world, or let it float (default: fixed)",
    )
    parser.add_argument("--closures", metavar="FILE", help="close loops as described in a .yaml or .json file")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON, for other programs")


def robot_of(args: argparse.Namespace) -> Robot:
    """The robot that the arguments choose."""
    return load(args.robot, base=args.base, closures=args.closures)


def print_json(content: object) -> None:
    """Print a value as strict JSON: nothing in it may be infinite."""
    print(json.dumps(content, indent=2, allow_nan=False))
