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

from ...arrays import Array, clip, concatenate, iterate, less, maximum, minimum, where
from ...linalg import dense, norm
from ...linalg.sparse import SparsityPattern, product
from ...model import Model
from ..registry.choices import Frames, GoalAxes, Rows
from .pose_errors import residuals
from .task_rows import Task, tasks_of

DAMPING, LARGEST_SQUARED_ERROR, LEAST_DAMPING = 0.01, 10.0, 1e-10
"""μ, c and ε: of values that were tried, those with the most solutions per step."""
DAMPING_GROWTH, DAMPING_DECAY, LEAST_FACTOR = 4.0, 0.3, 1e-4
"""Of μ after a step that is undone, and after one that is not; its least value."""


class Approach(NamedTuple):
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


class FrameGoals(NamedTuple):
    """Frames and their goals (k, 4, 4), with tolerances and weights of the residual's rows."""

    goals: Array
    tasks: tuple[Task, ...]
    expressed_in: GoalAxes
    tolerance: Array
    weights: Array | None

    def residuals(self, model: Model, q: Array) -> tuple[Array, Array, Array]:
        """Weighted rows e, their Jacobian, and the largest residual over its tolerance, squared."""
        e, J, left = residuals(model, q, self.goals, self.tasks, self.expressed_in, self.tolerance)
        return (e, J, left) if self.weights is None else (self.weights * e, self.weights[:, None] * J, left)


class JointRange(NamedTuple):
    """Limits of joints (nv,), and the square root `scale` (nv,) of m, by which their steps are measured."""

    lower: Array
    upper: Array
    scale: Array

    def step(self, model: Model, at: Approach) -> Array:
        """The damped step δ (nv,)."""
        return damped_step(at, self.scale * inside(model, at.q, self.lower, self.upper, at.e @ at.J))

    def step_with_rest(self, model: Model, at: Approach, rest: Array) -> Array:
        """The same with a preference (nq,)."""
        z = model.difference(at.q, rest) * where(less(0.0, self.scale), 1.0, 0.0)
        free = inside(model, at.q, self.lower, self.upper, damped_step(at, self.scale, z))
        return damped_step(at, self.scale * free, z * free)


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
    wanted = FrameGoals(goals, tasks_of(model, frame, axes), expressed_in, tolerance, weights)
    joints, q = JointRange(lower, upper, scale), within(model, q, lower, upper)
    e, J, left = wanted.residuals(model, q)
    pattern = SparsityPattern(J)

    def step(old: Approach) -> Approach:
        at = old._replace(J=pattern.dense(old.J))
        delta = joints.step(model, at) if rest is None else joints.step_with_rest(model, at, rest)
        q = within(model, model.integrate(at.q, delta), lower, upper)
        e, J, left = wanted.residuals(model, q)
        new = Approach(q, e, pattern.packed(J), left, dense.largest(delta * delta), at.mu, at.n + 1.0)
        return better_of(old, new) if monotone else new

    def is_there(at: Approach) -> Array:
        here = less(at.left, 1.0)
        return here if rest is None else here * less(at.moved, tolerance[3] * tolerance[3])

    def ends(at: Approach) -> Array:
        return less(where(is_there(at), 0.0, steps - at.n)[()], 0.5)

    zero = 0.0 * tolerance[0]
    start = Approach(q, e, pattern.packed(J), left, zero + 1.0, zero + DAMPING, zero)
    last = iterate(step, start, ends, most)
    return last.q, last.left, last.n, where(is_there(last), 1.0, 0.0)[()]


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
    free, size = inside(model, q, lower, upper, g), norm(e) * norm(J) + LEAST_DAMPING
    return norm(g * free) / size, norm(g * (1.0 - free)) / size


def better_of(old: Approach, new: Approach) -> Approach:
    """The new one if its error is less, else the old one, with less or more damping."""
    better = less(new.e @ new.e, old.e @ old.e)
    kept = Approach(*(where(better, x, y)[()] for x, y in zip(new, old, strict=True)))
    mu = where(better, maximum(DAMPING_DECAY * old.mu, LEAST_FACTOR), DAMPING_GROWTH * old.mu)[()]
    return kept._replace(mu=mu, n=new.n)


def damped_step(at: Approach, scale: Array, z: Array | None = None) -> Array:
    """The step δ (nv,), by the smaller of two systems, or the one with fewer entries."""
    size, J, (rows, columns) = at.e @ at.e, at.J * scale, at.J.shape
    damping = at.mu * minimum(size, LARGEST_SQUARED_ERROR) + LEAST_DAMPING
    e = at.e if z is None else at.e - at.J @ z
    if rows < columns or (rows == columns and not couples_less(at.J.T, at.J)):
        delta = J.T @ dense.solve(dense.factor(product(J, J.T) + damping * np.eye(rows)), e)
    else:
        delta = dense.solve(dense.factor(product(J.T, J) + damping * np.eye(columns)), J.T @ e)
    return scale * delta if z is None else z + scale * delta


def couples_less(A: Array, B: Array) -> bool:
    """Whether A Aᵀ has fewer entries than B Bᵀ, as far as zeros are known."""
    entries = [len(SparsityPattern(product(X, X.T)).places) for X in (A, B)]
    return entries[0] < entries[1]


def coordinates(model: Model, q: Array) -> Array:
    """The q (nv,) of each velocity; zero where there is none, as of quaternions, which have no limits."""
    places = joint_places(model)
    return concatenate([q[sq] if limited else np.zeros(sv.stop - sv.start) for limited, sq, sv in places])


def within(model: Model, q: Array, lower: Array, upper: Array) -> Array:
    """q with joints that are beyond their limits (nv,) at them."""
    return concatenate(
        [clip(q[sq], lower[sv], upper[sv]) if limited else q[sq] for limited, sq, sv in joint_places(model)]
    )


def joint_places(model: Model) -> list[tuple[bool, slice, slice]]:
    """Of each joint that has variables: whether it has coordinates, and where it stands in q and v."""
    return [(body.joint.has_coordinates, *model.slices[body.index]) for body in model.independent_joints]
