"""Denavit–Hartenberg tables: numbers → builder.

    modified (Craig)   X_{i-1,i} = Rx(alpha) Tx(a) Rz(theta) Tz(d)      joint i turns about z_i
    standard           X_{i-1,i} = Rz(theta) Tz(d) Tx(a) Rx(alpha)      joint i turns about z_{i-1}

A row is (a, alpha, d, theta) [m, rad, m, rad]. In the modified convention a and alpha are those that Craig
writes a_{i-1}, alpha_{i-1}: each row holds the four numbers of one transformation. Link i's frame is DH
frame i.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array, asarray, is_concrete
from ...errors import ModelError, shown, unknown
from ...lie import se3, so3
from ...support.plain import plain_list
from ..builder import Builder
from ..checks import LARGEST, numbers, sane
from ..joints import Prismatic, Revolute
from .chain import add_link, inertia_of_each

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
        raise unknown("convention", convention, CONVENTIONS)
    rows = _table(table)
    n = len(rows)
    letters = plain_list("kinds", "R" * n if kinds is None else kinds, f"{n} letters, each 'R' or 'P'")
    each = inertia_of_each(inertias, n)
    if len(letters) != n or not all(letter in ("R", "P") for letter in letters):
        raise ModelError(f"kinds must be {n} letters, each 'R' or 'P', got {shown(kinds)}")
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
        row, column = np.argwhere(~(np.abs(rows) <= LARGEST))[0]
        what = ("a", "alpha", "d", "theta")[column]
        got = f"at most {LARGEST:g}, got {rows[row, column]}"
        raise ModelError(f"DH table, row {row + 1}: {what} must be finite, {got}")
    return rows


def _turn(axis: Array, angle: Array) -> Array:
    return se3.pose(so3.axis_angle(axis, asarray(angle)), np.zeros(3))


def _shift(axis: Array, distance: Array) -> Array:
    return se3.pose(np.eye(3), axis * distance)
