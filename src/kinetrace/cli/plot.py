"""`kinetrace plot`: pictures of a robot, of its numbers and of its motions."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import InputError, Robot, Trajectory
from ..simulate.inputs import finite
from ..simulate.plot import WHAT as OF_MOTIONS
from ..simulate.plot import check_picture, write_figure
from ..view.plot import PLOTS
from ..view.show import IN_DRAWINGS
from .shared import Commands, add_command, add_numbers, add_robot, numbers_of, robot_of

WHAT = ("robot", *PLOTS, *OF_MOTIONS)


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "plot",
        run,
        "Draw a robot, its mass matrix, operation counts, workspace or a motion",
        "Writes a picture without a browser or a window. A motion is a file that\n"
        "`kinetrace simulate -o` or Trajectory.save wrote; the picture of the robot\n"
        "then shows several of its configurations and the way of a frame. In Python:\n"
        "Robot.draw, Robot.plot, Trajectory.plot.",
        [
            ("kinetrace plot panda", "panda.png: the robot"),
            ("kinetrace plot ur5e --show frames,com", "with frames"),
            ("kinetrace plot panda --what mass_matrix", "its mass matrix"),
            ("kinetrace plot panda --what counts -o c.svg", "operations"),
            ("kinetrace plot panda --what energy --motion a.npz", "energies"),
            ("kinetrace plot panda --motion a.npz", "ghosts and a trail"),
        ],
    )
    add_robot(parser)
    parser.add_argument(
        "--what", metavar="NAME", choices=WHAT, default="robot", help=f"{', '.join(WHAT)} (default: %(default)s)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="picture (.png, .svg or .pdf; default: ROBOT.png)")
    parser.add_argument("--motion", metavar="FILE", help="motion to draw (.npz, .csv or .parquet)")
    add_numbers(parser, "--q", "configuration (default: within the limits, with loops closed)")
    parser.add_argument(
        "--frame", metavar="FRAME", help="frame of trails and workspaces (default: at the end of the longest chain)"
    )
    parser.add_argument("--show", metavar="X,X,…", help=f"of a robot: {', '.join(IN_DRAWINGS)} (default: closures)")
    parser.add_argument("--shapes", action=argparse.BooleanOptionalAction, help="draw the robot's shapes, or capsules")


def run(args: argparse.Namespace) -> int:
    """Write a picture."""
    if args.output is not None:
        check_picture(Path(args.output))
    _refuse(args)
    robot = robot_of(args)
    path = Path(args.output or f"{_file_name(robot.name)}.png")
    check_picture(path)
    motion = None if args.motion is None else Trajectory.load(args.motion, robot)
    q = None if args.q is None else finite("--q", numbers_of("--q", args.q), robot.nq)
    if args.what == "robot":
        write_figure(_drawn(robot, q, motion, args), path)
    elif args.what in OF_MOTIONS:
        assert motion is not None  # else refused
        motion.plot(path, args.what)
    else:
        robot.plot(args.what, q, frame=args.frame, path=path)
    print(f"wrote {path}")
    return 0


def _refuse(args: argparse.Namespace) -> None:
    """An error if options do not fit what is drawn."""
    if args.what in OF_MOTIONS and args.motion is None:
        raise InputError(f"--what {args.what} needs --motion FILE, which `kinetrace simulate -o FILE` writes")
    if args.motion is not None and args.what not in ("robot", *OF_MOTIONS):
        raise InputError(f"--motion does not change {args.what}: leave it out, or choose --what motion or energy")
    if args.motion is not None and args.q is not None:
        raise InputError("give --q or --motion, not both")
    for name in ("show", "shapes"):
        if getattr(args, name) is not None and args.what != "robot":
            raise InputError(f"--{name} is about --what robot")


def _drawn(robot: Robot, q: Any, motion: Trajectory | None, args: argparse.Namespace) -> Any:
    """A figure of the robot, without a window."""
    from matplotlib.figure import Figure  # `check_picture` has looked whether it is there

    show = "closures" if motion is None else "closures,trail"
    figure = Figure(figsize=(6.0, 6.0))
    ax = figure.add_axes((0, 0, 1, 1), projection="3d")
    robot.draw(
        q if motion is None else motion,
        ax=ax,
        show=show if args.show is None else args.show,
        frame=args.frame,
        shapes=args.shapes,
    )
    return figure


def _file_name(name: str) -> str:
    """A robot's name as that of a file in this folder."""
    return "".join(x if x.isalnum() or x in "-_." else "_" for x in name[:80]).lstrip(".") or "robot"
