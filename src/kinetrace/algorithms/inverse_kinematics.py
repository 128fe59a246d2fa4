"""Inverse kinematics: configurations that bring frames to goals, by damped steps on the manifold.

The residual of a frame at X = (R, p) with the goal (R*, p*) is, in the axes of the frame,

    w = log(Rᵀ R*) [rad],    r = Rᵀ (p* − p) [m]

and a step is the least one, measured by 1/m_i joint by joint, that takes it away to first order,

    δ = z + m Jᵀ (J m Jᵀ + λ 1)⁻¹ (e − J z),    λ = μ min(|e|², c) + ε,    q ← q ⊕ δ

with z = rest ⊖ q if there is a preference, and zero otherwise. λ vanishes with the error (Sugihara 2011), so steps are
Newton's in the end, and bounded at singular configurations; residuals φ of closures are further
rows, −φ with K. J is
the frame's body Jacobian. That is exact for r, as |r| does not depend on the axes. The derivative of w has J_l⁻¹(w) in
front of the angular rows; it is left out where all three rows of w count, as it changes neither the gradient, since
J_l⁻ᵀ(w) w = w, nor the limit of the steps.

A joint at a limit that the error's gradient pushes against is held for the step, others stop at their limits. Without
`monotone` a step is taken even if the error grows, which finds more solutions in fewer steps; with it, such a step is
undone and μ becomes larger, so that the iteration ends in a local minimum.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from ..arrays import Array, clip, concatenate, indices, iterate, less, maximum, minimum, scan, stack, where
from ..lie import Ad_inv, se3, so3
from ..linalg import dense, norm
from ..model import WORLD, Frame, Model
from .choices import Frames, GoalAxes, Rows
from .closures import closure_jacobian, closure_residual
from .kinematics import pose
from .observer import NOWHERE, pose_of_frame
from .sweep import inward
from .tasks import Task, tasks_of

DAMPING, MOST, LEAST = 0.01, 10.0, 1e-10
"""μ, c and ε: of values that were tried, those with the most solutions per step."""
CLOSURES = 30.0
"""Weight of their rows: where goals cannot be met, loops stay nearly closed."""
GROWTH, DECAY, SMALLEST = 4.0, 0.3, 1e-4
"""Of μ after a step that is undone, and after one that is not; its least value."""


class Search(NamedTuple):
    """Carry of the iteration."""

    q: Array
    e: Array
    """Rows to take away, weighted."""
    J: Array
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
    weights: Array | None = None,
    rest: Array | None = None,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: GoalAxes = "body",
    most: int = 12,
    monotone: bool = False,
) -> tuple[Array, Array, Array, Array]:
    """Configuration after at most `most` steps towards goals (k, 4, 4), its `left`, the number of steps, whether it settled.

    lower, upper and scale, the square root of m, are (nv,); tolerance has those of positions [m], angles [rad],
    closures [m, rad] and, with a preference, steps [rad, m]. weights (rows,) are those of the residual's rows, rest
    (nq,) is the preference.
    """
    tasks = tasks_of(model, frame, axes)

    def evaluated(q: Array) -> tuple[Array, Array, Array]:
        e, J, left = residuals(model, q, goals, tasks, expressed_in, tolerance)
        return (e, J, left) if weights is None else (weights * e, weights[:, None] * J, left)

    def step(at: Search) -> Search:
        delta = preferring(at) if rest is not None else damped(at, scale * inside(model, at.q, lower, upper, at.e @ at.J))
        q = within(model, model.integrate(at.q, delta), lower, upper)
        new = Search(q, *evaluated(q), largest(delta * delta), at.mu, at.n + 1.0)
        return judged(at, new) if monotone else new

    def preferring(at: Search) -> Array:
        z = model.difference(at.q, rest) * where(less(0.0, scale), 1.0, 0.0)
        free = inside(model, at.q, lower, upper, damped(at, scale, z))
        return damped(at, scale * free, z * free)

    def found(at: Search) -> Array:
        here = less(at.left, 1.0)
        return here if rest is None else here * less(at.moved, tolerance[3] * tolerance[3])

    zero, q = 0.0 * tolerance[0], within(model, q, lower, upper)
    start = Search(q, *evaluated(q), zero + 1.0, zero + DAMPING, zero)
    last = iterate(step, start, found, most)
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
    """The step δ (nv,), by the smaller of two systems."""
    size, J, (rows, columns) = at.e @ at.e, at.J * scale, at.J.shape
    damping = at.mu * minimum(size, MOST) + LEAST
    e = at.e if z is None else at.e - at.J @ z
    if rows <= columns:
        delta = J.T @ dense.solve(dense.factor(dense.product(J, J.T) + damping * np.eye(rows)), e)
    else:
        delta = dense.solve(dense.factor(dense.product(J.T, J) + damping * np.eye(columns)), J.T @ e)
    return scale * delta if z is None else z + scale * delta


def residuals(
    model: Model, q: Array, goals: Array, tasks: tuple[Task, ...], expressed_in: str, tolerance: Array
) -> tuple[Array, Array, Array]:
    """Rows e to take away, their Jacobian J, and the largest residual over its tolerance, squared."""
    parts, left = [], []
    for task, goal in zip(tasks, goals, strict=True):
        X, J = frame_motion(model, q, task.frame)
        for w_or_r, rows, limit in halves(X, J, goal, task.rows, expressed_in):
            parts.append((w_or_r, rows))
            left.append(w_or_r @ w_or_r / tolerance[limit] ** 2)
    if model.closures:
        held = indices([k for k, holds in enumerate(model.rows_hold_positions) if holds])
        phi = closure_residual(model, q)[held]
        parts.append((-CLOSURES * phi, CLOSURES * closure_jacobian(model, q)[held]))
        left.append(largest(phi * phi) / tolerance[2] ** 2)
    return concatenate([e for e, _ in parts]), concatenate([J for _, J in parts], axis=0), largest(left)


def halves(
    X: Array, J: Array, goal: Array, rows: tuple[int, ...], expressed_in: str
) -> list[tuple[Array, Array, int]]:
    """Rows of rotation and of translation that count, each with its Jacobian and the place of its tolerance."""
    R, turn = se3.rotation(X), indices([k for k in rows if k < 3])
    shift, found = indices([k - 3 for k in rows if k >= 3]), list[tuple[Array, Array, int]]()
    Jw, Jv = J[:3], J[3:]
    if len(turn):
        w = so3.log(R.T @ se3.rotation(goal))
        if len(turn) < 3 and expressed_in == "aligned":
            w, Jw = R @ w, so3.left_jacobian_inverse(-(R @ w)) @ R @ Jw
        elif len(turn) < 3:
            Jw = so3.left_jacobian_inverse(w) @ Jw
        found.append((w[turn], Jw[turn], 1))
    if len(shift):
        r = R.T @ (se3.translation(goal) - se3.translation(X))
        if len(shift) < 3 and expressed_in == "aligned":
            r, Jv = R @ r, R @ Jv
        elif len(shift) < 3:
            Jv = Jv - so3.hat(r) @ J[:3]
        found.append((r[shift], Jv[shift], 0))
    return found


def frame_motion(model: Model, q: Array, F: Frame) -> tuple[Array, Array]:
    """Pose X_0F (4, 4) of a frame and its body Jacobian (6, nv), by one sweep."""
    if F.body == WORLD:
        return F.X_bf, np.zeros((6, model.nv))
    qs, starts = model.split_q(q), [F.X_bf if i == F.body else NOWHERE for i in range(len(model.bodies))]
    poses = inward(model, pose_of_frame, NOWHERE, starts, qs)
    root = min(model.ancestors(F.body))
    screws = [Ad_inv(X, body.subspace(x).T) for body, x, X in zip(model.bodies, qs, poses, strict=True)]
    X = model.bodies[root].placement(qs[root]) @ poses[root]
    return X, model.gather(screws).reshape(model.nv, 6).T


def pose_error(
    model: Model, q: Array, goals: Array, *, frame: Frames, axes: Rows = "pose", expressed_in: GoalAxes = "body"
) -> Array:
    """Distance [m] and angle [rad] (k, 2) of frames from their goals (k, 4, 4), in the rows that count."""
    found = []
    for task, goal in zip(tasks_of(model, frame, axes), goals, strict=True):
        sizes = {0: 0.0 * q[0], 1: 0.0 * q[0]}
        X = pose(model, q, frame=task.frame.name)
        for e, _, kind in halves(X, np.zeros((6, 1)), goal, task.rows, expressed_in):
            sizes[kind] = norm(e)
        found.append(stack([sizes[0], sizes[1]]))
    return stack(found, axis=0)


def coordinates(model: Model, q: Array) -> Array:
    """The q (nv,) of each velocity; zero where there is none, as of quaternions, which have no limits."""
    parts = [q[sq] if sq.stop - sq.start == sv.stop - sv.start else np.zeros(sv.stop - sv.start) for sq, sv in own(model)]
    return concatenate(parts)


def within(model: Model, q: Array, lower: Array, upper: Array) -> Array:
    """q with joints that are beyond their limits (nv,) at them."""
    parts = [
        clip(q[sq], lower[sv], upper[sv]) if sq.stop - sq.start == sv.stop - sv.start else q[sq]
        for sq, sv in own(model)
    ]
    return concatenate(parts)


def own(model: Model) -> list[tuple[slice, slice]]:
    """Where each joint that has variables stands in q and v."""
    return [model.slices[body.index] for body in model.independent_joints]


def largest(x: Array) -> Array:
    """The largest of some numbers."""
    return reduce(maximum, x)


def nearest(model: Model, feature: Array, pool: Array) -> Array:
    """Index of the row (x, ½ |x|²) of a pool (n, k + 1) whose x is nearest to a feature (k,)."""

    def one(best: tuple[Array, Array, Array], row: Array) -> tuple[tuple[Array, Array, Array], None]:
        least, at, n = best
        distance = row[-1] - row[:-1] @ feature
        closer = less(distance, least)
        return (where(closer, distance, least)[()], where(closer, n, at)[()], n + 1.0), None

    zero = 0.0 * feature[0]
    (_, at, _), _ = scan(one, (zero + np.inf, zero, zero), pool)
    return at


def flaw(model: Model, goals: Array) -> Array:
    """How far matrices (k, 4, 4) are from poses: the largest entry of what should be zero."""
    found = []
    for X in goals:
        R = se3.rotation(X)
        found += [*(R.T @ R - np.eye(3)).reshape(-1), *(so3.cross(R[:, 0], R[:, 1]) - R[:, 2]), *(X[3] - np.eye(4)[3])]
        found += [0.0 * x for x in se3.translation(X)]
    return largest([x * x for x in found])
