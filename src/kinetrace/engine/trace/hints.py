"""Hints for functions that cannot take traced values: the line that failed, and what to write instead.

Nothing here runs before something has failed. The line of the user's code that failed is then read again, to see
which function was called on it.
"""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import ModuleType, TracebackType
from typing import Any, NamedTuple

import numpy as np

from ... import arrays, linalg
from ...errors import LONGEST_NAME, KinetraceError, TracedError, shorten
from ...errors.numpy_remedies import LOGICAL_REMEDIES, REMEDIES
from ...support.not_numbers import TracedValue

_NUMPY_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"}
_SYMPTOMS = re.compile(
    r"Cannot cast ufunc|unsupported in linalg|has no callable|'?\bExpr\b|not supported for the input types"
    r"|from dtype\('O'\)|scalar from dtype|object arrays are not supported|valid indices|interpreting argument"
    r"|'(float|int|numpy\.\w+)' object has no attribute '(arctan2|hypot|fmod|conjugate)'"
    r"|ndarray' object is not callable"
)
"""Messages of NumPy, SciPy, JAX and Python about objects that are no numbers."""
_MODEL = re.compile(r"'Model' and|and 'Model'|type Model")
"""Messages about a model in the place of an array."""
_MODEL_FIRST = "its first argument is the model; write it as (model, q, ...)"
_OUR_PACKAGE = __name__.partition(".")[0]
_FOREIGN_MODULES = ("numpy", "scipy", "jax", "jaxlib", "contextlib", "functools")
_RAISE_OPCODE = dis.opmap["RAISE_VARARGS"]


class _FailedPart(NamedTuple):
    """A line of the user's, and the part of it that failed."""

    where: str
    text: str
    node: ast.AST | None
    names: Mapping[str, Any]
    """Values of names there."""

    @property
    def function(self) -> Any:
        """The function itself; None if that is not known."""
        return _resolve(self.node.func, self.names) if isinstance(self.node, ast.Call) else None

    @property
    def called(self) -> str:
        """The function that the part calls, with its module; empty if it calls none."""
        return ast.unparse(self.node.func) if isinstance(self.node, ast.Call) else ""


@contextmanager
def hints_for(function: str) -> Iterator[None]:
    """Where a function fails because it was given traced values, say in which line, and what to write there."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        text = explanation(error)
        if text is None:
            raise
        explained = TracedError(f"{function}{text}")
        explained.told = True
        raise explained from error


def explanation(error: BaseException) -> str | None:
    """The place, and what to write there; None if the error is not about traced values."""
    if isinstance(error, KinetraceError) and getattr(error, "told", True):
        return None
    if not (isinstance(error, TracedError) or _SYMPTOMS.search(str(error))) or _is_raised_by_user(error.__traceback__):
        return None
    part = _failed_part(error.__traceback__)
    if part is None:
        return f": {_MODEL_FIRST}" if "type Model" in str(error) else None
    is_certain = isinstance(error, TracedError) or _MODEL.search(str(error)) or _was_handed_on(error.__traceback__)
    if not (is_certain or _may_be_traced(part)):
        return None
    remedy = _remedy(error, part)
    return None if remedy is None else f" ({part.where}): {shorten(part.text, LONGEST_NAME)}: {remedy}"


def _remedy(error: BaseException, part: _FailedPart) -> str | None:
    """Remedy for an error; None if it is not about traced values."""
    message, called = str(error), part.called or ("" if part.node else _function_name(error))
    if _MODEL.search(message):
        return _MODEL_FIRST
    if "ndarray' object is not callable" in message:
        advice = "a function is given the model, not the robot; use kt.algorithms.gravity(model, q)"
        return advice if called.rpartition(".")[2] == "gravity" else None
    is_ours = str(getattr(part.function, "__module__", "")).startswith(f"{_OUR_PACKAGE}.")
    instead = "" if is_ours else remedy_of(called) or remedy_of(str(getattr(part.function, "__name__", "")))
    if instead:
        return f"{called} does not take traced values; {instead[1:] if instead.startswith('!') else f'use {instead}'}"
    if isinstance(error, TracedError):
        return message
    if "indices" in message:
        index = part.node.slice if isinstance(part.node, ast.Subscript) else None
        if index is not None and not _may_be_traced(part._replace(node=index)):
            return None
        return "a traced value is not known yet, and cannot be an index; kt.arrays.where chooses between entries"
    if re.search(r"for (&|\||\^)|for unary ~", message):
        return f"{LOGICAL_REMEDIES}, {REMEDIES['logical_not']} for 'not a'"
    if called and not is_ours and not message.startswith("unsupported operand"):
        return f"{called} does not take traced values; kt.arrays and kt.linalg have the functions that do"
    return f"{message} (an Expr is a traced value: a real number that is not known yet)"


def remedy_of(called: str) -> str:
    """Replacement of a function of NumPy, SciPy or Python; empty if nothing is known of it.

    >>> remedy_of("np.linalg.solve"), remedy_of("math.sin"), remedy_of("np.hypot")
    ('kt.linalg.solve', 'kt.arrays.sin', 'kt.arrays.sqrt(x * x + y * y)')
    """
    module, _, name = called.rpartition(".")
    if module.startswith(("kt.", "kinetrace.")):
        return ""
    if called in REMEDIES or name in REMEDIES:
        return REMEDIES.get(called) or REMEDIES[name]
    name = _NUMPY_NAMES.get(name, name)
    for ours, prefix in ((linalg, "kt.linalg"), (arrays, "kt.arrays")):
        if name in getattr(ours, "__all__", vars(ours)) and callable(getattr(ours, name)) and name.islower():
            return f"{prefix}.{name}"
    return ""


def _is_raised_by_user(traceback: TracebackType | None) -> bool:
    """Whether the error comes from a `raise` in code that is neither ours nor NumPy's: its text is the user's own."""
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or _is_known(traceback):
        return False
    return traceback.tb_frame.f_code.co_code[traceback.tb_lasti] == _RAISE_OPCODE


def _is_known(traceback: TracebackType) -> bool:
    """Whether code is ours or NumPy's."""
    module = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
    return module == _OUR_PACKAGE or module in _FOREIGN_MODULES


