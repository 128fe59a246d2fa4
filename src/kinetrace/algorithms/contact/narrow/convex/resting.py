"""Several touches of shapes that can lie on each other: four that span what they lie on, and the nearest points.

Candidates are the lowest points of either shape, along the normal of the nearest points, that are above the other one;
gaps are measured along that normal. The last slot is far away where it is not nearer than the others.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from typing import Any

from .....arrays import Array, abs, less, maximum, maybe, minimum, stack, where
from ..lowest import LOWEST
from ..spanning import spanning
from ..touch import SIDEWAYS, Nearest, Pairs, Placed, Touch, length_and_direction
from .lines import crossing
from .shapes import Gap
from .touches import nearest_touch

NEARER = 1e-9
"""Difference of gaps, relative to the shapes, that counts as none."""
NEAR = 0.1
"""Gap, relative to the shapes, from which there are no touches but that of the nearest points."""
BELOW = 1e-3
"""Depth below its surface at which a shape is cut for its outline, relative to the sizes."""
SHORT = 1e-9
"""Distance of two lowest points, relative to the sizes, that counts as none."""
FLAT = ("box", "cylinder", "points")


def many_touches(a: Placed, b: Placed) -> list[Touch]:
    """Four touches, or of a capsule two, and the nearest points."""
    first = nearest_touch(a, b)
    gap, n = Gap.of(a, b), first.normal
    size = gap.reach(n, gap.pair(n)) + gap.a.radius
    far = maximum(first.gap, 0.0)[()] + size
    none = stack([stack([*first.point, 0.0])] * (4 if a.kind in FLAT else 2), axis=0)
    found = list(maybe(less(first.gap, NEAR * size), lambda: _rows(a, b, first, size), none))
    touches = [_touch(x, far, first) for x in found]
    nearer = less(first.gap, reduce(minimum, [touch.gap for touch in touches]) - NEARER * size)
    return [*touches, first._replace(gap=where(nearer, first.gap, far)[()])]


def _rows(a: Placed, b: Placed, first: Touch, size: Any) -> Array:
    """(4, 4) or, of a capsule, (2, 4): points as `_above` returns them, of those of flat shapes four that span all."""
    found, n = _above(a, b, first, size), first.normal
    if a.kind in FLAT:
        found += [_mirrored(x, first) for x in _corners(b, a, first.turned)]
        some = reduce(lambda x, y: where(y[3], y, x), found, stack([*first.point, 0.0]))
        points = [where(x[3], x[:3], some[:3]) for x in found]
        least = reduce(minimum, [n @ x for x in points])
        direction = SIDEWAYS - n * (n @ SIDEWAYS)
        four = spanning(points, [n @ x - least for x in points], n, direction, size)
        found = [stack([*x, where(exists, some[3], 0.0)[()]]) for x, exists in four]
    return stack(found, axis=0)


def _above(a: Placed, b: Placed, first: Touch, size: Any) -> list[Array]:
    """Lowest points of a that are above b, and where lines between two of them begin and end to be above it.

    Each is a point on the level of the nearest one, raised by its gap along the normal, and 1 if it exists, else 0.
    """
    n, level = first.normal, first.point - (0.5 * first.gap + BELOW * size) * first.normal
    lows = [(low.x - low.radius * n, low.apart) for low in LOWEST[a.kind][0](a, n)]
    found = []
    for (x, apart), (y, other) in combinations(lows, 2):
        way = y - x
        length, direction = length_and_direction(way - n * (n @ way))
        line = crossing(b, x - n * (n @ (x - level)), direction)
        begin, end = maximum(line.enter, 0.0)[()], minimum(line.leave, length)[()]
        exists = where(less(end, begin), 0.0, line.exists)[()]
        part = 1.0 / maximum(length, SHORT * size)[()]
        found += [_raised(x + (s * part) * way, b, first, maximum(apart, other)[()], exists) for s in (begin, end)]
    return found


def _corners(a: Placed, b: Placed, first: Touch) -> list[Array]:
    """Lowest points of a that are above b."""
    n = first.normal
    return [_raised(x.x - x.radius * n, b, first, x.apart, 1.0) for x in LOWEST[a.kind][0](a, n)]


def _raised(x: Array, b: Placed, first: Touch, apart: Any, exists: Any) -> Array:
    """A point on the level of the nearest one, raised by the gap below x, and whether it exists."""
    line = crossing(b, x, -first.normal, is_larger=True)
    near = where(less(line.enter, first.gap - NEARER * (1.0 + abs(first.gap))), 0.0, line.exists)[()]
    level = first.normal @ (x - first.point)
    return stack([*(x + (line.enter + apart - level) * first.normal), near * exists])


def _mirrored(x: Array, first: Touch) -> Array:
    """With the gap on the other side, as seen from the other shape."""
    gap = first.normal @ (x[:3] - first.point)
    return stack([*(x[:3] - 2.0 * gap * first.normal), x[3]])


def _touch(x: Array, far: Any, first: Touch) -> Touch:
    """One of the touches, far away if it does not exist."""
    gap = first.normal @ (x[:3] - first.point)
    return Touch(where(less(0.5, x[3]), gap, far)[()], x[:3] - gap * first.normal, first.normal)


PAIRS: Pairs = {
    **{("capsule", kind): (many_touches, 3) for kind in ("cylinder", "points")},
    **{(x, y): (many_touches, 5) for k, y in enumerate(FLAT) for x in FLAT[: k + 1] if y != "box"},
}
NEAREST: Nearest = dict.fromkeys(PAIRS, nearest_touch)
