"""Differential inverse kinematics: the velocity that moves frames as wanted, as nearly as limits allow.

    min  |W (J v − t)|² + λ² |v − v₀|²,    l ≤ v ≤ u,    K v = 0

t are rows of twists, or a rate times what separates frames from goals; W weighs them. v₀ = (rest ⊖ q) · rate is a
preference, which λ gives to motions that do not move the frames. Joints do not pass their limits within the time dt:

    l = min(0, max(−s, (q_min − q) / dt)),    u = max(0, min(s, (q_max − q) / dt)),    s the limits of speeds

so that v = 0 is always within the bounds: a joint beyond a limit may return, and does not go farther.

Damping bounds velocities near singular configurations (Nakamura and Hanafusa 1986; Chiaverini 1997). Unless given,

    λ² = λ₀² + λ₁² (1 − σ/ε)²  where σ < ε,    σ the smallest singular value of W J

With closures, v = G y for independent velocities y, which the bounds are on; if others exceed theirs, v is shortened.

To keep the direction of t, only bounds that are zero count at first, and v is shortened to meet the others.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, less, maximum, minimum, stack, where
from ...linalg import dense
from ...linalg.box import stationary_point
from ...model import Model
from ..closed.independent_velocities import velocity_map, velocity_split
from ..registry.choices import ExpressedIn, Frames, Rows
from .inverse_kinematics import coordinates
from .manipulability import smallest
from .pose_errors import residuals
from .task_rows import task_jacobian, tasks_of

LEAST_DAMPING, SINGULAR_DAMPING, SINGULAR_VALUE = 1e-4, 0.01, 0.01
"""λ₀, λ₁ and ε."""


class VelocityStep(NamedTuple):
    """The result of differential inverse kinematics."""

    v: Array
    q: Array
    """q ⊕ v dt."""
    twist: Array
    """J v (rows,)."""
    wanted_twist: Array
    """t (rows,)."""
    smallest: Array
    """σ, the smallest singular value of W J."""
    free: Array
    """Zeros for the velocities (nv,) that are at a bound, ones for the others."""


class LeastSquares(NamedTuple):
    """The weighted rows W J and W t, how velocities are damped, and the preference v₀."""

    WJ: Array
    Wt: Array
    square: Array
    """λ²."""
    v0: Array

    def minimise(self, G: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """y of v = G y within bounds, and ones for those of its entries that are not at one."""
        A, C = dense.product(self.WJ, G), dense.product(G.T, G)
        H = dense.product(A.T, A) + self.square * C
        point = stationary_point(H, -(A.T @ self.Wt + self.square * (G.T @ self.v0)), low, high)
        return point.x, point.free


def inverse_velocity(
    model: Model,
    q: Array,
    bounds: Array,
    dt: Array,
    twist: Array | None = None,
    goals: Array | None = None,
    rate: Array | None = None,
    weights: Array | None = None,
    damping: Array | None = None,
    rest: Array | None = None,
    rest_rate: Array | None = None,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: ExpressedIn = "body",
    keep_direction: bool = False,
) -> VelocityStep:
    """The velocity that moves frames as wanted.

    bounds (3, nv) are the lower and upper limits of positions, and of speeds. Either twist (rows,) is given, or goals
    (k, 4, 4) with a rate [1/s].
    """
    tasks = tasks_of(model, frame, axes)
    if goals is None:
        J, t = task_jacobian(model, q, tasks, expressed_in), twist
    else:
        rows = sum(len(task.rows) for task in tasks)
        e, J, _ = residuals(model, q, goals, tasks, expressed_in, np.ones(4))
        J, t = J[:rows], rate * e[:rows]
    WJ, Wt = (J, t) if weights is None else (weights[:, None] * J, weights * t)
    lower, upper, speed = bounds
    low, high = velocity_bounds(coordinates(model, q), lower, upper, speed, dt)
    G, independent = velocity_map(model, q), velocity_split(model).independent
    sigma = smallest(dense.product(WJ, G), looped=True)
    square = damping_near_singularities(sigma) if damping is None else damping * damping
    v0 = np.zeros(model.nv) if rest is None else rest_rate * model.difference(q, rest)
    problem = LeastSquares(WJ, Wt, square, v0)
    below, above = directions(low, high) if keep_direction else (low, high)
    y, free = problem.minimise(G, below[independent], above[independent])
    v = G @ y
    if keep_direction or len(independent) < model.nv:  # others may be beyond their bounds
        v, is_short = shorten(v, low, high)
        own = dict(zip(independent.tolist(), free, strict=True))
        free = stack([own[k] * is_short[k] if k in own else is_short[k] for k in range(model.nv)])
    return VelocityStep(v, model.integrate(q, dt * v), J @ v, t + 0.0 * sigma, sigma, free)


def velocity_bounds(x: Array, lower: Array, upper: Array, speed: Array, dt: Array) -> tuple[Array, Array]:
    """l and u (nv,), of joints at coordinates x (nv,)."""
    low = minimum(0.0, maximum(-speed, (lower - x) / dt))
    return low, maximum(0.0, minimum(speed, (upper - x) / dt))


def damping_near_singularities(sigma: Array) -> Array:
    """λ², by the smallest singular value."""
    near = maximum(0.0, 1.0 - sigma / SINGULAR_VALUE)
    return LEAST_DAMPING**2 + SINGULAR_DAMPING**2 * near * near


def directions(low: Array, high: Array) -> tuple[Array, Array]:
    """Bounds of directions: zero where a bound is, else none."""
    return where(less(low, 0.0), -np.inf, 0.0), where(less(0.0, high), np.inf, 0.0)


def shorten(v: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """v, as short as bounds need it, and zeros where they do."""
    tiny = 1e-300
    room = [where(less(x, 0.0), a, b)[()] for x, a, b in zip(v, -low, high, strict=True)]
    parts = [minimum(1.0, (r + tiny) / (abs(x) + tiny)) for x, r in zip(v, room, strict=True)]
    return reduce(minimum, parts) * v, stack([where(less(p, 1.0), 0.0, 1.0)[()] for p in parts])
