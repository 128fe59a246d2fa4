"""What a joint knows of the velocities at and beyond it: rows of wrenches, of which those of M, C and ∂τ are made.

Rows of all other velocities are zero, and are not kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, concatenate, each, indices, stack
from ..model import WORLD, Model
from ..model.elimination import Placement

LONG, MANY = 400, 10
"""Numbers of rows of all joints and of one joint from which a joint treats its rows in a loop: the zeros of single rows
are lost, but straight-line code of that length is no faster, and takes several times as long to compile. A humanoid has
177, a chain of 30 joints 435."""


class Rows:
    """Arrays (k, ...) of one row for each of the velocities `of`; `inward` adds them, a missing row being zero."""

    def __init__(self, of: tuple[int, ...], *arrays: Array, rolls: bool = False) -> None:
        self.of, self.arrays, self.rolls = of, arrays, rolls

    @classmethod
    def nothing(cls, model: Model, count: int) -> Rows:
        """The message to a joint without joints beyond: `count` arrays (0, 6)."""
        before = [0] * len(model.bodies)
        for body in model.bodies:
            before[body.index] = 0 if body.parent == WORLD else 1 + before[body.parent]
        rows = sum(n * body.joint.nv for n, body in zip(before, model.bodies, strict=True))
        return cls((), *(np.zeros((0, 6)),) * count, rolls=rows > LONG)

    def part(self, *which: int) -> Rows:
        """Some of the arrays."""
        return Rows(self.of, *(self.arrays[i] for i in which), rolls=self.rolls)

    def __add__(self, other: Rows) -> Rows:
        of, pairs = tuple(sorted({*self.of, *other.of})), zip(self.arrays, other.arrays, strict=True)
        return Rows(of, *(_sum(of, self.of, x, other.of, y) for x, y in pairs), rolls=self.rolls or other.rolls)

    def carried(self, X: Placement, step: Callable[..., tuple[Array, ...]]) -> tuple[Rows, Rows]:
        """step(*wrenches) of all rows, and the wrenches in the parent's frame.

        A step receives all rows (k, 6), or one (6,): for MANY traced rows it is the body of a loop.
        """
        found = Rows(self.of, *self._each(lambda *F: (*step(*F), *(X.Ad_inv_dual(x) for x in F))), rolls=self.rolls)
        own = len(found.arrays) - len(self.arrays)
        return found.part(*range(own)), found.part(*range(own, len(found.arrays)))

    def _each(self, step: Callable[..., tuple[Array, ...]]) -> Sequence[Array]:
        if not self.rolls or len(self.of) < MANY or any(x.dtype != object for x in self.arrays):
            return step(*self.arrays)
        shapes: list[tuple[int, ...]] = []
        ends = np.cumsum([x.shape[1] for x in self.arrays])[:-1]

        def of_one(row: Array) -> Array:
            found = step(*np.split(row, ends))
            shapes[:] = [x.shape for x in found]
            return concatenate([x.reshape(-1) for x in found])

        found = each(of_one, concatenate(self.arrays))
        parts = np.split(found, np.cumsum([math.prod(shape) for shape in shapes])[:-1], axis=1)
        return [x.reshape(-1, *shape) for x, shape in zip(parts, shapes, strict=True)]


def _sum(of: Sequence[int], of_x: Sequence[int], x: Array, of_y: Sequence[int], y: Array) -> Array:
    if len(of) == len(of_x) + len(of_y):
        places = {k: i for i, k in enumerate((*of_x, *of_y))}
        return concatenate([x, y], axis=0)[indices([places[k] for k in of])]
    in_x, in_y = dict(zip(of_x, x, strict=True)), dict(zip(of_y, y, strict=True))  # mimic joints share a velocity
    return stack([in_x[k] + in_y[k] if k in in_x and k in in_y else in_x.get(k, in_y.get(k)) for k in of], axis=0)


@dataclass(frozen=True)
class Own:
    """The velocities of a joint: those `of` v, times `ratios` (nv_i, k), which is 1 unless it mimics another."""

    of: tuple[int, ...]
    ratios: Array

    def __call__(self, *arrays: Array) -> Rows:
        """Rows from arrays (nv_i, ...)."""
        return Rows(self.of, *(self.ratios.T @ x for x in arrays))


def own_velocities(model: Model) -> list[Own]:
    """The velocities of every joint."""
    owners = [b.index if b.mimic is None else b.mimic.source for b in model.bodies]
    slices = [model.slices[i][1] for i in owners]
    parts = zip(slices, model.split_v(np.eye(model.nv)), strict=True)
    return [Own(tuple(range(at.start, at.stop)), part[:, at]) for at, part in parts]


def matrices(model: Model, entries: Sequence[Rows], count: int) -> list[Array]:
    """`count` matrices (nv, nv), from each joint's rows, transposed: arrays (k, nv_i).

    With rows i for all j at or beyond i, and columns i for those beyond alone, rows + columnsᵀ has all entries once.
    """
    n = model.nv
    joints = [[_everywhere(n, rows.of, rows.arrays[i]).T for rows in entries] for i in range(count)]
    return [model.gather(x).reshape(n, n) for x in joints]


def _everywhere(n: int, of: Sequence[int], x: Array) -> Array:
    """x (k, m) with zero rows for all other velocities: (n, m)."""
    places = {k: i for i, k in enumerate(of)}
    return concatenate([x, np.zeros((1, x.shape[1]))], axis=0)[indices([places.get(k, len(of)) for k in range(n)])]
