"""Words for what pictures show besides the links."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import is_hashable, unknown
from ..support.plain import plain_names

SHOWN = (
    *("frames", "axes", "com", "inertia", "closures", "wrenches", "names", "collision", "trail"),
    *("plots", "manipulability"),
)
"""All of them, in order."""
IN_PAGES = tuple(x for x in SHOWN if x != "manipulability")
"""Those of `Robot.view`."""
IN_DRAWINGS = tuple(x for x in SHOWN if x not in ("wrenches", "names", "collision", "plots"))
"""Those of `Robot.draw`."""


def chosen(show: str | Sequence[str], among: Sequence[str]) -> tuple[str, ...]:
    """Names in a sequence, or in a text with commas between.

    >>> chosen("frames, com", IN_PAGES)
    ('frames', 'com')
    """
    names = tuple(x.strip() for x in show.split(",") if x) if isinstance(show, str) else plain_names((show,)) or ()
    for name in names:
        if not is_hashable(name) or name not in among:
            raise unknown("show", name, among)
    return names
