"""Inertias: those that no physical body has, and those that look like placeholders or like other units.

A body's mass distribution has a standard deviation along each axis: √(λ/m), where λ are the eigenvalues of
½ tr(I) 1 − I about the centre of mass. It is real for physical bodies, and at most half as large as the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Array
from ..lie import inertia
from ..model.body import WORLD, Body
from ..model.model import Model
from .finding import Finding, Mass, changed, mass_of

LEAST_SPREAD = 1e-3
"""Of the largest standard deviation of a repaired body's mass, the least along any axis."""
LONG, STEP = 100.0, 10.0
"""A robot this long [m], with joints this far apart, was probably described in millimetres."""
DENSE = 5000.0
"""Mass of a robot over the cube of its length [kg/m³], above which its masses are probably in grams."""
FAR = 3.0
"""Distance of a centre of mass beside the length of all other things, above which it is probably in millimetres."""
SPREAD = 3.0
"""Standard deviation of a body's mass beside the robot's length, above which its moments are in other units."""
BROAD = 0.3
"""The same, above which moments of 1, 1, 1 are placeholders rather than those of large links."""
MANY = 4
"""Bodies from which it is odd that all have the same inertia."""


def impossible(model: Model) -> Iterator[Finding]:
    """Bodies whose numbers no physical body has."""
    for body in model.bodies:
        reasons = inertia.violations(body.J)
        if not reasons:
            continue
        nearest = nearest_physical(body.J)
        remedy = "correct it in the file: only you know the mass"
        if nearest is not None:
            remedy = (
                "correct it in the file (exports of CAD often swap signs or axes); the nearest possible principal "
                f"moments, with the same mass and centre, are {_three(_moments(nearest))} kg m²"
            )
        yield Finding(
            "error",
            "impossible inertia",
            (f"link {body.name!r}",),
            "; ".join(reasons),
            "no body has this inertia: the mass matrix may be indefinite, and simulations gain energy",
            remedy,
            None if nearest is None else partial(_with_nearest, body.index),
        )


def nearest_physical(J: Array) -> Array | None:
    """The inertia (6, 6) of the same mass and centre whose moments are possible and differ least; None without mass.

    Eigenvalues of the second moments of mass about the centre are raised to what is positive: the projection onto
    positive matrices.

    >>> import kinetrace as kt
    >>> odd = kt.lie.inertia.from_mass_com(1.0, np.zeros(3), np.diag([1.0, 2.0, 4.0]))
    >>> nearest_physical(odd)[:3, :3].diagonal().round(3)
    array([1.5, 2.5, 4. ])
    """
    m, c, I_c = inertia.to_mass_com(J)
    if not (np.isfinite(J).all() and m > 0.0):
        return None
    values, axes = np.linalg.eigh(np.trace(I_c) / 2 * np.eye(3) - I_c)
    if values[-1] <= 0.0:
        return None
    values = np.maximum(values, LEAST_SPREAD**2 * values[-1])
    second = (axes * values) @ axes.T
    return inertia.from_mass_com(m, c, np.trace(second) * np.eye(3) - second)


def _with_nearest(index: int, model: Model) -> Model:
    body = model.bodies[index]
    J = nearest_physical(body.J)
    return model if J is None else changed(model, [replace(body, J=J)])


def _moments(J: Array) -> Array:
    return np.linalg.eigvalsh(inertia.to_mass_com(J)[2])


