"""Touches of shapes with a field of heights: z over a grid along x and y, and two triangles in each of its cells.

Both have the edge from the lower to the upper ends of x and y in the cell, as in MuJoCo. The triangle below a point is
what it touches, as a plane. Shapes are their lowest points along the normal below their centre: they have to be small
beside the features of the field, whose peaks may reach into faces. Around the grid, the heights of its border continue.
"""

from __future__ import annotations

from typing import Any

from ....arrays import Array, clip, floor, less, lookup, maximum, sqrt, stack, where
from .lowest import LOWEST
from .touch import Pairs, Placed, Touch, of_ball


def on_heights(a: Placed, b: Placed) -> list[Touch]:
    """Touches of the points of a shape that are lowest along the normal below its centre."""
    _, normal = above_heights(b, b.inside(a.center))
    touches = []
    for low in LOWEST[a.kind][0](a, b.axes @ normal):
        height, normal = above_heights(b, b.inside(low.x))
        touch = of_ball(low.x, low.radius, height - low.radius, b.axes @ normal)
        touches.append(touch._replace(gap=touch.gap + low.apart))
    return touches


def above_heights(field: Placed, x: Array) -> tuple[Any, Array]:
    """Height of a point (3,) above the plane of the triangle below it, and its normal (3,), in the field's frame."""
    u, i, du = _cell(x[0], field.size.shape[0], field.lengths[0])
    v, j, dv = _cell(x[1], field.size.shape[1], field.lengths[1])
    upper = less(u, v)
    start, end = lookup(field.size, i, j), lookup(field.size, i + 1.0, j + 1.0)
    between = lookup(field.size, i + where(upper, 0.0, 1.0)[()], j + where(upper, 1.0, 0.0)[()])
    rise, further = between - start, end - between
    slope_u, slope_v = where(upper, further, rise)[()], where(upper, rise, further)[()]
    below = start + u * slope_u + v * slope_v
    slope_x, slope_y = du * slope_u, dv * slope_v
    per = 1.0 / sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)[()]
    return (x[2] - below) * per, stack([-per * slope_x, -per * slope_y, per])


def _cell(x: Any, n: int, length: Any) -> tuple[Any, Any, Any]:
    """Place in a cell, 0 to 1, the cell's number, and the rate of the first with x; zero outside of the grid."""
    rate = (n - 1.0) / length
    place = x * rate + 0.5 * (n - 1.0)
    inside = clip(place, 0.0, n - 1.0)[()]
    cell = clip(floor(place), 0.0, n - 2.0)[()]
    outside = maximum(less(place, 0.0), less(n - 1.0, place))
    return inside - cell, cell, where(outside, 0.0, rate)[()]


PAIRS: Pairs = {(kind, "heights"): (on_heights, n) for kind, (_, n) in LOWEST.items()}
