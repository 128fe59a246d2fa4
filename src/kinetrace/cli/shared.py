"""What the commands share: their help's layout, the robot argument, output for people and for machines."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np

from .. import InputError, load
from ..model.builder import Base
from ..robot import Robot

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
NEGATIVE = re.compile(r"-\.?\d")
"""How numbers begin that are no options."""
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
    for option, metavar, meaning in (
        ("--package", "NAME=DIR", "folder of a package:// in the file (repeatable)"),
        ("--xacro-arg", "NAME=VALUE", "argument of a xacro file (repeatable)"),
    ):
        parser.add_argument(option, metavar=metavar, action="append", default=[], help=meaning)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON, for other programs")


def add_numbers(parser: argparse.ArgumentParser, option: str, meaning: str) -> None:
    """Declare an option that takes numbers with commas between."""
    parser._negative_number_matcher = NEGATIVE  # also of several with commas between, as in Python 3.14
    parser.add_argument(option, metavar="X,X,…", help=meaning)


def numbers_of(option: str, text: str) -> Any:
    """The numbers of such an option."""
    try:
        return np.array([float(x) for x in text.split(",")])
    except ValueError:
        raise InputError(f"{option} must be numbers with commas between, got {text!r}") from None


def robot_of(args: argparse.Namespace) -> Robot:
    """The robot that the arguments choose."""
    packages, given = _pairs(args.package, "--package"), _pairs(args.xacro_arg, "--xacro-arg")
    return load(args.robot, base=args.base, closures=args.closures, packages=packages, xacro_args=given)


def _pairs(words: list[str], option: str) -> dict[str, str]:
    """NAME=VALUE, several times."""
    wrong = next((word for word in words if "=" not in word), None)
    if wrong is not None:
        raise InputError(f"{option} takes NAME=VALUE, got {wrong!r}")
    return dict(word.split("=", 1) for word in words)


def print_json(content: object) -> None:
    """Print a value as strict JSON: nothing in it may be infinite."""
    print(json.dumps(content, indent=2, allow_nan=False))


def not_onto_itself(robot: str, out: str | os.PathLike[str]) -> None:
    """An error if a file to be written is the one that the robot was read from."""
    try:
        same = os.path.samefile(os.path.expanduser(robot), os.path.expanduser(out))
    except (OSError, ValueError):
        return
    if same:
        raise InputError(f"{str(out)!r} is the robot's own file, which is not overwritten: give another name")
