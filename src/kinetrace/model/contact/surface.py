"""What surfaces do where they touch, and how those of two shapes make one law.

    x_N ≥ 0 ⊥ u_N + b + R x_N ≥ 0         impulse and velocity along the normal
    |x_T| ≤ μ x_N                         friction against the slip, isotropic: a round cone
    |x_s| ≤ μ_t x_N,  |x_R| ≤ μ_r x_N     against spinning about the normal, and against rolling
    u_N⁺ ≥ −e u_N                         restitution, if it hits faster than `REST_SPEED`

Rigid surfaces have b = gap / h if they are apart, else a part of it. A stiffness k and a damping d [N/m, N s/m] make

    R = 1 / (h (h k + d)),    b = (h k) / (h k + d) gap / h                        (an implicit step of k and d)

and a time constant T with a damping ratio ζ the same with k = m / (T ζ)², d = 2 m / T, where m is the mass that the
contact feels, 1 / G_NN. What springs give back is what their damping leaves: they have no restitution.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array, is_concrete, maximum
from ...errors import ModelError, value_text
from ..checks import is_present, numbers
from ..record import Record, read_only

FRICTION = 1.0
"""Coefficient of friction of surfaces that do not say theirs."""
REST_SPEED = 0.05
"""Speeds below which nothing bounces [m/s]."""
SHORTEST, STIFFEST = 1e-6, 1e-12
"""Least T and T ζ of springs [s], whose stiffness is finite in single precision too."""


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
    """Speed after an impact of rigid surfaces, relative to that before it: from 0 to 1."""
    stiffness: Array | None = None
    """Of the contact [N/m]; None: rigid."""
    damping: Array | None = None
    """[N s/m]"""
    time_constant: Array | None = None
    """[s] of the contact as a damped spring on the mass that it feels, at least 1e-6; None: rigid."""
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
            if name == "damping_ratio" and is_concrete(x) and not np.all(x > 0.0):
                raise ModelError(f"contact: damping_ratio must be positive, got {_plain(x)}")
            object.__setattr__(self, name, read_only(x))
        self._check_spring()

    def _check_spring(self) -> None:
        if self.stiffness is not None and self.time_constant is not None:
            raise ModelError("contact: give a stiffness with a damping, or a time constant with a damping ratio")
        if self.stiffness is None and self.damping is not None:
            raise ModelError("contact: a damping needs a stiffness")
        if not self.is_rigid and is_concrete(self.restitution) and np.any(self.restitution > 0.0):
            raise ModelError(
                "contact: restitution is of rigid surfaces; springs bounce by their damping: leave out restitution "
                "and give less damping, or a smaller damping_ratio"
            )
        T, ratio = self.time_constant, self.damping_ratio
        if T is not None and is_concrete(T) and not np.all(T >= SHORTEST):
            raise ModelError(
                f"contact: time_constant must be at least {SHORTEST:g} s, or None for rigid surfaces, got {_plain(T)}"
            )
        if T is not None and is_concrete(T) and is_concrete(ratio) and not np.all(T * ratio >= STIFFEST):
            raise ModelError(
                f"contact: time_constant times damping_ratio must be at least {STIFFEST:g} s, or time_constant None "
                f"for rigid surfaces, got {_plain(T * ratio)}"
            )

    @property
    def is_rigid(self) -> bool:
        """Whether the surfaces do not yield."""
        return self.stiffness is None and self.time_constant is None


PLAIN = ContactLaw()
"""The law of surfaces that do not say theirs."""


@dataclass(frozen=True, eq=False)
class Surface(Record):
    """The surface of a shape: its law with surfaces like itself, and which others it meets.

    Two surfaces touch if group and mask of one of them have a bit in common with mask and group of the other. The law
    is that of the surface with the higher priority; of equal ones the larger of each number, of stiffness and time
    constant the softer, and both margins (`combined`). A rigid surface has no restitution on one that is a spring.
    """

    law: ContactLaw = PLAIN
    group: int = 1
    mask: int = 1
    priority: int = 0
    velocity: Array | None = None
    """(6,) twist of the surface relative to its link, in the shape's frame: belts. None: it does not move."""
    dimensions: int | None = None
    """Which friction acts: 1 none, 3 against slip, 4 against spinning too, 6 and against rolling. None: all of which
    the law has a number."""
    impedance: Array | None = None
    """MuJoCo's solimp (5,), which files keep and no program reads. None: its default."""

    def __post_init__(self) -> None:
        if not isinstance(self.law, ContactLaw):
            raise ModelError(f"surface: law must be a ContactLaw, got {value_text(self.law)}")
        for name in ("group", "mask", "priority"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise ModelError(f"surface: {name} must be an integer, got {value_text(value)}")
            object.__setattr__(self, name, int(value))
        for name, size in (("velocity", 6), ("impedance", 5)):
            value = getattr(self, name)
            if value is not None:
                x = numbers(value, f"surface: {name}")
                if x.shape != (size,) or (is_concrete(x) and not np.all(np.isfinite(x))):
                    raise ModelError(f"surface: {name} must be {size} finite numbers, got {_plain(x)}")
                object.__setattr__(self, name, read_only(x))
        check_dimensions(self.dimensions, "surface")

    @property
    def acting_dimensions(self) -> int:
        """Which friction acts, of the surface by itself."""
        return dimensions_of(self.law) if self.dimensions is None else self.dimensions


DIMENSIONS = (1, 3, 4, 6)
"""Along the normal alone, with friction against slip, against spinning, against rolling."""


def check_dimensions(dimensions: int | None, what: str) -> None:
    """An error unless they are some that contacts can have."""
    if dimensions is not None and dimensions not in DIMENSIONS:
        raise ModelError(f"{what}: dimensions must be 1, 3, 4 or 6, got {value_text(dimensions)}")


def dimensions_of(law: ContactLaw) -> int:
    """Which friction a law has numbers for; all that may be traced counts.

    >>> dimensions_of(ContactLaw(0.0)), dimensions_of(ContactLaw(0.7)), dimensions_of(ContactLaw(torsion=0.01))
    (1, 3, 4)
    """
    present = [n for n, x in ((6, law.rolling), (4, law.torsion), (3, law.friction)) if is_present(x)]
    return max(present, default=1)


def acting(law: ContactLaw, dimensions: int | None) -> ContactLaw:
    """The law with the friction of these dimensions alone.

    >>> float(acting(ContactLaw(0.7, torsion=0.01), 3).torsion)
    0.0
    """
    if dimensions is None or dimensions >= dimensions_of(law):
        return law
    kept = {"friction": 3, "torsion": 4, "rolling": 6}
    return replace(law, **{name: 0.0 for name, least in kept.items() if dimensions < least})


def meet(a: Surface, b: Surface) -> bool:
    """Whether their groups and masks let two surfaces touch.

    >>> meet(Surface(), Surface(group=2)), meet(Surface(mask=2), Surface(group=2, mask=0))
    (True, True)
    """
    return bool(a.group & b.mask) or bool(b.group & a.mask)


def combined(a: Surface | None, b: Surface | None) -> ContactLaw:
    """The law of two surfaces that touch; None: one that its source does not describe.

    >>> float(combined(Surface(ContactLaw(0.4)), Surface(ContactLaw(0.9))).friction)
    0.9
    >>> float(combined(Surface(ContactLaw(0.4), priority=1), Surface(ContactLaw(0.9))).friction)
    0.4
    """
    a, b = a or Surface(), b or Surface()
    if a.priority != b.priority:
        chosen, other = (a, b) if a.priority > b.priority else (b, a)
        law = acting(chosen.law, chosen.acting_dimensions)
        return replace(law, margin=chosen.law.margin + other.law.margin)
    x, y = a.law, b.law
    names = ("friction", "torsion", "rolling", "restitution")
    largest = {name: maximum(getattr(x, name), getattr(y, name)) for name in names}
    law = ContactLaw(**largest, margin=x.margin + y.margin)
    law = acting(law, max(a.acting_dimensions, b.acting_dimensions))
    soft = [each for each in (x, y) if not each.is_rigid]
    if not soft:
        return law
    softest = soft[0] if len(soft) == 1 else _softer(*soft)
    names = ("stiffness", "damping", "time_constant", "damping_ratio")
    return replace(law, restitution=0.0, **{name: getattr(softest, name) for name in names})


def _softer(x: ContactLaw, y: ContactLaw) -> ContactLaw:
    """The softer of two laws that yield; a stiffness counts before time constants, with which it has no common unit."""
    if x.stiffness is not None and y.stiffness is not None:
        return x if np.all(x.stiffness <= y.stiffness) else y
    if x.time_constant is not None and y.time_constant is not None:
        return x if np.all(x.time_constant >= y.time_constant) else y
    return x if x.stiffness is not None else y


def _plain(x: Any) -> Any:
    return np.asarray(x).tolist()
