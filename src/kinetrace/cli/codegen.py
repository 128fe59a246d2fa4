"""`kinetrace codegen`: source code of an algorithm, and packages of ROS 2."""

from __future__ import annotations

import argparse
import inspect
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import numpy.typing as npt

from .. import InputError, Model, Robot, __version__, compile
from ..algorithms import rollout
from ..algorithms.registry.declaration import ALGORITHMS, algorithm_named, algorithm_of
from ..algorithms.registry.signature import Algorithm
from ..engine.targets.text import comparison_program
from ..engine.targets.text.sources import LANGUAGES, EffortJoint, ros2_package, sources
from ..engine.targets.text.syntax import GENERATED_MARK
from ..engine.targets.text.unit import identifier, unit
from ..engine.trace import Program
from ..errors import printable, unknown_name_error
from ..model.arguments import ARGUMENTS
from ..model.joints import Continuous
from ..model.parameters import PARAMETERS
from ..support.files import head_of, write_atomically
from ..support.tables import console, plural
from .shared import (
    PLAIN_TEXT_ERRORS,
    Commands,
    add_command,
    add_json,
    add_robot,
    add_static,
    print_json,
    robot_of,
    static_for,
    static_options,
)

OFFERED_ALGORITHMS: dict[str, Algorithm] = {**ALGORITHMS, "rollout": algorithm_of(rollout)}
"""Algorithms that can be written, and steps whose number only a call tells."""
DTYPES = {"double": "float64", "float": "float32"}
DEFAULT_STEP = 0.01
"""Steps in time of a test are between a tenth and nine tenths of this [s]."""
CONVENTIONS = (
    "SI units, radians. Six-vectors are angular first, twist (w, v), wrench (m, f); quaternions (w, x, y, z), of",
    "unit length. A free joint's q is its position, then its quaternion; its v is the body twist. Derivatives with",
    "respect to q are along the joints' velocities; the axis of a derivative comes last. In formulas, v' is the rate",
    "of v, ^T transposes, and q (+) eps is the configuration that q becomes with velocity eps in unit time.",
)


def add_codegen(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "codegen",
        run,
        "Write C, CUDA or JavaScript source of an algorithm, or a package for ROS 2",
        "The source is for this robot only, with its constants folded: one function for\n"
        "a single state and one for a batch, in C99 without allocation; it needs only\n"
        "libm. The command also writes a header, a test with expected results, and files\n"
        "for make and CMake. With --lang cuda it writes a kernel with one thread per\n"
        "state, with --lang javascript a module for pages and node, with --lang ros2 a\n"
        "package with controllers for ros2_control, which takes no ALGORITHM. Without\n"
        "--output all go into a folder with the name of the function or package.",
        [
            ("kinetrace codegen panda inverse_dynamics", "into a new folder"),
            ("kinetrace codegen ur5e pose --frame tool0 -o out", "static choices"),
            ("kinetrace codegen quadruped bias --base free", "a floating base"),
            ("kinetrace codegen panda gravity --inputs inertial", "masses as input"),
            ("kinetrace codegen panda rollout --method rk4", "any number of steps"),
            ("kinetrace codegen panda gravity --lang javascript", "for a web page"),
            ("kinetrace codegen panda --lang ros2 -o out", "controllers for ROS 2"),
        ],
    )
    add_robot(parser)
    _add_codegen_options(parser)
    add_json(parser)
    add_static(parser)


