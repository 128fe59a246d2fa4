"""xacro: macros that make URDF. The `xacro` package expands them; errors name the file and a remedy.

A xacro file is a small program: its expressions are Python. Here they see no names but xacro's own, and no attribute
that begins with an underscore or leads to Python's inner workings; what needs more is refused.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from threading import Lock
from typing import Any

from ...errors import LONGEST_NAME, InputError, ModelError, install, printable, shortened
from .meshes import PACKAGE, no_package, package_folder
from .replaced import replaced

LARGEST = 100_000_000
"""Characters of an expanded file."""
_DEFINES = re.compile(r"<xacro:(include|macro|property|arg|if|unless|element)\b")
_expanding = Lock()
"""The xacro package keeps its state in its modules."""
_REFUSED = frozenset(("format", "format_map", "mro", "type", "vars", "globals", "locals"))
_NODES = (ast.Lambda, ast.GeneratorExp, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def needs_expansion(text: str) -> bool:
    """Whether XML text is xacro's: it defines or includes something, beyond calls that were left over.

    >>> robot = "<robot xmlns:xacro='http://ros.org/wiki/xacro'>{}</robot>"
    >>> needs_expansion(robot.format("<xacro:if value='1'/>")), needs_expansion(robot.format("<xacro:a/>"))
    (True, False)
    """
    return "xmlns:xacro" in text and _DEFINES.search(text) is not None


def checked_arguments(xacro_args: Mapping[str, Any] | None) -> dict[str, str]:
    """The argument `xacro_args` as xacro wants it: texts, with true and false for Python's.

    >>> checked_arguments({"arm": "left", "hand": True, "length": 0.5})
    {'arm': 'left', 'hand': 'true', 'length': '0.5'}
    """
    if xacro_args is None:
        return {}
    if not isinstance(xacro_args, Mapping):
        raise InputError(f"xacro_args must be a mapping such as {{'arm': 'left'}}, got {xacro_args!r}")
    found = {}
    for name, value in xacro_args.items():
        if not isinstance(name, str) or not isinstance(value, str | bool | int | float):
            raise InputError(f"xacro_args: names are text, values text, numbers or flags; got {name!r}: {value!r}")
        found[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def expanded(source: Path | str, arguments: Mapping[str, str], packages: Mapping[str, Path]) -> tuple[str, list[str]]:
    """URDF text of a xacro file, or of xacro text, and what xacro warned of."""
    try:
        import xacro
        from xacro import substitution_args
    except ImportError:
        raise InputError(f"xacro files need the package xacro: {install('xacro')}") from None
    file = str(source) if isinstance(source, Path) else "XML text"
    folder = source.resolve().parent if isinstance(source, Path) else None

    def find(name: str) -> str:
        found = package_folder(name, folder, packages)
        if found is None:
            raise ModelError(no_package(name, packages), file=file)
        return str(found)

    printed = io.StringIO()
    with _expanding, _as_ours(xacro, substitution_args, find), redirect_stderr(printed), redirect_stdout(printed):
        try:
            xacro.init_stacks(None if folder is None else file)
            document = xacro.parse(source if isinstance(source, str) else None, file)
            xacro.process_doc(document, mappings=dict(arguments), verbosity=0)
            text = document.toprettyxml(indent="  ")
        except Exception as error:  # macros may raise anything
            raise _told(error, file, list(xacro.filestack or ())) from None
        finally:
            xacro.filestack = xacro.macrostack = None
            xacro.substitution_args_context["arg"] = {}
    if len(text) > LARGEST:
        raise ModelError(f"expands to more than {LARGEST} characters", file=file)
    colours = re.compile(r"\x1b\[[0-9;]*m")
    return text, [printable(line) for line in colours.sub("", printed.getvalue()).splitlines() if line.strip()]


@contextmanager
def _as_ours(xacro: Any, substitution_args: Any, find: Any) -> Iterator[None]:
    """With packages found where we look for them, and expressions checked before they are evaluated."""
    evaluated, substituted, placed = xacro.safe_eval, substitution_args._eval, xacro.abs_filename_spec

    def path_of(name: str) -> Any:
        if not name.startswith(PACKAGE):
            return placed(name)
        package, _, rest = name.partition("://")[2].partition("/")
        return f"{find(package)}/{rest}"

    def safe_eval(expression: str, *tables: Any) -> Any:
        _check(expression)
        return evaluated(expression, *tables)

    def eval_substitution(expression: str, context: Any) -> Any:
        _check(expression)
        known = substitution_args._eval_dict
        named = {node.id for node in ast.walk(ast.parse(expression.strip(), mode="eval")) if isinstance(node, ast.Name)}
        allowed = {*known, "arg", "dirname", *known["__builtins__"], *context.get("arg", {})}
        if named - allowed:
            raise NameError(f"name {min(named - allowed)!r} is not defined")
        return substituted(expression, context)

    table = {**substitution_args._eval_dict, "find": find}
    ours = {"_eval": eval_substitution, "_eval_find": find, "_eval_dict": table}
    with replaced(xacro, safe_eval=safe_eval, abs_filename_spec=path_of), replaced(substitution_args, **ours):
        yield


def _check(expression: str) -> None:
    """An error about an expression that reaches beyond the macros."""
    for node in ast.walk(ast.parse(expression.strip(), mode="eval")):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name.startswith("_") or name in _REFUSED or isinstance(node, _NODES):
            raise ModelError(f"the expression {shortened(expression, LONGEST_NAME)!r} is not accepted: {name or 'it'}")


def _told(error: Exception, file: str, files: list[Any]) -> ModelError:
    """An error of xacro's as ours, which names the file and what to do."""
    inner: Any = error
    while inner is not None:
        if isinstance(inner, ModelError):
            inner.file = inner.file or file
            return inner
        inner = getattr(inner, "exc", None) or inner.__cause__ or inner.__context__
    inner = getattr(error, "exc", None)
    lost = isinstance(inner, OSError) and inner.filename
    message = f"{inner.strerror}: {inner.filename!r}" if lost else " ".join(str(error).split())
    message = printable(message) or type(error).__name__
    if isinstance(error, RecursionError):
        message = "macros call each other without end"
    remedy = ""
    if "Undefined substitution argument" in message:
        name = message.rpartition(" ")[2].strip("'\"")
        message = f"argument {name!r} is not given"
        remedy = f"; xacro_args={{{name!r}: ...}} (--xacro-arg {name}=VALUE) gives it"
    elif "No such file" in message:
        remedy = "; files that are included are looked for beside the file that includes them"
    deepest = files[-1] if files and isinstance(files[-1], str) and files[-1] != file else ""
    return ModelError(f"xacro: {shortened(message)}{remedy}", file=file, place=f"in {deepest!r}" if deepest else "")
