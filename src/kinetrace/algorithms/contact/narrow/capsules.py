"""Touches of a capsule with capsules and boxes, in two slots: parallel to what it lies on, it touches at two ends.

The slots are the lower and the upper half of what a and b have in common along the axis of a. The nearest of all points
is in one of them; in the other one is the end.
"""

from __future__ import annotations

from typing import Any

from ....arrays import abs, clip, less, maximum, minimum, where
from .axes import rounding
from .faces import Largest
from .segments import Segment, deepest_in_box, lines, nearest_to_box, within_slabs
from .spheres import distance_to_box
from .touch import Pairs, Placed, Touch, between_spheres, chosen, of_ball


def capsule_capsule(a: Placed, b: Placed) -> list[Touch]:
    """The nearest points of two segments, and an end of what they have in common.

    Where both ends are as near as the nearest points, as of axes that are parallel to rounding, they are taken.
    """
    p, q = (Segment(each.center, each.axes[:, 2], 0.5 * each.size[1]) for each in (a, b))
    cosine, offset = p.axis @ q.axis, p.center - q.center
    along_p, along_q = p.axis @ offset, q.axis @ offset
    first, sine_squared = lines(p, q)

    def opposite(s: Any) -> Any:
        return clip(cosine * s + along_q, -q.half, q.half)[()]

    def touch(s: Any) -> Touch:
        return between_spheres(p.at(s), a.size[0], q.at(opposite(s)), b.size[0], a.axes[:, 0])

    s = clip(cosine * opposite(clip(first, -p.half, p.half)) - along_p, -p.half, p.half)[()]
    reach = abs(cosine) * q.half
    low, high = (clip(end - along_p, -p.half, p.half)[()] for end in (-reach, reach))
    apart = p.at(s) - q.at(opposite(s))
    free = 2.0 * rounding(cosine, p.half + q.half)
    upper = less(low + high, 2.0 * s)
    to_end = where(upper, high, low) - s
    parallel = less((sine_squared * to_end * to_end) * (sine_squared * to_end * to_end), free * free * (apart @ apart))
    nearest = where(parallel, s + to_end, s)
    return [touch(where(upper, low, nearest)[()]), touch(where(upper, nearest, high)[()])]


def capsule_box(a: Placed, b: Placed) -> list[Touch]:
    """The point of the axis that is nearest to the box or deepest in it, and an end of what lies on the same face."""
    half, radius = 0.5 * b.size, a.size[0]
    axis, center = a.axes[:, 2], a.center
    segment = Segment(b.inside(center), b.axes.T @ axis, 0.5 * a.size[1])
    slabs = within_slabs(segment, half)
    s = nearest_to_box(segment, half, slabs)
    distance, normal = distance_to_box(segment.at(s), half)
    deepest, outside = deepest_in_box(segment, half), less(0.0, distance)
    s = where(outside, s, deepest.at)[()]
    distance, normal = where(outside, distance, deepest.distance)[()], where(outside, normal, deepest.normal)
    face = Largest.of(abs(normal))
    low, high = (face.turned([each[k] for k in range(3)])[:2] for each in slabs)
    start, end = maximum(low[0], low[1])[()], minimum(high[0], high[1])[()]
    upper = less(where(less(end, start), 0.0, start + end), 2.0 * s)
    other = where(less(end, start), where(upper, -segment.half, segment.half), where(upper, start, end))[()]
    nearest = of_ball(center + s * axis, radius, distance - radius, b.axes @ normal)
    distance, normal = distance_to_box(segment.at(other), half)
    at_end = of_ball(center + other * axis, radius, distance - radius, b.axes @ normal)
    return [chosen(upper, at_end, nearest), chosen(upper, nearest, at_end)]


PAIRS: Pairs = {
    ("capsule", "capsule"): (capsule_capsule, 2),
    ("capsule", "box"): (capsule_box, 2),
}
