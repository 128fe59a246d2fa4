"""Impulses along rows of velocity with sets: the problem that solvers of contact share, and how far from it they are.

    u = G x + g

Scalar rows come first: x_k and u_k obey the law of `ScalarSets`, bounds of u and dry friction. Then come blocks of
rows, each a *cone*: rows (tangent, tangent, normal, spin, rolling, rolling), or the normal alone without friction,

    x_N ≥ 0 ⊥ u_N + R x_N ≥ 0                                                                                  (1)
    |x_T| ≤ μ x_N,    x_T against u_T, and on the cone if that is not zero                                     (2)
    |x_s| ≤ μ_t x_N,  |x_R| ≤ μ_r x_N,    likewise against spin and rolling                                    (3)

What has no softness R has 0 there; biases are part of g. With the diagonal of G as metric, (1) to (3) hold if

    x = P(x − (u + μ |u_T| e_N) / d),        P the nearest point of the sets                                   (4)

The residual is the largest entry of the difference, times d: a velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...arrays import Array, abs, less, maximum, minimum, sqrt, stack, where
from .. import dense
from ..scalar_sets import ScalarSets

TINY = 1e-30
"""Square of an impulse or velocity that keeps quotients finite."""


class Cone(NamedTuple):
    """The rows of a contact, and its law."""

    first: int
    """Its first row."""
    rows: int
    """1, 3, 4 or 6."""
    friction: Any
    """μ"""
    torsion: Any = 0.0
    """μ_t [m]"""
    rolling: Any = 0.0
    """μ_r [m]"""
    near: Any = None
    """Condition under which it may touch at all; cones one after the other with the same one are asked together. None:
    it may."""

    @property
    def normal(self) -> int:
        """The row of the normal."""
        return self.first + (0 if self.rows == 1 else 2)

    @property
    def places(self) -> range:
        """All its rows."""
        return range(self.first, self.first + self.rows)


class ContactProblem(NamedTuple):
    """Velocities of rows, what impulses change of them, and their sets."""

    compliance: Compliance
    g: Array
    """(n,) without impulses, biases among them."""
    sets: ScalarSets
    """Of the first rows."""
    cones: tuple[Cone, ...]

    @property
    def scalars(self) -> int:
        """Number of scalar rows."""
        return len(self.sets.friction)


class Compliance(Protocol):
    """G = K W⁻¹ Kᵀ + R of rows K, symmetric, the softness R on its diagonal."""

    def entry(self, i: int, j: int) -> Any:
        """G_ij of rows of one block."""

    def velocities(self, x: Array) -> Array:
        """G x (n,)."""

    def carried(self, x: Array) -> Array:
        """What sums carry of impulses x (n,)."""

    def sum_from(self, x: list[Any], carried: list[Any]) -> CompliantSum:
        """G x, to be changed."""

    def touched(self, rows: Sequence[int]) -> list[int]:
        """The places of what is carried that impulses of some rows change."""


class CompliantSum(Protocol):
    """G x while entries of x change, one after the other."""

    x: list[Any]
    carried: list[Any]

    def without(self, k: int, own: range) -> Any:
        """Entry k, less the terms of some rows, which are of its block."""

    def change(self, k: int, x: Any) -> None:
        """Another entry x_k."""


class DenseCompliance(NamedTuple):
    """As a matrix: for few rows."""

    G: Array

    def entry(self, i: int, j: int) -> Any:
        """G_ij."""
        return self.G[i, j]

    def velocities(self, x: Array) -> Array:
        """G x (n,)."""
        return self.G @ x

    def carried(self, x: Array) -> Array:
        """Nothing."""
        return np.zeros(0)

    def sum_from(self, x: list[Any], carried: list[Any]) -> CompliantSum:
        """G x, to be changed."""
        return _DenseSum(self.G, x, carried)

    def touched(self, rows: Sequence[int]) -> list[int]:
        """Nothing."""
        return []


class _DenseSum:
    def __init__(self, G: Array, x: list[Any], carried: list[Any]) -> None:
        self.G, self.x, self.carried = G, x, carried

    def without(self, k: int, own: range) -> Any:
        return sum((self.G[k, j] * self.x[j] for j in range(len(self.x)) if j not in own), start=0.0)

    def change(self, k: int, x: Any) -> None:
        self.x[k] = x


SparseRow = Mapping[int, Any]
"""The entries of a row that are not known to be zero, by their places."""


class SparseCompliance(NamedTuple):
    """By the rows of K and of (W⁻¹ Kᵀ)ᵀ, or of factors of both: for many rows, of which each moves few velocities."""

    K: Sequence[SparseRow]
    Z: Sequence[SparseRow]
    softness: Sequence[Any]
    size: int
    """Number of velocities."""

    def entry(self, i: int, j: int) -> Any:
        """G_ij."""
        known = sum((x * self.Z[j][k] for k, x in self.K[i].items() if k in self.Z[j]), start=0.0)
        return known + self.softness[i] if i == j else known

    def velocities(self, x: Array) -> Array:
        """G x (n,)."""
        of = self.sum_from([x[k] for k in range(len(x))], list(self.carried(x)))
        return stack([of.along(k) + self.softness[k] * x[k] for k in range(len(x))])

    def carried(self, x: Array) -> Array:
        """W⁻¹ Kᵀ x (size,)."""
        v: list[Any] = [0.0] * self.size
        for k, row in enumerate(self.Z):
            for j, z in row.items():
                v[j] = v[j] + z * x[k]
        return stack(v)

    def sum_from(self, x: list[Any], carried: list[Any]) -> SparseSum:
        """G x, to be changed."""
        return SparseSum(self, x, carried)

    def touched(self, rows: Sequence[int]) -> list[int]:
        """The velocities that impulses of some rows change."""
        return sorted({j for k in rows for j in self.Z[k]})


class SparseSum:
    """Carries W⁻¹ Kᵀ x."""

    def __init__(self, of: SparseCompliance, x: list[Any], carried: list[Any]) -> None:
        self.of, self.x, self.carried = of, x, carried

    def along(self, k: int) -> Any:
        """K_k W⁻¹ Kᵀ x."""
        return sum((a * self.carried[j] for j, a in self.of.K[k].items()), start=0.0)

    def without(self, k: int, own: range) -> Any:
        """Entry k, less the terms of some rows."""
        found = self.along(k) + self.of.softness[k] * self.x[k]
        return found - sum((self.of.entry(k, j) * self.x[j] for j in own), start=0.0)

    def change(self, k: int, x: Any) -> None:
        """Another entry x_k."""
        by = x - self.x[k]
        for j, z in self.of.Z[k].items():
            self.carried[j] = self.carried[j] + z * by
        self.x[k] = x


class ContactImpulses(NamedTuple):
    """A solution."""

    x: Array
    """(n,) impulses."""
    slip: Array
    """(k,) of each cone |u_T| / |x_T|."""
    residual: Array
    """() [m/s]"""


def residual(problem: ContactProblem, x: Array) -> Array:
    """How far (4) is from true.

    >>> cone = Cone(0, 3, 0.5)
    >>> none = ScalarSets(*np.zeros((3, 0)))
    >>> problem = ContactProblem(DenseCompliance(np.eye(3)), np.array([0.0, 0.0, -1.0]), none, (cone,))
    >>> float(residual(problem, np.zeros(3)).round(9))
    1.0
    """
    u, G = problem.g + problem.compliance.velocities(x), problem.compliance.entry
    worst = [scalar_error(problem, k, u[k], x[k]) for k in range(problem.scalars)]
    for cone in problem.cones:
        worst += _cone_errors(G, cone, u, x)
    return dense.largest(worst) if worst else np.zeros(())


def scalar_impulse(problem: ContactProblem, k: int, t: Any) -> Any:
    """The impulse of scalar row k by itself, at the velocity t that it has without: (1) of `scalar_sets`."""
    d, sets = problem.compliance.entry(k, k), problem.sets
    most = d * sets.friction[k]
    slid = t - maximum(minimum(t, most), -most)[()]
    return (minimum(maximum(slid, sets.lower[k]), sets.upper[k])[()] - t) / d


def scalar_error(problem: ContactProblem, k: int, u: Any, x: Any) -> Any:
    """The same as a velocity, if the impulse is x and the velocity is u."""
    d = problem.compliance.entry(k, k)
    return abs(d * (scalar_impulse(problem, k, u - d * x) - x))


def _cone_errors(G: Callable[[int, int], Any], cone: Cone, u: Array, x: Array) -> list[Any]:
    n, places = cone.normal, cone.places
    if cone.rows == 1:
        return [abs(minimum(u[n], G(n, n) * x[n]))]
    t1, t2 = places[:2]
    d = (G(t1, t1) + G(t2, t2) + G(n, n)) / 3.0
    s = cone.friction * sqrt(u[t1] * u[t1] + u[t2] * u[t2] + TINY)[()]
    nearest = nearest_on_cone(x[t1] - u[t1] / d, x[t2] - u[t2] / d, x[n] - (u[n] + s) / d, cone.friction)
    found = [abs(d * (p - x[k])) for p, k in zip(nearest, (t1, t2, n), strict=True)]
    if cone.rows > 3:
        k = places[3]
        most = cone.torsion * maximum(x[n], 0.0)[()]
        found.append(abs(G(k, k) * (clipped(x[k] - u[k] / G(k, k), most) - x[k])))
    if cone.rows > 4:
        a, b = places[4:]
        e = 0.5 * (G(a, a) + G(b, b))
        y = within_disc(x[a] - u[a] / e, x[b] - u[b] / e, cone.rolling * maximum(x[n], 0.0)[()])
        found += [abs(e * (p - x[k])) for p, k in zip(y, (a, b), strict=True)]
    return found


def nearest_on_cone(a: Any, b: Any, n: Any, mu: Any) -> tuple[Any, Any, Any]:
    """The nearest point of the cone |(a, b)| ≤ μ n."""
    t = sqrt(a * a + b * b + TINY)[()]
    s = maximum((mu * t + n) / (1.0 + mu * mu), 0.0)[()]
    inside = less(t, mu * n)
    k = where(inside, 1.0, mu * s / t)[()]
    return a * k, b * k, where(inside, n, s)[()]


def clipped(x: Any, most: Any) -> Any:
    """The nearest number to x within ± most."""
    return minimum(maximum(x, -most), most)[()]


def within_disc(a: Any, b: Any, radius: Any) -> tuple[Any, Any]:
    """The nearest point of a disc."""
    k = minimum(radius / sqrt(a * a + b * b + TINY)[()], 1.0)[()]
    return a * k, b * k
