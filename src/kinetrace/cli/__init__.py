"""The command `kinetrace`: a few sub-commands per file, on the public names of the library only.

For each sub-command a file has `add_COMMAND(commands)`, which declares its arguments and the function that returns the
exit code. A file is imported when its command is given, or all are listed; `rich` is imported inside these functions.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

from .. import __version__
from ..errors import KinetraceError, ModelWarning, PhysicsWarning, SimulationWarning, nearest, printable, shorten
from .shared import INTERRUPTED_CODE, PLAIN_TEXT_ERRORS

__all__ = ["main"]

FAILED, WRONG_INPUT = 1, 2
"""Exit codes besides 0 and INTERRUPTED; argparse's own for a wrong usage is 2 too."""
COMMAND_MODULES = {
    **{name: "robots" for name in ("robots", "info")},
    **{"view": "pictures", "doctor": "doctor", "diff": "robots", "convert": "robots", "plot": "pictures"},
    **{name: "simulate" for name in ("simulate", "rollout")},
    **{"count": "count", "optimise": "count", "codegen": "codegen", "symbolic": "symbolic"},
    **{name: name for name in ("verify", "bench", "cache", "completion", "demo")},
}
"""Command → its file, which has a function `add_COMMAND`; in the order of `--help`."""
EPILOG = """\
Start with `kinetrace demo`. `kinetrace COMMAND --help` describes a command.

Exit codes:
  0    done, and all is well
  1    done, but something is wrong: an identity of `verify` does not hold, `doctor`
       has errors or warnings, robots of `diff` differ, a simulated motion was lost,
       kinetrace raised an error in `bench` or disagrees with another library,
       results of `demo` differ, a file of the cache could not be removed
  2    wrong usage, or a file or robot that cannot be read
  130  interrupted by Ctrl-C

Environment: KINETRACE_CACHE (a directory, or off), KINETRACE_CACHE_SIZE (in MB),
KINETRACE_BROWSER (a path), NO_COLOR. All is in docs/command.md."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (by default the program's) and return its exit code."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed, as in `kinetrace info panda >&-`: there is nowhere to write
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  to the end of the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=PLAIN_TEXT_ERRORS)
    try:
        return _run(argv)
    except BrokenPipeError:  # the reader of our output has gone, as in `kinetrace info panda | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        print("kinetrace: interrupted", file=sys.stderr)
        return INTERRUPTED_CODE
    except KinetraceError as error:
        _line("error", error)
    except OSError as error:
        _line("error", error if error.filename is None else f"{error.filename!r}: {error.strerror}")
    except MemoryError as error:
        _line("error", f"not enough memory: {error}".removesuffix(": "))
    return WRONG_INPUT


def _run(argv: Sequence[str] | None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    parser = make_parser(argv[:1])
    try:
        args, rest = parser.parse_known_args(argv)
        if rest:
            parser.of(args.command).refuse(rest)
        with _warnings_as_lines():
            code: int = args.run(args) if args.command else _help(parser)
    except SystemExit:  # argparse has written what it had to
        sys.stdout.flush()
        raise
    sys.stdout.flush()
    return code


class _Parser(argparse.ArgumentParser):
    commands: Any = None

    def of(self, command: str | None) -> _Parser:
        """The parser of a command; itself if there is none."""
        found: _Parser = self.commands.choices.get(command, self)
        return found

    def refuse(self, arguments: list[str]) -> NoReturn:
        """Say which arguments it does not have, and which are spelt alike."""
        wrong = next((x.partition("=")[0] for x in arguments if x.startswith("-")), "")
        near = nearest(wrong, self._option_string_actions, cutoff=0.75) if len(wrong) > 2 else []
        hint = f"did you mean {near[0]}?" if near else f"`{self.prog} --help` lists what it takes"
        self.error(f"unrecognized arguments: {' '.join(arguments)}; {hint}")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in text that a terminal can show, and what may be meant by a choice that is not valid."""
        match = re.search(r"invalid choice: '([^']*)'", message)
        if match is not None and "maybe you meant" not in message:
            valid = {x.lower(): x for x in re.findall(r"'([^']*)'|([\w-]+)", message[match.end() :]) for x in x if x}
            near = nearest(match[1].lower(), valid)
            hint = f"{match[0]}; did you mean {valid[near[0]]!r}?" if near else match[0]
            message = message.replace(match[0], hint)
        super().error(shorten(printable(message)))


def make_parser(first: Sequence[str] = ()) -> _Parser:
    """The parser of all commands; of one alone, if that is the first argument."""
    parser = _Parser(
        prog="kinetrace",
        description="Robot dynamics from URDF files, compiled for your processor.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"kinetrace {__version__}")
    commands = parser.commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    chosen = [x for x in first if x in COMMAND_MODULES] or (COMMAND_MODULES if "--version" not in first else ())
    for name in dict.fromkeys(chosen):
        getattr(import_module(f".{COMMAND_MODULES[name]}", __name__), f"add_{name}")(commands)
    return parser


def _help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print each warning for users as one line; those for programmers stay as Python prints them."""
    with warnings.catch_warnings():
        otherwise = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, UserWarning):
                _line("warning", message)
            else:
                otherwise(message, category, *where, **more)

        warnings.showwarning = show
        for category in (PhysicsWarning, ModelWarning, SimulationWarning):
            warnings.simplefilter("always", category)
        yield


def _line(kind: str, message: object) -> None:
    print(f"kinetrace: {kind}:", shorten(printable(" ".join(str(message).splitlines()))), file=sys.stderr)
