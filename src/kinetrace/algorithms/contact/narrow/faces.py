"""Which of three things is the largest, and the face of a box that it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ....arrays import Array, abs, less, maximum, stack, where


class Largest(NamedTuple):
    """Which of three numbers is the largest, the first of equal ones: two conditions."""

    others: Any
    """That it is not the first."""
    last: Any
    """That it is the last, if not the first."""

    @classmethod
    def of(cls, x: Sequence[Any]) -> Largest:
        """Of three numbers.

        >>> Largest.of([1.0, 3.0, 2.0]).among("xyz").tolist()
        'y'
        """
        return cls(less(x[0], maximum(x[1], x[2])), less(x[1], x[2]))

    def among(self, options: Sequence[Any]) -> Any:
        """The one of three options, numbers or arrays of one shape, that belongs to it."""
        return where(self.others, where(self.last, options[2], options[1]), options[0])[()]

    @property
    def flags(self) -> list[Any]:
        """1 for the one that it is, 0 for the others."""
        return [self.among([1.0 if j == k else 0.0 for j in range(3)]) for k in range(3)]

    def turned(self, options: Sequence[Any]) -> list[Any]:
        """The three options in their cyclic order, so that the one that belongs to it is the last."""
        x, y, z = options
        return [self.among(each) for each in ((y, z, x), (z, x, y), (x, y, z))]


class Face(NamedTuple):
    """A face of a box."""

    center: Array
    """(3,) from the box's centre."""
    first: Array
    """(3,) half an edge."""
    second: Array
    heights: Array
    """(3,) of these three above the box's centre."""


def lowest_face(half_edges: Array, heights: Array, down: Array) -> Face:
    """The face of a box whose normal points downward most; of the three axes `down` (3,) is how they point upward.

    The half edges are columns (3, 3), with their heights (3,). Edges keep their signs, so that corners keep their places
    while the box turns about the vertical.
    """
    largest = Largest.of(abs(down))
    edges = [stack([*half_edges[:, k], heights[k]]) for k in range(3)]
    first, second, upward = largest.turned(edges)
    center = where(less(largest.among(down), 0.0), upward, -upward)
    return Face(center[:3], first[:3], second[:3], stack([center[3], first[3], second[3]]))
