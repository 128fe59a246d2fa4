"""The farthest of a shape's points along a direction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .....arrays import Array, hold, less, stack, where

Corners: TypeAlias = Callable[[Array], Array]
"""Direction (3,) → the farthest point (3,), in the axes of a shape."""
FACES = np.kron(np.eye(3), [[1.0], [-1.0]])
"""(6, 3) outward normals of the faces of a box."""


def origin(direction: Array) -> Array:
    """The only point of a sphere."""
    return np.zeros(3)


def ends(half: Any) -> Corners:
    """The ends of a segment along z."""
    return lambda direction: stack([0.0, 0.0, half * _sign(direction[2])])


def box(half: Array) -> Corners:
    """The corners of a box with half lengths (3,)."""
    return lambda direction: stack([half[k] * _sign(direction[k]) for k in range(3)])


def _sign(x: Any) -> Any:
    return where(less(x, 0.0), -1.0, 1.0)[()]


def farthest(vertices: Array) -> Corners:
    """Of vertices (n, 3), the farthest along a direction."""
    return lambda direction: _winner([(vertex, vertex @ direction) for vertex in vertices])


def nearest(vertices: Array) -> Corners:
    """Of vertices (n, 3), the one that a point is."""
    held = hold(vertices)
    if held is vertices:  # nothing is differentiated
        return lambda x: x
    return lambda x: _winner([(v, -((w - x) @ (w - x))) for v, w in zip(vertices, held, strict=True)])


def _winner(rounds: list[tuple[Array, Any]]) -> Array:
    """The point with the highest score."""
    while len(rounds) > 1:
        winners = [_farther(x, y) for x, y in zip(rounds[::2], rounds[1::2], strict=False)]
        rounds = winners + rounds[2 * len(winners) :]
    return rounds[0][0]


def _farther(x: tuple[Array, Any], y: tuple[Array, Any]) -> tuple[Array, Any]:
    is_y = less(x[1], y[1])
    return where(is_y, y[0], x[0]), where(is_y, y[1], x[1])[()]
