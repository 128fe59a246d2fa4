"""What a view needs of a robot, and of a motion."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..model.arguments import HasSizes

Float = npt.NDArray[np.float64]


class Viewed(HasSizes, Protocol):
    """A robot that can be shown; a `Robot` is one."""

    @property
    def name(self) -> str:
        """The robot's name."""


@runtime_checkable
class Motion(Protocol):
    """Configurations over time; a `Trajectory` is one."""

    t: Any
    """Times (T,)."""
    q: Any
    """Configurations (..., T, nq)."""


@runtime_checkable
class Driven(Motion, Protocol):
    """A motion with its velocities and joint forces; a `Trajectory` is one."""

    v: Any
    """Velocities (..., T, nv)."""
    tau: Any
    """Joint forces (..., T, nv)."""
