"""Touches of shapes with a plane, whose normal is the z axis of its frame: their lowest points."""

from __future__ import annotations

from .lowest import LOWEST, Low
from .touch import Pairs, Placed, Touch


def on_plane(a: Placed, b: Placed) -> list[Touch]:
    """Touches of the lowest points of a shape."""
    return [_touch(low, b) for low in LOWEST[a.kind][0](a, b.axes[:, 2])]


def _touch(low: Low, plane: Placed) -> Touch:
    normal = plane.axes[:, 2]
    height = normal @ (low.x - plane.center)
    return Touch(height - low.radius + low.apart, low.x - 0.5 * (height + low.radius) * normal, normal)


PAIRS: Pairs = {(kind, "plane"): (on_plane, n) for kind, (_, n) in LOWEST.items()}
