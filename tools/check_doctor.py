"""Faults put into good URDF files: how many of them `kinetrace doctor` finds, and what it says of the files themselves.

    python tools/check_doctor.py                # the bundled robots, and those of example-robot-data
    python tools/check_doctor.py ~/robots       # all URDF files below a folder, which are taken to be good
    python tools/check_doctor.py --each 20      # more places of each file
    python tools/check_doctor.py --quick        # one place of some files, in seconds

Each fault is put into one place of a file at a time: a link with a thousand times its mass and moments, or its mass
alone; the `rpy` of a joint, or the range of one or of all, in degrees; a velocity of 180; an effort a thousand times as
large; `lower` and `upper` swapped; an axis left out. Found means that a finding of the right kind names the place, and
is not there without the fault. Prints the share of each that is found, and lists what is said of the good files by the
checks of units; exits with 1 if one of these changes motion, so that it may be a false alarm.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import metadata
from math import degrees
from pathlib import Path
from xml.etree import ElementTree

import kinetrace as kt
from kinetrace.model import zoo

Element = ElementTree.Element
Place = tuple[str, Callable[[Element], None]]
"""The name of a link or joint, and what puts the fault there into a file."""
MOVING = ("revolute", "continuous", "prismatic", "planar")
KINDS = {
    "mass and moments in grams": "implausible mass",
    "mass in grams": "implausible mass",
    "rpy in degrees": "rpy in degrees",
    "range in degrees": "range in degrees",
    "all ranges in degrees": "range in degrees",
    "velocity of 180": "velocity in degrees",
    "effort × 1000": "implausible effort",
    "lower above upper": "range upside down",
    "axis left out": "missing axis",
}
"""Fault → the finding that it should have."""


def places(root: Element, moving: set[str]) -> Iterator[tuple[str, Place]]:
    """Where each fault can be put; `moving` are the names of links that move."""
    for link in root.findall("link"):
        name, mass, moments = link.get("name", ""), link.find("inertial/mass"), link.find("inertial/inertia")
        if name in moving and mass is not None and moments is not None and float(mass.get("value", "0")) > 0.0:
            yield (
                "mass and moments in grams",
                (name, _each("link", [name], _heavier, "inertial/mass", "inertial/inertia")),
            )
            yield "mass in grams", (name, _each("link", [name], _heavier, "inertial/mass"))
    ranges = list[str]()
    for joint in root.findall("joint"):
        name, kind, limit, origin = joint.get("name", ""), joint.get("type"), joint.find("limit"), joint.find("origin")
        if origin is not None and any(float(x) for x in origin.get("rpy", "0").split()):
            yield "rpy in degrees", (name, _each("joint", [name], _rpy, "origin"))
        if kind in MOVING and joint.find("axis") is not None:
            yield "axis left out", (name, _each("joint", [name], _no_axis, "."))
        if limit is None or kind not in MOVING:
            continue
        lower, upper = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
        if lower < upper and kind in ("revolute", "prismatic"):
            yield "lower above upper", (name, _each("joint", [name], _swap, "limit"))
        if lower < upper and kind == "revolute" and max(abs(lower), abs(upper)) < 7.0:
            ranges.append(name)
            yield "range in degrees", (name, _each("joint", [name], _range, "limit"))
        if kind == "revolute":
            yield "velocity of 180", (name, _each("joint", [name], _fast, "limit"))
        if 0.0 < float(limit.get("effort", "0")) < 1e30:
            yield "effort × 1000", (name, _each("joint", [name], _strong, "limit"))
    if ranges:
        yield "all ranges in degrees", (ranges[0], _each("joint", ranges, _range, "limit"))


def _each(tag: str, names: list[str], change: Callable[[Element], None], *paths: str) -> Callable[[Element], None]:
    def put(root: Element) -> None:
        for name in names:
            for path in paths:
                for element in root.findall(f"{tag}[@name='{name}']/{path}"):
                    change(element)

    return put


def _heavier(element: Element) -> None:
    for name in element.attrib:
        element.set(name, repr(1000.0 * float(element.attrib[name])))


def _rpy(origin: Element) -> None:
    origin.set("rpy", " ".join(f"{degrees(float(x)):.6g}" for x in origin.get("rpy", "").split()))


def _range(limit: Element) -> None:
    for name in ("lower", "upper"):
        limit.set(name, f"{degrees(float(limit.get(name, '0'))):.6g}")


def _swap(limit: Element) -> None:
    lower, upper = limit.get("lower", "0"), limit.get("upper", "0")
    limit.set("lower", upper)
    limit.set("upper", lower)


def _fast(limit: Element) -> None:
    limit.set("velocity", "180")


def _strong(limit: Element) -> None:
    limit.set("effort", f"{1000.0 * float(limit.get('effort', '0')):.10g}")


def _no_axis(joint: Element) -> None:
    for axis in joint.findall("axis"):
        joint.remove(axis)


def findings(text: str) -> list[tuple[str, str, bool]]:
    """The kind and places of each finding, and whether it changes motion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = kt.load(text).doctor()
    return [(x.kind, " ".join(x.where), x.severity != "note") for x in report]


