"""What surfaces do where they touch, and how those of two shapes make one law.

    x_N ≥ 0 ⊥ u_N + b + R x_N ≥ 0         impulse and velocity along the normal
    |x_T| ≤ μ x_N                         friction against the slip, isotropic: a round cone
    |x_s| ≤ μ_t x_N,  |x_R| ≤ μ_r x_N     against spinning about the normal, and against rolling
    u_N⁺ ≥ −e u_N                         restitution, if it hits faster than `REST_SPEED`

Rigid surfaces have b = gap / h if they are apart, else a part of it. A stiffness k and a damping d [N/m, N s/m] make

    R = 1 / (h (h k + d)),    b = (h k) / (h k + d) gap / h                        (an implicit step of k and d)

and a time constant T with a damping ratio ζ the same with k = m / (T ζ)², d = 2 m / T, where m is the mass that the
contact feels, 1 / G_NN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import ModelError
from ..checks import numbers
from ..record import Record, read_only

FRICTION = 1.0
"""Coefficient of friction of surfaces that do not say theirs."""
REST_SPEED = 0.05
"""Speeds below which nothing bounces [m/s]."""


@dataclass(frozen=True, eq=False)
class ContactLaw(Record):
    """How two surfaces act on each other."""

    friction: Array = FRICTION
    """Coefficient μ."""
    torsion: Array = 0.0
    """Length μ_t [m] of friction against spinning about the normal."""
    rolling: Array = 0.0
    """Length μ_r [m] of friction against rolling."""
    restitution: Array = 0.0
    """Speed after an impact, relative to that before it: from 0 to 1."""
    stiffness: Array | None = None
    """Of the contact [N/m]; None: rigid."""
    damping: Array | None = None
    """[N s/m]"""
    time_constant: Array | None = None
    """[s] of the contact as a damped spring on the mass that it feels; None: rigid."""
    damping_ratio: Array = 1.0
    margin: Array = 0.0
    """Gap below which the surfaces count as touching [m]."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is None:
                continue
            x = numbers(value, f"contact: {name}")
            if is_concrete(x) and not (np.all(np.isfinite(x)) and np.all(x >= 0.0)):
                raise ModelError(f"contact: {name} must be finite and not negative, got {_plain(x)}")
            if name == "restitution" and is_concrete(x) and np.any(x > 1.0):
                raise ModelError(f"contact: restitution must be from 0 to 1, got {_plain(x)}")
            if name in ("time_constant", "stiffness") and is_concrete(x) and not np.all(x > 0.0):
                raise ModelError(f"contact: {name} must be positive, or None for rigid surfaces, got {_plain(x)}")
            object.__setattr__(self, name, read_only(x))
        if self.stiffness is not None and self.time_constant is not None:
            raise ModelError("contact: give a stiffness with a damping, or a time constant with a damping ratio")
        if self.stiffness is None and self.damping is not None:
            raise ModelError("contact: a damping needs a stiffness")

    @property
    def is_rigid(self) -> bool:
        """Whether the surfaces do not yield."""
        return self.stiffness is None and self.time_constant is None


@dataclass(frozen=True, eq=False)
class Surface(Record):
    """The surface of a shape: its law with surfaces like itself, and which others it meets.

    Two surfaces touch if group and mask of one of them have a bit in common with mask and group of the other. The law
    is that of the surface with the higher priority; of equal ones the larger of each number, of stiffness and time
    constant the softer.
    """

    law: ContactLaw = ContactLaw()
    group: int = 1
    mask: int = 1
    priority: int = 0
    velocity: Array | None = None
    """(6,) twist of the surface relative to its link, in the shape's frame: belts. None: it does not move."""


def _plain(x: Any) -> Any:
    return np.asarray(x).tolist()
