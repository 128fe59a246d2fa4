"""Names that CasADi allows: letters, digits and single underscores, a letter first."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import InputError

_TAKEN = {"null", "jac", "hess"}


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
        instead = f"; {word(name)!r} would do" if isinstance(name, str) else ""
        raise InputError(f"name must be letters, digits and single underscores, a letter first; got {name!r}{instead}")
    return name
