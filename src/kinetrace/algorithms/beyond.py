"""What a joint knows of the velocities at and beyond it: rows of wrenches, of which those of M, C and ∂τ are made.

Rows of all other velocities are zero, and are not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, concatenate, indices, stack
from ..model import Model
from ..model.elimination import Placement


class Rows:
    """Arrays (k, ...) of one row for each of the velocities `of`; `inward` adds them, a missing row being zero."""

    def __init__(self, of: tuple[int, ...], *arrays: Array) -> None:
        self.of, self.arrays = of, arrays

    @classmethod
    def nothing(cls, count: int) -> Rows:
        """What a joint without joints beyond receives: `count` arrays (0, 6)."""
        return cls((), *(np.zeros((0, 6)),) * count)

    def __add__(self, other: Rows) -> Rows:
        of, pairs = tuple(sorted({*self.of, *other.of})), zip(self.arrays, other.arrays, strict=True)
        return Rows(of, *(_sum(of, self.of, x, other.of, y) for x, y in pairs))

    def carried(self, X: Placement) -> Rows:
        """Wrenches as the parent sees them."""
        return Rows(self.of, *(X.Ad_inv_dual(F) for F in self.arrays))


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
    """Of every joint."""
    owners = [b.index if b.mimic is None else b.mimic.source for b in model.bodies]
    slices = [model.slices[i][1] for i in owners]
    parts = zip(slices, model.split_v(np.eye(model.nv)), strict=True)
    return [Own(tuple(range(at.start, at.stop)), part[:, at]) for at, part in parts]


def matrices(model: Model, entries: Sequence[Rows], count: int) -> list[Array]:
    """As many matrices (nv, nv), from each joint's rows, transposed: arrays (k, nv_i)."""
    n = model.nv
    joints = [[_everywhere(n, rows.of, rows.arrays[i]).T for rows in entries] for i in range(count)]
    return [model.gather(x).reshape(n, n) for x in joints]


def _everywhere(n: int, of: Sequence[int], x: Array) -> Array:
    """x (k, m) with zero rows for all other velocities: (n, m)."""
    places = {k: i for i, k in enumerate(of)}
    return concatenate([x, np.zeros((1, x.shape[1]))], axis=0)[indices([places.get(k, len(of)) for k in range(n)])]
