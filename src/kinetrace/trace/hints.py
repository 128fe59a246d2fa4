"""What to write instead, where a function meets traced values that it has no answer to.

Nothing here is asked before something has failed. The line of the user's code that failed is then read again, to see
which function was called on it.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import ModuleType, TracebackType
from typing import Any, NamedTuple

from .. import arrays, linalg
from ..errors import LONGEST_NAME, KinetraceError, TracedError, shortened
from ..support.refusal import is_traced

_ORDER = "!no order is known while a function is traced; kt.arrays.minimum and maximum take the extreme of two"
_NUMBERS_ONLY = "!let the function return the matrix, and take it of the numbers"
_JOINED = "kt.arrays.where(a, b, 0.0) for 'a and b', kt.arrays.where(a, 1.0, b) for 'a or b'"
_REAL = "!traced values are real numbers: leave it out"

REMEDIES = {
    # matrices
    "lstsq": "kt.linalg.solve(A.T @ A, A.T @ b)",
    "pinv": "kt.linalg.solve(A.T @ A, A.T), or A.T @ kt.linalg.inv(A @ A.T)",
    **dict.fromkeys(("eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals", "qr", "matrix_rank"), _NUMBERS_ONLY),
    "cond": _NUMBERS_ONLY,
    **dict.fromkeys(("cho_factor", "cho_solve", "lu_factor", "spsolve", "tensorsolve"), "kt.linalg.solve(A, b)"),
    "matrix_power": "products by @",
    "expm": "kt.lie.so3.exp and kt.lie.se3.exp for rotations and poses",
    "logm": "kt.lie.so3.log and kt.lie.se3.log for rotations and poses",
    **dict.fromkeys(
        ("from_rotvec", "from_matrix", "from_quat", "from_euler", "Rotation"),
        "kt.lie.so3: exp, log, and rotations from quaternions, axes and roll, pitch, yaw",
    ),
    "vdot": "a @ b",
    # elementary functions
    "log10": "kt.arrays.log(x) / math.log(10)",
    "log2": "kt.arrays.log(x) / math.log(2)",
    "log1p": "kt.arrays.log(1 + x)",
    "expm1": "kt.arrays.exp(x) - 1",
    "exp2": "2.0**x",
    "cbrt": "kt.arrays.sign(x) * kt.arrays.power(abs(x), 1 / 3)",
    "arcsinh": "kt.arrays.log(x + kt.arrays.sqrt(x * x + 1))",
    "arccosh": "kt.arrays.log(x + kt.arrays.sqrt(x * x - 1))",
    "arctanh": "0.5 * kt.arrays.log((1 + x) / (1 - x))",
    "hypot": "kt.arrays.sqrt(x * x + y * y)",
    **dict.fromkeys(("pow", "float_power"), "kt.arrays.power(x, y), or x**y"),
    **dict.fromkeys(("deg2rad", "radians"), "x * (math.pi / 180)"),
    **dict.fromkeys(("rad2deg", "degrees"), "x * (180 / math.pi)"),
    **dict.fromkeys(("fabs", "absolute"), "kt.arrays.abs(x)"),
    "copysign": "kt.arrays.abs(x) * kt.arrays.sign(y)",
    "logaddexp": "kt.arrays.log(kt.arrays.exp(x) + kt.arrays.exp(y))",
    "sinc": "kt.arrays.where at 0, and kt.arrays.sin(np.pi * x) / (np.pi * x) elsewhere",
    "heaviside": "kt.arrays.where(kt.arrays.less(0, x), 1.0, 0.0)",
    **dict.fromkeys(("fmod", "remainder", "divmod"), "x % y and kt.arrays.floor(x / y)"),
    **dict.fromkeys(("round", "rint", "around"), "kt.arrays.floor(x + 0.5)"),
    "ceil": "-kt.arrays.floor(-x)",
    **dict.fromkeys(("trunc", "fix"), "kt.arrays.sign(x) * kt.arrays.floor(kt.arrays.abs(x))"),
    **dict.fromkeys(("conj", "conjugate", "angle"), _REAL),
    **dict.fromkeys(("std", "var"), "the mean of x * x, less the square of the mean of x"),
    # conditions
    **dict.fromkeys(("select", "piecewise", "choose"), "kt.arrays.where(condition, a, b)"),
    **dict.fromkeys(("greater", "greater_equal", "less_equal"), "kt.arrays.less(a, b)"),
    **dict.fromkeys(("logical_and", "logical_or", "logical_not", "all", "any"), _JOINED),
    **dict.fromkeys(("equal", "isclose", "allclose", "array_equal"), "kt.arrays.less(kt.arrays.abs(a - b), tolerance)"),
    **dict.fromkeys(("isnan", "isfinite", "isinf"), "!look at the numbers that the function returns"),
    "fmax": "kt.arrays.maximum(a, b)",
    "fmin": "kt.arrays.minimum(a, b)",
    **dict.fromkeys(("max", "amax"), "kt.arrays.maximum(a, b), two at a time"),
    **dict.fromkeys(("min", "amin"), "kt.arrays.minimum(a, b), two at a time"),
    **dict.fromkeys(("sort", "sorted", "argsort", "argmax", "argmin", "median", "percentile", "unique"), _ORDER),
    **dict.fromkeys(("searchsorted", "digitize", "histogram", "nonzero", "count_nonzero"), _ORDER),
    "interp": "kt.arrays.where between pieces; or make the value an argument of the function",
    # making arrays
    **dict.fromkeys(
        ("array", "asarray", "astype", "fromiter"), "kt.arrays.stack([...]), or np.array([...]) without a dtype"
    ),
    "linspace": "a + (b - a) * np.linspace(0, 1, n)",
    "gradient": "differences of slices, x[1:] - x[:-1]",
    "float": "the value itself, as it is",
    "format": "the numbers that the function returns",
    "complex": "the value itself: traced values are real",
    "int": "kt.arrays.floor(x), which stays traced; a number that chooses what is computed must be given beforehand",
    "range": "kt.arrays.iterate, or a number that is known beforehand: a keyword of kt.compile",
    **dict.fromkeys(
        ("normal", "uniform", "choice", "standard_normal", "randn"),
        "an argument for the random numbers: what is drawn while tracing is the same in every call",
    ),
}
"""Name of a function of NumPy, SciPy or Python → what does the same for traced values."""

_SAME = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "vecdot": "dot"}
_SYMPTOMS = re.compile(
    r"Cannot cast ufunc|unsupported in linalg|has no callable|'?\bExpr\b|not supported for the input types"
    r"|from dtype\('O'\)|scalar from dtype|object arrays are not supported|valid indices|interpreting argument"
    r"|no attribute '(arctan2|hypot|fmod|conjugate)'|ndarray' object is not callable"
)
"""What NumPy, SciPy, JAX and Python say of objects that are no numbers."""
_OURS = __name__.partition(".")[0]
_FOREIGN = ("numpy", "scipy", "jax", "jaxlib", "contextlib", "functools")


class _Place(NamedTuple):
    """A line of the user's, and the part of it that failed."""

    where: str
    text: str
    node: ast.AST | None
    names: Mapping[str, Any]
    """What names mean there."""

    @property
    def function(self) -> Any:
        """The function itself; None if that is not known."""
        return _resolved(self.node.func, self.names) if isinstance(self.node, ast.Call) else None

    @property
    def called(self) -> str:
        """The function that the part calls, with its module; empty if it calls none."""
        return ast.unparse(self.node.func) if isinstance(self.node, ast.Call) else ""


