"""`kinetrace count` and `kinetrace optimise`: operations of algorithms, and models that need fewer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import InputError, KinetraceError, OpCount, Robot, algorithms
from ..algorithms.registry.declaration import ALGORITHMS, algorithm_named
from ..analysis.equivalent_models import difference
from ..engine.trace import Stage
from ..lie import se3, so3
from ..model.build.specialisation import pseudo_inertia
from ..model.record import field_names
from ..support.tables import console, show, table
from ..support.threads import cores
from .shared import (
    Commands,
    add_command,
    add_json,
    add_robot,
    add_static,
    checked_frame,
    print_json,
    robot_of,
    static_of,
    static_options,
)

if TYPE_CHECKING:
    from rich.table import Table

PROCESSES_FROM_NV = 30
"""Degrees of freedom from which several processes are worth their start."""
SLOW_ALGORITHMS = ("derivative", "linearise", "christoffel")
"""Parts of the names of algorithms that take longest to trace."""

COLUMNS = (*field_names(OpCount), "total")
COLUMN_NOTE = "add includes subtractions; trig counts each sine, cosine, arc tangent, exponential and logarithm"


def add_count(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "count",
        run,
        "Count the operations that algorithms take on a robot",
        "The counts are exact and per state: an algorithm is traced for this robot with\n"
        "its constants folded, and the remaining operations are counted. With --general\n"
        "the robot has the same tree and joints, but arbitrary twists, offsets and\n"
        "inertias, so that nothing can be left out: compare these counts with published\n"
        "formulas for a general arm.",
        [
            ("kinetrace count panda", "every algorithm"),
            ("kinetrace count panda -a inverse_dynamics", "one"),
            ("kinetrace count panda -a forward_dynamics --stages", "line by line"),
            ("kinetrace count panda -a inverse_dynamics --general", "no special geometry"),
            ("kinetrace count panda -a forward_dynamics --method FD4", "one of its methods"),
            ("kinetrace count ur5e -a jacobian --frame tool0", "one, for this frame"),
            ("kinetrace count quadruped --base free", "on a floating base"),
        ],
    )
    add_robot(parser)
    parser.add_argument("-a", "--algorithm", metavar="NAME", help="count only this algorithm (default: all)")
    parser.add_argument(
        "-f", "--frame", metavar="FRAME", help="frame of algorithms that need one (default: the robot's last frame)"
    )
    parser.add_argument("--stages", action="store_true", help="list the statements of one algorithm with their counts")
    parser.add_argument("--general", action="store_true", help="assume no zeros and ones among the robot's constants")
    add_json(parser)
    add_static(parser, without=("frame",))


def run(args: argparse.Namespace) -> int:
    """Count the operations of one algorithm or of all."""
    says = None if args.algorithm is None else algorithm_named(args.algorithm)
    robot = robot_of(args)
    frame_option = args.frame
    if says is not None and says.needs_frame and frame_option is not None:
        frame_option = static_of(args, says)["frame"]
    frame = checked_frame(robot, robot.frame_names[-1] if frame_option is None else frame_option)
    of = {"robot": robot.name, "base": args.base, "frame": frame, "general": args.general}
    if says is None:
        _refuse_choices(args)
        closed = bool(robot.model.closures)
        others = {x for x, its in ALGORITHMS.items() if (its.instead_for_loops if closed else its.about_closures)}
        _all(
            robot,
            sorted(set(ALGORITHMS) - others),
            frame,
            of,
            args.json,
        )
    else:
        if args.frame is not None and not says.needs_frame:
            raise InputError(f"{args.algorithm} is not about a frame; leave --frame out")
        static = {**_frame(args.algorithm, frame), **static_of(args, says)}
        _one(robot, args.algorithm, static, of, args.stages, args.json)
    return 0


def _refuse_choices(args: argparse.Namespace) -> None:
    """An error if a choice of one algorithm is given without its name."""
    choices = [name for name in static_options() if name != "frame" and getattr(args, name) is not None]
    for name in ["stages"] * args.stages + choices:
        raise InputError(f"--{name.replace('_', '-')} is about one algorithm: name it by --algorithm")


def _all(robot: Robot, names: list[str], frame: Any, of: Mapping[str, Any], as_json: bool) -> None:
    counts, skipped = _count_all(robot, names, frame, of["general"])
    if as_json:
        reasons = {name: str(error) for name, error in skipped.items()}
        print_json({**of, "counts": {name: numbers(n) for name, n in counts.items()}, "not_counted": reasons})
        return
    _print(robot, counts, of)
    for name, error in skipped.items():
        console().print(f"not counted: {name}: {error}")


def _one(
    robot: Robot, name: str, static: Mapping[str, Any], of: Mapping[str, Any], by_stages: bool, as_json: bool
) -> None:
    stages: dict[Stage, OpCount] = {}
    if by_stages:
        stages = robot.count(name, by="stage", general=of["general"], **static)
        count = sum(stages.values(), start=OpCount())
    else:
        count = robot.count(name, general=of["general"], **static)
    if as_json:
        parts = [_record(stage, n, total(count)) for stage, n in stages.items()]
        choices = {key: value for key, value in static.items() if key != "frame"}
        counts = {name: {**numbers(count), **({"stages": parts} if by_stages else {})}}
        print_json({**of, **choices, "counts": counts, "not_counted": {}})
    elif by_stages:
        _print_stages(robot, name, static, stages, of)
    else:
        _print(robot, {name: count}, of)


def total(count: OpCount) -> int:
    """All operations, a sine as one."""
    return count.flops + count.trig


def numbers(count: OpCount) -> dict[str, int]:
    """The columns of a table."""
    return {**asdict(count), "total": total(count)}


def _frame(algorithm: str, frame: Any) -> dict[str, Any]:
    return {"frame": frame} if ALGORITHMS[algorithm].needs_frame else {}


def _count_all(
    robot: Robot, names: list[str], frame: Any, general: bool
) -> tuple[dict[str, OpCount], dict[str, KinetraceError]]:
    """The counts, and why there is none for some: an algorithm may need what this robot lacks."""
    from rich.progress import Progress

    results: dict[str, OpCount | KinetraceError] = {}
    screen = console()
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("Tracing", total=len(names))
        for name, result in _count_in_processes(partial(_count, robot, frame, general), names, robot.nv):
            results[name] = result
            bar.update(task, description=f"Traced {name}", advance=1)
    counts = {name: results[name] for name in names}
    return (
        {name: x for name, x in counts.items() if isinstance(x, OpCount)},
        {name: x for name, x in counts.items() if not isinstance(x, OpCount)},
    )


def _count(robot: Robot, frame: Any, general: bool, name: str) -> OpCount | KinetraceError:
    try:
        return robot.count(name, general=general, **_frame(name, frame))
    except KinetraceError as error:
        return error


def _count_in_processes(
    count: Callable[[str], OpCount | KinetraceError], names: list[str], nv: int
) -> Iterator[tuple[str, OpCount | KinetraceError]]:
    """Counts as they come: of large robots from one process per core, the long ones first."""
    if nv < PROCESSES_FROM_NV or cores() == 1:
        yield from ((name, count(name)) for name in names)
        return
    import multiprocessing  # not at the top: every command would load them
    from concurrent.futures import ProcessPoolExecutor, as_completed

    order = sorted(names, key=lambda name: not any(part in name for part in SLOW_ALGORITHMS))
    with ProcessPoolExecutor(cores(), multiprocessing.get_context("spawn")) as processes:
        futures = {processes.submit(count, name): name for name in order}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            processes.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for what has not begun


def _record(stage: Stage, count: OpCount, whole: int) -> dict[str, Any]:
    """A stage for programs."""
    return {**asdict(stage), "file": _short(stage.file), **numbers(count), "share": _share(count, whole)}


def _share(count: OpCount, whole: int) -> float:
    return total(count) / whole if whole else 0.0


def _short(file: str) -> str:
    """A file's path from the package on."""
    root = Path(algorithms.__file__).parents[2]
    return Path(file).relative_to(root).as_posix() if Path(file).is_relative_to(root) else file


