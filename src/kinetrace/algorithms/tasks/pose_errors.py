"""Errors of frames relative to goals, in rows, and their Jacobian.

The residual of a frame at X = (R, p) with the goal (R*, p*) is, in the axes of the frame,

    w = log(Rᵀ R*) [rad],    r = Rᵀ (p* − p) [m]

and changes by −J v for the frame's body Jacobian J. That is exact for r in the sense that |r| does not depend on the
axes. The derivative of w has J_l⁻¹(w) in front of the angular rows, which is left out where all three rows of w count:
it changes neither the gradient of |w|², since J_l⁻ᵀ(w) w = w, nor steps near the goal. Where some of three rows count,
the Jacobian is the exact one:

    in the axes of the frame    J_l⁻¹(w) J_ω,          J_v − [r] J_ω
    in those of the world       J_l⁻¹(−R w) R J_ω,     R J_v
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Array, concatenate, indices, less, scan, stack, where
from ...errors import lookup
from ...lie import Ad_inv, se3, so3
from ...linalg import dense, norm
from ...model import WORLD, Frame, Model
from ..closed.closures import closure_jacobian, closure_residual
from ..kinematics.forward_kinematics import pose
from ..kinematics.jacobian import ZERO_POSE, pose_of_frame
from ..registry.choices import Frames, GoalAxes, Rows
from ..sweeps.tree import inward
from .task_rows import Task, tasks_of

CLOSURE_WEIGHT = 30.0
"""Weight of their rows: where goals cannot be met, loops stay nearly closed."""
POSITION_FLAW = 1e-36
"""Of a position, what counts as a flaw: none that matters up to 1e30 m."""


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
    holonomic = indices([k for k, holds in enumerate(model.rows_hold_positions) if holds])
    phi = closure_residual(model, q)[holonomic]
    parts.append((-CLOSURE_WEIGHT * phi, CLOSURE_WEIGHT * closure_jacobian(model, q)[holonomic]))
    left += [x * x / tolerance[2] ** 2 for x in phi]
    return concatenate([e for e, _ in parts]), concatenate([J for _, J in parts], axis=0), dense.largest(left)


def halves(X: Array, J: Array, goal: Array, rows: tuple[int, ...], expressed_in: str) -> list[tuple[Array, Array, int]]:
    """Rows of rotation and of translation that count, each with its Jacobian and the place of its tolerance."""
    R, (turn, shift) = se3.rotation(X), ([k for k in rows if k < 3], [k - 3 for k in rows if k >= 3])
    parts, (turned, shifted) = list[tuple[Array, Array, int]](), lookup("expressed_in", expressed_in, PARTIAL)
    if turn:
        w, Jw = so3.log(R.T @ se3.rotation(goal)), J[:3]
        w, Jw = (w, Jw) if len(turn) == 3 else turned(R, w, Jw)
        parts.append((w[indices(turn)], Jw[indices(turn)], 1))
    if shift:
        r, Jv = R.T @ (se3.translation(goal) - se3.translation(X)), J[3:]
        r, Jv = (r, Jv) if len(shift) == 3 else shifted(R, r, J)
        parts.append((r[indices(shift)], Jv[indices(shift)], 0))
    return parts


PARTIAL: dict[str, tuple[Callable[..., tuple[Array, Array]], ...]] = {
    "body": (
        lambda R, w, Jw: (w, so3.left_jacobian_inverse(w) @ Jw),
        lambda R, r, J: (r, J[3:] - so3.hat(r) @ J[:3]),
    ),
    "aligned": (
        lambda R, w, Jw: (R @ w, so3.left_jacobian_inverse(-(R @ w)) @ R @ Jw),
        lambda R, r, J: (R @ r, R @ J[3:]),
    ),
}
"""Axes of rows → w and r in them, with their exact Jacobians."""


def frame_motion(model: Model, q: Array, F: Frame) -> tuple[Array, Array]:
    """Pose X_0F (4, 4) of a frame and its body Jacobian (6, nv), by one sweep."""
    if F.body == WORLD:
        return F.X_bf, np.zeros((6, model.nv))
    qs, starts = model.split_q(q), [F.X_bf if i == F.body else ZERO_POSE for i in range(len(model.bodies))]
    poses = inward(model, pose_of_frame, ZERO_POSE, starts, qs)
    root = min(model.ancestors(F.body))
    screws = [Ad_inv(X, body.subspace(x).T) for body, x, X in zip(model.bodies, qs, poses, strict=True)]
    X = model.bodies[root].placement(qs[root]) @ poses[root]
    return X, model.gather(screws).reshape(model.nv, 6).T


def pose_error(
    model: Model, q: Array, goals: Array, *, frame: Frames, axes: Rows = "pose", expressed_in: GoalAxes = "body"
) -> Array:
    """Distance [m] and angle [rad] (k, 2) of frames from their goals (k, 4, 4), in the rows that count."""
    errors = []
    for task, goal in zip(tasks_of(model, frame, axes), goals, strict=True):
        sizes = {0: 0.0 * q[0], 1: 0.0 * q[0]}
        X = pose(model, q, frame=task.frame.name)
        for e, _, kind in halves(X, np.zeros((6, 1)), goal, task.rows, expressed_in):
            sizes[kind] = norm(e)
        errors.append(stack([sizes[0], sizes[1]]))
    return stack(errors, axis=0)


def flaw(model: Model, goals: Array) -> Array:
    """How far matrices (k, 4, 4) are from poses: the largest entry of what should be zero, squared."""
    entries = []
    for X in goals:
        R = se3.rotation(X)
        entries += [
            *(R.T @ R - np.eye(3)).reshape(-1),
            *(so3.cross(R[:, 0], R[:, 1]) - R[:, 2]),
            *(X[3] - np.eye(4)[3]),
        ]
        entries += [POSITION_FLAW * x for x in se3.translation(X)]
    return dense.largest([x * x for x in entries])


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
