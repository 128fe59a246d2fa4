"""Lengths, masses and moments that are plausible in other units only, of robots and of payloads.

The mass of a body spreads along its principal axes with standard deviations σ. A solid box of the same moments has
sides of √12 σ. Its density is the body's, whatever the shape, within a factor of ten: most links of real robots have
100 to 10,000 kg/m³, and a link in grams a thousand times that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...model.body import WORLD
from ...model.model import Model
from .finding import Finding, MassProperties, mass_of, moments_text

LONG_ROBOT, LONG_STEP = 100.0, 10.0
"""A robot this long [m], with joints this far apart, was probably described in millimetres."""
IMPOSSIBLE_DENSITY, HIGH_DENSITY = 3e4, 3e3
"""Density of a part [kg/m³] that nothing has (tungsten has 19,000), and that of no robot's hull or housing."""
THINNEST_SPREAD = 0.1
"""Of a part's largest standard deviation, the least along any axis; moments of rods are often written as 0."""
POINT_SPREAD, HEAVY_POINT = 1e-3, 100.0
"""A part of less standard deviation [m] is a point for whoever wrote it, and has no density, unless it is heavier
[kg]."""
DENSE_MASS_RATIO, HARD_MASS_RATIO = 2.0, 10.0
"""Mass of a dense, and of a hard part beside that of all others together, above which it may be in grams."""
DENSE_MASS_PER_CUBE, HARD_MASS_PER_CUBE = 5.0, 200.0
"""The same over the cube of the robot's length [kg/m³]; few robots have more than 100 in all."""
SHORTEST_ROBOT = 0.2
"""The least length [m] that a robot is taken to have for this."""
LEAST_DENSITY = 30.0
"""Density [kg/m³] that links have at least."""
FAR_CENTER = 3.0
"""Distance of a centre of mass beside the length of all other things, above which it is probably in millimetres."""
NEAR_CENTER = 10.0
"""A centre of mass within this [m] says nothing about a robot that has no length of its own."""
WIDE_SPREAD = 3.0
"""Standard deviation of a body's mass beside the robot's length, above which its moments are in other units."""
SMALLEST_ROBOT = 0.1
"""The least length [m] that a robot is taken to have for this."""
HEAVY_PAYLOAD, HEAVY_FROM_KG = 10.0, 20.0
"""A payload of more times the robot's mass, and of more kg, is probably in grams: 20 g is little for a payload."""
FAR_PAYLOAD, FAR_FROM_M = 10.0, 5.0
"""A centre of mass more times the robot's length away, and more m, is probably in millimetres."""


class LinkPart(NamedTuple):
    """A body, or a link of a file that is part of one."""

    name: str
    mass: MassProperties

    @property
    def density(self) -> float:
        """That of a solid box of the same moments [kg/m³]; 0 if these say nothing."""
        spreads, mass = np.nan_to_num(self.mass.spreads), self.mass.mass
        if spreads[-1] <= (POINT_SPREAD if mass < HEAVY_POINT else 0.0):
            return 0.0
        return float(mass / np.prod(np.sqrt(12.0) * np.maximum(spreads, THINNEST_SPREAD * spreads[-1])))


def units(model: Model) -> Iterator[Finding]:
    """Lengths, masses and moments that are plausible in other units only."""
    parts, length = parts_of(model), length_of(model)
    if length > LONG_ROBOT and _longest_step(model) > LONG_STEP:
        yield odd(
            "length",
            (),
            f"the robot is {length:.3g} m long",
            "lengths are in m: multiply those of the file by 0.001 if they are in mm",
        )
        return
    far = [part for part in parts if _is_far(part.mass, length)]
    if far:
        worst = max(far, key=lambda x: float(np.linalg.norm(x.mass.center)))
        text = f"{np.linalg.norm(worst.mass.center):.3g} m from the link's frame"
        yield odd(
            "centre of mass",
            links(far),
            f"the centre of mass of {worst.name!r} is {text}" + (f", on a robot of {length:.2g} m" if length else ""),
            "centres of mass are in m, in the link's frame: multiply by 0.001 if they are in mm, and check the frame",
        )
    turning = turning_names(model)
    heavy = in_grams(parts, turning, length)
    if heavy:
        yield grams(heavy, parts, length)
        return
    wide = [x for x in parts if is_wide(x.mass, length) and x not in far and x.name in turning]
    if wide:
        worst = max(wide, key=lambda x: float(x.mass.spreads[-1]))
        mass = worst.mass
        told = f"the moments of {worst.name!r}, {moments_text(mass.moments)} kg m², are those of {mass.mass:.3g} kg"
        yield odd(
            "moments of inertia",
            links(wide),
            f"{told} spread over ±{mass.spreads[-1]:.3g} m, on a robot of {length:.2g} m",
            _unit_of(mass, length),
        )


