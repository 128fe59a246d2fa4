"""Digests of traced programs, to show that a change of the sources changes nothing that is computed.

    python tools/program_digests.py before.json                     # in the tree before the change
    python tools/program_digests.py after.json --compare before.json

Of six robots, fixed, free and closed: every algorithm with every value of every choice, with a wrench and further
arrays if it takes them, and with parameters of the model as inputs; and the numbers of some kernels in float64 and
float32, to the bit. An algorithm that refuses a robot counts by the name of its error. `--quick` takes the default
choices only. Exits with 1 if anything differs. It takes minutes, and only the public names of the package.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import sys
import typing
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["KINETRACE_CACHE"] = "off"  # every program is traced, none is remembered

import numpy as np

import kinetrace as kt

ROBOTS = (
    *(("planar2r", "fixed"), ("panda", "fixed"), ("quadruped", "free"), ("puma560", "free")),
    *(("four_bar", "fixed"), ("three_fingers_ball", "fixed")),
)
CUBIC = {
    *("riemann", "ricci", "scalar_curvature", "christoffel_derivative", "christoffel", "mass_matrix_derivative"),
    "inverse_dynamics_second_derivatives",
}
"""Algorithms whose programs are too long on large robots."""
LARGEST_NV = 7
"""Velocities up to which a robot is not large. Derivatives of rollouts of larger closed robots are traced with the
default choices alone: others are those of `linearise_step`, and take an hour."""
STEPS = 3
EVALUATED = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "coriolis_matrix", "center_of_mass")
INPUTS = ("inertial", "gravity")


def cases(robot: kt.Robot, function: Callable[..., Any], quick: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ways to trace an algorithm of a robot: a name, and the keywords of `Robot.kernel`."""
    hints = typing.get_type_hints(function)
    parameters = inspect.signature(function).parameters
    frame = {"frame": robot.frame_names[-1]} if "frame" in parameters else {}
    frames = {"frames": tuple(robot.frame_names[-2:])} if "frames" in parameters else {}
    series = {"shapes": {"tau": (STEPS, robot.nv)}} if "rollout" in function.__name__ else {}
    common: dict[str, Any] = {**frame, **frames, **series}
    yield "", common
    if quick or (function.__name__ == "rollout_derivatives" and robot.model.closures and robot.nv > LARGEST_NV):
        return
    for name in parameters:
        for value in values(hints.get(name)):
            if value != parameters[name].default:
                yield f"{name}={value}", {**common, name: value}
    further = [x for x in ("base_velocity", "base_acceleration", "stabilisation", "point") if x in parameters]
    shapes: dict[str, Any] = {"base_velocity": 6, "base_acceleration": 6, "stabilisation": 2, "point": 3}
    for name in further:
        yield name, {**common, "shapes": {**common.get("shapes", {}), name: (shapes[name],)}}
    if "wrench" in parameters:
        yield "wrench", {**common, "shapes": {**common.get("shapes", {}), "wrench": {robot.frame_names[-1]: (6,)}}}
    yield "inputs", {**common, "inputs": INPUTS}


def values(hint: Any) -> Iterator[Any]:
    """The values that an annotation lists, in its unions, too."""
    if typing.get_origin(hint) is typing.Literal:
        yield from typing.get_args(hint)
    elif hint is bool:
        yield from (False, True)
    elif typing.get_origin(hint) in (typing.Union, type(int | str)):
        for option in typing.get_args(hint):
            yield from values(option)


def digests(quick: bool) -> dict[str, str]:
    """Name of a case → digest of its program or of its numbers, or the name of the error."""
    result: dict[str, str] = {}
    for name, base in ROBOTS:
        robot = kt.load(name, base=base)
        for algorithm in (*kt.algorithms.__all__, "rollout", "rollout_derivatives"):
            if algorithm in CUBIC and robot.nv > LARGEST_NV:
                continue
            function = getattr(kt.algorithms, algorithm)
            for case, keywords in cases(robot, function, quick):
                key = "/".join((name, base, algorithm, case)).rstrip("/")
                try:
                    result[key] = kt.compile(function, robot, backend="numpy", **keywords).program.digest
                except Exception as error:
                    result[key] = type(error).__name__
        for dtype in ("float64", "float32"):
            result.update(evaluated(name, base, dtype))
        print(f"{name}, {base}: {len(result)} in all", file=sys.stderr)
    return result


def evaluated(name: str, base: str, dtype: str) -> Iterator[tuple[str, str]]:
    """Hashes of the numbers of compiled kernels, in a batch of states."""
    robot = kt.load(name, base=base, dtype=dtype)
    rng = np.random.default_rng(7)
    q = robot.home() if robot.model.closures else robot.random(5, seed=rng)
    arrays = {"q": q, **{x: rng.normal(size=(5, robot.nv)) for x in ("v", "a", "tau")}}
    for algorithm in EVALUATED:
        method = getattr(robot, algorithm)
        names = [x for x, p in inspect.signature(method).parameters.items() if x in arrays and p.default is p.empty]
        numbers = np.ascontiguousarray(method(*(np.asarray(arrays[x], dtype) for x in names)))
        yield f"{name}/{base}/{algorithm}/{dtype}", hashlib.sha256(numbers.tobytes()).hexdigest()


def main() -> int:
    """Write digests, and compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="JSON file to write")
    parser.add_argument("--quick", action="store_true", help="default choices only")
    parser.add_argument("--compare", type=Path, help="JSON file of the tree before")
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = digests(arguments.quick)
    arguments.out.write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(f"{len(result)} cases, {sum(len(x) == 64 for x in result.values())} with a digest")
    if arguments.compare is None:
        return 0
    before = json.loads(arguments.compare.read_text(encoding="utf-8"))
    different = [x for x in result if before.get(x) != result[x]]
    lost = [] if arguments.quick else [x for x in before if x not in result]
    print(*(f"differs: {x}" for x in different), *(f"is gone: {x}" for x in lost), sep="\n")
    print(f"{len(different)} differ, {len(lost)} are gone")
    return 1 if different or lost else 0


if __name__ == "__main__":
    sys.exit(main())
