"""`kinetrace view`: a page that shows a robot."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from threading import Event

from ..errors import InputError
from ..robot import Robot
from ..simulate import Trajectory
from ..view.show import IN_PAGES
from ..view.view import THEMES, WRITTEN, check_file
from .shared import Commands, add_command, add_robot, robot_of


def add(commands: Commands) -> None:
    """Declare the command and its arguments."""
    parser = add_command(
        commands,
        "view",
        run,
        "Show a robot in the browser",
        "The page is one file that needs no network: sliders, links that can be dragged,\n"
        "live numbers, and a simulation. Pictures and films are taken by Chrome, Chromium\n"
        "or Edge without a window (extra `record`). In Python: Robot.view.",
        [
            ("kinetrace view panda", "open a page"),
            ("kinetrace view panda --motion fall.npz", "play a motion"),
            ("kinetrace view panda -o panda.html", "write the page"),
            ("kinetrace view panda --show frames,com -o panda.png", "take a picture"),
        ],
    )
    add_robot(parser)
    parser.add_argument("--motion", metavar="FILE", help="play a trajectory (.npz, .csv or .parquet)")
    parser.add_argument("--trail", metavar="FRAME", help="let a frame leave a trail in the motion")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"write a file ({', '.join(WRITTEN)}) and open no browser"
    )
    parser.add_argument("--no-open", action="store_true", help="open no browser: only check that the page can be made")
    parser.add_argument(
        "--show", metavar="X,X,…", default="closures", help=f"{', '.join(IN_PAGES)} (default: %(default)s)"
    )
    parser.add_argument("--theme", choices=THEMES, help="colours of the page (default: those of the system)")
    parser.add_argument("--live", action="store_true", help="a scene that Python moves (extra `live`)")


def run(args: argparse.Namespace) -> int:
    """Make the page, and open or write it."""
    if args.output is not None:
        check_file(Path(args.output))
    if args.live and (args.output is not None or args.motion is not None):
        raise InputError("--live shows the robot as it is: without --output and --motion")
    robot = robot_of(args)
    if args.live:
        return _live(robot)
    motion = None if args.motion is None else Trajectory.load(args.motion, robot)
    made = robot.view(motion, trail=args.trail, show=args.show, theme=args.theme, open=False)
    if args.output is not None:
        made.save(args.output)
        print(f"wrote {args.output}")
    elif args.no_open:
        print(f"{robot.name}: the page has {len(made.html) / 1e6:.1f} MB")
    else:
        made.open()
    return 0


def _live(robot: Robot) -> int:
    """Serve a scene that sliders move, until Ctrl-C."""
    from ..view.live import live

    with live(robot) as scene, suppress(KeyboardInterrupt):
        print(f"{robot.name} is shown at {scene.url}; Ctrl-C ends it", flush=True)
        Event().wait()
    return 0
