"""Names that CasADi allows: letters, digits and single underscores, a letter first."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..codegen.text.syntax import RESERVED_NAMES
from ..errors import LONGEST_NAME, InputError, shortened

_TAKEN = {"null", "jac", "hess"}
LONGEST = 100
"""Letters of a name that is given: files are called by it, and derivatives with a little more."""
_MATH = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
    fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf
    nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn signgam sin sinh sqrt tan tanh
    tgamma trunc y0 y1 yn
"""
_IN_C = {*RESERVED_NAMES, *(f"{x}{kind}" for x in _MATH.split() for kind in ("", "f", "l")), "NULL", "NAN", "INFINITY"}


def word(text: str) -> str:
    """A name as CasADi allows it.

    >>> word("wrench[left tip]"), word("2nd"), word("jac")
    ('wrench_left_tip', 'x2nd', 'jac_')
    """
    made = re.sub(r"[\W_]+", "_", text, flags=re.ASCII).strip("_") or "x"
    made = made if made[0].isalpha() else f"x{made}"
    return f"{made}_" if made in _TAKEN else made


def words(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names as CasADi allows them, all different.

    >>> words(["wrench[a]", "wrench_a", "q"], ["q"])
    ['wrench_a', 'wrench_a2', 'q2']
    """
    found = list[str]()
    for name in names:
        made, k = word(name), 2
        while made in (*taken, *found):
            made, k = f"{word(name)}{k}", k + 1
        found.append(made)
    return found


def checked_name(name: str) -> str:
    """A name that was given, if CasADi allows it."""
    if not isinstance(name, str) or word(name) != name:
        instead = f"; {word(name)!r} would do" if isinstance(name, str) and len(name) <= LONGEST else ""
        shown = shortened(repr(name), LONGEST_NAME)
        raise InputError(f"name must be letters, digits and single underscores, a letter first; got {shown}{instead}")
    if len(name) > LONGEST:
        raise InputError(f"name may have {LONGEST} letters, got {len(name)}")
    return name


def checked_in_c(name: str) -> str:
    """A name that a function in C may have."""
    if name in _IN_C or name.startswith("casadi_"):
        raise InputError(f"{name!r} means something in C already: give another name, as name={f'{name}_of_robot'!r}")
    return name
