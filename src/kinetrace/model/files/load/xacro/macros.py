"""xacro: macros that make URDF. A file becomes URDF text; errors name the file, the place and a remedy.

A xacro file is a small program of a stranger's. Its expressions are evaluated by `expressions.py`, not by Python; the
files that it reads are regular ones of bounded size; the environment is not read; what it makes is counted.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .....errors import InputError, ModelError, printable, shorten, unknown_name_error, value_text
from .....support.files import regular_file
from ..meshes import PACKAGE, no_package, package_folder, package_of
from ..xml import XmlSource, serialise
from ..yaml_text import read_yaml
from .expander import MAX_FILE_SIZE, Expander
from .expressions import check_plain, evaluate
from .functions import MAX_BITS
from .substitution import Budget, Substitution

_DEFINES = re.compile(r"<xacro:(include|macro|property|arg|if|unless|element)\b")
_UNITS = {
    **{"!radians": 1.0, "!degrees": math.pi / 180.0},
    **{"!meters": 1.0, "!millimeters": 0.001, "!foot": 0.3048, "!inches": 0.0254},
}
"""Tags of numbers in YAML → their units in radians and metres."""


def needs_expansion(text: str) -> bool:
    """Whether XML text is xacro's: it defines or includes something, beyond calls that were left over.

    >>> robot = "<robot xmlns:xacro='http://ros.org/wiki/xacro'>{}</robot>"
    >>> needs_expansion(robot.format("<xacro:if value='1'/>")), needs_expansion(robot.format("<xacro:a/>"))
    (True, False)
    """
    return "xmlns:xacro" in text and _DEFINES.search(text) is not None


def macro_names(text: str) -> list[str]:
    """The names of macros that a text defines.

    >>> macro_names("<robot><xacro:macro params='x' name='arm'/></robot>")
    ['arm']
    """
    return _names_of("macro", text)


def _names_of(element: str, text: str) -> list[str]:
    # Up to the next "<" only, which no attribute contains: the search is linear in the text.
    definitions = re.findall(rf"<xacro:{element}\s[^<>]{{0,9999}}?\bname=(['\"])(.*?)\1", text)
    return [printable(name) for _, name in definitions]


def _check_known(arguments: Mapping[str, str], texts: list[str]) -> None:
    """An error about the first argument that no file declares with xacro:arg, nor uses in a substitution.

    >>> robot = "<robot><xacro:arg name='length' default='1'/><link name='$(arg arm)'/></robot>"
    >>> _check_known({"arm": "left", "length": "2"}, [robot])
    >>> _check_known({"lenght": "2"}, [robot])
    Traceback (most recent call last):
    kinetrace.errors.InputError: unknown xacro argument 'lenght'; did you mean 'length'? Valid: length
    """
    declared = {name for text in texts for name in _names_of("arg", text)}
    for name in arguments:
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        used = (
            part for text in texts if name in text for part in text.split("<") if "$(" in part or "xacro.arg" in part
        )
        if name not in declared and not any(map(word.search, used)):
            raise unknown_name_error("xacro argument", name, declared)


def checked_arguments(xacro_args: Mapping[str, Any] | None) -> dict[str, str]:
    """The argument `xacro_args` as xacro wants it: texts, with true and false for Python's.

    >>> checked_arguments({"arm": "left", "hand": True, "length": 0.5})
    {'arm': 'left', 'hand': 'true', 'length': '0.5'}
    """
    if xacro_args is None:
        return {}
    if not isinstance(xacro_args, Mapping):
        raise InputError(f"xacro_args must be a mapping such as {{'arm': 'left'}}, got {value_text(xacro_args)}")
    texts = {}
    for name, value in xacro_args.items():
        is_long = isinstance(value, int) and value.bit_length() > MAX_BITS
        if not isinstance(name, str) or not isinstance(value, str | bool | int | float) or is_long:
            got = f"got {value_text(name)}: {value_text(value)}"
            raise InputError(f"xacro_args: names are text, values text, numbers or flags; {got}")
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return texts


def expand_macros(
    source: Path | str,
    arguments: Mapping[str, str],
    packages: Mapping[str, Path],
    usual: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> tuple[str, list[str]]:
    """URDF text of a xacro file, or of xacro text, and what is odd about it.

    `arguments` must be known to a file that is read; `usual` ones, which come with a description, need not be. `folder`
    is where a text was read from.

    >>> xacro = "<robot xmlns:xacro='x'><xacro:property name='n' value='${2 * 3}'/><link name='a${n}'/></robot>"
    >>> print(expand_macros(xacro, {}, {})[0].split()[-3:])
    ['<link', 'name="a6"/>', '</robot>']
    """
    file = str(source) if isinstance(source, Path) else XmlSource().file
    remarks, budget = list[str](), Budget()
    files = XacroFiles(source.resolve().parent if isinstance(source, Path) else folder, packages, budget)
    functions = {**files.functions(), **_message_functions(remarks.append)}
    substitution = Substitution({**(usual or {}), **arguments}, functions, files.find, budget, remarks.append)
    expander = Expander(substitution, budget, files.open, files.path_of, remarks.append)
    try:
        text = serialise(expander.robot(source))
        budget.spend("characters", len(text))
    except ModelError as error:
        raise _with_place(error, file, expander) from None
    except RecursionError:
        endless = ModelError("xacro: macros call, or files include, each other without end")
        raise _with_place(endless, file, expander) from None
    except OSError as error:
        raise ModelError(f"xacro: {error.strerror}: {error.filename!r}", file=file) from None
    _check_known(arguments, expander.texts)
    return text, list(dict.fromkeys(printable(" ".join(remark.split())) for remark in remarks if remark.strip()))


def _with_place(error: ModelError, file: str, expander: Expander) -> ModelError:
    """An error with the file that was to be loaded and the place in it, unless it names a file itself."""
    if not error.file:
        error.file, error.place = file, error.place or expander.place
    error.problem = shorten(error.problem)
    return error


class XacroFiles:
    """The files and packages that macros refer to: `open` are the file that is read and those that include it."""

    def __init__(self, folder: Path | None, packages: Mapping[str, Path], budget: Budget) -> None:
        self.folder, self.packages, self.budget = folder, packages, budget
        self.roots = [*packages.values(), *_ros_folders()] + ([] if folder is None else [package_of(folder)])
        self.open: list[str] = []

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Functions of expressions, by name and below `xacro.`."""
        by_name: dict[str, Callable[..., Any]] = {
            "load_yaml": self.load_yaml,
            "abs_filename": self.path_of,
            "dotify": dict,
        }
        return {f"{space}{name}": function for space in ("", "xacro.") for name, function in by_name.items()}

    def find(self, name: str) -> str:
        """The folder of a package."""
        if name in ("", ".", "..") or "/" in name or "\\" in name:
            raise ModelError(f"{name!r} is no name of a package")
        folder = package_folder(name, self.folder, self.packages)
        if folder is None:
            raise ModelError(no_package(name, self.packages))
        if (folder / "package.xml").is_file():
            self.roots.append(folder)
        return str(folder)

    def path_of(self, name: str) -> str:
        """The path of a file: in a package, or beside the file that names it."""
        if name.startswith(PACKAGE):
            package, _, rest = name.partition("://")[2].partition("/")
            return f"{self.find(package)}/{rest}"
        return os.path.join(os.path.dirname(self.open[-1]) if self.open else self.folder or ".", name)

    def load_yaml(self, name: str) -> Any:
        """The value of a YAML file of the robot's own folders."""
        path = Path(self.path_of(name)).resolve()
        if not any(path.is_relative_to(root.resolve()) for root in self.roots):
            raise ModelError(
                f"load_yaml reads files of the robot's own folder and packages only, not {str(path)!r}; "
                "packages={name: folder} adds a folder"
            )
        text = regular_file(path, MAX_FILE_SIZE).decode("utf-8", "replace")
        tags = {tag: self._unit_reader(unit) for tag, unit in _UNITS.items()}
        try:
            return check_plain(read_yaml(text, tags, once=False), self.budget.steps)
        except ModelError as error:
            error.file = error.file or str(path)
            raise

    def _unit_reader(self, unit: float) -> Callable[[str], float]:
        return lambda text: float(evaluate(text, {}, {}, spend=self.budget.steps)) * unit


def _ros_folders() -> list[Path]:
    """The folders of ROS, whose files may be read."""
    names = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
    return [Path(each) for name in names for each in os.environ.get(name, "").split(os.pathsep) if each]


def _message_functions(remark: Callable[[str], None]) -> dict[str, Callable[..., Any]]:
    """Functions below `xacro.` that say something, and `tokenize`."""

    def message(kind: str) -> Callable[..., str]:
        def say(*words: Any, **_: Any) -> str:
            remark(" ".join(map(str, (kind, *words))))
            return ""

        return say

    def fatal(*words: Any) -> None:
        raise ModelError(shorten(" ".join(map(str, words))))

    def tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
        return [word for word in re.split(f"[{re.escape(sep)}]", text) if word or not skip_empty]

    messages = {f"xacro.{kind}": message(kind) for kind in ("message", "warning", "error", "print_location")}
    return {**messages, "xacro.fatal": fatal, "xacro.tokenize": tokenize}
