from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

# Both sides of every branch: exactly 0, where w.w underflows, where a series ends (0.2487 and 2; 0.0055
# and 0.088 for mpmath's numbers), up to pi itself.
SMALL = [0.0, 1e-200, 1e-9, 1e-4, 0.0055, 0.08, 0.09, 0.2487, 0.2488]
ANGLES = [*SMALL, 1.0, 1.9999, 2.0001, 3.0, np.pi - 1e-4, np.pi - 1e-9, np.pi]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1995)


@pytest.fixture(params=ANGLES, ids=lambda a: f"angle={a:.10g}")
def angle(request: pytest.FixtureRequest) -> float:
    return float(request.param)


@pytest.fixture(params=[(), (5,), (2, 3)], ids=str)
def batch(request: pytest.FixtureRequest) -> tuple[int, ...]:
    return tuple(request.param)


@pytest.fixture
def vectors(rng: np.random.Generator) -> Callable[..., Any]:
    """Random rotation vectors of a given angle, coordinate axes among them when there is room."""

    def make(angle: float, shape: tuple[int, ...]) -> Any:
        axis = rng.normal(size=(*shape, 3))
        if shape:
            axis.reshape(-1, 3)[:3] = -np.eye(3)
        return angle * axis / np.linalg.norm(axis, axis=-1, keepdims=True)

    return make
