"""Which kinds of shapes can touch, in how many slots, and by which function.

Each family of shapes lists its functions, in one order of the two kinds; the other order follows.
"""

from __future__ import annotations

from functools import reduce

from ....arrays import less
from . import capsules, convex, height_fields, planes, spheres
from .boxes import touches as boxes
from .touch import Narrow, Nearest, Pairs, Placed, Touch, chosen

FAMILIES: tuple[Pairs, ...] = (
    planes.PAIRS,
    spheres.PAIRS,
    capsules.PAIRS,
    boxes.PAIRS,
    height_fields.PAIRS,
    convex.PAIRS,
)


def _swapped(narrow: Narrow) -> Narrow:
    return lambda a, b: [touch.turned for touch in narrow(b, a)]


NARROW: dict[tuple[str, str], Narrow] = {}
"""(kind of a, kind of b) → function of two shapes, for either order."""
SLOTS: dict[tuple[str, str], int] = {}
"""(kind of a, kind of b) → number of touches."""
for family in FAMILIES:
    for (kind_a, kind_b), (narrow, n) in family.items():
        NARROW.setdefault((kind_b, kind_a), _swapped(narrow))
        NARROW[kind_a, kind_b] = narrow
        SLOTS[kind_a, kind_b] = SLOTS[kind_b, kind_a] = n

NEAREST: Nearest = {**planes.NEAREST, **boxes.NEAREST, **convex.NEAREST}
"""Pairs whose slots, in the interest of rest, may miss the nearest points by little."""


def can_touch(kind_a: str, kind_b: str) -> bool:
    """Whether there is a function for two kinds of shapes.

    >>> can_touch("plane", "box"), can_touch("plane", "plane")
    (True, False)
    """
    return (kind_a, kind_b) in NARROW


def slots(kind_a: str, kind_b: str) -> int:
    """Number of touches of two shapes; 0 of kinds that cannot touch.

    >>> slots("plane", "box"), slots("plane", "plane")
    (4, 0)
    """
    return SLOTS.get((kind_a, kind_b), 0)


def touches(a: Placed, b: Placed) -> list[Touch]:
    """Where two shapes touch: `slots(a.kind, b.kind)` touches, whose normals push a.

    >>> import numpy as np
    >>> floor, ball = Placed("plane", np.zeros(0), np.eye(4)), Placed("sphere", np.array([0.25]), np.eye(4))
    >>> [float(touch.gap) for touch in touches(ball, floor)]
    [-0.25]
    """
    return NARROW[a.kind, b.kind](a, b)


def nearest(a: Placed, b: Placed) -> Touch:
    """The nearest points of two shapes, or the deepest: the touch with the signed distance of the shapes.

    >>> import numpy as np
    >>> box, floor = Placed("box", np.ones(3), np.eye(4)), Placed("plane", np.zeros(0), np.eye(4))
    >>> float(nearest(floor, box).gap)
    -0.5
    """
    if (a.kind, b.kind) in NEAREST:
        return NEAREST[a.kind, b.kind](a, b)
    if (b.kind, a.kind) in NEAREST:
        return NEAREST[b.kind, a.kind](b, a).turned
    return reduce(lambda x, y: chosen(less(y.gap, x.gap), y, x), touches(a, b))
