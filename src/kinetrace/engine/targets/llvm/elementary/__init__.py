"""Sine, cosine, the two-argument arctangent, exponential, logarithm and floor as LLVM IR text, W lanes at a time.

    sincos(xs, prefix, lanes, dtype)     lines to paste, with one branch to a rare path
    atan2(y, x, prefix, lanes, dtype)    lines to paste, without a branch
    exp(x, prefix, lanes, dtype)         likewise
    log(x, prefix, lanes, dtype)         likewise
    floor(x, prefix, lanes, dtype)       likewise
    definitions(names, lanes, dtype)     what those lines call, once per module

`dtype` is "double" or "float"; a value is a `<lanes x dtype>`. A lane's result depends on that lane alone:
neither its neighbours nor the number of lanes change a bit of it. No library is called and no hardware FMA is
needed. Intrinsics need no declaration (LLVM 20 and later declare them).

Largest error in units in the last place, for every finite argument (measured; the tests assert it):

                         with FMA   without
    sin, cos   double      0.90      1.20     sin keeps the sign of zero; infinities and NaN give NaN
    atan2      double      1.50      1.50     signed zeros, infinities and NaN as in C
    exp        double      0.70      0.75     0.87 for a subnormal result; 0 below -745.2, infinity above 709.8
    log        double      0.80      0.80     -infinity at ±0, NaN below; subnormal arguments too
    all        float       0.502     0.502    computed in double

exp 0 = 1 and log 1 = 0 are exact, and NaN gives NaN.

The polynomials are minimax, by a Remez exchange in 50 digits. Their coefficients stand lowest power first; a comment
gives the largest error times its weight.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kinetrace.errors import unknown_name_error

from .exponential import exp, log
from .trigonometric import SinCos, atan2, rare_scalar, rare_vector, sincos, sincos_operations
from .vector_text import check_type, floor

__all__ = ["SinCos", "atan2", "definitions", "exp", "floor", "log", "sincos", "sincos_operations"]

_FUNCTIONS = ("sincos", "atan2", "exp", "log", "floor")


def definitions(names: Collection[str], lanes: int | Iterable[int], dtype: str) -> str:
    """Definitions that the pasted lines of these functions call, for every number of lanes (all but sincos: none)."""
    widths = sorted({lanes} if isinstance(lanes, int) else set(lanes))
    for name in names:
        if name not in _FUNCTIONS:
            raise unknown_name_error("elementary function", name, _FUNCTIONS)
    for n in widths:
        check_type(n, dtype)
    if "sincos" not in names:
        return ""
    return "\n".join([rare_scalar(), *(rare_vector(n) for n in widths)])
