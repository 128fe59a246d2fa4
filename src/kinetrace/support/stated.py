"""What docstrings of a robot's methods state about arrays: which axes mean the same.

Sizes cannot tell that: a robot with six joints has forces of six entries, and so has a twist.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

STUBS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Function of the model → the method that evaluates it; `robot.dispatch.compiled` fills this table."""
_ARRAY = re.compile(r"^ *(?:(\w+) : )?(?:array_like|ndarray), shape \((.*?)\)", re.MULTILINE)


class Stated(NamedTuple):
    """Axes of arrays behind batch axes, as texts such as "nv" and "6"."""

    inputs: dict[str, tuple[str, ...]]
    outputs: list[tuple[str, tuple[str, ...]]]
    """Names, which are empty if there is one, and axes."""


def stated(function: Any) -> Stated | None:
    """What the method that evaluates a function states; None if there is none.

    >>> import kinetrace as kt
    >>> stated(kt.algorithms.centroidal_momentum)
    Stated(inputs={'q': ('nq',), 'v': ('nv',)}, outputs=[('', ('6',))])
    """
    stub = STUBS.get(function)
    if stub is None or not stub.__doc__:
        return None
    before, _, after = stub.__doc__.partition("Returns\n")
    after = after.partition("Raises\n")[0]
    return Stated(
        {x[1]: _axes(x[2]) for x in _ARRAY.finditer(before)},
        [(x[1] or "", _axes(x[2])) for x in _ARRAY.finditer(after)],
    )


def _axes(text: str) -> tuple[str, ...]:
    return tuple(x.strip() for x in text.split(",") if x.strip() not in ("", "..."))
