"""What the geometry of configuration space asks of a robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..model.arguments import HasSizes
from ..trace import CompiledProgram

Float = npt.NDArray[np.float64]


class MetricSpace(HasSizes, Protocol):
    """A configuration space with compiled functions and the mass matrix as its metric; a `Robot` is one."""

    def kernel(self, algorithm: Callable[..., Any], /) -> CompiledProgram:
        """A function of (model, q, ...), compiled."""

    def random(self, shape: int, seed: np.random.Generator) -> Float:
        """Configurations (shape, nq)."""

    def normalise(self, q: npt.ArrayLike) -> Float:
        """q (..., nq) with unit quaternions."""

    def integrate(self, q: npt.ArrayLike, v: npt.ArrayLike) -> Float:
        """q ⊕ v (..., nq)."""

    def difference(self, q0: npt.ArrayLike, q1: npt.ArrayLike) -> Float:
        """q1 ⊖ q0 (..., nv)."""

    def mass_matrix(self, q: npt.ArrayLike, *, threads: int | None = None) -> Float:
        """M (..., nv, nv)."""

    def kinetic_energy(self, q: npt.ArrayLike, v: npt.ArrayLike) -> Float:
        """½ vᵀ M v (...)."""
