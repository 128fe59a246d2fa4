"""Joints: their limits, their motors' forces, their friction, and what mimics them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..model.body import Body, Limits
from ..model.couplings import leader_bounds
from ..model.joints import Free, Prismatic, Revolute
from ..model.model import Model
from .finding import Finding, changed

DEGREES = 20.0, 720.0
"""The largest angle [rad] of a range that is probably in degrees is between these."""


def limits(model: Model) -> Iterator[Finding]:
    """Ranges that are missing, empty, or in degrees."""
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
    degrees = [
        b
        for b in model.independent_joints
        if type(b.joint) is Revolute and DEGREES[0] < np.abs([*b.limits.lower, *b.limits.upper]).max() <= DEGREES[1]
    ]
    if degrees:
        b = degrees[0]
        yield Finding(
            "warning",
            "range in degrees",
            _joints(degrees),
            f"{b.joint_name!r} turns from {b.limits.lower[0]:g} to {b.limits.upper[0]:g} rad",
            "angles are in radians",
            "multiply by π/180",
        )


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
    empty = []
    for body in model.independent_joints:
        at = model.slices[body.index][0]
        if np.any(model.bounds.lower[at] > model.bounds.upper[at]):
            empty += [
                b for b in model.bodies if b.mimic is not None and b.mimic.source == body.index and _clash(b, body)
            ]
    if empty:
        yield Finding(
            "warning",
            "limits of a mimic joint",
            _joints(empty),
            "no position of the joint that they follow is within the limits of these joints",
            "`robot.check` refuses every configuration, and `robot.random` leaves their limits",
            "compare multiplier, offset and limits of the mimic joint: q = multiplier · q_leader + offset",
        )
    held = [b for b in model.bodies if b.mimic is not None and b.mimic.ratio == 0.0]
    if held:
        yield Finding(
            "note",
            "mimic of zero",
            _joints(held),
            "a multiplier of 0 holds these joints",
            "they do not move",
            "make them fixed if that is meant, else write the multiplier",
        )


def _clash(follower: Body, leader: Body) -> bool:
    lower, upper, _ = leader_bounds(follower)
    return bool(np.any(np.maximum(lower, leader.limits.lower) > np.minimum(upper, leader.limits.upper)))


def _is_unbounded(body: Body) -> bool:
    return bool(np.all(np.isinf([*body.limits.lower, *body.limits.upper])))


def _without_zero(name: str, model: Model) -> Model:
    """The same model without limits of zero."""

    def dropped(limits: Limits) -> Limits:
        values: dict[str, Any] = {name: np.where(getattr(limits, name) == 0.0, np.inf, getattr(limits, name))}
        return replace(limits, **values)

    return changed(model, [replace(b, limits=dropped(b.limits)) for b in model.bodies])


def _joints(bodies: Sequence[Body]) -> tuple[str, ...]:
    return tuple(f"joint {body.joint_name!r}" for body in bodies)
