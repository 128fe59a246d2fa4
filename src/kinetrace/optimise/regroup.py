"""The same joint forces with fewer inertial parameters: what a joint does not feel moves to the body before it.

`identify.structure` finds, for each body, the space A_k that joint forces depend on; what A_k does not see moves with
the parent as if the joint were locked. A revolute joint about z does not feel mass on its axis: m, hz and Σzz of the
pseudo-inertia may be anything (Gautier and Khalil 1990), a joint near the base leaves more to choose. Which entries
become zero is chosen by what they cost, the costliest first: as sets of entries that can vanish together are a matroid,
no other choice saves more.

The bodies that result are no physical ones. Joint forces, the mass matrix and what follows from it are the same; the
momentum of the robot and its centre of mass are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..algorithms.sweep import inward
from ..arrays import Array
from ..identify.structure import IdentifiableSpaces
from ..lie import inertia
from ..model import Body, Model
from ..model.rounding import ACCUMULATED, cleared

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


_TO = moments(np.eye(10)).T
_FROM = np.round(np.linalg.inv(_TO))
_KINDS = (slice(0, 1), slice(1, 4), slice(4, 10))
"""Where m, h and Σ are among the moments."""
_WEIGHTS = np.sqrt([1, 1, 1, 1, 1, 2, 2, 1, 2, 1])
"""With which entries of Σ off its diagonal count twice, as in its norm."""


def parameters(x: Array) -> Array:
    """The ten parameters of the ten moments: (..., 10) -> (..., 10).

    >>> parameters(np.eye(10)[9]).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    return x @ _FROM.T


def from_moments(x: Array) -> Array:
    """J (6, 6) of the ten moments.

    >>> from_moments(np.eye(10)[9])[:3, :3].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return inertia.from_parameters(parameters(x))


def cleared_moments(x: Array, sizes: Array) -> Array:
    """Moments without what rounding left of zeros; `sizes` are those of what they were computed from."""
    largest = np.repeat([sizes[kind].max() for kind in _KINDS], (1, 3, 6))
    return cleared(x, largest, ACCUMULATED)


def leave_to_parent(body: Body, received: Pair, at: IdentifiableSpaces, pattern: ZeroPattern) -> tuple[Array, Pair]:
    """A body's moments with as many zeros as possible, and what its parent takes over, with the sizes of its terms."""
    own = inertia.to_parameters(body.J)
    whole, sizes = own + received[0], np.abs(_TO @ own) + received[1]
    x = _TO @ whole
    free = _TO @ _null(at.A[:, :10]).T  # columns: what may be changed
    for k in pattern:
        j = int(np.argmax(np.abs(free[k]))) if free.shape[1] else 0
        if free.shape[1] and abs(free[k, j]) > 1e-7:
            along = free[:, j] / free[k, j]
            x = x - x[k] * along
            free = np.delete(free - np.outer(along, free[k]), j, axis=1)
    x = cleared_moments(x, sizes)
    if 9 in pattern and np.abs(at.A[:, :10] @ _FROM[:, 9]).max(initial=0) < 1e-9:
        x = _symmetric(x, sizes)
    return x, (at.lock @ (whole - parameters(x)), _carried(_TO @ at.lock @ _FROM, sizes))


def _carried(change: Array, sizes: Array) -> Array:
    """Sizes of moments (10,) after a change of frames (10, 10), which a turn leaves as they are.

    Absolute values of its entries would make them grow at every turn, and on long chains beyond all that is there.
    """
    isometric = change * _WEIGHTS[:, None] / _WEIGHTS
    grown = [sum(np.linalg.norm(isometric[a, b], 2) * sizes[b].max() for b in _KINDS) for a in _KINDS]
    return np.repeat(grown, (1, 3, 6))


def _symmetric(x: Array, sizes: Array) -> Array:
    """Moments of a body that may have any Σzz: if it is symmetric about z, with no moment of inertia but Izz."""
    mean = (x[4] + x[7]) / 2
    if abs(x[4] - x[7]) > ACCUMULATED * sizes[4:].max():
        return x
    return np.array([*x[:4], mean, x[5], x[6], mean, x[8], -mean])


def _null(A: Array) -> Array:
    """Orthonormal rows perpendicular to orthonormal rows A."""
    return np.linalg.svd(np.concatenate([A, np.zeros((10, 10))]))[2][len(A) :]


def regrouped(
    model: Model, spaces: Sequence[IdentifiableSpaces], patterns: Sequence[ZeroPattern] | None = None
) -> Model:
    """The model with inertias of fewer entries for the same joint forces, on a base that rests.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> from kinetrace.identify.structure import identifiable_spaces
    >>> few = regrouped(model, identifiable_spaces(model))
    >>> [int(np.count_nonzero(b.J[5, 5])) for b in few.bodies]
    [0, 0]
    """
    chosen = [COSTLIEST] * len(model.bodies) if patterns is None else patterns
    each = inward(model, leave_to_parent, (np.zeros(10), np.zeros(10)), spaces, chosen)
    return replace(model, bodies=tuple(replace(b, J=from_moments(x)) for b, x in zip(model.bodies, each, strict=True)))
