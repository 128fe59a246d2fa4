"""Measure every number of README.md and docs again, and print those that moved.

    python tools/measurements                        # all of them (`make figures`): under two hours
    python tools/measurements --only README.md       # those of one page
    python tools/measurements --update               # and write those that moved into the pages
    python tools/measurements --quick                # every source once, with little effort: do they run?
    python tools/measurements --history              # and keep the times of this commit: see history.py
    python tools/measurements --list                 # sources, and how many numbers each has

Times are multiplied by the speed of the machine: the Panda's inverse dynamics in a batch on one thread, which
`entries/` states for the machine of each page. The exit code is 1 if a number moved and was not written into its page,
or a source failed. `--update` keeps digits and notation of each number, and leaves bounds ({s+}, {x-}) to the author.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import bench
import history
from comparison import Comparison, compare
from pages import ROOT, Registry, read_pages, read_registry
from rich.console import Console
from rich.progress import track
from sources import Result, measure
from update import can_be_written, update

from kinetrace.bench.measure import reason


def entries_of(registry: Registry, only: list[str]) -> Registry:
    """Those that are measured, of some pages."""
    chosen = [x for x in registry.entries if x.source and (not only or x.page in only)]
    return Registry(chosen, registry.machines)


def run(registry: Registry, quick: bool, console: Console) -> tuple[dict[str, Result], dict[str, str]]:
    """The results of all sources, and the errors of those that failed."""
    names = list(dict.fromkeys(x.source for x in registry.entries))
    results, failed = dict[str, Result](), dict[str, str]()
    for name in track(names, "measuring", console=console):
        begin = time.perf_counter()
        try:
            results[name] = measure(name, quick)
        except Exception as error:
            failed[name] = reason(error)
        console.print(f"{time.perf_counter() - begin:7.1f} s  {name}{'  ' + failed[name] if name in failed else ''}")
    return results, failed


def report(made: list[Comparison], failed: dict[str, str], console: Console) -> bool:
    """Print what moved, what was not found and what failed; whether all is well."""
    groups = {
        "moved": [str(x) for x in made if x.moved],
        "not found in what the source gives": [str(x) for x in made if x.measured is None],
        "failed": [f"{name}: {told}" for name, told in failed.items()],
    }
    for title, rows in groups.items():
        of = "sources" if title == "failed" else f"of {len(made)}"
        console.print(f"{title}: {len(rows)} {of}", *rows, sep="\n  ", markup=False, highlight=False)
    return not any(groups.values())


def arguments() -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """The options of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="PAGE", help="such as README.md docs/speed.md")
    parser.add_argument("--quick", action="store_true", help="little effort: numbers are rough, and not judged")
    parser.add_argument("--update", action="store_true", help="write the numbers that moved into the pages")
    parser.add_argument("--list", action="store_true", help="sources, and how many numbers each has")
    parser.add_argument(
        "--history", action="store_true", help="keep the times in benchmarks/history.jsonl, and draw it"
    )
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "measurements.json", help="where to write all")
    args = parser.parse_args()
    if args.quick and (args.history or args.update):
        parser.error("--history and --update need a whole run: leave out --quick")
    return parser, args


def save(path: Path, machine: float, made: list[Comparison], failed: dict[str, str]) -> None:
    """Write all numbers as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"page": x.place.page, "line": x.place.line, "shown": x.place.shown, "unit": x.unit} for x in made]
    judged = [{**row, "measured": x.measured, "moved": x.moved} for row, x in zip(rows, made, strict=True)]
    path.write_text(json.dumps({"machine": machine, "numbers": judged, "failed": failed}, indent=1) + "\n")


def main() -> int:
    """The command."""
    (parser, args), console = arguments(), Console(soft_wrap=True)
    pages, registry = read_pages(), entries_of(read_registry(), args.only)
    if bad := [x for x in args.only if x not in pages]:
        parser.error(f"no page {', '.join(bad)}; there are {', '.join(pages)}")
    if args.list:
        counts = Counter[str]()
        for x in registry.entries:
            counts[x.source] += pages[x.page].count(x)
        for name, n in counts.items():
            console.print(f"{n:5} {name}", highlight=False)
        return 0
    machine = bench.machine()
    console.print(f"Inverse dynamics of the Panda, in a batch on one thread: {machine:.3g} ns", highlight=False)
    results, failed = run(registry, args.quick, console)
    if args.history:
        history.append(bench.record("--robots", bench.ROBOTS), datetime.now(UTC))
        history.draw(history.read_history())
    known = [x for x in registry.entries if x.source in results]
    made = [y for x in known for y in compare(pages[x.page], x, registry, results[x.source], machine)]
    save(args.json, machine, made, failed)
    console.print(f"wrote {os.path.relpath(args.json)}")
    if args.quick:
        return int(bool(failed))
    well = report(made, failed, console)
    if args.update:
        changed = update(pages, made)
        console.print(f"changed: {len(changed)}", *changed, sep="\n  ", markup=False, highlight=False)
        well = not failed and all(x.measured is not None and (can_be_written(x) or not x.moved) for x in made)
    return int(not well)


if __name__ == "__main__":
    sys.exit(main())
