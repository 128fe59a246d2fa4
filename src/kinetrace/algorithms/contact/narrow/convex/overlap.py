"""Where to begin the ascent: overlapping shapes have several ways out, of which the shortest is to be found.

The line of centres leads to one, and to the shortest where they hardly overlap. Deeper, short ascents begin at the best
face of each shape, at sides of cylinders, and all around; the highest wins. It is a search by samples: of hulls of many
points that overlap by a fifth of their size, some in a thousand end on a way that is longer than the shortest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .....arrays import Array, less, maybe, scan, stack, where
from ..touch import length_and_direction
from .ascent import Trial, ascend
from .portal import Portal
from .shapes import Gap

DEEP = 5e-3
"""Overlap along the line of centres, relative to the sizes, from which other ways are tried."""
MOST_STEPS = 8
"""Of an ascent that is to be compared with others."""
AROUND = np.array([[x, y, z] for x in (1.0, -1.0) for y in (1.0, -1.0) for z in (1.0, -1.0)]) / np.sqrt(3.0)


class Start(NamedTuple):
    """Where to begin."""

    n: Array
    pairs: Array
    """(3, 2, 3) points of a and b."""
    g: Any


def start(gap: Gap, at: Portal) -> Start:
    """The portal or, of shapes that overlap deeply, the best end of short ascents."""
    g = gap.width(at.n, at.pair)
    is_deep = less(g, -DEEP * gap.reach(at.n, at.pair))
    begin = Start(at.n, at.pairs, g)

    def best() -> Start:
        found = begin
        for n in [*_faces(gap), *_sides(gap)]:
            found = _tried(gap, found, n)
        return scan(lambda best, x: (_tried(gap, best, gap.a.R @ x), None), found, AROUND)[0]

    return maybe(is_deep, best, begin)


def _tried(gap: Gap, best: Start, n: Array) -> Start:
    """The better of a start and the end of an ascent from n."""
    pair = gap.pair(n)
    end = ascend(gap, n, stack([pair, pair, pair], axis=0), MOST_STEPS)
    is_better = less(best.g, end.g)
    return Start(
        where(is_better, end.n, best.n),
        where(is_better, end.pairs[:3], best.pairs),
        where(is_better, end.g, best.g)[()],
    )


def _faces(gap: Gap) -> list[Array]:
    """Of each shape with faces, the normal of the one along which the shapes are farthest apart."""

    def best(R: Array, normals: Array) -> Array:
        def look(best: Trial, x: Array) -> tuple[Trial, None]:
            return best.better(Trial.at(gap, R @ x), best.g), None

        return scan(look, Trial.at(gap, R @ normals[0]), normals)[0].n

    return [best(x.R, side * x.faces) for x, side in ((gap.a, -1.0), (gap.b, 1.0)) if len(x.faces)]


def _sides(gap: Gap) -> list[Array]:
    """Of each cylinder, the normal of its side toward the other shape."""
    cylinders = [shape.R for shape in gap.shapes if shape.is_flat]
    across = [gap.between - R[:, 2] * (R[:, 2] @ gap.between) for R in cylinders]
    return [length_and_direction(x, R[:, 0])[1] for x, R in zip(across, cylinders, strict=True)]
