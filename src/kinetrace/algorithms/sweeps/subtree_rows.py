"""Rows of a joint for itself and all joints of its subtree: how CRBA, and C and ∂τ after it, carry wrenches inward.

A joint of the composite-rigid-body algorithm has a wrench for each velocity at or beyond it. These are `SubtreeRows`:
one row for each of these velocities, and none for the others, whose rows are zero. A sweep inward adds them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, concatenate, indices, map_rows, stack
from ...model import WORLD, Model

LOOP_FROM_ROWS_OF_MODEL, LOOP_FROM_ROWS = 400, 10
"""Numbers of rows of all joints and of one joint from which a joint treats its rows in a loop: the zeros of single rows
are lost, but straight-line code of that length is no faster, and takes several times as long to compile. A humanoid has
177, a chain of 30 joints 435."""


@dataclass(frozen=True, eq=False)
class SubtreeRows:
    """An array (k, ...) with a row for each of some `velocities`, by their places in v; other rows are zero."""

    velocities: tuple[int, ...]
    array: Array
    is_long: bool = False
    """Whether the model is so long that loops take rows one by one."""

    @classmethod
    def empty(cls, model: Model) -> SubtreeRows:
        """The rows (0, 6) that a joint without joints beyond it receives."""
        depth = [0] * len(model.bodies)
        for body in model.bodies:
            depth[body.index] = 0 if body.parent == WORLD else 1 + depth[body.parent]
        rows = sum(n * body.joint.nv for n, body in zip(depth, model.bodies, strict=True))
        return cls((), np.zeros((0, 6)), is_long=rows > LOOP_FROM_ROWS_OF_MODEL)

    def __add__(self, other: SubtreeRows) -> SubtreeRows:
        union = tuple(sorted({*self.velocities, *other.velocities}))
        return SubtreeRows(union, _sum(union, self, other), self.is_long or other.is_long)


def map_subtree(step: Callable[..., tuple[Array, ...]], *rows: SubtreeRows) -> tuple[SubtreeRows, ...]:
    """step(*arrays) of all rows of several arrays, which belong to the same velocities.

    A step receives all rows (k, ...) or one (...): for many traced rows it is the body of a loop.
    """
    first, arrays = rows[0], [x.array for x in rows]
    in_loop = first.is_long and len(first.velocities) >= LOOP_FROM_ROWS and all(x.dtype == object for x in arrays)
    results = _map_in_loop(step, arrays) if in_loop else step(*arrays)
    return tuple(SubtreeRows(first.velocities, x, first.is_long) for x in results)


def _map_in_loop(step: Callable[..., tuple[Array, ...]], arrays: Sequence[Array]) -> Sequence[Array]:
    shapes: list[tuple[int, ...]] = []
    ends = np.cumsum([x.shape[1] for x in arrays])[:-1]

    def step_of_one(row: Array) -> Array:
        results = step(*np.split(row, ends))
        shapes[:] = [x.shape for x in results]
        return concatenate([x.reshape(-1) for x in results])

    flat = map_rows(step_of_one, concatenate(arrays))
    parts = np.split(flat, np.cumsum([math.prod(shape) for shape in shapes])[:-1], axis=1)
    return [x.reshape(-1, *shape) for x, shape in zip(parts, shapes, strict=True)]


def _sum(union: Sequence[int], a: SubtreeRows, b: SubtreeRows) -> Array:
    if len(union) == len(a.velocities) + len(b.velocities):
        places = {k: i for i, k in enumerate((*a.velocities, *b.velocities))}
        return concatenate([a.array, b.array], axis=0)[indices([places[k] for k in union])]
    in_a, in_b = (dict(zip(x.velocities, x.array, strict=True)) for x in (a, b))  # mimic joints share a velocity
    return stack([in_a[k] + in_b[k] if k in in_a and k in in_b else in_a.get(k, in_b.get(k)) for k in union], axis=0)


@dataclass(frozen=True)
class JointVelocities:
    """The `places` in v of a joint's velocities, which are `ratios` (nv_i, k) of v there: 1 unless it mimics one."""

    places: tuple[int, ...]
    ratios: Array

    def rows(self, array: Array) -> SubtreeRows:
        """An array (nv_i, ...), a row for each velocity of the joint, by the places in v."""
        return SubtreeRows(self.places, self.ratios.T @ array)


def joint_velocities(model: Model) -> list[JointVelocities]:
    """The velocities of every joint."""
    owners = [b.index if b.mimic is None else b.mimic.source for b in model.bodies]
    slices = [model.slices[i][1] for i in owners]
    parts = zip(slices, model.split_v(np.eye(model.nv)), strict=True)
    return [JointVelocities(tuple(range(at.start, at.stop)), part[:, at]) for at, part in parts]


def matrix_of_rows(model: Model, rows: Sequence[SubtreeRows]) -> Array:
    """The matrix (nv, nv) of the rows of all joints; those of joint i (k, nv_i) are transposed: its entries (i, j)."""
    n = model.nv
    return model.gather([_with_zeros(n, x).T for x in rows]).reshape(n, n)


def _with_zeros(n: int, rows: SubtreeRows) -> Array:
    """Rows (n, m) for all velocities."""
    places, x = {k: i for i, k in enumerate(rows.velocities)}, rows.array
    zero = np.zeros((1, x.shape[1]))
    return concatenate([x, zero], axis=0)[indices([places.get(k, len(places)) for k in range(n)])]
