"""xacro: macros that make URDF. The `xacro` package expands them; errors name the file and a remedy.

A xacro file is a small program of a stranger's. Its expressions are evaluated by `expressions.py`, not by Python; the
files that it reads are regular ones of bounded size; the environment is not read; what it makes is counted.
"""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any

from ...errors import LONGEST_NAME, InputError, ModelError, printable, shortened, shown, unknown
from ...support.files import regular_file
from ...support.optional import needed
from .expressions import evaluate, plain
from .functions import MOST_BITS
from .meshes import PACKAGE, no_package, package_folder, package_of
from .replaced import replaced
from .yaml_text import read_yaml

LARGEST = 100_000_000
"""Characters of an expanded file."""
LARGEST_FILE = 50_000_000
"""Bytes of a file that is included."""
MOST_CALLS, MOST_ELEMENTS, MOST_WORK = 10_000, 300_000, 1_000_000_000
"""Calls of macros, elements that are visited, and characters that are read, over and over again, on the way."""
_DEFINES = re.compile(r"<xacro:(include|macro|property|arg|if|unless|element)\b")
_PARAMETER = re.compile(
    r"""^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?(\$\{[^}]*\}|\$\([^)]*\)|(?:'[^']*'|"[^"]*"|[^\s'"])+|)(?:\s+|$)(.*)"""
)
"""A parameter of a macro with its default, in time that is linear in the text."""
_expanding = Lock()
"""The xacro package keeps its state in its modules."""


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
    found = re.findall(rf"<xacro:{element}\s[^>]{{0,9999}}?\bname=(['\"])(.*?)\1", text)
    return [printable(name) for _, name in found]


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
            raise unknown("xacro argument", name, declared)


