"""Inverse kinematics: configurations that bring frames to goals, by damped steps on the manifold.

For rows e of what separates frames from their goals (`pose_errors`), a step is the least one, measured joint by joint
by 1/m_i, that takes them away to first order,

    δ = z + m Jᵀ (J m Jᵀ + λ 1)⁻¹ (e − J z),    λ = μ min(|e|², c) + ε,    q ← q ⊕ δ

with z = rest ⊖ q if there is a preference, and zero otherwise. λ vanishes with the error (Sugihara 2011), so steps are
Gauss and Newton's in the end, and bounded at singular configurations. Residuals φ of closures are further rows.

A joint at a limit that the error's gradient pushes against is held for the step, others stop at their limits. Without
`monotone` a step is taken even if the error grows, which finds more solutions in fewer steps; with it, such a step is
undone and μ becomes larger, so that the iteration ends in a local minimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, clip, concatenate, iterate, less, maximum, minimum, where
from ..linalg import dense, norm
from ..linalg.sparse import Pattern, product
from ..model import Model
from .choices import Frames, GoalAxes, Rows
from .pose_errors import residuals
from .tasks import tasks_of

DAMPING, MOST, LEAST = 0.01, 10.0, 1e-10
"""μ, c and ε: of values that were tried, those with the most solutions per step."""
GROWTH, DECAY, SMALLEST = 4.0, 0.3, 1e-4
"""Of μ after a step that is undone, and after one that is not; its least value."""


class Search(NamedTuple):
    """Carry of the iteration."""

    q: Array
    e: Array
    """Rows to take away, weighted."""
    J: Array
    """Its Jacobian, as the entries that are not known to be zero."""
    left: Array
    """The largest residual over its tolerance, squared: one or less where all are within."""
    moved: Array
    """Largest entry of the last step, squared."""
    mu: Array
    n: Array
    """Steps so far."""


def approach(
    model: Model,
    q: Array,
    goals: Array,
    lower: Array,
    upper: Array,
    scale: Array,
    tolerance: Array,
    steps: Array,
    weights: Array | None = None,
    rest: Array | None = None,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: GoalAxes = "body",
    most: int = 12,
    monotone: bool = False,
) -> tuple[Array, Array, Array, Array]:
    """Configuration after some steps towards goals (k, 4, 4), its `left`, the steps taken, whether it settled.

    There are at most so many `steps`, and at most `most`. lower, upper and scale, the square root of m, are (nv,);
    tolerance has those of positions [m], angles [rad], closures [m, rad] and, with a preference, steps [rad, m].
    weights (rows,) are those of the residual's rows, rest (nq,) is the preference.
    """
    tasks, q = tasks_of(model, frame, axes), within(model, q, lower, upper)

    def evaluated(q: Array) -> tuple[Array, Array, Array]:
        e, J, left = residuals(model, q, goals, tasks, expressed_in, tolerance)
        return (e, J, left) if weights is None else (weights * e, weights[:, None] * J, left)

    e, J, left = evaluated(q)
    pattern = Pattern(J)

    def step(old: Search) -> Search:
        at = old._replace(J=pattern.dense(old.J))
        delta = unpreferring(at) if rest is None else preferring(at)
        q = within(model, model.integrate(at.q, delta), lower, upper)
        e, J, left = evaluated(q)
        new = Search(q, e, pattern.packed(J), left, dense.largest(delta * delta), at.mu, at.n + 1.0)
        return judged(old, new) if monotone else new

    def unpreferring(at: Search) -> Array:
        return damped(at, scale * inside(model, at.q, lower, upper, at.e @ at.J))

    def preferring(at: Search) -> Array:
        z = model.difference(at.q, rest) * where(less(0.0, scale), 1.0, 0.0)
        free = inside(model, at.q, lower, upper, damped(at, scale, z))
        return damped(at, scale * free, z * free)

    def found(at: Search) -> Array:
        here = less(at.left, 1.0)
        return here if rest is None else here * less(at.moved, tolerance[3] * tolerance[3])

    def ends(at: Search) -> Array:
        return less(where(found(at), 0.0, steps - at.n)[()], 0.5)

    zero = 0.0 * tolerance[0]
    start = Search(q, e, pattern.packed(J), left, zero + 1.0, zero + DAMPING, zero)
    last = iterate(step, start, ends, most)
    return last.q, last.left, last.n, where(found(last), 1.0, 0.0)[()]


def inside(model: Model, q: Array, lower: Array, upper: Array, direction: Array) -> Array:
    """Zero for joints at a limit that a direction (nv,) leads out of, one for the others."""
    x = coordinates(model, q)
    above, below = (where(less(a, b), 1.0, 0.0) for a, b in ((lower, x), (x, upper)))
    return where(less(direction, 0.0), above, below)


def stationarity(
    model: Model,
    q: Array,
    goals: Array,
    lower: Array,
    upper: Array,
    scale: Array,
    tolerance: Array,
    weights: Array | None = None,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: GoalAxes = "body",
) -> tuple[Array, Array]:
    """The gradient Jᵀ e over |J| |e|, of joints that are free to follow it, and of those that limits stop."""
    e, J, _ = residuals(model, q, goals, tasks_of(model, frame, axes), expressed_in, tolerance)
    if weights is not None:
        e, J = weights * e, weights[:, None] * J
    g = where(less(0.0, scale), e @ J, 0.0)
    free, size = inside(model, q, lower, upper, g), norm(e) * norm(J) + LEAST
    return norm(g * free) / size, norm(g * (1.0 - free)) / size


def judged(old: Search, new: Search) -> Search:
    """The new one if its error is less, else the old one, with less or more damping."""
    better = less(new.e @ new.e, old.e @ old.e)
    kept = Search(*(where(better, x, y)[()] for x, y in zip(new, old, strict=True)))
    mu = where(better, maximum(DECAY * old.mu, SMALLEST), GROWTH * old.mu)[()]
    return kept._replace(mu=mu, n=new.n)


def damped(at: Search, scale: Array, z: Array | None = None) -> Array:
    """The step δ (nv,), by the smaller of two systems, or the one with fewer entries."""
    size, J, (rows, columns) = at.e @ at.e, at.J * scale, at.J.shape
    damping = at.mu * minimum(size, MOST) + LEAST
    e = at.e if z is None else at.e - at.J @ z
    if rows < columns or (rows == columns and not couples_less(at.J.T, at.J)):
        delta = J.T @ dense.solve(dense.factor(product(J, J.T) + damping * np.eye(rows)), e)
    else:
        delta = dense.solve(dense.factor(product(J.T, J) + damping * np.eye(columns)), J.T @ e)
    return scale * delta if z is None else z + scale * delta


def couples_less(A: Array, B: Array) -> bool:
    """Whether A Aᵀ has fewer entries than B Bᵀ, as far as zeros are known."""
    entries = [len(Pattern(product(X, X.T)).places) for X in (A, B)]
    return entries[0] < entries[1]


def coordinates(model: Model, q: Array) -> Array:
    """The q (nv,) of each velocity; zero where there is none, as of quaternions, which have no limits."""
    return concatenate([q[sq] if limited else np.zeros(sv.stop - sv.start) for limited, sq, sv in own(model)])


def within(model: Model, q: Array, lower: Array, upper: Array) -> Array:
    """q with joints that are beyond their limits (nv,) at them."""
    return concatenate([clip(q[sq], lower[sv], upper[sv]) if limited else q[sq] for limited, sq, sv in own(model)])


def own(model: Model) -> list[tuple[bool, slice, slice]]:
    """Of each joint that has variables: whether it has coordinates, and where it stands in q and v."""
    return [(body.joint.has_coordinates, *model.slices[body.index]) for body in model.independent_joints]
