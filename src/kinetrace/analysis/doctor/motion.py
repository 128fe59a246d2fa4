"""Motion: joints that move no mass, mass matrices that are nearly singular, gravity, closed loops and their motors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ... import algorithms
from ...algorithms.closed.assembly import FloatClosures
from ...algorithms.closed.mobility import mobility
from ...arrays import Array
from ...errors import name_list
from ...model.build.massless import massless_messages
from ...model.joints import Free
from ...model.model import Model
from .finding import Finding

CONDITION_STATES = 4
"""Random configurations at which the mass matrix is looked at."""
SINGULAR_CONDITION, POOR_CONDITION = 1e12, 1e8
"""Condition numbers of M, its diagonal scaled to 1: above, 12 or 8 of 16 digits of accelerations are lost."""
LIGHT_INERTIA = 1e-9
"""Inertia that a joint feels beside the largest that one of its kind feels: below, steps in time must be tiny."""


def massless(model: Model) -> Iterator[Finding]:
    """Joints that can move without moving any mass."""
    found = model.massless
    if found:
        first = found[0].joint
        yield Finding(
            "error",
            "joint that moves no mass",
            tuple(f"joint {each.joint!r}" for each in found),
            "; ".join(massless_messages(found)),
            "the mass matrix is singular: forward dynamics, simulation and operational space are NaN",
            f"give the links beyond it mass and inertia, make the joint fixed (robot.locked({{{first!r}: 0.0}})), or "
            f"give it a rotor (robot.with_joint_effects({first!r}, armature=0.01))",
        )


def condition(model: Model) -> Iterator[Finding]:
    """Mass matrices that lose most digits of accelerations."""
    if model.massless or not model.nv or not model.is_concrete:
        return
    rng = np.random.default_rng(0)
    worst, joints, least = 1.0, list[str](), np.full(model.nv, np.inf)
    for _ in range(CONDITION_STATES):
        M = algorithms.mass_matrix(model, model.random(rng))
        size = np.sqrt(np.abs(np.diag(M)))
        if not (np.all(np.isfinite(M)) and np.all(size > 0.0)):
            return  # an impossible inertia: said elsewhere
        least = np.minimum(least, size**2)
        values, vectors = np.linalg.eigh(M / np.outer(size, size))
        if values[0] < -1e-12:
            return  # indefinite by more than rounding: an impossible inertia too
        number = float(values[-1] / max(values[0], 1e-300))
        if number > worst:
            worst, joints = number, _movers(model, vectors[:, 0] / size)
    if worst > POOR_CONDITION:
        yield Finding(
            "warning" if worst > SINGULAR_CONDITION else "note",
            "nearly singular mass matrix",
            tuple(f"joint {name!r}" for name in joints),
            f"its condition number is up to {worst:.1g} (with unit diagonal)",
            f"a motion of these joints moves next to no mass: accelerations lose {np.log10(worst):.0f} of 16 digits",
            "check the inertias of the links that they carry, or give the joints rotors: "
            f"robot.with_joint_effects({joints[0]!r}, armature=…)",
        )

    light = [name for name, ratio in _ratios(model, least).items() if ratio < LIGHT_INERTIA]
    if light and worst <= POOR_CONDITION:
        yield Finding(
            "note",
            "very light joints",
            tuple(f"joint {name!r}" for name in light),
            f"these joints feel less than {LIGHT_INERTIA:g} of the inertia that others feel",
            "the least force makes them very fast: simulations need tiny steps in time",
            "check the units of the inertias beyond them, or give the joints rotors: "
            f"robot.with_joint_effects({light[0]!r}, armature=…)",
        )


def _ratios(model: Model, least: Array) -> dict[str, float]:
    """Joint → the least inertia that it feels beside the largest of all that slide, or of all that turn."""
    found, most = {}, {True: 0.0, False: 0.0}
    for body in model.independent_joints:
        own = least[model.slices[body.index][1]]
        turns = bool(np.any(body.joint.subspace(body.joint.neutral())[:3]))
        most[turns] = max(most[turns], float(own.max(initial=0.0)))
        found[body.joint_name] = float(own.min(initial=np.inf)), turns
    return {name: x / most[turns] for name, (x, turns) in found.items() if most[turns] > 0.0}


def _movers(model: Model, v: Array) -> list[str]:
    """The joints that move in a motion, those that move most first."""
    speeds = {b.joint_name: float(np.abs(v[model.slices[b.index][1]]).max()) for b in model.independent_joints}
    most = max(speeds.values())
    return sorted((name for name, x in speeds.items() if x > 0.1 * most), key=lambda name: -speeds[name])


def gravity(model: Model) -> Iterator[Finding]:
    """Gravity that is none, or points elsewhere than down."""
    g = np.asarray(model.gravity, dtype=float)
    size = float(np.linalg.norm(g))
    where = "kt.load(..., gravity=(0, 0, -9.81)) sets it, in the axes of the world [m/s²]"
    if size == 0.0:
        yield Finding("note", "no gravity", (), "gravity is zero", "nothing falls", where)
    elif size > 100.0:
        yield Finding(
            "warning", "implausible gravity", (), f"gravity is {size:.4g} m/s²", "that of the earth is 9.81", where
        )
    elif g[2] > -0.5 * size:
        direction = ", ".join(f"{x:g}" for x in g)
        yield Finding(
            "note",
            "gravity not along −z",
            (),
            f"gravity is ({direction}) m/s²",
            "a robot that is described with z upwards would fall sideways or up",
            where,
        )


def closures(model: Model) -> Iterator[Finding]:
    """Closed loops: rows that follow from others, mechanisms that cannot move, motions without a motor."""
    if not model.closures:
        return
    found = mobility(FloatClosures(model))
    if found.redundant:
        yield Finding(
            "note",
            "redundant closures",
            tuple(f"closure {name!r}" for name in found.redundant),
            f"{sum(found.redundant.values())} of {found.rows} equations of the loops follow from the others",
            "the motion is unique, the forces within the loops are not: those of least size are computed",
            "close the loop with fewer equations: allow what its other joints prevent already",
        )
    if found.dof == 0:
        yield Finding(
            "warning",
            "loops that cannot move",
            tuple(f"closure {name!r}" for name in model.closure_slices),
            "the loops leave no degree of freedom",
            "nothing moves, whatever the forces",
            "check the axes of the closures' joints: robot.mobility() says which rows are independent",
        )
    if model.undriven and found.dof and not any(isinstance(b.joint, Free) for b in model.bodies):
        yield Finding(
            "note",
            "motion without a motor",
            tuple(f"joint {name!r}" for name in model.undriven),
            f"the motors {name_list(model.motor_names)} do not determine the motion",
            "these joints swing freely, and `robot.motor_forces` is NaN",
            "robot.with_motors(...) names the driven joints",
        )
