"""`kinetrace optimise`: body frames and inertial parameters that make dynamics cheaper."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

import numpy as np

from .. import OpCount, Robot
from ..analysis.equivalent_models import difference
from ..lie import se3, so3
from ..model.build.specialisation import pseudo_inertia
from ..support.tables import console, show, table
from .shared import Commands, add_command, add_json, add_robot, print_json, robot_of

SHOWN = ("inverse_dynamics", "bias", "gravity", "mass_matrix", "forward_dynamics", "inverse_dynamics_derivatives")


def add_optimise(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "optimise",
        run,
        "Reduce the operations of a robot's dynamics by other frames and inertias",
        "Joint forces do not depend on where the frames of bodies are, nor on inertial\n"
        "parameters that no joint feels; their cost does. The search counts the\n"
        "operations of an algorithm for candidates body by body and keeps the cheaper\n"
        "ones. In Python: Robot.optimise.",
        [
            ("kinetrace optimise panda", "for inverse dynamics"),
            ("kinetrace optimise ur5e -a mass_matrix", "for another algorithm"),
            ("kinetrace optimise ur5e --no-regroup", "frames only"),
            ("kinetrace optimise humanoid --base free --json", "for a program"),
        ],
    )
    add_robot(parser)
    parser.add_argument(
        "-a",
        "--algorithm",
        metavar="NAME",
        default="inverse_dynamics",
        help="minimise its operations (default: %(default)s)",
    )
    parser.add_argument("--no-frames", dest="frames", action="store_false", help="keep the frames")
    parser.add_argument("--no-regroup", dest="regroup", action="store_false", help="keep the inertial parameters")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Optimise a robot and show what it gains."""
    from rich.progress import Progress

    robot, screen = robot_of(args), console()
    with Progress(console=screen, transient=True, disable=args.json or not screen.is_terminal) as bar:
        task = bar.add_task("Searching", total=None)
        found = robot.optimise(
            args.algorithm,
            frames=args.frames,
            regroup=args.regroup,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )
        names = list(dict.fromkeys([args.algorithm, *SHOWN]))
        counts: dict[str, tuple[OpCount, OpCount]] = {}
        counting = bar.add_task("Counting", total=len(names))
        for name in names:
            counts[name] = robot.count(name), found.count(name)
            bar.advance(counting)
    bodies = changes(found)
    off = difference(robot.model, found.dynamics_model)
    if args.json:
        print_json(
            {
                "robot": robot.name,
                "base": args.base,
                "algorithm": args.algorithm,
                "counts": {k: {"before": asdict(a), "after": asdict(b)} for k, (a, b) in counts.items()},
                "bodies": bodies,
                "difference": off,
            }
        )
    else:
        _print(robot, counts, bodies, off)
    return 0


def changes(robot: Robot) -> list[dict[str, Any]]:
    """What `optimise` changed of each body: its frame, in the old one, and the moments that are not zero."""
    old, new = robot.model, robot.dynamics_model
    listed = []
    for a, b in zip(old.bodies, new.bodies, strict=True):
        X = se3.inverse(new.frames[a.name].X_bf) if a.name in new.frames else np.eye(4)
        listed.append(
            {
                "body": a.name,
                "shift": [float(x) for x in X[:3, 3]],
                "turn": [float(x) for x in so3.log(X[:3, :3])],
                "moments_before": moments(pseudo_inertia(a.J)),
                "moments_after": moments(pseudo_inertia(b.J)),
            }
        )
    return listed


def moments(P: Any) -> list[str]:
    """The names of the entries of a pseudo-inertia that are not zero."""
    names = {"m": (3, 3), **{f"h{x}": (i, 3) for i, x in enumerate("xyz")}}
    names |= {f"{x}{y}": (i, j) for i, x in enumerate("xyz") for j, y in enumerate("xyz") if i <= j}
    return [name for name, place in names.items() if P[place]]


def _print(robot: Robot, counts: dict[str, tuple[OpCount, OpCount]], bodies: list[dict[str, Any]], off: float) -> None:
    numbers = ("mul", "add", "mul after", "add after", "saved")
    listing = table("algorithm", *numbers, right=numbers)
    for name, (a, b) in counts.items():
        saved = f"{1 - b.flops / max(a.flops, 1):.0%}"
        listing.add_row(name, *(f"{n:,}" for n in (a.mul, a.add, b.mul, b.add)), saved)
    out = console()
    show(out, f"Scalar operations for one state of {robot.name} (nv = {robot.nv}), before and after", listing)
    places = table("body", "frame shifted by [m]", "turned by [deg]", "moments left", right=("moments left",))
    for body in bodies:
        few = f"{len(body['moments_after'])} of {len(body['moments_before'])}"
        places.add_row(body["body"], _vector(body["shift"]), _vector(np.degrees(body["turn"])), few)
    show(out, "What was changed", places)
    out.print()
    out.print(f"joint forces on random states differ by {off:.0e} of the largest", style="dim")


def _vector(x: Any) -> str:
    return "-" if not np.any(np.abs(x) > 1e-12) else " ".join(f"{round(float(e), 4) + 0.0:g}" for e in x)
