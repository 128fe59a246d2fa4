"""What every joint answers, and joints of one axis."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

import numpy as np

from ...arrays import Array, concatenate, stack
from ...errors import ModelError
from ..checks import unit
from ..constraints import Constraint
from ..record import Record


def columns(*angular_linear: tuple[Array, Array]) -> Array:
    """A (6, k) matrix from k pairs (angular, linear)."""
    return stack([concatenate(pair) for pair in angular_linear], axis=-1)


Snap: TypeAlias = Callable[[Array], Array]
"""A function that rounds near-trivial constants; see `rounding.snap`."""


ZERO = np.zeros(3)


EYE = np.eye(3)


class Joint(Record, ABC):
    """What every joint answers; the defaults are those of coordinates in a vector space."""

    nq: ClassVar[int]
    """Number of configuration variables."""
    nv: ClassVar[int]
    """Number of velocity variables: the degrees of freedom."""
    quaternion: ClassVar[slice | None] = None
    """Where a unit quaternion stands among the configuration variables, if there is one."""

    @property
    def commuting_translation(self) -> Array | None:
        """A direction (3,) along which shifts pass the joint: before or after its motion is the same."""
        return None

    @property
    def rotation_axis(self) -> Array | None:
        """The axis (3,), if the joint turns about it by q and does nothing else."""
        return None

    @property
    def has_constant_subspace(self) -> bool:
        """Whether S is the same for all q."""
        return type(self).subspace_rate is Joint.subspace_rate

    @property
    def has_coordinates(self) -> bool:
        """Whether v is the rate of coordinates q: not so of quaternions."""
        return type(self).bracket is Joint.bracket

    def along_z(self) -> Joint | None:
        """The same joint about the z axis, if it has one axis and commutes with turns about and shifts along it."""
        return None

    @abstractmethod
    def placement(self, q: Array) -> Array:
        """Pose (4, 4) of the moved frame in the joint's frame."""

    @abstractmethod
    def subspace(self, q: Array) -> Array:
        """S (6, nv), in the moved frame."""

    def subspace_rate(self, q: Array, v: Array) -> Array:
        """Sdot (6, nv), in the moved frame."""
        return np.zeros((6, self.nv))

    def bias(self, q: Array, v: Array) -> Array:
        """Sdot v (6,), in the moved frame."""
        return self.subspace_rate(q, v) @ v

    def bias_gradient(self, q: Array, v: Array) -> Array:
        """The derivative (6, nv) of the bias along q ⊕ ε, in the moved frame."""
        return np.zeros((6, self.nv))

    def tangent(self, q: Array) -> Array:
        """The derivative (nq, nv) of q ⊕ ε at ε = 0: qdot = tangent(q) v."""
        return np.eye(self.nv)

    def bracket(self, u: Array, w: Array) -> Array:
        """[u, w] (..., nv) of velocities (..., nv): zero where they are rates of coordinates."""
        return 0 * u

    def coadjoint(self, v: Array, p: Array) -> Array:
        """ad_vᵀ p (nv,) of a momentum p (nv,), the dual of the bracket: p · [v, w] for unit velocities w."""
        return 0 * p

    def dexp_dual(self, theta: Array, p: Array) -> Array:
        """dexp_θᵀ p (nv,): p · dexp_θ w, where q ⊕ (θ + ε w) moves like exp(ε dexp_θ w) before q ⊕ θ."""
        return p

    def dexp_inv_dual(self, theta: Array, p: Array) -> Array:
        """The inverse of p ↦ dexp_θᵀ p."""
        return p

    def neutral(self) -> Array:
        """The configuration that places the moved frame on the joint's frame."""
        return np.zeros(self.nq)

    def integrate(self, q: Array, v: Array) -> Array:
        """q ⊕ v: the configuration reached at unit time with constant v."""
        return q + v

    def difference(self, q0: Array, q1: Array) -> Array:
        """q1 ⊖ q0: the v with q0 ⊕ v = q1."""
        return q1 - q0

    def difference_gradient(self, q0: Array, q1: Array) -> Array:
        """The derivative (nv, nv) of q1 ⊖ q0 along q1 ⊕ ε."""
        return np.eye(self.nv)

    def normalise(self, q: Array) -> Array:
        """The nearest valid configuration."""
        return q

    def closing(self) -> Constraint:
        """What holds two frames together so that they move as by this joint, without variables: it closes loops."""
        raise ModelError(f"a {type(self).__name__} joint cannot close a loop: it does not say what it holds")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        """Configurations (*shape, nq) uniform between the limits; a variable without any is within [-pi, pi]."""
        lower, upper = limits
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * math.pi, -math.pi))
        high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2 * math.pi, math.pi))
        return rng.uniform(low, high, (*shape, self.nq))

    def snapped(self, snap: Snap) -> Joint:
        """The same joint with `snap` applied to its axes."""
        return self


@dataclass(frozen=True, eq=False)
class Axial(Joint):
    """A joint described by one axis, a unit vector in the joint's frame."""

    axis: Array = field(default=(0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis, f"axis of a {type(self).__name__} joint"))

    @property
    def commuting_translation(self) -> Array | None:
        return self.axis

    def along_z(self) -> Joint | None:
        return replace(self, axis=EYE[2])

    def snapped(self, snap: Snap) -> Joint:
        return replace(self, axis=snap(self.axis))
