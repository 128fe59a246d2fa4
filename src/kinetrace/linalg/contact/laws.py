"""Laws of contacts and of joints' rows in one problem at the level of velocities, and how well impulses obey them.

    u = K v,    x_N ≥ 0 ⊥ u_N + b + R x_N ≥ 0,    |x_T| ≤ μ x_N,    x_T = −μ x_N u_T / |u_T| if it slips

and the same with lengths for μ for the moments of spinning and rolling friction. Each law is also a projection: with
any weight r > 0, and m the largest friction at the normal impulse x_N,

    x_N = max(r c_N − u_N − b, 0) / (r + R),    x_T = the nearest point of the disc |x_T| ≤ m to c_T − u_T / r    (1)

holds at c = x for impulses that obey it, and for no others. With another centre c it is a law near that of c = x, which
has a slope: u moves by r (x − c) from what the law says. Rows of joints are those of `scalar_sets`, by (1) there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, abs, concatenate, less, maximum, minimum, sqrt, stack, where
from .. import dense
from ..scalar_sets import ScalarSets
from ..sparse import is_known_zero

TINY = 1e-30
"""Added to squares under roots."""
LEAST_COMPLIANCE = 1e-6
"""Of a row, relative to the largest: weights of rows that cannot move are not zero."""


class ConeLaws(NamedTuple):
    """Laws of n contacts, each with rows (tangent, tangent, normal, spin, rolling, rolling), or the first 3 or 4."""

    friction: Array
    """(n,) Coulomb's μ."""
    bias: Array
    """(n,) b, what is added to the velocities of normals [m/s]."""
    softness: Array
    """(n,) R ≥ 0 [m/s per N s]."""
    torsion: Array | None = None
    """(n,) moment of friction about the normal, for a normal force of one [m]: contacts have a row of spin."""
    rolling: Array | None = None
    """(n,) the same about the tangents [m]: contacts have two rows of rolling, after one of spin."""

    @property
    def rows(self) -> int:
        """Rows of a contact."""
        return 6 if self.rolling is not None else 4 if self.torsion is not None else 3


class Slopes(NamedTuple):
    """How impulses (1) change: −∂x/∂u."""

    normal: Array
    """(n,)"""
    discs: list[tuple[int, Array, Array, Array, Array, Array]]
    """Of friction in two rows, from which on: entries 00, 01, 11, and those by x_N of both rows."""
    spin: tuple[Array, Array] | None
    """Of spinning friction, and that by x_N."""
    scalar: Array
    """(m,) of the rows of joints."""


