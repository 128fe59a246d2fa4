"""Spheres on planes."""

from __future__ import annotations

from collections.abc import Callable

from .touch import Placed, Touch


def sphere_plane(a: Placed, b: Placed) -> list[Touch]:
    """A sphere on a plane."""
    n = b.axes[:, 2]
    gap = n @ (a.center - b.center) - a.size[0]
    return [Touch(gap, a.center - (a.size[0] + 0.5 * gap) * n, n)]


SPHERES: dict[tuple[str, str], tuple[Callable[[Placed, Placed], list[Touch]], int]] = {
    ("sphere", "plane"): (sphere_plane, 1)
}