def _may_be_traced(part: _FailedPart) -> bool:
    """Whether a traced value is in the part that failed; where that cannot be told without running code, it may be.

    Where the text is not known, the values are those of the whole function.
    """
    if part.node is None:
        return any(map(_holds_traced, part.names.values()))
    for node in ast.walk(part.node):
        if isinstance(node, ast.Name) and _holds_traced(part.names.get(node.id)):
            return True
        if isinstance(node, ast.Attribute) and node is not part.node and _resolve(node, part.names) is None:
            return True
        if isinstance(node, ast.Call) and node is not part.node:
            function = _resolve(node.func, part.names)
            if str(getattr(function, "__module__", "")).partition(".")[0] not in (
                *_FOREIGN_MODULES,
                "builtins",
                "math",
            ):
                return True
    return False


def _was_handed_on(traceback: TracebackType | None) -> bool:
    """Whether a function of NumPy that is written in Python has a traced value."""
    while traceback is not None:
        frame, traceback = traceback.tb_frame, traceback.tb_next
        if frame.f_globals.get("__name__", "").startswith("numpy.") and any(
            map(_holds_traced, frame.f_locals.values())
        ):
            return True
    return False


def _holds_traced(x: Any) -> bool:
    """Whether an object is traced, or an array or collection holds what is; these may hold themselves."""
    waiting, seen = [x], set[int]()
    while waiting:
        x = waiting.pop()
        if isinstance(x, TracedValue):
            return True
        held = x.dtype == object if isinstance(x, np.ndarray) else isinstance(x, list | tuple | dict)
        if held and id(x) not in seen:
            seen.add(id(x))
            waiting += x.flat if isinstance(x, np.ndarray) else x.values() if isinstance(x, dict) else x
    return False


def _failed_part(traceback: TracebackType | None) -> _FailedPart | None:
    """The innermost line that is neither ours nor NumPy's."""
    innermost = None
    while traceback is not None:
        if not _is_known(traceback):
            innermost = traceback
        traceback = traceback.tb_next
    if innermost is None:
        return None
    code = innermost.tb_frame.f_code
    where = f"{os.path.basename(code.co_filename)}, line {innermost.tb_lineno}"
    text, node = "", None
    with suppress(Exception):  # whatever a file's text may be by now
        text = _segment(innermost)
        node = ast.parse(f"({text})", mode="eval").body if text else None
    line = linecache.getline(code.co_filename, innermost.tb_lineno).strip()
    names = {**vars(builtins), **innermost.tb_frame.f_globals, **innermost.tb_frame.f_locals}
    return _FailedPart(where, " ".join(text.split()) or line or code.co_name, node, names)


def _function_name(error: BaseException) -> str:
    """The function that failed, where the user's text is not known, as on the command line: from NumPy's frames."""
    traceback, name = error.__traceback__, ""
    while traceback is not None:
        module = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        name = name or (traceback.tb_frame.f_code.co_name if module in _FOREIGN_MODULES[:2] else "")
        traceback = traceback.tb_next
    named = re.search(r"ufunc '([a-z0-9]+)'|no callable (\w+) method", str(error))
    return name or (next(filter(None, named.groups())) if named else "")


def _resolve(node: ast.AST, names: Mapping[str, Any]) -> Any:
    """Value of a name, or of an attribute of a module; None if that is not known without running code."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    owner = _resolve(node.value, names) if isinstance(node, ast.Attribute) else None
    return vars(owner).get(node.attr) if isinstance(owner, ModuleType) and isinstance(node, ast.Attribute) else None


def _segment(traceback: TracebackType) -> str:
    """The text of the expression that failed."""
    code = traceback.tb_frame.f_code
    first, last, begin, end = list(code.co_positions())[traceback.tb_lasti // 2]
    if first is None or last is None or begin is None or end is None:
        return ""
    lines = [linecache.getline(code.co_filename, k).encode() for k in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    return b"".join(lines).decode()