def checked_arguments(xacro_args: Mapping[str, Any] | None) -> dict[str, str]:
    """The argument `xacro_args` as xacro wants it: texts, with true and false for Python's.

    >>> checked_arguments({"arm": "left", "hand": True, "length": 0.5})
    {'arm': 'left', 'hand': 'true', 'length': '0.5'}
    """
    if xacro_args is None:
        return {}
    if not isinstance(xacro_args, Mapping):
        raise InputError(f"xacro_args must be a mapping such as {{'arm': 'left'}}, got {shown(xacro_args)}")
    found = {}
    for name, value in xacro_args.items():
        is_long = isinstance(value, int) and value.bit_length() > MOST_BITS
        if not isinstance(name, str) or not isinstance(value, str | bool | int | float) or is_long:
            told = f"got {shown(name)}: {shown(value)}"
            raise InputError(f"xacro_args: names are text, values text, numbers or flags; {told}")
        found[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def expanded(
    source: Path | str,
    arguments: Mapping[str, str],
    packages: Mapping[str, Path],
    usual: Mapping[str, str] | None = None,
) -> tuple[str, list[str]]:
    """URDF text of a xacro file, or of xacro text, and what xacro warned of.

    `arguments` must be known to a file that is read; `usual` ones, which come with a description, need not be.
    """
    xacro = needed("xacro", "a xacro file", "xacro")
    substitution_args = needed("xacro.substitution_args", "a xacro file", "xacro")
    file = str(source) if isinstance(source, Path) else "XML text"
    folder = source.resolve().parent if isinstance(source, Path) else None

    roots = [*packages.values(), *_ros_folders()] + ([] if folder is None else [package_of(folder)])

    def find(name: str) -> str:
        if name in ("", ".", "..") or "/" in name or "\\" in name:
            raise ModelError(f"{name!r} is no name of a package", file=file)
        found = package_folder(name, folder, packages)
        if found is None:
            raise ModelError(no_package(name, packages), file=file)
        if (found / "package.xml").is_file():
            roots.append(found)
        return str(found)

    printed, texts = io.StringIO(), list[str]()
    with (
        _expanding,
        _as_ours(xacro, substitution_args, find, roots, texts),
        redirect_stderr(printed),
        redirect_stdout(printed),
    ):
        try:
            xacro.init_stacks(None if folder is None else file)
            document = xacro.parse(source if isinstance(source, str) else None, file)
            xacro.process_doc(document, mappings={**(usual or {}), **arguments}, verbosity=0)
            text = document.toprettyxml(indent="  ")
        except Exception as error:  # macros may raise anything
            raise _told(error, file, list(xacro.filestack or ())) from None
        finally:
            xacro.filestack = xacro.macrostack = None
            xacro.all_includes.clear()
            xacro.substitution_args_context["arg"] = {}
    _check_known(arguments, texts)
    if len(text) > LARGEST:
        raise ModelError(f"expands to more than {LARGEST} characters", file=file)
    colours = re.compile(r"\x1b\[[0-9;]*m")
    return text, [printable(line) for line in colours.sub("", printed.getvalue()).splitlines() if line.strip()]


def _ros_folders() -> list[Path]:
    """The folders of ROS, whose files may be read."""
    names = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
    return [Path(each) for name in names for each in os.environ.get(name, "").split(os.pathsep) if each]


class _Counter:
    """Raises when more is done than any robot needs."""

    def __init__(self, what: str, most: int) -> None:
        self.what, self.most, self.count = what, most, 0

    def add(self, count: int = 1) -> None:
        self.count += count
        if self.count > self.most:
            raise ModelError(f"xacro: the macros need more than {self.most} {self.what}")


@contextmanager
def _as_ours(
    xacro: Any, substitution_args: Any, find: Callable[[str], str], roots: list[Path], texts: list[str]
) -> Iterator[None]:
    """With our own expressions and files in place of xacro's, and with all that it does counted.

    The `texts` of files that are read are added to those given.
    """
    calls, elements = _Counter("calls", MOST_CALLS), _Counter("elements", MOST_ELEMENTS)
    work, length = _Counter("steps", MOST_WORK), _Counter("characters", LARGEST)
    placed, parse, called = xacro.abs_filename_spec, xacro.parse, xacro.handle_macro_call
    all_evaluated, text_evaluated, defined = xacro.eval_all, xacro.eval_text, xacro.is_valid_name
    arguments = xacro.substitution_args_context

    def path_of(name: str) -> str:
        if not name.startswith(PACKAGE):
            return str(placed(name))
        package, _, rest = name.partition("://")[2].partition("/")
        return f"{find(package)}/{rest}"

    def argument(name: str) -> Any:
        if name not in arguments["arg"]:
            raise substitution_args.ArgException(name)
        return arguments["arg"][name]

    units = {
        unit.value.tag: partial(unit.constructor, SimpleNamespace(construct_scalar=str))
        for unit in xacro.ConstructUnits
    }

    def load_yaml(name: str) -> Any:
        path = Path(path_of(name)).resolve()
        if not any(path.is_relative_to(root.resolve()) for root in roots):
            raise ModelError(
                f"load_yaml reads files of the robot's own folder and packages only, not {str(path)!r}; "
                "packages={name: folder} adds a folder"
            )
        text = regular_file(path, LARGEST_FILE).decode("utf-8", "replace")
        try:
            return plain(read_yaml(text, units, once=False), work.add)
        except ModelError as error:
            error.file = error.file or str(path)
            raise

    def said(kind: str) -> Callable[..., str]:
        def say(*words: Any, **_: Any) -> str:
            print(kind, *words)
            return ""

        return say

    def fatal(*words: Any) -> None:
        raise ModelError(shortened(" ".join(map(str, words))))

    def tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
        return [word for word in re.split(f"[{re.escape(sep)}]", text) if word or not skip_empty]

    files: dict[str, Callable[..., Any]] = {"load_yaml": load_yaml, "abs_filename": path_of, "dotify": dict}
    ours: dict[str, Callable[..., Any]] = {
        **{f"xacro.{kind}": said(kind) for kind in ("message", "warning", "error", "print_location")},
        **{"xacro.arg": argument, "xacro.fatal": fatal, "xacro.tokenize": tokenize},
        **{f"{space}{name}": f for space in ("", "xacro.") for name, f in files.items()},
    }

    def safe_eval(expression: str, table: Any, locals: Any = None) -> Any:
        return evaluate(expression, table, ours, xacro.NameSpace, work.add)

    def eval_substitution(expression: str, context: Any) -> str:
        def converted(name: str) -> Any:
            return substitution_args.convert_value(argument(name), "auto")

        names = {name: converted(name) for name in context.get("arg", {})}
        return str(evaluate(expression, names, {"arg": converted, "find": find}, spend=work.add))

    def environment(name: str) -> str:
        raise ModelError(f"$(env {name}): the environment is not read; an argument, xacro_args=, can say it")

    def default(name: str, default: str = "") -> str:
        if name in os.environ:
            print(f"$(optenv {name}): the environment is not read, the default {default!r} holds")
        return default

    def read(text: Any, name: str | None = None) -> Any:
        if text is None and name is not None:
            try:
                text = regular_file(name, LARGEST_FILE)
            except OSError as error:
                xacro.filestack.pop()
                raise xacro.XacroException(f"{error.strerror}: {name}", exc=error) from None
        content = text if isinstance(text, bytes) else str(text).encode("utf-8", "replace")
        if b"<!ENTITY" in content:
            raise ModelError("XML entities are not accepted")
        texts.append(content.decode("utf-8", "replace"))
        return parse(io.BytesIO(content), name)

    def matching(pattern: str) -> list[str]:
        if glob.has_magic(os.path.dirname(pattern)):
            raise ModelError(f"{pattern!r}: only names of files may have wildcards, not folders")
        return glob.glob(pattern)

    def call(node: Any, macros: Any, symbols: Any) -> Any:
        if node.tagName.startswith("xacro:"):
            calls.add()
        return called(node, macros, symbols)

    def eval_all(node: Any, macros: Any, symbols: Any) -> None:
        elements.add()
        all_evaluated(node, macros, symbols)

    def eval_text(text: Any, symbols: Any) -> Any:
        work.add(len(text) * (1 + text.count("$")))
        found = text_evaluated(text, symbols)
        if isinstance(found, str):
            length.add(len(found))
        return found

    def is_valid_name(name: str) -> bool:
        return len(name) <= 10 * LONGEST_NAME and bool(defined(name))

    changed = {"safe_eval": safe_eval, "abs_filename_spec": path_of, "load_yaml": load_yaml, "parse": read}
    counted = {"handle_macro_call": call, "eval_all": eval_all, "eval_text": eval_text, "is_valid_name": is_valid_name}
    regular = {"_global_symbols": {}, "re_macro_arg": _PARAMETER, "glob": SimpleNamespace(glob=matching)}
    substituted = {"_eval": eval_substitution, "_eval_find": find, "_eval_env": environment, "_eval_optenv": default}
    with (
        replaced(xacro, **changed, **counted, **regular),
        replaced(substitution_args, **substituted),
        _without_eval(xacro, substitution_args),
    ):
        yield


@contextmanager
def _without_eval(*modules: Any) -> Iterator[None]:
    """With no `eval` in modules: should another version of them evaluate text elsewhere, that is an error."""

    def refuse(*_: Any) -> None:
        raise ModelError("this version of the package xacro evaluates expressions in a way that is not known here")

    for module in modules:
        module.eval = module.exec = refuse
    try:
        yield
    finally:
        for module in modules:
            del module.eval, module.exec


def _told(error: Exception, file: str, files: list[Any]) -> ModelError:
    """An error of xacro's as ours, which names the file and what to do."""
    inner: Any = error
    is_endless = False
    while inner is not None:
        is_endless = is_endless or isinstance(inner, RecursionError)
        if isinstance(inner, ModelError):
            inner.file = inner.file or file
            return inner
        inner = getattr(inner, "exc", None) or inner.__cause__ or inner.__context__
    inner = getattr(error, "exc", None)
    lost = isinstance(inner, OSError) and inner.filename
    message = f"{inner.strerror}: {inner.filename!r}" if lost else " ".join(str(error).split())
    message = printable(message) or type(error).__name__
    if is_endless:
        message = "macros call, or files include, each other without end"
    remedy = ""
    if "Undefined substitution argument" in message:
        name = message.rpartition(" ")[2].strip("'\"")
        message = f"argument {name!r} is not given"
        remedy = f"; xacro_args={{{name!r}: ...}} (--xacro-arg {name}=VALUE) gives it"
    elif "No such file" in message:
        remedy = "; files that are included are looked for beside the file that includes them"
    deepest = files[-1] if files and isinstance(files[-1], str) and files[-1] != file else ""
    return ModelError(f"xacro: {shortened(message)}{remedy}", file=file, place=f"in {deepest!r}" if deepest else "")