def _add_codegen_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "algorithm",
        metavar="ALGORITHM",
        nargs="?",
        help="name of an algorithm (`kinetrace count ROBOT` lists them); none with --lang ros2",
    )
    parser.add_argument("--lang", choices=(*LANGUAGES, "ros2"), default="c", help="the language (default: c)")
    parser.add_argument(
        "--dtype", choices=tuple(DTYPES), default="double", help="type of the numbers (default: double)"
    )
    parser.add_argument(
        "--name",
        help="name of the function and of the files (default: ROBOT_ALGORITHM; of a package ROBOT_controllers)",
    )
    parser.add_argument(
        "--maintainer", metavar="PERSON", help='"Name <mail>" of the maintainer of a package of ROS 2 (--lang ros2)'
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="folder for the files (default: NAME, here); . is the current one",
    )
    parser.add_argument("--force", action="store_true", help="also overwrite files that kinetrace did not write")
    parser.add_argument(
        "--inputs",
        metavar="NAMES",
        help=f"further arguments of the function, separated by commas: {', '.join(PARAMETERS)}; "
        "base_velocity, base_acceleration, stabilisation, point, task_damping where the algorithm has them",
    )
    parser.add_argument(
        "--wrench",
        metavar="FRAME",
        action="append",
        help="add an external wrench on this frame as argument (repeatable)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the files."""
    if args.lang == "ros2":
        return _run_ros2(args)
    if args.maintainer is not None:
        raise InputError("--maintainer is of packages for ROS 2: leave it out, or give --lang ros2")
    if args.algorithm is None:
        raise InputError("codegen needs an ALGORITHM: `kinetrace count ROBOT` lists them; only --lang ros2 takes none")
    return _run_source(args)


def _run_source(args: argparse.Namespace) -> int:
    """Write source of an algorithm."""
    says = algorithm_named(args.algorithm, OFFERED_ALGORITHMS)
    robot, function = robot_of(args), says.function
    says.check_size(robot.nv)
    static = static_for(args, says, robot)
    shapes, inputs = _arrays(args, says, robot.model)
    if function is rollout:
        shapes["tau"] = ("t", robot.nv)
    dtype = DTYPES[args.dtype]
    kernel = compile(function, robot, inputs=inputs, shapes=shapes, dtype=dtype, backend="numpy", **static)
    suffix = ("float",) if args.dtype == "float" else ()
    name = identifier(robot.name, args.algorithm, *suffix).lower() if args.name is None else args.name
    about = _about(robot, function, kernel.program, static)
    states = [
        _states(robot, a.name, comparison_program.test_shape(kernel.program, a.shape)) for a in kernel.program.inputs
    ]
    files_by_name = sources(kernel.program, name, lang=args.lang, dtype=dtype, about=about, states=states)
    folder = _write(args, name, files_by_name)
    in_c, count = unit(kernel.program, name, dtype=dtype), kernel.count()
    scratch, unchecked = (
        in_c.scratch_bytes,
        comparison_program.incomparable_outputs(in_c, comparison_program.states_of(in_c, states)),
    )
    if args.json:
        files = [str(folder / file) for file in files_by_name]
        print_json(
            {
                "name": name,
                "files": files,
                "operations": asdict(count),
                "scratch_bytes": scratch,
                "unchecked": unchecked,
            }
        )
        return 0
    out = console()
    for file, text in files_by_name.items():
        out.print(f"{folder / file}  {plural(len(text.splitlines()), 'line', 'lines')}", soft_wrap=True)
    memory = "" if args.lang == "javascript" else f"; {scratch:,} bytes of scratch on the stack"
    out.print(f"{name}{kernel.program.signature} {args.dtype}: {count}{memory}", soft_wrap=True)
    if unchecked:
        out.print(f"Not checked by the test, singular at its states: {', '.join(unchecked)}", soft_wrap=True)
    if "Makefile" in files_by_name:
        out.print(f"Check it with: make -C {shlex.quote(str(folder))} check", soft_wrap=True)
    if args.lang == "javascript":
        out.print(f"Check it with: node {shlex.quote(str(folder / f'{name}_test.mjs'))}", soft_wrap=True)
    return 0


def _run_ros2(args: argparse.Namespace) -> int:
    """Write a package of ROS 2."""
    given = {name.replace("_", "-"): getattr(args, name) for name in ("inputs", "wrench", *static_options())}
    wrong = [f"--{name}" for name, value in given.items() if value is not None]
    wrong += ["--dtype float"] if args.dtype == "float" else []
    wrong += [args.algorithm] if args.algorithm is not None else []
    if wrong:
        raise InputError(f"--lang ros2 writes gravity and inverse_dynamics in double: leave out {', '.join(wrong)}")
    robot = robot_of(args)
    joints, person = _effort_joints(robot), args.maintainer or "maintainer <maintainer@example.com>"
    default = f"{identifier(robot.name, 'model').lower().removesuffix('_model')}_controllers"
    name = default if args.name is None else args.name
    if (parts := re.fullmatch(r"\s*([^<>]*[^<>\s])\s*<([^<>@\s]+@[^<>@\s]+)>\s*", person)) is None:
        raise InputError(f'--maintainer must be "Name <name@domain>", got {person!r}')
    about = {
        "ROBOT": escape(printable(robot.name)),
        "VERSION": ".".join([*re.findall(r"\d+", __version__), "0", "0", "0"][:3]),
        "PERSON": escape(parts[1]),
        "MAIL": quoteattr(parts[2]),
    }
    kernels = []
    for algorithm in ("gravity", "inverse_dynamics"):
        function = ALGORITHMS[algorithm].function
        program = compile(function, robot, dtype="float64", backend="numpy").program
        states = [_states(robot, a.name, a.shape) for a in program.inputs]
        lines = _about(robot, function, program, {})
        kernels.append(sources(program, identifier(name, algorithm), about=lines, states=states))
    files_by_name = ros2_package(name, joints, kernels, about)
    folder = _write(args, name, files_by_name)
    if args.json:
        print_json({"name": name, "files": [str(folder / file) for file in files_by_name]})
        return 0
    out = console()
    for file, text in files_by_name.items():
        out.print(f"{folder / file}  {plural(len(text.splitlines()), 'line', 'lines')}", soft_wrap=True)
    out.print(f"Build it in a workspace with: colcon build --packages-select {name}", soft_wrap=True)
    return 0


def _effort_joints(robot: Robot) -> list[EffortJoint]:
    """The joints that controllers of efforts drive; an error if the robot is not one that they can."""
    model = robot.model
    several = [body.joint_name for body in model.bodies if (body.joint.nq, body.joint.nv) != (1, 1)]
    why = next((reason for wrong, reason in _reasons(robot, several) if wrong), None)
    if why is not None:
        raise InputError(f"--lang ros2: {printable(robot.name)} {why}")
    return [
        EffortJoint(body.joint_name, float(body.limits.effort[0]), isinstance(body.joint, Continuous))
        for body in model.independent_joints
    ]


def _reasons(robot: Robot, several: list[str]) -> list[tuple[object, str]]:
    """What may be wrong, and what can be done."""
    model = robot.model
    lock = "lock them by robot.locked({...}), save the robot as JSON, and give that file"

    def short_list(names: list[str] | tuple[str, ...]) -> str:
        return ", ".join(printable(name) for name in names[:6]) + (", …" if len(names) > 6 else "")

    return [
        (not model.nv, "has no joint that moves; there is nothing to control"),
        (
            model.closures,
            "has closed loops, whose forces are not determined joint by joint; give the tree without them",
        ),
        (model.coupled_joints, f"has mimic joints ({short_list(model.coupled_joints)}), which take no effort; {lock}"),
        (
            several,
            f"has joints of several degrees of freedom ({short_list(several)}), which no motor drives; take a free "
            f"base away by --base fixed, and model others as joints of one, or {lock}",
        ),
        (model.undriven, f"has joints without motors ({short_list(model.undriven)}); {lock}"),
    ]


def _arrays(args: argparse.Namespace, says: Algorithm, model: Model) -> tuple[dict[str, Any], list[str]]:
    """Shapes of further arguments of the algorithm, and the parameters of the model that are inputs."""
    further = [name for name in says.further if name in ARGUMENTS]
    names = args.inputs.split(",") if args.inputs else []
    for name in names:
        if name not in (*PARAMETERS, *further):
            raise unknown_name_error("input", name, (*PARAMETERS, *further))
    shapes: dict[str, Any] = {name: ARGUMENTS[name].shape(model) for name in names if name in further}
    if args.wrench:
        if "wrench" not in says.further:
            raise InputError(f"{args.algorithm} takes no wrench; leave --wrench out")
        shapes["wrench"] = dict.fromkeys(args.wrench, (6,))
    return shapes, [name for name in names if name not in further]


def _about(robot: Robot, function: Any, program: Program, static: Mapping[str, Any]) -> list[str]:
    """Header text about the robot and the algorithm, in ASCII."""
    meanings = {name: x.meaning for table in (ARGUMENTS, PARAMETERS) for name, x in table.items()}
    lines = [
        f"kinetrace {__version__}: {function.__name__} of the robot {robot.name}, nq = {robot.nq}, nv = {robot.nv}.",
        *(f"Its loops are closed by {name}." for name in [", ".join(robot.closure_names)] if name),
        *(f"{name} = {value!r}" for name, value in static.items()),
        *("", *_meaning(function), "", *CONVENTIONS, ""),
        *(f"{a.name}: {meanings[a.name]}" for a in program.inputs if a.name in meanings),
        *(f"{a.name}: the environment's wrench on that frame" for a in program.inputs if a.name.startswith("wrench[")),
        "Joints, their places in q and in v:",
    ]
    width = max(map(len, robot.joint_names), default=0)
    for joint in robot.joint_names:
        lines.append(f"  {joint:{width}}  {_places(robot.q_slice(joint)):>5}  {_places(robot.v_slice(joint)):>5}")
    return [printable(line).encode("ascii", PLAIN_TEXT_ERRORS).decode() for line in lines]


def _meaning(function: Any) -> list[str]:
    """The lines of a docstring that say what a function computes: no examples, and of its sections the results alone.

    >>> import kinetrace as kt
    >>> _meaning(kt.algorithms.jacobian)[2:]
    ['Returns', 'Array, shape (6, nv)', '    The Jacobian, angular rows first.']
    """
    text = inspect.cleandoc(function.__doc__ or "")
    first, *sections = re.split(r"\n+(?=.+\n-{3,}(?:\n|$))", text)
    results = [re.sub(r"\n-+", "", section, count=1) for section in sections if section.startswith("Returns\n")]
    return "\n\n".join([first.split(">>>")[0].strip(), *results]).splitlines()


def _places(span: slice) -> str:
    return str(span.start) if span.stop == span.start + 1 else f"{span.start}-{span.stop - 1}"


def _states(robot: Robot, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """The test's values of an argument, one row per state: configurations that are some, the robot's own parameters."""
    # Another part of the sequence for every argument, or they would be equal; q has the first.
    k, offset = comparison_program.TEST_STATES, 100 * sum(map(ord, name.removeprefix("q")))
    if name in ARGUMENTS and ARGUMENTS[name].shape is ARGUMENTS["q"].shape:
        steps = comparison_program.spread_numbers(offset + k * robot.nv)[offset:].reshape(k, robot.nv)
        near = np.array([robot.model.integrate(robot.home(), v) for v in steps]).reshape(k, robot.nq)
        closed = robot.project(near)
        return np.where(np.isfinite(closed), closed, robot.home())
    if name in PARAMETERS:
        return np.array([PARAMETERS[name].get(robot.model)] * k)
    size = DEFAULT_STEP if name == "dt" else 1.0
    return size * comparison_program.spread_numbers(offset + k * int(np.prod(shape)))[offset:].reshape(k, *shape)


def _write(args: argparse.Namespace, name: str, files: Mapping[str, str]) -> Path:
    """Write the files, each whole or not at all, and none over one that was not written by kinetrace; their folder."""
    folder = Path(name) if args.output is None else args.output
    for path in (folder / file for file in files):
        if not args.force and os.path.lexists(path) and not _is_ours(path):
            raise InputError(f"{str(path)!r} was not written by kinetrace; give another --output, or --force")
    for parent in {(folder / file).parent for file in files}:
        parent.mkdir(parents=True, exist_ok=True)
    write_atomically({folder / file: text.encode() for file, text in files.items()})
    return folder


def _is_ours(path: Path) -> bool:
    """Whether a file says that it was written here."""
    if not path.is_file():
        return False
    return GENERATED_MARK.encode() in head_of(path, 500)
