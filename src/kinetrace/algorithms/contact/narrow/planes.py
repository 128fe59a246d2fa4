"""Touches of spheres, capsules, boxes, cylinders and ellipsoids with a plane, whose normal is the z axis of its frame."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....arrays import Array, less, sqrt, stack, where
from .faces import lowest_face
from .touch import Pairs, Placed, Touch, ends_of, length_and_direction

UPRIGHT = 1e-7
"""Tilt of a cylinder [rad] below which its lowest points do not turn around it; their error is half of it times the
radius."""
THIRD = math.sqrt(0.75)
"""Sine of 120°, whose cosine is −½."""


def height(plane: Placed, x: Array) -> Any:
    """Height of a point (3,) above a plane."""
    return plane.axes[:, 2] @ (x - plane.center)


def on_plane(plane: Placed, x: Array, gap: Any) -> Touch:
    """The touch of the lowest point x (3,) of a shape, at its height."""
    normal = plane.axes[:, 2]
    return Touch(gap, x - 0.5 * gap * normal, normal)


def ball_on_plane(plane: Placed, center: Array, radius: Any) -> Touch:
    """The touch of a ball, by its centre (3,)."""
    normal, above = plane.axes[:, 2], height(plane, center)
    return Touch(above - radius, center - 0.5 * (above + radius) * normal, normal)


def sphere_plane(a: Placed, b: Placed) -> list[Touch]:
    """One touch."""
    return [ball_on_plane(b, a.center, a.size[0])]


def capsule_plane(a: Placed, b: Placed) -> list[Touch]:
    """One touch for each end."""
    return [ball_on_plane(b, end, a.size[0]) for end in ends_of(a)]


def box_plane(a: Placed, b: Placed) -> list[Touch]:
    """The corners of the face that looks down most, in an order that its turning does not change."""
    normal = b.axes[:, 2]
    down = a.axes.T @ normal
    face = lowest_face(0.5 * a.size * a.axes, 0.5 * a.size * down, down)
    above = height(b, a.center) + face.heights[0]
    corners = []
    for s in (-1.0, 1.0):
        for t in (-1.0, 1.0):
            gap = above + s * face.heights[1] + t * face.heights[2]
            corners.append(on_plane(b, a.center + face.center + s * face.first + t * face.second, gap))
    return corners


def cylinder_plane(a: Placed, b: Placed) -> list[Touch]:
    """The lowest points of the upper and the lower rim, by the z axis, and two more at ±120° on the rim that is lower.

    Of a cylinder that stands, the lowest points do not turn with the last bits of its axis.
    """
    radius, normal = a.size[0], b.axes[:, 2]
    x, y, z = a.axes.T @ normal
    _, (cosine, sine) = length_and_direction(stack([UPRIGHT - x, -y]), np.array([1.0, 0.0]))
    outward = radius * (cosine * a.axes[:, 0] + sine * a.axes[:, 1])
    across = (THIRD * radius) * (cosine * a.axes[:, 1] - sine * a.axes[:, 0])
    upper, lower = ends_of(a)
    end = where(less(z, 0.0), upper, lower)
    points = [upper + outward, lower + outward, end - 0.5 * outward + across, end - 0.5 * outward - across]
    return [on_plane(b, point, height(b, point)) for point in points]


def ellipsoid_plane(a: Placed, b: Placed) -> list[Touch]:
    """One touch, at the lowest point −A² n / |A n|, A having the half axes."""
    scaled = a.size * (a.axes.T @ b.axes[:, 2])
    below = sqrt(scaled @ scaled)[()]
    lowest = a.center - a.axes @ (a.size * scaled / below)
    return [on_plane(b, lowest, height(b, a.center) - below)]


PAIRS: Pairs = {
    ("sphere", "plane"): (sphere_plane, 1),
    ("capsule", "plane"): (capsule_plane, 2),
    ("box", "plane"): (box_plane, 4),
    ("cylinder", "plane"): (cylinder_plane, 4),
    ("ellipsoid", "plane"): (ellipsoid_plane, 1),
}