def units(model: Model) -> Iterator[Finding]:
    """Lengths, masses and moments that are plausible in other units only."""
    bodies = [(body, mass) for body in model.bodies if (mass := mass_of(body)) is not None]
    length = _length(model)
    if length > LONG and _longest_step(model) > STEP:
        yield _odd(
            "length",
            (),
            f"the robot is {length:.3g} m long",
            "lengths are in m: multiply those of the file by 0.001 if they are in mm",
        )
        return
    far = [(body, mass) for body, mass in bodies if _is_far(mass, length)]
    if far:
        body, mass = max(far, key=lambda x: float(np.linalg.norm(x[1].center)))
        text = f"{np.linalg.norm(mass.center):.3g} m from the link's frame, on a robot of {length:.2g} m"
        yield _odd(
            "centre of mass",
            _links(far),
            f"the centre of mass of {body.name!r} is {text}",
            "centres of mass are in m, in the link's frame: multiply by 0.001 if they are in mm, and check the frame",
        )
    total = sum(mass.mass for _, mass in bodies)
    if length > 0.0 and total > DENSE * max(length, 0.2) ** 3:
        yield _odd(
            "mass",
            (),
            f"the moving links weigh {total:.3g} kg, on a robot of {length:.2g} m",
            "masses are in kg: multiply by 0.001 if they are in g",
        )
        return
    wide = [x for x in bodies if length > 0.0 and x[1].spreads[-1] > SPREAD * length and x not in far]
    if wide:
        body, mass = max(wide, key=lambda x: float(x[1].spreads[-1]))
        told = f"the moments of {body.name!r}, {_three(mass.moments)} kg m², are those of {mass.mass:.3g} kg spread"
        yield _odd(
            "moments of inertia",
            _links(wide),
            f"{told} over ±{mass.spreads[-1]:.3g} m, on a robot of {length:.2g} m",
            _unit_of(mass, length),
        )


def _odd(kind: str, where: tuple[str, ...], what: str, remedy: str) -> Finding:
    return Finding("warning", f"implausible {kind}", where, what, "forces and motions depend on it", remedy)


def _unit_of(mass: Mass, length: float) -> str:
    """What the unit of moments may be."""
    if _is_identity(mass):
        return "1, 1, 1 is what editors write until they are told: take the moments from CAD, or those of a solid box"
    for unit, factor in (("kg mm²", 1e-6), ("g mm²", 1e-9)):
        if 1e-3 * length < mass.spreads[-1] * factor**0.5 < length:
            return f"moments are in kg m², about the centre of mass: multiply by {factor:g} if they are in {unit}"
    return "moments are in kg m², about the centre of mass: check the units of what wrote the file"


def _is_far(mass: Mass, length: float) -> bool:
    return float(np.linalg.norm(mass.center)) > FAR * max(length, 0.1)


def _length(model: Model) -> float:
    """The longest way along joints from the base to a link, and to its shapes [m]; centres of mass do not count."""
    reach = {WORLD: 0.0}
    for body in model.bodies:
        # A sliding joint adds its range.
        ends = np.abs([x for x in (*body.limits.lower, *body.limits.upper) if np.isfinite(x)] or [0.0])
        slide = float(ends.max()) if np.any(body.joint.subspace(body.joint.neutral())[3:]) else 0.0
        own = float(np.linalg.norm(body.X_pj[:3, 3]) + np.linalg.norm(body.X_ji[:3, 3])) + min(slide, LONG)
        reach[body.index] = (reach[body.parent] if body.joint.nv < 6 else 0.0) + own
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


def placeholders(model: Model) -> Iterator[Finding]:
    """Moments of 1, 1, 1, and the same inertia on all links."""
    bodies = [(body, mass) for body in model.bodies if (mass := mass_of(body)) is not None]
    length = _length(model)
    ones = [(body, m) for body, m in bodies if _is_identity(m) and not m.spreads[-1] > SPREAD * length > 0.0]
    if ones:
        yield Finding(
            "warning" if any(mass.spreads[-1] > BROAD * length for _, mass in ones) else "note",
            "placeholder inertia",
            _links(ones),
            "moments of inertia of 1, 1, 1 kg m²",
            "editors write them until they are told; real links of a metre have a tenth of it",
            "take the moments from CAD, or those of a solid box of the link's size: m/12 (b² + c²), …",
        )
    same = all(np.allclose(body.J, bodies[0][0].J, rtol=1e-9, atol=0.0) for body, _ in bodies)
    if len(bodies) >= MANY and same and not ones:
        yield Finding(
            "note",
            "same inertia everywhere",
            (),
            f"all {len(bodies)} links have the same mass, centre and moments",
            "templates are copied more often than robots are made of equal links",
            "replace them by those of the links, if they differ",
        )


def _is_identity(mass: Mass) -> bool:
    return bool(np.allclose(mass.moments, 1.0, rtol=0.0, atol=1e-9))


def _links(bodies: Sequence[tuple[Body, Mass]]) -> tuple[str, ...]:
    return tuple(f"link {body.name!r}" for body, _ in bodies)


def _three(x: Array) -> str:
    return ", ".join(f"{each:.3g}" for each in x)
