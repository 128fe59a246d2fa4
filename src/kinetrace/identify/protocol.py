"""What identification asks of a robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..model.arguments import HasSizes

Float = npt.NDArray[np.float64]
Made = TypeVar("Made", covariant=True)


@runtime_checkable
class Identifiable(HasSizes, Protocol[Made]):
    """A robot with parameters to be found, and `Made`, what it becomes with others; a `Robot` is one."""

    def parameters(self, name: Literal["inertial"]) -> Float:
        """Numbers of one kind, as "inertial" (nb, 10)."""

    def with_parameters(self, *, check: Literal["ignore"], inertial: npt.ArrayLike) -> Made:
        """The same robot with other bodies."""

    def parameter_names(self, *, friction: bool, rotor: bool) -> tuple[str, ...]:
        """The names of the regressor's columns."""

    def regressor(self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, *, friction: bool, rotor: bool) -> Float:
        """Y (..., nv, p)."""

    def reduced_regressor(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, *, friction: bool, rotor: bool
    ) -> Float:
        """Gᵀ Y (..., dof, p)."""

    def passive_forces(self, q: npt.ArrayLike, v: npt.ArrayLike) -> Float:
        """Forces (..., nv) of damping, friction, springs and stops."""

    def assemble(self, guess: npt.ArrayLike) -> Float:
        """Closed configurations (..., nq)."""

    def velocity_map(self, q: npt.ArrayLike) -> Float:
        """G (..., nv, dof)."""

    def closed_acceleration(self, q: npt.ArrayLike, v: npt.ArrayLike, dy: npt.ArrayLike) -> Float:
        """Accelerations (..., nv) from those of the independent velocities."""

    def _exact(self) -> Identifiable[Made]:
        """The same robot in float64."""


@runtime_checkable
class Measured(HasSizes, Protocol):
    """A robot whose configurations were measured; a `Robot` is one."""

    def integrate(self, q: npt.ArrayLike, v: npt.ArrayLike, /) -> Float:
        """q ⊕ v (..., nq)."""

    def difference(self, q0: npt.ArrayLike, q1: npt.ArrayLike, /) -> Float:
        """q1 ⊖ q0 (..., nv)."""


@runtime_checkable
class Predicting(Identifiable[Made], Measured, Protocol[Made]):
    """A robot that is identified and predicts forces; a `Robot` is one."""

    @property
    def name(self) -> str:
        """The robot's name."""

    @property
    def inverse_dynamics(self) -> Callable[..., Float]:
        """(q, v, a) → τ."""
