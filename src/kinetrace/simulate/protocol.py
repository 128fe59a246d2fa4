"""What a simulation needs of a robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..model.arguments import HasSizes
from ..trace import CompiledProgram

Float = npt.NDArray[np.float64]
Controller = Callable[..., Any]
"""(t, q, v) → τ, or (t, q, v, state, **parameters) → (τ, state)."""
Progress = Callable[[int, int], object]
"""Callback of (steps done, steps in all)."""


@runtime_checkable
class Law(Protocol):
    """A controller that knows its own state and parameters, and can be compiled; those of `control` are."""

    @property
    def initial_state(self) -> Any:
        """The state at the beginning: None, or arrays in tuples and dicts."""

    @property
    def parameters(self) -> Mapping[str, Float]:
        """Arrays that it is called with, by name."""

    def __call__(self, t: Any, q: Any, v: Any, state: Any = None, /, **parameters: Any) -> Any:
        """τ, or τ and the next state."""


def sampling_period(controller: Controller | None) -> float | None:
    """The time between samples [s] of a controller that holds its forces in between; None if it does not say so."""
    found: float | None = getattr(controller, "period", None) if isinstance(controller, Law) else None
    return found


class Simulated(HasSizes, Protocol):
    """A robot that moves in time; a `Robot` is one."""

    @property
    def name(self) -> str:
        """The robot's name."""

    @property
    def kernel(self) -> Callable[..., CompiledProgram]:
        """A function of (model, q, ...) → compiled."""

    @property
    def step(self) -> Callable[..., tuple[Float, Float]]:
        """(q, v, tau, dt, ...) → q and v after the time dt."""

    def normalise(self, q: Any, /) -> Float:
        """q (..., nq) with unit quaternions."""

    def integrate(self, q: Any, v: Any, /) -> Float:
        """q ⊕ v (..., nq)."""

    def difference(self, q0: Any, q1: Any, /) -> Float:
        """q1 ⊖ q0 (..., nv)."""

    @property
    def project(self) -> Callable[..., Any]:
        """(q, v) → the nearest state with all loops closed."""

    @property
    def mass_matrix(self) -> Callable[..., Float]:
        """(q) → M (..., nv, nv)."""

    @property
    def velocity_map(self) -> Callable[..., Float]:
        """(q) → G (..., nv, dof), v = G y with y the independent velocities."""

    def kinetic_energy(self, q: Any, v: Any, /) -> Float:
        """½ vᵀ M v (...)."""

    def potential_energy(self, q: Any, /) -> Float:
        """U (...)."""

    def total_energy(self, q: Any, v: Any, /) -> Float:
        """T + U (...)."""

    def closure_residual(self, q: Any, /) -> Float:
        """φ (..., rows)."""
