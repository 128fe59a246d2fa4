"""Where searches start: of many random configurations, the one whose frames are nearest to the goals.

Each start of a target is chosen from a pool of its own, which depends on the seed and the number of the start alone:
what is found for a target does not depend on the targets beside it.
"""

from __future__ import annotations

import numpy as np

from ..algorithms.inverse_kinematics import nearest
from ..algorithms.kinematics import pose
from .goals import Goals
from .protocol import Float, Reaches

POOL, CLOSED_POOL = 128, 16
"""Configurations to choose from; fewer where each must be closed first."""
TURN = 0.1
"""Weight of a difference of rotations, relative to one of positions as large as the pool is wide."""


class Pools:
    """Configurations to start from, made when they are asked for."""

    def __init__(self, robot: Reaches, goals: Goals, seed: int) -> None:
        self.robot, self.seed = robot, seed
        self.made: dict[int, tuple[Float, Float]] = {}
        self.poses = [robot.kernel(pose, frame=name) for name in goals.frame]
        self.axes, self.frames = goals.axes, len(goals.frame)
        self.scales: Float | None = None
        self.nearest = robot.kernel(nearest, shapes={"feature": self.width, "pool": ("n", self.width + 1)})

    @property
    def width(self) -> int:
        """Numbers that positions and rotations of the frames are compared by."""
        return sum(3 * any(k >= 3 for k in rows) + 9 * any(k < 3 for k in rows) for rows in self.axes)

    def pool(self, number: int) -> tuple[Float, Float]:
        """Configurations (n, nq) of one pool, and the rows by which the nearest is found."""
        if number not in self.made:
            q = self.configurations(np.random.default_rng([self.seed, number]))
            poses = np.stack([kernel(q) for kernel in self.poses], axis=1)
            if self.scales is None:
                spread = poses[..., :3, 3].var(axis=0).sum(axis=-1)
                self.scales = np.sqrt(TURN * np.where(spread > 0, spread, 1.0))
            x = self.features(poses)
            self.made[number] = q, np.concatenate([x, 0.5 * (x * x).sum(axis=-1, keepdims=True)], axis=-1)
        return self.made[number]

    def configurations(self, rng: np.random.Generator) -> Float:
        """Random configurations within the limits, with closed loops."""
        model = self.robot.model
        if not model.closures:
            return model.random(rng, (POOL,))
        q = self.robot.assemble(model.random(rng, (CLOSED_POOL,)))
        q = q[np.isfinite(q).all(axis=-1)]
        return q if len(q) else self.robot.assemble()[None]

    def features(self, poses: Float) -> Float:
        """Numbers (n, width) whose distance is that of poses (n, frames, 4, 4), in the rows that count."""
        found: list[Float] = []
        scales = np.ones(self.frames) if self.scales is None else self.scales
        for k, rows in enumerate(self.axes):
            if any(row >= 3 for row in rows):
                found.append(poses[:, k, :3, 3])
            if any(row < 3 for row in rows):
                found.append(scales[k] * poses[:, k, :3, :3].reshape(-1, 9))
        return np.concatenate(found, axis=-1)

    def starts(self, number: int, features: Float) -> Float:
        """Configurations (n, nq) to start from for goals with features (n, width)."""
        q, rows = self.pool(number)
        return q[self.nearest(features, rows).astype(int)]