def in_grams(parts: Sequence[LinkPart], turning: set[str], length: float) -> list[LinkPart]:
    """The parts whose masses are probably in grams: by their density, and beside the others.

    Moments of inertia of parts that never turn do not matter, and say nothing.
    """
    size = max(length, SHORTEST_ROBOT) ** 3
    dense, hard = (
        [x for x in parts if x.density > least and x.name in turning] for least in (IMPOSSIBLE_DENSITY, HIGH_DENSITY)
    )
    if len(dense) == len(parts):
        return dense if length > 0.0 and sum(x.mass.mass for x in dense) > HARD_MASS_PER_CUBE * size else []
    total, others = (sum(x.mass.mass for x in some) for some in (parts, [x for x in parts if x not in dense]))
    found = [x for x in dense if x.mass.mass > max(DENSE_MASS_RATIO * others, DENSE_MASS_PER_CUBE * size)]
    found += [
        x
        for x in hard
        if x.mass.mass > max(HARD_MASS_RATIO * (total - x.mass.mass), HARD_MASS_PER_CUBE * size) and len(parts) > 1
    ]
    return [x for x in parts if any(x is y for y in found)]


def grams(heavy: Sequence[LinkPart], parts: Sequence[LinkPart], length: float) -> Finding:
    """The finding about parts whose masses are in grams."""
    worst = max(heavy, key=lambda x: x.mass.mass)
    if len(heavy) == len(parts):
        total = sum(x.mass.mass for x in parts)
        what = f"the moving links weigh {total:,.3g} kg, on a robot of {length:.2g} m"
    else:
        others = sum(x.mass.mass for x in parts if x not in heavy)
        what = f"{worst.name!r} weighs {worst.mass.mass:,.4g} kg, and all others {others:,.3g} kg together"
    density = f"; its moments of inertia are those of {_rounded(worst.density)} kg/m³, and steel has 7,850"
    return odd("mass", links(heavy), what + density, "masses are in kg: multiply by 0.001 if they are in g")


def _rounded(x: float) -> str:
    """A large number with two digits, and commas.

    >>> _rounded(1234567.0)
    '1,200,000'
    """
    return f"{float(f'{x:.2g}'):,.0f}" if x < 1e12 else f"{x:.2g}"


def moments_are_too(part: LinkPart) -> bool | None:
    """Whether the moments of a part in grams are in g m², too, as its density says; None if it says neither."""
    if LEAST_DENSITY < part.density / 1e3 < IMPOSSIBLE_DENSITY:
        return True
    return False if LEAST_DENSITY < part.density / 1e3**2.5 < IMPOSSIBLE_DENSITY else None  # σ ∝ m^(-1/2)


def parts_of(model: Model) -> list[LinkPart]:
    """The bodies of a model that have mass."""
    return [LinkPart(body.name, mass) for body in model.bodies if (mass := mass_of(body)) is not None]


def turning_names(model: Model) -> set[str]:
    """Names of the bodies that some joint turns."""
    return {model.bodies[i].name for i in turning_bodies(model)}


def turning_bodies(model: Model) -> set[int]:
    """Indices of the bodies that some joint turns."""
    found = set[int]()
    for body in model.bodies:
        if body.parent in found or np.any(body.joint.subspace(body.joint.neutral())[:3]):
            found.add(body.index)
    return found


def odd(kind: str, where: tuple[str, ...], what: str, remedy: str) -> Finding:
    """A finding about numbers in other units."""
    return Finding("warning", f"implausible {kind}", where, what, "forces and motions depend on it", remedy)


def links(parts: Sequence[LinkPart]) -> tuple[str, ...]:
    """Names of parts in a finding."""
    return tuple(f"link {part.name!r}" for part in parts)


def _unit_of(mass: MassProperties, length: float) -> str:
    """Remark on the likely unit of moments."""
    if is_identity(mass):
        return "1, 1, 1 is what editors write until they are told: take the moments from CAD, or those of a solid box"
    for unit, factor in (("kg mm²", 1e-6), ("g mm²", 1e-9)):
        if 1e-3 * length < mass.spreads[-1] * factor**0.5 < length:
            return f"moments are in kg m², about the centre of mass: multiply by {factor:g} if they are in {unit}"
    return "moments are in kg m², about the centre of mass: check the units of what wrote the file"


