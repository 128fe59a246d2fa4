"""The same joint forces with fewer inertial parameters: what a joint does not feel moves to the body before it.

`identify.identifiable_spaces` finds, for each body, the space A_k that joint forces depend on; what A_k does not see
moves with the parent as if the joint were locked. A revolute joint about z does not feel mass on its axis: m, hz and
Σzz of the pseudo-inertia may be anything (Gautier and Khalil 1990), a joint near the base leaves more to choose. Which
entries become zero is chosen by what they cost, the costliest first: as sets of entries that can vanish together are a
matroid, no other choice saves more.

The bodies that result are no physical ones. Joint forces, the mass matrix and what follows from it are the same; the
momentum of the robot and its centre of mass are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...identify.identifiable_spaces import IdentifiableSpaces
from ...lie import inertia
from ...model import Body, Model
from ...model.checks import ACCUMULATED, zero_rounding

Pair = tuple[Array, Array]
ZeroPattern = tuple[int, ...]
COSTLIEST: ZeroPattern = (1, 2, 3, 0, 5, 6, 8, 4, 7, 9)
"""The entries of `moments` in the order in which zeros save most: h, m, then Σ off and on its diagonal."""
PATTERNS: tuple[ZeroPattern, ...] = (COSTLIEST, (0, 3), (0, 9), (3, 9), ())
"""Which entries to make zero if they can be: all, two of m, hz and Σzz, or none; zeros here may cost more before."""


def moments(pi: Array) -> Array:
    """(m, hx, hy, hz, Σxx, Σxy, Σxz, Σyy, Σyz, Σzz) of the ten parameters: (..., 10) -> (..., 10).

    >>> moments(np.array([1.0, 0, 0, 2, 4, 0, 0, 4, 0, 0])).tolist()
    [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0]
    """
    P = inertia.pseudo_inertia(inertia.from_parameters(pi))
    second = [P[..., i, j] for i in range(3) for j in range(i, 3)]
    return np.stack([P[..., 3, 3], *(P[..., i, 3] for i in range(3)), *second], axis=-1)


_ZERO_PAIR: Pair = (np.zeros(10), np.zeros(10))
_TO_MOMENTS = moments(np.eye(10)).T
_FROM_MOMENTS = np.round(np.linalg.inv(_TO_MOMENTS))
_MOMENT_SLICES = (slice(0, 1), slice(1, 4), slice(4, 10))
"""Where m, h and Σ are among the moments."""
_WEIGHTS = np.sqrt([1, 1, 1, 1, 1, 2, 2, 1, 2, 1])
"""With which entries of Σ off its diagonal count twice, as in its norm."""


def parameters(x: Array) -> Array:
    """The ten parameters of the ten moments: (..., 10) -> (..., 10).

    >>> parameters(np.eye(10)[9]).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    return x @ _FROM_MOMENTS.T


