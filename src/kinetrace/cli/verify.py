"""`kinetrace verify`: check the identities of mechanics on a robot."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from .. import Robot
from ..analysis.verify import SEED, STATES, TOLERANCE, Result, Verification, examine
from ..support.tables import console, plural, show, table
from .shared import Commands, add_command, add_json, add_robot, print_json, robot_of, whole_number


def add_verify(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "verify",
        run,
        "Check that the laws of mechanics hold on a robot",
        "Each identity computes a quantity in two ways, on random states of your robot:\n"
        "velocities and derivatives of poses, forces and the rate of energy, the mass\n"
        "matrix and its factors, compiled code and plain floats. The residual is the\n"
        "largest difference relative to the size of the terms, about 1e-15 by rounding.\n"
        "Exit code 1 if an identity does not hold.",
        [
            ("kinetrace verify panda", "a bundled robot"),
            ("kinetrace verify my_robot.urdf", "your own"),
            ("kinetrace verify quadruped --base free", "on a floating base"),
            ("kinetrace verify ur5e --states 100 --seed 7", "more states, another seed"),
            ("kinetrace verify ur5e --json", "for a program"),
        ],
    )
    add_robot(parser)
    parser.add_argument(
        "--states",
        metavar="N",
        type=whole_number(1),
        help=f"number of random states (default: {STATES}, fewer for robots of many joints)",
    )
    parser.add_argument(
        "--seed", metavar="S", type=whole_number(0), default=SEED, help=f"seed of the random states (default: {SEED})"
    )
    parser.add_argument(
        "--tolerance",
        metavar="X",
        type=_tolerance,
        default=TOLERANCE,
        help=f"largest residual that passes (default: {TOLERANCE:g})",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Check every identity, and say loudly which do not hold."""
    robot = robot_of(args)
    found = _verify(robot, args, quiet=args.json)
    wrong = found.wrong
    if args.json:
        choices = {"base": args.base, **{name: getattr(found, name) for name in ("states", "seed", "tolerance")}}
        entries = [_entry(result, wrong) for result in found]
        print_json({"robot": robot.name, **choices, "holds": found.holds, "identities": entries})
    else:
        _print(robot, found, args.base)
    if wrong:
        names = ", ".join(result.identity.name for result in wrong)
        count = plural(len(wrong), "identity does", "identities do")
        print(f"kinetrace: error: {count} not hold on {robot.name!r}: {names}", file=sys.stderr)
    return 1 if wrong else 0


def _verify(robot: Robot, args: argparse.Namespace, quiet: bool) -> Verification:
    from rich.progress import track

    screen = console()
    hidden = quiet or not screen.is_terminal

    def watch(results: Iterator[Result], count: int) -> Iterable[Result]:
        return track(results, "Verifying", count, console=screen, transient=True, disable=hidden)

    return examine(robot, states=args.states, seed=args.seed, tolerance=args.tolerance, watch=watch)


def _entry(result: Result, wrong: list[Result]) -> dict[str, Any]:
    """A result for JSON, which has no NaN."""
    it = result.identity
    return {
        "name": it.name,
        "group": it.group,
        "equation": it.equation,
        "source": it.source,
        "residual": result.residual if math.isfinite(result.residual) else None,
        "status": "wrong" if result in wrong else "ok" if result.skipped is None else "skipped",
        "reason": result.skipped or result.error,
    }


def _print(robot: Robot, found: Verification, base: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    listing, group, wrong = table("identity", "source", "residual", "", right=("residual",)), None, found.wrong
    for result in found:
        it = result.identity
        if it.group != group:
            group = it.group
            listing.add_row(Text(group, style="bold"))
        if result in wrong:
            listing.add_row(f"  {it.equation}", it.source, _number(result), "WRONG", style="bold red")
        elif result.skipped is not None:
            listing.add_row(f"  {it.equation}", it.source, "skipped", "", style="dim")
        else:
            listing.add_row(f"  {it.equation}", it.source, _number(result), Text("ok", style="green"))
    out, many = console(), plural(found.states, "random state", "random states")
    show(out, f"Identities on {many} of {robot.name} ({base} base, nv = {robot.nv})", listing)
    out.print()
    for reason, names in found.skipped.items():
        out.print(f"skipped {len(names)}: {reason}")
        out.print(Padding(", ".join(names), (0, 0, 0, 2)), style="dim")
    for result in wrong:
        out.print(f"WRONG: {result.identity.name}: {found.why(result)}", style="bold red")
    out.print(found.summary, style="bold red" if wrong else "green")


def _number(result: Result) -> str:
    return f"{result.residual:.1e}"


def _tolerance(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"must be a positive number, got {text!r}")
    return number
