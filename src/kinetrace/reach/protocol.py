"""What inverse kinematics needs of a robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..model.arguments import HasSizes
from ..trace import CompiledProgram

Float = npt.NDArray[np.float64]


class Reaches(HasSizes, Protocol):
    """A robot whose frames have goals; a `Robot` is one."""

    @property
    def name(self) -> str:
        """The robot's name."""

    @property
    def kernel(self) -> Callable[..., CompiledProgram]:
        """A function of (model, q, ...) → compiled."""

    @property
    def assemble(self) -> Callable[..., Float]:
        """Configurations (..., nq) near guesses, with closed loops; NaN where there are none."""

    @property
    def integrate(self) -> Callable[..., Float]:
        """(q, v) → q ⊕ v."""

    @property
    def difference(self) -> Callable[..., Float]:
        """(q, q1) → q1 ⊖ q."""

    def normalise(self, q: Any, /) -> Float:
        """q (..., nq) with unit quaternions."""

    def closure_residual(self, q: Any, /) -> Float:
        """φ (..., rows)."""