def from_moments(x: Array) -> Array:
    """J (6, 6) of the ten moments.

    >>> from_moments(np.eye(10)[9])[:3, :3].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return inertia.from_parameters(parameters(x))


def cleared_moments(x: Array, sizes: Array) -> Array:
    """Moments without what rounding left of zeros; `sizes` are those of what they were computed from."""
    largest = np.repeat([sizes[kind].max() for kind in _MOMENT_SLICES], (1, 3, 6))
    return zero_rounding(x, largest, ACCUMULATED)


class BodyMoments:
    """Moments that a body may get, in its present frame: the part that no pattern changes."""

    def __init__(self, body: Body, at: IdentifiableSpaces) -> None:
        self.own = inertia.to_parameters(body.J)
        self.sizes = np.abs(_TO_MOMENTS @ self.own)
        self.free = _TO_MOMENTS @ _null(at.A[:, :10]).T  # columns: what may be changed
        self.any_last = bool(np.abs(at.A[:, :10] @ _FROM_MOMENTS[:, 9]).max(initial=0) < 1e-9)
        """Whether Σzz may be anything."""
        self.lock = at.lock
        self.growth = _growth(_TO_MOMENTS @ at.lock @ _FROM_MOMENTS)

    def leave_to_parent(self, received: Pair, pattern: ZeroPattern) -> tuple[Array, Pair]:
        """Moments with as many zeros as possible, and what the parent takes over, with the sizes of its terms."""
        whole, sizes = self.own + received[0], self.sizes + received[1]
        x, free = _TO_MOMENTS @ whole, self.free
        for k in pattern:
            j = int(np.argmax(np.abs(free[k]))) if free.shape[1] else 0
            if free.shape[1] and abs(free[k, j]) > 1e-7:
                along = free[:, j] / free[k, j]
                x = x - x[k] * along
                free = np.delete(free - np.outer(along, free[k]), j, axis=1)
        x = cleared_moments(x, sizes)
        if 9 in pattern and self.any_last:
            x = _symmetric(x, sizes)
        largest = [sizes[kind].max() for kind in _MOMENT_SLICES]
        grown = [sum(n * size for n, size in zip(row, largest, strict=True)) for row in self.growth]
        return x, (self.lock @ (whole - parameters(x)), np.repeat(grown, (1, 3, 6)))


def _growth(change: Array) -> list[list[float]]:
    """By how much moments of each kind grow at most, of each kind, by a change of frames (10, 10).

    A turn leaves sizes as they are; absolute values of its entries would make them grow at every turn, and on long
    chains beyond all that is there.
    """
    isometric = change * _WEIGHTS[:, None] / _WEIGHTS
    return [[float(np.linalg.norm(isometric[a, b], 2)) for b in _MOMENT_SLICES] for a in _MOMENT_SLICES]


def _symmetric(x: Array, sizes: Array) -> Array:
    """Moments of a body that may have any Σzz: if it is symmetric about z, with no moment of inertia but Izz."""
    mean = (x[4] + x[7]) / 2
    if abs(x[4] - x[7]) > ACCUMULATED * sizes[4:].max():
        return x
    return np.array([*x[:4], mean, x[5], x[6], mean, x[8], -mean])


def _null(A: Array) -> Array:
    """Orthonormal rows perpendicular to orthonormal rows A."""
    return np.linalg.svd(np.concatenate([A, np.zeros((10, 10))]))[2][len(A) :]


class Regrouping:
    """The moments of all bodies for a choice of patterns, and what they leave to their parents.

    Another pattern of one body changes that body and those that carry it: only these are computed again.
    """

    def __init__(
        self, model: Model, spaces: Sequence[IdentifiableSpaces], patterns: Sequence[ZeroPattern] | None = None
    ) -> None:
        self.model = model
        self.patterns = [COSTLIEST] * len(model.bodies) if patterns is None else list(patterns)
        self._bodies = [BodyMoments(body, at) for body, at in zip(model.bodies, spaces, strict=True)]
        self._children = [[c.index for c in reversed(model.bodies) if c.parent == b.index] for b in model.bodies]
        self._left: list[tuple[Array, Pair]] = [(np.zeros(10), _ZERO_PAIR)] * len(model.bodies)
        for k in reversed(range(len(model.bodies))):
            self._left[k] = self._leave(k, self.patterns[k], {})

    def _leave(self, k: int, pattern: ZeroPattern, others: Mapping[int, tuple[Array, Pair]]) -> tuple[Array, Pair]:
        """A body's moments and what it leaves, if some of its children leave something else than they do."""
        received = _ZERO_PAIR
        for c in self._children[k]:
            load, sizes = others[c][1] if c in others else self._left[c][1]
            received = received[0] + load, received[1] + sizes
        return self._bodies[k].leave_to_parent(received, pattern)

    def with_pattern(self, i: int, pattern: ZeroPattern) -> dict[int, tuple[Array, Pair]]:
        """Moments of the bodies that another pattern of body i changes."""
        changed = {i: self._leave(i, pattern, {})}
        for k in sorted(self.model.ancestors(i) - {i}, reverse=True):
            changed[k] = self._leave(k, self.patterns[k], changed)
        return changed

    def choose(self, i: int, pattern: ZeroPattern) -> None:
        """Take another pattern for body i."""
        for k, left in self.with_pattern(i, pattern).items():
            self._left[k] = left
        self.patterns[i] = pattern

    def regrouped(self) -> Model:
        """The model with these moments."""
        each = zip(self.model.bodies, self._left, strict=True)
        return replace(self.model, bodies=tuple(replace(b, J=from_moments(x)) for b, (x, _) in each))


def regrouped(
    model: Model, spaces: Sequence[IdentifiableSpaces], patterns: Sequence[ZeroPattern] | None = None
) -> Model:
    """The model with inertias of fewer entries for the same joint forces, on a base that rests.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> from kinetrace.identify.identifiable_spaces import identifiable_spaces
    >>> few = regrouped(model, identifiable_spaces(model))
    >>> [int(np.count_nonzero(b.J[5, 5])) for b in few.bodies]
    [0, 0]
    """
    return Regrouping(model, spaces, patterns).regrouped()
