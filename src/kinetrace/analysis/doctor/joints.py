"""Joints: their limits, their motors' forces, their friction, and what mimics them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...model.body import Body, Limits
from ...model.couplings import excluded_followers
from ...model.joints import Free, Prismatic, Revolute
from ...model.model import Model
from .finding import Finding, Severity, replace_bodies
from .units import SHORTEST_ROBOT, in_grams, length_of, parts_of, turning_names

DEGREE_ANGLES = 20.0, 720.0
"""The largest angle [rad] of a range that is probably in degrees is between these."""
FAST_SPEED = 60.0
"""Speed [rad/s] of joints with a range, above which it is probably in degrees per second: 600 turns a minute."""
STRONG_EFFORTS = {True: 30.0, False: 100.0}
"""Effort of joints that turn beside the weight of the robot times its length, above which it is no motor's (hands have
up to 15), and of those that slide beside the weight."""
LIGHTEST_ROBOT, GRAVITY = 1.0, 9.81
"""The least mass [kg] that a robot is taken to have for this, and gravity [m/s²], whatever that of the model."""


def limits(model: Model) -> Iterator[Finding]:
    """Ranges that are missing or empty."""
    unlimited = [b for b in model.independent_joints if type(b.joint) in (Revolute, Prismatic) and _is_unbounded(b)]
    if unlimited:
        yield Finding(
            "note",
            "no position limits",
            _joints(unlimited),
            "these joints have no range",
            "`robot.random` takes angles of any size up to π, and lengths up to 1; `robot.check` accepts all",
            'give the joints a range (URDF: <limit lower="…" upper="…"/>, MJCF: range), or make them continuous',
        )
    held = [b for b in model.independent_joints if b.joint.nv and np.all(b.limits.lower == b.limits.upper)]
    if held:
        yield Finding(
            "warning",
            "empty range",
            _joints(held),
            "'lower' and 'upper' are equal, or missing, which URDF reads as 0",
            "`robot.random` and `robot.home` never move these joints, and `robot.check` refuses all else",
            "write the range of the joint; make it fixed if it does not move, or continuous if it has no range",
        )


def in_degrees(model: Model) -> Iterator[Finding]:
    """Ranges in degrees, and speeds in degrees per second."""
    turning = [b for b in model.bodies if type(b.joint) is Revolute]
    ranges = [b for b in turning if DEGREE_ANGLES[0] < _widest(b) <= DEGREE_ANGLES[1] and not _is_of_pi(_widest(b))]
    if ranges:  # then others are in degrees, too, if more than a turn
        ranges = [b for b in turning if 2 * np.pi < _widest(b) <= DEGREE_ANGLES[1] and not _is_of_pi(_widest(b))]
        b = ranges[0]
        yield Finding(
            "warning",
            "range in degrees",
            _joints(ranges),
            f"{b.joint_name!r} turns from {b.limits.lower[0]:g} to {b.limits.upper[0]:g} rad",
            "angles are in radians",
            "multiply by π/180",
            partial(_in_radians, [b.index for b in ranges], ("lower", "upper")),
            done="; ".join(map(_converted_range, ranges)),
        )
    fast = [b for b in turning if _is_in_degrees(b.limits.velocity[0], 2 * np.pi if b in ranges else FAST_SPEED)]
    others = [float(b.limits.velocity[0]) for b in turning if b not in fast and 0.0 < b.limits.velocity[0] < np.inf]
    certain = [b for b in fast if b in ranges or _is_like(np.deg2rad(b.limits.velocity[0]), others)]
    for bodies, fix in (
        (certain, partial(_in_radians, [b.index for b in certain], ("velocity",))),
        ([b for b in fast if b not in certain], None),
    ):
        if bodies:
            b, v = bodies[0], bodies[0].limits.velocity[0]
            yield Finding(
                "warning",
                "velocity in degrees",
                _joints(bodies),
                f"{b.joint_name!r} turns with up to {v:g} rad/s, that is {v / (2 * np.pi):.3g} turns a second; "
                f"{v:g} degrees per second are {np.deg2rad(v):.3g} rad/s",
                "velocities are in rad/s; motions that respect limits are planned with them",
                "multiply by π/180" if fix else "multiply by π/180 if it is in degrees; other joints do not tell",
                fix,
                done="; ".join(_converted_speed(b) for b in bodies) if fix else "",
            )


def _widest(body: Body) -> float:
    return float(np.abs([*body.limits.lower, *body.limits.upper]).max())


def _is_of_pi(angle: float) -> bool:
    """Whether an angle is some quarters of a turn, in radians: several turns of a joint, not degrees.

    >>> _is_of_pi(25.133), _is_of_pi(90.0)
    (True, False)
    """
    quarters = angle / (np.pi / 2)
    return bool(abs(quarters - round(quarters)) < 1e-3)


def _is_in_degrees(speed: float, above: float) -> bool:
    """Whether a speed is one that arms have in degrees per second only; powers of ten are placeholders."""
    return bool(above < speed < DEGREE_ANGLES[1] + 1.0 and np.log10(speed) % 1.0 != 0.0)


def _is_like(speed: float, others: Sequence[float]) -> bool:
    """Whether a speed is one that other joints have, more or less; there are none if all are in degrees."""
    return not others or bool(0.2 < speed / np.median(others) < 5.0)


def _in_radians(bodies: Sequence[int], names: Sequence[str], model: Model) -> Model:
    """The model with limits of these bodies converted from degrees."""

    def converted(limits: Limits) -> Limits:
        values: dict[str, Any] = {name: np.deg2rad(getattr(limits, name)) for name in names}
        return replace(limits, **values)

    return replace_bodies(model, [replace(b, limits=converted(b.limits)) for b in model.bodies if b.index in bodies])


def _converted_range(body: Body) -> str:
    lower, upper = float(body.limits.lower[0]), float(body.limits.upper[0])
    new = f"{np.deg2rad(lower):.4g} to {np.deg2rad(upper):.4g} rad"
    return f"{body.joint_name!r} turns from {new}, not from {lower:g} to {upper:g}"


def _converted_speed(body: Body) -> str:
    speed = float(body.limits.velocity[0])
    return f"{body.joint_name!r} turns with up to {np.deg2rad(speed):.4g} rad/s, not {speed:g}"


def efforts(model: Model) -> Iterator[Finding]:
    """Limits of forces and speeds that are zero or missing."""
    moving = [b for b in model.independent_joints if not isinstance(b.joint, Free)]
    for name, what in (("effort", "force"), ("velocity", "speed")):
        zero = [b for b in moving if b.joint.nv and np.all(getattr(b.limits, name) == 0.0)]
        if zero:
            yield Finding(
                "note",
                f"{name} limit of zero",
                _joints(zero),
                f"the largest {what} of these joints is 0",
                f"programs that respect it never move them; kinetrace's dynamics ignore limits of {what}",
                f"write the {what} that the motor has, or leave the limit out",
                partial(_without_zero, name),
            )
    driven = [b for b in moving if b.joint_name in model.motor_names]
    none = [b for b in driven if np.all(np.isinf(b.limits.effort))]
    if none:
        yield Finding(
            "note",
            "no effort limits",
            _joints(none),
            "the largest force of these motors is not known",
            "nothing tells whether the robot can carry itself: `robot.limits.effort` is infinite",
            'give the motors a limit in N m or N (URDF: <limit effort="…"/>, MJCF: actuatorfrcrange)',
        )


def strong(model: Model) -> Iterator[Finding]:
    """Motors that could throw the whole robot about."""
    parts, length = parts_of(model), length_of(model)
    heavy = in_grams(parts, turning_names(model), length)
    weight = max(sum(x.mass.mass * (1e-3 if x in heavy else 1.0) for x in parts), LIGHTEST_ROBOT) * GRAVITY
    units = {True: ("N m", weight * max(length, SHORTEST_ROBOT)), False: ("N", weight)}
    joints = [(b, bool(np.any(b.joint.subspace(b.joint.neutral())[:3]))) for b in model.bodies if b.joint.nv == 1]
    found = [(b, turns) for b, turns in joints if STRONG_EFFORTS[turns] * units[turns][1] < b.limits.effort[0] < np.inf]
    kinds: tuple[tuple[Severity, list[tuple[Body, bool]]], ...] = (
        ("warning", [x for x in found if not _is_placeholder(x[0].limits.effort[0])]),
        ("note", [x for x in found if _is_placeholder(x[0].limits.effort[0])]),
    )
    for severity, bodies in kinds:
        if bodies:
            (b, turns), (unit, most) = bodies[0], units[bodies[0][1]]
            effort = float(b.limits.effort[0])
            yield Finding(
                severity,
                "implausible effort",
                _joints([b for b, _ in bodies]),
                f"{b.joint_name!r} has up to {effort:,.6g} {unit}; to hold all of the robot"
                f"{', stretched out,' if turns else ''} takes {most:.3g} {unit}",
                "programs that respect limits of effort plan motions that no motor can do",
                f"efforts are in {unit}: multiply by 0.001 if this is in m{unit}{' or N mm' if turns else ''}; if it "
                "stands for no limit, leave it out",
            )


def _is_placeholder(x: float) -> bool:
    """Whether a number is one of those that people write for none: 1000, 50000.

    >>> _is_placeholder(1000.0), _is_placeholder(50000.0), _is_placeholder(28000.0)
    (True, True, False)
    """
    return f"{x:.9e}"[:11] in ("1.000000000", "5.000000000")


def damping(model: Model) -> Iterator[Finding]:
    """No friction anywhere."""
    effects = [b.effects for b in model.bodies if b.effects is not None]
    lossy = any(np.any(x) for e in effects for x in (e.damping, e.friction))
    if model.nv and not lossy and model.fluid is None:
        yield Finding(
            "note",
            "no damping",
            (),
            "no joint has damping or friction",
            "simulations keep their energy, and so swing for ever",
            'robot.with_joint_effects(damping=0.1), or in the file (URDF: <dynamics damping="…"/>, MJCF: damping)',
        )


def mimics(model: Model) -> Iterator[Finding]:
    """Limits of mimic joints that exclude all positions, and couplings that hold a joint."""
    empty = [body for each in excluded_followers(model).values() for body in each]
    if empty:
        yield Finding(
            "warning",
            "limits of a mimic joint",
            _joints(empty),
            "no position of the joint that they follow is within the limits of these joints",
            "`robot.check` refuses every configuration, and `robot.random` leaves their limits",
            "compare multiplier, offset and limits of the mimic joint: q = multiplier · q_leader + offset",
        )
    held = [b for b in model.bodies if b.mimic is not None and not np.any(b.mimic.ratio)]
    if held:
        yield Finding(
            "note",
            "mimic of zero",
            _joints(held),
            "a multiplier of 0 holds these joints",
            "they do not move",
            "make them fixed if that is meant, else write the multiplier",
        )


def _is_unbounded(body: Body) -> bool:
    return bool(np.all(np.isinf([*body.limits.lower, *body.limits.upper])))


def _without_zero(name: str, model: Model) -> Model:
    """The same model without limits of zero."""

    def dropped(limits: Limits) -> Limits:
        values: dict[str, Any] = {name: np.where(getattr(limits, name) == 0.0, np.inf, getattr(limits, name))}
        return replace(limits, **values)

    return replace_bodies(model, [replace(b, limits=dropped(b.limits)) for b in model.bodies])


def _joints(bodies: Sequence[Body]) -> tuple[str, ...]:
    return tuple(f"joint {body.joint_name!r}" for body in bodies)