@contextmanager
def explained(function: str) -> Iterator[None]:
    """Where a function fails because it was given traced values, say in which line, and what to write there."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        told = explanation(error)
        if told is None:
            raise
        made = TracedError(f"{function}{told}")
        made.told = True
        raise made from error


def explanation(error: BaseException) -> str | None:
    """The place, and what to write there; None if the error is not about traced values."""
    if isinstance(error, KinetraceError) and getattr(error, "told", True):
        return None
    if not (isinstance(error, TracedError) or _SYMPTOMS.search(str(error))):
        return None
    place = _place(error.__traceback__)
    if place is None:
        return ": its first argument is the model; write it as (model, q, ...)" if "type Model" in str(error) else None
    told, called = str(error), place.called or ("" if place.node else _named(error))
    name = called.rpartition(".")[2]
    is_ours = str(getattr(place.function, "__module__", "")).startswith(f"{_OURS}.")
    remedy = "" if is_ours else remedy_of(called) or remedy_of(str(getattr(place.function, "__name__", "")))
    if re.search(r"'Model' and|and 'Model'|type Model", told):
        remedy = "its first argument is the model; write it as (model, q, ...)"
    elif "ndarray' object is not callable" in told:
        if name != "gravity":
            return None
        remedy = "a function is given the model, not the robot; use kt.algorithms.gravity(model, q)"
    elif remedy:
        advice = remedy[1:] if remedy.startswith("!") else f"use {remedy}"
        remedy = f"{called} does not take traced values; {advice}"
    elif isinstance(error, TracedError):
        remedy = told
    elif "indices" in told:
        index = place.node.slice if isinstance(place.node, ast.Subscript) else None
        if isinstance(index, ast.Constant) or (
            isinstance(index, ast.Name) and not is_traced(place.names.get(index.id))
        ):
            return None
        remedy = "a traced value is not known yet, and cannot be an index; kt.arrays.where chooses between entries"
    elif re.search(r"for (&|\||\^)|for unary ~", told):
        remedy = f"{_JOINED}, kt.arrays.where(a, 0.0, 1.0) for 'not a'"
    elif called and not is_ours and not told.startswith("unsupported operand"):
        remedy = f"{called} does not take traced values; kt.arrays and kt.linalg have the functions that do"
    else:
        remedy = f"{told} (an Expr is a traced value: a real number that is not known yet)"
    return f" ({place.where}): {shortened(place.text, LONGEST_NAME)}: {remedy}"


def remedy_of(called: str) -> str:
    """What to call instead of a function of NumPy, SciPy or Python; empty if nothing is known of it.

    >>> remedy_of("np.linalg.solve"), remedy_of("math.sin"), remedy_of("np.round")
    ('kt.linalg.solve', 'kt.arrays.sin', 'kt.arrays.floor(x + 0.5)')
    """
    module, _, name = called.rpartition(".")
    if module.startswith(("kt.", "kinetrace.")):
        return ""
    if name in REMEDIES:
        return REMEDIES[name]
    name = _SAME.get(name, name)
    for ours, prefix in ((linalg, "kt.linalg"), (arrays, "kt.arrays")):
        if name in getattr(ours, "__all__", vars(ours)) and callable(getattr(ours, name)) and name.islower():
            return f"{prefix}.{name}"
    return ""


def _place(traceback: TracebackType | None) -> _Place | None:
    """The innermost line that is neither ours nor NumPy's."""
    found = None
    while traceback is not None:
        module = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        if module != _OURS and module not in _FOREIGN:
            found = traceback
        traceback = traceback.tb_next
    if found is None:
        return None
    code = found.tb_frame.f_code
    where = f"{os.path.basename(code.co_filename)}, line {found.tb_lineno}"
    text, node = "", None
    with suppress(Exception):  # whatever a file's text may be by now
        text = _segment(found)
        node = ast.parse(f"({text})", mode="eval").body if text else None
    line = linecache.getline(code.co_filename, found.tb_lineno).strip()
    names = {**vars(builtins), **found.tb_frame.f_globals, **found.tb_frame.f_locals}
    return _Place(where, " ".join(text.split()) or line or code.co_name, node, names)


def _named(error: BaseException) -> str:
    """The function that failed, where the user's text is not known, as on the command line: from NumPy's frames."""
    traceback, name = error.__traceback__, ""
    while traceback is not None:
        module = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        name = name or (traceback.tb_frame.f_code.co_name if module in _FOREIGN[:2] else "")
        traceback = traceback.tb_next
    found = re.search(r"ufunc '([a-z0-9]+)'|no callable (\w+) method", str(error))
    return name or (next(filter(None, found.groups())) if found else "")


def _resolved(node: ast.AST, names: Mapping[str, Any]) -> Any:
    """What a name stands for, or an attribute of a module; None if that is not known without running code."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    owner = _resolved(node.value, names) if isinstance(node, ast.Attribute) else None
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
