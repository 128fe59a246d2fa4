"""Parts that commands share: arguments, choices of algorithms, JSON, and text that any terminal can show."""

from __future__ import annotations

import argparse
import codecs
import json
import os
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Any, get_args

import numpy as np

from .. import InputError, World, load
from ..algorithms.registry.choices import Choice
from ..algorithms.registry.declaration import ALGORITHMS
from ..algorithms.registry.signature import Algorithm
from ..errors import unknown_name_error
from ..model.build.builder import Base
from ..robot import Robot

INTERRUPTED_CODE = 130
"""The exit code after Ctrl-C."""
NEGATIVE_NUMBER = re.compile(r"-\.?\d")
"""How numbers begin that are no options."""
Commands = Any
"""Type of `ArgumentParser.add_subparsers`' result, which argparse keeps private."""


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    description: str,
    examples: Sequence[tuple[str, str]],
) -> argparse.ArgumentParser:
    """Declare a command; `examples` are pairs (command line, what it does)."""
    width = max(len(line) for line, _ in examples)
    listed = "\n".join(f"  {line:{width}}  # {what}" for line, what in examples)
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary}.\n\n{description}",
        epilog=f"Examples:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_robot(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Declare the arguments that choose a robot."""
    meaning = "a bundled robot (see `kinetrace robots`), or the path of a URDF, xacro, MJCF or JSON file"
    if default is None:
        parser.add_argument("robot", metavar="ROBOT", help=meaning)
    else:
        parser.add_argument(
            "robot", metavar="ROBOT", nargs="?", default=default, help=f"{meaning} (default: {default})"
        )
    parser.add_argument(
        "--base",
        choices=get_args(Base),
        default="fixed",
        help="fix the root link to the world, or let it float (default: fixed)",
    )
    parser.add_argument("--closures", metavar="FILE", help="close loops as described in a .yaml or .json file")
    for option, metavar, meaning in (
        ("--package", "NAME=DIR", "folder of a package:// in the file (repeatable)"),
        ("--xacro-arg", "NAME=VALUE", "argument of a xacro file (repeatable)"),
    ):
        parser.add_argument(option, metavar=metavar, action="append", default=[], help=meaning)


def add_world(parser: argparse.ArgumentParser) -> None:
    """Declare --world."""
    parser.add_argument("--world", metavar="WORLD", help="what the robot stands on: ground, or a file of World.save")


def world_of(args: argparse.Namespace) -> World | None:
    """The world that --world names."""
    if args.world is None:
        return None
    return World() if args.world == "ground" else World.load(args.world)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON, for other programs")


def add_numbers(parser: argparse.ArgumentParser, option: str, meaning: str) -> None:
    """Declare an option that takes numbers with commas between."""
    parser._negative_number_matcher = NEGATIVE_NUMBER  # also of several with commas between, as in Python 3.14
    parser.add_argument(option, metavar="X,X,…", help=meaning)


