"""`kinetrace bench`: speed on this machine, compared with other libraries."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..bench.peers import PEERS
from ..bench.tasks import QUICK_ROBOTS, ROBOTS, TASKS
from ..engine.runtime import compiler
from ..errors import InputError, lookup
from ..support.tables import console
from ..support.threads import cores
from .shared import Commands, add_command, print_json

BATCHES = (1, 4096, 65536)
TABLE_WIDTH = 110
"""Of tables that go to a file or a pipe."""


def add_bench(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "bench",
        run,
        "Measure speed on this machine, compared with other libraries",
        "Times this library and, where installed, Pinocchio, MuJoCo, CasADi (its C,\n"
        "compiled by gcc) and JAX, in one process, on the same robots and states.\n"
        "Results are compared before anything is timed, and competitors take turns.\n"
        "Joints have no rotors, damping, friction, springs and stops in any library.\n"
        "Tables and --json FILE grow as results come. A library that is missing, or that\n"
        "raises an error, is listed with the reason. The exit code is 1 if kinetrace\n"
        "itself raises one, or disagrees with another library.\n"
        "Shows best times, their spread and ratios, and the fraction of the processor's\n"
        "measured peak that the counted operations reach.\n"
        "All of them, and matplotlib: `pip install 'kinetrace[bench]'`.",
        [
            ("kinetrace bench", "everything; some minutes"),
            ("kinetrace bench --quick", "all once; a minute"),
            ("kinetrace bench --robots panda --tasks mass_matrix", "a part"),
            ("kinetrace bench --robots arm.urdf,dog.urdf:free", "your own robots"),
            ("kinetrace bench --peers none --batch 4096", "no other library"),
            ("kinetrace bench --plot a.png a.svg --json a.json", "pictures, samples"),
            ("kinetrace bench --chains --plot chains.png", "5 to 1000 links"),
        ],
    )
    parser.add_argument("--robots", metavar="LIST", help=f"names or files (default: {','.join(ROBOTS)})")
    parser.add_argument("--tasks", metavar="LIST", help=f"any of {', '.join(TASKS)} (default: all)")
    parser.add_argument(
        "--batch", metavar="LIST", help=f"numbers of states; 1 is one call (default: {','.join(map(str, BATCHES))})"
    )
    parser.add_argument("--threads", metavar="LIST", help="numbers of threads, or `all` (default: 1,all)")
    parser.add_argument("--peers", metavar="LIST", help=f"any of {', '.join(PEERS)}, or `none` (default: all)")
    parser.add_argument("--repeats", metavar="N", type=int, help="samples per competitor (default: 15)")
    parser.add_argument(
        "--quick", action="store_true", help="every task and library once, on small robots; few repeats, no large batch"
    )
    parser.add_argument(
        "--compact", action="store_true", help="compact results of kinetrace: no constant or repeated entries"
    )
    parser.add_argument("--chains", action="store_true", help="random chains instead: time and memory by length")
    parser.add_argument(
        "--json", metavar="FILE", nargs="?", const="-", help="write everything to FILE, or print it instead of tables"
    )
    parser.add_argument(
        "--plot", metavar="FILE", nargs="+", default=(), help="draw to these files (.png or .svg; needs matplotlib)"
    )


def run(args: argparse.Namespace) -> int:
    """Measure, print, save."""
    from ..bench import plot

    missing = compiler.why_missing()
    if missing is not None:
        raise InputError(f"bench measures compiled code, but {missing}: install it")
    if args.repeats is not None and args.repeats < 1:
        raise InputError(f"--repeats must be at least 1, got {args.repeats}")
    for path in args.plot:
        plot.check(path)
    return _chains(args) if args.chains else _compare(args)


def _compare(args: argparse.Namespace) -> int:
    from ..bench import plot, report
    from ..bench.compare import BenchPlan, compare

    quick = args.quick
    plan = BenchPlan(
        robots=_names(args.robots) or (QUICK_ROBOTS if quick else ROBOTS),
        tasks=_choose("task", args.tasks, TASKS),
        batches=[_number("--batch", x) for x in _names(args.batch)] or (BATCHES[:2] if quick else BATCHES),
        threads=[cores() if x == "all" else _number("--threads", x) for x in _names(args.threads) or ("1", "all")],
        peers=() if args.peers == "none" else _choose("peer", args.peers, PEERS),
        repeats=args.repeats or (3 if quick else 15),
        budget=0.1 if quick else 1.5,
        compact=args.compact,
        quick=quick,
        starts=1 if quick else 5,
    )
    out = _screen()
    with _progress("Measuring", plan.steps, out) as step:
        reporter = report.Reporter(None if args.json == "-" else out, None if args.json == "-" else args.json, step)
        try:
            results = compare(plan, reporter)
        finally:  # whatever ends it, Ctrl-C too: what was measured is not lost
            content = reporter.end()
            if args.json == "-":
                print_json(content)
    for path in args.plot:
        plot.plot_comparison(content, path)
    return int(results.wrong > 0)


def _chains(args: argparse.Namespace) -> int:
    from ..bench import chains, plot, report

    for option in ("robots", "batch", "threads", "peers", "compact"):
        if getattr(args, option) not in (None, False):
            raise InputError(f"--chains has no --{option}: it takes random chains, one thread, this library alone")
    tasks = _choose("task of chains", args.tasks, chains.TASKS)
    lengths = chains.CHAIN_LENGTHS[:4] if args.quick else chains.CHAIN_LENGTHS
    measured, out = chains.Chains(), _screen()
    with _progress("Measuring", len(tasks) * len(lengths), out) as step:
        try:
            for _ in chains.measure_chains(lengths, tasks, args.repeats or 15, measured, step):
                if args.json not in (None, "-"):
                    report.save(report.chains_as_json(measured), args.json)
        finally:
            content = report.chains_as_json(measured)
            if args.json == "-":
                print_json(content)
            else:
                report.print_chains(measured, out)
    if args.json not in (None, "-"):
        report.save(content, args.json)
    for path in args.plot:
        plot.plot_chains(content, path)
    return int(bool(measured.failed))


@contextmanager
def _progress(title: str, steps: int, screen: Any) -> Iterator[Callable[[str], None]]:
    """A bar on the terminal, below what is printed meanwhile; what it gives is told what comes next."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        bar, begun = progress.add_task(title, total=steps), False

        def tick(what: str) -> None:
            nonlocal begun
            progress.update(bar, description=what, advance=1 if begun else 0)
            begun = True

        yield tick


def _screen() -> Any:
    """As wide as the terminal; in a file or a pipe, wide enough for a row."""
    out = console()
    if not out.is_terminal:
        out.width = max(out.width, TABLE_WIDTH)
    return out


def _names(text: str | None) -> list[str]:
    return [x for x in (text or "").split(",") if x]


def _choose(kind: str, text: str | None, default: Sequence[str] | Any, valid: Any = None) -> list[str]:
    """Names out of a list, each a valid one."""
    names, table = _names(text), dict.fromkeys(default if valid is None else valid)
    for name in names:
        lookup(kind, name, table)
    return names or list(default)


def _number(option: str, text: str) -> int:
    if not (text.isdecimal() and int(text) > 0):
        raise InputError(f"{option}: expected whole numbers, at least 1, got {text!r}")
    return int(text)
