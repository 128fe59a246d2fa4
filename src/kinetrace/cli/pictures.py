"""`kinetrace plot` and `kinetrace view`: figures, and the robot in the browser."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

from ..errors import InputError
from ..robot import Robot
from ..simulation import Trajectory
from ..simulation.figures import FIGURE_SUBJECTS as OF_MOTIONS
from ..simulation.figures import check_picture, write_figure
from ..support.conversion import finite
from ..view.options import DRAWING_ITEMS, PAGE_ITEMS
from ..view.plot import PLOTS
from ..view.view import THEMES, VIEW_SUFFIXES, check_file
from .shared import Commands, add_command, add_numbers, add_robot, add_world, numbers_of, robot_of, world_of

PLOT_KINDS = ("robot", *PLOTS, *OF_MOTIONS)


def add_plot(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "plot",
        run_plot,
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
        "--what",
        metavar="NAME",
        choices=PLOT_KINDS,
        default="robot",
        help=f"{', '.join(PLOT_KINDS)} (default: %(default)s)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="picture (.png, .svg or .pdf; default: ROBOT.png)")
    parser.add_argument("--motion", metavar="FILE", help="motion to draw (.npz, .csv or .parquet)")
    add_numbers(parser, "--q", "configuration (default: within the limits, with loops closed)")
    parser.add_argument(
        "--frame", metavar="FRAME", help="frame of trails and workspaces (default: at the end of the longest chain)"
    )
    parser.add_argument(
        "--show", metavar="X,X,…", help=f"of a robot: {', '.join(DRAWING_ITEMS)} (default: closures,contacts)"
    )
    parser.add_argument("--shapes", action=argparse.BooleanOptionalAction, help="draw the robot's shapes, or capsules")


def run_plot(args: argparse.Namespace) -> int:
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
        write_figure(_robot_figure(robot, q, motion, args), path)
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


def _robot_figure(robot: Robot, q: Any, motion: Trajectory | None, args: argparse.Namespace) -> Any:
    """A figure of the robot, without a window."""
    from matplotlib.figure import Figure  # `check_picture` has looked whether it is there

    show = "closures,contacts" if motion is None else "closures,contacts,trail"
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


def add_view(commands: Commands) -> None:
    """Declare the command and its arguments."""
    parser = add_command(
        commands,
        "view",
        run_view,
        "Show a robot in the browser",
        "The page is one file that needs no network: sliders, links that can be dragged,\n"
        "live numbers, and a simulation. Pictures and films are taken by Chrome, Chromium\n"
        "or Edge without a window (extra `record`). In Python: Robot.view.",
        [
            ("kinetrace view panda", "open a page"),
            ("kinetrace view panda --motion fall.npz", "play a motion"),
            ("kinetrace view quadruped --base free --world ground", "let it stand"),
            ("kinetrace view panda -o panda.html", "write the page"),
            ("kinetrace view panda --show frames,com -o panda.png", "take a picture"),
        ],
    )
    add_robot(parser)
    parser.add_argument("--motion", metavar="FILE", help="play a trajectory (.npz, .csv or .parquet)")
    add_world(parser)
    parser.add_argument("--trail", metavar="FRAME", help="let a frame leave a trail in the motion")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"write a file ({', '.join(VIEW_SUFFIXES)}) and open no browser"
    )
    parser.add_argument("--no-open", action="store_true", help="open no browser: only check that the page can be made")
    parser.add_argument(
        "--show", metavar="X,X,…", default="closures,contacts", help=f"{', '.join(PAGE_ITEMS)} (default: %(default)s)"
    )
    parser.add_argument("--theme", choices=THEMES, help="colours of the page (default: those of the system)")
    parser.add_argument("--live", action="store_true", help="a scene that Python moves (extra `live`)")


def run_view(args: argparse.Namespace) -> int:
    """Make the page, and open or write it."""
    if args.output is not None:
        check_file(Path(args.output))
    if args.live and any(x is not None for x in (args.output, args.motion, args.world)):
        raise InputError("--live shows the robot as it is: without --output, --motion and --world")
    robot = robot_of(args)
    if args.live:
        return _live(robot)
    motion = None if args.motion is None else Trajectory.load(args.motion, robot)
    world = world_of(args)
    page = robot.view(motion, world=world, trail=args.trail, show=args.show, theme=args.theme, open=False)
    if args.output is not None:
        page.save(args.output)
        print(f"wrote {args.output}")
    elif args.no_open:
        print(f"{robot.name}: the page has {len(page.html) / 1e6:.1f} MB")
    else:
        page.open()
    return 0


def _live(robot: Robot) -> int:
    """Serve a scene that sliders move, until Ctrl-C."""
    from ..view.live import live

    with live(robot) as scene, suppress(KeyboardInterrupt):
        print(f"{robot.name} is shown at {scene.url}; Ctrl-C ends it", flush=True)
        Event().wait()
    return 0
