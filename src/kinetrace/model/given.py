"""What a builder is given for a link or a joint, checked: inertias, limits, mimics and effects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Array, is_concrete
from ..errors import InputError, ModelError, shown
from ..lie import inertia
from .body import Limits
from .checks import LARGEST, number, numbers, sane, symmetric, text
from .joint_effects import JointEffects
from .joints import Joint
from .record import field_names

_MOMENTS = (
    ": moments about the centre of mass need the mass, too, mass=...; "
    "kt.lie.inertia.from_mass_com(mass, centre, moments) makes one of all"
)
_SIX = "; of six numbers as in URDF it is [[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]"


def checked_mimic(mimic: tuple[str, float, float], what: str) -> tuple[str, float, float]:
    """Name, ratio and offset, checked."""
    if not isinstance(mimic, tuple | list) or len(mimic) != 3:
        raise InputError(f"{what}: mimic must be (joint, ratio, offset), got {shown(mimic)}")
    name, ratio, offset = mimic
    what += ": mimic's"
    return text(name, f"{what} joint"), number(ratio, f"{what} ratio"), number(offset, f"{what} offset")


def checked_limits(limits: Limits, joint: Joint, what: str) -> Limits:
    """Limits, checked to have the joint's sizes; speeds and forces without bounds have them."""
    bounds, unbounded = field_names(Limits), Limits.none(joint)
    if not isinstance(limits, Limits):
        raise InputError(f"{what}: limits must be kinetrace.Limits({', '.join(bounds)})")
    infinite = {
        name: getattr(unbounded, name)
        for name in ("velocity", "effort")
        if is_concrete(bound := getattr(limits, name)) and bound.tolist() == [np.inf]
    }
    limits = replace(limits, **infinite)
    for name in bounds:
        wanted, shape = (getattr(x, name).shape for x in (unbounded, limits))
        if shape != wanted:
            raise ModelError(f"{what}: limits.{name} must have shape {wanted}, got {shape}")
    return limits


def checked_effects(effects: JointEffects, joint: Joint, what: str) -> JointEffects:
    """Effects of the joint's sizes."""
    if not isinstance(effects, JointEffects):
        raise InputError(f"{what}: effects must be kinetrace.JointEffects(...), got {effects!r}")
    return effects.of(joint, what)


def link_inertia(what: str, given: Any, mass: Any, com: Any) -> Array:
    """The spatial inertia (6, 6) of a link: as given, or of its mass, centre and moments about it."""
    I = None if given is None else numbers(given, f"{what}: inertia")
    if mass is None:
        if com is not None:
            raise ModelError(f"{what}: a centre of mass needs the mass, too: mass=...")
        if I is not None and I.shape != (6, 6):
            hint = {(): "; a mass is given by name: mass=...", (3,): _MOMENTS, (3, 3): _MOMENTS}.get(I.shape, "")
            raise ModelError(f"{what}: inertia must have shape (6, 6), got {I.shape}{hint}")
        return np.zeros((6, 6)) if I is None else I
    if I is not None and I.shape == (6, 6):
        raise ModelError(
            f"{what}: an inertia of shape (6, 6) has its mass and centre of mass in it: leave out mass and com"
        )
    if I is not None and I.shape not in ((3,), (3, 3)):
        shapes = "(3, 3) about the centre of mass, or its diagonal (3,)"
        raise ModelError(f"{what}: inertia must have shape {shapes}, got {I.shape}{_SIX if I.shape == (6,) else ''}")
    m, c = number(mass, f"{what}: mass"), numbers((0.0, 0.0, 0.0) if com is None else com, f"{what}: com")
    if c.shape != (3,):
        raise ModelError(f"{what}: com must be 3 numbers, the centre of mass in the link frame; got shape {c.shape}")
    I = np.zeros((3, 3)) if I is None else I
    for array, which in ((c, "com"), (I, "inertia")):
        if is_concrete(array) and not sane(array):
            raise ModelError(f"{what}: {which} must be finite numbers, at most {LARGEST:g}; got {array.tolist()}")
    I_com = symmetric(I, f"{what}: inertia") if I.ndim == 2 else I[:, None] * np.eye(3)
    return inertia.from_mass_com(m, c, I_com)
