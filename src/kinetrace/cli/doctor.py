"""`kinetrace doctor`: what is wrong or odd with a robot, and what helps."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from .. import ModelError, Robot
from ..analysis.doctor import CHECKS, Finding, Report, examine, repaired
from ..analysis.doctor.urdf_file import alike, remarks, unreadable_file
from ..support.tables import console
from .shared import Commands, add_command, add_json, add_robot, check_other_file, print_json, robot_of

SEVERITY_COLORS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def add_doctor(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "doctor",
        run,
        "Find what is wrong or odd with a robot, with remedies",
        "Examines the file and the model: impossible inertias, grams, millimetres and\n"
        "degrees, joints that move no mass, limits, nearly singular mass matrices, closed\n"
        "loops, what the file has that is not read. An error: results are missing, or of\n"
        "no physical robot. A warning: numbers that are probably wrong and change\n"
        "results. A note: worth knowing. Exit code 1 if there are errors or warnings,\n"
        "after --fix those that are left. In Python: Robot.doctor, Robot.repaired.",
        [
            ("kinetrace doctor my_robot.urdf", "what is wrong with it?"),
            ("kinetrace doctor my_robot.urdf --quiet", "without notes"),
            ("kinetrace doctor my_robot.urdf --fix fixed.urdf", "write a repaired robot"),
            ("kinetrace doctor dog.urdf --base free --json", "for a program"),
        ],
    )
    add_robot(parser)
    parser.add_argument("--fix", metavar="FILE", type=Path, help="write the robot with what can be fixed to FILE")
    parser.add_argument("-q", "--quiet", action="store_true", help="leave notes out")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Examine, repair, tell."""
    robot, about_file = _load(args)
    before = Report(args.robot, about_file) if robot is None else examine(robot.model, about_file)
    if not args.json:
        _print(before, args.quiet)
    fixed = None
    if args.fix is not None and robot is not None:
        check_other_file(args.robot, args.fix)
        fixed = _fix(args, robot, before)
    if args.json:
        print_json({"robot": before.name, **_summary_of(before), "fix": fixed and fixed.as_json(args.fix)})
    elif args.fix is not None:
        _print_fixed(before, fixed, args, robot is None)
    return int((before if fixed is None else fixed.after).changes_motion)


class _FixReport(NamedTuple):
    """Result of --fix: findings that it mended, those that are left, and properties that the format cannot hold."""

    done: list[Finding]
    after: Report
    """Findings that are left, whether the new file shows them or not, and new ones."""
    unseen: list[Finding]
    """Of what is left, that which the new file no longer shows: it was said of the old file alone."""
    new: list[Finding]
    """Findings of the new file that the old one did not have."""
    unsaid: tuple[str, ...]

    @property
    def left(self) -> list[Finding]:
        return [x for x in self.after if x not in self.new]

    def as_json(self, path: Path) -> dict[str, Any]:
        lists = {name: [x.as_json() for x in getattr(self, name)] for name in ("done", "unseen", "new")}
        content = {"file": str(path), "fixed": len(self.done), **lists, "unsaid": list(self.unsaid)}
        return {**content, **_summary_of(self.after)}


def _fix(args: argparse.Namespace, robot: Robot, before: Report) -> _FixReport | None:
    """Write the robot with what can be fixed; None if nothing can."""
    model, done = repaired(robot.model)
    if not done:
        return None
    unsaid = Robot(model).save(args.fix)
    whole = {"base": "fixed", "closures": None} if args.fix.suffix.lower() == ".json" else {}
    mended, about_file = _load(argparse.Namespace(**{**vars(args), "robot": str(args.fix), **whole}))
    after = Report(str(args.fix), about_file) if mended is None else examine(mended.model, about_file)
    new = [x for x in after if not any(alike(x, y) for y in before)]
    absent = [x for x in before if not any(alike(x, y) for y in after)]
    absent = [x for x in absent if not (x.fixable and any(alike(x, y) for y in done))]
    of_model = set() if mended is None else {x.kind for check in CHECKS for x in check(robot.model)}
    unseen = [x for x in absent if x.kind not in of_model]
    done += [replace(x, done="gone with the others") for x in absent if x.kind in of_model]
    return _FixReport(done, Report(after.name, [*unseen, *after]), unseen, new, unsaid)


def _load(args: argparse.Namespace) -> tuple[Robot | None, list[Finding]]:
    """The robot, unless its file is refused, and what loading says about the file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot = robot_of(args)
        except ModelError as error:
            return None, [unreadable_file(error)]
    said = [x.message for x in caught if isinstance(x.message, Warning)]
    return robot, list(remarks(said, robot.model))


def _summary_of(report: Report) -> dict[str, Any]:
    return {
        "counts": report.counts,
        "changes_motion": report.changes_motion,
        "findings": [finding.as_json() for finding in report],
    }


def _print(report: Report, quiet: bool) -> None:
    from rich.padding import Padding
    from rich.text import Text

    out = console()
    out.print(Text(f"{report.name}: {report.summary}", style="bold"))
    for finding in report:
        if quiet and finding.severity == "note":
            continue
        title = Text(f"{finding.severity}  ", style=SEVERITY_COLORS[finding.severity])
        title.append(finding.kind, style="bold")
        if finding.place:
            title.append(f"  {finding.place}", style="dim")
        out.print()
        out.print(title)
        remedy = f"remedy: {finding.remedy}" + (" (--fix does it)" if finding.fixable else "")
        for line in (finding.what, f"why: {finding.why}", remedy):
            out.print(Padding(Text(line), (0, 0, 0, 2)))


def _print_fixed(before: Report, fixed: _FixReport | None, args: argparse.Namespace, refused: bool) -> None:
    out = console()
    out.print()
    if refused:
        out.print("nothing written: a file that cannot be read cannot be fixed")
        return
    if fixed is None:
        out.print(
            "nothing written: "
            + ("nothing is wrong" if not len(before) else "no finding has a remedy that --fix knows")
        )
        return
    done, left = fixed.done, Report("", fixed.left)
    new = f"; new: {Report('', fixed.new).summary}" if fixed.new else ""
    counts = (
        f"{len(done)} of {len(done) + len(left)} findings fixed; left: {left.summary if len(left) else 'none'}{new}"
    )
    out.print(f"{args.fix}: {counts}", soft_wrap=True)
    lines = [(x, "fixed", x.done) for x in done]
    for x in left:
        unseen = x in fixed.unseen
        lines.append(
            (x, "left" + ", and no longer visible in the new file" * unseen, f"{x.what}: " * unseen + x.remedy)
        )
    lines += [(x, "new", x.remedy) for x in fixed.new]
    for finding, title, text in lines:
        if title == "fixed" or not (args.quiet and finding.severity == "note"):
            place = f" ({finding.place})" * bool(finding.place)
            out.print(f"{title}: {finding.kind}{place}{f': {text}' * bool(text)}", soft_wrap=True)
    for line in fixed.unsaid:
        out.print(f"not said: {line}", soft_wrap=True)