class ContactLaws(NamedTuple):
    """The laws of all rows: of contacts, one after the other, then of joints."""

    cones: ConeLaws
    sets: ScalarSets

    @classmethod
    def of(cls, cones: ConeLaws, sets: ScalarSets | None) -> ContactLaws:
        """Laws with or without rows of joints."""
        none = np.zeros(0)
        return cls(cones, ScalarSets(none, none, none) if sets is None else sets)

    def columns(self, rows: Array) -> tuple[list[Array], Array]:
        """Values of all rows by their kinds, each (n, ...), and those of joints (m, ...)."""
        n, k = len(self.cones.friction), self.cones.rows
        return [rows[j : n * k : k] for j in range(k)], rows[n * k :]

    def joined(self, columns: list[Array], of_joints: Array) -> Array:
        """Values of all rows (rows,)."""
        of_contacts = stack(columns).reshape(len(columns) * len(columns[0]))
        return concatenate([of_contacts, of_joints]) if len(of_joints) else of_contacts

    def normal(self, u: Array, centre: Array, r: Array) -> Array:
        """x_N (n,) of (1)."""
        (U, _), (C, _), (R, _) = (self.columns(rows) for rows in (u, centre, r))
        return maximum(R[2] * C[2] - U[2] - self.cones.bias, 0.0) / (R[2] + self.cones.softness)

    def impulses(self, u: Array, centre: Array, r: Array, pressure: Array | None = None) -> Array:
        """Impulses (1) for velocities u, with r for each row; `pressure` (n,) takes the place of x_N in m."""
        return self.impulses_and_slopes(u, centre, r, pressure, 0.0)[0]

    def impulses_and_slopes(
        self, u: Array, centre: Array, r: Array, pressure: Array | None, coupling: Any
    ) -> tuple[Array, Slopes]:
        """Impulses (1) and their slopes, that of friction by x_N times `coupling` ()."""
        cones = self.cones
        (U, u_s), (C, c_s), (R, r_s) = (self.columns(rows) for rows in (u, centre, r))
        y = [c - v / weight for c, v, weight in zip(C, U, R, strict=True)]
        soft = 1.0 / (R[2] + cones.softness)
        above = R[2] * C[2] - U[2] - cones.bias
        normal = maximum(above, 0.0) * soft
        most = normal if pressure is None else pressure
        found, discs, spin = [y[0], y[1], normal], [], None
        for first, length in ((0, cones.friction), (4, cones.rolling)):
            if length is not None:
                disc = _in_disc(y[first], y[first + 1], length * most)
                scale, (a, b), slips = disc
                x = [y[first] * scale, y[first + 1] * scale]
                found[first : first + 2] = x
                across, along = scale / R[first], where(slips, scale / R[first], 0.0)
                push = where(slips, length, 0.0) * coupling
                entries = across - along * a * a, -along * a * b, across - along * b * b, push * a, push * b
                discs.append((first, *entries))
            if first == 0 and cones.torsion is not None:
                most_spin = cones.torsion * most
                found.append(minimum(maximum(y[3], -most_spin), most_spin))
                turns = less(most_spin, abs(y[3]))
                push = where(turns, where(less(y[3], 0.0), -cones.torsion, cones.torsion), 0.0) * coupling
                spin = where(turns, 0.0, 1.0 / R[3]), push
        x_s, slope = self._of_joints(u_s, c_s, r_s)
        slopes = Slopes(where(less(0.0, above), soft, 0.0), discs, spin, slope)
        return self.joined(found, x_s), slopes

    def _of_joints(self, u: Array, centre: Array, r: Array) -> tuple[Array, Array]:
        """Impulses of the rows of joints, and −∂x/∂u."""
        t, (lower, upper, friction) = u - r * centre, self.sets
        slid = t - maximum(minimum(t, r * friction), -r * friction)
        moves = where(
            less(r * friction, abs(t)), where(less(lower, slid), where(less(slid, upper), 1.0, 0.0), 0.0), 0.0
        )
        return (minimum(maximum(slid, lower), upper) - t) / r, (1.0 - moves) / r


def _in_disc(a: Array, b: Array, most: Array) -> tuple[Array, tuple[Array, Array], Array]:
    """Factors that bring (a, b) into a disc, the directions of (a, b), and where it lies outside."""
    size = sqrt(a * a + b * b + TINY)
    slips = less(most, size)
    return where(slips, most / size, 1.0), (a / size, b / size), slips


def row_compliances(W: Array, K: Array, cones: ConeLaws) -> Array:
    """About the diagonal (rows,) of K W⁻¹ Kᵀ, from that of W: never 0, and the same for the two rows of a disc."""
    own = [sum((row[j] * row[j] / W[j, j] for j in range(len(W)) if not is_known_zero(row[j])), 0.0) for row in K]
    floor = LEAST_COMPLIANCE * dense.largest([np.zeros(()), *own])[()] + TINY
    own = [x + floor for x in own]
    for first in range(0, len(cones.friction) * cones.rows, cones.rows):
        for a in (first, first + 4)[: 1 if cones.rolling is None else 2]:
            own[a] = own[a + 1] = 0.5 * (own[a] + own[a + 1])
    return stack(own)


def law_residual(laws: ContactLaws, u: Array, x: Array, compliances: Array) -> Array:
    """The largest error () of (1) at c = x, as a velocity: zero where impulses x (rows,) obey the laws at velocities u.

    `compliances` (rows,) are about the diagonal of K W⁻¹ Kᵀ, the same for both rows of a disc.

    >>> laws = ContactLaws.of(ConeLaws(np.array([0.5]), np.zeros(1), np.zeros(1)), None)
    >>> float(law_residual(laws, np.array([0.0, 0.0, 0.01]), np.array([0.1, 0.0, 1.0]), np.ones(3)).round(3))
    0.01
    """
    if len(x) == 0:
        return np.zeros(())
    normal = laws.columns(x)[0][2]
    return dense.largest(abs(laws.impulses(u, x, compliances, maximum(normal, 0.0)) - x) * compliances)
