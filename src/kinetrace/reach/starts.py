"""Where searches start: of many random configurations, the one whose frames are nearest to the goals.

Each start of a target is chosen from a pool of its own, which depends on the seed and the number of the start alone:
what is found for a target does not depend on the targets beside it.
"""

from __future__ import annotations

import numpy as np

from ..algorithms.kinematics import pose
from ..algorithms.pose_errors import nearest
from ..robot import Robot
from ..robot.types import Float
from .goals import Goals

POOL_SIZE, CLOSED_POOL_SIZE = 128, 16
"""Configurations to choose from; fewer where each must be closed first."""
ROTATION_WEIGHT = 0.1
"""Weight of a difference of rotations, relative to one of positions as large as the pool is wide."""


class StartPools:
    """Configurations to start from, made when they are asked for."""

    def __init__(self, robot: Robot, goals: Goals, seed: int) -> None:
        self.robot, self.seed, self.axes = robot, seed, goals.axes
        width = sum(3 * any(k >= 3 for k in rows) + 9 * any(k < 3 for k in rows) for rows in self.axes)
        self.nearest = robot.kernel(nearest, shapes={"feature": width, "pool": ("n", width + 1)})
        self.poses = [robot.kernel(pose, frame=name) for name in goals.frame]
        self.made: tuple[Float, Float] | None = None
        """Configurations (pools, n, nq), and the rows by which the nearest are found."""
        spread = np.stack([kernel(self.configurations(0))[:, :3, 3] for kernel in self.poses]).var(axis=1).sum(axis=-1)
        self.scales = np.sqrt(ROTATION_WEIGHT * np.where(spread > 0, spread, 1.0))

    def pools_up_to(self, number: int) -> tuple[Float, Float]:
        """As many pools as are asked for, or more; replaced as a whole, as other threads may use them."""
        old = self.made
        if old is not None and len(old[0]) >= number:
            return old
        q = np.stack([self.configurations(k) for k in range(0 if old is None else len(old[0]), number)])
        poses = np.stack([kernel(q) for kernel in self.poses], axis=2)
        x = np.stack([self.features(X) for X in poses])
        rows = np.concatenate([x, 0.5 * (x * x).sum(axis=-1, keepdims=True)], axis=-1)
        new = (q, rows) if old is None else (np.concatenate([old[0], q]), np.concatenate([old[1], rows]))
        self.made = new
        return new

    def configurations(self, number: int) -> Float:
        """The random configurations of a pool, within the limits and with closed loops."""
        model, rng = self.robot.model, np.random.default_rng([self.seed, number])
        if not model.closures:
            return model.random(rng, (POOL_SIZE,))
        q = self.robot.assemble(model.random(rng, (CLOSED_POOL_SIZE,)))
        return np.where(np.isfinite(q).all(axis=-1, keepdims=True), q, self.robot.assemble())

    def features(self, poses: Float) -> Float:
        """Numbers (n, width) whose distance is that of poses (n, frames, 4, 4), in the rows that count."""
        found: list[Float] = []
        for k, rows in enumerate(self.axes):
            if max(rows) >= 3:
                found.append(poses[:, k, :3, 3])
            if min(rows) < 3:
                found.append(self.scales[k] * poses[:, k, :3, :3].reshape(-1, 9))
        return np.concatenate(found, axis=-1)

    def starts(self, number: int, together: int, poses: Float) -> Float:
        """Configurations (together, m, nq) to start from, of m goals, by some pools from a number on."""
        q, rows = self.pools_up_to(number + together)
        x, some = self.features(poses), np.arange(number, number + together)
        if together == len(x) == 1:
            at = self.nearest(x[0], rows[number])
            return q[number, int(at)][None, None]
        return q[some[:, None], self.nearest(x, rows[some, None]).astype(int)]
