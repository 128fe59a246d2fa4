"""A body's way from its parent, in the factors that are cheapest to apply.

    X_pi = X_pj · placement(q) · X_ji

Three things leave X_pi as it is and change what it costs: a turn about the joint's axis may pass into q, a shift along
it may pass the joint, and a constant pose is a shift and a turn in either order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, known
from ..lie import Pose, se3
from .checks import frozen
from .joints import Joint
from .rounding import ROUNDING, snap

_EYE, _ZERO = np.eye(3), np.zeros(3)


class Path(NamedTuple):
    """X_pi = before · placement(q + zero) · after, before and after constant."""

    before: Pose
    zero: float
    after: Pose
    full: bool
    """Whether to multiply out what is before with the joint's motion."""


def path(X_pj: Array, joint: Joint, X_ji: Array, root: bool) -> Path:
    """The cheapest way; on a `root` body, whose parent rests, no shift before the joint costs anything."""
    if not (known(X_pj) and known(X_ji)):
        return Path(_factors(X_pj), 0.0, _factors(X_ji), _is_full_rotation(X_pj))
    X_pj, zero = _unturned(X_pj, joint.spin)
    d = np.zeros(3) if root else _passing(X_pj, joint.slide)
    before = se3.pose(X_pj[:3, :3], _rounded(X_pj[:3, 3] - X_pj[:3, :3] @ d, X_pj[:3, 3]))
    after = _shift(d) @ X_ji if np.any(d) else X_ji
    return Path(_factors(before), zero, _factors(after), _is_full_rotation(before))


def _unturned(X: Array, axis: Array | None) -> tuple[Array, float]:
    """X' and the angle with X = X' turn(angle), if that leaves at most a turn about a coordinate axis of X."""
    if axis is None or not known(axis) or not _is_full_rotation(X):
        return X, 0.0
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) != 1.0:
        return X, 0.0
    R, n, i, j = X[:3, :3], X[:3, k], (k + 1) % 3, (k + 2) % 3
    for e in _EYE[np.abs(n) < ROUNDING]:  # n is perpendicular to e: the turn about e that leads there
        turned = np.zeros((3, 3))
        turned[:, i], turned[:, j], turned[:, k] = e, np.cross(n, e), n
        c, s = e @ R[:, i], np.cross(n, e) @ R[:, i]
        return se3.pose(snap(turned), X[:3, 3]), float(np.arctan2(s, c) * axis[k])
    return X, 0.0


def _passing(X: Array, axis: Array | None) -> Array:
    """The part of X's shift, along the joint's axis in its own frame, that had better follow the joint."""
    if axis is None or not known(axis):
        return _ZERO
    p, n = X[:3, 3], X[:3, :3] @ axis
    best, least = 0.0, np.count_nonzero(p)
    for i in np.flatnonzero(np.abs(n) > ROUNDING):
        left = np.count_nonzero(_rounded(p - p[i] / n[i] * n, p)) + 1
        if left < least:
            best, least = p[i] / n[i], left
    return best * axis


def _rounded(x: Array, whole: Array) -> Array:
    return np.where(np.abs(x) <= ROUNDING * np.linalg.norm(whole), 0.0, x)


def _shift(p: Array) -> Array:
    return se3.pose(_EYE, p)


def _trivial(x: Array) -> Array:
    """Entries that cost no multiplication."""
    return np.isin(x, (0.0, 1.0, -1.0)) if known(x) else np.zeros(np.shape(x), bool)


def _is_full_rotation(X: Array) -> bool:
    """Whether the rotation is more than one planar turn: then it pays to multiply it with the joint's."""
    return int(np.sum(~_trivial(X[:3, :3]))) > 4


def _factors(X: Array) -> Pose:
    """A constant pose as shift and turn, in the order whose shift has fewer entries; identities left out."""
    if not known(X):
        return Pose(frozen(X))
    R, p = X[:3, :3], X[:3, 3]
    p_inner = _rounded(R.T @ p, p)
    turn = se3.pose(R, _ZERO)
    pair = (turn, _shift(p_inner)) if np.count_nonzero(p_inner) < np.count_nonzero(p) else (_shift(p), turn)
    return Pose(*(frozen(factor) for factor in pair if not np.array_equal(factor, np.eye(4))))
