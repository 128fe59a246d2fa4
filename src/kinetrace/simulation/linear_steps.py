"""One step of a method about a state, as a linear map of displacements and velocities; see `stiffness`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..robot.types import Float

GROWTH_LIMIT = 1.01
"""Growth in one step, beyond that of the true motion, from which steps are too long."""


class Reaction(NamedTuple):
    """K and D (nv, nv): forces against displacements and velocities."""

    stiffness: Float
    damping: Float

    def plus(self, other: Reaction) -> Reaction:
        """Both together."""
        return Reaction(self.stiffness + other.stiffness, self.damping + other.damping)


Advance = Callable[[Float, Float, float], Float]
"""∂v̇/∂(q, v) (n, 2n) of forces that are held, the same of joints, and a time step → A_h (2n, 2n)."""


def _flow(held: Float, own: Float) -> tuple[Float, Float]:
    """∂(q̇, v̇)/∂(q, v) (2n, 2n) of the joints, and of what is held."""
    n = len(own)
    return np.vstack([np.eye(n, 2 * n, n), own]), np.vstack([np.zeros((n, 2 * n)), held])


def _linear_semi_implicit(held: Float, own: Float, h: float) -> Float:
    n = len(own)
    v = np.eye(n, 2 * n, n) + h * (held + own)
    return np.vstack([np.eye(n, 2 * n) + h * v, v])


def _taylor(order: int) -> Advance:
    """Explicit methods, which agree with exp(h F) to their order; held forces act as a constant does."""

    def advance(held: Float, own: Float, h: float) -> Float:
        F, H = _flow(held, own)
        term, power, total = np.eye(len(F)), np.eye(len(F)), h * np.eye(len(F))
        for k in range(1, order + 1):
            power = h / k * (power @ F)
            term = term + power
            total = total + h / (k + 1) * power if k < order else total
        return term + total @ H

    return advance


def _linear_implicit(part: float) -> Advance:
    """Implicit methods: the rule of Euler for `part` 1, of the midpoint for ½."""

    def advance(held: Float, own: Float, h: float) -> Float:
        F, H = _flow(held, own)
        one = np.eye(len(F))
        return np.asarray(np.linalg.solve(one - part * h * F, one + (1.0 - part) * h * F + h * H), dtype=np.float64)

    return advance


ADVANCES: dict[str, Advance] = {
    "euler": _taylor(1),
    "semi-implicit": _linear_semi_implicit,
    "rkmk2": _taylor(2),
    "rk4": _taylor(4),
    "rkmk4": _taylor(4),
    "variational": _linear_implicit(0.5),
    "rosenbrock": _linear_implicit(1.0),
    "implicit": _linear_implicit(1.0),
}


class Reactions(NamedTuple):
    """Reactions of forces by how they act in a step; see `LinearStep`."""

    held: Reaction
    own: Reaction
    middle: Reaction

    @property
    def total(self) -> Reaction:
        """All of them together."""
        return self.held.plus(self.own).plus(self.middle)


class LinearStep(NamedTuple):
    """One step of a method about a state, as a linear map of (δq, δv): accelerations (n, 2n) per displacement."""

    held: Float
    """Of forces that are held over the step."""
    own: Float
    """Of those that act within it."""
    middle: Float
    """Of those that are held as they are at the state to which half a step leads."""
    method: str

    @staticmethod
    def about(M: Float, G: Float, reactions: Reactions, method: str) -> LinearStep | None:
        """The step; None at a singular configuration, or if a number is not finite."""
        try:
            held, own, middle = (
                np.asarray(np.linalg.solve(M, -G.T @ np.hstack([x.stiffness @ G, x.damping @ G])), dtype=float)
                for x in reactions
            )
        except np.linalg.LinAlgError:
            return None
        if not (held.size and np.isfinite(held).all() and np.isfinite(own).all() and np.isfinite(middle).all()):
            return None
        return LinearStep(held, own, middle, method)

    def matrix(self, h: float) -> Float:
        """A_h (2n, 2n) of a step of the time h."""
        advance = ADVANCES[self.method]
        found = advance(self.held, self.own, h)
        if self.middle.any():
            by_force = advance(self.middle, self.own, h) - advance(0.0 * self.middle, self.own, h)
            found = found + by_force @ advance(self.held + self.middle, self.own, h / 2.0)
        return found

    @property
    def true_rate(self) -> float:
        """The largest rate of the true motion, at least zero [1/s]."""
        flow = _flow(self.held, self.held + self.own + self.middle)[0]
        return max(float(np.linalg.eigvals(flow).real.max()), 0.0)

    def growth(self, h: float, true_rate: float) -> float:
        """Growth of the fastest motion in one step, beyond that of the true one."""
        return float(np.abs(np.linalg.eigvals(self.matrix(h))).max() / np.exp(min(true_rate * h, 700.0)))

    def longest(self, h: float, true_rate: float) -> float:
        """The longest step below h in which nothing grows, by bisection."""
        short, long = 0.0, h
        for _ in range(30):
            between = 0.5 * (short + long)
            short, long = (between, long) if self.growth(between, true_rate) <= GROWTH_LIMIT else (short, between)
        return short
