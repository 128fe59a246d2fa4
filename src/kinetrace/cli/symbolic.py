"""`kinetrace symbolic`: formulas of an algorithm."""

from __future__ import annotations

import argparse
from typing import Any

from ..algorithms.registry.declaration import algorithm_named
from ..model.parameters import PARAMETERS
from .shared import Commands, add_command, add_json, add_robot, add_static, print_json, robot_of, static_for


def add_symbolic(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "symbolic",
        run_symbolic,
        "Write an algorithm of a small robot as formulas",
        "Formulas are those of SymPy, in their shortest form, or with common\n"
        "sub-expressions where that would be long. Parameters of the robot are numbers,\n"
        "or with --inputs symbols where they are not zero: m1, c1 and I_1xx of body 1,\n"
        "l1 from body 1 to the next one, g.",
        [
            ("kinetrace symbolic planar2r mass_matrix --rational", "with fractions"),
            ("kinetrace symbolic planar2r gravity --inputs inertial", "with masses"),
            ("kinetrace symbolic planar2r coriolis_matrix --latex", "for a paper"),
            ("kinetrace symbolic puma560 pose --frame link3", "where a frame is"),
        ],
    )
    add_robot(parser)
    parser.add_argument(
        "algorithm", metavar="ALGORITHM", help="name of an algorithm (`kinetrace count ROBOT` lists them)"
    )
    parser.add_argument(
        "--inputs",
        metavar="NAMES",
        help=f"parameters that become symbols, separated by commas: {', '.join(PARAMETERS)}",
    )
    parser.add_argument("--rational", action="store_true", help="write numbers as fractions where they are some")
    parser.add_argument("--latex", action="store_true", help="print LaTeX")
    parser.add_argument("--most", metavar="N", type=int, default=2000, help="operations to allow (default: 2000)")
    add_json(parser)
    add_static(parser)


def run_symbolic(args: argparse.Namespace) -> int:
    """Print the formulas."""
    says, robot = algorithm_named(args.algorithm), robot_of(args)
    static = static_for(args, says, robot)
    inputs = tuple(args.inputs.split(",")) if args.inputs else ()
    formulas = robot.symbolic(args.algorithm, inputs=inputs, rational=args.rational, most=args.most, **static)
    if args.json:
        results = formulas.result if isinstance(formulas.result, tuple) else (formulas.result,)
        print_json(
            {
                "robot": robot.name,
                "algorithm": says.name,
                "subexpressions": {str(x): str(meaning) for x, meaning in formulas.subexpressions},
                "results": [_texts(x.tolist() if hasattr(x, "tolist") else x) for x in results],
                "values": {str(x): value for x, value in formulas.values.items()},
            }
        )
        return 0
    print(formulas.latex() if args.latex else formulas)
    return 0


def _texts(x: Any) -> Any:
    """An expression, or lists of such, as text that SymPy can read."""
    return [_texts(y) for y in x] if isinstance(x, list) else str(x)
