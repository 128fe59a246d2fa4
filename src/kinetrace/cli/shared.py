"""What the commands share: their help's layout, the robot argument, output for people and for machines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

from .. import load
from ..model.builder import Base
from ..robot import Robot

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

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
    meaning = "a bundled robot (see `kinetrace robots`), or the path of a URDF file"
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


def console() -> Console:
    """The terminal, or whatever stands for it; names in a robot's file are never taken for markup."""
    from .terminal import Terminal

    return Terminal(markup=False, highlight=False, emoji=False)


def table(*columns: str, right: Sequence[str] = ()) -> Table:
    """An empty table; the columns named in `right` hold numbers."""
    from rich.table import Table

    made = Table(header_style="dim", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return made


def show(out: Console, title: str, listing: Table) -> None:
    """Print a table below its title."""
    out.print()
    out.print(title, style="bold")
    out.print(listing)


def plural(n: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> plural(1, "body", "bodies"), plural(1000, "body", "bodies")
    ('1 body', '1,000 bodies')
    """
    return f"{n:,} {one if n == 1 else many}"
