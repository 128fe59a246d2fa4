"""Numbers of a program as numbers of SymPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..model.checks import ROUNDING
from ..support.optional import needed

LARGEST_DENOMINATOR = 1000
DIGITS = 12
"""Of decimals that count as exact."""


def sympy() -> Any:
    """SymPy, or an error that says how to get it."""
    return needed("sympy", "a formula", "symbolic")


def numbers(rational: bool) -> Callable[[float], Any]:
    """What makes SymPy's number of a float: a whole number, else a float, or if asked for a fraction where one is near.

    >>> [str(numbers(True)(x)) for x in (0.25, -1 / 3, 9.81, 0.5**0.5, 1e-17, 0.123456789012345)]
    ['1/4', '-1/3', '981/100', 'sqrt(2)/2', '1/100000000000000000', '0.123456789012345']
    >>> [str(numbers(False)(x)) for x in (2.0, -0.5)]
    ['2', '-0.500000000000000']
    """
    s = sympy()

    def whole(x: float) -> Any:
        if math.isnan(x):
            return s.nan
        if math.isinf(x):
            return s.oo if x > 0 else -s.oo
        return s.Integer(int(x)) if x.is_integer() and abs(x) < 2**53 else s.Float(x)

    def near(x: float) -> Any:
        if not math.isfinite(x):
            return whole(x)
        found = _fraction(x)
        if found is not None:
            return s.Rational(found.numerator, found.denominator)
        square = _fraction(x * x, 100)
        if square is not None:
            root = s.sqrt(s.Rational(square.numerator, square.denominator))
            return root if x > 0 else -root
        return whole(x)

    return near if rational else whole


def _fraction(x: float, largest: int = LARGEST_DENOMINATOR) -> Fraction | None:
    """The fraction that a number is but for rounding: one of a small denominator, or a short decimal."""
    for found in (Fraction(x).limit_denominator(largest), Fraction(f"{x:.{DIGITS}g}")):
        if abs(float(found) - x) <= ROUNDING * abs(x):
            return found
    return None