def _print(robot: Robot, counts: Mapping[str, OpCount], of: Mapping[str, Any]) -> None:
    listing = table("algorithm", *COLUMNS, right=COLUMNS)
    for name, count in counts.items():
        listing.add_row(
            f"{name} *" if ALGORITHMS[name].needs_frame else name, *(f"{n:,}" for n in numbers(count).values())
        )
    out = console()
    show(out, f"Scalar operations for one state of {_title(robot, of)}", listing)
    out.print()
    out.print(COLUMN_NOTE, style="dim")
    if len(counts) > 1 and not any(ALGORITHMS[name].about_closures for name in counts):
        out.print("Algorithms for closed loops are listed for robots that have some.", style="dim")
    if any(ALGORITHMS[name].needs_frame for name in counts):
        out.print(f"* of frame {of['frame']!r}; --frame chooses another", style="dim")


def _title(robot: Robot, of: Mapping[str, Any]) -> str:
    return f"{'a general robot with the joints of ' * of['general']}{robot.name} (nv = {robot.nv})"


def _print_stages(
    robot: Robot, name: str, static: Mapping[str, Any], stages: Mapping[Stage, OpCount], of: Mapping[str, Any]
) -> None:
    """A line a stage, those of a function together, with the source that each stands for."""
    whole = sum(stages.values(), start=OpCount())
    by_function: dict[tuple[str, str], list[Stage]] = {}
    for stage in stages:
        by_function.setdefault((stage.file, stage.function), []).append(stage)
    columns = ("mul", "add", "other", "total", "share")
    listing = table("stage", *columns, "", "source", right=columns)
    for column in listing.columns[:-1]:
        column.no_wrap = True
    for (file, function), members in by_function.items():
        _add_row(listing, function, sum((stages[s] for s in members), start=OpCount()), whole, Path(file).name, "bold")
        for stage in sorted(members, key=lambda s: s.line):
            _add_row(listing, f"  {stage.name}", stages[stage], whole, f"{stage.line}: {stage.source}")
    _add_row(listing, "total", whole, whole, "", "bold")
    out = console()
    choices = "".join(f", {key} {value!r}" for key, value in static.items())
    show(out, f"Operations of {name}{choices}, by stage, for one state of {_title(robot, of)}", listing)
    out.print()
    out.print("add includes subtractions; other: divisions, square roots and what is transcendental", style="dim")
    out.print("A stage is a statement; what several share counts where it is first asked for.", style="dim")