def whole_number(least: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number, at least this one.

    >>> whole_number(1)("12")
    12
    """

    def number(text: str) -> int:
        if not (text.isdecimal() and int(text) >= least):
            raise argparse.ArgumentTypeError(f"must be a whole number, at least {least}, got {text!r}")
        return int(text)

    return number


def numbers_of(option: str, text: str) -> Any:
    """The numbers of such an option."""
    try:
        return np.array([float(x) for x in text.split(",")])
    except ValueError:
        raise InputError(f"{option} must be numbers with commas between, got {text!r}") from None


def robot_of(args: argparse.Namespace) -> Robot:
    """The robot that the arguments choose."""
    packages, xacro_args = _pairs(args.package, "--package"), _pairs(args.xacro_arg, "--xacro-arg")
    return load(args.robot, base=args.base, closures=args.closures, packages=packages, xacro_args=xacro_args)


def _pairs(words: list[str], option: str) -> dict[str, str]:
    """NAME=VALUE, several times."""
    wrong = next((word for word in words if "=" not in word), None)
    if wrong is not None:
        raise InputError(f"{option} takes NAME=VALUE, got {wrong!r}")
    return dict(word.split("=", 1) for word in words)


def print_json(content: object) -> None:
    """Print a value as strict JSON: nothing in it may be infinite."""
    print(json.dumps(content, indent=2, allow_nan=False))


def check_other_file(robot: str, out: str | os.PathLike[str]) -> None:
    """An error if a file to be written is the one that the robot was read from."""
    try:
        same = os.path.samefile(os.path.expanduser(robot), os.path.expanduser(out))
    except (OSError, ValueError):
        return
    if same:
        raise InputError(f"{str(out)!r} is the robot's own file, which is not overwritten: give another name")


def static_options() -> dict[str, dict[str, Choice]]:
    """The static choices of all algorithms by name: the algorithms that have one, and what it is there."""
    options: dict[str, dict[str, Choice]] = {}
    for algorithm, declaration in sorted(ALGORITHMS.items()):
        for name, choice in declaration.choices.items():
            options.setdefault(name, {})[algorithm] = choice
    return dict(sorted(options.items()))


def add_static(parser: argparse.ArgumentParser, without: Collection[str] = ()) -> None:
    """Declare the static choices of all algorithms as options, but those that the command declares itself."""
    group = parser.add_argument_group("keyword arguments of algorithms")
    for name, users in static_options().items():
        algorithms, kinds = list(users), {choice.kind for choice in users.values()}
        kind = str if tuple in kinds else kinds.pop()
        text = f"for {', '.join(algorithms[:2])}{f' and {len(algorithms) - 2} more' if len(algorithms) > 2 else ''}"
        flag = "--" + name.replace("_", "-")
        if name in without:
            continue
        if kind is bool:
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        else:
            group.add_argument(flag, metavar="N" if kind is int else "NAME", type=kind, help=text)


def static_of(args: argparse.Namespace, says: Algorithm) -> dict[str, Any]:
    """The static choices that were given, if the algorithm has them."""
    choices = says.choices
    chosen = {name: value for name in static_options() if (value := getattr(args, name, None)) is not None}
    for name in chosen:
        if name not in choices:
            raise unknown_name_error(f"keyword argument of {says.name}", name, choices)
    return {name: _names_or_numbers(x) if choices[name].kind is tuple else x for name, x in chosen.items()}


def static_for(args: argparse.Namespace, says: Algorithm, robot: Robot) -> dict[str, Any]:
    """The same for a robot, with the frame of an algorithm that is about one."""
    chosen = static_of(args, says)
    if "frame" in chosen:
        checked_frame(robot, chosen["frame"])
    elif says.needs_frame:
        raise InputError(f"{says.name} is about a frame: name it by --frame. Valid: {', '.join(robot.frame_names)}")
    return chosen


def _names_or_numbers(text: str) -> Any:
    """A name, or names or whole numbers that are joined by commas."""
    parts = [x.strip() for x in text.split(",")]
    if all(x.isdecimal() for x in parts):
        return tuple(map(int, parts))
    return tuple(parts) if len(parts) > 1 else text


def checked_frame(robot: Robot, frame: Any) -> Any:
    """The name of a frame, or several, if the robot has them."""
    for name in frame if isinstance(frame, tuple) else (frame,):
        robot.model.frame(name)
    return frame


PLAIN_TEXT_ERRORS = "kinetrace.plainer"
"""Name of the error handler."""
_SUPERSCRIPTS = {**{x: str(k) for k, x in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}, "⁺": "+", "⁻": "-", "ᵀ": "T"}
_SUBSCRIPTS = {x: str(k) for k, x in enumerate("₀₁₂₃₄₅₆₇₈₉")}
_REPLACEMENTS = {
    **{"→": "->", "↔": "<->", "·": "*", "×": "x", "−": "-", "–": "-", "…": "...", "½": "1/2", "±": "+-", "ł": "l"},
    **{"≤": "<=", "≥": ">=", "≠": "!=", "⊕": "(+)", "⊖": "(-)", "∘": "o", "∂": "d", "√": "sqrt ", "∫": "integral "},
    **{"Σ": "Sum", "ε": "eps", "δ": "delta ", "Λ": "Lambda", "λ": "lambda", "µ": "mu", "˙": "'"},
    **{"\N{COMBINING DOT ABOVE}": "'", "\N{COMBINING MACRON}": "bar"},
}
"""Character → what stands for it; Greek letters that are not here have their names."""


def as_text(text: str) -> str:
    """Plain text for characters that an encoding lacks; "?" for those without a name or a plain form.

    >>> as_text("Ṁ, J̄, δτ, Γ ξ²"), as_text("M⁻¹"), as_text("é"), as_text("中")
    ("M', Jbar, delta tau, Gamma xi^2", 'M^-1', 'e', '?')
    """
    text = re.sub(f"[{''.join(_SUPERSCRIPTS)}]+", lambda run: "^" + "".join(_SUPERSCRIPTS[x] for x in run[0]), text)
    return "".join(map(_plain_character, text))


def _plain_character(x: str) -> str:
    if x.isascii():
        return x
    if x in _REPLACEMENTS or x in _SUBSCRIPTS:
        return _REPLACEMENTS.get(x) or f"_{_SUBSCRIPTS[x]}"
    parts = unicodedata.normalize("NFD", x)
    if len(parts) > 1:
        return "".join(map(_plain_character, parts))
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(x, ""))
    if greek:
        return greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize()
    return "" if unicodedata.combining(x) else "?"


def _handle(error: UnicodeError) -> tuple[str, int]:
    """The error handler."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return as_text(error.object[error.start : error.end]), error.end


codecs.register_error(PLAIN_TEXT_ERRORS, _handle)
