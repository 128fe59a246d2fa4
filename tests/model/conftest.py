from collections.abc import Callable

import numpy as np
import pytest

from kinetrace.model import WORLD, Model


def frame_poses(model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
    """Every frame's pose in the world, straight from X_0i = X_0p X_pj placement(q_i) X_ji."""
    X_0 = {WORLD: np.eye(4)}
    for body, q_i in zip(model.bodies, model.split_q(q), strict=True):
        X_0[body.index] = X_0[body.parent] @ body.X_pj @ body.joint.placement(q_i) @ body.X_ji
    return {name: X_0[frame.body] @ frame.X_bf for name, frame in model.frames.items()}


@pytest.fixture
def poses() -> Callable[[Model, np.ndarray], dict[str, np.ndarray]]:
    return frame_poses