def _add_row(listing: Table, label: str, n: OpCount, whole: OpCount, source: str, style: str = "") -> None:
    from rich.text import Text

    share, eighths = _share(n, total(whole)), "▏▎▍▌▋▊▉"
    full, rest = divmod(round(share * 64), 8)
    bar = "" if style else "█" * full + eighths[rest - 1 : rest]
    shown = (f"{k:,}" for k in (n.mul, n.add, n.div + n.sqrt + n.trig, total(n)))
    code = Text(source, no_wrap=True, overflow="ellipsis")
    listing.add_row(label, *shown, f"{share:.1%}", bar, code, style=style)


SHOWN_ALGORITHMS = (
    "inverse_dynamics",
    "bias",
    "gravity",
    "mass_matrix",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
)


def add_optimise(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "optimise",
        run_optimise,
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


def run_optimise(args: argparse.Namespace) -> int:
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
        names = list(dict.fromkeys([args.algorithm, *SHOWN_ALGORITHMS]))
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
        _print_savings(robot, counts, bodies, off)
    return 0


def changes(robot: Robot) -> list[dict[str, Any]]:
    """Changes of each body by `optimise`: its frame, in the old one, and the moments that are not zero."""
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


def _print_savings(
    robot: Robot, counts: dict[str, tuple[OpCount, OpCount]], bodies: list[dict[str, Any]], off: float
) -> None:
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
