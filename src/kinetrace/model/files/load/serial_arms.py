"""Serial arms from tables of numbers: products of exponentials, and Denavit–Hartenberg parameters.

Products of exponentials: screws → builder. Park, Bobrow and Ploen (1995), their four forms:

    "link"    f = exp(P_1 q_1) M_1 exp(P_2 q_2) M_2 … exp(P_n q_n) M_n      (12)
    "joint"   f = M_1 exp(S_1 q_1) M_2 exp(S_2 q_2) … M_n exp(S_n q_n)      (23)
    "space"   f = exp(A_1 q_1) … exp(A_n q_n) M                            (13)
    "body"    f = M exp(B_1 q_1) … exp(B_n q_n)                            (14), B_i = Ad_{M⁻¹} A_i

f is the pose of the tip in the base.

Where the body frames sit: in form "link", frame i is the one after M_i, at the tip of link i, and P_i is in
frame i-1. In form "joint", frame i is that of joint i, which moves with link i: M_i is its pose in frame i-1 at
q = 0, and S_i is in frame i. The two take arrays of the same shapes, and are different robots. In forms "space"
and "body", the frame of every link coincides with the base frame at q = 0 (so A_i is the joint's screw in both
of its links), and the tip stands at M in the last. Inertias are about and in these frames.

A screw S moves by exp(S q), whatever its length: with |omega| = 1, q is the angle in radians; with omega = 0 and
|v| = 1, the way in metres; otherwise, q is in units of |omega| radians, or |v| metres.

Denavit–Hartenberg tables: numbers → builder.

    modified (Craig)   X_{i-1,i} = Rx(alpha) Tx(a) Rz(theta) Tz(d)      joint i turns about z_i
    standard           X_{i-1,i} = Rz(theta) Tz(d) Tx(a) Rx(alpha)      joint i turns about z_{i-1}

A row is (a, alpha, d, theta) [m, rad, m, rad]. In the modified convention a and alpha are those that Craig
writes a_{i-1}, alpha_{i-1}: each row holds the four numbers of one transformation. Link i's frame is DH
frame i.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from ....arrays import Array, asarray, is_concrete
from ....errors import InputError, ModelError, ModelWarning, name_list, unknown_name_error, value_text, warn
from ....lie import Ad, se3, so3
from ....support.conversion import as_list
from ...build.builder import Builder
from ...checks import MAX_NUMBER, numbers, pose, sane
from ...joints import Helical, Joint, Prismatic, Revolute, Screw


def inertia_of_each(inertias: Sequence[Array | None] | None, n: int) -> list[Array | None]:
    """The inertias of n links, by default none."""
    each = [None] * n if inertias is None else as_list("inertias", inertias, f"one for each of {n} joints")
    if len(each) != n:
        raise ModelError(f"inertias must be one per joint, {n}, got {len(each)}")
    return each


def add_link(
    builder: Builder,
    i: int,
    joint: Joint,
    placements: tuple[Array | None, Array | None],
    inertia: Array | None,
) -> None:
    """Append link i (from 1) to base, link1, …; `placements` are those before and after the joint."""
    parent, child = "base" if i == 1 else f"link{i - 1}", f"link{i}"
    builder.link(child, inertia)
    before, after = placements
    builder.joint(f"joint{i}", joint, parent=parent, child=child, placement=before, child_placement=after)


CONVENTIONS = ("modified", "standard")
_X, _, _Z = np.eye(3)


_TURN = 2.0 * np.pi + 1e-6


def from_dh(
    table: Sequence[Sequence[float]] | Array,
    *,
    kinds: str | Sequence[str] | None = None,
    convention: str = "modified",
    inertias: Sequence[Array | None] | None = None,
    tip: Array | None = None,
    name: str = "dh",
) -> Builder:
    """A serial arm: links base, link1 … linkn, joints joint1 … jointn, and the frame `tip` on the last link.

    `table` (n, 4) has rows (a, alpha, d, theta). `kinds` says which joints are revolute ("R", the default:
    theta varies) and which prismatic ("P": d varies), as in "RRPRRR"; the variable's tabulated value is its
    offset at q = 0. `inertias` are (6, 6) or None, each about and in DH frame i. `tip` (4, 4) is the tool in
    frame n.

    >>> table = [(0.4, 0, 0, 0), (0.3, 0, 0, 0), (0, np.pi, 0.1, 0)]
    >>> scara = from_dh(table, kinds="RRP", convention="standard")
    >>> scara.build(check="ignore")
    Model('dh', 3 bodies, nq=3, nv=3)
    """
    if not isinstance(convention, str) or convention not in CONVENTIONS:
        raise unknown_name_error("convention", convention, CONVENTIONS)
    rows = _table(table)
    n = len(rows)
    letters = as_list("kinds", "R" * n if kinds is None else kinds, f"{n} letters, each 'R' or 'P'")
    each = inertia_of_each(inertias, n)
    if len(letters) != n or not all(letter in ("R", "P") for letter in letters):
        raise ModelError(f"kinds must be {n} letters, each 'R' or 'P', got {value_text(kinds)}")
    builder = Builder(name)
    builder.link("base")
    for i, ((a, alpha, d, theta), letter, J) in enumerate(zip(rows, letters, each, strict=True), start=1):
        joint = Revolute(_Z) if letter == "R" else Prismatic(_Z)
        link = _turn(_X, alpha) @ _shift(_X, a)
        # The constant part of theta and d; Rz and Tz about one axis commute with the joint's motion.
        offset = _shift(_Z, d) @ _turn(_Z, theta)
        placements = (link @ offset, None) if convention == "modified" else (offset, link)
        add_link(builder, i, joint, placements, J)
    builder.frame("tip", f"link{n}", tip)
    if is_concrete(rows) and (np.abs(rows[:, 1::2]) > _TURN).any():
        row, column = np.argwhere(np.abs(rows[:, 1::2]) > _TURN)[0]
        what, got = ("alpha", "theta")[column], rows[row, 1 + 2 * column]
        told = f"DH table, row {row + 1}: {what} is {got:g}, more than a turn"
        builder.remark(f"{told}; angles are in radians, and np.deg2rad makes them", harmless=True)
    return builder


def _table(table: Sequence[Sequence[float]] | Array) -> Array:
    rows = numbers(table, "a DH table, rows of four numbers (a, alpha, d, theta),")
    if rows.ndim != 2 or rows.shape[1] != 4 or not len(rows):
        raise ModelError(f"a DH table must have shape (n, 4): rows (a, alpha, d, theta), got {rows.shape}")
    if is_concrete(rows) and not sane(rows):
        row, column = np.argwhere(~(np.abs(rows) <= MAX_NUMBER))[0]
        what = ("a", "alpha", "d", "theta")[column]
        got = f"at most {MAX_NUMBER:g}, got {rows[row, column]}"
        raise ModelError(f"DH table, row {row + 1}: {what} must be finite, {got}")
    return rows


def _turn(axis: Array, angle: Array) -> Array:
    return se3.pose(so3.axis_angle(axis, asarray(angle)), np.zeros(3))


def _shift(axis: Array, distance: Array) -> Array:
    return se3.pose(np.eye(3), axis * distance)


PLACED = ("link", "joint")
"""Forms with a placement for each screw; the others have one pose of the tip."""
PARAMETER_FORMS = (*PLACED, "space", "body")
UNIT = 1e-6
"""How far from 1 the length of a screw's direction may be, and still be taken for 1: files have few digits."""
PITCHLESS = 1e-9
"""Pitch [m/rad] below which a screw is a pure rotation."""
FITS = 1e-4
"""How far the entries of a pose may be from those of a form that fits it, per metre of its size: data sheets have few
digits."""


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
    if |omega| = 1, in metres if omega = 0 and |v| = 1. `M` is the tip's pose (4, 4) at q = 0; in forms "link" and
    "joint", the n placements (n, 4, 4). `inertias` are (6, 6) or None, in the body frames of the module's head.

    >>> arm = from_screws([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -1, 0]], se3.pose(np.eye(3), np.array([2, 0, 0])))
    >>> arm.build(check="ignore").frames["tip"].X_bf[:3, 3].tolist()
    [2.0, 0.0, 0.0]
    """
    if not isinstance(form, str) or form not in PARAMETER_FORMS:
        raise unknown_name_error("form", form, PARAMETER_FORMS)
    S = _screws(screws)
    n, eye = len(S), np.eye(4)
    before = after = [eye] * n
    if form in PLACED:
        placements, X_tip = _placements(M, n, form), eye
        before, after = (before, placements) if form == "link" else (placements, after)
    else:
        X_tip = pose(M, "M")
        S = Ad(X_tip, S) if form == "body" else S
    builder = Builder(name)
    builder.link("base")
    each = inertia_of_each(inertias, n)
    for i, (screw, X_before, X_after, J) in enumerate(zip(S, before, after, each, strict=True), start=1):
        joint, point = _joint(screw)
        # exp(S q) = T(p) placement(q) T(-p), with p on the axis
        there, back = se3.pose(np.eye(3), point), se3.pose(np.eye(3), -point)
        add_link(builder, i, joint, (X_before @ there, back @ X_after), J)
    builder.frame("tip", f"link{n}", X_tip)
    return builder


def _placements(M: Any, n: int, form: str) -> list[Array]:
    M = [numbers(X, f"M_{i}") for i, X in enumerate(as_list("M", M, f"{n} placements"), start=1)]
    if len(M) != n or any(np.shape(X) != (4, 4) for X in M):
        raise ModelError(
            f"form {form!r} needs one placement M_i a screw, shape ({n}, 4, 4), got {value_text(_shape(M))}"
        )
    return [pose(X, f"M_{i}") for i, X in enumerate(M, start=1)]


def check_form(screws: Any, M: Any, form: str, q: Any, tip: Any) -> None:
    """An error that names the form which fits, unless the tip at q (n,) is at the pose `tip` (4, 4) in this form.

    Only forms that take the same arrays are tried; a warning if another one has the same pose at this q.

    >>> check_form([[0, 0, 1, 0, 0, 0]], [se3.pose(np.eye(3), np.array([0.5, 0, 0]))], "link", [0.0], np.eye(4))
    Traceback (most recent call last):
    ...
    kinetrace.errors.ModelError: form 'link' has the tip 0.5 away from the pose of check; no other form fits
    """
    S, at, X = _screws(screws), numbers(q, "q of check"), numbers(tip, "pose of check")
    if at.shape != (len(S),) or X.shape != (4, 4):
        raise InputError(f"check is q, of shape ({len(S)},), and the pose there, (4, 4); got {at.shape}, {X.shape}")
    if not all(map(is_concrete, (S, at, X, *M))):
        raise InputError("check=(q, pose) compares numbers, and these are traced")
    most = FITS * max(1.0, float(np.abs(X).max()))
    alike = [x for x in PARAMETER_FORMS if (x in PLACED) == (form in PLACED)]

    def fitting(screws: Array) -> list[str]:
        return [x for x in alike if np.abs(_product(screws, M, x, at) - X).max() <= most]

    fits = fitting(S)
    if form not in fits:
        told = [f"form={x!r} fits" for x in fits]
        told += [f"form={x!r} fits if each screw is (ω, v), not (v, ω)" for x in fitting(np.roll(S, 3, axis=-1))]
        off = np.abs(_product(S, M, form, at) - X).max()
        where = f"form {form!r} has the tip {off:.3g} away from the pose of check"
        raise ModelError(f"{where}; {' and '.join(told) or 'no other form fits'}")
    elsewhere = at + np.linspace(1.0, 2.0, len(S))
    own = _product(S, M, form, elsewhere)
    doubtful = [x for x in fits if np.abs(_product(S, M, x, elsewhere) - own).max() > most]
    if doubtful:
        there = f"at this q, form {name_list(doubtful)} has the tip there too, but not at others"
        warn(f"check does not tell forms apart: {there}", ModelWarning)


def _product(S: Array, M: Any, form: str, q: Array) -> Array:
    """The pose (4, 4) of the tip at q, by the product of a form."""
    moved = [se3.exp(s * x) for s, x in zip(S, q, strict=True)]
    if form in PLACED:
        pairs = zip(moved, M, strict=True) if form == "link" else zip(M, moved, strict=True)
        factors = [np.asarray(X) for pair in pairs for X in pair]
    else:
        factors = [*moved, np.asarray(M)] if form == "space" else [np.asarray(M), *moved]
    return reduce(np.matmul, factors)


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
            raise ModelError(f"screw {i} must be finite, at most {MAX_NUMBER:g}, got {s.tolist()}")
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
