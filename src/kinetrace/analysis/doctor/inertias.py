"""Inertias: those that no physical body has, those that look like placeholders, left and right sides that differ.

A body's mass distribution has a standard deviation along each axis: √(λ/m), where λ are the eigenvalues of
½ tr(I) 1 − I about the centre of mass. It is real for physical bodies, and at most half as large as the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ...arrays import Array
from ...lie import inertia
from ...model.model import Model
from .finding import Finding, mass_of, moments_text, replace_bodies
from .units import is_identity, is_wide, length_of, links, parts_of, turning_names

LEAST_SPREAD = 1e-3
"""Of the largest standard deviation of a repaired body's mass, the least along any axis."""
BROAD_SPREAD = 0.3
"""Standard deviation of a body's mass beside the robot's length, above which moments of 1, 1, 1 are placeholders rather
than those of large links."""
POINT_SPREAD = 1e-6
"""Standard deviation of a body's mass [m] up to which it is a point."""
EQUAL_INERTIAS = 4
"""Bodies from which it is odd that all have the same inertia."""
OTHER_SIDE = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "l": "r", "L": "R", "fl": "fr", "rl": "rr"}
OTHER_SIDE |= {"FL": "FR", "RL": "RR", "hl": "hr", "HL": "HR", "lf": "rf", "LF": "RF", "lh": "rh", "LH": "RH"}
"""Words in names of links on the left → those on the right."""
SIDE_DIFFERENCE = 0.01
"""Relative difference of masses and moments of two sides."""


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
                f"moments, with the same mass and centre, are {moments_text(_moments(nearest))} kg m²"
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
    return model if J is None else replace_bodies(model, [replace(body, J=J)])


def _moments(J: Array) -> Array:
    return np.linalg.eigvalsh(inertia.to_mass_com(J)[2])


def points(model: Model) -> Iterator[Finding]:
    """Bodies that turn, and have mass but no moments of inertia about their centre."""
    turning = turning_names(model)
    found = [
        x
        for x in parts_of(model)
        if x.name in turning and np.abs(x.mass.moments).max() <= POINT_SPREAD**2 * x.mass.mass
    ]
    if found:
        yield Finding(
            "note",
            "point mass",
            links(found),
            "mass, but no moments of inertia about its centre",
            "it resists no turn about its centre, as no real link does",
            "take the moments from CAD, or those of a solid box of the link's size: m/12 (b² + c²), …",
        )


def placeholders(model: Model) -> Iterator[Finding]:
    """Moments of 1, 1, 1, and the same inertia on all links."""
    parts, length = parts_of(model), length_of(model)
    ones = [x for x in parts if is_identity(x.mass) and not is_wide(x.mass, length)]
    turning = turning_names(model)
    if ones:
        matters = length > 0.0 and any(x.mass.spreads[-1] > BROAD_SPREAD * length and x.name in turning for x in ones)
        yield Finding(
            "warning" if matters else "note",
            "placeholder inertia",
            links(ones),
            "moments of inertia of 1, 1, 1 kg m²",
            "editors write them until they are told; real links of a metre have a tenth of it",
            "take the moments from CAD, or those of a solid box of the link's size: m/12 (b² + c²), …",
        )
    heavy = [body.J for body in model.bodies if mass_of(body) is not None]
    same = all(np.allclose(J, heavy[0], rtol=1e-9, atol=0.0) for J in heavy)
    if len(heavy) >= EQUAL_INERTIAS and same and not ones:
        yield Finding(
            "note",
            "same inertia everywhere",
            (),
            f"all {len(heavy)} links have the same mass, centre and moments",
            "templates are copied more often than robots are made of equal links",
            "replace them by those of the links, if they differ",
        )


def sides(model: Model) -> Iterator[Finding]:
    """Links of the left that differ from those of the right."""
    bodies = {body.name: body for body in model.bodies}
    odd = []
    for name, body in bodies.items():
        other = bodies.get(_other_side(name))
        if other is None:
            continue
        a, b = mass_of(body), mass_of(other)
        if (a is None) != (b is None):
            odd.append((name, other.name))
        elif a is not None and b is not None:
            pairs = [(a.mass, b.mass), (a.moments, b.moments)]
            same = [
                np.allclose(x, y, rtol=SIDE_DIFFERENCE, atol=SIDE_DIFFERENCE * float(np.abs(x).max())) for x, y in pairs
            ]
            if not all(same):
                odd.append((name, other.name))
    if odd:
        left, right = odd[0]
        yield Finding(
            "note",
            "sides differ",
            tuple(f"links {left!r}, {right!r}" for left, right in odd),
            f"masses or moments of {left!r} and {right!r} differ by more than 1 %",
            "a robot that is meant to be symmetric leans to one side",
            "compare the two in the file",
        )


def _other_side(name: str) -> str:
    """The name of the link on the right of one on the left; empty if it is not.

    >>> _other_side("l_hip"), _other_side("FL_calf"), _other_side("leftFoot"), _other_side("hand")
    ('r_hip', 'FR_calf', 'rightFoot', '')
    """
    words = re.split(r"([_\-./ ]|(?<=[a-z])(?=[A-Z]))", name)
    swapped = [OTHER_SIDE.get(word, word) for word in words]
    return "".join(swapped) if swapped != words else ""
