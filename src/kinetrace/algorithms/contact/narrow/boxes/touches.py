"""Touches of two boxes: four corners of what two faces have in common, and the nearest or deepest points.

The last slot is far away where it is one of the four.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

from .....arrays import Array, abs, less, maximum, minimum, sqrt, stack, where
from ..axes import rounding
from ..faces import Largest
from ..touch import SIDEWAYS, TINY, Nearest, Pairs, Placed, Touch, length_and_direction
from .polygon import Corner, Faces, common_corners, lowest_corner
from .separation import Boxes, nearest_corner, nearest_edges

PARALLEL, TOUCHING = 1e-4, 1e-2
"""Differences in height along a face, and distances, relative to the size of the smaller box, below which one box lies
on the other, and four corners are all that touches: else it would rock from the lowest of eight to the next."""


class View(NamedTuple):
    """Two faces and the frame in which they are seen, that of the first one."""

    distance: Any
    """How far the boxes are apart along its normal z."""
    faces: Faces
    axes: Array
    """(3, 3) in the world, as columns; z leads to the other box."""
    origin: Array
    """(3,) in the world, in the middle of the face."""
    normal: Array
    """(3,) in the world, from b to a."""
    sideways: Array
    """(2,) the direction of the first corner."""
    turn: Any
    """±1, by which corners are in one order about the normal, whichever box has the first face."""

    def at(self, x: Array) -> Array:
        """The point of the world midway between a point (3,) of the second face and the first one."""
        return self.origin + self.axes @ stack([x[0], x[1], 0.5 * x[2]])


def box_box(a: Placed, b: Placed) -> list[Touch]:
    """Four corners of two faces, and the nearest points of the boxes, or the deepest.

    A corner is a touch if it is as far away as the boxes, or farther: else the faces are not what touches there. The
    nearest points are one, unless they are one of the corners, or a box lies on the other.
    """
    boxes = Boxes.of(a, b)
    view = _view(a, b, boxes)
    of_a, of_b = boxes.h.sum(), boxes.g.sum()
    size = minimum(of_a, of_b)[()]
    corners, lowest = common_corners(view.faces, view.sideways, view.turn, size)
    nearest = _nearest(a, b, boxes, view, lowest)
    far, free = maximum(nearest.gap, 0.0)[()] + 2.0 * size, rounding(nearest.gap, of_a + of_b)
    touches, least = [], far
    for corner in corners:
        exists = where(less(corner.x[2], nearest.gap - free), 0.0, corner.exists)
        gap = where(exists, corner.x[2], far)[()]
        least = minimum(least, gap)[()]
        touches.append(Touch(gap, view.at(corner.x), view.normal))
    slope = abs(view.faces.u[2]) + abs(view.faces.v[2])
    parallel = where(lowest.exists, less(slope, PARALLEL * size), 0.0)
    lies = where(parallel, less(abs(nearest.gap), TOUCHING * size), 0.0)
    alone = where(lies, 0.0, less(nearest.gap + free, least))
    return [*touches, nearest._replace(gap=where(alone, nearest.gap, far)[()])]


def nearest_of_boxes(a: Placed, b: Placed) -> Touch:
    """The nearest points of two boxes, or the deepest, exact to rounding."""
    boxes = Boxes.of(a, b)
    view = _view(a, b, boxes)
    return _nearest(a, b, boxes, view, lowest_corner(view.faces))


def _view(a: Placed, b: Placed, boxes: Boxes) -> View:
    """The two faces along whose normals the boxes are farthest apart, seen from the one whose normal that is."""
    of_a, of_b = boxes.across_faces
    highest = [reduce(maximum, list(each)) for each in (of_a, of_b)]
    second = less(highest[0] + rounding(highest[0], boxes.h.sum() + boxes.g.sum()), highest[1])
    face = Largest.of(where(second, of_b, of_a))

    def rows(other: Array, center: Array, half: Array, sideways: Array, shape: Placed) -> list[Array]:
        return [stack([*other[k], center[k], *shape.axes[:, k], half[k], sideways[k]]) for k in range(3)]

    by_a = rows(boxes.R, boxes.t, boxes.h, SIDEWAYS, a)
    by_b = rows(boxes.R.T, -boxes.u, boxes.g, boxes.R.T @ SIDEWAYS, b)
    x, y, z = face.turned([where(second, q, p) for p, q in zip(by_a, by_b, strict=True)])
    below = less(z[3], 0.0)
    up = where(below, -z, z)
    center, half = where(second, b.center, a.center), where(second, boxes.h, boxes.g)
    opposite = Largest.of(abs(z[:3]))
    u, v, w = opposite.turned([half[k] * stack([x[k], y[k], up[k]]) for k in range(3)])
    middle = stack([x[3], y[3], up[3] - z[7]]) + where(less(w[2], 0.0), w, -w)
    axes = stack([x[4:7], y[4:7], up[4:7]])
    return View(
        distance=where(second, highest[1], highest[0])[()],
        faces=Faces((x[7], y[7]), middle, u, v),
        axes=axes,
        origin=center + z[7] * up[4:7],
        normal=where(second, up[4:7], -up[4:7]),
        sideways=stack([x[8], y[8]]),
        turn=where(second, 1.0, -1.0)[()] * where(below, -1.0, 1.0)[()],
    )


def _nearest(a: Placed, b: Placed, boxes: Boxes, view: View, lowest: Corner) -> Touch:
    """The nearest points of the boxes, or the deepest.

    Distances of points are the distance of the boxes at least, distances along directions at most: where the largest of
    these is one of those, or negative, it is exact. Else a corner is one of the nearest points.
    """
    edges = nearest_edges(boxes)
    of_b = nearest_corner(boxes.t, boxes.R * boxes.g, boxes.h)
    of_a = nearest_corner(-boxes.u, boxes.R.T * boxes.h, boxes.g)
    first, crossing = less(of_a.square, of_b.square), edges.a - edges.b
    square = minimum(minimum(of_a.square, of_b.square), crossing @ crossing)
    apart = sqrt(maximum(square, TINY))[()]
    apart = where(less(lowest.x[2], apart), where(lowest.exists, lowest.x[2], apart), apart)[()]
    free = rounding(apart, boxes.h.sum() + boxes.g.sum())
    by_edges = less(view.distance + free, edges.distance)
    along = where(by_edges, edges.distance, view.distance)[()]
    by_corners = where(less(along, 0.0), 0.0, less(along, apart - free))
    axes, center = where(first, b.axes, a.axes), where(first, b.center, a.center)
    corner = where(first, of_a.corner, of_b.corner)
    other = where(first, of_a.other, of_b.other)
    away = where(first, corner - other, other - corner)
    _, outward = length_and_direction(away)
    middle = where(by_corners, 0.5 * (corner + other), 0.5 * (edges.a + edges.b))
    normal = where(by_corners, outward, edges.normal)
    axes, center = where(by_corners, axes, a.axes), where(by_corners, center, a.center)
    not_face = where(by_corners, 1.0, by_edges)
    return Touch(
        where(by_corners, apart, along)[()],
        where(not_face, center + axes @ middle, view.at(lowest.x)),
        where(not_face, axes @ normal, view.normal),
    )


PAIRS: Pairs = {("box", "box"): (box_box, 5)}
NEAREST: Nearest = {("box", "box"): nearest_of_boxes}
