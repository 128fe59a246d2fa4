"""Which of three things is the largest, and the face of a box that it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ....arrays import Array, abs, less, maximum, where


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
    """A face of a box: its centre (3,) from that of the box, and half of its edges."""

    center: Array
    first: Array
    second: Array


def lowest_face(half_edges: Array, upward: Array) -> Face:
    """The face of a box whose normal points downward most; of the three axes `upward` (3,) is how they point upward.

    The half edges are columns (3, 3). They keep their signs, and so do corners their places while the box turns.
    """
    largest = Largest.of(abs(upward))
    first, second, third = largest.turned([half_edges[:, k] for k in range(3)])
    return Face(where(less(largest.among(upward), 0.0), third, -third), first, second)
