"""Options of pictures: what is shown besides the links, and from where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..errors import is_hashable, unknown_name_error
from ..support.conversion import as_names

ITEMS = (
    *("frames", "axes", "com", "inertia", "closures", "contacts", "wrenches", "names", "collision", "trail"),
    *("plots", "manipulability"),
)
"""All items that a picture may show besides the links, in order."""
PAGE_ITEMS = tuple(x for x in ITEMS if x != "manipulability")
"""Those of `Robot.view`."""
DRAWING_ITEMS = tuple(x for x in ITEMS if x not in ("wrenches", "names", "collision", "plots"))
"""Those of `Robot.draw`."""
SHOWN_AT_FIRST = ("closures", "contacts")
"""What is shown unless something else is asked for."""


def items_to_show(show: str | Sequence[str], among: Sequence[str]) -> tuple[str, ...]:
    """Names in a sequence, or in a text with commas between.

    >>> items_to_show("frames, com", PAGE_ITEMS)
    ('frames', 'com')
    """
    names = tuple(x.strip() for x in show.split(",") if x) if isinstance(show, str) else as_names((show,)) or ()
    for name in names:
        if not is_hashable(name) or name not in among:
            raise unknown_name_error("show", name, among)
    return names


THIN_RATIO, FRONT_ANGLES, SIDE_ANGLES = 0.3, (12.0, -75.0), (18.0, -55.0)
"""Robots that are thinner than this along y, of their other sizes, are seen from the front; others from aside."""


def angles(extent: Array) -> tuple[float, float]:
    """Elevation and azimuth [degrees] from which to look at something of this size (3,).

    >>> angles(np.array([1.0, 0.1, 1.0])), angles(np.array([1.0, 1.0, 1.0]))
    ((12.0, -75.0), (18.0, -55.0))
    """
    return FRONT_ANGLES if extent[1] < THIN_RATIO * min(extent[0], extent[2]) else SIDE_ANGLES


def directions(elevation: float, azimuth: float) -> Array:
    """Rows (3, 3): to the right of the picture, upward, and toward the eye, in the world.

    >>> directions(0.0, -90.0).round(12) + 0.0
    array([[ 1.,  0.,  0.],
           [ 0.,  0.,  1.],
           [ 0., -1.,  0.]])
    """
    e, a = np.radians(elevation), np.radians(azimuth)
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return np.stack([right, np.cross(toward, right), toward])
