"""What surfaces do in a step of the time h, as biases b and softness R of normals: u_N + b + R x_N ≥ 0 ⊥ x_N ≥ 0.

    apart           b = gap / h                    so that the step ends where the surfaces meet
    overlapping     b = gap / h                    if that is slower than 0.05 m/s, else a part of it, e gap / h, if
                                                   that is faster, and at most the speed v_max
    springs         b = e gap / h,  R = 1 / (h (h k + d)),  e = h k / (h k + d)          an implicit step of k and d
    impacts         b = e u_N       if it comes at u_N < −REST_SPEED and would pass through: restitution e

A time constant T with a damping ratio ζ is a spring on the mass m = 1 / G_NN that the contact feels, k = m / (T ζ)²,
d = 2 m / T. Pairs of rigid surfaces that share a load among several slots have the softness 0.01 G_NN: without it the
shares would be any that hold the load.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...arrays import less, maximum, minimum, where
from ...model.checks import is_present
from ...model.contact.surface import REST_SPEED, ContactLaw
from .slots import Slot

PUSHED_OUT = 0.2
"""Part of an overlap that a step takes away."""
SLOWEST, FASTEST = 0.05, 1.0
"""Speed out of an overlap up to which all of it goes in a step, and at most [m/s]."""
SHARED_SOFTNESS = 0.01
"""Softness of normals of pairs with several slots, relative to G_NN."""


class NormalLaw(NamedTuple):
    """Of the normal of a slot."""

    bias: Any
    """b [m/s]"""
    softness: Any
    """R of springs [1/kg]"""
    sharing: Any
    """The same for sweeps, which need some where slots share a load."""


def normal_law(slot: Slot, dt: Any, before: Any, free: Any, compliance: Any) -> NormalLaw:
    """That of a slot with the normal velocities before the step and without impulses after it, and G_NN."""
    law = slot.law
    gap = slot.gap - law.margin if is_present(law.margin) else slot.gap
    apart = gap / dt
    if law.is_rigid:
        out = minimum(maximum(apart, -SLOWEST), maximum(PUSHED_OUT * apart, -FASTEST))[()]
        push = where(less(gap, 0.0), out, apart)[()]
        softness, sharing = 0.0, SHARED_SOFTNESS * compliance if slot.shared else 0.0
    else:
        part, softness = _spring(law, dt, compliance)
        push, sharing = where(less(gap, 0.0), part * apart, apart)[()], softness
    if not is_present(law.restitution):
        return NormalLaw(push, softness, sharing)
    hits = where(less(before, -REST_SPEED), where(less(gap + dt * free, 0.0), 1.0, 0.0), 0.0)[()]
    bounce = minimum(push, law.restitution * before)[()]
    return NormalLaw(where(less(0.5, hits), bounce, push)[()], softness, sharing)


def follows_compliance(slot: Slot, shares: bool) -> bool:
    """Whether the softness of a slot is relative to G_NN; with `shares`, that of sweeps."""
    return shares and slot.shared if slot.law.is_rigid else slot.law.stiffness is None


def _spring(law: ContactLaw, dt: Any, compliance: Any) -> tuple[Any, Any]:
    """e and R."""
    if law.stiffness is not None:
        k, d = law.stiffness, 0.0 if law.damping is None else law.damping
        total = dt * k + d
        return dt * k / total, 1.0 / (dt * total)
    T: Any = law.time_constant
    zeta = law.damping_ratio
    k, d = 1.0 / (T * zeta * (T * zeta)), 2.0 / T
    total = dt * k + d
    return dt * k / total, compliance / (dt * total)