def is_identity(mass: MassProperties) -> bool:
    """Whether the moments are 1, 1, 1."""
    return bool(np.allclose(mass.moments, 1.0, rtol=0.0, atol=1e-9))


def is_wide(mass: MassProperties, length: float) -> bool:
    """Whether the mass spreads beyond the robot; one without any length says nothing."""
    size = max(length, SMALLEST_ROBOT, float(np.linalg.norm(mass.center)))
    return length > 0.0 and bool(mass.spreads[-1] > WIDE_SPREAD * size)


def _is_far(mass: MassProperties, length: float) -> bool:
    """Whether the centre is beyond the robot; a body that reaches it by its own spread is there."""
    away = float(np.linalg.norm(mass.center))
    size = max(length, float(np.nan_to_num(mass.spreads[-1])))
    return away > FAR_CENTER * max(size, 0.1) and (length > 0.1 or away > NEAR_CENTER)


def length_of(model: Model) -> float:
    """The longest way along joints from the base to a link, and to its shapes [m]; centres of mass do not count."""
    reach = {WORLD: 0.0}
    for body in model.bodies:
        # A sliding joint adds its range.
        ends = np.abs([x for x in (*body.limits.lower, *body.limits.upper) if np.isfinite(x)] or [0.0])
        slide = float(ends.max()) if np.any(body.joint.subspace(body.joint.neutral())[3:]) else 0.0
        own = float(np.linalg.norm(body.X_pj[:3, 3]) + np.linalg.norm(body.X_ji[:3, 3])) + min(slide, LONG_ROBOT)
        reach[body.index] = (reach[body.parent] if not body.joint.is_free else 0.0) + own
    on = {name: frame for name, frame in model.frames.items() if frame.body != WORLD}
    frames = {name: reach[f.body] + float(np.linalg.norm(f.X_bf[:3, 3])) for name, f in on.items()}
    shapes = [
        frames[shape.frame] + float(np.linalg.norm(shape.placement[:3, 3])) + _extent(shape.kind, shape.size)
        for shape in model.geometry
        if shape.frame in on
    ]
    return max([*reach.values(), *frames.values(), *shapes])


def _longest_step(model: Model) -> float:
    """The largest distance of a frame from the joint that moves it, and of a joint from the one before [m]."""
    shifts = [*(b.X_pj[:3, 3] for b in model.bodies), *(f.X_bf[:3, 3] for f in model.frames.values())]
    return max((float(np.linalg.norm(p)) for p in shifts), default=0.0)


def _extent(kind: str, size: Sequence[float]) -> float:
    """Half of a shape's diameter; that of a mesh is not known."""
    return 0.0 if kind == "mesh" else float(np.linalg.norm(size)) / (2 if kind == "box" else 1)


def doubts(model: Model, mass: Any, com: Any) -> Iterator[str]:
    """Remark on an odd mass [kg] or centre (3,) [m] of a payload; empty for a robot without mass.

    >>> import kinetrace as kt
    >>> list(doubts(kt.load("planar2r").model, 2000.0, [0.0, 0.0, 0.1]))[0].partition(";")[0]
    "payload: 2000 kg are 1000 times the mass of all moving links of 'planar2r', 2 kg"
    """
    total = sum(found.mass for body in model.bodies if (found := mass_of(body)) is not None)
    if total > 0.0 and mass > max(HEAVY_PAYLOAD * total, HEAVY_FROM_KG):
        yield (
            f"payload: {mass:g} kg are {mass / total:.0f} times the mass of all moving links of {model.name!r}, "
            f"{total:.3g} kg; masses are in kg: give {mass / 1e3:g} if it is {mass:g} g (check='ignore' keeps it)"
        )
    away, length = float(np.linalg.norm(com)), max(length_of(model), SHORTEST_ROBOT)
    if away > max(FAR_PAYLOAD * length, FAR_FROM_M):
        yield (
            f"payload: com is {away:.3g} m from the frame, and {model.name!r} is {length:.2g} m long; lengths are in "
            f"m: give {(np.asarray(com, dtype=float) / 1e3).tolist()} if they are mm (check='ignore' keeps it)"
        )
