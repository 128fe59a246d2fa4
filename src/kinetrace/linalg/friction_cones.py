"""Impulses of contacts with Coulomb friction: n blocks of three rows, two tangents and the normal.

    u = G x + g,    x_N ≥ 0 ⊥ u_N ≥ 0,    |x_T| ≤ μ x_N,    x_T = −u_T / s with |x_T| = μ x_N if it slips

Each block by itself, with w its velocity without its own impulse, A its block of G and s = |u_T| / |x_T| ≥ 0:

    (A_TT − A_TN A_NT / A_NN + s) x_T = −(w_T − A_TN w_N / A_NN),    x_N = −(w_N + A_NT x_T) / A_NN            (1)

It sticks if s = 0 leads into the cone, else s solves 1/|x_T| = 1/(μ x_N), which is almost linear in s: one step of
Newton's method for each sweep over the blocks (Gauss and Seidel), s being kept from sweep to sweep. Where w_N ≥ 0 there
is no contact. Whatever is left of the error, impulses are within their cones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, abs, concatenate, iterate, less, maximum, minimum, sqrt, stack, where
from . import dense

MOST_SWEEPS = 500
LEAST_CHANGE, LEAST_CHANGE_SINGLE = 1e-13, 1e-6
"""Change of velocities in a sweep, relative to the largest, that ends it; in single precision."""
LEAST_PRESSURE, LEAST_SLOPE = 0.3, 0.2
"""Parts of x_N without slip, and of the slope of 1/|x_T|, below which Newton's steps are not trusted."""
TINY = 1e-30


class ConeImpulses(NamedTuple):
    """A solution."""

    x: Array
    """(3 n,) impulses, of each contact along its tangents and its normal."""
    slip: Array
    """(n,) s."""


def solve_friction_cones(G: Array, g: Array, mu: Array, start: ConeImpulses | None = None) -> ConeImpulses:
    """Impulses (3 n,) for the compliance G (3 n, 3 n), the velocities g (3 n,) without them and friction mu (n,).

    >>> found = solve_friction_cones(np.eye(3), np.array([3.0, 0.0, -1.0]), np.array([0.5]))
    >>> (found.x.round(3) + 0.0).tolist(), float(found.slip[0].round(3))
    ([-0.5, 0.0, 1.0], 5.0)
    """
    n = len(mu)
    blocks = [_Block.of(G[3 * k : 3 * k + 3, 3 * k : 3 * k + 3], mu[k]) for k in range(n)]
    scale, sizes = dense.largest(abs(g)) + TINY, stack([block.A[0, 0] + block.A[1, 1] for block in blocks])
    rounding = dense.by_precision(scale, LEAST_CHANGE, LEAST_CHANGE_SINGLE)
    begin = ConeImpulses(0.0 * g, 0.0 * mu) if start is None else start

    def sweep(carry: Any) -> Any:
        before, s, _ = carry
        x = [before[3 * k : 3 * k + 3] for k in range(n)]
        slips = [s[k] for k in range(n)]
        for k, block in enumerate(blocks):
            rows = G[3 * k : 3 * k + 3]
            others = sum((rows[:, 3 * j : 3 * j + 3] @ x[j] for j in range(n) if j != k), start=g[3 * k : 3 * k + 3])
            x[k], slips[k] = block.improved(others, slips[k])
        after, slip = concatenate(x), stack(slips)
        of_slip = scale * dense.largest(abs(slip - s) / (slip + s + sizes))
        return after, slip, maximum(dense.largest(abs(G) @ abs(after - before)), of_slip)[()]

    x, slip, _ = iterate(sweep, (begin.x, begin.slip, scale), lambda at: less(at[2], rounding * scale), MOST_SWEEPS)
    return ConeImpulses(x, slip)


class _Block(NamedTuple):
    """What of a contact does not change from sweep to sweep."""

    mu: Any
    coupling: Any
    """A_NT / A_NN (2,)."""
    reciprocal: Any
    """1 / A_NN."""
    A: Any
    """Compliance (2, 2) of the tangents along a normal that does not move."""

    @classmethod
    def of(cls, A: Array, mu: Any) -> _Block:
        coupling = A[2, :2] / A[2, 2]
        return cls(mu, coupling, 1.0 / A[2, 2], A[:2, :2] - A[:2, 2:] * coupling[None, :])

    def at(self, w: Array, s: Any) -> tuple[Array, Any, Array]:
        """x_T, x_N of (1), and ∂x_T/∂s."""
        (a, b), d = self.A[0] + np.array([1.0, 0.0]) * s, self.A[1, 1] + s
        over = 1.0 / (a * d - b * b)

        def solved(y: Array) -> Array:
            return stack([(d * y[0] - b * y[1]) * over, (a * y[1] - b * y[0]) * over])

        tangential = solved(self.coupling * w[2] - w[:2])
        return tangential, -w[2] * self.reciprocal - self.coupling @ tangential, solved(-tangential)

    def improved(self, w: Array, s: Any) -> tuple[Array, Any]:
        """Impulses (3,) for velocities w (3,) without them, and s after a step of Newton's method."""
        low = LEAST_PRESSURE * maximum(-w[2] * self.reciprocal, 0.0)[()] + TINY
        x, pressure, rate = self.at(w, s)
        square = x @ x + TINY
        size, most = sqrt(square)[()], self.mu * maximum(pressure, low)[()]
        falls, grows = -(x @ rate), -(self.coupling @ rate) * self.mu * size
        slope = maximum(falls * most * most + grows * square, LEAST_SLOPE * falls * most * most + TINY)[()]
        newton = maximum(s + (size - most) * square * most / slope, 0.0)[()]
        s = where(less(pressure, low), 2.0 * s + self.A[0, 0] + self.A[1, 1], newton)[()]
        x, pressure, _ = self.at(w, s)
        pressure, size = maximum(pressure, 0.0)[()], sqrt(x @ x + TINY)[()]
        inside = minimum(self.mu * pressure / size, 1.0)[()]
        touches = less(w[2], 0.0)
        zero = 0.0 * pressure
        found = stack([x[0] * inside, x[1] * inside, pressure])
        return where(touches, found, zero), where(touches, s, zero)[()]
