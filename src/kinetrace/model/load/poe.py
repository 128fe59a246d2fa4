"""Products of exponentials: screws → builder. Park, Bobrow and Ploen (1995), the three forms:

    "link"    f = exp(P_1 q_1) M_1 exp(P_2 q_2) M_2 … exp(P_n q_n) M_n      (12)
    "space"   f = exp(A_1 q_1) … exp(A_n q_n) M                            (13)
    "body"    f = M exp(B_1 q_1) … exp(B_n q_n)                            (14), B_i = Ad_{M⁻¹} A_i

f is the pose of the tip in the base.

Where the body frames sit: in form "link", frame i is the one after M_i, at the tip of link i, and P_i is in
frame i-1. In forms "space" and "body", the frame of every link coincides with the base frame at q = 0 (so A_i
is the joint's screw in both of its links), and the tip stands at M in the last. Inertias are about and in
these frames.

A screw S moves by exp(S q), whatever its length: with |omega| = 1, q is the angle in radians; with omega = 0 and
|v| = 1, the way in metres; otherwise, q is in units of |omega| radians, or |v| metres.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import ModelError, shown, unknown
from ...lie import Ad, se3
from ...support.plain import plain_list
from ..builder import Builder
from ..checks import LARGEST, numbers, pose, sane
from ..joints import Helical, Joint, Prismatic, Revolute, Screw
from .chain import add_link, inertia_of_each

FORMS = ("link", "space", "body")
UNIT = 1e-6
"""How far from 1 the length of a screw's direction may be, and still be taken for 1: files have few digits."""
PITCHLESS = 1e-9
"""Pitch [m/rad] below which a screw is a pure rotation."""


def from_screws(
    screws: Sequence[Sequence[float]] | Array,
    M: Sequence[Array] | Array,
    *,
    form: str = "space",
    inertias: Sequence[Array | None] | None = None,
    name: str = "poe",
) -> Builder:
    """A serial arm: links base, link1 … linkn, joints joint1 … jointn, and the frame `tip`.

    `screws` (n, 6) are angular first, of any pitch and length: joint i moves by exp(S_i q_i), so q is in radians
    if |omega| = 1, in metres if omega = 0 and |v| = 1. `M` is the tip's pose (4, 4) at q = 0; in form "link", the
    n placements (n, 4, 4). `inertias` are (6, 6) or None, in the body frames described at the module's head.

    >>> arm = from_screws([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -1, 0]], se3.pose(np.eye(3), np.array([2, 0, 0])))
    >>> arm.build(check="ignore").frames["tip"].X_bf[:3, 3].tolist()
    [2.0, 0.0, 0.0]
    """
    if not isinstance(form, str) or form not in FORMS:
        raise unknown("form", form, FORMS)
    S = _screws(screws)
    n = len(S)
    if form == "link":
        M = [numbers(X, f"M_{i}") for i, X in enumerate(plain_list("M", M, f"{n} placements"), start=1)]
        if len(M) != n or any(np.shape(X) != (4, 4) for X in M):
            raise ModelError(f"form 'link' needs one placement M_i a screw, shape ({n}, 4, 4), got {shown(_shape(M))}")
        after, X_tip = [pose(X, f"M_{i}") for i, X in enumerate(M, start=1)], np.eye(4)
    else:
        after, X_tip = [np.eye(4)] * n, pose(M, "M")
        S = Ad(X_tip, S) if form == "body" else S
    builder = Builder(name)
    builder.link("base")
    each = inertia_of_each(inertias, n)
    for i, (screw, X_after, J) in enumerate(zip(S, after, each, strict=True), start=1):
        joint, point = _joint(screw)
        # exp(S q) = T(p) placement(q) T(-p), with p on the axis
        before, back = se3.pose(np.eye(3), point), se3.pose(np.eye(3), -point)
        add_link(builder, i, joint, (before, back @ X_after), J)
    builder.frame("tip", f"link{n}", X_tip)
    return builder


def _shape(M: Sequence[Array]) -> object:
    """The shape of an array, or those of its unequal parts."""
    found = [np.shape(X) for X in M]
    return (len(M), *found[0]) if len(set(found)) == 1 else found


def _screws(screws: Sequence[Sequence[float]] | Array) -> Array:
    """(n, 6), each with a direction of nearly unit length at exactly that; as they are if they are not known."""
    S = numbers(screws, "screws, rows of six numbers (omega, v),")
    if S.ndim != 2 or S.shape[1] != 6 or not len(S):
        raise ModelError(f"screws must have shape (n, 6): rows (omega, v), got {S.shape}")
    if not is_concrete(S):
        return S
    for i, s in enumerate(S, start=1):
        if not sane(s):
            raise ModelError(f"screw {i} must be finite, at most {LARGEST:g}, got {s.tolist()}")
        if not np.any(s):
            raise ModelError(f"screw {i} is zero: it moves nothing")
    length = np.array([_length(s) for s in S])
    return S / np.where(np.abs(length - 1) <= UNIT, length, 1.0)[:, None]


def _length(screw: Array) -> float:
    """|omega|, or |v| of a screw that does not turn."""
    return float(np.linalg.norm(screw[:3] if np.any(screw[:3]) else screw[3:]))


def _joint(screw: Array) -> tuple[Joint, Array]:
    """The joint with this screw (6,), and the point (3,) of its axis nearest to the origin, where it stands."""
    if not is_concrete(screw):
        return Screw(screw), np.zeros(3)
    rate = _length(screw)
    omega, v = screw[:3] / rate, screw[3:] / rate
    turns = bool(np.any(omega))
    pitch = float(omega @ v) if turns else 0.0
    point = np.cross(omega, v)
    if abs(rate - 1) > UNIT:
        return Screw(rate * np.concatenate([omega, pitch * omega if turns else v])), point
    if not turns:
        return Prismatic(v), point
    return (Revolute(omega) if abs(pitch) < PITCHLESS else Helical(omega, pitch)), point
