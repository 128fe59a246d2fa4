"""No constraint between frames: the rows of a coupling of joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ...arrays import Array
from .base import Constraint


@final
@dataclass(frozen=True, eq=False)
class Nothing(Constraint):
    """Rows that do not depend on the motion of frames."""

    count: int = 1

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (True,) * self.count

    @property
    def transmits(self) -> tuple[str, ...]:
        return ("joint forces in the ratio of the factors",) * self.count

    def residual(self, X: Array) -> Array:
        return np.zeros(self.count)

    def rows(self, X: Array) -> Array:
        return np.zeros((self.count, 6))
