"""Joints as URDF has them: each of ours as one, or as a chain of them with massless links between.

Chains move in the same way with the same variables: cylindrical and universal joints, and a helical one, which is a
hinge and a slider that mimics it. Ball joints and screws of other than unit length have no such chain: they become
hinges about z, y, x, and a hinge or slider in radians or metres, which changes the motion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ...lie import se3
from ..body import Body
from ..joints import (
    Continuous,
    Cylindrical,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from ..joints.base import check_class
from .unsaid import Unsaid

_UNIT = 1e-12
_X, _Y, _Z = np.eye(3)


class Step(NamedTuple):
    """One joint of URDF: a part of one of ours."""

    kind: str
    axis: Array | None
    placement: Array
    variable: int | None
    """Which variable of our joint it is; None: all of them, or, of a mimic, none."""
    ratio: float = 1.0
    """Of a step without a variable of its own, to the step before it."""

    @property
    def moves(self) -> bool:
        """Whether it has variables of its own."""
        return self.variable is not None or self.kind in ("floating", "planar")


def steps_of(body: Body, unsaid: Unsaid) -> list[Step]:
    """The joints of URDF that move as one of ours, with the same variables."""
    joint, eye = body.joint, np.eye(4)
    check_class(joint, body.joint_name, "URDF")
    if isinstance(joint, Revolute | Continuous | Prismatic):
        return [Step("prismatic" if isinstance(joint, Prismatic) else "revolute", joint.axis, eye, 0)]
    if isinstance(joint, Free):
        return [Step("floating", None, eye, None)]
    if isinstance(joint, Planar):
        return [Step("planar", joint.normal, eye, None)]
    if isinstance(joint, Universal):
        return [Step("revolute", joint.first, eye, 0), Step("revolute", joint.second, eye, 1)]
    if isinstance(joint, Cylindrical):
        return [Step("revolute", joint.axis, eye, 0), Step("prismatic", joint.axis, eye, 1)]
    if isinstance(joint, Helical):
        return _helix(joint.axis, joint.pitch, eye)
    if isinstance(joint, Screw):
        return _screw(body, joint, unsaid)
    return _ball(body, joint, unsaid)


def _helix(axis: Array, pitch: float, X: Array) -> list[Step]:
    turn = Step("revolute", axis, X, 0)
    return [turn] if pitch == 0.0 else [turn, Step("prismatic", axis, np.eye(4), None, pitch)]


def _screw(body: Body, joint: Screw, unsaid: Unsaid) -> list[Step]:
    if abs(joint.rate - 1.0) > _UNIT:
        kind = "screws of other than unit length, whose q is in radians or metres there"
        unsaid.add(kind, body.joint_name, changes=True)
    if not joint.turns:
        return [Step("prismatic", joint.axis, np.eye(4), 0)]
    there = se3.pose(np.eye(3), joint.point)
    back = Step("fixed", None, se3.inverse(there), None)
    return [*_helix(joint.axis, joint.pitch, there), *([back] if np.any(joint.point) else [])]


def _ball(body: Body, joint: Joint, unsaid: Unsaid) -> list[Step]:
    if not isinstance(joint, Spherical):
        raise ModelError(f"joint {body.joint_name!r}: URDF has no {type(joint).__name__} joints")
    kind = "ball joints, written as hinges about z, y, x with other variables"
    unsaid.add(kind, body.joint_name, changes=True)
    return [Step("revolute", axis, np.eye(4), k) for k, axis in enumerate((_Z, _Y, _X))]
