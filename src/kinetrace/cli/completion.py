"""`kinetrace completion`: a script by which a shell completes commands, options, robots and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from .. import robot_names
from ..algorithms.registry.declaration import ALGORITHMS
from ..errors import unknown_name_error
from .shared import Commands, add_command

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
"""Those of `shtab`; older versions of it know fewer."""
LISTED_ARGUMENTS = {"ROBOT": "robot", "ALGORITHM": "algorithm"}
"""Name of an argument in the help → kind of its values."""


def add_completion(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "completion",
        run,
        "Write a script for completion in a shell",
        "The script completes commands, options and their choices, names of robots and\n"
        "of algorithms, and files. Load it at the start of the shell, as by\n"
        'eval "$(kinetrace completion bash)" in ~/.bashrc.',
        [
            ("kinetrace completion bash", "the script"),
            ("kinetrace completion zsh > ~/.zfunc/_kinetrace", "a folder of $fpath"),
            ("kinetrace completion fish | source", "in config.fish"),
        ],
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    """Write the script."""
    import shtab

    from . import make_parser

    if args.shell not in shtab.SUPPORTED_SHELLS:
        raise unknown_name_error("shell", args.shell, shtab.SUPPORTED_SHELLS)
    parser = make_parser()
    files = {"FILE": shtab.FILE, "DIR": shtab.DIRECTORY}
    for action in _actions(parser):
        what = LISTED_ARGUMENTS.get(str(action.metavar)) or LISTED_ARGUMENTS.get(action.dest.upper())
        if what is not None:
            action.complete = _list(what)  # type: ignore[attr-defined]
        elif action.metavar in files:
            action.complete = files[action.metavar]  # type: ignore[attr-defined]
    print(shtab.complete(parser, args.shell, root_prefix="kinetrace", preamble=_preamble().get(args.shell, "")))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of all commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _actions(each)
        else:
            yield action


def _names() -> dict[str, list[str]]:
    """Kind of values → their names; robots may be files, too."""
    return {"robot": list(robot_names()), "algorithm": sorted(ALGORITHMS)}


def _list(what: str) -> dict[str, str]:
    """How each shell is told to complete names."""
    words = " ".join(_names()[what])
    more = "; __fish_complete_path (commandline -ct)" if what == "robot" else ""
    return {
        "bash": f"_kinetrace_{what}",
        "zsh": f"_kinetrace_{what}",
        "fish": f"(printf '%s\\n' {words}{more})",
        "tcsh": "f" if what == "robot" else f"({words})",
        "powershell": "_shtab_powershell_compgen_files",
    }


def _preamble() -> dict[str, str]:
    """Functions that the scripts call."""
    bash, zsh = list[str](), list[str]()
    for what, names in _names().items():
        words, is_robot = " ".join(names), what == "robot"
        files = '; _shtab_compgen_files "$1"' if is_robot else ""
        bash.append(f'_kinetrace_{what}() {{ compgen -W "{words}" -- "$1"{files}; }}')
        also = " 'files:file:_files'" if is_robot else ""
        zsh.append(f"_kinetrace_{what}() {{ _alternative '{what}s:{what}:({words})'{also} }}")
    return {"bash": "\n".join(bash), "zsh": "\n".join(zsh)}
