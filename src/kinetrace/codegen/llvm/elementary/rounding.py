"""The largest whole number that is not above a number."""

from __future__ import annotations

from .writer import SIGN, checked_writer


def floor(x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the largest whole number that is not above `x`, and the name of the result.

    LLVM's own calls a library where the processor has no such instruction. Below 2^52, adding and subtracting 2^52
    rounds |x| to the nearest whole number; a larger one is whole.
    """
    w = checked_writer(prefix, lanes, dtype)
    x = w.widen(x, dtype)
    sign, whole = w.bit("and", w.pattern(x), SIGN), w.number(2.0**52)
    size = w.magnitude(x)
    near = w.flip(w.op("fsub", w.op("fadd", size, whole), whole), sign)
    low = w.pick(w.compare("ogt", near, x), w.op("fsub", near, w.number(1.0)), near)
    return w.lines, w.narrow(w.pick(w.compare("olt", size, whole), low, x), dtype)