def files(folder: str | None) -> list[Path]:
    """URDF files, each content once."""
    if folder is not None:
        found = sorted(Path(folder).expanduser().rglob("*.urdf"))
    else:
        found = [Path(zoo.path(name)) for name in kt.robot_names() if name not in zoo.BUILT]
        data = metadata.distribution("example-robot-data").files or []
        found += [Path(str(file.locate())) for file in data if file.suffix == ".urdf"]
    unique = {hashlib.sha256(path.read_bytes()).digest(): path for path in reversed(found)}
    return sorted(unique.values())


def main() -> int:
    """Put faults in, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="where URDF files are")
    parser.add_argument("--each", type=int, default=5, help="places of each fault in a file (default: 5)")
    parser.add_argument("--quick", action="store_true", help="one place of each fault, in some files")
    parser.add_argument("--misses", action="store_true", help="list what is not found")
    args = parser.parse_args()
    rng, tried, found, read = random.Random(0), Counter[str](), Counter[str](), 0
    said, alarms = Counter[str](), Counter[str]()
    for path in files(args.folder)[: 8 if args.quick else None]:
        try:
            root = ElementTree.fromstring(path.read_bytes().strip())
            text = ElementTree.tostring(root, "unicode")
            before = findings(text)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = kt.load(text).model
            every = list(places(root, {name for name, frame in model.frames.items() if frame.body >= 0}))
        except (kt.KinetraceError, ElementTree.ParseError, ValueError):
            continue
        read += 1
        own = set(KINDS.values()) | {f"implausible {x}" for x in ("length", "centre of mass", "moments of inertia")}
        said.update(kind for kind, _, _ in before if kind in own)
        for kind, where, moves in before:
            if kind in own and moves:
                alarms[kind] += 1
                print(f"{path}: {kind} ({where})")
        for fault, kind in KINDS.items():
            here = [place for what, place in every if what == fault]
            for name, put in rng.sample(here, min(1 if args.quick else args.each, len(here))):
                other = copy.deepcopy(root)
                put(other)
                after = findings(ElementTree.tostring(other, "unicode"))
                new = [x for x in after if x not in before and x[0] == kind]
                tried[fault] += 1
                if any(repr(name) in where for _, where, _ in new) or (fault.startswith("all") and new):
                    found[fault] += 1
                elif args.misses:
                    print(f"missed: {fault}: {name} of {path}")
    print(f"{read} files; said of them: {dict(said) or 'nothing'}, of which warnings: {dict(alarms) or 'none'}")
    for fault, n in tried.items():
        print(f"{fault:28} {found[fault]:5} of {n:5} found, {found[fault] / n:6.1%}")
    return int(bool(alarms))


if __name__ == "__main__":
    sys.exit(main())
