"""Touches of shapes with a plane, whose normal is the z axis of its frame: their lowest points."""

from __future__ import annotations

from .lowest import LOWEST, Low, lowest_of_cylinder, lowest_of_points
from .touch import Nearest, Pairs, Placed, Touch


def on_plane(a: Placed, b: Placed) -> list[Touch]:
    """Touches of the lowest points of a shape."""
    return [_touch(low, b) for low in LOWEST[a.kind][0](a, b.axes[:, 2])]


def _touch(low: Low, plane: Placed) -> Touch:
    normal = plane.axes[:, 2]
    height = normal @ (low.x - plane.center)
    return Touch(height - low.radius + low.apart, low.x - 0.5 * (height + low.radius) * normal, normal)


def nearest_of_cylinder(a: Placed, b: Placed) -> Touch:
    """The touch of the lowest point."""
    return _touch(Low(lowest_of_cylinder(a, b.axes[:, 2])), b)


def nearest_of_points(a: Placed, b: Placed) -> Touch:
    """The touch of the lowest vertex."""
    return _touch(Low(lowest_of_points(a, b.axes[:, 2])), b)


PAIRS: Pairs = {(kind, "plane"): (on_plane, n) for kind, (_, n) in LOWEST.items()}
NEAREST: Nearest = {("cylinder", "plane"): nearest_of_cylinder, ("points", "plane"): nearest_of_points}
